/* SPDX-License-Identifier: Apache-2.0 */
/*
 * At exit the harvest has 0.2 s for events that are under way. From then on no thread of the
 * layer's calls the driver, whose own handlers run after ours. A child of fork() has none of its
 * parent's threads: it follows nothing until it makes a queue of its own.
 */
#include "client/opencl/layer/exit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "client/opencl/layer/handles.h"
#include "client/opencl/layer/harvest.h"
#include "client/opencl/layer/intern.h"
#include "client/opencl/layer/memory.h"
#include "client/opencl/layer/programs.h"
#include "client/opencl/layer/queues.h"
#include "client/opencl/layer/samples.h"
#include "client/opencl/layer/shapes.h"

static atomic_flag is_over = ATOMIC_FLAG_INIT;

/* Also where nothing is followed, memory having been short: the thread is there all the same. */
static void at_exit(void)
{
	atomic_store(&layer_is_following, false);
	if (!atomic_flag_test_and_set(&is_over))
		harvest_end();
}

void exit_register(exit_stage stage)
{
	static atomic_flag is_registered[EXIT_STAGES] = {ATOMIC_FLAG_INIT, ATOMIC_FLAG_INIT,
	                                                 ATOMIC_FLAG_INIT};
	if (!atomic_flag_test_and_set(&is_registered[stage]))
		(void)atexit(at_exit);
}

/* The child would wait for ever for what the harvesting thread held in the driver. */
static void before_fork(void)
{
	harvest_hold();
}

static void in_parent(void)
{
	harvest_let_go();
}

static void in_child(void)
{
	atomic_flag_clear(&is_over);
	harvest_forget();
	handles_forget();
	queues_forget();
	programs_forget();
	memory_forget();
	intern_forget();
	shapes_forget();
	samples_forget();
	atomic_store(&layer_losses.launches, 0);
	atomic_store(&layer_losses.shapes, 0);
	atomic_store(&layer_losses.transfers, 0);
}

bool exit_init(void)
{
	return pthread_atfork(before_fork, in_parent, in_child) == 0;
}
