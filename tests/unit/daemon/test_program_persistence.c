/* SPDX-License-Identifier: Apache-2.0 */
/* Analysed programs outlive the daemon; what cannot be used is analysed again. */
#include "tests/unit/daemon/fixture.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static uint64_t analyses(int fd)
{
	Predictd__Response *response = fixture_status(fd);
	uint64_t count = response->status->analyses;
	predictd__response__free_unpacked(response, NULL);
	return count;
}

/* Starts a daemon, registers both sources, stops it; how many of them were analysed. */
static uint64_t registered_anew(struct fixture *fixture)
{
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true);
	(void)fixture_register_well(fd, "kernels a b");
	uint64_t handle = fixture_register_well(fd, "kernels c");
	uint64_t count = analyses(fd);
	/* whatever its origin, it serves: the name is found, the device is not calibrated */
	assert_refused(fixture_predict(fd, handle, "c", "0"), STATUS_UNCALIBRATED, "");
	assert_refused(fixture_predict(fd, handle, "d", "0"), STATUS_NOT_FOUND, "c");
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
	return count;
}

static void run_sql(const struct fixture *fixture, const char *sql)
{
	char path[128];
	sqlite3 *database = NULL;
	snprintf(path, sizeof path, "%s/predictd.db", fixture->state);
	assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
	assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
	assert_true(sqlite3_changes(database) > 0);
	sqlite3_close(database);
}

static void programs_are_analysed_once_for_many_daemons(void **state)
{
	assert_int_equal(registered_anew(*state), 2);
	assert_int_equal(registered_anew(*state), 0);
	assert_int_equal(registered_anew(*state), 0);
}

static void programs_of_another_analyser_are_analysed_again(void **state)
{
	assert_int_equal(registered_anew(*state), 2);
	run_sql(*state, "UPDATE program SET version = 'another'");
	assert_int_equal(registered_anew(*state), 2);
	assert_int_equal(registered_anew(*state), 0);
}

static void programs_that_cannot_be_decoded_are_analysed_again(void **state)
{
	assert_int_equal(registered_anew(*state), 2);
	run_sql(*state, "UPDATE program SET reply = x'ff00ff' WHERE id = 1");
	run_sql(*state, "UPDATE program SET reply = x'' WHERE id = 2");
	assert_int_equal(registered_anew(*state), 2);
	assert_int_equal(registered_anew(*state), 0);
}

static void many_that_ask_for_one_at_once_share_its_look_up(void **state)
{
	enum { COUNT = 8 };
	struct fixture *fixture = *state;
	int fds[COUNT];
	uint64_t handles[COUNT];
	assert_int_equal(registered_anew(*state), 2);
	fixture_start(fixture, "well", "");
	for (unsigned i = 0; i < COUNT; i++) {
		fds[i] = fixture_connect(fixture, true);
		fixture_send_register(fds[i], "kernels c");
	}
	for (unsigned i = 0; i < COUNT; i++) {
		Predictd__Response *response = fixture_receive(fds[i]);
		assert_non_null(response);
		assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM);
		handles[i] = response->register_program->handle;
		predictd__response__free_unpacked(response, NULL);
		assert_true(handles[i] == handles[0]);
	}
	assert_int_equal(analyses(fds[0]), 0);
	for (unsigned i = 0; i < COUNT; i++)
		close(fds[i]);
}

int main(void)
{
#define PERSISTENCE_TEST(name)                                                                     \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
	        PERSISTENCE_TEST(programs_are_analysed_once_for_many_daemons),
	        PERSISTENCE_TEST(programs_of_another_analyser_are_analysed_again),
	        PERSISTENCE_TEST(programs_that_cannot_be_decoded_are_analysed_again),
	        PERSISTENCE_TEST(many_that_ask_for_one_at_once_share_its_look_up),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("program_persistence", tests, NULL, NULL);
}
