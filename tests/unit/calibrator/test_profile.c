/* SPDX-License-Identifier: Apache-2.0 */
/* A simulated compiler that is asked; and processes that ask, which are this program anew. */
#include "tests/test.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/calibrator/idle.h"
#include "daemon/calibrator/profile.h"
#include "daemon/codec/language.h"
#include "tests/unit/calibrator/simulated.h"

/* ---- a compiler ----------------------------------------------------------------------------- */

static const char *fp16; /* the value of cl_khr_fp16 */

struct macro {
	const char *name, *value, *since; /* since: the standard, as in -cl-std=; "": every one */
};

static const char *macro_value(const char *name, const char *options)
{
	static const struct macro macros[] = {{"cl_khr_fp64", "1", ""},
	                                      {"__OPENCL_VERSION__", "300", ""},
	                                      {"__opencl_c_fp64", "1", "CL3.0"},
	                                      {"NULL", "NULL", ""},
	                                      {"cl_my_own", "\"quoted, \\\\ and more\"", ""}};
	const char *standard = strstr(options, "-cl-std=");
	if (strcmp(name, "__OPENCL_C_VERSION__") == 0)
		return standard == NULL || strstr(standard, "CL1.2") != NULL ? "120" : "300";
	if (strcmp(name, "cl_khr_fp16") == 0)
		return fp16;
	for (size_t i = 0; i < sizeof macros / sizeof *macros; i++)
		if (strcmp(macros[i].name, name) == 0 &&
		    (macros[i].since[0] == '\0' ||
		     (standard != NULL && strstr(standard, macros[i].since) != NULL)))
			return macros[i].value;
	return NULL;
}

/* Among the options that it knows, each by itself. */
static bool takes(const char *options)
{
	static const char *const known[] = {"-cl-std=CL1.2",  "-cl-std=CL3.0", "-w", "-g",
	                                    "-cl-mad-enable", "-cl-nv-verbose"};
	char *copy = strdup(options), *rest = copy;
	bool all = copy != NULL;
	for (char *word; all && (word = strsep(&rest, " ")) != NULL;) {
		bool is_known = *word == '\0';
		for (size_t i = 0; i < sizeof known / sizeof *known && !is_known; i++)
			is_known = strcmp(word, known[i]) == 0;
		all = is_known;
	}
	free(copy);
	return all;
}

static const struct simulated_compiler good = {
        .extensions = "cl_khr_fp64 cl_my_own 1bad", .macro = macro_value, .takes = takes};

/* ---- asking --------------------------------------------------------------------------------- */

static struct device device; /* large */

static enum status ask(const struct simulated_compiler *compiler, struct error *error)
{
	struct opencl opencl = {.device = NULL};
	simulated_begin(&(struct simulated){.compiler = compiler});
	enum status status = profile_ask(&opencl, clock_now_s() + 60, &device, error);
	assert_int_equal(simulated_objects(), 0);
	return status;
}

static int begin(void **state)
{
	(void)state;
	fp16 = NULL;
	memset(&device, 0, sizeof device);
	return 0;
}

static Predictd__Language *unpack(void)
{
	Predictd__Language *language = NULL;
	struct error error = {.text = ""};
	if (language_unpack(device.language, device.language_bytes, &language, &error) != STATUS_OK)
		fail_msg("%s", error.text);
	return language;
}

static const char *common(const Predictd__Language *language, const char *name)
{
	for (size_t i = 0; i < language->n_macros; i++)
		if (strcmp(language->macros[i]->name, name) == 0)
			return language->macros[i]->value;
	return NULL;
}

static bool is_undefined(const Predictd__Language *language, const char *name)
{
	for (size_t i = 0; i < language->n_undefined; i++)
		if (strcmp(language->undefined[i], name) == 0)
			return true;
	return false;
}

static void macros_come_back_as_they_expand(void **state)
{
	struct error error = {.text = ""};
	char text[LANGUAGE_TEXT_MAX];
	(void)state;
	if (ask(&good, &error) != STATUS_OK)
		fail_msg("%s", error.text);
	Predictd__Language *language = unpack();
	assert_int_equal(language->origin, LANGUAGE_ASKED);
	assert_string_equal(common(language, "cl_khr_fp64"), "1");
	assert_string_equal(common(language, "__OPENCL_VERSION__"), "300");
	/* an extension that only this driver lists */
	assert_string_equal(common(language, "cl_my_own"), "\"quoted, \\\\ and more\"");
	assert_true(is_undefined(language, "cl_khr_fp16"));
	assert_true(is_undefined(language, "__SPIR__"));
	/* of one standard */
	assert_null(common(language, "__opencl_c_fp64"));
	assert_false(is_undefined(language, "__opencl_c_fp64"));
	/* what expands to its own name is neither a value nor undefined */
	assert_null(common(language, "NULL"));
	assert_false(is_undefined(language, "NULL"));
	assert_false(is_undefined(language, "1bad"));
	language_describe(language, text);
	assert_string_equal(text, "OpenCL C 1.2 by default, CL1.2 CL3.0, 4 macros, "
	                          "asked of the device's compiler");
	predictd__language__free_unpacked(language, NULL);
}

