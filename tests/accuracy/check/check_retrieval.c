/* SPDX-License-Identifier: Apache-2.0 */
/* Search and recommendation against the host. */
#include <stdlib.h>

#include "tests/accuracy/check/run.h"

static void postings_gallop_finds_what_is_in_both(void **unused)
{
	enum { RARE = 90, COMMON = 500, DOCUMENTS = 2000 };
	int rare[RARE], common[COMMON], places[RARE], found = 0, want = 0, next = 0;
	(void)unused;
	seed();
	fill_ints(rare, RARE, DOCUMENTS);
	rare[5] = 0;
	rare[6] = DOCUMENTS - 1;
	for (int i = 0; i < COMMON; i++) {
		next += 1 + (int)(random_word() % (i < 250 ? 2 : 5));
		common[i] = next;
	}
	assert_true(next < DOCUMENTS);
	RUN("retrieval/postings_gallop", "", WORK(96), WORK(32), ARRAY(rare), INT(RARE),
	    ARRAY(common), INT(COMMON), INT(DOCUMENTS), ARRAY(places), {ARGUMENT_ARRAY, &found, 4});
	for (int i = 0; i < RARE; i++) {
		int at = -1;
		for (int k = 0; k < COMMON; k++)
			at = common[k] == rare[i] ? k : at;
		assert_int_equal(places[i], at);
		want += at >= 0;
	}
	assert_int_equal(found, want);
	assert_true(want > 10 && want < 80);
}

static void bm25_rows_lists_good_documents(void **unused)
{
	enum { DOCUMENTS = 150, WORDS = 5, MOST = 150 };
	struct hit {
		uint32_t document;
		float score;
	} hits[MOST];
	int start[DOCUMENTS + 1], listed = 0;
	uint32_t entries[DOCUMENTS * 30], count = 0;
	const uint32_t words[WORDS] = {3, 20, 21, 40, 59};
	float lengths[DOCUMENTS], weights[WORDS];
	(void)unused;
	seed();
	int all = fill_rows(start, DOCUMENTS, 30);
	for (int i = 0; i < all; i++)
		entries[i] = random_word() % 60 << 8 | random_word() % 5;
	fill_floats(lengths, DOCUMENTS, 10, 100);
	fill_floats(weights, WORDS, 1, 4);
	uint32_t words_copy[WORDS];
	for (int i = 0; i < WORDS; i++)
		words_copy[i] = words[i];
	RUN("retrieval/bm25_rows", "", WORK(160), WORK(32), ARRAY(start), ARRAY(entries),
	    ARRAY(lengths), FLOAT(50), ARRAY(words_copy), ARRAY(weights), INT(WORDS), FLOAT(4),
	    ARRAY(hits), SCALAR(uint32_t, MOST), {ARGUMENT_ARRAY, &count, 4}, INT(DOCUMENTS));
	for (int i = 0; i < DOCUMENTS; i++) {
		double score = 0;
		int times = 0;
		for (int e = start[i]; e < start[i + 1]; e++)
			for (int k = 0; k < WORDS; k++) {
				double tf = entries[e] & 255;
				double norm = 1.2 * (0.25 + 0.75 * (double)lengths[i] / 50);
				if (entries[e] >> 8 == words[k])
					score += (double)weights[k] * tf * 2.2 / (tf + norm);
			}
		for (uint32_t h = 0; h < count; h++)
			if (hits[h].document == (uint32_t)i) {
				assert_close((double)hits[h].score, score, 1e-4);
				times++;
			}
		if (fabs(score - 4) > 1e-4)
			assert_int_equal(times, score > 4);
		listed += times;
	}
	assert_int_equal(listed, count);
	assert_true(listed > 20 && listed < 130);
}

