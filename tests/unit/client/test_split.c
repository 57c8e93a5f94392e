/* SPDX-License-Identifier: Apache-2.0 */
/* predictd_split: what parts are asked as, what is answered of them, and what is refused. */
#include "tests/unit/client/client_fixture.h"

#include <string.h>

#define ITEMS ((uint64_t)1 << 20)
#define BYTES (4 * ITEMS)

static const predictd_argument arguments[] = {
        {.kind = PREDICTD_BUFFER, .access = PREDICTD_READ, .size_bytes = BYTES},
        {.kind = PREDICTD_BUFFER, .access = PREDICTD_WRITE, .size_bytes = BYTES},
        {.kind = PREDICTD_SCALAR, .type = "float", .reals = {2}}};
static const predictd_split_buffer both[] = {{.argument = 0}, {.argument = 1}};
static const char *const two[] = {"third", "gpu"};

static predictd_question launch_of(uint64_t items)
{
	predictd_question question = question_of(items);
	question.argument_count = 3;
	question.arguments = arguments;
	question.local[0] = 64;
	return question;
}

static predictd_splitting splitting_of(const predictd_question *question)
{
	return (predictd_splitting){.question = question,
	                            .devices = two,
	                            .device_count = 2,
	                            .buffer_count = 2,
	                            .buffers = both};
}

static void devices_end_together(void **state)
{
	(void)state;
	predictd_question question = launch_of(ITEMS);
	question.offset[0] = 128;
	predictd_splitting splitting = splitting_of(&question);
	predictd_share shares[2];
	predictd_split_answer answer;
	assert_ok(predictd_split(connection, &splitting, shares, &answer));
	assert_true(answer.granule_items == 64 && answer.granules == ITEMS / 64);
	assert_true(shares[0].items + shares[1].items == ITEMS);
	assert_close((double)shares[1].items, 0.75 * (double)ITEMS, 1e-3);
	assert_true(shares[1].begin == 128 && shares[0].begin == 128 + shares[1].items);
	assert_true(answer.best == 1 && answer.reason == PREDICTD_SPLIT_BALANCED);
	assert_close(answer.time_s, 0.75e-9 * (double)ITEMS, 2e-3);
	assert_close(answer.gain, 4.0 / 3, 2e-3);
	/* kernels take 0.5 to 2 of what is said: the best alone is wrong as its part is */
	assert_close(answer.low_s, 0.5 * answer.time_s, 1e-9);
	assert_close(answer.high_s, 2 * answer.time_s, 1e-9);
	assert_close(answer.gain_low, 0.25 * 4 / 3, 2e-3);
	assert_close(answer.gain_high, 4.0 / 3, 2e-3);
	assert_false(answer.has_slowdowns);
	assert_close(shares[0].alone_s, 3e-9 * (double)ITEMS, 1e-9);
	assert_true(shares[0].h2d_bytes == 0 && shares[0].h2d_time_s == 0);
}

static void a_split_is_answered_from_memory(void **state)
{
	(void)state;
	predictd_question question = launch_of(ITEMS);
	question.with_transfers = true;
	predictd_splitting splitting = splitting_of(&question);
	predictd_share shares[2], again[2];
	predictd_split_answer answer;
	assert_ok(predictd_split(connection, &splitting, shares, &answer));
	unsigned asked = fake.asked;
	assert_true(asked < 12); /* many questions in an exchange */
	assert_ok(predictd_split(connection, &splitting, again, &answer));
	assert_int_equal(fake.asked, asked);
	assert_memory_equal(shares, again, sizeof shares);
}

