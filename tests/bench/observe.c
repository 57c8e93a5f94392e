/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Observations: how many a second are acknowledged, each of them kept by then, and how
 * long a daemon that has many takes to its first answer that rests on them.
 *
 *   bench-observe report SOCKET DEVICE COUNT KERNELS LAUNCHES   COUNT of that many launches of
 *                                                               each kernel, 1024 a request
 *   bench-observe first SOCKET DEVICE BEGIN_S                   BEGIN_S: `bench-known now`
 */
#include "proto/frame.h"
#include "tests/bench/asker.h"
#include "tests/bench/bench.h"

#include <string.h>
#include <unistd.h>

enum { BATCH = 1024, WINDOW = 4, KERNELS_MAX = 4096, LAUNCHES_MAX = 32, REPLY_MS = 60000 };

/* A request's bytes, framed; ids do not matter, since replies are counted. */
struct packed {
	uint8_t *bytes;
	size_t size;
};

static uint64_t register_kernel(int fd, unsigned number)
{
	char text[256];
	int size = snprintf(text, sizeof text,
	                    "kernel void k%u(global const float *a, global const float *b,\n"
	                    "                global float *c)\n"
	                    "{\n"
	                    "	size_t i = get_global_id(0);\n"
	                    "	c[i] = a[i] * %u.0f + b[i];\n"
	                    "}\n",
	                    number, number);
	return asker_register(fd, text, (size_t)size);
}

/* Launch `number` of all: kernel by kernel in turn, so that neighbours differ. */
static void fill(Predictd__Observation *observation, struct asker_question *question,
                 const uint64_t *handles, unsigned kernels, unsigned launches, unsigned number,
                 const char *device)
{
	unsigned launch = number / kernels % launches;
	asker_question_init(question, handles[number % kernels], device, 4096 + 64 * launch);
	predictd__observation__init(observation);
	observation->handle = question->predict.handle;
	observation->device = (char *)device;
	observation->launch = &question->launch;
	observation->kernel_time_s = 1e-4 * (1 + 0.01 * (number % 13));
}

static bool pack(struct packed *packed, const uint64_t *handles, unsigned kernels,
                 unsigned launches, unsigned first, const char *device)
{
	static Predictd__Observation observations[BATCH];
	static Predictd__Observation *list[BATCH];
	static struct asker_question questions[BATCH];
	Predictd__Observe observe = PREDICTD__OBSERVE__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;

	for (unsigned i = 0; i < BATCH; i++) {
		fill(&observations[i], &questions[i], handles, kernels, launches, first + i,
		     device);
		list[i] = &observations[i];
	}
	observe.observations = list;
	observe.n_observations = BATCH;
	observe.acknowledge = true;
	request.id = 3;
	request.body_case = PREDICTD__REQUEST__BODY_OBSERVE;
	request.observe = &observe;
	return frame_pack(&request.base, &packed->bytes, &packed->size);
}

/* One acknowledgement of a whole request. */
static bool take_reply(int fd)
{
	uint8_t *bytes = NULL;
	size_t size;
	if (frame_read(fd, FRAME_BYTES_MAX, REPLY_MS, &bytes, &size) != 0)
		return false;
	Predictd__Response *response = predictd__response__unpack(NULL, size, bytes);
	bool is_kept = response != NULL &&
	               response->body_case == PREDICTD__RESPONSE__BODY_OBSERVE &&
	               response->observe->kept == BATCH;
	if (!is_kept && response != NULL && response->body_case == PREDICTD__RESPONSE__BODY_ERROR)
		fprintf(stderr, "bench: observe: %s\n", response->error->text);
	else if (!is_kept)
		fprintf(stderr, "bench: observe: not all were kept\n");
	predictd__response__free_unpacked(response, NULL);
	free(bytes);
	return is_kept;
}

static int report(const char *path, const char *device, unsigned count, unsigned kernels,
                  unsigned launches)
{
	static uint64_t handles[KERNELS_MAX];
	unsigned batches = (kernels * launches + BATCH - 1) / BATCH;
	unsigned requests = (count + BATCH - 1) / BATCH;
	struct packed *packed = calloc(batches, sizeof *packed);
	int fd = asker_open(path);
	bool is_done = fd >= 0 && packed != NULL;

	for (unsigned i = 0; i < kernels && is_done; i++) {
		handles[i] = register_kernel(fd, i);
		is_done = handles[i] != 0;
	}
	for (unsigned i = 0; i < batches && is_done; i++)
		is_done = pack(&packed[i], handles, kernels, launches, i * BATCH, device);
	double begin_s = bench_now_s();
	for (unsigned sent = 0, kept = 0; kept < requests && is_done;) {
		if (sent < requests && sent - kept < WINDOW) {
			is_done = asker_send(fd, packed[sent % batches].bytes,
			                     packed[sent % batches].size);
			sent++;
		} else {
			is_done = take_reply(fd);
			kept++;
		}
	}
	double took_s = bench_now_s() - begin_s;
	if (is_done)
		printf("%u observations of %u launches acknowledged: %.0f a second\n",
		       requests * BATCH, kernels * launches, requests * BATCH / took_s);
	for (unsigned i = 0; i < batches && packed != NULL; i++)
		free(packed[i].bytes);
	free(packed);
	if (fd >= 0)
		close(fd);
	return is_done ? 0 : 1;
}

static int first(const char *path, const char *device, double begin_s)
{
	struct asker_question question;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	int fd = asker_open(path);
	uint64_t handle = fd < 0 ? 0 : register_kernel(fd, 0);

	if (handle == 0)
		return 1;
	asker_question_init(&question, handle, device, 4096);
	request.id = 3;
	request.body_case = PREDICTD__REQUEST__BODY_PREDICT;
	request.predict = &question.predict;
	Predictd__Response *response = asker_exchange(fd, &request);
	double answered_s = bench_now_s();
	bool is_answered =
	        response != NULL && response->body_case == PREDICTD__RESPONSE__BODY_PREDICT;
	if (is_answered)
		printf("from start to the first answer: %.1f ms; it rests on %llu observations, "
		       "resident memory %.1f MB\n",
		       1e3 * (answered_s - begin_s),
		       (unsigned long long)response->predict->prediction->observation_count,
		       (double)asker_resident_bytes(asker_server(fd)) / 1048576);
	predictd__response__free_unpacked(response, NULL);
	close(fd);
	return is_answered ? 0 : 1;
}

int main(int argc, char **argv)
{
	if (argc == 7 && strcmp(argv[1], "report") == 0) {
		unsigned count = (unsigned)atoi(argv[4]), kernels = (unsigned)atoi(argv[5]);
		unsigned launches = (unsigned)atoi(argv[6]);
		if (count > 0 && kernels > 0 && kernels <= KERNELS_MAX && launches > 0 &&
		    launches <= LAUNCHES_MAX)
			return report(argv[2], argv[3], count, kernels, launches);
	}
	if (argc == 5 && strcmp(argv[1], "first") == 0)
		return first(argv[2], argv[3], atof(argv[4]));
	fprintf(stderr, "usage: bench-observe report SOCKET DEVICE COUNT KERNELS LAUNCHES\n"
	                "       bench-observe first SOCKET DEVICE BEGIN_S\n");
	return 2;
}
