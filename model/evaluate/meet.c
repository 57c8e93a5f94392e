/* SPDX-License-Identifier: Apache-2.0 */
/* How often adds go to one line. */
#include "model/evaluate/meet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/device/levels.h"
#include "model/device/serialisation.h"
#include "model/evaluate/number.h"

enum { TABLE_SIZE = 1 << 10, BLOCKS_MAX = TABLE_SIZE / 4 * 3 };

struct meeting_block {
	int64_t number;
	double sum[3]; /* as of all: of each warp's adds here, their squares, their cubes; 0: free
	                */
};

static bool table_init(struct meeting_table *table, double block_bytes)
{
	table->block_shift = (unsigned)fmin(fmax(0, round(log2(block_bytes))), 62);
	table->blocks = malloc(BLOCKS_MAX * sizeof(*table->blocks));
	table->slots = calloc(TABLE_SIZE, sizeof(*table->slots));
	return table->blocks && table->slots;
}

bool meetings_init(struct meetings *meetings, const struct device *device, double address_bytes)
{
	static const double neighbours[] = {
#define X(name, bytes) bytes,
	        ATOMIC_NEIGHBOURS_TABLE(X)
#undef X
	};
	bool is_done = true;

	memset(meetings, 0, sizeof(*meetings));
	if (device_is_lockstep(device)) {
		meetings->turn_shift = device_atomic_shift(device);
		for (unsigned i = 0; i < EVALUATE_MEETINGS; i++)
			is_done = is_done && table_init(&meetings->tables[i], neighbours[i]);
	} else {
		unsigned levels = cache_levels(device), last = levels > 0 ? levels - 1 : 0;
		unsigned id = coefficient_memory((enum memory_level)last, MEMORY_COLUMN_LINE);

		is_done = table_init(&meetings->tables[0], positive_value(device, id, 64));
	}
	if (address_bytes > 0)
		is_done =
		        is_done && table_init(&meetings->tables[EVALUATE_MEETINGS], address_bytes);
	return is_done;
}

void meetings_deinit(struct meetings *meetings)
{
	for (unsigned i = 0; i <= EVALUATE_MEETINGS; i++) {
		free(meetings->tables[i].blocks);
		free(meetings->tables[i].slots);
	}
	memset(meetings, 0, sizeof(*meetings));
}

static struct meeting_block *block_find(struct meeting_table *table, int64_t number)
{
	uint32_t at = (uint32_t)number_mix((uint64_t)number) & (TABLE_SIZE - 1);

	while (table->slots[at] != 0) {
		struct meeting_block *block = &table->blocks[table->slots[at] - 1];

		if (block->number == number)
			return block;
		at = (at + 1) & (TABLE_SIZE - 1);
	}
	table->blocks[table->block_count] = (struct meeting_block){.number = number};
	table->slots[at] = (uint16_t)++table->block_count;
	return &table->blocks[table->block_count - 1];
}

static void add_powers(double *sum, double adds)
{
	sum[0] += adds;
	sum[1] += adds * adds;
	sum[2] += adds * adds * adds;
}

/* What a warp adds to one block. */
struct part {
	int64_t number;
	double adds;
};

/* The parts of sorted addresses by blocks of 1 << shift bytes; returns how many. */
static unsigned parts_of(const int64_t *sorted, unsigned count, unsigned shift, unsigned turn_shift,
                         struct part *parts)
{
	unsigned part_count = 0;

	for (unsigned first = 0, end; first < count; first = end) {
		int64_t number = sorted[first] >> shift;

		end = first + 1;
		while (end < count && sorted[end] >> shift == number)
			end++;
		parts[part_count++] = (struct part){
		        .number = number,
		        .adds = turn_shift > 0
		                        ? turns_of_units(sorted + first, end - first, turn_shift)
		                        : (double)(end - first)};
	}
	return part_count;
}

/* Joins parts that lie in one block that is longer by so many bits; returns how many are left. */
static unsigned parts_join(struct part *parts, unsigned count, unsigned bits)
{
	unsigned joined = 0;

	for (unsigned i = 0; i < count; i++) {
		int64_t number = parts[i].number >> bits;

		if (joined > 0 && parts[joined - 1].number == number)
			parts[joined - 1].adds += parts[i].adds;
		else
			parts[joined++] = (struct part){.number = number, .adds = parts[i].adds};
	}
	return joined;
}

static void table_add(struct meeting_table *table, const struct part *parts, unsigned count)
{
	double all = 0;

	if (table->block_count + count > BLOCKS_MAX)
		table->is_full = true;
	if (table->is_full || count == 0)
		return;
	for (unsigned i = 0; i < count; i++) {
		add_powers(block_find(table, parts[i].number)->sum, parts[i].adds);
		all += parts[i].adds;
	}
	add_powers(table->sum, all);
}

void meet_add(struct meetings *meetings, const int64_t *sorted, unsigned count)
{
	struct meeting_table *tables = meetings->tables, *addresses = &tables[EVALUATE_MEETINGS];
	struct part parts[EVALUATE_LANES_MAX];
	unsigned left;

	if (addresses->blocks) {
		left = parts_of(sorted, count, addresses->block_shift, meetings->turn_shift, parts);
		table_add(addresses, parts, left);
	}
	left = parts_of(sorted, count, tables[0].block_shift, meetings->turn_shift, parts);
	table_add(&tables[0], parts, left);
	meetings->followers += count > 0 ? count - 1 : 0;
	meetings->joined += count - left;
	for (unsigned i = 1; i < EVALUATE_MEETINGS && tables[i].blocks; i++) {
		left = parts_join(parts, left, tables[i].block_shift - tables[i - 1].block_shift);
		table_add(&tables[i], parts, left);
	}
}

/* Of warps with such sums: adds of two, and of three, different ones, in order. */
static double pairs_of(const double *sum)
{
	return sum[0] * sum[0] - sum[1];
}

static double triples_of(const double *sum)
{
	return sum[0] * (sum[0] * sum[0] - 3 * sum[1]) + 2 * sum[2];
}

/* Shares of adds that meet, and of the block where they do; 0 where none have met. */
static void find_shares(const struct meeting_table *table, double *meet, double *hot)
{
	double pairs = 0, triples = 0, least = 0.5; /* a smaller number of either is rounding */

	*meet = *hot = 0;
	for (uint32_t i = 0; i < table->block_count; i++) {
		pairs += pairs_of(table->blocks[i].sum);
		triples += triples_of(table->blocks[i].sum);
	}
	if (!(pairs > least))
		return;
	*meet = fmin(1, pairs / pairs_of(table->sum));
	if (triples > least)
		*hot = fmin(1, triples / triples_of(table->sum) / *meet);
}

void meet_finish(const struct meetings *meetings, struct evaluation_access *access)
{
	double meet, hot, most = 0;

	access->is_met = pairs_of(meetings->tables[0].sum) > 0;
	for (unsigned i = 0; i < EVALUATE_MEETINGS; i++) {
		find_shares(&meetings->tables[i], &meet, &hot);
		if (i == 0)
			access->meet_share = meet;
		/* a block has what its lines have */
		access->hot_share[i] = most = fmax(most, hot);
	}
	find_shares(&meetings->tables[EVALUATE_MEETINGS], &access->same_share, &hot);
	if (meetings->followers > 0 && meetings->turn_shift == 0)
		access->joined_share = meetings->joined / meetings->followers;
}
