/* SPDX-License-Identifier: Apache-2.0 */
/* Corrections by what other nodes of the site measured: whose word stands, and how far it may err. */
#include "tests/unit/model/streams.h"

#define STATIC_S 1e-3

enum { OTHER_UID = 2000, LIE = 100 };

static void assert_same(const struct correction_answer *a, const struct correction_answer *b)
{
	assert_memory_equal(&a->time_s, &b->time_s, sizeof a->time_s);
	assert_memory_equal(&a->low_s, &b->low_s, sizeof a->low_s);
	assert_memory_equal(&a->high_s, &b->high_s, sizeof a->high_s);
	assert_true(a->count == b->count && a->nodes == b->nodes && a->basis == b->basis);
}

/* Nodes' medians, a little apart, about a time. */
static struct correction_record told_by(uint64_t kernel, const struct correction_launch *launch,
                                        double time_s, uint32_t nodes)
{
	struct correction_record told = {.device = STREAM_DEVICE,
	                                 .kernel = kernel,
	                                 .runs = nodes,
	                                 .launch = *launch};

	told.sample_count = nodes < CORRECTION_SAMPLES ? nodes : CORRECTION_SAMPLES;
	for (uint32_t i = 0; i < told.sample_count; i++) {
		double apart = 0.02 * ((int)i - (int)told.sample_count / 2);
		told.samples[i].time_log = (float)(log(time_s) + apart);
		told.samples[i].at_s = STREAM_START_S + i;
	}
	return told;
}

static bool tell(struct stream *stream, const struct correction_record *told)
{
	struct error error = {0};
	bool has_moved = false;

	if (correction_tell(stream->correction, told, &has_moved, &error) != STATUS_OK)
		fail_msg("%s", error.text);
	return has_moved;
}

static bool tell_nodes(struct stream *stream, uint64_t kernel,
                       const struct correction_launch *launch, double time_s, uint32_t nodes)
{
	const struct correction_record told = told_by(kernel, launch, time_s, nodes);

	return tell(stream, &told);
}

static void who_has_no_runs_gets_the_median_of_nodes(void **state)
{
	struct stream stream;
	struct correction_launch launch = launch_of(1024, STATIC_S, BOTTLENECK_DRAM);
	struct correction_launch other = launch_of(4096, 4 * STATIC_S, BOTTLENECK_DRAM);

	(void)state;
	stream_init(&stream, 1, 0.02);
	assert_true(tell_nodes(&stream, 1, &launch, 2 * STATIC_S, 7));
	assert_false(tell_nodes(&stream, 1, &launch, 2 * STATIC_S, 7));
	struct correction_answer answer = stream_ask(&stream, STREAM_UID, 1, &launch);
	assert_close(answer.time_s, 2 * STATIC_S, 1e-3);
	assert_int_equal(answer.nodes, 7);
	assert_int_equal(answer.basis, BASIS_REFINED);
	assert_int_equal(answer.count, 0);
	assert_true(answer.low_s < 1.9 * STATIC_S && answer.high_s > 2.1 * STATIC_S);
	/* and of another size what they teach of the kernel */
	answer = stream_ask(&stream, STREAM_UID, 1, &other);
	assert_close(answer.time_s, 8 * STATIC_S, 0.25);
	assert_int_equal(answer.nodes, 7);
	/* nothing is the users' own */
	assert_int_equal(correction_records(stream.correction), 0);
	assert_int_equal(correction_runs(stream.correction), 0);
	assert_int_equal(correction_site_records(stream.correction), 1);
	stream_deinit(&stream);
}

static void a_node_of_another_century_does_not_decide_alone(void **state)
{
	struct stream stream;
	struct correction_launch launch = launch_of(1024, STATIC_S, BOTTLENECK_DRAM);
	struct correction_record told = told_by(1, &launch, STATIC_S, 7);

	(void)state;
	stream_init(&stream, 1, 0.02);
	told.samples[6].at_s = UINT32_MAX;
	told.samples[6].time_log += (float)log(LIE);
	tell(&stream, &told);
	assert_close(stream_ask(&stream, STREAM_UID, 1, &launch).time_s, STATIC_S, 0.03);
	stream_deinit(&stream);
}

