/* SPDX-License-Identifier: Apache-2.0 */
/* Image processing: filters, corners, colours and histograms against the host. */
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/check/run.h"

enum { W = 48, H = 32, PIXELS = W * H, PITCH = W + 8, PADDED = PITCH * (H + 8) };

static float in[PIXELS], out[PIXELS], want[PIXELS], padded[PADDED];
static unsigned char bytes[PIXELS], bytes_out[PIXELS];

static void make(void)
{
	seed();
	fill_floats(in, PIXELS, 0, 1);
	fill_floats(padded, PADDED, 0, 1);
	for (int i = 0; i < PIXELS; i++)
		bytes[i] = (unsigned char)random_word();
	memset(out, 0, sizeof out);
	memset(want, 0, sizeof want);
}

static int within(int value, int limit)
{
	return value < 0 ? 0 : value >= limit ? limit - 1 : value;
}

static float pixel(int x, int y)
{
	return in[within(y, H) * W + within(x, W)];
}

static void gauss_rows_weighs_five(void **unused)
{
	static const float weight[5] = {1, 4, 6, 4, 1};
	(void)unused;
	make();
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++)
			for (int k = -2; k <= 2; k++)
				want[y * W + x] += weight[k + 2] / 16 * pixel(x + k, y);
	RUN("image/gauss_rows", "", WORK(64, H), WORK(32, 4), ARRAY(in), ARRAY(out), INT(W),
	    INT(H));
	assert_floats(out, want, PIXELS, 1e-6f);
}

static void gauss_columns_weighs_a_halo(void **unused)
{
	enum { RADIUS = 3 };
	static float tall[W * (H + 2 * RADIUS)];
	float weight[2 * RADIUS + 1];
	(void)unused;
	make();
	fill_floats(tall, W * (H + 2 * RADIUS), 0, 1);
	fill_floats(weight, 2 * RADIUS + 1, 0, 0.3f);
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++)
			for (int k = 0; k < 2 * RADIUS + 1; k++)
				want[y * W + x] += weight[k] * tall[(y + k) * W + x];
	RUN("image/gauss_columns", "", WORK(W, H), WORK(16, 4), ARRAY(tall), ARRAY(out),
	    ARRAY(weight), INT(W), INT(RADIUS));
	assert_floats(out, want, PIXELS, 1e-5f);
}

static void sobel_is_half_the_sum_of_gradients(void **unused)
{
	(void)unused;
	make();
	RUN("image/sobel", "", WORK(W, H), WORK(16, 16), ARRAY(bytes), ARRAY(bytes_out), INT(W),
	    INT(H));
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++) {
			int gx = 0, gy = 0, strength = 0;
			if (x > 0 && y > 0 && x < W - 1 && y < H - 1) {
				for (int k = -1; k <= 1; k++) {
					int weight = k == 0 ? 2 : 1;
					gx += weight * (bytes[(y + k) * W + x + 1] -
					                bytes[(y + k) * W + x - 1]);
					gy += weight * (bytes[(y + 1) * W + x + k] -
					                bytes[(y - 1) * W + x + k]);
				}
				strength = (abs(gx) + abs(gy)) / 2;
			}
			assert_int_equal(bytes_out[y * W + x], strength > 255 ? 255 : strength);
		}
}

static int by_value(const void *left, const void *right)
{
	float a = *(const float *)left, b = *(const float *)right;
	return (a > b) - (a < b);
}

static void median3x3_is_the_fifth_of_nine(void **unused)
{
	(void)unused;
	make();
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++) {
			float nine[9];
			for (int k = 0; k < 9; k++)
				nine[k] = padded[(y + k / 3) * PITCH + x + k % 3];
			qsort(nine, 9, sizeof nine[0], by_value);
			want[y * W + x] = nine[4];
		}
	RUN("image/median3x3", "", WORK(W, H), WORK(16, 8), ARRAY(padded), ARRAY(out), INT(PITCH));
	assert_floats(out, want, PIXELS, 0);
}

