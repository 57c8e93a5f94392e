/* SPDX-License-Identifier: Apache-2.0 */
/* Lines, corners, labels and motion against the host. */
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/check/run.h"

static const double pi = 3.14159265358979323846;

static void hough_lines_counts_pixels_of_lines(void **unused)
{
	enum { W = 20, H = 13, RANGE = W + H, ANGLES = 180 };
	static int votes[ANGLES * 2 * RANGE], want[ANGLES * 2 * RANGE];
	uint8_t edges[W * H];
	float direction[2 * ANGLES];
	(void)unused;
	memset(votes, 0, sizeof votes);
	seed();
	for (int i = 0; i < W * H; i++)
		edges[i] = (uint8_t)random_word();
	fill_floats(direction, 2 * ANGLES, -1, 1);
	for (int i = 0; i < W * H; i++)
		for (int k = 0; k < ANGLES && edges[i] >= 200; k++) {
			double at = i % W * (double)direction[2 * k] +
			            i / W * (double)direction[2 * k + 1];
			want[k * 2 * RANGE + RANGE + (int)floor(at)]++;
		}
	RUN("vision/hough_lines", "", WORK(24, 16), WORK(8, 4), ARRAY(edges), ARRAY(direction),
	    ARRAY(votes), INT(W), INT(H), INT(200));
	assert_ints(votes, want, ANGLES * 2 * RANGE);
}

/* Descriptors by triangles around each direction instead of two bins. */
static void gradient_cells_describes_points(void **unused)
{
	enum { POINTS = 4, W = 60, H = 50, BINS = 8, ALL = 16 * BINS };
	const double turn = BINS;
	float points[4 * POINTS], image[W * H];
	uint8_t descriptors[POINTS * ALL];
	(void)unused;
	seed();
	fill_floats(points, 4 * POINTS, 0, 1);
	fill_floats(image, W * H, 0, 1);
	RUN("vision/gradient_cells", "", WORK(16 * POINTS), WORK(32), ARRAY(points), ARRAY(image),
	    ARRAY(descriptors), INT(W), INT(H), LOCAL(4 * 32));
	for (int n = 0; n < POINTS; n++) {
		double bins[ALL] = {0}, square = 0, angle = (double)points[4 * n + 2];
		for (int s = 0; s < 256; s++) {
			double u = s % 16 - 7.5, v = s / 16 - 7.5;
			double px =
			        (double)points[4 * n] * (int)W + cos(angle) * u - sin(angle) * v;
			double py = (double)points[4 * n + 1] * (int)H + sin(angle) * u +
			            cos(angle) * v;
			int x = (int)fmax(1, fmin(W - 2, px)), y = (int)fmax(1, fmin(H - 2, py));
			const float *at = image + y * W + x;
			double dx = (double)at[1] - (double)at[-1],
			       dy = (double)at[W] - (double)at[-W];
			double weight = hypot(dx, dy) * exp(-(u * u + v * v) / 128);
			for (int b = 0; b < BINS; b++) {
				double away = (atan2(dy, dx) - angle) * turn / (2 * pi) - b;
				away = fabs(away - turn * round(away / turn));
				bins[(s / 64 * 4 + s % 16 / 4) * BINS + b] +=
				        weight * fmax(0, 1 - away);
			}
		}
		for (int b = 0; b < ALL; b++)
			square += bins[b] * bins[b];
		for (int b = 0; b < ALL; b++) {
			double want = 512 * fmin(0.2, bins[b] / sqrt(square));
			assert_true(fabs(descriptors[n * ALL + b] - want) <= 1.1);
		}
	}
}

static void label_tile_labels_what_is_connected(void **unused)
{
	enum { W = 48, H = 16, TILE_X = 16, TILE_Y = 8, THRESHOLD = 110 };
	uint8_t image[W * H];
	int labels[W * H], want[W * H];
	bool more = true;
	(void)unused;
	seed();
	for (int i = 0; i < W * H; i++) {
		image[i] = (uint8_t)random_word();
		want[i] = image[i] >= THRESHOLD ? i + 1 : 0;
	}
	while (more) {
		more = false;
		for (int i = 0; i < W * H; i++)
			for (int j = 0; j < W * H; j++) {
				int dx = abs(i % W - j % W), dy = abs(i / W - j / W);
				if (dx + dy == 1 && i % W / TILE_X == j % W / TILE_X &&
				    i / W / TILE_Y == j / W / TILE_Y && want[j] != 0 &&
				    want[j] < want[i]) {
					want[i] = want[j];
					more = true;
				}
			}
	}
	RUN("vision/label_tile", "-DTILE_X=16 -DTILE_Y=8", WORK(W, H), WORK(TILE_X, TILE_Y),
	    ARRAY(image), ARRAY(labels), INT(W), INT(THRESHOLD));
	assert_ints(labels, want, W * H);
}

