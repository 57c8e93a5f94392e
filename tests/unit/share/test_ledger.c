/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger: each run goes out once, whatever dies or comes back; what comes in is kept in order.
 */
#include "tests/test.h"

#include "tests/folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/share/ledger.h"

static char folder[64];
static struct ledger *ledger;
static struct error error;
static uint8_t machine[MACHINE_BYTES] = {1}, store[STORE_ID_BYTES] = {7};
static struct shared_row rows[64];

static int set_up(void **state)
{
	(void)state;
	(void)snprintf(folder, sizeof folder, "/tmp/predictd-ledger-XXXXXX");
	assert_non_null(mkdtemp(folder));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	ledger_close(ledger);
	ledger = NULL;
	return folder_remove(folder);
}

#define assert_ok(call)                                                                            \
	do {                                                                                       \
		if ((call) != STATUS_OK)                                                           \
			fail_msg("%s", error.text);                                                \
	} while (0)

static void open_it(void)
{
	ledger_close(ledger);
	assert_ok(ledger_open(folder, machine, &ledger, &error));
}

static struct launch_place place_of(uint64_t launch)
{
	struct launch_place place = {.kernel = 5, .launch = launch};
	strcpy(place.model, "name:0123456789abcdef");
	strcpy(place.driver, "driver \"1\"");
	return place;
}

/* A record with so many runs ever, the newest of them kept; run n took n ms. */
static size_t make_state(uint64_t runs, uint8_t state[CORRECTION_RECORD_BYTES])
{
	struct correction_record record = {.runs = runs};
	record.sample_count =
	        (uint32_t)(runs < CORRECTION_SAMPLES ? runs : (uint64_t)CORRECTION_SAMPLES);
	for (uint32_t i = 0; i < record.sample_count; i++)
		record.samples[i] = (struct correction_sample){
		        .time_log = (float)log(1e-3 * (double)(runs - record.sample_count + i + 1)),
		        .at_s = 1000};
	return correction_encode(&record, state);
}

/* The daemon answers with one record. */
static void take(uint64_t sequence, uint64_t launch, uint64_t runs, uint64_t last)
{
	uint8_t state[CORRECTION_RECORD_BYTES];
	size_t refused;
	struct daemon_record record = {.sequence = sequence,
	                               .runs = runs,
	                               .uid = 1000,
	                               .place = place_of(launch),
	                               .state = state,
	                               .size = make_state(runs, state)};
	assert_ok(ledger_take(ledger, store, sizeof store, last, &record, 1, &refused, &error));
	assert_int_equal(refused, 0);
}

/* What waits: (launch, times in ms), in order. */
static size_t waiting(void)
{
	size_t count;
	assert_ok(ledger_next(ledger, rows, 64, &count, &error));
	for (size_t i = 1; i < count; i++)
		assert_true(rows[i - 1].sequence < rows[i].sequence);
	return count;
}

static void assert_runs(const struct shared_row *row, uint64_t launch, unsigned first,
                        unsigned last)
{
	struct correction_record record;
	assert_int_equal(row->place.launch, launch);
	assert_int_equal(row->runs, last - first + 1);
	assert_ok(correction_decode(row->state, row->size, &record, &error));
	assert_int_equal(record.sample_count, last - first + 1);
	for (unsigned i = first; i <= last; i++)
		assert_close(exp((double)record.samples[i - first].time_log), 1e-3 * i, 1e-5);
}

static uint64_t cursor(void)
{
	uint64_t after;
	assert_ok(ledger_cursor(ledger, &after, &error));
	return after;
}

/* The first answer names the store, and is read from its beginning. */
static void begin(void)
{
	open_it();
	take(1, 1, 1, 1);
	assert_int_equal(waiting(), 0);
	assert_int_equal(cursor(), 0);
}

