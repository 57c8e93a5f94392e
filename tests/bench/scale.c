/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a large node asks of its daemon: devices, kernels and clients by the thousand. Where the
 * machine ends they are simulated: devices by a driver that runs nothing
 * (tests/integration/fake_node.c), clients by connections of a few processes, of a hundred users
 * where root asks.
 *
 *   bench-scale PREDICTD CONFIG SOCKET GPU CPU KERNELS CLIENTS
 *
 * GPU and CPU are files of `predictctl export`. The table says what must be and what was measured.
 * It fails where something is refused, or the daemon holds more than it may; being slow is no
 * failure.
 */
#include "tests/bench/asker.h"
#include "tests/bench/bench.h"
#include "tests/bench/crowd.h"
#include "tests/bench/sources.h"

#include "proto/frame.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	DEVICES = 9,
	CPU_CORES = 256,
	BATCH = 64,         /* kernels of a request */
	REGISTERED_AT = 16, /* requests at a time, each another user's */
	PINGS = 4000,
	ROUNDS = 3,
	STARTS = 3,
	RESIDENT_MB_MAX = 2048
};
#define START_S_MAX   2.0
#define HOT_RATIO_MAX 1.3

static const char *predictd, *config, *path;
static uint64_t *handles;
static volatile sig_atomic_t daemon_pid; /* to end with us */
static size_t peak_bytes;                /* of the daemon and its children, while kernels came */

static pid_t daemon_start(void)
{
	char *arguments[] = {(char *)(uintptr_t)predictd, (char *)(uintptr_t)"--config",
	                     (char *)(uintptr_t)config,   (char *)(uintptr_t)"--socket",
	                     (char *)(uintptr_t)path,     NULL};
	pid_t pid = asker_start(arguments);
	daemon_pid = pid;
	return pid;
}

static void on_signal(int number)
{
	if (daemon_pid > 0)
		(void)kill((pid_t)daemon_pid, SIGTERM);
	_exit(128 + number);
}

/* Proportional: pages that processes share count once. Of the process and those it started. */
static size_t family_bytes(pid_t pid)
{
	char name[64], line[128];
	unsigned long kilobytes = 0;
	long child;
	size_t bytes;

	snprintf(name, sizeof name, "/proc/%d/smaps_rollup", (int)pid);
	FILE *file = fopen(name, "re");
	while (file != NULL && fgets(line, sizeof line, file) != NULL &&
	       sscanf(line, "Pss: %lu", &kilobytes) != 1)
		;
	if (file != NULL)
		fclose(file);
	bytes = kilobytes << 10;
	snprintf(name, sizeof name, "/proc/%d/task/%d/children", (int)pid, (int)pid);
	file = fopen(name, "re");
	while (file != NULL && fscanf(file, "%ld", &child) == 1)
		bytes += family_bytes((pid_t)child);
	if (file != NULL)
		fclose(file);
	return bytes;
}

/* ---- devices ------------------------------------------------------------------------------- */

static bool import_file(int fd, const char *file, unsigned compute_units)
{
	Predictd__Calibration *calibration = asker_calibration(file);

	if (calibration == NULL)
		return false;
	if (compute_units != 0)
		calibration->device->compute_units = compute_units;
	bool is_done = asker_import(fd, calibration);
	predictd__calibration__free_unpacked(calibration, NULL);
	return is_done;
}

/* Whether all devices of the node are there, and calibrated. */
static bool check_devices(int fd)
{
	Predictd__ListDevices list = PREDICTD__LIST_DEVICES__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	size_t ready = 0;

	request.id = 7;
	request.body_case = PREDICTD__REQUEST__BODY_LIST_DEVICES;
	request.list_devices = &list;
	Predictd__Response *response = asker_exchange(fd, &request);
	if (response != NULL && response->body_case == PREDICTD__RESPONSE__BODY_DEVICES)
		for (size_t i = 0; i < response->devices->n_devices; i++)
			ready += response->devices->devices[i]->is_calibrated &&
			         response->devices->devices[i]->is_present;
	predictd__response__free_unpacked(response, NULL);
	if (ready != DEVICES)
		fprintf(stderr, "bench-scale: want %d calibrated devices, have %zu\n", DEVICES,
		        ready);
	return ready == DEVICES;
}

