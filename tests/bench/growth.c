/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an answer costs as the work grows: launches in a batch, connections, devices,
 * work-items. Each row's cases take turns.
 *
 *   bench-growth SOCKET CALIBRATION
 *
 * CALIBRATION is a file of `predictctl export`, imported as device 0 before; copies of
 * it under other names become further devices.
 */
#include "tests/bench/asker.h"
#include "tests/bench/bench.h"
#include "tests/bench/sources.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	CASES_MAX = 8,
	SAMPLES_MAX = 20000,
	BATCH_MAX = 1000,
	CONNECTIONS_MAX = 1000,
	DEVICES_MAX = 16
};

struct row {
	const char *what;
	size_t case_count, sample_count;
	double cases[CASES_MAX]; /* what grows */
	double *samples[CASES_MAX];
};

static bool row_init(struct row *row)
{
	for (size_t i = 0; i < row->case_count; i++) {
		row->samples[i] = calloc(SAMPLES_MAX, sizeof(double));
		if (row->samples[i] == NULL)
			return false;
	}
	return true;
}

/* Each case: how many, the median in us (and the 90th percentile), the ratio to the first. */
static void row_end(struct row *row)
{
	double first = 0;

	printf("%s\n", row->what);
	for (size_t i = 0; i < row->case_count; i++) {
		double p90 = bench_quantile(row->samples[i], row->sample_count, 0.9);
		double median = bench_quantile(row->samples[i], row->sample_count, 0.5);
		if (i == 0)
			first = median;
		printf("  %12.0f %12.2f us %12.2f us   x %.2f\n", row->cases[i], 1e6 * median,
		       1e6 * p90, median / first);
		free(row->samples[i]);
	}
}

/* A question about the kernel of sources.h. */
static void question_init(struct asker_question *question, uint64_t handle, uint64_t items)
{
	static double real = 2;

	asker_question_init(question, handle, "0", items);
	question->arguments[1].access = 2;
	question->arguments[2].access = 0;
	question->arguments[2].kind = 1;
	question->arguments[2].size_bytes = 0;
	question->arguments[2].type = "float";
	question->arguments[2].reals = &real;
	question->arguments[2].n_reals = 1;
}

static uint64_t register_kind(int fd, enum source_kind kind)
{
	static char text[SOURCE_MAX];
	size_t size = source_write(text, kind, 424242);
	return asker_register(fd, text, size);
}

/* Seconds of one batch of launches that nobody asked about before; < 0: it failed. */
static double ask_batch(int fd, uint64_t handle, size_t count)
{
	static struct asker_question questions[BATCH_MAX];
	static Predictd__Predict *pointers[BATCH_MAX];
	static uint64_t next;
	Predictd__PredictBatch batch = PREDICTD__PREDICT_BATCH__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;

	for (size_t i = 0; i < count; i++) {
		question_init(&questions[i], handle, 64 * (1 + next++ % 200000));
		pointers[i] = &questions[i].predict;
	}
	batch.predictions = pointers;
	batch.n_predictions = count;
	request.id = 5;
	request.body_case = PREDICTD__REQUEST__BODY_PREDICT_BATCH;
	request.predict_batch = &batch;
	double begin = bench_now_s();
	Predictd__Response *response = asker_exchange(fd, &request);
	double took = bench_now_s() - begin;
	if (response == NULL || response->body_case != PREDICTD__RESPONSE__BODY_PREDICT_BATCH)
		took = -1;
	for (size_t i = 0; took >= 0 && i < count; i++)
		if (response->predict_batch->entries[i]->result_case !=
		    PREDICTD__BATCH_ENTRY__RESULT_PREDICTION)
			took = -1;
	predictd__response__free_unpacked(response, NULL);
	return took;
}

static bool grow_batches(int fd, enum source_kind kind, const char *what)
{
	struct row row = {.what = what,
	                  .case_count = 4,
	                  .sample_count = kind == SOURCE_LONG ? 5 : 20,
	                  .cases = {1, 10, 100, 1000}};
	uint64_t handle = register_kind(fd, kind);

	if (handle == 0 || !row_init(&row))
		return false;
	for (size_t at = 0; at < row.sample_count; at++)
		for (size_t i = 0; i < row.case_count; i++) {
			size_t count = (size_t)row.cases[i];
			double took = ask_batch(fd, handle, count);
			if (took < 0)
				return false;
			row.samples[i][at] = took / (double)count;
		}
	row_end(&row);
	return true;
}

/* A repeated question over connections that take turns. */
static bool grow_connections(const char *path)
{
	static int fds[CONNECTIONS_MAX];
	struct row row = {.what = "connections that each ask now and then: a repeated question",
	                  .case_count = 4,
	                  .sample_count = 8000,
	                  .cases = {1, 10, 100, 1000}};
	struct rlimit files = {.rlim_cur = 4096, .rlim_max = 4096};
	struct asker_question question;
	size_t size, reply, next = 0;

	(void)setrlimit(RLIMIT_NOFILE, &files);
	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		fds[i] = asker_open(path);
		if (fds[i] < 0)
			return false;
	}
	uint64_t handle = asker_register(fds[0], asker_addition, strlen(asker_addition));
	asker_question_init(&question, handle, "0", 1 << 20);
	uint8_t *bytes = asker_question_probe(fds[0], &question, 3, &size, &reply);
	if (bytes == NULL || !row_init(&row))
		return false;
	for (size_t at = 0; at < row.sample_count; at += 100)
		for (size_t i = 0; i < row.case_count; i++)
			for (size_t j = 0; j < 100; j++) {
				/* all are open; those of a case take turns, far apart */
				int fd = fds[next++ * 331 % (size_t)row.cases[i]];
				double begin = bench_now_s();
				if (!asker_ping(fd, bytes, size, reply))
					return false;
				row.samples[i][at + j] = bench_now_s() - begin;
			}
	row_end(&row);
	free(bytes);
	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		close(fds[i]);
	return true;
}

