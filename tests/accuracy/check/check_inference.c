/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of networks against the host, in double. */
#include <string.h>

#include "tests/accuracy/check/run.h"

static void softmax_rows_sum_to_one(void **unused)
{
	enum { ROWS = 3, COLUMNS = 50, GROUP = 16 };
	float in[ROWS * COLUMNS], out[ROWS * COLUMNS], want[ROWS * COLUMNS];
	(void)unused;
	seed();
	fill_floats(in, ROWS * COLUMNS, -5, 5);
	in[7] = 100; /* its exponential overflows */
	for (int r = 0; r < ROWS; r++)
		for (int c = 0; c < COLUMNS; c++) {
			double sum = 0;
			for (int k = 0; k < COLUMNS; k++)
				sum += exp((double)in[r * COLUMNS + k] -
				           (double)in[r * COLUMNS + c]);
			want[r * COLUMNS + c] = (float)(1 / sum);
		}
	RUN("inference/softmax_rows", "", WORK(ROWS * GROUP), WORK(GROUP), ARRAY(in), ARRAY(out),
	    INT(COLUMNS), LOCAL(4 * GROUP));
	assert_floats(out, want, ROWS * COLUMNS, 1e-5f);
}

static void layer_norm_has_mean_and_variance(void **unused)
{
	enum { ROWS = 20, WIDTH = 24 };
	float x[ROWS * WIDTH], y[ROWS * WIDTH], want[ROWS * WIDTH], gain[WIDTH], bias[WIDTH];
	(void)unused;
	seed();
	fill_floats(x, ROWS * WIDTH, -1, 2);
	fill_floats(gain, WIDTH, 0.5f, 2);
	fill_floats(bias, WIDTH, -1, 1);
	for (int r = 0; r < ROWS; r++) {
		double mean = 0, variance = 0;
		for (int k = 0; k < WIDTH; k++)
			mean += (double)x[r * WIDTH + k] / (double)WIDTH;
		for (int k = 0; k < WIDTH; k++)
			variance += pow((double)x[r * WIDTH + k] - mean, 2) / (double)WIDTH;
		for (int k = 0; k < WIDTH; k++)
			want[r * WIDTH + k] =
			        (float)(((double)x[r * WIDTH + k] - mean) / sqrt(variance + 1e-3) *
			                        (double)gain[k] +
			                (double)bias[k]);
	}
	RUN("inference/layer_norm", "", WORK(32), WORK(16), ARRAY(x), ARRAY(y), ARRAY(gain),
	    ARRAY(bias), INT(ROWS), INT(WIDTH / 4), FLOAT(1e-3f));
	assert_floats(y, want, ROWS * WIDTH, 1e-4f);
}

static void depthwise_conv_keeps_channels_apart(void **unused)
{
	enum { W = 11, H = 6, CHANNELS = 4, ALL = W * H * CHANNELS };
	float in[ALL], out[ALL], want[ALL], weight[9 * CHANNELS], bias[CHANNELS];
	(void)unused;
	seed();
	fill_floats(in, ALL, -3, 3);
	fill_floats(weight, 9 * CHANNELS, -1, 1);
	fill_floats(bias, CHANNELS, 0, 2);
	for (int c = 0; c < CHANNELS; c++)
		for (int i = 0; i < W * H; i++) {
			double sum = (double)bias[c];
			for (int k = 0; k < 9; k++) {
				int x = i % W + k % 3 - 1, y = i / W + k / 3 - 1;
				bool beyond = x < 0 || x >= W || y < 0 || y >= H;
				sum += (double)weight[9 * c + k] *
				       (beyond ? 0 : (double)in[(c * H + y) * W + x]);
			}
			want[c * W * H + i] = (float)fmin(fmax(sum, 0), 6);
		}
	RUN("inference/depthwise_conv", "", WORK(16, 8, CHANNELS), WORK(8, 4, 1), ARRAY(in),
	    ARRAY(weight), ARRAY(bias), ARRAY(out), INT(W), INT(H));
	assert_floats(out, want, ALL, 1e-5f);
}

static void matmul_int8_saturates(void **unused)
{
	enum { ROWS = 8, COLUMNS = 16, INNER = 20 };
	int8_t left[ROWS * INNER], right[COLUMNS * INNER], out[ROWS * COLUMNS];
	int bias[COLUMNS], got[ROWS * COLUMNS], want[ROWS * COLUMNS], ends = 0;
	const float scale = 0x1p-8f;
	(void)unused;
	seed();
	for (int i = 0; i < ROWS * INNER; i++)
		left[i] = (int8_t)(random_word() % 255 - 127);
	for (int i = 0; i < COLUMNS * INNER; i++)
		right[i] = (int8_t)(random_word() % 255 - 127);
	fill_ints(bias, COLUMNS, 5000);
	for (int i = 0; i < ROWS * COLUMNS; i++) {
		int sum = bias[i % COLUMNS];
		for (int k = 0; k < INNER; k++)
			sum += left[i / COLUMNS * INNER + k] * right[i % COLUMNS * INNER + k];
		want[i] = (int)fmax(-128, fmin(127, nearbyint(sum * (double)scale)));
		ends += want[i] == -128 || want[i] == 127;
	}
	assert_in_range(ends, 1, ROWS * COLUMNS - 1);
	RUN("inference/matmul_int8", "", WORK(COLUMNS, ROWS), WORK(8, 4), ARRAY(left), ARRAY(right),
	    ARRAY(bias), ARRAY(out), INT(COLUMNS), INT(INNER), FLOAT(scale));
	for (int i = 0; i < ROWS * COLUMNS; i++)
		got[i] = out[i];
	assert_ints(got, want, ROWS * COLUMNS);
}