static void values_that_no_line_holds_are_not_known(void **state)
{
	static char long_value[LANGUAGE_VALUE_MAX + 8];
	const char *const values[] = {"ends in \\", "\x1b[2J", long_value};
	struct error error = {.text = ""};
	(void)state;
	memset(long_value, 'v', sizeof long_value - 1);
	for (size_t i = 0; i < 3; i++) {
		fp16 = values[i];
		assert_int_equal(ask(&good, &error), STATUS_OK);
		Predictd__Language *language = unpack();
		assert_null(common(language, "cl_khr_fp16"));
		assert_false(is_undefined(language, "cl_khr_fp16"));
		predictd__language__free_unpacked(language, NULL);
	}
	fp16 = "";
	assert_int_equal(ask(&good, &error), STATUS_OK);
	Predictd__Language *language = unpack();
	assert_string_equal(common(language, "cl_khr_fp16"), "");
	predictd__language__free_unpacked(language, NULL);
}

static void each_option_is_known_by_itself(void **state)
{
	struct error error = {.text = ""};
	size_t count = 0, taken = 0;
	(void)state;
	assert_int_equal(ask(&good, &error), STATUS_OK);
	Predictd__Language *language = unpack();
	while (language_names(LANGUAGE_NAMES_OPTION)[count] != NULL)
		count++;
	assert_int_equal(language->n_options, count);
	for (size_t i = 0; i < count; i++) {
		const Predictd__LanguageOption *option = language->options[i];
		assert_int_equal(option->is_refused, !takes(option->name));
		taken += !option->is_refused;
	}
	assert_int_equal(taken, 4);
	predictd__language__free_unpacked(language, NULL);
}

/* Standards are asked whatever it takes, and options as far as time reaches. */
static void what_there_was_no_time_for_is_not_known(void **state)
{
	struct error error = {.text = ""};
	(void)state;
	struct simulated_compiler slow = good;
	slow.build_s = 60;
	assert_int_equal(ask(&slow, &error), STATUS_OK);
	Predictd__Language *language = unpack();
	assert_int_equal(language->n_options, 0);
	assert_int_equal(language->n_standards, 6);
	predictd__language__free_unpacked(language, NULL);
}

static void a_driver_that_cannot_be_asked_leaves_what_was_known(void **state)
{
	static const struct {
		enum simulated_asked asked;
		const char *says;
	} faults[] = {{ASKED_REFUSED, "clBuildProgram"},
	              {ASKED_NOT_RUN, "want the text of macros"},
	              {ASKED_CUT, "want the text of macros"},
	              {ASKED_NO_BUFFER, "clCreateBuffer"}};
	struct error error = {.text = ""};
	(void)state;
	device.language_bytes = 3;
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		struct simulated_compiler bad = good;
		bad.asked = faults[i].asked;
		assert_int_not_equal(ask(&bad, &error), STATUS_OK);
		if (strstr(error.text, faults[i].says) == NULL)
			fail_msg("want \"%s\", got \"%s\"", faults[i].says, error.text);
		assert_int_equal(device.language_bytes, 3);
	}
}

/* Nothing is compiled where the driver's lists suffice. */
static void a_list_is_assumed_without_a_compilation(void **state)
{
	(void)state;
	strcpy(device.version, "OpenCL 3.0 fake");
	simulated_begin(&(struct simulated){.compiler = &good});
	profile_assume(NULL, &device);
	assert_int_equal(simulated_builds(), 0);
	assert_int_equal(language_origin(&device), LANGUAGE_LISTED);
	Predictd__Language *language = unpack();
	assert_string_equal(common(language, "cl_my_own"), "1");
	assert_true(is_undefined(language, "cl_khr_fp16"));
	predictd__language__free_unpacked(language, NULL);
}

/* ---- processes that ask --------------------------------------------------------------------- */

static int process(int argc, char **argv)
{
	const char *what = getenv("ASKED");
	struct error error = {.text = ""};
	if (what == NULL || argc != 5 || strcmp(argv[2], "--device") != 0 ||
	    strcmp(argv[3], "3") != 0 || strcmp(argv[4], "--quick") != 0)
		return 1;
	while (strcmp(what, "hang") == 0)
		(void)pause();
	if (strcmp(what, "crash") == 0)
		(void)raise(SIGKILL);
	if (strcmp(what, "garbage") == 0)
		return write(STDOUT_FILENO, "no profile", 10) == 10 ? 0 : 1;
	if (strcmp(what, "much") == 0) {
		static char much[2 * DEVICE_LANGUAGE_MAX];
		return write(STDOUT_FILENO, much, sizeof much) > 0 ? 0 : 1;
	}
	(void)begin(NULL);
	if (ask(&good, &error) != STATUS_OK ||
	    write(STDOUT_FILENO, device.language, device.language_bytes) !=
	            (ssize_t)device.language_bytes)
		return 1;
	while (strcmp(what, "linger") == 0) {
		(void)close(STDOUT_FILENO);
		(void)pause();
	}
	return 0;
}

