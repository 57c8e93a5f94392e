/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of video against the host. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/check/run.h"

static void fill_bytes(uint8_t *to, size_t count, int low, int high)
{
	for (size_t i = 0; i < count; i++)
		to[i] = (uint8_t)(low + (int)(random_word() % (uint32_t)(high - low + 1)));
}

static int clipped(int value)
{
	return value < 0 ? 0 : value > 255 ? 255 : value;
}

static int apart(int a, int b)
{
	return abs(a - b);
}

static void motion_search_finds_the_cheapest_vector(void **unused)
{
	enum {
		BX = 5,
		BY = 3,
		RANGE = 4,
		W = 8 * BX,
		WIDE = W + 2 * RANGE,
		ALL = WIDE * (8 * BY + 8)
	};
	struct motion {
		int16_t dx, dy;
		uint32_t cost;
	} found[BX * BY];
	uint8_t now[W * 8 * BY], before[ALL];
	(void)unused;
	seed();
	fill_bytes(before, ALL, 0, 255);
	for (int y = 0; y < 8 * BY; y++) /* moved by (3, -2), with noise */
		for (int x = 0; x < W; x++)
			now[y * W + x] =
			        (uint8_t)clipped(before[(y + RANGE - 2) * WIDE + x + RANGE + 3] +
			                         (int)(random_word() % 9) - 4);
	RUN("codec/motion_search", "", WORK(8, 4), WORK(4, 2), ARRAY(now), ARRAY(before),
	    ARRAY(found), INT(BX), INT(BY));
	for (int b = 0; b < BX * BY; b++) {
		uint32_t least = UINT32_MAX;
		int at = 0;
		for (int k = 0; k < 81; k++) {
			int dx = k % 9 - 4, dy = k / 9 - 4;
			uint32_t cost = 4 * (uint32_t)(abs(dx) + abs(dy));
			for (int i = 0; i < 64; i++) {
				int x = b % BX * 8 + i % 8, y = b / BX * 8 + i / 8;
				cost += (uint32_t)apart(
				        now[y * W + x],
				        before[(y + dy + RANGE) * WIDE + x + dx + RANGE]);
			}
			if (cost < least) {
				least = cost;
				at = k;
			}
		}
		assert_int_equal(found[b].cost, least);
		assert_int_equal(found[b].dx, at % 9 - 4);
		assert_int_equal(found[b].dy, at / 9 - 4);
	}
}

static void deblock_edges_smooths_what_differs_little(void **unused)
{
	enum { W = 48, H = 12, EDGES = W / 8 - 1, ALPHA = 50, BETA = 11, QUALITY = 36 };
	uint8_t frame[W * H], want[W * H], strength[EDGES * H / 4];
	int changed = 0;
	(void)unused;
	seed();
	fill_bytes(frame, W * H, 100, 110);
	fill_bytes(strength, sizeof strength, 0, 255);
	memcpy(want, frame, sizeof want);
	for (int y = 0; y < H; y++)
		for (int edge = 0; edge < EDGES; edge++) {
			int bs = strength[y / 4 * EDGES + edge] % 5, v[6];
			uint8_t *to = want + y * W + 8 * edge + 5;
			for (int k = 0; k < 6; k++) /* p2 p1 p0 q0 q1 q2 */
				v[k] = to[k];
			if (bs == 0 || apart(v[2], v[3]) >= ALPHA || apart(v[1], v[2]) >= BETA ||
			    apart(v[4], v[3]) >= BETA)
				continue;
			changed++;
			if (bs == 4) {
				to[1] = (uint8_t)((v[0] + v[1] + v[2] + v[3] + 2) / 4);
				to[2] = (uint8_t)((v[0] + 2 * (v[1] + v[2] + v[3]) + v[4] + 4) / 8);
				to[3] = (uint8_t)((v[1] + 2 * (v[2] + v[3] + v[4]) + v[5] + 4) / 8);
				to[4] = (uint8_t)((v[2] + v[3] + v[4] + v[5] + 2) / 4);
				continue;
			}
			int most = bs + (apart(v[0], v[2]) < BETA) + (apart(v[5], v[3]) < BETA);
			double delta = floor((4 * (v[3] - v[2]) + v[1] - v[4] + 4) / 8.0);
			delta = fmax(-most, fmin(most, delta));
			to[2] = (uint8_t)clipped(v[2] + (int)delta);
			to[3] = (uint8_t)clipped(v[3] - (int)delta);
		}
	assert_in_range(changed, 10, EDGES * H);
	RUN("codec/deblock_edges", "", WORK(8, 12), WORK(4, 4), ARRAY(frame), ARRAY(strength),
	    INT(W), INT(H), INT(QUALITY));
	assert_memory_equal(frame, want, sizeof want);
}

static void quantise_zigzag_divides_in_order(void **unused)
{
	enum { BLOCKS = 40 };
	int16_t coefficients[64 * BLOCKS], levels[64 * BLOCKS];
	uint16_t reciprocal[64];
	uint8_t coded[BLOCKS];
	int x = 0, y = 0, up = 1, order[64];
	(void)unused;
	for (int k = 0; k < 64; k++) { /* along diagonals, turning at the borders */
		order[k] = 8 * y + x;
		if (up == 1 && (x == 7 || y == 0)) {
			x == 7 ? y++ : x++;
			up = 0;
		} else if (up == 0 && (x == 0 || y == 7)) {
			y == 7 ? x++ : y++;
			up = 1;
		} else {
			x += up ? 1 : -1;
			y += up ? -1 : 1;
		}
	}
	seed();
	for (int k = 0; k < 64; k++)
		reciprocal[k] = (uint16_t)(65536 / (8 + k));
	for (int i = 0; i < 64 * BLOCKS; i++)
		coefficients[i] = (int16_t)(((int)(random_word() % 401) - 200) / (1 + i % 5));
	RUN("codec/quantise_zigzag", "", WORK(64), WORK(32), ARRAY(coefficients), ARRAY(reciprocal),
	    SCALAR(uint32_t, 32768), ARRAY(levels), ARRAY(coded), INT(BLOCKS));
	for (int b = 0; b < BLOCKS; b++) {
		int last = 0;
		for (int k = 0; k < 64; k++) {
			int c = coefficients[64 * b + order[k]];
			int level = (int)(abs(c) * (int64_t)reciprocal[order[k]] + 32768) / 65536;
			assert_int_equal(levels[64 * b + k], c < 0 ? -level : level);
			last = level != 0 ? k + 1 : last;
		}
		assert_int_equal(coded[b], last);
	}
}

