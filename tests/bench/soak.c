/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hours at full load: new sources, repeated questions, sixty-four in flight,
 * batches, observations, connections opened, closed and broken off, all at once,
 * while the memory of the daemon and its children is watched.
 *
 *   bench-soak SOCKET SECONDS GROWTH_MB [DEVICE]
 *
 * Every answer is checked: the model is pure, so a launch has one static time, whoever
 * asks, whatever happened before. The end is a failure when an answer was wrong or
 * refused, or when the daemon's memory after a warm-up (a quarter of the time, ten
 * minutes at most) grew by more than GROWTH_MB.
 */
#include "proto/frame.h"
#include "tests/bench/asker.h"
#include "tests/bench/bench.h"

#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DEPTH = 64, LAUNCHES = 64, BATCH = 256, SAMPLE_S = 10, WARM_MAX_S = 600 };

/* X(name, load): what a thread does, over and over. */
#define LOADS(X)                                                                                   \
	X(repeated, ask_repeated)                                                                  \
	X(pipelined, ask_pipelined)                                                                \
	X(batches, ask_batches)                                                                    \
	X(cold, ask_cold)                                                                          \
	X(connections, ask_connections)                                                            \
	X(observations, tell_observations)

struct load {
	const char *name;
	bool (*run)(struct load *load, int fd);
	atomic_ullong done;
	uint64_t handle; /* of a program of its own */
	pthread_t thread;
};

static const char *socket_path, *device = "0";
static atomic_bool is_ending;
static atomic_uint wrong;
static double expected_s[LAUNCHES]; /* the static time of each launch of the addition */

static uint64_t items_of(unsigned launch)
{
	return (uint64_t)1024 * (launch + 1);
}

static bool complain(const struct load *load, const char *what)
{
	if (atomic_fetch_add(&wrong, 1) < 20)
		fprintf(stderr, "bench-soak: %s: %s\n", load->name, what);
	return false;
}

/* The time of the model alone, which observations do not move. */
static double static_time(const Predictd__Prediction *prediction)
{
	return prediction->static_time_s > 0 ? prediction->static_time_s
	                                     : prediction->kernel_time_s;
}

static bool is_expected(const Predictd__Prediction *prediction, unsigned launch)
{
	double want = expected_s[launch];

	return fabs(static_time(prediction) - want) <= 1e-12 * want &&
	       prediction->kernel_time_s > 0;
}

/* Reads one answer to a question about launch number id - 1. */
static bool read_answer(struct load *load, int fd)
{
	uint8_t *bytes = NULL;
	size_t size;
	bool is_right = false;

	if (frame_read(fd, FRAME_BYTES_MAX, 60000, &bytes, &size) != 0)
		return complain(load, "the connection broke");
	Predictd__Response *response = predictd__response__unpack(NULL, size, bytes);
	free(bytes);
	if (response == NULL)
		return complain(load, "an answer that is no message");
	if (response->body_case == PREDICTD__RESPONSE__BODY_ERROR)
		complain(load, response->error->text);
	else if (response->body_case != PREDICTD__RESPONSE__BODY_PREDICT || response->id == 0 ||
	         response->id > LAUNCHES)
		complain(load, "an answer to another question");
	else if (!is_expected(response->predict->prediction, (unsigned)response->id - 1))
		complain(load, "a wrong time");
	else
		is_right = true;
	predictd__response__free_unpacked(response, NULL);
	return is_right;
}

/* `depth` questions sent as one, then their answers. */
static bool ask_depth(struct load *load, int fd, unsigned first, unsigned depth)
{
	uint8_t burst[DEPTH * 256];
	size_t used = 0;

	for (unsigned i = 0; i < depth; i++) {
		struct asker_question question;
		unsigned launch = (first + i) % LAUNCHES;
		size_t size;

		asker_question_init(&question, load->handle, device, items_of(launch));
		uint8_t *bytes = asker_question_pack(&question, launch + 1, &size);
		if (bytes == NULL || size > sizeof burst - used) {
			free(bytes);
			return complain(load, "no memory");
		}
		memcpy(burst + used, bytes, size);
		used += size;
		free(bytes);
	}
	if (!asker_send(fd, burst, used))
		return complain(load, "the connection broke");
	for (unsigned i = 0; i < depth; i++)
		if (!read_answer(load, fd))
			return false;
	atomic_fetch_add(&load->done, depth);
	return true;
}

static bool ask_repeated(struct load *load, int fd)
{
	return ask_depth(load, fd, (unsigned)atomic_load(&load->done), 1);
}

static bool ask_pipelined(struct load *load, int fd)
{
	return ask_depth(load, fd, 0, DEPTH);
}

