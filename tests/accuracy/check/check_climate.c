/* SPDX-License-Identifier: Apache-2.0 */
/* Sea and air against the host. */
#include "tests/accuracy/check/run.h"

/* The check values that were published with the equation of state. */
static void seawater_density_gives_published_values(void **unused)
{
	enum { CELLS = 8, LEVELS = 2 };
	float t[LEVELS * CELLS], s[LEVELS * CELLS];
	double pressure[LEVELS] = {0, 1000}, rho[LEVELS * CELLS];
	int bottom[CELLS] = {1, 1, 1, 1, 1, 1, 0, -1};
	const double want[LEVELS][6] = {
	        {999.96675, 997.04796, 1027.67547, 1023.34306, 999.96675, 997.04796},
	        {1044.12802, 1037.90204, 1069.48914, 1062.53817, 1044.12802, 1037.90204}};
	(void)unused;
	for (int i = 0; i < LEVELS * CELLS; i++) {
		t[i] = i % 2 == 0 ? 5 : 25;
		s[i] = i % CELLS / 2 == 1 ? 35 : 0;
	}
	RUN("climate/seawater_density", "", WORK(8, 2), WORK(8, 1), ARRAY(t), ARRAY(s),
	    ARRAY(pressure), ARRAY(bottom), ARRAY(rho), INT(CELLS));
	for (int i = 0; i < LEVELS * CELLS; i++)
		if (i / CELLS > bottom[i % CELLS])
			assert_true(rho[i] < -1e33);
		else if (i % CELLS < 6)
			assert_close(rho[i], want[i / CELLS][i % CELLS], 1e-8);
}

/* Face by face, what leaves one cell enters the next. */
static void tracer_upstream_moves_what_flows(void **unused)
{
	enum { NI = 16, NJ = 12, NK = 6, CELLS = NI * NJ * NK };
	float q[CELLS], flow[3][CELLS], got[CELLS];
	double want[CELLS];
	uint8_t land[CELLS];
	(void)unused;
	seed();
	fill_floats(q, CELLS, 0, 5);
	fill_floats(flow[0], (size_t)3 * CELLS, -0.3f, 0.3f);
	for (int i = 0; i < CELLS; i++) {
		land[i] = random_word() % 4 == 0 ? 255 : 2;
		want[i] = land[i] == 255 ? 0 : (double)q[i];
	}
	for (int i = 0; i < CELLS; i++) {
		int x = i % NI, y = i / NI % NJ, z = i / NI / NJ;
		int to[3] = {x + 1 < NI ? i + 1 : i + 1 - NI, y + 1 < NJ ? i + NI : -1,
		             z + 1 < NK ? i + NI * NJ : -1};
		for (int d = 0; d < 3; d++) {
			if (to[d] < 0 || land[i] == 255 || land[to[d]] == 255)
				continue;
			double courant = (double)flow[d][i];
			double moved = courant * (double)q[courant > 0 ? i : to[d]];
			want[i] -= moved;
			want[to[d]] += moved;
		}
	}
	RUN("climate/tracer_upstream", "", WORK(NI, NJ, NK), WORK(8, 4, 2), ARRAY(q),
	    ARRAY(flow[0]), ARRAY(flow[1]), ARRAY(flow[2]), ARRAY(land), ARRAY(got));
	for (int i = 0; i < CELLS; i++)
		assert_floats(&got[i], &(float){(float)want[i]}, 1, 1e-5f);
}