static void pq_scan_finds_the_nearest(void **unused)
{
	enum { COUNT = 150, CHUNK = 40, GROUPS = 4, GROUP = 16, PARTS = 16 };
	static uint8_t codes[COUNT][PARTS];
	float distances[PARTS * 256], nearest[GROUPS];
	uint32_t which[GROUPS];
	(void)unused;
	seed();
	for (int i = 0; i < COUNT * PARTS; i++)
		codes[i / PARTS][i % PARTS] = (uint8_t)random_word();
	fill_floats(distances, (size_t)PARTS * 256, 0, 1);
	RUN("retrieval/pq_scan", "", WORK((size_t)GROUPS * GROUP), WORK(GROUP), ARRAY(codes),
	    ARRAY(distances), SCALAR(uint32_t, COUNT), SCALAR(uint32_t, CHUNK), ARRAY(nearest),
	    ARRAY(which), LOCAL(4 * GROUP), LOCAL(4 * GROUP));
	for (int group = 0; group < GROUPS; group++) {
		double least = 1e30;
		int where = 0;
		for (int i = group * CHUNK; i < (group + 1) * CHUNK && i < COUNT; i++) {
			double sum = 0;
			for (int k = 0; k < PARTS; k++)
				sum += (double)distances[256 * k + codes[i][k]];
			if (sum < least) {
				least = sum;
				where = i;
			}
		}
		assert_int_equal(which[group], where);
		assert_close((double)nearest[group], least, 1e-5);
	}
}

static void minhash_rows_are_the_least(void **unused)
{
	enum { DOCUMENTS = 10, FUNCTIONS = 32, MOST = 20 };
	int start[DOCUMENTS + 1];
	uint32_t shingles[DOCUMENTS * MOST], got[DOCUMENTS * FUNCTIONS];
	uint32_t want[DOCUMENTS * FUNCTIONS];
	uint64_t functions[FUNCTIONS][2];
	const uint64_t prime = ((uint64_t)1 << 61) - 1;
	(void)unused;
	seed();
	fill_rows(start, DOCUMENTS, MOST);
	fill_words(shingles, (size_t)DOCUMENTS * MOST);
	for (int i = 0; i < 2 * FUNCTIONS; i++)
		functions[i / 2][i % 2] = (uint64_t)random_word() << 32 | random_word();
	for (int i = 0; i < DOCUMENTS * FUNCTIONS; i++) {
		uint64_t least = prime;
		uint64_t a = functions[i % FUNCTIONS][0] & 0x3ffffff;
		uint64_t b = (functions[i % FUNCTIONS][1] & prime) % prime;
		for (int k = start[i / FUNCTIONS]; k < start[i / FUNCTIONS + 1]; k++) {
			uint64_t hash = (a * shingles[k] % prime + b) % prime;
			least = hash < least ? hash : least;
		}
		want[i] = (uint32_t)(least >> 29);
	}
	RUN("retrieval/minhash_rows", "", WORK(FUNCTIONS, DOCUMENTS), WORK(16, 2), ARRAY(start),
	    ARRAY(shingles), ARRAY(functions), ARRAY(got));
	assert_words(got, want, DOCUMENTS * FUNCTIONS);
}

