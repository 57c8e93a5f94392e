/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon: everything that lives on its loop. */
#ifndef PREDICTD_DAEMON_DAEMON_H
#define PREDICTD_DAEMON_DAEMON_H

#include "daemon/children/analysis.h"
#include "daemon/children/calibration.h"
#include "daemon/children/recalibrating.h"
#include "daemon/config.h"
#include "daemon/export/export.h"
#include "daemon/metrics/metrics.h"
#include "daemon/paths.h"
#include "daemon/serve/accepting.h"
#include "daemon/serve/evaluations.h"
#include "daemon/serve/session.h"
#include "daemon/serve/users.h"
#include "daemon/state/answer_memo.h"
#include "daemon/state/epochs.h"
#include "daemon/state/observations.h"
#include "daemon/state/pairs.h"
#include "daemon/state/persistence.h"
#include "daemon/state/program_cache.h"
#include "daemon/state/program_persistence.h"
#include "daemon/state/refusal_memo.h"
#include "daemon/state/registry.h"
#include "daemon/state/sample_persistence.h"
#include "daemon/state/samples.h"
#include "daemon/state/static_memo.h"
#include "model/answer/predict.h"
#include "model/device/launch.h"

#include <uv.h>

enum { DAEMON_PROTOCOL = 1 };

/* What the daemon does when a room that it stands on tells it something. */
struct daemon_events {
	void (*session_closed)(struct daemon *daemon); /* it is gone */
	void (*devices_known)(
	        struct daemon *daemon);              /* a scan for devices has ended, well or not */
	void (*store_loaded)(struct daemon *daemon); /* opened and loaded, well or not */
};

struct daemon {
	uv_loop_t loop;
	const struct daemon_events *events;
	const struct services *services;
	struct config config;
	struct paths paths;
	gid_t admin_group;
	bool has_admin_group;
	uid_t share_user; /* of the process that shares with other nodes */
	bool has_share_user;

	struct accepting accepting;
	int socket_lock; /* of a socket made here, which is removed at the end; or -1 */
	uv_signal_t signals[3];
	uv_timer_t watchdog, stop_timer;
	uv_timer_t heap_timer; /* until freed memory goes back to the system */
	int turn_clock;        /* a timerfd: until heavy users have their turns again; or -1 */
	uv_poll_t turn_poll;
	uv_prepare_t prepare; /* counts turns */
	uv_idle_t idle;       /* runs while somebody may have a turn */
	bool has_watchdog, is_stopping, is_closed;

	struct session *sessions;
	struct users users;
	uint64_t read_from_ns; /* when the read that is under way began */
	size_t session_count;
	struct session_output spare_input, spare_output; /* buffers that no session needs now */

	struct registry registry;
	struct pairs pairs;                      /* what its devices do to each other */
	bool is_store_loaded, is_registry_ready; /* stored, and first found, devices are known */
	struct devices_wait *device_waits;       /* requests that wait for a scan */
	struct program_cache programs;
	struct answer_memo answers;
	struct static_memo statics;
	struct refusal_memo refusals;
	struct epochs *epochs;              /* NULL: none can be had, and clients keep no answers */
	uint64_t config_generation;         /* grows when the configuration is read again */
	struct registration *registrations; /* programs being analysed */
	struct analysis analysis;
	struct evaluations evaluations;
	struct calibration calibration;
	struct recalibrating recalibrating;
	struct persistence persistence;
	struct program_persistence program_persistence;
	struct observations observations;
	struct samples samples;
	struct sample_persistence sample_persistence;
	bool accepts_samples;
	bool is_backing_up; /* one at a time: each has a copy of the store */

	/* scratch of one prediction on the loop: too large for its stack */
	struct launch launch;
	struct prediction prediction;
	struct prediction_lines lines; /* of it, where they are asked for */
	char *ir_text;                 /* of its kernel, where a thread has written it */
	struct refinement refinement;  /* of it */

	uint64_t started_ns;
	struct metrics metrics;
	struct export_sinks export_sinks; /* where they go */
	bool has_names;                   /* with users' and kernels' */
};

/*
 * Opens sockets and children; the daemon serves when `uv_run` runs its loop.
 * Fails for what makes serving impossible: the socket.
 */
enum status daemon_start(struct daemon *daemon, const struct config *config,
                         const struct paths *paths, struct error *error);

/*
 * Frees what is left when the loop has ended. False: a thread waits for a store that does not
 * answer; exit(3) would wait for it, _exit(2) does not.
 */
bool daemon_deinit(struct daemon *daemon);

/* Of answers about what devices do to each other; there are epochs. */
static inline uint32_t daemon_pairs_slot(const struct daemon *daemon)
{
	return epochs_slot(daemon->epochs, 0, UINT32_MAX, 0); /* as of no device */
}

/* Grows when answers given before may not hold any more. */
static inline uint64_t daemon_generation(const struct daemon *daemon)
{
	return daemon->registry.generation + daemon->config_generation;
}

#endif
