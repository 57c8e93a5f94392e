/* SPDX-License-Identifier: Apache-2.0 */
/* Lattices: flows, fields, spins and waves against the host. */
#include <string.h>

#include "tests/accuracy/check/run.h"

static int wrapped(int x, int side)
{
	return (x + side) % side;
}

/* Velocities by coordinates and weights by their length: the kernel has tables. */
static void lbm_obstacles_streams_collides_and_bounces(void **unused)
{
	enum { NX = 20, NY = 12, CELLS = NX * NY, Q = 9 };
	static const int order[3][3] = {{7, 4, 8}, {3, 0, 1}, {6, 2, 5}}; /* [ey + 1][ex + 1] */
	static float from[Q * CELLS], to[Q * CELLS], want[Q * CELLS], porosity[CELLS];
	const double rock = 0.2, omega = 1.3, push = 0.01;
	(void)unused;
	seed();
	fill_floats(from, Q * CELLS, 0.1f, 1);
	fill_floats(porosity, CELLS, 0, 1);
	for (int y = 0; y < NY; y++)
		for (int x = 0; x < NX; x++) {
			double f[3][3], rho = 0, u = 0, v = 0;
			int here = y * NX + x;
			for (int b = -1; b <= 1; b++)
				for (int a = -1; a <= 1; a++) {
					int q = order[b + 1][a + 1];
					double one =
					        (double)from[q * CELLS + wrapped(y - b, NY) * NX +
					                     wrapped(x - a, NX)];
					f[b + 1][a + 1] = one;
					rho += one;
					u += a * one;
					v += b * one;
				}
			u = u / rho + push;
			v = v / rho;
			for (int b = -1; b <= 1; b++)
				for (int a = -1; a <= 1; a++) {
					int q = order[b + 1][a + 1];
					double eu = 3 * (a * u + b * v), now = f[b + 1][a + 1];
					double weight = pow(4, 2 - a * a - b * b) / 36;
					double balance =
					        weight * rho *
					        (1 + eu + eu * eu / 2 - 1.5 * (u * u + v * v));
					want[q * CELLS + here] =
					        (double)porosity[here] < rock
					                ? (float)f[1 - b][1 - a]
					                : (float)(now + omega * (balance - now));
				}
		}
	RUN("lattice/lbm_obstacles", "", WORK(24, 16), WORK(8, 8), ARRAY(from), ARRAY(to),
	    ARRAY(porosity), INT(NX), INT(NY), FLOAT((float)rock), FLOAT((float)omega),
	    FLOAT((float)push));
	assert_floats(to, want, Q * CELLS, 1e-5f);
}

static void yee_electric_is_the_curl(void **unused)
{
	enum { NX = 12, NY = 6, NZ = 5, CELLS = NX * NY * NZ };
	float e[3][CELLS], h[3][CELLS], permittivity[CELLS], want[3][CELLS];
	const int step[3] = {1, NX, NX * NY};
	(void)unused;
	seed();
	fill_floats(e[0], 3 * CELLS, -1, 1);
	fill_floats(h[0], 3 * CELLS, -1, 1);
	fill_floats(permittivity, CELLS, 1, 4);
	memcpy(want, e, sizeof want);
	for (int i = 0; i < CELLS; i++) {
		if (i % NX == 0 || i / NX % NY == 0 || i / NX / NY == 0)
			continue;
		for (int axis = 0; axis < 3; axis++) {
			int second = (axis + 1) % 3, third = (axis + 2) % 3;
			want[axis][i] += 0.4f / permittivity[i] *
			                 (h[third][i] - h[third][i - step[second]] - h[second][i] +
			                  h[second][i - step[third]]);
		}
	}
	RUN("lattice/yee_electric", "", WORK(16, 8, 6), WORK(8, 4, 2), ARRAY(e[0]), ARRAY(e[1]),
	    ARRAY(e[2]), ARRAY(h[0]), ARRAY(h[1]), ARRAY(h[2]), ARRAY(permittivity), INT(NX),
	    INT(NY), INT(NZ), FLOAT(0.4f));
	for (int axis = 0; axis < 3; axis++)
		assert_floats(e[axis], want[axis], CELLS, 1e-5f);
}

