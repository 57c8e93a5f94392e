/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Affine forms of addresses against C: an index is compiled into this test and analysed as a
 * kernel's, and both give the same address for every work-item. A rough form may be off at
 * edges; of what depends on data there is a form that says so; of the rest there may be none.
 */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/evaluate/evaluate.h"
#include "tests/unit/frontend/analysis.h"
#include "tests/unit/golden/golden_device.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;

enum { N = 7, GLOBAL_X = 64, GLOBAL_Y = 6, LOCAL_X = 16, LOCAL_Y = 2 };

/* What OpenCL C has and C has not. */
#define min(a, b)       ((a) < (b) ? (a) : (b))
#define max(a, b)       ((a) > (b) ? (a) : (b))
#define mad24(a, b, c)  ((a) * (b) + (c))
#define select(a, b, c) ((c) ? (b) : (a))

enum quality { EXACT, ROUGH, RANDOM, ANY };

#define INDICES(X)                                                                                 \
	X(EXACT, own, i)                                                                           \
	X(EXACT, other_dimension, j)                                                               \
	X(EXACT, row, i + j * 64)                                                                  \
	X(EXACT, column, i * 6 + j)                                                                \
	X(EXACT, constant, 5)                                                                      \
	X(EXACT, negative, 63 - i)                                                                 \
	X(EXACT, negated, -i + 64)                                                                 \
	X(EXACT, added, i + n - 3)                                                                 \
	X(EXACT, times, n *i)                                                                      \
	X(EXACT, by_argument, i *n)                                                                \
	X(EXACT, by_size, li + lx * gi)                                                            \
	X(EXACT, twice, i + i)                                                                     \
	X(EXACT, shifted, (i << 3) + j)                                                            \
	X(EXACT, quotient, i / 4)                                                                  \
	X(EXACT, rest, i % 16)                                                                     \
	X(EXACT, masked, i & 15)                                                                   \
	X(EXACT, masked_left, 7 & i)                                                               \
	X(EXACT, shifted_down, i >> 2)                                                             \
	X(EXACT, digits, i / 8 * 100 + i % 8)                                                      \
	X(EXACT, transposed, i % 8 * 8 + i / 8)                                                    \
	X(EXACT, split_row, (i + j * 64) / 64 * 100 + (i + j * 64) % 64)                           \
	X(EXACT, joined_rest, (li + lx * gi) % 32)                                                 \
	X(EXACT, joined_quotient, (li + lx * gi) / 32)                                             \
	X(EXACT, joined_shift, (li + lx * gi) >> 3)                                                \
	X(EXACT, joined_mask, (gi * lx + li) & 31)                                                 \
	X(EXACT, group_of_two, (lj + ly * gj) / 2 + (li + lx * gi))                                \
	X(EXACT, fused, mad24(i, 3, j))                                                            \
	X(EXACT, fused_other, mad24(n, i, 2))                                                      \
	X(EXACT, wide, (int)((long)i * 2 + 1))                                                     \
	X(EXACT, unsigned_back, (int)((uint)i + 8u - 3u))                                          \
	X(EXACT, byte, (uchar)i)                                                                   \
	X(EXACT, byte_cut, (uchar)(i * 8))                                                         \
	X(EXACT, halfword, (ushort)(i * 4))                                                        \
	X(EXACT, signed_halfword, (short)(i + j))                                                  \
	X(EXACT, nothing, i * 0 + 3)                                                               \
	X(EXACT, gone, i - i + 2)                                                                  \
	X(EXACT, below, min(i, 64))                                                                \
	X(EXACT, above, max(i, 0))                                                                 \
	X(EXACT, far_below, min(i, -1) + 2)                                                        \
	X(EXACT, far_above, max(100, i))                                                           \
	X(EXACT, by_condition, n > 3 ? i : j)                                                      \
	X(EXACT, by_other_condition, n > 9 ? i : j * 2)                                            \
	X(EXACT, chosen_alike, select(i + 1, 1 + i, j > 1))                                        \
	X(ROUGH, clamped, min(max(i - 2, 0), 60))                                                  \
	X(ROUGH, edge, i == 0 ? 0 : i - 1)                                                         \
	X(ROUGH, wrapped, (i + 60) % 64)                                                           \
	X(ROUGH, wrapped_back, (i + 63) & 63)                                                      \
	X(ROUGH, offset_quotient, (i + 1) / 16)                                                    \
	X(ANY, product, i *j)                                                                      \
	X(ANY, power, 1 << (i & 7))                                                                \
	X(ANY, odd_rest, i % 5)                                                                    \
	X(ANY, odd_quotient, i * 3 / 4)                                                            \
	X(ANY, reversed_bits, (i & 1) << 5 | i >> 1)                                               \
	X(ANY, crossed, i ^ 1)                                                                     \
	X(ANY, negative_rest, (i - 40) % 16 + 20)                                                  \
	X(ANY, signed_byte, (char)(i * 4) + 128)                                                   \
	X(ANY, divided_by_itself, 64 / (i + 1))                                                    \
	X(RANDOM, gathered, b[i])                                                                  \
	X(RANDOM, gathered_near, b[i] * 4 + i)                                                     \
	X(RANDOM, gathered_rest, b[i] % 8)                                                         \
	X(RANDOM, gathered_clamped, min(b[i], 8))

