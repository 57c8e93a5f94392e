/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs with the layer do and print what they do without it; and what it is told of them by a
 * knowledge of the test's own (told.c).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/folder.h"

enum { PATIENCE_MS = 60000, TEXT_BYTES = 1 << 20 };

static char folder[] = "/tmp/layer-XXXXXX";
static char told[TEXT_BYTES], printed[TEXT_BYTES];

/* All that a file has, behind what the text has already. */
static void append_file(char *text, const char *path)
{
	const size_t length = strlen(text);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	const size_t got = fread(text + length, 1, TEXT_BYTES - length - 1, file);
	text[length + got] = '\0';
	(void)fclose(file);
}

/* What its processes told, one behind the other; the files are gone then. */
static size_t take_told(void)
{
	char pattern[256];
	glob_t found;
	told[0] = '\0';
	(void)snprintf(pattern, sizeof pattern, "%s/told.*", folder);
	if (glob(pattern, 0, NULL, &found) != 0)
		return 0;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		append_file(told, found.gl_pathv[i]);
		assert_int_equal(unlink(found.gl_pathv[i]), 0);
	}
	const size_t count = found.gl_pathc;
	globfree(&found);
	return count;
}

static void child_of_test(char *const words[], const char *layer, int output)
{
	char path[256];
	(void)dup2(output, 1);
	(void)dup2(output, 2);
	(void)snprintf(path, sizeof path, "%s/told", folder);
	(void)setenv("TOLD", path, 1);
	(void)setenv("XDG_CACHE_HOME", folder, 1);
	if (layer != NULL)
		(void)setenv("OPENCL_LAYERS", layer, 1);
	else
		(void)unsetenv("OPENCL_LAYERS");
	/* what a driver leaks would end programs that fail with another status each time */
	(void)setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
	(void)execv(words[0], words);
	_exit(127);
}

/* Runs the program; what it prints is in `printed`. Returns its wait status. */
static int run(const char *layer, const char *way, const char *word, const char *another)
{
	const char *program = strcmp(way, "loads") == 0 ? "LAYER_LOADS" : "LAYER_PROGRAM";
	char *words[] = {getenv(program), (char *)(uintptr_t)way, (char *)(uintptr_t)word,
	                 (char *)(uintptr_t)another, NULL};
	int ends[2], status = -1;
	size_t length = 0;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	const pid_t child = fork();
	if (child == 0)
		child_of_test(words, layer, ends[1]);
	assert_true(child > 0);
	(void)close(ends[1]);
	struct pollfd poll_fd = {ends[0], POLLIN, 0};
	while (length < TEXT_BYTES - 1 && poll(&poll_fd, 1, PATIENCE_MS) == 1) {
		const ssize_t got = read(ends[0], printed + length, TEXT_BYTES - 1 - length);
		if (got <= 0)
			break;
		length += (size_t)got;
	}
	printed[length] = '\0';
	(void)close(ends[0]);
	if ((poll_fd.revents & (POLLIN | POLLHUP)) == 0)
		(void)kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

/* With the layer as without it: output and status. What it was told is in `told`. */
static size_t run_same(const char *way, const char *word)
{
	static char alone[TEXT_BYTES];
	const int status = run(NULL, way, word, NULL);
	(void)strcpy(alone, printed);
	assert_string_not_equal(alone, "no such way");
	assert_int_equal(run(getenv("LAYER_TOLD"), way, word, NULL), status);
	assert_string_equal(printed, alone);
	return take_told();
}

static size_t count_of(const char *text)
{
	size_t count = 0;
	for (const char *at = strstr(told, text); at != NULL; at = strstr(at + 1, text))
		count++;
	return count;
}

#define assert_told(text)                                                                          \
	do {                                                                                       \
		if (strstr(told, text) == NULL)                                                    \
			fail_msg("want '%s' in:\n%.4000s", text, told);                            \
	} while (0)

/* ---- what a program sees ------------------------------------------------------------------- */

static void profile_is_switched_on_and_hidden(void **state)
{
	(void)state;
	(void)run_same("queues", NULL);
	assert_int_equal(count_of("launch"), 7);
	assert_int_equal(count_of("timed"), 7);
}

static void errors_are_the_drivers_own(void **state)
{
	(void)state;
	(void)run_same("errors", NULL);
	assert_int_equal(count_of("launch"), 0);
	assert_told("close lost 0 shapeless 0 transfers 0");
}

static void layer_that_is_off_follows_nothing(void **state)
{
	(void)state;
	assert_int_equal(setenv("PREDICTD_LAYER", "off", 1), 0);
	assert_int_equal(run_same("queues", NULL), 0);
	assert_int_equal(unsetenv("PREDICTD_LAYER"), 0);
}

static void knowledge_that_cannot_be_opened_is_told_nothing(void **state)
{
	static const char *const ways[] = {"threads", "kernel", "fork"};
	(void)state;
	assert_int_equal(setenv("TOLD_REFUSES", "yes", 1), 0);
	for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
		(void)run_same(ways[i], NULL);
		assert_string_equal(told, "open 2\n");
	}
	assert_int_equal(unsetenv("TOLD_REFUSES"), 0);
}

