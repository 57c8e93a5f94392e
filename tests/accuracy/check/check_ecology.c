/* SPDX-License-Identifier: Apache-2.0 */
/* Fires, seeds, food webs, canopies and communities against the host. */
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/check/run.h"

static uint32_t mixed(uint32_t v)
{
	v = (v ^ v >> 16) * 0x7feb352du;
	v = (v ^ v >> 15) * 0x846ca68bu;
	return v ^ v >> 16;
}

/* The chance that a cell escapes all burning neighbours; angles are counted off by their number. */
static double escapes(const uint8_t (*cells)[4], const float *elevation, int w, int h, int i)
{
	double dry = 0.6 * cells[i][1] / 255 * exp(-2.0 * cells[i][2] / 255), chance = 1;
	for (int j = 0; j < w * h; j++) {
		int dx = j % w - i % w, dy = j / w - i / w;
		if (j == i || abs(dx) > 1 || abs(dy) > 1 || (cells[j][0] & 3) != 2)
			continue;
		double apart = 30 * hypot(dx, dy);
		double along = (-dx * cos(0.8) - dy * sin(0.8)) / hypot(dx, dy);
		double slope = atan(((double)elevation[i] - (double)elevation[j]) / apart);
		double each = dry * exp(5 * (0.045 + 0.131 * (along - 1))) * exp(2 * slope);
		chance *= 1 - fmin(each, 1);
	}
	return chance;
}

static void fire_spread_lights_what_draws_say(void **unused)
{
	enum { W = 45, H = 38 };
	uint8_t before[W * H][4], after[W * H][4];
	float elevation[W * H];
	uint32_t burning[1] = {0}, want_burning = 0;
	int lit = 0, escaped = 0, burnt = 0;
	(void)unused;
	seed();
	fill_floats(elevation, (size_t)W * H, 100, 130);
	for (int i = 0; i < W * H; i++) {
		uint32_t word = random_word();
		memcpy(before[i], &word, 4);
		before[i][3] %= 80;
	}
	RUN("ecology/fire_spread", "", WORK(48, 40), WORK(16, 8), ARRAY(before), ARRAY(elevation),
	    ARRAY(after), INT(W), INT(H), FLOAT(30), FLOAT(5), FLOAT(0.8f), FLOAT(0.6f),
	    SCALAR(uint32_t, 9), ARRAY(burning));
	for (int i = 0; i < W * H; i++) {
		int was = before[i][0] & 3, is = was, age = before[i][3];
		if (was == 2) {
			age++;
			is = age * 4 > before[i][1] ? 3 : 2;
			burnt += is == 3;
		} else if (was == 1) {
			double chance = escapes((const uint8_t(*)[4])before, elevation, W, H, i);
			double draw = (mixed((uint32_t)i ^ mixed(9)) >> 8) * 0x1p-24;
			assert_true(fabs(draw - chance) > 1e-6);
			is = draw >= chance ? 2 : 1;
			age = is == 2 ? 0 : age;
			lit += is == 2;
			escaped += is == 1 && chance < 1;
		}
		assert_int_equal(after[i][0], is);
		assert_int_equal(after[i][1], before[i][1]);
		assert_int_equal(after[i][2], before[i][2]);
		assert_int_equal(after[i][3], age);
		want_burning += is == 2;
	}
	assert_int_equal(burning[0], want_burning);
	assert_true(lit > 30 && escaped > 30 && burnt > 30);
}

static double draw_unit(uint32_t *v)
{
	*v ^= *v << 13;
	*v ^= *v >> 17;
	*v ^= *v << 5;
	return ((*v >> 8) + 0.5) * 0x1p-24;
}

