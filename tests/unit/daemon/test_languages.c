/* SPDX-License-Identifier: Apache-2.0 */
/* Two devices whose compilers speak different languages: a program is analysed in each, once. */
#include "tests/unit/daemon/fixture.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int start(struct fixture *fixture)
{
	fixture_start(fixture, "spoken", "");
	int fd = fixture_connect(fixture, true);
	fixture_calibrate_both(fd);
	return fd;
}

static void assert_answers(int fd, uint64_t handle, const char *device)
{
	Predictd__Response *response = fixture_predict(fd, handle, "a", device);
	assert_non_null(response);
	if (response->body_case != PREDICTD__RESPONSE__BODY_PREDICT)
		fail_msg("%s: %s", device, response->error->text);
	predictd__response__free_unpacked(response, NULL);
}

/* That the one launch has a place, or why it has none. */
static void assert_place(int fd, uint64_t handle, enum status want)
{
	Predictd__Response *response = fixture_place(fd, handle, NULL);
	assert_non_null(response);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_PLACE);
	const Predictd__Placement *placement = response->place->placements[0];
	if (want == STATUS_OK) {
		assert_null(placement->error);
		assert_non_null(placement->prediction);
	} else {
		assert_null(placement->prediction);
		assert_int_equal(placement->error->status, want);
	}
	predictd__response__free_unpacked(response, NULL);
}

static void assert_analyses(int fd, uint64_t want)
{
	Predictd__Response *status = fixture_status(fd);
	assert_int_equal(status->status->analyses, want);
	predictd__response__free_unpacked(status, NULL);
}

static void a_program_is_analysed_once_in_each_language_that_is_asked_about(void **state)
{
	int fd = start(*state);
	uint64_t handle = fixture_register_well(fd, "kernels a");
	assert_answers(fd, handle, "alpha");
	assert_analyses(fd, 1);
	assert_refused(fixture_predict(fd, handle, "a", "beta"), STATUS_UNREGISTERED,
	               "not analysed in the language of Fake beta yet");
	assert_analyses(fd, 1);
	/* under the same handle */
	assert_int_equal(fixture_register_well(fd, "kernels a"), handle);
	assert_analyses(fd, 2);
	assert_answers(fd, handle, "beta");
	assert_answers(fd, handle, "alpha");
	assert_int_equal(fixture_register_well(fd, "kernels a"), handle);
	assert_analyses(fd, 2);
	close(fd);
}

static void nothing_is_placed_before_every_device_was_asked(void **state)
{
	int fd = start(*state);
	uint64_t handle = fixture_register_well(fd, "kernels a");
	assert_place(fd, handle, STATUS_UNREGISTERED);
	assert_int_equal(fixture_register_well(fd, "kernels a"), handle);
	assert_place(fd, handle, STATUS_OK);
	assert_analyses(fd, 2);
	close(fd);
}

static void what_one_compiler_refuses_another_may_take(void **state)
{
	int fd = start(*state);
	assert_refused(fixture_register(fd, "spoken a"), STATUS_UNREGISTERED, "a.cl:1:1");
	uint64_t handle = fixture_register_well(fd, "spoken a");
	assert_answers(fd, handle, "beta");
	assert_refused(fixture_predict(fd, handle, "a", "alpha"), STATUS_SYNTAX, "a.cl:1:1");
	/* and then the launch belongs where it can run */
	assert_place(fd, handle, STATUS_OK);
	assert_analyses(fd, 2);
	/* what every one refuses is the source's own fault */
	assert_refused(fixture_register(fd, "syntax"), STATUS_UNREGISTERED, "a.cl:1:1");
	assert_refused(fixture_register(fd, "syntax"), STATUS_SYNTAX, "a.cl:1:1");
	assert_refused(fixture_register(fd, "syntax"), STATUS_SYNTAX, "a.cl:1:1");
	assert_analyses(fd, 4);
	close(fd);
}

static void languages_and_their_programs_outlive_the_daemon(void **state)
{
	struct fixture *fixture = *state;
	int fd = start(fixture);
	uint64_t handle = fixture_register_well(fd, "kernels a");
	assert_place(fd, handle, STATUS_UNREGISTERED);
	(void)fixture_register_well(fd, "kernels a");
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
	fixture_start(fixture, "spoken", "");
	fd = fixture_connect(fixture, true);
	handle = fixture_register_well(fd, "kernels a");
	assert_place(fd, handle, STATUS_UNREGISTERED);
	assert_int_equal(fixture_register_well(fd, "kernels a"), handle);
	assert_place(fd, handle, STATUS_OK);
	assert_analyses(fd, 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(
	                a_program_is_analysed_once_in_each_language_that_is_asked_about,
	                fixture_setup, fixture_teardown),
	        cmocka_unit_test_setup_teardown(nothing_is_placed_before_every_device_was_asked,
	                                        fixture_setup, fixture_teardown),
	        cmocka_unit_test_setup_teardown(what_one_compiler_refuses_another_may_take,
	                                        fixture_setup, fixture_teardown),
	        cmocka_unit_test_setup_teardown(languages_and_their_programs_outlive_the_daemon,
	                                        fixture_setup, fixture_teardown),
	};
	return cmocka_run_group_tests_name("languages", tests, NULL, NULL);
}
