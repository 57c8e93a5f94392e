/* SPDX-License-Identifier: Apache-2.0 */
/* The pools of corrections: hash tables over arrays taken once, and who gives way when full. */
#include <stdlib.h>
#include <string.h>

#include "model/correction/state.h"

/* The finaliser of splitmix64 (Steele, Lea, Flood, OOPSLA 2014). */
static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static uint32_t *group_bucket(const struct correction *c, uint32_t device, uint64_t kernel)
{
	return &c->group_buckets[mix(kernel ^ mix(device)) & c->bucket_mask];
}

static uint32_t *cell_bucket(const struct correction *c, uint32_t group, uint32_t reporter,
                             uint64_t launch)
{
	uint64_t pair = (uint64_t)group << 32 | reporter;

	return &c->cell_buckets[mix(launch ^ mix(pair)) & c->bucket_mask];
}

static uint32_t *view_bucket(const struct correction *c, uint32_t group, uint32_t reporter)
{
	return &c->view_buckets[mix((uint64_t)group << 32 | reporter) & c->view_mask];
}

uint32_t device_find(const struct correction *c, uint64_t key, uint32_t kind)
{
	for (uint32_t i = 0; i < c->device_count; i++)
		if (c->devices[i].key == key && c->devices[i].kind == kind)
			return i;
	return NONE;
}

uint32_t reporter_find(const struct correction *c, uint32_t device, uint32_t uid)
{
	for (uint32_t i = c->reporter_buckets[mix((uint64_t)uid << 32 | device) % REPORTER_BUCKETS];
	     i != NONE; i = c->reporters[i].hash_next)
		if (c->reporters[i].uid == uid && c->reporters[i].device == device)
			return i;
	return NONE;
}

uint32_t group_find(const struct correction *c, uint32_t device, uint64_t kernel)
{
	for (uint32_t i = *group_bucket(c, device, kernel); i != NONE; i = c->groups[i].hash_next)
		if (c->groups[i].kernel == kernel && c->groups[i].device == device)
			return i;
	return NONE;
}

uint32_t cell_find(const struct correction *c, uint32_t group, uint32_t reporter, uint64_t launch)
{
	for (uint32_t i = *cell_bucket(c, group, reporter, launch); i != NONE;
	     i = c->cells[i].hash_next) {
		const struct cell *cell = &c->cells[i];

		if (cell->group == group && cell->reporter == reporter &&
		    cell->record.launch.key == launch)
			return i;
	}
	return NONE;
}

/* ---- the order in which a reporter's cells were reported ------------------------------------ */

static void order_remove(struct correction *c, uint32_t index)
{
	struct cell *cell = &c->cells[index];
	struct reporter *reporter = &c->reporters[cell->reporter];

	if (cell->newer != NONE)
		c->cells[cell->newer].older = cell->older;
	else
		reporter->newest = cell->older;
	if (cell->older != NONE)
		c->cells[cell->older].newer = cell->newer;
	else
		reporter->oldest = cell->newer;
}

/* A cell's place is by the time of its newest run, so that the order of loading is no matter. */
static uint32_t newest_s(const struct cell *cell)
{
	uint32_t count = cell->record.sample_count;

	return count > 0 ? cell->record.samples[count - 1].at_s : UINT32_MAX;
}

bool cell_is_after(const struct cell *a, const struct cell *b)
{
	if (newest_s(a) != newest_s(b))
		return newest_s(a) > newest_s(b);
	if (a->record.kernel != b->record.kernel)
		return a->record.kernel > b->record.kernel;
	return a->record.launch.key > b->record.launch.key;
}

/* Reports come in the order of time but for a few: the search from the newest is short. */
static void order_insert(struct correction *c, uint32_t index)
{
	struct cell *cell = &c->cells[index];
	struct reporter *reporter = &c->reporters[cell->reporter];
	uint32_t older = reporter->newest, newer = NONE;

	for (unsigned steps = 0;
	     steps < ORDER_STEPS_MAX && older != NONE && cell_is_after(&c->cells[older], cell);
	     steps++) {
		newer = older;
		older = c->cells[older].older;
	}
	cell->newer = newer;
	cell->older = older;
	if (newer != NONE)
		c->cells[newer].older = index;
	else
		reporter->newest = index;
	if (older != NONE)
		c->cells[older].newer = index;
	else
		reporter->oldest = index;
}

void cell_touch(struct correction *c, uint32_t index)
{
	order_remove(c, index);
	order_insert(c, index);
}

/* ---- what is to be saved -------------------------------------------------------------------- */

