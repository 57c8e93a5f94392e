/* SPDX-License-Identifier: Apache-2.0 */
/* Cases that are measured on a simulated device: what is refused, and with which sentence. */
#include "tests/test.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/calibrator/measure.h"
#include "daemon/calibrator/opencl.h"
#include "model/device/launch.h"
#include "model/ir/ir.h"
#include "tests/unit/calibrator/simulated.h"

enum { VALUES_MAX = 4, MANY = 5000 };

/* A case with at most one argument, that a test bends. */
struct one_case {
	struct simulated how;
	Predictd__CalibratorMeasure request;
	Predictd__MeasureCase what, *cases[1];
	Predictd__Program program;
	Predictd__Header header, *headers[MANY];
	Predictd__Launch launch;
	Predictd__Argument argument, *arguments[VALUES_MAX + 2];
	uint64_t global[4], local[4], offset[4];
	int64_t integers[VALUES_MAX];
	double reals[VALUES_MAX];
	const char *types[VALUES_MAX + 3];
};

static char *text_of(const char *text)
{
	return (char *)(uintptr_t)text;
}

/* 1024 work-items in groups of 64, without arguments. */
static struct one_case *plain(void)
{
	static struct one_case one;
	memset(&one, 0, sizeof one);
	one.how.is_gpu = true;
	one.how.argument_types = one.types;
	predictd__calibrator_measure__init(&one.request);
	predictd__measure_case__init(&one.what);
	predictd__program__init(&one.program);
	predictd__header__init(&one.header);
	predictd__launch__init(&one.launch);
	predictd__argument__init(&one.argument);
	for (size_t i = 0; i < MANY; i++)
		one.headers[i] = &one.header;
	for (size_t i = 0; i < sizeof one.arguments / sizeof one.arguments[0]; i++)
		one.arguments[i] = &one.argument;
	for (size_t i = 0; i < 4; i++) {
		one.global[i] = 1024;
		one.local[i] = 4;
	}
	one.local[0] = 64;
	one.header.name = text_of("a.h");
	one.header.text = (ProtobufCBinaryData){1, (uint8_t *)text_of("\n")};
	one.program.source = (ProtobufCBinaryData){6, (uint8_t *)text_of("kernel")};
	one.program.headers = one.headers;
	one.launch.n_global_items = one.launch.n_local_items = 1;
	one.launch.global_items = one.global;
	one.launch.local_items = one.local;
	one.launch.offset_items = one.offset;
	one.launch.arguments = one.arguments;
	one.what.kernel = text_of("one");
	one.what.program = &one.program;
	one.what.launch = &one.launch;
	one.cases[0] = &one.what;
	one.request.n_cases = 1;
	one.request.cases = one.cases;
	one.request.budget_s = 1e-3;
	return &one;
}

/* The same with an argument of a kind, that the kernel declares as that type. */
static struct one_case *with(enum argument_kind kind, const char *type)
{
	struct one_case *one = plain();
	one->launch.n_arguments = 1;
	one->types[0] = type;
	one->argument.kind = kind;
	one->argument.access = BUFFER_READ_WRITE;
	one->argument.size_bytes = 4096;
	one->argument.integers = one->integers;
	one->argument.reals = one->reals;
	return one;
}

/* Measures it: the sentence of what was wrong, or NULL; no object may be left. */
static const char *error_of(struct one_case *one, unsigned *runs)
{
	static char said[512];
	static uint8_t bytes[1 << 16];
	struct error error = {.text = ""};
	int fd = memfd_create("replies", MFD_CLOEXEC);
	assert_true(fd >= 0);
	simulated_begin(&one->how);
	enum status status = measure(&one->request, fd, &error);
	ssize_t size = pread(fd, bytes, sizeof bytes, 0);
	close(fd);
	assert_int_equal(simulated_objects(), 0);
	(void)snprintf(said, sizeof said, "%s", error.text);
	if (status != STATUS_OK)
		return said;
	assert_true(size > 4);
	Predictd__CalibratorReply *reply =
	        predictd__calibrator_reply__unpack(NULL, (size_t)size - 4, bytes + 4);
	assert_non_null(reply);
	const Predictd__Error *why = reply->measurement->error;
	if (why != NULL)
		(void)snprintf(said, sizeof said, "%s", why->text);
	else
		assert_true(reply->measurement->kernel_time_s > 0);
	if (runs != NULL)
		*runs = reply->measurement->runs;
	bool is_well = why == NULL;
	predictd__calibrator_reply__free_unpacked(reply, NULL);
	return is_well ? NULL : said;
}

