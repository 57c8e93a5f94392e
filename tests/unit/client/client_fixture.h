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
void assert_ok(predictd_status status);

#define WITH_DAEMON(name) cmocka_unit_test_setup_teardown(name, client_set_up, client_tear_down)

#endif
