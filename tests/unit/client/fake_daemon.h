/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A daemon for tests of the library: a thread that speaks the protocol over a real
 * socket, answers by simple rules, and misbehaves as told.
 * A prediction takes global[0] nanoseconds; kernel "absent" is not found.
 */
#ifndef PREDICTD_TESTS_UNIT_CLIENT_FAKE_DAEMON_H
#define PREDICTD_TESTS_UNIT_CLIENT_FAKE_DAEMON_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct fake_daemon {
	char folder[64], path[96];
	int listener;
	pthread_t thread;
	atomic_bool stops;
	/* what it saw */
	atomic_uint connections, registrations, batches, singles, largest, cancels;
	/* what it does */
	atomic_uint handles_from;   /* handles below it are forgotten */
	atomic_uint close_at;       /* closes instead of answering request number n (1: hello) */
	atomic_bool is_silent;      /* answers hello alone */
	atomic_bool reverses;       /* answers pairs of requests in reverse */
	atomic_bool writes_garbage; /* instead of answers */
	atomic_bool says_nothing;   /* answers with an empty message without an id */
	atomic_bool refuses_registrations;
	atomic_uint protocol;
	unsigned next_handle;
};

void fake_daemon_start(struct fake_daemon *daemon);
/* Ends the thread and its connections; the path stays, for fake_daemon_restart. */
void fake_daemon_halt(struct fake_daemon *daemon);
void fake_daemon_restart(struct fake_daemon *daemon);
void fake_daemon_stop(struct fake_daemon *daemon);

#endif
