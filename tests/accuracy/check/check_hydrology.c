/* SPDX-License-Identifier: Apache-2.0 */
/* Soil, flood plains, rivers, basins and gauges against the host. */
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/check/run.h"

enum { LAYERS = 20 };

struct soil {
	double porosity, alpha, n, ks;
};

static double saturation(const struct soil *s, double h)
{
	return h >= 0 ? 1 : pow(1 + pow(-s->alpha * h, s->n), 1 / s->n - 1);
}

static double conductivity(const struct soil *s, double h)
{
	double m = 1 - 1 / s->n, se = saturation(s, h);
	return s->ks * sqrt(se) * pow(1 - pow(1 - pow(fmin(se, 0.9999), 1 / m), m), 2);
}

/* Gauss, without a look at the zeros. */
static void solve(double matrix[LAYERS][LAYERS + 1], double *x)
{
	for (int p = 0; p < LAYERS; p++)
		for (int r = 0; r < LAYERS; r++) {
			double by = r == p ? 0 : matrix[r][p] / matrix[p][p];
			for (int c = p; c <= LAYERS; c++)
				matrix[r][c] -= by * matrix[p][c];
		}
	for (int p = 0; p < LAYERS; p++)
		x[p] = matrix[p][LAYERS] / matrix[p][p];
}

/* Returns the iterations; `k_last` is the conductivity of the lowest layer in the last of them. */
static int step_column(const struct soil *s, double *h, double rain, double dt, double dz, int most,
                       double *k_last)
{
	double before[LAYERS], change = 1;
	int iteration = 0;
	for (int l = 0; l < LAYERS; l++)
		before[l] = saturation(s, h[l]) * s->porosity + 1e-4 * h[l];
	for (; iteration < most && change > 1e-3; iteration++) {
		double matrix[LAYERS][LAYERS + 1] = {{0}}, next[LAYERS], k[LAYERS];
		for (int l = 0; l < LAYERS; l++)
			k[l] = conductivity(s, h[l]);
		for (int l = 0; l < LAYERS; l++) {
			double x = pow(-s->alpha * fmin(h[l], 0), s->n), se = saturation(s, h[l]);
			double slope =
			        h[l] < 0 ? s->porosity * (s->n - 1) * x / -h[l] * se / (1 + x) : 0;
			double held = (slope + 1e-4) * dz / dt;
			double now = se * s->porosity + 1e-4 * h[l];
			matrix[l][l] += held;
			matrix[l][LAYERS] += held * h[l] - dz / dt * (now - before[l]);
			/* through the lower face, down: k (1 + (h[l] - h[l + 1]) / dz) */
			double face = l + 1 < LAYERS ? (k[l] + k[l + 1]) / 2 : k[l];
			matrix[l][LAYERS] -= face;
			if (l + 1 == LAYERS)
				continue;
			matrix[l + 1][LAYERS] += face;
			matrix[l][l] += face / dz;
			matrix[l][l + 1] -= face / dz;
			matrix[l + 1][l + 1] += face / dz;
			matrix[l + 1][l] -= face / dz;
		}
		matrix[0][LAYERS] += rain;
		solve(matrix, next);
		change = 0;
		for (int l = 0; l < LAYERS; l++)
			change = fmax(change, fabs(next[l] - h[l]));
		memcpy(h, next, sizeof next);
		*k_last = k[LAYERS - 1];
	}
	return iteration;
}

