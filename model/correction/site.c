/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What other nodes of the site measured of a launch: a level between what the device's kernels say
 * and the node's own runs. It stands for who has no runs of the launch, takes no part in fits that
 * have local runs nor in effects of the device, and is passed by for a user whose own runs show it
 * to be further from them than the answer without it.
 *
 * Its records are those of a pseudo-user whose samples are medians of nodes. They are weighed
 * alike whatever the times that came with them: one node with a clock of the next century would
 * decide alone.
 */
#include <math.h>
#include <string.h>

#include "model/correction/state.h"

enum {
	KERNELS_MIN = 3, /* that show the site to be wrong: one may have been disturbed */
	KERNELS_MAX = 64 /* that it is judged by, the newest */
};

bool site_is(const struct correction *c, uint32_t reporter)
{
	return reporter != NONE && c->reporters[reporter].uid == CORRECTION_UID_SITE;
}

uint32_t site_find(const struct correction *c, uint32_t device)
{
	return c->devices[device].has_site ? reporter_find(c, device, CORRECTION_UID_SITE) : NONE;
}

/* ---- trust ---------------------------------------------------------------------------------- */

static bool is_disturbed(const struct cell *cell)
{
	return cell->record.samples[0].flags != 0;
}

/*
 * By each of the user's newest kernels of which the site has a launch that he ran: how far the
 * site's word is from his runs, and how far the answer without it or a run's scatter. Returns the
 * number of kernels.
 */
static uint32_t compare(struct correction *c, uint32_t reporter, uint32_t site,
                        float with[KERNELS_MAX], float without[KERNELS_MAX])
{
	uint32_t count = 0;
	uint32_t seen[KERNELS_MAX];
	const struct effects *effects = effects_of(c, c->reporters[reporter].device, reporter);
	uint32_t left = EFFECT_CELLS;

	for (uint32_t i = c->reporters[reporter].newest; i != NONE && left-- > 0 && count < KERNELS_MAX;
	     i = c->cells[i].older) {
		const struct correction_launch *launch = &c->cells[i].record.launch;
		uint32_t group = c->cells[i].group, other = cell_find(c, group, site, launch->key);
		bool is_seen = false;

		for (uint32_t j = 0; j < count && !is_seen; j++)
			is_seen = seen[j] == group;
		if (other == NONE || is_seen || is_disturbed(&c->cells[i]))
			continue;
		double own = cell_location(c, i)->median_log;
		double base = (double)launch->static_log + effects_bias(effects, launch);
		double noise = effects_noise(effects, (double)launch->static_log);
		with[count] = (float)fabs(cell_location(c, other)->median_log - own);
		without[count] = (float)fmax(fabs(base - own), noise);
		seen[count++] = group;
	}
	return count;
}

static bool is_trusted(struct correction *c, uint32_t reporter_index, uint32_t site)
{
	float with[KERNELS_MAX], without[KERNELS_MAX];

	if (reporter_index == NONE)
		return true;
	struct reporter *reporter = &c->reporters[reporter_index];
	uint32_t version = c->devices[reporter->device].site_version;
	if (reporter->site_version == version)
		return !reporter->distrusts_site;
	uint32_t count = compare(c, reporter_index, site, with, without);
	reporter->distrusts_site =
	        count >= KERNELS_MIN && floats_median(with, count) > floats_median(without, count);
	reporter->site_version = version;
	return !reporter->distrusts_site;
}

void site_note_run(struct correction *c, uint32_t index)
{
	const struct cell *cell = &c->cells[index];
	struct reporter *reporter = &c->reporters[cell->reporter];
	uint32_t site = site_find(c, reporter->device);

	if (site != NONE &&
	    cell_find(c, cell->group, site, cell->record.launch.key) != NONE)
		reporter->site_version = 0;
}

/* ---- asking --------------------------------------------------------------------------------- */

/* The most nodes that one of a kernel's launches was measured by. */
static uint32_t nodes_of(const struct correction *c, uint32_t group, uint32_t site)
{
	uint64_t nodes = 0;

	for (uint32_t i = c->groups[group].first_cell; i != NONE; i = c->cells[i].group_next)
		if (c->cells[i].reporter == site && c->cells[i].record.runs > nodes)
			nodes = c->cells[i].record.runs;
	return (uint32_t)nodes;
}

