/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variants of a kernel that is tuned: what one more of them takes, registered and predicted, among
 * 200 and 2000 new ones, and of those that are known; beside programs that are registered one by
 * one. Then what another user's small new program takes, alone and while variants come without end.
 *
 *   bench-variants SOCKET DEVICE
 */
#include "client/predictd.h"
#include "tests/bench/bench.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MANY = 2000, FEW = 200, SINGLE = 60, OPTIONS_BYTES = 96, NOBODY = 65534 };

struct subject {
	const char *name, *text;
	int tiles[3], works[3]; /* values of the options; their first and second */
};

static const struct subject subjects[] = {
        {"transposition",
         "kernel void transpose(global const float *in, global float *out, int w, int h) {\n"
         "  local float tile[TS * (TS + PADDING)];\n"
         "  int lx = get_local_id(0), ly = get_local_id(1);\n"
         "  int bx = get_group_id(0) * TS, by = get_group_id(1) * TS;\n"
         "  for (int k = 0; k < TS; k += TS / WPT)\n"
         "    tile[(ly + k) * (TS + PADDING) + lx] = in[(by + ly + k) * w + bx + lx];\n"
         "  barrier(CLK_LOCAL_MEM_FENCE);\n"
         "  for (int k = 0; k < TS; k += TS / WPT)\n"
         "    out[(bx + ly + k) * h + by + lx] = tile[lx * (TS + PADDING) + ly + k];\n"
         "}\n",
         {8, 16, 32},
         {1, 2, 4}},
        {"matrix product",
         "kernel void product(global const float *a, global const float *b, global float *c,\n"
         "                    int n) {\n"
         "  local float pa[TS][TS + PADDING], pb[TS][TS + PADDING];\n"
         "  int lx = get_local_id(0), ly = get_local_id(1);\n"
         "  int x = get_group_id(0) * TS + lx, y = get_group_id(1) * TS + ly;\n"
         "  float sum[WPT];\n"
         "  for (int w = 0; w < WPT; w++) sum[w] = 0;\n"
         "  for (int t = 0; t < n; t += TS) {\n"
         "    for (int w = 0; w < WPT; w++) {\n"
         "      int row = ly + w * (TS / WPT);\n"
         "      pa[row][lx] = a[(y + w * (TS / WPT)) * n + t + lx];\n"
         "      pb[row][lx] = b[(t + row) * n + x];\n"
         "    }\n"
         "    barrier(CLK_LOCAL_MEM_FENCE);\n"
         "    for (int k = 0; k < TS; k++)\n"
         "      for (int w = 0; w < WPT; w++)\n"
         "        sum[w] = mad(pa[ly + w * (TS / WPT)][k], pb[k][lx], sum[w]);\n"
         "    barrier(CLK_LOCAL_MEM_FENCE);\n"
         "  }\n"
         "  for (int w = 0; w < WPT; w++) c[(y + w * (TS / WPT)) * n + x] = sum[w];\n"
         "}\n",
         {8, 16, 32},
         {1, 2, 4}},
};

static char texts[MANY][OPTIONS_BYTES];
static const char *options[MANY];
static predictd_program *programs[MANY];
static predictd_status statuses[MANY];
static predictd_question questions[MANY];

/* Options that nobody has seen, unless the serial has been used. */
static void vary(const struct subject *subject, size_t count, unsigned serial)
{
	for (size_t i = 0; i < count; i++) {
		snprintf(texts[i], OPTIONS_BYTES, "-DTS=%d -DWPT=%d -DPADDING=%zu -DSERIAL=%u",
		         subject->tiles[i % 3], subject->works[i / 3 % 3], i / 9 % 4,
		         serial + (unsigned)i);
		options[i] = texts[i];
	}
}

static bool complain(const char *what)
{
	fprintf(stderr, "bench-variants: %s: %s\n", what, predictd_error_text());
	return false;
}

static bool predict_all(predictd_connection *connection, const struct subject *subject,
                        const char *device, size_t count)
{
	static const predictd_argument product[] = {
	        {.kind = PREDICTD_BUFFER, .access = PREDICTD_READ, .size_bytes = 4 << 20},
	        {.kind = PREDICTD_BUFFER, .access = PREDICTD_READ, .size_bytes = 4 << 20},
	        {.kind = PREDICTD_BUFFER, .access = PREDICTD_WRITE, .size_bytes = 4 << 20},
	        {.kind = PREDICTD_SCALAR, .type = "int", .integers = {1024}}};
	static const predictd_argument transposition[] = {
	        {.kind = PREDICTD_BUFFER, .access = PREDICTD_READ, .size_bytes = 4 << 20},
	        {.kind = PREDICTD_BUFFER, .access = PREDICTD_WRITE, .size_bytes = 4 << 20},
	        {.kind = PREDICTD_SCALAR, .type = "int", .integers = {1024}},
	        {.kind = PREDICTD_SCALAR, .type = "int", .integers = {1024}}};
	predictd_prediction *got = NULL;
	for (size_t i = 0; i < count; i++) {
		unsigned tile = (unsigned)subject->tiles[i % 3],
		         work = (unsigned)subject->works[i / 3 % 3];
		questions[i] = (predictd_question){.program = programs[i],
		                                   .device = device,
		                                   .dimensions = 2,
		                                   .global = {1024, 1024 / work, 1},
		                                   .local = {tile, tile / work, 1},
		                                   .argument_count = 4,
		                                   .arguments = subject == subjects ? transposition
		                                                                    : product};
	}
	if (predictd_predict_batch(connection, questions, count, &got) != PREDICTD_OK)
		return complain("predictions");
	predictd_predictions_free(got, count);
	return true;
}