static void richards_column_conducts_what_it_holds(void **unused)
{
	enum { COLUMNS = 70, MOST = 40 };
	float head[LAYERS][COLUMNS], want[LAYERS][COLUMNS], theta_s[12], theta_r[12], alpha[12],
	        n[12], ks[12], rain[COLUMNS], drained[COLUMNS], want_drained[COLUMNS];
	uint8_t soil[COLUMNS], taken[COLUMNS];
	int several = 0;
	(void)unused;
	seed();
	fill_floats(theta_s, 12, 0.35f, 0.5f);
	fill_floats(theta_r, 12, 0.02f, 0.1f);
	fill_floats(alpha, 12, 0.5f, 3);
	fill_floats(n, 12, 1.3f, 2.4f);
	fill_floats(ks, 12, 0.01f, 0.2f);
	fill_floats(rain, COLUMNS, 0, 0.01f);
	for (int c = 0; c < COLUMNS; c++) {
		float top = 0;
		soil[c] = (uint8_t)random_word();
		fill_floats(&top, 1, -1.5f, -0.4f);
		for (int l = 0; l < LAYERS; l++)
			head[l][c] = top + 0.01f * (float)(l * (c % 4));
	}
	for (int c = 0; c < COLUMNS; c++) {
		int s = soil[c] % 12;
		struct soil one = {(double)theta_s[s] - (double)theta_r[s], (double)alpha[s],
		                   (double)n[s], (double)ks[s]};
		double h[LAYERS], k = 0;
		for (int l = 0; l < LAYERS; l++)
			h[l] = (double)head[l][c];
		several += step_column(&one, h, (double)rain[c], 0.25, 0.1, MOST, &k) > 2;
		for (int l = 0; l < LAYERS; l++)
			want[l][c] = (float)h[l];
		want_drained[c] = (float)(k * 0.25);
	}
	RUN("hydrology/richards_column", "", WORK(96), WORK(32), ARRAY(head), ARRAY(soil),
	    ARRAY(theta_s), ARRAY(theta_r), ARRAY(alpha), ARRAY(n), ARRAY(ks), ARRAY(rain),
	    FLOAT(0.25f), FLOAT(0.1f), INT(MOST), FLOAT(1e-3f), ARRAY(drained), ARRAY(taken),
	    INT(COLUMNS));
	assert_floats(head[0], want[0], (size_t)LAYERS * COLUMNS, 2e-3f);
	assert_floats(drained, want_drained, COLUMNS, 1e-3f);
	for (int c = 0; c < COLUMNS; c++)
		assert_true(taken[c] >= 1 && taken[c] < MOST);
	assert_true(several > COLUMNS / 4);
}

enum { WIDE = 43, HIGH = 29 };

/* Along `axis` (0 or 1): what is lost by `a` and gained by `b`, its neighbour further on. */
static void exchange(const float *a, const float *b, int axis, double *from_a, double *from_b)
{
	double ground = fmax((double)a[3], (double)b[3]), g = (double)9.81f;
	const float *cell[2] = {a, b};
	double h[2], u[2], v[2], flux[3] = {0};
	for (int k = 0; k < 2; k++) {
		bool is_wet = cell[k][0] > 1e-3f;
		double depth = (double)cell[k][0];
		h[k] = fmax(depth + (double)cell[k][3] - ground, 0);
		u[k] = is_wet ? (double)cell[k][1 + axis] / depth : 0;
		v[k] = is_wet ? (double)cell[k][2 - axis] / depth : 0;
	}
	if (h[0] >= 1e-3 || h[1] >= 1e-3) {
		double low = fmin(0, fmin(u[0] - sqrt(g * h[0]), u[1] - sqrt(g * h[1])));
		double high = fmax(0, fmax(u[0] + sqrt(g * h[0]), u[1] + sqrt(g * h[1])));
		for (int q = 0; q < 3; q++) {
			double value[2], moved[2];
			for (int k = 0; k < 2; k++) {
				value[k] = h[k] * (q == 0 ? 1 : q == 1 ? u[k] : v[k]);
				moved[k] = value[k] * u[k] + (q == 1 ? g * h[k] * h[k] / 2 : 0);
			}
			flux[q] = (high * moved[0] - low * moved[1] +
			           low * high * (value[1] - value[0])) /
			          (high - low);
		}
	}
	for (int k = 0; k < 2; k++) {
		double *to = k == 0 ? from_a : from_b;
		double depth = (double)cell[k][0], sign = k == 0 ? 1 : -1;
		to[0] += sign * flux[0];
		to[1 + axis] += sign * (flux[1] + g / 2 * (depth * depth - h[k] * h[k]));
		to[2 - axis] += sign * flux[2];
	}
}