bool site_ask(struct correction *c, uint32_t group, uint32_t reporter, bool has_local,
              const struct correction_launch *launch, struct site_answer *answer)
{
	uint32_t device = c->groups[group].device, site = site_find(c, device);

	if (site == NONE || !is_trusted(c, reporter, site))
		return false;
	const struct effects *effects = effects_of(c, device, site);
	uint32_t cell = cell_find(c, group, site, launch->key);
	if (cell != NONE) {
		const struct location *location = cell_location(c, cell);
		/* this node is one more of those that differ so */
		*answer = (struct site_answer){
		        .time_log = location->median_log,
		        .variance = location->variance + location->spread * location->spread,
		        .class = score_class_of(location->count),
		        .nodes = (uint32_t)c->cells[cell].record.runs,
		};
		return true;
	}
	uint32_t nodes = nodes_of(c, group, site);
	if (has_local || nodes == 0)
		return false;
	const struct view *view = view_fresh(c, group, site);
	double mean, variance;
	(void)view_at(view, launch, &mean, &variance);
	*answer = (struct site_answer){
	        .time_log = (double)launch->static_log + effects_bias(effects, launch) + mean,
	        .variance = variance,
	        .class = score_class_unseen(view),
	        .nodes = nodes,
	};
	return true;
}

/* ---- told ----------------------------------------------------------------------------------- */

/* As it is kept: of no node's clock and coefficients. */
static void prepare(struct correction_record *record)
{
	uint32_t times_s[CORRECTION_SAMPLES], count = record->sample_count;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = i, at_s = record->samples[i].at_s;
		for (; at > 0 && times_s[at - 1] > at_s; at--)
			times_s[at] = times_s[at - 1];
		times_s[at] = at_s;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct correction_sample *sample = &record->samples[i];
		*sample = (struct correction_sample){.time_log = sample->time_log,
		                                     .at_s = times_s[(count - 1) / 2]};
	}
	record->launch.epoch = 0;
}

static uint32_t cell_of(const struct correction *c, const struct correction_record *record)
{
	uint32_t device = device_find(c, record->device, record->launch.kind);
	uint32_t site = device == NONE ? NONE : site_find(c, device);
	uint32_t group = device == NONE ? NONE : group_find(c, device, record->kernel);

	if (site == NONE || group == NONE)
		return NONE;
	return cell_find(c, group, site, record->launch.key);
}

/* Room for one more, which nobody on this node gives way to. */
static enum status make_room(struct correction *c, const struct correction_record *record,
                             struct error *error)
{
	uint32_t device = device_find(c, record->device, record->launch.kind);
	uint32_t group = device == NONE ? NONE : group_find(c, device, record->kernel);
	uint32_t oldest = NONE, users = 0;

	if (group != NONE && c->groups[group].cell_count >= GROUP_CELLS)
		return error_set(error, STATUS_LIMIT, "site: no room for more of this kernel");
	if (device == NONE && c->device_count >= CORRECTION_DEVICES / 2)
		return error_set(error, STATUS_LIMIT, "site: no room for more devices");
	bool is_new = device == NONE || !c->devices[device].has_site;
	if (!is_new && c->site_count < c->site_max)
		return STATUS_OK;
	for (uint32_t i = 0; i < CORRECTION_USERS; i++) {
		const struct reporter *reporter = &c->reporters[i];
		users += reporter->is_used;
		if (reporter->is_used && site_is(c, i) &&
		    (oldest == NONE ||
		     cell_is_after(&c->cells[oldest], &c->cells[reporter->oldest])))
			oldest = reporter->oldest;
	}
	if (c->site_max == 0 || (is_new && users == CORRECTION_USERS))
		return error_set(error, STATUS_LIMIT, "site: no room for its records");
	if (c->site_count >= c->site_max)
		cell_remove(c, oldest);
	return STATUS_OK;
}

enum status correction_tell(struct correction *c, const struct correction_record *told,
                            bool *has_moved, struct error *error)
{
	struct correction_record record = *told;
	uint32_t index = cell_of(c, told);
	double before = 0;
	uint64_t nodes_before = 0;

	*has_moved = false;
	if (index != NONE) {
		before = cell_location(c, index)->median_log;
		nodes_before = c->cells[index].record.runs;
	}
	if (told->sample_count == 0) {
		if (index == NONE)
			return STATUS_OK;
		cell_remove(c, index);
		*has_moved = true;
		return STATUS_OK;
	}
	record.uid = CORRECTION_UID_SITE;
	const char *problem = record_problem(&record);
	if (problem == NULL && record.samples[0].flags != 0)
		problem = "flags of a run";
	if (problem == NULL && record.runs > UINT32_MAX)
		problem = "number of nodes";
	if (problem != NULL)
		return error_set(error, STATUS_CORRUPT, "site: %s out of range", problem);
	prepare(&record);
	enum status status = index == NONE ? make_room(c, &record, error) : STATUS_OK;
	if (status == STATUS_OK)
		status = record_put(c, &record, &index, error);
	if (status != STATUS_OK)
		return status;
	site_raise(&c->devices[c->groups[c->cells[index].group].device]);
	*has_moved = nodes_before != record.runs ||
	             fabs(cell_location(c, index)->median_log - before) > CORRECTION_MOVE;
	return STATUS_OK;
}

size_t correction_site_records(const struct correction *c)
{
	return c->site_count;
}
