/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The asking thread: questions and then observations, so that answers are as little taught by this
 * run as can be. A daemon that hangs holds this thread alone, which nobody joins. Observations go
 * out by predictd_observe: nothing is then left for libpredictd to send while the program exits.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client/opencl/layer/known.h"

enum {
	STACK_BYTES = 1 << 19, /* a program may lock all of its memory */
	REPORTS_MAX = 4096,
	BATCH_MAX = 64,
	TRIES_MAX = 3, /* of a question that times out while others do not */
	TIMEOUT_S = 10 /* the analysis of a long program takes some seconds */
};

/* At the end, for one answer: twice what an analysis may take by default. */
static const double step_max_s = 5;

/* Between attempts at a daemon that is away; doubled each time. */
static const int64_t backoff_min_ns = 250000000, backoff_max_ns = 4000000000;

struct report {
	struct known_shape *shape;
	double kernel_time_s, launch_time_s;
	unsigned flags;
	int64_t measured_at_s;
};

struct asker {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	bool has_thread, is_away;
	bool is_ending, is_over;          /* what is left is done, and then what is left is left */
	struct known_shape *first, *last; /* to be asked about */
	struct report *reports;           /* a ring of REPORTS_MAX */
	size_t report_begin, report_count;
	const char *name; /* of the program */
	struct ask_counts counts;
	uint64_t answered; /* exchanges */
	/* the thread's own */
	predictd_connection *connection;
	unsigned program_count;
};

static struct asker asker = {.mutex = PTHREAD_MUTEX_INITIALIZER,
                             .changed = PTHREAD_COND_INITIALIZER};

static bool is_away(predictd_status status)
{
	return status == PREDICTD_UNAVAILABLE || status == PREDICTD_TIMEOUT ||
	       status == PREDICTD_BUSY || status == PREDICTD_CANCELLED;
}

static struct timespec after(int64_t ns)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	int64_t end_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec + ns;
	return (struct timespec){end_ns / 1000000000, end_ns % 1000000000};
}

char *known_text(const char *text)
{
	return strdup(text != NULL ? text : "");
}

/* ---- programs ------------------------------------------------------------------------------ */

/* Registers the shape's program where it has a source. */
static predictd_status program_register(seen_program *seen)
{
	struct known_program *known = seen->known;
	if (known == NULL) {
		known = calloc(1, sizeof *known);
		if (known == NULL)
			return PREDICTD_NO_MEMORY;
		seen->known = known;
	}
	if (known->program != NULL || known->is_refused)
		return PREDICTD_OK;
	char name[96];
	(void)snprintf(name, sizeof name, "%.64s: program %u", asker.name, asker.program_count + 1);
	const predictd_source source = {.name = name,
	                                .text = seen->text,
	                                .size = seen->size,
	                                .options = seen->options,
	                                .headers = seen->headers,
	                                .header_count = seen->header_count};
	/* a program may have headers in folders; without them its own text has to do */
	predictd_source *complete = NULL;
	const bool is_complete = predictd_source_complete(&source, &complete) == PREDICTD_OK;
	predictd_status status = predictd_register(
	        asker.connection, is_complete ? complete : &source, &known->program);
	predictd_source_free(complete);
	if (is_away(status))
		return status;
	asker.program_count++;
	if (status != PREDICTD_OK) {
		known->is_refused = true;
		known->why = known_text(predictd_error_text());
	}
	return PREDICTD_OK;
}

static const char *origin_text(seen_origin origin)
{
	switch (origin) {
	case SEEN_BINARY:
		return "a binary whose source was not seen";
	case SEEN_IL:
		return "an intermediate language";
	case SEEN_BUILT_IN:
		return "built into the driver";
	default:
		return "a source";
	}
}

/* The kernel by its name and its program's hash: what was observed of it answers. */
static predictd_status program_without_source(struct known_shape *known)
{
	const seen_kernel *kernel = known->shape->kernel;
	char name[256];
	(void)snprintf(name, sizeof name, "%.230s@%016llx", kernel->name,
	               (unsigned long long)kernel->program->hash);
	predictd_status status =
	        predictd_register_without_source(asker.connection, name, &known->program);
	known->owns_program = status == PREDICTD_OK;
	return status;
}

