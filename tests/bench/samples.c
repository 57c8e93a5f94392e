/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What taking a sample costs the caller, of buffers of 64 KiB, 4 MiB and 1 GiB whose pages are in
 * memory: the median and the 99th percentile of ROUNDS takes of each. A line of the table is one
 * size; "cold" takes the buffers in turn with a sweep of the last cache in between.
 *
 *   bench-samples ROUNDS
 */
#include "client/predictd.h"
#include "tests/bench/bench.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { ROUNDS_MAX = 1 << 20, SWEEP_BYTES = 64 << 20 };

static double samples_s[ROUNDS_MAX];

/* Something else that the caches are full of. */
static void sweep(uint8_t *memory)
{
	for (size_t i = 0; i < SWEEP_BYTES; i += 64)
		memory[i]++;
}

static bool measure(const uint8_t *data, size_t size, uint8_t *others, size_t rounds)
{
	for (size_t i = 0; i < rounds; i++) {
		predictd_sample *sample;
		if (others != NULL)
			sweep(others);
		double begin_s = bench_now_s();
		if (predictd_sample_take(data, size, "int", 0, &sample) != PREDICTD_OK) {
			fprintf(stderr, "%s\n", predictd_error_text());
			return false;
		}
		samples_s[i] = bench_now_s() - begin_s;
		predictd_sample_free(sample);
	}
	return true;
}

int main(int argc, char **argv)
{
	static const size_t sizes[] = {64 << 10, 4 << 20, 1 << 30};
	size_t rounds = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	if (rounds == 0 || rounds > ROUNDS_MAX) {
		fprintf(stderr, "usage: bench-samples ROUNDS\n");
		return 2;
	}
	uint8_t *others =
	        mmap(NULL, SWEEP_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (others == MAP_FAILED)
		return 1;
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		uint8_t *data = mmap(NULL, sizes[i], PROT_READ | PROT_WRITE,
		                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (data == MAP_FAILED)
			return 1;
		memset(data, 1, sizes[i]);
		for (unsigned is_cold = 0; is_cold < 2; is_cold++) {
			size_t count = is_cold ? rounds / 100 + 1 : rounds;
			if (!measure(data, sizes[i], is_cold ? others : NULL, count))
				return 1;
			double p99_s = bench_quantile(samples_s, count, 0.99);
			printf("%8zu KiB %s: median %5.1f us, 99 %% %5.1f us\n", sizes[i] >> 10,
			       is_cold ? "cold" : "warm",
			       1e6 * bench_quantile(samples_s, count, 0.5), 1e6 * p99_s);
		}
		(void)munmap(data, sizes[i]);
	}
	return 0;
}
