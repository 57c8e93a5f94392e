/* SPDX-License-Identifier: Apache-2.0 */
/* Lenses, films, wavefronts, traps and photons against the host. */
#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/check/run.h"

static const double pi = 3.14159265358979323846;

/* How high a conicoid stands over its vertex. */
static double sag(double c, double k, double r2)
{
	return c * r2 / (1 + sqrt(1 - (1 + k) * c * c * r2));
}

/* Where rays meet surfaces is bisected; refraction keeps what is along the surface. */
static void lens_trace_follows_snell(void **unused)
{
	enum { SURFACES = 6, GRID = 20, RAYS = GRID * GRID };
	float c[SURFACES] = {0.02f, -0.015f, -0.025f, 0.01f, 0, -0.02f};
	float k[SURFACES] = {0, -0.6f, 0.2f, 0, 0, -1};
	float thick[SURFACES] = {6, 2, 3, 4, 5, 40}, n[SURFACES] = {1.6f, 1, 1.75f, 1, 1.5f, 1};
	float aperture[SURFACES] = {14, 13, 12.5f, 12, 12, 12};
	double spot[RAYS][2], path[RAYS];
	uint8_t status[RAYS];
	int stopped = 0, through = 0;
	(void)unused;
	RUN("optics/lens_trace", "", WORK(32, 24), WORK(16, 8), ARRAY(c), ARRAY(k), ARRAY(thick),
	    ARRAY(n), ARRAY(aperture), INT(SURFACES), SCALAR(double, 12), SCALAR(double, 0.06),
	    INT(GRID), ARRAY(spot), ARRAY(path), ARRAY(status));
	for (int ray = 0; ray < RAYS; ray++) {
		double at[3] = {12 * (2 * (ray % GRID + 0.5) / (int)GRID - 1),
		                12 * (2 * (ray / GRID + 0.5) / (int)GRID - 1), 0};
		double to[3] = {0, sin(0.06), cos(0.06)}, before = 1, optical = 0;
		int ended = 0;
		for (int s = 0; s < SURFACES && ended == 0; s++) {
			double cs = (double)c[s], ks = (double)k[s], low = -30, high = 30, x, y;
			for (int step = 0; step < 90; step++) {
				double middle = (low + high) / 2;
				x = at[0] + middle * to[0];
				y = at[1] + middle * to[1];
				*(at[2] + middle * to[2] < sag(cs, ks, x * x + y * y) ? &low
				                                                      : &high) =
				        middle;
			}
			for (int d = 0; d < 3; d++)
				at[d] += low * to[d];
			optical += before * low;
			double r2 = at[0] * at[0] + at[1] * at[1];
			if (sqrt(r2) > (double)aperture[s]) {
				ended = 2 | s << 2;
				break;
			}
			double slope = cs / sqrt(1 - (1 + ks) * cs * cs * r2);
			double normal[3] = {-slope * at[0], -slope * at[1], 1};
			double size = sqrt(1 + slope * slope * r2), cosine = 0, along = 0;
			for (int d = 0; d < 3; d++)
				cosine += (normal[d] /= size) * to[d];
			for (int d = 0; d < 3; d++) {
				to[d] = before / (double)n[s] * (to[d] - cosine * normal[d]);
				along += to[d] * to[d];
			}
			assert_true(along < 1);
			for (int d = 0; d < 3; d++)
				to[d] += sqrt(1 - along) * normal[d];
			before = (double)n[s];
			at[2] -= (double)thick[s];
		}
		assert_int_equal(status[ray], ended);
		stopped += ended != 0;
		through += ended == 0;
		if (ended == 0) {
			optical -= before * at[2] / to[2];
			at[0] -= at[2] / to[2] * to[0];
			at[1] -= at[2] / to[2] * to[1];
		}
		assert_true(fabs(spot[ray][0] - at[0]) < 1e-9);
		assert_true(fabs(spot[ray][1] - at[1]) < 1e-9);
		assert_true(fabs(path[ray] - optical) < 1e-9);
	}
	assert_true(stopped > 20 && through > 100);
}