/* Registers and predicts `count`, and prints what each took. */
static bool run(predictd_connection *connection, const struct subject *subject, const char *device,
                size_t count, const char *what)
{
	const predictd_source source = {
	        .name = "k.cl", .text = subject->text, .size = strlen(subject->text)};
	double begin = bench_now_s();
	if (predictd_register_variants(connection, &source, options, count, programs, statuses) !=
	    PREDICTD_OK)
		return complain(subject->name);
	for (size_t i = 0; i < count; i++)
		if (statuses[i] != PREDICTD_OK)
			return complain(options[i]);
	double registered = bench_now_s();
	bool is_well = predict_all(connection, subject, device, count);
	double end = bench_now_s();
	printf("%-16s %5zu %-12s %10.3f ms %10.3f ms %10.3f ms\n", subject->name, count, what,
	       1e3 * (registered - begin) / (double)count, 1e3 * (end - registered) / (double)count,
	       1e3 * (end - begin) / (double)count);
	for (size_t i = 0; i < count; i++)
		predictd_program_free(programs[i]);
	return is_well;
}

/* The same, each by itself. */
static bool run_singly(predictd_connection *connection, const struct subject *subject,
                       const char *device, size_t count)
{
	predictd_source source = {
	        .name = "k.cl", .text = subject->text, .size = strlen(subject->text)};
	double begin = bench_now_s();
	for (size_t i = 0; i < count; i++) {
		source.options = options[i];
		if (predictd_register(connection, &source, &programs[i]) != PREDICTD_OK)
			return complain(subject->name);
	}
	double registered = bench_now_s();
	bool is_well = predict_all(connection, subject, device, count);
	double end = bench_now_s();
	printf("%-16s %5zu %-12s %10.3f ms %10.3f ms %10.3f ms\n", subject->name, count,
	       "one by one", 1e3 * (registered - begin) / (double)count,
	       1e3 * (end - registered) / (double)count, 1e3 * (end - begin) / (double)count);
	for (size_t i = 0; i < count; i++)
		predictd_program_free(programs[i]);
	return is_well;
}

/* New variants without end, as another user where that may be. */
static _Noreturn void flood(const char *path)
{
	predictd_connection *connection = NULL;
	const predictd_source source = {
	        .name = "k.cl", .text = subjects[1].text, .size = strlen(subjects[1].text)};
	if ((geteuid() == 0 && setuid(NOBODY) != 0) ||
	    predictd_open(path, &connection) != PREDICTD_OK)
		_exit(1);
	for (unsigned serial = 10000000;; serial += MANY) {
		vary(&subjects[1], MANY, serial);
		if (predictd_register_variants(connection, &source, options, MANY, programs,
		                               statuses) != PREDICTD_OK)
			continue;
		for (size_t i = 0; i < MANY; i++)
			predictd_program_free(programs[i]);
	}
}

static bool measure_single(predictd_connection *connection, const char *what, unsigned serial)
{
	static double times[SINGLE];
	for (unsigned i = 0; i < SINGLE; i++) {
		char text[128];
		predictd_program *program = NULL;
		int size =
		        snprintf(text, sizeof text,
		                 "kernel void k(global float *a) { a[get_global_id(0)] = %u; }\n",
		                 serial + i);
		const predictd_source source = {.name = "k.cl", .text = text, .size = (size_t)size};
		double begin = bench_now_s();
		if (predictd_register(connection, &source, &program) != PREDICTD_OK)
			return complain(what);
		times[i] = bench_now_s() - begin;
		predictd_program_free(program);
		usleep(50000);
	}
	bench_print(what, times, SINGLE, 0);
	return true;
}

static bool measure_beside(predictd_connection *connection, const char *path)
{
	if (!measure_single(connection, "another user's small new program: alone", 0))
		return false;
	pid_t pid = fork();
	if (pid == 0)
		flood(path);
	usleep(500000);
	bool is_well = measure_single(connection, "  beside one who registers variants", SINGLE);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return is_well;
}

int main(int argc, char **argv)
{
	predictd_connection *connection = NULL;
	bool is_well = true;
	if (argc != 3) {
		fprintf(stderr, "usage: bench-variants SOCKET DEVICE\n");
		return 2;
	}
	if (predictd_open(argv[1], &connection) != PREDICTD_OK) {
		complain("predictd");
		return 3;
	}
	unsigned serial = 0;
	printf("of each variant:                       registered      predicted            all\n");
	for (size_t i = 0; i < sizeof subjects / sizeof *subjects && is_well; i++) {
		const struct subject *subject = &subjects[i];
		vary(subject, FEW, serial);
		is_well = run_singly(connection, subject, argv[2], FEW);
		serial += FEW;
		for (size_t count = FEW; count <= MANY && is_well; count *= MANY / FEW) {
			vary(subject, count, serial);
			is_well = run(connection, subject, argv[2], count, "new") &&
			          run(connection, subject, argv[2], count, "known");
			serial += (unsigned)count;
		}
	}
	is_well = is_well && measure_beside(connection, argv[1]);
	predictd_close(connection);
	return is_well ? 0 : 1;
}