static void the_interval_is_as_wide_as_nodes_differ(void **state)
{
	struct stream stream;
	struct correction_launch launch = launch_of(1024, STATIC_S, BOTTLENECK_DRAM);
	struct correction_record told = told_by(1, &launch, STATIC_S, 7);

	(void)state;
	stream_init(&stream, 1, 0.02);
	tell(&stream, &told);
	struct correction_answer near = stream_ask(&stream, STREAM_UID, 1, &launch);
	for (unsigned i = 0; i < 7; i++)
		told.samples[i].time_log += 0.3F * (float)((int)i - 3);
	tell(&stream, &told);
	struct correction_answer far = stream_ask(&stream, STREAM_UID, 1, &launch);
	assert_close(far.time_s, STATIC_S, 0.03);
	assert_true(log(far.high_s / far.low_s) > 2 * log(near.high_s / near.low_s));
	for (unsigned i = 0; i < 7; i++)
		assert_true(far.low_s < exp(0.3 * ((int)i - 3)) * STATIC_S || i == 0);
	stream_deinit(&stream);
}

static void own_runs_outweigh_it(void **state)
{
	struct stream stream;
	struct correction_launch launch = launch_of(1024, STATIC_S, BOTTLENECK_DRAM);
	struct correction_launch near = launch_of(4096, 4 * STATIC_S, BOTTLENECK_DRAM);

	(void)state;
	stream_init(&stream, 1, 0);
	/* lies about every launch of the kernel */
	for (double items = 256; items <= 65536; items *= 2) {
		struct correction_launch each =
		        launch_of(items, items / 1024 * STATIC_S, BOTTLENECK_DRAM);
		tell_nodes(&stream, 1, &each, LIE * items / 1024 * STATIC_S, 7);
	}
	assert_close(stream_ask(&stream, STREAM_UID, 1, &launch).time_s, LIE * STATIC_S, 0.01);
	stream_report(&stream, STREAM_UID, 1, &launch, 1.2 * STATIC_S, 0);
	struct correction_answer answer = stream_ask(&stream, STREAM_UID, 1, &launch);
	assert_close(answer.time_s, 1.2 * STATIC_S, 0.1);
	assert_int_equal(answer.nodes, 0);
	assert_int_equal(answer.basis, BASIS_OBSERVED);
	stream_runs(&stream, STREAM_UID, 1, &launch, 1.2 * STATIC_S, 2);
	assert_close(stream_ask(&stream, STREAM_UID, 1, &launch).time_s, 1.2 * STATIC_S, 0.02);
	/* a launch that neither ran follows the own ones */
	near.key++;
	assert_close(stream_ask(&stream, STREAM_UID, 1, &near).time_s, 4.8 * STATIC_S, 0.15);
	/* who reported nothing has no other word */
	assert_close(stream_ask(&stream, OTHER_UID, 1, &launch).time_s, LIE * STATIC_S, 0.01);
	stream_deinit(&stream);
}

static void three_users_agreement_precedes_it(void **state)
{
	struct stream stream;
	struct correction_launch launch = launch_of(1024, STATIC_S, BOTTLENECK_DRAM);

	(void)state;
	stream_init(&stream, 1, 0);
	tell_nodes(&stream, 1, &launch, 2 * STATIC_S, 7);
	for (uint32_t uid = STREAM_UID; uid < STREAM_UID + 2; uid++)
		stream_runs(&stream, uid, 1, &launch, 1.3 * STATIC_S, 4);
	/* two and the site are not three users */
	assert_close(stream_ask(&stream, OTHER_UID, 1, &launch).time_s, 2 * STATIC_S, 0.01);
	stream_runs(&stream, STREAM_UID + 2, 1, &launch, 1.3 * STATIC_S, 4);
	struct correction_answer answer = stream_ask(&stream, OTHER_UID, 1, &launch);
	assert_close(answer.time_s, 1.3 * STATIC_S, 0.01);
	assert_int_equal(answer.nodes, 0);
	stream_deinit(&stream);
}

/* A site that was wrong of three kernels is believed of no fourth, by who ran them. */
static void a_site_that_lies_is_found_out_by_own_runs(void **state)
{
	struct stream stream;
	struct correction_launch launch = launch_of(1024, STATIC_S, BOTTLENECK_DRAM);

	(void)state;
	stream_init(&stream, 1, 0);
	for (uint64_t kernel = 1; kernel <= 8; kernel++)
		tell_nodes(&stream, kernel, &launch, LIE * STATIC_S, 7);
	for (uint64_t kernel = 1; kernel <= 3; kernel++) {
		assert_close(stream_ask(&stream, STREAM_UID, 8, &launch).time_s, LIE * STATIC_S,
		             0.01);
		stream_report(&stream, STREAM_UID, kernel, &launch, 1.1 * STATIC_S, 0);
	}
	struct correction_answer answer = stream_ask(&stream, STREAM_UID, 8, &launch);
	assert_close(answer.time_s, STATIC_S, 0.2);
	assert_int_equal(answer.nodes, 0);
	assert_int_equal(stream_ask(&stream, OTHER_UID, 8, &launch).nodes, 7);
	/* it is believed again when it has mended its word */
	for (uint64_t kernel = 1; kernel <= 8; kernel++)
		tell_nodes(&stream, kernel, &launch, 1.1 * STATIC_S, 7);
	assert_int_equal(stream_ask(&stream, STREAM_UID, 8, &launch).nodes, 7);
	stream_deinit(&stream);
}

