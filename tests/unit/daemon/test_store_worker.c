/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of the store: the daemon's own first, then each user's in his turn. */
#include "tests/test.h"

#include "daemon/state/store_worker.h"

#include <string.h>

struct noted {
	struct store_job job;
	char name;
};

static char order[16];

/* One job runs at a time. */
static void run(struct store_job *job, struct store **store)
{
	const struct noted *noted = (struct noted *)job; /* its first member */
	assert_null(*store);
	order[strlen(order)] = noted->name;
}

static void on_done(struct store_job *job)
{
	(void)job;
}

static void on_late(void *data, bool is_late)
{
	(void)data;
	(void)is_late;
}

static void users_take_turns_after_the_daemons_own(void **state)
{
	(void)state;
	uv_loop_t loop;
	struct store_worker worker;
	struct noted jobs[6];
	static const uid_t users[] = {1, 1, 1, 1, 2, 0};
	assert_int_equal(uv_loop_init(&loop), 0);
	store_worker_init(&worker, &loop, on_late, NULL);
	for (unsigned i = 0; i < 6; i++) {
		jobs[i] = (struct noted){.job = {.run = run, .done = on_done},
		                         .name = (char)('a' + i)};
		if (users[i] == 0)
			store_worker_add(&worker, &jobs[i].job);
		else
			store_worker_add_for(&worker, &jobs[i].job, users[i]);
	}
	assert_false(store_worker_is_idle(&worker));
	store_worker_stop(&worker);
	(void)uv_run(&loop, UV_RUN_DEFAULT);
	assert_true(store_worker_is_idle(&worker));
	/* a runs at once */
	assert_string_equal(order, "afbecd");
	store_worker_deinit(&worker);
	assert_int_equal(uv_loop_close(&loop), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(users_take_turns_after_the_daemons_own),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("store_worker", tests, NULL, NULL);
}