static void shallow_hll_moves_water_and_leaves_lakes(void **unused)
{
	static float cells[HIGH][WIDE][4], next[HIGH][WIDE][4], want[HIGH][WIDE][4];
	(void)unused;
	seed();
	for (int lake = 0; lake < 2; lake++) {
		int dry = 0;
		for (int i = 0; i < WIDE * HIGH; i++) {
			float *c = cells[i / WIDE][i % WIDE];
			fill_floats(c, 4, -1, 1);
			c[0] = fmaxf(lake ? 0.4f - c[3] : 1.3f * c[0], 0);
			c[1] = lake ? 0 : c[1] * c[0];
			c[2] = lake ? 0 : c[2] * c[0];
			dry += c[0] < 1e-3f;
		}
		for (int i = 0; i < WIDE * HIGH; i++) {
			double lost[3] = {0}, other[3] = {0}, q[3];
			int x = i % WIDE, y = i / WIDE;
			const float *c = cells[y][x];
			exchange(cells[y][x == 0 ? 0 : x - 1], c, 0, other, lost);
			exchange(c, cells[y][x == WIDE - 1 ? x : x + 1], 0, lost, other);
			exchange(cells[y == 0 ? 0 : y - 1][x], c, 1, other, lost);
			exchange(c, cells[y == HIGH - 1 ? y : y + 1][x], 1, lost, other);
			for (int k = 0; k < 3; k++)
				q[k] = (double)c[k] - 0.02 * lost[k];
			double drag =
			        1 + 0.004 * hypot(q[1], q[2]) / pow(fmax(q[0], 1e-9), 7.0 / 3);
			for (int k = 0; k < 3; k++) {
				double is = k == 0 ? fmax(q[0], 0) : q[0] > 1e-3 ? q[k] / drag : 0;
				want[y][x][k] = (float)is;
				assert_true(!lake || fabs(is - (double)c[k]) < 1e-6);
			}
			want[y][x][3] = c[3];
		}
		RUN("hydrology/shallow_hll", "-DTILE_X=16 -DTILE_Y=8", WORK(48, 32), WORK(16, 8),
		    ARRAY(cells), ARRAY(next), INT(WIDE), INT(HIGH), FLOAT(0.02f), FLOAT(0.004f));
		assert_floats(next[0][0], want[0][0], (size_t)4 * WIDE * HIGH, 1e-4f);
		assert_true(dry > 20 && dry < WIDE * HIGH - 20);
	}
}