/* The clock goes on by it alone. */
static enum status go_on(void *context, struct error *error)
{
	(void)context;
	(void)error;
	idle_wait(0.1);
	return STATUS_OK;
}

static enum status refuse(void *context, struct error *error)
{
	(void)context;
	return error_set(error, STATUS_CANCELLED, "nobody listens");
}

static enum status ask_in_process(double limit_s, profile_tick *tick, struct error *error)
{
	struct profile_asker asker;
	profile_start(3, true, &asker);
	enum status status =
	        profile_finish(&asker, clock_now_s() + limit_s, tick, NULL, &device, error);
	assert_int_equal(asker.child, -1);
	return status;
}

static void run(const char *what, double limit_s)
{
	struct error error = {.text = ""};
	setenv("ASKED", what, 1);
	assert_int_equal(ask_in_process(limit_s, go_on, &error), STATUS_OK);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void a_process_tells_its_profile(void **state)
{
	static const char *const ways[] = {"answer", "linger"};
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		device.language_bytes = 0;
		run(ways[i], 60);
		assert_int_equal(language_origin(&device), LANGUAGE_ASKED);
	}
}

/* What asks may be done long before anybody has time for it. */
static void an_answer_that_waits_is_read_however_late(void **state)
{
	struct profile_asker asker;
	struct error error = {.text = ""};
	(void)state;
	setenv("ASKED", "answer", 1);
	profile_start(3, true, &asker);
	struct pollfd closed = {.fd = asker.answer};
	assert_int_equal(poll(&closed, 1, 60000), 1); /* that its end hung up */
	assert_int_equal(profile_finish(&asker, 0, go_on, NULL, &device, &error), STATUS_OK);
	assert_int_equal(language_origin(&device), LANGUAGE_ASKED);
}

/* What asks takes no processor while launches are timed, and is not lost. */
static void a_process_that_is_late_is_stopped_and_goes_on(void **state)
{
	struct profile_asker asker;
	struct error error = {.text = ""};
	int how_it_is;
	(void)state;
	setenv("ASKED", "hang", 1);
	profile_start(3, true, &asker);
	assert_int_equal(profile_wait(&asker, 0, go_on, NULL, &error), STATUS_OK);
	assert_int_equal(waitpid(asker.child, &how_it_is, WUNTRACED), asker.child);
	assert_true(WIFSTOPPED(how_it_is));
	assert_int_equal(profile_finish(&asker, 0, go_on, NULL, &device, &error), STATUS_OK);
	assert_int_equal(asker.child, -1);
	setenv("ASKED", "answer", 1);
	profile_start(3, true, &asker);
	(void)kill(asker.child, SIGSTOP);
	assert_int_equal(profile_finish(&asker, clock_now_s() + 60, go_on, NULL, &device, &error),
	                 STATUS_OK);
	assert_int_equal(language_origin(&device), LANGUAGE_ASKED);
}

static void a_process_that_fails_leaves_what_was_known(void **state)
{
	static const char *const bad[] = {"crash", "garbage", "much"};
	(void)state;
	strcpy(device.version, "OpenCL 3.0 fake");
	profile_assume(NULL, &device);
	for (size_t i = 0; i < 3; i++) {
		run(bad[i], 60);
		assert_int_equal(language_origin(&device), LANGUAGE_LISTED);
	}
}

static void a_process_that_hangs_is_ended(void **state)
{
	struct error error = {.text = ""};
	(void)state;
	device.language_bytes = 0;
	run("hang", 0.2);
	assert_int_equal(device.language_bytes, 0);
	assert_int_equal(ask_in_process(60, refuse, &error), STATUS_CANCELLED);
	assert_string_equal(error.text, "nobody listens");
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup(macros_come_back_as_they_expand, begin),
	        cmocka_unit_test_setup(values_that_no_line_holds_are_not_known, begin),
	        cmocka_unit_test_setup(each_option_is_known_by_itself, begin),
	        cmocka_unit_test_setup(what_there_was_no_time_for_is_not_known, begin),
	        cmocka_unit_test_setup(a_driver_that_cannot_be_asked_leaves_what_was_known, begin),
	        cmocka_unit_test_setup(a_list_is_assumed_without_a_compilation, begin),
	        cmocka_unit_test_setup(a_process_tells_its_profile, begin),
	        cmocka_unit_test_setup(an_answer_that_waits_is_read_however_late, begin),
	        cmocka_unit_test_setup(a_process_that_is_late_is_stopped_and_goes_on, begin),
	        cmocka_unit_test_setup(a_process_that_fails_leaves_what_was_known, begin),
	        cmocka_unit_test_setup(a_process_that_hangs_is_ended, begin),
	};
	if (argc > 1 && strcmp(argv[1], "--language") == 0)
		return process(argc, argv);
	return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
