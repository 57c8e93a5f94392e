/* SPDX-License-Identifier: Apache-2.0 */
/* How sure a prediction is. */
#include "model/answer/interval.h"
#include "model/device/levels.h"
#include "model/underived.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/*
 * Blocks of a kernel that is as doubtful as a calibration's coefficients say, how a variance grows
 * with them, and up to how many. Of quantiles over three devices, families of kernels left out.
 */
static const double PIECES_USUAL = 1.75, PIECES_POWER = 0.65, PIECES_MOST = 6;

/*
 * What disturbs a kernel or is missing in a model makes it longer: so many times as far as expected
 * it may end later, and as many times less far it may end earlier.
 */
static const double SKEW = 1.1;

/*
 * How much longer launches take in another process, and so in another hour: where there is hardly
 * anything else to do, times of seven measurements were 3 to 12 % above their calibrations',
 * whose own repeats are within 3 % and which are 5 % from each other's.
 */
static const double LAUNCH_SD = 0.09;

const unsigned doubt_ids[DOUBT_COUNT] = {
#define X(name) [DOUBT_##name] = COEFFICIENT_INTERVAL_##name,
        DOUBT_TABLE(X)
#undef X
};

static const enum doubt doubt_of[BOTTLENECK_COUNT] = {
        [BOTTLENECK_LAUNCH] = DOUBT_LAUNCH,   [BOTTLENECK_DISPATCH] = DOUBT_LAUNCH,
        [BOTTLENECK_ARITHMETIC] = DOUBT_UNIT, [BOTTLENECK_LATENCY] = DOUBT_UNIT,
        [BOTTLENECK_LOCAL] = DOUBT_UNIT,      [BOTTLENECK_ATOMIC] = DOUBT_SHARED,
        [BOTTLENECK_BARRIER] = DOUBT_UNIT,    [BOTTLENECK_L1] = DOUBT_UNIT,
        [BOTTLENECK_L2] = DOUBT_SHARED,       [BOTTLENECK_L3] = DOUBT_SHARED,
        [BOTTLENECK_L4] = DOUBT_SHARED,       [BOTTLENECK_DRAM] = DOUBT_SHARED,
};

/*
 * Each block is one more place where a compiler or a device may do other than the model says: a
 * straight line is surer than loops and branches within each other. Of many each has a smaller
 * share of the time. Of the variance: as many times that of the kernels of a calibration.
 */
static double of_pieces(const struct prediction *prediction)
{
	double pieces = fmin((double)prediction->pieces, PIECES_MOST);

	return pieces > 0 ? pow(pieces / PIECES_USUAL, PIECES_POWER) : 1;
}

/* What a block and those within it take of the kernel. */
struct part {
	double operations, accesses;
};

static void add_up(const struct ir_kernel *kernel, struct part *parts, uint32_t block,
                   const struct part *what)
{
	for (uint32_t owner;; block = kernel->statements[owner].block) {
		parts[block].operations += what->operations;
		parts[block].accesses += what->accesses;
		owner = kernel->blocks[block].owner;
		if (owner == IR_NONE)
			return;
	}
}

static void find_parts(const struct model_input *input, bool is_lockstep, struct part *parts)
{
	const struct ir_kernel *kernel = input->kernel;
	const struct ir_summary *summary = kernel->summary;
	const struct ir_counts *counts = is_lockstep ? summary->emitted : summary->rolled;

	for (uint32_t i = 0; i < kernel->block_count; i++) {
		const struct evaluation_block *b = &input->evaluation->blocks[i];
		struct part own = {0, 0};

		for (unsigned op = 0; op < OP_CLASS_COUNT; op++)
			for (unsigned type = 0; type < TYPE_CLASS_COUNT; type++)
				if (counts[i].operation[op][type] > 0)
					own.operations +=
					        (double)counts[i].operation[op][type] *
					        device_op_time_s(input->device, OP_MODE_VECTOR,
					                         (enum type_class)type,
					                         (enum op_class)op);
		own.operations *= is_lockstep ? b->warp_executions : b->executions;
		add_up(kernel, parts, i, &own);
	}
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		uint32_t block = summary->access_block[i];
		struct part own = {0, input->evaluation->accesses[i].executions};

		if (is_lockstep)
			own.accesses = input->evaluation->accesses[i].warp_executions;
		if (block != IR_NONE && !summary->access_is_folded[i])
			add_up(kernel, parts, block, &own);
	}
}