static void assert_says(struct one_case *one, const char *part)
{
	const char *said = error_of(one, NULL);
	if (said == NULL || strstr(said, part) == NULL)
		fail_msg("want '%s' in '%s'", part, said != NULL ? said : "nothing");
}

static void assert_well(struct one_case *one)
{
	const char *said = error_of(one, NULL);
	if (said != NULL)
		fail_msg("%s", said);
}

/* ---- launches ------------------------------------------------------------------------------- */

static void a_launch_that_no_device_takes_is_refused_by_what_is_wrong(void **state)
{
	(void)state;
	static const struct {
		size_t global, local, offset; /* dimensions */
		uint64_t items[3], each[3];
		const char *part;
	} wrong[] = {
	        {0, 0, 0, {0}, {0}, "want 1 to 3 dimensions, got 0"},
	        {4, 0, 0, {1, 1, 1}, {0}, "want 1 to 3 dimensions, got 4"},
	        {2, 1, 0, {64, 64}, {1}, "global has 2 dimensions, local 1"},
	        {1, 1, 2, {64}, {1}, "offset 2"},
	        {2, 0, 0, {64, 0}, {0}, "a size of zero in dimension 1"},
	        {1, 1, 0, {64}, {0}, "a size of zero in dimension 0"},
	        {1, 1, 0, {2048}, {2048}, "allows work-groups of 1024"},
	        {2, 2, 0, {1024, 1024}, {512, 4}, "allows work-groups of 1024"},
	        {3, 3, 0, {1, 1, 1024}, {1, 1, UINT64_MAX}, "allows work-groups of 1024"},
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct one_case *one = plain();
		one->launch.n_global_items = wrong[i].global;
		one->launch.n_local_items = wrong[i].local;
		one->launch.n_offset_items = wrong[i].offset;
		memcpy(one->global, wrong[i].items, sizeof wrong[i].items);
		memcpy(one->local, wrong[i].each, sizeof wrong[i].each);
		assert_says(one, wrong[i].part);
	}
	struct one_case *one = plain();
	one->global[0] = 100;
	assert_well(one); /* OpenCL 2.0 */
	one->how.odd = ODD_VERSION;
	assert_says(one, "local 64 does not divide global 100");
	one = plain();
	one->launch.n_global_items = one->launch.n_local_items = one->launch.n_offset_items = 3;
	one->offset[2] = 8;
	one->local[0] = 16;
	assert_well(one);
}

static void a_case_without_its_parts_is_refused(void **state)
{
	(void)state;
	struct one_case *one = plain();
	one->what.program = NULL;
	assert_says(one, "no program or no launch");
	one = plain();
	one->what.launch = NULL;
	assert_says(one, "no program or no launch");
	one = plain();
	one->request.device = text_of("3");
	assert_says(one, "want an index below 1");
	one = plain();
	one->how.odd = ODD_AWAY;
	assert_says(one, "Simulated device: the driver says that it is not available");
}

static void runs_and_budgets_are_bounded(void **state)
{
	(void)state;
	static const double budgets[] = {0, -1, (double)NAN, (double)INFINITY, 1e-3};
	unsigned runs = 0;
	for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
		struct one_case *one = plain();
		one->request.budget_s = budgets[i];
		assert_null(error_of(one, &runs));
		assert_in_range(runs, 5, 1000);
	}
	struct one_case *one = plain();
	one->what.runs_min = 5000;
	assert_null(error_of(one, &runs));
	assert_int_equal(runs, 1000);
}

static void the_device_has_nothing_to_do_before_each_run(void **state)
{
	(void)state;
	static const double pauses_s[] = {1e-5, 1e-3, 0.1, 60};
	static const double wrong_s[] = {-1, 61, (double)NAN, (double)INFINITY};
	unsigned runs = 0;
	for (size_t i = 0; i < sizeof pauses_s / sizeof *pauses_s; i++) {
		struct one_case *one = plain();
		one->launch.idle_s = pauses_s[i];
		assert_null(error_of(one, &runs));
		assert_in_range(runs, 5, 1000);
		assert_true(simulated_idle_s() >= pauses_s[i]);
		assert_true(simulated_idle_s() < pauses_s[i] + 1e-5);
	}
	for (size_t i = 0; i < sizeof wrong_s / sizeof *wrong_s; i++) {
		struct one_case *one = plain();
		one->launch.idle_s = wrong_s[i];
		assert_says(one, "idle time: want 0 to 60 s");
	}
}

