/* SPDX-License-Identifier: Apache-2.0 */
/* Particles: forces, densities and motion against sums in double on the host. */
#include <string.h>

#include "tests/accuracy/check/run.h"

enum { N = 128 };

static float position[4 * N], out[4 * N], want[4 * N];

static void make(void)
{
	seed();
	fill_floats(position, 4 * N, 0, 1);
	memset(out, 0, sizeof out);
	memset(want, 0, sizeof want);
}

static void nbody_pulls_every_pair(void **unused)
{
	const double softening = 0.05;
	(void)unused;
	make();
	for (int i = 0; i < N; i++)
		for (int axis = 0; axis < 3; axis++) {
			double sum = 0;
			for (int j = 0; j < N; j++) {
				double square = softening;
				for (int k = 0; k < 3; k++)
					square += pow((double)position[4 * j + k] -
					                      (double)position[4 * i + k],
					              2);
				sum += (double)position[4 * j + 3] / pow(square, 1.5) *
				       ((double)position[4 * j + axis] -
				        (double)position[4 * i + axis]);
			}
			want[4 * i + axis] = (float)sum;
		}
	RUN("particles/nbody_direct", "", WORK(N), WORK(32), ARRAY(position), ARRAY(out), INT(N),
	    FLOAT((float)softening));
	assert_floats(out, want, 4 * N, 1e-4f);
	memset(out, 0, sizeof out);
	RUN("particles/nbody_tiled", "", WORK(N), WORK(32), ARRAY(position), ARRAY(out), INT(N),
	    FLOAT((float)softening), LOCAL(32 * 16));
	assert_floats(out, want, 4 * N, 1e-3f);
}

static void lennard_jones_sees_all_within_the_cutoff(void **unused)
{
	enum { SIDE = 4, CAPACITY = 3, ALL = SIDE * SIDE * SIDE * CAPACITY };
	const double cutoff = 0.9;
	float p[3][ALL], energy[ALL], expected[ALL];
	(void)unused;
	seed();
	for (int i = 0; i < ALL; i++) {
		int cell = i / CAPACITY;
		int corner[3] = {cell % SIDE, cell / SIDE % SIDE, cell / SIDE / SIDE};
		for (int k = 0; k < 3; k++) {
			fill_floats(&p[k][i], 1, 0, 1);
			p[k][i] += (float)corner[k];
		}
	}
	for (int i = 0; i < ALL; i++) {
		double sum = 0;
		for (int j = 0; j < ALL; j++) {
			double square = 0;
			for (int k = 0; k < 3; k++) {
				double d = fabs((double)p[k][i] - (double)p[k][j]);
				d = fmin(d, (double)SIDE - d);
				square += d * d;
			}
			if (j != i && square < cutoff * cutoff)
				sum += 4 / pow(square + 0.01, 6) - 4 / pow(square + 0.01, 3);
		}
		expected[i] = (float)sum;
	}
	RUN("particles/lennard_jones", "", WORK(ALL), WORK(32), ARRAY(p[0]), ARRAY(p[1]),
	    ARRAY(p[2]), ARRAY(energy), INT(SIDE), INT(CAPACITY), FLOAT((float)cutoff));
	assert_floats(energy, expected, ALL, 1e-3f);
}

static void neighbour_forces_follow_the_list(void **unused)
{
	enum { LISTED = 12 };
	int neighbour[LISTED * N];
	const double cutoff = 0.5;
	(void)unused;
	make();
	fill_ints(neighbour, LISTED * N, N);
	for (int i = 0; i < N; i++) {
		double sum[3] = {0};
		for (int l = 0; l < LISTED; l++) {
			int j = neighbour[l * N + i];
			double d[3], square = 0;
			for (int k = 0; k < 3; k++) {
				d[k] = (double)position[4 * i + k] - (double)position[4 * j + k];
				square += d[k] * d[k];
			}
			if (square >= cutoff || square == 0)
				continue;
			double inverse = 1 / (square + 0.1);
			for (int k = 0; k < 3; k++)
				sum[k] += d[k] * (pow(inverse, 7) - pow(inverse, 4) / 2);
		}
		for (int k = 0; k < 3; k++)
			want[4 * i + k] = (float)sum[k];
	}
	RUN("particles/neighbour_forces", "", WORK(N), WORK(32), ARRAY(position), ARRAY(neighbour),
	    ARRAY(out), INT(LISTED), INT(N), FLOAT((float)cutoff));
	/* millions cancel: relative to the greatest force */
	for (int i = 0; i < 4 * N; i++)
		assert_true(fabsf(out[i] - want[i]) <= 1e-4f * (fabsf(want[i]) + 1e4f));
}

