/* SPDX-License-Identifier: Apache-2.0 */
/* What a device's compiler defines decides which source is analysed. */
#include "tests/test.h"

#include "model/frontend/frontend.h"
#include "tests/unit/frontend/analysis.h"

#include <stdio.h>
#include <string.h>

/* As PoCL 3.1 on a CPU: OpenCL C 3.0 unless told otherwise, no sub-groups. */
static const struct frontend_macro common[] = {
        {"__OPENCL_VERSION__", "300"}, {"__x86_64__", "1"}, {"cl_khr_fp64", "1"}};
static const struct frontend_macro in_1_2[] = {{"__OPENCL_C_VERSION__", "120"}};
static const struct frontend_macro in_3_0[] = {{"__OPENCL_C_VERSION__", "300"},
                                               {"__opencl_c_fp64", "1"}};
static const char *const undefined[] = {"cl_khr_subgroups", "__SPIR__", "__SPIR64__"};
static const char *const refused[] = {"-cl-intel-greater-than-4GB-buffer-required"};
static const struct frontend_standard standards[] = {
        {"", false, in_3_0, 2},
        {"-cl-std=CL1.2", false, in_1_2, 1},
        {"-cl-std=CL2.0", true, NULL, 0},
        {"-cl-std=CL3.0", false, in_3_0, 2},
};
static const struct frontend_language language = {.origin = "asked of the device's compiler",
                                                  .macros = common,
                                                  .macro_count = 3,
                                                  .undefined = undefined,
                                                  .undefined_count = 3,
                                                  .standards = standards,
                                                  .standard_count = 4,
                                                  .refused = refused,
                                                  .refused_count = 1};

static enum status analyse_in(const struct frontend_language *in, const char *source,
                              const char *options, char name[IR_NAME_MAX],
                              struct frontend_report *report, struct error *error)
{
	struct frontend_program program = {.name = "x.cl",
	                                   .source = source,
	                                   .source_bytes = strlen(source),
	                                   .options = options,
	                                   .language = in};
	struct ir_kernel **kernels;
	size_t count;
	enum status status = frontend_analyse(&program, &kernels, &count, report, error);
	if (status == STATUS_OK) {
		assert_int_equal(count, 1);
		(void)snprintf(name, IR_NAME_MAX, "%s", kernels[0]->name);
		frontend_free(kernels, count);
	}
	return status;
}

/* The one kernel that is left of a source: which branch was taken. */
static void assert_kernel(const char *source, const char *options, const char *want)
{
	struct frontend_report report;
	struct error error;
	char name[IR_NAME_MAX] = "";
	if (analyse_in(&language, source, options, name, &report, &error) != STATUS_OK)
		fail_msg("%s: %s", source, error.text);
	if (strcmp(name, want) != 0)
		fail_msg("%s with %s: want %s, got %s", source, options, want, name);
}

#define YES_IF(condition)                                                                          \
	"#if " condition "\nkernel void yes(void) {}\n#else\nkernel void no(void) {}\n#endif\n"

static void macros_are_the_devices(void **state)
{
	(void)state;
	assert_kernel(YES_IF("__OPENCL_VERSION__ == 300"), NULL, "yes");
	assert_kernel(YES_IF("__OPENCL_VERSION__ == 300"), "-cl-std=CL1.2", "yes");
	assert_kernel(YES_IF("defined(cl_khr_subgroups)"), "-cl-std=CL3.0", "no");
	assert_kernel(YES_IF("defined(__SPIR__) || defined(__SPIR64__)"), NULL, "no");
	assert_kernel(YES_IF("defined(__x86_64__) && defined(cl_khr_fp64)"), NULL, "yes");
}

static void the_standard_is_the_devices_own(void **state)
{
	(void)state;
	assert_kernel(YES_IF("__OPENCL_C_VERSION__ == 300"), NULL, "yes");
	assert_kernel(YES_IF("__OPENCL_C_VERSION__ == 300"), "-w", "yes");
	assert_kernel(YES_IF("__OPENCL_C_VERSION__ == 120"), "-cl-std=CL1.2", "yes");
	assert_kernel(YES_IF("__OPENCL_C_VERSION__ == 300"), "-cl-std=CL3.0", "yes");
	/* what one standard defines another does not */
	assert_kernel(YES_IF("defined(__opencl_c_fp64)"), NULL, "yes");
	assert_kernel(YES_IF("defined(__opencl_c_fp64)"), "-cl-std=CL1.2", "no");
	/* it is the language that is parsed, too: generic pointers came with 2.0 */
	assert_kernel("kernel void yes(global float *a) { float *p = a; p[0] = 1; }\n", NULL,
	              "yes");
}

static void what_the_clients_options_say_stands(void **state)
{
	(void)state;
	assert_kernel(YES_IF("__x86_64__ == 7"), "-D__x86_64__=7", "yes");
	assert_kernel(YES_IF("defined(__x86_64__)"), "-U __x86_64__", "no");
	assert_kernel(YES_IF("defined(cl_khr_subgroups)"), "-Dcl_khr_subgroups", "yes");
}

