/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Latency on a GPU: chains of operations of a warp that wait for each other.
 */
#include <math.h>
#include <stdlib.h>

#include "model/time/gpu/gpu.h"
#include "model/time/lines.h"
#include "model/underived.h"

/*
 * A warp alone: it issues in order and stops where an operand is not there yet. One execution
 * of a block takes its longest chain of operations and loads; a barrier cuts chains, since
 * what stands behind it begins after all before it. Of iterations that a compiler puts
 * together it moves the loads ahead, some; their arithmetic it leaves in order.
 */
struct chains {
	const struct machine *m;
	double *depth;     /* per node: when it is there, from the start of its block */
	double *reading;   /* per node: what of that loads take, one after another */
	double *called_s;  /* per block: when the last function was through that is a way of its own
	                    */
	double *block_s;   /* per block: the longest so far */
	double *reading_s; /* per block: the longest of its loads */
	double *start_s;   /* per block: when the last barrier was passed */
	double *ahead;     /* per block: iterations whose loads are under way together */
	uint32_t *region;  /* per access, then per block: barriers before it in its block */
	bool *is_turn;     /* per node: a loop's condition, which turn_time has */
	bool *is_written;  /* per block: see mark_written */
	bool *is_chained;  /* per access: waits for the one of the iteration before */
};

/*
 * What compilers make predicates of, in place of a branch: the CUDA programming guide's section of
 * branch predication names seven instructions.
 */
static const double PREDICATED_MAX = 7;

/* Instructions of an arm, by words, and accesses; of one with a loop more than can be predicated.
 * A product of two words' numbers takes two more. */
static double arm_size(const struct ir_kernel *kernel, uint32_t arm)
{
	double size = 0;

	if (arm == IR_NONE)
		return 0;
	for (unsigned type = 0; type < TYPE_CLASS_COUNT; type++)
		size += (type == TYPE_CLASS_LONG ? 2 : 1) *
		        (double)kernel->summary->emitted[arm].instruction[type];
	size += 2 * (double)kernel->summary->emitted[arm].operation[OP_CLASS_MUL][TYPE_CLASS_LONG];
	for (uint32_t s = kernel->blocks[arm].first; s != IR_NONE && size <= PREDICATED_MAX;
	     s = kernel->statements[s].following) {
		const struct ir_statement *statement = &kernel->statements[s];

		size += statement->kind == STATEMENT_LOOP ? PREDICATED_MAX : 1;
		if (statement->kind == STATEMENT_BRANCH)
			size += arm_size(kernel, statement->body) +
			        arm_size(kernel, statement->otherwise);
	}
	return size;
}

bool is_jumped_to(const struct ir_kernel *kernel, uint32_t block)
{
	uint32_t owner = kernel->blocks[block].owner;
	const struct ir_statement *branch;

	if (owner == IR_NONE)
		return false;
	branch = &kernel->statements[owner];
	return branch->kind == STATEMENT_BRANCH && !kernel->summary->branch_is_fixed[owner] &&
	       (arm_size(kernel, branch->body) > PREDICATED_MAX ||
	        arm_size(kernel, branch->otherwise) > PREDICATED_MAX);
}

/* What loads of later iterations are not moved across: see mark_written. */
static bool is_crossed(const struct ir_kernel *kernel, uint32_t statement)
{
	const struct ir_statement *s = &kernel->statements[statement];

	switch (s->kind) {
	case STATEMENT_BARRIER:
		return false;
	case STATEMENT_ACCESS:
		return kernel->accesses[s->access].kind == ACCESS_LOAD ||
		       kernel->objects[kernel->accesses[s->access].object].space != SPACE_GLOBAL;
	case STATEMENT_BRANCH:
		return s->is_tile || kernel->summary->branch_is_fixed[statement] ||
		       (arm_size(kernel, s->body) <= PREDICATED_MAX &&
		        arm_size(kernel, s->otherwise) <= PREDICATED_MAX);
	default:
		return true;
	}
}

/*
 * Blocks in which, or within which, global memory is written, nothing passes a barrier, or
 * work-items part and meet again: a compiler has all of them there before it goes on.
 */