/* Heat and salt stay what they were; the column is stable unless its passes were used up. */
static void convective_adjust_makes_columns_stable(void **unused)
{
	enum { COLUMNS = 40, LAYERS = 12, PASSES = 60 };
	float theta[LAYERS * COLUMNS], salt[LAYERS * COLUMNS], thickness[LAYERS];
	double heat[COLUMNS] = {0}, salts[COLUMNS] = {0};
	int passes[COLUMNS];
	(void)unused;
	seed();
	fill_floats(theta, (size_t)LAYERS * COLUMNS, 0, 4);
	fill_floats(salt, (size_t)LAYERS * COLUMNS, 30, 36);
	fill_floats(thickness, LAYERS, 5, 50);
	for (int k = 0; k < LAYERS; k++)
		theta[k * COLUMNS] = (float)(20 - k); /* a column that is stable */
	for (int i = 0; i < LAYERS * COLUMNS; i++) {
		heat[i % COLUMNS] += (double)theta[i] * (double)thickness[i / COLUMNS];
		salts[i % COLUMNS] += (double)salt[i] * (double)thickness[i / COLUMNS];
	}
	RUN("climate/convective_adjust", "", WORK(64), WORK(32), ARRAY(theta), ARRAY(salt),
	    ARRAY(thickness), ARRAY(passes), INT(COLUMNS), INT(LAYERS), INT(PASSES));
	assert_int_equal(passes[0], 1);
	for (int c = 0; c < COLUMNS; c++) {
		double heat_now = 0, salt_now = 0;
		for (int k = 0; k < LAYERS; k++) {
			heat_now += (double)theta[k * COLUMNS + c] * (double)thickness[k];
			salt_now += (double)salt[k * COLUMNS + c] * (double)thickness[k];
			if (k > 0 && passes[c] < PASSES)
				assert_true(theta[k * COLUMNS + c] <=
				            theta[(k - 1) * COLUMNS + c] + 1.1e-4f);
		}
		assert_in_range(passes[c], c > 0 ? 2 : 1, PASSES);
		assert_close(heat_now, heat[c], 1e-4);
		assert_close(salt_now, salts[c], 1e-4);
	}
}

/* Optical depths are summed before a power is taken; what enters is absorbed or leaves. */
static void shortwave_bands_keep_the_energy(void **unused)
{
	enum { COLUMNS = 50, LAYERS = 20, BANDS = 6 };
	static float vapour[LAYERS * COLUMNS], cloud[LAYERS * COLUMNS], heating[LAYERS * COLUMNS];
	float mu[COLUMNS], band[BANDS][4], ground[COLUMNS], up[COLUMNS];
	int cloudy = 0;
	(void)unused;
	seed();
	fill_floats(vapour, (size_t)LAYERS * COLUMNS, 0, 1);
	fill_floats(cloud, (size_t)LAYERS * COLUMNS, 0, 1);
	fill_floats(mu, COLUMNS, -0.3f, 1);
	fill_floats(band[0], (size_t)4 * BANDS, 0.01f, 0.05f);
	for (int b = 0; b < BANDS; b++)
		band[b][0] *= 5000;
	RUN("climate/shortwave_bands", "", WORK(64), WORK(32), ARRAY(vapour), ARRAY(cloud),
	    ARRAY(mu), ARRAY(band), ARRAY(ground), ARRAY(up), ARRAY(heating), INT(COLUMNS),
	    INT(LAYERS));
	for (int c = 0; c < COLUMNS; c++) {
		double enters = 0, ends = (double)ground[c] + (double)up[c], below = 0, back = 0;
		for (int k = 0; k < LAYERS; k++)
			ends += (double)heating[k * COLUMNS + c];
		for (int b = 0; b < BANDS && mu[c] > 0.01f; b++) {
			double depth = 0, sun = (double)band[b][0] * (double)mu[c];
			double albedo = (double)band[b][3];
			int k = 0;
			for (; k < LAYERS && cloud[k * COLUMNS + c] <= 0.97f; k++)
				depth += (double)band[b][1] * (double)vapour[k * COLUMNS + c] +
				         (double)band[b][2] * (double)cloud[k * COLUMNS + c];
			double left = sun * exp(-depth / (double)mu[c]);
			enters += sun;
			cloudy += k < LAYERS;
			below += k < LAYERS ? 0 : left * (1 - albedo);
			back += left * (k < LAYERS ? 0.7 : albedo) * exp(-depth / (double)mu[c]);
		}
		assert_floats(&ground[c], &(float){(float)below}, 1, 1e-4f);
		assert_floats(&up[c], &(float){(float)back}, 1, 1e-4f);
		assert_floats(&(float){(float)ends}, &(float){(float)enters}, 1, 1e-4f);
	}
	assert_true(cloudy > BANDS);
}

