/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Corrections: what measured run times say about the next one (design section 6).
 *
 * Work in log time. The residual of a run is ln(observed / static). A device,
 * a kernel on it, the kernel over sizes and the kernel at one launch each add a
 * normal effect; together they are a Gaussian process over the launches of a
 * kernel, conditioned in closed form (Rasmussen and Williams, Gaussian
 * Processes for Machine Learning, 2006, chapter 2), with the static estimate as
 * prior mean. The effect of a device is a ridge regression over the shares of time
 * that the static model gives to each resource (a coefficient that is off by a
 * factor moves a kernel by that factor to the power of its share) and over what
 * kinds of work a kernel does.
 *
 * Evidence is robust and by user. The runs of a launch by one user become one
 * location (the median of all but the longest); a shared estimate is the median
 * over users' medians, and stands once three users report (or the daemon itself does).
 * Until then reports move the answers of their user alone. Intervals are
 * conformal: quantiles of how far held-out runs fell from what the others said,
 * by number of runs (Vovk, Gammerman, Shafer, Algorithmic Learning in a Random
 * World, 2005), those that make them shortest.
 *
 * What is corrected is what a kernel takes, START to END, or what a whole task does, submission to
 * completion, which each have records and effects of their own. What is expected of a task before
 * it was observed is its kernel's corrected time and what its launch adds (correction_ask_task), so
 * that a kernel's runs improve answers about its tasks, and never the other way round.
 *
 * All state but shifts of a device's times and overheads (struct correction_user) is a function of
 * records: per device, kernel, launch and user the newest runs, at most CORRECTION_SAMPLES.
 * Forgetting drops runs; saving and loading move records; the order in which runs of different
 * seconds come makes no difference. What is kept: of a launch and user the newest
 * CORRECTION_SAMPLES runs (undisturbed ones first), of a user's kernel on a device the
 * CORRECTION_LAUNCHES launches reported last, in all `records_max`; beyond it whoever reports
 * displaces what he has reported longest ago, and who has nothing, what the user with most records
 * has. Of more than CORRECTION_USERS pairs of user and device, the one that reported longest ago
 * goes.
 *
 * Pure code: no clock, no I/O, no threads; memory is taken in correction_new
 * alone. Not for use from two threads at once.
 */
#ifndef PREDICTD_MODEL_CORRECTION_CORRECTION_H
#define PREDICTD_MODEL_CORRECTION_CORRECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/prediction.h"
#include "model/status.h"

enum {
	CORRECTION_SAMPLES = 16,      /* runs kept of a launch and user */
	CORRECTION_LAUNCHES = 32,     /* launches kept of a user's kernel on a device */
	CORRECTION_SHARES = 64,       /* room for BOTTLENECK_COUNT, two traits and kinds of work */
	CORRECTION_DEVICES = 160,     /* of either kind, each by itself */
	CORRECTION_USERS = 2048,      /* user and device pairs, of either kind */
	CORRECTION_AGREEMENT = 3,     /* users that make an estimate shared */
	CORRECTION_RECORD_BYTES = 448 /* at most, encoded */
};

/* Who the daemon's own benchmarks are: their word is shared at once. Of no user (POSIX). */
#define CORRECTION_UID_DAEMON UINT32_MAX

/* Who other nodes of the site are: their word stands for who has no runs of his own of a launch
 * (correction_tell). A user of that id reports nothing. */
#define CORRECTION_UID_SITE (UINT32_MAX - 1)

/* What was measured. */
enum correction_kind {
	CORRECTION_OF_KERNEL, /* START to END */
	CORRECTION_OF_TASK,   /* submission to completion, or what a runtime measures as a task */
	CORRECTION_KINDS
};

/* Of a run; the bits of predictd.Observation.flags. Such runs count only while a launch has no
 * others, and for less. */
enum correction_flag {
	CORRECTION_FIRST_RUN = 1,
	CORRECTION_OVERLAPPED = 2,
	CORRECTION_THROTTLED = 4,
	CORRECTION_FLAGS = 7
};

/* What a launch takes beside its kernel. */
enum correction_overhead {
	CORRECTION_LAUNCH, /* enqueue to START */
	CORRECTION_H2D,
	CORRECTION_D2H,
	CORRECTION_OVERHEADS
};

