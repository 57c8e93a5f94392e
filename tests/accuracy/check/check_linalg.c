/* SPDX-License-Identifier: Apache-2.0 */
/* Linear algebra: products, eliminations and transpositions against loops on the host. */
#include <string.h>

#include "tests/accuracy/check/run.h"

enum { N = 48, CELLS = N * N, TALL = 32 };

static float a[CELLS], b[CELLS], c[CELLS], want[CELLS], wide[N * TALL], turned[N * TALL];
static float x[N], y[N], u[N], v[N];

static void make(void)
{
	seed();
	fill_floats(a, CELLS, -1, 1);
	fill_floats(b, CELLS, -1, 1);
	fill_floats(c, CELLS, -1, 1);
	fill_floats(wide, N * TALL, -1, 1);
	fill_floats(x, N, -1, 1);
	fill_floats(y, N, -1, 1);
	fill_floats(u, N, -1, 1);
	fill_floats(v, N, -1, 1);
	memcpy(want, c, sizeof want);
}

/* want = scale A B + keep want */
static void product(float scale, float keep)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			double sum = 0;
			for (int k = 0; k < N; k++)
				sum += (double)a[i * N + k] * (double)b[k * N + j];
			want[i * N + j] = (float)((double)scale * sum +
			                          (double)keep * (double)want[i * N + j]);
		}
}

static void gemm_naive_is_a_scaled_product(void **unused)
{
	(void)unused;
	make();
	product(1.5f, 0.5f);
	RUN("linalg/gemm_naive", "", WORK(N, N), WORK(16, 8), ARRAY(a), ARRAY(b), ARRAY(c),
	    FLOAT(1.5f), FLOAT(0.5f), INT(N));
	assert_floats(c, want, CELLS, 1e-5f);
}

static void gemm_tiled_is_a_product(void **unused)
{
	(void)unused;
	make();
	product(1, 0);
	RUN("linalg/gemm_tiled", "-DTILE=16", WORK(N, N), WORK(16, 16), ARRAY(a), ARRAY(b),
	    ARRAY(c), INT(N));
	assert_floats(c, want, CELLS, 1e-5f);
	memset(c, 0, sizeof c);
	RUN("linalg/gemm_tiled", "-DTILE=8", WORK(N, N), WORK(8, 8), ARRAY(a), ARRAY(b), ARRAY(c),
	    INT(N));
	assert_floats(c, want, CELLS, 1e-5f);
}

static void gemm_registers_is_a_product(void **unused)
{
	(void)unused;
	make();
	product(1, 0);
	RUN("linalg/gemm_registers", "", WORK(N, N / 4), WORK(16, 4), ARRAY(a), ARRAY(b), ARRAY(c),
	    INT(N));
	assert_floats(c, want, CELLS, 1e-5f);
}

static void gemv_multiplies_rows(void **unused)
{
	(void)unused;
	make();
	for (int i = 0; i < N; i++) {
		want[i] = 0;
		for (int j = 0; j < N; j++)
			want[i] += a[i * N + j] * x[j];
	}
	RUN("linalg/gemv", "", WORK(N), WORK(16), ARRAY(a), ARRAY(x), ARRAY(y), INT(N));
	assert_floats(y, want, N, 1e-5f);
}

static void gemv_transposed_multiplies_columns(void **unused)
{
	(void)unused;
	make();
	for (int j = 0; j < N; j++) {
		want[j] = 0;
		for (int i = 0; i < N; i++)
			want[j] += a[i * N + j] * x[i];
	}
	RUN("linalg/gemv_transposed", "", WORK(N), WORK(16), ARRAY(a), ARRAY(x), ARRAY(y), INT(N));
	assert_floats(y, want, N, 1e-5f);
}

static void gesummv_adds_two_products(void **unused)
{
	(void)unused;
	make();
	for (int i = 0; i < N; i++) {
		want[i] = 0;
		for (int j = 0; j < N; j++)
			want[i] += (2 * a[i * N + j] - 3 * b[i * N + j]) * x[j];
	}
	RUN("linalg/gesummv", "", WORK(64), WORK(32), ARRAY(a), ARRAY(b), ARRAY(x), ARRAY(y),
	    FLOAT(2), FLOAT(-3), INT(N));
	assert_floats(y, want, N, 1e-5f);
}

static void syrk_updates_the_lower_triangle(void **unused)
{
	(void)unused;
	make();
	for (int i = 0; i < N; i++)
		for (int j = 0; j <= i; j++)
			for (int k = 0; k < TALL; k++)
				want[i * N + j] += wide[i * TALL + k] * wide[j * TALL + k];
	RUN("linalg/syrk", "", WORK(N, N), WORK(16, 16), ARRAY(wide), ARRAY(c), INT(N), INT(TALL));
	assert_floats(c, want, CELLS, 1e-5f);
}

static void trsv_steps_solve_a_triangular_system(void **unused)
{
	float solution[N], right[N];
	(void)unused;
	make();
	for (int i = 0; i < N; i++)
		a[i * N + i] = (float)N;
	fill_floats(solution, N, -1, 1);
	for (int i = 0; i < N; i++) {
		right[i] = 0;
		for (int j = 0; j <= i; j++)
			right[i] += a[i * N + j] * solution[j];
	}
	for (int k = 0; k < N; k++)
		RUN("linalg/trsv_step", "", WORK(N), WORK(16), ARRAY(a), ARRAY(right), ARRAY(x),
		    INT(N), INT(k));
	assert_floats(x, solution, N, 1e-4f);
}

