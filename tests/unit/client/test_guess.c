/* SPDX-License-Identifier: Apache-2.0 */
/* Guesses about kernels that come without sizes. */
#include "tests/test.h"

#include <string.h>

#include "client/predictctl/cases.h"
#include "client/predictctl/guess.h"

static const char *const source =
        "float helper(float scale_x) { return get_global_id(2); }\n"
        "__kernel void flat(__global const float *a, __global float *b, int n)\n"
        "{ b[get_global_id(0)] = a[get_global_id(0)]; }\n"
        "kernel void plane(global uchar *image, __constant float *mask, uint width, uint h,\n"
        "                  float gain, local float2 *tile)\n"
        "{ size_t x = get_global_id(0), y = get_global_id( 1 ); image[x] = 0; }\n"
        "kernel void sq_mod(global float *a, global const float *b, int m, int n)\n"
        "{ int p = get_global_id(0); }\n";

static void dimensions_are_those_of_the_kernel_alone(void **state)
{
	(void)state;
	assert_int_equal(guess_dimensions(source, "flat"), 1);
	assert_int_equal(guess_dimensions(source, "plane"), 2);
	assert_int_equal(guess_dimensions(source, "helper"), 3);
	assert_int_equal(guess_dimensions("", "none"), 1);
}

static void const_parameters_are_read_only(void **state)
{
	(void)state;
	assert_true(guess_parameter(source, "flat", 0).is_const);
	assert_false(guess_parameter(source, "flat", 1).is_const);
	assert_true(guess_parameter(source, "plane", 1).is_constant);
	assert_false(guess_parameter(source, "plane", 0).is_constant);
	assert_false(guess_parameter(source, "absent", 0).is_const);
}

static void elements_have_their_opencl_size(void **state)
{
	(void)state;
	assert_int_equal(guess_element_bytes("float"), 4);
	assert_int_equal(guess_element_bytes("float3"), 16);
	assert_int_equal(guess_element_bytes("double2"), 16);
	assert_int_equal(guess_element_bytes("uchar"), 1);
	assert_int_equal(guess_element_bytes("struct"), 4);
	assert_int_equal(guess_element_bytes("48"), 48); /* a struct's buffer */
	assert_int_equal(guess_element_bytes("99999999999999999999"), 4);
}

/* The guess, read by the parser of cases files. */
static void guess_of(const char *text_of_source, const predictd_kernel *kernel, uint64_t items,
                     struct case_list *list)
{
	char said[1024];
	struct complaint why;
	json_t *array = json_array();
	json_array_append_new(array, guess_case("/k.cl", "", text_of_source, kernel, items, said));
	char *text = json_dumps(array, 0);
	assert_non_null(text);
	if (!case_list_parse(text, strlen(text), "", list, &why))
		fail_msg("%s: %s", text, why.text);
	assert_non_null(strstr(said, kernel->name));
	free(text);
	json_decref(array);
}

static void guess(const predictd_kernel *kernel, uint64_t items, struct case_list *list)
{
	guess_of(source, kernel, items, list);
}

static void a_flat_kernel_gets_its_length(void **state)
{
	(void)state;
	const char *const names[] = {"a", "b", "n"};
	const char *const types[] = {"buffer float", "buffer float", "scalar int"};
	const predictd_kernel kernel = {.name = "flat",
	                                .unsupported = "",
	                                .argument_count = 3,
	                                .argument_names = names,
	                                .argument_types = types};
	struct case_list list;
	guess(&kernel, 4096, &list);
	const struct launch_case *one = &list.cases[0];
	assert_int_equal(one->dimensions, 1);
	assert_int_equal(one->global[0], 4096);
	assert_int_equal(one->arguments[0].size_bytes, 16384);
	assert_int_equal(one->arguments[0].access, PREDICTD_READ);
	assert_int_equal(one->arguments[1].access, PREDICTD_READ_WRITE);
	assert_int_equal(one->arguments[2].integers[0], 4096);
	assert_false(one->has_groups);
	case_list_deinit(&list);
}

static void two_sides_of_a_flat_kernel_are_a_square(void **state)
{
	(void)state;
	const char *const names[] = {"a", "b", "m", "n"};
	const char *const types[] = {"buffer float", "buffer float", "scalar int", "scalar int"};
	const predictd_kernel kernel = {.name = "sq_mod",
	                                .unsupported = "",
	                                .argument_count = 4,
	                                .argument_names = names,
	                                .argument_types = types};
	struct case_list list;
	guess(&kernel, 65536, &list);
	assert_int_equal(list.cases[0].arguments[2].integers[0], 256);
	assert_int_equal(list.cases[0].arguments[3].integers[0], 256);
	case_list_deinit(&list);
}