static double share_of(double part, double whole)
{
	return fmin(part / fmax(whole, DBL_MIN), 1); /* 1 where both are beyond numbers */
}

/* How the time follows the executions of a block: as its resources, by the block's shares. */
static double follows(const struct prediction *prediction, const struct part *parts, uint32_t block)
{
	const float *e = prediction->elasticity;
	double operations = share_of(parts[block].operations, parts[0].operations);
	double accesses = share_of(parts[block].accesses, parts[0].accesses);
	double to_operations = (double)e[BOTTLENECK_ARITHMETIC];
	double to_accesses = (double)e[BOTTLENECK_LOCAL] + (double)e[BOTTLENECK_ATOMIC];
	double to_launch = (double)e[BOTTLENECK_LAUNCH] + (double)e[BOTTLENECK_DISPATCH], rest;

	for (unsigned i = BOTTLENECK_L1; i <= BOTTLENECK_DRAM; i++)
		to_accesses += (double)e[i];
	/* waiting is for either; so is all where a model has no resources */
	rest = fmax(0, 1 - to_operations - to_accesses - to_launch);
	return (to_operations + rest / 2) * operations + (to_accesses + rest / 2) * accesses;
}

/* How far the time goes when one assumption is off by its standard deviation. */
static double swing_of(const struct model_input *input, const struct prediction *prediction,
                       const struct part *parts, const struct ir_statement *s)
{
	const struct evaluation_block *blocks = input->evaluation->blocks;
	double body = follows(prediction, parts, s->body), other = 0, share;

	if (s->kind == STATEMENT_LOOP)
		return blocks[s->body].doubt * body;
	share = share_of(blocks[s->body].executions, blocks[s->block].executions);
	if (s->otherwise != IR_NONE)
		other = follows(prediction, parts, s->otherwise);
	return blocks[s->body].doubt * ((1 - share) * body - share * other);
}

double interval_unknown_share(const struct model_input *input)
{
	const struct ir_kernel *kernel = input->kernel;
	const struct evaluation_block *blocks = input->evaluation->blocks;
	double unknown = 0, known = 0;

	if (kernel->unknown[0] == '\0')
		return 0;
	for (uint32_t i = 0; i < kernel->statement_count; i++) {
		const struct ir_statement *s = &kernel->statements[i];

		unknown +=
		        blocks[s->block].executions * (double)kernel_unknown_operations(kernel, s);
		/* a counter and a test are of the loop, and not what it is about */
		if (s->kind == STATEMENT_LOOP)
			known -= 2 * blocks[s->body].executions;
	}
	for (uint32_t i = 0; i < kernel->access_count; i++)
		known += input->evaluation->accesses[i].executions;
	for (uint32_t i = 0; i < kernel->block_count; i++)
		for (unsigned op = 0; op < OP_CLASS_COUNT; op++)
			for (unsigned type = 0; type < TYPE_CLASS_COUNT; type++)
				known += blocks[i].executions *
				         (double)kernel->summary->rolled[i].operation[op][type];
	return share_of(unknown, unknown + fmax(known, 0));
}

/* Of sampled warps: all of the time but the launch's follows what they have to do. */
static double variance_of_warps(const struct model_input *input,
                                const struct prediction *prediction)
{
	const float *e = prediction->elasticity;
	double follows = 1 - (double)e[BOTTLENECK_LAUNCH] - (double)e[BOTTLENECK_DISPATCH];

	return pow(fmax(0, follows) * input->evaluation->work_error, 2);
}

