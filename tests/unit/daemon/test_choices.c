/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Choices of configurations: over a restart, under another driver, of two users, forgotten, and
 * from clients that send what is none.
 */
#include "tests/unit/daemon/fixture.h"

#include "tests/folder.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534 };

static const char *const open_to_all = "\n[daemon]\nsocket_mode = 0666";

/* A choice and what is asked about it. */
struct asked {
	uint8_t space[16];
	uint64_t sizes[17];
	Predictd__Choice choice;
	Predictd__KeepChoice keep;
	Predictd__FindChoice find;
	Predictd__Forget forget;
	Predictd__Request request;
};

static struct asked asked;

static void ask_of(const char *name, const char *device)
{
	memset(&asked, 0, sizeof asked);
	predictd__choice__init(&asked.choice);
	predictd__keep_choice__init(&asked.keep);
	predictd__find_choice__init(&asked.find);
	predictd__forget__init(&asked.forget);
	predictd__request__init(&asked.request);
	asked.choice.name = (char *)(uintptr_t)name;
	asked.choice.device = (char *)(uintptr_t)device;
	asked.choice.space = (ProtobufCBinaryData){sizeof asked.space, asked.space};
	asked.choice.sizes = asked.sizes;
	asked.choice.n_sizes = 2;
	asked.keep.choice = asked.find.choice = &asked.choice;
	asked.keep.configuration = 12;
	asked.keep.time_s = 2e-3;
	asked.keep.is_over = true;
	asked.request.id = 50;
}

static Predictd__Response *send_keep(int fd)
{
	asked.request.body_case = PREDICTD__REQUEST__BODY_KEEP_CHOICE;
	asked.request.keep_choice = &asked.keep;
	return fixture_ask(fd, &asked.request);
}

static Predictd__Response *send_find(int fd)
{
	asked.request.body_case = PREDICTD__REQUEST__BODY_FIND_CHOICE;
	asked.request.find_choice = &asked.find;
	return fixture_ask(fd, &asked.request);
}

static void keeps(int fd)
{
	Predictd__Response *response = send_keep(fd);
	assert_non_null(response);
	if (response->body_case != PREDICTD__RESPONSE__BODY_KEEP_CHOICE)
		fail_msg("%s", response->error->text);
	predictd__response__free_unpacked(response, NULL);
}

static void finds(int fd)
{
	Predictd__Response *response = send_find(fd);
	assert_non_null(response);
	if (response->body_case != PREDICTD__RESPONSE__BODY_FIND_CHOICE)
		fail_msg("%s", response->error->text);
	assert_int_equal(response->find_choice->configuration, 12);
	assert_close(response->find_choice->time_s, 2e-3, 1e-12);
	assert_true(response->find_choice->is_over);
	assert_non_null(response->find_choice->device);
	predictd__response__free_unpacked(response, NULL);
}

static void finds_none(int fd)
{
	assert_refused(send_find(fd), STATUS_NOT_FOUND, "is kept for this device and driver");
}

static void forgets(int fd)
{
	asked.request.body_case = PREDICTD__REQUEST__BODY_FORGET;
	asked.request.forget = &asked.forget;
	Predictd__Response *response = fixture_ask(fd, &asked.request);
	assert_non_null(response);
	if (response->body_case != PREDICTD__RESPONSE__BODY_FORGET)
		fail_msg("%s", response->error->text);
	predictd__response__free_unpacked(response, NULL);
}

static int restart(struct fixture *fixture, int fd, const char *calibrator)
{
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
	fixture_start(fixture, calibrator, "");
	return fixture_connect(fixture, true);
}

static void a_choice_is_found_after_a_restart_but_not_by_another_driver(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true);
	ask_of("gemm", "Fake beta");
	finds_none(fd);
	keeps(fd);
	finds(fd);
	asked.choice.device = (char *)(uintptr_t)"1"; /* by another name */
	finds(fd);
	asked.choice.device = (char *)(uintptr_t)"0";
	finds_none(fd);
	fd = restart(fixture, fd, "well");
	asked.choice.device = (char *)(uintptr_t)"Fake beta";
	finds(fd);
	fd = restart(fixture, fd, "updated");
	finds_none(fd);
	fd = restart(fixture, fd, "well"); /* the driver of before */
	finds(fd);
	close(fd);
}

