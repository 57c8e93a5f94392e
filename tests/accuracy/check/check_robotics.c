/* SPDX-License-Identifier: Apache-2.0 */
/* Maps, particles, scans and arms against the host. */
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/check/run.h"

/* The least over all rows. */
static void distance_envelope_is_the_least_sum(void **unused)
{
	enum { W = 40, H = 50 };
	float cost[W * H], got[W * H], bound[W * (H + 1)], want[W * H];
	int apex[W * (H + 1)];
	(void)unused;
	seed();
	fill_floats(cost, (size_t)W * H, 0, 300);
	for (int i = 0; i < W * H; i += 3)
		cost[i] = 1e4f;
	for (int i = 0; i < W * H; i++) {
		double least = 1e30;
		for (int row = 0; row < H; row++) {
			int apart = row - i / W;
			least = fmin(least, (double)cost[row * W + i % W] + apart * apart);
		}
		want[i] = (float)least;
	}
	RUN("robotics/distance_envelope", "", WORK(64), WORK(32), ARRAY(cost), ARRAY(got),
	    ARRAY(apex), ARRAY(bound), INT(W), INT(H));
	assert_floats(got, want, (size_t)W * H, 1e-4f);
}

static void beam_likelihood_marches_to_walls(void **unused)
{
	enum { COUNT = 60, SIDE = 48, BEAMS = 12, RANGE = 40 };
	int particles[COUNT][4], scan[BEAMS], hits = 0;
	uint8_t grid[SIDE * SIDE];
	int16_t directions[256][2];
	float likelihood[64], weights[COUNT], want[COUNT];
	(void)unused;
	seed();
	fill_ints(particles[0], (size_t)4 * COUNT, SIDE * 256);
	fill_ints(scan, BEAMS, RANGE);
	fill_floats(likelihood, 64, -6, 0);
	for (int i = 0; i < SIDE * SIDE; i++)
		grid[i] = (uint8_t)random_word();
	for (int i = 0; i < 512; i++)
		directions[i / 2][i % 2] = (int16_t)lrint(
		        256 * (i % 2 == 0 ? cos(i * 0.0122718) : sin(i * 0.0122718)));
	for (int i = 0; i < COUNT; i++) {
		double sum = 0;
		for (int b = 0; b < BEAMS; b++) {
			const int16_t *way = directions[(particles[i][2] + b * 256 / BEAMS) % 256];
			int range = 0;
			for (; range < RANGE; range++) {
				int x = particles[i][0] + range * way[0];
				int y = particles[i][1] + range * way[1];
				bool outside = x < 0 || y < 0 || x >= 256 * SIDE || y >= 256 * SIDE;
				if (outside)
					range = RANGE;
				if (outside || grid[y / 256 * SIDE + x / 256] >= 248)
					break;
			}
			hits += range < RANGE;
			int error = abs(range - scan[b]);
			sum += (double)likelihood[error > 63 ? 63 : error];
		}
		want[i] = (float)sum;
	}
	RUN("robotics/beam_likelihood", "", WORK(64), WORK(32), ARRAY(particles), ARRAY(grid),
	    INT(SIDE), ARRAY(directions), ARRAY(scan), INT(BEAMS), INT(RANGE), ARRAY(likelihood),
	    ARRAY(weights), INT(COUNT));
	assert_floats(weights, want, COUNT, 1e-5f);
	assert_true(hits > COUNT);
}

/* A walk along the weights; every particle has as many children as its share, or one more. */
static void systematic_resample_follows_weights(void **unused)
{
	enum { COUNT = 200 };
	int cumulative[COUNT + 1], ancestor[COUNT], children[COUNT] = {0};
	float pose[4 * COUNT], got[4 * COUNT], jitter[4] = {0.5f, 0.25f, 0, 0};
	(void)unused;
	seed();
	int64_t total = fill_rows(cumulative, COUNT, 50);
	fill_floats(pose, (size_t)4 * COUNT, -3, 3);
	RUN("robotics/systematic_resample", "", WORK(224), WORK(32), ARRAY(cumulative), ARRAY(pose),
	    ARRAY(got), ARRAY(ancestor), SCALAR(uint32_t, COUNT), FLOAT(0.5f),
	    {ARGUMENT_SCALAR, jitter, sizeof jitter});
	for (int64_t i = 0, at = 0; i < COUNT; i++) {
		while (cumulative[at + 1] <= (i * total + total / 2) / COUNT)
			at++;
		assert_int_equal(ancestor[i], at);
		children[at]++;
		for (int k = 0; k < 4; k++) {
			float most = k == 0 ? 0.2501f : k == 1 ? 0.1251f : 1e-6f;
			assert_true(fabsf(got[4 * i + k] - pose[4 * at + k]) <= most);
		}
	}
	for (int i = 0; i < COUNT; i++) {
		double share =
		        (double)(cumulative[i + 1] - cumulative[i]) / (double)total * (int)COUNT;
		assert_true(fabs(children[i] - share) <= 1.01);
	}
}

