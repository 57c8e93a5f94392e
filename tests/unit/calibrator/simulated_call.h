/* SPDX-License-Identifier: Apache-2.0 */
/* What the simulated device's parts share: how it is, and calls that may fail. */
#ifndef PREDICTD_TESTS_SIMULATED_CALL_H
#define PREDICTD_TESTS_SIMULATED_CALL_H

#include "daemon/calibrator/opencl.h"
#include "tests/unit/calibrator/simulated.h"

/* The device that is simulated now. */
extern struct simulated how;

/* Whether this call fails: by its number, or as the one of its place. */
bool call_fails(const char *call);

/* Of programs; simulated_compiler.c. */
struct _cl_program {
	char *source, *options; /* owned */
};

/* Whether the simulated compiler builds the program; without one it builds any. */
bool compiler_builds(cl_program program);

/* How many times as long a launch of the program's kernel takes. */
double compiler_slows(cl_program program, const char *kernel);

/* What trips of a loop of `body_N`, N instructions, take a warp that fetches them; else 0. */
double fetch_s(const char *kernel, double trips);

/* What the kernel that asks for macros writes: words, one a letter, in so many bytes on the heap.
 */
cl_uint *compiler_answers(cl_program program, size_t bytes);

/* Copy an answer out in OpenCL's way: the bytes given, or so many of one byte. */
cl_int tell_by(const char *call, const void *from, size_t bytes, size_t room, void *value,
               size_t *size);
cl_int tell_huge_by(const char *call, char of, size_t bytes, size_t room, void *value,
                    size_t *size);

#define fails()                            call_fails(__func__)
#define tell(...)                          tell_by(__func__, __VA_ARGS__)
#define tell_huge(...)                     tell_huge_by(__func__, __VA_ARGS__)
#define tell_text(text, room, value, size) tell_words(__func__, text, room, value, size)

static inline cl_int tell_words(const char *call, const char *text, size_t room, void *value,
                                size_t *size)
{
	size_t bytes = 0;
	while (text[bytes++] != '\0')
		;
	return tell_by(call, text, bytes, room, value, size);
}

#endif
