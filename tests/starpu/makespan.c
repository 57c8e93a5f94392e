/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The makespan of a StarPU program that nobody changed, and that prints none: LD_PRELOAD it.
 *
 * From the program's first submission until all tasks have ended; that is looked at when the
 * program first waits for them, gives its data back or ends. $MAKESPAN_FILE gets the microseconds.
 * Of programs that submit and wait several times, such as implicit_stencil, it is of the first.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <starpu.h>

static double begin_us;
static bool is_ended;

static void begin(void)
{
	if (begin_us == 0)
		begin_us = starpu_timing_now();
}

/* StarPU's own, as dlsym gives functions: by a pointer to data. */
static void *next(const char *name)
{
	void *symbol = dlsym(RTLD_NEXT, name);
	if (symbol == NULL) {
		(void)fprintf(stderr, "makespan: no %s\n", name);
		abort();
	}
	return symbol;
}

static void end(void)
{
	int (*wait)(void) = (int (*)(void))(intptr_t)next("starpu_task_wait_for_all");
	const char *path = getenv("MAKESPAN_FILE");
	if (begin_us == 0 || is_ended)
		return;
	is_ended = true;
	(void)wait();
	double end_us = starpu_timing_now();
	FILE *file = path != NULL ? fopen(path, "w") : NULL;
	if (file == NULL || fprintf(file, "%.1f\n", end_us - begin_us) < 0 || fclose(file) != 0) {
		(void)fprintf(stderr, "makespan: cannot write MAKESPAN_FILE\n");
		abort();
	}
}

int starpu_task_submit(struct starpu_task *task)
{
	int (*submit)(struct starpu_task *) =
	        (int (*)(struct starpu_task *))(intptr_t)next("starpu_task_submit");
	begin();
	return submit(task);
}

int starpu_task_wait_for_all(void)
{
	int (*wait)(void) = (int (*)(void))(intptr_t)next("starpu_task_wait_for_all");
	int result = wait();
	end();
	return result;
}

void starpu_data_unregister(starpu_data_handle_t handle)
{
	void (*unregister)(starpu_data_handle_t) =
	        (void (*)(starpu_data_handle_t))(intptr_t)next("starpu_data_unregister");
	end();
	unregister(handle);
}

void starpu_shutdown(void)
{
	void (*shutdown)(void) = (void (*)(void))(intptr_t)next("starpu_shutdown");
	end();
	shutdown();
}
