/* SPDX-License-Identifier: Apache-2.0 */
/* When a device had nothing to do. */
#include "client/opencl/layer/busy.h"

#include <string.h>

static void total_add(struct busy_totals *totals, const struct busy_gap *gap)
{
	double unqueued_s = gap->queued_s - gap->begin_s, idle_s = gap->end_s - gap->begin_s;
	if (unqueued_s > idle_s)
		unqueued_s = idle_s;
	totals->gaps++;
	totals->idle_s += idle_s;
	totals->unqueued_s += unqueued_s > 0 ? unqueued_s : 0;
}

static void gap_remove(struct busy *busy, size_t index)
{
	busy->open_count--;
	memmove(&busy->open[index], &busy->open[index + 1],
	        (busy->open_count - index) * sizeof *busy->open);
}

/* Of more than fit, the oldest is counted for good. */
static void gap_add(struct busy *busy, struct busy_gap gap)
{
	busy->open[busy->open_count++] = gap;
	if (busy->open_count <= BUSY_GAPS)
		return;
	size_t oldest = 0;
	for (size_t i = 1; i < busy->open_count; i++)
		if (busy->open[i].begin_s < busy->open[oldest].begin_s)
			oldest = i;
	total_add(&busy->closed, &busy->open[oldest]);
	gap_remove(busy, oldest);
}

static void gap_fill(struct busy *busy, size_t index, double queued_s, double start_s, double end_s)
{
	struct busy_gap gap = busy->open[index];
	gap_remove(busy, index);
	if (start_s > gap.begin_s)
		gap_add(busy, (struct busy_gap){gap.begin_s, start_s, queued_s});
	if (end_s < gap.end_s)
		gap_add(busy, (struct busy_gap){end_s, gap.end_s, gap.queued_s});
}

bool busy_add(struct busy *busy, double queued_s, double start_s, double end_s)
{
	bool was_idle = !busy->has_spans || queued_s >= busy->end_s;
	if (!busy->has_spans) {
		busy->has_spans = true;
		busy->begin_s = start_s;
		busy->end_s = end_s;
		return was_idle;
	}
	/* those that it makes are behind, and it does not overlap them */
	for (size_t i = busy->open_count; i-- > 0;)
		if (start_s < busy->open[i].end_s && end_s > busy->open[i].begin_s)
			gap_fill(busy, i, queued_s, start_s, end_s);
	if (start_s > busy->end_s)
		gap_add(busy, (struct busy_gap){busy->end_s, start_s, queued_s});
	if (end_s < busy->begin_s) /* of the command behind it no more is known than its start */
		gap_add(busy, (struct busy_gap){end_s, busy->begin_s, end_s});
	if (end_s > busy->end_s)
		busy->end_s = end_s;
	if (start_s < busy->begin_s)
		busy->begin_s = start_s;
	return was_idle;
}

struct busy_totals busy_totals(const struct busy *busy)
{
	struct busy_totals totals = busy->closed;
	for (size_t i = 0; i < busy->open_count; i++)
		total_add(&totals, &busy->open[i]);
	return totals;
}