static void each_run_goes_out_once(void **state)
{
	(void)state;
	begin();
	take(1, 1, 2, 1);
	take(2, 1, 5, 2);
	take(3, 2, 40, 3); /* of 40 the newest 16 are left */
	take(4, 2, 40, 4); /* saved again without a run */
	assert_int_equal(waiting(), 3);
	assert_runs(&rows[0], 1, 1, 2);
	assert_runs(&rows[1], 1, 3, 5);
	assert_runs(&rows[2], 2, 25, 40);
	assert_int_equal(rows[2].uid, 1000);
	assert_string_equal(rows[2].place.driver, "driver \"1\"");
	assert_ok(ledger_sent(ledger, rows[1].sequence, &error));
	open_it();
	assert_int_equal(waiting(), 1);
	assert_int_equal(cursor(), 4);
	assert_int_equal(ledger_assigned(ledger), 3);
}

static void a_page_without_records_moves_on(void **state)
{
	(void)state;
	size_t refused;
	begin();
	take(1, 1, 1, 1);
	assert_ok(ledger_take(ledger, store, sizeof store, 900, NULL, 0, &refused, &error));
	assert_int_equal(cursor(), 900);
}

static void a_daemon_restored_from_a_backup_sends_nothing_twice(void **state)
{
	(void)state;
	begin();
	take(50, 1, 10, 50);
	assert_int_equal(waiting(), 1);
	take(20, 1, 4, 20); /* its sequence went back */
	assert_int_equal(cursor(), 0);
	take(18, 1, 4, 20);
	assert_int_equal(waiting(), 1);
	take(21, 1, 6, 21);
	assert_int_equal(waiting(), 2);
	assert_runs(&rows[1], 1, 5, 6);
}

static void another_store_is_all_new(void **state)
{
	(void)state;
	begin();
	take(50, 1, 10, 50);
	store[0]++;
	take(3, 1, 2, 3);
	assert_int_equal(cursor(), 0);
	take(3, 1, 2, 3);
	assert_int_equal(waiting(), 2);
	assert_runs(&rows[1], 1, 1, 2);
}

static void a_clone_is_another_node_and_sends_what_is_new(void **state)
{
	(void)state;
	char node[UUID_TEXT];
	begin();
	take(1, 1, 2, 1);
	strcpy(node, ledger_node(ledger));
	assert_int_equal(strlen(node), UUID_TEXT - 1);
	machine[0]++;
	open_it();
	assert_string_not_equal(ledger_node(ledger), node);
	assert_int_equal(waiting(), 0); /* the other one sends it */
	take(2, 1, 3, 2);
	assert_int_equal(waiting(), 1);
	assert_runs(&rows[0], 1, 3, 3);
	strcpy(node, ledger_node(ledger));
	open_it();
	assert_string_equal(ledger_node(ledger), node);
}

static void a_new_identity_may_send_all_again(void **state)
{
	(void)state;
	begin();
	take(1, 1, 2, 1);
	assert_ok(ledger_renew(ledger, false, &error));
	assert_int_equal(waiting(), 1);
	assert_int_equal(cursor(), 1);
	assert_ok(ledger_renew(ledger, true, &error));
	assert_int_equal(waiting(), 0);
	assert_int_equal(cursor(), 0);
	take(1, 1, 2, 1);
	assert_int_equal(waiting(), 1);
	assert_int_equal(rows[0].sequence, 2); /* given out once */
}

static void what_a_daemon_does_not_write_is_refused(void **state)
{
	(void)state;
	uint8_t bytes[CORRECTION_RECORD_BYTES] = {9, 9, 9};
	size_t refused;
	struct daemon_record records[] = {
	        {.sequence = 5, .runs = 1, .place = place_of(1), .state = bytes, .size = 3},
	        {.sequence = 6, .runs = 1, .place = place_of(1), .state = bytes, .size = 0}};
	begin();
	assert_ok(ledger_take(ledger, store, sizeof store, 6, records, 2, &refused, &error));
	assert_int_equal(refused, 2);
	assert_int_equal(cursor(), 6);
	records[0].sequence = records[1].sequence = 7; /* twice */
	assert_int_equal(ledger_take(ledger, store, sizeof store, 7, records, 2, &refused, &error),
	                 STATUS_CORRUPT);
	assert_int_equal(cursor(), 6);
	assert_int_equal(ledger_take(ledger, store, 3, 7, NULL, 0, &refused, &error),
	                 STATUS_CORRUPT);
}

