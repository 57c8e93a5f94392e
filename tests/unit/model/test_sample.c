/* SPDX-License-Identifier: Apache-2.0 */
/* Samples: what follows from their bytes, what is found in them, and what is refused. */
#include "tests/test.h"

#include <string.h>

#include "model/device/sample.h"

enum { PLENTY = SAMPLE_RUNS_MAX + 1 };

/* One run over all of a buffer. */
static struct sample *whole(enum scalar scalar, const void *bytes, size_t size)
{
	const uint64_t offset = 0;
	const uint32_t length = (uint32_t)size;
	const struct sample_parts parts = {size, scalar, &offset, 1, &length, 1, bytes, size};
	struct sample *sample = NULL;
	struct error error;
	if (sample_new(&parts, &sample, &error) != STATUS_OK)
		fail_msg("%s", error.text);
	return sample;
}

#define WHOLE(scalar, array) whole((scalar), (array), sizeof(array))

static void refused(const struct sample_parts *parts, enum status status, const char *text)
{
	struct sample *sample = NULL;
	struct error error = {.status = STATUS_OK};
	assert_int_equal(sample_new(parts, &sample, &error), status);
	assert_null(sample);
	assert_string_equal(error.text, text);
}

static void integers_have_a_range(void **state)
{
	const int32_t ints[] = {3, -7, 0, 12};
	const uint64_t longs[] = {5, INT64_MAX}, large[] = {5, UINT64_C(1) << 63};
	const float reals[] = {1, 2};
	(void)state;
	struct sample *sample = WHOLE(SCALAR_INT, ints);
	assert_true(sample->has_range);
	assert_int_equal(sample->low, -7);
	assert_int_equal(sample->high, 12);
	assert_close(sample->zero_share, 0.25, 0);
	assert_int_equal(sample->order, SAMPLE_UNORDERED);
	sample_release(sample);
	sample = WHOLE(SCALAR_ULONG, longs);
	assert_true(sample->has_range);
	assert_int_equal(sample->low, 5);
	assert_true(sample->high == INT64_MAX);
	sample_release(sample);
	sample = WHOLE(SCALAR_ULONG, large);
	assert_false(sample->has_range);
	assert_int_equal(sample->order, SAMPLE_ASCENDING);
	sample_release(sample);
	sample = WHOLE(SCALAR_FLOAT, reals);
	assert_false(sample->has_range);
	sample_release(sample);
}

static void every_integer_type_is_read_as_it_is(void **state)
{
	static const struct {
		enum scalar scalar;
		int64_t low, high;
	} cases[] = {
	        {SCALAR_CHAR, -128, -1},
	        {SCALAR_UCHAR, 128, 255},
	        {SCALAR_SHORT, -32640, -1},
	        {SCALAR_USHORT, 32896, 65535},
	        {SCALAR_INT, -2139062144, -1},
	        {SCALAR_UINT, 2155905152, 4294967295},
	        {SCALAR_LONG, -9187201950435737472, -1},
	};
	uint8_t bytes[16];
	(void)state;
	memset(bytes, 0x80, 8);
	memset(bytes + 8, 0xff, 8);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct sample *sample = WHOLE(cases[i].scalar, bytes);
		assert_true(sample->has_range);
		assert_true(sample->low == cases[i].low);
		assert_true(sample->high == cases[i].high);
		assert_int_equal(sample->order, SAMPLE_ASCENDING);
		sample_release(sample);
	}
}

static void order_is_that_of_values(void **state)
{
	const float up[] = {-INFINITY, -2, -0.0f, 0, 1e-40f, 3}, with_nan[] = {1, NAN, 2};
	const double down[] = {3, 0.5, 0.5, -1e300};
	const uint16_t halves[] = {0xc000, 0x8000, 0x0001, 0x7c00}; /* -2, -0, 2^-24, infinity */
	const uint64_t longs[] = {0, INT64_MAX, UINT64_C(1) << 63, UINT64_MAX};
	const int32_t one[] = {1}, same[] = {4, 4, 4};
	(void)state;
	static const uint64_t count = 7;
	struct sample *samples[] = {WHOLE(SCALAR_FLOAT, up),      WHOLE(SCALAR_DOUBLE, down),
	                            WHOLE(SCALAR_HALF, halves),   WHOLE(SCALAR_ULONG, longs),
	                            WHOLE(SCALAR_INT, one),       WHOLE(SCALAR_INT, same),
	                            WHOLE(SCALAR_FLOAT, with_nan)};
	const enum sample_order orders[] = {SAMPLE_ASCENDING, SAMPLE_DESCENDING, SAMPLE_ASCENDING,
	                                    SAMPLE_ASCENDING, SAMPLE_UNORDERED,  SAMPLE_ASCENDING,
	                                    SAMPLE_UNORDERED};
	for (size_t i = 0; i < count; i++)
		assert_int_equal(samples[i]->order, orders[i]);
	assert_close(samples[0]->zero_share, 2.0 / 6, 1e-12);
	for (size_t i = 0; i < count; i++)
		sample_release(samples[i]);
}

static void bytes_of_no_type_have_zeros_alone(void **state)
{
	const uint8_t bytes[] = {0, 1, 2, 3, 0};
	(void)state;
	struct sample *sample = WHOLE(SCALAR_VOID, bytes);
	assert_false(sample->has_range);
	assert_int_equal(sample->order, SAMPLE_UNORDERED);
	assert_close(sample->zero_share, 0.4, 1e-12);
	sample_release(sample);
}