static void a_kernel_is_the_one_that_the_source_has_or_a_question(void **state)
{
	(void)state;
	struct one_case *one = plain();
	one->what.kernel = text_of("");
	assert_well(one);
	one->how.kernel_names = "one;two";
	assert_says(one, "want a name, the source has 2: one, two");
	one->how.kernel_names = "";
	assert_says(one, "the source has no kernel");
}

/* ---- programs ------------------------------------------------------------------------------- */

static void headers_stay_in_their_folder(void **state)
{
	(void)state;
	static char lengthy[5000];
	static const struct {
		const char *name, *part; /* NULL: well */
	} names[] = {
	        {"a.h", NULL},
	        {"a/./b//c.h", NULL},
	        {"../x.h", NULL},
	        {"..a/...h", NULL},
	        {"../../../../../../../x.h", NULL},
	        {"", "want a relative name"},
	        {"/etc/passwd", "want a relative name"},
	        {"../../../../../../../../x.h", "want a relative name"},
	        {"a/../../../../../../../../../x.h", "want a relative name"},
	        {"a/", "Is a directory"},
	        {".", "Is a directory"},
	        {lengthy, "name too long"},
	};
	memset(lengthy, 'a', sizeof lengthy - 1);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct one_case *one = plain();
		one->program.n_headers = 1;
		one->header.name = text_of(names[i].name);
		if (names[i].part == NULL)
			assert_well(one);
		else
			assert_says(one, names[i].part);
	}
	struct one_case *one = plain();
	one->program.n_headers = MANY;
	assert_says(one, "5000 headers: want at most 4096");
	/* a file where a folder is wanted */
	one = plain();
	Predictd__Header below = one->header;
	below.name = text_of("a.h/b.h");
	one->headers[1] = &below;
	one->program.n_headers = 2;
	assert_says(one, "Not a directory");
}

static void a_folder_for_headers_that_cannot_be_made_is_named(void **state)
{
	(void)state;
	struct one_case *one = plain();
	const char *kept = getenv("TMPDIR");
	one->program.n_headers = 1;
	one->program.options = text_of("-DX");
	setenv("TMPDIR", "/nonexistent", 1);
	assert_says(one, "/nonexistent: no private directory");
	/* what would end the option is not taken */
	setenv("TMPDIR", "/nonexistent -cl-opt", 1);
	assert_well(one);
	setenv("TMPDIR", "nonexistent", 1);
	assert_well(one);
	static char lengthy[5000];
	memset(lengthy, 'a', sizeof lengthy - 1);
	lengthy[0] = '/';
	setenv("TMPDIR", lengthy, 1);
	assert_says(one, "no private directory");
	if (kept != NULL)
		setenv("TMPDIR", kept, 1);
	else
		unsetenv("TMPDIR");
}

/* ---- arguments ------------------------------------------------------------------------------ */

static void buffers_fit_the_device(void **state)
{
	(void)state;
	struct one_case *one = with(ARGUMENT_BUFFER, "float*");
	one->argument.size_bytes = 0;
	assert_says(one, "buffer of 0 bytes");
	one->argument.size_bytes = UINT64_MAX;
	assert_says(one, "the device allows 1 to 268435456");
	one = with(ARGUMENT_BUFFER, "float*");
	one->argument.size_bytes = 1 << 28;
	one->launch.n_arguments = 5;
	for (size_t i = 0; i < 5; i++)
		one->types[i] = "float*";
	assert_says(one, "buffers of 1342177280 bytes in all");
	one = with(ARGUMENT_BUFFER, "float*");
	one->how.odd = ODD_MEMORY_HUGE;
	one->argument.size_bytes = UINT64_MAX / 2;
	one->launch.n_arguments = 3;
	for (size_t i = 0; i < 3; i++)
		one->types[i] = "float*";
	assert_true(error_of(one, NULL) != NULL);
}

