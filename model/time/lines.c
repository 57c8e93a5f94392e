/* SPDX-License-Identifier: Apache-2.0 */
/* Seconds by line of the source and resource, and the shares that follow from them. */
#include "model/time/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/device/levels.h"

struct line {
	struct ir_place place;
	double time_s[BOTTLENECK_COUNT];
	double stalled_s; /* cores wait for what is loaded here */
	double share;
};

struct lines {
	struct ir_node_counts *counts;    /* per node */
	struct footprint_traffic *causes; /* per access */
	struct line *at;                  /* by place */
	uint32_t count;
};

static uint32_t rank_of(struct ir_place place)
{
	return (uint32_t)place.file << 24 | (uint32_t)place.line;
}

static int line_compare(const void *left, const void *right)
{
	uint32_t a = rank_of(((const struct line *)left)->place);
	uint32_t b = rank_of(((const struct line *)right)->place);

	return (a > b) - (a < b);
}

static struct ir_place access_place(const struct ir_kernel *kernel, uint32_t access)
{
	return ir_place_of(kernel->accesses[access].line, kernel->accesses[access].file);
}

static struct ir_place statement_place(const struct ir_kernel *kernel, uint32_t statement)
{
	return ir_place_of(kernel->statements[statement].line, kernel->statements[statement].file);
}

/* Fills the places that anything of the kernel has, once each. False: no memory. */
static bool find_places(struct lines *lines, const struct ir_kernel *kernel)
{
	size_t most = (size_t)kernel->node_count + kernel->access_count + kernel->statement_count;
	uint32_t *ranks = calloc(most + 2, sizeof(*ranks)), count = 0, kept = 0;

	if (ranks == NULL)
		return false;
	for (uint32_t i = 0; i < kernel->node_count; i++)
		if (count == 0 || rank_of(kernel->nodes[i].place) != ranks[count - 1])
			ranks[count++] = rank_of(kernel->nodes[i].place);
	for (uint32_t i = 0; i < kernel->access_count; i++)
		ranks[count++] = rank_of(access_place(kernel, i));
	for (uint32_t i = 0; i < kernel->statement_count; i++)
		ranks[count++] = rank_of(statement_place(kernel, i));
	ranks[count++] = rank_of(ir_place_of(kernel->line, 0));
	lines->at = calloc(count, sizeof(*lines->at));
	for (uint32_t i = 0; lines->at != NULL && i < count; i++)
		lines->at[i].place = ir_place_of(ranks[i] & IR_LINE_MAX, ranks[i] >> 24);
	free(ranks);
	if (lines->at == NULL)
		return false;
	qsort(lines->at, count, sizeof(*lines->at), line_compare);
	for (uint32_t i = 0; i < count; i++)
		if (kept == 0 || line_compare(&lines->at[i], &lines->at[kept - 1]) != 0)
			lines->at[kept++] = lines->at[i];
	lines->count = kept;
	return true;
}

struct lines *lines_new(const struct machine *m)
{
	const struct ir_kernel *kernel = m->input->kernel;
	struct lines *lines = calloc(1, sizeof(*lines));
	struct error ignored;

	if (lines == NULL)
		return NULL;
	lines->causes = calloc((size_t)kernel->access_count + 1, sizeof(*lines->causes));
	if (lines->causes != NULL && find_places(lines, kernel) &&
	    kernel_count_nodes(kernel, m->processor->unrolls_early, &lines->counts, &ignored) ==
	            STATUS_OK)
		return lines;
	lines_free(lines);
	return NULL;
}

void lines_free(struct lines *lines)
{
	if (lines == NULL)
		return;
	free(lines->counts);
	free(lines->causes);
	free(lines->at);
	free(lines);
}

/* ---- what is noted ------------------------------------------------------------------------- */

static struct line *line_at(const struct terms *t, struct ir_place place)
{
	struct line key = {.place = place};

