/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A compiler that is asked: an OpenCL of this file's own, whose compiler knows no more than #ifdef
 * and a table of macros; and processes that ask, which are this program anew.
 */
#include "tests/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/calibrator/profile.h"
#include "daemon/language.h"

/* ---- a driver ------------------------------------------------------------------------------- */

enum fault { FAULT_NONE, FAULT_ASKING_REFUSED, FAULT_NOT_RUN, FAULT_CUT, FAULT_NO_BUFFER };

struct _cl_program {
	char *source, *options;
};
struct _cl_kernel {
	cl_program program;
	cl_mem memory;
};
struct _cl_mem {
	cl_uint *words;
	size_t bytes;
};
struct _cl_event {
	int unused;
};

static struct {
	enum fault fault;
	unsigned builds;
	int objects;
	bool is_slow;      /* each build takes a minute of the clock */
	const char *value; /* of cl_khr_fp16 */
} driver;

static time_t late_s;

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
		return driver.value;
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

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t room, void *value,
                       size_t *size)
{
	static const char extensions[] = "cl_khr_fp64 cl_my_own 1bad";
	(void)device;
	if (name != CL_DEVICE_EXTENSIONS)
		return CL_INVALID_VALUE;
	if (size != NULL)
		*size = sizeof extensions;
	if (value != NULL && room >= sizeof extensions)
		memcpy(value, extensions, sizeof extensions);
	return CL_SUCCESS;
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **sources,
                                     const size_t *sizes, cl_int *code)
{
	(void)context;
	(void)count;
	cl_program made = calloc(1, sizeof *made);
	assert_non_null(made);
	made->source = strndup(sources[0], sizes[0]);
	driver.objects++;
	*code = CL_SUCCESS;
	return made;
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                      const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                      void *context)
{
	(void)count;
	(void)devices;
	(void)notify;
	(void)context;
	driver.builds++;
	late_s += driver.is_slow ? 60 : 0;
	program->options = strdup(options);
	if (driver.fault == FAULT_ASKING_REFUSED && strstr(program->source, "#ifdef") != NULL)
		return CL_BUILD_PROGRAM_FAILURE;
	return takes(options) ? CL_SUCCESS : CL_INVALID_BUILD_OPTIONS;
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info name,
                             size_t room, void *value, size_t *size)
{
	(void)program;
	(void)device;
	(void)name;
	(void)room;
	(void)value;
	(void)size;
	return CL_INVALID_VALUE;
}

cl_int clReleaseProgram(cl_program program)
{
	driver.objects--;
	free(program->source);
	free(program->options);
	free(program);
	return CL_SUCCESS;
}

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *code)
{
	cl_kernel made = calloc(1, sizeof *made);
	assert_non_null(made);
	assert_non_null(strstr(program->source, name));
	made->program = program;
	driver.objects++;
	*code = CL_SUCCESS;
	return made;
}

cl_int clReleaseKernel(cl_kernel kernel)
{
	driver.objects--;
	free(kernel);
	return CL_SUCCESS;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *from,
                      cl_int *code)
{
	(void)context;
	(void)flags;
	(void)from;
	if (driver.fault == FAULT_NO_BUFFER) {
		*code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
		return NULL;
	}
	cl_mem made = calloc(1, sizeof *made);
	assert_non_null(made);
	made->words = calloc(1, bytes);
	made->bytes = bytes;
	driver.objects++;
	*code = CL_SUCCESS;
	return made;
}

cl_int clReleaseMemObject(cl_mem memory)
{
	driver.objects--;
	free(memory->words);
	free(memory);
	return CL_SUCCESS;
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t bytes, const void *value)
{
	if (index == 0)
		memcpy(&kernel->memory, value, bytes);
	return CL_SUCCESS;
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t at,
                            size_t bytes, const void *from, cl_uint waits, const cl_event *wait,
                            cl_event *event)
{
	(void)queue;
	(void)blocking;
	(void)waits;
	(void)wait;
	(void)event;
	memcpy((char *)buffer->words + at, from, bytes);
	return CL_SUCCESS;
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t at,
                           size_t bytes, void *to, cl_uint waits, const cl_event *wait,
                           cl_event *event)
{
	(void)queue;
	(void)blocking;
	(void)waits;
	(void)wait;
	(void)event;
	memcpy(to, (char *)buffer->words + at, bytes);
	return CL_SUCCESS;
}

/* What the kernel copies: the literals between #ifdefs whose macro is defined. */
static void compile_and_run(cl_kernel kernel)
{
	char *copy = strdup(kernel->program->source), *rest = copy, text[1 << 16];
	size_t used = (size_t)snprintf(text, sizeof text, "predictd asks\n");
	for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
		char name[160];
		if (sscanf(line, "#ifdef %159s", name) != 1)
			continue;
		const char *value = macro_value(name, kernel->program->options);
		if (value != NULL)
			used += (size_t)snprintf(text + used, sizeof text - used, "%s=%s\n", name,
			                         value);
	}
	if (driver.fault == FAULT_CUT)
		memset(text + used, 'x', sizeof text - used);
	for (size_t i = 0; i < kernel->memory->bytes / sizeof(cl_uint); i++)
		kernel->memory->words[i] =
		        i < used || driver.fault == FAULT_CUT ? (unsigned char)text[i] : 0;
	free(copy);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint waits, const cl_event *wait, cl_event *event)
{
	static struct _cl_event the_event;
	(void)queue;
	(void)offset;
	(void)local;
	(void)waits;
	(void)wait;
	assert_int_equal(dimensions, 1);
	assert_int_equal(global[0], 1);
	if (driver.fault != FAULT_NOT_RUN)
		compile_and_run(kernel);
	*event = &the_event;
	return CL_SUCCESS;
}

