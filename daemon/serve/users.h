/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Users of the daemon: what each holds, and whose turn it is on the loop.
 *
 * What is done for a user is metered: a level that grows by the time it takes, and drains
 * but for the time in which he has asked more than he was given.
 * It matters only while somebody else has asked within the last seconds. Then one whose level
 * is high (a *heavy* one) gets the loop for some microseconds at a turn, however many
 * connections he has, and all heavy ones together for a fiftieth of the time, so that a
 * question of others hardly ever finds it at work. What takes long is then done for him
 * in the background (daemon/serve/evaluations.h, daemon/children/analysis.h).
 */
#ifndef PREDICTD_DAEMON_SERVE_USERS_H
#define PREDICTD_DAEMON_SERVE_USERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <uthash.h>

struct session;

/* Time used: a level that drains. */
struct meter {
	uint64_t level_ns, counted_ns;
};

/* X(NAME, level in us from which it is high, one part in so many of the time that drains) */
#define USE_TABLE(X)                                                                               \
	X(LOOP, 10000, 20)         /* everything done on the loop */                               \
	X(PREDICTIONS, 10000, 200) /* of it: what was predicted */                                 \
	X(ANALYSES, 100000, 20)    /* children of the analyser; some forty kernels of forty lines */

enum use {
#define X(name, high_us, drain) USE_##name,
	USE_TABLE(X)
#undef X
	        USE_COUNT
};

struct user {
	uid_t id;
	size_t sessions;
	uint64_t refused_ns; /* when it was last logged that he has too many, */
	size_t refused;      /* and how many have come since */
	size_t held_bytes;   /* of his shares */
	uint64_t requests;   /* since the user is kept */
	struct meter meters[USE_COUNT];
	uint64_t turn, turn_ns;       /* of the loop: in which he last had it, and how long */
	uint64_t window_ns, spent_ns; /* since when what a heavy one has of the loop is counted */
	struct session *sessions_waiting; /* for his turn, in order */
	uint64_t analyses_rest_ns; /* until then, none of his is analysed in the background */
	bool is_waiting;           /* for his turn: has such ones */
	bool is_behind;            /* his last turn was too short for what he asks */
	struct user *next, *prev;  /* of those who wait */
	UT_hash_handle hh;
};

/* Memory held for a user by one holder: a session, an analysis, an answer that waits. */
struct user_share {
	struct user *user; /* NULL: bytes is 0 */
	size_t bytes;
};

struct users {
	struct user *table;
	size_t held_bytes;                          /* of all */
	size_t held_bytes_per_user, held_bytes_max; /* what one, and all together, may hold */
	size_t freed_bytes;                         /* given back since somebody set it to 0 */
	struct user *waiting;
	size_t waiting_count;
	size_t sweep_at;
	uint64_t turn; /* of the loop: grows each time that it looks for events */
	/* who asked last and when, and when somebody else did */
	uid_t last;
	uint64_t last_ns, other_ns;
	/* when one who is not heavy asked last, a heavy one had a turn, and heavy ones could */
	uint64_t light_ns, heavy_ns, turns_ns;
};

/* The user of that id; NULL: no memory. Kept while he has connections, or a level. */
struct user *user_get(struct users *users, uid_t id, uint64_t now_ns);

void users_deinit(struct users *users);

/*
 * Counts what a holder holds for him now, instead of what it held before; 0 gives all back.
 * False, and it is counted all the same: he holds more than his share, or all hold more than
 * theirs and he more than the least that is everyone's. The holder is to let go of something.
 */
bool user_hold(struct users *users, struct user *user, struct user_share *share, size_t bytes);
/* The same before so many more bytes are held; nothing is counted. */
bool user_may_hold(const struct users *users, const struct user *user, size_t more);
/* He holds half of what he may: what his clients do not read is to wait. */
bool user_is_full(const struct users *users, const struct user *user);

/* He asks something now. */
void user_asks(struct users *users, struct user *user, uint64_t now_ns);

/* Adds a time that was used until now. */
void user_count(struct user *user, enum use use, uint64_t now_ns, uint64_t used_ns);
void user_count_turn(struct users *users, struct user *user, uint64_t now_ns, uint64_t used_ns);

/*
 * Adds what is not seen on the loop: a connection's coming and going, and what it costs others
 * that a heavy user is answered, beyond the time that it takes.
 */
void user_count_connection(struct users *users, struct user *user, uint64_t now_ns);
void user_count_waking(struct user *user, uint64_t now_ns);

/* Somebody else has asked lately. */
bool user_is_shared(const struct users *users, const struct user *user, uint64_t now_ns);

/* Then too: the user's level of that use is high. */
bool user_is_heavy(const struct users *users, struct user *user, enum use use, uint64_t now_ns);

/* How much longer the user has the loop now; 0: it is others' turn. */
uint64_t user_turn_left_ns(struct users *users, struct user *user, uint64_t now_ns);

/*
 * Until one who waits may have a turn. 0: he may now, and is not heavy. Heavy ones may when a
 * window is over and they have paid for what they had, and not right after somebody else's
 * question, whose answer wakes him up, while what they get wakes them up beside him.
 * is_awaited: something is looked for in each window, whatever heavy users have had.
 */
uint64_t users_wait_ns(struct users *users, bool is_awaited, uint64_t now_ns);

/* Waits for a turn, in the order of calls; and no more. */
void user_wait(struct users *users, struct user *user);
void user_wait_no_more(struct users *users, struct user *user);

#endif