void cell_change(struct correction *c, uint32_t index)
{
	struct cell *cell = &c->cells[index];

	if (cell->is_changed)
		return;
	cell->is_changed = true;
	cell->changed_next = NONE;
	if (c->changed_last != NONE)
		c->cells[c->changed_last].changed_next = index;
	else
		c->changed_first = index;
	c->changed_last = index;
}

static void cell_free(struct correction *c, uint32_t index)
{
	c->cells[index].is_used = false;
	c->cells[index].is_removed = false;
	c->cells[index].hash_next = c->cell_free;
	c->cell_free = index;
}

static uint32_t changed_pop(struct correction *c)
{
	uint32_t index = c->changed_first;
	struct cell *cell = &c->cells[index];

	c->changed_first = cell->changed_next;
	if (c->changed_first == NONE)
		c->changed_last = NONE;
	cell->is_changed = false;
	return index;
}

bool correction_take_changed(struct correction *c, struct correction_record *record)
{
	if (c->changed_first == NONE)
		return false;
	uint32_t index = changed_pop(c);
	*record = c->cells[index].record;
	if (c->cells[index].is_removed)
		cell_free(c, index);
	return true;
}

/* ---- adding and removing -------------------------------------------------------------------- */

static void unlink_from(struct correction *c, uint32_t *bucket, uint32_t index)
{
	for (uint32_t *link = bucket; *link != NONE; link = &c->cells[*link].hash_next)
		if (*link == index) {
			*link = c->cells[index].hash_next;
			return;
		}
}

static void unlink_from_group(struct correction *c, uint32_t index)
{
	const struct cell *cell = &c->cells[index];

	if (cell->group_previous == NONE)
		c->groups[cell->group].first_cell = cell->group_next;
	else
		c->cells[cell->group_previous].group_next = cell->group_next;
	if (cell->group_next != NONE)
		c->cells[cell->group_next].group_previous = cell->group_previous;
}

static void group_remove(struct correction *c, uint32_t index)
{
	struct group *group = &c->groups[index];

	for (uint32_t *link = group_bucket(c, group->device, group->kernel); *link != NONE;
	     link = &c->groups[*link].hash_next)
		if (*link == index) {
			*link = group->hash_next;
			break;
		}
	/* views of it notice by the version, which goes on where the group is used again */
	group->version++;
	group->hash_next = c->group_free;
	c->group_free = index;
}

static void reporter_remove(struct correction *c, uint32_t index)
{
	struct reporter *reporter = &c->reporters[index];

	for (uint32_t *link =
	             &c->reporter_buckets[mix((uint64_t)reporter->uid << 32 | reporter->device) %
	                                  REPORTER_BUCKETS];
	     *link != NONE; link = &c->reporters[*link].hash_next)
		if (*link == index) {
			*link = reporter->hash_next;
			break;
		}
	reporter->is_used = false;
	reporter->version++;
	struct device_state *device = &c->devices[reporter->device];
	device->reporter_count--;
	if (site_is(c, index)) { /* nothing was made of it */
		device->has_site = false;
		return;
	}
	user_remove(c, index);
	if (reporter->uid == CORRECTION_UID_DAEMON)
		device->has_daemon = false;
	if (device->reporter_count == device->has_site)
		device->has_shared = false;
	/* what users share is another without this one */
	for (uint32_t i = 0; i < CORRECTION_USERS; i++)
		if (c->reporters[i].is_used && c->reporters[i].device == reporter->device &&
		    !site_is(c, i))
			c->reporters[i].changes++;
}

bool device_may_share(const struct device_state *device)
{
	return device->reporter_count - device->has_site >= CORRECTION_AGREEMENT ||
	       device->has_daemon;
}

void cell_remove(struct correction *c, uint32_t index)
{
	struct cell *cell = &c->cells[index];
	struct group *group = &c->groups[cell->group];
	struct reporter *reporter = &c->reporters[cell->reporter];

	unlink_from(c, cell_bucket(c, cell->group, cell->reporter, cell->record.launch.key), index);
	unlink_from_group(c, index);
	order_remove(c, index);
	bool is_site = site_is(c, cell->reporter);
	if (is_site) {
		c->site_count--;
		site_raise(&c->devices[reporter->device]);
	} else {
		c->runs -= cell->record.runs;
		c->cell_count--;
		reporter->changes++;
	}
	group->version++;
	reporter->version++;
	if (--group->cell_count == 0)
		group_remove(c, cell->group);
	if (--reporter->cell_count == 0)
		reporter_remove(c, cell->reporter);
	if (is_site) { /* it was never saved */
		cell_free(c, index);
		return;
	}
	cell->record.sample_count = 0;
	cell->is_removed = true;
	cell_change(c, index);
}