static void a_name_is_a_factor_or_a_divisor_where_it_is_one(void **state)
{
	(void)state;
	static const char text[] =
	        "float of(float n) { return n * 2; }\n"
	        "kernel void k(global float *a, int n, int m, int p, int q, int nn)\n"
	        "{ int x = get_global_id(0); /* n */ for (int i = 0; i < n; i++)\n"
	        "  a[x * m + i] = a[i\n* p] + a[mad24(x, q, (i))] + x / nn + x % nn + of(n); }";
	assert_false(guess_use(text, "k", "n").is_factor);
	assert_false(guess_use(text, "k", "n").is_divisor);
	assert_true(guess_use(text, "k", "m").is_factor);
	assert_true(guess_use(text, "k", "p").is_factor);
	assert_true(guess_use(text, "k", "q").is_factor);
	assert_true(guess_use(text, "k", "nn").is_divisor);
	assert_false(guess_use(text, "k", "nn").is_factor);
	assert_false(guess_use(text, "k", "").is_factor);
	assert_false(guess_use("", "k", "n").is_factor);
	assert_false(guess_use("kernel void k(", "k", "n").is_factor);
	assert_false(guess_use("kernel void k(int n) { n", "k", "n").is_factor);
}

static void a_shift_is_small_and_a_step_is_not_zero(void **state)
{
	(void)state;
	static const char text[] =
	        "kernel void k(global uint *a, uint stage, uint pass, int start)\n"
	        "{ uint d = 1u << pass; for (int i = 0; i < 9; i += start)\n"
	        "    a[i] = d + ((a[i] >> (stage)) & 1u); }";
	assert_true(guess_use(text, "k", "pass").is_shift);
	assert_true(guess_use(text, "k", "stage").is_shift);
	assert_false(guess_use(text, "k", "start").is_shift);
	assert_true(guess_use(text, "k", "start").is_step);
	assert_false(guess_use(text, "k", "pass").is_step);
	const char *const names[] = {"a", "stage", "pass", "start"};
	const char *const types[] = {"buffer uint", "scalar uint", "scalar uint", "scalar int"};
	const predictd_kernel kernel = {.name = "k",
	                                .unsupported = "",
	                                .argument_count = 4,
	                                .argument_names = names,
	                                .argument_types = types};
	struct case_list list;
	guess_of(text, &kernel, 65536, &list);
	assert_int_equal(list.cases[0].arguments[1].integers[0], 2);
	assert_int_equal(list.cases[0].arguments[2].integers[0], 2);
	assert_int_equal(list.cases[0].arguments[3].integers[0], 1);
	case_list_deinit(&list);
}

static void slots_are_free_and_masks_have_all_bits(void **state)
{
	(void)state;
	static const char text[] =
	        "kernel void k(global int *table, global const int *keys, uint mask)\n"
	        "{ int key = keys[get_global_id(0)]; uint slot = key & mask;\n"
	        "  while (atomic_cmpxchg(&table[slot], 0, key) != 0)\n"
	        "    slot = (slot + 1) & mask; }";
	assert_true(guess_use(text, "k", "mask").is_mask);
	assert_true(guess_use(text, "k", "table").is_atomic);
	assert_false(guess_use(text, "k", "table").is_mask);
	assert_false(guess_use(text, "k", "keys").is_atomic);
	const char *const names[] = {"table", "keys", "mask"};
	const char *const types[] = {"buffer int", "buffer int", "scalar uint"};
	const predictd_kernel kernel = {.name = "k",
	                                .unsupported = "",
	                                .argument_count = 3,
	                                .argument_names = names,
	                                .argument_types = types};
	struct case_list list;
	guess_of(text, &kernel, 65536, &list);
	assert_string_equal(list.cases[0].arguments[0].init, "zero");
	assert_int_equal(list.cases[0].arguments[2].integers[0], 65535);
	case_list_deinit(&list);
}

