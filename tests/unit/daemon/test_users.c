/* SPDX-License-Identifier: Apache-2.0 */
/* Users: levels that grow and drain, and turns while others ask. */
#include "tests/test.h"

#include "daemon/serve/users.h"

enum { SECOND_NS = 1000000000, MS_NS = 1000000 };

/* Two users, of whom the second asks now and then. */
struct fixture {
	struct users users;
	struct user *one, *other;
	uint64_t now_ns;
};

static int setup(void **state)
{
	static struct fixture fixture;
	fixture = (struct fixture){
	        .now_ns = 100 * (uint64_t)SECOND_NS,
	        .users = {.held_bytes_per_user = 96 << 20, .held_bytes_max = 144 << 20}};
	fixture.one = user_get(&fixture.users, 1, fixture.now_ns);
	fixture.other = user_get(&fixture.users, 2, fixture.now_ns);
	*state = &fixture;
	return fixture.one == NULL || fixture.other == NULL;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;
	users_deinit(&fixture->users);
	return 0;
}

static bool is_heavy(struct fixture *fixture, struct user *user)
{
	return user_is_heavy(&fixture->users, user, USE_LOOP, fixture->now_ns);
}

static uint64_t turn_left_ns(struct fixture *fixture, struct user *user)
{
	return user_turn_left_ns(&fixture->users, user, fixture->now_ns);
}

static void work(struct fixture *fixture, struct user *user, uint64_t used_ns)
{
	fixture->now_ns += used_ns;
	user_count_turn(&fixture->users, user, fixture->now_ns, used_ns);
}

static void what_one_holds_is_counted_and_given_back(void **state)
{
	struct fixture *fixture = *state;
	struct users *users = &fixture->users;
	struct user_share shares[2] = {{.bytes = 0}};
	const size_t mebi = 1 << 20;
	assert_true(user_hold(users, fixture->one, &shares[0], 60 * mebi));
	assert_true(user_is_full(users, fixture->one));
	assert_true(user_may_hold(users, fixture->one, 30 * mebi));
	/* counted although it is more than his share: the holder lets go of something */
	assert_false(user_hold(users, fixture->one, &shares[1], 60 * mebi));
	assert_int_equal(fixture->one->held_bytes, 120 * mebi);
	assert_false(user_may_hold(users, fixture->one, 1));
	/* to hold less is never refused */
	assert_true(user_hold(users, fixture->one, &shares[1], 50 * mebi));
	assert_true(user_hold(users, NULL, &shares[0], 0));
	assert_null(shares[0].user);
	assert_true(user_hold(users, NULL, &shares[1], 0));
	assert_int_equal(fixture->one->held_bytes, 0);
	assert_int_equal(users->held_bytes, 0);
	assert_int_equal(users->freed_bytes, 120 * mebi);
}

static void others_hold_little_whatever_one_holds(void **state)
{
	struct fixture *fixture = *state;
	struct users *users = &fixture->users;
	struct user *third = user_get(users, 3, fixture->now_ns);
	struct user_share shares[3] = {{.bytes = 0}};
	const size_t mebi = 1 << 20;
	assert_non_null(third);
	assert_true(user_hold(users, fixture->one, &shares[0], 90 * mebi));
	(void)user_hold(users, fixture->other, &shares[1], 90 * mebi);
	assert_false(user_may_hold(users, third, 2 * mebi));
	assert_true(user_hold(users, third, &shares[2], mebi / 2));
	for (int i = 0; i < 3; i++)
		(void)user_hold(users, NULL, &shares[i], 0);
}

static void one_who_is_alone_is_never_heavy(void **state)
{
	struct fixture *fixture = *state;
	user_asks(&fixture->users, fixture->one, fixture->now_ns);
	uint64_t whole_ns = turn_left_ns(fixture, fixture->one);
	work(fixture, fixture->one, SECOND_NS);
	assert_false(is_heavy(fixture, fixture->one));
	assert_int_equal(turn_left_ns(fixture, fixture->one), whole_ns);
}

static void one_who_works_much_is_heavy_while_others_ask(void **state)
{
	struct fixture *fixture = *state;
	user_asks(&fixture->users, fixture->one, fixture->now_ns);
	work(fixture, fixture->one, SECOND_NS);
	user_asks(&fixture->users, fixture->other, fixture->now_ns);
	assert_true(is_heavy(fixture, fixture->one));
	assert_false(is_heavy(fixture, fixture->other));
	fixture->now_ns += 60 * (uint64_t)SECOND_NS;
	user_asks(&fixture->users, fixture->one, fixture->now_ns);
	work(fixture, fixture->one, SECOND_NS);
	assert_false(is_heavy(fixture, fixture->one)); /* the other's question is long ago */
}