cl_int clFinish(cl_command_queue queue)
{
	(void)queue;
	return CL_SUCCESS;
}

cl_int clGetEventInfo(cl_event event, cl_event_info name, size_t room, void *value, size_t *size)
{
	const cl_int state = CL_COMPLETE;
	(void)event;
	(void)name;
	(void)size;
	memcpy(value, &state, room < sizeof state ? room : sizeof state);
	return CL_SUCCESS;
}

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info name, size_t room, void *value,
                               size_t *size)
{
	(void)event;
	(void)name;
	(void)size;
	memset(value, 0, room);
	return CL_SUCCESS;
}

cl_int clReleaseEvent(cl_event event)
{
	(void)event;
	return CL_SUCCESS;
}

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	int code = __real_clock_gettime(clock, now);
	now->tv_sec += late_s;
	return code;
}

/* ---- asking --------------------------------------------------------------------------------- */

static struct device device; /* large */

static enum status ask(double limit_s, struct error *error)
{
	struct opencl opencl = {.device = NULL};
	enum status status = profile_ask(&opencl, clock_now_s() + limit_s, &device, error);
	assert_int_equal(driver.objects, 0);
	return status;
}

static int begin(void **state)
{
	(void)state;
	memset(&driver, 0, sizeof driver);
	memset(&device, 0, sizeof device);
	late_s = 0;
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
	if (ask(60, &error) != STATUS_OK)
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
		driver.value = values[i];
		assert_int_equal(ask(60, &error), STATUS_OK);
		Predictd__Language *language = unpack();
		assert_null(common(language, "cl_khr_fp16"));
		assert_false(is_undefined(language, "cl_khr_fp16"));
		predictd__language__free_unpacked(language, NULL);
	}
	driver.value = "";
	assert_int_equal(ask(60, &error), STATUS_OK);
	Predictd__Language *language = unpack();
	assert_string_equal(common(language, "cl_khr_fp16"), "");
	predictd__language__free_unpacked(language, NULL);
}

static void each_option_is_known_by_itself(void **state)
{
	struct error error = {.text = ""};
	size_t count = 0, taken = 0;
	(void)state;
	assert_int_equal(ask(60, &error), STATUS_OK);
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
	driver.is_slow = true;
	assert_int_equal(ask(60, &error), STATUS_OK);
	Predictd__Language *language = unpack();
	assert_int_equal(language->n_options, 0);
	assert_int_equal(language->n_standards, 6);
	predictd__language__free_unpacked(language, NULL);
}

static void a_driver_that_cannot_be_asked_leaves_what_was_known(void **state)
{
	static const struct {
		enum fault fault;
		const char *says;
	} faults[] = {{FAULT_ASKING_REFUSED, "clBuildProgram"},
	              {FAULT_NOT_RUN, "want the text of macros"},
	              {FAULT_CUT, "want the text of macros"},
	              {FAULT_NO_BUFFER, "clCreateBuffer"}};
	struct error error = {.text = ""};
	(void)state;
	device.language_bytes = 3;
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		driver.fault = faults[i].fault;
		assert_int_not_equal(ask(60, &error), STATUS_OK);
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
	profile_assume(NULL, &device);
	assert_int_equal(driver.builds, 0);
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
	if (ask(60, &error) != STATUS_OK ||
	    write(STDOUT_FILENO, device.language, device.language_bytes) !=
	            (ssize_t)device.language_bytes)
		return 1;
	while (strcmp(what, "linger") == 0) {
		(void)close(STDOUT_FILENO);
		(void)pause();
	}
	return 0;
}

static enum status go_on(void *context, struct error *error)
{
	(void)context;
	(void)error;
	return STATUS_OK;
}

static enum status refuse(void *context, struct error *error)
{
	(void)context;
	return error_set(error, STATUS_CANCELLED, "nobody listens");
}

static void run(const char *what, double limit_s)
{
	struct error error = {.text = ""};
	setenv("ASKED", what, 1);
	assert_int_equal(
	        profile_run(3, true, clock_now_s() + limit_s, go_on, NULL, &device, &error),
	        STATUS_OK);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void a_process_tells_its_profile(void **state)
{
	static const char *const good[] = {"answer", "linger"};
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		device.language_bytes = 0;
		run(good[i], 60);
		assert_int_equal(language_origin(&device), LANGUAGE_ASKED);
	}
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
	assert_int_equal(profile_run(3, true, clock_now_s() + 60, refuse, NULL, &device, &error),
	                 STATUS_CANCELLED);
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
	        cmocka_unit_test_setup(a_process_that_fails_leaves_what_was_known, begin),
	        cmocka_unit_test_setup(a_process_that_hangs_is_ended, begin),
	};
	if (argc > 1 && strcmp(argv[1], "--language") == 0)
		return process(argc, argv);
	return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
