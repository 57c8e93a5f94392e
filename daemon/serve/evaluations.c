/* SPDX-License-Identifier: Apache-2.0 */
/* Predictions in the background: a queue on the loop, threads, and the way back. */
#include "daemon/serve/evaluations.h"

#include "daemon/codec/launch_key.h"
#include "daemon/daemon.h"
#include "daemon/scheduling.h"
#include "daemon/serve/turns.h"
#include "model/ir/text.h"

#include <stddef.h>
#include <stdlib.h>

/* A thread rests three times as long as it worked: a quarter of a processor is others' loss. */
enum {
	EVALUATION_NICE = 10,
	EVALUATION_REST = 3,
	EVALUATION_LARGE_NODES = 1024 /* of a kernel: some milliseconds */
};

enum evaluation_state { EVALUATION_QUEUED, EVALUATION_RUNNING, EVALUATION_DONE };

/* What a thread works on; only the loop's while it is not running. */
struct evaluation_work {
	struct ir_kernel **kernels; /* of the program, held */
	const struct ir_kernel *kernel;
	struct device device;
	struct launch launch;
	struct prediction_options options;
	struct prediction prediction;
	struct prediction_lines lines; /* where the options ask for them */
	bool with_text;
	char *text;       /* of the kernel; NULL: not asked for, or no memory */
	uint64_t used_ns; /* by it */
	enum status status;
	struct error error;
};

struct evaluation {
	struct user_ticket ticket;
	struct evaluations *evaluations;
	struct session *session; /* NULL: abandoned */
	enum evaluation_state state;
	/* which step it is for */
	uint64_t generation;
	size_t position, device;
	struct evaluation_work *work; /* NULL: queued */
	struct evaluation *next;      /* given, or done */
};

static const struct user_queue_bounds bounds = {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX,
                                                "predictions"};

static void evaluation_free(struct evaluation *evaluation)
{
	if (evaluation->work != NULL) {
		free(evaluation->work->text);
		samples_release(&evaluation->work->launch);
	}
	free(evaluation->work);
	free(evaluation);
}

/* ---- threads ------------------------------------------------------------------------------- */

static void run(void *data)
{
	struct evaluations *evaluations = data;
	scheduling_background(EVALUATION_NICE);
	uv_mutex_lock(&evaluations->mutex);
	for (;;) {
		while (evaluations->given == NULL && !evaluations->is_ending)
			uv_cond_wait(&evaluations->given_one, &evaluations->mutex);
		if (evaluations->is_ending)
			break;
		struct evaluation *evaluation = evaluations->given;
		struct evaluation_work *work = evaluation->work;
		evaluations->given = evaluation->next;
		uv_mutex_unlock(&evaluations->mutex);
		uint64_t begin_ns = uv_hrtime();
		work->status = predict(work->kernel, &work->device, &work->launch, &work->options,
		                       &work->prediction, &work->error);
		struct error error;
		if (work->status == STATUS_OK && work->with_text)
			(void)kernel_format(work->kernel, IR_TEXT_MAX, &work->text, &error);
		uint64_t now_ns = uv_hrtime(),
		         rested_ns = now_ns + EVALUATION_REST * (now_ns - begin_ns);
		work->used_ns = now_ns - begin_ns;
		uv_mutex_lock(&evaluations->mutex);
		evaluation->next = evaluations->done;
		evaluations->done = evaluation;
		for (; now_ns < rested_ns && !evaluations->is_ending; now_ns = uv_hrtime())
			(void)uv_cond_timedwait(&evaluations->end, &evaluations->mutex,
			                        rested_ns - now_ns);
	}
	uv_mutex_unlock(&evaluations->mutex);
}

/* Lets the next that waits go on, while a thread has nothing to do. */
static void grant(struct evaluations *evaluations)
{
	unsigned granted = 0;
	struct user_ticket *ticket;
	while (evaluations->busy_count + granted < evaluations->thread_count &&
	       (ticket = user_queue_pop(&evaluations->queue, NULL, NULL)) != NULL) {
		struct evaluation *evaluation =
		        (struct evaluation *)((char *)ticket - offsetof(struct evaluation, ticket));
		evaluation->session->evaluation = NULL;
		turns_wait(evaluation->session);
		granted++;
		evaluation_free(evaluation);
	}
}

void evaluations_collect(struct evaluations *evaluations)
{
	if (evaluations->busy_count == 0)
		return;
	uv_mutex_lock(&evaluations->mutex);
	struct evaluation *evaluation = evaluations->done, *next;
	evaluations->done = NULL;
	uv_mutex_unlock(&evaluations->mutex);
	uint64_t now_ns = uv_hrtime();
	for (; evaluation != NULL; evaluation = next) {
		next = evaluation->next;
		/* else the loop would have to make one each time that his level has drained */
		struct user *user =
		        user_get(&evaluations->daemon->users, evaluation->ticket.user, now_ns);
		if (user != NULL)
			user_count(user, USE_PREDICTIONS, now_ns, evaluation->work->used_ns);
		evaluations->busy_count--;
		evaluations->made++;
		evaluation->state = EVALUATION_DONE;
		program_cache_release(&evaluations->daemon->programs, evaluation->work->kernels);
		if (evaluation->session != NULL)
			turns_wait(evaluation->session);
		else
			evaluation_free(evaluation);
	}
	grant(evaluations);
}

