/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a launch takes beside its kernel: from enqueue to START, and transfers. Of each kind and
 * size the median ratio of measured to static time, a user's own or, of three users or more, the
 * median of theirs. And the bytes of all that is kept of a user besides records.
 */
#include <math.h>

#include "model/correction/bytes.h"
#include "model/correction/state.h"

enum { VERSION = 1, HEAD_BYTES = 11, REGIME_BYTES = 8, OVERHEAD_HEAD_BYTES = 4 };

_Static_assert(HEAD_BYTES + REGIMES_MAX * REGIME_BYTES +
                               CORRECTION_OVERHEADS * OVERHEAD_SIZES *
                                       (OVERHEAD_HEAD_BYTES + 4 * OVERHEAD_SAMPLES) <=
                       CORRECTION_USER_BYTES,
               "what is kept of a user fits its bytes");

/* What the static time is worth, in measured ones; and no ratio is larger, as ln. */
static const double PRIOR_SAMPLES = 0.5, RATIO_MAX = 12;

static unsigned size_of(double static_s)
{
	return static_s < 1e-4 ? 0 : static_s < 1e-2 ? 1 : 2;
}

static uint32_t known_of(const struct overhead *overhead)
{
	return overhead->count < OVERHEAD_SAMPLES ? overhead->count : OVERHEAD_SAMPLES;
}

static float estimate(const struct overhead *overhead)
{
	float values[OVERHEAD_SAMPLES];
	uint32_t count = known_of(overhead);

	if (count == 0)
		return 0;
	memcpy(values, overhead->ratios, count * sizeof(values[0]));
	return (float)(floats_median(values, count) * count / (count + PRIOR_SAMPLES));
}

/* The median over users, where enough report it or the daemon does; else 0. */
static float share(const struct correction *c, uint32_t device, unsigned which, unsigned size)
{
	float values[CORRECTION_USERS];
	uint32_t count = 0;

	for (uint32_t i = 0; i < CORRECTION_USERS; i++) {
		const struct reporter *reporter = &c->reporters[i];
		const struct overhead *overhead = &reporter->overheads.of[which][size];
		if (!reporter->is_used || reporter->device != device || overhead->count == 0)
			continue;
		if (reporter->uid == CORRECTION_UID_DAEMON)
			return overhead->estimate;
		values[count++] = overhead->estimate;
	}
	if (count < CORRECTION_AGREEMENT)
		return 0;
	floats_sort(values, count);
	return values[(count - 1) / 2];
}

static bool set(float *value, float to)
{
	bool has_moved = fabsf(to - *value) > (float)CORRECTION_MOVE;

	*value = to;
	return has_moved;
}

void user_change(struct correction *c, uint32_t index)
{
	if (c->reporters[index].is_changed)
		return;
	c->reporters[index].is_changed = true;
	c->changed_users++;
}

bool overheads_add(struct correction *c, uint32_t index, const struct correction_run *run,
                   bool *is_shared)
{
	struct reporter *reporter = &c->reporters[index];
	struct device_state *device = &c->devices[reporter->device];
	bool has_moved = false;

	*is_shared = false;
	for (unsigned which = 0; which < CORRECTION_OVERHEADS && run->flags == 0; which++) {
		double measured_s = (double)run->overhead_s[which];
		double static_s = (double)run->overhead_static_s[which];
		if (!(measured_s > 0 && static_s > 0))
			continue;
		unsigned size = size_of(static_s);
		struct overhead *overhead = &reporter->overheads.of[which][size];
		double ratio = fmax(-RATIO_MAX, fmin(RATIO_MAX, log(measured_s / static_s)));
		uint32_t count = ++overhead->count;
		overhead->ratios[(count - 1) % OVERHEAD_SAMPLES] = (float)ratio;
		/* the first runs say most; afterwards answers need not move with each */
		if ((count & (count - 1)) != 0 && count % (OVERHEAD_SAMPLES / 2) != 0)
			continue;
		has_moved |= set(&overhead->estimate, estimate(overhead));
		user_change(c, index);
		if (device_may_share(device))
			*is_shared |= set(&device->overheads[which][size],
			                  share(c, reporter->device, which, size));
	}
	return has_moved;
}

