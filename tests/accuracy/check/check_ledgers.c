/* SPDX-License-Identifier: Apache-2.0 */
/* Balances, proofs, lots, account numbers and rates against the host. */
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/check/run.h"

static void post_entries_keep_the_sum_of_balances(void **unused)
{
	enum { COUNT = 500, ACCOUNTS = 30, CLOSED = 4 };
	struct {
		uint32_t amount;
		uint16_t date;
		uint8_t period, source;
	} entries[COUNT];
	int debit[COUNT], credit[COUNT], seen[3] = {0};
	uint64_t balances[ACCOUNTS], want[ACCOUNTS], total = 0;
	uint32_t control[3] = {0};
	uint8_t verdict[COUNT];
	(void)unused;
	seed();
	fill_words((uint32_t *)entries, sizeof entries / 4);
	fill_ints(debit, COUNT, ACCOUNTS);
	fill_ints(credit, COUNT, ACCOUNTS);
	for (int a = 0; a < ACCOUNTS; a++)
		want[a] = balances[a] = (uint64_t)random_word() << 4;
	for (int i = 0; i < 20; i++)
		entries[i].amount = 0;
	RUN("ledgers/post_entries", "", WORK(512), WORK(64), ARRAY(entries), ARRAY(debit),
	    ARRAY(credit), SCALAR(uint8_t, CLOSED), ARRAY(balances), ARRAY(control), ARRAY(verdict),
	    SCALAR(uint32_t, COUNT));
	for (int i = 0; i < COUNT; i++) {
		int what = entries[i].period % 16 <= CLOSED ? 1 : debit[i] == credit[i] ? 2 : 0;
		assert_int_equal(verdict[i], what);
		seen[what]++;
		if (what == 0) {
			want[debit[i]] += entries[i].amount;
			want[credit[i]] -= entries[i].amount;
			total += entries[i].amount;
		}
	}
	assert_memory_equal(balances, want, sizeof want);
	assert_true((control[0] | (uint64_t)control[1] << 32) == total);
	assert_int_equal(control[2], seen[1] + seen[2]);
	assert_true(total >> 32 > 10 && seen[0] > 50 && seen[1] > 50 && seen[2] > 2);
}

