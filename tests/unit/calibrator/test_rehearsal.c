/* SPDX-License-Identifier: Apache-2.0 */
/* Processes of a rehearsal: this program anew, with --rehearse, does what REHEARSED says. */
#include "tests/test.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/calibrator/opencl.h"
#include "daemon/calibrator/rehearsal.h"

enum { NUMBERS_MAX = 4096 };

/* What a process writes is for one read of the tests. */
struct word {
	uint16_t number;
	int16_t is_quick;
	char device[4];
};

static char path[] = "/tmp/predictd-rehearsal-XXXXXX";

/* ---- the process ---------------------------------------------------------------------------- */

static int rehearse(int argc, char **argv)
{
	const char *what = getenv("REHEARSED");
	struct word word = {.is_quick = argc > 4 && strcmp(argv[4], "--quick") == 0};
	int fd = open(path, O_WRONLY | O_APPEND);
	if (what == NULL || fd < 0 || argc < 4 || strcmp(argv[2], "--device") != 0)
		return 1;
	(void)snprintf(word.device, sizeof word.device, "%s", argv[3]);
	while (strcmp(what, "hang") == 0)
		(void)pause();
	while (read(STDIN_FILENO, &word.number, sizeof word.number) == sizeof word.number)
		if (write(fd, &word, sizeof word) != sizeof word)
			return 1;
	return 0;
}

/* ---- tests ---------------------------------------------------------------------------------- */

static enum status go_on(void *context, struct error *error)
{
	(void)error;
	++*(unsigned *)context;
	return STATUS_OK;
}

static enum status refuse(void *context, struct error *error)
{
	(void)context;
	return error_set(error, STATUS_CANCELLED, "nobody listens");
}

static void assert_no_child(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void every_number_is_drawn_once(void **state)
{
	static struct word words[NUMBERS_MAX];
	static bool is_drawn[NUMBERS_MAX];
	struct error error = {0};
	unsigned ticks = 0;
	(void)state;
	setenv("REHEARSED", "draw", 1);
	assert_int_equal(rehearsal_run(3, true, clock_now_s() + 60, go_on, &ticks, &error),
	                 STATUS_OK);
	assert_no_child();
	int fd = open(path, O_RDONLY);
	ssize_t bytes = read(fd, words, sizeof words);
	close(fd);
	assert_true(bytes > 0);
	size_t count = (size_t)bytes / sizeof *words;
	for (size_t i = 0; i < count; i++) {
		assert_true(words[i].number < count && !is_drawn[words[i].number]);
		is_drawn[words[i].number] = true;
		assert_true(words[i].is_quick);
		assert_string_equal(words[i].device, "3");
	}
}

static void processes_that_hang_are_ended(void **state)
{
	struct error error = {0};
	unsigned ticks = 0;
	(void)state;
	setenv("REHEARSED", "hang", 1);
	assert_int_equal(rehearsal_run(0, false, clock_now_s() + 0.2, go_on, &ticks, &error),
	                 STATUS_OK);
	assert_no_child();
	assert_true(ticks > 0);
}

static void nobody_who_listens_ends_them(void **state)
{
	struct error error = {0};
	(void)state;
	setenv("REHEARSED", "hang", 1);
	assert_int_equal(rehearsal_run(0, false, clock_now_s() + 60, refuse, NULL, &error),
	                 STATUS_CANCELLED);
	assert_string_equal(error.text, "nobody listens");
	assert_no_child();
}

static void processes_that_fail_are_no_error(void **state)
{
	struct error error = {0};
	unsigned ticks = 0;
	(void)state;
	unsetenv("REHEARSED");
	assert_int_equal(rehearsal_run(0, false, clock_now_s() + 60, go_on, &ticks, &error),
	                 STATUS_OK);
	assert_no_child();
}

static void only_drivers_that_keep_what_they_compile_are_worth_it(void **state)
{
	static struct device device = {.type = DEVICE_CPU,
	                               .platform = "Portable Computing Language"};
	(void)state;
	unsetenv("POCL_KERNEL_CACHE");
	assert_true(rehearsal_is_worth(&device));
	setenv("POCL_KERNEL_CACHE", "0", 1);
	assert_false(rehearsal_is_worth(&device));
	setenv("POCL_KERNEL_CACHE", "1", 1);
	assert_true(rehearsal_is_worth(&device));
	device.type = DEVICE_GPU;
	assert_false(rehearsal_is_worth(&device));
	device.type = DEVICE_CPU;
	(void)snprintf(device.platform, sizeof device.platform, "NVIDIA CUDA");
	assert_false(rehearsal_is_worth(&device));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_number_is_drawn_once),
	        cmocka_unit_test(processes_that_hang_are_ended),
	        cmocka_unit_test(nobody_who_listens_ends_them),
	        cmocka_unit_test(processes_that_fail_are_no_error),
	        cmocka_unit_test(only_drivers_that_keep_what_they_compile_are_worth_it),
	};
	if (argc > 1 && strcmp(argv[1], "--rehearse") == 0) {
		const char *file = getenv("REHEARSED_PATH");
		(void)snprintf(path, sizeof path, "%s", file != NULL ? file : "");
		return rehearse(argc, argv);
	}
	int fd = mkstemp(path);
	if (fd < 0)
		return 1;
	close(fd);
	setenv("REHEARSED_PATH", path, 1);
	int failed = cmocka_run_group_tests_name("rehearsal", tests, NULL, NULL);
	(void)unlink(path);
	return failed;
}
