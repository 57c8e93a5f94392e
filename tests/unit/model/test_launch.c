/* SPDX-License-Identifier: Apache-2.0 */
/* Launches: what is filled in, and the sentence for each fault. */
#include "tests/test.h"

#include "model/device/device.h"
#include "model/device/launch.h"
#include "model/device/sample.h"
#include "tests/unit/model/build.h"

struct fixture {
	struct ir_kernel *kernel; /* k(global float *a, uint n, local float *t) */
	struct device device;
	struct launch launch;
};

static int set_up(void **state)
{
	static struct fixture fixture;
	memset(&fixture, 0, sizeof fixture);
	fixture.kernel = kernel_new("k");
	(void)add_buffer(fixture.kernel, "a", SPACE_GLOBAL, FLOAT);
	(void)add_scalar(fixture.kernel, "n", UINT);
	(void)add_buffer(fixture.kernel, "t", SPACE_LOCAL, FLOAT);
	fixture.device.max_group_items = 1024;
	for (unsigned d = 0; d < 3; d++)
		fixture.device.max_item_sizes[d] = d == 2 ? 64 : 1024;
	fixture.device.local_bytes = 32768;
	struct launch *launch = &fixture.launch;
	launch->dimensions = 1;
	launch->global[0] = 4096;
	launch->local[0] = 64;
	launch->has_local = true;
	launch->argument_count = 3;
	launch->arguments[0] = (struct launch_argument){
	        .kind = ARGUMENT_BUFFER, .access = BUFFER_READ, .size_bytes = 64};
	launch->arguments[1] = (struct launch_argument){.kind = ARGUMENT_SCALAR, .type = UINT};
	launch->arguments[2] = (struct launch_argument){.kind = ARGUMENT_LOCAL, .size_bytes = 256};
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	kernel_free(fixture->kernel);
	return 0;
}

static void passes(struct fixture *fixture)
{
	struct error error = {0};
	if (launch_check(fixture->kernel, &fixture->device, &fixture->launch, &error) != STATUS_OK)
		fail_msg("%s", error.text);
}

static void says(struct fixture *fixture, const char *text)
{
	struct error error = {0};
	assert_int_equal(launch_check(fixture->kernel, &fixture->device, &fixture->launch, &error),
	                 STATUS_INVALID);
	assert_string_equal(error.text, text);
}

static void a_sound_launch_passes_and_unused_dimensions_are_one(void **state)
{
	struct fixture *fixture = *state;
	fixture->launch.global[1] = 77;
	fixture->launch.local[2] = 5;
	passes(fixture);
	assert_int_equal(fixture->launch.global[1], 1);
	assert_int_equal(fixture->launch.local[2], 1);
	assert_true(fixture->launch.has_local);
}

static void an_absent_local_size_is_the_largest_power_of_two_that_divides(void **state)
{
	struct fixture *fixture = *state;
	fixture->launch.has_local = false;
	passes(fixture);
	assert_int_equal(fixture->launch.local[0], 256);
	assert_false(fixture->launch.has_local);
	fixture->launch.global[0] = 96;
	passes(fixture);
	assert_int_equal(fixture->launch.local[0], 32);
	fixture->launch.global[0] = 4096;
	fixture->device.max_group_items = 100;
	passes(fixture);
	assert_int_equal(fixture->launch.local[0], 64);
}

static void a_required_size_is_taken_and_demanded(void **state)
{
	struct fixture *fixture = *state;
	fixture->kernel->required_local[0] = 16;
	fixture->kernel->required_local[1] = fixture->kernel->required_local[2] = 1;
	fixture->launch.has_local = false;
	passes(fixture);
	assert_int_equal(fixture->launch.local[0], 16);
	fixture->launch.has_local = true;
	fixture->launch.local[0] = 32;
	says(fixture,
	     "work-group dimension 0: the kernel requires 16 (reqd_work_group_size), got 32");
}

