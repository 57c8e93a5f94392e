/* SPDX-License-Identifier: Apache-2.0 */
/* Routes, checksums, hashes, rules and meters against the host. */
#include <string.h>

#include "tests/accuracy/check/run.h"

/* Walks the address byte by byte from a string of bytes. */
static void lpm_lookup_follows_blocks_to_a_hop(void **unused)
{
	enum { COUNT = 300, BLOCKS = 40 };
	static int root[1 << 16], blocks[256 * BLOCKS];
	uint64_t addresses[COUNT];
	uint16_t hop[COUNT];
	(void)unused;
	seed();
	fill_ints(root, 1 << 16, 2 * BLOCKS);
	fill_ints(blocks, (size_t)256 * BLOCKS, 2 * BLOCKS);
	for (int i = 0; i < COUNT; i++)
		addresses[i] = (uint64_t)random_word() << 32 | random_word();
	RUN("networking/lpm_lookup", "", WORK(320), WORK(32), ARRAY(addresses), ARRAY(root),
	    ARRAY(blocks), ARRAY(hop), SCALAR(uint32_t, COUNT));
	for (int i = 0; i < COUNT; i++) {
		uint8_t byte[8];
		for (int b = 0; b < 8; b++)
			byte[b] = (uint8_t)(addresses[i] >> (56 - 8 * b));
		int at = root[256 * byte[0] + byte[1]];
		for (int b = 2; b < 8 && at % 2 == 1; b++)
			at = blocks[at / 2 * 256 + byte[b]];
		assert_int_equal(hop[i], at / 2);
	}
}

/* A packet with its checksum sums to all ones: the sum modulo 65535 is nought. */
static void inet_checksum_completes_the_sum(void **unused)
{
	enum { PACKETS = 150, MOST = 90 };
	int start[PACKETS + 1];
	uint16_t words[PACKETS * MOST], sums[PACKETS];
	(void)unused;
	seed();
	(void)fill_rows(start, PACKETS, MOST);
	for (int i = 0; i < PACKETS * MOST; i++)
		words[i] = (uint16_t)random_word();
	RUN("networking/inet_checksum", "", WORK(160), WORK(32), ARRAY(words), ARRAY(start),
	    ARRAY(sums), INT(PACKETS));
	for (int p = 0; p < PACKETS; p++) {
		uint32_t sum = sums[p];
		for (int w = start[p]; w < start[p + 1]; w++)
			sum += words[w];
		assert_int_equal(sum % 65535, 0);
		assert_true(sums[p] != 0 || start[p] < start[p + 1]);
	}
}

/* The key as a string of bits: the hash is the sum of the 32 bits from each place with a one. */
static void toeplitz_rss_sums_windows_of_the_key(void **unused)
{
	enum { COUNT = 500 };
	uint32_t tuples[3 * COUNT], key[5], hashes[COUNT], want[COUNT];
	int indirection[128], counts[16] = {0}, want_counts[16] = {0};
	uint8_t queues[COUNT];
	(void)unused;
	seed();
	fill_words(tuples, (size_t)3 * COUNT);
	fill_words(key, 5);
	fill_ints(indirection, 128, 16);
	for (int i = 0; i < COUNT; i++) {
		uint32_t ports = tuples[3 * i + 2];
		uint32_t fields[3] = {tuples[3 * i], tuples[3 * i + 1], ports << 16 | ports >> 16};
		want[i] = 0;
		for (int bit = 0; bit < 96; bit++)
			for (int k = 0; k < 32; k++) {
				uint32_t of_key = key[(bit + k) / 32] >> (31 - (bit + k) % 32) & 1;
				uint32_t of_field = fields[bit / 32] >> (31 - bit % 32) & 1;
				want[i] ^= (of_key & of_field) << (31 - k);
			}
		want_counts[indirection[want[i] % 128]]++;
	}
	RUN("networking/toeplitz_rss", "", WORK(128), WORK(32), ARRAY(tuples), ARRAY(key),
	    ARRAY(indirection), ARRAY(hashes), ARRAY(queues), ARRAY(counts), INT(COUNT));
	assert_words(hashes, want, COUNT);
	for (int i = 0; i < COUNT; i++)
		assert_int_equal(queues[i], indirection[want[i] % 128]);
	assert_ints(counts, want_counts, 16);
}

