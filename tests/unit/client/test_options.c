/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines, whole. */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/predictctl/options.h"

enum { WORDS_MAX = 32 };

/* Parses "command word word"; the copy of the text lives until the test ends. */
static int parse(const char *line, struct options *options)
{
	static char copy[1024];
	static char *words[WORDS_MAX + 1];
	int count = 0;
	bool wants_help;
	assert_true(strlen(line) < sizeof copy);
	(void)strcpy(copy, line);
	for (char *at = strtok(copy, " "); at != NULL && count < WORDS_MAX; at = strtok(NULL, " "))
		words[count++] = at;
	words[count] = NULL;
	int command = command_find(words[0]);
	assert_true(command >= 0);
	int code = (int)options_parse((enum command)command, count, words, options, &wants_help);
	if (wants_help)
		code = 99;
	return code;
}

static void assert_code(const char *line, int want)
{
	struct options options;
	int code = (int)parse(line, &options);
	options_deinit(&options);
	if (code != want)
		fail_msg("%s: exit %d, want %d", line, code, want);
}

static void a_launch_is_read_from_the_command_line(void **state)
{
	(void)state;
	struct options options;
	assert_int_equal(
	        parse("predict dir:1/k.cl:sum --global 1K,2 --local 64,1 --arg buffer:4K:r "
	              "--arg int:3 --hint loop:4=9 --options -DX=1 --device 1 "
	              "--model pattern --explain=ir --transfers --json",
	              &options),
	        EXIT_DONE);
	assert_int_equal(options.cases_list.count, 1);
	const struct launch_case *one = &options.cases_list.cases[0];
	assert_string_equal(one->file, "dir:1/k.cl");
	assert_string_equal(one->kernel, "sum");
	assert_string_equal(one->options, "-DX=1");
	assert_int_equal(one->dimensions, 2);
	assert_int_equal(one->global[0], 1024);
	assert_int_equal(one->local[0], 64);
	assert_int_equal(one->argument_count, 2);
	assert_int_equal(one->hint_count, 1);
	assert_string_equal(options.device, "1");
	assert_int_equal(options.model, PREDICTD_PATTERN);
	assert_true(options.explain_ir && options.transfers && options.json);
	options_deinit(&options);
}

static void a_pause_has_a_unit_or_is_in_seconds(void **state)
{
	(void)state;
	static const struct {
		const char *line;
		double idle_s;
	} cases[] = {
	        {"predict x.cl --global 4", 0},
	        {"predict x.cl --global 4 --idle 0", 0},
	        {"predict x.cl --global 4 --idle 0.25", 0.25},
	        {"measure x.cl --global 4 --idle 2s", 2},
	        {"observe x.cl --global 4 --time-s 1 --idle 1.5ms", 1.5e-3},
	        {"place x.cl --global 4 --idle 10us", 1e-5},
	        {"history x.cl --global 4 --idle 500ns", 5e-7},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct options options;
		assert_int_equal(parse(cases[i].line, &options), EXIT_DONE);
		assert_close(options.cases_list.cases[0].idle_s, cases[i].idle_s, 1e-12);
		options_deinit(&options);
	}
}

static void a_pause_is_for_cases_that_say_none(void **state)
{
	(void)state;
	char path[] = "/tmp/predictd-options.XXXXXX", line[128];
	static const char text[] = "[{\"id\": \"a\", \"file\": \"x\", \"global\": [8]}, "
	                           "{\"id\": \"b\", \"file\": \"x\", \"global\": [8], "
	                           "\"idle_s\": 0.5}]";
	struct options options;
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
	close(fd);
	(void)snprintf(line, sizeof line, "predict --idle 1ms --cases %s", path);
	assert_int_equal(parse(line, &options), EXIT_DONE);
	(void)unlink(path);
	assert_close(options.cases_list.cases[0].idle_s, 1e-3, 1e-12);
	assert_close(options.cases_list.cases[1].idle_s, 0.5, 0);
	options_deinit(&options);
}

static void a_file_without_a_kernel_names_none(void **state)
{
	(void)state;
	struct options options;
	assert_int_equal(parse("predict x.cl --global 4 --explain", &options), EXIT_DONE);
	assert_null(options.cases_list.cases[0].kernel);
	assert_string_equal(options.cases_list.cases[0].id, "x.cl");
	assert_true(options.explain && !options.explain_ir && !options.explain_lines);
	options_deinit(&options);
	assert_int_equal(parse("predict x.cl --global 4 --explain=lines", &options), EXIT_DONE);
	assert_true(options.explain && options.explain_lines && !options.explain_ir);
	options_deinit(&options);
}