/*
 * A launch as corrections see it: its static estimate, and where it lies among
 * the launches of its kernel. From correction_describe; kept in records.
 */
struct correction_launch {
	uint64_t key;     /* of NDRange and arguments; equal: the same launch */
	uint8_t kind;     /* enum correction_kind, of every time of it */
	uint64_t epoch;   /* of the coefficients behind static_log */
	float static_log; /* ln of the static kernel time in seconds; of a task: of what is expected
	                   * of it, by its kernel's corrected time */
	float static_sd;  /* standard deviation of ln(observed / static), as the model says */
	float items_log;  /* ln of the work-items */
	float group_log;  /* ln of the work-items of a work-group */
	/* What models err in together, of 255: elasticities by resource; whether trips or
	 * addresses were assumed, and whether a CPU runs it one work-item after another; then for
	 * each kind of work the root of what it takes alone as a share of the static time. */
	uint8_t share[CORRECTION_SHARES];
	/* of a task, else 0: ln of the static kernel time, and what its launch adds by itself */
	float kernel_log, beside_s;
};

/*
 * Fills a launch from its static answer.
 *
 * key          the caller's hash of NDRange, local size and arguments
 * prediction   of the default model, static (or fallback)
 * items        work-items of the NDRange, > 0
 */
void correction_describe(uint64_t key, const struct prediction *prediction, double items,
                         struct correction_launch *launch);

/* ---- asking -------------------------------------------------------------------------------- */

struct correction_answer {
	double time_s;        /* the median expected */
	double low_s, high_s; /* 90 % of runs lie within, where they lie closest */
	uint64_t count;       /* runs of this kernel on this device that it rests on */
	uint32_t nodes;       /* others of the site that it rests on; 0: none */
	uint8_t basis;    /* enum basis: STATIC, REFINED (by other launches or kernels), OBSERVED */
	bool is_drifting; /* the device's times have shifted lately: the interval is wider */
};

struct correction;

/*
 * records_max        of users, at least 64
 * site_records_max   of other nodes (correction_tell)
 *
 * The memory of both is taken lazily by the system as it is used. STATUS_INVALID,
 * STATUS_NO_MEMORY. The caller frees.
 */
enum status correction_new(size_t records_max, size_t site_records_max,
                           struct correction **correction, struct error *error);
void correction_free(struct correction *correction); /* accepts NULL */

/*
 * The corrected time of a launch for a user. Without evidence time_s is the static
 * one, low_s and high_s the static interval until the device's own runs say otherwise.
 * Allocates nothing; about a microsecond (a kernel's first question after a change of its
 * evidence: some ten).
 *
 * fallback   the static answer was one: basis stays FALLBACK until the kernel is observed
 */
void correction_ask(struct correction *correction, uint64_t device, uint64_t kernel, uint32_t uid,
                    const struct correction_launch *launch, bool fallback,
                    struct correction_answer *answer);

/*
 * The launch of a kernel as that of a task, with what is expected of it by now.
 *
 * launch    of the kernel, as correction_describe fills it
 * beside_s  static time that the task takes beside its kernel: enqueue to START
 */
struct correction_launch correction_task(struct correction *correction, uint64_t device,
                                         uint64_t kernel, uint32_t uid,
                                         const struct correction_launch *launch, double beside_s);

/* The answer about a task when nothing was observed of any: kernel and launch, with the kernel's
 * interval as `kernel` has it, and what tasks differ by. Its basis is the kernel's, its count 0. */
void correction_expect_task(const struct correction_answer *kernel, double beside_s,
                            struct correction_answer *answer);

/*
 * The corrected time of a task: as correction_ask says of kernels.
 *
 * kernel    the answer about its kernel, by correction_ask
 * beside_s  as of correction_task
 */
void correction_ask_task(struct correction *correction, uint64_t device, uint64_t kernel_key,
                         uint32_t uid, const struct correction_launch *launch,
                         const struct correction_answer *kernel, double beside_s,
                         struct correction_answer *answer);

