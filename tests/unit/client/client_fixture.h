/* SPDX-License-Identifier: Apache-2.0 */
/* A fake daemon, a connection to it and a program registered there, for each test. */
#ifndef PREDICTD_TESTS_UNIT_CLIENT_CLIENT_FIXTURE_H
#define PREDICTD_TESTS_UNIT_CLIENT_CLIENT_FIXTURE_H

#include "tests/test.h"

#include "client/predictd.h"
#include "tests/unit/client/fake_daemon.h"

extern struct fake_daemon fake;
extern predictd_connection *connection;
extern predictd_program *program;
extern const predictd_source source;

int client_set_up(void **state);
int client_tear_down(void **state);

/* How long `items` work-items of the only kernel take. */
predictd_question question_of(uint64_t items);
/* What such a launch took. */
predictd_observation observation_of(uint64_t items);
void assert_ok(predictd_status status);
/* Waits until so many requests but hello have come since it was so many. */
void await_asked(unsigned before, unsigned count);

/* What was called back: a predictd_answered for 1, 2, ... work-items, and its context. */
struct answers {
	size_t calls, count, wrong;
	predictd_status last;
};

void keep_answers(const predictd_estimate *estimates, size_t count, void *context);

#define WITH_DAEMON(name) cmocka_unit_test_setup_teardown(name, client_set_up, client_tear_down)

/*
 * In a child of a process whose other threads work, the allocator of gcc's AddressSanitizer waits
 * for a lock that one of them held (clang's lets go of it): one run in five hung beside others.
 * The fake daemon and the library's own thread are such threads.
 */
#if defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
enum { CHILDREN_OF_THREADS_HANG = 1 };
#else
enum { CHILDREN_OF_THREADS_HANG = 0 };
#endif

#endif
