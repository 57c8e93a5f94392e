/* SPDX-License-Identifier: Apache-2.0 */
/* Users: levels and turns. */
#include "daemon/serve/users.h"

#include <stdlib.h>
#include <utlist.h>

enum {
	SHARED_NS = 2000000000, /* so long ago somebody else's question counts */
	TURN_ALONE_NS = 2000000,
	TURN_SHARED_NS = 20000,
	WINDOW_NS = 1000000,
	WINDOW_HEAVY_NS =
	        20000, /* of it for all heavy users: one turn, one answer's worth of waking */
	/* while nobody else asks, so that work for heavy users alone is done soon; who asks then
	 * waits for a turn at the most */
	WINDOW_QUIET_NS = 500000,
	QUIET_NS = 20000000,
	CALM_NS = 300000,      /* after somebody else's question */
	CALM_NS_MAX = 2000000, /* but no longer without any turn */
	CONNECTION_NS = 30000,
	WAKING_NS = 25000,
	WAIT_NS_MIN = 50000,
	WAIT_NS_MAX = 10000000, /* by then others may have gone */
	SPENT_NS_MAX = 2000000, /* a debt of one is paid within a tenth of a second */
	SWEEP_LEAST = 64,
	/* What one may hold whatever others do: some hundred questions and answers. */
	USER_HELD_LEAST = 1 << 20
};

static const struct {
	uint64_t high_ns, drain;
} uses[USE_COUNT] = {
#define X(name, high_us, drain) {high_us * UINT64_C(1000), drain},
        USE_TABLE(X)
#undef X
};

static uint64_t level_ns(struct user *user, enum use use, uint64_t now_ns)
{
	struct meter *meter = &user->meters[use];
	uint64_t drained_ns =
	        now_ns > meter->counted_ns ? (now_ns - meter->counted_ns) / uses[use].drain : 0;
	/* what is left of the division counts later */
	meter->counted_ns += drained_ns * uses[use].drain;
	if (use == USE_LOOP && user->is_behind)
		return meter->level_ns;
	meter->level_ns -= drained_ns < meter->level_ns ? drained_ns : meter->level_ns;
	return meter->level_ns;
}

static bool is_idle(struct user *user, uint64_t now_ns)
{
	bool is_low = user->sessions == 0 && user->held_bytes == 0;
	for (int use = 0; use < USE_COUNT; use++)
		is_low = is_low && level_ns(user, (enum use)use, now_ns) == 0;
	return is_low;
}

/* Users who left and whose levels are low again: looked for as seldom as there are many. */
static void sweep(struct users *users, uint64_t now_ns)
{
	struct user *user, *next;
	if (HASH_COUNT(users->table) < users->sweep_at)
		return;
	HASH_ITER(hh, users->table, user, next)
	{
		if (!is_idle(user, now_ns))
			continue;
		HASH_DEL(users->table, user);
		free(user);
	}
	users->sweep_at = 2 * HASH_COUNT(users->table) + SWEEP_LEAST;
}

struct user *user_get(struct users *users, uid_t id, uint64_t now_ns)
{
	struct user *user;
	HASH_FIND(hh, users->table, &id, sizeof id, user);
	if (user != NULL)
		return user;
	sweep(users, now_ns);
	user = calloc(1, sizeof *user);
	if (user == NULL)
		return NULL;
	user->id = id;
	for (int use = 0; use < USE_COUNT; use++)
		user->meters[use].counted_ns = now_ns;
	HASH_ADD(hh, users->table, id, sizeof user->id, user);
	if (user->hh.tbl == NULL) { /* no memory */
		free(user);
		return NULL;
	}
	return user;
}

void users_deinit(struct users *users)
{
	struct user *user, *next;
	HASH_ITER(hh, users->table, user, next)
	{
		HASH_DEL(users->table, user);
		free(user);
	}
}

/* ---- memory -------------------------------------------------------------------------------- */

bool user_may_hold(const struct users *users, const struct user *user, size_t more)
{
	size_t held = user->held_bytes + more;
	return held <= users->held_bytes_per_user &&
	       (held <= USER_HELD_LEAST || users->held_bytes + more <= users->held_bytes_max);
}

bool user_hold(struct users *users, struct user *user, struct user_share *share, size_t bytes)
{
	struct user *holder = share->user != NULL ? share->user : user;
	if (bytes == share->bytes)
		return true;
	bool is_more = bytes > share->bytes;
	if (!is_more)
		users->freed_bytes += share->bytes - bytes;
	holder->held_bytes += bytes - share->bytes;
	users->held_bytes += bytes - share->bytes;
	*share = (struct user_share){bytes == 0 ? NULL : holder, bytes};
	return !is_more || user_may_hold(users, holder, 0);
}

bool user_is_full(const struct users *users, const struct user *user)
{
	return user->held_bytes > users->held_bytes_per_user / 2;
}

/* ---- levels -------------------------------------------------------------------------------- */

void user_asks(struct users *users, struct user *user, uint64_t now_ns)
{
	if (level_ns(user, USE_LOOP, now_ns) < uses[USE_LOOP].high_ns)
		users->light_ns = now_ns;
	if (users->last != user->id) {
		users->other_ns = users->last_ns;
		users->last = user->id;
	}
	users->last_ns = now_ns;
}