/* A byte takes 0.1 ns: what is whole takes as long for a part. */
static void parts_are_sent_and_whole_buffers_are_sent_to_each(void **state)
{
	(void)state;
	predictd_question question = launch_of(ITEMS);
	question.with_transfers = true;
	predictd_splitting splitting = splitting_of(&question);
	predictd_share shares[2];
	predictd_split_answer answer;
	assert_ok(predictd_split(connection, &splitting, shares, &answer));
	for (size_t i = 0; i < 2; i++) {
		assert_true(shares[i].h2d_bytes == 4 * shares[i].items);
		assert_true(shares[i].d2h_bytes == 4 * shares[i].items);
		assert_close(shares[i].h2d_time_s, 4e-10 * (double)shares[i].items, 1e-6);
		assert_close(shares[i].time_s,
		             shares[i].kernel_time_s + shares[i].h2d_time_s + shares[i].d2h_time_s,
		             1e-9);
	}
	assert_close((double)shares[1].items, 3.8 / 5.6 * (double)ITEMS, 2e-3);
	splitting.buffers = both + 1;
	splitting.buffer_count = 1;
	assert_ok(predictd_split(connection, &splitting, shares, &answer));
	for (size_t i = 0; i < 2; i++) {
		assert_true(shares[i].h2d_bytes == BYTES);
		assert_close(shares[i].h2d_time_s, 1e-10 * (double)BYTES, 1e-6);
	}
	assert_close((double)shares[1].items, 3.4 / 4.8 * (double)ITEMS, 2e-3);
	/* with bytes of a granule, which the last part has fewer of */
	const predictd_split_buffer rows[] = {{0, 64 * 4}, {1, 64 * 4}};
	splitting.buffers = rows;
	splitting.buffer_count = 2;
	assert_ok(predictd_split(connection, &splitting, shares, &answer));
	assert_true(shares[0].h2d_bytes + shares[1].h2d_bytes == BYTES);
}

static void the_last_part_takes_the_rest(void **state)
{
	(void)state;
	predictd_question question = launch_of(100000 + 7);
	predictd_splitting splitting = splitting_of(&question);
	predictd_share shares[2];
	predictd_split_answer answer;
	splitting.granule_items = 96; /* and work-groups of 64: 192 */
	assert_ok(predictd_split(connection, &splitting, shares, &answer));
	assert_true(answer.granule_items == 192 && answer.granules == 521);
	assert_true(shares[1].begin == 0 && shares[1].items == 192 * shares[1].granules);
	assert_true(shares[0].items == 100007 - shares[1].items);
	/* where runtimes choose work-groups, what they are said to choose */
	question.local[0] = 0;
	splitting.granule_items = 0;
	assert_ok(predictd_split(connection, &splitting, shares, &answer));
	assert_true(answer.granule_items == 64);
	/* the whole range is one granule */
	splitting.granule_items = question.global[0] = 64 * 100;
	assert_ok(predictd_split(connection, &splitting, shares, &answer));
	assert_true(answer.granules == 1 && shares[0].granules == 0 && shares[1].granules == 1);
	assert_true(answer.reason == PREDICTD_SPLIT_LAUNCH && answer.gain == 1);
	assert_true(shares[1].reason == PREDICTD_SPLIT_ALONE);
}

static void a_range_of_2_to_the_63_is_split(void **state)
{
	(void)state;
	predictd_question question = launch_of((uint64_t)1 << 63);
	predictd_splitting splitting = splitting_of(&question);
	predictd_share shares[2];
	predictd_split_answer answer;
	question.with_transfers = true; /* fewer bytes than items: none is sent as nothing */
	assert_ok(predictd_split(connection, &splitting, shares, &answer));
	assert_true(shares[0].items + shares[1].items == (uint64_t)1 << 63);
	assert_close((double)shares[1].items, 0.75 * 0x1p63, 2e-3);
	question.offset[0] = (uint64_t)1 << 63;
	assert_int_equal(predictd_split(connection, &splitting, shares, &answer), PREDICTD_INVALID);
	assert_string_equal(predictd_error_text(), "offset and work-items are 2^64 or more");
}

static void reasons_say_who_is_left_out(void **state)
{
	(void)state;
	static const char *const devices[] = {"gpu", "late", "third"};
	predictd_question question = launch_of(ITEMS);
	predictd_splitting splitting = splitting_of(&question);
	predictd_share shares[3];
	predictd_split_answer answer;
	splitting.devices = devices;
	splitting.device_count = 3;
	assert_ok(predictd_split(connection, &splitting, shares, &answer));
	assert_true(shares[1].granules == 0 && shares[1].reason == PREDICTD_SPLIT_LAUNCH);
	assert_close(shares[1].granule_time_s, 1, 1e-3);
	assert_true(shares[0].granules > 0 && shares[2].granules > 0);
	/* a table that each device needs whole, of a second */
	predictd_argument large[3];
	memcpy(large, arguments, sizeof large);
	large[0].size_bytes = 10000000000;
	question.arguments = large;
	question.with_transfers = true;
	splitting.buffers = both + 1;
	splitting.buffer_count = 1;
	splitting.devices = two;
	splitting.device_count = 2;
	question.global[0] = 1 << 20;
	assert_ok(predictd_split(connection, &splitting, shares, &answer));
	/* alone each needs it as well: it decides nothing */
	assert_true(shares[0].granules > 0 && shares[1].granules > 0);
	/* which hold each other up by half: more than the other gains */
	const double slowdowns[] = {1, 2, 2, 1};
	question.with_transfers = false;
	splitting.slowdowns = slowdowns;
	assert_ok(predictd_split(connection, &splitting, shares, &answer));
	assert_true(shares[0].granules == 0 && shares[0].reason == PREDICTD_SPLIT_SLOWDOWN);
	assert_true(answer.has_slowdowns && answer.gain == 1);
	assert_true(answer.reason == PREDICTD_SPLIT_SLOWDOWN);
	assert_string_equal(predictd_split_reason_name(answer.reason), "slowdown");
	assert_string_equal(predictd_split_reason_name((predictd_split_reason)99), "unknown");
}