struct ids {
	int i, j, li, lj, gi, gj;
};

#define X(quality, name, index)                                                                    \
	static int64_t name##_of(const struct ids *ids)                                            \
	{                                                                                          \
		static const int b[GLOBAL_X] = {0};                                                \
		int i = ids->i, j = ids->j, li = ids->li, lj = ids->lj, gi = ids->gi,              \
		    gj = ids->gj;                                                                  \
		int n = N, lx = LOCAL_X, ly = LOCAL_Y;                                             \
		(void)b, (void)i, (void)j, (void)li, (void)lj, (void)gi, (void)gj, (void)n;        \
		(void)lx, (void)ly;                                                                \
		return (int64_t)(index);                                                           \
	}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
INDICES(X)
#pragma GCC diagnostic pop
#undef X

static const struct {
	enum quality quality;
	const char *name, *index;
	int64_t (*of)(const struct ids *ids);
} rows[] = {
#define X(quality, name, index) {quality, #name, #index, name##_of},
        INDICES(X)
#undef X
};

static int64_t term_value(const struct affine_term *term, const struct ids *ids)
{
	const uint64_t values[9] = {
	        [AFFINE_GLOBAL] = (uint64_t)ids->i, [AFFINE_GLOBAL + 1] = (uint64_t)ids->j,
	        [AFFINE_LOCAL] = (uint64_t)ids->li, [AFFINE_LOCAL + 1] = (uint64_t)ids->lj,
	        [AFFINE_GROUP] = (uint64_t)ids->gi, [AFFINE_GROUP + 1] = (uint64_t)ids->gj,
	};
	assert_in_range(term->base, 0, 8);
	return term->factor * (int64_t)(values[term->base] / term->divisor % term->extent);
}

static int64_t form_value(const struct affine *form, const struct ids *ids)
{
	int64_t sum = form->constant;
	for (unsigned t = 0; t < form->term_count; t++)
		sum += term_value(&form->terms[t], ids);
	return sum;
}

/* How many work-items have another address by the form than by C. */
static unsigned differences(const struct affine *form, int64_t (*of)(const struct ids *ids))
{
	unsigned count = 0;
	for (int j = 0; j < GLOBAL_Y; j++)
		for (int i = 0; i < GLOBAL_X; i++) {
			const struct ids ids = {i,           j,           i % LOCAL_X,
			                        j % LOCAL_Y, i / LOCAL_X, j / LOCAL_Y};
			count += form_value(form, &ids) != 4 * of(&ids);
		}
	return count;
}