static void mark_written(const struct ir_kernel *kernel, bool *is_written)
{
	for (uint32_t i = 0; i < kernel->statement_count; i++) {
		uint32_t block = kernel->statements[i].block, owner;

		if (is_crossed(kernel, i))
			continue;
		while (!is_written[block]) {
			is_written[block] = true;
			owner = kernel->blocks[block].owner;
			if (owner != IR_NONE && !kernel->statements[owner].is_tile)
				block = kernel->statements[owner].block;
		}
	}
}

/*
 * Iterations around a block whose loads are under way together: all of an unrolled loop, and
 * of another, whose trips are known when it begins, as many as a compiler puts together;
 * one where the loop writes what it may be about to read.
 */
static double iterations_ahead(const struct machine *m, uint32_t block, const bool *is_written)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_summary *summary = kernel->summary;
	double ahead = 1;

	if (is_written[block])
		return 1;
	for (uint32_t i = summary->block_loop[block]; i != IR_NONE;
	     i = summary->block_loop[block]) {
		const struct ir_loop *loop = &summary->loops[i];
		double trips = fmax(1, evaluation_of(m)->loops[i].trips);

		if (is_written[kernel->statements[loop->statement].body])
			return ahead;
		if (!loop->is_unrolled)
			return loop_is_countable(kernel, loop) ? ahead * fmin(loop->unroll, trips)
			                                       : ahead;
		ahead *= trips;
		block = kernel->statements[loop->statement].block;
	}
	return ahead;
}

/* Of each block the same, as far as a compiler has registers for them. */
static void find_ahead(const struct chains *chains)
{
	const struct machine *m = chains->m;
	const struct ir_kernel *kernel = m->input->kernel;

	mark_written(kernel, chains->is_written);
	for (uint32_t i = 0; i < kernel->access_count; i++) /* how many there are, first */
		if (kernel->summary->access_block[i] != IR_NONE &&
		    kernel->accesses[i].kind == ACCESS_LOAD &&
		    !kernel->summary->access_is_folded[i])
			chains->ahead[kernel->summary->access_block[i]]++;
	for (uint32_t b = 0; b < kernel->block_count; b++)
		chains->ahead[b] =
		        fmax(1, fmin(iterations_ahead(m, b, chains->is_written),
		                     (double)LOADS_AHEAD_MAX / fmax(1, chains->ahead[b])));
}

static void number_regions(const struct chains *chains)
{
	const struct ir_kernel *kernel = chains->m->input->kernel;

	for (uint32_t block = 0; block < kernel->block_count; block++) {
		uint32_t region = 0;

		for (uint32_t s = kernel->blocks[block].first; s != IR_NONE;
		     s = kernel->statements[s].following) {
			if (kernel->statements[s].kind == STATEMENT_BARRIER)
				region++;
			else if (kernel->statements[s].kind == STATEMENT_ACCESS &&
			         kernel->summary->access_block[kernel->statements[s].access] ==
			                 block) /* not hoisted */
				chains->region[kernel->statements[s].access] = region;
		}
	}
}

/* When an access of the block may begin. */
static double access_start(const struct chains *chains, uint32_t access, uint32_t block)
{
	uint32_t *passed = &chains->region[chains->m->input->kernel->access_count + block];
	uint32_t region = chains->region[access];

	if (region == 0)
		return 0;
	if (region > *passed) {
		chains->start_s[block] =
		        chains->block_s[block] +
		        (region - *passed) * device_value(chains->m->input->device,
		                                          COEFFICIENT_BARRIER_LATENCY, 0);
		*passed = region;
	}
	return chains->start_s[block];
}

/* An atomic whose result nothing uses; what is left of one in local memory a barrier waits for. */
static bool is_sent_off(const struct ir_kernel *kernel, uint32_t access)
{
	return !kernel->summary->access_is_used[access] &&
	       kernel->objects[kernel->accesses[access].object].space == SPACE_GLOBAL;
}