static void a_file_of_a_dash_is_called_stdin(void **state)
{
	(void)state;
	struct options options;
	assert_int_equal(parse("predict - --global 4", &options), EXIT_DONE);
	assert_string_equal(options.cases_list.cases[0].file, "-");
	assert_string_equal(options.cases_list.cases[0].id, "stdin");
	options_deinit(&options);
	assert_int_equal(parse("measure --global 4 -:sum --arg int:1", &options), EXIT_DONE);
	assert_int_equal(options.cases_list.cases[0].argument_count, 1);
	assert_string_equal(options.cases_list.cases[0].file, "-");
	assert_string_equal(options.cases_list.cases[0].kernel, "sum");
	options_deinit(&options);
}

static void a_wrong_command_line_is_usage(void **state)
{
	(void)state;
	static const char *const bad[] = {
	        "predict x.cl --global 4 --bogus",
	        "predict x.cl --global",
	        "predict x.cl --global 0",
	        "predict x.cl --global 4 --arg whale:4",
	        "predict x.cl --global 4 --local 2,2",
	        "predict x.cl --global 4 --model best",
	        "predict x.cl --global 4 --hint loop:4",
	        "predict x.cl --global 4 --explain=all",
	        "predict x.cl --arg buffer:4",
	        "predict x.cl --local 4",
	        "predict -",
	        "place x.cl",
	        "place x.cl --global 4 --gantt",
	        "place x.cl --global 4 --method heft",
	        "place x.cl --global 4 --trace t.json",
	        "place --cases c.json --method best",
	        "predict",
	        "predict x.cl y.cl --global 4",
	        "predict x.cl --global 4 --cases c.json",
	        "predict x.cl --global 4 --idle -1ms",
	        "predict x.cl --global 4 --idle soon",
	        "predict x.cl --global 4 --idle 1parsec",
	        "predict x.cl --global 4 --idle nan",
	        "predict x.cl --global 4 --idle ms",
	        "measure --cases c.json --global 4",
	        "measure x.cl --global 4 --runs 2",
	        "measure x.cl --global 4 --runs 1001",
	        "measure x.cl --global 4 --budget -1",
	        "evaluate",
	        "evaluate --cases c.json --require within15",
	        "evaluate --cases c.json --require within_15=1",
	        "evaluate --cases c.json --require dense:coverages=1",
	        "evaluate --cases c.json --quick",
	        "export 0",
	        "import",
	        "status now",
	        "devices --csv",
	        "cases",
	        "cases x.cl --size 0",
	        "cases x.cl --size 1K --size 1024",
	        "cases -",
	        "cases -:sum",
	        "predict -:sum x.cl --global 4",
	        "predict -:sum -:more --global 4",
	        "export -:a b c",
	};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_code(bad[i], EXIT_USAGE);
}

static void a_cases_file_that_is_missing_is_a_failure(void **state)
{
	(void)state;
	assert_code("predict --cases /nowhere/c.json", EXIT_FAILED);
}

/* What stands behind the program is the program's, whatever it looks like. */
static void a_program_keeps_its_own_options(void **state)
{
	(void)state;
	struct options options;
	assert_int_equal(
	        parse("run --json a.json --trace - --observe -- prog -:x --json -h", &options),
	        EXIT_DONE);
	assert_string_equal(options.run_json, "a.json");
	assert_string_equal(options.trace, "-");
	assert_true(options.observe);
	assert_false(options.json);
	assert_string_equal(options.program[0], "prog");
	assert_string_equal(options.program[1], "-:x");
	assert_string_equal(options.program[3], "-h");
	assert_null(options.program[4]);
	options_deinit(&options);
	assert_int_equal(parse("run prog --trace", &options), EXIT_DONE);
	assert_null(options.trace);
	assert_string_equal(options.program[1], "--trace");
	options_deinit(&options);
	assert_code("run", EXIT_USAGE);
	assert_code("run --", EXIT_USAGE);
	assert_code("run --json", EXIT_USAGE);
	assert_code("run --device 0 prog", EXIT_USAGE);
	assert_code("run --help", 99);
}

static void help_wins_over_the_rest(void **state)
{
	(void)state;
	assert_code("predict --help", 99);
	assert_code("evaluate -h", 99);
}

static void too_many_arguments_are_refused(void **state)
{
	(void)state;
	static char *words[2 * CASE_ARGUMENTS_MAX + 16];
	struct options options;
	bool wants_help;
	int count = 0;
	words[count++] = (char *)"predict";
	words[count++] = (char *)"x.cl";
	for (int i = 0; i <= CASE_ARGUMENTS_MAX; i++) {
		words[count++] = (char *)"--arg";
		words[count++] = (char *)"int:1";
	}
	assert_int_equal(options_parse(COMMAND_PREDICT, count, words, &options, &wants_help),
	                 EXIT_USAGE);
	options_deinit(&options);
}