static void a_run_is_found_by_each_of_its_bytes(void **state)
{
	const uint64_t offsets[] = {0, 100, UINT64_MAX - 8};
	const uint32_t lengths[] = {4, 8, 8};
	uint8_t bytes[20];
	struct sample *sample = NULL;
	struct error error;
	(void)state;
	for (uint8_t i = 0; i < sizeof bytes; i++)
		bytes[i] = i;
	const struct sample_parts parts = {UINT64_MAX, SCALAR_VOID, offsets, 3,
	                                   lengths,    3,           bytes,   sizeof bytes};
	assert_int_equal(sample_new(&parts, &sample, &error), STATUS_OK);
	for (unsigned run = 0, start = 0; run < 3; start += lengths[run++])
		for (unsigned at = 0; at < lengths[run]; at++)
			for (unsigned length = 1; at + length <= lengths[run]; length++)
				assert_int_equal(*sample_find(sample, offsets[run] + at, length),
				                 start + at);
	assert_null(sample_find(sample, 0, 5));
	assert_null(sample_find(sample, 4, 1));
	assert_null(sample_find(sample, 99, 2));
	assert_null(sample_find(sample, 107, 2));
	assert_null(sample_find(sample, 107, UINT64_MAX));
	assert_null(sample_find(sample, UINT64_MAX, 1));
	assert_non_null(sample_find(sample, UINT64_MAX - 1, 1));
	sample_release(sample);
}

static void the_last_holder_ends_it(void **state)
{
	const uint8_t byte[] = {1};
	(void)state;
	struct sample *sample = WHOLE(SCALAR_UCHAR, byte);
	assert_ptr_equal(sample_hold(sample), sample);
	sample_release(sample);
	assert_int_equal(sample->bytes[0], 1);
	sample_release(sample);
	sample_release(NULL);
}

static void hostile_runs_are_refused_with_what_is_wrong(void **state)
{
	static const struct {
		uint64_t size, offsets[2];
		uint32_t lengths[2];
		const char *text;
	} cases[] = {
	        {64, {0, 64}, {4, 4}, "sample: run 1: want it within 64 bytes, got 4 at 64"},
	        {64,
	         {0, UINT64_C(1) << 63},
	         {4, 4},
	         "sample: run 1: want it within 64 bytes, got 4 at 9223372036854775808"},
	        {64,
	         {0, UINT64_MAX - 3},
	         {4, 4},
	         "sample: run 1: want it within 64 bytes, got 4 at 18446744073709551612"},
	        {2, {0, 0}, {4, 4}, "sample: run 0: want it within 2 bytes, got 4 at 0"},
	        {64, {0, 2}, {4, 4}, "sample: run 1: want whole elements of 4 bytes, got 4 at 2"},
	        {64, {0, 8}, {4, 3}, "sample: run 1: want whole elements of 4 bytes, got 3 at 8"},
	        {64, {0, 8}, {4, 0}, "sample: run 1: want 1 byte or more, got 0"},
	        {64,
	         {0, 4},
	         {8, 4},
	         "sample: run 1: want it behind byte 8, where the run before ends, got 4"},
	        {64,
	         {0, 8},
	         {8, 4},
	         "sample: run 1: want it behind byte 8, where the run before ends, got 8"},
	        {64,
	         {32, 0},
	         {4, 4},
	         "sample: run 1: want it behind byte 36, where the run before ends, got 0"},
	        {UINT64_MAX,
	         {0, UINT64_C(1) << 33},
	         {UINT32_MAX - 3, 4},
	         "sample: want the 4294967296 bytes of all runs, got 8"},
	        {64, {0, 16}, {8, 4}, "sample: want the 12 bytes of all runs, got 8"},
	};
	const uint8_t bytes[8] = {0};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct sample_parts parts = {
		        cases[i].size, SCALAR_INT,  cases[i].offsets, 2, cases[i].lengths, 2,
		        bytes,         sizeof bytes};
		refused(&parts, STATUS_INVALID, cases[i].text);
	}
}

static void counts_are_bounded_before_they_are_used(void **state)
{
	static uint64_t offsets[PLENTY];
	static uint32_t lengths[PLENTY];
	static uint8_t bytes[SAMPLE_BYTES_MAX + 1];
	(void)state;
	for (size_t i = 0; i < PLENTY; i++) {
		offsets[i] = 2 * i;
		lengths[i] = 1;
	}
	struct sample_parts parts = {1 << 20, SCALAR_VOID, offsets, PLENTY,
	                             lengths, PLENTY,      bytes,   PLENTY};
	refused(&parts, STATUS_LIMIT, "sample: want at most 64 runs, got 65");
	parts.offset_count = parts.length_count = 0;
	refused(&parts, STATUS_INVALID,
	        "sample: want an offset and a length for each run, got 0 and 0");
	parts.offset_count = 2;
	parts.length_count = 1;
	refused(&parts, STATUS_INVALID,
	        "sample: want an offset and a length for each run, got 2 and 1");
	parts.offset_count = 1;
	lengths[0] = SAMPLE_BYTES_MAX + 1;
	parts.byte_count = SAMPLE_BYTES_MAX + 1;
	refused(&parts, STATUS_LIMIT, "sample: want at most 65536 bytes, got 65537");
	parts.scalar = SCALAR_COUNT;
	refused(&parts, STATUS_INVALID, "sample: want elements of a scalar type");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(integers_have_a_range),
	        cmocka_unit_test(every_integer_type_is_read_as_it_is),
	        cmocka_unit_test(order_is_that_of_values),
	        cmocka_unit_test(bytes_of_no_type_have_zeros_alone),
	        cmocka_unit_test(a_run_is_found_by_each_of_its_bytes),
	        cmocka_unit_test(the_last_holder_ends_it),
	        cmocka_unit_test(hostile_runs_are_refused_with_what_is_wrong),
	        cmocka_unit_test(counts_are_bounded_before_they_are_used),
	};
	return cmocka_run_group_tests_name("model/device/sample", tests, NULL, NULL);
}
