/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes of a warp that meet at an address. */
#include "tests/test.h"

#include "model/device/serialisation.h"

static void the_fullest_bin_is_as_full_as_drawing_says(void **state)
{
	(void)state;
	/* as 20000 draws each say */
	assert_close(turns_at_random(32, 1), 32, 1e-9);
	assert_close(turns_at_random(32, 2), 18.2, 0.03);
	assert_close(turns_at_random(32, 8), 7.04, 0.08);
	assert_close(turns_at_random(32, 32), 3.53, 0.05);
	assert_close(turns_at_random(32, 1e9), 1, 1e-3);
	assert_close(turns_at_random(0, 32), 1, 1e-9);
}

static void neighbours_of_a_unit_take_one_turn(void **state)
{
	int64_t address[32];

	(void)state;
	for (unsigned i = 0; i < 32; i++)
		address[i] = 4 * i;
	assert_close(turns_of_units(address, 32, 5), 4, 1e-9);
	for (unsigned i = 0; i < 32; i++)
		address[i] = 4 * (i / 8);
	assert_close(turns_of_units(address, 32, 5), 8, 1e-9);
	for (unsigned i = 0; i < 32; i++)
		address[i] = 32 * i;
	assert_close(turns_of_units(address, 32, 5), 32, 1e-9);
	assert_close(turns_of_units(address, 0, 5), 0, 1e-9);
}

static void lanes_at_random_meet_where_there_are_few_addresses(void **state)
{
	(void)state;
	/* four units of eight words: eight lanes each */
	assert_close(turns_of_units_at_random(32, 128, 4, 5), 4 * 2.6, 0.08);
	assert_close(turns_of_units_at_random(32, 1 << 30, 4, 5), 32, 0.01);
	assert_close(turns_of_units_at_random(0, 128, 4, 5), 0, 1e-9);
}

static void lanes_of_one_bank_take_turns_also_in_one_word(void **state)
{
	int64_t address[32];

	(void)state;
	for (unsigned i = 0; i < 32; i++)
		address[i] = 4 * (i % 4);
	assert_close(turns_of_banks(address, 32, 32), 8, 1e-9);
	for (unsigned i = 0; i < 32; i++)
		address[i] = 4 * i;
	assert_close(turns_of_banks(address, 32, 32), 1, 1e-9);
	for (unsigned i = 0; i < 32; i++)
		address[i] = 128 * i;
	assert_close(turns_of_banks(address, 32, 32), 32, 1e-9);
	assert_close(turns_of_banks(address, 32, 1), 1, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(the_fullest_bin_is_as_full_as_drawing_says),
	        cmocka_unit_test(neighbours_of_a_unit_take_one_turn),
	        cmocka_unit_test(lanes_at_random_meet_where_there_are_few_addresses),
	        cmocka_unit_test(lanes_of_one_bank_take_turns_also_in_one_word),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