static void a_wrong_argument_is_named_with_what_was_wanted(void **state)
{
	struct fixture *fixture = *state;
	fixture->launch.arguments[1] = fixture->launch.arguments[0];
	says(fixture, "argument 1 (n): want scalar uint, got buffer of 64 bytes");
	fixture->launch.arguments[1] =
	        (struct launch_argument){.kind = ARGUMENT_SCALAR, .type = FLOAT};
	says(fixture, "argument 1 (n): want scalar uint, got scalar float");
	fixture->launch.arguments[1].kind = 99;
	says(fixture, "argument 1 (n): want scalar uint, got kind 99");
	fixture->launch.argument_count = 2;
	says(fixture, "kernel k: want 3 arguments (buffer a, uint n, local t), got 2");
	memset(fixture->kernel->arguments[1].name, 'x', 100);
	fixture->kernel->arguments[1].name[100] = '\0';
	memset(fixture->kernel->arguments[2].name, 'y', 100);
	fixture->kernel->arguments[2].name[100] = '\0';
	struct error error = {0};
	assert_int_equal(launch_check(fixture->kernel, &fixture->device, &fixture->launch, &error),
	                 STATUS_INVALID);
	assert_non_null(strstr(error.text, "yyy...), got 2"));
}

static void any_argument_fits_a_type_that_nobody_declared(void **state)
{
	struct fixture *fixture = *state;
	fixture->kernel->arguments[1].kind = ARGUMENT_STRUCT;
	fixture->kernel->arguments[1].size_bytes = 0;
	fixture->launch.arguments[1] =
	        (struct launch_argument){.kind = ARGUMENT_STRUCT, .size_bytes = 24};
	passes(fixture);
	fixture->launch.arguments[1] =
	        (struct launch_argument){.kind = ARGUMENT_SCALAR, .type = FLOAT};
	passes(fixture);
	fixture->launch.arguments[1] = fixture->launch.arguments[0];
	passes(fixture);
	fixture->launch.arguments[1].size_bytes = 0;
	says(fixture, "argument 1 (n): want a buffer of at least one byte, got none");
}

static void an_argument_without_bytes_or_access_is_refused(void **state)
{
	struct fixture *fixture = *state;
	fixture->launch.arguments[2].size_bytes = 0;
	says(fixture, "argument 2 (t): want a local memory of at least one byte, got none");
	fixture->launch.arguments[2].size_bytes = 4;
	fixture->launch.arguments[0].access = 0;
	says(fixture, "argument 0 (a): want access r, w or rw, got 0");
	fixture->launch.arguments[0].access = BUFFER_READ;
	fixture->launch.arguments[0].has_range = true;
	fixture->launch.arguments[0].low = 3;
	fixture->launch.arguments[0].high = -3;
	says(fixture, "argument 0 (a): want a range from low to high, got 3..-3");
}

static void a_signed_scalar_passes_for_an_unsigned_of_its_size(void **state)
{
	struct fixture *fixture = *state;
	fixture->launch.arguments[1].type = INT;
	fixture->launch.arguments[1].value.integer[0] = -1;
	passes(fixture);
	assert_int_equal(fixture->launch.arguments[1].type.scalar, SCALAR_UINT);
	assert_int_equal(fixture->launch.arguments[1].value.integer[0], 0xffffffff);
}

static void a_fallback_without_parameters_takes_any_arguments(void **state)
{
	struct fixture *fixture = *state;
	struct ir_kernel *kernel = kernel_new("k");
	struct error error;
	assert_int_equal(launch_check(kernel, NULL, &fixture->launch, &error), STATUS_INVALID);
	kernel_unsupported(kernel, "unknown type");
	assert_int_equal(launch_check(kernel, NULL, &fixture->launch, &error), STATUS_OK);
	kernel_free(kernel);
}

static void a_bad_range_of_work_items_is_refused(void **state)
{
	struct fixture *fixture = *state;
	fixture->launch.dimensions = 4;
	says(fixture, "NDRange: want 1 to 3 dimensions, got 4");
	fixture->launch.dimensions = 2;
	fixture->launch.global[1] = 0;
	says(fixture, "NDRange dimension 1: want at least one work-item, got 0");
	fixture->launch.global[1] = UINT64_C(1) << 60;
	says(fixture, "NDRange dimension 1: 1152921504606846976 at offset 0 is more work-items "
	              "than can be counted");
	fixture->launch.global[1] = 1;
	fixture->launch.offset[1] = UINT64_MAX;
	says(fixture, "NDRange dimension 1: 1 at offset 18446744073709551615 is more work-items "
	              "than can be counted");
}