static void bilateral_weighs_distance_and_contrast(void **unused)
{
	const double space = 0.2, range = 4;
	(void)unused;
	make();
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++) {
			double sum = 0, weights = 0;
			for (int dy = -2; dy <= 2; dy++)
				for (int dx = -2; dx <= 2; dx++) {
					double value = (double)pixel(x + dx, y + dy);
					double contrast = value - (double)pixel(x, y);
					double weight = exp(-space * (dx * dx + dy * dy)) *
					                exp(-range * contrast * contrast);
					sum += weight * value;
					weights += weight;
				}
			want[y * W + x] = (float)(sum / weights);
		}
	RUN("image/bilateral", "", WORK(W, H), WORK(16, 8), ARRAY(in), ARRAY(out), INT(W), INT(H),
	    INT(2), FLOAT((float)space), FLOAT((float)range));
	assert_floats(out, want, PIXELS, 1e-5f);
}

static double patch_distance(int x, int y, int dx, int dy)
{
	double sum = 0;
	for (int k = 0; k < 9; k++) {
		int at = (y + k / 3 - 1) * PITCH + x + k % 3 - 1;
		double difference = (double)padded[at] - (double)padded[at + dy * PITCH + dx];
		sum += difference * difference;
	}
	return sum;
}

static void nlm_weighs_like_patches(void **unused)
{
	(void)unused;
	make();
	for (int y = 4; y < H + 4; y++)
		for (int x = 4; x < W + 4; x++) {
			double sum = 0, weights = 0;
			for (int k = 0; k < 49; k++) {
				int dx = k % 7 - 3, dy = k / 7 - 3;
				double weight = exp(-0.5 * patch_distance(x, y, dx, dy));
				sum += weight * (double)padded[(y + dy) * PITCH + x + dx];
				weights += weight;
			}
			want[(y - 4) * W + x - 4] = (float)(sum / weights);
		}
	RUN("image/nlm", "", WORK(W, H), WORK(16, 4), ARRAY(padded), ARRAY(out), INT(PITCH),
	    FLOAT(0.5f));
	assert_floats(out, want, PIXELS, 1e-4f);
}

static void harris_is_determinant_less_trace(void **unused)
{
	(void)unused;
	make();
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++) {
			double xx = 0, yy = 0, xy = 0;
			for (int k = 0; k < 9; k++) {
				const float *at = padded + (y + 1 + k / 3) * PITCH + x + 1 + k % 3;
				double gx = ((double)at[1] - (double)at[-1]) / 2;
				double gy = ((double)at[PITCH] - (double)at[-PITCH]) / 2;
				xx += gx * gx;
				yy += gy * gy;
				xy += gx * gy;
			}
			want[y * W + x] = (float)(xx * yy - xy * xy - 0.04 * (xx + yy) * (xx + yy));
		}
	RUN("image/harris", "", WORK(W, H), WORK(8, 8), ARRAY(padded), ARRAY(out), INT(PITCH),
	    FLOAT(0.04f));
	assert_floats(out, want, PIXELS, 1e-5f);
}

static void integral_passes_sum_all_above_and_left(void **unused)
{
	(void)unused;
	make();
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++)
			want[y * W + x] = in[y * W + x] + (x > 0 ? want[y * W + x - 1] : 0) +
			                  (y > 0 ? want[y * W - W + x] : 0) -
			                  (x > 0 && y > 0 ? want[y * W - W + x - 1] : 0);
	RUN("image/integral_rows", "", WORK(64), WORK(32), ARRAY(in), ARRAY(out), INT(W), INT(H));
	RUN("image/integral_columns", "", WORK(W), WORK(16), ARRAY(out), INT(W), INT(H));
	assert_floats(out, want, PIXELS, 1e-4f);
}