bool user_is_shared(const struct users *users, const struct user *user, uint64_t now_ns)
{
	uint64_t other_ns = users->last == user->id ? users->other_ns : users->last_ns;
	return other_ns != 0 && now_ns - other_ns < SHARED_NS;
}

void user_count(struct user *user, enum use use, uint64_t now_ns, uint64_t used_ns)
{
	uint64_t level = level_ns(user, use, now_ns), most = 8 * uses[use].high_ns;
	/* none is so high that it would not be low again within some seconds */
	user->meters[use].level_ns = used_ns < most - level ? level + used_ns : most;
}

void user_count_waking(struct user *user, uint64_t now_ns)
{
	user_count(user, USE_LOOP, now_ns, WAKING_NS);
}

bool user_is_heavy(const struct users *users, struct user *user, enum use use, uint64_t now_ns)
{
	return user_is_shared(users, user, now_ns) &&
	       level_ns(user, use, now_ns) >= uses[use].high_ns;
}

/* ---- turns --------------------------------------------------------------------------------- */

static uint64_t share_ns(const struct users *users, const struct user *user, uint64_t now_ns)
{
	bool is_quiet = now_ns - users->light_ns >= QUIET_NS;
	return (is_quiet ? WINDOW_QUIET_NS : WINDOW_HEAVY_NS) /
	       (users->waiting_count + !user->is_waiting);
}

/* What he had beyond his share, as a step that took long, he waits for. */
static void pay(const struct users *users, struct user *user, uint64_t now_ns)
{
	uint64_t share = share_ns(users, user, now_ns);
	uint64_t windows = now_ns > user->window_ns ? (now_ns - user->window_ns) / WINDOW_NS : 0;
	user->spent_ns = windows <= user->spent_ns / share ? user->spent_ns - windows * share : 0;
	user->window_ns += windows * WINDOW_NS;
}

void user_count_turn(struct users *users, struct user *user, uint64_t now_ns, uint64_t used_ns)
{
	user_count(user, USE_LOOP, now_ns, used_ns);
	pay(users, user, now_ns);
	user->turn_ns = (user->turn == users->turn ? user->turn_ns : 0) + used_ns;
	user->turn = users->turn;
	user->spent_ns +=
	        used_ns < SPENT_NS_MAX - user->spent_ns ? used_ns : SPENT_NS_MAX - user->spent_ns;
}

void user_count_connection(struct users *users, struct user *user, uint64_t now_ns)
{
	user_count_turn(users, user, now_ns, CONNECTION_NS);
}

/* How long the loop is to be calm after a question. */
static uint64_t calm_ns(const struct users *users, uint64_t now_ns)
{
	uint64_t asked_ns = now_ns - users->light_ns, turn_ns = now_ns - users->heavy_ns;
	if (asked_ns >= CALM_NS || turn_ns >= CALM_NS_MAX)
		return 0;
	return CALM_NS - asked_ns < CALM_NS_MAX - turn_ns ? CALM_NS - asked_ns
	                                                  : CALM_NS_MAX - turn_ns;
}

/* Until he is out of debt; 0: he is not heavy, or has something left. */
static uint64_t debt_ns(const struct users *users, struct user *user, uint64_t now_ns)
{
	pay(users, user, now_ns);
	uint64_t windows = user->spent_ns / share_ns(users, user, now_ns);
	return windows == 0 ? 0 : user->window_ns + windows * WINDOW_NS - now_ns;
}

uint64_t users_wait_ns(struct users *users, bool is_awaited, uint64_t now_ns)
{
	uint64_t wait_ns = users->waiting == NULL || is_awaited ? 0 : WAIT_NS_MAX;
	uint64_t calm = calm_ns(users, now_ns), turns_ns = now_ns - users->turns_ns;
	struct user *user;
	DL_FOREACH(users->waiting, user)
	{
		if (!user_is_heavy(users, user, USE_LOOP, now_ns))
			return 0;
		uint64_t due_ns = debt_ns(users, user, now_ns);
		wait_ns = due_ns < wait_ns ? due_ns : wait_ns;
	}
	wait_ns = calm > wait_ns ? calm : wait_ns;
	if (turns_ns < WINDOW_NS && WINDOW_NS - turns_ns > wait_ns)
		wait_ns = WINDOW_NS - turns_ns;
	return wait_ns > WAIT_NS_MIN ? wait_ns : WAIT_NS_MIN;
}

uint64_t user_turn_left_ns(struct users *users, struct user *user, uint64_t now_ns)
{
	uint64_t used_ns = user->turn == users->turn ? user->turn_ns : 0;
	if (!user_is_shared(users, user, now_ns))
		return TURN_ALONE_NS;
	if (used_ns >= TURN_SHARED_NS)
		return 0;
	if (level_ns(user, USE_LOOP, now_ns) >= uses[USE_LOOP].high_ns) {
		if (debt_ns(users, user, now_ns) > 0 || calm_ns(users, now_ns) > 0)
			return 0;
		users->heavy_ns = now_ns;
	}
	return TURN_SHARED_NS - used_ns;
}

void user_wait(struct users *users, struct user *user)
{
	if (user->is_waiting)
		return;
	DL_APPEND(users->waiting, user);
	user->is_waiting = true;
	users->waiting_count++;
}

void user_wait_no_more(struct users *users, struct user *user)
{
	if (!user->is_waiting)
		return;
	DL_DELETE(users->waiting, user);
	user->is_waiting = false;
	users->waiting_count--;
}
