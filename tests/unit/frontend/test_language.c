/* SPDX-License-Identifier: Apache-2.0 */
/* The language, item by item: what each construct becomes. */
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/frontend/analysis.h"

static void sq_mod_has_the_papers_counts(void **state)
{
	(void)state;
	struct ir_kernel *k = analyse(
	        "kernel void sq_mod(global float *matrix, global float *res, unsigned int m,\n"
	        "                   unsigned int n) {\n"
	        "  size_t current_pos = get_global_id(0);\n"
	        "  unsigned int current_row = current_pos / n;\n"
	        "  unsigned int current_col = current_pos % n;\n"
	        "  res[current_pos] = matrix[current_row * n + current_col]\n"
	        "    * matrix[current_row * n + current_col] - matrix[current_col];\n"
	        "}\n",
	        NULL);
	assert_string_equal(k->name, "sq_mod");
	assert_int_equal(k->argument_count, 4);
	assert_int_equal(count_accesses(k, ACCESS_LOAD, "matrix"), 2);
	assert_int_equal(count_accesses(k, ACCESS_STORE, "res"), 1);
	assert_int_equal(count_written_accesses(k, false), 3);
	assert_int_equal(count_written_accesses(k, true), 1);
	assert_int_equal(count_written(k, OP_CLASS_ADD, TYPE_CLASS_FLOAT), 1);
	assert_int_equal(count_written(k, OP_CLASS_MUL, TYPE_CLASS_FLOAT), 1);
	assert_int_equal(count_written(k, OP_CLASS_ADD, TYPE_CLASS_INT), 2);
	assert_int_equal(count_written(k, OP_CLASS_MUL, TYPE_CLASS_INT), 2);
	assert_int_equal(count_written(k, OP_CLASS_DIV, TYPE_CLASS_LONG), 1);
	assert_int_equal(count_written(k, OP_CLASS_MOD, TYPE_CLASS_LONG), 1);
	kernel_free(k);
}

static void rest_after_a_guard_is_its_else(void **state)
{
	(void)state;
	struct ir_kernel *k =
	        analyse("kernel void f(global const float *a, global float *b, int n) {\n"
	                "  int i = get_global_id(0); if (i >= n) return;\n"
	                "  b[i] = a[i] + 1; }",
	                NULL);
	assert_int_equal(count_statements(k, STATEMENT_BRANCH), 1);
	assert_int_equal(count_statements(k, STATEMENT_EXIT), 0);
	assert_text(k, "else:\n    %");
	kernel_free(k);
	k = analyse("kernel void f(global float *a, int n) { for (int i = 0; i < n; i++) {\n"
	            "  if (a[i] > 1) return; a[i] = 2; } a[0] = 3; }",
	            NULL);
	assert_int_equal(count_statements(k, STATEMENT_EXIT), 1);
	kernel_free(k);
}

static void store_makes_a_load_be_repeated_where_it_may_have_changed(void **state)
{
	(void)state;
	struct ir_kernel *k =
	        analyse("kernel void f(global float *a, global float *b, int i, int j) {\n"
	                "  float x = a[i]; b[0] = x; x += a[i];\n" /* known */
	                "  a[j] = 1; x += a[i];\n"                 /* may be a[j] */
	                "  b[1] = x + a[i]; }",                    /* known */
	                NULL);
	assert_int_equal(count_accesses(k, ACCESS_LOAD, "a"), 2);
	assert_int_equal(count_written_accesses(k, true), 2);
	kernel_free(k);
}

static void stored_value_is_not_read_back(void **state)
{
	(void)state;
	struct ir_kernel *k = analyse("kernel void f(global float *a, int i) {\n"
	                              "  a[i] = 2.0f; a[i + 1] = a[i] + 1; }",
	                              NULL);
	assert_int_equal(count_accesses(k, ACCESS_LOAD, "a"), 0);
	kernel_free(k);
}

static void volatile_is_read_each_time(void **state)
{
	(void)state;
	struct ir_kernel *k = analyse(
	        "kernel void f(global float *a, local float *t) { int i = get_local_id(0);\n"
	        "  volatile local float *v = t; v[i] += v[i + 16]; v[i] += v[i + 8];\n"
	        "  a[i] = t[i] + INFINITY; }",
	        NULL);
	assert_int_equal(count_accesses(k, ACCESS_LOAD, "t"), 4);
	kernel_free(k);
}