/* ---- kernels ------------------------------------------------------------------------------- */

static void question_init(struct asker_question *question, uint64_t handle, unsigned device,
                          uint64_t items)
{
	static const char *const names[DEVICES] = {"0", "1", "2", "3", "4", "5", "6", "7", "8"};
	static double real = 2;

	asker_question_init(question, handle, names[device], items);
	question->arguments[1].access = 2;
	question->arguments[2].access = 0;
	question->arguments[2].kind = 1;
	question->arguments[2].size_bytes = 0;
	question->arguments[2].type = (char *)(uintptr_t)"float";
	question->arguments[2].reals = &real;
	question->arguments[2].n_reals = 1;
}

/* Source number `number` of forty lines, whose divisor is an option. */
static size_t write_source(char *text, unsigned number)
{
	size_t size = source_write(text, SOURCE_MIDDLE, number);
	memcpy(strstr(text, "9.0f"), "TILE", strlen("TILE"));
	return size;
}

/* Asks for BATCH programs, one source under as many options. */
static bool send_batch(int fd, unsigned number, unsigned count)
{
	static char text[SOURCE_MAX], options[BATCH][32];
	char *pointers[BATCH];
	Predictd__Program program = PREDICTD__PROGRAM__INIT;
	Predictd__RegisterVariants message = PREDICTD__REGISTER_VARIANTS__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;

	for (unsigned i = 0; i < count; i++) {
		snprintf(options[i], sizeof options[i], "-DTILE=%u.0f", i + 1);
		pointers[i] = options[i];
	}
	program.name = (char *)(uintptr_t)"bench.cl";
	program.source.data = (uint8_t *)text;
	program.source.len = write_source(text, number);
	message.program = &program;
	message.options = pointers;
	message.n_options = count;
	request.id = 8;
	request.body_case = PREDICTD__REQUEST__BODY_REGISTER_VARIANTS;
	request.register_variants = &message;
	return frame_write(fd, &request.base) == 0;
}

static bool complain(const char *what, const Predictd__Response *response)
{
	fprintf(stderr, "bench-scale: %s: %s\n", what,
	        response != NULL && response->body_case == PREDICTD__RESPONSE__BODY_ERROR
	                ? response->error->text
	                : "another answer");
	return false;
}

static bool take_batch(int fd, unsigned first, unsigned count)
{
	uint8_t *bytes = NULL;
	size_t size = 0;
	Predictd__Response *response = NULL;
	bool is_done = frame_read(fd, FRAME_BYTES_MAX, 120000, &bytes, &size) == 0;

	if (is_done)
		response = predictd__response__unpack(NULL, size, bytes);
	free(bytes);
	is_done = response != NULL &&
	          response->body_case == PREDICTD__RESPONSE__BODY_REGISTER_VARIANTS &&
	          response->register_variants->n_replies == count;
	if (!is_done)
		complain("kernels", response);
	for (unsigned i = 0; is_done && i < count; i++) {
		const ProtobufCBinaryData *reply = &response->register_variants->replies[i];
		Predictd__Response *one = predictd__response__unpack(NULL, reply->len, reply->data);
		is_done =
		        one != NULL && one->body_case == PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM;
		if (is_done)
			handles[first + i] = one->register_program->handle;
		else
			complain("a kernel", one);
		predictd__response__free_unpacked(one, NULL);
	}
	predictd__response__free_unpacked(response, NULL);
	return is_done;
}

static bool register_all(const int *fds, unsigned kernels, pid_t daemon)
{
	unsigned sent = 0, taken = 0;

	while (taken < kernels) {
		unsigned before = sent;
		for (unsigned i = 0; i < REGISTERED_AT && sent < kernels; i++) {
			unsigned left = kernels - sent, count = left < BATCH ? left : BATCH;
			if (!send_batch(fds[sent / BATCH % CROWD_USERS], sent / BATCH, count))
				return complain("kernels", NULL);
			sent += count;
		}
		size_t bytes = family_bytes(daemon);
		peak_bytes = bytes > peak_bytes ? bytes : peak_bytes;
		for (taken = before; taken < sent;) {
			unsigned left = sent - taken, count = left < BATCH ? left : BATCH;
			if (!take_batch(fds[taken / BATCH % CROWD_USERS], taken, count))
				return false;
			taken += count;
		}
	}
	return true;
}

