/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The paper's kernel models (Poeppel and Herz, "A Cache-Aware Performance
 * Prediction Framework for GPGPU Computations", equations 2 to 5), with its
 * five access patterns and without.
 *
 * They count what the source says (written counts). The fair extension to
 * loops and branches: a block's counts times its evaluated executions per
 * work-item. What the paper has no benchmark for (built-ins, comparisons, bit
 * operations) costs its calibrated throughput, W(n) = n.
 */
#include <math.h>

#include "model/device/levels.h"
#include "model/evaluate/pattern.h"
#include "model/paper/paper.h"

double paper_equation2(double to_bytes, double to_latency_s, double to_bytes_per_s,
                       double from_bytes, double from_latency_s, double from_bytes_per_s,
                       double kernel_s)
{
	double time_s = kernel_s;

	if (to_bytes > 0)
		time_s += to_latency_s + to_bytes / to_bytes_per_s;
	if (from_bytes > 0)
		time_s += from_latency_s + from_bytes / from_bytes_per_s;
	return time_s;
}

double paper_equation3(double base_s, const double *rows_s, size_t n, double utilisation)
{
	double time_s = base_s;

	for (size_t i = 0; i < n; i++)
		time_s += rows_s[i];
	return time_s / utilisation;
}

double paper_equation4(double group_items, double execution_units)
{
	double rounds = group_items / execution_units;

	return rounds / ceil(rounds);
}

double paper_equation5(const struct paper_w *w, double operations)
{
	double value;

	if (!(operations > 0))
		return 0;
	value = operations <= w->sat ? w->a * pow(operations, w->b) + w->k
	                             : w->a2 * operations + w->k2;
	return fmax(0, value);
}

/* The index among the paper's operations, or -1. */
static int paper_op(unsigned op_class)
{
	switch (op_class) {
	case OP_CLASS_ADD:
		return 0;
	case OP_CLASS_MUL:
		return 1;
	case OP_CLASS_DIV:
		return 2;
	case OP_CLASS_MOD:
		return 3;
	default:
		return -1;
	}
}

static double operation_time(const struct device *device, unsigned op_class, unsigned type,
                             double count, double items)
{
	int op = paper_op(op_class);
	double c = device_op_time_s(device, OP_MODE_VECTOR, (enum type_class)type,
	                            (enum op_class)op_class);
	struct paper_w w = {.a = 1, .b = 1, .k = 0, .a2 = 1, .k2 = 0, .sat = HUGE_VAL};

	if (op >= 0) {
		unsigned first = coefficient_paper((enum type_class)type, (unsigned)op, 0);

		c = device_value(device, first + PAPER_COLUMN_C, c);
		if (device->coefficient[first + PAPER_COLUMN_A].is_known) {
			w.a = device_value(device, first + PAPER_COLUMN_A, 1);
			w.b = device_value(device, first + PAPER_COLUMN_B, 1);
			w.k = device_value(device, first + PAPER_COLUMN_K, 0);
			w.sat = device_value(device, first + PAPER_COLUMN_SAT, HUGE_VAL);
			w.a2 = device_value(device, first + PAPER_COLUMN_A2, w.a);
			w.k2 = device_value(device, first + PAPER_COLUMN_K2, w.k);
		}
	}
	return paper_equation5(&w, count) * c * items;
}

/* One read or write of every work-item under a pattern, in device-seconds. */
static double access_time(const struct device *device, enum pattern pattern, bool is_store)
{
	double uncached = device_value(device, COEFFICIENT_PAPER_UNCACHED,
	                               4 / level_read_bandwidth(device, MEMORY_DRAM));
	double coalesced = device_value(device, COEFFICIENT_PAPER_COALESCED, uncached);

	if (pattern == PATTERN_PRIVATE)
		return 0;
	if (pattern == PATTERN_LOCAL)
		return device_value(device, COEFFICIENT_PAPER_LOCAL,
		                    device_value(device, COEFFICIENT_LOCAL_LOAD, 0));
	if (is_store)
		return device_value(device, COEFFICIENT_PAPER_WRITE, coalesced);
	switch (pattern) {
	case PATTERN_CONSTANT:
		return device_value(device, COEFFICIENT_PAPER_CONSTANT, coalesced);
	case PATTERN_INTERVAL:
		return device_value(device, COEFFICIENT_PAPER_INTERVAL, coalesced);
	case PATTERN_REPEATED:
		return device_value(device, COEFFICIENT_PAPER_REPEATED, 0);
	case PATTERN_UNCOALESCED:
		return device_value(device, COEFFICIENT_PAPER_UNCOALESCED, uncached);
	default:
		return coalesced;
	}
}