static void a_level_drains(void **state)
{
	struct fixture *fixture = *state;
	work(fixture, fixture->one, SECOND_NS);
	fixture->now_ns += 10 * (uint64_t)SECOND_NS;
	user_asks(&fixture->users, fixture->other, fixture->now_ns);
	assert_false(is_heavy(fixture, fixture->one));
}

static void levels_of_uses_are_apart(void **state)
{
	struct fixture *fixture = *state;
	user_asks(&fixture->users, fixture->other, fixture->now_ns);
	user_count(fixture->one, USE_ANALYSES, fixture->now_ns, SECOND_NS);
	assert_false(is_heavy(fixture, fixture->one));
	assert_true(user_is_heavy(&fixture->users, fixture->one, USE_ANALYSES, fixture->now_ns));
}

/* Works as much as it may for a while; the share of the time that it had. */
static double share(struct fixture *fixture, struct user **users, size_t count)
{
	uint64_t begin_ns = fixture->now_ns, worked_ns = 0;
	while (fixture->now_ns - begin_ns < 100 * MS_NS) {
		fixture->users.turn++;
		user_asks(&fixture->users, fixture->other, fixture->now_ns);
		for (size_t i = 0; i < count; i++) {
			uint64_t left_ns = turn_left_ns(fixture, users[i]);
			work(fixture, users[i], left_ns);
			worked_ns += left_ns;
			assert_true(turn_left_ns(fixture, users[i]) == 0);
		}
		fixture->now_ns += 10000;
	}
	return (double)worked_ns / (double)(fixture->now_ns - begin_ns);
}

static void heavy_users_share_a_fiftieth_in_short_turns(void **state)
{
	struct fixture *fixture = *state;
	struct user *heavy[] = {fixture->one, user_get(&fixture->users, 3, fixture->now_ns)};
	assert_non_null(heavy[1]);
	for (size_t i = 0; i < 2; i++)
		work(fixture, heavy[i], 80 * MS_NS);
	fixture->now_ns += 1050 * MS_NS; /* what they had is paid */
	user_asks(&fixture->users, fixture->other, fixture->now_ns);
	assert_true(turn_left_ns(fixture, fixture->one) <= 20000);
	double alone = share(fixture, heavy, 1);
	assert_true(alone > 0.005 && alone < 0.025);
	user_wait(&fixture->users, heavy[0]); /* each sees that somebody waits besides */
	double both = share(fixture, heavy, 2);
	assert_true(both > 0.005 && both < 0.03);
	user_wait_no_more(&fixture->users, heavy[0]);
}

static void heavy_users_have_half_while_nobody_else_asks(void **state)
{
	enum { QUIET_NS = 20 * MS_NS, STEP_NS = 10000 };
	struct fixture *fixture = *state;
	work(fixture, fixture->one, 80 * MS_NS);
	user_asks(&fixture->users, fixture->other, fixture->now_ns);
	assert_true(is_heavy(fixture, fixture->one));
	fixture->now_ns += QUIET_NS;
	uint64_t begin_ns = fixture->now_ns, worked_ns = 0;
	while (fixture->now_ns - begin_ns < 100 * MS_NS) {
		fixture->users.turn++;
		uint64_t left_ns = turn_left_ns(fixture, fixture->one);
		assert_true(left_ns <= 20000); /* who asks now waits no longer */
		work(fixture, fixture->one, left_ns);
		worked_ns += left_ns;
		fixture->now_ns += STEP_NS;
	}
	assert_true(is_heavy(fixture, fixture->one));
	double share = (double)worked_ns / (double)(fixture->now_ns - begin_ns);
	assert_true(share > 0.4 && share < 0.55);
}