static void nv12_to_rgba_converts(void **unused)
{
	enum { W = 20, H = 12 };
	uint8_t luma[W * H], chroma[W * H / 2], rgba[4 * W * H];
	(void)unused;
	seed();
	fill_bytes(luma, sizeof luma, 0, 255);
	fill_bytes(chroma, sizeof chroma, 0, 255);
	RUN("codec/nv12_to_rgba", "", WORK(16, 8), WORK(8, 4), ARRAY(luma), ARRAY(chroma),
	    ARRAY(rgba), SCALAR(uint32_t, W / 2), SCALAR(uint32_t, H / 2));
	for (int i = 0; i < W * H; i++) {
		int at = i / W / 2 * W + i % W / 2 * 2;
		double y = 298.0 * (luma[i] - 16), u = chroma[at] - 128, v = chroma[at + 1] - 128;
		int r = (int)floor((y + 409 * v + 128) / 256);
		int g = (int)floor((y - 100 * u - 208 * v + 128) / 256);
		int b = (int)floor((y + 516 * u + 128) / 256);
		uint8_t want[4] = {(uint8_t)clipped(r), (uint8_t)clipped(g), (uint8_t)clipped(b),
		                   255};
		assert_memory_equal(rgba + 4 * i, want, 4);
	}
}

static void intra_modes_chooses_the_cheapest(void **unused)
{
	enum { BX = 7, BY = 5, PITCH = 4 * BX + 8, ALL = PITCH * (4 * BY + 1) };
	uint8_t frame[ALL], chosen[BX * BY];
	uint16_t price[BX * BY];
	int used[5] = {0};
	(void)unused;
	seed();
	for (int i = 0; i < ALL; i++) /* slopes of all kinds */
		frame[i] =
		        (uint8_t)((i % PITCH * (i / PITCH / 4) * 3 + i / PITCH * (i % PITCH / 4)) /
		                          2 +
		                  (int)(random_word() % 6));
	RUN("codec/intra_modes", "", WORK(8, 8), WORK(8, 4), ARRAY(frame), ARRAY(chosen),
	    ARRAY(price), INT(BX), INT(BY));
	for (int b = 0; b < BX * BY; b++) {
		const uint8_t *o = frame + (b / BX * 4 + 1) * PITCH + b % BX * 4 + 4;
		const uint8_t *top = o - PITCH;
		int mean = 4, least = INT_MAX, way = 0;
		for (int k = 0; k < 4; k++)
			mean += top[k] + o[k * PITCH - 1];
		for (int mode = 0; mode < 5; mode++) {
			int cost = 8 * mode;
			for (int y = 0; y < 4; y++)
				for (int x = 0; x < 4; x++) {
					int left = o[y * PITCH - 1],
					    far = x + y + 2 < 7 ? x + y + 2 : 7;
					int all[5] = {
					        top[x], left, mean / 8,
					        (top[x + y] + 2 * top[x + y + 1] + top[far] + 2) /
					                4,
					        ((3 - x) * left + (x + 1) * top[4] +
					         (3 - y) * top[x] + (y + 1) * o[3 * PITCH - 1] +
					         4) / 8};
					cost += apart(o[y * PITCH + x], all[mode]);
				}
			if (cost < least) {
				least = cost;
				way = mode;
			}
		}
		used[way]++;
		assert_int_equal(chosen[b], way);
		assert_int_equal(price[b], least);
	}
	assert_true(used[0] < BX * BY);
}

static void sixtap_tiled_filters_rows_and_columns(void **unused)
{
	enum { W = 32, H = 16, PITCH = W + 5 };
	static const int tap[6] = {1, -5, 20, 20, -5, 1};
	uint8_t frame[PITCH * (H + 5)], between[W * H], want[W * H];
	(void)unused;
	seed();
	fill_bytes(frame, sizeof frame, 0, 255);
	for (int i = 0; i < W * H; i++) {
		int sum = 512;
		for (int b = 0; b < 6; b++)
			for (int a = 0; a < 6; a++)
				sum += tap[a] * tap[b] * frame[(i / W + b) * PITCH + i % W + a];
		want[i] = (uint8_t)clipped((int)floor(sum / 1024.0));
	}
	RUN("codec/sixtap_tiled", "-DTILE_X=16 -DTILE_Y=8", WORK(W, H), WORK(16, 8), ARRAY(frame),
	    ARRAY(between), INT(W));
	assert_memory_equal(between, want, sizeof want);
}

CHECK_FAMILY(codec, cmocka_unit_test(motion_search_finds_the_cheapest_vector),
             cmocka_unit_test(deblock_edges_smooths_what_differs_little),
             cmocka_unit_test(quantise_zigzag_divides_in_order),
             cmocka_unit_test(nv12_to_rgba_converts),
             cmocka_unit_test(intra_modes_chooses_the_cheapest),
             cmocka_unit_test(sixtap_tiled_filters_rows_and_columns))