static void assert_refused(const predictd_splitting *splitting, predictd_status status,
                           const char *text)
{
	predictd_share shares[2] = {{.items = 7}, {.items = 7}};
	predictd_split_answer answer = {.granules = 7};
	assert_int_equal(predictd_split(connection, splitting, shares, &answer), status);
	assert_string_equal(predictd_error_text(), text);
	assert_true(shares[0].items == 7 && answer.granules == 7);
}

static void what_cannot_be_split_is_refused_by_name(void **state)
{
	(void)state;
	predictd_question question = launch_of(ITEMS);
	predictd_splitting good = splitting_of(&question), bad = good;
	bad.buffer_count = 1;
	assert_refused(&bad, PREDICTD_UNSUPPORTED,
	               "argument 1 is not to be split along dimension 0: line 7: it is written "
	               "where data say");
	predictd_argument written[3];
	memcpy(written, arguments, sizeof written);
	written[0].access = PREDICTD_READ_WRITE;
	question.arguments = written;
	bad.buffers = both + 1;
	assert_refused(&bad, PREDICTD_UNSUPPORTED,
	               "argument 0 (a) is not to be split along dimension 0: line 7: it is written "
	               "where data say");
	written[1].kind = PREDICTD_IMAGE;
	bad.buffers = both;
	assert_refused(&bad, PREDICTD_UNSUPPORTED,
	               "argument 1 is not to be split along dimension 0: line 7: it is written "
	               "where data say");
	bad = good;
	question.arguments = arguments;
	question.kernel = "grouped";
	assert_refused(&bad, PREDICTD_UNSUPPORTED,
	               "device third: not to be split along dimension 0: line 3: get_group_id(0) "
	               "is of the part, not of the launch");
	question.kernel = NULL;
	question.arguments = arguments;
	bad = good;
	bad.dimension = 1;
	assert_refused(&bad, PREDICTD_INVALID, "dimension 1 of 1");
	bad = good;
	bad.granule_items = ITEMS + 1;
	assert_refused(&bad, PREDICTD_INVALID,
	               "a granule of 1048577 work-items is larger than the range of 1048576");
	bad.granule_items = ITEMS - 1;
	assert_refused(&bad, PREDICTD_INVALID,
	               "a granule of whole work-groups of 64 and of 1048575 work-items is larger "
	               "than the range of 1048576");
	bad.granule_items = UINT64_MAX;
	assert_refused(&bad, PREDICTD_INVALID,
	               "a granule of 18446744073709551615 work-items is larger than the range of "
	               "1048576");
	bad = good;
	bad.device_count = 0;
	assert_refused(&bad, PREDICTD_INVALID, "want 1 to 16 devices, have 0");
	static const char *const same[] = {"gpu", "gpu"}, *const raw[] = {"gpu", "raw"};
	bad = good;
	bad.devices = same;
	assert_refused(&bad, PREDICTD_INVALID, "device gpu is there twice");
	bad.devices = raw;
	assert_int_equal(predictd_split(connection, &bad, NULL, NULL), PREDICTD_UNCALIBRATED);
	assert_memory_equal(predictd_error_text(), "device raw: ", 12);
	const predictd_split_buffer scalar[] = {{.argument = 2}}, none[] = {{.argument = 3}},
	                            twice[] = {{.argument = 1}, {.argument = 1}},
	                            large[] = {{.argument = 1, .granule_bytes = 4096}};
	bad = good;
	bad.buffers = scalar;
	bad.buffer_count = 1;
	assert_refused(&bad, PREDICTD_INVALID, "split: argument 2 is no buffer");
	bad.buffers = none;
	assert_refused(&bad, PREDICTD_INVALID, "split: argument 3 of 3");
	bad.buffers = large;
	assert_refused(&bad, PREDICTD_INVALID,
	               "argument 1 has 4194304 bytes: too few for 16384 granules of 4096");
	bad.buffers = twice;
	bad.buffer_count = 2;
	assert_refused(&bad, PREDICTD_INVALID, "split: argument 1 is there twice");
	const double slowdowns[] = {1, 0.5, 1, 1};
	bad = good;
	bad.slowdowns = slowdowns;
	assert_refused(&bad, PREDICTD_INVALID,
	               "slowdown of third by gpu: want 1 or more, have 0.5");
	question.global[0] = 0;
	assert_refused(&good, PREDICTD_INVALID, "dimension 0 has no work-items");
	question = launch_of(ITEMS);
	predictd_program *named = NULL;
	assert_ok(predictd_register_without_source(connection, "gemm", &named));
	question.program = named;
	assert_int_equal(predictd_split(connection, &good, NULL, NULL), PREDICTD_UNSUPPORTED);
	predictd_program_free(named);
}

