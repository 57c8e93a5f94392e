/* SPDX-License-Identifier: Apache-2.0 */
/* Analysed programs in the store: found by key and version, forgotten by use, count and bytes. */
#include "tests/test.h"

#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLENTY = 1 << 20 };

struct fixture {
	char directory[64];
	struct store *store;
};

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof *fixture);
	struct error error;
	assert_non_null(fixture);
	strcpy(fixture->directory, "/tmp/predictd-store-XXXXXX");
	assert_non_null(mkdtemp(fixture->directory));
	assert_int_equal(store_open(fixture->directory, &fixture->store, &error), STATUS_OK);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	static const char *const suffixes[] = {"", "-wal", "-shm"};
	struct fixture *fixture = *state;
	store_close(fixture->store);
	for (size_t i = 0; i < 3; i++) {
		char path[128];
		snprintf(path, sizeof path, "%s/predictd.db%s", fixture->directory, suffixes[i]);
		(void)unlink(path);
	}
	(void)rmdir(fixture->directory);
	free(fixture);
	return 0;
}

/* A program whose key and reply are that letter, of `bytes` bytes. */
static struct stored_program letter(char which, size_t bytes, int64_t used_at_s)
{
	struct stored_program program = {.reply = malloc(bytes),
	                                 .reply_bytes = bytes,
	                                 .analysis_time_s = 0.25,
	                                 .used_at_s = used_at_s};
	assert_non_null(program.reply);
	memset(program.key, which, sizeof program.key);
	memset(program.reply, which, bytes);
	return program;
}

static void save(const struct fixture *fixture, const char *version, char which, size_t bytes,
                 int64_t used_at_s, size_t count_max, size_t bytes_max)
{
	struct stored_program program = letter(which, bytes, used_at_s);
	struct error error = {.text = ""};
	if (store_save_programs(fixture->store, version, &program, 1, count_max, bytes_max,
	                        &error) != STATUS_OK)
		fail_msg("%s", error.text);
	free(program.reply);
}

/* The bytes of the reply that is kept; 0: it is not. */
static size_t kept(const struct fixture *fixture, const char *version, char which)
{
	struct stored_program program;
	struct error error;
	uint8_t key[STORE_KEY_BYTES];
	memset(key, which, sizeof key);
	enum status status = store_load_program(fixture->store, version, key, &program, &error);
	if (status != STATUS_OK) {
		assert_int_equal(status, STATUS_NOT_FOUND);
		return 0;
	}
	assert_memory_equal(program.key, key, sizeof key);
	assert_close(program.analysis_time_s, 0.25, 0);
	for (size_t i = 0; i < program.reply_bytes; i++)
		assert_int_equal(program.reply[i], which);
	free(program.reply);
	return program.reply_bytes;
}

static void programs_come_back_for_the_version_that_analysed_them(void **state)
{
	const struct fixture *fixture = *state;
	save(fixture, "one", 'a', 10, 1, PLENTY, PLENTY);
	assert_int_equal(kept(fixture, "one", 'a'), 10);
	assert_int_equal(kept(fixture, "one", 'b'), 0);
	assert_int_equal(kept(fixture, "two", 'a'), 0);
	/* what another version analysed is of no use to anybody */
	save(fixture, "two", 'b', 20, 2, PLENTY, PLENTY);
	assert_int_equal(kept(fixture, "one", 'a'), 0);
	assert_int_equal(kept(fixture, "two", 'b'), 20);
}

static void a_program_saved_again_replaces_itself(void **state)
{
	const struct fixture *fixture = *state;
	save(fixture, "v", 'a', 10, 1, PLENTY, PLENTY);
	save(fixture, "v", 'a', 30, 2, 1, PLENTY);
	assert_int_equal(kept(fixture, "v", 'a'), 30);
}

static void least_recently_used_are_forgotten_beyond_a_count(void **state)
{
	const struct fixture *fixture = *state;
	save(fixture, "v", 'a', 10, 1, 3, PLENTY);
	save(fixture, "v", 'b', 10, 2, 3, PLENTY);
	save(fixture, "v", 'c', 10, 3, 3, PLENTY);
	save(fixture, "v", 'a', 10, 4, 3, PLENTY);
	save(fixture, "v", 'd', 10, 5, 3, PLENTY);
	assert_int_equal(kept(fixture, "v", 'b'), 0);
	assert_true(kept(fixture, "v", 'a') && kept(fixture, "v", 'c') && kept(fixture, "v", 'd'));
}

static void bytes_bound_what_is_kept(void **state)
{
	const struct fixture *fixture = *state;
	for (char which = 'a'; which <= 'j'; which++)
		save(fixture, "v", which, 100, which, PLENTY, 350);
	assert_int_equal(kept(fixture, "v", 'g'), 0);
	assert_int_equal(kept(fixture, "v", 'h'), 100);
	/* one beyond the bound alone leaves nothing */
	save(fixture, "v", 'z', 351, 'z', PLENTY, 350);
	assert_int_equal(kept(fixture, "v", 'z'), 0);
	assert_int_equal(kept(fixture, "v", 'j'), 0);
}

static void note(void *data, const uint8_t key[STORE_KEY_BYTES])
{
	char *text = data;
	text[strlen(text)] = (char)key[0];
}

static void keys_of_a_version_are_listed(void **state)
{
	const struct fixture *fixture = *state;
	char text[8] = "";
	struct error error;
	save(fixture, "v", 'b', 10, 1, PLENTY, PLENTY);
	save(fixture, "v", 'a', 10, 2, PLENTY, PLENTY);
	assert_int_equal(store_list_programs(fixture->store, "v", note, text, &error), STATUS_OK);
	assert_string_equal(text, "ab");
	text[0] = text[1] = '\0';
	assert_int_equal(store_list_programs(fixture->store, "w", note, text, &error), STATUS_OK);
	assert_string_equal(text, "");
}

int main(void)
{
#define PROGRAM_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
	        PROGRAM_TEST(programs_come_back_for_the_version_that_analysed_them),
	        PROGRAM_TEST(a_program_saved_again_replaces_itself),
	        PROGRAM_TEST(least_recently_used_are_forgotten_beyond_a_count),
	        PROGRAM_TEST(bytes_bound_what_is_kept),
	        PROGRAM_TEST(keys_of_a_version_are_listed),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("program", tests, NULL, NULL);
}