/* No seed is lost without being counted; where rounding decides, a neighbouring cell has it. */
static void seed_dispersal_rains_around_trees(void **unused)
{
	enum { TREES = 70, CELLS = 64, ALL = 8 * CELLS * CELLS };
	float trees[TREES][4], kernels[8][2], drift[2] = {0.3f, -0.1f};
	uint8_t species[TREES];
	static uint32_t rain[ALL];
	static int want[ALL];
	uint32_t lost[1] = {0}, landed = 0;
	int seeds = 0, want_lost = 0, differ = 0;
	(void)unused;
	seed();
	memset(rain, 0, sizeof rain);
	fill_floats(trees[0], (size_t)4 * TREES, 0.02f, 0.92f);
	fill_floats(kernels[0], 16, 1.5f, 6);
	for (int i = 0; i < TREES; i++) {
		const float *tree = trees[i];
		species[i] = (uint8_t)random_word();
		int kind = species[i] % 8, each = (int)(150.0f * tree[2] * tree[2]);
		uint32_t state = (uint32_t)(i + 1) * 2654435761u ^ 77u;
		for (int k = 0; k < 4; k++)
			(void)draw_unit(&state);
		for (int k = 0; k < each; k++) {
			double power = pow(draw_unit(&state), -1 / (double)kernels[kind][1]);
			double far = (double)kernels[kind][0] * sqrt(power - 1);
			far += (double)tree[3] / 2;
			double turn = 2 * 3.14159265358979 * draw_unit(&state);
			double x = 100 * (double)tree[0] + far * (cos(turn) + (double)drift[0]);
			double y = 100 * (double)tree[1] + far * (sin(turn) + (double)drift[1]);
			int cx = (int)floor(x / 1.5), cy = (int)floor(y / 1.5);
			if (cx < 0 || cy < 0 || cx >= CELLS || cy >= CELLS)
				want_lost++;
			else
				want[(kind * CELLS + cy) * CELLS + cx]++;
		}
		seeds += each;
	}
	RUN("ecology/seed_dispersal", "", WORK(96), WORK(32), ARRAY(trees), ARRAY(species),
	    ARRAY(kernels), FLOAT(150), {ARGUMENT_SCALAR, drift, sizeof drift}, FLOAT(1.5f),
	    INT(CELLS), ARRAY(rain), ARRAY(lost), SCALAR(uint32_t, 77), INT(TREES));
	for (int i = 0; i < ALL; i++) {
		landed += rain[i];
		differ += abs((int)rain[i] - want[i]);
	}
	assert_int_equal(landed + lost[0], seeds);
	assert_true(differ <= 8 && abs((int)lost[0] - want_lost) <= 4);
	assert_true(seeds > 1000 && want_lost > 10 && landed > 1000);
}

enum { SPECIES = 10, BASAL = 3 };

/* Each link's flow, from prey to predator. */
static void change_of(const double *b, double links[][SPECIES], const double *growth,
                      double *change)
{
	for (int s = 0; s < SPECIES; s++)
		change[s] = s < BASAL ? growth[s] * b[s] * (1 - b[s]) : -growth[s] * b[s];
	for (int prey = 0; prey < SPECIES; prey++)
		for (int p = prey < BASAL ? BASAL : prey + 1; p < SPECIES; p++) {
			double below = 0.4;
			for (int other = 0; other < p; other++)
				below += links[p][other] * (b[other] + 1.5 * b[other] * b[other]);
			double flow = links[p][prey] * (b[prey] + 1.5 * b[prey] * b[prey]) * b[p];
			change[prey] -= flow / below;
			change[p] += 0.85 * flow / below;
		}
}

static void foodweb_rk4_steps_all_species(void **unused)
{
	enum { PATCHES = 40, STEPS = 15 };
	double biomass[SPECIES][PATCHES], want[SPECIES][PATCHES], links[SPECIES][SPECIES];
	double growth[SPECIES];
	const double h = 0.05, extinct = 0.05;
	uint8_t alive[PATCHES];
	int dead = 0;
	(void)unused;
	seed();
	for (int k = 0; k < SPECIES * SPECIES; k++)
		links[k / SPECIES][k % SPECIES] = random_word() % 3 ? random_word() * 0x1p-32 : 0;
	for (int s = 0; s < SPECIES; s++)
		growth[s] = 0.2 + 0.5 * random_word() * 0x1p-32;
	for (int i = 0; i < SPECIES * PATCHES; i++)
		biomass[i / PATCHES][i % PATCHES] = 0.02 + 0.4 * random_word() * 0x1p-32;
	for (int p = 0; p < PATCHES; p++) {
		double b[SPECIES], k[4][SPECIES], at[SPECIES];
		for (int s = 0; s < SPECIES; s++)
			b[s] = biomass[s][p];
		for (int n = 0; n < STEPS; n++) {
			change_of(b, links, growth, k[0]);
			for (int stage = 1; stage < 4; stage++) {
				for (int s = 0; s < SPECIES; s++)
					at[s] = b[s] + (stage == 3 ? h : h / 2) * k[stage - 1][s];
				change_of(at, links, growth, k[stage]);
			}
			for (int s = 0; s < SPECIES; s++) {
				b[s] += h / 6 * (k[0][s] + 2 * k[1][s] + 2 * k[2][s] + k[3][s]);
				b[s] = b[s] < extinct ? 0 : b[s];
			}
		}
		for (int s = 0; s < SPECIES; s++)
			want[s][p] = b[s];
	}
	RUN("ecology/foodweb_rk4", "", WORK(64), WORK(32), ARRAY(biomass), ARRAY(links),
	    ARRAY(growth), SCALAR(double, 0.4), SCALAR(double, 1.5), SCALAR(double, h), INT(STEPS),
	    SCALAR(double, extinct), ARRAY(alive), INT(PATCHES));
	for (int p = 0; p < PATCHES; p++) {
		int living = 0;
		for (int s = 0; s < SPECIES; s++) {
			assert_true(fabs(biomass[s][p] - want[s][p]) < 1e-11);
			living += want[s][p] > 0;
		}
		assert_int_equal(alive[p], living);
		dead += SPECIES - living;
	}
	assert_true(dead > 5 && dead < PATCHES * SPECIES / 2);
}