static void icp_accumulate_sums_nearest_pairs(void **unused)
{
	enum { SOURCE = 80, TARGET = 75, GROUP = 32, PARTS = 3, SUMS = 9 };
	float source[2 * SOURCE], target[2 * TARGET], sums[PARTS * SUMS], want[PARTS * SUMS];
	float guess[4] = {0.8f, 0.6f, 0.5f, -0.25f};
	double wanted[PARTS * SUMS] = {0};
	(void)unused;
	seed();
	fill_floats(source, (size_t)2 * SOURCE, -3, 3);
	fill_floats(target, (size_t)2 * TARGET, -3, 3);
	for (int i = 0; i < SOURCE; i++) {
		double x = 0.8 * (double)source[2 * i] - 0.6 * (double)source[2 * i + 1] + 0.5;
		double y = 0.6 * (double)source[2 * i] + 0.8 * (double)source[2 * i + 1] - 0.25;
		double least = 1, u = 0, v = 0, *row = wanted + i / GROUP * SUMS;
		for (int t = 0; t < TARGET; t++) {
			double right = (double)target[2 * t], down = (double)target[2 * t + 1];
			double apart = (right - x) * (right - x) + (down - y) * (down - y);
			if (apart < least) {
				least = apart;
				u = right;
				v = down;
			}
		}
		const double term[SUMS] = {1, x, y, u, v, x * u, x * v, y * u, y * v};
		for (int s = 0; s < SUMS && least < 1; s++)
			row[s] += term[s];
	}
	for (int i = 0; i < PARTS * SUMS; i++)
		want[i] = (float)wanted[i];
	RUN("robotics/icp_accumulate", "-DGROUP=32", WORK((size_t)PARTS * GROUP), WORK(GROUP),
	    ARRAY(source), ARRAY(target), INT(SOURCE), INT(TARGET),
	    {ARGUMENT_SCALAR, guess, sizeof guess}, FLOAT(1), ARRAY(sums));
	assert_floats(sums, want, (size_t)PARTS * SUMS, 1e-4f);
	assert_true(want[0] > 8 && want[0] < (int)GROUP);
}

/* Cells nearest to the line, in steps along its longer side; of an odd number there are no halves.
 */
static void carve_scan_frees_cells_before_hits(void **unused)
{
	enum { RAYS = 90, STATIONS = 7, SIDE = 32 };
	int x[RAYS], y[RAYS], station[RAYS], from_x[STATIONS], from_y[STATIONS];
	int odds[SIDE * SIDE] = {0}, want[SIDE * SIDE] = {0};
	(void)unused;
	seed();
	fill_ints(station, RAYS, STATIONS);
	fill_ints(from_x, STATIONS, SIDE);
	fill_ints(from_y, STATIONS, SIDE);
	for (int r = 0; r < RAYS; r++) {
		int across = 0, down = 0, n = 0;
		x[r] = from_x[station[r]];
		y[r] = from_y[station[r]];
		while (r > 0 && n % 2 == 0) {
			fill_ints(&x[r], 1, SIDE);
			fill_ints(&y[r], 1, SIDE);
			across = x[r] - from_x[station[r]];
			down = y[r] - from_y[station[r]];
			n = abs(across) > abs(down) ? abs(across) : abs(down);
		}
		for (int k = 0; k < n; k++)
			want[(from_y[station[r]] + lrint((double)down * k / n)) * SIDE +
			     from_x[station[r]] + lrint((double)across * k / n)] -= 3;
		want[y[r] * SIDE + x[r]] += 9;
	}
	RUN("robotics/carve_scan", "", WORK(96), WORK(32), ARRAY(x), ARRAY(y), ARRAY(station),
	    ARRAY(from_x), ARRAY(from_y), ARRAY(odds), INT(SIDE), INT(RAYS));
	assert_ints(odds, want, (size_t)SIDE * SIDE);
}

