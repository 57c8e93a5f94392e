/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A daemon for tests of the library: threads that speak the protocol over a real
 * socket, answer by simple rules, and misbehave as told.
 * A prediction takes global[0] nanoseconds times `scale`; kernel "absent" is not found, device
 * "raw" not calibrated, and device "standing" not until the epochs are raised. Device "third" takes
 * three times as long, and "late" a second before it begins. A byte takes 0.1 ns to a device or
 * back.
 */
#ifndef PREDICTD_TESTS_UNIT_CLIENT_FAKE_DAEMON_H
#define PREDICTD_TESTS_UNIT_CLIENT_FAKE_DAEMON_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { FAKE_DAEMON_CONNECTIONS = 256, FAKE_DAEMON_EPOCHS = 16, FAKE_DAEMON_SAMPLES = 64 };

struct fake_daemon {
	char folder[64], path[96];
	int listener;
	pthread_t thread, servers[FAKE_DAEMON_CONNECTIONS]; /* one a connection */
	unsigned server_count;
	atomic_bool stops;
	int epochs_fd;
	_Atomic uint64_t *epochs; /* every answer's slot is its kernel name's length */
	/* what it saw */
	atomic_uint connections, registrations, batches, singles, largest, cancels, watches;
	atomic_uint asked; /* requests but hello that have come, answered or not */
	atomic_uint observations, observed_batches; /* of which some may have been refused */
	_Atomic int64_t observed_at_s;              /* of the last one */
	_Atomic uint64_t observed_items;            /* the sum of their global[0] */
	atomic_uint observed_after;                 /* `asked` when the last batch of them came */
	atomic_uint samples;                        /* that were sent */
	atomic_uint reaches;                        /* requests for them */
	atomic_uint sampled, unsampled; /* questions and observations that name one, or none */
	uint8_t sample_names[FAKE_DAEMON_SAMPLES][16]; /* the last ones that were sent */
	/* what it does */
	atomic_uint handles_from;   /* handles below it are forgotten */
	atomic_uint close_at;       /* closes instead of answering request number n (1: hello) */
	atomic_bool is_mute;        /* answers nothing */
	atomic_bool is_silent;      /* answers hello alone */
	atomic_bool is_full;        /* takes no more connections: an error in place of hello's */
	atomic_bool reverses;       /* answers pairs of requests in reverse */
	atomic_bool writes_garbage; /* instead of answers */
	atomic_bool writes_noise;   /* frames of random bytes instead of answers */
	atomic_bool says_nothing;   /* answers with an empty message without an id */
	atomic_bool refuses_registrations;
	atomic_bool refuses_samples;
	atomic_uint sample_room;    /* how many of them it keeps; at most FAKE_DAEMON_SAMPLES */
	atomic_bool has_no_epochs;  /* as an older one */
	atomic_bool holds_epochs;   /* passes none until it no longer does */
	atomic_bool shrinks_epochs; /* passes memory without a seal */
	atomic_uint delay_ms;       /* before every answer but hello's */
	atomic_bool holds;          /* every answer but hello's until it no longer does */
	atomic_bool awaits_cancel;  /* of a calibration, before its result */
	atomic_bool has_no_pairs;   /* as an older one */
	atomic_uint slowdown;    /* of the first two devices asked about, in hundredths; 0: none */
	atomic_uint contentions; /* such questions */
	atomic_uint scale;       /* of times */
	atomic_uint protocol;
	atomic_uint next_handle;
};

void fake_daemon_start(struct fake_daemon *daemon);
/* Ends the thread and its connections; the path stays, for fake_daemon_restart. */
void fake_daemon_halt(struct fake_daemon *daemon);
void fake_daemon_restart(struct fake_daemon *daemon);
void fake_daemon_stop(struct fake_daemon *daemon);
/* Every answer given is out of date. */
void fake_daemon_raise(struct fake_daemon *daemon);

#endif
