/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a launch's work lies along its work-groups, and who waits for whom at the end: threads take
 * work-groups in order, the first ones many at once. Where samples say what each part of the
 * NDRange does, work is the operations of its blocks. What parts differ by is partly how few
 * work-items of each were looked at: as much as halves of those differ. By so much all are drawn
 * to their mean (James, Stein, Estimation with quadratic loss, 4th Berkeley Symposium, 1961).
 */
#include <math.h>

#include "model/device/wake_up.h"
#include "model/time/cpu/cpu.h"

enum { PARTS_MIN = 4 }; /* fewer say nothing beyond chance: see the source */

/* Adds operations of a block to the work of each half of each part. */
static void add_work(const struct machine *m, uint32_t block, double operations, double *work)
{
	const struct evaluation *e = evaluation_of(m);
	const float *executions = e->part_executions + block;

	for (unsigned half = 0; half < 2 * e->parts; half++)
		work[half] += operations *
		              (double)executions[(size_t)half * m->input->kernel->block_count];
}

/* Operations of a work-item, of each half of each part. */
static void find_work(const struct machine *m, double *work)
{
	const struct ir_kernel *kernel = m->input->kernel;

	for (uint32_t block = 0; block < kernel->block_count; block++) {
		double calls = 0;

		add_work(m, block, operations_in(m, block, &calls), work);
	}
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (kernel->summary->access_block[i] < kernel->block_count)
			add_work(m, kernel->summary->access_block[i], 1, work);
}

/*
 * The work of each part in means of all, drawn to that by how far it is chance. False: hardly
 * anything is known.
 */
static bool find_parts(const double *work, unsigned parts, double *part)
{
	double mean = 0, apart = 0, chance = 0, count = 0, own;

	for (unsigned i = 0; i < parts; i++) {
		const double *half = work + 2 * i;

		part[i] = (half[0] + half[1]) / 2;
		if (isnan(part[i]))
			continue;
		chance += (half[0] - half[1]) * (half[0] - half[1]) / 4;
		mean += part[i];
		count++;
	}
	if (count < (double)PARTS_MIN || !(mean > 0))
		return false;
	mean /= count;
	chance /= count;
	for (unsigned i = 0; i < parts; i++)
		apart += isnan(part[i]) ? 0 : (part[i] - mean) * (part[i] - mean);
	own = apart > 0 ? fmax(0, 1 - (count - 3) * chance / apart) : 0;
	for (unsigned i = 0; i < parts; i++)
		part[i] = isnan(part[i]) ? 1 : 1 + own * (part[i] / mean - 1);
	return true;
}

double spread_uneven(const struct machine *m, double groups)
{
	const struct evaluation *e = evaluation_of(m);
	struct waking_spread spread = {.slope = e->slope};
	double work[2 * EVALUATE_PARTS] = {0}, part[EVALUATE_PARTS];
	double up_to[EVALUATE_PARTS + 1] = {0}, all = 0;

	if (e->parts > 0)
		find_work(m, work);
	if (e->parts > 0 && find_parts(work, e->parts, part)) {
		for (unsigned i = 0; i < e->parts; i++)
			all += part[i];
		for (unsigned i = 0; i < e->parts; i++)
			up_to[i + 1] = up_to[i] + part[i] / all;
		spread.parts = e->parts;
		spread.up_to = up_to;
	}
	return waking_uneven(groups, m->occupancy.units, &spread);
}