static void barrier_makes_local_memory_unknown(void **state)
{
	(void)state;
	struct ir_kernel *k = analyse(
	        "kernel void f(global float *a, local float *t) { int i = get_local_id(0);\n"
	        "  t[i] = a[i]; float x = t[i]; barrier(CLK_LOCAL_MEM_FENCE);\n"
	        "  a[i] = x + t[i]; }",
	        NULL);
	assert_int_equal(count_accesses(k, ACCESS_LOAD, "t"), 1);
	assert_int_equal(count_statements(k, STATEMENT_BARRIER), 1);
	kernel_free(k);
}

static void load_in_a_branch_is_not_known_after_it(void **state)
{
	(void)state;
	struct ir_kernel *k = analyse("kernel void f(global float *a, global float *b, int n) {\n"
	                              "  float x = 0; if (n) x = a[n]; b[0] = x + a[n]; }",
	                              NULL);
	assert_int_equal(count_accesses(k, ACCESS_LOAD, "a"), 2);
	kernel_free(k);
}

static void for_loop_has_its_variables_and_condition(void **state)
{
	(void)state;
	struct ir_kernel *k = analyse("kernel void f(global float *a, int n) {\n"
	                              "  float s = 0; int other = 3;\n"
	                              "  for (int k = 0; k < n; k++) s += a[k] * other;\n"
	                              "  a[0] = s; }",
	                              NULL);
	assert_int_equal(count_statements(k, STATEMENT_LOOP), 1);
	assert_int_equal(k->variable_count, 2);
	assert_text(k, "while lt(");
	kernel_free(k);
}

static void absent_parts_of_a_for_are_told_apart(void **state)
{
	static const char *const headers[] = {
	        "int i = 0; for (; i < n;) { i++; a[i] = 1; }",
	        "int i = 0; for (; i < n; i++) a[i] = 1;",
	        "for (int i = 0; i < n;) { a[i] = 1; i++; }",
	        "for (int i = 0;; i++) { if (!(i < n)) break; a[i] = 1; }",
	        "int i = 0; for (;;) { if (!(i < n)) break; a[i] = 1; i++; }",
	        "int i = 0; for (/* ; */ ; i < n /* ) */ ; i++) a[i] = 1;",
	        "int i = 0; LOOP(i < n) a[i] = 1;",
	};
	(void)state;
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		char source[512];
		(void)snprintf(source, sizeof(source),
		               "#define LOOP(c) for (; c; i++)\n"
		               "kernel void f(global int *a, int n) { %s }",
		               headers[i]);
		struct ir_kernel *k = analyse(source, NULL);
		assert_int_equal(count_statements(k, STATEMENT_LOOP), 1);
		assert_int_equal(count_accesses(k, ACCESS_STORE, "a"), 1);
		assert_int_equal(k->variable_count, 1);
		assert_int_equal(k->nodes[k->variables[0].next].op, NODE_ADD);
		kernel_free(k);
	}
}

static void do_loop_tests_last(void **state)
{
	(void)state;
	struct ir_kernel *k = analyse("kernel void f(global int *a, int n) {\n"
	                              "  do { a[n] = 1; n--; } while (n > 0); a[0] = n; }",
	                              NULL);
	assert_true(k->statements[0].tests_last);
	kernel_free(k);
}

static void while_with_a_load_in_its_condition_leaves_by_a_branch(void **state)
{
	(void)state;
	struct ir_kernel *k = analyse("kernel void f(global int *a) {\n"
	                              "  int i = 0; while (a[i] > 0) i++; a[0] = i; }",
	                              NULL);
	assert_int_equal(count_statements(k, STATEMENT_EXIT), 1);
	assert_int_equal(count_accesses(k, ACCESS_LOAD, "a"), 1);
	kernel_free(k);
}

static void side_effect_of_a_condition_counts_once_more_at_the_end(void **state)
{
	(void)state;
	struct ir_kernel *k = analyse("kernel void f(global int *a, int n) {\n"
	                              "  while (n--) a[n] = 1; a[100] = n; }",
	                              NULL);
	assert_text(k, "then %1 = %2");
	assert_text(k, "store int a[0 + 400] = %2");
	kernel_free(k);
}

static void break_keeps_what_was_assigned_before_it(void **state)
{
	(void)state;
	struct ir_kernel *k = analyse("kernel void f(global int *a, int n) { int found = -1;\n"
	                              "  for (int i = 0; i < n; i++)\n"
	                              "    if (a[i] == 7) { found = i; break; }\n"
	                              "  a[0] = found; }",
	                              NULL);
	assert_int_equal(count_statements(k, STATEMENT_EXIT), 1);
	assert_int_equal(count_nodes(k, NODE_PHI), 1);
	kernel_free(k);
}

