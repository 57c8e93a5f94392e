/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as HeCBench has them, of its names from a to c, against the host. */
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/check/run.h"

/* Of a kernel by value: as many floats as the array has. */
#define VECTOR(array) {ARGUMENT_SCALAR, (array), sizeof(array)}

static void fill_doubles(double *to, size_t count, double low, double high)
{
	for (size_t i = 0; i < count; i++)
		to[i] = low + (high - low) * (double)random_word() / 0x1p32;
}

static void assert_close_double(double got, double want, double tolerance)
{
	assert_true(fabs(got - want) <= tolerance * (1 + fabs(want)));
}

static void adam_steps_descend(void **unused)
{
	enum { SIZE = 150, STEPS = 30 };
	float p[SIZE], m[SIZE], v[SIZE], g[SIZE], want_p[SIZE], want_m[SIZE], want_v[SIZE];
	(void)unused;
	seed();
	for (int mode = 0; mode < 2; mode++) {
		fill_floats(p, SIZE, 0, 1);
		fill_floats(m, SIZE, -1, 1);
		fill_floats(v, SIZE, 0, 1);
		fill_floats(g, SIZE, -1, 1);
		for (int i = 0; i < SIZE; i++) {
			double x = (double)p[i], mean = (double)m[i], square = (double)v[i];
			double slope = (double)g[i] / 4;
			for (int t = 0; t < STEPS; t++) {
				mean += (slope - mean) * 0.1;
				square += (slope * slope - square) * 0.02;
				double root = mode == 0 ? sqrt(square + 0.01) : sqrt(square) + 0.01;
				x -= 0.05 * (mean / root + 0.5 * x);
			}
			want_p[i] = (float)x;
			want_m[i] = (float)mean;
			want_v[i] = (float)square;
		}
		RUN("unseen/hecfirst/adam_steps", "", WORK(64), WORK(32), ARRAY(p), ARRAY(m),
		    ARRAY(v), ARRAY(g), FLOAT(0.9f), FLOAT(0.98f), FLOAT(0.01f), FLOAT(4),
		    FLOAT(0.05f), INT(STEPS), SCALAR(uint32_t, SIZE), INT(mode), FLOAT(0.5f));
		assert_floats(p, want_p, SIZE, 1e-4f);
		assert_floats(m, want_m, SIZE, 1e-4f);
		assert_floats(v, want_v, SIZE, 1e-4f);
	}
}

/* Distances of half to twice what is expected: every level of the power comes up. */
static void aidw_tiled_adapts_the_power(void **unused)
{
	enum { POINTS = 75, PLACES = 90 };
	static const double level_of[5] = {0.1, 0.3, 0.5, 0.7, 0.9};
	float x[POINTS], y[POINTS], z[POINTS], at_x[PLACES], at_y[PLACES], mean[PLACES];
	float got[PLACES], want[PLACES];
	double expected = 0.5 * sqrt(100 / (double)POINTS);
	int seen[6] = {0};
	(void)unused;
	seed();
	fill_floats(x, POINTS, 0, 10);
	fill_floats(y, POINTS, 0, 10);
	fill_floats(z, POINTS, -1, 1);
	fill_floats(at_x, PLACES, 0, 10);
	fill_floats(at_y, PLACES, 0, 10);
	fill_floats(mean, PLACES, 0, (float)(2.2 * expected));
	for (int i = 0; i < PLACES; i++) {
		double ratio = (double)mean[i] / expected, sum = 0, weights = 0;
		double level = ratio >= 2 ? 1 : 0.5 - 0.5 * cos(acos(-1) / 2 * ratio);
		int band = 0;
		while (band < 5 && level > level_of[band])
			band++;
		double power = band == 0   ? 1.5
		               : band == 5 ? 3.5
		                           : 1 + 0.5 * band + 2.5 * (level - level_of[band - 1]);
		seen[band]++;
		for (int k = 0; k < POINTS; k++) {
			double apart = hypot((double)x[k] - (double)at_x[i],
			                     (double)y[k] - (double)at_y[i]);
			double weight = pow(apart, -power);
			weights += weight;
			sum += weight * (double)z[k];
		}
		want[i] = (float)(sum / weights);
	}
	for (int band = 0; band < 6; band++)
		assert_true(seen[band] > 3);
	RUN("unseen/hecfirst/aidw_tiled", "-DTILE=32", WORK(96), WORK(32), ARRAY(x), ARRAY(y),
	    ARRAY(z), INT(POINTS), ARRAY(at_x), ARRAY(at_y), ARRAY(got), INT(PLACES), FLOAT(100),
	    ARRAY(mean));
	assert_floats(got, want, PLACES, 1e-3f);
}

