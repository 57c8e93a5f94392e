/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cold questions: a source that nobody has seen, from the client's call to its
 * answer, beside what a compiler takes for the same text. The three are
 * interleaved, since absolute times drift; each round's source is new to all.
 *
 *   bench-cold DEVICE ROUNDS CLANG
 */
#include "client/predictd.h"
#include "tests/bench/bench.h"
#include "tests/bench/sources.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS_MAX = 1000 };

extern char **environ;

struct opencl {
	cl_context context;
	cl_device_id device;
};

/* What one cold question took: in all, of that the analysis as the daemon saw it, the prediction
 * alone, and the same question at another size, which no memory of answers helps. */
struct cost {
	double total_s, analysis_s, predict_s, again_s;
};

/* Registers and predicts; false when that failed. */
static bool ask(predictd_connection *connection, const char *device, const char *text, size_t size,
                struct cost *cost)
{
	const predictd_source source = {.name = "bench.cl", .text = text, .size = size};
	predictd_argument arguments[3] = {
	        {.kind = PREDICTD_BUFFER, .access = PREDICTD_READ, .size_bytes = 4 << 20},
	        {.kind = PREDICTD_BUFFER, .access = PREDICTD_WRITE, .size_bytes = 4 << 20},
	        {.kind = PREDICTD_SCALAR, .type = "float", .reals = {2}}};
	predictd_program *program = NULL;
	predictd_prediction *prediction = NULL, *again = NULL;
	double begin = bench_now_s();
	bool is_done = false;

	if (predictd_register(connection, &source, &program) == PREDICTD_OK) {
		double registered = bench_now_s();
		predictd_question question = {.program = program,
		                              .device = device,
		                              .dimensions = 1,
		                              .global = {1 << 20, 1, 1},
		                              .local = {64, 1, 1},
		                              .argument_count = 3,
		                              .arguments = arguments};
		is_done = predictd_predict(connection, &question, &prediction) == PREDICTD_OK;
		double predicted = bench_now_s();
		question.global[0] /= 2;
		is_done = is_done && predictd_predict(connection, &question, &again) == PREDICTD_OK;
		*cost = (struct cost){
		        .total_s = predicted - begin,
		        .analysis_s = predictd_program_analysis_time_s(program),
		        .predict_s = predicted - registered,
		        .again_s = bench_now_s() - predicted,
		};
	}
	if (!is_done)
		fprintf(stderr, "bench-cold: %s\n", predictd_error_text());
	predictd_predictions_free(prediction, prediction != NULL);
	predictd_predictions_free(again, again != NULL);
	predictd_program_free(program);
	return is_done;
}

/* A compiler started for the same text, as a tool without a daemon would do it. */
static double run_clang(const char *clang, const char *text, size_t size)
{
	char path[] = "/tmp/predictd-bench.XXXXXX.cl";
	int fd = mkstemps(path, 3);
	pid_t pid;
	int status = -1;

	if (fd < 0 || write(fd, text, size) != (ssize_t)size)
		return -1;
	close(fd);
	char *const arguments[] = {(char *)clang,
	                           "-x",
	                           "cl",
	                           "-cl-std=CL1.2",
	                           "--target=spir64",
	                           "-Xclang",
	                           "-fdeclare-opencl-builtins",
	                           "-Xclang",
	                           "-finclude-default-header",
	                           "-w",
	                           "-fsyntax-only",
	                           path,
	                           NULL};
	double begin = bench_now_s();
	if (posix_spawnp(&pid, clang, NULL, NULL, arguments, environ) == 0)
		waitpid(pid, &status, 0);
	double end = bench_now_s() - begin;
	unlink(path);
	return status == 0 ? end : -1;
}

static bool open_opencl(struct opencl *opencl)
{
	cl_platform_id platform;
	cl_int failed;

	if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
	    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &opencl->device, NULL) != CL_SUCCESS)
		return false;
	opencl->context = clCreateContext(NULL, 1, &opencl->device, NULL, NULL, &failed);
	return failed == CL_SUCCESS;
}

/* clBuildProgram of the same text. */
static double build(struct opencl *opencl, const char *text, size_t size)
{
	cl_int failed;
	double begin = bench_now_s();
	cl_program program = clCreateProgramWithSource(opencl->context, 1, &text, &size, &failed);

	if (failed != CL_SUCCESS)
		return -1;
	failed = clBuildProgram(program, 1, &opencl->device, "", NULL, NULL);
	double end = bench_now_s() - begin;
	clReleaseProgram(program);
	return failed == CL_SUCCESS ? end : -1;
}

static int compare(predictd_connection *connection, struct opencl *opencl, const char *device,
                   const char *clang, unsigned rounds, enum source_kind kind)
{
	static char text[SOURCE_MAX];
	static double ours[ROUNDS_MAX], theirs[ROUNDS_MAX], drivers[ROUNDS_MAX];
	static double analyses[ROUNDS_MAX], predicts[ROUNDS_MAX], agains[ROUNDS_MAX];
	unsigned nonce = (unsigned)getpid() * 4096u;

	for (unsigned i = 0; i < rounds; i++) {
		size_t size = source_write(text, kind, (nonce + i) % 1000000u);
		struct cost cost = {.total_s = -1};
		if (ask(connection, device, text, size, &cost)) {
			analyses[i] = cost.analysis_s;
			predicts[i] = cost.predict_s;
			agains[i] = cost.again_s;
		}
		ours[i] = cost.total_s;
		theirs[i] = run_clang(clang, text, size);
		drivers[i] = opencl == NULL ? 0 : build(opencl, text, size);
		if (ours[i] < 0 || theirs[i] < 0 || drivers[i] < 0) {
			fprintf(stderr, "bench-cold: round %u: predictd %g, clang %g, driver %g\n",
			        i, ours[i], theirs[i], drivers[i]);
			return 1;
		}
	}
	double median = bench_quantile(ours, rounds, 0.5);
	printf("a new source of %u lines, %u times:            median           p90\n",
	       source_lines(text), rounds);
	bench_print("  predictd, register and predict", ours, rounds, 0);
	bench_print("    of it the analysis", analyses, rounds, 0);
	bench_print("    of it the prediction", predicts, rounds, 0);
	bench_print("    predicted again, at another size", agains, rounds, 0);
	bench_print("  clang -fsyntax-only, spawned", theirs, rounds, median);
	if (opencl != NULL)
		bench_print("  clBuildProgram", drivers, rounds, median);
	return 0;
}

int main(int argc, char **argv)
{
	predictd_connection *connection = NULL;
	struct opencl opencl;

	if (argc != 4 || atoi(argv[2]) < 1 || atoi(argv[2]) > ROUNDS_MAX) {
		fprintf(stderr, "usage: bench-cold DEVICE ROUNDS CLANG\n");
		return 2;
	}
	if (predictd_open(NULL, &connection) != PREDICTD_OK) {
		fprintf(stderr, "bench-cold: %s\n", predictd_error_text());
		return 3;
	}
	bool has_driver = open_opencl(&opencl);
	unsigned rounds = (unsigned)atoi(argv[2]);
	int failed = compare(connection, has_driver ? &opencl : NULL, argv[1], argv[3], rounds,
	                     SOURCE_SMALL);
	if (failed == 0)
		failed = compare(connection, has_driver ? &opencl : NULL, argv[1], argv[3], rounds,
		                 SOURCE_LONG);
	if (has_driver)
		clReleaseContext(opencl.context);
	predictd_close(connection);
	return failed;
}