static void commands_find_their_words(void **state)
{
	(void)state;
	for (int i = 0; i < COMMAND_COUNT; i++)
		assert_int_equal(command_find(command_word((enum command)i)), i);
	assert_int_equal(command_find("predic"), -1);
}

/* The sentence of a command line that is refused. */
static void assert_says(const char *line, const char *want)
{
	struct options options;
	char said[512] = "";
	FILE *file = tmpfile();
	assert_non_null(file);
	(void)fflush(stderr);
	int kept = dup(STDERR_FILENO);
	assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
	int code = parse(line, &options);
	options_deinit(&options);
	(void)fflush(stderr);
	assert_true(dup2(kept, STDERR_FILENO) >= 0);
	(void)close(kept);
	rewind(file);
	size_t size = fread(said, 1, sizeof said - 1, file);
	said[size] = '\0';
	(void)fclose(file);
	assert_int_equal(code, EXIT_USAGE);
	if (strstr(said, want) == NULL)
		fail_msg("%s: want \"%s\", got \"%s\"", line, want, said);
}

static void a_mistyped_option_names_the_nearest(void **state)
{
	(void)state;
	assert_says("predict a.cl --globl 64", "did you mean --global?");
	assert_says("predict a.cl --devise=0 --global 64", "did you mean --device?");
	assert_says("predict a.cl --lcoal 4", "did you mean --local?");
	assert_says("predict a.cl --time-s 3", "`predictctl observe` has");
	assert_says("devices --explain", "`predictctl predict` has");
	assert_says("predict a.cl --frobnicate", "--frobnicate: unknown option\n");
	assert_says("predict a.cl -x", "-x: unknown option\n");
	assert_says("status -d 0", "unknown option");
}

static void a_mistyped_command_names_the_nearest(void **state)
{
	(void)state;
	assert_string_equal(command_nearest("predcit"), "predict");
	assert_string_equal(command_nearest("Device"), "devices");
	assert_string_equal(command_nearest("calbrate"), "calibrate");
	assert_string_equal(command_nearest("mesure"), "measure");
	assert_null(command_nearest("frobnicate"));
	assert_null(command_nearest("x"));
	assert_null(command_nearest("a-word-that-is-longer-than-any-command-may-be"));
}

static void a_device_has_a_short_option(void **state)
{
	(void)state;
	struct options options;
	assert_int_equal(parse("predict a.cl --global 64 -d 1", &options), EXIT_DONE);
	assert_string_equal(options.device, "1");
	options_deinit(&options);
	assert_int_equal(parse("place a.cl --global 64 -d0 -d gpu", &options), EXIT_DONE);
	assert_int_equal(options.device_count, 2);
	assert_string_equal(options.devices[1], "gpu");
	options_deinit(&options);
}

static void a_split_has_buffers_and_a_granule(void **state)
{
	(void)state;
	struct options options;
	assert_int_equal(parse("split a.cl:k --global 4K,8 -d 0 -d gpu --dimension 1 --granule 2 "
	                       "--split x --split 1:4K --transfers",
	                       &options),
	                 EXIT_DONE);
	assert_int_equal(options.dimension, 1);
	assert_true(options.granule == 2 && options.transfers);
	assert_int_equal(options.split_count, 2);
	assert_string_equal(options.split[0], "x");
	assert_string_equal(options.split[1], "1:4K");
	assert_int_equal(options.device_count, 2);
	options_deinit(&options);
	static const char *const wrong[] = {
	        "split a.cl:k",
	        "split --global 64",
	        "split a.cl:k --global 64 --dimension 3",
	        "split a.cl:k --global 64 --dimension 0.5",
	        "split a.cl:k --global 64 --dimension -1",
	        "split a.cl:k --global 64 --granule 0",
	        "split a.cl:k --global 64 --granule 1.5",
	        "split a.cl:k --global 64 --granule many",
	        "split a.cl:k --global 64 --cases x.json",
	        "split --name gemm --global 64",
	        "place a.cl:k --global 64 --split x",
	};
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		assert_code(wrong[i], EXIT_USAGE);
}