static void a_daemon_that_is_away_is_said_once(void **state)
{
	(void)state;
	predictd_question question = launch_of(ITEMS);
	predictd_splitting splitting = splitting_of(&question);
	predictd_share shares[2];
	predictd_split_answer answer;
	fake_daemon_halt(&fake);
	assert_int_equal(predictd_split(connection, &splitting, shares, &answer),
	                 PREDICTD_UNAVAILABLE);
	assert_null(strstr(predictd_error_text(), "device "));
	fake_daemon_restart(&fake);
	assert_ok(predictd_split(connection, &splitting, shares, &answer));
	predictd_set_timeout(connection, 0.2);
	fake_daemon_raise(&fake);
	fake.is_mute = true;
	assert_int_equal(predictd_split(connection, &splitting, shares, &answer), PREDICTD_TIMEOUT);
	assert_null(strstr(predictd_error_text(), "device "));
	fake.is_mute = false;
}

/* Nobody says which buffers are split: a part has its own bytes, and a halo of what it reads. */
static void what_a_part_reads_and_writes_is_asked(void **state)
{
	(void)state;
	predictd_question question = launch_of(ITEMS);
	question.kernel = "stencil";
	question.with_transfers = true;
	question.offset[0] = 64;
	predictd_splitting splitting = splitting_of(&question);
	predictd_share shares[2];
	predictd_split_answer answer;
	predictd_split_argument said[3];
	predictd_split_range reads[2], writes[2];
	splitting.buffer_count = 0;
	assert_ok(predictd_split(connection, &splitting, shares, &answer));
	assert_int_equal(fake.reaches, 2); /* one a device */
	assert_ok(predictd_split_arguments(connection, &splitting, 1, said));
	assert_int_equal(fake.reaches, 2);
	assert_true(said[0].reads.kind == PREDICTD_REACH_PART && said[0].reads.low_bytes == -4);
	assert_true(said[1].is_filled && said[2].reads.kind == PREDICTD_REACH_NOTHING);
	for (size_t i = 0; i < 2; i++) {
		/* the first and the last part have one neighbour each */
		assert_true(shares[i].h2d_bytes == 4 * shares[i].items + 4);
		assert_true(shares[i].d2h_bytes == 4 * shares[i].items);
		assert_ok(predictd_split_bytes(&splitting, &answer, &shares[i], said, 0, &reads[i],
		                               &writes[i]));
		assert_true(reads[i].bytes == shares[i].h2d_bytes && writes[i].bytes == 0);
		assert_ok(predictd_split_bytes(&splitting, &answer, &shares[i], said, 1, &reads[i],
		                               &writes[i]));
		assert_true(reads[i].bytes == 0 && writes[i].bytes == shares[i].d2h_bytes);
		assert_true(writes[i].offset_bytes == 4 * (shares[i].begin - 64));
	}
	assert_true(writes[0].bytes + writes[1].bytes == BYTES);
	assert_int_equal(predictd_split_bytes(&splitting, &answer, shares, said, 2, reads, writes),
	                 PREDICTD_INVALID);
	/* bytes that a share may leave alone have to be there before */
	said[1].is_filled = false;
	assert_ok(predictd_split_bytes(&splitting, &answer, shares, said, 1, reads, writes));
	assert_memory_equal(reads, writes, sizeof *reads);
	/* what the caller says comes first */
	const predictd_split_buffer rows[] = {{0, (size_t)64 * 8}};
	predictd_argument twice[3];
	memcpy(twice, arguments, sizeof twice);
	twice[0].size_bytes *= 2;
	question.arguments = twice;
	splitting.buffers = rows;
	splitting.buffer_count = 1;
	assert_ok(predictd_split(connection, &splitting, shares, &answer));
	assert_true(shares[0].h2d_bytes == 8 * shares[0].items);
	assert_true(shares[0].d2h_bytes == 4 * shares[0].items);
	assert_ok(predictd_split_bytes(&splitting, &answer, shares, said, 0, reads, writes));
	assert_true(reads->bytes == 8 * shares[0].items);
}

