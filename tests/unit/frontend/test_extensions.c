/* SPDX-License-Identifier: Apache-2.0 */
/* Built-ins of extensions: each is the operations that it is, in any language version. */
#include "tests/test.h"

#include <string.h>

#include "tests/unit/frontend/analysis.h"
#include "tests/unit/frontend/forms.h"

/* the tables leave out what they do not need */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const char *const versions[] = {"-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL3.0"};

/* Analysed in each version, and nothing in them is unknown. */
static void assert_known(const struct form *forms, size_t count)
{
	for (size_t v = 0; v < COUNT(versions); v++)
		for (size_t i = 0; i < count; i++) {
			struct ir_kernel *kernel = form_kernel(&forms[i], versions[v]);
			if (kernel->unsupported[0] != '\0' || kernel->unknown[0] != '\0')
				fail_msg("%s, %s: %s%s", forms[i].body, versions[v],
				         kernel->unsupported, kernel->unknown);
			kernel_free(kernel);
		}
}

static void dot_products_of_bytes_are_known(void **state)
{
	static const struct form forms[] = {
	        {NULL, "b[i] = dot_4x8packed_uu_uint(u, b[n]);"},
	        {NULL, "b[i] = dot_4x8packed_ss_int(u, b[n]) + dot_4x8packed_su_int(u, n);"},
	        {NULL, "b[i] = dot_4x8packed_us_int(u, b[n]);"},
	        {NULL, "b[i] = dot_acc_sat_4x8packed_uu_uint(u, b[n], 3u);"},
	        {NULL, "b[i] = dot_acc_sat_4x8packed_ss_int(u, b[n], n);"},
	        {NULL, "b[i] = dot_acc_sat_4x8packed_su_int(u, b[n], n) + "
	               "dot_acc_sat_4x8packed_us_int(u, b[n], n);"},
	        {NULL, "b[i] = dot_acc_sat(as_char4(u), as_char4(n), b[i]);"},
	        {NULL, "b[i] = dot_acc_sat(as_uchar4(u), as_uchar4(n), u);"},
	};
	static const struct form same[] = {
	        {NULL, "b[i] = dot_4x8packed_ss_int(u, b[n]);",
	         "int4 p = convert_int4(as_char4(u)), q = convert_int4(as_char4((uint)b[n])); b[i] "
	         "= "
	         "p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;"},
	};
	(void)state;
	assert_known(forms, COUNT(forms));
	for (size_t i = 0; i < COUNT(same); i++) {
		struct form other = {NULL, same[i].expected};
		struct ir_kernel *a = form_kernel(&same[i], NULL), *b = form_kernel(&other, NULL);
		assert_int_equal(count_nodes(a, NODE_MUL) + count_nodes(a, NODE_FMA),
		                 count_nodes(b, NODE_MUL) + count_nodes(b, NODE_FMA));
		assert_int_equal(count_nodes(a, NODE_CONVERT), count_nodes(b, NODE_CONVERT));
		kernel_free(a);
		kernel_free(b);
	}
}

static void fields_of_bits_are_known(void **state)
{
	static const struct form forms[] = {
	        {NULL, "b[i] = bitfield_insert(n, b[i], 3u, 4u);"},
	        {NULL, "b[i] = bitfield_insert((uint4)(u), (uint4)(n), 3u, u).x;"},
	        {NULL, "b[i] = bitfield_extract_signed(n, 3u, u);"},
	        {NULL, "b[i] = bitfield_extract_unsigned((ulong)u, 3u, u);"},
	        {NULL, "b[i] = bitfield_extract_unsigned(n, 3u, u);"},
	        {NULL, "b[i] = bit_reverse(u);"},
	        {NULL, "c[i] = bit_reverse(c[n]);"},
	        {NULL, "b[i] = bit_reverse((int2)(n, i)).y;"},
	};
	static const struct form same[] = {
	        {NULL, "b[i] = bitfield_extract_unsigned(u, 3u, 5u);", "b[i] = (u >> 3) & 31;"},
	        {NULL, "b[i] = bitfield_extract_signed(n, 3u, 5u);", "b[i] = (n << 24) >> 27;"},
	        {NULL, "b[i] = bitfield_insert(u, (uint)n, 4u, 8u);",
	         "b[i] = (u & ~0xff0u) | (((uint)n << 4) & 0xff0u);"},
	        {NULL, "b[i] = bit_reverse(0x12345678);", "b[i] = 0x1e6a2c48;"},
	        {NULL, "z = bit_reverse(1L); b[i] = z == 0x8000000000000000L;", "b[i] = 1;"},
	};
	(void)state;
	assert_known(forms, COUNT(forms));
	assert_same(same, COUNT(same), NULL);
}