/*
 * A launch of a kernel without source, of which no model says anything.
 *
 * key   the caller's hash of sizes and arguments
 * work  the product of its sizes, >= 1, that its time is expected to follow
 */
struct correction_launch correction_describe_work(uint64_t key, enum correction_kind kind,
                                                  double work);

/*
 * The time of such a launch, by the user's own runs alone: those of the launch itself where there
 * are any (OBSERVED), else a power law of its work through his other launches (HISTORY).
 *
 * answer  out: `count` runs of the kernel that it rests on
 *
 * False: none was observed, nothing is known.
 */
bool correction_ask_history(struct correction *correction, uint64_t device, uint64_t kernel,
                            uint32_t uid, const struct correction_launch *launch,
                            struct correction_answer *answer);

/*
 * An overhead as measurements of its kind and size correct it: the user's own on that device, else
 * what users share. static_s where there are none.
 */
double correction_overhead(const struct correction *correction, uint64_t device, uint32_t uid,
                           enum correction_overhead which, double static_s);

/* ---- evidence ------------------------------------------------------------------------------ */

struct correction_run {
	uint64_t device, kernel; /* the caller's keys; device: the store's row id or a hash */
	uint32_t uid;
	uint32_t flags;        /* enum correction_flag */
	double time_s;         /* of launch.kind, 1e-9 to 1e6 */
	int64_t measured_at_s; /* seconds since 1970, 0 to 2^32 - 1 */
	struct correction_launch launch;
	/* what was answered before it came in, seconds: only kept, for a history; 0: nobody asked
	 */
	float predicted_s, low_s, high_s;
	/* beside the kernel, as measured and as the static answer has it; 0: unknown */
	float overhead_s[CORRECTION_OVERHEADS], overhead_static_s[CORRECTION_OVERHEADS];
};

/* Which answers moved by more than 2 % since their epoch was raised last: raise it. Bits. */
enum correction_moved {
	CORRECTION_MOVED_KERNEL_USER = 1, /* of this kernel and device, to this user */
	CORRECTION_MOVED_KERNEL = 2,      /* of this kernel and device, to every user */
	CORRECTION_MOVED_DEVICE_USER = 4, /* of every kernel on this device, to this user */
	CORRECTION_MOVED_DEVICE = 8       /* of every kernel on this device, to every user */
};

/*
 * Takes one run.
 *
 * moved   out: bits of enum correction_moved; NULL where nobody cares
 *
 * STATUS_INVALID names what is wrong with the run. STATUS_LIMIT: more than
 * CORRECTION_DEVICES devices with records.
 */
enum status correction_observe(struct correction *correction, const struct correction_run *run,
                               unsigned *moved, struct error *error);

/* ---- other nodes ---------------------------------------------------------------------------- */

struct correction_record;

/*
 * Takes what other nodes of the site measured of a launch, in place of what they said before:
 * `runs` nodes, each sample the median of one of them (undisturbed, in any order of time that a
 * record has); without samples, nothing any more. Whose word it is: CORRECTION_UID_SITE's,
 * whatever the record says. Of more than site_records_max, those whose runs are oldest go; users'
 * records never give way. It is neither saved nor forgotten with users' records.
 *
 * has_moved   out: an answer may be another
 *
 * STATUS_CORRUPT names a field that is out of range; STATUS_LIMIT: no room.
 */
enum status correction_tell(struct correction *correction, const struct correction_record *told,
                            bool *has_moved, struct error *error);

/* Records of other nodes known. */
size_t correction_site_records(const struct correction *correction);

/* ---- records: saved, loaded, forgotten ----------------------------------------------------- */

struct correction_sample {
	float time_log; /* ln of seconds */
	uint32_t at_s;  /* since 1970 */
	uint32_t flags;
	float predicted_s, low_s, high_s; /* as in struct correction_run */
};

/* What is kept of one launch by one user. No pointers; (device, kernel, launch.key, launch.kind,
 * uid) is its key. */
struct correction_record {
	uint64_t device, kernel;
	uint32_t uid;
	uint32_t sample_count;
	uint64_t runs; /* ever reported, but for those forgotten */
	struct correction_launch launch;
	struct correction_sample samples[CORRECTION_SAMPLES]; /* oldest first */
};