/* Nobody rates twice here, and nothing is rated twice. */
static void mf_sgd_moves_both_sides(void **unused)
{
	enum { RATINGS = 60, USERS = 64, ITEMS = 70, RANK = 32 };
	int users[RATINGS], items[RATINGS];
	uint8_t stars[RATINGS];
	static float p[USERS][RANK], q[ITEMS][RANK], want_p[USERS][RANK], want_q[ITEMS][RANK];
	float user_bias[USERS], item_bias[ITEMS], want_user[USERS], want_item[ITEMS];
	(void)unused;
	seed();
	fill_floats(p[0], (size_t)USERS * RANK, -0.5f, 0.5f);
	fill_floats(q[0], (size_t)ITEMS * RANK, -0.5f, 0.5f);
	fill_floats(user_bias, USERS, -1, 1);
	fill_floats(item_bias, ITEMS, -1, 1);
	for (int i = 0; i < USERS * RANK; i++)
		want_p[i / RANK][i % RANK] = p[i / RANK][i % RANK];
	for (int i = 0; i < ITEMS * RANK; i++)
		want_q[i / RANK][i % RANK] = q[i / RANK][i % RANK];
	for (int i = 0; i < USERS; i++)
		want_user[i] = user_bias[i];
	for (int i = 0; i < ITEMS; i++)
		want_item[i] = item_bias[i];
	for (int k = 0; k < RATINGS; k++) {
		int u = users[k] = k * 11 % USERS, i = items[k] = k * 13 % ITEMS;
		stars[k] = (uint8_t)random_word();
		double error = 0.5 * (stars[k] % 11) - 3;
		error -= (double)want_user[u] + (double)want_item[i];
		for (int r = 0; r < RANK; r++)
			error -= (double)p[u][r] * (double)q[i][r];
		want_user[u] += (float)(0.05 * (error - 0.02 * (double)want_user[u]));
		want_item[i] += (float)(0.05 * (error - 0.02 * (double)want_item[i]));
		for (int r = 0; r < RANK; r++) {
			double a = (double)p[u][r], b = (double)q[i][r];
			want_p[u][r] = (float)(a + 0.05 * (error * b - 0.02 * a));
			want_q[i][r] = (float)(b + 0.05 * (error * a - 0.02 * b));
		}
	}
	RUN("retrieval/mf_sgd", "", WORK(64), WORK(32), ARRAY(users), ARRAY(items), ARRAY(stars),
	    ARRAY(p), ARRAY(q), ARRAY(user_bias), ARRAY(item_bias), FLOAT(3), FLOAT(0.05f),
	    FLOAT(0.02f), INT(RATINGS));
	assert_floats(p[0], want_p[0], (size_t)USERS * RANK, 1e-5f);
	assert_floats(q[0], want_q[0], (size_t)ITEMS * RANK, 1e-5f);
	assert_floats(user_bias, want_user, USERS, 1e-5f);
	assert_floats(item_bias, want_item, ITEMS, 1e-5f);
}

static uint32_t mixed(uint32_t x, uint32_t start)
{
	x = (x ^ start) * 0x85ebca6bu;
	x = (x ^ x >> 13) * 0xc2b2ae35u;
	return x ^ x >> 16;
}

static void basket_pairs_counts_both_rows(void **unused)
{
	enum { BASKETS = 50, MOST = 9, SIDE = 256 };
	int start[BASKETS + 1];
	uint16_t goods[BASKETS * MOST];
	uint32_t got[2 * SIDE] = {0}, want[2 * SIDE] = {0};
	(void)unused;
	seed();
	fill_rows(start, BASKETS, MOST);
	for (int i = 0; i < BASKETS * MOST; i++)
		goods[i] = (uint16_t)(random_word() % 20 * 3000);
	for (int b = 0; b < BASKETS; b++)
		for (int i = start[b]; i < start[b + 1]; i++)
			for (int k = start[b]; k < start[b + 1]; k++)
				if (goods[i] < goods[k]) {
					uint32_t pair = (uint32_t)goods[i] << 16 | goods[k];
					want[mixed(pair, 0x9e3779b9u) % SIDE]++;
					want[SIDE + mixed(pair, 0x7f4a7c15u) % SIDE]++;
				}
	RUN("retrieval/basket_pairs", "", WORK(64), WORK(32), ARRAY(start), ARRAY(goods),
	    ARRAY(got), SCALAR(uint32_t, SIDE - 1), INT(BASKETS));
	assert_words(got, want, 2 * SIDE);
}

CHECK_FAMILY(retrieval, cmocka_unit_test(postings_gallop_finds_what_is_in_both),
             cmocka_unit_test(bm25_rows_lists_good_documents),
             cmocka_unit_test(pq_scan_finds_the_nearest),
             cmocka_unit_test(minhash_rows_are_the_least),
             cmocka_unit_test(mf_sgd_moves_both_sides),
             cmocka_unit_test(basket_pairs_counts_both_rows))