/* BLAKE2s-256 without a key of up to 64 bytes, as RFC 7693 has it. */
static void blake2s(const uint8_t *in, uint32_t size, uint32_t *digest)
{
	static const uint32_t iv[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
	                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	static const char *order[10] = {"0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194",
	                                "7931dcbe265a40f8", "905724afe1bc683d", "2c6a0b834d75fe19",
	                                "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5",
	                                "a2847615fb9e3cd0"};
	static const int quarter[8][4] = {{0, 4, 8, 12},  {1, 5, 9, 13},  {2, 6, 10, 14},
	                                  {3, 7, 11, 15}, {0, 5, 10, 15}, {1, 6, 11, 12},
	                                  {2, 7, 8, 13},  {3, 4, 9, 14}};
	static const int turns[4] = {16, 12, 8, 7};
	uint32_t m[16] = {0}, v[16], h[8];
	memcpy(m, in, size);
	for (int k = 0; k < 8; k++) {
		v[k] = h[k] = iv[k] ^ (k == 0 ? 0x01010020u : 0);
		v[k + 8] = iv[k];
	}
	v[12] ^= size;
	v[14] = ~v[14];
	for (int step = 0; step < 160; step++) {
		const int *q = quarter[step / 2 % 8];
		const char symbol[2] = {order[step / 16][step % 16], 0};
		for (int half = 0; half < 2; half++) {
			int turn = turns[step % 2 * 2 + half];
			if (half == 0)
				v[q[0]] += v[q[1]] + m[strtoul(symbol, NULL, 16)];
			else
				v[q[2]] += v[q[3]];
			uint32_t *to = &v[q[half == 0 ? 3 : 1]];
			*to ^= v[q[half == 0 ? 0 : 2]];
			*to = *to >> turn | *to << (32 - turn);
		}
	}
	for (int k = 0; k < 8; k++)
		digest[k] = h[k] ^ v[k] ^ v[k + 8];
}

/* A tree of 64 leaves; some proofs have another leaf, sibling or number, or end too early. */
static void audit_proof_leads_to_the_root(void **unused)
{
	enum { LEAVES = 64, HEIGHT = 6, PROOFS = 90 };
	static uint32_t tree[2 * LEAVES][8], leaf[PROOFS][8], sibling[PROOFS * HEIGHT][8];
	static const uint8_t abc[32] = {0x50, 0x8c, 0x5e, 0x8c, 0x32, 0x7c, 0x14, 0xe2,
	                                0xe1, 0xa7, 0x2b, 0xa3, 0x4e, 0xeb, 0x45, 0x2f,
	                                0x37, 0x45, 0x8b, 0x20, 0x9e, 0xd6, 0x3a, 0x29,
	                                0x4d, 0x99, 0x9b, 0x4c, 0x86, 0x67, 0x59, 0x82};
	uint32_t number[PROOFS], failures[1] = {0}, wrong = 0, digest[8];
	int way[PROOFS + 1] = {0};
	uint8_t verdict[PROOFS];
	(void)unused;
	blake2s((const uint8_t *)"abc", 3, digest);
	assert_memory_equal(digest, abc, sizeof abc);
	seed();
	fill_words(tree[LEAVES], (size_t)8 * LEAVES);
	for (int node = LEAVES - 1; node > 0; node--)
		blake2s((const uint8_t *)tree[2 * node], 64, tree[node]);
	for (int p = 0; p < PROOFS; p++) {
		int node = LEAVES + (int)(random_word() % LEAVES), steps = 0, fault = p % 7;
		memcpy(leaf[p], tree[node], sizeof leaf[p]);
		number[p] = (uint32_t)(node - LEAVES) | (p % 2 ? 0x100 : 0);
		for (; node > (fault == 1 ? 3 : 1); node /= 2)
			memcpy(sibling[way[p] + steps++], tree[node ^ 1], 32);
		way[p + 1] = way[p] + steps;
		if (fault == 2)
			leaf[p][p % 8] ^= 1u << p % 32;
		if (fault == 3)
			sibling[way[p] + p % HEIGHT][p % 8] ^= 0x80;
		if (fault == 4)
			number[p] ^= 1u << p % HEIGHT;
	}
	RUN("ledgers/audit_proof", "", WORK(96), WORK(32), ARRAY(leaf), ARRAY(number), ARRAY(way),
	    ARRAY(sibling), ARRAY(tree[1]), SCALAR(uint32_t, LEAVES - 1), ARRAY(verdict),
	    ARRAY(failures), INT(PROOFS));
	for (int p = 0; p < PROOFS; p++) {
		assert_int_equal(verdict[p], p % 7 == 0 || p % 7 > 4);
		wrong += !verdict[p];
	}
	assert_int_equal(failures[0], wrong);
}

struct trade {
	int16_t quantity;
	uint16_t price, day, fee;
};

struct result {
	int64_t short_term, long_term, basis;
	int32_t held, uncovered;
};

/* A list whose first goes away, in place of a ring. */
static void fifo_lots_use_the_oldest_first(void **unused)
{
	enum { ACCOUNTS = 80, MOST = 70, LOTS = 16 };
	static struct trade trades[ACCOUNTS * MOST];
	int first[ACCOUNTS + 1], merged = 0, split = 0, uncovered = 0, old = 0;
	struct result results[ACCOUNTS];
	(void)unused;
	seed();
	int all = fill_rows(first, ACCOUNTS, MOST);
	fill_words((uint32_t *)trades, sizeof trades / 4);
	for (int t = 0; t < all; t++) {
		int most = t % 3 == 0 ? 900 : 300;
		trades[t].quantity = (int16_t)((int)(random_word() % (uint32_t)most) - 200);
	}
	RUN("ledgers/fifo_lots", "", WORK(96), WORK(32), ARRAY(first), ARRAY(trades),
	    ARRAY(results), INT(ACCOUNTS));
	for (int a = 0; a < ACCOUNTS; a++) {
		int64_t lots[LOTS + 1][3], gain[2] = {0}, basis = 0; /* quantity, cost, day */
		int count = 0, today = 0, missing = 0, held = 0;
		for (int t = first[a]; t < first[a + 1]; t++) {
			int quantity = trades[t].quantity, fee = trades[t].fee % 256;
			int64_t price = trades[t].price;
			today += trades[t].day % 64;
			if (quantity > 0) {
				int64_t lot[3] = {quantity, quantity * price + fee, today};
				memcpy(lots[count++], lot, sizeof lot);
				if (count <= LOTS)
					continue;
				lots[1][0] += lots[0][0];
				lots[1][1] += lots[0][1];
				memmove(lots, lots + 1, (size_t)--count * sizeof *lots);
				merged++;
				continue;
			}
			gain[0] -= fee;
			for (quantity = -quantity; quantity > 0 && count > 0;) {
				bool is_whole = lots[0][0] <= quantity;
				int64_t used = is_whole ? lots[0][0] : quantity;
				int64_t cost = lots[0][1] * used / lots[0][0];
				gain[today - lots[0][2] > 365] += used * price - cost;
				old += today - lots[0][2] > 365;
				quantity -= (int)used;
				lots[0][0] -= used;
				lots[0][1] -= cost;
				split += !is_whole;
				if (is_whole)
					memmove(lots, lots + 1, (size_t)--count * sizeof *lots);
			}
			missing += quantity;
		}
		for (int k = 0; k < count; k++) {
			held += (int)lots[k][0];
			basis += lots[k][1];
		}
		assert_true(results[a].short_term == gain[0] && results[a].long_term == gain[1]);
		assert_true(results[a].basis == basis);
		assert_int_equal(results[a].held, held);
		assert_int_equal(results[a].uncovered, missing);
		uncovered += missing > 0;
	}
	assert_true(merged > 3 && split > 10 && uncovered > 3 && old > 3);
}

/* Numbers of a textbook, right and with a symbol changed, and others by long division. */
static void iban_check_leaves_one_of_97(void **unused)
{
	enum { COUNT = 200, WIDTH = 34 };
	static const char *known[4] = {"GB82 WEST 1234 5698 7654 32", "DE89370400440532013000",
	                               "FR14 2004 1010 0505 0001 3M02 606", "NO9386011117947"};
	static const char symbols[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	uint8_t text[COUNT][WIDTH], lengths[676] = {0}, faults[COUNT], remainders[COUNT];
	uint32_t by_fault[16] = {0}, want[16] = {0};
	(void)unused;
	seed();
	lengths[('G' - 'A') * 26 + 'B' - 'A'] = 22;
	lengths[('D' - 'A') * 26 + 'E' - 'A'] = 22;
	lengths[('F' - 'A') * 26 + 'R' - 'A'] = 27;
	lengths[('N' - 'A') * 26 + 'O' - 'A'] = 15;
	lengths[0] = 35;
	for (int i = 0; i < COUNT; i++) {
		const char *from = known[i % 4];
		for (int k = 0; k < WIDTH; k++) {
			const char *at = k < (int)strlen(from) && from[k] != ' '
			                         ? strchr(symbols, from[k])
			                         : NULL;
			text[i][k] = (uint8_t)(at == NULL ? 36 + random_word() % 28
			                                  : (uint32_t)(at - symbols));
			if (i >= 150)
				text[i][k] = (uint8_t)random_word();
		}
		if (i >= 150 && i % 2)
			text[i][0] = text[i][1] = 10;
		if (i >= 20 && i < 150)
			text[i][random_word() % 22] = (uint8_t)(random_word() % 40);
	}
	RUN("ledgers/iban_check", "", WORK(256), WORK(64), ARRAY(text), ARRAY(lengths),
	    ARRAY(faults), ARRAY(remainders), ARRAY(by_fault), SCALAR(uint32_t, COUNT));
	for (int i = 0; i < COUNT; i++) {
		char line[2 * WIDTH + 1] = "", digits[3 * WIDTH] = "";
		int length = 0, fault = 0, rest = 0;
		for (int k = 0; k < WIDTH; k++)
			if (text[i][k] % 64 < 36)
				line[length++] = symbols[text[i][k] % 64];
		for (int k = 0; k < length; k++) {
			const char *at = strchr(symbols, line[(k + 4) % length]);
			size_t used = strlen(digits);
			(void)snprintf(digits + used, sizeof digits - used, "%d",
			               (int)(at - symbols));
		}
		for (const char *digit = digits; *digit != 0; digit++)
			rest = (10 * rest + *digit - '0') % 97;
		assert_true(length > 4);
		if (line[0] < 'A' || line[1] < 'A') {
			fault = 1;
		} else {
			int must = lengths[(line[0] - 'A') * 26 + line[1] - 'A'];
			fault = must == 0 || must > WIDTH ? 1 : must != length ? 2 : 0;
		}
		fault |= line[2] > '9' || line[3] > '9' ? 4 : 0;
		fault |= rest != 1 ? 8 : 0;
		assert_int_equal(remainders[i], rest);
		assert_int_equal(faults[i], fault);
		assert_true(i >= 20 || fault == 0);
		want[fault]++;
	}
	assert_words(by_fault, want, 16);
	assert_true(want[0] >= 20 && want[8] > 10 && want[9] > 3 && want[10] > 1);
}

static void revalue_entries_round_half_to_even(void **unused)
{
	enum { COUNT = 600, GROUPS = 10, MILLION = 1000000 };
	struct {
		uint32_t low;
		int16_t high;
		uint8_t currency, side;
	} items[COUNT];
	uint32_t rates[32];
	int64_t booked[COUNT], want[COUNT], change[GROUPS][2], want_change[GROUPS][2] = {{0}};
	uint16_t moved[GROUPS];
	int want_moved[GROUPS] = {0}, halves = 0;
	(void)unused;
	seed();
	fill_words((uint32_t *)items, sizeof items / 4);
	fill_words(rates, 32);
	rates[0] = 1500000;
	rates[1] = MILLION / 2;
	for (int i = 0; i < COUNT; i++) {
		if (i % 3 == 0)
			items[i].high = (int16_t)(i % 2 ? -1 : 0);
		if (i % 4 == 0)
			items[i].currency = (uint8_t)(i / 4 % 2);
		int64_t amount = (int64_t)items[i].high * 4294967296 + items[i].low;
		int64_t rate = rates[items[i].currency % 32], size = llabs(amount);
		int64_t part = size % MILLION * rate, now = size / MILLION * rate + part / MILLION;
		if (part % MILLION > MILLION / 2 || (part % MILLION == MILLION / 2 && now % 2))
			now++;
		halves += part % MILLION == MILLION / 2;
		want[i] = amount < 0 ? -now : now;
		booked[i] = i % 5 == 0 ? want[i] : want[i] + (int64_t)random_word() - 2000000000;
		int64_t gain = want[i] - booked[i];
		want_change[i / 64][items[i].side % 2] += items[i].side % 2 ? -gain : gain;
		want_moved[i / 64] += gain != 0;
	}
	RUN("ledgers/revalue_entries", "", WORK((size_t)GROUPS * 64), WORK(64), ARRAY(items),
	    ARRAY(rates), ARRAY(booked), ARRAY(change), ARRAY(moved), LOCAL(16 * 64), INT(COUNT));
	assert_memory_equal(booked, want, sizeof want);
	assert_memory_equal(change, want_change, sizeof change);
	for (int g = 0; g < GROUPS; g++)
		assert_int_equal(moved[g], want_moved[g]);
	assert_true(halves > 30);
}

CHECK_FAMILY(ledgers, cmocka_unit_test(post_entries_keep_the_sum_of_balances),
             cmocka_unit_test(audit_proof_leads_to_the_root),
             cmocka_unit_test(fifo_lots_use_the_oldest_first),
             cmocka_unit_test(iban_check_leaves_one_of_97),
             cmocka_unit_test(revalue_entries_round_half_to_even))