static void buffers_are_filled_by_type_or_by_what_is_asked_for(void **state)
{
	(void)state;
	static const char *const types[] = {"float*", "double4*", "int*", "a type that is longer"};
	for (size_t i = 0; i < 4; i++)
		for (uint32_t access = 0; access < 6; access++) {
			struct one_case *one = with(ARGUMENT_BUFFER, types[i]);
			one->argument.access = access;
			one->what.with_transfers = true;
			one->what.pinned_transfers = access == 3;
			assert_well(one);
		}
	struct one_case *one = with(ARGUMENT_BUFFER, "float*");
	one->argument.init = text_of("iota");
	assert_well(one);
	one->argument.init = text_of("nonsense");
	assert_says(one, "want zero, iota");
	one = with(ARGUMENT_BUFFER, "float*");
	one->argument.size_bytes = 40 << 20; /* in pieces */
	assert_well(one);
}

static void scalars_have_a_type_and_so_many_values(void **state)
{
	(void)state;
	static const struct {
		const char *type;
		size_t integers, reals;
		const char *part;
	} scalars[] = {
	        {"int", 1, 0, NULL},
	        {"uchar4", 4, 0, NULL},
	        {"half2", 0, 2, NULL},
	        {"float", 0, 1, NULL},
	        {"double4", 0, 4, NULL},
	        {"int", 0, 1, "int wants 1 values, has 0"},
	        {"float4", 0, 3, "float4 wants 4 values, has 3"},
	        {"bool", 1, 0, "'bool' is no type"},
	        {"word", 1, 0, "'word' is no type"},
	        {"", 1, 0, "'' is no type"},
	};
	for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) {
		struct one_case *one = with(ARGUMENT_SCALAR, "a");
		one->argument.type = text_of(scalars[i].type);
		one->argument.n_integers = scalars[i].integers;
		one->argument.n_reals = scalars[i].reals;
		if (scalars[i].part == NULL)
			assert_well(one);
		else
			assert_says(one, scalars[i].part);
	}
}

static void local_memory_and_structs_have_their_limits(void **state)
{
	(void)state;
	struct one_case *one = with(ARGUMENT_LOCAL, "float*");
	assert_well(one);
	one->argument.size_bytes = 0;
	assert_says(one, "local memory of 0 bytes, want 1 to 49152");
	one->argument.size_bytes = 49153;
	assert_says(one, "local memory of 49153 bytes");
	one->how.odd = ODD_NO_LOCAL;
	one->argument.size_bytes = 4;
	assert_says(one, "local memory of 4 bytes");
	one = with(ARGUMENT_STRUCT, "struct s");
	assert_well(one);
	one->argument.size_bytes = (1 << 16) + 1;
	assert_says(one, "a struct of 65537 bytes");
	one = with((enum argument_kind)99, "a");
	assert_says(one, "argument 0: unknown kind 99");
	one->launch.n_arguments = 2;
	assert_says(one, "the kernel wants 1 arguments, got 2");
}

static void images_have_as_many_sizes_as_their_kind(void **state)
{
	(void)state;
	static const struct {
		const char *type;
		uint32_t sizes[3];
		const char *format, *part;
	} images[] = {
	        {"image1d_t", {32, 0, 0}, "", NULL},
	        {"image1d_buffer_t", {32, 0, 0}, "r32f", NULL},
	        {"image1d_array_t", {32, 4, 0}, "rgba8", NULL},
	        {"image2d_t", {32, 32, 1}, "rgba32f", NULL},
	        {"image2d_array_t", {32, 32, 4}, "rgba16f", NULL},
	        {"image3d_t", {32, 32, 4}, "r32ui", NULL},
	        {"void", {32, 0, 0}, "", NULL},
	        {"void", {32, 32, 0}, "", NULL},
	        {"void", {32, 32, 2}, "", NULL},
	        {"image1d_t", {32, 32, 0}, "", "want 1 sizes of an image"},
	        {"image2d_t", {32, 0, 0}, "", "want 2 sizes of an image"},
	        {"image3d_t", {0, 32, 32}, "", "want 3 sizes of an image"},
	        {"image2d_t", {1u << 20, 1u << 20, 0}, "", "the device allows images of"},
	        {"image2d_t", {UINT32_MAX, UINT32_MAX, 0}, "rgba32f", "allows images of"},
	        {"image2d_t", {32, 32, 0}, "rgb5", "want an image format such as"},
	};
	for (size_t i = 0; i < sizeof images / sizeof *images; i++)
		for (uint32_t access = 0; access < 2; access++) {
			struct one_case *one = with(ARGUMENT_IMAGE, images[i].type);
			one->argument.width = images[i].sizes[0];
			one->argument.height = images[i].sizes[1];
			one->argument.depth = images[i].sizes[2];
			one->argument.type = text_of(images[i].format);
			one->argument.access = access;
			one->what.with_transfers = true;
			if (images[i].part == NULL)
				assert_well(one);
			else
				assert_says(one, images[i].part);
		}
	struct one_case *one = with(ARGUMENT_IMAGE, "image2d_t");
	one->argument.width = one->argument.height = 32;
	one->argument.init = text_of("nonsense");
	assert_says(one, "want zero, iota");
	one->argument.init = text_of("iota");
	assert_well(one);
	one->how.odd = ODD_NO_IMAGES;
	assert_says(one, "the device has no images");
	one->how.odd = ODD_IMAGES_REFUSED;
	assert_says(one, "the device has no images of format rgba8");
}

