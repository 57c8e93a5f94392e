/* SPDX-License-Identifier: Apache-2.0 */
/* Stencils: one step of each against loops over the grid on the host. */
#include <string.h>

#include "tests/accuracy/check/run.h"

enum { N = 32, CELLS = N * N, NZ = 8, BOX = N * N * NZ };

static float in[CELLS], out[CELLS], want[CELLS], more[CELLS], other[CELLS];
static float box[BOX], box_out[BOX], box_want[BOX];

static void make(void)
{
	seed();
	fill_floats(in, CELLS, 0.5f, 2);
	fill_floats(more, CELLS, 0.1f, 1);
	fill_floats(other, CELLS, -1, 1);
	fill_floats(box, BOX, -1, 1);
	memset(out, 0, sizeof out);
	memset(want, 0, sizeof want);
	memset(box_out, 0, sizeof box_out);
	memset(box_want, 0, sizeof box_want);
}

/* A cell, repeating the border outside. */
static float cell(int x, int y)
{
	x = x < 0 ? 0 : x >= N ? N - 1 : x;
	y = y < 0 ? 0 : y >= N ? N - 1 : y;
	return in[y * N + x];
}

static void jacobi2d_averages_the_cross(void **unused)
{
	(void)unused;
	make();
	for (int y = 1; y < N - 1; y++)
		for (int x = 1; x < N - 1; x++)
			want[y * N + x] = (cell(x, y) + cell(x - 1, y) + cell(x + 1, y) +
			                   cell(x, y - 1) + cell(x, y + 1)) /
			                  5;
	RUN("stencil/jacobi2d", "", WORK(N, N), WORK(16, 8), ARRAY(in), ARRAY(out), INT(N));
	assert_floats(out, want, CELLS, 1e-6f);
}

static void jacobi2d_tiled_averages_the_cross(void **unused)
{
	enum { INNER = 16, SIDE = INNER + 2 };
	float small[SIDE * SIDE], got[SIDE * SIDE] = {0}, expected[SIDE * SIDE] = {0};
	(void)unused;
	seed();
	fill_floats(small, SIDE * SIDE, -1, 1);
	for (int y = 1; y <= INNER; y++)
		for (int x = 1; x <= INNER; x++) {
			const float *at = small + y * SIDE + x;
			expected[y * SIDE + x] =
			        (at[0] + at[-1] + at[1] + at[-SIDE] + at[SIDE]) / 5;
		}
	RUN("stencil/jacobi2d_tiled", "-DTILE_X=16 -DTILE_Y=4", WORK(INNER, INNER), WORK(16, 4),
	    ARRAY(small), ARRAY(got), INT(SIDE));
	assert_floats(got, expected, SIDE * SIDE, 1e-6f);
	memset(got, 0, sizeof got);
	RUN("stencil/jacobi2d_tiled", "-DTILE_X=8 -DTILE_Y=8", WORK(INNER, INNER), WORK(8, 8),
	    ARRAY(small), ARRAY(got), INT(SIDE));
	assert_floats(got, expected, SIDE * SIDE, 1e-6f);
}

static void jacobi3d_weighs_six_neighbours(void **unused)
{
	(void)unused;
	make();
	for (int z = 1; z < NZ - 1; z++)
		for (int y = 1; y < N - 1; y++)
			for (int x = 1; x < N - 1; x++) {
				const float *at = box + (z * N + y) * N + x;
				box_want[(z * N + y) * N + x] =
				        0.04f * at[0] + 0.16f * (at[-1] + at[1] + at[-N] + at[N] +
				                                 at[-N * N] + at[N * N]);
			}
	RUN("stencil/jacobi3d", "", WORK(N, N, NZ), WORK(16, 4, 2), ARRAY(box), ARRAY(box_out),
	    INT(N), INT(N), INT(NZ));
	assert_floats(box_out, box_want, BOX, 1e-6f);
}

static void stencil27_weighs_the_cube(void **unused)
{
	float weight[27];
	(void)unused;
	make();
	fill_floats(weight, 27, 0, 0.1f);
	for (int z = 1; z < NZ - 1; z++)
		for (int y = 1; y < N - 1; y++)
			for (int x = 1; x < N - 1; x++)
				for (int k = 0; k < 27; k++)
					box_want[(z * N + y) * N + x] +=
					        weight[k] *
					        box[((z + k / 9 - 1) * N + y + k / 3 % 3 - 1) * N +
					            x + k % 3 - 1];
	RUN("stencil/stencil27", "", WORK(N - 2, N - 2, NZ - 2), WORK(15, 5, 1), ARRAY(box),
	    ARRAY(box_out), ARRAY(weight), INT(N), INT(N));
	assert_floats(box_out, box_want, BOX, 1e-5f);
}

