/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library over minutes: its clock and its sleep are the test's, which moves them.
 *
 * The clock stands still between clock_move() and runs ahead of the real one, so that a wait on a
 * condition, which is by the real clock, ends by its signal alone.
 */
#include "tests/unit/client/client_fixture.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "client/library/clock.h"

enum {
	MS = 1000000,
	REPORTS = 10000,
	GAP_MAX_MS = 50,
	DUE_MS = 20, /* after which reports do not wait for more */
	SLEEPERS_MAX = 32,
	PATIENCE = 20000 /* milliseconds of the real clock, of a loaded machine */
};

int64_t __wrap_clock_now_ns(void);
int __wrap_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                 const sigset_t *mask);
int __real_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                 const sigset_t *mask);

/* ---- the clock ----------------------------------------------------------------------------- */

static pthread_mutex_t clock_mutex = PTHREAD_MUTEX_INITIALIZER;
static int64_t now_ns;
static _Thread_local int64_t read_ns; /* what the thread takes the time to be */
static int sleepers[SLEEPERS_MAX];    /* descriptors that become readable when it moves; or 0 */

int64_t __wrap_clock_now_ns(void)
{
	(void)pthread_mutex_lock(&clock_mutex);
	read_ns = now_ns;
	(void)pthread_mutex_unlock(&clock_mutex);
	return read_ns;
}

static void clock_move(int64_t by_ns)
{
	uint64_t one = 1;
	(void)pthread_mutex_lock(&clock_mutex);
	now_ns += by_ns;
	for (size_t i = 0; i < SLEEPERS_MAX; i++)
		if (sleepers[i] != 0 && write(sleepers[i], &one, sizeof one) != sizeof one)
			abort();
	(void)pthread_mutex_unlock(&clock_mutex);
}

static size_t sleeper_add(int fd)
{
	size_t place = 0;
	(void)pthread_mutex_lock(&clock_mutex);
	while (place < SLEEPERS_MAX && sleepers[place] != 0)
		place++;
	if (place == SLEEPERS_MAX)
		abort();
	sleepers[place] = fd;
	(void)pthread_mutex_unlock(&clock_mutex);
	return place;
}

static void sleeper_remove(size_t place)
{
	(void)pthread_mutex_lock(&clock_mutex);
	sleepers[place] = 0;
	(void)pthread_mutex_unlock(&clock_mutex);
}

int __wrap_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                 const sigset_t *mask)
{
	struct pollfd all[8];
	if (timeout == NULL || count >= sizeof all / sizeof all[0])
		return __real_ppoll(fds, count, timeout, mask);
	int moved = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), ready = 0;
	if (moved < 0)
		abort();
	size_t place = sleeper_add(moved);
	/* from the time that it was computed of: between these two none passes */
	int64_t end_ns = read_ns + timeout->tv_sec * INT64_C(1000000000) + timeout->tv_nsec;
	for (;;) {
		const struct timespec none = {0, 0};
		bool is_over = clock_now_ns() >= end_ns;
		memcpy(all, fds, count * sizeof *fds);
		all[count] = (struct pollfd){.fd = moved, .events = POLLIN};
		if (__real_ppoll(all, count + 1, is_over ? &none : NULL, mask) < 0)
			abort();
		ready = 0;
		for (nfds_t i = 0; i < count; i++)
			ready += all[i].revents != 0;
		if (ready > 0 || is_over)
			break;
		uint64_t moves;
		(void)!read(moved, &moves, sizeof moves);
	}
	sleeper_remove(place);
	close(moved);
	memcpy(fds, all, count * sizeof *fds);
	return ready;
}

static int set_up(void **state)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	now_ns = (now.tv_sec + 1000) * INT64_C(1000000000);
	return client_set_up(state);
}

#define ON_CLOCK(name) cmocka_unit_test_setup_teardown(name, set_up, client_tear_down)

/* ---- reports ------------------------------------------------------------------------------- */

static predictd_report_counts counts_now(void)
{
	predictd_report_counts counts;
	predictd_get_report_counts(connection, &counts);
	return counts;
}

static void report(uint64_t items)
{
	const predictd_observation observation = observation_of(items);
	assert_ok(predictd_report(connection, &observation));
}

/* While the clock stands still. */
static void await_none_waiting(void)
{
	for (unsigned i = 0; i < 20 * PATIENCE && counts_now().waiting > 0; i++)
		(void)usleep(50);
	assert_int_equal(counts_now().waiting, 0);
}

