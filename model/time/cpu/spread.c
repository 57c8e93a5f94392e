/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a launch's work lies along its work-groups, and who waits for whom at the end: threads take
 * work-groups in order, the first ones many at once. Where samples say what each part of the
 * NDRange does, work is the operations of its blocks. What parts differ by is partly how few
 * work-items of each were looked at. How much of it that is, parts beside each other tell (von
 * Neumann, Distribution of the ratio of the mean square successive difference to the variance,
 * Annals of Mathematical Statistics 12, 1941); by so much all are drawn to their mean (James,
 * Stein, Estimation with quadratic loss, 4th Berkeley Symposium, 1961).
 */
#include <math.h>

#include "model/device/wake_up.h"
#include "model/time/cpu/cpu.h"

/* Operations of a work-item in each part of which there are samples; their number. */
static unsigned works_of(const struct machine *m, double work[EVALUATE_PARTS])
{
	const struct evaluation *e = evaluation_of(m);
	const struct ir_kernel *kernel = m->input->kernel;
	unsigned count = 0;

	for (unsigned part = 0; part < e->parts; part++)
		work[part] = 0;
	for (uint32_t block = 0; block < kernel->block_count; block++) {
		double calls = 0, operations = operations_in(m, block, &calls);

		for (unsigned part = 0; part < e->parts; part++)
			work[part] += operations * (double)e->part_executions
			                                   [(size_t)part * kernel->block_count +
			                                    block];
	}
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		uint32_t block = kernel->summary->access_block[i];

		for (unsigned part = 0; part < e->parts && block < kernel->block_count; part++)
			work[part] +=
			        (double)e->part_executions[(size_t)part * kernel->block_count +
			                                   block];
	}
	for (unsigned part = 0; part < e->parts; part++)
		count += !isnan(work[part]);
	return count;
}

/* The share of what parts differ by that is theirs; the mean of those that have samples. */
static double share_of_own(const double *work, unsigned parts, unsigned count, double *mean)
{
	double all = 0, chance = 0, before = NAN;

	*mean = 0;
	for (unsigned part = 0; part < parts; part++)
		*mean += isnan(work[part]) ? 0 : work[part] / count;
	for (unsigned part = 0; part < parts; part++) {
		if (isnan(work[part]))
			continue;
		all += (work[part] - *mean) * (work[part] - *mean);
		if (!isnan(before))
			chance += (work[part] - before) * (work[part] - before) / 2;
		before = work[part];
	}
	chance /= count - 1;
	return all > 0 ? fmax(0, 1 - (count - 3) * chance / all) : 0;
}

double spread_uneven(const struct machine *m, double groups)
{
	enum { PARTS_MIN = 4 }; /* fewer say nothing beyond chance */
	struct waking_spread spread = {.slope = evaluation_of(m)->slope};
	double work[EVALUATE_PARTS], up_to[EVALUATE_PARTS + 1] = {0}, mean, own, all;
	unsigned parts = evaluation_of(m)->parts, count = works_of(m, work);

	if (count >= PARTS_MIN) {
		own = share_of_own(work, parts, count, &mean);
		for (unsigned part = 0; part < parts; part++)
			up_to[part + 1] =
			        up_to[part] +
			        (isnan(work[part]) ? mean : mean + own * (work[part] - mean));
		all = up_to[parts];
		for (unsigned part = 0; part <= parts; part++)
			up_to[part] /= all;
		spread.parts = all > 0 ? parts : 0;
		spread.up_to = up_to;
	}
	return waking_uneven(groups, m->occupancy.units, &spread);
}
