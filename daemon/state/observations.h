/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What users have observed, and the corrections of answers that follow
 * (model/correction/correction.h): in memory for the loop, on its way to the store
 * behind it.
 *
 * Saving is by group commit: while one transaction is written, what else is observed
 * gathers for the next. What somebody waits for is written at once, the rest after
 * `commit_ms` at most. A write that fails is tried again with the next one, or after some
 * seconds; what changed stays marked until it is kept, and answers rest on it meanwhile.
 */
#ifndef PREDICTD_DAEMON_STATE_OBSERVATIONS_H
#define PREDICTD_DAEMON_STATE_OBSERVATIONS_H

#include "daemon/state/epoch_limit.h"
#include "daemon/state/store_worker.h"
#include "model/correction/correction.h"
#include "model/device/launch.h"
#include "store/observations.h"

#include <uthash.h>

struct daemon;
struct saving;

enum {
	OBSERVATIONS_STATIC_SLOTS = 2048, /* static answers remembered */
	OBSERVATIONS_KNOWN_SLOTS = 8192,  /* launches whose words the store has */
	OBSERVATIONS_QUOTAS_MAX = 4096,
	OBSERVATIONS_DRIFTS_MAX = 16 /* devices that drift, told of */
};

/* Waits until all that was observed before is kept; embedded in what waits. */
struct save_wait {
	/* on the loop; `problem`: why it is not kept, or NULL */
	void (*done)(struct save_wait *wait, const char *problem);
	struct save_wait *next;
};

/* A static answer remembered: runtimes report the same few launches over and over. */
struct static_slot {
	uint64_t device, kernel, question, generation;
	bool is_fallback;
	float state_below, state_above; /* as in struct prediction */
	float low_s, high_s;            /* likewise */
	struct correction_launch launch;
	float overhead_s[CORRECTION_OVERHEADS];
};

/* What one user may still report now. */
struct observer_quota {
	uid_t user;
	double left;
	uint64_t counted_ns;
	UT_hash_handle hh;
};

struct observations {
	struct daemon *daemon;
	struct correction *correction;
	uv_timer_t timer;
	struct epoch_limit limit;
	uv_idle_t settling;
	struct save_wait *unsettled;         /* wait until effects are what the records say */
	struct saving *saving;               /* on its way to the store, or NULL */
	struct save_wait *waits, *last_wait; /* for the next one */
	struct correction_record *removed;   /* that could not be deleted */
	size_t removed_count;
	struct launch_words *words; /* not kept yet; their texts are owned */
	size_t word_count, word_room;
	struct observer_quota *quotas;
	size_t refused_bytes; /* of refusals that wait with their request's acknowledgement */
	struct static_slot static_slots[OBSERVATIONS_STATIC_SLOTS];
	uint64_t known[OBSERVATIONS_KNOWN_SLOTS];
	uint64_t drifting[OBSERVATIONS_DRIFTS_MAX]; /* devices, logged already */
	size_t drifting_count;
};

/* STATUS_NO_MEMORY; observations_deinit also then. */
enum status observations_init(struct observations *observations, struct daemon *daemon,
                              struct error *error);
/* Writes what is not kept yet, then no more. */
void observations_stop(struct observations *observations);
void observations_deinit(struct observations *observations);

/* ---- asking -------------------------------------------------------------------------------- */

/* What an answer rests on. */
struct refinement {
	uint64_t kernel; /* the hash of what was asked about */
	double static_time_s;
	uint64_t observation_count;
	uint32_t nodes;                /* others of the site */
	struct correction_answer task; /* without transfers */
};

/*
 * Corrects daemon->prediction, just made by the default model for daemon->launch, as the
 * user's and others' observations of refinement->kernel and its like say; fills the count, and
 * the answer about the task, which the caller has filled with what is expected of it.
 */
void observations_refine(struct observations *observations, uint64_t device, uid_t user,
                         struct refinement *refinement);

/* A sentence for each device that drifts, at most `room`; in `text`, which the caller keeps. */
size_t observations_drifts(const struct observations *observations,
                           char (*text)[CORRECTION_SENTENCE_MAX + 160], size_t room);

/* Logs the devices that have begun to drift since. */
void observations_log_drifts(struct observations *observations);

/* ---- observing ----------------------------------------------------------------------------- */

/* What was measured of daemon->launch. */
struct observed {
	uint32_t epoch_device; /* of epochs_slot */
	uint64_t device, kernel;
	uid_t user;
	double time_s[CORRECTION_KINDS];         /* one at least; 0: not measured */
	double overhead_s[CORRECTION_OVERHEADS]; /* 0: not measured */
	uint32_t flags;
	int64_t measured_at_s;
	const char *kernel_name; /* borrowed; so is the next one */
	const char *device_key;  /* of a kernel without source; else NULL */
};

/* STATUS_LIMIT: the user has reported more than `observations_per_s` in the last second. */
enum status observations_count(struct observations *observations, uid_t user, struct error *error);

/*
 * The static answer that corrections start from, if it is remembered; else NULL, and
 * observations_describe remembers it from daemon->prediction.
 */
const struct static_slot *observations_static(struct observations *observations, uint64_t device,
                                              uint64_t kernel);
const struct static_slot *observations_describe(struct observations *observations, uint64_t device,
                                                uint64_t kernel);

/* Takes one run into account, of kernel, task or both; raises epochs, and has it kept in time. */
enum status observations_take(struct observations *observations, const struct observed *observed,
                              const struct static_slot *answer, struct error *error);

/* Forgets; returns the number of runs. To be kept like anything else. */
uint64_t observations_forget(struct observations *observations,
                             const struct correction_scope *scope);

/* As observations_wait, but first until no answer rests on what was forgotten before. */
void observations_wait_settled(struct observations *observations, struct save_wait *wait);

/* ---- saving -------------------------------------------------------------------------------- */

/* Calls wait->done when all that was observed before is kept, or cannot be. */
void observations_wait(struct observations *observations, struct save_wait *wait);

/* Who waits for a store that does not answer is told so. */
void observations_go_on(struct observations *observations);

/*
 * The kernels that a filter lets pass among what is not kept yet, in no order; the caller frees
 * *kernels. STATUS_NO_MEMORY.
 */
enum status observations_find_unkept(const struct observations *observations,
                                     const struct kernel_filter *filter, uint64_t **kernels,
                                     size_t *count, struct error *error);

/* Takes up what the store had, on top of what was observed before it was open. */
void observations_load(struct observations *observations, struct correction_record *records,
                       size_t count, const struct correction_user *users, size_t user_count);

#endif