static void continue_joins_before_the_increment(void **state)
{
	(void)state;
	struct ir_kernel *k = analyse("kernel void f(global int *a, int n) { int s = 0;\n"
	                              "  for (int i = 0; i < n; i++) {\n"
	                              "    if (i % 3 == 0) continue; s += a[i]; }\n"
	                              "  a[0] = s; }",
	                              NULL);
	assert_int_equal(count_statements(k, STATEMENT_NEXT), 1);
	assert_int_equal(count_nodes(k, NODE_PHI), 1);
	kernel_free(k);
}

static void both_arms_join_in_a_phi(void **state)
{
	(void)state;
	struct ir_kernel *k = analyse("kernel void f(global float *a, int n) { float x;\n"
	                              "  if (n > 3) x = a[0]; else x = a[1]; a[2] = x; }",
	                              NULL);
	assert_int_equal(count_nodes(k, NODE_PHI), 1);
	assert_int_equal(count_accesses(k, ACCESS_LOAD, "a"), 2);
	kernel_free(k);
}

static void conditional_selects_or_branches(void **state)
{
	(void)state;
	struct ir_kernel *k = analyse("kernel void f(global float *a, int n, float x) {\n"
	                              "  a[0] = n > 3 ? x : 2 * x; a[1] = n > 4 ? a[n] : x; }",
	                              NULL);
	assert_int_equal(count_nodes(k, NODE_SELECT), 1);
	assert_int_equal(count_nodes(k, NODE_PHI), 1);
	assert_int_equal(count_statements(k, STATEMENT_BRANCH), 1);
	kernel_free(k);
}

static void short_circuit_guards_a_load(void **state)
{
	(void)state;
	struct ir_kernel *k = analyse("kernel void f(global int *a, int n) {\n"
	                              "  if (n > 3 && a[n] > 2) a[0] = 1;\n"
	                              "  if (n > 3 && n < 9) a[1] = 1; }",
	                              NULL);
	assert_int_equal(count_statements(k, STATEMENT_BRANCH), 3);
	assert_int_equal(count_nodes(k, NODE_AND), 1);
	kernel_free(k);
}

static void switch_is_a_chain_of_branches(void **state)
{
	(void)state;
	struct ir_kernel *k =
	        analyse("kernel void f(global int *a, int n) { switch (n) {\n"
	                "  case 1: a[0] = 1; break; case 2: a[1] = 2; case 3: a[2] = 3; break;\n"
	                "  default: a[3] = 4; } }",
	                NULL);
	assert_int_equal(count_statements(k, STATEMENT_SCOPE), 1);
	assert_int_equal(count_statements(k, STATEMENT_BRANCH), 3);
	assert_int_equal(count_statements(k, STATEMENT_EXIT), 0);
	assert_int_equal(count_accesses(k, ACCESS_STORE, "a"), 4);
	kernel_free(k);
}

static void helper_is_inlined_with_its_pointer_to_a_variable(void **state)
{
	(void)state;
	struct ir_kernel *k = analyse(
	        "float scale(float x, float *rest) { *rest = x - 1; return x * 2; }\n"
	        "kernel void f(global float *a) { float r; a[0] = scale(a[1], &r); a[2] = r; }",
	        NULL);
	assert_int_equal(k->statement_count, 3);
	assert_int_equal(count_nodes(k, NODE_SUB) + count_nodes(k, NODE_ADD), 1);
	kernel_free(k);
}

static void early_return_of_a_helper_chooses_its_result(void **state)
{
	(void)state;
	struct ir_kernel *k = analyse(
	        "float relu(float x) { if (x < 0) return 0; return x; }\n"
	        "float first(global float *a, int n) {\n"
	        "  for (int i = 0; i < n; i++) if (a[i] > 1) return a[i]; return 0; }\n"
	        "kernel void f(global float *a, int n) { a[n] = relu(a[0]) + first(a, n); }",
	        NULL);
	assert_int_equal(count_statements(k, STATEMENT_SCOPE), 1);
	assert_int_equal(count_statements(k, STATEMENT_EXIT), 1);
	kernel_free(k);
}

static void vectors_swizzle_both_ways(void **state)
{
	(void)state;
	struct ir_kernel *k = analyse(
	        "#define REVERSED(v) (v).wzyx\n"
	        "kernel void f(global float4 *a) { float4 v = a[0]; v.xy = v.s32; v.hi = v.odd;\n"
	        "  v = REVERSED(v); a[1] = v; a[2].y = v.x; a->z = 1; }",
	        NULL);
	assert_text(k, "swizzle(");
	const struct ir_access *last = &k->accesses[k->access_count - 1];
	assert_int_equal(last->offset_bytes, 8);
	assert_int_equal(last->type.width, 1);
	assert_int_equal(k->accesses[k->access_count - 2].offset_bytes, 36);
	kernel_free(k);
}

