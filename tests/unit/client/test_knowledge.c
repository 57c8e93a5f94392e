/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the OpenCL layer knows, by made-up launches against a fake daemon. Each scenario runs in a
 * child, as in a program; what it wrote is looked at afterwards.
 */
#include "tests/unit/client/client_fixture.h"

#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client/opencl/layer/known.h"
#include "client/predictctl/run_record.h"
#include "tests/folder.h"

enum { SHAPES = 3 };

/* What a program of one kernel has launched, in 64, 128 and 192 work-items. */
static char no_options[] = "", broken[] = "-broken", source_text[] = "kernel", k[] = "k",
            other[] = "other";
static seen_device device = {.key = "uuid:1", .name = "Testing 3000"};
static seen_program built = {.origin = SEEN_SOURCE,
                             .text = source_text,
                             .size = 6,
                             .options = no_options,
                             .hash = 0x1234};
static seen_kernel kernel = {.program = &built, .name = k, .argument_count = 1};
static seen_argument arguments[] = {{.kind = SEEN_BUFFER, .size_bytes = 4096}};
static seen_shape shapes[SHAPES];
static seen_losses losses;
static char folder[64];

static void shapes_make(void)
{
	for (uint32_t i = 0; i < SHAPES; i++)
		shapes[i] = (seen_shape){.kernel = &kernel,
		                         .device = &device,
		                         .number = i,
		                         .dimensions = 1,
		                         .global = {64 * (i + 1), 1, 1},
		                         .argument_count = 1,
		                         .arguments = arguments};
}

static int set_up(void **state)
{
	(void)state;
	(void)strcpy(folder, "/tmp/predictd-knowledge-XXXXXX");
	if (mkdtemp(folder) == NULL)
		return 1;
	fake_daemon_start(&fake);
	device.key[0] = '\0';
	(void)strcpy(device.key, "uuid:1");
	built.origin = SEEN_SOURCE;
	built.options = no_options;
	shapes_make();
	return setenv("PREDICTD_SOCKET", fake.path, 1) != 0 ||
	       setenv("PREDICTD_LAYER_FOLDER", folder, 1) != 0 ||
	       unsetenv("PREDICTD_LAYER_OBSERVE") != 0 || unsetenv("PREDICTD_LAYER_SPANS") != 0;
}

static int tear_down(void **state)
{
	(void)state;
	fake_daemon_stop(&fake);
	return folder_remove(folder);
}

/* A launch of 1 us that begins at start_s, 1 us after it was enqueued. */
static void launch(unsigned shape, double start_s, bool is_first)
{
	const seen_times times = {.queued_s = start_s - 1e-6,
	                          .submit_s = start_s,
	                          .start_s = start_s,
	                          .end_s = start_s + 1e-6,
	                          .is_first = is_first};
	knowledge_launch(&shapes[shape], &times);
}

/* Runs it in a child and gives its record. */
static json_t *record_of(void (*scenario)(void))
{
	char path[128];
	int status = 0;
	pid_t child = fork();
	if (child == 0) {
		(void)alarm(60);
		scenario();
		_exit(0);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	(void)snprintf(path, sizeof path, "%s/%ld.json", folder, (long)child);
	/* what the layer writes is what predictctl reads */
	struct run_record record;
	struct complaint why = {""};
	if (!run_record_load(path, &record, &why))
		fail_msg("%s: %s", path, why.text);
	json_t *json = json_incref(record.json);
	run_record_deinit(&record);
	return json;
}

static double real(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);
	if (!json_is_number(value))
		fail_msg("no number %s", name);
	return json_number_value(value);
}

static const char *text(const json_t *object, const char *name)
{
	const char *value = json_string_value(json_object_get(object, name));
	return value != NULL ? value : "";
}

static json_t *shape_of(json_t *record, size_t index)
{
	json_t *list = json_object_get(record, "shapes");
	assert_true(index < json_array_size(list));
	return json_array_get(list, index);
}

/* ---- scenarios ----------------------------------------------------------------------------- */