static uint32_t scrambled(uint32_t value)
{
	value = (value ^ value >> 16) * 0x7feb352du;
	value = (value ^ value >> 15) * 0x846ca68bu;
	return value ^ value >> 16;
}

static void ising_checkerboard_flips_one_colour(void **unused)
{
	enum { SIDE = 16, SPINS = SIDE * SIDE };
	uint8_t spin[SPINS], want[SPINS];
	float chance[5] = {1, 1, 0.6f, 0.3f, 0.1f};
	const int colour = 1;
	const uint32_t time = 77;
	(void)unused;
	seed();
	for (int i = 0; i < SPINS; i++)
		want[i] = spin[i] = (uint8_t)random_word();
	for (int y = 0; y < SIDE; y++)
		for (int x = (y + colour) % 2; x < SIDE; x += 2) {
			static const int dx[4] = {1, -1, 0, 0}, dy[4] = {0, 0, 1, -1};
			int here = y * SIDE + x, alike = 0;
			for (int k = 0; k < 4; k++)
				alike += (spin[wrapped(y + dy[k], SIDE) * SIDE +
				               wrapped(x + dx[k], SIDE)] &
				          1) == (spin[here] & 1);
			double drawn =
			        (scrambled((uint32_t)here ^ scrambled(time)) >> 8) / 16777216.0;
			if (drawn < (double)chance[alike])
				want[here] ^= 1;
		}
	RUN("lattice/ising_checkerboard", "", WORK(SIDE / 2, SIDE), WORK(8, 4), ARRAY(spin),
	    ARRAY(chance), INT(SIDE), INT(colour), SCALAR(uint32_t, time));
	assert_memory_equal(spin, want, sizeof want);
}

static void acoustic_march_is_a_step_of_the_wave_equation(void **unused)
{
	enum {
		NX = 16,
		NY = 16,
		NZ = 6,
		ROW = NX + 4,
		LAYER = ROW * (NY + 4),
		ALL = LAYER * (NZ + 4)
	};
	static float now[ALL], next[ALL], speed[ALL], want[ALL];
	static const int step[3] = {1, ROW, LAYER};
	(void)unused;
	seed();
	fill_floats(now, ALL, -1, 1);
	fill_floats(next, ALL, -1, 1);
	fill_floats(speed, ALL, 0, 0.1f);
	memcpy(want, next, sizeof want);
	for (int z = 2; z < NZ + 2; z++)
		for (int y = 2; y < NY + 2; y++)
			for (int x = 2; x < NX + 2; x++) {
				int at = z * LAYER + y * ROW + x;
				double laplace = 0;
				for (int axis = 0; axis < 3; axis++) {
					const float *p = now + at;
					int s = step[axis];
					laplace += (16 * ((double)p[s] + (double)p[-s]) -
					            (double)p[2 * s] - (double)p[-2 * s] -
					            30 * (double)p[0]) /
					           12;
				}
				want[at] = (float)(2 * (double)now[at] - (double)next[at] +
				                   (double)speed[at] * laplace);
			}
	RUN("lattice/acoustic_march", "-DBLOCK_X=8 -DBLOCK_Y=4", WORK(NX, NY), WORK(8, 4),
	    ARRAY(now), ARRAY(next), ARRAY(speed), INT(NX), INT(NY), INT(NZ));
	assert_floats(next, want, ALL, 1e-5f);
}