static void samplers_are_read_as_they_are_written(void **state)
{
	(void)state;
	static const char *const well[] = {"",
	                                   "linear",
	                                   "normalized,repeat",
	                                   "normalized,mirrored,linear",
	                                   "clamp",
	                                   "clamp_to_edge,nearest"};
	for (size_t i = 0; i < sizeof well / sizeof *well; i++) {
		struct one_case *one = with(ARGUMENT_SAMPLER, "sampler_t");
		one->argument.type = text_of(well[i]);
		assert_well(one);
	}
	struct one_case *one = with(ARGUMENT_SAMPLER, "sampler_t");
	one->argument.type = text_of("cubic");
	assert_says(one, "'cubic' is no sampler");
}

/* ---- codes ---------------------------------------------------------------------------------- */

static void every_code_of_opencl_has_its_name_and_its_number(void **state)
{
	(void)state;
	unsigned named = 0;
	for (cl_int code = 0; code >= -72; code--) {
		struct error error = {0};
		const char *name = opencl_code_name(code);
		char number[16];
		(void)snprintf(number, sizeof number, "(%d)", code);
		named += strncmp(name, "CL_", 3) == 0;
		assert_true(opencl_failure("clCall", code, &error) != STATUS_OK);
		assert_non_null(strstr(error.text, "clCall: "));
		assert_non_null(strstr(error.text, name));
		assert_non_null(strstr(error.text, number));
	}
	assert_true(named > 50);
	assert_string_equal(opencl_code_name(-1001), "CL_PLATFORM_NOT_FOUND_KHR");
	assert_string_equal(opencl_code_name(-9999), "unknown code");
}

static void a_code_says_whose_fault_it_is(void **state)
{
	(void)state;
	static const struct {
		cl_int code;
		enum status status;
	} faults[] = {{CL_BUILD_PROGRAM_FAILURE, STATUS_SYNTAX},
	              {CL_INVALID_WORK_GROUP_SIZE, STATUS_INVALID},
	              {CL_INVALID_BUFFER_SIZE, STATUS_LIMIT},
	              {CL_OUT_OF_HOST_MEMORY, STATUS_NO_MEMORY},
	              {CL_OUT_OF_RESOURCES, STATUS_DEVICE},
	              {INT32_MIN, STATUS_DEVICE}};
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		struct error error = {0};
		assert_int_equal(opencl_failure("clCall", faults[i].code, &error),
		                 faults[i].status);
	}
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_launch_that_no_device_takes_is_refused_by_what_is_wrong),
	        cmocka_unit_test(a_case_without_its_parts_is_refused),
	        cmocka_unit_test(runs_and_budgets_are_bounded),
	        cmocka_unit_test(the_device_has_nothing_to_do_before_each_run),
	        cmocka_unit_test(a_kernel_is_the_one_that_the_source_has_or_a_question),
	        cmocka_unit_test(headers_stay_in_their_folder),
	        cmocka_unit_test(a_folder_for_headers_that_cannot_be_made_is_named),
	        cmocka_unit_test(buffers_fit_the_device),
	        cmocka_unit_test(buffers_are_filled_by_type_or_by_what_is_asked_for),
	        cmocka_unit_test(scalars_have_a_type_and_so_many_values),
	        cmocka_unit_test(local_memory_and_structs_have_their_limits),
	        cmocka_unit_test(images_have_as_many_sizes_as_their_kind),
	        cmocka_unit_test(samplers_are_read_as_they_are_written),
	        cmocka_unit_test(every_code_of_opencl_has_its_name_and_its_number),
	        cmocka_unit_test(a_code_says_whose_fault_it_is),
	};
	return cmocka_run_group_tests_name("measured", tests, NULL, NULL);
}