double correction_overhead(const struct correction *c, uint64_t device_key, uint32_t uid,
                           enum correction_overhead which, double static_s)
{
	unsigned size = size_of(static_s);
	float shared = 0;

	if (!(static_s > 0))
		return static_s;
	/* who measures tasks alone tells of launches and transfers as well */
	for (uint32_t kind = 0; kind < CORRECTION_KINDS; kind++) {
		uint32_t device = device_find(c, device_key, kind);
		uint32_t reporter = device == NONE ? NONE : reporter_find(c, device, uid);
		if (reporter != NONE && c->reporters[reporter].overheads.of[which][size].count > 0)
			return static_s * exp((double)c->reporters[reporter]
			                              .overheads.of[which][size]
			                              .estimate);
		if (device != NONE && shared == 0)
			shared = c->devices[device].overheads[which][size];
	}
	return static_s * exp((double)shared);
}

/* ---- bytes ---------------------------------------------------------------------------------- */

static uint32_t encode(const struct reporter *reporter, uint8_t *bytes)
{
	const struct drift *drift = &reporter->drift;
	uint8_t *at = bytes;

	at = put(at, VERSION, 2);
	at = put(at, drift->latest_s, 4);
	at = put(at, drift->runs, 4);
	at = put(at, drift->regime_count, 1);
	for (uint32_t i = 0; i < drift->regime_count; i++) {
		at = put(at, drift->regimes[i].since_s, 4);
		at = put_float(at, drift->regimes[i].level);
	}
	for (unsigned which = 0; which < CORRECTION_OVERHEADS; which++)
		for (unsigned size = 0; size < OVERHEAD_SIZES; size++) {
			const struct overhead *overhead = &reporter->overheads.of[which][size];
			at = put(at, overhead->count, 4);
			for (uint32_t i = 0; i < known_of(overhead); i++)
				at = put_float(at, overhead->ratios[i]);
		}
	return (uint32_t)(at - bytes);
}

static bool decode_overhead(const uint8_t **at, const uint8_t *end, struct overhead *overhead)
{
	if (end - *at < OVERHEAD_HEAD_BYTES)
		return false;
	*overhead = (struct overhead){.count = (uint32_t)get(at, 4)};
	if (end - *at < 4 * (ptrdiff_t)known_of(overhead))
		return false;
	for (uint32_t i = 0; i < known_of(overhead); i++) {
		overhead->ratios[i] = get_float(at);
		if (!(fabsf(overhead->ratios[i]) <= (float)RATIO_MAX))
			return false;
	}
	overhead->estimate = estimate(overhead);
	return true;
}

static bool decode(const struct correction_user *user, struct drift *drift,
                   struct overheads *overheads)
{
	const uint8_t *at = user->bytes, *end = user->bytes + user->size;

	if (user->size < HEAD_BYTES || user->size > CORRECTION_USER_BYTES || get(&at, 2) != VERSION)
		return false;
	*drift = (struct drift){.latest_s = (uint32_t)get(&at, 4), .runs = (uint32_t)get(&at, 4)};
	drift->regime_count = (uint32_t)get(&at, 1);
	if (drift->regime_count > REGIMES_MAX ||
	    end - at < REGIME_BYTES * (ptrdiff_t)drift->regime_count)
		return false;
	for (uint32_t i = 0; i < drift->regime_count; i++) {
		struct regime *regime = &drift->regimes[i];
		regime->since_s = (uint32_t)get(&at, 4);
		regime->level = get_float(&at);
		if (!(fabsf(regime->level) <= (float)RATIO_MAX) ||
		    (i > 0 && regime->since_s < regime[-1].since_s))
			return false;
	}
	for (unsigned which = 0; which < CORRECTION_OVERHEADS; which++)
		for (unsigned size = 0; size < OVERHEAD_SIZES; size++)
			if (!decode_overhead(&at, end, &overheads->of[which][size]))
				return false;
	return at == end;
}