static void hotspot_heats_by_power_and_neighbours(void **unused)
{
	const float step = 0.1f, rx = 0.3f, ry = 0.2f, rz = 0.05f;
	(void)unused;
	make();
	for (int y = 0; y < N; y++)
		for (int x = 0; x < N; x++) {
			float t = cell(x, y);
			float change = more[y * N + x];
			change += (cell(x, y - 1) - t + cell(x, y + 1) - t) * ry;
			change += (cell(x - 1, y) - t + cell(x + 1, y) - t) * rx;
			change += (80 - t) * rz;
			want[y * N + x] = t + step * change;
		}
	RUN("stencil/hotspot", "", WORK(N, N), WORK(8, 8), ARRAY(in), ARRAY(more), ARRAY(out),
	    INT(N), INT(N), FLOAT(step), FLOAT(rx), FLOAT(ry), FLOAT(rz));
	assert_floats(out, want, CELLS, 1e-5f);
}

static void fdtd_steps_fields_then_magnetic(void **unused)
{
	float ex[CELLS], ey[CELLS], hz[CELLS];
	(void)unused;
	make();
	memcpy(ex, in, sizeof ex);
	memcpy(ey, more, sizeof ey);
	memcpy(hz, other, sizeof hz);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			if (j > 0)
				ex[i * N + j] -= (hz[i * N + j] - hz[i * N + j - 1]) / 2;
			if (i > 0)
				ey[i * N + j] -= (hz[i * N + j] - hz[i * N + j - N]) / 2;
		}
	RUN("stencil/fdtd_fields", "", WORK(N, N), WORK(16, 16), ARRAY(in), ARRAY(more),
	    ARRAY(other), INT(N), INT(N));
	assert_floats(in, ex, CELLS, 1e-6f);
	assert_floats(more, ey, CELLS, 1e-6f);
	for (int i = 0; i < N - 1; i++)
		for (int j = 0; j < N - 1; j++)
			hz[i * N + j] -= 0.7f * (ex[i * N + j + 1] - ex[i * N + j] +
			                         ey[i * N + N + j] - ey[i * N + j]);
	RUN("stencil/fdtd_magnetic", "", WORK(N, N), WORK(32, 4), ARRAY(in), ARRAY(more),
	    ARRAY(other), INT(N), INT(N));
	assert_floats(other, hz, CELLS, 1e-5f);
}

static void wave2d_is_fourth_order_in_space(void **unused)
{
	(void)unused;
	make();
	for (int y = 2; y < N - 2; y++)
		for (int x = 2; x < N - 2; x++) {
			static const double order[5] = {-1. / 12, 4. / 3, -2.5, 4. / 3, -1. / 12};
			double laplace = 0;
			for (int k = -2; k <= 2; k++)
				laplace += order[k + 2] *
				           (double)(in[y * N + x + k] + in[(y + k) * N + x]);
			double speed = (double)other[y * N + x];
			want[y * N + x] =
			        (float)(2.0 * (double)in[y * N + x] - (double)more[y * N + x] +
			                speed * speed * laplace);
		}
	RUN("stencil/wave2d", "", WORK(N - 4, N - 4), WORK(14, 7), ARRAY(in), ARRAY(more),
	    ARRAY(out), ARRAY(other), INT(N));
	assert_floats(out, want, CELLS, 1e-5f);
}

static void heat_double_is_periodic(void **unused)
{
	static double grid[CELLS], next[CELLS];
	(void)unused;
	make();
	for (int i = 0; i < CELLS; i++)
		grid[i] = (double)in[i];
	RUN("stencil/heat_double", "", WORK(N, N), WORK(16, 4), ARRAY(grid), ARRAY(next), INT(N),
	    SCALAR(double, 0.1));
	for (int y = 0; y < N; y++)
		for (int x = 0; x < N; x++) {
			double sum = grid[y * N + (x + 1) % N] + grid[y * N + (x + N - 1) % N] +
			             grid[(y + 1) % N * N + x] + grid[(y + N - 1) % N * N + x];
			assert_close(next[y * N + x], 0.6 * grid[y * N + x] + 0.1 * sum, 1e-13);
		}
}