static enum status device_get(struct correction *c, uint64_t key, uint8_t kind, uint32_t *index,
                              struct error *error)
{
	*index = device_find(c, key, kind);
	if (*index != NONE)
		return STATUS_OK;
	uint32_t at = 0; /* one of which nothing is left, or a new one */
	while (at < c->device_count && c->devices[at].reporter_count > 0)
		at++;
	if (at == CORRECTION_DEVICES)
		return error_set(error, STATUS_LIMIT, "observations: want at most %d devices",
		                 CORRECTION_DEVICES);
	if (at == c->device_count)
		c->device_count++;
	c->devices[at] = (struct device_state){
	        .key = key, .kind = kind, .version = c->devices[at].version + 1};
	*index = at;
	return STATUS_OK;
}

/* STATUS_LIMIT, without a sentence: there are CORRECTION_USERS. */
static enum status reporter_get(struct correction *c, uint32_t device, uint32_t uid,
                                uint32_t *index)
{
	*index = reporter_find(c, device, uid);
	if (*index != NONE)
		return STATUS_OK;
	for (uint32_t i = 0; i < CORRECTION_USERS; i++) {
		struct reporter *reporter = &c->reporters[i];
		if (reporter->is_used)
			continue;
		uint32_t *bucket =
		        &c->reporter_buckets[mix((uint64_t)uid << 32 | device) % REPORTER_BUCKETS];
		uint32_t version = reporter->version;
		*reporter = (struct reporter){.uid = uid,
		                              .device = device,
		                              .newest = NONE,
		                              .oldest = NONE,
		                              .hash_next = *bucket,
		                              .version = version + 1,
		                              .is_used = true};
		effects_init(&reporter->effects);
		reporter->announced = reporter->effects;
		*bucket = i;
		c->devices[device].reporter_count++;
		c->devices[device].has_site |= uid == CORRECTION_UID_SITE;
		*index = i;
		return STATUS_OK;
	}
	return STATUS_LIMIT;
}

/* All records of who has reported nothing for the longest time; never the daemon's own. */
static void drop_idlest_reporter(struct correction *c)
{
	uint32_t idlest = NONE;

	for (uint32_t i = 0; i < CORRECTION_USERS; i++)
		if (c->reporters[i].uid != CORRECTION_UID_DAEMON &&
		    (idlest == NONE || cell_is_after(&c->cells[c->reporters[idlest].newest],
		                                     &c->cells[c->reporters[i].newest])))
			idlest = i;
	while (c->reporters[idlest].is_used)
		cell_remove(c, c->reporters[idlest].oldest);
}

static uint32_t group_get(struct correction *c, uint32_t device, uint64_t kernel)
{
	uint32_t index = group_find(c, device, kernel);

	if (index != NONE)
		return index;
	index = c->group_free;
	if (index != NONE)
		c->group_free = c->groups[index].hash_next;
	else
		index = c->group_top++;
	uint32_t *bucket = group_bucket(c, device, kernel);
	uint32_t version = c->groups[index].version;
	c->groups[index] = (struct group){.kernel = kernel,
	                                  .device = device,
	                                  .first_cell = NONE,
	                                  .hash_next = *bucket,
	                                  .version = version + 1};
	*bucket = index;
	return index;
}

/* The reporter's record of a group that he reported longest ago, and how many he has there. */
static uint32_t group_oldest(const struct correction *c, uint32_t group, uint32_t reporter,
                             uint32_t *count)
{
	uint32_t oldest = NONE;

	*count = 0;
	for (uint32_t i = c->groups[group].first_cell; i != NONE; i = c->cells[i].group_next) {
		if (reporter != NONE && c->cells[i].reporter != reporter)
			continue;
		(*count)++;
		if (oldest == NONE || cell_is_after(&c->cells[oldest], &c->cells[i]))
			oldest = i;
	}
	return oldest;
}