static void muskingum_network_routes_what_comes_from_above(void **unused)
{
	enum { ALL = 60, REACHES = 45, MOST = 4, STEPS = 15 };
	int row[REACHES + 1], above[REACHES * MOST], parted = 0, zeros = 0;
	float lateral[REACHES], length[REACHES], slope[REACHES], width[REACHES], routed[STEPS][ALL],
	        out[STEPS][ALL], want[STEPS][ALL], deepest = 0;
	double depth_most = 0;
	(void)unused;
	seed();
	fill_rows(row, REACHES, MOST);
	fill_ints(above, (size_t)REACHES * MOST, ALL);
	fill_floats(lateral, REACHES, 0, 2);
	fill_floats(length, REACHES, 500, 9000);
	fill_floats(slope, REACHES, 2e-4f, 1e-2f);
	fill_floats(width, REACHES, 2, 60);
	fill_floats(routed[0], (size_t)STEPS * ALL, 1, 60);
	for (int i = 0; i < STEPS * ALL; i++)
		routed[i / ALL][i % ALL] *= i / ALL % 5 == 3 ? 8 : 1;
	memset(out, 0, sizeof out);
	memset(want, 0, sizeof want);
	for (int r = 0; r < REACHES; r++) {
		double in[STEPS] = {0}, dx = (double)length[r], s = (double)slope[r];
		double b = (double)width[r], side = (double)lateral[r];
		for (int t = 0; t < STEPS; t++)
			for (int k = row[r]; k < row[r + 1]; k++)
				in[t] += (double)routed[t][above[k]];
		double o = in[0] + side;
		want[0][r] = (float)o;
		for (int t = 1; t < STEPS; t++) {
			double q = fmax((in[t - 1] + in[t] + o) / 3, 1e-3);
			double depth = pow(q * 0.04 / (b * sqrt(s)), 0.6);
			double wave = q / (b * depth) * 5 / 3, k = dx / wave;
			double x = fmin(fmax(0.5 - q / (2 * b * s * wave * dx), 0), 0.5);
			int parts = (int)fmin(fmax(ceil(1800 / k), 1), 8);
			double dt = 1800.0 / parts, below = 2 * k * (1 - x) + dt;
			for (int p = 0; p < parts; p++) {
				double was = in[t - 1] + (in[t] - in[t - 1]) * p / parts;
				double is = in[t - 1] + (in[t] - in[t - 1]) * (p + 1) / parts;
				o = ((dt - 2 * k * x) * is + (dt + 2 * k * x) * was +
				     (2 * k * (1 - x) - dt) * o + 2 * dt * side) /
				    below;
				zeros += o < 0;
				o = fmax(o, 0);
			}
			want[t][r] = (float)o;
			depth_most = fmax(depth_most, depth);
			parted += parts > 1;
		}
	}
	RUN("hydrology/muskingum_network", "", WORK(64), WORK(32), ARRAY(row), ARRAY(above),
	    ARRAY(lateral), ARRAY(length), ARRAY(slope), ARRAY(width), FLOAT(0.04f), ARRAY(routed),
	    INT(ALL), ARRAY(out), {ARGUMENT_ARRAY, &deepest, sizeof deepest}, INT(STEPS),
	    FLOAT(1800), INT(REACHES));
	assert_floats(out[0], want[0], (size_t)STEPS * ALL, 1e-3f);
	assert_close((double)deepest, depth_most, 1e-4);
	assert_true(parted > 20 && zeros > 0);
}

/* As convolutions of all that a year has routed, not as arrays that are moved on. */
static void gr4j_ensemble_convolves_with_unit_hydrographs(void **unused)
{
	enum { SETS = 40, DAYS = 200, SPIN_UP = 30 };
	float parameters[SETS][4], weather[DAYS][2], observed[DAYS], efficiency[SETS], want[SETS],
	        stores[SETS][2], want_stores[SETS][2];
	(void)unused;
	seed();
	fill_floats(parameters[0], (size_t)4 * SETS, 0.5f, 4.5f);
	fill_floats(weather[0], (size_t)2 * DAYS, 0, 12);
	fill_floats(observed, DAYS, -1, 8);
	for (int id = 0; id < SETS; id++) {
		const float *p = parameters[id];
		double x1 = 300 * (double)p[0], x2 = 2 * (double)p[1] - 5, x3 = 100 * (double)p[2];
		double x4 = fmin(fmax((double)p[3], 0.6), 5), s = 0.3 * x1, r = 0.5 * x3;
		double pr[DAYS], errors = 0, mean = 0, spread = 0, read = 0;
		for (int day = 0; day < DAYS; day++) {
			double net = (double)weather[day][0] - (double)weather[day][1];
			double w = tanh(fabs(net) / x1), one = 0, two = 0;
			double stored =
			        net < 0 ? 0 : x1 * (1 - s * s / x1 / x1) * w / (1 + s / x1 * w);
			s += net < 0 ? -s * (2 - s / x1) * w / (1 + (1 - s / x1) * w) : stored;
			double percolated = s * (1 - pow(1 + pow(4.0 / 9 * s / x1, 4), -0.25));
			s -= percolated;
			pr[day] = fmax(net, 0) - stored + percolated;
			for (int k = 0; k <= day && k < 12; k++) {
				double sh[2][2];
				for (int e = 0; e < 2; e++) {
					double t = (k + e) / x4;
					sh[0][e] = fmin(pow(t, 2.5), 1);
					sh[1][e] = t < 1   ? pow(t, 2.5) / 2
					           : t < 2 ? 1 - pow(2 - t, 2.5) / 2
					                   : 1;
				}
				one += 0.9 * pr[day - k] * (sh[0][1] - sh[0][0]);
				two += 0.1 * pr[day - k] * (sh[1][1] - sh[1][0]);
			}
			double traded = x2 * pow(r / x3, 3.5);
			r = fmax(r + one + traded, 0);
			double routed = r * (1 - pow(1 + pow(r / x3, 4), -0.25));
			r -= routed;
			double flow = routed + fmax(two + traded, 0);
			if (day >= SPIN_UP && observed[day] >= 0) {
				errors += pow(flow - (double)observed[day], 2);
				mean += (double)observed[day];
				read++;
			}
		}
		for (int day = SPIN_UP; day < DAYS; day++)
			if (observed[day] >= 0)
				spread += pow((double)observed[day] - mean / read, 2);
		want[id] = (float)(1 - errors / spread);
		want_stores[id][0] = (float)s;
		want_stores[id][1] = (float)r;
	}
	RUN("hydrology/gr4j_ensemble", "", WORK(64), WORK(32), ARRAY(parameters), ARRAY(weather),
	    ARRAY(observed), INT(DAYS), INT(SPIN_UP), ARRAY(efficiency), ARRAY(stores), INT(SETS));
	assert_floats(efficiency, want, SETS, 1e-3f);
	assert_floats(stores[0], want_stores[0], (size_t)2 * SETS, 1e-3f);
}