/* A launch that may be none of the known ones, so that the model runs; known ones are checked. */
static bool ask_batches(struct load *load, int fd)
{
	static _Thread_local struct asker_question questions[BATCH];
	Predictd__Predict *pointers[BATCH];
	Predictd__PredictBatch batch = PREDICTD__PREDICT_BATCH__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	bool is_right = false;

	for (unsigned i = 0; i < BATCH; i++) {
		uint64_t items =
		        i < LAUNCHES ? items_of(i) : 64 * (atomic_load(&load->done) % 100000 + i);
		asker_question_init(&questions[i], load->handle, device, items);
		pointers[i] = &questions[i].predict;
	}
	batch.predictions = pointers;
	batch.n_predictions = BATCH;
	request.id = 1;
	request.body_case = PREDICTD__REQUEST__BODY_PREDICT_BATCH;
	request.predict_batch = &batch;
	Predictd__Response *response = asker_exchange(fd, &request);
	if (response == NULL || response->body_case != PREDICTD__RESPONSE__BODY_PREDICT_BATCH ||
	    response->predict_batch->n_entries != BATCH) {
		complain(load, "no answer to a batch");
		goto out;
	}
	is_right = true;
	for (unsigned i = 0; i < BATCH && is_right; i++) {
		const Predictd__BatchEntry *entry = response->predict_batch->entries[i];
		if (entry->result_case != PREDICTD__BATCH_ENTRY__RESULT_PREDICTION)
			is_right = complain(load, "an error in a batch");
		else if (i < LAUNCHES ? !is_expected(entry->prediction, i)
		                      : !(entry->prediction->kernel_time_s > 0))
			is_right = complain(load, "a wrong time in a batch");
	}
	atomic_fetch_add(&load->done, BATCH);
out:
	predictd__response__free_unpacked(response, NULL);
	return is_right;
}

/* The addition under a name that nobody has seen: the same time. */
static bool ask_cold(struct load *load, int fd)
{
	char text[1024];
	int size =
	        snprintf(text, sizeof text,
	                 "kernel void add_%x_%llu(global const float *a, global const float *b,\n"
	                 "                global float *c)\n"
	                 "{\n"
	                 "	size_t i = get_global_id(0);\n"
	                 "	c[i] = a[i] + b[i];\n"
	                 "}\n",
	                 (unsigned)getpid(), atomic_load(&load->done));
	load->handle = asker_register(fd, text, (size_t)size);
	if (load->handle == 0)
		return complain(load, "a source was refused");
	return ask_depth(load, fd, (unsigned)atomic_load(&load->done), 1);
}

/* A connection that asks once and closes; every fourth leaves in the midst of a question. */
static bool ask_connections(struct load *load, int fd)
{
	struct asker_question question;
	size_t size;
	int own = asker_open(socket_path);

	(void)fd;
	if (own < 0)
		return complain(load, "no connection");
	bool is_right = ask_depth(load, own, (unsigned)atomic_load(&load->done), 1);
	if (is_right && atomic_load(&load->done) % 4 == 0) {
		asker_question_init(&question, load->handle, device, 1024);
		uint8_t *bytes = asker_question_pack(&question, 1, &size);
		if (bytes != NULL)
			(void)send(own, bytes, size - 3, MSG_NOSIGNAL);
		free(bytes);
	}
	close(own);
	return is_right;
}

/* Times of the addition around what the model says, acknowledged; a daemon may not take them. */
static bool tell_observations(struct load *load, int fd)
{
	struct asker_question question;
	unsigned launch = (unsigned)(atomic_load(&load->done) % LAUNCHES);
	Predictd__Observation observation = PREDICTD__OBSERVATION__INIT;
	Predictd__Observation *observations[] = {&observation};
	Predictd__Observe observe = PREDICTD__OBSERVE__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;

	asker_question_init(&question, load->handle, device, items_of(launch));
	observation.handle = load->handle;
	observation.device = (char *)device;
	observation.launch = &question.launch;
	observation.kernel_time_s =
	        expected_s[launch] * (0.9 + 0.01 * (double)(atomic_load(&load->done) % 21));
	observe.observations = observations;
	observe.n_observations = 1;
	observe.acknowledge = true;
	request.id = 1;
	request.body_case = PREDICTD__REQUEST__BODY_OBSERVE;
	request.observe = &observe;
	Predictd__Response *response = asker_exchange(fd, &request);
	if (response == NULL)
		return complain(load, "no answer to an observation");
	bool is_taken = response->body_case == PREDICTD__RESPONSE__BODY_OBSERVE;
	predictd__response__free_unpacked(response, NULL);
	if (!is_taken) {
		usleep(100000);
		return true;
	}
	/* asked after it was told: the static time stands */
	return ask_depth(load, fd, launch, 1);
}

static void *run(void *data)
{
	struct load *load = data;
	int fd = asker_open(socket_path);

	if (fd >= 0)
		load->handle = asker_register(fd, asker_addition, strlen(asker_addition));
	if (fd < 0 || load->handle == 0) {
		complain(load, "cannot begin");
		return NULL;
	}
	while (!atomic_load(&is_ending) && load->run(load, fd))
		;
	close(fd);
	return NULL;
}