static void times_take_units(void **state)
{
	(void)state;
	struct options options;
	assert_int_equal(parse("observe a.cl --global 64 --time-s 1ms --time-s 0.5 --time-s 30us "
	                       "--time-s 7ns --time-s 2s",
	                       &options),
	                 EXIT_DONE);
	const double want_s[] = {1e-3, 0.5, 30e-6, 7e-9, 2};
	assert_int_equal(options.time_count, 5);
	for (size_t i = 0; i < 5; i++)
		assert_close(options.times_s[i], want_s[i], 1e-12);
	options_deinit(&options);
	assert_says("observe a.cl --global 64 --time-s 3parsec", "want a time such as");
	assert_says("observe a.cl --global 64 --time-s ms", "want a time such as");
	assert_says("observe a.cl --global 64 --time-s -1ms", "want a time such as");
	assert_says("observe a.cl --global 64 --time-s nan", "want a time such as");
	assert_int_equal(parse("forget --age 90m", &options), EXIT_DONE);
	assert_close(options.age_s, 5400, 1e-12);
	options_deinit(&options);
	assert_int_equal(parse("measure a.cl --global 64 --budget 250ms", &options), EXIT_DONE);
	assert_close(options.budget_s, 0.25, 1e-12);
	options_deinit(&options);
}

/* Cases are read from where these tests say; a file that lacks is a failure, and no usage. */
static void starpu_s_devices_have_numbers(void **state)
{
	(void)state;
	struct options options;
	char path[] = "/tmp/predictd-options-XXXXXX", line[256];
	static const char cases[] = "[{\"id\": \"a\", \"file\": \"k.cl\", \"global\": [8]}]";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, cases, sizeof cases - 1), sizeof cases - 1);
	close(fd);
	(void)snprintf(line, sizeof line,
	               "starpu-export %s --opencl 2=Fast,Inc,3=uuid:1 --opencl 0=basic --symbol s "
	               "--dir d --host h --force",
	               path);
	assert_int_equal(parse(line, &options), EXIT_DONE);
	assert_int_equal(options.cases_list.count, 1);
	assert_int_equal(options.opencl_count, 3);
	assert_int_equal(options.opencl[0].number, 2);
	assert_string_equal(options.opencl[0].device, "Fast,Inc");
	assert_int_equal(options.opencl[1].number, 3);
	assert_string_equal(options.opencl[1].device, "uuid:1");
	assert_string_equal(options.opencl[2].device, "basic");
	assert_string_equal(options.symbol, "s");
	assert_string_equal(options.folder, "d");
	assert_string_equal(options.host, "h");
	assert_true(options.force);
	options_deinit(&options);
	(void)snprintf(line, sizeof line, "starpu-import %s s.node --force", path);
	assert_int_equal(parse(line, &options), EXIT_DONE);
	assert_string_equal(options.positional[1], "s.node");
	assert_true(options.force);
	options_deinit(&options);
	(void)unlink(path);
	assert_code("starpu-import c.json s.node more", EXIT_USAGE);
	assert_code("starpu-export", EXIT_USAGE);
	assert_code("starpu-export /nonexistent/c.json", EXIT_FAILED);
	static const char *const wrong[] = {"basic",   "0=",     "=basic",  "-1=basic",
	                                    "0=a,0=b", "0=a,1=", "x=basic", "0"};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		(void)snprintf(line, sizeof line, "starpu-export c.json --opencl %s", wrong[i]);
		assert_code(line, EXIT_USAGE);
	}
	assert_code("starpu-export c.json --dir=", EXIT_USAGE);
	assert_code("starpu-export c.json --host=", EXIT_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_launch_is_read_from_the_command_line),
	        cmocka_unit_test(a_pause_has_a_unit_or_is_in_seconds),
	        cmocka_unit_test(a_pause_is_for_cases_that_say_none),
	        cmocka_unit_test(a_file_without_a_kernel_names_none),
	        cmocka_unit_test(a_file_of_a_dash_is_called_stdin),
	        cmocka_unit_test(a_wrong_command_line_is_usage),
	        cmocka_unit_test(a_cases_file_that_is_missing_is_a_failure),
	        cmocka_unit_test(a_program_keeps_its_own_options),
	        cmocka_unit_test(help_wins_over_the_rest),
	        cmocka_unit_test(too_many_arguments_are_refused),
	        cmocka_unit_test(commands_find_their_words),
	        cmocka_unit_test(a_mistyped_option_names_the_nearest),
	        cmocka_unit_test(a_mistyped_command_names_the_nearest),
	        cmocka_unit_test(a_device_has_a_short_option),
	        cmocka_unit_test(a_split_has_buffers_and_a_granule),
	        cmocka_unit_test(times_take_units),
	        cmocka_unit_test(starpu_s_devices_have_numbers),
	};
	if (freopen("/dev/null", "w", stderr) == NULL) /* the usage texts */
		return 1;
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