/* As the clock goes on. */
static void await_none_waiting_later(void)
{
	for (unsigned i = 0; i < PATIENCE && counts_now().waiting > 0; i++) {
		clock_move(10 * MS);
		(void)usleep(1000);
	}
	assert_int_equal(counts_now().waiting, 0);
}

/* Each is on its way 20 ms after the first that waits, whatever came before. */
static void reports_at_random_gaps_are_all_kept(void **state)
{
	(void)state;
	unsigned seed = 1;
	int64_t first_ns = 0; /* when the first was reported that may still wait */
	for (uint64_t i = 1; i <= REPORTS; i++) {
		clock_move((int64_t)(rand_r(&seed) % (GAP_MAX_MS + 1)) * MS);
		if (first_ns != 0 && clock_now_ns() >= first_ns + DUE_MS * MS) {
			await_none_waiting();
			first_ns = 0;
		}
		if (first_ns == 0)
			first_ns = clock_now_ns();
		report(i);
	}
	clock_move(DUE_MS * MS);
	await_none_waiting();
	assert_int_equal(counts_now().reported, REPORTS);
	assert_int_equal(counts_now().refused + counts_now().dropped, 0);
	assert_int_equal(fake.observations, REPORTS);
	assert_int_equal(fake.observed_items, (uint64_t)REPORTS * (REPORTS + 1) / 2);
	assert_int_equal(fake.connections, 1);
}

static void reports_outlive_restarts_of_the_daemon(void **state)
{
	(void)state;
	enum { RESTARTS = 8, EACH = 50 };
	unsigned seed = 2;
	uint64_t items = 0;
	for (unsigned round = 0; round < RESTARTS; round++) {
		for (unsigned i = 0; i < 3 * EACH; i++) {
			clock_move((int64_t)(rand_r(&seed) % (GAP_MAX_MS + 1)) * MS);
			if (i == EACH) {
				/* between two batches: one that is under way is sent again */
				await_none_waiting_later();
				fake_daemon_halt(&fake);
			}
			if (i == 2 * EACH)
				fake_daemon_restart(&fake);
			report(++items);
		}
	}
	await_none_waiting_later();
	assert_int_equal(counts_now().reported, items);
	assert_int_equal(fake.observations, items);
	assert_int_equal(fake.observed_items, items * (items + 1) / 2);
}

static void a_report_without_an_answer_is_dropped_in_the_end_and_not_sent_again(void **state)
{
	(void)state;
	unsigned before = fake.asked;
	fake.is_silent = true;
	predictd_set_timeout(connection, 0.05); /* of those who wait: nobody does */
	report(1);
	clock_move(DUE_MS * MS);
	await_asked(before, 1);
	clock_move(1000 * INT64_C(1000000));
	assert_int_equal(counts_now().waiting, 1);
	clock_move(30 * INT64_C(1000000000));
	await_none_waiting_later();
	assert_int_equal(counts_now().dropped, 1);
	assert_int_equal(fake.asked, before + 1);
}

/* ---- patience ------------------------------------------------------------------------------ */

/* One of each call that asks the daemon. */
struct calling {
	pthread_t thread;
	predictd_status (*call)(void);
	predictd_status status;
	atomic_bool has_ended;
};

static predictd_status call_register(void)
{
	predictd_program *other = NULL;
	return predictd_register(connection, &source, &other);
}

static predictd_status call_predict(void)
{
	const predictd_question question = question_of(7);
	predictd_prediction *prediction = NULL;
	return predictd_predict(connection, &question, &prediction);
}

static predictd_status call_predict_into(void)
{
	const predictd_question question = question_of(7);
	predictd_estimate estimate;
	return predictd_predict_into(connection, &question, &estimate);
}

static predictd_status call_prepare(void)
{
	const predictd_question question = question_of(7);
	return predictd_prepare(connection, &question, 1, NULL);
}

static predictd_status call_place(void)
{
	const predictd_question question = question_of(7);
	predictd_placement *placement = NULL;
	return predictd_place(connection, &question, 1, NULL, 0, &placement);
}

static predictd_status call_list_devices(void)
{
	predictd_devices *devices = NULL;
	return predictd_list_devices(connection, false, &devices);
}

static predictd_status call_find_device(void)
{
	const predictd_device_identity identity = {.name = "Testing 3000"};
	uint32_t index;
	return predictd_find_device(connection, &identity, &index);
}

static predictd_status call_get_status(void)
{
	predictd_daemon_status *status = NULL;
	return predictd_get_status(connection, &status);
}

static predictd_status call_observe(void)
{
	const predictd_observation observation = observation_of(7);
	return predictd_observe(connection, &observation, 1, NULL);
}