static void what_the_compiler_refuses_is_refused(void **state)
{
	struct frontend_report report;
	struct error error;
	char name[IR_NAME_MAX];
	(void)state;
	assert_int_equal(analyse_in(&language, "kernel void k(void) {}", "-cl-std=CL2.0", name,
	                            &report, &error),
	                 STATUS_INVALID);
	assert_string_equal(error.text,
	                    "build option -cl-std=CL2.0: this device's compiler refuses it");
	assert_int_equal(
	        analyse_in(&language, "kernel void k(void) {}", refused[0], name, &report, &error),
	        STATUS_INVALID);
	assert_non_null(strstr(error.text, "this device's compiler refuses it"));
	/* of a device that is not known it is taken */
	assert_int_equal(
	        analyse_in(NULL, "kernel void k(void) {}", refused[0], name, &report, &error),
	        STATUS_OK);
	assert_string_equal(report.note, refused[0]);
}

static void a_report_names_language_and_options_that_change_nothing(void **state)
{
	struct frontend_report report;
	struct error error;
	char name[IR_NAME_MAX];
	(void)state;
	assert_int_equal(analyse_in(&language, "kernel void k(void) {}",
	                            "-g -O3 -g -cl-nv-maxrregcount 32 -w", name, &report, &error),
	                 STATUS_OK);
	assert_string_equal(report.note, "-g, -O3, -cl-nv-maxrregcount");
	assert_string_equal(report.language, "OpenCL C 3.0, asked of the device's compiler");
	assert_int_equal(analyse_in(NULL, "kernel void k(void) {}", NULL, name, &report, &error),
	                 STATUS_OK);
	assert_string_equal(report.language, "OpenCL C 1.2, of no device's compiler");
	assert_string_equal(report.note, "");
}

/* Names that mean something to the preprocessor itself, from a file that anybody wrote. */
/* A device without the generic address space has its built-ins by the others. */
static void builtins_take_pointers_of_each_address_space(void **state)
{
	(void)state;
	static const char *const none[] = {"__opencl_c_generic_address_space",
	                                   "__opencl_c_named_address_space_builtins"};
	static const char source[] =
	        "kernel void k(global uchar *a, global float *b) { float whole;\n"
	        "  vstore8(vload8(1, a), 2, a); b[0] = fract(b[1], &whole) + whole; }\n";
	static const char *const options[] = {NULL, "-cl-std=CL1.2", "-cl-std=CL3.0"};
	struct frontend_language in = language;
	in.undefined = none;
	for (size_t count = 0; count <= 2; count++)
		for (size_t i = 0; i < 3; i++) {
			struct frontend_program program = {.name = "x.cl",
			                                   .source = source,
			                                   .source_bytes = sizeof source - 1,
			                                   .options = options[i],
			                                   .language = &in};
			struct ir_kernel **kernels;
			struct error error;
			size_t kernel_count;
			in.undefined_count = count;
			assert_int_equal(
			        frontend_analyse(&program, &kernels, &kernel_count, NULL, &error),
			        STATUS_OK);
			assert_string_equal(kernels[0]->unsupported, "");
			frontend_free(kernels, kernel_count);
		}
}

static void a_hostile_profile_is_harmless(void **state)
{
	static const struct frontend_macro odd[] = {
	        {"defined", "1"}, {"__LINE__", "7"}, {"kernel", ")"}, {"x", "\"unfinished"}};
	static const struct frontend_language bad = {
	        .origin = "?", .macros = odd, .macro_count = 4, .standards = standards};
	struct frontend_report report;
	struct error error;
	char name[IR_NAME_MAX];
	(void)state;
	assert_int_equal(analyse_in(&bad, "kernel void k(void) {}", NULL, name, &report, &error),
	                 STATUS_SYNTAX);
	assert_int_equal(analyse_in(&bad, "__kernel void k(int y) {}", NULL, name, &report, &error),
	                 STATUS_OK);
}

static void options_that_have_a_price_reach_the_kernel(void **state)
{
	static const struct {
		const char *options;
		uint32_t build;
	} rows[] = {
	        {NULL, 0},
	        {"-cl-opt-disable", BUILD_OPT_DISABLE},
	        {"-cl-mad-enable -cl-no-signed-zeros", BUILD_MAD_ENABLE | BUILD_NO_SIGNED_ZEROS},
	        {"-cl-fast-relaxed-math", BUILD_OPTIONS & ~(uint32_t)BUILD_OPT_DISABLE},
	        {"-cl-denorms-are-zero -g", BUILD_DENORMS_ARE_ZERO},
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct ir_kernel *kernel = analyse("kernel void k(void) {}", rows[i].options);
		assert_int_equal(kernel->build, rows[i].build);
		kernel_free(kernel);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(macros_are_the_devices),
	        cmocka_unit_test(the_standard_is_the_devices_own),
	        cmocka_unit_test(what_the_clients_options_say_stands),
	        cmocka_unit_test(what_the_compiler_refuses_is_refused),
	        cmocka_unit_test(a_report_names_language_and_options_that_change_nothing),
	        cmocka_unit_test(builtins_take_pointers_of_each_address_space),
	        cmocka_unit_test(a_hostile_profile_is_harmless),
	        cmocka_unit_test(options_that_have_a_price_reach_the_kernel),
	};
	return cmocka_run_group_tests_name("frontend profile", tests, NULL, NULL);
}