static void lu_step_eliminates_one_column(void **unused)
{
	enum { K = 5 };
	(void)unused;
	make();
	for (int i = 0; i < N; i++)
		x[i] = a[i * N + K] / a[K * N + K];
	memcpy(want, a, sizeof want);
	for (int i = K + 1; i < N; i++)
		for (int j = K; j < N; j++)
			want[i * N + j] = a[i * N + j] - x[i] * a[K * N + j];
	RUN("linalg/lu_step", "", WORK(N, N), WORK(16, 8), ARRAY(a), ARRAY(x), INT(N), INT(K));
	assert_floats(a, want, CELLS, 1e-4f);
	for (int i = K + 1; i < N; i++)
		assert_true(fabsf(a[i * N + K]) < 1e-3f);
}

static void cholesky_steps_leave_a_factor(void **unused)
{
	(void)unused;
	make();
	/* c = b b^T + N I is positive definite; L L^T must give it back */
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			float sum = i == j ? (float)N : 0;
			for (int k = 0; k < N; k++)
				sum += b[i * N + k] * b[j * N + k];
			c[i * N + j] = want[i * N + j] = sum;
		}
	for (int k = 0; k < N; k++)
		RUN("linalg/cholesky_step", "", WORK(N, N), WORK(16, 4), ARRAY(c), INT(N), INT(k));
	for (int i = 0; i < N; i++)
		for (int j = 0; j <= i; j++) {
			float sum = 0;
			for (int k = 0; k <= j; k++)
				sum += c[i * N + k] * c[j * N + k] / c[k * N + k];
			assert_floats(&sum, &want[i * N + j], 1, 1e-4f);
		}
}

static void transpositions_swap_row_and_column(void **unused)
{
	(void)unused;
	make();
	for (int i = 0; i < TALL; i++)
		for (int j = 0; j < N; j++)
			want[j * TALL + i] = wide[i * N + j];
	RUN("linalg/transpose_naive", "", WORK(64, TALL), WORK(16, 4), ARRAY(wide), ARRAY(turned),
	    INT(N), INT(TALL));
	assert_floats(turned, want, N * TALL, 0);
	memset(turned, 0, sizeof turned);
	RUN("linalg/transpose_tiled", "-DTILE=16", WORK(N, TALL), WORK(16, 16), ARRAY(wide),
	    ARRAY(turned), INT(N), INT(TALL));
	assert_floats(turned, want, N * TALL, 0);
}

static void rank_one_updates_add_outer_products(void **unused)
{
	(void)unused;
	make();
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			want[i * N + j] = a[i * N + j] + x[i] * y[j] + u[i] * v[j];
	RUN("linalg/rank_one", "", WORK(N, N), WORK(16, 16), ARRAY(a), ARRAY(x), ARRAY(y), ARRAY(u),
	    ARRAY(v), INT(N));
	assert_floats(a, want, CELLS, 1e-5f);
}

static void column_statistics_are_mean_and_deviation(void **unused)
{
	(void)unused;
	make();
	for (int j = 0; j < N; j++) {
		double mean = 0, variance = 0;
		for (int i = 0; i < N; i++)
			mean += (double)a[i * N + j] / (double)N;
		for (int i = 0; i < N; i++)
			variance += pow((double)a[i * N + j] - mean, 2) / (double)N;
		u[j] = (float)mean;
		v[j] = (float)sqrt(variance);
	}
	RUN("linalg/column_statistics", "", WORK(N), WORK(16), ARRAY(a), ARRAY(x), ARRAY(y), INT(N),
	    INT(N));
	assert_floats(x, u, N, 1e-5f);
	assert_floats(y, v, N, 1e-4f);
}

static void axpy_double_adds_in_double(void **unused)
{
	double left[100], right[100], sums[100];
	(void)unused;
	seed();
	for (int i = 0; i < 100; i++) {
		left[i] = (double)random_word() * 0x1p-32;
		right[i] = (double)random_word() * 0x1p-30;
		sums[i] = right[i] + 0.3 * left[i];
	}
	RUN("linalg/axpy_double", "", WORK(128), WORK(64), ARRAY(left), ARRAY(right),
	    SCALAR(double, 0.3), INT(100));
	for (int i = 0; i < 100; i++)
		assert_close(right[i], sums[i], 1e-14);
}

CHECK_FAMILY(linalg, cmocka_unit_test(gemm_naive_is_a_scaled_product),
             cmocka_unit_test(gemm_tiled_is_a_product),
             cmocka_unit_test(gemm_registers_is_a_product), cmocka_unit_test(gemv_multiplies_rows),
             cmocka_unit_test(gemv_transposed_multiplies_columns),
             cmocka_unit_test(gesummv_adds_two_products),
             cmocka_unit_test(syrk_updates_the_lower_triangle),
             cmocka_unit_test(trsv_steps_solve_a_triangular_system),
             cmocka_unit_test(lu_step_eliminates_one_column),
             cmocka_unit_test(cholesky_steps_leave_a_factor),
             cmocka_unit_test(transpositions_swap_row_and_column),
             cmocka_unit_test(rank_one_updates_add_outer_products),
             cmocka_unit_test(column_statistics_are_mean_and_deviation),
             cmocka_unit_test(axpy_double_adds_in_double))