static void launches_of_three_shapes(void)
{
	if (!knowledge_open(LAYER_ALL))
		_exit(1);
	for (unsigned i = 0; i < SHAPES; i++)
		knowledge_shape(&shapes[i]);
	for (unsigned i = 0; i < 100; i++)
		launch(0, 1 + 1e-5 * i, i == 0);
	launch(1, 2, true);
	knowledge_tick(&losses);
	knowledge_close(&losses, 20);
}

static void shapes_are_asked_about_and_launches_reported(void **state)
{
	(void)state;
	json_t *record = record_of(launches_of_three_shapes);
	assert_non_null(record);
	assert_int_equal(real(record, "schema"), 1);
	assert_int_equal(json_array_size(json_object_get(record, "shapes")), SHAPES);
	json_t *first = shape_of(record, 0), *answer = json_object_get(first, "predicted");
	assert_string_equal(text(first, "kernel"), "k");
	assert_string_equal(text(first, "program"), "0000000000001234");
	assert_close(real(answer, "time_s"), 64e-9, 1e-6);
	assert_close(real(answer, "low_s"), 32e-9, 1e-6);
	assert_string_equal(text(answer, "basis"), "static");
	assert_string_equal(text(answer, "note"), "a note");
	assert_int_equal(real(answer, "taught"), 0);
	assert_close(real(json_object_get(shape_of(record, 2), "predicted"), "time_s"), 192e-9,
	             1e-6);
	assert_int_equal(real(first, "launches"), 100);
	assert_int_equal(real(first, "clean"), 99);
	assert_close(real(first, "time_s"), 1e-6, 1e-3);
	assert_close(real(first, "total_time_s"), 1e-4, 1e-3);
	assert_int_equal(real(shape_of(record, 2), "launches"), 0);
	/* 1..16, 24, 32, 48, 64, 96 of one shape, and one of another */
	assert_int_equal(fake.observations, 22);
	assert_int_equal(fake.observed_items, 21 * 64 + 128);
	assert_int_equal(fake.registrations, 1);
	const json_t *daemon = json_object_get(record, "daemon");
	assert_true(json_is_true(json_object_get(daemon, "has_answered")));
	assert_int_equal(real(daemon, "sent"), 22);
	/* idle: 99 gaps of 9 us, of which the last is enqueued for 1 us; and the one before 2 s */
	const json_t *one = json_array_get(json_object_get(record, "devices"), 0);
	assert_int_equal(real(one, "gaps"), 100);
	assert_close(real(one, "idle_s"), 1 - 101e-6 + 1e-6, 1e-6);
	assert_close(real(one, "idle_s") - real(one, "unqueued_s"), 100e-6, 1e-3);
	assert_close(real(one, "launch_time_s"), 1e-6, 1e-3);
	json_decref(record);
}

static void nothing_is_reported_where_it_is_not_wanted(void **state)
{
	(void)state;
	assert_int_equal(setenv("PREDICTD_LAYER_OBSERVE", "0", 1), 0);
	json_t *record = record_of(launches_of_three_shapes);
	assert_non_null(json_object_get(shape_of(record, 0), "predicted"));
	assert_true(json_is_false(json_object_get(record, "observes")));
	assert_int_equal(fake.observations, 0);
	json_decref(record);
}

static void times_alone(void)
{
	if (!knowledge_open(LAYER_TIMES))
		_exit(1);
	launch(0, 1, true); /* nobody said that the shape came up */
	knowledge_close(&losses, 20);
}

static void mode_times_asks_nothing(void **state)
{
	(void)state;
	json_t *record = record_of(times_alone);
	assert_string_equal(text(record, "mode"), "times");
	assert_int_equal(real(shape_of(record, 0), "launches"), 1);
	assert_non_null(strstr(text(shape_of(record, 0), "why"), "not asked"));
	assert_int_equal(fake.connections, 0);
	json_decref(record);
}