/* Barriers that no load of their block stands behind: those in its arms and loops may. */
static void pass_barriers(const struct chains *chains)
{
	const struct ir_kernel *kernel = chains->m->input->kernel;
	const uint32_t *passed = &chains->region[kernel->access_count];
	double barrier_s = device_value(chains->m->input->device, COEFFICIENT_BARRIER_LATENCY, 0);

	for (uint32_t i = 0; i < kernel->block_count; i++) {
		uint32_t barriers = 0;

		for (uint32_t s = kernel->blocks[i].first; s != IR_NONE;
		     s = kernel->statements[s].following)
			barriers += kernel->statements[s].kind == STATEMENT_BARRIER;
		if (barriers > passed[i])
			chains->block_s[i] += (barriers - passed[i]) * barrier_s;
	}
}

static void measure_chains(const struct chains *chains)
{
	const struct machine *m = chains->m;
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_summary *summary = kernel->summary;

	for (uint32_t node = 0; node < kernel->node_count; node++) {
		const struct ir_node *n = &kernel->nodes[node];
		uint32_t block = summary->node_block[node];
		double latency = is_within_address(m, node) || summary->node_is_fused[node] ||
		                                 chains->is_turn[node]
		                         ? 0
		                         : warp_node_latency(m, node);
		double depth = 0, reading = 0;

		for (unsigned i = 0; i < n->operand_count; i++) {
			uint32_t operand = kernel->operands[n->first_operand + i];

			if (summary->node_block[operand] != block)
				continue;
			depth = fmax(depth, chains->depth[operand]);
			reading = fmax(reading, chains->reading[operand]);
		}
		if (n->op == NODE_LOAD || n->op == NODE_ATOMIC) {
			uint32_t index = kernel->accesses[n->aux].index;

			block = summary->access_block[n->aux];
			latency = block < kernel->block_count && !is_sent_off(kernel, n->aux)
			                  ? warp_access_latency(m, n->aux,
			                                        chains->is_chained[n->aux]
			                                                ? 1
			                                                : chains->ahead[block])
			                  : 0;
			if (index != IR_NONE && summary->node_block[index] == block) {
				depth = fmax(depth, chains->depth[index]);
				reading = fmax(reading, chains->reading[index]);
			}
			if (block < kernel->block_count)
				depth = fmax(depth, access_start(chains, n->aux, block));
			reading += latency;
		} else if (block < kernel->block_count && is_gone_through(m, node, latency)) {
			depth = fmax(depth, chains->called_s[block]);
			chains->called_s[block] = depth + latency;
		}
		chains->depth[node] = depth + latency;
		chains->reading[node] = reading;
		if (block >= kernel->block_count)
			continue;
		chains->block_s[block] = fmax(chains->block_s[block], chains->depth[node]);
		chains->reading_s[block] = fmax(chains->reading_s[block], reading);
	}
}

/* Seconds in which a warp alone issues the operations of a block, were they independent. */
static double issue_time(const struct machine *m, uint32_t block)
{
	const struct ir_counts *emitted = &m->input->kernel->summary->emitted[block];
	double sum = 0;

	for (unsigned op = 0; op < OP_CLASS_COUNT; op++)
		for (unsigned type = 0; type < TYPE_CLASS_COUNT; type++)
			if (emitted->operation[op][type] > 0)
				sum += (double)emitted->operation[op][type] *
				       device_op_time_s(m->input->device, OP_MODE_SCALAR,
				                        (enum type_class)type, (enum op_class)op);
	return sum;
}

/* What it takes to get from one iteration to the next; 0 where the block is none. */
static double turn_time(const struct machine *m, uint32_t block)
{
	const struct ir_kernel *kernel = m->input->kernel;
	uint32_t owner = kernel->blocks[block].owner;
	const struct ir_loop *loop;

	if (owner == IR_NONE || kernel->statements[owner].kind != STATEMENT_LOOP)
		return 0;
	loop = &kernel->summary->loops[kernel->summary->block_loop[block]];
	if (loop->is_unrolled)
		return 0;
	return device_value(m->input->device, COEFFICIENT_LOOP_LATENCY, 0) /
	       (loop_is_countable(kernel, loop) ? loop->unroll : 1);
}

/* There and back again, where an arm of a branch is no predicate: a jump is what an iteration
 * takes beyond its counter and its comparison. */