/* ---- one question -------------------------------------------------------------------------- */

static void answer_keep(struct known_shape *known, const predictd_prediction *prediction,
                        uint64_t taught)
{
	known->answer = (struct known_answer){.time_s = prediction->kernel_time_s,
	                                      .low_s = prediction->low_s,
	                                      .high_s = prediction->high_s,
	                                      .static_time_s = prediction->static_time_s,
	                                      .launch_time_s = prediction->launch_time_s,
	                                      .basis = prediction->basis,
	                                      .observation_count = prediction->observation_count,
	                                      .taught = taught,
	                                      .bottleneck = known_text(prediction->bottleneck),
	                                      .note = known_text(prediction->note)};
	atomic_store_explicit(&known->state, KNOWN_ANSWERED, memory_order_release);
}

static void refuse(struct known_shape *known, const char *first, const char *then)
{
	char why[1024];
	(void)snprintf(why, sizeof why, "%s%s%s", first, first[0] != '\0' ? ": " : "", then);
	known->why = known_text(why);
	atomic_store_explicit(&known->state, KNOWN_UNANSWERED, memory_order_release);
}

/* The program that the question names, with a source where there is one that is understood. */
static predictd_status program_find(struct known_shape *known)
{
	seen_program *seen = known->shape->kernel->program;
	predictd_status status = PREDICTD_OK;
	if (seen->origin == SEEN_SOURCE)
		status = program_register(seen);
	if (status != PREDICTD_OK || known->program != NULL)
		return status;
	if (seen->known != NULL && seen->known->program != NULL)
		known->program = seen->known->program;
	else
		status = program_without_source(known);
	return status;
}

/* Why a kernel has no source that is understood; "" where it has. */
static const char *program_fault(const struct known_shape *known)
{
	const seen_program *seen = known->shape->kernel->program;
	if (!known->owns_program)
		return "";
	if (seen->origin != SEEN_SOURCE)
		return origin_text(seen->origin);
	return seen->known != NULL && seen->known->why != NULL ? seen->known->why : "no memory";
}

static predictd_status question_ask(struct known_shape *known, uint64_t taught)
{
	char why[512] = "";
	predictd_prediction *prediction = NULL;
	struct question question = {.arguments = NULL};
	predictd_status status = PREDICTD_OK;
	if (!question_make(known->shape, known->program, known->owns_program, &question, why,
	                   sizeof why)) {
		known->program = NULL;
		refuse(known, "", why);
	} else {
		status = predictd_predict(asker.connection, &question.question, &prediction);
	}
	if (prediction != NULL)
		answer_keep(known, prediction, taught);
	predictd_predictions_free(prediction, 1);
	free(question.arguments);
	return status;
}

/* A status of a daemon that is away leaves the shape as it was, a few times where it was there. */
static predictd_status ask(struct known_shape *known, uint64_t taught)
{
	predictd_status status = program_find(known);
	if (status == PREDICTD_OK)
		status = question_ask(known, taught);
	if (status == PREDICTD_OK)
		return status;
	if (!is_away(status))
		refuse(known, program_fault(known), predictd_error_text());
	else if (status != PREDICTD_UNAVAILABLE && ++known->tries >= TRIES_MAX)
		refuse(known, "asked three times", predictd_error_text());
	return is_away(status) ? status : PREDICTD_OK;
}

/* ---- observations -------------------------------------------------------------------------- */