static void sph_density_is_a_sum_over_a_window(void **unused)
{
	float place[2 * N], density[N];
	(void)unused;
	seed();
	fill_floats(place, 2 * N, 0, 1);
	for (int i = 0; i < N; i++) {
		double sum = 0;
		for (int j = i - 10; j <= i + 10; j++)
			if (j >= 0 && j < N) {
				double q =
				        hypot((double)place[2 * i] - (double)place[2 * j],
				              (double)place[2 * i + 1] - (double)place[2 * j + 1]) /
				        0.6;
				sum += q < 1 ? pow(1 - q, 3) : 0;
			}
		want[i] = (float)sum;
	}
	RUN("particles/sph_density", "", WORK(N), WORK(64), ARRAY(place), ARRAY(density), INT(10),
	    INT(N), FLOAT(0.6f));
	assert_floats(density, want, N, 1e-4f);
}

static void verlet_moves_and_reflects(void **unused)
{
	float velocity[4 * N], force[4 * N], moved[4 * N], turned[4 * N];
	(void)unused;
	make();
	fill_floats(velocity, 4 * N, -1, 1);
	fill_floats(force, 4 * N, -1, 1);
	for (int i = 0; i < 4 * N; i++) {
		float v = velocity[i] + force[i] * 0.25f;
		float p = position[i] + v * 0.25f;
		bool outside = p < 0 || p > 1;
		turned[i] = outside && i % 4 != 3 ? -v : v;
		moved[i] = p < 0 ? 0 : p > 1 ? 1 : p;
	}
	RUN("particles/verlet", "", WORK(N), WORK(32), ARRAY(position), ARRAY(velocity),
	    ARRAY(force), FLOAT(0.25f));
	assert_floats(position, moved, 4 * N, 1e-6f);
	assert_floats(velocity, turned, 4 * N, 1e-6f);
}

static void coulomb_grid_adds_potentials(void **unused)
{
	enum { SIDE = 16 };
	float potential[SIDE * SIDE];
	(void)unused;
	make();
	fill_floats(potential, SIDE * SIDE, 0, 1);
	for (int i = 0; i < SIDE * SIDE; i++) {
		double sum = (double)potential[i];
		for (int j = 0; j < N; j++) {
			const float *atom = position + 4 * j;
			double dx = 0.1 * (i % SIDE) - (double)atom[0];
			double dy = 0.1 * (i / SIDE) - (double)atom[1], dz = (double)atom[2];
			sum += (double)atom[3] / sqrt(dx * dx + dy * dy + dz * dz + 0.01);
		}
		want[i] = (float)sum;
	}
	RUN("particles/coulomb_grid", "", WORK(SIDE, SIDE), WORK(8, 8), ARRAY(position),
	    ARRAY(potential), INT(N), FLOAT(0.1f));
	assert_floats(potential, want, SIDE * SIDE, 1e-4f);
}

CHECK_FAMILY(particles, cmocka_unit_test(nbody_pulls_every_pair),
             cmocka_unit_test(lennard_jones_sees_all_within_the_cutoff),
             cmocka_unit_test(neighbour_forces_follow_the_list),
             cmocka_unit_test(sph_density_is_a_sum_over_a_window),
             cmocka_unit_test(verlet_moves_and_reflects),
             cmocka_unit_test(coulomb_grid_adds_potentials))