/* Fresnel's coefficients added up from the substrate, which needs no matrices. */
static void thinfilm_stack_reflects_by_recursion(void **unused)
{
	const double complex turned = csqrt(-1);
	enum { LAYERS = 7, WAVES = 40, ANGLES = 8, ALL = WAVES * ANGLES };
	float n[LAYERS], k[LAYERS], thick[LAYERS], got[ALL][2], through[ALL][2], want[ALL][2];
	(void)unused;
	seed();
	for (int lossy = 0; lossy < 2; lossy++) {
		fill_floats(n, LAYERS, 1.35f, 2.4f);
		fill_floats(k, LAYERS, 0, lossy ? 0.3f : 0);
		fill_floats(thick, LAYERS, 40, 160);
		RUN("optics/thinfilm_stack", "", WORK(64, ANGLES), WORK(32, 2), ARRAY(n), ARRAY(k),
		    ARRAY(thick), INT(LAYERS), FLOAT(1.52f), FLOAT(400), FLOAT(9), FLOAT(0.15f),
		    ARRAY(got), ARRAY(through), INT(WAVES));
		for (int i = 0; i < 2 * ALL; i++) {
			double sine = sin(0.15 * (double)(i / 2 / WAVES));
			double wave = 2 * pi / (400 + 9.0 * (i / 2 % WAVES));
			double complex r = 0, eta = 0;
			for (int l = LAYERS; l >= -1; l--) {
				double complex index = l == LAYERS ? 1.52 : 1;
				if (l >= 0 && l < LAYERS)
					index = (double)n[l] - turned * (double)k[l];
				double complex normal = csqrt(index * index - sine * sine);
				double complex above = i % 2 ? index * index / normal : normal;
				if (l < LAYERS) {
					double complex face = (above - eta) / (above + eta);
					r = (face + r) / (1 + face * r);
				}
				if (l >= 0 && l < LAYERS)
					r *= cexp(-2 * turned * wave * (double)thick[l] * normal);
				eta = above;
			}
			want[i / 2][i % 2] = (float)(creal(r) * creal(r) + cimag(r) * cimag(r));
		}
		assert_floats(got[0], want[0], (size_t)2 * ALL, 1e-4f);
		for (int i = 0; i < 2 * ALL; i++) {
			float sum = got[i / 2][i % 2] + through[i / 2][i % 2];
			assert_true(through[i / 2][i % 2] > 0 && sum < 1.0001f);
			assert_true(lossy ? sum < 0.99f : sum > 0.9999f);
		}
	}
}

static double factorial(int n)
{
	return tgamma(n + 1.0);
}

/* By Noll's table of the orders, and the sum with factorials. */
static void zernike_phase_sums_polynomials(void **unused)
{
	static const int order[15][2] = {{0, 0}, {1, 1}, {1, 1}, {2, 0}, {2, 2},
	                                 {2, 2}, {3, 1}, {3, 1}, {3, 3}, {3, 3},
	                                 {4, 0}, {4, 2}, {4, 2}, {4, 4}, {4, 4}};
	enum { SIDE = 33, TERMS = 15 };
	float c[TERMS], wavefront[SIDE * SIDE], want[SIDE * SIDE];
	uint8_t level[SIDE * SIDE];
	(void)unused;
	seed();
	fill_floats(c, TERMS, -0.5f, 0.5f);
	c[3] = 0.01f;
	c[13] = -0.01f;
	RUN("optics/zernike_phase", "", WORK(48, 40), WORK(16, 8), ARRAY(c), INT(TERMS), INT(SIDE),
	    FLOAT(16.2f), FLOAT(0.02f), ARRAY(wavefront), ARRAY(level));
	for (int i = 0; i < SIDE * SIDE; i++) {
		double x = (i % SIDE - 16) / 16.2, y = (i / (int)SIDE - 16) / 16.2;
		double rho = hypot(x, y), angle = atan2(y, x), sum = 0;
		for (int j = 1; j <= TERMS && rho <= 1; j++) {
			int n = order[j - 1][0], m = order[j - 1][1];
			double radial = 0;
			for (int s = 0; s <= (n - m) / 2; s++)
				radial += (s % 2 ? -1 : 1) * factorial(n - s) / factorial(s) /
				          factorial((n + m) / 2 - s) / factorial((n - m) / 2 - s) *
				          pow(rho, n - 2 * s);
			radial *= m == 0 ? sqrt(n + 1.0) : sqrt(2 * n + 2.0);
			if (fabsf(c[j - 1]) > 0.02f)
				sum += (double)c[j - 1] * radial *
				       (j % 2 && m > 0 ? sin(m * angle) : cos(m * angle));
		}
		want[i] = (float)sum;
		double apart = remainder(level[i] / 256.0 - sum, 1);
		assert_true(apart < 1e-4 && apart > -1 / 256.0 - 1e-4);
	}
	assert_floats(wavefront, want, (size_t)SIDE * SIDE, 1e-4f);
}

