/* SPDX-License-Identifier: Apache-2.0 */
/* The listening socket: made, shared with nobody, replaced when its daemon is gone. */
#include "tests/test.h"

#include "daemon/serve/listener.h"

#include <grp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static char directory[64], path[96], lock_file[112];
static struct config config;
static int metrics;

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
	return listener_open(path, &config, fd, 1, &count, lock, &metrics, error);
}

static void a_socket_belongs_to_one_daemon_before_it_listens(void **state)
{
	(void)state;
	int fd, lock, second, second_lock;
	struct error error;
	assert_int_equal(open_one(&fd, &lock, &error), STATUS_OK);
	assert_int_equal(open_one(&second, &second_lock, &error), STATUS_BUSY);
	assert_non_null(strstr(error.text, "another predictd has it; end it, or use --socket"));
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

static void its_folder_is_there_for_who_may_ask_whatever_the_umask(void **state)
{
	(void)state;
	char folder[96], inside[112], beside[128];
	int fd, lock;
	unsigned count;
	struct error error;
	struct stat there;
	(void)snprintf(folder, sizeof folder, "%s/made", directory);
	(void)snprintf(inside, sizeof inside, "%s/socket", folder);
	(void)snprintf(beside, sizeof beside, "%s.lock", inside);
	mode_t before = umask(0777);
	enum status status =
	        listener_open(inside, &config, &fd, 1, &count, &lock, &metrics, &error);
	(void)umask(before);
	assert_int_equal(status, STATUS_OK);
	assert_int_equal(stat(folder, &there), 0);
	assert_int_equal(there.st_mode & 07777, geteuid() == 0 ? 0755 : 0700);
	assert_int_equal(stat(inside, &there), 0);
	assert_int_equal(there.st_mode & 07777, config.socket_mode);
	close(fd);
	close(lock);
	assert_int_equal(unlink(inside), 0);
	assert_int_equal(unlink(beside), 0);
	assert_int_equal(rmdir(folder), 0);
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
	assert_int_equal(listener_open(longer, &config, &fd, 1, &count, &lock, &metrics, &error),
	                 STATUS_INVALID);
	assert_non_null(strstr(error.text, "at most 107 bytes"));
	assert_int_equal(listener_open("", &config, &fd, 1, &count, &lock, &metrics, &error),
	                 STATUS_INVALID);
	assert_non_null(strstr(error.text, "--socket"));
}

static void a_socket_has_the_group_of_the_configuration(void **state)
{
	(void)state;
	int fd, lock;
	struct error error;
	struct stat there;
	const struct group *group = getgrgid(getegid());
	assert_non_null(group);
	snprintf(config.socket_group, sizeof config.socket_group, "%s", group->gr_name);
	assert_int_equal(open_one(&fd, &lock, &error), STATUS_OK);
	assert_int_equal(stat(path, &there), 0);
	assert_int_equal(there.st_gid, getegid());
	close(fd);
	close(lock);
	/* one that nobody has: the path is free again */
	strcpy(config.socket_group, "no-such-group");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(open_one(&fd, &lock, &error), STATUS_INVALID);
	assert_non_null(strstr(error.text, "no group \"no-such-group\""));
	assert_int_equal(lock, -1);
	assert_int_not_equal(access(path, F_OK), 0);
}

static void one_that_answers_without_a_lock_is_not_replaced(void **state)
{
	(void)state;
	int fd, lock, second;
	struct error error;
	assert_int_equal(open_one(&fd, &lock, &error), STATUS_OK);
	assert_int_equal(listen(fd, 1), 0);
	close(lock);
	assert_int_equal(open_one(&second, &lock, &error), STATUS_BUSY);
	assert_non_null(strstr(error.text, "another predictd answers"));
	close(fd);
}

static void a_folder_that_cannot_be_made_is_named(void **state)
{
	(void)state;
	int fd, lock;
	unsigned count;
	struct error error;
	assert_int_equal(
	        listener_open("/proc/predictd/s", &config, &fd, 1, &count, &lock, &metrics, &error),
	        STATUS_IO);
	assert_non_null(strstr(error.text, "/proc/predictd"));
	/* a folder has the lock's name */
	assert_int_equal(mkdir(lock_file, 0700), 0);
	assert_int_equal(open_one(&fd, &lock, &error), STATUS_IO);
	assert_non_null(strstr(error.text, ".lock"));
	assert_int_equal(rmdir(lock_file), 0);
}

/* In a child, whose descriptors from the third on are what systemd passes. */
static int passed_to_child(const char *count_of_fds, bool is_listening, const char *part)
{
	fflush(NULL);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		char own[16];
		struct error error = {.text = ""};
		unsigned count = 0;
		int fds[2], lock;
		struct sockaddr_un address = {.sun_family = AF_UNIX};
		int fd = socket(AF_UNIX, is_listening ? SOCK_STREAM : SOCK_DGRAM, 0);
		strcpy(address.sun_path, path);
		if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
		    (is_listening && listen(fd, 1) != 0) || dup2(fd, 3) != 3 || dup2(fd, 4) != 4 ||
		    dup2(fd, 5) != 5)
			_exit(9);
		snprintf(own, sizeof own, "%d", (int)getpid());
		setenv("LISTEN_PID", own, 1);
		setenv("LISTEN_FDS", count_of_fds, 1);
		enum status status =
		        listener_open("unused", &config, fds, 2, &count, &lock, &metrics, &error);
		if (part != NULL && strcmp(part, "5") == 0)
			_exit(status != STATUS_OK || count != 2 || fds[0] != 3 || fds[1] != 5 ||
			      metrics != 4);
		if (part == NULL)
			_exit(status != STATUS_OK || count != 1 || fds[0] != 3 || lock != -1 ||
			      metrics != -1);
		_exit(status != STATUS_INVALID || strstr(error.text, part) == NULL);
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	(void)unlink(path);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void sockets_that_systemd_passes_are_taken_if_they_listen(void **state)
{
	(void)state;
	assert_int_equal(passed_to_child("1", true, NULL), 0);
	assert_int_equal(passed_to_child("1", false, "want a listening Unix stream socket"), 0);
	assert_int_equal(passed_to_child("3", true, "want at most 2 sockets passed, got 3"), 0);
	assert_int_equal(passed_to_child("many", true, "LISTEN_FDS"), 0);
}

static void a_socket_of_that_name_is_for_metrics(void **state)
{
	(void)state;
	setenv("LISTEN_FDNAMES", "predictd.socket:metrics:connection", 1);
	assert_int_equal(passed_to_child("3", true, "5"), 0);
	unsetenv("LISTEN_FDNAMES");
}

#define LISTENER_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        LISTENER_TEST(a_socket_belongs_to_one_daemon_before_it_listens),
	        LISTENER_TEST(a_socket_has_the_mode_of_the_configuration),
	        LISTENER_TEST(its_folder_is_there_for_who_may_ask_whatever_the_umask),
	        LISTENER_TEST(what_is_no_socket_is_left_alone),
	        LISTENER_TEST(a_path_that_no_socket_can_have_is_refused),
	        LISTENER_TEST(a_socket_has_the_group_of_the_configuration),
	        LISTENER_TEST(one_that_answers_without_a_lock_is_not_replaced),
	        LISTENER_TEST(a_folder_that_cannot_be_made_is_named),
	        LISTENER_TEST(sockets_that_systemd_passes_are_taken_if_they_listen),
	        LISTENER_TEST(a_socket_of_that_name_is_for_metrics),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("listener", tests, NULL, NULL);
}