static void a_question_is_followed_by_calm_but_not_without_end(void **state)
{
	enum { STEP_NS = 10000, CALM_NS = 300000, MOST_NS = 2000000 };
	struct fixture *fixture = *state;
	work(fixture, fixture->one, 80 * MS_NS);
	fixture->now_ns += 1050 * MS_NS; /* what he had is paid */
	fixture->users.turn++;
	user_asks(&fixture->users, fixture->other, fixture->now_ns);
	assert_true(turn_left_ns(fixture, fixture->one) > 0);
	user_wait(&fixture->users, fixture->one);
	fixture->now_ns += MS_NS;
	fixture->users.turn++;
	user_asks(&fixture->users, fixture->other, fixture->now_ns);
	assert_int_equal(turn_left_ns(fixture, fixture->one), 0);
	assert_int_equal(users_wait_ns(&fixture->users, false, fixture->now_ns), CALM_NS);
	fixture->now_ns += CALM_NS;
	assert_true(turn_left_ns(fixture, fixture->one) > 0);
	/* questions too close for any calm between them */
	uint64_t from_ns = fixture->now_ns;
	do {
		fixture->now_ns += STEP_NS;
		user_asks(&fixture->users, fixture->other, fixture->now_ns);
	} while (turn_left_ns(fixture, fixture->one) == 0);
	assert_true(fixture->now_ns - from_ns <= MOST_NS);
	user_wait_no_more(&fixture->users, fixture->one);
}

static void nobody_wakes_up_for_one_in_debt(void **state)
{
	enum { WINDOW_NS = MS_NS, MOST_NS = 10 * MS_NS };
	struct fixture *fixture = *state;
	struct users *users = &fixture->users;
	work(fixture, fixture->one, 80 * MS_NS); /* more than its share of a hundred windows */
	user_asks(users, fixture->other, fixture->now_ns);
	user_wait(users, fixture->one);
	unsigned times = 0;
	uint64_t from_ns = fixture->now_ns;
	while (turn_left_ns(fixture, fixture->one) == 0) {
		uint64_t wait_ns = users_wait_ns(users, false, fixture->now_ns);
		assert_true(wait_ns > 0 && wait_ns <= MOST_NS);
		fixture->now_ns += wait_ns;
		users->turns_ns = fixture->now_ns;
		users->turn++;
		user_asks(users, fixture->other, fixture->now_ns - WINDOW_NS);
		times++;
	}
	assert_true(fixture->now_ns - from_ns >= 90 * MS_NS);
	assert_true(times <= (fixture->now_ns - from_ns) / MOST_NS + 1);
	/* what is looked for in each window waits for no debt */
	work(fixture, fixture->one, 80 * MS_NS);
	users->turns_ns = fixture->now_ns;
	fixture->now_ns += WINDOW_NS / 2;
	assert_true(users_wait_ns(users, false, fixture->now_ns) > WINDOW_NS);
	assert_true(users_wait_ns(users, true, fixture->now_ns) <= WINDOW_NS / 2);
	/* who is not heavy goes on at once */
	user_wait(users, fixture->other);
	assert_int_equal(users_wait_ns(users, false, fixture->now_ns), 0);
	user_wait_no_more(users, fixture->other);
	user_wait_no_more(users, fixture->one);
}

static void a_level_does_not_drain_while_more_is_asked_than_given(void **state)
{
	struct fixture *fixture = *state;
	work(fixture, fixture->one, 20 * MS_NS);
	fixture->one->is_behind = true;
	fixture->now_ns += 10 * (uint64_t)SECOND_NS;
	user_asks(&fixture->users, fixture->other, fixture->now_ns);
	assert_true(is_heavy(fixture, fixture->one));
	fixture->one->is_behind = false;
	fixture->now_ns += SECOND_NS;
	assert_false(is_heavy(fixture, fixture->one));
}

static void a_time_before_the_last_drains_nothing(void **state)
{
	struct fixture *fixture = *state;
	user_asks(&fixture->users, fixture->other, fixture->now_ns);
	work(fixture, fixture->one, 20 * MS_NS);
	assert_true(is_heavy(fixture, fixture->one));
	fixture->now_ns -= MS_NS;
	assert_true(is_heavy(fixture, fixture->one));
}

static void connections_are_counted_whatever_they_bring(void **state)
{
	struct fixture *fixture = *state;
	user_asks(&fixture->users, fixture->other, fixture->now_ns);
	for (unsigned i = 0; i < 300; i++) /* now and then */
		user_count_connection(&fixture->users, fixture->one, fixture->now_ns += MS_NS);
	assert_false(is_heavy(fixture, fixture->one));
	for (unsigned i = 0; i < 1000; i++)
		user_count_connection(&fixture->users, fixture->one, fixture->now_ns += MS_NS / 10);
	assert_true(is_heavy(fixture, fixture->one));
	for (unsigned i = 0; i < 1000; i++) {
		user_count_connection(&fixture->users, fixture->one, fixture->now_ns += MS_NS);
		user_count_waking(fixture->one, fixture->now_ns);
		user_asks(&fixture->users, fixture->other, fixture->now_ns);
		assert_true(is_heavy(fixture, fixture->one));
	}
}