static void whole_vector_swizzle_of_the_same_width_is_not_a_cast(void **state)
{
	(void)state;
	struct ir_kernel *k = analyse("kernel void f(global float4 *a) { float4 v = a[0];\n"
	                              "  float4 w = v.wzyx; a[1] = w; a[2] = v; }",
	                              NULL);
	assert_int_equal(count_nodes(k, NODE_SWIZZLE), 1);
	kernel_free(k);
}

static void structs_are_leaves(void **state)
{
	(void)state;
	struct ir_kernel *k =
	        analyse("struct in { float2 v; int n; }; struct s { char c; struct in in[2]; };\n"
	                "kernel void f(global struct s *a, struct s p) { struct s t = "
	                "a[get_global_id(0)];\n"
	                "  t.in[1].n += p.in[0].n; a[0].in[1].n = t.in[1].n; }",
	                NULL);
	const struct ir_access *store = access_of(k, ACCESS_STORE, "a");
	assert_int_equal(store->offset_bytes, 8 + 16 + 8);
	assert_int_equal(k->arguments[1].kind, ARGUMENT_STRUCT);
	assert_int_equal(k->arguments[1].size_bytes, 40);
	kernel_free(k);
}

static void pointer_walks_as_a_loop_variable(void **state)
{
	(void)state;
	struct ir_kernel *k = analyse(
	        "kernel void f(global float *a, int n) { global float *p = a + n, *e = p + 100;\n"
	        "  float s = 0; while (p < e) s += *p++; a[0] = s; }",
	        NULL);
	assert_int_equal(k->variable_count, 2);
	assert_int_equal(access_of(k, ACCESS_LOAD, "a")->scale_bytes, 4);
	kernel_free(k);
}

static void local_arrays_are_objects_of_their_size(void **state)
{
	(void)state;
	struct ir_kernel *k =
	        analyse("kernel void f(global float *a) { local float t[16][17];\n"
	                "  int x = get_local_id(0), y = get_local_id(1); t[y][x] = a[0];\n"
	                "  barrier(CLK_LOCAL_MEM_FENCE); a[1] = t[x][y]; }",
	                NULL);
	assert_int_equal(k->objects[1].space, SPACE_LOCAL);
	assert_int_equal(k->objects[1].size_bytes, 16 * 17 * 4);
	assert_int_equal(k->objects[1].element_bytes, 4);
	kernel_free(k);
}

static void private_arrays_are_values_where_indices_are_constants(void **state)
{
	(void)state;
	struct ir_kernel *k = analyse("kernel void f(global float *a) { float t[3] = {1, 2};\n"
	                              "  t[2] = a[0]; a[1] = t[0] + t[1] + t[2]; }",
	                              NULL);
	assert_int_equal(k->object_count, 1);
	kernel_free(k);
	k = analyse("kernel void f(global float *a, int n) { float t[3] = {1, 2};\n"
	            "  t[n] = a[0]; a[1] = t[0]; }",
	            NULL);
	assert_int_equal(k->objects[1].space, SPACE_PRIVATE);
	assert_int_equal(count_accesses(k, ACCESS_STORE, "t"), 4);
	kernel_free(k);
}

static void constants_of_the_program_fold_or_are_objects(void **state)
{
	(void)state;
	struct ir_kernel *k =
	        analyse("constant int n = 3 * 4; constant float t[3] = {1, 2, 3}; enum { E = 5 };\n"
	                "kernel void f(global float *a, int i) { a[n + E] = t[i]; }",
	                NULL);
	assert_int_equal(access_of(k, ACCESS_STORE, "a")->offset_bytes, 17 * 4);
	assert_int_equal(access_of(k, ACCESS_LOAD, "t")->scale_bytes, 4);
	assert_int_equal(k->object_count, 2);
	kernel_free(k);
}

static void atomics_read_and_write(void **state)
{
	(void)state;
	struct ir_kernel *k = analyse(
	        "kernel void f(global int *a, global atomic_int *b, local uint *c) {\n"
	        "  int x = atomic_add(a, 3); atomic_inc(&c[1]); atomic_cmpxchg(a + 1, 2, 3);\n"
	        "  atomic_fetch_add(b, x); a[2] = atomic_max(a, x); }",
	        "-cl-std=CL2.0");
	assert_int_equal(count_accesses(k, ACCESS_ATOMIC, "a"), 3);
	assert_int_equal(count_accesses(k, ACCESS_ATOMIC, "b"), 1);
	assert_int_equal(count_accesses(k, ACCESS_ATOMIC, "c"), 1);
	for (uint32_t i = 0; i < k->access_count; i++)
		assert_int_equal(k->accesses[i].is_exchange,
		                 k->accesses[i].kind == ACCESS_ATOMIC &&
		                         k->accesses[i].offset_bytes == 4 &&
		                         strcmp(k->objects[k->accesses[i].object].name, "a") == 0);
	kernel_free(k);
}

