/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the language: images, groups, atomics, vector loads, and names that only look like
 * them. */
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/frontend/analysis.h"
#include "tests/unit/frontend/forms.h"

/* the tables leave out what they do not need */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* ---- images ---------------------------------------------------------------------------------- */

static struct ir_kernel *image_kernel(const char *body)
{
	char source[2000];
	(void)snprintf(
	        source, sizeof source,
	        "constant sampler_t texels = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | "
	        "CLK_FILTER_NEAREST;\n"
	        "float4 at(read_only image2d_t q, int2 p) { return read_imagef(q, texels, p); }\n"
	        "kernel void f(read_only image2d_t im, read_only image3d_t solid, read_only "
	        "image2d_array_t layers, read_only image1d_array_t rows, read_only "
	        "image1d_buffer_t "
	        "line, write_only image2d_t out, sampler_t s, global float4 *v, global int *b, int "
	        "n, float x) { int i = get_global_id(0), j = get_global_id(1); %s }",
	        body);
	return analyse(source, "-cl-std=CL1.2");
}

static void coordinates_of_a_read_are_scalars(void **state)
{
	static const char *const coordinates[] = {
	        "(int2)(i, j)",
	        "(int2)(i, j) + (int2)(1, 0)",
	        "(int2)(i, j) - (int2)(n)",
	        "(int2)(i, j) * 2",
	        "(int2)(i, j) / 2",
	        "(int2)(i, j) % (int2)(n, 3)",
	        "-(int2)(i, j)",
	        "(int2)(i, j) & 15",
	        "(int2)(i, j) | 1",
	        "(int2)(i, j) << 1",
	        "(int2)(i, j) >> (int2)(1, 2)",
	        "min((int2)(i, j), (int2)(n, 9))",
	        "max((int2)(i, j), 0)",
	        "mad24((int2)(i, j), (int2)(3), (int2)(1))",
	        "n > 3 ? (int2)(i, j) : (int2)(j, i)",
	        "convert_int2((float2)(i, x) * 2.0f)",
	        "clamp((int2)(i, j) + (int2)(-1, 1), (int2)(0), (int2)(n))",
	};
	(void)state;
	for (size_t i = 0; i < COUNT(coordinates); i++) {
		char body[300];
		(void)snprintf(body, sizeof body,
		               "int2 p = %s; v[i] = read_imagef(im, texels, p) + at(im, p) + "
		               "read_imagef(im, p);",
		               coordinates[i]);
		struct ir_kernel *kernel = image_kernel(body);
		/* a texel is read once by each kind of sampler: here there is none for the last */
		assert_in_range(count_accesses(kernel, ACCESS_LOAD, "im"), 1, 2);
		assert_no_text(kernel, "swizzle(");
		kernel_free(kernel);
	}
}