static double jump_time(const struct machine *m, uint32_t block)
{
	const struct device *device = m->input->device;
	double jump = device_value(device, COEFFICIENT_LOOP_LATENCY, 0) -
	              device_value(device, COEFFICIENT_INT_LATENCY, 0) -
	              device_value(device, COEFFICIENT_COMPARE_LATENCY, 0);

	return is_jumped_to(m->input->kernel, block) ? 2 * fmax(0, jump) : 0;
}

/* Whether a node of a block follows from a variable; `left` of its ancestors are looked at. */
static bool follows_from(const struct chains *chains, uint32_t node, uint32_t variable,
                         uint32_t block, unsigned *left)
{
	const struct ir_kernel *kernel = chains->m->input->kernel;
	const struct ir_node *n = &kernel->nodes[node];

	if (node == variable)
		return true;
	if (*left == 0 || kernel->summary->node_block[node] != block)
		return false;
	--*left;
	for (unsigned i = 0; i < n->operand_count; i++)
		if (follows_from(chains, kernel->operands[n->first_operand + i], variable, block,
		                 left))
			return true;
	return n->op == NODE_LOAD && kernel->accesses[n->aux].index != IR_NONE &&
	       follows_from(chains, kernel->accesses[n->aux].index, variable, block, left);
}

/*
 * What a loop waits for between its iterations beyond the turn itself where what it computes says
 * whether it goes on (`while (x * x + y * y <= 4)`): a warp issues nothing behind a branch
 * before it is decided.
 */
static double deciding_time(const struct chains *chains, uint32_t block)
{
	enum { FOLLOWED = 64 };
	const struct ir_kernel *kernel = chains->m->input->kernel;
	uint32_t owner = kernel->blocks[block].owner, condition;
	const struct ir_statement *loop;
	double compare, next_s = 0;
	bool is_decided = false;

	if (owner == IR_NONE || kernel->statements[owner].kind != STATEMENT_LOOP)
		return 0;
	loop = &kernel->statements[owner];
	condition = loop->condition;
	if (condition == IR_NONE)
		return 0;
	for (uint32_t i = 0; i < loop->variable_count; i++) {
		const struct ir_variable *v = &kernel->variables[loop->first_variable + i];
		unsigned left = FOLLOWED;

		if (v->next == IR_NONE || goes_by_constant(kernel, v) ||
		    !follows_from(chains, condition, v->node, block, &left))
			continue;
		is_decided = true;
		if (kernel->summary->node_block[v->next] == block)
			next_s = fmax(next_s, chains->depth[v->next]);
	}
	/* the comparison itself is in the turn */
	compare = device_value(chains->m->input->device, COEFFICIENT_COMPARE_LATENCY, 0);
	return is_decided ? next_s + fmax(0, chains->depth[condition] - compare) : 0;
}

/*
 * Of a loop that is unrolled fully a compiler has iterations overlap: each waits for what the one
 * before hands on, and for its share of the loads; what else a chain is long by is waited
 * for once. Leaves the former in the body's time; returns the latter.
 */
static double overlap_iterations(const struct chains *chains, const struct ir_loop *loop)
{
	const struct ir_kernel *kernel = chains->m->input->kernel;
	uint32_t body = kernel->statements[loop->statement].body;
	double *distance = chains->reading, whole_s = chains->block_s[body], each_s;

	if (!loop->is_unrolled || chains->region[kernel->access_count + body] > 0)
		return 0; /* or a barrier is between them */
	each_s = recurrence_time(chains->m, &warp_steps, loop, distance) + chains->reading_s[body];
	chains->block_s[body] = fmin(whole_s, each_s);
	return whole_s - chains->block_s[body];
}

/* The most trips of an entry of the loop of a body that any of the launch's work-items takes. */
static double most_trips(const struct chains *chains, uint32_t body)
{
	const struct ir_summary *summary = chains->m->input->kernel->summary;

	return evaluation_of(chains->m)->loops[summary->block_loop[body]].most;
}

/*
 * What one entry of a block takes the warp that goes the longest way through it, where the launch
 * has enough warps for one of them to. Requires what one execution of each block takes.
 */