static void built_ins_are_nodes_or_calls(void **state)
{
	(void)state;
	struct ir_kernel *k = analyse(
	        "kernel void f(global float *a, int n) { float x = a[0];\n"
	        "  a[1] = fma(x, x, 1.0f) + clamp(x, 0.0f, 1.0f) + native_sin(x) + exp(x);\n"
	        "  a[2] = as_float(n) + convert_float_rtz(n) + select(x, 1.0f, n > 2);\n"
	        "  a[3] = dot((float3)(x), (float3)(1, 2, x)) + length((float2)(x, 1)); }",
	        NULL);
	assert_int_equal(count_nodes(k, NODE_BITCAST), 1);
	assert_true(count_nodes(k, NODE_FMA) >= 3);
	assert_int_equal(count_nodes(k, NODE_SELECT), 1);
	assert_text(k, "native_sin(");
	assert_int_equal(count_written(k, OP_CLASS_EXP, TYPE_CLASS_FLOAT), 1);
	kernel_free(k);
}

static void second_results_come_through_pointers(void **state)
{
	(void)state;
	struct ir_kernel *k = analyse("kernel void f(global float *a) { float c; int e;\n"
	                              "  a[1] = sincos(a[0], &c) + c + frexp(a[2], &e) + e; }",
	                              NULL);
	assert_text(k, "cos(");
	assert_text(k, "ilogb(");
	kernel_free(k);
}

static void vector_loads_move_all_lanes(void **state)
{
	(void)state;
	struct ir_kernel *k =
	        analyse("kernel void f(global float *a, global half *h, int i) {\n"
	                "  vstore4(vload4(i, a), i + 1, a); a[0] = vload_half(i, h); }",
	                NULL);
	assert_int_equal(access_of(k, ACCESS_LOAD, "a")->type.width, 4);
	assert_int_equal(access_of(k, ACCESS_LOAD, "a")->scale_bytes, 16);
	assert_int_equal(access_of(k, ACCESS_LOAD, "h")->type.scalar, SCALAR_HALF);
	kernel_free(k);
}

static void promotions_are_cs(void **state)
{
	(void)state;
	struct ir_kernel *k = analyse("kernel void f(global int *a, uchar c, short s, uint u) {\n"
	                              "  a[0] = c + s; a[1] = u / 2 > -1; s += u; a[2] = s;\n"
	                              "  a[3] = (char)200; a[4] = -7 / 2; a[5] = 1u << 31 >> 31; }",
	                              NULL);
	assert_text(k, "store int a[0 + 12] = -56");
	assert_text(k, "store int a[0 + 16] = -3");
	assert_text(k, "store int a[0 + 20] = 1");
	assert_text(k, "convert_short(");
	kernel_free(k);
}

static void truth_has_literals(void **state)
{
	(void)state;
	struct ir_kernel *k = analyse("kernel void f(global int *a) { bool b = true;\n"
	                              "  a[0] = b; a[1] = false; a[2] = b ? 7 : 8; }",
	                              NULL);
	assert_text(k, "store int a[0] = 1");
	assert_text(k, "store int a[0 + 4] = 0");
	assert_text(k, "store int a[0 + 8] = 7");
	kernel_free(k);
}

static void attributes_of_kernels_and_loops_are_read(void **state)
{
	(void)state;
	struct ir_kernel *k = analyse(
	        "#define W 16\n#define ATTR __attribute__((reqd_work_group_size(W, W, 1)))\n"
	        "#define KERNEL __kernel\n"
	        "ATTR KERNEL void f(global float *a) {\n"
	        "  float s = 0;\n"
	        "#pragma unroll 4\n"
	        "  for (int i = 0; i < 64; i++) s += a[i];\n"
	        "  __attribute__((opencl_unroll_hint(2)))\n"
	        "  for (int i = 0; i < 64; i++) s *= a[i];\n"
	        "  a[0] = s; }",
	        NULL);
	assert_int_equal(k->required_local[0], 16);
	assert_int_equal(k->required_local[1], 16);
	assert_int_equal(k->required_local[2], 1);
	unsigned hints[2], loops = 0;
	for (uint32_t i = 0; i < k->statement_count; i++)
		if (k->statements[i].kind == STATEMENT_LOOP && loops < 2)
			hints[loops++] = k->statements[i].unroll;
	assert_int_equal(loops, 2);
	assert_int_equal(hints[0], 4);
	assert_int_equal(hints[1], 2);
	kernel_free(k);
}