	return bsearch(&key, t->lines->at, t->lines->count, sizeof(key), line_compare);
}

static void add(const struct terms *t, enum bottleneck resource, struct ir_place place,
                double time_s)
{
	struct line *line;

	if (t->lines == NULL || !(time_s > 0))
		return;
	line = line_at(t, place);
	if (line != NULL)
		line->time_s[resource] += time_s;
}

void lines_add_node(const struct terms *t, enum bottleneck resource, uint32_t node, double time_s)
{
	const struct ir_kernel *kernel = t->machine->input->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	bool is_access = n->op == NODE_LOAD || n->op == NODE_ATOMIC;

	add(t, resource, is_access ? access_place(kernel, n->aux) : n->place, time_s);
}

void lines_add_access(const struct terms *t, enum bottleneck resource, uint32_t access,
                      double time_s)
{
	add(t, resource, access_place(t->machine->input->kernel, access), time_s);
}

void lines_add_statement(const struct terms *t, enum bottleneck resource, uint32_t statement,
                         double time_s)
{
	add(t, resource, statement_place(t->machine->input->kernel, statement), time_s);
}

void lines_add_block(const struct terms *t, enum bottleneck resource, uint32_t block, double time_s)
{
	const struct ir_kernel *kernel = t->machine->input->kernel;
	uint32_t owner = kernel->blocks[block].owner;

	if (owner != IR_NONE)
		lines_add_statement(t, resource, owner, time_s);
	else
		add(t, resource, ir_place_of(kernel->line, 0), time_s);
}

/* ---- arithmetic ---------------------------------------------------------------------------- */

/* Device-seconds by which all pipes together follow what `a` adds to each. */
static double worth_of(const struct arithmetic *a, const double slope[PIPE_TERMS])
{
	double worth = 0;

	for (unsigned i = 0; i < PIPE_TERMS; i++)
		worth += a->pipe[i] * slope[i];
	return fmax(0, worth);
}

/* The terms without what they note as they are added, which is there already. */
static struct terms quiet(const struct terms *t)
{
	struct terms copy = *t;

	copy.regions = NULL;
	copy.lines = NULL;
	return copy;
}

static void add_node_arithmetic(const struct terms *t, uint32_t node,
                                const double slope[PIPE_TERMS])
{
	const struct ir_summary *summary = t->machine->input->kernel->summary;
	const struct ir_node_counts *counts = &t->lines->counts[node];
	uint32_t block = summary->node_block[node];
	struct terms own = quiet(t);

	for (unsigned i = 0; i < counts->count && block != IR_NONE; i++) {
		enum op_class op = (enum op_class)counts->op[i];
		enum type_class type = (enum type_class)counts->type[i];
		const struct ir_counts *of_block = t->machine->processor->unrolls_early
		                                           ? &summary->rolled[block]
		                                           : &summary->emitted[block];
		double all = (double)of_block->operation[op][type];
		struct arithmetic a = {0};

		if (!(all > 0))
			continue;
		t->kind->add_operations(&own, block, op, type, &a);
		lines_add_node(t, BOTTLENECK_ARITHMETIC, node,
		               on_units(t->machine, worth_of(&a, slope)) *
		                       (double)counts->operations[i] / all);
	}
}

void lines_add_arithmetic(const struct terms *t, const struct arithmetic *a)
{
	const struct machine *m = t->machine;
	const struct ir_kernel *kernel = m->input->kernel;
	double slope[PIPE_TERMS];

	if (t->lines == NULL)
		return;
	pipes_slope(a->pipe, norm_of(m->input->device), slope);
	for (uint32_t i = 0; i < kernel->node_count; i++)
		add_node_arithmetic(t, i, slope);
	for (uint32_t i = 0; i < kernel->summary->loop_count; i++) {
		struct terms own = quiet(t);
		struct arithmetic turns = {0};

		t->kind->add_turns(&own, &kernel->summary->loops[i], &turns);
		lines_add_statement(t, BOTTLENECK_ARITHMETIC, kernel->summary->loops[i].statement,
		                    on_units(m, worth_of(&turns, slope)));
	}
	for (uint32_t i = 0; i < kernel->access_count && t->kind->issue_time != NULL; i++)
		lines_add_access(t, BOTTLENECK_ARITHMETIC, i,
		                 on_units(m, t->kind->issue_time(m, i) * slope[PIPE_ISSUE]));
}