static void it_takes_no_part_in_what_is_known_of_the_device(void **state)
{
	struct stream with, without;
	struct correction_launch launch = launch_of(2048, STATIC_S, BOTTLENECK_ARITHMETIC);

	(void)state;
	stream_init(&with, 3, 0.03);
	stream_init(&without, 3, 0.03);
	for (uint64_t kernel = 1; kernel <= 40; kernel++) {
		struct correction_launch each =
		        launch_of(256.0 * (double)kernel, STATIC_S, BOTTLENECK_ARITHMETIC);
		tell_nodes(&with, 100 + kernel, &each, LIE * STATIC_S, 7);
		for (uint32_t user = 0; user < 3; user++) {
			stream_runs(&with, STREAM_UID + user, kernel, &each, 1.4 * STATIC_S, 3);
			stream_runs(&without, STREAM_UID + user, kernel, &each, 1.4 * STATIC_S, 3);
		}
	}
	for (uint32_t uid = STREAM_UID; uid < STREAM_UID + 4; uid++)
		for (uint64_t kernel = 1; kernel <= 50; kernel++) {
			struct correction_answer a = stream_ask(&with, uid, kernel, &launch);
			struct correction_answer b = stream_ask(&without, uid, kernel, &launch);
			assert_same(&a, &b);
		}
	correction_settle(with.correction);
	correction_settle(without.correction);
	struct correction_answer a = stream_ask(&with, OTHER_UID, 1, &launch);
	struct correction_answer b = stream_ask(&without, OTHER_UID, 1, &launch);
	assert_same(&a, &b);
	stream_deinit(&with);
	stream_deinit(&without);
}

static void it_is_neither_saved_nor_forgotten_nor_taken_from_a_user(void **state)
{
	struct stream stream;
	struct correction_launch launch = launch_of(1024, STATIC_S, BOTTLENECK_DRAM);
	struct correction_record record = told_by(1, &launch, STATIC_S, 3);
	const struct correction_scope all = {.has_uid = false};
	struct correction_run run = {.device = STREAM_DEVICE,
	                             .kernel = 1,
	                             .uid = CORRECTION_UID_SITE,
	                             .time_s = STATIC_S,
	                             .launch = launch};
	struct correction_user user;
	struct error error = {0};

	(void)state;
	stream_init(&stream, 1, 0);
	tell(&stream, &record);
	assert_false(correction_take_changed(stream.correction, &record));
	assert_int_equal(correction_forget(stream.correction, &all), 0);
	assert_int_equal(stream_ask(&stream, STREAM_UID, 1, &launch).nodes, 3);
	assert_int_equal(correction_observe(stream.correction, &run, NULL, &error), STATUS_INVALID);
	record = told_by(1, &launch, STATIC_S, 3);
	record.uid = CORRECTION_UID_SITE;
	assert_int_equal(correction_load(stream.correction, &record, &error), STATUS_CORRUPT);
	/* until it says that it has nothing to say */
	record.sample_count = 0;
	assert_true(tell(&stream, &record));
	assert_false(tell(&stream, &record));
	assert_int_equal(correction_site_records(stream.correction), 0);
	assert_int_equal(stream_ask(&stream, STREAM_UID, 1, &launch).basis, BASIS_STATIC);
	assert_false(correction_take_changed(stream.correction, &record));
	assert_false(correction_take_changed_user(stream.correction, &user));
	stream_deinit(&stream);
}

static void what_is_out_of_range_is_refused(void **state)
{
	struct stream stream;
	struct correction_launch launch = launch_of(1024, STATIC_S, BOTTLENECK_DRAM);
	struct correction_record told = told_by(1, &launch, STATIC_S, 7);
	struct error error = {0};
	bool has_moved;

	(void)state;
	stream_init(&stream, 1, 0);
	struct correction_record bad = told;
	bad.runs = 6; /* fewer nodes than medians */
	assert_int_equal(correction_tell(stream.correction, &bad, &has_moved, &error),
	                 STATUS_CORRUPT);
	bad = told;
	bad.runs = UINT64_C(1) << 40;
	assert_int_equal(correction_tell(stream.correction, &bad, &has_moved, &error),
	                 STATUS_CORRUPT);
	assert_non_null(strstr(error.text, "number of nodes"));
	bad = told;
	bad.samples[3].time_log = NAN;
	assert_int_equal(correction_tell(stream.correction, &bad, &has_moved, &error),
	                 STATUS_CORRUPT);
	bad = told;
	for (unsigned i = 0; i < 7; i++)
		bad.samples[i].flags = CORRECTION_FIRST_RUN;
	assert_int_equal(correction_tell(stream.correction, &bad, &has_moved, &error),
	                 STATUS_CORRUPT);
	assert_non_null(strstr(error.text, "flags"));
	assert_int_equal(correction_site_records(stream.correction), 0);
	stream_deinit(&stream);
}

