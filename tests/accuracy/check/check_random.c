/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers: generators against their definitions and published values. */
#include <string.h>

#include "tests/accuracy/check/run.h"

enum { N = 64 };

static void xorshift_streams_go_on_where_they_ended(void **unused)
{
	enum { COUNT = 5 };
	uint32_t state[N], out[COUNT * N], want[COUNT * N], last[N];
	(void)unused;
	seed();
	fill_words(state, N);
	for (int i = 0; i < N; i++) {
		uint32_t x = state[i];
		for (int k = 0; k < COUNT; k++) {
			x ^= x << 13;
			x ^= x >> 17;
			x ^= x << 5;
			want[k * N + i] = last[i] = x;
		}
	}
	RUN("random/xorshift_stream", "", WORK(N), WORK(32), ARRAY(state), ARRAY(out), INT(COUNT));
	assert_words(out, want, COUNT * N);
	assert_words(state, last, N);
}

static void philox_gives_its_published_values(void **unused)
{
	static const uint32_t zero[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
	uint32_t out[4 * N];
	(void)unused;
	RUN("random/philox", "", WORK(N), WORK(32), ARRAY(out), SCALAR(uint32_t, 0),
	    SCALAR(uint32_t, 0));
	assert_words(out, zero, 4);
	for (int i = 1; i < N; i++)
		assert_memory_not_equal(out, out + 4 * i, 16);
}

static void mersenne_twist_follows_the_recurrence(void **unused)
{
	enum { LENGTH = 624, NEW = 227 };
	static uint32_t state[LENGTH * N], next[NEW * N], want[NEW * N];
	(void)unused;
	/* every generator is seeded as the reference program does */
	for (uint32_t g = 0; g < N; g++) {
		uint32_t mt[LENGTH] = {5489 + g};
		for (uint32_t k = 1; k < LENGTH; k++)
			mt[k] = 1812433253 * (mt[k - 1] ^ mt[k - 1] >> 30) + k;
		for (uint32_t k = 0; k < LENGTH; k++)
			state[k * N + g] = mt[k];
		for (uint32_t k = 0; k < NEW; k++) {
			uint32_t y = (mt[k] & 0x80000000) | (mt[k + 1] & 0x7fffffff);
			want[k * N + g] = mt[k + 397] ^ y >> 1 ^ (y & 1) * 0x9908b0df;
		}
	}
	RUN("random/mersenne_twist", "", WORK(N), WORK(16), ARRAY(state), ARRAY(next), INT(N));
	assert_words(next, want, NEW * N);
	/* the first output of seed 5489, tempered, is published */
	uint32_t y = next[0];
	y ^= y >> 11;
	y ^= y << 7 & 0x9d2c5680;
	y ^= y << 15 & 0xefc60000;
	y ^= y >> 18;
	assert_int_equal(y, 3499211612);
}

static void box_muller_turns_uniform_to_normal(void **unused)
{
	float uniform[2 * N], normal[2 * N], want[2 * N];
	(void)unused;
	seed();
	fill_floats(uniform, 2 * N, 0.001f, 1);
	for (int i = 0; i < N; i++) {
		double radius = sqrt(-2 * log((double)uniform[2 * i]));
		want[2 * i] = (float)(radius * cos(2 * M_PI * (double)uniform[2 * i + 1]));
		want[2 * i + 1] = (float)(radius * sin(2 * M_PI * (double)uniform[2 * i + 1]));
	}
	RUN("random/box_muller", "", WORK(N), WORK(32), ARRAY(uniform), ARRAY(normal));
	assert_floats(normal, want, 2 * N, 1e-5f);
}

static void halton_reverses_digits(void **unused)
{
	float point[2 * N], want[2 * N];
	(void)unused;
	for (int i = 0; i < N; i++)
		for (int axis = 0; axis < 2; axis++) {
			int base = axis == 0 ? 2 : 3, reversed = 0, scale = 1;
			for (int rest = 20 + i; rest > 0; rest /= base) {
				reversed = reversed * base + rest % base;
				scale *= base;
			}
			want[2 * i + axis] = (float)reversed / (float)scale;
		}
	RUN("random/halton", "", WORK(N), WORK(16), ARRAY(point), INT(20));
	assert_floats(point, want, 2 * N, 1e-6f);
}

CHECK_FAMILY(random, cmocka_unit_test(xorshift_streams_go_on_where_they_ended),
             cmocka_unit_test(philox_gives_its_published_values),
             cmocka_unit_test(mersenne_twist_follows_the_recurrence),
             cmocka_unit_test(box_muller_turns_uniform_to_normal),
             cmocka_unit_test(halton_reverses_digits))