/* Makes room for one more record of this reporter and group. */
static void make_room(struct correction *c, uint32_t group, uint32_t reporter)
{
	uint32_t count, victim = group_oldest(c, group, reporter, &count);

	if (count >= CORRECTION_LAUNCHES) {
		cell_remove(c, victim);
	} else if (c->groups[group].cell_count > GROUP_CELLS) {
		if (victim == NONE)
			victim = group_oldest(c, group, NONE, &count);
		cell_remove(c, victim);
	}
	if (c->cell_count < c->records_max || site_is(c, reporter))
		return;
	if (c->reporters[reporter].newest == NONE) {
		uint32_t most = NONE;

		for (uint32_t i = 0; i < CORRECTION_USERS; i++)
			if (c->reporters[i].oldest != NONE && c->reporters[i].is_used &&
			    !site_is(c, i) &&
			    (most == NONE ||
			     c->reporters[i].cell_count > c->reporters[most].cell_count))
				most = i;
		reporter = most;
	}
	cell_remove(c, c->reporters[reporter].oldest);
}

/* A free cell; where there is none, one that only waits to be deleted: there is a quarter more
 * cells than records. */
static uint32_t cell_take(struct correction *c)
{
	if (c->cell_free == NONE && c->cell_top < c->cell_max)
		return c->cell_top++;
	while (c->cell_free == NONE) {
		uint32_t first = changed_pop(c);
		if (c->cells[first].is_removed)
			cell_free(c, first);
		else
			cell_change(c, first);
	}
	uint32_t index = c->cell_free;
	c->cell_free = c->cells[index].hash_next;
	return index;
}

enum status correction_cell(struct correction *c, uint64_t device_key, uint64_t kernel,
                            uint32_t uid, const struct correction_launch *launch, uint32_t *result,
                            struct error *error)
{
	uint32_t device, reporter;
	enum status status = device_get(c, device_key, launch->kind, &device, error);

	if (status != STATUS_OK)
		return status;
	if (reporter_get(c, device, uid, &reporter) == STATUS_LIMIT) {
		drop_idlest_reporter(c);
		(void)reporter_get(c, device, uid, &reporter);
	}
	uint32_t group = group_get(c, device, kernel);
	*result = cell_find(c, group, reporter, launch->key);
	if (*result != NONE)
		return STATUS_OK;
	/* neither ends while it makes room for itself */
	c->groups[group].cell_count++;
	c->reporters[reporter].cell_count++;
	make_room(c, group, reporter);
	uint32_t index = cell_take(c);
	uint32_t *bucket = cell_bucket(c, group, reporter, launch->key);
	struct cell *cell = &c->cells[index];
	*cell = (struct cell){.record = {.device = device_key, .kernel = kernel, .uid = uid},
	                      .group = group,
	                      .reporter = reporter,
	                      .hash_next = *bucket,
	                      .group_next = c->groups[group].first_cell,
	                      .group_previous = NONE,
	                      .changed_next = NONE,
	                      .is_used = true};
	cell->record.launch.key = launch->key;
	cell->record.launch.kind = launch->kind;
	*bucket = index;
	if (cell->group_next != NONE)
		c->cells[cell->group_next].group_previous = index;
	c->groups[group].first_cell = index;
	if (uid == CORRECTION_UID_SITE)
		c->site_count++;
	else
		c->cell_count++;
	order_insert(c, index);
	*result = index;
	return STATUS_OK;
}

void correction_keep_changed(struct correction *c, const struct correction_record *record)
{
	uint32_t device = device_find(c, record->device, record->launch.kind), index = NONE;

	if (device != NONE) {
		uint32_t group = group_find(c, device, record->kernel);
		uint32_t reporter = reporter_find(c, device, record->uid);
		if (group != NONE && reporter != NONE)
			index = cell_find(c, group, reporter, record->launch.key);
	}
	if (index == NONE) { /* it is still, or by now, one to delete */
		index = cell_take(c);
		c->cells[index] = (struct cell){.record = *record, .is_removed = true};
		c->cells[index].record.sample_count = 0;
	}
	cell_change(c, index);
}

/* ---- views ---------------------------------------------------------------------------------- */

static void view_order_remove(struct correction *c, uint32_t index)
{
	struct view *view = &c->views[index];

	if (view->newer != NONE)
		c->views[view->newer].older = view->older;
	else
		c->view_newest = view->older;
	if (view->older != NONE)
		c->views[view->older].newer = view->newer;
	else
		c->view_oldest = view->newer;
}

static void view_order_first(struct correction *c, uint32_t index)
{
	struct view *view = &c->views[index];

	view->newer = NONE;
	view->older = c->view_newest;
	if (c->view_newest != NONE)
		c->views[c->view_newest].newer = index;
	else
		c->view_oldest = index;
	c->view_newest = index;
}

struct view *view_get(struct correction *c, uint32_t group, uint32_t reporter)
{
	uint32_t *bucket = view_bucket(c, group, reporter), index;