/* ---- memory -------------------------------------------------------------------------------- */

struct footprint_traffic *lines_causes(const struct terms *t)
{
	if (t->lines == NULL)
		return NULL;
	memset(t->lines->causes, 0,
	       t->machine->input->kernel->access_count * sizeof(*t->lines->causes));
	return t->lines->causes;
}

void lines_add_traffic(const struct terms *t, const struct level *level)
{
	const struct ir_kernel *kernel = t->machine->input->kernel;
	unsigned below = level->below;

	for (uint32_t i = 0; t->lines != NULL && i < kernel->access_count; i++) {
		struct level own = *level;

		t->lines->causes[i].stored_bytes = 0; /* as if no core had these lines */
		own.traffic = &t->lines->causes[i];
		lines_add_access(t, BOTTLENECK_L1 + below, i,
		                 t->kind->level_time(t->machine, &own));
	}
}

/* ---- latency ------------------------------------------------------------------------------- */

static uint32_t block_of(const struct ir_kernel *kernel, uint32_t node)
{
	const struct ir_node *n = &kernel->nodes[node];

	return n->op == NODE_LOAD || n->op == NODE_ATOMIC ? kernel->summary->access_block[n->aux]
	                                                  : kernel->summary->node_block[node];
}

/* What a node of a chain waits for longest; IR_NONE: for nothing in it. */
static uint32_t waited_for(const struct terms *t, const struct chain_rules *rules, uint32_t node)
{
	const struct ir_kernel *kernel = t->machine->input->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	bool is_access = n->op == NODE_LOAD || n->op == NODE_ATOMIC;
	uint32_t longest = IR_NONE, block = block_of(kernel, node);

	for (unsigned i = 0; i <= n->operand_count; i++) {
		uint32_t operand = i < n->operand_count ? kernel->operands[n->first_operand + i]
		                   : is_access          ? kernel->accesses[n->aux].index
		                                        : IR_NONE;

		if (operand == IR_NONE || operand >= node ||
		    block_of(kernel, operand) >= kernel->block_count ||
		    !rules->follows(t->machine, block, block_of(kernel, operand)))
			continue;
		if (longest == IR_NONE || rules->depth[operand] > rules->depth[longest])
			longest = operand;
	}
	return longest;
}

void lines_add_chains(const struct terms *t, const struct chain_rules *rules)
{
	const struct ir_kernel *kernel = t->machine->input->kernel;
	uint32_t *deepest; /* per stretch, and of none: a node */

	if (t->lines == NULL)
		return;
	deepest = malloc(((size_t)kernel->block_count + 1) * sizeof(*deepest));
	if (deepest == NULL)
		return; /* then it belongs to no line */
	for (uint32_t i = 0; i <= kernel->block_count; i++)
		deepest[i] = IR_NONE;
	for (uint32_t node = 0; node < kernel->node_count; node++) {
		uint32_t block = block_of(kernel, node), stretch;

		if (block >= kernel->block_count)
			continue;
		stretch = rules->stretch_of(t->machine, block);
		if (deepest[stretch] == IR_NONE ||
		    rules->depth[node] > rules->depth[deepest[stretch]])
			deepest[stretch] = node;
	}
	for (uint32_t stretch = 0; stretch <= kernel->block_count; stretch++) {
		double times = deepest[stretch] != IR_NONE ? rules->times(t->machine, stretch) : 0;

		for (uint32_t node = deepest[stretch], next; node != IR_NONE; node = next) {
			double before;

			next = waited_for(t, rules, node);
			before = next != IR_NONE ? rules->depth[next] : 0;
			lines_add_node(t, BOTTLENECK_LATENCY, node,
			               times * (rules->depth[node] - before));
		}
	}
	free(deepest);
}

