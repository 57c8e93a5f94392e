/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether work-groups have the more or the less to do the later they come: layers with fewer
 * layers above them, the half of a matrix above its diagonal. Found as a line through what
 * sampled warps work by where they are, if that is not how they differ by chance.
 */
#include "model/evaluate/slope.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/underived.h"

#define SAMPLES_MIN 8

bool slope_init(struct slope *slope, const struct ir_kernel *kernel)
{
	memset(slope, 0, sizeof(*slope));
	slope->block_work = calloc(kernel->block_count + 1, sizeof(*slope->block_work));
	if (!slope->block_work)
		return false;
	/* what is computed in it, and an end */
	for (uint32_t i = 0; i < kernel->block_count; i++)
		slope->block_work[i] = 1;
	for (uint32_t id = 0; id < kernel->node_count; id++) {
		uint32_t block = kernel->summary->node_block[id];

		if (block < kernel->block_count)
			slope->block_work[block]++;
	}
	return true;
}

void slope_deinit(struct slope *slope)
{
	free(slope->block_work);
	memset(slope, 0, sizeof(*slope));
}

void slope_begin(struct slope *slope)
{
	memset(slope->work, 0, sizeof(slope->work));
}

void slope_end(struct slope *slope, const struct warps *sampled)
{
	for (unsigned i = 0; i < sampled->warps; i++) {
		double x = sampled->place[i], y = slope->work[i];

		slope->count++;
		slope->x += x;
		slope->y += y;
		slope->xx += x * x;
		slope->xy += x * y;
		slope->yy += y * y;
	}
}

/* Of where sampled warps are, and what they work: means, and mean squares about them. */
struct moments {
	double n, mean, xx, xy, yy;
};

/* False where nobody works, or so few that they say nothing. */
static bool moments_of(const struct slope *slope, double least, struct moments *m)
{
	m->n = slope->count;
	if (m->n < least || !(slope->y > 0))
		return false;
	m->mean = slope->y / m->n;
	m->xx = slope->xx / m->n - slope->x / m->n * slope->x / m->n;
	m->yy = slope->yy / m->n - m->mean * m->mean;
	m->xy = slope->xy / m->n - slope->x / m->n * m->mean;
	return m->xx > 0 && m->yy > 0;
}

/* A line says more of them than chance would. */
static bool is_line(const struct moments *m)
{
	return m->xy * m->xy * (m->n - 2) >
	       ERRORS_MOST * ERRORS_MOST * (m->xx * m->yy - m->xy * m->xy);
}

double slope_of(const struct slope *slope)
{
	struct moments m;
	double by, mean;

	if (!moments_of(slope, SAMPLES_MIN, &m) || !is_line(&m))
		return 0;
	by = m.xy / m.xx;
	mean = m.mean + by * (0.5 - slope->x / m.n);
	return mean > 0 ? fmax(-2, fmin(2, by / mean)) : 0;
}

double slope_doubt(const struct slope *slope)
{
	struct moments m;
	double rest;

	if (!moments_of(slope, 3, &m))
		return 0;
	rest = is_line(&m) ? m.yy - m.xy * m.xy / m.xx : m.yy;
	return sqrt(fmax(0, rest) / (m.n - 2)) / m.mean;
}
