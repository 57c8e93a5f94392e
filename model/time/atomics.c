/* SPDX-License-Identifier: Apache-2.0 */
/* The default model's term of atomics: addresses, and what neighbours on them take. */
#include <math.h>

#include "model/time/atomics.h"
#include "model/time/lines.h"

double distinct_addresses(const struct machine *m, uint32_t access)
{
	const struct evaluation_access *a = &evaluation_of(m)->accesses[access];
	double bytes = fmax(1, a->bytes);
	double all = a->object_bytes > 0 ? (double)a->object_bytes / bytes : 1e18, values = 1;

	if (a->address.is_known && !a->address.is_random) {
		for (unsigned i = 0; i < a->address.term_count; i++)
			values *= (double)a->address.terms[i].extent;
		return fmax(1, fmin(all, values));
	}
	if (a->unknown < 0.5 && a->high_bytes > a->low_bytes)
		all = fmin(all, (a->high_bytes - a->low_bytes) / bytes);
	return fmax(1, all);
}

double bytes_touched(const struct machine *m, uint32_t access)
{
	const struct evaluation_access *a = &evaluation_of(m)->accesses[access];
	double line = (double)(int)LINE_BYTES * a->lines[2] / fmax(1, a->addresses);
	double all = distinct_addresses(m, access) * fmax(a->bytes, line);

	if (a->unknown < 0.5 && a->high_bytes > a->low_bytes)
		return fmin(all, a->high_bytes - a->low_bytes);
	return a->object_bytes > 0 ? fmin(all, (double)a->object_bytes) : all;
}

double neighbours_time(const struct device *device, double line, double bytes)
{
	static const struct {
		unsigned id;
		double bytes;
	} steps[] = {
#define X(name, bytes) {COEFFICIENT_##name, bytes},
	        ATOMIC_NEIGHBOURS_TABLE(X)
#undef X
	};
	double below = steps[0].bytes, below_s = line;

	for (unsigned i = 1; i < sizeof steps / sizeof *steps && bytes > below; i++) {
		double time_s = device_value(device, steps[i].id, 0);

		if (!(time_s > 0))
			continue;
		if (bytes <= steps[i].bytes)
			return below_s * pow(time_s / below_s,
			                     log(bytes / below) / log(steps[i].bytes / below));
		below = steps[i].bytes;
		below_s = time_s;
	}
	return below_s;
}

unsigned shared_level(const struct machine *m)
{
	unsigned level = MEMORY_L1;

	while (level < MEMORY_DRAM && level_value(m, level, MEMORY_COLUMN_INSTANCES, 1) > 1)
		level++;
	return BOTTLENECK_L1 + level;
}

/* Whether a block belongs to a loop, or to one within it. */
static bool is_within(const struct ir_kernel *kernel, uint32_t loop, uint32_t block)
{
	uint32_t at = block == IR_NONE ? IR_NONE : kernel->summary->block_loop[block];

	while (at != IR_NONE && at != loop)
		at = loop_around(kernel, at);
	return at == loop;
}

/*
 * Whether a loop around it repeats an exchange until it succeeds. One that goes to another address
 * each time, as to a hash table's next slot, waits for nobody: its trips tell how often it tries.
 */
static bool is_repeated(const struct ir_kernel *kernel, uint32_t access)
{
	const struct ir_summary *summary = kernel->summary;
	uint32_t block = summary->access_block[access], loop = IR_NONE;
	uint32_t index = kernel->accesses[access].index;

	if (kernel->accesses[access].is_exchange && block != IR_NONE)
		loop = summary->block_loop[block];
	while (loop != IR_NONE && !summary->loops[loop].is_retry)
		loop = loop_around(kernel, loop);
	return loop != IR_NONE &&
	       (index == IR_NONE || !is_within(kernel, loop, summary->node_block[index]));
}

/*
 * How often work-items try: those under way contend for the addresses. On average half of
 * them still wait, and about two get through while each of the others tries once.
 */
static double tries(const struct terms *t, uint32_t access, bool is_local)
{
	enum { HALF_AND_TWO = 4 };
	const struct machine *m = t->machine;
	double contend = m->occupancy.items, at_once = t->kind->group_at_once(m);
	double addresses = distinct_addresses(m, access);
	double same = evaluation_of(m)->accesses[access].same_share;

	if (!is_repeated(m->input->kernel, access))
		return 1;
	if (is_local)
		contend = at_once;
	else
		contend = fmin(contend, m->occupancy.units * (m->occupancy.resident * at_once));
	/* as many as would be hit evenly where two meet as often */
	if (same > 0)
		addresses = fmin(addresses, 1 / same);
	return fmax(1, contend / addresses / (double)(int)HALF_AND_TWO);
}

void add_atomics(struct terms *t)
{
	const struct machine *m = t->machine;
	const struct ir_kernel *kernel = m->input->kernel;

	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct ir_access *access = &kernel->accesses[i];
		const struct evaluation_access *a = &evaluation_of(m)->accesses[i];
		bool is_local = kernel->objects[access->object].space == SPACE_LOCAL;
		double time_s;

		if (access->kind != ACCESS_ATOMIC || !(a->executions * m->occupancy.items > 0))
			continue;
		time_s = t->kind->atomic_time(t, i, is_local) * tries(t, i, is_local);
		term_add(t, BOTTLENECK_ATOMIC, time_s);
		lines_add_access(t, BOTTLENECK_ATOMIC, i, time_s);
		row_add(t->prediction, a->executions, time_s, "%s atomic on %s",
		        is_local ? "local" : "global", kernel->objects[access->object].name);
	}
}
