/* SPDX-License-Identifier: Apache-2.0 */
/* Linear algebra of the PolyBench suites against the host. */
#include <string.h>

#include "tests/accuracy/check/run.h"

static void fill_doubles(double *to, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[i] = random_word() * 0x1p-31 - 1;
}

static void assert_doubles(const double *got, const double *want, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!(fabs(got[i] - want[i]) <= 1e-10 * (1 + fabs(want[i]))))
			fail_msg("element %zu: got %.15g, want %.15g", i, got[i], want[i]);
}

/* The first row and column stay, and so does the last corner, which the host writes. */
static void correlation_is_symmetric(void **unused)
{
	enum { M = 45, N = 37, W = M + 1 };
	float data[(N + 1) * W], got[W * W], want[W * W];
	(void)unused;
	seed();
	fill_floats(data, (size_t)(N + 1) * W, -1, 1);
	fill_floats(got, (size_t)W * W, 5, 6);
	memcpy(want, got, sizeof want);
	for (int a = 1; a <= M; a++)
		for (int b = 1; b <= M; b++) {
			double sum = 0;
			for (int i = 1; i <= N; i++)
				sum += (double)data[i * W + a] * (double)data[i * W + b];
			if (a != b)
				want[a * W + b] = (float)sum;
			else if (a != M)
				want[a * W + b] = 1;
		}
	RUN("unseen/polybench/correlation", "", WORK(64), WORK(32), ARRAY(got), ARRAY(data), INT(M),
	    INT(N));
	assert_floats(got, want, (size_t)W * W, 1e-4f);
}

static void two_products_first_is_a_product(void **unused)
{
	enum { NI = 21, NJ = 35, NK = 27 };
	float a[NI * NK], b[NK * NJ], got[NI * NJ], want[NI * NJ];
	(void)unused;
	seed();
	fill_floats(a, (size_t)NI * NK, -1, 1);
	fill_floats(b, (size_t)NK * NJ, -1, 1);
	fill_floats(got, (size_t)NI * NJ, -1, 1);
	for (int i = 0; i < NI * NJ; i++) {
		double sum = 0;
		for (int k = 0; k < NK; k++)
			sum += (double)a[i / NJ * NK + k] * (double)b[k * NJ + i % NJ];
		want[i] = (float)sum;
	}
	RUN("unseen/polybench/two_products", "", WORK(64, 24), WORK(32, 8), ARRAY(a), ARRAY(b),
	    ARRAY(got), INT(NI), INT(NJ), INT(NK));
	assert_floats(got, want, (size_t)NI * NJ, 1e-5f);
}

static void atax_columns_and_bicg_rows_are_products_with_a_vector(void **unused)
{
	enum { ROWS = 70, COLUMNS = 90 };
	float a[ROWS * COLUMNS], x[COLUMNS], z[ROWS], down[COLUMNS], along[ROWS];
	float want_down[COLUMNS], want_along[ROWS];
	(void)unused;
	seed();
	fill_floats(a, (size_t)ROWS * COLUMNS, -1, 1);
	fill_floats(x, COLUMNS, -1, 1);
	fill_floats(z, ROWS, -1, 1);
	fill_floats(down, COLUMNS, -1, 1);
	fill_floats(along, ROWS, -1, 1);
	for (int j = 0; j < COLUMNS; j++) {
		double sum = (double)down[j];
		for (int i = 0; i < ROWS; i++)
			sum += (double)a[i * COLUMNS + j] * (double)z[i];
		want_down[j] = (float)sum;
	}
	for (int i = 0; i < ROWS; i++) {
		double sum = 0;
		for (int j = 0; j < COLUMNS; j++)
			sum += (double)a[i * COLUMNS + j] * (double)x[j];
		want_along[i] = (float)sum;
	}
	RUN("unseen/polybench/atax_columns", "", WORK(96), WORK(32), ARRAY(a), ARRAY(down),
	    ARRAY(z), INT(ROWS), INT(COLUMNS));
	RUN("unseen/polybench/bicg_rows", "", WORK(96), WORK(32), ARRAY(a), ARRAY(x), ARRAY(along),
	    INT(ROWS), INT(COLUMNS));
	assert_floats(down, want_down, COLUMNS, 1e-5f);
	assert_floats(along, want_along, ROWS, 1e-5f);
}

/* Other layers keep what they have. */
static void doitgen_multiplies_one_layer(void **unused)
{
	enum { NR = 5, NQ = 12, NP = 19, R = 3, ALL = NR * NQ * NP };
	float a[ALL], c4[NP * NP], got[ALL], want[ALL];
	(void)unused;
	seed();
	fill_floats(a, ALL, -1, 1);
	fill_floats(c4, (size_t)NP * NP, -1, 1);
	fill_floats(got, ALL, -1, 1);
	memcpy(want, got, sizeof want);
	for (int i = R * NQ * NP; i < (R + 1) * NQ * NP; i++) {
		double sum = 0;
		for (int s = 0; s < NP; s++)
			sum += (double)a[i / NP * NP + s] * (double)c4[s * NP + i % NP];
		want[i] = (float)sum;
	}
	RUN("unseen/polybench/doitgen", "", WORK(32, 16), WORK(32, 8), ARRAY(a), ARRAY(c4),
	    ARRAY(got), INT(R), INT(NQ), INT(NP));
	assert_floats(got, want, ALL, 1e-5f);
}