/* ---- saved and loaded ----------------------------------------------------------------------- */

static void add_gone(struct correction *c, uint64_t device, uint32_t uid, uint32_t kind)
{
	if (c->gone_user_count < CORRECTION_USERS)
		c->gone_users[c->gone_user_count++] =
		        (struct gone_user){.device = device, .uid = uid, .kind = kind};
}

void user_remove(struct correction *c, uint32_t index)
{
	struct reporter *reporter = &c->reporters[index];

	if (reporter->is_changed)
		c->changed_users--;
	reporter->is_changed = false;
	add_gone(c, c->devices[reporter->device].key, reporter->uid,
	         c->devices[reporter->device].kind);
	for (unsigned which = 0; which < CORRECTION_OVERHEADS; which++)
		for (unsigned size = 0; size < OVERHEAD_SIZES; size++)
			if (reporter->overheads.of[which][size].count > 0)
				c->devices[reporter->device].overheads[which][size] =
				        share(c, reporter->device, which, size);
}

size_t correction_changed_users(const struct correction *c)
{
	return c->gone_user_count + c->changed_users;
}

bool correction_take_changed_user(struct correction *c, struct correction_user *user)
{
	*user = (struct correction_user){.size = 0};
	if (c->gone_user_count > 0) {
		const struct gone_user *gone = &c->gone_users[--c->gone_user_count];
		user->device = gone->device;
		user->uid = gone->uid;
		user->kind = gone->kind;
		return true;
	}
	for (uint32_t i = 0; i < CORRECTION_USERS && c->changed_users > 0; i++) {
		struct reporter *reporter = &c->reporters[i];
		if (!reporter->is_used || !reporter->is_changed)
			continue;
		reporter->is_changed = false;
		c->changed_users--;
		user->device = c->devices[reporter->device].key;
		user->uid = reporter->uid;
		user->kind = c->devices[reporter->device].kind;
		user->size = encode(reporter, user->bytes);
		return true;
	}
	return false;
}

static uint32_t user_find(const struct correction *c, const struct correction_user *user)
{
	uint32_t device = device_find(c, user->device, user->kind);

	return device == NONE ? NONE : reporter_find(c, device, user->uid);
}

void correction_keep_changed_user(struct correction *c, const struct correction_user *user)
{
	uint32_t reporter = user_find(c, user);

	if (reporter != NONE)
		user_change(c, reporter);
	else
		add_gone(c, user->device, user->uid, user->kind);
}

enum status correction_load_user(struct correction *c, const struct correction_user *user,
                                 struct error *error)
{
	uint32_t index = user_find(c, user);
	struct overheads overheads;
	struct drift drift;

	if (index == NONE) {
		add_gone(c, user->device, user->uid, user->kind);
		return error_set(error, STATUS_NOT_FOUND, "observations: a user without any");
	}
	if (!decode(user, &drift, &overheads))
		return error_set(error, STATUS_CORRUPT,
		                 "observations: what is kept of user %u cannot be read", user->uid);
	struct reporter *reporter = &c->reporters[index];
	struct device_state *device = &c->devices[reporter->device];
	if (reporter->drift.regime_count == 0)
		reporter->drift = drift;
	for (unsigned which = 0; which < CORRECTION_OVERHEADS; which++)
		for (unsigned size = 0; size < OVERHEAD_SIZES; size++) {
			if (reporter->overheads.of[which][size].count > 0)
				continue;
			reporter->overheads.of[which][size] = overheads.of[which][size];
			(void)set(&device->overheads[which][size],
			          share(c, reporter->device, which, size));
		}
	reporter->version++;
	reporter->changes++;
	return STATUS_OK;
}
