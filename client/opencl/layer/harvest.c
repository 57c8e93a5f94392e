/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bounded ring leads from the program's threads to the harvesting one: a ticket gives the place,
 * and a place's sequence says that it is filled (after Vyukov's bounded queue). Room is reserved
 * before a ticket is drawn, so a place is always free by then.
 */
#include "client/opencl/layer/harvest.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "client/opencl/layer/binaries.h"
#include "client/opencl/layer/exit.h"
#include "client/opencl/layer/overlap.h"
#include "client/opencl/layer/shapes.h"

enum {
	BATCH_MAX = 512,        /* told at once; a fork() waits as long */
	UNORDERED_LOOKS = 1024, /* at events of a queue without order, each time */
	NAP_MIN_NS = 1000000,   /* doubled while nothing ends */
	NAP_MAX_NS = 20000000,
	TICK_NS = 50000000,
	END_NS = 200000000,   /* for events under way at exit, */
	CLOSE_NS = 200000000, /* for what is to be sent then, */
	HOLD_NS = 200000000,  /* and for the thread to leave the driver before a fork() */
	SLACK_NS = 100000000,
	NICENESS = 10,
	STACK_BYTES = 1 << 20
};

struct place {
	_Atomic uint64_t sequence; /* ticket + 1 once it is filled */
	struct harvest_entry entry;
};

struct pending {
	struct harvest_entry entry;
	struct pending *next;
	bool is_running;
};

struct done {
	struct harvest_entry entry;
	seen_times times;
};

struct harvest {
	_Atomic uint64_t tickets;
	_Atomic int64_t reserved;
	/* the thread's own */
	uint64_t taken;
	uint64_t ticked_ns;
	uint32_t told_shapes;
	struct pending *free;
	struct queue *queues; /* with pending events */
	struct overlap overlap;
	size_t done_count;
	struct done done[BATCH_MAX];
	struct pending pending[HARVEST_MAX];
	struct place ring[HARVEST_MAX];
};

static _Atomic(struct harvest *) harvest;
static pthread_mutex_t start_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t wake_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static bool is_busy, is_ending, has_ended; /* under wake_mutex; is_busy: not asleep */
static _Atomic bool is_in_driver, is_abandoned;
static bool is_known; /* knowledge_open succeeded, and nothing was closed */
static bool is_child; /* of fork(), without a thread yet */