static void loop_forgets_what_it_stores_to(void **state)
{
	(void)state;
	struct ir_kernel *k =
	        analyse("kernel void f(global float *a, global const float *b, int n) {\n"
	                "  float x = a[0] + b[0];\n"
	                "  for (int i = 0; i < n; i++) { x += a[0] + b[0]; a[i] = x; } a[1] = x; }",
	                NULL);
	assert_int_equal(count_accesses(k, ACCESS_LOAD, "a"), 2);
	assert_int_equal(count_accesses(k, ACCESS_LOAD, "b"), 1);
	kernel_free(k);
}

static void other_constructs_have_a_reason(void **state)
{
	(void)state;
	assert_unsupported("int f(int n) { return n ? f(n - 1) : 0; }\n"
	                   "kernel void k(global int *a) { a[0] = f(3); }",
	                   "line 1: recursion in f");
	assert_unsupported("kernel void k(global int *a, int n) { if (n) goto l; { l: a[0]++; } }",
	                   "goto into a block");
	assert_unsupported("kernel void k(global int *a) { a[0] = vendor_macro + a[1]; }",
	                   "vendor_macro is defined nowhere: -Dvendor_macro= would define it");
}

static void unknown_function_blames_the_kernels_that_reach_it(void **state)
{
	struct error error;
	struct ir_kernel **kernels;
	size_t count;
	static const char source[] =
	        "float4 spell(int n) { return magic * n; }\n"
	        "kernel void one(global float4 *a, int n) { a[0] = spell(n); }\n"
	        "kernel void two(local int *l) { l[0] = 1; }\n"
	        "struct s { wand x; int y; };\n"
	        "kernel void three(global struct s *a) { a[0].y = 1; }\n";
	static const char *const reasons[] = {
	        "line 2: magic is defined nowhere: -Dmagic= would define it",
	        "",
	        "line 5: wand is defined nowhere: -Dwand= would define it",
	};
	struct frontend_program program = {
	        .name = "x.cl", .source = source, .source_bytes = sizeof(source) - 1};
	(void)state;
	assert_int_equal(frontend_analyse(&program, &kernels, &count, NULL, &error), STATUS_OK);
	assert_int_equal(count, 3);
	assert_string_equal(kernels[0]->name, "one");
	assert_int_equal(kernels[0]->argument_count, 2);
	assert_int_equal(kernels[0]->arguments[0].kind, ARGUMENT_BUFFER);
	assert_int_equal(kernels[0]->arguments[0].size_bytes, 16);
	assert_int_equal(kernels[1]->arguments[0].kind, ARGUMENT_LOCAL);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(kernels[i]->unsupported, reasons[i]);
	frontend_free(kernels, count);
}

static void syntax_error_after_an_unknown_function_is_one(void **state)
{
	struct error error;
	(void)state;
	assert_int_equal(analyse_status("kernel void k(global int *a) { a[0] = magic(1); }\n"
	                                "kernel void j(global int *a) { a[0] = ; }\n",
	                                NULL, &error),
	                 STATUS_SYNTAX);
	assert_non_null(strstr(error.text, ":2:"));
}

static void too_many_unknown_names_leave_names_and_arguments(void **state)
{
	struct error error;
	struct ir_kernel **kernels;
	size_t count, used = 0;
	static char source[16384];
	(void)state;
	for (unsigned i = 0; i < 200; i++)
		used += (size_t)snprintf(source + used, sizeof(source) - used,
		                         "float f%u(float x) { return magic%u(x); }\n", i, i);
	(void)snprintf(source + used, sizeof(source) - used,
	               "kernel void k(global float *a) { a[0] = 1; }\n");
	struct frontend_program program = {
	        .name = "x.cl", .source = source, .source_bytes = strlen(source)};
	assert_int_equal(frontend_analyse(&program, &kernels, &count, NULL, &error), STATUS_OK);
	assert_int_equal(count, 1);
	assert_int_equal(kernels[0]->argument_count, 1);
	assert_string_equal(kernels[0]->unsupported, "unknown function, type or macro magic0");
	frontend_free(kernels, count);
}