static void tweezer_fields_are_sums_over_the_modulator(void **unused)
{
	enum { SIDE = 20, TRAPS = 9 };
	uint8_t phases[SIDE * SIDE];
	float traps[TRAPS][4], lookup[256], weights[TRAPS], was[TRAPS];
	float fields[TRAPS][2], want[TRAPS][2];
	(void)unused;
	seed();
	fill_floats(traps[0], (size_t)4 * TRAPS, -0.1f, 0.1f);
	fill_floats(lookup, 256, 0, 256);
	fill_floats(weights, TRAPS, 0.5f, 2);
	memcpy(was, weights, sizeof was);
	for (int i = 0; i < SIDE * SIDE; i++)
		phases[i] = (uint8_t)random_word();
	for (int t = 0; t < TRAPS; t++) {
		double re = 0, im = 0;
		for (int i = 0; i < SIDE * SIDE; i++) {
			double x = i % SIDE - 10, y = i / (int)SIDE - 10;
			double turn = (double)lookup[phases[i]] / 256 - (double)traps[t][0] * x -
			              (double)traps[t][1] * y -
			              (double)traps[t][2] * (x * x + y * y);
			re += cos(2 * pi * turn) / (int)(SIDE * SIDE);
			im += sin(2 * pi * turn) / (int)(SIDE * SIDE);
		}
		want[t][0] = (float)re;
		want[t][1] = (float)im;
	}
	RUN("optics/tweezer_fields", "", WORK((size_t)TRAPS * 32), WORK(32), ARRAY(phases),
	    INT(SIDE), ARRAY(traps), ARRAY(lookup), FLOAT(0.05f), ARRAY(weights), ARRAY(fields),
	    LOCAL(8 * 32));
	assert_floats(fields[0], want[0], (size_t)2 * TRAPS, 1e-5f);
	for (int t = 0; t < TRAPS; t++) {
		float expected = was[t] * 0.05f / hypotf(fields[t][0], fields[t][1]);
		assert_true(fabsf(weights[t] - expected) < 1e-4f * expected);
	}
}

/* Nothing is lost, roulette aside; where hardly anything scatters, Beer and Lambert hold. */
static void photon_slab_keeps_all_weight(void **unused)
{
	enum { ITEMS = 512, PHOTONS = 8, ALL = ITEMS * PHOTONS };
	float mu_a[2] = {1, 2}, mu_s[2] = {10, 15}, g[2] = {0.8f, 0.9f};
	int edges[3] = {0, 1, 3};
	static uint32_t absorbed[64 * 64], left[2];
	(void)unused;
	for (int pass = 0; pass < 2; pass++) {
		double sum = 0, above = 0, fixed = 1048576.0 * (int)ALL;
		memset(absorbed, 0, sizeof absorbed);
		memset(left, 0, sizeof left);
		RUN("optics/photon_slab", "", WORK(ITEMS), WORK(32), ARRAY(mu_a), ARRAY(mu_s),
		    ARRAY(g), ARRAY(edges), FLOAT(0.5f), INT(2), FLOAT(0.05f), INT(PHOTONS),
		    SCALAR(uint32_t, 4711), ARRAY(absorbed), ARRAY(left));
		for (int i = 0; i < 64 * 64; i++) {
			sum += absorbed[i];
			above += i < 10 * 64 ? absorbed[i] : 0;
		}
		assert_true(fabs((sum + left[0] + left[1]) / fixed - 1) < 0.01);
		if (pass == 0)
			assert_true(left[0] > 0.02 * fixed && left[0] < 0.4 * fixed);
		else
			assert_true(fabs(above / fixed - (1 - exp(-0.5))) < 0.03);
		mu_s[0] = mu_s[1] = 1e-3f;
	}
}

CHECK_FAMILY(optics, cmocka_unit_test(lens_trace_follows_snell),
             cmocka_unit_test(thinfilm_stack_reflects_by_recursion),
             cmocka_unit_test(zernike_phase_sums_polynomials),
             cmocka_unit_test(tweezer_fields_are_sums_over_the_modulator),
             cmocka_unit_test(photon_slab_keeps_all_weight))