static void each_shape_without_an_answer_has_a_reason(void **state)
{
	(void)state;
	(void)strcpy(device.key, "raw");
	json_t *record = record_of(launches_of_three_shapes);
	assert_non_null(strstr(text(shape_of(record, 0), "why"), "not calibrated"));
	json_decref(record);
	(void)strcpy(device.key, "");
	record = record_of(launches_of_three_shapes);
	assert_non_null(strstr(text(shape_of(record, 0), "why"), "sub-device"));
	json_decref(record);
	(void)strcpy(device.key, "uuid:1");
	kernel.name = other;
	record = record_of(launches_of_three_shapes);
	assert_non_null(strstr(text(shape_of(record, 0), "why"), "no kernel other"));
	json_decref(record);
	kernel.name = k;
	shapes[0].argument_count = 0;
	record = record_of(launches_of_three_shapes);
	assert_non_null(strstr(text(shape_of(record, 0), "why"), "takes 1 arguments"));
	assert_non_null(json_object_get(shape_of(record, 1), "predicted"));
	json_decref(record);
	shapes[0].argument_count = 1;
	arguments[0].kind = SEEN_UNSET;
	record = record_of(launches_of_three_shapes);
	assert_non_null(strstr(text(shape_of(record, 0), "why"), "not seen to be set"));
	json_decref(record);
	arguments[0].kind = SEEN_BUFFER;
}

/* Its history may know it, and what it took is reported under its name. */
static void a_kernel_without_a_source_is_known_by_name(void **state)
{
	(void)state;
	built.origin = SEEN_BINARY;
	unsigned registrations = fake.registrations;
	json_t *record = record_of(launches_of_three_shapes);
	assert_non_null(json_object_get(shape_of(record, 0), "predicted"));
	assert_int_equal(fake.registrations, registrations);
	assert_int_equal(fake.observations, 22);
	json_decref(record);
	/* so is one whose source is refused */
	built.origin = SEEN_SOURCE;
	built.options = broken;
	record = record_of(launches_of_three_shapes);
	assert_non_null(json_object_get(shape_of(record, 0), "predicted"));
	assert_int_equal(fake.registrations, registrations + 1);
	json_decref(record);
}

static void a_second(void)
{
	if (!knowledge_open(LAYER_ALL))
		_exit(1);
	knowledge_shape(&shapes[0]);
	launch(0, 1, true);
	struct timespec begin, end;
	(void)clock_gettime(CLOCK_MONOTONIC, &begin);
	knowledge_close(&losses, 0.2);
	(void)clock_gettime(CLOCK_MONOTONIC, &end);
	/* the wait is bounded by far less than the daemon's silence */
	if (end.tv_sec - begin.tv_sec > 8)
		_exit(2);
}

static void a_daemon_that_hangs_or_is_away_is_not_waited_for(void **state)
{
	(void)state;
	fake.is_silent = true;
	json_t *record = record_of(a_second);
	assert_non_null(record);
	assert_int_equal(real(shape_of(record, 0), "launches"), 1);
	assert_non_null(strstr(text(shape_of(record, 0), "why"), "gave no answer"));
	assert_true(
	        json_is_false(json_object_get(json_object_get(record, "daemon"), "has_answered")));
	json_decref(record);
	fake.is_silent = false;
	assert_int_equal(setenv("PREDICTD_SOCKET", "/nonexistent/predictd.sock", 1), 0);
	record = record_of(a_second);
	assert_non_null(strstr(text(json_object_get(record, "daemon"), "away"), "/nonexistent"));
	assert_non_null(strstr(text(shape_of(record, 0), "why"), "/nonexistent"));
	json_decref(record);
}

static void many_shapes_at_the_end(void)
{
	static seen_shape many[60];
	if (!knowledge_open(LAYER_ALL))
		_exit(1);
	for (uint32_t i = 0; i < 60; i++) {
		many[i] = shapes[0];
		many[i].number = i;
		many[i].global[0] = i + 1;
		knowledge_shape(&many[i]);
	}
	knowledge_close(&losses, 0.2);
}

static void a_slow_one_at_the_end(void)
{
	const struct timespec first = {.tv_sec = 3};
	if (!knowledge_open(LAYER_ALL))
		_exit(1);
	knowledge_shape(&shapes[0]);
	(void)nanosleep(&first, NULL);
	knowledge_shape(&shapes[1]);
	knowledge_close(&losses, 0.2);
}

static void an_answer_that_takes_its_time_is_waited_for_as_well(void **state)
{
	(void)state;
	fake.delay_ms = 1300; /* of a registration and of each prediction */
	json_t *record = record_of(a_slow_one_at_the_end);
	fake.delay_ms = 0;
	assert_non_null(json_object_get(shape_of(record, 0), "predicted"));
	assert_non_null(json_object_get(shape_of(record, 1), "predicted"));
	json_decref(record);
}