/* Leaf area along each way is summed, and one exponential is taken of it. */
static void canopy_light_falls_through_leaves(void **unused)
{
	enum { W = 13, D = 9, L = 10, SUNS = 3, ALL = W * D * L };
	uint8_t leaves[ALL], shaded[ALL];
	float light[ALL], want[ALL];
	float suns[SUNS][4] = {
	        {0, 0, 1, 0.5f}, {-0.8f, 0.3f, 1.31f, 0.3f}, {2.2f, -3.6f, 4.3f, 0.2f}};
	int dark = 0;
	(void)unused;
	seed();
	for (int i = 0; i < ALL; i++)
		leaves[i] = (uint8_t)(random_word() % 4 ? random_word() % 120 : 0);
	RUN("ecology/canopy_light", "", WORK(16, 12, 10), WORK(8, 4, 2), ARRAY(leaves), ARRAY(suns),
	    INT(SUNS), FLOAT(0.5f), FLOAT(0.1f), INT(W), INT(D), INT(L), ARRAY(light),
	    ARRAY(shaded));
	for (int i = 0; i < ALL; i++) {
		double sum = 0;
		int in_shade = 0;
		for (int s = 0; s < SUNS; s++) {
			double area = 0;
			for (int up = 1; up < L - i / (W * D); up++) {
				long x = i % W + lrintf((float)up * suns[s][0]);
				long y = i / W % D + lrintf((float)up * suns[s][1]);
				x = (x + 100 * W) % W;
				y = (y + 100 * D) % D;
				area += leaves[i / (W * D) * W * D + up * W * D + y * W + x];
			}
			double remaining = exp(-0.5 * 0.01 * area * (double)suns[s][2]);
			assert_true(fabs(remaining - 0.1) > 1e-6);
			in_shade += remaining < 0.1;
			sum += remaining < 0.1 ? 0 : (double)suns[s][3] * remaining;
		}
		want[i] = (float)sum;
		assert_int_equal(shaded[i], in_shade);
		dark += in_shade;
	}
	assert_floats(light, want, ALL, 1e-4f);
	assert_true(dark > 100 && dark < 2 * ALL);
}

static void braycurtis_tiles_compare_all_pairs(void **unused)
{
	enum { SITES = 37, KINDS = 45 };
	uint16_t counts[SITES][KINDS];
	float got[SITES * SITES], want[SITES * SITES];
	(void)unused;
	seed();
	for (int i = 0; i < SITES * KINDS; i++)
		counts[i / KINDS][i % KINDS] =
		        (uint16_t)(random_word() % 3 ? 0 : random_word() % 60000);
	memset(counts[5], 0, sizeof counts[5]);
	memset(counts[30], 0, sizeof counts[30]);
	for (int i = 0; i < SITES * SITES; i++) {
		const uint16_t *a = counts[i / SITES], *b = counts[i % SITES];
		long shared = 0, all = 0;
		for (int k = 0; k < KINDS; k++) {
			shared += a[k] < b[k] ? a[k] : b[k];
			all += a[k] + b[k];
		}
		want[i] = all == 0 ? 0 : (float)(1 - 2.0 * (double)shared / (double)all);
	}
	RUN("ecology/braycurtis_tiles", "-DTILE=8", WORK(40, 40), WORK(8, 8), ARRAY(counts),
	    INT(SITES), INT(KINDS), ARRAY(got));
	assert_floats(got, want, (size_t)SITES * SITES, 1e-6f);
}

CHECK_FAMILY(ecology, cmocka_unit_test(fire_spread_lights_what_draws_say),
             cmocka_unit_test(seed_dispersal_rains_around_trees),
             cmocka_unit_test(foodweb_rk4_steps_all_species),
             cmocka_unit_test(canopy_light_falls_through_leaves),
             cmocka_unit_test(braycurtis_tiles_compare_all_pairs))
