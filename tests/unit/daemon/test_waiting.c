/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that many clients wait for at once: all are answered, in turns, or leave. */
#include "tests/test.h"

#include "tests/unit/daemon/fixture.h"

#include <signal.h>
#include <unistd.h>

enum { CLIENTS = 24, REQUESTS = 4, LARGE_KERNELS = 256 /* fake_analyser.c */ };

static void send_registers(const int fds[CLIENTS], const char *source)
{
	for (int i = 0; i < CLIENTS; i++)
		for (int j = 0; j < REQUESTS; j++)
			fixture_send_register(fds[i], source);
}

/* How many kernels each answer of a client has; all answers are of one handle. */
static void receive_registers(int fd, size_t kernels, uint64_t *handle)
{
	for (int j = 0; j < REQUESTS; j++) {
		Predictd__Response *response = fixture_receive(fd);
		assert_non_null(response);
		assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM);
		assert_int_equal(response->register_program->n_kernels, kernels);
		if (*handle == 0)
			*handle = response->register_program->handle;
		assert_int_equal(response->register_program->handle, *handle);
		predictd__response__free_unpacked(response, NULL);
	}
}

static void connect_all(const struct fixture *fixture, int fds[CLIENTS])
{
	for (int i = 0; i < CLIENTS; i++)
		fds[i] = fixture_connect(fixture, true);
}

static void programs_that_many_wait_for_reach_all(void **state)
{
	struct fixture *fixture = *state;
	int fds[CLIENTS];
	uint64_t small = 0, large = 0;
	fixture_start(fixture, "well", "");
	connect_all(fixture, fds);
	send_registers(fds, "kernels a b c");
	for (int i = 0; i < CLIENTS; i++)
		receive_registers(fds[i], 3, &small);
	/* analysed first, and then known */
	for (int round = 0; round < 2; round++) {
		send_registers(fds, "large");
		for (int i = 0; i < CLIENTS; i++)
			receive_registers(fds[i], LARGE_KERNELS, &large);
	}
	assert_true(large != small);
	for (int i = 0; i < CLIENTS; i++)
		close(fds[i]);
}

static void errors_that_many_wait_for_reach_all(void **state)
{
	struct fixture *fixture = *state;
	int fds[CLIENTS];
	fixture_start(fixture, "well", "");
	connect_all(fixture, fds);
	send_registers(fds, "crash");
	for (int i = 0; i < CLIENTS; i++) {
		for (int j = 0; j < REQUESTS; j++)
			assert_refused(fixture_receive(fds[i]), STATUS_LIMIT, "gave up");
		close(fds[i]);
	}
}

static void those_who_leave_before_their_turn_harm_nothing(void **state)
{
	struct fixture *fixture = *state;
	int fds[CLIENTS];
	fixture_start(fixture, "well", "");
	for (int round = 0; round < 8; round++) {
		connect_all(fixture, fds);
		/* what they ask, and that they have left, is found at once */
		assert_int_equal(kill(fixture->pid, SIGSTOP), 0);
		send_registers(fds, round % 2 == 0 ? "large" : "kernels a b");
		for (int i = 0; i < CLIENTS; i++)
			if (i % 3 != round % 3)
				close(fds[i]);
		assert_int_equal(kill(fixture->pid, SIGCONT), 0);
		for (int i = round % 3; i < CLIENTS; i += 3) {
			predictd__response__free_unpacked(fixture_receive(fds[i]), NULL);
			close(fds[i]); /* with answers that nobody reads */
		}
	}
	int fd = fixture_connect(fixture, true);
	predictd__response__free_unpacked(fixture_status(fd), NULL);
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
}

static void lists_of_devices_that_many_wait_for_reach_all(void **state)
{
	struct fixture *fixture = *state;
	int fds[CLIENTS];
	fixture_start(fixture, "well", "");
	connect_all(fixture, fds);
	Predictd__ListDevices list = PREDICTD__LIST_DEVICES__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	request.id = 7;
	request.body_case = PREDICTD__REQUEST__BODY_LIST_DEVICES;
	request.list_devices = &list;
	for (int i = 0; i < CLIENTS; i++)
		fixture_send(fds[i], &request);
	for (int i = 0; i < CLIENTS; i++) {
		Predictd__Response *response = fixture_receive(fds[i]);
		assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_DEVICES);
		assert_int_equal(response->devices->n_devices, 2);
		predictd__response__free_unpacked(response, NULL);
		close(fds[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(programs_that_many_wait_for_reach_all,
	                                        fixture_setup, fixture_teardown),
	        cmocka_unit_test_setup_teardown(errors_that_many_wait_for_reach_all, fixture_setup,
	                                        fixture_teardown),
	        cmocka_unit_test_setup_teardown(those_who_leave_before_their_turn_harm_nothing,
	                                        fixture_setup, fixture_teardown),
	        cmocka_unit_test_setup_teardown(lists_of_devices_that_many_wait_for_reach_all,
	                                        fixture_setup, fixture_teardown),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("waiting", tests, NULL, NULL);
}