static void attention_scores_look_back_only(void **unused)
{
	enum { N = 48, DEPTH = 64 };
	static float query[N * DEPTH], key[N * DEPTH], score[N * N];
	(void)unused;
	seed();
	fill_floats(query, N * DEPTH, -1, 1);
	fill_floats(key, N * DEPTH, -1, 1);
	RUN("inference/attention_scores", "-DTILE_X=16 -DTILE_Y=8", WORK(N, N), WORK(16, 8),
	    ARRAY(query), ARRAY(key), ARRAY(score), INT(N));
	for (int q = 0; q < N; q++)
		for (int k = 0; k < N; k++) {
			double want = 0;
			for (int d = 0; d < DEPTH; d++)
				want += (double)query[q * DEPTH + d] * (double)key[k * DEPTH + d] /
				        sqrt(DEPTH);
			if (k > q)
				assert_true(isinf(score[q * N + k]) && score[q * N + k] < 0);
			else
				assert_true(fabs((double)score[q * N + k] - want) < 1e-5);
		}
}

static void embedding_pool_is_the_mean_of_rows(void **unused)
{
	enum { BAGS = 12, WIDTH = 16, WORDS = 30, MOST = 6 };
	float table[WORDS * WIDTH], mean[BAGS * WIDTH], want[BAGS * WIDTH] = {0};
	int word[BAGS * MOST], start[BAGS + 1];
	(void)unused;
	seed();
	fill_floats(table, WORDS * WIDTH, -1, 1);
	fill_ints(word, BAGS * MOST, WORDS);
	(void)fill_rows(start, BAGS, MOST);
	for (int b = 0; b < BAGS; b++)
		for (int f = 0; f < WIDTH; f++) {
			double sum = 0;
			for (int k = start[b]; k < start[b + 1]; k++)
				sum += (double)table[word[k] * WIDTH + f];
			if (start[b] < start[b + 1])
				want[b * WIDTH + f] = (float)(sum / (start[b + 1] - start[b]));
		}
	RUN("inference/embedding_pool", "", WORK(WIDTH, BAGS), WORK(16, 2), ARRAY(table),
	    ARRAY(word), ARRAY(start), ARRAY(mean), INT(WIDTH));
	assert_floats(mean, want, BAGS * WIDTH, 1e-5f);
}

static void rotary_embedding_turns_pairs(void **unused)
{
	enum { POSITIONS = 8, HEADS = 3, PAIRS = 4, ALL = POSITIONS * HEADS * PAIRS };
	float pair[2 * ALL], want[2 * ALL];
	(void)unused;
	seed();
	fill_floats(pair, 2 * ALL, -1, 1);
	for (int i = 0; i < ALL; i++) {
		double angle = i / (HEADS * PAIRS) / pow(100, (i % PAIRS) / (double)PAIRS);
		double x = (double)pair[2 * i], y = (double)pair[2 * i + 1];
		want[2 * i] = (float)(x * cos(angle) - y * sin(angle));
		want[2 * i + 1] = (float)(x * sin(angle) + y * cos(angle));
	}
	RUN("inference/rotary_embedding", "", WORK(ALL), WORK(32), ARRAY(pair), INT(HEADS),
	    INT(PAIRS), FLOAT(100));
	assert_floats(pair, want, 2 * ALL, 1e-5f);
}

static void dequant_matvec_multiplies_blocks(void **unused)
{
	enum { ROWS = 4, BLOCKS = 21, GROUP = 8, WIDTH = 32 * BLOCKS };
	static uint32_t weights[ROWS * BLOCKS * 4];
	float scales[ROWS * BLOCKS], vector[WIDTH], out[ROWS], want[ROWS];
	(void)unused;
	seed();
	fill_words(weights, ROWS * BLOCKS * 4);
	fill_floats(scales, ROWS * BLOCKS, 0.01f, 0.1f);
	fill_floats(vector, WIDTH, -1, 1);
	for (int r = 0; r < ROWS; r++) {
		double sum = 0;
		for (int k = 0; k < WIDTH; k++) {
			int at = r * WIDTH + k, digit = (int)(weights[at / 8] >> at % 8 * 4 & 15);
			sum += (digit - 8) * (double)scales[at / 32] * (double)vector[k];
		}
		want[r] = (float)sum;
	}
	RUN("inference/dequant_matvec", "", WORK(ROWS * GROUP), WORK(GROUP), ARRAY(weights),
	    ARRAY(scales), ARRAY(vector), ARRAY(out), SCALAR(uint32_t, BLOCKS), LOCAL(4 * GROUP));
	assert_floats(out, want, ROWS, 1e-4f);
}

CHECK_FAMILY(inference, cmocka_unit_test(softmax_rows_sum_to_one),
             cmocka_unit_test(layer_norm_has_mean_and_variance),
             cmocka_unit_test(depthwise_conv_keeps_channels_apart),
             cmocka_unit_test(matmul_int8_saturates),
             cmocka_unit_test(attention_scores_look_back_only),
             cmocka_unit_test(embedding_pool_is_the_mean_of_rows),
             cmocka_unit_test(rotary_embedding_turns_pairs),
             cmocka_unit_test(dequant_matvec_multiplies_blocks))