static void layer_of_times_keeps_no_source(void **state)
{
	(void)state;
	assert_int_equal(setenv("PREDICTD_LAYER", "times", 1), 0);
	(void)run_same("samples", NULL);
	assert_int_equal(unsetenv("PREDICTD_LAYER"), 0);
	assert_told("open 1\n");
	assert_told("shape 0 reads binary");
	assert_int_equal(count_of("sampled"), 0);
}

static void layer_that_is_installed_changes_nothing(void **state)
{
	static char alone[TEXT_BYTES];
	static const char *const ways[] = {"queues", "errors", "arguments", "builds", "use"};
	(void)state;
	for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
		const int status = run(NULL, ways[i], NULL, NULL);
		(void)strcpy(alone, printed);
		assert_int_equal(run(getenv("LAYER"), ways[i], NULL, NULL), status);
		assert_string_equal(printed, alone);
	}
}

/* ---- what is told -------------------------------------------------------------------------- */

static void arguments_are_told_by_kind_and_size(void **state)
{
	(void)state;
	(void)run_same("arguments", NULL);
	assert_told("every source '' headers 0 dimensions 2 global 8,4,0 local 4,2,0 offset 3,1,0:"
	            " buffer:1024 buffer:65536 local:48 value:40 image:128:8x4x0:rgba8"
	            " sampler:0:linear value:8 null:0\n");
	assert_told("dimensions 1 global 1,0,0 local 1,0,0"); /* clEnqueueTask */
	if (strstr(printed, "clone 1") != NULL)
		assert_told("offset 0,0,0: buffer:1024 buffer:65536 local:96");
	if (strstr(printed, "svm 1") != NULL)
		assert_told("pointer:4096");
}

static void failed_launch_is_told_so(void **state)
{
	(void)state;
	(void)run_same("failing", NULL);
	assert_told("launch 0 first failed\n");
}

static void address_that_comes_up_again_is_another_object(void **state)
{
	(void)state;
	(void)run_same("reuse", NULL);
	assert_int_equal(count_of("shape "), 40);
	for (int i = 0; i < 40; i++) {
		char line[256];
		(void)snprintf(line, sizeof line,
		               "kernel%d source '' headers 0 dimensions 1 global 1,0,0 local 0,0,0 "
		               "offset 0,0,0: buffer:%d value:4:%d\n",
		               i, (i + 1) * 64, i);
		assert_told(line);
	}
}

static void program_is_its_source_options_and_headers(void **state)
{
	(void)state;
	(void)run_same("builds", NULL);
	assert_told("k source '-DN=1' headers 0");
	assert_told("k source '-DN=2' headers 0");
	assert_told("k1 source '-DM=1' headers 1");
	assert_told("k2 source '-DM=2' headers 0");
	assert_int_equal(count_of("shape "), 5);
}