static void functions_of_groups_are_known(void **state)
{
	static const struct form forms[] = {
	        {NULL, "b[i] = sub_group_reduce_add(n) + sub_group_scan_inclusive_max(i);"},
	        {NULL, "a[i] = sub_group_scan_exclusive_min(x); sub_group_barrier(1);"},
	        {NULL,
	         "b[i] = get_sub_group_size() + get_sub_group_local_id() + get_sub_group_id();"},
	        {NULL, "b[i] = sub_group_all(n) + sub_group_any(i) + sub_group_broadcast(n, 3);"},
	        {NULL, "b[i] = sub_group_elect() + sub_group_non_uniform_all(n) + "
	               "sub_group_non_uniform_all_equal(x);"},
	        {NULL, "uint4 q = sub_group_ballot(n > i); b[i] = sub_group_ballot_bit_count(q) + "
	               "sub_group_inverse_ballot(q) + sub_group_ballot_bit_extract(q, 3) + "
	               "sub_group_ballot_find_lsb(q) + sub_group_ballot_exclusive_scan(q) + "
	               "(get_sub_group_lt_mask() & q).x;"},
	        {NULL,
	         "b[i] = sub_group_broadcast_first(n) + sub_group_non_uniform_broadcast(n, 2);"},
	        {NULL, "b[i] = sub_group_non_uniform_reduce_mul(n) + "
	               "sub_group_non_uniform_scan_inclusive_xor(n);"},
	        {NULL, "b[i] = sub_group_shuffle(n, 3) + sub_group_shuffle_xor(n, u);"},
	        {NULL, "a[i] = sub_group_shuffle_up(x, 1u) + sub_group_shuffle_down(x, 2u);"},
	        {NULL, "b[i] = sub_group_rotate(n, 1) + sub_group_clustered_rotate(n, 1, 4u);"},
	        {NULL, "a[i] = sub_group_clustered_reduce_max(x, 8u);"},
	        {NULL, "b[i] = work_group_reduce_add(n) + work_group_scan_exclusive_max(n);"},
	        {NULL,
	         "b[i] = work_group_all(n) + work_group_any(n) + work_group_broadcast(n, 0);"},
	        {NULL, "b[i] = work_group_reduce_mul(n) + work_group_scan_inclusive_or(n);"},
	        {NULL, "b[i] = work_group_reduce_logical_and(n);"},
	        {NULL, "b[i] = get_global_linear_id() + get_local_linear_id();"},
	};
	(void)state;
	assert_known(forms, COUNT(forms));
	/* a cluster of 8 takes three exchanges, a sub-group of 32 five */
	struct form eight = {NULL, "a[i] = sub_group_clustered_reduce_max(x, 8u);"};
	struct ir_kernel *kernel = form_kernel(&eight, "-cl-std=CL3.0");
	assert_int_equal(count_nodes(kernel, NODE_CALL), 3);
	kernel_free(kernel);
}

static void vendors_built_ins_are_known(void **state)
{
	static const struct form forms[] = {
	        {NULL, "b[i] = amd_bitalign(u, b[n], 5) + amd_bytealign(u, b[n], 1);"},
	        {NULL, "b[i] = amd_pack(v[i]);"},
	        {NULL, "a[i] = amd_unpack0(u) + amd_unpack1(u) + amd_unpack2(u) + amd_unpack3(u);"},
	        {NULL, "v[i] = amd_unpack1((uint4)(u));"},
	        {NULL, "b[i] = amd_lerp(u, b[n], 0x01010101) + amd_sad(u, b[n], 1);"},
	        {NULL, "b[i] = amd_sadhi(u, b[n], 1) + amd_sad4((uint4)(u), (uint4)(n), 1);"},
	        {NULL, "uint4 q = amd_sad((uint4)(u), (uint4)(n), (uint4)(1)); b[i] = q.z;"},
	        {NULL,
	         "b[i] = amd_msad(u, b[n], 1) + amd_sadw(u, b[n], 1) + amd_sadd(u, b[n], 1);"},
	        {NULL, "b[i] = amd_qsad(z, u, z) + amd_mqsad(z, u, z);"},
	        {NULL, "b[i] = amd_bfm(u, 3) + amd_bfe(u, 3u, 5u) + amd_bfe(n, 3u, 5u);"},
	        {NULL, "a[i] = amd_median3(x, a[n], 1.0f) + amd_min3(x, a[n], 1.0f);"},
	        {NULL, "b[i] = amd_max3(n, i, 3) + amd_max3(u, 3u, 4u) + amd_median3(n, i, 3);"},
	        {NULL,
	         "uint4 q = intel_sub_group_block_read4((const global uint *)b); b[i] = q.w;"},
	        {NULL, "intel_sub_group_block_write2((global uint *)b, (uint2)(n));"},
	        {NULL,
	         "ushort8 q = intel_sub_group_block_read_us8((global ushort *)b); b[i] = q.s5;"},
	        {NULL, "uchar16 q = intel_sub_group_block_read_uc16(c); b[i] = q.s5;"},
	        {NULL, "ulong q = intel_sub_group_block_read_ul((global ulong *)b); b[i] = q;"},
	        {NULL, "b[i] = intel_sub_group_shuffle(n, 3) + intel_sub_group_shuffle_xor(n, 3);"},
	        {NULL, "v[i] = intel_sub_group_shuffle_down(v[i], v[n], 1) + "
	               "intel_sub_group_shuffle_up(v[i], v[n], 1);"},
	};
	static const struct form same[] = {
	        {NULL, "b[i] = amd_bfe(u, 3u, 5u);", "b[i] = (u >> 3) & 31;"},
	        {NULL, "b[i] = amd_bfe(n, 3u, 5u);", "b[i] = (n << 24) >> 27;"},
	        {NULL, "b[i] = amd_max3(n, i, 3);", "b[i] = max(max(n, i), 3);"},
	        {NULL, "b[i] = amd_bitalign(u, (uint)n, 8);", "b[i] = (u << 24) | ((uint)n >> 8);"},
	};
	(void)state;
	assert_known(forms, COUNT(forms));
	assert_same(same, COUNT(same), NULL);
}