	for (index = *bucket; index != NONE; index = c->views[index].hash_next)
		if (c->views[index].group == group && c->views[index].reporter == reporter)
			break;
	if (index != NONE) {
		if (c->view_newest != index) {
			view_order_remove(c, index);
			view_order_first(c, index);
		}
		return &c->views[index];
	}
	if (c->view_top < c->view_max) {
		index = c->view_top++;
	} else {
		index = c->view_oldest;
		struct view *old = &c->views[index];
		for (uint32_t *link = view_bucket(c, old->group, old->reporter); *link != NONE;
		     link = &c->views[*link].hash_next)
			if (*link == index) {
				*link = old->hash_next;
				break;
			}
		view_order_remove(c, index);
	}
	/* no version is 0, so this one is out of date */
	c->views[index] = (struct view){.group = group, .reporter = reporter, .hash_next = *bucket};
	*bucket = index;
	view_order_first(c, index);
	return &c->views[index];
}

/* ---- the whole ------------------------------------------------------------------------------ */

static uint32_t power_above(size_t count)
{
	uint32_t power = 64;

	while (power < count)
		power *= 2;
	return power;
}

static size_t views_for(size_t records_max)
{
	return records_max < VIEWS_MAX ? records_max : VIEWS_MAX;
}

/* Records that are gone wait in cells of their own until they are taken. */
static size_t cells_for(size_t records_max)
{
	return records_max + records_max / 4;
}

enum status correction_new(size_t records_max, size_t site_records_max,
                           struct correction **correction, struct error *error)
{
	if (site_records_max > 1u << 24)
		return error_set(error, STATUS_INVALID,
		                 "observations: want at most %u records of other nodes, got %zu",
		                 1u << 24, site_records_max);
	if (records_max < 64 || records_max > 1u << 24)
		return error_set(error, STATUS_INVALID,
		                 "observations: want 64 to %u records, got %zu", 1u << 24,
		                 records_max);
	struct correction *c = calloc(1, sizeof(*c));
	if (c == NULL)
		goto no_memory;
	uint32_t buckets = power_above(records_max);
	c->records_max = records_max;
	c->site_max = (uint32_t)site_records_max;
	c->cell_max = (uint32_t)(cells_for(records_max) + site_records_max);
	c->view_max = (uint32_t)views_for(records_max);
	c->bucket_mask = buckets - 1;
	c->view_mask = power_above(c->view_max) - 1;
	c->cells = calloc(c->cell_max, sizeof(*c->cells));
	c->groups = calloc(records_max + site_records_max + 1, sizeof(*c->groups));
	c->views = calloc(c->view_max, sizeof(*c->views));
	c->reporters = calloc(CORRECTION_USERS, sizeof(*c->reporters));
	c->cell_buckets = malloc(buckets * sizeof(*c->cell_buckets));
	c->group_buckets = malloc(buckets * sizeof(*c->group_buckets));
	c->view_buckets = malloc(((size_t)c->view_mask + 1) * sizeof(*c->view_buckets));
	c->scratch = calloc(SCRATCH_FLOATS, sizeof(*c->scratch));
	if (c->cells == NULL || c->groups == NULL || c->views == NULL || c->reporters == NULL ||
	    c->cell_buckets == NULL || c->group_buckets == NULL || c->view_buckets == NULL ||
	    c->scratch == NULL)
		goto no_memory;
	memset(c->cell_buckets, 0xff, buckets * sizeof(*c->cell_buckets));
	memset(c->group_buckets, 0xff, buckets * sizeof(*c->group_buckets));
	memset(c->view_buckets, 0xff, ((size_t)c->view_mask + 1) * sizeof(*c->view_buckets));
	memset(c->reporter_buckets, 0xff, sizeof(c->reporter_buckets));
	c->cell_free = c->group_free = NONE;
	c->view_newest = c->view_oldest = NONE;
	c->changed_first = c->changed_last = NONE;
	effects_init(&c->initial);
	c->settling.round = SETTLE_ROUNDS;
	*correction = c;
	return STATUS_OK;
no_memory:
	correction_free(c);
	return error_set(error, STATUS_NO_MEMORY, "observations: no memory for %zu records",
	                 records_max);
}

void correction_free(struct correction *c)
{
	if (c == NULL)
		return;
	free(c->cells);
	free(c->groups);
	free(c->views);
	free(c->reporters);
	free(c->cell_buckets);
	free(c->group_buckets);
	free(c->view_buckets);
	free(c->scratch);
	free(c);
}

uint64_t correction_runs(const struct correction *c)
{
	return c->runs;
}

size_t correction_records(const struct correction *c)
{
	return c->cell_count;
}