void evaluations_init(struct evaluations *evaluations, struct daemon *daemon)
{
	unsigned processors = uv_available_parallelism();
	*evaluations = (struct evaluations){.daemon = daemon};
	evaluations->thread_count = processors > EVALUATION_THREADS_MAX ? EVALUATION_THREADS_MAX
	                            : processors > 1                    ? processors - 1
	                                                                : 1;
}

/* False: there can be none. */
static bool threads_start(struct evaluations *evaluations)
{
	unsigned count = 0;
	if (evaluations->is_started || evaluations->is_stopping)
		return evaluations->is_started;
	if (uv_mutex_init(&evaluations->mutex) != 0)
		return false;
	bool has_given = uv_cond_init(&evaluations->given_one) == 0;
	bool has_end = uv_cond_init(&evaluations->end) == 0;
	while (has_given && has_end && count < evaluations->thread_count &&
	       uv_thread_create(&evaluations->threads[count], run, evaluations) == 0)
		count++;
	if (count == 0) {
		evaluations->is_stopping = true; /* not tried again */
		if (has_end)
			uv_cond_destroy(&evaluations->end);
		if (has_given)
			uv_cond_destroy(&evaluations->given_one);
		uv_mutex_destroy(&evaluations->mutex);
		return false;
	}
	evaluations->thread_count = count;
	evaluations->is_started = true;
	return true;
}

static void list_free(struct evaluation *evaluation)
{
	struct evaluation *next;
	for (; evaluation != NULL; evaluation = next) {
		next = evaluation->next;
		if (evaluation->session != NULL)
			evaluation->session->evaluation = NULL;
		evaluation_free(evaluation);
	}
}

void evaluations_stop(struct evaluations *evaluations)
{
	struct user_ticket *ticket;
	evaluations->is_stopping = true;
	while ((ticket = user_queue_pop(&evaluations->queue, NULL, NULL)) != NULL) {
		struct evaluation *evaluation =
		        (struct evaluation *)((char *)ticket - offsetof(struct evaluation, ticket));
		evaluation->next = NULL;
		list_free(evaluation);
	}
	if (!evaluations->is_started)
		return;
	evaluations->is_started = false;
	uv_mutex_lock(&evaluations->mutex);
	evaluations->is_ending = true;
	uv_cond_broadcast(&evaluations->given_one);
	uv_cond_broadcast(&evaluations->end);
	uv_mutex_unlock(&evaluations->mutex);
	for (unsigned i = 0; i < evaluations->thread_count; i++)
		(void)uv_thread_join(&evaluations->threads[i]);
	list_free(evaluations->given);
	list_free(evaluations->done);
	evaluations->given = evaluations->done = NULL;
	uv_cond_destroy(&evaluations->end);
	uv_cond_destroy(&evaluations->given_one);
	uv_mutex_destroy(&evaluations->mutex);
}

/* ---- asking -------------------------------------------------------------------------------- */

bool evaluation_is_awaited(const struct evaluation *evaluation)
{
	return evaluation != NULL && evaluation->state != EVALUATION_DONE;
}

void evaluation_abandon(struct evaluation *evaluation)
{
	if (evaluation == NULL)
		return;
	evaluation->session = NULL;
	if (evaluation->state == EVALUATION_QUEUED)
		user_queue_remove(&evaluation->evaluations->queue, &evaluation->ticket);
	if (evaluation->state != EVALUATION_RUNNING)
		evaluation_free(evaluation);
}

/* Gives the work to a thread that has none; false: no memory. */
static bool start(struct evaluation *evaluation, const struct program *program,
                  const struct ir_kernel *kernel, const struct prediction_options *options,
                  bool with_text)
{
	struct evaluations *evaluations = evaluation->evaluations;
	struct daemon *daemon = evaluations->daemon;
	struct evaluation_work *work = malloc(sizeof *work);
	evaluation->work = work;
	if (work != NULL) {
		work->text = NULL;
		work->launch.argument_count = 0; /* and so no samples */
	}
	if (work == NULL || !program_cache_hold(&daemon->programs, program))
		return false;
	work->kernels = program->kernels;
	work->kernel = kernel;
	work->device = daemon->registry.devices[evaluation->device]->device;
	launch_copy(&work->launch, &daemon->launch);
	samples_hold(&work->launch);
	work->options = *options;
	if (options->lines != NULL)
		work->options.lines = &work->lines;
	work->with_text = with_text;
	evaluation->state = EVALUATION_RUNNING;
	evaluations->busy_count++;
	uv_mutex_lock(&evaluations->mutex);
	evaluation->next = evaluations->given;
	evaluations->given = evaluation;
	uv_cond_signal(&evaluations->given_one);
	uv_mutex_unlock(&evaluations->mutex);
	turns_expect(daemon);
	return true;
}