static predictd_status call_get_history(void)
{
	const predictd_question question = question_of(7);
	predictd_history *history = NULL;
	return predictd_get_history(connection, &question, 0, &history);
}

static predictd_status call_forget(void)
{
	const predictd_forgetting forgetting = {.age_s = 0};
	return predictd_forget(connection, &forgetting, NULL);
}

static predictd_status call_export(void)
{
	uint8_t *bytes = NULL;
	size_t size;
	return predictd_export(connection, NULL, &bytes, &size);
}

static predictd_status call_import(void)
{
	const uint8_t bytes[] = {1, 2, 3};
	return predictd_import(connection, bytes, sizeof bytes, NULL);
}

static void *run_call(void *context)
{
	struct calling *calling = context;
	calling->status = calling->call();
	calling->has_ended = true;
	return NULL;
}

static void every_call_ends_at_its_time_and_not_before(void **state)
{
	(void)state;
	static predictd_status (*const calls[])(void) = {
	        call_register,    call_predict,      call_predict_into, call_prepare, call_place,
	        call_get_status,  call_list_devices, call_find_device,  call_observe, call_export,
	        call_get_history, call_forget,       call_import,
	};
	fake.is_silent = true;
	predictd_set_timeout(connection, 0.2);
	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
		struct calling calling = {.call = calls[i], .status = PREDICTD_OK};
		unsigned before = fake.asked;
		assert_int_equal(pthread_create(&calling.thread, NULL, run_call, &calling), 0);
		await_asked(before, 1);
		clock_move(199 * MS);
		(void)usleep(2000);
		assert_false(calling.has_ended);
		clock_move(MS);
		(void)pthread_join(calling.thread, NULL); /* or never */
		assert_int_equal(calling.status, PREDICTD_TIMEOUT);
	}
	assert_int_equal(fake.connections, 1);
}

static void a_daemon_that_greets_nobody_is_waited_for_as_long_as_the_caller_says(void **state)
{
	(void)state;
	struct calling registering = {.call = call_register, .status = PREDICTD_OK};
	fake_daemon_halt(&fake);
	fake.is_mute = true;
	fake_daemon_restart(&fake);
	predictd_set_timeout(connection, 100);
	unsigned before = fake.connections;
	assert_int_equal(pthread_create(&registering.thread, NULL, run_call, &registering), 0);
	for (unsigned i = 0; i < PATIENCE && fake.connections == before; i++)
		(void)usleep(1000);
	for (unsigned second = 0; second < 90; second++) {
		clock_move(1000 * INT64_C(1000000));
		(void)usleep(1000);
	}
	assert_false(registering.has_ended);
	clock_move(20 * INT64_C(1000000000));
	(void)pthread_join(registering.thread, NULL);
	assert_int_equal(registering.status, PREDICTD_TIMEOUT);
}

static void ask(uint64_t items, double timeout_s, struct answers *answers)
{
	const predictd_question question = question_of(items);
	predictd_set_timeout(connection, timeout_s);
	assert_ok(predictd_predict_async(connection, &question, 1, keep_answers, answers));
}

/* Questions that go out together end each at its own time. */
static void a_question_with_time_left_outlives_another_of_its_batch(void **state)
{
	(void)state;
	struct answers first = {0}, brief = {0}, patient = {0};
	ask(4, 100, &first); /* and for epochs */
	while (predictd_dispatch(connection, -1) > 0)
		;
	fake.holds = true;
	unsigned before = fake.asked;
	ask(1, 100, &first);
	await_asked(before, 1);
	ask(2, 1, &brief);
	ask(3, 100, &patient);
	fake.is_silent = true;
	fake.holds = false;
	while (first.calls < 2)
		(void)predictd_dispatch(connection, -1);
	assert_ok(first.last);
	await_asked(before, 2);
	fake.is_silent = false;
	clock_move(2000 * INT64_C(1000000));
	while (brief.calls == 0 || patient.calls == 0)
		(void)predictd_dispatch(connection, -1);
	assert_int_equal(brief.last, PREDICTD_TIMEOUT);
	assert_ok(patient.last);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        ON_CLOCK(reports_at_random_gaps_are_all_kept),
	        ON_CLOCK(reports_outlive_restarts_of_the_daemon),
	        ON_CLOCK(a_report_without_an_answer_is_dropped_in_the_end_and_not_sent_again),
	        ON_CLOCK(every_call_ends_at_its_time_and_not_before),
	        ON_CLOCK(a_daemon_that_greets_nobody_is_waited_for_as_long_as_the_caller_says),
	        ON_CLOCK(a_question_with_time_left_outlives_another_of_its_batch),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