static void binary_is_traced_to_its_source_by_another_process(void **state)
{
	char path[256];
	(void)state;
	(void)snprintf(path, sizeof path, "%s/binary", folder);
	assert_int_equal(run(getenv("LAYER_TOLD"), "binary", path, "write"), 0);
	(void)take_told();
	assert_int_equal(run(getenv("LAYER_TOLD"), "binary", path, "read"), 0);
	(void)take_told();
	assert_told("add source '-DBINARY=1'");
}

/* Each file of the cache is cut in half, then filled with other bytes. */
static void file_of_a_binary_that_is_torn_is_ignored(void **state)
{
	char path[256], pattern[256];
	struct stat info;
	glob_t found;
	(void)state;
	(void)snprintf(path, sizeof path, "%s/binary", folder);
	(void)snprintf(pattern, sizeof pattern, "%s/predictd/binaries/*", folder);
	assert_int_equal(run(getenv("LAYER_TOLD"), "binary", path, "write"), 0);
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	assert_int_equal(found.gl_pathc, 1);
	assert_int_equal(stat(found.gl_pathv[0], &info), 0);
	assert_int_equal(info.st_mode & 0777, 0600);
	assert_int_equal(truncate(found.gl_pathv[0], info.st_size / 2), 0);
	(void)take_told();
	assert_int_equal(run(getenv("LAYER_TOLD"), "binary", path, "read"), 0);
	(void)take_told();
	assert_told("add binary ''");
	assert_int_equal(unlink(found.gl_pathv[0]), 0);
	assert_int_equal(mkfifo(found.gl_pathv[0], 0600), 0); /* nobody writes: it must not wait */
	assert_int_equal(run(getenv("LAYER_TOLD"), "binary", path, "read"), 0);
	(void)take_told();
	assert_told("add binary ''");
	assert_int_equal(unlink(found.gl_pathv[0]), 0);
	globfree(&found);
}

/* What kernels may write is known from the driver, or from the text. */
static void buffer_is_known_until_a_kernel_writes_it(void **state)
{
	static const char *const launches[] = {"0 ", "0 ", "1 ", "2 ", "3 ", "4 ", "2 ", "5 "};
	static const char *const options[] = {"", "-cl-kernel-arg-info"};
	(void)state;
	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
		const char *at = told;
		(void)run_same("samples", options[i]);
		for (size_t j = 0; j < sizeof launches / sizeof launches[0]; j++) {
			at = strstr(at, "\nlaunch ");
			assert_non_null(at);
			at += strlen("\nlaunch ");
			assert_memory_equal(at, launches[j], 2);
		}
		assert_told("offset 0,0,0: buffer:16384:sampled buffer:64\n");
		assert_told("offset 0,0,0: buffer:16384 buffer:64\n");
		assert_int_equal(count_of("sampled"), 5);
	}
}

static void samples_have_a_budget(void **state)
{
	(void)state;
	assert_int_equal(setenv("PREDICTD_LAYER_SAMPLE_S", "0", 1), 0);
	(void)run_same("samples", NULL);
	assert_int_equal(unsetenv("PREDICTD_LAYER_SAMPLE_S"), 0);
	assert_int_equal(count_of("sampled"), 0);
	assert_int_equal(count_of("shape "), 2);
}

static void values_without_end_are_one_shape_in_the_end(void **state)
{
	(void)state;
	(void)run_same("steps", "1000");
	assert_int_equal(count_of("shape "), 256);
	assert_int_equal(count_of(" near"), 1000 - 256);
	assert_told("launch 255 timed near\n");
}

static void launches_beyond_the_bound_are_counted(void **state)
{
	unsigned long long lost = 0;
	(void)state;
	(void)run_same("flood", "17000");
	const char *line = strstr(told, "close lost ");
	assert_non_null(line);
	assert_int_equal(sscanf(line, "close lost %llu", &lost), 1);
	assert_true(lost >= 17000 - 16384);
	assert_int_equal(count_of("launch ") + lost, 17000);
}