/* Kernels of one request, the devices in turns; how many were answered, or -1. */
static int predict_batch(int fd, unsigned first, unsigned count, bool is_last)
{
	static struct asker_question questions[BATCH];
	Predictd__Predict *pointers[BATCH];
	Predictd__PredictBatch batch = PREDICTD__PREDICT_BATCH__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	int answered = 0;

	for (unsigned i = 0; i < count; i++) {
		question_init(&questions[i], handles[first + i], (first + i) % DEVICES, 1 << 16);
		pointers[i] = &questions[i].predict;
	}
	batch.predictions = pointers;
	batch.n_predictions = count;
	request.id = 9;
	request.body_case = PREDICTD__REQUEST__BODY_PREDICT_BATCH;
	request.predict_batch = &batch;
	Predictd__Response *response = asker_exchange(fd, &request);
	if (response == NULL || response->body_case != PREDICTD__RESPONSE__BODY_PREDICT_BATCH) {
		complain("predictions", response);
		answered = -1;
	}
	for (unsigned i = 0; answered >= 0 && i < count; i++) {
		const Predictd__BatchEntry *entry = response->predict_batch->entries[i];
		if (entry->result_case == PREDICTD__BATCH_ENTRY__RESULT_PREDICTION)
			answered++;
		else if (is_last && entry->result_case == PREDICTD__BATCH_ENTRY__RESULT_ERROR)
			fprintf(stderr, "bench-scale: kernel %u: %s\n", first + i,
			        entry->error->text);
	}
	predictd__response__free_unpacked(response, NULL);
	return answered;
}

/* Each kernel once. */
static bool predict_all(const int *fds, unsigned kernels, bool is_last)
{
	for (unsigned at = 0; at < kernels; at += BATCH) {
		unsigned count = kernels - at < BATCH ? kernels - at : BATCH;
		int answered = predict_batch(fds[at / BATCH % CROWD_USERS], at, count, is_last);
		if (answered < 0 || (is_last && (unsigned)answered < count))
			return false;
	}
	return true;
}

/* ---- clients ------------------------------------------------------------------------------- */

enum moment { ALONE, CONNECTED, ASKING, MOMENTS };

struct hot {
	double *samples[MOMENTS]; /* ROUNDS * PINGS */
	double answered_per_s[MOMENTS];
	size_t resident_bytes;
};

static bool ping(int fd, const uint8_t *bytes, size_t size, size_t reply, double *samples)
{
	for (unsigned i = 0; i < PINGS; i++) {
		double begin = bench_now_s();
		if (!asker_ping(fd, bytes, size, reply))
			return false;
		samples[i] = bench_now_s() - begin;
		usleep(200); /* now and then, as programs ask */
	}
	return true;
}

/* One client's repeated question: by himself, and beside the others. */
static bool ask_hot(struct hot *hot, unsigned clients, pid_t daemon)
{
	struct asker_question question;
	size_t size, reply;
	cpu_set_t usable;
	int fd = asker_open(path);

	if (fd < 0)
		return false;
	question_init(&question, handles[0], 0, 1 << 20);
	uint8_t *bytes = asker_question_probe(fd, &question, 3, &size, &reply);
	/* one processor for the daemon and who is measured: work, not where it is scheduled */
	bool is_done = bytes != NULL && sched_getaffinity(0, sizeof usable, &usable) == 0 &&
	               asker_put_on(daemon, asker_processor(&usable, 0)) &&
	               asker_put_on(0, asker_processor(&usable, 0));
	for (unsigned round = 0; is_done && round < ROUNDS; round++) {
		size_t at = (size_t)round * PINGS;
		is_done = ping(fd, bytes, size, reply, hot->samples[ALONE] + at);
		struct crowd *crowd =
		        is_done ? crowd_new(path, clients - 1, clients / 10, bytes, size, reply)
		                : NULL;
		is_done = crowd != NULL;
		for (enum moment moment = CONNECTED; is_done && moment < MOMENTS; moment++) {
			crowd_set(crowd, moment == CONNECTED ? CROWD_IDLE : CROWD_ASKING);
			uint64_t before = crowd_answered(crowd);
			double begin = bench_now_s();
			is_done = ping(fd, bytes, size, reply, hot->samples[moment] + at);
			hot->answered_per_s[moment] =
			        (double)(crowd_answered(crowd) - before) / (bench_now_s() - begin);
			if (moment == CONNECTED)
				hot->resident_bytes = family_bytes(daemon);
		}
		is_done = crowd_free(crowd) && is_done;
	}
	(void)sched_setaffinity(0, sizeof usable, &usable);
	(void)sched_setaffinity(daemon, sizeof usable, &usable);
	free(bytes);
	close(fd);
	return is_done;
}