/* The rules backwards: the last that holds stays. */
static void acl_first_match_takes_the_first_rule(void **unused)
{
	enum { COUNT = 300, RULES = 70 };
	struct {
		uint32_t low, high;
		uint16_t port_low, port_high;
		uint8_t protocols, action;
		uint16_t pad;
	} rules[RULES];
	struct {
		uint32_t from;
		uint16_t port;
		uint8_t protocol, flags;
	} packets[COUNT];
	uint8_t verdict[COUNT];
	uint16_t which[COUNT];
	(void)unused;
	seed();
	for (size_t i = 0; i < sizeof rules; i++)
		((uint8_t *)rules)[i] = (uint8_t)random_word();
	for (size_t i = 0; i < sizeof packets; i++)
		((uint8_t *)packets)[i] = (uint8_t)random_word();
	RUN("networking/acl_first_match", "", WORK(320), WORK(32), ARRAY(packets), ARRAY(rules),
	    SCALAR(uint32_t, RULES), ARRAY(verdict), ARRAY(which), SCALAR(uint32_t, COUNT));
	for (int i = 0; i < COUNT; i++) {
		int first = RULES;
		for (int r = RULES - 1; r >= 0; r--)
			if (rules[r].low <= packets[i].from && rules[r].high >= packets[i].from &&
			    rules[r].port_low <= packets[i].port &&
			    rules[r].port_high >= packets[i].port &&
			    (rules[r].protocols >> packets[i].protocol % 8) % 2 == 1)
				first = r;
		assert_int_equal(which[i], first);
		assert_int_equal(verdict[i], first == RULES ? 255 : rules[first].action);
	}
}

/* Keys that are put where they belong are found there, others are not. */
static uint32_t mixed(uint32_t x, uint32_t with)
{
	x = (x ^ with) * 0x85ebca6bu;
	x = (x ^ x >> 13) * 0xc2b2ae35u;
	return x ^ x >> 16;
}

static void cuckoo_lookup_finds_what_is_kept(void **unused)
{
	enum { COUNT = 256, BUCKETS = 64 };
	int keys[COUNT], table[4 * BUCKETS];
	uint32_t actions[4 * BUCKETS], found[COUNT], want[COUNT];
	(void)unused;
	seed();
	memset(table, 0xff, sizeof table);
	fill_words(actions, (size_t)4 * BUCKETS);
	for (int i = 0; i < COUNT; i++) {
		keys[i] = 7 * i;
		want[i] = UINT32_MAX;
		for (uint32_t k = 0; k < 4 && want[i] == UINT32_MAX && i % 3 > 0; k++) {
			uint32_t of =
			        mixed((uint32_t)keys[i], i % 3 == 1 ? 0x9747b28c : 0x3c6ef372);
			uint32_t slot = of % BUCKETS * 4 + k;
			if (table[slot] == -1) {
				table[slot] = keys[i];
				want[i] = actions[slot];
			}
		}
	}
	RUN("networking/cuckoo_lookup", "", WORK(COUNT), WORK(32), ARRAY(keys), ARRAY(table),
	    ARRAY(actions), ARRAY(found), SCALAR(uint32_t, BUCKETS - 1));
	assert_words(found, want, COUNT);
}

static void token_bucket_marks_in_three_colours(void **unused)
{
	enum { FLOWS = 50, MOST = 60, COMMITTED = 200000, EXCESS = 150000 };
	int first[FLOWS + 1], dropped[FLOWS];
	uint16_t packets[2 * FLOWS * MOST];
	uint32_t rate[FLOWS];
	uint8_t colour[FLOWS * MOST];
	int seen[3] = {0};
	(void)unused;
	seed();
	(void)fill_rows(first, FLOWS, MOST);
	fill_words(rate, FLOWS);
	for (int i = 0; i < 2 * FLOWS * MOST; i++)
		packets[i] = (uint16_t)random_word();
	RUN("networking/token_bucket", "", WORK(64), WORK(32), ARRAY(first), ARRAY(packets),
	    ARRAY(rate), ARRAY(colour), ARRAY(dropped), SCALAR(uint64_t, COMMITTED),
	    SCALAR(uint64_t, EXCESS), INT(FLOWS));
	for (int flow = 0; flow < FLOWS; flow++) {
		int64_t bucket[2] = {(int64_t)COMMITTED * 256, (int64_t)EXCESS * 256}, red = 0;
		for (int p = first[flow]; p < first[flow + 1]; p++) {
			int64_t comes = (int64_t)(rate[flow] % 1024 + 1) * packets[2 * p];
			int64_t room = (int64_t)COMMITTED * 256 - bucket[0];
			int64_t over = comes > room ? comes - room : 0;
			int is = 0;
			bucket[0] += comes - over;
			bucket[1] += over;
			if (bucket[1] > (int64_t)EXCESS * 256)
				bucket[1] = (int64_t)EXCESS * 256;
			while (is < 2 && bucket[is] < packets[2 * p + 1] * 256)
				is++;
			if (is < 2)
				bucket[is] -= packets[2 * p + 1] * 256;
			seen[is]++;
			red += is == 2;
			assert_int_equal(colour[p], is);
		}
		assert_int_equal(dropped[flow], red);
	}
	assert_true(seen[0] > 0 && seen[1] > 0 && seen[2] > 0);
}

CHECK_FAMILY(networking, cmocka_unit_test(lpm_lookup_follows_blocks_to_a_hop),
             cmocka_unit_test(inet_checksum_completes_the_sum),
             cmocka_unit_test(toeplitz_rss_sums_windows_of_the_key),
             cmocka_unit_test(acl_first_match_takes_the_first_rule),
             cmocka_unit_test(cuckoo_lookup_finds_what_is_kept),
             cmocka_unit_test(token_bucket_marks_in_three_colours))