static double longest_time(const struct chains *chains, uint32_t block, bool is_loop)
{
	const struct ir_kernel *kernel = chains->m->input->kernel;
	const struct evaluation *e = evaluation_of(chains->m);
	double entries = e->blocks[block].warp_executions, time_s = chains->block_s[block];

	for (uint32_t s = kernel->blocks[block].first; s != IR_NONE && entries > 0;
	     s = kernel->statements[s].following) {
		const struct ir_statement *statement = &kernel->statements[s];
		uint32_t arms[2] = {statement->body, statement->otherwise};
		double share[2] = {0}, arm_s[2] = {0};

		for (unsigned i = 0; i < 2; i++) {
			if (arms[i] == IR_NONE)
				continue;
			share[i] = e->blocks[arms[i]].warp_executions / entries;
			if (!(share[i] > 0))
				continue;
			arm_s[i] = longest_time(chains, arms[i],
			                        is_loop || statement->kind == STATEMENT_LOOP);
			/* of a loop as often as any goes around it, of one within another the mean;
			 * of an arm all of it, where any warp goes there */
			if (!is_loop && statement->kind == STATEMENT_LOOP)
				arm_s[i] *= fmax(share[i], most_trips(chains, statement->body));
			else if (is_loop || statement->kind != STATEMENT_BRANCH)
				arm_s[i] *= share[i];
			else
				arm_s[i] *=
				        fmin(1, share[i] * entries * chains->m->occupancy.warps);
		}
		/* both, where warps part */
		time_s += is_loop || share[0] + share[1] > 1 ? arm_s[0] + arm_s[1]
		                                             : fmax(arm_s[0], arm_s[1]);
	}
	return time_s;
}

static uint32_t own_stretch(const struct machine *m, uint32_t block)
{
	(void)m;
	return block;
}

static bool is_own_stretch(const struct machine *m, uint32_t block, uint32_t operand_block)
{
	(void)m;
	return block == operand_block;
}

static double warp_times(const struct machine *m, uint32_t block)
{
	return block < m->input->kernel->block_count
	               ? evaluation_of(m)->blocks[block].warp_executions
	               : 0;
}

/*
 * What lines of the source make a warp wait: the longest chain of each block, and what its
 * statement takes beyond that. Requires what one execution of each block takes.
 */
static void note_lines(const struct terms *t, const struct chains *chains)
{
	const struct machine *m = t->machine;
	const struct ir_kernel *kernel = m->input->kernel;
	const struct chain_rules rules = {.depth = chains->depth,
	                                  .stretch_of = own_stretch,
	                                  .follows = is_own_stretch,
	                                  .times = warp_times};

	if (t->lines == NULL)
		return;
	lines_add_chains(t, &rules);
	for (uint32_t i = 0; i < kernel->block_count; i++)
		chains->reading_s[i] = 0; /* from here on: its longest chain */
	for (uint32_t i = 0; i < kernel->node_count; i++) {
		uint32_t block = kernel->summary->node_block[i];

		if (block < kernel->block_count)
			chains->reading_s[block] = fmax(chains->reading_s[block], chains->depth[i]);
	}
	for (uint32_t i = 0; i < kernel->block_count; i++)
		lines_add_block(t, BOTTLENECK_LATENCY, i,
		                warp_times(m, i) *
		                        fmax(0, chains->block_s[i] - chains->reading_s[i]));
}

/* What one warp waits for, alone; and the one that waits longest. */
static enum status chain_time(const struct terms *t, double *time_s, double *longest_s,
                              struct error *error)
{
	const struct machine *m = t->machine;
	const struct ir_kernel *kernel = m->input->kernel;
	const struct evaluation *e = evaluation_of(m);
	size_t nodes = (size_t)kernel->node_count + 1, blocks = (size_t)kernel->block_count + 1;
	struct chains chains = {.m = m};
	enum status status = STATUS_OK;
	double *once_s; /* per block: what its loops wait for once, after their iterations */
	double *size;   /* per loop: instructions of its body */