/* sent, refused   out: of these */
static predictd_status report(const struct report *reports, size_t count, uint64_t *sent,
                              uint64_t *refused)
{
	predictd_observation observations[BATCH_MAX];
	predictd_status statuses[BATCH_MAX], status = PREDICTD_OK;
	struct question questions[BATCH_MAX];
	char why[256];
	size_t made = 0;
	for (size_t i = 0; i < count; i++)
		statuses[i] = PREDICTD_INTERNAL;
	for (size_t i = 0; i < count; i++) {
		const struct known_shape *known = reports[i].shape;
		/* without an answer for want of a calibration, too: the daemon knows what to keep
		 */
		if (known->program == NULL ||
		    !question_make(known->shape, known->program, known->owns_program,
		                   &questions[made], why, sizeof why))
			continue;
		observations[made] =
		        (predictd_observation){.question = questions[made].question,
		                               .kernel_time_s = reports[i].kernel_time_s,
		                               .launch_time_s = reports[i].launch_time_s,
		                               .flags = reports[i].flags,
		                               .measured_at_s = reports[i].measured_at_s};
		made++;
	}
	*refused = count - made;
	*sent = 0;
	if (made > 0)
		status = predictd_observe(asker.connection, observations, made, statuses);
	for (size_t i = 0; i < made; i++) {
		free(questions[i].arguments);
		if (is_away(status))
			continue;
		*sent += statuses[i] == PREDICTD_OK;
		*refused += statuses[i] != PREDICTD_OK;
	}
	return is_away(status) ? status : PREDICTD_OK;
}

/* ---- the thread ---------------------------------------------------------------------------- */

/* With the mutex, which it leaves while it waits for the daemon. */
static predictd_status work(void)
{
	struct known_shape *known = asker.first;
	struct report batch[BATCH_MAX];
	size_t count = asker.report_count < BATCH_MAX ? asker.report_count : BATCH_MAX;
	uint64_t taught = asker.counts.sent, sent = 0, refused = 0;
	char away[sizeof asker.counts.away] = "";
	for (size_t i = 0; i < count; i++)
		batch[i] = asker.reports[(asker.report_begin + i) % REPORTS_MAX];
	(void)pthread_mutex_unlock(&asker.mutex);
	const predictd_options options = {.size = sizeof options, .timeout_s = TIMEOUT_S};
	predictd_status status = PREDICTD_OK;
	if (asker.connection == NULL)
		status = predictd_open_with(&options, &asker.connection);
	if (status == PREDICTD_OK)
		status = known != NULL ? ask(known, taught) : report(batch, count, &sent, &refused);
	if (status != PREDICTD_OK)
		(void)snprintf(away, sizeof away, "%s", predictd_error_text());
	bool is_done = status == PREDICTD_OK ||
	               (known != NULL && atomic_load(&known->state) != KNOWN_WAITS);
	(void)pthread_mutex_lock(&asker.mutex);
	memcpy(asker.counts.away, away, sizeof away);
	asker.counts.has_asked |= status == PREDICTD_OK;
	asker.answered += status == PREDICTD_OK;
	if (is_done && known != NULL) {
		asker.first = known->next_asked;
		if (asker.first == NULL)
			asker.last = NULL;
	} else if (is_done) {
		asker.report_begin = (asker.report_begin + count) % REPORTS_MAX;
		asker.report_count -= count;
		asker.counts.sent += sent;
		asker.counts.refused += refused;
	}
	return status;
}

static void *run(void *context)
{
	(void)context;
	int64_t backoff_ns = backoff_min_ns;
	(void)pthread_mutex_lock(&asker.mutex);
	for (;;) {
		if (asker.is_over)
			break;
		if (asker.first == NULL && asker.report_count == 0) {
			if (asker.is_ending)
				break;
			(void)pthread_cond_wait(&asker.changed, &asker.mutex);
			continue;
		}
		const predictd_status status = work();
		asker.is_away = status != PREDICTD_OK;
		if (!asker.is_away) {
			backoff_ns = backoff_min_ns;
			continue;
		}
		(void)pthread_cond_broadcast(&asker.changed);
		const bool was_ending = asker.is_ending;
		if (was_ending && status == PREDICTD_UNAVAILABLE)
			break;
		/* one that had no time for an analysis may have it now that the program has ended
		 */
		struct timespec end = after(was_ending ? backoff_min_ns : backoff_ns);
		while (!asker.is_over && asker.is_ending == was_ending &&
		       pthread_cond_clockwait(&asker.changed, &asker.mutex, CLOCK_MONOTONIC,
		                              &end) == 0)
			continue;
		backoff_ns = 2 * backoff_ns < backoff_max_ns ? 2 * backoff_ns : backoff_max_ns;
	}
	asker.has_thread = false;
	(void)pthread_cond_broadcast(&asker.changed);
	(void)pthread_mutex_unlock(&asker.mutex);
	return NULL;
}