static void lbm_keeps_mass_and_relaxes(void **unused)
{
	static const int sx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
	static const int sy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
	static float from[9 * CELLS], to[9 * CELLS];
	const double omega = 1.2;
	(void)unused;
	seed();
	fill_floats(from, 9 * CELLS, 0.5f, 1);
	RUN("stencil/lbm_d2q9", "", WORK(N, N), WORK(16, 8), ARRAY(from), ARRAY(to), INT(N), INT(N),
	    FLOAT((float)omega));
	for (int y = 0; y < N; y++)
		for (int x = 0; x < N; x++) {
			double f[9], rho = 0, ux = 0, uy = 0;
			for (int q = 0; q < 9; q++) {
				f[q] = (double)from[q * CELLS + (y - sy[q] + N) % N * N +
				                    (x - sx[q] + N) % N];
				rho += f[q];
				ux += f[q] * sx[q];
				uy += f[q] * sy[q];
			}
			ux /= rho;
			uy /= rho;
			for (int q = 0; q < 9; q++) {
				double w = q == 0 ? 4. / 9 : q < 5 ? 1. / 9 : 1. / 36;
				double eu = ux * sx[q] + uy * sy[q];
				double rest =
				        w * rho *
				        (1 + 3 * eu + 4.5 * eu * eu - 1.5 * (ux * ux + uy * uy));
				float next = (float)(f[q] + omega * (rest - f[q]));
				assert_floats(&to[q * CELLS + y * N + x], &next, 1, 1e-5f);
			}
		}
}

static void life_follows_conway(void **unused)
{
	static unsigned char now[CELLS], next[CELLS];
	(void)unused;
	seed();
	for (int i = 0; i < CELLS; i++)
		now[i] = random_word() % 3 == 0;
	RUN("stencil/life", "", WORK(N, N), WORK(16, 16), ARRAY(now), ARRAY(next), INT(N), INT(N));
	for (int y = 0; y < N; y++)
		for (int x = 0; x < N; x++) {
			int around = -now[y * N + x];
			for (int k = 0; k < 9; k++)
				around +=
				        now[(y + k / 3 + N - 1) % N * N + (x + k % 3 + N - 1) % N];
			assert_int_equal(next[y * N + x],
			                 around == 3 || (around == 2 && now[y * N + x]));
		}
}

static void srad_coefficients_lie_between_nothing_and_one(void **unused)
{
	const double q0 = 0.05;
	(void)unused;
	make();
	for (int y = 0; y < N; y++)
		for (int x = 0; x < N; x++) {
			double c = (double)cell(x, y), square = 0, sum = 0;
			const float around[4] = {cell(x, y - 1), cell(x, y + 1), cell(x - 1, y),
			                         cell(x + 1, y)};
			for (int k = 0; k < 4; k++) {
				double d = (double)around[k] - c;
				square += d * d / (c * c);
				sum += d / c;
			}
			double q = (0.5 * square - sum * sum / 16) / pow(1 + sum / 4, 2);
			double value = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
			want[y * N + x] = (float)fmin(fmax(value, 0), 1);
		}
	RUN("stencil/srad_coefficients", "", WORK(N, N), WORK(16, 8), ARRAY(in), ARRAY(out), INT(N),
	    INT(N), FLOAT((float)q0));
	assert_floats(out, want, CELLS, 1e-4f);
}

static void convolution2d_weighs_nine(void **unused)
{
	static const float weight[9] = {0.2f, 0.5f, -0.8f, -0.3f, 0.6f, -0.9f, 0.4f, 0.7f, 0.1f};
	(void)unused;
	make();
	for (int y = 1; y < N - 1; y++)
		for (int x = 1; x < N - 1; x++)
			for (int k = 0; k < 9; k++)
				want[y * N + x] += weight[k] * cell(x + k % 3 - 1, y + k / 3 - 1);
	RUN("stencil/convolution2d", "", WORK(N, N), WORK(32, 2), ARRAY(in), ARRAY(out), INT(N),
	    INT(N));
	assert_floats(out, want, CELLS, 1e-5f);
}

CHECK_FAMILY(stencil, cmocka_unit_test(jacobi2d_averages_the_cross),
             cmocka_unit_test(jacobi2d_tiled_averages_the_cross),
             cmocka_unit_test(jacobi3d_weighs_six_neighbours),
             cmocka_unit_test(stencil27_weighs_the_cube),
             cmocka_unit_test(hotspot_heats_by_power_and_neighbours),
             cmocka_unit_test(fdtd_steps_fields_then_magnetic),
             cmocka_unit_test(wave2d_is_fourth_order_in_space),
             cmocka_unit_test(heat_double_is_periodic),
             cmocka_unit_test(lbm_keeps_mass_and_relaxes), cmocka_unit_test(life_follows_conway),
             cmocka_unit_test(srad_coefficients_lie_between_nothing_and_one),
             cmocka_unit_test(convolution2d_weighs_nine))