struct ray {
	double from[3], way[3];
};

static double dot3(const double *a, const double *b)
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross3(const double *a, const double *b, double *out)
{
	for (int k = 0; k < 3; k++)
		out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static void normalise3(double *a)
{
	double length = sqrt(dot3(a, a));
	for (int k = 0; k < 3; k++)
		a[k] /= length;
}

/* Spheres by centre and radius; a point and the normal of the floor. */
static float scene[5][4] = {
        {-2, 0, -3.5f, 0.5f}, {-0.5f, 0, -3, 0.5f}, {1, 0, -2.2f, 0.5f}, {0, -0.5f}, {0, 1}};

/* The nearest meeting with the scene: its distance, or infinity. */
static double scene_meeting(const struct ray *ray, double normal[3])
{
	double nearest = (double)INFINITY;
	for (int s = 0; s < 3; s++) {
		double from[3], b, under, t;
		for (int k = 0; k < 3; k++)
			from[k] = ray->from[k] - (double)scene[s][k];
		b = dot3(from, ray->way);
		under = b * b - dot3(from, from) + 0.25;
		t = under > 0 ? -b - sqrt(under) : -1;
		if (t > 0 && t < nearest) {
			nearest = t;
			for (int k = 0; k < 3; k++)
				normal[k] = (from[k] + t * ray->way[k]) / 0.5;
		}
	}
	double t =
	        fabs(ray->way[1]) < 1e-6 ? -1 : ((double)scene[3][1] - ray->from[1]) / ray->way[1];
	if (t > 0 && t < nearest) {
		nearest = t;
		normal[0] = normal[2] = 0;
		normal[1] = 1;
	}
	return nearest;
}

/* L'Ecuyer, Tables of maximally equidistributed combined LFSR generators, 1999: LFSR113. */
static double lfsr_draw(uint32_t z[4])
{
	static const uint32_t kept[4] = {~1u, ~7u, ~15u, ~127u};
	static const int first[4] = {6, 2, 13, 3}, second[4] = {13, 27, 21, 12};
	static const int third[4] = {18, 2, 7, 13};
	uint32_t all = 0;
	for (int k = 0; k < 4; k++) {
		uint32_t b = ((z[k] << first[k]) ^ z[k]) >> second[k];
		z[k] = ((z[k] & kept[k]) << third[k]) ^ b;
		all ^= z[k];
	}
	return (double)(all & 0x7fffff) / 0x1p23;
}

static int occluded_rays(const double at[3], const double n[3], uint32_t state[4])
{
	double side[3] = {0}, u[3], v[3], unused[3];
	int hidden = 0, axis = 0;
	while (axis < 3 && fabs(n[axis]) >= 0.6)
		axis++;
	side[axis % 3] = 1;
	cross3(side, n, u);
	normalise3(u);
	cross3(n, u, v);
	normalise3(v);
	for (int k = 0; k < 64; k++) {
		struct ray ray;
		double r2 = lfsr_draw(state);
		double phi = 2 * acos(-1) * lfsr_draw(state);
		for (int d = 0; d < 3; d++) {
			ray.from[d] = at[d] + 1e-4 * n[d];
			ray.way[d] = sqrt(r2) * (cos(phi) * u[d] + sin(phi) * v[d]) +
			             sqrt(1 - r2) * n[d];
		}
		hidden += isfinite(scene_meeting(&ray, unused));
	}
	return hidden;
}

/* Rays that graze a sphere may go either way. */
static void ambient_occlusion_darkens_corners(void **unused)
{
	enum { W = 32, H = 24 };
	uint8_t image[W * H * 3];
	int apart = 0, sky = 0, dark = 0;
	(void)unused;
	RUN("unseen/hecfirst/ambient_occlusion", "", WORK(W, H), WORK(8, 8), ARRAY(image), INT(W),
	    INT(H), VECTOR(scene[0]), VECTOR(scene[1]), VECTOR(scene[2]), VECTOR(scene[3]),
	    VECTOR(scene[4]));
	for (uint32_t i = 0; i < W * H; i++) {
		uint32_t state[4] = {i + 2, i * 2654435761u + 8, i * 40503u + 16, i + 128};
		double sum = 0;
		for (int k = 0; k < 4; k++) {
			struct ray ray = {.way = {((i % W) + k % 2 / 2.0) / ((double)W / 2) - 1,
			                          1 - ((i / W) + k / 2 / 2.0) / ((double)H / 2),
			                          -1}};
			double normal[3] = {0}, at[3];
			normalise3(ray.way);
			double t = scene_meeting(&ray, normal);
			if (!isfinite(t))
				continue;
			for (int d = 0; d < 3; d++)
				at[d] = t * ray.way[d];
			sum += (64 - occluded_rays(at, normal, state)) / 64.0;
		}
		int want = (int)(sum / 4 * 255.5), got = image[3 * i];
		want = want > 255 ? 255 : want;
		assert_true(image[3 * i + 1] == got && image[3 * i + 2] == got);
		assert_true(abs(got - want) <= 16);
		apart += abs(got - want);
		sky += sum <= 0;
		dark += sum > 0 && want < 200;
	}
	assert_true(apart < W * H);
	assert_true(sky > 100 && dark > 20);
}

static void cas_doubles_are_one_after_another(void **unused)
{
	enum { ITEMS = 4096 };
	double result[3] = {2.5, 5, 0.25};
	(void)unused;
	RUN("unseen/hecfirst/cas_doubles", "", WORK(ITEMS), WORK(64), ARRAY(result));
	assert_close_double(result[0], 1, 0);
	assert_close_double(result[1], (double)ITEMS, 0);
	assert_close_double(result[2], (double)(ITEMS * (ITEMS + 1) / 2) + 0.25, 0);
}

static void system_atomics_lose_nothing(void **unused)
{
	enum { ITEMS = 512, ALL = 50 * ITEMS };
	int words[10] = {3, -1, 20, 20, 0, 0, 100, -1, 0, 77};
	(void)unused;
	RUN("unseen/hecfirst/system_atomics", "", WORK(ITEMS), WORK(64), ARRAY(words));
	assert_int_equal(words[0], 3 + 10 * ALL);
	assert_true(words[1] >= 0 && words[1] < ITEMS);
	assert_int_equal(words[2], ITEMS - 1);
	assert_int_equal(words[3], 0);
	assert_int_equal(words[4], ALL % 18);
	assert_int_equal(words[5], (138 - ALL % 138) % 138);
	assert_true(words[6] >= 100 && words[6] < ITEMS);
	assert_int_equal(words[7], 1);
	assert_int_equal(words[8], -1);
	assert_int_equal(words[9], 77);
}

/* By de Casteljau's halves in place of blending functions. */
static double casteljau(double *point, int degree, double at)
{
	for (int level = degree; level > 0; level--)
		for (int k = 0; k < level; k++)
			point[k] += at * (point[k + 1] - point[k]);
	return point[0];
}

static void bezier_surface_blends_control_points(void **unused)
{
	enum { NI = 3, NJ = 4, OUT_I = 21, OUT_J = 30 };
	float in[3 * (NI + 1) * (NJ + 1)], out[3 * OUT_I * OUT_J], want[3 * OUT_I * OUT_J];
	(void)unused;
	seed();
	fill_floats(in, (size_t)3 * (NI + 1) * (NJ + 1), 0, 10);
	for (int at = 0; at < 3 * OUT_I * OUT_J; at++) {
		double rows[NI + 1];
		for (int ki = 0; ki <= NI; ki++) {
			double row[NJ + 1];
			for (int kj = 0; kj <= NJ; kj++)
				row[kj] = (double)in[3 * (ki * (NJ + 1) + kj) + at % 3];
			rows[ki] = casteljau(row, NJ, at / 3 % OUT_J / (double)(OUT_J - 1));
		}
		want[at] = (float)casteljau(rows, NI, at / 3 / OUT_J / (double)(OUT_I - 1));
	}
	RUN("unseen/hecfirst/bezier_surface", "", WORK(32, 24), WORK(8, 8), ARRAY(in), ARRAY(out),
	    INT(NI), INT(NJ), INT(OUT_I), INT(OUT_J));
	assert_floats(out, want, (size_t)3 * OUT_I * OUT_J, 1e-5f);
}

static void binomial_registers_price_calls(void **unused)
{
	enum { OPTIONS = 6, STEPS = 32 * 4 };
	float price[OPTIONS], strike[OPTIONS], spread[OPTIONS], up[OPTIONS], down[OPTIONS];
	float value[OPTIONS], want[OPTIONS];
	int worth = 0;
	(void)unused;
	seed();
	fill_floats(price, OPTIONS, 10, 30);
	fill_floats(strike, OPTIONS, 5, 15);
	fill_floats(spread, OPTIONS, 0.01f, 0.03f);
	for (int o = 0; o < OPTIONS; o++) {
		double node[STEPS + 1], rise = exp((double)spread[o]), interest = 1.0002;
		double pseudo = (interest - 1 / rise) / (rise - 1 / rise);
		up[o] = (float)(pseudo / interest);
		down[o] = (float)((1 - pseudo) / interest);
		for (int i = 0; i <= STEPS; i++) {
			double gain =
			        (double)price[o] * pow(rise, 2 * i - STEPS) - (double)strike[o];
			node[i] = fmax(gain, 0);
		}
		for (int step = STEPS; step > 0; step--)
			for (int i = 0; i < step; i++)
				node[i] = (double)up[o] * node[i + 1] + (double)down[o] * node[i];
		want[o] = (float)node[0];
		worth += node[0] > 0.5;
	}
	assert_true(worth > 2);
	RUN("unseen/hecfirst/binomial_registers", "-DGROUP=32 -DNODES=4", WORK(OPTIONS * 32),
	    WORK(32), ARRAY(price), ARRAY(strike), ARRAY(spread), ARRAY(up), ARRAY(down),
	    ARRAY(value));
	assert_floats(value, want, OPTIONS, 1e-4f);
}

static int by_value(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;
	return (x > y) - (x < y);
}

static void quantize_blocks_take_the_nearest(void **unused)
{
	enum { N = 1000 };
	float code[256], in[N];
	uint8_t out[N];
	(void)unused;
	seed();
	fill_floats(code, 256, -1, 1);
	qsort(code, 256, sizeof *code, by_value);
	fill_floats(in, N, -1.1f, 1.1f);
	in[0] = -2;
	in[1] = 2;
	RUN("unseen/hecfirst/quantize_blocks", "-DGROUP=32", WORK(96), WORK(32), ARRAY(code),
	    ARRAY(in), ARRAY(out), INT(N));
	for (int i = 0; i < N; i++) {
		double nearest = (double)INFINITY;
		for (int k = 0; k < 256; k++)
			nearest = fmin(nearest, fabs((double)code[k] - (double)in[i]));
		assert_true(fabs((double)code[out[i]] - (double)in[i]) <= nearest + 1e-6);
	}
	assert_int_equal(out[0], 0);
	assert_int_equal(out[1], 255);
}

static void block_exchange_turns_stripes_to_blocks(void **unused)
{
	enum { GROUP = 64, TILE = 8 * GROUP, N = 3 * TILE };
	int in[N], out[N], want[N];
	(void)unused;
	seed();
	fill_ints(in, N, 1 << 30);
	for (int i = 0; i < N; i++) {
		int at = i % TILE; /* in the order of stripes */
		want[i] = in[i - at + at % GROUP * 8 + at / GROUP];
	}
	RUN("unseen/hecfirst/block_exchange", "-DGROUP=64", WORK(N / 8), WORK(GROUP), ARRAY(in),
	    ARRAY(out));
	assert_ints(out, want, N);
}

static void box_columns_average_windows(void **unused)
{
	enum { W = 50, H = 41, RADIUS = 6 };
	uint32_t in[W * H], out[W * H], want[W * H];
	const float scale = 1.0f / (2 * RADIUS + 1);
	(void)unused;
	seed();
	fill_words(in, (size_t)W * H);
	for (int i = 0; i < W * H; i++) {
		want[i] = 0;
		for (int shift = 0; shift < 32; shift += 8) {
			uint32_t sum = 0;
			for (int d = -RADIUS; d <= RADIUS; d++) {
				int y = i / W + d;
				y = y < 0 ? 0 : y >= H ? H - 1 : y;
				sum += in[y * W + i % W] >> shift & 0xff;
			}
			want[i] |= (uint32_t)((float)sum * scale) << shift;
		}
	}
	RUN("unseen/hecfirst/box_columns", "", WORK(64), WORK(32), ARRAY(in), ARRAY(out),
	    SCALAR(uint32_t, W), SCALAR(uint32_t, H), INT(RADIUS), FLOAT(scale));
	assert_words(out, want, (size_t)W * H);
}

/* All steps of the sort, one after the other. */
static void rotations_steps_sort(void **unused)
{
	enum { LENGTH = 50, TABLE = 64 };
	int8_t text[LENGTH];
	int table[TABLE];
	bool is_there[LENGTH] = {false};
	(void)unused;
	seed();
	for (int i = 0; i < LENGTH; i++)
		text[i] = (int8_t)"ACGT"[random_word() % 4];
	memcpy(text + 20, text, 12);
	text[49] = '$';
	for (int i = 0; i < TABLE; i++)
		table[i] = i < LENGTH ? i : -1;
	for (int k = 2; k <= TABLE; k *= 2)
		for (int j = k / 2; j > 0; j /= 2)
			RUN("unseen/hecfirst/rotations_step", "", WORK(TABLE), WORK(32),
			    ARRAY(table), INT(TABLE), INT(j), INT(k), ARRAY(text), INT(LENGTH));
	for (int i = 0; i < TABLE; i++) {
		assert_true(i < LENGTH ? table[i] >= 0 && table[i] < LENGTH : table[i] == -1);
		if (i < LENGTH)
			is_there[table[i]] = true;
		if (i > 0 && i < LENGTH) {
			int k = 0;
			while (text[(table[i - 1] + k) % LENGTH] == text[(table[i] + k) % LENGTH])
				k++;
			assert_true(text[(table[i - 1] + k) % LENGTH] <
			            text[(table[i] + k) % LENGTH]);
		}
	}
	for (int i = 0; i < LENGTH; i++)
		assert_true(is_there[i]);
}

enum { VIRTUAL = 21, PAIRS = VIRTUAL * VIRTUAL, OCCUPIED = 5 };

/* Energies of orbital k: `f` as of one order of the pair, `t` as of the other; entry [1] with b and
 * c exchanged. */
static double ccsd_fourth(double f[4][2], double t[4][2])
{
	return (t[0][0] + f[0][1] + t[1][1] + f[2][0] + f[3][1]) *
	               (t[0][0] - 2 * t[1][0] - 2 * t[2][0] + t[3][0]) -
	       (f[0][0] + t[0][1] + f[1][1] + f[2][1]) *
	               (2 * t[0][0] - t[1][0] - t[2][0] + 2 * t[3][0]) +
	       3 * (f[0][0] * (f[0][0] + f[2][1] + 2 * t[3][1]) + f[1][0] * t[1][1] +
	            f[2][0] * t[3][0]);
}

static double ccsd_fifth(double f[4][2], double t[4][2], double exchange, double coulomb)
{
	return exchange * (t[0][0] + f[1][0] + f[3][1] -
	                   2 * (t[2][0] + f[3][0] + f[1][1] + f[0][0] + t[1][0] + f[2][1]) +
	                   4 * (f[2][0] + t[3][0] + f[0][1])) +
	       coulomb * (f[0][0] + f[3][0] + t[0][1] - 2 * (f[1][0] + f[2][0] + t[1][1]));
}

static void ccsd_tengy_adds_triples(void **unused)
{
	static double f1n[PAIRS], f1t[PAIRS], f2n[PAIRS], f2t[PAIRS];
	static double f3n[PAIRS], f3t[PAIRS], f4n[PAIRS], f4t[PAIRS];
	double *const all[2][4] = {{f1n, f2n, f3n, f4n}, {f1t, f2t, f3t, f4t}};
	double c1[VIRTUAL], x1[VIRTUAL], v1[VIRTUAL], c2[VIRTUAL], x2[VIRTUAL], v2[VIRTUAL];
	double *const singles[6] = {c1, x1, v1, c2, x2, v2};
	double orbital[OCCUPIED + VIRTUAL], energies[4] = {1, 2, 3, 4}, want[4] = {1, 2, 3, 4};
	(void)unused;
	seed();
	for (int k = 0; k < 8; k++)
		fill_doubles(all[k / 4][k % 4], PAIRS, -1, 1);
	for (int k = 0; k < 6; k++)
		fill_doubles(singles[k], VIRTUAL, -1, 1);
	fill_doubles(orbital, OCCUPIED + VIRTUAL, 1, 2);
	for (int b = 0; b < VIRTUAL; b++)
		for (int c = 0; c < VIRTUAL; c++) {
			double f[4][2], t[4][2];
			double gap = orbital[OCCUPIED + b] + orbital[OCCUPIED + c] + 0.75;
			for (int k = 0; k < 4; k++) {
				f[k][0] = all[0][k][c * VIRTUAL + b];
				f[k][1] = all[0][k][b * VIRTUAL + c];
				t[k][0] = all[1][k][c * VIRTUAL + b];
				t[k][1] = all[1][k][b * VIRTUAL + c];
			}
			want[0] -= ccsd_fourth(f, t) / gap;
			want[1] -= ccsd_fourth(t, f) / gap;
			want[2] -= v1[b] * ccsd_fifth(f, t, x1[c], c1[c]) / gap;
			want[3] -= v2[b] * ccsd_fifth(t, f, x2[c], c2[c]) / gap;
		}
	RUN("unseen/hecfirst/ccsd_tengy", "", WORK(24, 24), WORK(8, 8), ARRAY(f1n), ARRAY(f1t),
	    ARRAY(f2n), ARRAY(f2t), ARRAY(f3n), ARRAY(f3t), ARRAY(f4n), ARRAY(f4t), ARRAY(c1),
	    ARRAY(x1), ARRAY(v1), ARRAY(c2), ARRAY(x2), ARRAY(v2), ARRAY(orbital),
	    SCALAR(double, 0.75), ARRAY(energies), INT(2), INT(OCCUPIED - 2), INT(VIRTUAL));
	for (int k = 0; k < 4; k++)
		assert_close_double(energies[k], want[k], 1e-10);
}

static void chemical_potential_is_periodic(void **unused)
{
	enum { X = 13, Y = 8, Z = 6, ALL = X * Y * Z };
	double c[ALL], mu[ALL];
	(void)unused;
	seed();
	fill_doubles(c, ALL, -1, 1);
	RUN("unseen/hecfirst/chemical_potential", "", WORK(16, 8, 8), WORK(8, 4, 4), ARRAY(c),
	    ARRAY(mu), SCALAR(double, 1), SCALAR(double, 2), SCALAR(double, 0.5),
	    SCALAR(double, 0.4), SCALAR(double, -0.3), SCALAR(double, -0.2), SCALAR(double, 0.1),
	    INT(X), INT(Y), INT(Z));
	for (int i = 0; i < ALL; i++) {
		int x = i % X, row = i / X * X, layer = i / (X * Y) * X * Y, in = i - layer;
		double around = c[row + (x + 1) % X] + c[row + (x + X - 1) % X] - 2 * c[i];
		around += (c[layer + (in + X) % (X * Y)] + c[layer + (in + X * Y - X) % (X * Y)] -
		           2 * c[i]) /
		          4;
		around += (c[(i + X * Y) % ALL] + c[(i + ALL - X * Y) % ALL] - 2 * c[i]) * 4;
		double pairs = -0.3 * (c[i] + 1) - 0.2 * (c[i] - 1) - 0.2 * c[i];
		assert_close_double(mu[i], 4.5 * pairs + 3 * c[i] + pow(c[i], 3) - 0.4 * around,
		                    1e-12);
	}
}

static void random_connections_sum_signed_ranks(void **unused)
{
	enum { COUNT = 70, SIGNATURE = 12, GENES = 500 };
	float randoms[COUNT * SIGNATURE], score[COUNT], want[COUNT];
	int ranks[GENES];
	(void)unused;
	seed();
	fill_ints(ranks, GENES, 2 * GENES + 1);
	for (int i = 0; i < GENES; i++)
		ranks[i] -= GENES;
	for (int i = 0; i < COUNT; i++) {
		int sum = 0;
		for (int n = 0; n < SIGNATURE; n++) {
			bool is_last = i % 10 == 9 && n == 3; /* the greatest number: up */
			int gene = is_last ? GENES - 1 : (int)(random_word() % GENES);
			bool is_up = random_word() & 1;
			randoms[i * SIGNATURE + n] =
			        is_last ? 1 : ((float)gene + (is_up ? 0.8f : 0.2f)) / (float)GENES;
			is_up = is_up || is_last;
			sum += is_up ? ranks[gene] : -ranks[gene];
		}
		want[i] = (float)sum / 5000;
	}
	RUN("unseen/hecfirst/random_connections", "", WORK(96), WORK(32), ARRAY(randoms),
	    ARRAY(ranks), ARRAY(score), INT(GENES), INT(SIGNATURE), FLOAT(5000), INT(COUNT));
	assert_floats(score, want, COUNT, 1e-5f);
}

enum { LETTERS = 89, KEY = 7, KEYS = 5040 };

/* The key of that number, by factorials. */
static void key_of(int number, int key[KEY])
{
	int left[KEY];
	for (int k = 0; k < KEY; k++)
		left[k] = k;
	for (int k = 0; k < KEY; k++) {
		int pick = number % (KEY - k);
		number /= KEY - k;
		key[k] = left[pick];
		memmove(left + pick, left + pick + 1, (size_t)(KEY - k - pick - 1) * sizeof *left);
	}
}

/* Every text is that of a key, has the score that goes with it, and some are the best of all. */
static void columnar_climb_finds_the_key(void **unused)
{
	enum { ITEMS = 64 };
	int8_t encrypted[LETTERS], texts[ITEMS * LETTERS];
	float pairs[26 * 26], best[ITEMS], random_key = 0;
	double highest = -(double)INFINITY;
	uint32_t seeds[ITEMS];
	int matched[ITEMS] = {0}, found = 0;
	(void)unused;
	seed();
	for (int i = 0; i < LETTERS; i++)
		encrypted[i] = (int8_t)(random_word() % 26);
	fill_floats(pairs, (size_t)26 * 26, -9, 0);
	fill_words(seeds, ITEMS);
	RUN("unseen/hecfirst/columnar_climb", "", WORK(ITEMS), WORK(32), ARRAY(encrypted),
	    ARRAY(pairs), ARRAY(seeds), INT(400), ARRAY(best), ARRAY(texts));
	for (int number = 0; number < KEYS; number++) {
		int key[KEY], from = 0;
		int8_t text[LETTERS];
		double score = 0;
		key_of(number, key);
		for (int k = 0; k < KEY; k++)
			for (int at = key[k]; at < LETTERS; at += KEY)
				text[at] = encrypted[from++];
		for (int at = 1; at < LETTERS; at++)
			score += (double)pairs[26 * text[at - 1] + text[at]];
		highest = fmax(highest, score);
		random_key += (float)(score / (double)KEYS);
		for (int i = 0; i < ITEMS; i++)
			if (memcmp(texts + (size_t)i * LETTERS, text, LETTERS) == 0) {
				matched[i]++;
				assert_true(fabs((double)best[i] - score) < 0.01);
			}
	}
	for (int i = 0; i < ITEMS; i++) {
		assert_true(matched[i] > 0 && best[i] > random_key);
		found += (double)best[i] > highest - 0.01;
	}

	assert_true(found > 0);
}

CHECK_FAMILY(hecfirst, cmocka_unit_test(adam_steps_descend),
             cmocka_unit_test(aidw_tiled_adapts_the_power),
             cmocka_unit_test(ambient_occlusion_darkens_corners),
             cmocka_unit_test(cas_doubles_are_one_after_another),
             cmocka_unit_test(system_atomics_lose_nothing),
             cmocka_unit_test(bezier_surface_blends_control_points),
             cmocka_unit_test(binomial_registers_price_calls),
             cmocka_unit_test(quantize_blocks_take_the_nearest),
             cmocka_unit_test(block_exchange_turns_stripes_to_blocks),
             cmocka_unit_test(box_columns_average_windows), cmocka_unit_test(rotations_steps_sort),
             cmocka_unit_test(ccsd_tengy_adds_triples),
             cmocka_unit_test(chemical_potential_is_periodic),
             cmocka_unit_test(random_connections_sum_signed_ranks),
             cmocka_unit_test(columnar_climb_finds_the_key))