/* Has a thread predict, or waits for one; false when memory is short. */
static bool begin(struct evaluations *evaluations, struct session *session,
                  const struct program *program, const struct ir_kernel *kernel, size_t device,
                  const struct prediction_options *options, bool with_text)
{
	struct error error;
	struct evaluation *evaluation = calloc(1, sizeof *evaluation);
	bool has_begun = false;
	if (evaluation == NULL)
		return false;
	evaluation->evaluations = evaluations;
	evaluation->session = session;
	evaluation->ticket.user = session->user;
	evaluation->generation = daemon_generation(evaluations->daemon);
	evaluation->position = session->work.position;
	evaluation->device = device;
	if (evaluations->busy_count < evaluations->thread_count)
		has_begun = start(evaluation, program, kernel, options, with_text);
	else
		has_begun = user_queue_push(&evaluations->queue, &evaluation->ticket, &bounds,
		                            &error) == STATUS_OK;
	if (has_begun)
		session->evaluation = evaluation;
	else
		evaluation_free(evaluation);
	return has_begun;
}

/* The result that the session waited for, if it is of this step and still holds. */
static bool take(struct evaluations *evaluations, struct session *session, size_t device,
                 enum status *status, struct error *error)
{
	struct daemon *daemon = evaluations->daemon;
	struct evaluation *evaluation = session->evaluation;
	if (evaluation == NULL)
		return false;
	session->evaluation = NULL; /* freed here */
	bool is_this = evaluation->generation == daemon_generation(daemon) &&
	               evaluation->position == session->work.position &&
	               evaluation->device == device;
	if (is_this) {
		struct evaluation_work *work = evaluation->work;
		daemon->ir_text = work->text;
		work->text = NULL; /* the daemon's */
		*status = work->status;
		if (work->status == STATUS_OK)
			daemon->prediction = work->prediction;
		else
			*error = work->error;
		if (work->status == STATUS_OK && work->options.lines != NULL)
			daemon->lines = work->lines;
	}
	evaluation_free(evaluation);
	return is_this;
}

/* What the prediction of daemon->launch is made of; the budget is the configuration's. */
static struct static_key key_of(const struct session *session, const struct program *program,
                                const struct ir_kernel *kernel, size_t device,
                                const struct prediction_options *options)
{
	const struct daemon *daemon = session->daemon;
	return (struct static_key){
	        .kernel = program_kernel_hash(program, kernel),
	        .device = daemon->registry.devices[device]->hash,
	        .launch = launch_question_key(&daemon->launch),
	        .generation = daemon_generation(daemon),
	        .user = session->user,
	        .options = (uint32_t)options->model << 2 | (uint32_t)options->with_transfers << 1 |
	                   (uint32_t)options->is_pinned,
	};
}

enum status evaluations_predict(struct evaluations *evaluations, struct session *session,
                                const struct program *program, const struct ir_kernel *kernel,
                                size_t device, const struct prediction_options *options,
                                bool with_text, struct error *error)
{
	struct daemon *daemon = evaluations->daemon;
	enum status status;
	free(daemon->ir_text);
	daemon->ir_text = NULL;
	bool is_kept = !with_text && !options->with_doubts && options->lines == NULL &&
	               !options->with_what_ifs && options->what_if.kind == 0;
	struct static_key key;
	if (is_kept)
		key = key_of(session, program, kernel, device, options);
	if (take(evaluations, session, device, &status, error)) {
		if (status == STATUS_OK && is_kept)
			static_memo_keep(&daemon->statics, &key, &daemon->prediction);
		return status;
	}
	bool is_found = is_kept && static_memo_find(&daemon->statics, &key, &daemon->prediction);
	if (is_kept)
		metrics_look_up(&daemon->metrics, METRICS_CACHE_STATICS, is_found);
	if (is_found)
		return STATUS_OK;
	uint64_t begin_ns = uv_hrtime();
	struct user *user = session->quota;
	bool is_long = user_is_heavy(&daemon->users, user, USE_PREDICTIONS, begin_ns) ||
	               (kernel->node_count > EVALUATION_LARGE_NODES &&
	                user_is_shared(&daemon->users, user, begin_ns));
	if (is_long && threads_start(evaluations) &&
	    begin(evaluations, session, program, kernel, device, options, with_text))
		return STATUS_BUSY;
	status = predict(kernel, &daemon->registry.devices[device]->device, &daemon->launch,
	                 options, &daemon->prediction, error);
	uint64_t end_ns = uv_hrtime();
	user_count(user, USE_PREDICTIONS, end_ns, end_ns - begin_ns);
	if (status == STATUS_OK && is_kept)
		static_memo_keep(&daemon->statics, &key, &daemon->prediction);
	return status;
}
