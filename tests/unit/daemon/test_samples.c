/* SPDX-License-Identifier: Apache-2.0 */
/* Samples kept: by whom they are found, and what goes for lack of room. */
#include "tests/test.h"

#include "daemon/state/samples.h"

#include <stdlib.h>
#include <string.h>

enum { MINE = 1000, HIS = 1001, MUCH = 1 << 30 };

static struct samples samples;

static int setup(void **state)
{
	(void)state;
	memset(&samples, 0, sizeof samples);
	samples_bound(&samples, 64, MUCH, MUCH);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	samples_deinit(&samples);
	assert_null(samples.table);
	assert_null(samples.users);
	assert_int_equal(samples.bytes, 0);
	return 0;
}

static const uint8_t *name_of(unsigned number)
{
	static uint8_t name[SAMPLE_NAME_BYTES];
	memcpy(name, &number, sizeof number);
	return name;
}

/* A sample of `size` bytes, each of them `number`. */
static enum status keep(uid_t user, unsigned number, uint32_t size, int64_t now_s)
{
	static uint8_t bytes[SAMPLE_BYTES_MAX];
	const uint64_t offset = 0;
	const struct sample_parts parts = {size, SCALAR_UCHAR, &offset, 1, &size, 1, bytes, size};
	struct sample *sample;
	struct error error;
	memset(bytes, (int)number, size);
	assert_int_equal(sample_new(&parts, &sample, &error), STATUS_OK);
	return samples_keep(&samples, user, name_of(number), sample, now_s, &error);
}

static bool has(uid_t user, unsigned number)
{
	const struct sample *sample = samples_use(&samples, user, name_of(number), 0);
	assert_true(sample == NULL || sample->bytes[0] == number);
	return sample != NULL;
}

static void a_sample_is_its_owners_alone(void **state)
{
	(void)state;
	assert_int_equal(keep(MINE, 1, 64, 0), STATUS_OK);
	assert_true(has(MINE, 1));
	assert_false(has(HIS, 1));
	assert_false(has(MINE, 2));
	assert_int_equal(keep(HIS, 1, 64, 0), STATUS_OK);
	const struct sample *mine = samples_use(&samples, MINE, name_of(1), 0);
	const struct sample *his = samples_use(&samples, HIS, name_of(1), 0);
	/* what is observed with them is filed apart */
	assert_memory_not_equal(mine->key, his->key, sizeof mine->key);
}

static void one_that_is_here_is_not_kept_twice(void **state)
{
	(void)state;
	assert_int_equal(keep(MINE, 1, 64, 0), STATUS_OK);
	const struct sample *first = samples_use(&samples, MINE, name_of(1), 0);
	size_t bytes = samples.bytes;
	assert_int_equal(keep(MINE, 1, 64, 0), STATUS_OK);
	assert_ptr_equal(samples_use(&samples, MINE, name_of(1), 0), first);
	assert_int_equal(samples.bytes, bytes);
}

static void beyond_the_count_what_was_used_longest_ago_goes(void **state)
{
	(void)state;
	samples_bound(&samples, 3, MUCH, MUCH);
	for (unsigned i = 1; i <= 3; i++)
		assert_int_equal(keep(MINE, i, 64, 0), STATUS_OK);
	assert_int_equal(keep(HIS, 9, 64, 0), STATUS_OK);
	assert_true(has(MINE, 1));
	assert_int_equal(keep(MINE, 4, 64, 0), STATUS_OK);
	assert_true(has(MINE, 1));
	assert_false(has(MINE, 2));
	assert_true(has(MINE, 3));
	assert_true(has(MINE, 4));
	assert_true(has(HIS, 9));
	assert_int_equal(samples.evicted, 1);
}

static void beyond_a_users_bytes_his_own_go(void **state)
{
	(void)state;
	samples_bound(&samples, 64, 160 << 10, MUCH);
	assert_int_equal(keep(HIS, 9, 60 << 10, 0), STATUS_OK);
	for (unsigned i = 1; i <= 3; i++)
		assert_int_equal(keep(MINE, i, 60 << 10, 0), STATUS_OK);
	assert_false(has(MINE, 1));
	assert_true(has(MINE, 2));
	assert_true(has(MINE, 3));
	assert_true(has(HIS, 9));
	samples_bound(&samples, 64, 32 << 10, MUCH);
	assert_false(has(MINE, 3));
	assert_int_equal(keep(MINE, 4, 60 << 10, 0), STATUS_LIMIT);
	assert_int_equal(samples.bytes, 0);
}

static void beyond_all_bytes_the_oldest_of_all_goes(void **state)
{
	(void)state;
	samples_bound(&samples, 64, MUCH, 160 << 10);
	assert_int_equal(keep(HIS, 1, 60 << 10, 0), STATUS_OK);
	assert_int_equal(keep(MINE, 2, 60 << 10, 0), STATUS_OK);
	assert_true(has(HIS, 1));
	assert_int_equal(keep(MINE, 3, 60 << 10, 0), STATUS_OK);
	assert_true(has(HIS, 1));
	assert_false(has(MINE, 2));
	assert_true(has(MINE, 3));
	assert_int_equal(keep(MINE, 4, 60 << 10, 0), STATUS_OK);
	assert_false(has(HIS, 1));
	samples_bound(&samples, 64, MUCH, 0);
	assert_int_equal(samples.bytes, 0);
}

static void forgetting_is_of_one_user_or_all_and_by_age(void **state)
{
	(void)state;
	assert_int_equal(keep(MINE, 1, 64, 100), STATUS_OK);
	assert_int_equal(keep(MINE, 2, 64, 200), STATUS_OK);
	assert_int_equal(keep(HIS, 3, 64, 100), STATUS_OK);
	assert_int_equal(samples_forget(&samples, true, MINE, 150), 1);
	assert_int_equal(samples_forget(&samples, true, 77, INT64_MAX), 0);
	assert_int_equal(samples_forget(&samples, false, 0, INT64_MAX), 2);
	assert_false(has(MINE, 2));
	assert_false(has(HIS, 3));
}

static void a_launch_holds_what_is_forgotten(void **state)
{
	static struct launch launch = {.argument_count = 2};
	(void)state;
	assert_int_equal(keep(MINE, 7, 64, 0), STATUS_OK);
	launch.arguments[1].sample = samples_use(&samples, MINE, name_of(7), 0);
	samples_hold(&launch);
	assert_int_equal(samples_forget(&samples, true, MINE, INT64_MAX), 1);
	assert_int_equal(launch.arguments[1].sample->bytes[63], 7);
	samples_release(&launch);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
	        TEST(a_sample_is_its_owners_alone),
	        TEST(one_that_is_here_is_not_kept_twice),
	        TEST(beyond_the_count_what_was_used_longest_ago_goes),
	        TEST(beyond_a_users_bytes_his_own_go),
	        TEST(beyond_all_bytes_the_oldest_of_all_goes),
	        TEST(forgetting_is_of_one_user_or_all_and_by_age),
	        TEST(a_launch_holds_what_is_forgotten),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("samples", tests, NULL, NULL);
}
