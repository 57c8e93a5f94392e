/* SPDX-License-Identifier: Apache-2.0 */
/* Detections, samples and decoded text against the host. */
#include "tests/accuracy/check/run.h"

static double overlap(double low_a, double high_a, double low_b, double high_b)
{
	return fmax(fmin(high_a, high_b) - fmax(low_a, low_b), 0);
}

static void nms_mask_marks_overlapping_pairs(void **unused)
{
	enum { N = 100, TILE = 32, BLOCKS = (N + TILE - 1) / TILE };
	float box[N][4];
	uint64_t mask[N * BLOCKS] = {0};
	int marked = 0;
	(void)unused;
	seed();
	for (int i = 0; i < N; i++) {
		fill_floats(box[i], 2, 0, 10);
		fill_floats(box[i] + 2, 2, 3, 12);
		box[i][2] += box[i][0];
		box[i][3] += box[i][1];
	}
	RUN("postprocess/nms_mask", "-DTILE=32", WORK((size_t)BLOCKS * TILE, BLOCKS), WORK(TILE, 1),
	    ARRAY(box), FLOAT(0.4f), INT(N), ARRAY(mask));
	for (int i = 0; i < N; i++)
		for (int k = 0; k < BLOCKS * TILE; k++) {
			int got = mask[i * BLOCKS + k / TILE] >> k % TILE & 1;
			marked += got;
			if (k >= N || k <= i) {
				assert_int_equal(got, 0);
				continue;
			}
			double both = overlap((double)box[i][0], (double)box[i][2],
			                      (double)box[k][0], (double)box[k][2]) *
			              overlap((double)box[i][1], (double)box[i][3],
			                      (double)box[k][1], (double)box[k][3]);
			double either = -both;
			for (int m = i; m <= k; m += k - i)
				either += ((double)box[m][2] - (double)box[m][0]) *
				          ((double)box[m][3] - (double)box[m][1]);
			if (fabs(both / either - 0.4) > 1e-5)
				assert_int_equal(got, both / either > 0.4);
		}
	assert_true(marked > N);
}

/* How many are before an element says where it goes. */
static void topk_rows_ranks_the_best(void **unused)
{
	enum { ROWS = 40, COLUMNS = 90, K = 8 };
	float scores[ROWS * COLUMNS], values[ROWS * K];
	int indices[ROWS * K], want[ROWS * K];
	(void)unused;
	seed();
	for (int i = 0; i < ROWS * COLUMNS; i++)
		scores[i] = (float)(random_word() % 200);
	RUN("postprocess/topk_rows", "", WORK(64), WORK(32), ARRAY(scores), INT(ROWS), INT(COLUMNS),
	    ARRAY(values), ARRAY(indices));
	for (int i = 0; i < ROWS * COLUMNS; i++) {
		const float *row = scores + i / COLUMNS * COLUMNS;
		int rank = 0, column = i % COLUMNS;
		for (int k = 0; k < COLUMNS; k++)
			rank += row[k] > row[column] || (k < column && row[k] >= row[column]);
		if (rank < K)
			want[i / COLUMNS * K + rank] = column;
	}
	assert_ints(indices, want, ROWS * K);
	for (int i = 0; i < ROWS * K; i++)
		assert_floats(&values[i], &scores[i / K * COLUMNS + want[i]], 1, 0);
}