/* With the mutex. */
static void wake(void)
{
	pthread_t thread;
	pthread_attr_t attributes;
	sigset_t every, before;
	(void)pthread_cond_broadcast(&asker.changed);
	if (asker.has_thread || asker.is_ending)
		return;
	/* signals are the program's */
	(void)sigfillset(&every);
	(void)pthread_sigmask(SIG_SETMASK, &every, &before);
	(void)pthread_attr_init(&attributes);
	(void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
	(void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	asker.has_thread = pthread_create(&thread, &attributes, run, NULL) == 0;
	(void)pthread_attr_destroy(&attributes);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- what the harvesting thread calls ------------------------------------------------------ */

void ask_shape(struct known_shape *shape, const char *name)
{
	(void)pthread_mutex_lock(&asker.mutex);
	asker.name = name;
	shape->next_asked = NULL;
	if (asker.last != NULL)
		asker.last->next_asked = shape;
	else
		asker.first = shape;
	asker.last = shape;
	wake();
	(void)pthread_mutex_unlock(&asker.mutex);
}

void ask_report(struct known_shape *shape, const seen_times *times, double launch_time_s)
{
	const struct report one = {.shape = shape,
	                           .kernel_time_s = times->end_s - times->start_s,
	                           .launch_time_s = launch_time_s,
	                           .flags = (times->is_first ? PREDICTD_FIRST_RUN : 0u) |
	                                    (times->overlapped ? PREDICTD_OVERLAPPED : 0u),
	                           .measured_at_s = (int64_t)time(NULL)};
	(void)pthread_mutex_lock(&asker.mutex);
	if (asker.reports == NULL)
		asker.reports = calloc(REPORTS_MAX, sizeof *asker.reports);
	if (asker.reports != NULL && asker.report_count < REPORTS_MAX) {
		asker.reports[(asker.report_begin + asker.report_count++) % REPORTS_MAX] = one;
		wake();
	} else {
		asker.counts.dropped++;
	}
	(void)pthread_mutex_unlock(&asker.mutex);
}

static bool is_before(struct timespec a, struct timespec b)
{
	return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec < b.tv_nsec);
}

void ask_close(double wait_s, double patience_s)
{
	(void)pthread_mutex_lock(&asker.mutex);
	/* one that is away, and not just short of time, is not waited for */
	const bool was_away = asker.is_away && !asker.counts.has_asked;
	const double step_s =
	        asker.counts.has_asked && patience_s > step_max_s ? step_max_s : wait_s;
	struct timespec last = after((int64_t)(1e9 * (wait_s + patience_s)));
	struct timespec end = after((int64_t)(1e9 * step_s));
	uint64_t answered = asker.answered;
	asker.is_ending = true;
	(void)pthread_cond_broadcast(&asker.changed);
	while (asker.has_thread && !was_away) {
		if (is_before(last, end))
			end = last;
		if (pthread_cond_clockwait(&asker.changed, &asker.mutex, CLOCK_MONOTONIC, &end) ==
		    0)
			continue;
		if (asker.answered == answered || !is_before(end, last))
			break;
		answered = asker.answered;
		end = after((int64_t)(1e9 * step_s));
	}
	asker.is_over = true;
	asker.counts.dropped += asker.report_count;
	(void)pthread_cond_broadcast(&asker.changed);
	(void)pthread_mutex_unlock(&asker.mutex);
}

void ask_forked(void)
{
	/* the parent's connection, programs and questions are left as they are: any of them may
	 * have been in the middle of a call */
	asker = (struct asker){.mutex = PTHREAD_MUTEX_INITIALIZER,
	                       .changed = PTHREAD_COND_INITIALIZER};
}

void ask_get_counts(struct ask_counts *counts)
{
	(void)pthread_mutex_lock(&asker.mutex);
	*counts = asker.counts;
	(void)pthread_mutex_unlock(&asker.mutex);
}