static void copies_of_two_and_three_dimensions_are_loops_of_copies(void **state)
{
	static const struct form forms[] = {
	        {NULL,
	         "local float t[64]; event_t e = async_work_group_copy_2D2D(t, 0, a, n, 4, 8, "
	         "8, u, 8, 0); wait_group_events(1, &e); a[i] = t[n & 63];"},
	        {NULL,
	         "local float t[64]; event_t e = async_work_group_copy_3D3D(a, n, t, 0, 4, 4, "
	         "4, 4, 4, 16, u, u * 4, 0); wait_group_events(1, &e); b[i] = 1;"},
	};
	(void)state;
	assert_known(forms, COUNT(forms));
	struct ir_kernel *kernel = form_kernel(&forms[0], NULL);
	assert_true(count_accesses(kernel, ACCESS_STORE, "t") > 0);
	assert_int_equal(access_of(kernel, ACCESS_STORE, "t")->type.scalar, SCALAR_UINT);
	kernel_free(kernel);
}

static void compilers_built_ins_have_their_names(void **state)
{
	static const struct form same[] = {
	        {NULL, "b[i] = __builtin_expect(n > 3, 1) ? 4 : 5;",
	         "b[i] = (long)(n > 3) ? 4 : 5;"},
	        {NULL, "__builtin_assume(n > 3); b[i] = 1;", "b[i] = 1;"},
	        {NULL, "if (n > 3) __builtin_unreachable(); b[i] = 1;", "if (n > 3) {} b[i] = 1;"},
	        {NULL, "a[i] = __builtin_sqrtf(x);", "a[i] = sqrt(x);"},
	        {NULL, "a[i] = __builtin_fmaf(x, x, x);", "a[i] = fma(x, x, x);"},
	        {NULL, "a[i] = __builtin_fabsf(x);", "a[i] = fabs(x);"},
	        {NULL, "b[i] = __builtin_constant_p(n);", "b[i] = 0;"},
	        {NULL, "a[i] = __builtin_elementwise_max(x, a[n]);", "a[i] = max(x, a[n]);"},
	};
	static const struct form forms[] = {
	        {NULL,
	         "b[i] = __builtin_bswap32(u) + __builtin_ctz(u) + __builtin_bitreverse32(u);"},
	        {NULL, "b[i] = __builtin_rotateleft32(u, 3);"},
	};
	(void)state;
	assert_same(same, COUNT(same), NULL);
	assert_known(forms, COUNT(forms));
}

/* A program may have such names for functions of its own. */
static void names_that_the_program_defines_are_its_own(void **state)
{
	static const struct form same[] = {
	        {"int amd_bfe(int a, uint b, uint c) { return a + 1; }", "b[i] = amd_bfe(n, u, u);",
	         "b[i] = n + 1;"},
	        {"#define amd_bitalign(a, b, c) ((a) + (b))", "b[i] = amd_bitalign(n, i, 3);",
	         "b[i] = n + i;"},
	        {"int bitfield_insert(int a) { return a + 1; }", "b[i] = bitfield_insert(n);",
	         "b[i] = n + 1;"},
	        {"int sub_group_elect(int a) { return a + 1; }", "b[i] = sub_group_elect(n);",
	         "b[i] = n + 1;"},
	        {"float intel_sub_group_shuffle(float a) { return a + 1; }",
	         "a[i] = intel_sub_group_shuffle(x);", "a[i] = x + 1;"},
	};
	(void)state;
	assert_same(same, COUNT(same), NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	        cmocka_unit_test(dot_products_of_bytes_are_known),
	        cmocka_unit_test(fields_of_bits_are_known),
	        cmocka_unit_test(functions_of_groups_are_known),
	        cmocka_unit_test(vendors_built_ins_are_known),
	        cmocka_unit_test(copies_of_two_and_three_dimensions_are_loops_of_copies),
	        cmocka_unit_test(compilers_built_ins_have_their_names),
	        cmocka_unit_test(names_that_the_program_defines_are_its_own),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("frontend extensions", tests, NULL, NULL);
}