static void undefined_names_are_said_all_at_once(void **state)
{
	struct error error;
	struct ir_kernel **kernels;
	struct frontend_report report;
	size_t count, used = 0;
	static char many[8192];
	static const char source[] =
	        "typedef struct node { int keys[ORDER + 1]; int n; } node;\n"
	        "constant float table[SIDE] = {0};\n"
	        "#define AREA (SIDE * TBX)\n"
	        "kernel void one(global node *t, global int *o) { o[0] = t[0].keys[0]; }\n"
	        "kernel void two(global real *a) { a[0] = AREA + magic(ORDER); }\n"
	        "kernel void three(global int *a) { a[0] = table[a[1]]; }\n"
	        "kernel void four(global int *a) { a[0] = 1; }\n";
	static const char *const reasons[] = {
	        "line 4: ORDER is defined nowhere: -DORDER= would define it",
	        "line 5: real is defined nowhere: -Dreal= would define it",
	        "line 6: SIDE is defined nowhere: -DSIDE= would define it", ""};
	struct frontend_program program = {
	        .name = "x.cl", .source = source, .source_bytes = sizeof(source) - 1};
	(void)state;
	assert_int_equal(frontend_analyse(&program, &kernels, &count, &report, &error), STATUS_OK);
	assert_int_equal(count, 4);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(kernels[i]->unsupported, reasons[i]);
	assert_string_equal(report.undefined,
	                    "ORDER, SIDE, real, TBX are defined nowhere: build options '-DORDER= "
	                    "-DSIDE= -Dreal= -DTBX=' would define them");
	assert_string_equal(report.left_out, "");
	frontend_free(kernels, count);
	program.options = "-DORDER=4 -DSIDE=16 -DTBX=8 -Dreal=int -Dmagic(x)=x";
	assert_int_equal(frontend_analyse(&program, &kernels, &count, &report, &error), STATUS_OK);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(kernels[i]->unsupported, "");
	assert_string_equal(report.undefined, "");
	frontend_free(kernels, count);
	/* more than there is room for: as many as fit, each with its option */
	for (unsigned i = 0; i < 60; i++)
		used += (size_t)snprintf(many + used, sizeof(many) - used,
		                         "constant int v%u = NAME_OF_MACRO_%u;\n", i, i);
	(void)snprintf(many + used, sizeof(many) - used, "kernel void k(global int *a) {}\n");
	program.source = many;
	program.source_bytes = strlen(many);
	assert_int_equal(frontend_analyse(&program, &kernels, &count, &report, &error), STATUS_OK);
	assert_non_null(strstr(report.undefined, "NAME_OF_MACRO_5, "));
	assert_non_null(strstr(report.undefined, ", ... are defined nowhere"));
	assert_non_null(strstr(report.undefined, "' would define them"));
	frontend_free(kernels, count);
}

static void kernels_that_the_preprocessor_left_out_are_named(void **state)
{
	struct error error;
	struct ir_kernel **kernels;
	struct frontend_report report;
	size_t count;
	static const char *const sources[][3] = {
	        {"#if TBX > 0\nkernel void conv(global float *a) { a[0] = TBX; }\n#endif\n", NULL,
	         "conv (line 1)"},
	        {"#if TBX > 0\nkernel void conv(global float *a) { a[0] = TBX; }\n#endif\n",
	         "-DTBX=1", ""},
	        {"kernel void on(global int *a) {}\n#ifdef A\n# ifndef B\n"
	         "__kernel __attribute__((reqd_work_group_size(1, 1, 1)))\nvoid in(int x)\n{}\n"
	         "# else\nvoid kernel other(int x) {}\nkernel void last(int x) {}\n# endif\n"
	         "kernel void end(int x) {}\n#endif\n",
	         NULL, "in (line 3), last (line 7), end (line 2)"},
	        {"#if 0 /* kernel void a() {} */\n// kernel void b() {}\n"
	         "#define k(n) \\\n kernel void n() {}\nkernel void c();\n"
	         "kernel void N(d)(int x) {}\nint kernel_of(void) { return 1; }\n#endif\n",
	         NULL, ""},
	        {"#if 0\nkernel void", NULL, ""},
	        {"#if 0\nkernel void a(((", NULL, ""},
	        {"#endif\n#else\nkernel void a() {}\n/*", NULL, NULL},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		struct frontend_program program = {.name = "x.cl",
		                                   .source = sources[i][0],
		                                   .source_bytes = strlen(sources[i][0]),
		                                   .options = sources[i][1]};
		enum status status = frontend_analyse(&program, &kernels, &count, &report, &error);
		if (status == STATUS_OK && sources[i][2] != NULL)
			assert_string_equal(report.left_out, sources[i][2]);
		if (status == STATUS_OK)
			frontend_free(kernels, count);
		else
			assert_int_equal(status, STATUS_SYNTAX);
	}
}