static void threads_do_not_disturb_one_another(void **state)
{
	(void)state;
	(void)run_same("threads", NULL);
	assert_int_equal(count_of("shape "), 10);
	assert_int_equal(count_of("launch "), 2000);
	assert_int_equal(count_of(" first"), 10);
	assert_told("close lost 0 shapeless 0 transfers 0");
}

static void part_of_a_device_has_no_key(void **state)
{
	(void)state;
	(void)run_same("part", NULL);
	if (strstr(printed, "parts 0") == NULL)
		skip();
	assert_int_equal(count_of("launch 0 timed"), 3);
	assert_told("transfer read 4 blocking timed keyless");
}

/* ---- what is seldom done ------------------------------------------------------------------ */

static void program_may_unload_the_loader(void **state)
{
	(void)state;
	(void)run_same("loads", NULL);
	assert_string_equal(printed, "written 0\nunloaded 0\ndone\n");
	assert_int_equal(count_of("transfer write 4 timed"), 100);
}

static void address_of_a_queue_that_is_gone_hides_no_profile(void **state)
{
	(void)state;
	(void)run_same("gone", NULL);
	assert_string_equal(printed, "");
	assert_int_equal(count_of("launch 0 timed"), 100);
}

static void sources_that_are_too_many_to_keep_are_passed_through(void **state)
{
	(void)state;
	assert_int_equal(WIFEXITED(run(getenv("LAYER_TOLD"), "big", NULL, NULL)), 1);
	assert_string_equal(printed, "");
	(void)take_told();
	assert_told("nothing source '-DA=1'");
	assert_told("nothing source '-DA=2'");
	assert_told("close lost 0 shapeless 1 ");
}

static void launches_that_wait_do_not_hide_others(void **state)
{
	(void)state;
	(void)run_same("unordered", NULL);
	assert_int_equal(count_of("launch 0 timed"), 500);
}

/* The buffer is known for the one launch before, and for none behind. */
static void buffer_that_changes_otherwise_is_not_known(void **state)
{
	static const char *const ways[] = {"native", "image-of-buffer"};
	(void)state;
	for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
		(void)run_same(ways[i], NULL);
		if (strstr(printed, " -") != NULL) /* the driver cannot */
			continue;
		assert_told("buffer:16384:sampled buffer:64\n");
		assert_told("buffer:16384 buffer:64\n");
	}
}

static void shared_memory_is_followed_as_it_comes_and_goes(void **state)
{
	(void)state;
	(void)run_same("svm", NULL);
	if (strstr(printed, "svm 1") == NULL)
		skip();
	assert_int_equal(count_of("shape "), 7);
	for (int i = 1; i <= 7; i++) {
		char size[32];
		(void)snprintf(size, sizeof size, " pointer:%d\n", i * 4096 - 1024);
		assert_told(size);
	}
}

static void each_of_two_devices_has_its_options(void **state)
{
	(void)state;
	assert_int_equal(setenv("POCL_DEVICES", "pthread basic", 1), 0);
	(void)run_same("devices", NULL);
	assert_int_equal(unsetenv("POCL_DEVICES"), 0);
	if (strstr(printed, "devices 2") == NULL)
		skip();
	assert_told("k source '-DN=1'");
	assert_told("k source '-DN=2'");
	assert_int_equal(count_of("shape "), 2);
}

static void threads_may_share_a_queue(void **state)
{
	(void)state;
	(void)run_same("one-queue", NULL);
	assert_int_equal(count_of("launch 0"), 2000);
	assert_int_equal(count_of(" first"), 1);
	assert_told("close lost 0 shapeless 0 transfers 0");
}