enum status interval_examine(const struct model_input *input, struct prediction *prediction,
                             struct error *error)
{
	const struct ir_kernel *kernel = input->kernel;
	struct part *parts;
	/* as doubtful as a fallback where nothing is known, by its share of the time else */
	double share = interval_unknown_share(input);
	double variance = share * share * FALLBACK_VARIANCE + variance_of_warps(input, prediction);

	prediction->pieces = (float)kernel->block_count;
	prediction->assumed_variance = (float)variance;
	if (!prediction->is_data_dependent)
		return STATUS_OK;
	parts = calloc(kernel->block_count, sizeof(*parts));
	if (!parts)
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory to predict", kernel->name);
	find_parts(input, device_is_lockstep(input->device), parts);
	for (uint32_t i = 0; i < kernel->statement_count; i++) {
		const struct ir_statement *s = &kernel->statements[i];

		if ((s->kind == STATEMENT_LOOP || s->kind == STATEMENT_BRANCH) &&
		    input->evaluation->blocks[s->body].doubt > 0)
			variance += pow(swing_of(input, prediction, parts, s), 2);
	}
	prediction->assumed_variance = (float)variance;
	free(parts);
	return STATUS_OK;
}

void interval_weights(const struct prediction *prediction, double weight[DOUBT_COUNT])
{
	double sum = 0, doubt = of_pieces(prediction);

	for (unsigned i = 0; i < DOUBT_COUNT; i++)
		weight[i] = 0;
	for (unsigned i = 0; i < BOTTLENECK_UNKNOWN; i++)
		sum += (double)prediction->elasticity[i];
	for (unsigned i = 0; i < BOTTLENECK_UNKNOWN; i++)
		weight[doubt_of[i]] += doubt * (double)prediction->elasticity[i] / fmax(sum, 1);
}

/*
 * Of a calibration made of other nodes': its standard errors say how far theirs lie apart, and a
 * node that is faster is so in much of it. Their mean, as though all were off together.
 */
static double variance_of_borrowed(const struct device *device)
{
	double sum = 0;
	unsigned known = 0;

	if (device->borrowed_nodes == 0)
		return 0;
	for (unsigned i = 0; i < COEFFICIENT_COUNT; i++)
		if (device->coefficient[i].is_known) {
			sum += fmin(device->coefficient[i].standard_error, 1);
			known++;
		}
	return known == 0 ? 0 : pow(sum / known, 2);
}

/* The factor that 90 % are within, on one side. */
static double within(double sd)
{
	return exp(fmin(50, NINETY_PERCENT * sd));
}

void interval_fill(const struct device *device, struct prediction *prediction)
{
	double any = positive_value(device, COEFFICIENT_INTERVAL_LOG_SD, LOG_SD);
	double weight[DOUBT_COUNT], variance = (double)prediction->assumed_variance;
	double rest = of_pieces(prediction), sd, launch;

	interval_weights(prediction, weight);
	for (unsigned i = 0; i < DOUBT_COUNT; i++) {
		double of_kind = positive_value(device, doubt_ids[i], any);

		variance += weight[i] * of_kind * of_kind;
		rest -= weight[i];
	}
	variance += fmax(rest, 0) * any * any + variance_of_borrowed(device);
	if (prediction->is_capped)
		variance += CAPPED_VARIANCE;
	if (prediction->basis == BASIS_FALLBACK)
		variance += FALLBACK_VARIANCE;
	variance += (double)prediction->state_sd * (double)prediction->state_sd;
	sd = sqrt(variance);
	launch = LAUNCH_SD * (double)prediction->elasticity[BOTTLENECK_LAUNCH];
	prediction->low_s = prediction->kernel_time_s / within(sd / SKEW) *
	                    exp(-(double)prediction->state_below);
	prediction->high_s = prediction->kernel_time_s * within(hypot(sd * SKEW, launch)) *
	                     exp((double)prediction->state_above);
}