static void what_begins_begins_at_zero(void **state)
{
	(void)state;
	static const char text[] = "kernel void k(global int *a, int x_offset, int firstentry,\n"
	                           "              int row_start, int offB, int count)\n"
	                           "{ a[get_global_id(0)] = 1; }";
	const char *const names[] = {"a", "x_offset", "firstentry", "row_start", "off2", "count"};
	const char *const types[] = {"buffer int", "scalar int", "scalar int",
	                             "scalar int", "scalar int", "scalar int"};
	const predictd_kernel kernel = {.name = "k",
	                                .unsupported = "",
	                                .argument_count = 6,
	                                .argument_names = names,
	                                .argument_types = types};
	struct case_list list;
	guess_of(text, &kernel, 4096, &list);
	for (size_t i = 1; i < 5; i++)
		assert_int_equal(list.cases[0].arguments[i].integers[0], 0);
	assert_int_equal(list.cases[0].arguments[5].integers[0], 4096);
	case_list_deinit(&list);
}

/* What was once guessed as one row of all work-items, and read beyond its buffers. */
static void rows_of_a_flat_kernel_fit_its_buffers(void **state)
{
	(void)state;
	static const char text[] =
	        "kernel void softmax(global const float *in, global float *out, int n)\n"
	        "{ int row = get_global_id(0); float sum = 0;\n"
	        "  for (int i = 0; i < n; i++) sum += in[row * n + i];\n"
	        "  out[row] = sum; }";
	const char *const names[] = {"in", "out", "n"};
	const char *const types[] = {"buffer float", "buffer float", "scalar int"};
	const predictd_kernel kernel = {.name = "softmax",
	                                .unsupported = "",
	                                .argument_count = 3,
	                                .argument_names = names,
	                                .argument_types = types};
	static const uint64_t sizes[] = {64, 100, 65536, 1000000, 1 << 20};
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		struct case_list list;
		guess_of(text, &kernel, sizes[i], &list);
		const struct launch_case *one = &list.cases[0];
		uint64_t rows = one->global[0], length = (uint64_t)one->arguments[2].integers[0];
		assert_true(length > 1);
		assert_true(4 * rows * length <= one->arguments[0].size_bytes);
		assert_true(one->arguments[0].size_bytes <= 4 * sizes[i] + 4 * 64 * 64);
		case_list_deinit(&list);
	}
}

static void rows_of_a_plane_fit_whatever_its_group(void **state)
{
	(void)state;
	static const char text[] = "kernel void t(global float *a, int size)\n"
	                           "{ a[get_global_id(1) * size + get_global_id(0)] = 0; }";
	const char *const names[] = {"a", "size"};
	const char *const types[] = {"buffer float", "scalar int"};
	const predictd_kernel kernel = {.name = "t",
	                                .unsupported = "",
	                                .required_local = {48, 2, 1},
	                                .argument_count = 2,
	                                .argument_names = names,
	                                .argument_types = types};
	struct case_list list;
	guess_of(text, &kernel, 10000, &list);
	const struct launch_case *one = &list.cases[0];
	uint64_t length = (uint64_t)one->arguments[1].integers[0];
	assert_true(4 * ((one->global[1] - 1) * length + one->global[0]) <=
	            one->arguments[0].size_bytes);
	case_list_deinit(&list);
}

static void a_plane_gets_width_and_height(void **state)
{
	(void)state;
	const char *const names[] = {"image", "mask", "width", "h", "gain", "tile"};
	const char *const types[] = {"buffer uchar", "buffer float", "scalar uint",
	                             "scalar uint",  "scalar float", "local float2"};
	const predictd_kernel kernel = {.name = "plane",
	                                .unsupported = "",
	                                .argument_count = 6,
	                                .argument_names = names,
	                                .argument_types = types};
	struct case_list list;
	guess(&kernel, 65536, &list);
	const struct launch_case *one = &list.cases[0];
	assert_int_equal(one->dimensions, 2);
	assert_int_equal(one->global[0], 256);
	assert_int_equal(one->global[1], 256);
	assert_true(one->has_groups); /* a local argument is sized by the group */
	assert_int_equal(one->arguments[0].size_bytes, 65536);
	assert_int_equal(one->arguments[1].size_bytes, 16384); /* __constant is small */
	assert_int_equal(one->arguments[2].integers[0], 256);
	assert_int_equal(one->arguments[3].integers[0], 256);
	assert_close(one->arguments[4].reals[0], 1, 0);
	assert_int_equal(one->arguments[5].kind, PREDICTD_LOCAL);
	assert_int_equal(one->arguments[5].size_bytes, 4 * 8 * one->local[0] * one->local[1]);
	case_list_deinit(&list);
}