static void lucas_kanade_minimises_the_difference(void **unused)
{
	enum { W = 19, H = 11, PITCH = W + 6, ALL = PITCH * (H + 6) };
	float first[ALL], second[ALL], flow[2 * W * H];
	(void)unused;
	seed();
	for (int i = 0; i < ALL; i++) {
		double x = i % PITCH, y = i / PITCH;
		first[i] = (float)(sin(x / 2) + cos(y / 3 + x / 5));
		second[i] = (float)(sin((x - 0.1) / 2) + cos((y + 0.2) / 3 + (x - 0.1) / 5));
	}
	RUN("vision/lucas_kanade", "", WORK(24, 12), WORK(8, 4), ARRAY(first), ARRAY(second),
	    ARRAY(flow), INT(W), INT(H));
	for (int i = 0; i < W * H;
	     i++) { /* what the normal equations leave is orthogonal to both gradients */
		double rest[2] = {0}, size = 0;
		for (int k = 0; k < 25; k++) {
			const float *p = first + (i / W + 1 + k / 5) * PITCH + i % W + 1 + k % 5;
			double g[2] = {((double)p[1] - (double)p[-1]) / 2,
			               ((double)p[PITCH] - (double)p[-PITCH]) / 2};
			double r = (double)second[p - first] - (double)p[0] +
			           g[0] * (double)flow[2 * i] + g[1] * (double)flow[2 * i + 1];
			rest[0] += g[0] * r;
			rest[1] += g[1] * r;
			size += g[0] * g[0] + g[1] * g[1];
		}
		assert_true(size > 0.1 && fabs(rest[0]) + fabs(rest[1]) < 2e-3);
		assert_true(flow[2 * i] != 0);
	}
}

static void census_match_finds_the_nearest(void **unused)
{
	enum { W = 25, H = 6, SHIFTS = 48 };
	uint64_t left[W * H], right[(W + SHIFTS) * H];
	uint8_t shift[W * H], cost[W * H];
	(void)unused;
	seed();
	fill_words((uint32_t *)left, sizeof left / 4);
	fill_words((uint32_t *)right, sizeof right / 4);
	for (int i = 0; i < W * H; i += 2) /* as seen 20 pixels away, but for a bit */
		right[i / W * (W + SHIFTS) + i % W + SHIFTS - 20] = left[i] ^ (uint64_t)1 << i % 64;
	RUN("vision/census_match", "", WORK(32, 8), WORK(16, 2), ARRAY(left), ARRAY(right),
	    ARRAY(shift), ARRAY(cost), INT(W), INT(H));
	for (int i = 0; i < W * H; i++) {
		int least = 65, where = 0;
		for (int d = 0; d < SHIFTS; d++) {
			uint64_t other = right[i / W * (W + SHIFTS) + i % W + SHIFTS - d];
			int differ = 0;
			for (uint64_t bits = left[i] ^ other; bits != 0; bits &= bits - 1)
				differ++;
			if (differ < least) {
				least = differ;
				where = d;
			}
		}
		assert_int_equal(shift[i], where);
		assert_int_equal(cost[i], least);
		assert_true(i % 2 != 0 || where == 20);
	}
}

static int by_place(const void *a, const void *b)
{
	const int *p = a, *q = b;
	return p[1] != q[1] ? p[1] - q[1] : p[0] - q[0];
}

static void fast_corners_lists_arcs_of_nine(void **unused)
{
	enum { W = 40, H = 30, MOST = 400, THRESHOLD = 25 };
	static const int circle[16][2] = {{0, -3}, {1, -3},  {2, -2},  {3, -1}, {3, 0},  {3, 1},
	                                  {2, 2},  {1, 3},   {0, 3},   {-1, 3}, {-2, 2}, {-3, 1},
	                                  {-3, 0}, {-3, -1}, {-2, -2}, {-1, -3}};
	uint8_t image[W * H];
	int corners[2 * MOST], want[2 * MOST], count = 0;
	uint32_t found[1] = {0};
	(void)unused;
	seed();
	for (int i = 0; i < W * H; i++) /* squares of 5, with noise */
		image[i] = (uint8_t)((int)(random_word() % 20) + (i % W / 5 + i / W / 5) % 2 * 90 +
		                     (random_word() % 40 == 0 ? 110 : 0));
	for (int y = 3; y < H - 3; y++)
		for (int x = 3; x < W - 3; x++) {
			int middle = image[y * W + x], longest = 0;
			for (int sign = -1; sign <= 1; sign += 2)
				for (int k = 0, arc = 0; k < 32; k++) {
					const int *c = circle[k % 16];
					int other = image[(y + c[1]) * W + x + c[0]];
					arc = sign * (other - middle) > THRESHOLD ? arc + 1 : 0;
					longest = arc > longest ? arc : longest;
				}
			if (longest >= 9) {
				want[2 * count] = x;
				want[2 * count++ + 1] = y;
			}
		}
	assert_in_range(count, 5, MOST);
	RUN("vision/fast_corners", "", WORK(40, 24), WORK(8, 4), ARRAY(image), ARRAY(corners),
	    ARRAY(found), SCALAR(uint32_t, MOST), INT(W), INT(H), INT(THRESHOLD));
	assert_int_equal(found[0], count);
	qsort(corners, found[0], 2 * sizeof corners[0], by_place);
	assert_ints(corners, want, 2 * (size_t)count);
}

CHECK_FAMILY(vision, cmocka_unit_test(hough_lines_counts_pixels_of_lines),
             cmocka_unit_test(gradient_cells_describes_points),
             cmocka_unit_test(label_tile_labels_what_is_connected),
             cmocka_unit_test(lucas_kanade_minimises_the_difference),
             cmocka_unit_test(census_match_finds_the_nearest),
             cmocka_unit_test(fast_corners_lists_arcs_of_nine))