/* Loads that miss, by how long each waits: what cores stall for. */
static void add_stalls(const struct terms *t)
{
	const struct machine *m = t->machine;
	const struct ir_kernel *kernel = m->input->kernel;
	unsigned levels = cache_levels(m->input->device);

	for (uint32_t a = 0; a < kernel->access_count && m->waits != NULL; a++) {
		struct line *line = line_at(t, access_place(kernel, a));

		for (unsigned i = 0; line != NULL && i < levels; i++)
			line->stalled_s += m->waits[(size_t)i * kernel->access_count + a] *
			                   evaluation_of(m)->accesses[a].executions *
			                   level_value(m, i + 1 < levels ? i + 1 : MEMORY_DRAM,
			                               MEMORY_COLUMN_LATENCY, 0);
	}
}

/* ---- shares -------------------------------------------------------------------------------- */

/* Adds what a resource has of the whole to the lines that ask for it; to none, where none does. */
static double share_out(struct lines *lines, unsigned resource, double share)
{
	double sum = 0;

	for (uint32_t i = 0; i < lines->count; i++)
		sum += resource < BOTTLENECK_COUNT ? lines->at[i].time_s[resource]
		                                   : lines->at[i].stalled_s;
	if (!(sum > 0) || !isfinite(sum))
		return share;
	for (uint32_t i = 0; i < lines->count; i++) {
		struct line *line = &lines->at[i];
		double part =
		        share / sum *
		        (resource < BOTTLENECK_COUNT ? line->time_s[resource] : line->stalled_s);

		line->share += part;
		/* from here on: of the whole */
		if (resource < BOTTLENECK_COUNT)
			line->time_s[resource] = part;
		else
			line->time_s[BOTTLENECK_LATENCY] += part;
	}
	return 0;
}

static int share_compare(const void *left, const void *right)
{
	const struct line *a = left, *b = right;

	return a->share != b->share ? (a->share < b->share) - (a->share > b->share)
	                            : line_compare(left, right);
}

void lines_fill(const struct terms *t, double stalled, struct prediction_lines *result)
{
	struct lines *lines = t->lines;
	uint32_t kept;

	*result = (struct prediction_lines){0};
	add_stalls(t);
	for (unsigned i = 0; i < BOTTLENECK_COUNT; i++) {
		double share = (double)t->prediction->elasticity[i];

		if (i == BOTTLENECK_LATENCY)
			share = fmax(0, share - stalled);
		result->elsewhere += share_out(lines, i, share);
	}
	result->elsewhere += share_out(lines, BOTTLENECK_COUNT, stalled);
	qsort(lines->at, lines->count, sizeof(*lines->at), share_compare);
	kept = lines->count < PREDICTION_LINES_MAX ? lines->count : PREDICTION_LINES_MAX;
	for (uint32_t i = kept; i < lines->count; i++)
		result->rest += lines->at[i].share;
	qsort(lines->at, kept, sizeof(*lines->at), line_compare);
	for (uint32_t i = 0; i < kept; i++) {
		const struct line *line = &lines->at[i];
		unsigned most = 0;

		if (!(line->share > 0))
			continue;
		if (line->place.line == 0) { /* of what is written nowhere */
			result->elsewhere += line->share;
			continue;
		}
		for (unsigned k = 0; k < BOTTLENECK_COUNT; k++)
			if (line->time_s[k] > line->time_s[most])
				most = k;
		result->at[result->count++] = (struct prediction_line){
		        .file = line->place.file,
		        .line = line->place.line,
		        .bottleneck = (uint8_t)most,
		        .share = line->share,
		};
	}
}