static void a_required_work_group_divides_the_range(void **state)
{
	(void)state;
	const predictd_kernel kernel = {
	        .name = "plane", .unsupported = "", .required_local = {48, 2, 1}};
	struct case_list list;
	guess(&kernel, 10000, &list);
	assert_int_equal(list.cases[0].global[0] % 48, 0);
	assert_int_equal(list.cases[0].global[1] % 2, 0);
	assert_int_equal(list.cases[0].local[0], 48);
	case_list_deinit(&list);
}

/* A guard bounds a scalar of any integer type, within what the type holds. */
static void a_guarded_scalar_is_the_number_of_work_items(void **state)
{
	(void)state;
	static const char text[] = "kernel void k(global float *a, ulong nx, uchar few)\n"
	                           "{ size_t i = get_global_id(0);\n"
	                           "  if (i < nx && i < few) a[i] *= 2; }";
	const char *const names[] = {"a", "nx", "few"};
	const char *const types[] = {"buffer float", "scalar ulong", "scalar uchar"};
	const predictd_kernel kernel = {.name = "k",
	                                .unsupported = "",
	                                .argument_count = 3,
	                                .argument_names = names,
	                                .argument_types = types};
	struct case_list list;
	guess_of(text, &kernel, 65536, &list);
	assert_int_equal(list.cases[0].arguments[1].integers[0], 65536);
	assert_int_equal(list.cases[0].arguments[2].integers[0], 255);
	case_list_deinit(&list);
}

static void a_group_fits_the_tile_that_it_indexes(void **state)
{
	(void)state;
	static const char text[] =
	        "#define BS 8\nkernel void k(global float *a, int w)\n"
	        "{ local float t[BS][BS + 1]; int i = get_local_id(0), j = get_local_id(1);\n"
	        "  t[j][i] = a[get_global_id(1) * w + get_global_id(0)]; }";
	const char *const names[] = {"a", "w"};
	const char *const types[] = {"buffer float", "scalar int"};
	const predictd_kernel kernel = {.name = "k",
	                                .unsupported = "",
	                                .argument_count = 2,
	                                .argument_names = names,
	                                .argument_types = types};
	struct case_list list;
	guess_of(text, &kernel, 65536, &list);
	assert_true(list.cases[0].has_groups);
	assert_int_equal(list.cases[0].local[0], 8);
	assert_int_equal(list.cases[0].local[1], 8);
	case_list_deinit(&list);
}

static void a_buffer_holds_three_values_a_pixel(void **state)
{
	(void)state;
	static const char text[] =
	        "kernel void k(global const uchar *s, global int *d, int pixels)\n"
	        "{ int i = get_global_id(0); if (i < pixels) d[i] = s[3 * i + 2]; }";
	const char *const names[] = {"s", "d", "pixels"};
	const char *const types[] = {"buffer uchar", "buffer int", "scalar int"};
	const predictd_kernel kernel = {.name = "k",
	                                .unsupported = "",
	                                .argument_count = 3,
	                                .argument_names = names,
	                                .argument_types = types};
	struct case_list list;
	guess_of(text, &kernel, 65536, &list);
	assert_int_equal(list.cases[0].arguments[0].size_bytes, 3 * 65536);
	assert_int_equal(list.cases[0].arguments[1].size_bytes, 4 * 65536);
	case_list_deinit(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(dimensions_are_those_of_the_kernel_alone),
	        cmocka_unit_test(const_parameters_are_read_only),
	        cmocka_unit_test(elements_have_their_opencl_size),
	        cmocka_unit_test(a_flat_kernel_gets_its_length),
	        cmocka_unit_test(two_sides_of_a_flat_kernel_are_a_square),
	        cmocka_unit_test(a_name_is_a_factor_or_a_divisor_where_it_is_one),
	        cmocka_unit_test(a_shift_is_small_and_a_step_is_not_zero),
	        cmocka_unit_test(what_begins_begins_at_zero),
	        cmocka_unit_test(slots_are_free_and_masks_have_all_bits),
	        cmocka_unit_test(rows_of_a_flat_kernel_fit_its_buffers),
	        cmocka_unit_test(rows_of_a_plane_fit_whatever_its_group),
	        cmocka_unit_test(a_plane_gets_width_and_height),
	        cmocka_unit_test(a_required_work_group_divides_the_range),
	        cmocka_unit_test(a_guarded_scalar_is_the_number_of_work_items),
	        cmocka_unit_test(a_group_fits_the_tile_that_it_indexes),
	        cmocka_unit_test(a_buffer_holds_three_values_a_pixel),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("guess", tests, NULL, NULL);
}
