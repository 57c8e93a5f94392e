/* SPDX-License-Identifier: Apache-2.0 */
/* One kernel, however it is written, takes as long, and could be changed in the same ways. */
#include "tests/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/whatif/whatif.h"
#include "tests/unit/predict/core.h"

enum { NUMBER = 256, BYTES = 64 << 20, FORMS_MAX = 16 };

#define KERNEL "kernel void k(global const float *a, global float *o, int n)\n"

static const char *const sums_of_rows[FORMS_MAX] = {
#define ROW(id, loop) KERNEL "{ int i = " id "; float s = 0; " loop " o[i] = s; }\n"
        ROW("get_global_id(0)", "for (int k = 0; k < n; k++) s += a[i * n + k];"),
        ROW("get_group_id(0) * get_local_size(0) + get_local_id(0)",
            "for (uint k = 0; k < n; k++) s = a[i * n + k] + s;"),
        ROW("get_local_id(0) + get_local_size(0) * (int)get_group_id(0)",
            "for (size_t k = 0; k != n; ++k) s += a[i * n + k];"),
        ROW("get_global_id(0)", "int k = 0; while (k < n) s += a[i * n + k++];"),
        ROW("get_global_id(0)", "int k = 0; if (n > 0) do s += a[i * n + k]; while (++k < n);"),
        ROW("get_global_id(0)", "for (int k = 0;; k++) { if (k >= n) break; s += a[i * n + k]; }"),
        ROW("get_global_id(0)", "int k = 0; while (1) { if (k == n) { break; } "
                                "s += a[i * n + k]; k = k + 1; }"),
        ROW("get_global_id(0)", "global const float *p = a + i * n; "
                                "for (int k = 0; k < n; k++) s += *p++;"),
        ROW("get_global_id(0)", "global const float *p = a + i * n, *e = p + n; "
                                "for (; p != e; ++p) s += *p;"),
        ROW("get_global_id(0)", "for (int k = 0, at = i * n; k < n; k++, at++) s += a[at];"),
};

static const char *const sums_by_all[FORMS_MAX] = {
#define BY_ALL(begin, loop) KERNEL "{ float s = 0; " begin loop " o[get_global_id(0)] = s; }\n"
        BY_ALL("int k = get_global_id(0);",
               "for (; k < n * 65536; k += get_global_size(0)) s += a[k];"),
        BY_ALL("uint k = get_global_id(0);",
               "for (; k < n * 65536; k += get_global_size(0)) s += a[k];"),
        BY_ALL("int k = get_group_id(0) * get_local_size(0) + get_local_id(0);",
               "for (; k < n * 65536; k += get_num_groups(0) * get_local_size(0)) s += a[k];"),
        BY_ALL("int b = get_group_id(0), w = get_local_size(0), m = get_num_groups(0);",
               "for (int k = b * w + (int)get_local_id(0); k < n * 65536; k += m * w) s += a[k];"),
        BY_ALL("int k = get_global_id(0); global const float *p = a + k;",
               "for (; k < n * 65536; k += get_global_size(0), p += get_global_size(0)) s += *p;"),
};

static const char *const products[FORMS_MAX] = {
#define SCALED(id, guard) KERNEL "{ " id " if (" guard ") o[i] = a[i] * 2.0f; }\n"
        SCALED("int i = get_global_id(0);", "i < n * 65536"),
        SCALED("uint i = get_global_id(0);", "!(i >= n * 65536)"),
        SCALED("int i = get_group_id(0) * get_local_size(0) + get_local_id(0);", "i < n * 65536"),
};

static struct prediction asked(struct device *device, const char *source)
{
	struct ir_kernel *kernel = analyse(source, "");
	struct launch launch = launch_1d(ITEMS, 128);
	struct prediction prediction;

	launch_buffer(&launch, BYTES);
	launch_buffer(&launch, BYTES);
	launch_integer(&launch, SCALAR_INT, NUMBER);
	prediction = answer_by(kernel, device, &launch,
	                       &(struct prediction_options){.with_what_ifs = true});
	kernel_free(kernel);
	return prediction;
}

static void count(const struct prediction *prediction, unsigned counts[WHAT_IF_COUNT])
{
	memset(counts, 0, WHAT_IF_COUNT * sizeof counts[0]);
	for (uint32_t i = 0; i < prediction->what_if_count; i++)
		counts[prediction->what_ifs[i].kind]++;
}

static void assert_alike(struct device *device, const char *const forms[])
{
	struct prediction first = asked(device, forms[0]);
	unsigned want[WHAT_IF_COUNT], have[WHAT_IF_COUNT];

	count(&first, want);
	assert_true(first.what_if_count > 0);
	for (unsigned i = 1; i < FORMS_MAX && forms[i]; i++) {
		struct prediction other = asked(device, forms[i]);

		count(&other, have);
		for (unsigned kind = 0; kind < WHAT_IF_COUNT; kind++)
			if (have[kind] != want[kind])
				fail_msg("%s%s: want %u, have %u", forms[i],
				         what_if_word((enum what_if_kind)kind), want[kind],
				         have[kind]);
		if (fabs(other.kernel_time_s / first.kernel_time_s - 1) > 0.03)
			fail_msg("%swant %g s, have %g s", forms[i], first.kernel_time_s,
			         other.kernel_time_s);
	}
	free(device);
}

static void rows_are_added_up_alike(void **state)
{
	(void)state;
	assert_alike(device_gpu(), sums_of_rows);
	assert_alike(device_cpu(), sums_of_rows);
}

static void loops_by_all_work_items_are_alike(void **state)
{
	(void)state;
	assert_alike(device_gpu(), sums_by_all);
	assert_alike(device_cpu(), sums_by_all);
}

static void guards_are_alike(void **state)
{
	(void)state;
	assert_alike(device_gpu(), products);
	assert_alike(device_cpu(), products);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(rows_are_added_up_alike),
	        cmocka_unit_test(loops_by_all_work_items_are_alike),
	        cmocka_unit_test(guards_are_alike),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