/* A question that was not asked before, over the size of its NDRange. */
static bool grow_items(int fd, enum source_kind kind, const char *what)
{
	struct row row = {.what = what,
	                  .case_count = 5,
	                  .sample_count = 200,
	                  .cases = {1 << 8, 1 << 13, 1 << 18, 1 << 23, 1 << 28}};
	uint64_t handle = register_kind(fd, kind), next = 0;

	if (handle == 0 || !row_init(&row))
		return false;
	for (size_t at = 0; at < row.sample_count; at++)
		for (size_t i = 0; i < row.case_count; i++) {
			struct asker_question question;
			size_t size, reply;
			question_init(&question, handle, (uint64_t)row.cases[i]);
			/* another size of the buffer: another question */
			question.arguments[0].size_bytes += 64 * next++;
			double begin = bench_now_s();
			uint8_t *bytes = asker_question_probe(fd, &question, 3, &size, &reply);
			row.samples[i][at] = bench_now_s() - begin;
			if (bytes == NULL)
				return false;
			free(bytes);
		}
	row_end(&row);
	return true;
}

/* Imports the calibration under the name of a device of its own. */
static bool import_copy(int fd, Predictd__Calibration *calibration, unsigned number)
{
	char name[64];
	char *own = calibration->device->name;

	snprintf(name, sizeof name, "copy %u", number);
	calibration->device->name = name;
	bool is_done = asker_import(fd, calibration);
	calibration->device->name = own;
	return is_done;
}

/* One launch on each of so many devices, which are away: place would choose none of them. */
static bool grow_devices(int fd, const char *path)
{
	static char names[DEVICES_MAX][16];
	struct row row = {.what = "devices: a launch of 39 lines on each of them",
	                  .case_count = 5,
	                  .sample_count = 200,
	                  .cases = {1, 2, 4, 8, 16}};
	uint64_t handle = register_kind(fd, SOURCE_MIDDLE), next = 0;
	Predictd__Calibration *calibration = asker_calibration(path);

	if (calibration == NULL || handle == 0 || !row_init(&row))
		return false;
	for (unsigned i = 0; i < DEVICES_MAX; i++) {
		if (i > 0 && !import_copy(fd, calibration, i))
			return false;
		snprintf(names[i], sizeof names[i], "%u", i);
	}
	predictd__calibration__free_unpacked(calibration, NULL);
	for (size_t at = 0; at < row.sample_count; at++)
		for (size_t i = 0; i < row.case_count; i++) {
			struct asker_question question;
			Predictd__Predict predicts[DEVICES_MAX], *pointers[DEVICES_MAX];
			Predictd__PredictBatch batch = PREDICTD__PREDICT_BATCH__INIT;
			Predictd__Request request = PREDICTD__REQUEST__INIT;
			question_init(&question, handle, 64 * (1 + next++));
			batch.predictions = pointers;
			batch.n_predictions = (size_t)row.cases[i];
			for (size_t j = 0; j < batch.n_predictions; j++) {
				predicts[j] = question.predict;
				predicts[j].device = names[j];
				pointers[j] = &predicts[j];
			}
			request.id = 7;
			request.body_case = PREDICTD__REQUEST__BODY_PREDICT_BATCH;
			request.predict_batch = &batch;
			double begin = bench_now_s();
			Predictd__Response *response = asker_exchange(fd, &request);
			row.samples[i][at] = bench_now_s() - begin;
			bool is_done =
			        response != NULL &&
			        response->body_case == PREDICTD__RESPONSE__BODY_PREDICT_BATCH;
			predictd__response__free_unpacked(response, NULL);
			if (!is_done)
				return false;
		}
	row_end(&row);
	return true;
}

int main(int argc, char **argv)
{
	cpu_set_t usable;

	if (argc != 3) {
		fprintf(stderr, "usage: bench-growth SOCKET CALIBRATION\n");
		return 2;
	}
	int fd = asker_open(argv[1]);
	if (fd < 0)
		return 3;
	/* one processor for both: what is measured is work, not where it is scheduled */
	if (sched_getaffinity(0, sizeof usable, &usable) != 0 ||
	    !asker_put_on(0, asker_processor(&usable, 0)) ||
	    !asker_put_on(asker_server(fd), asker_processor(&usable, 0)))
		return 1;
	printf("as the work grows: how many, median, p90, ratio\n");
	bool is_done = grow_batches(fd, SOURCE_SMALL, "launches in a batch, 6 lines: each") &&
	               grow_batches(fd, SOURCE_MIDDLE, "launches in a batch, 39 lines: each") &&
	               grow_batches(fd, SOURCE_LONG, "launches in a batch, 293 lines: each") &&
	               grow_connections(argv[1]) &&
	               grow_items(fd, SOURCE_MIDDLE,
	                          "work-items, 39 lines: a question not asked before") &&
	               grow_devices(fd, argv[2]);
	(void)sched_setaffinity(asker_server(fd), sizeof usable, &usable);
	if (!is_done)
		fprintf(stderr, "bench-growth: a question failed\n");
	return is_done ? 0 : 1;
}
