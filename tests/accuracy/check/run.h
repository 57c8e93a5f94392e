/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel of tests/accuracy/kernels run on the first OpenCL device, for
 * comparison with what plain C makes of the same data.
 */
#ifndef PREDICTD_TESTS_ACCURACY_CHECK_RUN_H
#define PREDICTD_TESTS_ACCURACY_CHECK_RUN_H

#include "tests/test.h"

#include <stdbool.h>
#include <stdio.h>

/* Work-items or a work-group's sides; absent dimensions are zero. */
struct work {
	size_t side[3];
};

enum argument_kind { ARGUMENT_ARRAY, ARGUMENT_SCALAR, ARGUMENT_LOCAL };

struct argument {
	enum argument_kind kind;
	void *data; /* an array: sent before, brought back after; borrowed */
	size_t size_bytes;
};

/* An array by its own name; a scalar by its type and value; local memory by its size. */
#define ARRAY(name)         {ARGUMENT_ARRAY, (name), sizeof(name)}
#define SCALAR(type, value) {ARGUMENT_SCALAR, &(type){value}, sizeof(type)}
#define INT(value)          SCALAR(int, value)
#define FLOAT(value)        SCALAR(float, value)
#define LOCAL(bytes)        {ARGUMENT_LOCAL, NULL, (bytes)}

/* RUN("family/name", options, WORK(global), WORK(group), ARRAY(a), INT(3), ...) */
#define WORK(...) ((struct work){{__VA_ARGS__}})
#define RUN(name, options, global, group, ...)                                                     \
	run_kernel((name), (options), (global), (group), (struct argument[]){__VA_ARGS__},         \
	           sizeof((struct argument[]){__VA_ARGS__}) / sizeof(struct argument))

/*
 * Runs the kernel `name` of FAMILY/NAME.cl. Fails the test on any error and when
 * the kernel wrote behind the end of an array.
 */
void run_kernel(const char *path, const char *options, struct work global, struct work group,
                const struct argument *arguments, size_t count);

/* Data that is the same each time: every call of seed() starts it over. */
void seed(void);
uint32_t random_word(void);
void fill_words(uint32_t *to, size_t count);
void fill_ints(int *to, size_t count, int bound); /* in [0, bound) */
void fill_floats(float *to, size_t count, float low, float high);

/* Rows of a sparse matrix or a graph: 0 to `most` entries each; start has rows + 1, returns all. */
int fill_rows(int *start, int rows, int most);

/* |got - want| within `tolerance` of 1 + |want|, element by element. */
void assert_floats(const float *got, const float *want, size_t count, float tolerance);
void assert_ints(const int *got, const int *want, size_t count);
void assert_words(const uint32_t *got, const uint32_t *want, size_t count);

/* False: there is no OpenCL device, and so nothing to test. */
bool open_device(void);

/* A group's teardown: the device is let go. */
int close_device(void **unused);

/* main of a family's program: CHECK_FAMILY(linalg, cmocka_unit_test(...), ...) */
#define CHECK_FAMILY(family, ...)                                                                  \
	int main(void)                                                                             \
	{                                                                                          \
		const struct CMUnitTest tests[] = {__VA_ARGS__};                                   \
		cmocka_set_message_output(CM_OUTPUT_TAP);                                          \
		if (!open_device())                                                                \
			return puts("1..0 # SKIP no OpenCL device") < 0;                           \
		return cmocka_run_group_tests_name(#family, tests, NULL, close_device);            \
	}

#endif