static void resize_interpolates_between_four(void **unused)
{
	enum { TO_X = 32, TO_Y = 48 };
	static float resized[TO_X * TO_Y];
	(void)unused;
	make();
	RUN("image/resize_bilinear", "", WORK(TO_X, TO_Y), WORK(8, 8), ARRAY(in), ARRAY(resized),
	    INT(W), INT(H), FLOAT((float)W / (float)TO_X), FLOAT((float)H / (float)TO_Y));
	for (int y = 0; y < TO_Y; y++)
		for (int x = 0; x < TO_X; x++) {
			double sx = (x + 0.5) * (double)W / (double)TO_X - 0.5;
			double sy = (y + 0.5) * (double)H / (double)TO_Y - 0.5;
			int x0 = (int)floor(sx), y0 = (int)floor(sy);
			double fx = sx - x0, fy = sy - y0;
			double value = (1 - fx) * (1 - fy) * (double)pixel(x0, y0) +
			               fx * (1 - fy) * (double)pixel(x0 + 1, y0) +
			               (1 - fx) * fy * (double)pixel(x0, y0 + 1) +
			               fx * fy * (double)pixel(x0 + 1, y0 + 1);
			float expected = (float)value;
			assert_floats(&resized[y * TO_X + x], &expected, 1, 1e-4f);
		}
}

static void rgb_becomes_luma_and_chroma(void **unused)
{
	static unsigned char rgba[4 * PIXELS], luma[PIXELS], u[PIXELS], v[PIXELS];
	(void)unused;
	seed();
	for (int i = 0; i < 4 * PIXELS; i++)
		rgba[i] = (unsigned char)random_word();
	RUN("image/rgb_to_yuv", "", WORK(PIXELS + 64), WORK(64), ARRAY(rgba), ARRAY(luma), ARRAY(u),
	    ARRAY(v), INT(PIXELS));
	for (int i = 0; i < PIXELS; i++) {
		double r = rgba[4 * i], g = rgba[4 * i + 1], b = rgba[4 * i + 2];
		assert_true(fabs(luma[i] - (16 + (65.7 * r + 129.1 * g + 25.1 * b) / 256)) <= 2);
		assert_true(fabs(u[i] - (128 + (112.4 * b - 37.9 * r - 74.5 * g) / 256)) <= 2);
		assert_true(fabs(v[i] - (128 + (112.4 * r - 94.2 * g - 18.3 * b) / 256)) <= 2);
	}
}

static void tone_map_compresses_luminance(void **unused)
{
	static float hdr[4 * 256], ldr[4 * 256];
	(void)unused;
	seed();
	fill_floats(hdr, 4 * 256, 0.01f, 20);
	RUN("image/tone_map", "", WORK(256), WORK(64), ARRAY(hdr), ARRAY(ldr), FLOAT(0.7f),
	    FLOAT(1 / 2.2f));
	for (int i = 0; i < 256; i++) {
		const float *p = hdr + 4 * i;
		double luminance =
		        0.2126 * (double)p[0] + 0.7152 * (double)p[1] + 0.0722 * (double)p[2];
		for (int k = 0; k < 4; k++) {
			float value =
			        (float)pow((double)p[k] * 0.7 / (1 + 0.7 * luminance), 1 / 2.2);
			assert_floats(&ldr[4 * i + k], &value, 1, 1e-5f);
		}
	}
}

static void histogram_counts_every_byte(void **unused)
{
	uint32_t bins[256] = {0}, counts[256] = {0};
	(void)unused;
	make();
	for (int i = 0; i < PIXELS; i++)
		counts[bytes[i]]++;
	RUN("image/histogram256", "", WORK(256), WORK(64), ARRAY(bytes), ARRAY(bins), INT(PIXELS));
	assert_words(bins, counts, 256);
}

CHECK_FAMILY(image, cmocka_unit_test(gauss_rows_weighs_five),
             cmocka_unit_test(gauss_columns_weighs_a_halo),
             cmocka_unit_test(sobel_is_half_the_sum_of_gradients),
             cmocka_unit_test(median3x3_is_the_fifth_of_nine),
             cmocka_unit_test(bilateral_weighs_distance_and_contrast),
             cmocka_unit_test(nlm_weighs_like_patches),
             cmocka_unit_test(harris_is_determinant_less_trace),
             cmocka_unit_test(integral_passes_sum_all_above_and_left),
             cmocka_unit_test(resize_interpolates_between_four),
             cmocka_unit_test(rgb_becomes_luma_and_chroma),
             cmocka_unit_test(tone_map_compresses_luminance),
             cmocka_unit_test(histogram_counts_every_byte))