/* A child that is killed at any moment of its work; what it had kept is whole. */
static void killed_in_the_middle_nothing_is_lost_or_doubled(void **state)
{
	(void)state;
	uint64_t seen = 0;
	begin();
	ledger_close(ledger);
	ledger = NULL;
	for (unsigned i = 0; i < 20; i++) {
		pid_t child = fork();
		if (child == 0) {
			open_it();
			for (uint64_t at = cursor() + 1;; at++)
				take(at, 1, at, at);
		}
		(void)usleep(3000 + 1500 * i);
		(void)kill(child, SIGKILL);
		(void)waitpid(child, NULL, 0);
		open_it();
		uint64_t taken = cursor();
		for (size_t count; (count = waiting()) > 0;) {
			for (size_t j = 0; j < count; j++)
				assert_runs(&rows[j], 1, (unsigned)(seen + j + 1),
				            (unsigned)(seen + j + 1));
			seen += count;
			assert_ok(ledger_sent(ledger, rows[count - 1].sequence, &error));
		}
		assert_int_equal(seen, taken);
		ledger_close(ledger);
		ledger = NULL;
	}
	assert_true(seen > 0);
}

/* ---- in ------------------------------------------------------------------------------------ */

static struct shared_row row_of(uint64_t sequence, uint64_t launch, uint8_t observer, uint64_t runs)
{
	struct shared_row row = {.sequence = sequence, .place = place_of(launch)};
	row.observer[0] = observer;
	row.size = make_state(runs, row.state);
	return row;
}

static unsigned known_count;
static struct correction_record last_known;

static void count_known(void *context, const struct known_row *row)
{
	(void)context;
	known_count++;
	assert_ok(correction_decode(row->state, row->size, &last_known, &error));
}

static unsigned known_of(uint64_t launch)
{
	struct launch_place place = place_of(launch);
	known_count = 0;
	assert_ok(ledger_known(ledger, &place, count_known, NULL, &error));
	return known_count;
}

static void learn(const char *node, const struct shared_row *row, uint32_t known_max)
{
	size_t refused;
	assert_ok(ledger_learn(ledger, node, row->place.model, row->place.driver, row, 1,
	                       row->sequence, known_max, &refused, &error));
	assert_int_equal(refused, 0);
}

static void runs_of_one_observer_follow_each_other(void **state)
{
	(void)state;
	uint64_t position;
	struct shared_row row = row_of(4, 1, 1, 3);
	open_it();
	learn("a", &row, 1000);
	row = row_of(9, 1, 1, 15);
	learn("a", &row, 1000);
	assert_int_equal(known_of(1), 1);
	assert_int_equal(last_known.runs, 18);
	assert_int_equal(last_known.sample_count, 16);
	assert_close(exp((double)last_known.samples[0].time_log), 3e-3, 1e-5);
	assert_close(exp((double)last_known.samples[15].time_log), 15e-3, 1e-5);
	assert_ok(
	        ledger_position(ledger, "a", row.place.model, row.place.driver, &position, &error));
	assert_int_equal(position, 9);
	row = row_of(1, 1, 2, 1);
	learn("a", &row, 1000);
	learn("b", &row, 1000);
	assert_int_equal(known_of(1), 3);
	open_it();
	assert_int_equal(known_of(1), 3);
	assert_ok(ledger_drop(ledger, "a", &error));
	assert_int_equal(known_of(1), 1);
	assert_ok(
	        ledger_position(ledger, "a", row.place.model, row.place.driver, &position, &error));
	assert_int_equal(position, 0);
}