static void what_is_released_early_is_told_all_the_same(void **state)
{
	(void)state;
	(void)run_same("released", NULL);
	assert_int_equal(count_of("launch 0 timed"), 300);
	assert_int_equal(count_of("shape "), 1);
}

static void events_that_are_never_released_are_told(void **state)
{
	(void)state;
	(void)run_same("leaked", "3000");
	assert_int_equal(count_of("launch 0 timed"), 3000);
}

static void end_of_any_kind_is_the_programs_own(void **state)
{
	static const char *const ways[] = {"_exit", "quick_exit", "abort", "kill", "exec"};
	(void)state;
	for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
		(void)run_same("ends", ways[i]);
		assert_int_equal(count_of("launch 0 timed"), 5);
		assert_int_equal(count_of("close"), 0);
	}
}

/* One allocation of the layer's fails, or it and all behind it: the program does not notice. */
static void layer_without_memory_changes_nothing(void **state)
{
	static const char *const numbers[] = {"1", "2",  "3",  "4",  "5",  "7",
	                                      "9", "12", "16", "22", "30", "50"};
	static char alone[TEXT_BYTES];
	(void)state;
	const int status = run(NULL, "arguments", NULL, NULL);
	(void)strcpy(alone, printed);
	for (size_t i = 0; i < 2 * (sizeof numbers / sizeof numbers[0]); i++) {
		assert_int_equal(setenv("STARVED_AT", numbers[i / 2], 1), 0);
		if (i % 2 == 1)
			assert_int_equal(setenv("STARVED_ON", "yes", 1), 0);
		const int got = run(getenv("LAYER_STARVED"), "arguments", NULL, NULL);
		assert_int_equal(unsetenv("STARVED_AT"), 0);
		assert_int_equal(unsetenv("STARVED_ON"), 0);
		if (got != status || strcmp(printed, alone) != 0)
			fail_msg("allocation %s: status %d, want %d: %s", numbers[i / 2], got,
			         status, printed);
	}
}

/* ---- drivers that fail --------------------------------------------------------------------- */

/* The layer on top of one that fails: the loader takes the first of the list as the lowest. */
static int run_with_fault(const char *fault, const char *way)
{
	char layers[4096];
	assert_int_equal(setenv("FAULT", fault, 1), 0);
	(void)snprintf(layers, sizeof layers, "%s:%s", getenv("LAYER_FAULTY"),
	               getenv("LAYER_TOLD"));
	const int status = run(layers, way, NULL, NULL);
	assert_int_equal(unsetenv("FAULT"), 0);
	(void)take_told();
	return status;
}

static void driver_that_hangs_does_not_hold_up_the_exit(void **state)
{
	(void)state;
	assert_int_equal(run_with_fault("hang", "kernel"), 0);
	assert_told("open 2\n");
	assert_int_equal(count_of("launch"), 0);
	assert_told("close lost 0"); /* by the thread that exits */
}

static void driver_that_hangs_does_not_hold_up_a_fork(void **state)
{
	(void)state;
	assert_int_equal(run_with_fault("hang", "fork"), 0);
	assert_string_equal(printed, "sum 10\nchild 5\nchild 6\nchild 5\nchild 6\nsum 10\n");
}

static void queue_without_a_profile_is_followed_without_times(void **state)
{
	(void)state;
	assert_int_equal(run_with_fault("queue", "use"), 0);
	assert_string_equal(printed, "sum 5\n");
	assert_int_equal(count_of("launch 0"), 5);
	assert_int_equal(count_of(" timed"), 0);
	assert_int_equal(run_with_fault("times", "use"), 0);
	assert_string_equal(printed, "sum 5\n");
	assert_int_equal(count_of("launch 0"), 5);
	assert_int_equal(count_of(" timed"), 0);
}

static void launch_that_fails_gives_its_error(void **state)
{
	(void)state;
	assert_int_not_equal(run_with_fault("launch", "use"), 0);
	assert_non_null(strstr(printed, ": -5\n"));
	assert_int_equal(count_of("launch 0"), 0);
}