/* Counts of one kind, over all blocks. */
struct paper_counts {
	double operation[OP_CLASS_COUNT][TYPE_CLASS_COUNT];
	double read[PATTERN_COUNT], write[PATTERN_COUNT];
};

static void count_written(const struct model_input *input, bool has_patterns,
                          struct paper_counts *counts)
{
	const struct ir_kernel *kernel = input->kernel;

	for (uint32_t i = 0; i < kernel->written_count; i++) {
		const struct ir_written *written = &kernel->written[i];
		double n = written->count * input->evaluation->blocks[written->block].executions;

		if (written->op_class < OP_CLASS_COUNT && written->type_class < TYPE_CLASS_COUNT) {
			unsigned type = written->type_class;

			if (written->op_class == OP_CLASS_FMA) {
				counts->operation[OP_CLASS_ADD][type] += n;
				counts->operation[OP_CLASS_MUL][type] += n;
			} else {
				counts->operation[written->op_class][type] += n;
			}
		} else if (written->access != IR_NONE) {
			unsigned kind = kernel->accesses[written->access].kind;
			enum pattern pattern = pattern_of(kernel, input->evaluation, input->device,
			                                  written->access);
			bool is_global = pattern != PATTERN_LOCAL && pattern != PATTERN_PRIVATE;

			if (is_global && !has_patterns)
				pattern = PATTERN_UNCOALESCED; /* all alike */
			else if (written->repeated && is_global && kind == ACCESS_LOAD)
				pattern = PATTERN_REPEATED;
			if (kind != ACCESS_STORE)
				counts->read[pattern] += n;
			if (kind != ACCESS_LOAD)
				counts->write[pattern] += n;
		}
	}
}

void model_paper(const struct model_input *input, bool has_patterns, struct prediction *prediction)
{
	const struct device *device = input->device;
	struct paper_counts counts = {0};
	double items = (double)input->evaluation->items, rows[PREDICTION_ROWS_MAX];
	double arithmetic = 0, memory = 0, local = 0, base, utilisation;
	size_t n = 0;

	count_written(input, has_patterns, &counts);
	for (unsigned op = 0; op < OP_CLASS_COUNT; op++)
		for (unsigned type = 0; type < TYPE_CLASS_COUNT; type++) {
			double count = counts.operation[op][type], time_s;

			if (!(count > 0))
				continue;
			time_s = operation_time(device, op, type, count, items);
			row_add(prediction, count, time_s, "%s %s",
			        type_class_name((enum type_class)type),
			        op_class_name((enum op_class)op));
			arithmetic += time_s;
		}
	for (unsigned i = 0; i < 2 * PATTERN_COUNT; i++) {
		enum pattern pattern = (enum pattern)(i / 2);
		bool is_store = i % 2;
		bool is_global = pattern != PATTERN_LOCAL && pattern != PATTERN_PRIVATE;
		double count = is_store ? counts.write[pattern] : counts.read[pattern], time_s;

		if (!(count > 0))
			continue;
		/* without patterns reads and writes are still told apart, as in Fig. 4a */
		if (!has_patterns && is_global && !is_store)
			time_s = device_value(device, COEFFICIENT_PAPER_UNCACHED,
			                      access_time(device, PATTERN_COALESCED, false));
		else
			time_s = access_time(device, pattern, is_store);
		time_s *= count * items;
		if (!has_patterns && is_global)
			row_add(prediction, count, time_s, "global %s",
			        is_store ? "write" : "read");
		else
			row_add(prediction, count, time_s, "%s %s", pattern_name(pattern),
			        is_store ? "write" : "read");
		*(is_global ? &memory : &local) += time_s;
	}
	base = device_value(device, COEFFICIENT_PAPER_BASE_FIXED,
	                    device_value(device, COEFFICIENT_LAUNCH_BASE, 1e-6)) +
	       items * device_value(device, COEFFICIENT_PAPER_BASE_ITEM,
	                            device_value(device, COEFFICIENT_LAUNCH_ITEM, 0));
	base = fmax(base, 0);
	utilisation =
	        paper_equation4((double)input->evaluation->group_items,
	                        positive_value(device, COEFFICIENT_PAPER_XU,
	                                       positive_value(device, COEFFICIENT_WARP_ITEMS, 1)));
	for (; n < prediction->row_count; n++)
		rows[n] = prediction->rows[n].time_s;
	prediction->kernel_time_s = paper_equation3(base, rows, n, utilisation);
	row_add(prediction, 1, base, "base cost");
	prediction->bottleneck = BOTTLENECK_LAUNCH;
	if (fmax(memory, local) > fmax(base, arithmetic))
		prediction->bottleneck = memory > local ? BOTTLENECK_DRAM : BOTTLENECK_LOCAL;
	else if (arithmetic > base)
		prediction->bottleneck = BOTTLENECK_ARITHMETIC;
}