/* Columns behind become orthogonal to a q of unit length. */
static void gram_schmidt_takes_a_direction_out(void **unused)
{
	enum { ROWS = 50, COLUMNS = 60, K = 23 };
	float a[ROWS * COLUMNS], before[ROWS * COLUMNS], q[ROWS * COLUMNS];
	float r[COLUMNS * COLUMNS] = {0};
	double square = 0;
	(void)unused;
	seed();
	fill_floats(a, (size_t)ROWS * COLUMNS, -1, 1);
	fill_floats(q, (size_t)ROWS * COLUMNS, -1, 1);
	memcpy(before, a, sizeof before);
	for (int i = 0; i < ROWS; i++)
		square += (double)q[i * COLUMNS + K] * (double)q[i * COLUMNS + K];
	for (int i = 0; i < ROWS; i++)
		q[i * COLUMNS + K] /= (float)sqrt(square);
	RUN("unseen/polybench/gram_schmidt", "", WORK(64), WORK(32), ARRAY(a), ARRAY(r), ARRAY(q),
	    INT(K), INT(ROWS), INT(COLUMNS));
	for (int j = 0; j < COLUMNS; j++) {
		double length = 0, left = 0;
		for (int i = 0; i < ROWS; i++) {
			double unit = (double)q[i * COLUMNS + K];
			length += unit * (double)before[i * COLUMNS + j];
			left += unit * (double)a[i * COLUMNS + j];
		}
		if (j > K)
			assert_true(fabs(left) < 1e-5);
		assert_true(fabs((double)r[K * COLUMNS + j] - (j > K ? length : 0)) < 1e-5);
		for (int i = 0; i < ROWS; i++) {
			double want = (double)before[i * COLUMNS + j] -
			              (j > K ? length * (double)q[i * COLUMNS + K] : 0);
			assert_true(fabs((double)a[i * COLUMNS + j] - want) < 1e-5);
		}
	}
}

static void symm_reads_the_lower_triangle(void **unused)
{
	enum { M = 33, N = 40 };
	double a[M * M], b[M * N], got[M * N], want[M * N];
	(void)unused;
	seed();
	fill_doubles(a, (size_t)M * M);
	fill_doubles(b, (size_t)M * N);
	fill_doubles(got, (size_t)M * N);
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) {
			double sum = 0;
			for (int k = 0; k < M; k++)
				sum += a[k < i ? i * M + k : k * M + i] * b[k * N + j];
			want[i * N + j] = 1.5 * sum + 1.2 * got[i * N + j];
		}
	RUN("unseen/polybench/symm", "", WORK(64), WORK(32), ARRAY(got), ARRAY(a), ARRAY(b),
	    SCALAR(double, 1.5), SCALAR(double, 1.2), INT(M), INT(N));
	assert_doubles(got, want, (size_t)M * N);
}

static void syr2k_adds_a_product_and_its_transpose(void **unused)
{
	enum { N = 30, M = 22 };
	float a[N * M], b[N * M], got[N * N], want[N * N];
	(void)unused;
	seed();
	fill_floats(a, (size_t)N * M, -1, 1);
	fill_floats(b, (size_t)N * M, -1, 1);
	fill_floats(got, (size_t)N * N, -1, 1);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			double sum = 0;
			for (int k = 0; k < M; k++)
				sum += (double)a[i * M + k] * (double)b[j * M + k] +
				       (double)b[i * M + k] * (double)a[j * M + k];
			want[i * N + j] = (float)(1.5 * sum + 0.75 * (double)got[i * N + j]);
		}
	RUN("unseen/polybench/syr2k", "", WORK(32, 32), WORK(32, 8), ARRAY(a), ARRAY(b), ARRAY(got),
	    FLOAT(1.5f), FLOAT(0.75f), INT(N), INT(M));
	assert_floats(got, want, (size_t)N * N, 1e-5f);
}

static void trmm_has_ones_on_its_diagonal(void **unused)
{
	enum { M = 31, N = 44 };
	double a[M * M], got[M * N], want[M * N];
	(void)unused;
	seed();
	fill_doubles(a, (size_t)M * M);
	fill_doubles(got, (size_t)M * N);
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) {
			double sum = got[i * N + j];
			for (int k = i + 1; k < M; k++)
				sum += a[k * M + i] * got[k * N + j];
			want[i * N + j] = 1.5 * sum;
		}
	RUN("unseen/polybench/trmm", "", WORK(64), WORK(32), ARRAY(a), ARRAY(got),
	    SCALAR(double, 1.5), INT(M), INT(N));
	assert_doubles(got, want, (size_t)M * N);
}

CHECK_FAMILY(polybench, cmocka_unit_test(correlation_is_symmetric),
             cmocka_unit_test(two_products_first_is_a_product),
             cmocka_unit_test(atax_columns_and_bicg_rows_are_products_with_a_vector),
             cmocka_unit_test(doitgen_multiplies_one_layer),
             cmocka_unit_test(gram_schmidt_takes_a_direction_out),
             cmocka_unit_test(symm_reads_the_lower_triangle),
             cmocka_unit_test(syr2k_adds_a_product_and_its_transpose),
             cmocka_unit_test(trmm_has_ones_on_its_diagonal))