	*time_s = 0;
	chains.depth =
	        calloc(2 * nodes + 6 * blocks + kernel->summary->loop_count, sizeof(*chains.depth));
	chains.region = calloc(kernel->access_count + blocks, sizeof(*chains.region));
	chains.is_turn = calloc(2 * nodes + blocks + kernel->access_count, sizeof(*chains.is_turn));
	if (!chains.depth || !chains.region || !chains.is_turn) {
		status = error_set(error, STATUS_NO_MEMORY, "%s: no memory for its chains",
		                   kernel->name);
		goto out;
	}
	chains.is_written = chains.is_turn + nodes;
	chains.is_chained = chains.is_written + blocks;
	accesses_mark_chained(kernel, chains.is_chained + kernel->access_count, chains.is_chained);
	chains.reading = chains.depth + nodes;
	chains.block_s = chains.reading + nodes;
	chains.reading_s = chains.block_s + blocks;
	chains.start_s = chains.reading_s + blocks;
	chains.ahead = chains.start_s + blocks;
	chains.called_s = chains.ahead + blocks;
	once_s = chains.called_s + blocks;
	size = once_s + blocks;
	find_ahead(&chains);
	for (uint32_t i = 0; i < kernel->summary->loop_count; i++) {
		uint32_t loop = kernel->summary->loops[i].statement;

		if (kernel->statements[loop].condition != IR_NONE)
			chains.is_turn[kernel->statements[loop].condition] = true;
	}
	number_regions(&chains);
	measure_chains(&chains);
	pass_barriers(&chains);
	for (uint32_t i = 0; i < kernel->summary->loop_count; i++) {
		const struct ir_loop *loop = &kernel->summary->loops[i];
		const struct ir_statement *s = &kernel->statements[loop->statement];

		if (loop->is_closed)
			chains.block_s[s->body] = 0;
		else
			once_s[s->block] += overlap_iterations(&chains, loop);
	}
	loop_sizes(m, size);
	for (uint32_t i = 0; i < kernel->block_count; i++) {
		double issue_s = fmax(issue_time(m, i), fetch_time(m, i, size));

		chains.block_s[i] = fmax(fmax(chains.block_s[i], issue_s),
		                         turn_time(m, i) + deciding_time(&chains, i)) +
		                    jump_time(m, i) + once_s[i];
		*time_s += e->blocks[i].warp_executions * chains.block_s[i];
	}
	*longest_s = fmax(*time_s, longest_time(&chains, 0, false));
	note_lines(t, &chains);
out:
	free(chains.depth);
	free(chains.region);
	free(chains.is_turn);
	return status;
}

/*
 * What a group works while none of it waits: between barriers its warps begin together, and none
 * goes on before the last one is there. Of phases with loops within warps have got apart.
 */
static double working_time(const struct terms *t)
{
	const struct machine *m = t->machine;
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_summary *summary = kernel->summary;
	const struct evaluation *e = evaluation_of(m);
	double phases = 0, iterations = 0;
	double beside =
	        fmax(1, fmin(m->occupancy.resident, (double)e->groups / m->occupancy.units));
	double terms[2] = {t->time_s[BOTTLENECK_ARITHMETIC],
	                   t->time_s[BOTTLENECK_LOCAL] + t->time_s[BOTTLENECK_L1]};

	for (uint32_t i = 0; i < kernel->statement_count; i++)
		if (kernel->statements[i].kind == STATEMENT_BARRIER)
			phases += e->blocks[kernel->statements[i].block].warp_executions;
	for (uint32_t i = 0; i < summary->loop_count; i++)
		iterations += e->blocks[kernel->statements[summary->loops[i].statement].body]
		                      .warp_executions;
	if (!(phases > 0))
		return 0;
	return soft_maximum(terms, 2, norm_of(m->input->device)) / beside *
	       fmin(1, phases / fmax(phases, iterations));
}

enum status add_warp_latency(struct terms *t, struct error *error)
{
	const struct machine *m = t->machine;
	double path, longest = 0, turns;
	enum status status = chain_time(t, &path, &longest, error);

	if (status != STATUS_OK)
		return status;
	turns = ceil((double)evaluation_of(m)->groups /
	             (m->occupancy.units * m->occupancy.resident));
	/* the launch ends with its last warp: one that goes a longer way goes it once */
	add_waiting(t, path * turns + fmax(0, longest - path) + working_time(t), turns);
	return STATUS_OK;
}
