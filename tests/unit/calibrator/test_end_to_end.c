/* SPDX-License-Identifier: Apache-2.0 */
/* The calibrator as a process: a request in, frames out. Skips where OpenCL finds no device. */
#include "tests/test.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/device/launch.h"
#include "model/ir/ir.h"
#include "proto/frame.h"
#include "proto/predictd.pb-c.h"

enum { SKIP = 77, DEADLINE_MS = 120000 };

static const char *program_path;

struct child {
	pid_t pid;
	int to, from;
};

static struct child start(void)
{
	int in[2], out[2];
	struct child child;
	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	child.pid = fork();
	assert_true(child.pid >= 0);
	if (child.pid == 0) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		close(in[1]);
		close(out[0]);
		execl(program_path, program_path, (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	child.to = in[1];
	child.from = out[0];
	return child;
}

static Predictd__CalibratorReply *next_reply(struct child *child)
{
	uint8_t *bytes = NULL;
	size_t size = 0;
	int failure = frame_read(child->from, FRAME_BYTES_MAX, DEADLINE_MS, &bytes, &size);
	if (failure != 0)
		return NULL;
	Predictd__CalibratorReply *reply = predictd__calibrator_reply__unpack(NULL, size, bytes);
	free(bytes);
	assert_non_null(reply);
	return reply;
}

static int finish(struct child *child)
{
	int state = 0;
	close(child->to);
	close(child->from);
	assert_int_equal(waitpid(child->pid, &state, 0), child->pid);
	return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

static Predictd__CalibratorReply *list(struct child *child)
{
	Predictd__CalibratorRequest request = PREDICTD__CALIBRATOR_REQUEST__INIT;
	Predictd__ListDevices body = PREDICTD__LIST_DEVICES__INIT;
	request.body_case = PREDICTD__CALIBRATOR_REQUEST__BODY_LIST;
	request.list = &body;
	*child = start();
	assert_int_equal(frame_write(child->to, &request.base), 0);
	return next_reply(child);
}

static void list_names_each_device_and_its_limits(void **state)
{
	(void)state;
	struct child child;
	Predictd__CalibratorReply *reply = list(&child);
	assert_non_null(reply);
	assert_int_equal(reply->body_case, PREDICTD__CALIBRATOR_REPLY__BODY_DEVICES);
	assert_true(reply->devices->n_devices > 0);
	for (size_t i = 0; i < reply->devices->n_devices; i++) {
		const Predictd__Device *device = reply->devices->devices[i]->device;
		assert_int_equal(device->index, i);
		assert_true(device->is_present);
		assert_true(strlen(device->name) > 0);
		assert_true(device->compute_units > 0);
		assert_true(device->max_group_items > 0);
		assert_true(device->max_allocation_bytes > 0);
		assert_int_equal(device->n_coefficients, 0);
	}
	predictd__calibrator_reply__free_unpacked(reply, NULL);
	assert_int_equal(finish(&child), 0);
}

static const char vector_add[] = "#include \"op.h\"\n"
                                 "kernel void add(global const float *a, global const float *b,\n"
                                 "                global float *c, uint n, float2 s)\n"
                                 "{\n"
                                 "    size_t i = get_global_id(0);\n"
                                 "    if (i < n) c[i] = OP(a[i], b[i]) * s.x;\n"
                                 "}\n";

enum { CASES_MAX = 8, ITEMS = 4096 };

/* A vector add that a test may bend. */
struct vector_add_case {
	Predictd__MeasureCase what;
	Predictd__Program program;
	Predictd__Header header, *headers[1];
	Predictd__Launch launch;
	Predictd__Argument argument[5], *arguments[5];
	uint64_t global, local;
	int64_t count;
	double scale[2];
};

static void case_init(struct vector_add_case *c)
{
	predictd__measure_case__init(&c->what);
	predictd__program__init(&c->program);
	predictd__header__init(&c->header);
	predictd__launch__init(&c->launch);
	c->header.name = (char *)(uintptr_t)"op.h";
	c->header.text.data = (uint8_t *)(uintptr_t)"#define OP(a, b) ((a) + (b))\n";
	c->header.text.len = strlen((const char *)c->header.text.data);
	c->headers[0] = &c->header;
	c->program.source.data = (uint8_t *)(uintptr_t)vector_add;
	c->program.source.len = strlen(vector_add);
	c->program.options = (char *)(uintptr_t)"-cl-std=CL1.2";
	c->program.n_headers = 1;
	c->program.headers = c->headers;
	for (unsigned i = 0; i < 5; i++) {
		predictd__argument__init(&c->argument[i]);
		c->arguments[i] = &c->argument[i];
	}
	for (unsigned i = 0; i < 3; i++) {
		c->argument[i].kind = ARGUMENT_BUFFER;
		c->argument[i].access = i < 2 ? BUFFER_READ : BUFFER_WRITE;
		c->argument[i].size_bytes = ITEMS * sizeof(float);
	}
	c->argument[0].init = (char *)(uintptr_t)"rand_float:1:2";
	c->count = ITEMS;
	c->argument[3].kind = ARGUMENT_SCALAR;
	c->argument[3].type = (char *)(uintptr_t)"uint";
	c->argument[3].n_integers = 1;
	c->argument[3].integers = &c->count;
	c->scale[0] = 2;
	c->argument[4].kind = ARGUMENT_SCALAR;
	c->argument[4].type = (char *)(uintptr_t)"float2";
	c->argument[4].n_reals = 2;
	c->argument[4].reals = c->scale;
	c->global = ITEMS;
	c->local = 64;
	c->launch.n_global_items = 1;
	c->launch.global_items = &c->global;
	c->launch.n_local_items = 1;
	c->launch.local_items = &c->local;
	c->launch.n_arguments = 5;
	c->launch.arguments = c->arguments;
	c->what.program = &c->program;
	c->what.launch = &c->launch;
	c->what.kernel = (char *)(uintptr_t)"add";
	c->what.runs_min = 5;
	c->what.with_transfers = true;
}

static struct child send_cases(struct vector_add_case *cases, size_t count)
{
	Predictd__CalibratorRequest request = PREDICTD__CALIBRATOR_REQUEST__INIT;
	Predictd__CalibratorMeasure body = PREDICTD__CALIBRATOR_MEASURE__INIT;
	Predictd__MeasureCase *pointers[CASES_MAX];
	for (size_t i = 0; i < count; i++)
		pointers[i] = &cases[i].what;
	body.n_cases = count;
	body.cases = pointers;
	body.budget_s = 0.05;
	request.body_case = PREDICTD__CALIBRATOR_REQUEST__BODY_MEASURE;
	request.measure = &body;
	struct child child = start();
	assert_int_equal(frame_write(child.to, &request.base), 0);
	return child;
}

static Predictd__CalibratorReply *next_measurement(struct child *child, unsigned index)
{
	Predictd__CalibratorReply *reply = next_reply(child);
	assert_non_null(reply);
	assert_int_equal(reply->body_case, PREDICTD__CALIBRATOR_REPLY__BODY_MEASUREMENT);
	assert_int_equal(reply->measurement->index, index);
	return reply;
}

static void check_good(const Predictd__Measurement *m)
{
	if (m->error != NULL)
		fail_msg("the case failed: %s", m->error->text);
	assert_true(m->runs >= 5 && m->n_kernel_times_s == m->runs);
	assert_true(m->kernel_times_s[0] >= m->min_s);
	assert_true(m->kernel_time_s > 0 && m->min_s > 0 && m->mean_s > 0 && m->p90_s > 0);
	assert_true(m->min_s <= m->kernel_time_s && m->kernel_time_s <= m->p90_s);
	assert_true(m->wall_s >= m->kernel_time_s);
	assert_true(m->build_s > 0 && m->h2d_time_s > 0 && m->d2h_time_s > 0);
}

static void expect_error(struct child *child, unsigned index, const char *part)
{
	Predictd__CalibratorReply *reply = next_measurement(child, index);
	assert_non_null(reply->measurement->error);
	if (strstr(reply->measurement->error->text, part) == NULL)
		fail_msg("case %u: want '%s' in '%s'", index, part,
		         reply->measurement->error->text);
	predictd__calibrator_reply__free_unpacked(reply, NULL);
}

static void vector_add_is_measured_with_a_header_and_without_a_local_size(void **state)
{
	(void)state;
	static struct vector_add_case cases[2];
	for (unsigned i = 0; i < 2; i++)
		case_init(&cases[i]);
	cases[1].launch.n_local_items = 0;
	struct child child = send_cases(cases, 2);
	for (unsigned i = 0; i < 2; i++) {
		Predictd__CalibratorReply *reply = next_measurement(&child, i);
		check_good(reply->measurement);
		predictd__calibrator_reply__free_unpacked(reply, NULL);
	}
	assert_int_equal(finish(&child), 0);
}

static void failing_cases_say_why_and_the_rest_go_on(void **state)
{
	(void)state;
	static struct vector_add_case cases[8];
	for (unsigned i = 0; i < 8; i++)
		case_init(&cases[i]);
	cases[0].program.source.data = (uint8_t *)(uintptr_t)"kernel void add(int x) { y = 1; }";
	cases[0].program.source.len = strlen((const char *)cases[0].program.source.data);
	cases[1].argument[0].size_bytes = (uint64_t)1 << 62;
	cases[2].what.kernel = (char *)(uintptr_t)"sub";
	cases[3].launch.n_arguments = 4;
	cases[4].argument[1].init = (char *)(uintptr_t)"random";
	cases[5].header.name = (char *)(uintptr_t)"../../../../../../../../../../x.h";
	cases[6].local = 0;
	struct child child = send_cases(cases, 8);
	expect_error(&child, 0, "clBuildProgram");
	expect_error(&child, 1, "the device allows");
	expect_error(&child, 2, "kernel \"sub\": the source has add");
	expect_error(&child, 3, "wants 5 arguments, got 4");
	expect_error(&child, 4, "init 'random'");
	expect_error(&child, 5, "want a relative name");
	expect_error(&child, 6, "a size of zero");
	Predictd__CalibratorReply *reply = next_measurement(&child, 7);
	check_good(reply->measurement);
	predictd__calibrator_reply__free_unpacked(reply, NULL);
	assert_int_equal(finish(&child), 0);
}

static void garbage_for_a_request_gets_an_error(void **state)
{
	(void)state;
	static const uint8_t garbage[] = {4, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};
	struct child child = start();
	assert_int_equal(write(child.to, garbage, sizeof garbage), sizeof garbage);
	Predictd__CalibratorReply *reply = next_reply(&child);
	assert_non_null(reply);
	assert_int_equal(reply->body_case, PREDICTD__CALIBRATOR_REPLY__BODY_ERROR);
	predictd__calibrator_reply__free_unpacked(reply, NULL);
	assert_int_equal(finish(&child), 1);
}

/* ---- the compiler that is here -------------------------------------------------------------- */

/* The profile that its process writes. */
static Predictd__Language *ask_language(void)
{
	static uint8_t bytes[64 << 10];
	size_t size = 0;
	int out[2], state = 0;
	assert_int_equal(pipe(out), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(out[1], STDOUT_FILENO);
		close(out[0]);
		execl(program_path, program_path, "--language", (char *)NULL);
		_exit(127);
	}
	close(out[1]);
	for (ssize_t got; (got = read(out[0], bytes + size, sizeof bytes - size)) > 0;)
		size += (size_t)got;
	close(out[0]);
	assert_int_equal(waitpid(pid, &state, 0), pid);
	assert_true(WIFEXITED(state) && WEXITSTATUS(state) == 0);
	Predictd__Language *language = predictd__language__unpack(NULL, size, bytes);
	assert_non_null(language);
	return language;
}

static const char *macro_in(Predictd__LanguageMacro *const *macros, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(macros[i]->name, name) == 0)
			return macros[i]->value;
	return NULL;
}

/* NULL: not defined there. */
static const char *macro_of(const Predictd__Language *language, const char *option,
                            const char *name)
{
	for (size_t i = 0; i < language->n_standards; i++) {
		const Predictd__LanguageStandard *standard = language->standards[i];
		const char *value = macro_in(standard->macros, standard->n_macros, name);
		if (strcmp(standard->option, option) == 0 && value != NULL)
			return value;
	}
	return macro_in(language->macros, language->n_macros, name);
}

static bool is_refused(const Predictd__Language *language, const char *option)
{
	for (size_t i = 0; i < language->n_options; i++)
		if (strcmp(language->options[i]->name, option) == 0)
			return language->options[i]->is_refused;
	for (size_t i = 0; i < language->n_standards; i++)
		if (strcmp(language->standards[i]->option, option) == 0)
			return language->standards[i]->is_refused;
	fail_msg("%s was not tried", option);
	return true;
}

static void assert_undefined(const Predictd__Language *language, const char *name)
{
	for (size_t i = 0; i < language->n_undefined; i++)
		if (strcmp(language->undefined[i], name) == 0)
			return;
	fail_msg("%s is not among what is undefined", name);
}

static void the_devices_compiler_is_asked(void **state)
{
	(void)state;
	struct child child;
	Predictd__Language *language = ask_language();
	assert_int_equal(language->origin, 1);
	/* what every OpenCL compiler has */
	assert_non_null(macro_of(language, "", "__OPENCL_VERSION__"));
	assert_string_equal(macro_of(language, "", "CL_VERSION_1_0"), "100");
	assert_string_equal(macro_of(language, "-cl-std=CL1.2", "__OPENCL_C_VERSION__"), "120");
	assert_false(is_refused(language, "-cl-mad-enable"));
	Predictd__CalibratorReply *reply = list(&child);
	assert_non_null(reply);
	const Predictd__Device *device = reply->devices->devices[0]->device;
	bool is_pocl_3 = strcmp(device->platform, "Portable Computing Language") == 0 &&
	                 strncmp(device->driver, "3.", 2) == 0 &&
	                 strncmp(device->version, "OpenCL 3.0", 10) == 0;
	predictd__calibrator_reply__free_unpacked(reply, NULL);
	assert_int_equal(finish(&child), 0);
	if (is_pocl_3) {
		assert_string_equal(macro_of(language, "", "__OPENCL_VERSION__"), "300");
		assert_string_equal(macro_of(language, "", "__OPENCL_C_VERSION__"), "300");
		assert_undefined(language, "__SPIR__");
		assert_undefined(language, "cl_khr_subgroups");
		assert_undefined(language, "cl_khr_integer_dot_product");
		assert_undefined(language, "cl_intel_subgroups");
		assert_true(is_refused(language, "-cl-nv-verbose"));
		assert_true(is_refused(language, "-O3"));
		assert_false(is_refused(language, "-cl-fast-relaxed-math"));
	}
	predictd__language__free_unpacked(language, NULL);
}

int main(int argc, char **argv)
{
	struct child child;
	if (argc != 2)
		return 2;
	program_path = argv[1];
	signal(SIGPIPE, SIG_IGN);
	Predictd__CalibratorReply *reply = list(&child);
	bool has_device = reply != NULL &&
	                  reply->body_case == PREDICTD__CALIBRATOR_REPLY__BODY_DEVICES &&
	                  reply->devices->n_devices > 0;
	bool is_empty = reply != NULL &&
	                reply->body_case == PREDICTD__CALIBRATOR_REPLY__BODY_DEVICES && !has_device;
	if (reply != NULL)
		predictd__calibrator_reply__free_unpacked(reply, NULL);
	(void)finish(&child);
	if (is_empty)
		return SKIP;
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(list_names_each_device_and_its_limits),
	        cmocka_unit_test(vector_add_is_measured_with_a_header_and_without_a_local_size),
	        cmocka_unit_test(failing_cases_say_why_and_the_rest_go_on),
	        cmocka_unit_test(garbage_for_a_request_gets_an_error),
	        cmocka_unit_test(the_devices_compiler_is_asked),
	};
	return cmocka_run_group_tests_name("end_to_end", tests, NULL, NULL);
}
