/* SPDX-License-Identifier: Apache-2.0 */
/* Framing: bytes in any pieces, lengths that lie, ends in the midst. */
#include "tests/test.h"

#include "proto/frame.h"
#include "proto/predictd.pb-c.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void pack_hello(char *client, uint8_t **bytes, size_t *size)
{
	Predictd__Hello hello = PREDICTD__HELLO__INIT;
	hello.protocol = 1;
	hello.client = client;
	assert_true(frame_pack(&hello.base, bytes, size));
}

static void assert_hello(const uint8_t *message, size_t size, const char *client)
{
	Predictd__Hello *hello = predictd__hello__unpack(NULL, size, message);
	assert_non_null(hello);
	assert_string_equal(hello->client, client);
	predictd__hello__free_unpacked(hello, NULL);
}

static void messages_split_at_every_byte_arrive_whole(void **state)
{
	(void)state;
	uint8_t *one, *two, both[256];
	size_t one_size, two_size;
	pack_hello("first", &one, &one_size);
	pack_hello("second one", &two, &two_size);
	memcpy(both, one, one_size);
	memcpy(both + one_size, two, two_size);
	for (size_t split = 0; split <= one_size + two_size; split++) {
		struct frame_reader reader;
		const uint8_t *message;
		size_t size, seen = 0;
		frame_reader_init(&reader, 1 << 16);
		const size_t ends[] = {split, one_size + two_size};
		for (size_t part = 0, from = 0; part < 2; from = ends[part++]) {
			assert_true(frame_reader_feed(&reader, both + from, ends[part] - from));
			while (frame_reader_next(&reader, &message, &size) == FRAME_READY)
				assert_hello(message, size, seen++ == 0 ? "first" : "second one");
		}
		assert_int_equal(seen, 2);
		frame_reader_deinit(&reader);
	}
	free(one);
	free(two);
}

static void single_bytes_arrive_whole(void **state)
{
	(void)state;
	struct frame_reader reader;
	const uint8_t *message;
	uint8_t *bytes;
	size_t size, message_size;
	pack_hello("slowly", &bytes, &size);
	frame_reader_init(&reader, 1 << 16);
	for (size_t i = 0; i < size; i++) {
		assert_int_equal(frame_reader_next(&reader, &message, &message_size), FRAME_NONE);
		assert_true(frame_reader_feed(&reader, bytes + i, 1));
	}
	assert_int_equal(frame_reader_next(&reader, &message, &message_size), FRAME_READY);
	assert_hello(message, message_size, "slowly");
	frame_reader_deinit(&reader);
	free(bytes);
}

static void empty_messages_are_messages(void **state)
{
	(void)state;
	struct frame_reader reader;
	const uint8_t *message;
	size_t size = 1;
	frame_reader_init(&reader, 16);
	assert_true(frame_reader_feed(&reader, "\0\0\0\0", 4));
	assert_int_equal(frame_reader_next(&reader, &message, &size), FRAME_READY);
	assert_int_equal(size, 0);
	assert_int_equal(frame_reader_next(&reader, &message, &size), FRAME_NONE);
	frame_reader_deinit(&reader);
}

static void announced_lengths_over_the_limit_are_refused_before_they_are_kept(void **state)
{
	(void)state;
	static const char *const prefixes[] = {"\xff\xff\xff\xff", "\x00\x00\x00\x80",
	                                       "\x11\x00\x00\x00"};
	for (size_t i = 0; i < 3; i++) {
		struct frame_reader reader;
		const uint8_t *message;
		size_t size;
		frame_reader_init(&reader, 16);
		assert_true(frame_reader_feed(&reader, prefixes[i], 4));
		assert_int_equal(frame_reader_next(&reader, &message, &size), FRAME_TOO_LONG);
		assert_true(reader.room <= 4096);
		frame_reader_deinit(&reader);
	}
}

static void limits_are_never_over_what_a_frame_may_have(void **state)
{
	(void)state;
	struct frame_reader reader;
	frame_reader_init(&reader, SIZE_MAX);
	assert_int_equal(reader.limit, FRAME_BYTES_MAX);
	frame_reader_deinit(&reader);
}

static void messages_over_the_limit_are_not_packed(void **state)
{
	(void)state;
	Predictd__Import import = PREDICTD__IMPORT__INIT;
	uint8_t *bytes;
	size_t size;
	import.calibration.len = FRAME_BYTES_MAX;
	import.calibration.data = calloc(1, FRAME_BYTES_MAX);
	assert_non_null(import.calibration.data);
	assert_false(frame_pack(&import.base, &bytes, &size));
	free(import.calibration.data);
}

struct ends {
	int mine, theirs;
};

static struct ends make_ends(void)
{
	int pair[2];
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	return (struct ends){pair[0], pair[1]};
}

static void blocking_reads_tell_ends_apart(void **state)
{
	(void)state;
	uint8_t *bytes;
	size_t size;
	struct ends ends = make_ends();
	Predictd__Hello hello = PREDICTD__HELLO__INIT;
	hello.client = "blocking";
	assert_int_equal(frame_write(ends.theirs, &hello.base), 0);
	assert_int_equal(frame_read(ends.mine, 1024, -1, &bytes, &size), 0);
	assert_hello(bytes, size, "blocking");
	free(bytes);
	assert_int_equal(frame_read(ends.mine, 1024, 10, &bytes, &size), ETIMEDOUT);
	assert_int_equal(write(ends.theirs, "\x05\0\0\0abc", 7), 7);
	close(ends.theirs);
	assert_int_equal(frame_read(ends.mine, 1024, -1, &bytes, &size), EPROTO);
	close(ends.mine);

	ends = make_ends();
	close(ends.theirs);
	assert_int_equal(frame_read(ends.mine, 1024, -1, &bytes, &size), EPIPE);
	close(ends.mine);

	ends = make_ends();
	assert_int_equal(write(ends.theirs, "\x01\x04\0\0", 4), 4);
	assert_int_equal(frame_read(ends.mine, 1024, -1, &bytes, &size), EMSGSIZE);
	close(ends.mine);
	close(ends.theirs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(messages_split_at_every_byte_arrive_whole),
	        cmocka_unit_test(single_bytes_arrive_whole),
	        cmocka_unit_test(empty_messages_are_messages),
	        cmocka_unit_test(announced_lengths_over_the_limit_are_refused_before_they_are_kept),
	        cmocka_unit_test(limits_are_never_over_what_a_frame_may_have),
	        cmocka_unit_test(messages_over_the_limit_are_not_packed),
	        cmocka_unit_test(blocking_reads_tell_ends_apart),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("frame", tests, NULL, NULL);
}