static bool find_expected(int fd)
{
	uint64_t handle = asker_register(fd, asker_addition, strlen(asker_addition));

	for (unsigned i = 0; i < LAUNCHES && handle != 0; i++) {
		struct asker_question question;
		Predictd__Request request = PREDICTD__REQUEST__INIT;

		asker_question_init(&question, handle, device, items_of(i));
		request.id = 1;
		request.body_case = PREDICTD__REQUEST__BODY_PREDICT;
		request.predict = &question.predict;
		Predictd__Response *response = asker_exchange(fd, &request);
		if (response != NULL && response->body_case == PREDICTD__RESPONSE__BODY_PREDICT)
			expected_s[i] = static_time(response->predict->prediction);
		predictd__response__free_unpacked(response, NULL);
		if (!(expected_s[i] > 0))
			return false;
	}
	return handle != 0;
}

/* Resident memory of every process whose parent is `parent`, and of theirs. */
static size_t children_bytes(pid_t parent, unsigned depth)
{
	DIR *processes = opendir("/proc");
	size_t bytes = 0;

	if (processes == NULL)
		return 0;
	for (struct dirent *entry; (entry = readdir(processes)) != NULL;) {
		char path[300], text[512];
		int pid = atoi(entry->d_name), of = 0;
		if (pid <= 0)
			continue;
		snprintf(path, sizeof path, "/proc/%d/stat", pid);
		FILE *file = fopen(path, "re");
		if (file == NULL)
			continue;
		char *end = fgets(text, sizeof text, file) != NULL ? strrchr(text, ')') : NULL;
		fclose(file);
		if (end != NULL && sscanf(end + 1, " %*c %d", &of) == 1 && of == parent) {
			bytes += asker_resident_bytes(pid);
			if (depth > 0)
				bytes += children_bytes(pid, depth - 1);
		}
	}
	closedir(processes);
	return bytes;
}

int main(int argc, char **argv)
{
	static struct load loads[] = {
#define X(word, function) {.name = #word, .run = function},
	        LOADS(X)
#undef X
	};
	enum { COUNT = sizeof loads / sizeof loads[0] };
	unsigned long long before[COUNT] = {0};

	if (argc < 4 || argc > 5 || atof(argv[2]) < 1 || atof(argv[3]) <= 0) {
		fprintf(stderr, "usage: bench-soak SOCKET SECONDS GROWTH_MB [DEVICE]\n");
		return 2;
	}
	socket_path = argv[1];
	double seconds = atof(argv[2]), growth_mb = atof(argv[3]);
	if (argc == 5)
		device = argv[4];
	(void)signal(SIGPIPE, SIG_IGN);
	int fd = asker_open(socket_path);
	if (fd < 0 || !find_expected(fd)) {
		fprintf(stderr, "bench-soak: no daemon that predicts for device %s on %s\n", device,
		        socket_path);
		return 3;
	}
	pid_t daemon = asker_server(fd);
	for (unsigned i = 0; i < COUNT; i++)
		if (pthread_create(&loads[i].thread, NULL, run, &loads[i]) != 0)
			return 1;

	double begin = bench_now_s(), warm_s = fmin(WARM_MAX_S, seconds / 4);
	double warm_mb = 0, most_mb = 0;
	printf("%8s %10s %10s", "seconds", "daemon MB", "others MB");
	for (unsigned i = 0; i < COUNT; i++)
		printf(" %12s/s", loads[i].name);
	putchar('\n');
	while (bench_now_s() - begin < seconds && atomic_load(&wrong) == 0) {
		double slice = fmin(SAMPLE_S, begin + seconds - bench_now_s());
		double from = bench_now_s();
		if (slice > 0)
			usleep((useconds_t)(slice * 1e6));
		double now = bench_now_s();
		double resident_mb = (double)asker_resident_bytes(daemon) / 1048576;
		printf("%8.0f %10.2f %10.1f", now - begin, resident_mb,
		       (double)children_bytes(daemon, 1) / 1048576);
		for (unsigned i = 0; i < COUNT; i++) {
			unsigned long long done = atomic_load(&loads[i].done);
			printf(" %14.1f", (double)(done - before[i]) / (now - from));
			before[i] = done;
		}
		putchar('\n');
		fflush(stdout);
		if (now - begin <= warm_s || warm_mb <= 0)
			warm_mb = fmax(warm_mb, resident_mb);
		else
			most_mb = fmax(most_mb, resident_mb);
	}
	atomic_store(&is_ending, true);
	for (unsigned i = 0; i < COUNT; i++)
		pthread_join(loads[i].thread, NULL);
	close(fd);
	unsigned long long all = 0;
	for (unsigned i = 0; i < COUNT; i++)
		all += atomic_load(&loads[i].done);
	printf("%llu answers, %u wrong; resident at most %.2f MB while warming up (%.0f s), then "
	       "%.2f MB\n",
	       all, atomic_load(&wrong), warm_mb, warm_s, most_mb);
	if (most_mb > warm_mb + growth_mb)
		printf("memory grew by more than %.1f MB\n", growth_mb);
	return atomic_load(&wrong) != 0 || most_mb > warm_mb + growth_mb ? 1 : 0;
}