static void ragged_attention_weighs_values(void **unused)
{
	enum { SEQUENCES = 6, HEADS = 3, DIM = 64, MOST = 100, TOKENS = SEQUENCES * MOST };
	static float query[SEQUENCES * HEADS * DIM], out[SEQUENCES * HEADS * DIM];
	static float want[SEQUENCES * HEADS * DIM];
	static int8_t keys[TOKENS * HEADS * DIM], values[TOKENS * HEADS * DIM];
	float key_scale[TOKENS], value_scale[TOKENS];
	int start[SEQUENCES + 1];
	(void)unused;
	seed();
	(void)fill_rows(start, SEQUENCES, MOST);
	start[2] = start[1]; /* one without tokens */
	fill_floats(query, (size_t)SEQUENCES * HEADS * DIM, -1, 1);
	fill_floats(key_scale, TOKENS, 0.01f, 0.05f);
	fill_floats(value_scale, TOKENS, 0.01f, 0.05f);
	for (int i = 0; i < TOKENS * HEADS * DIM; i++) {
		keys[i] = (int8_t)random_word();
		values[i] = (int8_t)random_word();
	}
	for (int i = 0; i < SEQUENCES * HEADS; i++) {
		double sum = 0, mean[DIM] = {0};
		for (int t = start[i / HEADS]; t < start[i / HEADS + 1]; t++) {
			int at = (t * HEADS + i % HEADS) * DIM;
			double score = 0;
			for (int d = 0; d < DIM; d++)
				score += (double)query[i * DIM + d] * keys[at + d];
			double weight = exp(score * 0.125 * (double)key_scale[t]);
			sum += weight;
			for (int d = 0; d < DIM; d++)
				mean[d] += weight * (double)value_scale[t] * values[at + d];
		}
		for (int d = 0; d < DIM; d++)
			want[i * DIM + d] = sum > 0 ? (float)(mean[d] / sum) : 0;
	}
	RUN("postprocess/ragged_attention", "", WORK((size_t)HEADS * 32, SEQUENCES), WORK(32, 1),
	    ARRAY(query), ARRAY(keys), ARRAY(values), ARRAY(key_scale), ARRAY(value_scale),
	    ARRAY(start), ARRAY(out), FLOAT(0.125f));
	assert_floats(out, want, (size_t)SEQUENCES * HEADS * DIM, 1e-4f);
}

static double logistic(float x)
{
	return 1 / (1 + exp(-(double)x));
}

static void decode_boxes_keeps_likely_cells(void **unused)
{
	enum { W = 16, H = 8, A = 3, PLANE = W * H, CHANNELS = 25, CELLS = A * PLANE };
	static float logits[CELLS * CHANNELS];
	float anchors[2 * A], boxes[CELLS][4], scores[CELLS];
	int8_t labels[CELLS];
	int kept = 0;
	(void)unused;
	seed();
	fill_floats(logits, (size_t)CELLS * CHANNELS, -2, 2);
	fill_floats(anchors, (size_t)2 * A, 10, 60);
	RUN("postprocess/decode_boxes", "", WORK(W, H, A), WORK(8, 4, 1), ARRAY(logits),
	    ARRAY(anchors), ARRAY(boxes), ARRAY(scores), ARRAY(labels), FLOAT(0.5f), FLOAT(8));
	for (int i = 0; i < CELLS; i++) {
		const float *at = logits + i / PLANE * CHANNELS * PLANE + i % PLANE;
		int best = 5;
		for (int c = 6; c < CHANNELS; c++)
			best = at[c * PLANE] > at[best * PLANE] ? c : best;
		double score = logistic(at[4 * PLANE]) * logistic(at[best * PLANE]);
		if (fabs(score - 0.5) < 1e-5)
			continue;
		assert_int_equal(labels[i], score < 0.5 ? -1 : best - 5);
		if (score < 0.5)
			continue;
		kept++;
		assert_close((double)scores[i], score, 1e-5);
		for (int k = 0; k < 4; k++) {
			int place = k == 0 ? i % W : i / W % H;
			double twice = 2 * logistic(at[k * PLANE]);
			double want =
			        k < 2 ? (twice - 0.5 + place) * 8
			              : (double)anchors[i / PLANE * 2 + k - 2] * twice * twice;
			assert_floats(&boxes[i][k], &(float){(float)want}, 1, 1e-5f);
		}
	}
	assert_in_range(kept, 20, CELLS - 20);
}