static void local_must_divide_global_unless_the_device_allows_otherwise(void **state)
{
	struct fixture *fixture = *state;
	fixture->launch.dimensions = 2;
	fixture->launch.global[1] = 100;
	fixture->launch.local[1] = 16;
	says(fixture, "NDRange dimension 1: 100 is not divisible by the work-group size 16, "
	              "and the device has no uneven work-groups");
	fixture->device.allows_uneven_groups = true;
	passes(fixture);
}

static void limits_of_the_device_are_named(void **state)
{
	struct fixture *fixture = *state;
	fixture->launch.local[0] = 2048;
	says(fixture, "work-group dimension 0: want at most 1024 work-items, the device's limit, "
	              "got 2048");
	fixture->launch.dimensions = 2;
	fixture->launch.local[0] = fixture->launch.local[1] = 64;
	fixture->launch.global[1] = 64;
	says(fixture, "work-group: want at most 1024 work-items, the device's limit, got 4096");
	fixture->launch.local[1] = 1;
	fixture->launch.arguments[2].size_bytes = 32769;
	says(fixture, "local memory: want at most 32768 bytes a work-group, the device's limit, "
	              "got 32769");
	struct error error;
	assert_int_equal(launch_check(fixture->kernel, NULL, &fixture->launch, &error), STATUS_OK);
}

static void an_argument_over_the_devices_memory_is_refused_where_that_is_known(void **state)
{
	struct fixture *fixture = *state;
	struct error error;
	fixture->launch.arguments[0].size_bytes = UINT64_C(999999) << 30;
	passes(fixture);
	fixture->device.global_bytes = UINT64_C(1) << 30;
	says(fixture, "argument 0 (a): 1073740750258176 bytes is over the device's memory of "
	              "1073741824 bytes");
	assert_int_equal(launch_check(fixture->kernel, NULL, &fixture->launch, &error), STATUS_OK);
	fixture->launch.arguments[0].size_bytes = fixture->device.global_bytes;
	passes(fixture);
	assert_int_equal(launch_argument_bytes(&fixture->launch.arguments[0]), 1 << 30);
	assert_int_equal(launch_argument_bytes(&fixture->launch.arguments[1]), 0);
	assert_int_equal(launch_argument_bytes(&fixture->launch.arguments[2]), 0);
}

static void a_hint_outside_its_range_is_refused(void **state)
{
	struct fixture *fixture = *state;
	fixture->launch.hint_count = 1;
	fixture->launch.hints[0] = (struct launch_hint){.is_branch = 1, .line = 9, .value = 1.5};
	says(fixture, "hint for the branch in line 9: want a share from 0 to 1, got 1.5");
	fixture->launch.hints[0] = (struct launch_hint){.line = 9, .value = -1};
	says(fixture, "hint for the loop in line 9: want trips, got -1");
	fixture->launch.hint_count = LAUNCH_HINTS_MAX + 1;
	says(fixture, "hints: want at most 64, got 65");
}

static void a_hint_for_a_line_without_a_loop_names_those_that_have_one(void **state)
{
	struct fixture *fixture = *state;
	static const uint32_t lines[] = {40, 12, 5, 12, 30, 0};
	fixture->launch.hint_count = 1;
	fixture->launch.hints[0] = (struct launch_hint){.line = 9, .value = 3};
	says(fixture, "hint for the loop in line 9: kernel k has none");
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct ir_statement statement = statement_of(STATEMENT_LOOP, lines[i]);
		statement.body = kernel_block(fixture->kernel);
		(void)kernel_append(fixture->kernel, 0, &statement);
		if (i == 0)
			says(fixture,
			     "hint for the loop in line 9: none is there; the nearest is in "
			     "line 40");
	}
	says(fixture,
	     "hint for the loop in line 9: none is there; the nearest are in lines 5, 12 and 30");
	fixture->launch.hints[0].line = 40;
	passes(fixture);
	fixture->launch.hints[0] = (struct launch_hint){.is_branch = 1, .line = 12, .value = 0.5};
	says(fixture, "hint for the branch in line 12: kernel k has none");
	(void)strcpy(fixture->kernel->unsupported, "line 3: recursion in f");
	passes(fixture);
}