static struct affine form_of(const char *index)
{
	static struct device device;
	struct launch launch = {.dimensions = 2,
	                        .global = {GLOBAL_X, GLOBAL_Y, 1},
	                        .has_local = true,
	                        .local = {LOCAL_X, LOCAL_Y, 1},
	                        .argument_count = 3};
	struct evaluation evaluation;
	struct error error;
	struct affine form = {0};
	char source[600];
	golden_device(&device);
	for (unsigned a = 0; a < 2; a++)
		launch.arguments[a] =
		        (struct launch_argument){.kind = ARGUMENT_BUFFER, .size_bytes = 1 << 20};
	launch.arguments[2] = (struct launch_argument){
	        .kind = ARGUMENT_SCALAR, .type = type_scalar(SCALAR_INT), .value.integer = {N}};
	(void)snprintf(source, sizeof source,
	               "kernel void f(global int *a, global const int *b, int n) { int i = "
	               "get_global_id(0), j = get_global_id(1), li = get_local_id(0), lj = "
	               "get_local_id(1), gi = get_group_id(0), gj = get_group_id(1), lx = "
	               "get_local_size(0), ly = get_local_size(1); a[%s] = 1; }",
	               index);
	struct ir_kernel *kernel = analyse(source, NULL);
	if (evaluate(kernel, &device, &launch, 1 << 20, &evaluation, &error) != STATUS_OK)
		fail_msg("%s: %s", index, error.text);
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (kernel->accesses[i].kind == ACCESS_STORE)
			form = evaluation.accesses[i].address;
	evaluation_deinit(&evaluation);
	kernel_free(kernel);
	return form;
}

static void forms_give_the_addresses_that_c_gives(void **state)
{
	unsigned failures = 0;
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct affine form = form_of(rows[i].index);
		unsigned wrong =
		        form.is_known && !form.is_random ? differences(&form, rows[i].of) : 0;
		bool is_well =
		        rows[i].quality == EXACT ? form.is_known && !form.is_rough && wrong == 0
		        : rows[i].quality == ROUGH
		                ? form.is_known && form.is_rough && wrong <= GLOBAL_X * GLOBAL_Y / 8
		        : rows[i].quality == RANDOM ? form.is_known && form.is_random
		                                    : !form.is_known || form.is_rough || wrong == 0;
		if (is_well)
			continue;
		failures++;
		fprintf(stderr, "%s: known %d, rough %d, random %d, %u wrong\n", rows[i].index,
		        form.is_known, form.is_rough, form.is_random, wrong);
	}
	if (failures > 0)
		fail_msg("%u forms are not what they have to be", failures);
}

/* ---- their algebra --------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *seed >> 33;
}

/* Terms of ids that lie within the launch, with small factors of either sign. */
static struct affine random_affine(uint64_t *seed)
{
	static const uint64_t extents[9] = {
	        GLOBAL_X,           GLOBAL_Y,           1, LOCAL_X, LOCAL_Y, 1,
	        GLOBAL_X / LOCAL_X, GLOBAL_Y / LOCAL_Y, 1};
	struct affine form = affine_constant((int64_t)(next_random(seed) % 64) - 16);
	for (uint32_t base = 0; base < 9; base++) {
		struct affine one = {.is_known = true, .term_count = 1};
		one.terms[0] = (struct affine_term){base, 1, extents[base], 1};
		if (extents[base] == 1 || next_random(seed) % 2 == 0)
			continue;
		one = affine_scale(&one, (int64_t)(next_random(seed) % 33) - 8);
		form = affine_add(&form, &one);
	}
	return form;
}