/* Above the cut there is the mass, and little above it there is not. */
static void nucleus_threshold_encloses_the_mass(void **unused)
{
	enum { ROWS = 5, WORDS = 300 };
	float logits[ROWS * WORDS], got[ROWS * WORDS], cut[ROWS];
	uint32_t kept[ROWS];
	(void)unused;
	seed();
	fill_floats(logits, (size_t)ROWS * WORDS, -4, 4);
	RUN("postprocess/nucleus_threshold", "", WORK((size_t)ROWS * 32), WORK(32), ARRAY(logits),
	    ARRAY(got), ARRAY(cut), ARRAY(kept), SCALAR(uint32_t, WORDS), FLOAT(0.9f), INT(20),
	    LOCAL(4 * 32));
	for (int row = 0; row < ROWS; row++) {
		double sum = 0, inside = 0, above = 0;
		uint32_t count = 0;
		for (int i = row * WORDS; i < (row + 1) * WORDS; i++)
			sum += exp((double)logits[i]);
		for (int i = row * WORDS; i < (row + 1) * WORDS; i++) {
			double p = exp((double)logits[i]) / sum;
			assert_floats(&got[i], &(float){(float)p}, 1, 1e-6f);
			count += got[i] > cut[row];
			inside += got[i] > cut[row] ? p : 0;
			above += (double)got[i] > (double)cut[row] + 0x1p-20 ? p : 0;
		}
		assert_int_equal(kept[row], count);
		assert_true(inside > 0.9 - 1e-5 && above < 0.9 + 1e-5);
	}
}

static void ctc_greedy_joins_repeats(void **unused)
{
	enum { UTTERANCES = 20, MOST = 60, LETTERS = 32 };
	static float log_probs[UTTERANCES * MOST * LETTERS];
	int start[UTTERANCES + 1], lengths[UTTERANCES], repeats = 0;
	uint8_t symbols[UTTERANCES * MOST];
	float scores[UTTERANCES];
	(void)unused;
	seed();
	(void)fill_rows(start, UTTERANCES, MOST);
	fill_floats(log_probs, (size_t)UTTERANCES * MOST * LETTERS, -5, 0);
	for (int t = 0; t < UTTERANCES * MOST; t++) {
		log_probs[t * LETTERS + (int)(random_word() % 3 * 7)] = 0.5f;
		if (t % 9 == 0) /* the first of equals counts */
			log_probs[t * LETTERS + 30] = log_probs[t * LETTERS + 9] = 0.75f;
	}
	RUN("postprocess/ctc_greedy", "", WORK(32), WORK(32), ARRAY(log_probs), ARRAY(start),
	    ARRAY(symbols), ARRAY(lengths), ARRAY(scores), INT(UTTERANCES));
	for (int u = 0; u < UTTERANCES; u++) {
		int length = 0, last = 0;
		double sum = 0;
		for (int t = start[u]; t < start[u + 1]; t++) {
			const float *frame = log_probs + (size_t)t * LETTERS;
			int best = 0;
			for (int s = 1; s < LETTERS; s++)
				best = frame[s] > frame[best] ? s : best;
			sum += (double)frame[best];
			repeats += best == last;
			if (best > 0 && best != last)
				assert_int_equal(symbols[start[u] + length++], best);
			last = best;
		}
		assert_int_equal(lengths[u], length);
		assert_close((double)scores[u], sum, 1e-5);
	}
	assert_true(repeats > UTTERANCES);
}

CHECK_FAMILY(postprocess, cmocka_unit_test(nms_mask_marks_overlapping_pairs),
             cmocka_unit_test(topk_rows_ranks_the_best),
             cmocka_unit_test(ragged_attention_weighs_values),
             cmocka_unit_test(decode_boxes_keeps_likely_cells),
             cmocka_unit_test(nucleus_threshold_encloses_the_mass),
             cmocka_unit_test(ctc_greedy_joins_repeats))