/* ---- starting ------------------------------------------------------------------------------ */

/* Seconds until a kernel of the store is answered about; < 0: it was not. */
static double start_again(pid_t *daemon, unsigned kernels)
{
	unsigned number = kernels / 2 / BATCH;
	struct asker_question question;
	size_t size, reply;

	asker_end(*daemon);
	double begin = bench_now_s();
	*daemon = daemon_start();
	int fd = asker_open(path);
	if (fd < 0 || !send_batch(fd, number, 1) || !take_batch(fd, number * BATCH, 1))
		return -1;
	question_init(&question, handles[number * BATCH], 0, 1 << 16);
	uint8_t *bytes = asker_question_probe(fd, &question, 3, &size, &reply);
	double took = bench_now_s() - begin;
	close(fd);
	if (bytes == NULL)
		return -1;
	free(bytes);
	return took;
}

/* ---- the table ----------------------------------------------------------------------------- */

static double mb(size_t bytes)
{
	return (double)bytes / 1048576;
}

static void print_hot(const struct hot *hot, unsigned clients)
{
	char asking[64];
	const char *const what[MOMENTS] = {"hot answer, one client",
	                                   "hot answer, the others connected", asking};
	double alone = 0;

	snprintf(asking, sizeof asking, "hot answer, %u of them ask %d times a second",
	         clients / 10, CROWD_RATE_HZ);
	for (enum moment moment = ALONE; moment < MOMENTS; moment++) {
		double *samples = hot->samples[moment];
		double median = bench_quantile(samples, ROUNDS * PINGS, 0.5);
		double p99 = bench_quantile(samples, ROUNDS * PINGS, 0.99);
		if (moment == ALONE)
			alone = median;
		printf("%-52s ", what[moment]);
		if (moment != ALONE)
			printf("x %-9.1f", HOT_RATIO_MAX);
		else
			printf("%-11s", "");
		printf("x %.2f (median %.1f us, p99 %.1f us", median / alone, 1e6 * median,
		       1e6 * p99);
		if (moment == ASKING)
			printf(", %.0f answers a second to others", hot->answered_per_s[moment]);
		puts(")");
	}
}