static uint64_t now_ns(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static struct timespec time_of(uint64_t ns)
{
	return (struct timespec){(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
}

/* ---- the program's threads ----------------------------------------------------------------- */

bool harvest_reserve(void)
{
	struct harvest *all = atomic_load_explicit(&harvest, memory_order_acquire);
	if (all == NULL)
		return false;
	if (atomic_fetch_add_explicit(&all->reserved, 1, memory_order_acquire) < HARVEST_MAX)
		return true;
	atomic_fetch_sub_explicit(&all->reserved, 1, memory_order_relaxed);
	return false;
}

void harvest_unreserve(void)
{
	struct harvest *all = atomic_load_explicit(&harvest, memory_order_acquire);
	atomic_fetch_sub_explicit(&all->reserved, 1, memory_order_release);
}

void harvest_push(const struct harvest_entry *entry)
{
	struct harvest *all = atomic_load_explicit(&harvest, memory_order_acquire);
	const uint64_t ticket = atomic_fetch_add_explicit(&all->tickets, 1, memory_order_relaxed);
	struct place *place = &all->ring[ticket % HARVEST_MAX];
	place->entry = *entry;
	atomic_store_explicit(&place->sequence, ticket + 1, memory_order_release);
}

/* The thread is awake from here, but for a fork() that is under way, */
static void busy_begin(void)
{
	(void)pthread_mutex_lock(&wake_mutex);
	is_busy = true;
	(void)pthread_mutex_unlock(&wake_mutex);
}

/* to here. */
static void busy_end(void)
{
	(void)pthread_mutex_lock(&wake_mutex);
	is_busy = false;
	(void)pthread_cond_broadcast(&wake);
	(void)pthread_mutex_unlock(&wake_mutex);
}

/* ---- events -------------------------------------------------------------------------------- */

/* false: the process is at its end, and the driver is not to be called any more. */
static bool driver_enter(void)
{
	atomic_store(&is_in_driver, true);
	return !atomic_load(&is_abandoned);
}

static bool driver_leave(void)
{
	atomic_store(&is_in_driver, false);
	return !atomic_load(&is_abandoned);
}

static double profile_of(cl_event event, cl_profiling_info what, bool *is_good)
{
	cl_ulong ns = 0;
	if (layer_target.clGetEventProfilingInfo(event, what, sizeof ns, &ns, NULL) != CL_SUCCESS)
		*is_good = false;
	return (double)ns * 1e-9;
}

static void times_of(cl_event event, seen_times *times)
{
	bool is_good = true;
	times->queued_s = profile_of(event, CL_PROFILING_COMMAND_QUEUED, &is_good);
	times->submit_s = profile_of(event, CL_PROFILING_COMMAND_SUBMIT, &is_good);
	times->start_s = profile_of(event, CL_PROFILING_COMMAND_START, &is_good);
	times->end_s = profile_of(event, CL_PROFILING_COMMAND_END, &is_good);
	if (!is_good)
		times->queued_s = times->submit_s = times->start_s = times->end_s = 0;
}

/* Whether the event has ended; its times then, and it is released. */
static bool has_come(struct pending *pending, seen_times *times)
{
	const cl_event event = pending->entry.event;
	cl_int status = CL_QUEUED;
	*times = (seen_times){0};
	if (layer_target.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
	                                &status, NULL) != CL_SUCCESS)
		status = CL_INVALID_EVENT;
	pending->is_running = status == CL_RUNNING;
	if (status > CL_COMPLETE)
		return false;
	times->failed = status < 0;
	if (!times->failed)
		times_of(event, times);
	(void)layer_target.clReleaseEvent(event);
	return true;
}

/* Looks at a queue's events, the oldest first. false: the process is at its end. */
static bool look_at(struct harvest *all, struct queue *queue)
{
	struct pending **link = &queue->first, *last = NULL;
	unsigned looks = 0;
	while (*link != NULL && all->done_count < BATCH_MAX) {
		struct pending *pending = *link;
		struct done *done = &all->done[all->done_count];
		bool has = driver_enter() && has_come(pending, &done->times);
		if (!driver_leave())
			return false;
		if (has) {
			done->entry = pending->entry;
			all->done_count++;
			*link = pending->next;
			pending->next = all->free;
			all->free = pending;
			continue;
		}
		last = pending;
		link = &pending->next;
		if (queue->is_ordered || ++looks == UNORDERED_LOOKS)
			break;
	}
	if (*link == NULL) {
		queue->last = last;
	} else if (looks == UNORDERED_LOOKS) { /* others may have ended: they are first next time */
		queue->last->next = queue->first;
		queue->first = *link;
		queue->last = last;
		last->next = NULL;
	}
	return true;
}

/* What the ring has becomes pending. */
static void take_from_ring(struct harvest *all)
{
	for (;;) {
		struct place *place = &all->ring[all->taken % HARVEST_MAX];
		if (atomic_load_explicit(&place->sequence, memory_order_acquire) != all->taken + 1)
			return;
		struct pending *pending = all->free;
		struct queue *queue = place->entry.queue;
		all->free = pending->next;
		*pending = (struct pending){.entry = place->entry};
		all->taken++;
		if (queue->first == NULL)
			queue->first = pending;
		else
			queue->last->next = pending;
		queue->last = pending;
		if (!queue->is_listed) {
			queue->is_listed = true;
			queue->next = all->queues;
			all->queues = queue;
			queue_keep(queue);
		}
	}
}

/* ---- what is told -------------------------------------------------------------------------- */

static void mark_overlaps(struct harvest *all)
{
	for (size_t i = 0; i < all->done_count; i++) {
		struct done *done = &all->done[i];
		const struct queue *queue = done->entry.queue;
		if (done->entry.shape == NULL || done->times.end_s <= 0)
			continue;
		overlap_add(&all->overlap,
		            &(struct span){queue->device, queue->number, queue->is_ordered,
		                           done->times.start_s, done->times.end_s,
		                           &done->times.overlapped});
		/* one that runs by now may have begun before this one ended */
		for (const struct queue *other = all->queues; other != NULL; other = other->next)
			if (other->device == queue->device &&
			    (other != queue || !queue->is_ordered) && other->first != NULL &&
			    other->first->entry.shape != NULL && other->first->is_running)
				done->times.overlapped = true;
	}
	overlap_settle(&all->overlap);
}

static void tell_shapes(struct harvest *all)
{
	seen_shape *shape;
	while (is_known && (shape = shapes_get(all->told_shapes)) != NULL) {
		knowledge_shape(shape);
		all->told_shapes++;
	}
}

static void tell(struct harvest *all)
{
	mark_overlaps(all);
	tell_shapes(all);
	for (size_t i = 0; i < all->done_count; i++) {
		struct done *done = &all->done[i];
		const struct harvest_entry *entry = &done->entry;
		done->times.is_first = entry->is_first;
		done->times.is_near = entry->is_near;
		if (is_known && entry->shape != NULL)
			knowledge_launch(entry->shape, &done->times);
		else if (is_known)
			knowledge_transfer(entry->kind, entry->queue->device, entry->size_bytes,
			                   entry->is_blocking, &done->times);
		queue_drop(entry->queue);
	}
	atomic_fetch_sub_explicit(&all->reserved, (int64_t)all->done_count, memory_order_release);
	all->done_count = 0;
}

/* Queues without pending events leave the list. */
static void leave_out(struct harvest *all)
{
	struct queue **link = &all->queues;
	while (*link != NULL) {
		struct queue *queue = *link;
		if (queue->first != NULL) {
			link = &queue->next;
			continue;
		}
		*link = queue->next;
		queue->is_listed = false;
		queue_drop(queue);
	}
}

/* How many events ended; *is_over: the process is at its end. */
static size_t look_at_all(struct harvest *all, bool *is_over)
{
	size_t count = 0;
	busy_begin();
	take_from_ring(all);
	for (struct queue *queue = all->queues; queue != NULL && !*is_over; queue = queue->next)
		*is_over = !look_at(all, queue);
	if (!*is_over) {
		count = all->done_count;
		tell(all);
		leave_out(all);
		if (is_known && now_ns() - all->ticked_ns >= TICK_NS) {
			all->ticked_ns = now_ns();
			knowledge_tick(&layer_losses);
			binaries_write();
		}
	}
	busy_end();
	return count;
}

/* ---- the thread ---------------------------------------------------------------------------- */

/* Sleeps, but for the end of the process; true: it has come. */
static bool sleep_for(uint64_t ns)
{
	const struct timespec until = time_of(now_ns() + ns);
	(void)pthread_mutex_lock(&wake_mutex);
	if (!is_ending)
		(void)pthread_cond_clockwait(&wake, &wake_mutex, CLOCK_MONOTONIC, &until);
	const bool ending = is_ending;
	(void)pthread_mutex_unlock(&wake_mutex);
	return ending;
}

/* The layer prints nothing else, and this only where it is asked to. */
static void say_losses(const struct harvest *all)
{
	const char *word = getenv("PREDICTD_LAYER_DEBUG");
	if (word == NULL || strcmp(word, "1") != 0)
		return;
	(void)fprintf(stderr,
	              "predictd layer: %u shapes, %llu events; not followed: %llu launches, "
	              "%llu without a shape, %llu transfers\n",
	              all->told_shapes, (unsigned long long)all->taken,
	              (unsigned long long)layer_losses.launches,
	              (unsigned long long)layer_losses.shapes,
	              (unsigned long long)layer_losses.transfers);
}

static void finish(struct harvest *all)
{
	const uint64_t until_ns = now_ns() + END_NS;
	const struct timespec nap = {0, NAP_MIN_NS / 2};
	bool is_over = false;
	while (!is_over) {
		const size_t count = look_at_all(all, &is_over);
		if (atomic_load(&all->reserved) == 0 || now_ns() >= until_ns)
			break;
		if (count == 0)
			(void)nanosleep(&nap, NULL);
	}
	busy_begin();
	if (!is_over && is_known && !atomic_load(&is_abandoned)) {
		is_known = false;
		binaries_write();
		knowledge_close(&layer_losses, (double)CLOSE_NS * 1e-9);
		say_losses(all);
	}
	busy_end();
	(void)pthread_mutex_lock(&wake_mutex);
	has_ended = true;
	(void)pthread_cond_broadcast(&wake);
	(void)pthread_mutex_unlock(&wake_mutex);
}

static void *run(void *context)
{
	struct harvest *all = context;
	uint64_t nap_ns = NAP_MIN_NS;
	bool is_over = false;
	(void)setpriority(PRIO_PROCESS, (id_t)gettid(), NICENESS);
	busy_begin();
	if (is_child)
		knowledge_forked();
	is_child = false;
	is_known = knowledge_open(layer_wanted);
	if (!is_known)
		atomic_store(&layer_is_following, false);
	busy_end();
	exit_register(EXIT_AFTER_KNOWLEDGE);
	do {
		const size_t count = look_at_all(all, &is_over);
		if (count > 0)
			nap_ns = NAP_MIN_NS;
		else if ((nap_ns *= 2) > NAP_MAX_NS)
			nap_ns = NAP_MAX_NS;
		if (is_over || (count < BATCH_MAX && sleep_for(nap_ns)))
			break;
	} while (!is_over);
	finish(all);
	return NULL;
}

void harvest_start(void)
{
	sigset_t every, before;
	pthread_attr_t attributes;
	pthread_t thread;
	if (atomic_load_explicit(&harvest, memory_order_acquire) != NULL)
		return;
	(void)pthread_mutex_lock(&start_mutex);
	struct harvest *all = NULL;
	if (atomic_load(&harvest) == NULL && (all = calloc(1, sizeof *all)) != NULL) {
		for (size_t i = HARVEST_MAX; i-- > 0; all->free = &all->pending[i])
			all->pending[i].next = all->free;
		(void)sigfillset(&every);
		(void)pthread_sigmask(SIG_SETMASK, &every, &before);
		(void)pthread_attr_init(&attributes);
		(void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
		(void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
		if (pthread_create(&thread, &attributes, run, all) == 0)
			atomic_store_explicit(&harvest, all, memory_order_release);
		else
			free(all);
		(void)pthread_attr_destroy(&attributes);
		(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	(void)pthread_mutex_unlock(&start_mutex);
}

/*
 * Where the thread hangs in the driver, as when a callback that holds the driver's locks calls
 * exit(), what is known is closed here: the thread does nothing more once it comes back.
 */
void harvest_end(void)
{
	if (atomic_load(&harvest) == NULL)
		return;
	const uint64_t patience_ns = (uint64_t)(1e9 * knowledge_patience_s());
	const struct timespec until =
	        time_of(now_ns() + END_NS + CLOSE_NS + SLACK_NS + patience_ns);
	int failure = 0;
	(void)pthread_mutex_lock(&wake_mutex);
	is_ending = true;
	(void)pthread_cond_broadcast(&wake);
	while (!has_ended && failure == 0)
		failure = pthread_cond_clockwait(&wake, &wake_mutex, CLOCK_MONOTONIC, &until);
	const bool ended = has_ended;
	(void)pthread_mutex_unlock(&wake_mutex);
	if (ended)
		return;
	atomic_store(&is_abandoned, true);
	if (atomic_load(&is_in_driver) && is_known) {
		is_known = false;
		knowledge_close(&layer_losses, 0);
	}
}

/* ---- fork() -------------------------------------------------------------------------------- */

/* The lock stays held until the fork is over: the thread does not wake without it. */
void harvest_hold(void)
{
	const struct timespec until = time_of(now_ns() + HOLD_NS);
	int failure = 0;
	(void)pthread_mutex_lock(&wake_mutex);
	while (is_busy && failure == 0)
		failure = pthread_cond_clockwait(&wake, &wake_mutex, CLOCK_MONOTONIC, &until);
}

void harvest_let_go(void)
{
	(void)pthread_mutex_unlock(&wake_mutex);
}

void harvest_forget(void)
{
	is_child |= atomic_load(&harvest) != NULL;
	atomic_store(&harvest, NULL);
	start_mutex = wake_mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	wake = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	is_busy = is_ending = has_ended = is_known = false;
	atomic_store(&is_in_driver, false);
	atomic_store(&is_abandoned, false);
}