/* In place with a halo, more goes to a device than comes back: each way has its bytes. */
static void both_ways_have_their_own_bytes(void **state)
{
	(void)state;
	predictd_argument in_place[3];
	memcpy(in_place, arguments, sizeof in_place);
	in_place[0].access = PREDICTD_READ_WRITE;
	predictd_question question = launch_of(1 << 12);
	question.arguments = in_place;
	question.kernel = "stencil";
	question.with_transfers = true;
	predictd_splitting splitting = splitting_of(&question);
	predictd_share shares[2], again[2];
	predictd_split_answer answer;
	splitting.buffer_count = 0;
	assert_ok(predictd_split(connection, &splitting, shares, &answer));
	for (size_t i = 0; i < 2; i++) {
		/* what is behind the range is in the larger buffer */
		uint64_t halo = shares[i].begin == 0 ? 4 : 8;
		assert_true(shares[i].h2d_bytes == 4 * shares[i].items + halo);
		assert_true(shares[i].d2h_bytes == 8 * shares[i].items);
		assert_close(shares[i].h2d_time_s, 1e-10 * (double)shares[i].h2d_bytes, 1e-6);
		assert_close(shares[i].d2h_time_s, 1e-10 * (double)shares[i].d2h_bytes, 1e-6);
	}
	unsigned asked = fake.asked;
	assert_ok(predictd_split(connection, &splitting, again, &answer));
	assert_int_equal(fake.asked, asked);
	assert_memory_equal(shares, again, sizeof shares);
}

/* A daemon that was started again has analysed the program anew. */
static void a_program_that_is_registered_again_is_asked_about_again(void **state)
{
	(void)state;
	predictd_question question = launch_of(ITEMS);
	question.kernel = "stencil";
	predictd_splitting splitting = splitting_of(&question);
	predictd_share shares[2];
	predictd_split_answer answer;
	splitting.buffer_count = 0;
	assert_ok(predictd_split(connection, &splitting, shares, &answer));
	assert_int_equal(fake.reaches, 2);
	fake_daemon_halt(&fake);
	fake_daemon_restart(&fake);
	assert_ok(predictd_split(connection, &splitting, shares, &answer));
	assert_true(fake.reaches >= 4);
	unsigned reaches = fake.reaches;
	assert_ok(predictd_split(connection, &splitting, shares, &answer));
	assert_int_equal(fake.reaches, reaches);
}

/* What is answered is of the times as they are: a correction is seen by the next split. */
static void what_was_corrected_is_split_anew(void **state)
{
	(void)state;
	predictd_question question = launch_of(ITEMS);
	predictd_splitting splitting = splitting_of(&question);
	predictd_share shares[2];
	predictd_split_answer before, after;
	assert_ok(predictd_split(connection, &splitting, shares, &before));
	fake.scale = 5;
	fake_daemon_raise(&fake);
	assert_ok(predictd_split(connection, &splitting, shares, &after));
	assert_close(after.time_s, 5 * before.time_s, 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        WITH_DAEMON(devices_end_together),
	        WITH_DAEMON(a_split_is_answered_from_memory),
	        WITH_DAEMON(parts_are_sent_and_whole_buffers_are_sent_to_each),
	        WITH_DAEMON(the_last_part_takes_the_rest),
	        WITH_DAEMON(a_range_of_2_to_the_63_is_split),
	        WITH_DAEMON(reasons_say_who_is_left_out),
	        WITH_DAEMON(a_daemon_that_is_away_is_said_once),
	        WITH_DAEMON(what_was_corrected_is_split_anew),
	        WITH_DAEMON(what_a_part_reads_and_writes_is_asked),
	        WITH_DAEMON(both_ways_have_their_own_bytes),
	        WITH_DAEMON(a_program_that_is_registered_again_is_asked_about_again),
	        WITH_DAEMON(what_cannot_be_split_is_refused_by_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