static void one_turn_of_the_loop_is_short_for_everybody(void **state)
{
	struct fixture *fixture = *state;
	user_asks(&fixture->users, fixture->other, fixture->now_ns);
	uint64_t whole_ns = turn_left_ns(fixture, fixture->one);
	assert_true(whole_ns > 0 && whole_ns <= 20000);
	work(fixture, fixture->one, whole_ns / 2);
	assert_int_equal(turn_left_ns(fixture, fixture->one), whole_ns - whole_ns / 2);
	work(fixture, fixture->one, whole_ns);
	assert_int_equal(turn_left_ns(fixture, fixture->one), 0);
	fixture->users.turn++;
	assert_int_equal(turn_left_ns(fixture, fixture->one), whole_ns);
}

static void what_takes_long_is_waited_for(void **state)
{
	struct fixture *fixture = *state;
	work(fixture, fixture->one, SECOND_NS);
	user_asks(&fixture->users, fixture->other, fixture->now_ns);
	fixture->users.turn++;
	fixture->now_ns += 2 * SECOND_NS / 10;
	user_asks(&fixture->users, fixture->other, fixture->now_ns);
	work(fixture, fixture->one, 10 * MS_NS); /* a hundred times its share of a window */
	uint64_t from_ns = fixture->now_ns;
	while (turn_left_ns(fixture, fixture->one) == 0 &&
	       fixture->now_ns - from_ns < SECOND_NS * 2ull) {
		fixture->now_ns += MS_NS;
		fixture->users.turn++;
		user_asks(&fixture->users, fixture->other, fixture->now_ns);
	}
	assert_true(fixture->now_ns - from_ns >= 90 * MS_NS);
	assert_true(fixture->now_ns - from_ns < SECOND_NS * 2ull);
}

static void those_who_wait_are_in_order(void **state)
{
	struct fixture *fixture = *state;
	struct users *users = &fixture->users;
	user_wait(users, fixture->other);
	user_wait(users, fixture->one);
	user_wait(users, fixture->other); /* he does */
	assert_int_equal(users->waiting_count, 2);
	assert_ptr_equal(users->waiting, fixture->other);
	user_wait_no_more(users, fixture->other);
	user_wait_no_more(users, fixture->other);
	assert_ptr_equal(users->waiting, fixture->one);
	assert_int_equal(users->waiting_count, 1);
	user_wait_no_more(users, fixture->one);
	assert_null(users->waiting);
}

static void users_who_left_are_forgotten_in_time(void **state)
{
	struct fixture *fixture = *state;
	fixture->one->sessions = 1;
	work(fixture, fixture->other, SECOND_NS);
	for (uid_t id = 1000; id < 3000; id++)
		assert_non_null(user_get(&fixture->users, id, fixture->now_ns));
	assert_true(HASH_COUNT(fixture->users.table) < 300);
	/* not those who are here, or who would come back with a level of nothing */
	assert_ptr_equal(user_get(&fixture->users, 1, fixture->now_ns), fixture->one);
	assert_ptr_equal(user_get(&fixture->users, 2, fixture->now_ns), fixture->other);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
	        T(what_one_holds_is_counted_and_given_back),
	        T(others_hold_little_whatever_one_holds),
	        T(one_who_is_alone_is_never_heavy),
	        T(one_who_works_much_is_heavy_while_others_ask),
	        T(a_level_drains),
	        T(levels_of_uses_are_apart),
	        T(heavy_users_share_a_fiftieth_in_short_turns),
	        T(heavy_users_have_half_while_nobody_else_asks),
	        T(a_question_is_followed_by_calm_but_not_without_end),
	        T(nobody_wakes_up_for_one_in_debt),
	        T(a_level_does_not_drain_while_more_is_asked_than_given),
	        T(a_time_before_the_last_drains_nothing),
	        T(connections_are_counted_whatever_they_bring),
	        T(one_turn_of_the_loop_is_short_for_everybody),
	        T(what_takes_long_is_waited_for),
	        T(those_who_wait_are_in_order),
	        T(users_who_left_are_forgotten_in_time),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("users", tests, NULL, NULL);
}