static void zonal_mean_leaves_missing_out(void **unused)
{
	enum { LAT = 6, LEVELS = 3, NLON = 100, ROWS = LAT * LEVELS };
	float field[ROWS * NLON], mean[ROWS], deviation[ROWS];
	int valid[ROWS];
	(void)unused;
	seed();
	fill_floats(field, (size_t)ROWS * NLON, 0, 10);
	for (int i = 0; i < NLON; i++)
		field[NLON + i] = 1e20f;
	RUN("climate/zonal_mean", "", WORK((size_t)LAT * 32, LEVELS), WORK(32, 1), ARRAY(field),
	    FLOAT(8), INT(NLON), ARRAY(mean), ARRAY(deviation), ARRAY(valid), LOCAL(4 * 32));
	for (int row = 0; row < ROWS; row++) {
		double sum = 0, squares = 0;
		int n = 0;
		for (int i = row * NLON; i < (row + 1) * NLON; i++) {
			double x = field[i] < 8 ? (double)field[i] : 0;
			n += field[i] < 8;
			sum += x;
			squares += x * x;
		}
		double spread = n > 1 ? sqrt((squares - sum * sum / n) / (n - 1)) : 0;
		assert_int_equal(valid[row], n);
		assert_floats(&mean[row], &(float){n > 0 ? (float)(sum / n) : 8}, 1, 1e-5f);
		assert_floats(&deviation[row], &(float){(float)spread}, 1, 1e-4f);
	}
}

/* Fluxes solve the equations that the kernel iterates: the friction velocity is put into them. */
static void bulk_fluxes_are_a_fixed_point(void **unused)
{
	enum { N = 200 };
	float wind[2 * N], air[N], sea[N], fluxes[4 * N];
	uint8_t is_sea[N];
	int stable = 0, unstable = 0;
	(void)unused;
	seed();
	fill_floats(wind, (size_t)2 * N, -12, 12);
	fill_floats(air, N, 12, 20);
	fill_floats(sea, N, 14, 18);
	for (int i = 0; i < N; i++)
		is_sea[i] = (uint8_t)random_word();
	RUN("climate/bulk_fluxes", "", WORK(224), WORK(32), ARRAY(wind), ARRAY(air), ARRAY(sea),
	    ARRAY(is_sea), ARRAY(fluxes), INT(N), INT(100));
	for (int i = 0; i < N; i++) {
		double x = (double)wind[2 * i], y = (double)wind[2 * i + 1];
		double speed = fmax(sqrt(x * x + y * y), 0.5), dt = (double)air[i] - (double)sea[i];
		const float *f = fluxes + (size_t)4 * (size_t)i;
		if (is_sea[i] < 80) {
			assert_floats(f, (float[4]){0}, 4, 0);
			continue;
		}
		if (f[3] > 98)
			continue; /* not converged */
		double ux = (double)f[0], uy = (double)f[1];
		double ustar = sqrt(sqrt(ux * ux + uy * uy) / 1.22 * speed / sqrt(x * x + y * y));
		double tstar = -(double)f[2] / (1.22 * 1004 * ustar);
		double zeta = 0.4 * 9.81 * 10 * tstar / (((double)air[i] + 273.15) * ustar * ustar);
		zeta = fmin(fmax(zeta, -2), 1);
		double root = pow(1 - 16 * fmin(zeta, 0), 0.25), heat = log(1e5);
		double psi_m = 2 * log((1 + root) / 2) + log((1 + root * root) / 2) -
		               2 * atan(root) + 2 * atan(1);
		double psi_h = 2 * log((1 + root * root) / 2);
		if (zeta > 0)
			psi_m = psi_h = -5 * zeta;
		double z0 = 0.011 * ustar * ustar / 9.81 + 1.5e-5;
		stable += zeta > 0;
		unstable += zeta < 0;
		assert_close(0.4 * speed / (log(10 / z0) - psi_m), ustar, 2e-3);
		assert_close(0.4 * dt / (heat - psi_h), tstar, 5e-3);
		assert_true(ux * x >= 0 && uy * y >= 0);
	}
	assert_true(stable > 20 && unstable > 20);
}

CHECK_FAMILY(climate, cmocka_unit_test(seawater_density_gives_published_values),
             cmocka_unit_test(tracer_upstream_moves_what_flows),
             cmocka_unit_test(convective_adjust_makes_columns_stable),
             cmocka_unit_test(shortwave_bands_keep_the_energy),
             cmocka_unit_test(zonal_mean_leaves_missing_out),
             cmocka_unit_test(bulk_fluxes_are_a_fixed_point))