static void reals_that_are_whole_are_their_integers(void **state)
{
	static const struct {
		const char *coordinates;
		bool is_whole;
	} rows[] = {
	        {"(float2)(i + 0.5f, j + 0.5f)", true},
	        {"(float2)(0.5f + i, j)", true},
	        {"convert_float2((int2)(i, j)) + 0.5f", true},
	        {"(float2)(i, j) + (float2)(0.25f, 0.75f)", true},
	        {"(float2)(i + 1.5f, j + 0.5f)", false},
	        {"(float2)(i - 0.5f, j + 0.5f)", false},
	        {"(float2)(i * 0.5f, j)", false},
	        {"(float2)(x, j)", false},
	        {"(float2)(x + 0.5f, j)", false},
	        {"(float2)(i + x, j)", false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char body[300];
		(void)snprintf(body, sizeof body, "v[i] = read_imagef(im, texels, %s);",
		               rows[i].coordinates);
		struct ir_kernel *kernel = image_kernel(body);
		uint32_t texel = access_of(kernel, ACCESS_LOAD, "im")->index;
		const struct ir_node *node = &kernel->nodes[texel];
		uint32_t first = kernel->operands[node->first_operand];
		assert_int_equal(node->op, NODE_TEXEL);
		assert_true((node->imm & TEXEL_REAL) != 0);
		if (type_is_integer(kernel->nodes[first].type) != rows[i].is_whole)
			fail_msg("%s", rows[i].coordinates);
		kernel_free(kernel);
		/* who may count the whole image as one needs the reals */
		(void)snprintf(body, sizeof body, "v[i] = read_imagef(im, s, %s);",
		               rows[i].coordinates);
		kernel = image_kernel(body);
		node = &kernel->nodes[access_of(kernel, ACCESS_LOAD, "im")->index];
		first = kernel->operands[node->first_operand];
		assert_true(type_is_real(kernel->nodes[first].type));
		kernel_free(kernel);
	}
}

static void images_of_every_kind_are_read_and_asked(void **state)
{
	static const struct {
		const char *body, *part;
	} rows[] = {
	        {"v[i] = read_imagef(solid, s, (int4)(i, j, n, 0));", "load solid["},
	        {"v[i] = convert_float4(read_imagei(layers, s, (int4)(i, j, n, 0)));",
	         "load layers["},
	        {"v[i] = convert_float4(read_imageui(rows, s, (int2)(i, j)));", "load rows["},
	        {"v[i] = read_imagef(line, i);", "load line["},
	        {"write_imagef(out, (int2)(i, j), v[i]);", "store float4 out["},
	        {"write_imagei(out, (int2)(i, j), (int4)(n));", "store int4 out["},
	        {"write_imageui(out, (int2)(j, i), (uint4)(n));", "store uint4 out["},
	        {"b[i] = get_image_width(im);", "= image_width(im)"},
	        {"b[i] = get_image_height(im);", "= image_height(im)"},
	        {"b[i] = get_image_depth(solid);", "= image_depth(solid)"},
	        {"b[i] = get_image_array_size(layers);", "image_depth(layers)"},
	        {"b[i] = get_image_array_size(rows);", "image_height(rows)"},
	        {"b[i] = get_image_channel_order(im);", "= image_order(im)"},
	        {"b[i] = get_image_channel_data_type(im);", "= image_type(im)"},
	        {"b[i] = get_image_dim(im).y;", "= image_height(im)"},
	        {"b[i] = get_image_dim(solid).z;", "= image_depth(solid)"},
	        {"b[i] = get_image_dim(solid).w;", "= 0"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct ir_kernel *kernel = image_kernel(rows[i].body);
		assert_text(kernel, rows[i].part);
		kernel_free(kernel);
	}
	static const struct {
		const char *body, *part;
	} later[] = {
	        {"b[i] = get_image_num_mip_levels(im);", "= 1"},
	        {"v[i] = read_imagef(im, s, (float2)(x, 1), 2.0f);", "load im["},
	        {"b[i] = get_image_num_samples(many);", "= 1"},
	        {"v[i] = read_imagef(many, (int2)(i, i), n);", "load many["},
	        {"v[i].x = read_imagef(deep, s, (int2)(i, i));", "float load deep["},
	        {"write_imagef(both, (int2)(i, n), read_imagef(both, (int2)(n, i)));",
	         "store float4 both["},
	};
	for (size_t i = 0; i < COUNT(later); i++) {
		char source[900];
		(void)snprintf(
		        source, sizeof source,
		        "#pragma OPENCL EXTENSION cl_khr_gl_msaa_sharing : enable\n"
		        "#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable\n"
		        "kernel void f(read_only image2d_t im, read_only image2d_msaa_t many, "
		        "read_only image2d_depth_t deep, read_write image2d_t both, sampler_t s, "
		        "global float4 *v, global int *b, int n, float x) { int i = "
		        "get_global_id(0); %s }",
		        later[i].body);
		struct ir_kernel *kernel = analyse(source, "-cl-std=CL2.0");
		assert_text(kernel, later[i].part);
		kernel_free(kernel);
	}
}

/* ---- groups ---------------------------------------------------------------------------------- */

static void exchanges_of_a_sub_group_are_one_each(void **state)
{
	static const char blocks[] =
	        "#define OVER __attribute__((overloadable))\n"
	        "uint OVER intel_sub_group_block_read(const global uint *p);\n"
	        "uint4 OVER intel_sub_group_block_read4(const global uint *p);\n"
	        "void OVER intel_sub_group_block_write(global uint *p, uint v);\n"
	        "void OVER intel_sub_group_block_write2(global uint *p, uint2 v);\n"
	        "int OVER intel_sub_group_shuffle_down(int a, int b, uint c);\n";
	static const struct {
		const char *body;
		unsigned exchanges, loads, stores;
	} rows[] = {
	        {"b[i] = sub_group_shuffle(n, 1u);", 1, 0, 1},
	        {"b[i] = sub_group_shuffle(n, 1u) + sub_group_shuffle(n, 1u);", 1, 0, 1},
	        {"b[i] = sub_group_shuffle(n, 1u) + sub_group_shuffle(n, 2u);", 2, 0, 1},
	        {"b[i] = sub_group_shuffle(n, 1u) + sub_group_shuffle_xor(n, 1u);", 2, 0, 1},
	        {"b[i] = sub_group_any(n) + sub_group_all(n) + sub_group_broadcast(n, 0);", 3, 0,
	         1},
	        {"b[i] = sub_group_ballot(n).x + sub_group_elect();", 2, 0, 1},
	        {"b[i] = sub_group_reduce_add(n);", 5, 0, 1},
	        {"b[i] = sub_group_scan_inclusive_max(n);", 5, 0, 1},
	        {"b[i] = sub_group_scan_exclusive_min(n);", 6, 0, 1},
	        {"b[i] = sub_group_non_uniform_reduce_mul(n);", 5, 0, 1},
	        {"b[i] = sub_group_non_uniform_scan_exclusive_logical_or(n);", 6, 0, 1},
	        {"b[i] = sub_group_clustered_reduce_xor(n, 8u);", 3, 0, 1},
	        {"b[i] = intel_sub_group_shuffle_down(n, n, 1u);", 1, 0, 1},
	        {"b[i] = intel_sub_group_block_read((global uint *)b);", 0, 1, 1},
	        {"b[i] = intel_sub_group_block_read4((global uint *)b).z;", 0, 4, 1},
	        {"intel_sub_group_block_write((global uint *)b, 3u);", 0, 0, 1},
	        {"intel_sub_group_block_write2((global uint *)b, (uint2)(n, 3));", 0, 0, 2},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct form form = {blocks, rows[i].body};
		struct ir_kernel *kernel = form_kernel(&form, "-cl-std=CL3.0");
		unsigned exchanges = 0;
		assert_string_equal(kernel->unsupported, "");
		for (uint32_t node = 0; node < kernel->node_count; node++)
			exchanges += kernel->nodes[node].op == NODE_CALL &&
			             kernel->nodes[node].aux == BUILTIN_SUB_GROUP_SHUFFLE;
		if (exchanges != rows[i].exchanges ||
		    count_accesses(kernel, ACCESS_LOAD, "b") != rows[i].loads ||
		    count_accesses(kernel, ACCESS_STORE, "b") != rows[i].stores)
			fail_msg("%s: %u exchanges, %u loads, %u stores", rows[i].body, exchanges,
			         count_accesses(kernel, ACCESS_LOAD, "b"),
			         count_accesses(kernel, ACCESS_STORE, "b"));
		kernel_free(kernel);
	}
}

static void what_synchronises_makes_memory_unknown(void **state)
{
	static const struct {
		const char *call;
		unsigned loads; /* of l[0], before and after it */
	} rows[] = {
	        {"barrier(CLK_LOCAL_MEM_FENCE);", 2},
	        {"work_group_barrier(CLK_LOCAL_MEM_FENCE);", 2},
	        {"sub_group_barrier(CLK_LOCAL_MEM_FENCE);", 2},
	        {"mem_fence(CLK_LOCAL_MEM_FENCE);", 2},
	        {"read_mem_fence(CLK_LOCAL_MEM_FENCE);", 2},
	        {"write_mem_fence(CLK_LOCAL_MEM_FENCE);", 2},
	        {"atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acq_rel, "
	         "memory_scope_work_group);",
	         2},
	        {"event_t e; wait_group_events(1, &e);", 2},
	        {"n += work_group_reduce_add(n);", 2},
	        {"n += sub_group_reduce_add(n);", 1},
	        {"prefetch(a, 4);", 1},
	        {"printf(\"%d\", n);", 1},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char body[300];
		(void)snprintf(body, sizeof body, "b[i] = l[0]; %s b[n] = l[0];", rows[i].call);
		const struct form form = {NULL, body};
		struct ir_kernel *kernel = form_kernel(&form, "-cl-std=CL2.0");
		assert_string_equal(kernel->unsupported, "");
		if (count_accesses(kernel, ACCESS_LOAD, "l") != rows[i].loads)
			fail_msg("%s: %u loads", rows[i].call,
			         count_accesses(kernel, ACCESS_LOAD, "l"));
		kernel_free(kernel);
		/* and so does a loop that holds one, for what was read before it */
		(void)snprintf(body, sizeof body,
		               "b[i] = l[0]; for (int k = 0; k < 9; k++) { b[k] = l[0]; %s }",
		               rows[i].call);
		kernel = form_kernel(&form, "-cl-std=CL2.0");
		if (count_accesses(kernel, ACCESS_LOAD, "l") != rows[i].loads)
			fail_msg("%s in a loop: %u loads", rows[i].call,
			         count_accesses(kernel, ACCESS_LOAD, "l"));
		kernel_free(kernel);
	}
}

/* ---- atomics, vector loads, second results -----------------------------------------------------
 */

static void atomics_move_what_they_point_to(void **state)
{
	static const struct form forms[] = {
	        {NULL, "b[i] = atomic_add(b, n);", "int atomic b[0], n"},
	        {NULL, "atomic_xchg(a, x);", "float exchange a[0], x"},
	        {NULL, "atom_inc(b + n); b[i] = 1;", "int atomic b[n*4], 1"},
	        {NULL, "b[i] = atomic_cmpxchg(b, n, 3);", "int exchange b[0], 3"},
	        {NULL, "atomic_min((global uint *)b, u);", "uint extreme b[0], u"},
	        {NULL, "atomic_or(l, 4); b[i] = 1;", "int atomic l[0], 4"},
	};
	static const struct form later[] = {
	        {NULL, "global atomic_int *p = (global atomic_int *)b; atomic_init(p, n);",
	         "store int b[0] = n"},
	        {NULL, "global atomic_int *p = (global atomic_int *)b; atomic_store(p, n);",
	         "int exchange b[0], n"},
	        {NULL, "global atomic_int *p = (global atomic_int *)b; b[i] = atomic_load(p);",
	         "int exchange b[0], 1"},
	        {NULL,
	         "global atomic_uint *p = (global atomic_uint *)b; atomic_fetch_sub_explicit(p, u, "
	         "memory_order_relaxed, memory_scope_device);",
	         "uint atomic b[0], u"},
	        {NULL,
	         "global atomic_flag *p = (global atomic_flag *)b; b[i] = "
	         "atomic_flag_test_and_set(p);",
	         "int exchange b[0], 1"},
	        {NULL, "global atomic_flag *p = (global atomic_flag *)b; atomic_flag_clear(p);",
	         "int exchange b[0], 1"},
	        {NULL,
	         "global atomic_int *p = (global atomic_int *)b; int e = n; b[i] = "
	         "atomic_compare_exchange_weak(p, &e, 4); b[n] = e;",
	         "int exchange b[0], 4"},
	};
	(void)state;
	assert_part(forms, COUNT(forms), NULL);
	assert_part(later, COUNT(later), "-cl-std=CL2.0");
}

static void conversions_round_as_their_names_say(void **state)
{
	static const struct form forms[] = {
	        {NULL, "b[i] = convert_int_rte(x);", "convert_int(rint(x))"},
	        {NULL, "b[i] = convert_uchar_sat_rtp(x);", "convert_uchar(ceil(x))"},
	        {NULL, "b[i] = convert_uchar_sat(n);", "convert_uchar(min(max(n, 0), 255))"},
	        {NULL, "b[i] = convert_int_rtn(x);", "convert_int(floor(x))"},
	        {NULL, "b[i] = convert_int_rtz(x);", "= convert_int(x)"},
	        {NULL, "a[i] = convert_float_rte(n);", "= convert_float(n)"},
	};
	(void)state;
	assert_part(forms, COUNT(forms), NULL);
}

static void vector_loads_lie_as_their_names_say(void **state)
{
	static const struct form forms[] = {
	        {NULL, "v[i] = vload4(n, a);", "float4 load packed a[convert_ulong(n)*16]"},
	        {NULL, "v[i].xyz = vload3(n, a);", "float3 load packed a[convert_ulong(n)*12]"},
	        {NULL, "v[i].xyz = vload3(n, a + 1);",
	         "float3 load packed a[convert_ulong(n)*12 + 4]"},
	        {NULL, "vstore16((int16)(n), n, b);", "store int16 packed b[convert_ulong(n)*64]"},
	        {NULL, "vstore3(v[i].xyz, n, a);", "store float3 packed a[convert_ulong(n)*12]"},
	        {NULL, "a[i] = vload_half(n, (global half *)c);",
	         "half load c[convert_ulong(n)*2]"},
	        {NULL, "v[i].xyz = vload_half3(n, (global half *)c);",
	         "half3 load packed c[convert_ulong(n)*6]"},
	        {NULL, "v[i].xyz = vloada_half3(n, (global half *)c);",
	         "half3 load c[convert_ulong(n)*8]"},
	        {NULL, "vstorea_half3_rtp(v[i].xyz, n, (global half *)c);",
	         "store half3 c[convert_ulong(n)*8]"},
	        {NULL, "vstore_half2_rtz(v[i].xy, n, (global half *)c);",
	         "store half2 packed c[convert_ulong(n)*4]"},
	        {NULL, "vstore_half_rte(x, n, (global half *)c);",
	         "store half c[convert_ulong(n)*2]"},
	        {NULL, "vstore2((char2)(n), n, (global char *)c);",
	         "store char2 packed c[convert_ulong(n)*2]"},
	        {NULL, "float t[8]; vstore4(v[i], 1, t); a[i] = t[6];", "float load t[0 + 24]"},
	};
	(void)state;
	assert_part(forms, COUNT(forms), NULL);
}

static void names_that_only_look_like_functions_have_a_reason(void **state)
{
	static const struct form forms[] = {
	        {"int read_image_row(global int *p, int n);", "b[i] = read_image_row(b, n);",
	         "image without an argument"},
	        {"void write_image_row(global int *p, int n, int m);", "write_image_row(b, n, 3);",
	         "image without an argument"},
	        {"int get_image_name(int n);", "b[i] = get_image_name(n);",
	         "pointer made from a number"},
	        {"int work_group_of(int n);", "b[i] = work_group_of(n);", "function work_group_of"},
	        {"void work_group_end(int n);", "work_group_end(n);", "function work_group_end"},
	        {"void sub_group_end(int n);", "sub_group_end(n);", "function sub_group_end"},
	        {"void sub_group_block_writes(int n);", "sub_group_block_writes(n);",
	         "function sub_group_block_writes"},
	        {"int atomic_frob(int n);", "b[i] = atomic_frob(n);", "function atomic_frob"},
	        {"int atom_fetch_add(int n);", "b[i] = atom_fetch_add(n);",
	         "function atom_fetch_add"},
	        {"int atomic_a_name_that_goes_on_and_on_until_it_is_longer_than_any_of_them(int "
	         "n);",
	         "b[i] = atomic_a_name_that_goes_on_and_on_until_it_is_longer_than_any_of_them(n);",
	         "function atomic_a_name"},
	        {"int __attribute__((overloadable)) atomic_add(global int *p);",
	         "b[i] = atomic_add(b);", "function atomic_add"},
	        {"int __attribute__((overloadable)) atomic_xchg(global float4 *p, int n);",
	         "b[i] = atomic_xchg(v, n);", "atomic on a vector"},
	        {"float __attribute__((overloadable)) clamp(float x);", "a[i] = clamp(x);",
	         "function clamp"},
	        {"float __attribute__((overloadable)) sqrt(global float *p);", "a[i] = sqrt(a);",
	         "function sqrt"},
	        {"float rsqrt_of_five(float a, float b, float c, float d, float e);",
	         "a[i] = rsqrt_of_five(x, x, x, x, x);", "function rsqrt_of_five"},
	        {"void convert_all(int n);", "convert_all(n);", "function convert_all"},
	        {"int vload5(int n, global int *p);", "b[i] = vload5(n, b);", "function vload5"},
	        {"int vload99(int n, global int *p);", "b[i] = vload99(n, b);", "function vload99"},
	        {"int vload(int n, global int *p);", "b[i] = vload(n, b);", "function vload"},
	        {"int vload4x(int n, global int *p);", "b[i] = vload4x(n, b);", "function vload4x"},
	        {"int vload_half_up(int n, global int *p);", "b[i] = vload_half_up(n, b);",
	         "function vload_half_up"},
	        {"int __attribute__((overloadable)) vload4(int n, global float4 *p);",
	         "b[i] = vload4(n, v);", "function vload4"},
	        {"void __attribute__((overloadable)) vstore4(float4 v, global float *p);",
	         "vstore4(v[i], a);", "function vstore4"},
	        {"float __attribute__((overloadable)) fract(float x);", "a[i] = fract(x);", NULL},
	        {"int __attribute__((overloadable)) async_work_group_copy(local int *p, int n);",
	         "b[i] = async_work_group_copy(l, n);", "async_work_group_copy of this form"},
	        {"int get_global_ids(int n);", "b[i] = get_global_ids(n);",
	         "function get_global_ids"},
	        {"struct s { int n; }; struct s sqrt_of(int n);",
	         "struct s s = sqrt_of(n); b[i] = s.n;", "function sqrt_of"},
	};
	(void)state;
	assert_refused(forms, COUNT(forms), NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	        cmocka_unit_test(coordinates_of_a_read_are_scalars),
	        cmocka_unit_test(reals_that_are_whole_are_their_integers),
	        cmocka_unit_test(images_of_every_kind_are_read_and_asked),
	        cmocka_unit_test(exchanges_of_a_sub_group_are_one_each),
	        cmocka_unit_test(what_synchronises_makes_memory_unknown),
	        cmocka_unit_test(atomics_move_what_they_point_to),
	        cmocka_unit_test(vector_loads_lie_as_their_names_say),
	        cmocka_unit_test(conversions_round_as_their_names_say),
	        cmocka_unit_test(names_that_only_look_like_functions_have_a_reason),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("frontend builtins", tests, NULL, NULL);
}
