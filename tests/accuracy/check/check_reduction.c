/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions and scans, work-group by work-group, against loops on the host. */
#include <string.h>

#include "tests/accuracy/check/run.h"

enum { N = 1024, GROUP = 64, GROUPS = N / GROUP };

static float in[N], other[N];
static int words[N], out[N];

static void make(void)
{
	seed();
	fill_floats(in, N, -1, 1);
	fill_floats(other, N, -1, 1);
	fill_ints(words, N, 1000);
	memset(out, 0, sizeof out);
}

static void sum_tree_sums_work_groups(void **unused)
{
	float got[GROUPS], want[GROUPS] = {0};
	(void)unused;
	make();
	for (int i = 0; i < N; i++)
		want[i / GROUP] += in[i];
	RUN("reduction/sum_tree", "", WORK(N), WORK(GROUP), ARRAY(in), ARRAY(got),
	    LOCAL(GROUP * 4));
	assert_floats(got, want, GROUPS, 1e-5f);
}

static void sum_strided_leaves_nothing_out(void **unused)
{
	float got[4];
	double sum = 0, total = 0;
	(void)unused;
	make();
	for (int i = 0; i < N - 7; i++)
		sum += (double)in[i];
	RUN("reduction/sum_strided", "", WORK(4 * GROUP), WORK(GROUP), ARRAY(in), ARRAY(got),
	    LOCAL(GROUP * 4), INT(N - 7));
	for (int g = 0; g < 4; g++)
		total += (double)got[g];
	assert_true(fabs(total - sum) < 1e-4);
}

static void sum_blocked_sums_blocks(void **unused)
{
	float got[N / 16], want[N / 16] = {0};
	(void)unused;
	make();
	for (int i = 0; i < N; i++)
		want[i / 16] += in[i];
	RUN("reduction/sum_blocked", "", WORK(N / 16), WORK(32), ARRAY(in), ARRAY(got), INT(16));
	assert_floats(got, want, N / 16, 1e-5f);
}

static void dot_vectors_sums_products(void **unused)
{
	float got[N / 4 / GROUP], want[N / 4 / GROUP] = {0};
	(void)unused;
	make();
	for (int i = 0; i < N; i++)
		want[i / 4 / GROUP] += in[i] * other[i];
	RUN("reduction/dot_vectors", "", WORK(N / 4), WORK(GROUP), ARRAY(in), ARRAY(other),
	    ARRAY(got), LOCAL(GROUP * 4));
	assert_floats(got, want, N / 4 / GROUP, 1e-5f);
}

static void index_of_maximum_points_at_the_greatest(void **unused)
{
	int got[GROUPS], want[GROUPS];
	(void)unused;
	make();
	for (int g = 0; g < GROUPS; g++) {
		want[g] = g * GROUP;
		for (int i = g * GROUP; i < (g + 1) * GROUP; i++)
			if (in[i] > in[want[g]])
				want[g] = i;
	}
	RUN("reduction/index_of_maximum", "", WORK(N), WORK(GROUP), ARRAY(in), ARRAY(got),
	    LOCAL(GROUP * 4), LOCAL(GROUP * 4));
	assert_ints(got, want, GROUPS);
}

static void count_above_counts_once(void **unused)
{
	uint32_t total = 0, want = 0;
	uint32_t counted[1] = {0};
	(void)unused;
	make();
	for (int i = 0; i < N; i++)
		want += in[i] > 0.25f;
	RUN("reduction/count_above", "", WORK(N), WORK(GROUP), ARRAY(in), ARRAY(counted),
	    FLOAT(0.25f));
	total = counted[0];
	assert_int_equal(total, want);
}

static void scans_sum_what_stands_before(void **unused)
{
	enum { BLOCK = 2 * GROUP };
	int sums[N / BLOCK], inclusive[N], exclusive[N], totals[N / BLOCK];
	(void)unused;
	make();
	for (int i = 0; i < N; i++) {
		inclusive[i] = words[i] + (i % GROUP != 0 ? inclusive[i - 1] : 0);
		exclusive[i] = i % BLOCK != 0 ? exclusive[i - 1] + words[i - 1] : 0;
		totals[i / BLOCK] = exclusive[i] + words[i];
	}
	RUN("reduction/scan_stepwise", "", WORK(N), WORK(GROUP), ARRAY(words), ARRAY(out),
	    LOCAL(GROUP * 4), LOCAL(GROUP * 4));
	assert_ints(out, inclusive, N);
	RUN("reduction/scan_efficient", "", WORK(N / 2), WORK(GROUP), ARRAY(words), ARRAY(out),
	    ARRAY(sums), LOCAL(BLOCK * 4));
	assert_ints(out, exclusive, N);
	assert_ints(sums, totals, N / BLOCK);
}

static void add_block_sums_adds_its_group_s(void **unused)
{
	int want[N], sums[GROUPS];
	(void)unused;
	make();
	fill_ints(sums, GROUPS, 5000);
	for (int i = 0; i < N; i++)
		want[i] = words[i] + sums[i / GROUP];
	RUN("reduction/add_block_sums", "", WORK(N), WORK(GROUP), ARRAY(words), ARRAY(sums));
	assert_ints(words, want, N);
}

CHECK_FAMILY(reduction, cmocka_unit_test(sum_tree_sums_work_groups),
             cmocka_unit_test(sum_strided_leaves_nothing_out),
             cmocka_unit_test(sum_blocked_sums_blocks), cmocka_unit_test(dot_vectors_sums_products),
             cmocka_unit_test(index_of_maximum_points_at_the_greatest),
             cmocka_unit_test(count_above_counts_once),
             cmocka_unit_test(scans_sum_what_stands_before),
             cmocka_unit_test(add_block_sums_adds_its_group_s))