static int measure(unsigned kernels, unsigned clients, const char *gpu, const char *cpu,
                   pid_t *daemon)
{
	struct hot hot = {.resident_bytes = 0};
	double starts[STARTS];
	int fds[CROWD_USERS];
	double begin = bench_now_s();

	*daemon = daemon_start();
	int fd = asker_open(path);
	double first = bench_now_s() - begin;
	if (fd < 0 || !import_file(fd, gpu, 0) || !import_file(fd, cpu, CPU_CORES) ||
	    !check_devices(fd))
		return EXIT_FAILURE;
	size_t idle = family_bytes(*daemon);
	for (unsigned i = 0; i < CROWD_USERS; i++)
		if ((fds[i] = crowd_connect(path, i)) < 0)
			return EXIT_FAILURE;
	begin = bench_now_s();
	if (!register_all(fds, kernels, *daemon))
		return EXIT_FAILURE;
	double registered = bench_now_s();
	/* the CPU's compiler reads sources otherwise: those it is asked about are analysed again */
	if (!predict_all(fds, kernels, false) || !register_all(fds, kernels, *daemon))
		return EXIT_FAILURE;
	double complete = bench_now_s();
	if (!predict_all(fds, kernels, true))
		return EXIT_FAILURE;
	double predicted = bench_now_s();
	size_t filled = family_bytes(*daemon);
	for (unsigned i = 0; i < CROWD_USERS; i++)
		close(fds[i]);
	for (enum moment moment = ALONE; moment < MOMENTS; moment++) {
		hot.samples[moment] = calloc((size_t)ROUNDS * PINGS, sizeof(double));
		if (hot.samples[moment] == NULL)
			return EXIT_FAILURE;
	}
	if (!ask_hot(&hot, clients, *daemon))
		return EXIT_FAILURE;
	close(fd);
	for (unsigned i = 0; i < STARTS; i++)
		if ((starts[i] = start_again(daemon, kernels)) < 0)
			return EXIT_FAILURE;
	size_t again = family_bytes(*daemon);

	printf("%-52s %-11s%s\n", "eight GPUs and a CPU of 256 cores", "must be", "measured");
	printf("%-52s %-11s%.2f s\n", "start, nothing in the store", "", first);
	printf("%-52s %-11s%.0f MB\n", "resident then: daemon and children", "", mb(idle));
	printf("%u%-*s %-11s%.2f ms each\n", kernels, kernels < 100000 ? 47 : 46,
	       " kernels registered", "", 1e3 * (registered - begin) / kernels);
	printf("%-52s %-11s%.2f ms each\n", "predicted, in batches", "",
	       1e3 * (predicted - complete) / kernels);
	printf("%-52s < %-9d%.0f MB\n", "resident, the most while they were registered",
	       RESIDENT_MB_MAX, mb(peak_bytes));
	printf("%-52s < %-9d%.0f MB\n", "resident, with all of them", RESIDENT_MB_MAX, mb(filled));
	printf("%-52s < %-9d%.0f MB, of %u clients\n", "resident, with all clients connected",
	       RESIDENT_MB_MAX, mb(hot.resident_bytes), clients);
	printf("%-52s < %.0f s      %.2f s\n", "started again, to the first answer", START_S_MAX,
	       bench_quantile(starts, STARTS, 1));
	printf("%-52s %-11s%.0f MB\n", "resident then", "", mb(again));
	print_hot(&hot, clients);
	for (enum moment moment = ALONE; moment < MOMENTS; moment++)
		free(hot.samples[moment]);
	if (mb(peak_bytes) > (double)(int)RESIDENT_MB_MAX ||
	    mb(hot.resident_bytes) > (double)(int)RESIDENT_MB_MAX) {
		fprintf(stderr, "bench-scale: more than %d MB\n", RESIDENT_MB_MAX);
		return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct rlimit files = {.rlim_cur = 65536, .rlim_max = 65536};
	pid_t daemon = -1;

	if (argc != 8 || atoi(argv[6]) < BATCH || atoi(argv[7]) < 10) {
		fprintf(stderr,
		        "usage: bench-scale PREDICTD CONFIG SOCKET GPU CPU KERNELS CLIENTS\n"
		        "       from %d kernels and 10 clients on\n",
		        BATCH);
		return 2;
	}
	predictd = argv[1];
	config = argv[2];
	path = argv[3];
	unsigned kernels = (unsigned)atoi(argv[6]), clients = (unsigned)atoi(argv[7]);
	/* the daemon inherits it, as the unit's has it */
	if (setrlimit(RLIMIT_NOFILE, &files) != 0 &&
	    (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_max < clients + 256)) {
		fprintf(stderr, "bench-scale: %u clients want as many files open, have %ju: %s\n",
		        clients, (uintmax_t)files.rlim_max, strerror(errno));
		return 2;
	}
	files.rlim_cur = files.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &files);
	(void)signal(SIGTERM, on_signal);
	(void)signal(SIGINT, on_signal);
	handles = calloc(kernels, sizeof *handles);
	if (handles == NULL)
		return EXIT_FAILURE;
	int status = measure(kernels, clients, argv[4], argv[5], &daemon);
	asker_end(daemon);
	free(handles);
	return status;
}
