/* SPDX-License-Identifier: Apache-2.0 */
/*
 * predictctl starpu-export: predictions as performance models of StarPU.
 *
 * StarPU places by an entry that has as many measurements as STARPU_CALIBRATE_MINIMUM (10), so that
 * many are written, and no more: StarPU drops an entry once as many measured times contradict it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/predictctl/commands.h"
#include "client/predictctl/starpu.h"

/* Of a case on a device: the whole task; time_s 0 where there is no answer. */
struct task_time {
	double time_s, deviation_s;
};

struct exported {
	struct starpu_session session;
	struct task_time *times; /* by worker and case */
	uint64_t needed;         /* measurements of an entry */
	json_t *files, *entries;
	bool is_whole;
};

static uint64_t needed_count(void)
{
	const uint64_t usual = 10, most = 1000000;
	const char *value = getenv("STARPU_CALIBRATE_MINIMUM");
	uint64_t count = value != NULL ? strtoull(value, NULL, 10) : 0;
	return count < usual ? usual : count < most ? count : most;
}

/* ---- predictions ----------------------------------------------------------------------------- */

/* What the interval of nine in ten says of the deviation, were it a normal distribution's. */
static struct task_time task_time(const predictd_prediction *got)
{
	const double quantile = 1.6449; /* of 0.95 */
	struct task_time time = {0, 0};
	if (isfinite(got->task_time_s) && got->task_time_s > 0) {
		time.time_s = got->task_time_s;
		double width = got->task_high_s - got->task_low_s;
		time.deviation_s = isfinite(width) && width > 0 ? width / (2 * quantile) : 0;
	}
	return time;
}

static enum exit_code times_ask(struct exported *all, const struct options *options)
{
	struct starpu_session *session = &all->session;
	size_t count = session->cases.count, answered = 0;
	enum exit_code code = EXIT_DONE;
	all->times = calloc(session->worker_count * count + 1, sizeof *all->times);
	if (all->times == NULL) {
		complain("starpu-export", "no memory");
		return EXIT_FAILED;
	}
	for (size_t i = 0; i < session->worker_count; i++) {
		struct answers answers;
		const char *said = NULL;
		predictd_status status = ask_predict(&session->ask, options, PREDICTD_DEFAULT,
		                                     session->workers[i].key, &answers);
		if (status != PREDICTD_OK)
			return complain_of("starpu-export", status);
		code = answers_code(&answers);
		for (size_t j = 0; j < count; j++) {
			const struct answer *answer = &answers.each[j];
			if (answer->prediction != NULL)
				all->times[i * count + j] = task_time(answer->prediction);
			answered += answer->prediction != NULL;
			if (answer->prediction != NULL ||
			    (said != NULL && strcmp(said, answer->error) == 0))
				continue;
			complain(session->cases.cases[j].id, "OpenCL %d: %s",
			         session->workers[i].opencl, answer->error);
			said = answer->error;
			all->is_whole = false;
		}
		answers_deinit(&answers);
	}
	return answered > 0 ? EXIT_DONE : code == EXIT_DONE ? EXIT_FAILED : code;
}

/* ---- files ----------------------------------------------------------------------------------- */

static void entry_tell(struct exported *all, const struct launch_case *one,
                       const struct starpu_worker *worker, const struct starpu_row *row,
                       uint64_t measured)
{
	char footprint[16];
	(void)snprintf(footprint, sizeof footprint, "%08x", (unsigned)row->footprint);
	json_array_append_new(all->entries,
	                      json_pack("{so ss ss si ss so sI sI}", "case", json_text(one->id),
	                                "symbol", one->starpu.symbol, "footprint", footprint,
	                                "opencl", worker->opencl, "device_key", worker->key,
	                                "task_time_s", json_finite(1e-6 * row->mean_us), "measured",
	                                (json_int_t)measured, "predicted",
	                                (json_int_t)(row->count - measured)));
}

/*
 * Puts one entry into the model: what StarPU measured, and predictions up to the needed number.
 * What these are goes into the record. False for want of memory.
 */