/*
 * The versioned bytes of a record without its five keys (columns of the row: device,
 * kernel, launch key, kind, uid): little-endian, at most CORRECTION_RECORD_BYTES. Returns their
 * number.
 */
size_t correction_encode(const struct correction_record *record,
                         uint8_t bytes[CORRECTION_RECORD_BYTES]);

/* The rest of a record whose keys the caller has set. STATUS_CORRUPT: not what encode wrote. */
enum status correction_decode(const uint8_t *bytes, size_t size, struct correction_record *record,
                              struct error *error);

/*
 * Puts a record in, in place of any of the same key. Cheap: estimates are made when
 * they are asked for. STATUS_CORRUPT names a field that is out of range; STATUS_LIMIT as
 * above, and when all records_max are there.
 */
enum status correction_load(struct correction *correction, const struct correction_record *record,
                            struct error *error);

/*
 * Hands out a record that changed since it was last saved (or loaded), each once; one
 * with `sample_count` 0 is no more: delete its row. False when there is none left.
 * Take them before as many others change as records_max, or removals are lost (the
 * rows come back at the next load, and are displaced again).
 */
bool correction_take_changed(struct correction *correction, struct correction_record *record);

/* A record that was taken could not be saved: as it is now, it will be handed out again. */
void correction_keep_changed(struct correction *correction, const struct correction_record *record);

/*
 * What is kept of a user on a device besides records: shifts of its times, and overheads
 * (of each kind and size the newest ratios of measured to static). (device, kind, uid) is its key.
 */
enum { CORRECTION_USER_BYTES = 1024 };
struct correction_user {
	uint64_t device;
	uint32_t uid;
	uint32_t kind; /* enum correction_kind: of runs */
	uint32_t size; /* 0: no more, delete its row */
	uint8_t bytes[CORRECTION_USER_BYTES];
};

/* As for records: how many changed, handed out each once, given back when it was not saved. */
size_t correction_changed_users(const struct correction *correction);
bool correction_take_changed_user(struct correction *correction, struct correction_user *user);
void correction_keep_changed_user(struct correction *correction,
                                  const struct correction_user *user);

/*
 * After records are loaded. What was measured before stays. STATUS_CORRUPT names what is wrong;
 * STATUS_NOT_FOUND: he has no record on that device (any more): his row will be handed out as one
 * to delete.
 */
enum status correction_load_user(struct correction *correction, const struct correction_user *user,
                                 struct error *error);

/*
 * Brings what many kernels say of a device up to date: after the last correction_load, and
 * when idle if you like (it happens by itself as observations come). Some milliseconds.
 */
void correction_settle(struct correction *correction);

/* The same a user at a time, some half a millisecond each: false when it is done. Until then
 * answers rest in part on what was known before. */
void correction_settle_begin(struct correction *correction);
bool correction_settle_step(struct correction *correction);

/* Which runs to forget: all conditions hold. */
struct correction_scope {
	bool has_device, has_kernels, has_uid, has_before;
	uint64_t device;
	const uint64_t *kernels; /* one of these, ascending; borrowed */
	size_t kernel_count;
	uint32_t uid;
	int64_t before_s; /* only runs measured earlier; of a record whose runs all are, all */
};

/*
 * Returns the number of runs forgotten (records' `runs`). Takes time by what is in scope. What many
 * kernels say of devices follows by correction_settle_step; then every epoch is out of date.
 */
uint64_t correction_forget(struct correction *correction, const struct correction_scope *scope);

/* ---- how it stands ------------------------------------------------------------------------- */

/* Runs known: of every record, those ever reported. */
uint64_t correction_runs(const struct correction *correction);
size_t correction_records(const struct correction *correction); /* of users */

/*
 * What is known of a device whose times have shifted: a sentence for status, such as
 * "times rose by 31 % after 2026-11-20 09:55 UTC (120 runs since)", without the device's name.
 * False (and an empty sentence) when it has not. For every user's reports together.
 */
enum { CORRECTION_SENTENCE_MAX = 160 };
bool correction_drift(const struct correction *correction, uint64_t device,
                      char sentence[CORRECTION_SENTENCE_MAX]);

#endif