static void more_than_there_is_room_for_displaces_its_own_alone(void **state)
{
	struct correction *correction;
	struct error error = {0};
	struct correction_launch launch = launch_of(1024, STATIC_S, BOTTLENECK_DRAM);
	struct stream stream = {.random = 1, .now_s = STREAM_START_S};
	bool has_moved;

	(void)state;
	assert_int_equal(correction_new(64, 16, &correction, &error), STATUS_OK);
	stream.correction = correction;
	for (uint64_t kernel = 0; kernel < 64; kernel++)
		stream_report(&stream, STREAM_UID, kernel, &launch, STATIC_S, 0);
	for (uint64_t kernel = 0; kernel < 200; kernel++) {
		struct correction_record told = told_by(1000 + kernel, &launch, STATIC_S, 3);
		for (unsigned i = 0; i < 3; i++)
			told.samples[i].at_s += (uint32_t)kernel;
		told.device = STREAM_DEVICE + kernel % 3;
		assert_int_equal(correction_tell(correction, &told, &has_moved, &error), STATUS_OK);
	}
	assert_int_equal(correction_site_records(correction), 16);
	assert_int_equal(correction_records(correction), 64);
	for (uint64_t kernel = 0; kernel < 64; kernel++)
		assert_int_equal(stream_ask(&stream, STREAM_UID, kernel, &launch).basis,
		                 BASIS_OBSERVED);
	struct correction_answer answer;
	correction_ask(correction, STREAM_DEVICE + 199 % 3, 1199, STREAM_UID, &launch, false,
	               &answer);
	assert_int_equal(answer.nodes, 3);
	correction_ask(correction, STREAM_DEVICE + 100 % 3, 1100, STREAM_UID, &launch, false,
	               &answer);
	assert_int_equal(answer.nodes, 0);
	/* nor does the site give way to users, who have room of their own */
	for (uint64_t kernel = 0; kernel < 300; kernel++)
		stream_report(&stream, OTHER_UID + (uint32_t)(kernel % 5), kernel, &launch, STATIC_S, 0);
	assert_int_equal(correction_site_records(correction), 16);
	assert_int_equal(correction_records(correction), 64);
	correction_free(correction);
}

static void a_task_rests_on_what_nodes_say_of_its_kernel(void **state)
{
	struct stream stream;
	struct correction_launch launch = launch_of(1024, STATIC_S, BOTTLENECK_DRAM);
	struct correction_answer answer;

	(void)state;
	stream_init(&stream, 1, 0);
	tell_nodes(&stream, 1, &launch, 2 * STATIC_S, 5);
	struct correction_answer kernel = stream_ask(&stream, STREAM_UID, 1, &launch);
	correction_ask_task(stream.correction, STREAM_DEVICE, 1, STREAM_UID, &launch, &kernel,
	                    STATIC_S / 10, &answer);
	assert_close(answer.time_s, 2.1 * STATIC_S, 0.01);
	assert_int_equal(answer.nodes, 5);
	stream_deinit(&stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(who_has_no_runs_gets_the_median_of_nodes),
	        cmocka_unit_test(a_node_of_another_century_does_not_decide_alone),
	        cmocka_unit_test(the_interval_is_as_wide_as_nodes_differ),
	        cmocka_unit_test(own_runs_outweigh_it),
	        cmocka_unit_test(three_users_agreement_precedes_it),
	        cmocka_unit_test(a_site_that_lies_is_found_out_by_own_runs),
	        cmocka_unit_test(it_takes_no_part_in_what_is_known_of_the_device),
	        cmocka_unit_test(it_is_neither_saved_nor_forgotten_nor_taken_from_a_user),
	        cmocka_unit_test(what_is_out_of_range_is_refused),
	        cmocka_unit_test(more_than_there_is_room_for_displaces_its_own_alone),
	        cmocka_unit_test(a_task_rests_on_what_nodes_say_of_its_kernel),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("correction of other nodes", tests, NULL, NULL);
}