static bool entry_put(struct exported *all, const struct options *options, size_t worker,
                      size_t index, struct starpu_model *model, struct starpu_model *record,
                      size_t *kept, size_t *written)
{
	const struct launch_case *one = &all->session.cases.cases[index];
	const struct starpu_worker *at = &all->session.workers[worker];
	const struct task_time *time = &all->times[worker * all->session.cases.count + index];
	const struct starpu_task *task = &one->starpu;
	const struct starpu_row *old = starpu_model_find(model, at->opencl, task->footprint);
	struct starpu_row measured = starpu_row_make(task->footprint, task->size_bytes, 0, 0, 0);
	if (!(time->time_s > 0))
		return true;
	if (old != NULL && !options->force)
		measured = starpu_row_measured(
		        old, starpu_model_find(record, at->opencl, task->footprint));
	if (measured.count >= all->needed) {
		entry_tell(all, one, at, old, measured.count);
		(*kept)++;
		return true;
	}
	struct starpu_row predicted =
	        starpu_row_make(task->footprint, task->size_bytes, 1e6 * time->time_s,
	                        1e6 * time->deviation_s, all->needed - measured.count);
	struct starpu_row row = starpu_row_add(&measured, &predicted);
	entry_tell(all, one, at, &row, measured.count);
	(*written)++;
	return starpu_model_put(model, at->opencl, &row) &&
	       starpu_model_put(record, at->opencl, &predicted);
}

/* The record first: what is not in it would pass for measured. */
static bool models_save(const struct starpu_files *files, const struct starpu_model *model,
                        const struct starpu_model *record)
{
	struct complaint why;
	const char *path = files->record;
	bool is_saved = starpu_model_save(path, record, &why);
	if (is_saved) {
		path = files->model;
		is_saved = starpu_model_save(path, model, &why);
	}
	if (!is_saved)
		complain(path, "%s", why.text);
	return is_saved;
}

static bool entries_put(struct exported *all, const struct options *options, const char *symbol,
                        struct starpu_model *model, struct starpu_model *record, size_t *kept,
                        size_t *written)
{
	const struct starpu_session *session = &all->session;
	for (size_t i = 0; i < session->cases.count; i++) {
		const struct launch_case *one = &session->cases.cases[i],
		                         *twin = starpu_twin(session, i);
		if (strcmp(one->starpu.symbol, symbol) != 0)
			continue;
		if (twin != NULL && twin < one) {
			complain(one->id,
			         "not exported: StarPU cannot tell it from %s, which has its "
			         "symbol and data sizes",
			         twin->id);
			all->is_whole = false;
			continue;
		}
		for (size_t j = 0; j < session->worker_count; j++)
			if (!entry_put(all, options, j, i, model, record, kept, written)) {
				complain("starpu-export", "no memory");
				return false;
			}
	}
	return true;
}

static bool symbol_export(struct exported *all, const struct options *options, const char *symbol)
{
	struct starpu_files files;
	struct starpu_model model = {0}, record = {0};
	struct complaint why;
	size_t kept = 0, written = 0;
	if (!starpu_files_init(options->folder, options->host, symbol, &files, &why)) {
		complain("starpu-export", "%s", why.text);
		return false;
	}
	bool is_done = starpu_models_load(&files, false, &model, &record) &&
	               entries_put(all, options, symbol, &model, &record, &kept, &written) &&
	               (written == 0 || models_save(&files, &model, &record));
	if (is_done && !options->json)
		(void)printf("%s: %zu written, %zu kept as StarPU measured them\n", files.model,
		             written, kept);
	if (is_done)
		json_array_append_new(all->files,
		                      json_pack("{so ss sI sI}", "path", json_text(files.model),
		                                "symbol", symbol, "written", (json_int_t)written,
		                                "kept", (json_int_t)kept));
	starpu_model_deinit(&model);
	starpu_model_deinit(&record);
	starpu_files_deinit(&files);
	return is_done;
}

enum exit_code command_starpu_export(const struct options *options)
{
	struct exported all = {.is_whole = true,
	                       .needed = needed_count(),
	                       .files = json_array(),
	                       .entries = json_array()};
	enum exit_code code = starpu_session_open("starpu-export", options, &all.session);
	if (code == EXIT_DONE)
		code = times_ask(&all, options);
	if (code == EXIT_DONE) {
		const struct case_list *cases = &all.session.cases;
		for (size_t i = 0; i < cases->count; i++)
			if (starpu_is_first(&all.session, i))
				all.is_whole &=
				        symbol_export(&all, options, cases->cases[i].starpu.symbol);
		if (options->json)
			print_json(
			        json_pack("{sO sO}", "files", all.files, "entries", all.entries));
		code = all.is_whole ? EXIT_DONE : EXIT_FAILED;
	}
	json_decref(all.files);
	json_decref(all.entries);
	free(all.times);
	starpu_session_close(&all.session);
	return code;
}