static int descending(const void *a, const void *b)
{
	return *(const int *)b - *(const int *)a;
}

static void flow_duration_is_of_sorted_days(void **unused)
{
	enum { GAUGES = 12, DAYS = 400 };
	uint16_t flow[GAUGES][DAYS], limit[GAUGES], longest[GAUGES], valid[GAUGES];
	uint32_t exceeded[GAUGES][3];
	int spells = 0;
	(void)unused;
	seed();
	for (int g = 0; g < GAUGES; g++) {
		limit[g] = (uint16_t)(20 + 30 * g);
		for (int d = 0; d < DAYS; d++) {
			uint32_t draw = random_word();
			flow[g][d] =
			        (uint16_t)(draw % 11 == 0             ? 0xffffu
			                   : d / 40 % 3 == 0 && g > 3 ? draw % 30
			                                              : draw >> 16 >> draw % 13);
		}
	}
	RUN("hydrology/flow_duration", "", WORK((size_t)GAUGES * 64), WORK(64), ARRAY(flow),
	    INT(DAYS), ARRAY(limit), ARRAY(exceeded), ARRAY(longest), ARRAY(valid), LOCAL(64 * 8));
	for (int g = 0; g < GAUGES; g++) {
		int days[DAYS], read = 0, run = 0, most = 0;
		for (int d = 0; d < DAYS; d++) {
			int q = flow[g][d];
			run = q < limit[g] ? run + 1 : 0;
			most = run > most ? run : most;
			for (int step = 1; q != 0xffff; step *= 2)
				if (q / step < 16) {
					days[read++] = q / step * step;
					break;
				}
		}
		qsort(days, (size_t)read, sizeof *days, descending);
		assert_int_equal(valid[g], read);
		assert_int_equal(longest[g], most);
		for (int k = 0; k < 3; k++) {
			int percent = k == 0 ? 95 : k == 1 ? 50 : 5;
			assert_int_equal(exceeded[g][k], days[(read * percent + 99) / 100 - 1]);
		}
		spells += most > 20;
	}
	assert_true(spells > 3);
}

CHECK_FAMILY(hydrology, cmocka_unit_test(richards_column_conducts_what_it_holds),
             cmocka_unit_test(shallow_hll_moves_water_and_leaves_lakes),
             cmocka_unit_test(muskingum_network_routes_what_comes_from_above),
             cmocka_unit_test(gr4j_ensemble_convolves_with_unit_hydrographs),
             cmocka_unit_test(flow_duration_is_of_sorted_days))