/* ---- ends ---------------------------------------------------------------------------------- */

static void exit_in_a_callback_ends_the_program(void **state)
{
	(void)state;
	(void)run_same("callback", NULL);
	assert_string_equal(printed, "exits\n");
	assert_told("close lost 0");
}

static void launches_under_way_at_exit_are_told(void **state)
{
	(void)state;
	(void)run_same("kernel", NULL);
	assert_int_equal(count_of("launch 0 timed"), 5);
	assert_told("close lost 0");
}

static void child_in_the_middle_tells_nothing(void **state)
{
	(void)state;
	assert_int_equal(run_same("fork", NULL), 1);
	assert_int_equal(count_of("launch 0 timed"), 20);
	assert_int_equal(count_of("close"), 1);
}

static void child_with_a_queue_tells_its_own(void **state)
{
	(void)state;
	assert_int_equal(run_same("fork-first", NULL), 2);
	assert_int_equal(count_of("launch 0 timed"), 15);
	assert_int_equal(count_of("close"), 2);
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
	(void)state;
	return folder_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(profile_is_switched_on_and_hidden),
	        cmocka_unit_test(errors_are_the_drivers_own),
	        cmocka_unit_test(layer_that_is_off_follows_nothing),
	        cmocka_unit_test(knowledge_that_cannot_be_opened_is_told_nothing),
	        cmocka_unit_test(layer_of_times_keeps_no_source),
	        cmocka_unit_test(layer_that_is_installed_changes_nothing),
	        cmocka_unit_test(arguments_are_told_by_kind_and_size),
	        cmocka_unit_test(failed_launch_is_told_so),
	        cmocka_unit_test(address_that_comes_up_again_is_another_object),
	        cmocka_unit_test(program_is_its_source_options_and_headers),
	        cmocka_unit_test(binary_is_traced_to_its_source_by_another_process),
	        cmocka_unit_test(file_of_a_binary_that_is_torn_is_ignored),
	        cmocka_unit_test(buffer_is_known_until_a_kernel_writes_it),
	        cmocka_unit_test(samples_have_a_budget),
	        cmocka_unit_test(values_without_end_are_one_shape_in_the_end),
	        cmocka_unit_test(launches_beyond_the_bound_are_counted),
	        cmocka_unit_test(threads_do_not_disturb_one_another),
	        cmocka_unit_test(part_of_a_device_has_no_key),
	        cmocka_unit_test(program_may_unload_the_loader),
	        cmocka_unit_test(address_of_a_queue_that_is_gone_hides_no_profile),
	        cmocka_unit_test(sources_that_are_too_many_to_keep_are_passed_through),
	        cmocka_unit_test(launches_that_wait_do_not_hide_others),
	        cmocka_unit_test(buffer_that_changes_otherwise_is_not_known),
	        cmocka_unit_test(shared_memory_is_followed_as_it_comes_and_goes),
	        cmocka_unit_test(each_of_two_devices_has_its_options),
	        cmocka_unit_test(threads_may_share_a_queue),
	        cmocka_unit_test(what_is_released_early_is_told_all_the_same),
	        cmocka_unit_test(events_that_are_never_released_are_told),
	        cmocka_unit_test(end_of_any_kind_is_the_programs_own),
	        cmocka_unit_test(layer_without_memory_changes_nothing),
	        cmocka_unit_test(driver_that_hangs_does_not_hold_up_the_exit),
	        cmocka_unit_test(driver_that_hangs_does_not_hold_up_a_fork),
	        cmocka_unit_test(queue_without_a_profile_is_followed_without_times),
	        cmocka_unit_test(launch_that_fails_gives_its_error),
	        cmocka_unit_test(exit_in_a_callback_ends_the_program),
	        cmocka_unit_test(launches_under_way_at_exit_are_told),
	        cmocka_unit_test(child_in_the_middle_tells_nothing),
	        cmocka_unit_test(child_with_a_queue_tells_its_own),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