static void parameter_of_an_unknown_type_has_no_type(void **state)
{
	struct error error;
	struct ir_kernel **kernels;
	size_t count;
	static const char source[] =
	        "kernel void k(global float *a, mystery m, int n) { a[0] = m.x * n; }\n";
	struct frontend_program program = {
	        .name = "x.cl", .source = source, .source_bytes = sizeof(source) - 1};
	(void)state;
	assert_int_equal(frontend_analyse(&program, &kernels, &count, NULL, &error), STATUS_OK);
	assert_int_equal(count, 1);
	assert_string_equal(kernels[0]->unsupported,
	                    "line 1: mystery is defined nowhere: -Dmystery= would define it");
	assert_int_equal(kernels[0]->argument_count, 3);
	assert_int_equal(kernels[0]->arguments[0].kind, ARGUMENT_BUFFER);
	assert_int_equal(kernels[0]->arguments[1].kind, ARGUMENT_STRUCT);
	assert_int_equal(kernels[0]->arguments[1].size_bytes, 0);
	assert_string_equal(kernels[0]->arguments[1].name, "m");
	assert_int_equal(kernels[0]->arguments[2].kind, ARGUMENT_SCALAR);
	frontend_free(kernels, count);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	        cmocka_unit_test(sq_mod_has_the_papers_counts),
	        cmocka_unit_test(rest_after_a_guard_is_its_else),
	        cmocka_unit_test(store_makes_a_load_be_repeated_where_it_may_have_changed),
	        cmocka_unit_test(stored_value_is_not_read_back),
	        cmocka_unit_test(volatile_is_read_each_time),
	        cmocka_unit_test(barrier_makes_local_memory_unknown),
	        cmocka_unit_test(load_in_a_branch_is_not_known_after_it),
	        cmocka_unit_test(for_loop_has_its_variables_and_condition),
	        cmocka_unit_test(absent_parts_of_a_for_are_told_apart),
	        cmocka_unit_test(do_loop_tests_last),
	        cmocka_unit_test(while_with_a_load_in_its_condition_leaves_by_a_branch),
	        cmocka_unit_test(side_effect_of_a_condition_counts_once_more_at_the_end),
	        cmocka_unit_test(break_keeps_what_was_assigned_before_it),
	        cmocka_unit_test(continue_joins_before_the_increment),
	        cmocka_unit_test(both_arms_join_in_a_phi),
	        cmocka_unit_test(conditional_selects_or_branches),
	        cmocka_unit_test(short_circuit_guards_a_load),
	        cmocka_unit_test(switch_is_a_chain_of_branches),
	        cmocka_unit_test(helper_is_inlined_with_its_pointer_to_a_variable),
	        cmocka_unit_test(early_return_of_a_helper_chooses_its_result),
	        cmocka_unit_test(vectors_swizzle_both_ways),
	        cmocka_unit_test(whole_vector_swizzle_of_the_same_width_is_not_a_cast),
	        cmocka_unit_test(structs_are_leaves),
	        cmocka_unit_test(pointer_walks_as_a_loop_variable),
	        cmocka_unit_test(local_arrays_are_objects_of_their_size),
	        cmocka_unit_test(private_arrays_are_values_where_indices_are_constants),
	        cmocka_unit_test(constants_of_the_program_fold_or_are_objects),
	        cmocka_unit_test(atomics_read_and_write),
	        cmocka_unit_test(built_ins_are_nodes_or_calls),
	        cmocka_unit_test(second_results_come_through_pointers),
	        cmocka_unit_test(vector_loads_move_all_lanes),
	        cmocka_unit_test(promotions_are_cs),
	        cmocka_unit_test(truth_has_literals),
	        cmocka_unit_test(attributes_of_kernels_and_loops_are_read),
	        cmocka_unit_test(loop_forgets_what_it_stores_to),
	        cmocka_unit_test(other_constructs_have_a_reason),
	        cmocka_unit_test(unknown_function_blames_the_kernels_that_reach_it),
	        cmocka_unit_test(syntax_error_after_an_unknown_function_is_one),
	        cmocka_unit_test(too_many_unknown_names_leave_names_and_arguments),
	        cmocka_unit_test(undefined_names_are_said_all_at_once),
	        cmocka_unit_test(kernels_that_the_preprocessor_left_out_are_named),
	        cmocka_unit_test(parameter_of_an_unknown_type_has_no_type),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("frontend language", tests, NULL, NULL);
}