static void a_daemon_that_answers_is_waited_for_where_a_record_is_wanted(void **state)
{
	(void)state;
	fake.delay_ms = 20;
	json_t *record = record_of(many_shapes_at_the_end);
	for (size_t i = 0; i < 60; i++)
		assert_non_null(json_object_get(shape_of(record, i), "predicted"));
	json_decref(record);
	/* without one the program ends */
	assert_int_equal(unsetenv("PREDICTD_LAYER_FOLDER"), 0);
	unsigned asked = fake.asked;
	pid_t child = fork();
	if (child == 0) {
		many_shapes_at_the_end();
		_exit(0);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_true(fake.asked - asked < 61);
}

static void overlapped_and_failed(void)
{
	if (!knowledge_open(LAYER_ALL))
		_exit(1);
	const seen_times overlapped = {
	        .queued_s = 1, .start_s = 1.1, .end_s = 1.5, .overlapped = true};
	const seen_times failed = {.failed = true}, untimed = {.queued_s = 0};
	knowledge_launch(&shapes[0], &overlapped);
	knowledge_launch(&shapes[0], &failed);
	knowledge_launch(&shapes[0], &untimed);
	knowledge_transfer(SEEN_WRITE, &device, 1000, true, &overlapped);
	knowledge_transfer(SEEN_WRITE, &device, 500, false, &untimed);
	knowledge_transfer(SEEN_READ, &device, 10, false, &failed);
	knowledge_close(&losses, 20);
}

static void launches_and_transfers_without_times_are_counted_apart(void **state)
{
	(void)state;
	assert_int_equal(setenv("PREDICTD_LAYER_SPANS", "1", 1), 0);
	losses.launches = 7;
	json_t *record = record_of(overlapped_and_failed);
	json_t *shape = shape_of(record, 0);
	assert_int_equal(real(shape, "launches"), 3);
	assert_int_equal(real(shape, "failed"), 1);
	assert_int_equal(real(shape, "untimed"), 1);
	assert_int_equal(real(shape, "overlapped"), 1);
	assert_int_equal(real(shape, "clean"), 0);
	assert_close(real(shape, "time_s"), 0.4, 1e-6);
	json_t *list =
	        json_object_get(json_array_get(json_object_get(record, "devices"), 0), "transfers");
	assert_int_equal(json_array_size(list), 2);
	assert_string_equal(text(json_array_get(list, 0), "kind"), "write");
	assert_int_equal(real(json_array_get(list, 0), "bytes"), 1500);
	assert_int_equal(real(json_array_get(list, 0), "timed_bytes"), 1000);
	assert_int_equal(real(json_array_get(list, 1), "failed"), 1);
	assert_int_equal(real(json_object_get(record, "lost"), "launches"), 7);
	char path[128], lines[256] = "";
	(void)snprintf(path, sizeof path, "%s/%d.spans", folder, (int)real(record, "pid"));
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	assert_true(fread(lines, 1, sizeof lines - 1, file) > 0);
	(void)fclose(file);
	assert_string_equal(lines, "L 0 1000000000 0 1100000000 1500000000 2\n"
	                           "T 0 0 1000 1000000000 1100000000 1500000000\n");
	losses.launches = 0;
	json_decref(record);
}

static void a_fork_in_the_middle(void)
{
	if (!knowledge_open(LAYER_ALL))
		_exit(1);
	knowledge_shape(&shapes[0]);
	for (unsigned i = 0; i < 10; i++)
		launch(0, 1 + i, i == 0);
	pid_t child = fork();
	if (child == 0) {
		knowledge_forked();
		shapes_make();
		built.known = NULL;
		if (!knowledge_open(LAYER_ALL))
			_exit(5);
		launch(0, 1, false);
		knowledge_close(&losses, 20);
		_exit(0);
	}
	int status = 1;
	if (waitpid(child, &status, 0) != child || status != 0)
		_exit(3);
	char path[128];
	(void)snprintf(path, sizeof path, "%s/%ld.json", folder, (long)child);
	json_t *record = json_load_file(path, 0, NULL);
	const json_t *shape = json_array_get(json_object_get(record, "shapes"), 0);
	if (real(shape, "launches") != 1 || json_object_get(shape, "predicted") == NULL)
		_exit(4);
	knowledge_close(&losses, 20);
}

static void a_child_of_fork_knows_its_own_launches_alone(void **state)
{
	(void)state;
	json_t *record = record_of(a_fork_in_the_middle);
	assert_int_equal(real(shape_of(record, 0), "launches"), 10);
	json_decref(record);
}

/* ---- parts --------------------------------------------------------------------------------- */

static void medians_are_exact_of_few_and_near_of_many(void **state)
{
	(void)state;
	struct times times = {0};
	assert_close(times_median(&times), 0, 0);
	for (int i = 1; i <= 5; i++)
		times_add(&times, i);
	assert_close(times_median(&times), 3, 1e-6);
	times_add(&times, 6);
	assert_close(times_median(&times), 3.5, 1e-6);
	times_deinit(&times);
	for (int i = 0; i < 100000; i++)
		times_add(&times, (i * 7919) % 100000);
	/* of 63 kept, the median's rank has a standard deviation of 6.3 %: five of them */
	assert_close(times_median(&times), 50000, 0.63);
	assert_close(times.min_s, 0, 0);
	assert_close(times.max_s, 99999, 1e-9);
	assert_close(times.sum_s, 4999950000.0, 1e-9);
	times_deinit(&times);
}

static void a_late_span_fills_the_gap(void **state)
{
	(void)state;
	struct busy busy = {0};
	assert_true(busy_add(&busy, 0, 1, 2));
	assert_false(busy_add(&busy, 1.5, 10, 11)); /* was enqueued before the first ended */
	struct busy_totals totals = busy_totals(&busy);
	assert_int_equal(totals.gaps, 1);
	assert_close(totals.idle_s, 8, 1e-9);
	assert_close(totals.unqueued_s, 0, 0);
	(void)busy_add(&busy, 3, 4, 6); /* another queue's */
	totals = busy_totals(&busy);
	assert_int_equal(totals.gaps, 2);
	assert_close(totals.idle_s, 6, 1e-9);
	assert_close(totals.unqueued_s, 1, 1e-9);
	(void)busy_add(&busy, 3, 1, 12);
	assert_int_equal(busy_totals(&busy).gaps, 0);
	/* more gaps than are kept open are counted all the same */
	for (int i = 0; i < 1000; i++)
		(void)busy_add(&busy, 19 + 2 * i, 20 + 2 * i, 21 + 2 * i);
	totals = busy_totals(&busy);
	assert_int_equal(totals.gaps, 1000);
	assert_close(totals.idle_s, 8 + 999, 1e-9);
	assert_close(busy.end_s - busy.begin_s, 2018, 1e-9);
}

int main(void)
{
#define SCENARIO(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	        SCENARIO(shapes_are_asked_about_and_launches_reported),
	        SCENARIO(nothing_is_reported_where_it_is_not_wanted),
	        SCENARIO(mode_times_asks_nothing),
	        SCENARIO(each_shape_without_an_answer_has_a_reason),
	        SCENARIO(a_kernel_without_a_source_is_known_by_name),
	        SCENARIO(a_daemon_that_hangs_or_is_away_is_not_waited_for),
	        SCENARIO(an_answer_that_takes_its_time_is_waited_for_as_well),
	        SCENARIO(a_daemon_that_answers_is_waited_for_where_a_record_is_wanted),
	        SCENARIO(launches_and_transfers_without_times_are_counted_apart),
	        SCENARIO(a_child_of_fork_knows_its_own_launches_alone),
	        cmocka_unit_test(medians_are_exact_of_few_and_near_of_many),
	        cmocka_unit_test(a_late_span_fills_the_gap),
	};
	(void)signal(SIGPIPE, SIG_IGN);
	if (CHILDREN_OF_THREADS_HANG) {
		(void)puts("1..0 # SKIP each scenario is a child beside the fake daemon's thread");
		return 0;
	}
	return cmocka_run_group_tests_name("knowledge", tests, NULL, NULL);
}