static void what_was_given_is_said_by_its_kind(void **state)
{
	struct fixture *f = *state;
	static const struct {
		struct launch_argument got;
		const char *text;
	} rows[] = {
	        {{.kind = ARGUMENT_SAMPLER}, "argument 1 (n): want scalar uint, got sampler"},
	        {{.kind = ARGUMENT_IMAGE, .width = 4, .height = 3, .depth = 1},
	         "argument 1 (n): want scalar uint, got image of 4x3x1"},
	        {{.kind = ARGUMENT_STRUCT, .size_bytes = 8},
	         "argument 1 (n): want scalar uint, got struct of 8 bytes"},
	        {{.kind = ARGUMENT_LOCAL, .size_bytes = 8},
	         "argument 1 (n): want scalar uint, got local memory of 8 bytes"},
	        {{.kind = 99}, "argument 1 (n): want scalar uint, got kind 99"},
	        {{.kind = ARGUMENT_SCALAR, .type = {SCALAR_INT, 5}},
	         "argument 1 (n): want scalar uint, got scalar value"},
	        {{.kind = ARGUMENT_SCALAR, .type = {SCALAR_UINT, 4}},
	         "argument 1 (n): want scalar uint, got scalar uint4"},
	        {{.kind = ARGUMENT_SCALAR, .type = {SCALAR_FLOAT, 1}},
	         "argument 1 (n): want scalar uint, got scalar float"},
	        {{.kind = ARGUMENT_SCALAR, .type = {SCALAR_LONG, 1}},
	         "argument 1 (n): want scalar uint, got scalar long"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		f->launch.arguments[1] = rows[i].got;
		says(f, rows[i].text);
	}
}

static void launches_that_overflow_are_refused(void **state)
{
	struct fixture *f = *state;
	struct launch good = f->launch;
	struct error error = {0};
	for (unsigned row = 0; row < 5; row++) {
		f->launch = good;
		f->launch.dimensions = row == 0 ? 0 : row == 1 ? 4 : 3;
		f->launch.global[1] = f->launch.global[2] = row == 2 ? UINT64_C(1) << 40 : 64;
		f->launch.local[1] = f->launch.local[2] = row == 3 ? UINT64_C(1) << 60 : 1;
		if (row == 4)
			f->launch.offset[2] = UINT64_MAX - 3;
		assert_int_equal(launch_check(f->kernel, &f->device, &f->launch, &error),
		                 STATUS_INVALID);
		assert_true(error.text[0] != '\0');
	}
}

static void a_sample_is_of_this_buffer(void **state)
{
	struct fixture *fixture = *state;
	const struct sample sample = {.size_bytes = 64};
	struct launch_argument *arguments = fixture->launch.arguments;
	arguments[0].sample = &sample;
	passes(fixture);
	arguments[0].size_bytes = 68;
	says(fixture, "argument 0 (a): want a sample of a buffer of 68 bytes, got one of 64");
	arguments[0].sample = NULL;
	arguments[2].sample = &sample;
	says(fixture, "argument 2 (t): want a sample of buffers alone, got one of local memory");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	        TEST(a_sound_launch_passes_and_unused_dimensions_are_one),
	        TEST(an_absent_local_size_is_the_largest_power_of_two_that_divides),
	        TEST(a_required_size_is_taken_and_demanded),
	        TEST(any_argument_fits_a_type_that_nobody_declared),
	        TEST(a_wrong_argument_is_named_with_what_was_wanted),
	        TEST(an_argument_without_bytes_or_access_is_refused),
	        TEST(a_signed_scalar_passes_for_an_unsigned_of_its_size),
	        TEST(a_fallback_without_parameters_takes_any_arguments),
	        TEST(a_sample_is_of_this_buffer),
	        TEST(a_bad_range_of_work_items_is_refused),
	        TEST(local_must_divide_global_unless_the_device_allows_otherwise),
	        TEST(limits_of_the_device_are_named),
	        TEST(an_argument_over_the_devices_memory_is_refused_where_that_is_known),
	        TEST(a_hint_outside_its_range_is_refused),
	        TEST(a_hint_for_a_line_without_a_loop_names_those_that_have_one),
	        TEST(what_was_given_is_said_by_its_kind),
	        TEST(launches_that_overflow_are_refused),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