static void sums_products_and_digits_are_those_of_the_values(void **state)
{
	uint64_t seed = 7;
	(void)state;
	for (unsigned round = 0; round < 3000; round++) {
		struct affine a = random_affine(&seed), b = random_affine(&seed);
		int64_t n = 1 + (int64_t)(next_random(&seed) % 40), low, high;
		struct affine sum = affine_add(&a, &b), product = affine_scale(&a, n - 20);
		struct affine whole = affine_divide(&a, n), rest = affine_remainder(&a, n);
		bool is_exact =
		        whole.is_known && !whole.is_rough && rest.is_known && !rest.is_rough;
		assert_true(sum.is_known && product.is_known);
		assert_true(affine_is_parallel(&a, &a));
		assert_true(affine_range(&a, &low, &high));
		for (unsigned point = 0; point < 20; point++) {
			int i = (int)(next_random(&seed) % GLOBAL_X);
			int j = (int)(next_random(&seed) % GLOBAL_Y);
			const struct ids ids = {i,           j,           i % LOCAL_X,
			                        j % LOCAL_Y, i / LOCAL_X, j / LOCAL_Y};
			int64_t x = form_value(&a, &ids), y = form_value(&b, &ids);
			assert_true(form_value(&sum, &ids) == x + y);
			assert_true(form_value(&product, &ids) == x * (n - 20));
			assert_true(low <= x && x <= high);
			if (whole.is_known && rest.is_known)
				assert_true(form_value(&whole, &ids) * n +
				                    form_value(&rest, &ids) ==
				            x);
			if (is_exact)
				assert_true(form_value(&rest, &ids) >= 0 &&
				            form_value(&rest, &ids) < n);
		}
	}
}

static void what_overflows_is_unknown(void **state)
{
	struct affine far = affine_constant(INT64_MAX), one = affine_constant(1), none = {0};
	struct affine wide = {.is_known = true, .term_count = 1}, full = affine_constant(0), sum;
	int64_t low, high;
	(void)state;
	wide.terms[0] = (struct affine_term){AFFINE_GLOBAL, 1, UINT64_C(1) << 40, INT64_MAX / 2};
	sum = affine_add(&far, &one);
	assert_false(sum.is_known);
	sum = affine_scale(&far, 2);
	assert_false(sum.is_known);
	sum = affine_scale(&wide, 4);
	assert_false(sum.is_known);
	assert_false(affine_range(&wide, &low, &high));
	wide.terms[0].extent = UINT64_MAX;
	assert_false(affine_range(&wide, &low, &high));
	wide.terms[0].factor = INT64_MAX;
	sum = affine_add(&wide, &wide);
	assert_false(sum.is_known);
	sum = affine_add(&none, &one);
	assert_false(sum.is_known);
	sum = affine_add(&one, &none);
	assert_false(sum.is_known);
	sum = affine_scale(&none, 3);
	assert_false(sum.is_known);
	sum = affine_scale(&far, 0);
	assert_true(sum.is_known && sum.constant == 0);
	assert_false(affine_divide(&none, 3).is_known);
	assert_false(affine_divide(&one, 0).is_known);
	assert_false(affine_remainder(&one, -3).is_known);
	assert_false(affine_is_parallel(&none, &one));
	assert_false(affine_is_parallel(&one, &wide));
	for (uint32_t base = 0; base < AFFINE_TERMS_MAX; base++) {
		struct affine term = {.is_known = true, .term_count = 1};
		term.terms[0] = (struct affine_term){base, 1, 4, 1};
		full = affine_add(&full, &term);
		assert_true(full.is_known);
	}
	wide.terms[0] = (struct affine_term){AFFINE_TERMS_MAX, 1, 4, 1};
	sum = affine_add(&full, &wide);
	assert_false(sum.is_known);
	wide = full;
	wide.terms[3].factor = 2;
	assert_false(affine_is_parallel(&full, &wide));
	wide.terms[3] = (struct affine_term){3, 2, 4, 1};
	assert_false(affine_is_parallel(&full, &wide));
	wide = full;
	wide.is_random = true;
	assert_false(affine_is_parallel(&full, &wide));
	assert_false(affine_divide(&wide, 2).is_known);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	        cmocka_unit_test(forms_give_the_addresses_that_c_gives),
	        cmocka_unit_test(sums_products_and_digits_are_those_of_the_values),
	        cmocka_unit_test(what_overflows_is_unknown),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("affine forms", tests, NULL, NULL);
}
