/* SPDX-License-Identifier: Apache-2.0 */
/* The listening socket: made, shared with nobody, replaced when its daemon is gone. */
#include "tests/test.h"

#include "daemon/listener.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[64], path[96], lock_file[112];
static struct config config;

static int setup(void **state)
{
	(void)state;
	strcpy(directory, "/tmp/predictd-listener-XXXXXX");
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof path, "%s/socket", directory);
	snprintf(lock_file, sizeof lock_file, "%s.lock", path);
	config_init(&config);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	(void)unlink(path);
	(void)unlink(lock_file);
	return rmdir(directory);
}

static enum status open_one(int *fd, int *lock, struct error *error)
{
	unsigned count;
	return listener_open(path, &config, fd, 1, &count, lock, error);
}

static void a_socket_belongs_to_one_daemon_before_it_listens(void **state)
{
	(void)state;
	int fd, lock, second, second_lock;
	struct error error;
	assert_int_equal(open_one(&fd, &lock, &error), STATUS_OK);
	assert_int_equal(open_one(&second, &second_lock, &error), STATUS_BUSY);
	assert_non_null(strstr(error.text, "another predictd"));
	/* one that was killed leaves its file behind */
	close(fd);
	close(lock);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(open_one(&fd, &lock, &error), STATUS_OK);
	close(fd);
	close(lock);
}

static void a_socket_has_the_mode_of_the_configuration(void **state)
{
	(void)state;
	int fd, lock;
	struct error error;
	struct stat there;
	config.socket_mode = 0606;
	assert_int_equal(open_one(&fd, &lock, &error), STATUS_OK);
	assert_int_equal(stat(path, &there), 0);
	assert_int_equal(there.st_mode & 07777, 0606);
	close(fd);
	close(lock);
}

static void what_is_no_socket_is_left_alone(void **state)
{
	(void)state;
	int fd, lock;
	struct error error;
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(open_one(&fd, &lock, &error), STATUS_IO);
	assert_non_null(strstr(error.text, "no socket"));
	assert_int_equal(lock, -1);
	assert_int_equal(access(path, F_OK), 0);
}

static void a_path_that_no_socket_can_have_is_refused(void **state)
{
	(void)state;
	char longer[200];
	int fd, lock;
	unsigned count;
	struct error error;
	snprintf(longer, sizeof longer, "%s/%0*d", directory, 100, 1);
	assert_int_equal(listener_open(longer, &config, &fd, 1, &count, &lock, &error),
	                 STATUS_INVALID);
	assert_non_null(strstr(error.text, "at most 107 bytes"));
	assert_int_equal(listener_open("", &config, &fd, 1, &count, &lock, &error), STATUS_INVALID);
	assert_non_null(strstr(error.text, "--socket"));
}

#define LISTENER_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        LISTENER_TEST(a_socket_belongs_to_one_daemon_before_it_listens),
	        LISTENER_TEST(a_socket_has_the_mode_of_the_configuration),
	        LISTENER_TEST(what_is_no_socket_is_left_alone),
	        LISTENER_TEST(a_path_that_no_socket_can_have_is_refused),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("listener", tests, NULL, NULL);
}