static void what_is_touched_is_told_once(void **state)
{
	(void)state;
	struct launch_place places[4];
	size_t count;
	struct shared_row row = row_of(1, 1, 1, 1);
	open_it();
	learn("a", &row, 1000);
	row = row_of(2, 2, 1, 1);
	learn("a", &row, 1000);
	assert_ok(ledger_touched(ledger, places, 4, &count, &error));
	assert_int_equal(count, 2);
	learn("b", &row, 1000); /* while the daemon is being told */
	assert_ok(ledger_told(ledger, places, count, &error));
	assert_ok(ledger_touched(ledger, places, 4, &count, &error));
	assert_int_equal(count, 1);
	assert_int_equal(places[0].launch, 2);
	assert_ok(ledger_told(ledger, places, count, &error));
	assert_ok(ledger_touch_all(ledger, &error));
	assert_ok(ledger_touched(ledger, places, 1, &count, &error));
	assert_int_equal(count, 1);
}

static void the_oldest_give_way(void **state)
{
	(void)state;
	open_it();
	for (uint64_t i = 1; i <= 30; i++) {
		struct shared_row row = row_of(i, i, 1, 1);
		learn("a", &row, 10);
	}
	assert_int_equal(known_of(30), 1);
	assert_int_equal(known_of(21), 1);
	assert_int_equal(known_of(20), 0);
}

static void clocks_that_are_ahead_are_set(void **state)
{
	(void)state;
	struct correction_record record = {.sample_count = 1, .runs = 1};
	struct shared_row row = row_of(1, 1, 1, 1);
	open_it();
	record.samples[0].at_s = UINT32_MAX;
	row.size = correction_encode(&record, row.state);
	learn("a", &row, 10);
	assert_int_equal(known_of(1), 1);
	assert_true((time_t)last_known.samples[0].at_s <= time(NULL));
}

static void rows_that_are_no_records_are_left_out(void **state)
{
	(void)state;
	size_t refused;
	struct shared_row row = row_of(3, 1, 1, 1);
	open_it();
	row.size--;
	assert_ok(ledger_learn(ledger, "a", row.place.model, row.place.driver, &row, 1, 3, 10,
	                       &refused, &error));
	assert_int_equal(refused, 1);
	assert_int_equal(known_of(1), 0);
	row = row_of(4, 1, 1, 1);
	row.place.kind = CORRECTION_KINDS;
	assert_ok(ledger_learn(ledger, "a", row.place.model, row.place.driver, &row, 1, 4, 10,
	                       &refused, &error));
	assert_int_equal(refused, 1);
}

static void one_process_has_it(void **state)
{
	(void)state;
	struct ledger *other;
	open_it();
	assert_int_equal(ledger_open(folder, machine, &other, &error), STATUS_UNAVAILABLE);
	assert_non_null(strstr(error.text, "another predictd-share has it"));
	assert_null(other);
	/* but anybody with the right may look */
	struct ledger_counts counts;
	assert_ok(ledger_open_read(folder, &other, &error));
	assert_ok(ledger_count(other, &counts, &error));
	assert_string_equal(ledger_node(other), ledger_node(ledger));
	ledger_close(other);
	assert_int_equal(ledger_open_read("/nonexistent", &other, &error), STATUS_NOT_FOUND);
}

int main(void)
{
#define IN_FOLDER(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	        IN_FOLDER(each_run_goes_out_once),
	        IN_FOLDER(a_page_without_records_moves_on),
	        IN_FOLDER(a_daemon_restored_from_a_backup_sends_nothing_twice),
	        IN_FOLDER(another_store_is_all_new),
	        IN_FOLDER(a_clone_is_another_node_and_sends_what_is_new),
	        IN_FOLDER(a_new_identity_may_send_all_again),
	        IN_FOLDER(what_a_daemon_does_not_write_is_refused),
	        IN_FOLDER(killed_in_the_middle_nothing_is_lost_or_doubled),
	        IN_FOLDER(runs_of_one_observer_follow_each_other),
	        IN_FOLDER(what_is_touched_is_told_once),
	        IN_FOLDER(the_oldest_give_way),
	        IN_FOLDER(clocks_that_are_ahead_are_set),
	        IN_FOLDER(rows_that_are_no_records_are_left_out),
	        IN_FOLDER(one_process_has_it),
	};
	return cmocka_run_group_tests_name("share/ledger", tests, NULL, NULL);
}