/* Runs `what` as another user; skipped where that cannot be. */
static void as_nobody(const struct fixture *fixture, void (*what)(int fd))
{
	if (getuid() != 0)
		skip();
	assert_int_equal(chmod(fixture->directory, 0711), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
			_exit(1);
		what(fixture_connect(fixture, true));
		_exit(0);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

#define EXIT_UNLESS(condition)                                                                     \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			(void)fprintf(stderr, "# %s\n", #condition);                               \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)

static void look_for_anothers(int fd)
{
	Predictd__Response *response = send_find(fd);
	EXIT_UNLESS(response->body_case == PREDICTD__RESPONSE__BODY_ERROR);
	EXIT_UNLESS(response->error->status == STATUS_NOT_FOUND);
	asked.keep.configuration = 13;
	response = send_keep(fd);
	EXIT_UNLESS(response->body_case == PREDICTD__RESPONSE__BODY_KEEP_CHOICE);
	response = send_find(fd);
	EXIT_UNLESS(response->body_case == PREDICTD__RESPONSE__BODY_FIND_CHOICE);
	EXIT_UNLESS(response->find_choice->configuration == 13);
	asked.request.body_case = PREDICTD__REQUEST__BODY_FORGET;
	asked.request.forget = &asked.forget;
	response = fixture_ask(fd, &asked.request);
	EXIT_UNLESS(response->body_case == PREDICTD__RESPONSE__BODY_FORGET);
	response = send_find(fd);
	EXIT_UNLESS(response->body_case == PREDICTD__RESPONSE__BODY_ERROR);
	asked.forget.has_uid = true; /* root's */
	response = fixture_ask(fd, &asked.request);
	EXIT_UNLESS(response->body_case == PREDICTD__RESPONSE__BODY_ERROR);
}

static void a_user_has_his_own_alone(void **state)
{
	fixture_start(*state, "well", open_to_all);
	int fd = fixture_connect(*state, true);
	ask_of("gemm", "0");
	keeps(fd);
	as_nobody(*state, look_for_anothers);
	ask_of("gemm", "0");
	finds(fd);
	close(fd);
}

static void forgetting_takes_them_where_no_kernel_is_named(void **state)
{
	fixture_start(*state, "well", "");
	int fd = fixture_connect(*state, true);
	fixture_calibrate_well(fd);
	uint64_t handle = fixture_register_well(fd, "kernels a");
	ask_of("gemm", "0");
	keeps(fd);
	asked.choice.device = (char *)(uintptr_t)"1";
	keeps(fd);
	asked.forget.handle = handle;
	forgets(fd);
	finds(fd);
	asked.forget.handle = 0;
	asked.forget.age_s = 1e6; /* only what is older */
	forgets(fd);
	finds(fd);
	asked.forget.age_s = 0;
	asked.forget.device = (char *)(uintptr_t)"0";
	forgets(fd);
	finds(fd);
	asked.choice.device = (char *)(uintptr_t)"0";
	finds_none(fd);
	asked.forget.device = (char *)(uintptr_t)"";
	forgets(fd);
	asked.choice.device = (char *)(uintptr_t)"1";
	finds_none(fd);
	close(fd);
}

static void what_is_none_is_refused(void **state)
{
	static char name[129];
	static const double times_s[] = {0, -1, (double)NAN, (double)INFINITY};
	fixture_start(*state, "well", "");
	int fd = fixture_connect(*state, true);
	ask_of("", "");
	assert_refused(send_find(fd), STATUS_INVALID, "a name of 1 to 127 bytes");
	memset(name, 'n', 128);
	asked.choice.name = name;
	assert_refused(send_find(fd), STATUS_INVALID, "got 128 bytes");
	name[127] = '\0';
	finds_none(fd);
	asked.choice.space.len = 15;
	assert_refused(send_find(fd), STATUS_INVALID, "a space of 16 bytes, got 15");
	asked.choice.space.len = 16;
	asked.choice.n_sizes = 17;
	assert_refused(send_keep(fd), STATUS_INVALID, "at most 16 sizes, got 17");
	asked.choice.n_sizes = 16;
	asked.choice.device = (char *)(uintptr_t)"Nowhere";
	assert_refused(send_keep(fd), STATUS_NOT_FOUND, "Nowhere");
	asked.choice.device = (char *)(uintptr_t)"";
	for (size_t i = 0; i < sizeof times_s / sizeof times_s[0]; i++) {
		asked.keep.time_s = times_s[i];
		assert_refused(send_keep(fd), STATUS_INVALID, "positive number of seconds");
	}
	asked.keep.choice = asked.find.choice = NULL;
	asked.keep.time_s = 1;
	assert_refused(send_keep(fd), STATUS_INVALID, "want one, got none");
	assert_refused(send_find(fd), STATUS_INVALID, "want one, got none");
	close(fd);
}

#define CHOICE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        CHOICE_TEST(a_choice_is_found_after_a_restart_but_not_by_another_driver),
	        CHOICE_TEST(a_user_has_his_own_alone),
	        CHOICE_TEST(forgetting_takes_them_where_no_kernel_is_named),
	        CHOICE_TEST(what_is_none_is_refused),
	};
	return cmocka_run_group_tests_name("choices", tests, NULL, NULL);
}