/* Frames as products of 4x4 matrices, and the nearest point of a link by small steps. */
static void arm_clearance_finds_the_nearest_sphere(void **unused)
{
	enum { COUNT = 50, SPHERES = 12, JOINTS = 6, STEPS = 400 };
	float angles[COUNT * JOINTS], arm[JOINTS][5], spheres[SPHERES][4], clearance[COUNT];
	int colliding[COUNT], collisions = 0;
	(void)unused;
	seed();
	fill_floats(angles, (size_t)COUNT * JOINTS, -3, 3);
	fill_floats(spheres[0], (size_t)4 * SPHERES, -1.5f, 1.5f);
	for (int s = 0; s < SPHERES; s++)
		spheres[s][3] = 0.1f;
	for (int j = 0; j < JOINTS; j++) {
		fill_floats(arm[j], 2, 0.1f, 0.5f);
		arm[j][2] = j % 2 == 0 ? 0.6f : 0;
		arm[j][3] = j % 2 == 0 ? -0.8f : 1;
		arm[j][4] = 0.05f;
	}
	RUN("robotics/arm_clearance", "", WORK(64), WORK(32), ARRAY(angles), ARRAY(arm),
	    ARRAY(spheres), INT(SPHERES), ARRAY(clearance), ARRAY(colliding), INT(COUNT));
	for (int i = 0; i < COUNT; i++) {
		double t[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
		double least = 1e9, from[3] = {0}, per_link[JOINTS];
		for (int j = 0; j < JOINTS; j++) {
			double c = cos((double)angles[i * JOINTS + j]);
			double s = sin((double)angles[i * JOINTS + j]);
			double a = (double)arm[j][0], d = (double)arm[j][1];
			double ca = (double)arm[j][2], sa = (double)arm[j][3];
			const double step[4][4] = {{c, -s * ca, s * sa, a * c},
			                           {s, c * ca, -c * sa, a * s},
			                           {0, sa, ca, d},
			                           {0, 0, 0, 1}};
			double product[4][4] = {{0}};
			for (int k = 0; k < 64; k++)
				product[k / 16][k % 4] +=
				        t[k / 16][k / 4 % 4] * step[k / 4 % 4][k % 4];
			memcpy(t, product, sizeof t);
			per_link[j] = 1e9;
			for (int k = 0; k < SPHERES * (STEPS + 1); k++) {
				const float *ball = spheres[k % SPHERES];
				double share = (double)(k / SPHERES) / (int)STEPS, apart = 0;
				for (int m = 0; m < 3; m++) {
					double at = from[m] + share * (t[m][3] - from[m]);
					apart += (at - (double)ball[m]) * (at - (double)ball[m]);
				}
				per_link[j] = fmin(per_link[j], sqrt(apart) - 0.15);
			}
			for (int m = 0; m < 3; m++)
				from[m] = t[m][3];
		}
		int link = colliding[i];
		for (int j = 0; j < (link < 0 ? (int)JOINTS : link); j++) {
			assert_true(per_link[j] > -1e-4);
			least = fmin(least, per_link[j]);
		}
		collisions += link >= 0;
		if (link < 0)
			assert_true(fabs(least - (double)clearance[i]) < 2e-3);
		else
			assert_true(per_link[link] < 2e-3 && clearance[i] < 0 &&
			            (double)clearance[i] > per_link[link] - 1e-4);
	}
	assert_in_range(collisions, 5, COUNT - 5);
}

CHECK_FAMILY(robotics, cmocka_unit_test(distance_envelope_is_the_least_sum),
             cmocka_unit_test(beam_likelihood_marches_to_walls),
             cmocka_unit_test(systematic_resample_follows_weights),
             cmocka_unit_test(icp_accumulate_sums_nearest_pairs),
             cmocka_unit_test(carve_scan_frees_cells_before_hits),
             cmocka_unit_test(arm_clearance_finds_the_nearest_sphere))