static void gray_scott_reacts_and_diffuses(void **unused)
{
	enum { W = 21, H = 10, CELLS = W * H };
	float in[2 * CELLS], out[2 * CELLS], want[2 * CELLS];
	const double feed = 0.05, kill = 0.06, dt = 0.9;
	(void)unused;
	seed();
	fill_floats(in, 2 * CELLS, 0, 1);
	for (int i = 0; i < CELLS; i++) {
		double spread[2], u = (double)in[2 * i], v = (double)in[2 * i + 1];
		for (int k = 0; k < 2; k++) {
			spread[k] = 0;
			for (int dy = -1; dy <= 1; dy++)
				for (int dx = -1; dx <= 1; dx++) {
					double weight = dx == 0 && dy == 0   ? -1
					                : dx == 0 || dy == 0 ? 0.2
					                                     : 0.05;
					int there =
					        wrapped(i / W + dy, H) * W + wrapped(i % W + dx, W);
					spread[k] += weight * (double)in[2 * there + k];
				}
		}
		want[2 * i] = (float)(u + dt * (spread[0] + feed * (1 - u) - u * v * v));
		want[2 * i + 1] = (float)(v + dt * (spread[1] / 2 + u * v * v - (feed + kill) * v));
	}
	RUN("lattice/gray_scott", "", WORK(24, 12), WORK(8, 4), ARRAY(in), ARRAY(out), INT(W),
	    INT(H), FLOAT((float)feed), FLOAT((float)kill), FLOAT((float)dt));
	assert_floats(out, want, 2 * CELLS, 1e-5f);
}

/* As complex matrices of 2 x 2, a quaternion (a, b, c, d) being [a + bi, c + di; -c + di, a - bi].
 */
struct matrix {
	double re[2][2], im[2][2];
};

static struct matrix matrix_of(const float *q, bool adjoint)
{
	double a = (double)q[0], sign = adjoint ? -1 : 1;
	double b = sign * (double)q[1], c = sign * (double)q[2], d = sign * (double)q[3];
	return (struct matrix){{{a, c}, {-c, a}}, {{b, d}, {d, -b}}};
}

static struct matrix multiplied(struct matrix x, struct matrix y)
{
	struct matrix result = {0};
	for (int r = 0; r < 2; r++)
		for (int c = 0; c < 2; c++)
			for (int k = 0; k < 2; k++) {
				result.re[r][c] +=
				        x.re[r][k] * y.re[k][c] - x.im[r][k] * y.im[k][c];
				result.im[r][c] +=
				        x.re[r][k] * y.im[k][c] + x.im[r][k] * y.re[k][c];
			}
	return result;
}

static void plaquette_is_a_product_of_matrices(void **unused)
{
	enum { SIDE = 3, SITES = SIDE * SIDE * SIDE * SIDE };
	static float links[4][SITES][4], action[SITES], want[SITES];
	static const int stride[4] = {1, SIDE, SIDE * SIDE, SIDE * SIDE * SIDE};
	(void)unused;
	seed();
	fill_floats(links[0][0], 4 * SITES * 4, -1, 1);
	for (int site = 0; site < SITES; site++) {
		double sum = 0;
		for (int mu = 0; mu < 4; mu++)
			for (int nu = mu + 1; nu < 4; nu++) {
				int to_mu =
				        site + stride[mu] * (site / stride[mu] % SIDE == SIDE - 1
				                                     ? 1 - SIDE
				                                     : 1);
				int to_nu =
				        site + stride[nu] * (site / stride[nu] % SIDE == SIDE - 1
				                                     ? 1 - SIDE
				                                     : 1);
				struct matrix there =
				        multiplied(matrix_of(links[mu][site], false),
				                   matrix_of(links[nu][to_mu], false));
				struct matrix back = multiplied(matrix_of(links[mu][to_nu], true),
				                                matrix_of(links[nu][site], true));
				struct matrix around = multiplied(there, back);
				sum += 1 - (around.re[0][0] + around.re[1][1]) / 2;
			}
		want[site] = (float)sum;
	}
	RUN("lattice/plaquette", "", WORK(96), WORK(32), ARRAY(links), ARRAY(action), INT(SIDE),
	    INT(SITES));
	assert_floats(action, want, SITES, 1e-5f);
}

CHECK_FAMILY(lattice, cmocka_unit_test(lbm_obstacles_streams_collides_and_bounces),
             cmocka_unit_test(yee_electric_is_the_curl),
             cmocka_unit_test(ising_checkerboard_flips_one_colour),
             cmocka_unit_test(acoustic_march_is_a_step_of_the_wave_equation),
             cmocka_unit_test(gray_scott_reacts_and_diffuses),
             cmocka_unit_test(plaquette_is_a_product_of_matrices))
