/* SPDX-License-Identifier: Apache-2.0 */
/* How long the analyser takes, from job to reply; `meson test --benchmark`. Asserts nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/unit/analyser/driver.h"

enum { RUNS = 200 };

static double now_s(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;
	return (a > b) - (a < b);
}

/* Median and 90th percentile over runs that differ in one number, so that nothing is the same. */
static void measure(struct analyser *analyser, const char *what, const char *source, long pause_ns)
{
	static double times[RUNS];
	size_t failures = 0;
	for (unsigned i = 0; i < RUNS; i++) {
		char *text = NULL;
		int size = asprintf(&text, "%s\n#define SERIAL %u\n", source, i);
		if (size < 0)
			exit(1);
		struct question question = {
		        .source = text, .bytes = (size_t)size, .deadline_ms = 10000};
		struct answer answer;
		double begin = now_s();
		analyser_ask(analyser, &question, &answer);
		times[i] = now_s() - begin;
		failures += answer.outcome != OUTCOME_ANSWERED || answer.status != STATUS_OK;
		answer_deinit(&answer);
		free(text);
		if (pause_ns > 0)
			(void)nanosleep(&(struct timespec){.tv_nsec = pause_ns}, NULL);
	}
	qsort(times, RUNS, sizeof *times, compare);
	printf("%-40s median %6.2f ms, 90%% %6.2f ms, %zu of %d failed\n", what,
	       1e3 * times[RUNS / 2], 1e3 * times[RUNS * 9 / 10], failures, RUNS);
}

int main(void)
{
	static const char small[] =
	        "__kernel void sq_mod(__global const int *a, __global int *b, uint n) {\n"
	        "  uint i = get_global_id(0);\n"
	        "  if (i < n) b[i] = (a[i] * a[i]) % (int)n;\n"
	        "}\n";
	struct text large = {0};
	for (int i = 0; i < 30; i++) {
		char kernel[512];
		(void)snprintf(kernel, sizeof kernel,
		               "__kernel void k%d(__global const float *a, __global float *b,\n"
		               "                 uint n) {\n"
		               "  uint i = get_global_id(0);\n"
		               "  float s = 0.0f;\n"
		               "  for (uint j = 0; j < n; j++) {\n"
		               "    s += a[i * n + j] * %d.5f;\n"
		               "    s = fmax(s, sqrt(s));\n"
		               "  }\n"
		               "  b[i] = s;\n"
		               "}\n",
		               i, i);
		text_add(&large, kernel);
	}
	large.bytes = realloc(large.bytes, large.size + 1);
	if (large.bytes == NULL)
		return 1;
	large.bytes[large.size] = '\0';
	struct analyser analyser;
	double begin = now_s();
	if (!analyser_start(&analyser, NULL))
		return 1;
	printf("%-40s %13.2f ms\n", "start to ready", 1e3 * (now_s() - begin));
	measure(&analyser, "small kernel, one after another", small, 0);
	measure(&analyser, "small kernel, 20 ms apart", small, 20000000);
	measure(&analyser, "300 lines, one after another", large.bytes, 0);
	measure(&analyser, "300 lines, 20 ms apart", large.bytes, 20000000);
	free(large.bytes);
	return analyser_stop(&analyser) == 0 ? 0 : 1;
}
