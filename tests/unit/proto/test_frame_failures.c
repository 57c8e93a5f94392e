/* SPDX-License-Identifier: Apache-2.0 */
/* Frames over a descriptor that is interrupted, not ready or broken, and without memory. */
#include "tests/test.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proto/frame.h"
#include "proto/predictd.pb-c.h"

enum which { WRITE, READ, POLL, ALLOCATE, WHICH_COUNT };

/* The next call of a kind fails with that errno; 0: none does. */
static int failure[WHICH_COUNT];

static bool fails(enum which which)
{
	errno = failure[which];
	failure[which] = 0;
	return errno != 0;
}

ssize_t __real_write(int fd, const void *bytes, size_t size);
ssize_t __wrap_write(int fd, const void *bytes, size_t size);
ssize_t __wrap_write(int fd, const void *bytes, size_t size)
{
	/* a byte at a time, as a socket that is nearly full takes them */
	return fails(WRITE) ? -1 : __real_write(fd, bytes, size > 0 ? 1 : 0);
}

ssize_t __real_read(int fd, void *bytes, size_t size);
ssize_t __wrap_read(int fd, void *bytes, size_t size);
ssize_t __wrap_read(int fd, void *bytes, size_t size)
{
	return fails(READ) ? -1 : __real_read(fd, bytes, size);
}

int __real_poll(struct pollfd *watched, nfds_t count, int timeout_ms);
int __wrap_poll(struct pollfd *watched, nfds_t count, int timeout_ms);
int __wrap_poll(struct pollfd *watched, nfds_t count, int timeout_ms)
{
	return fails(POLL) ? -1 : __real_poll(watched, count, timeout_ms);
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
	return fails(ALLOCATE) ? NULL : __real_malloc(size);
}

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size)
{
	return fails(ALLOCATE) ? NULL : __real_realloc(old, size);
}

static const Predictd__Hello hello = {.base = {.descriptor = &predictd__hello__descriptor},
                                      .client = (char *)"test"};

static int ends[2];

static int setup(void **state)
{
	(void)state;
	memset(failure, 0, sizeof failure);
	return socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
}

static int teardown(void **state)
{
	(void)state;
	close(ends[0]);
	close(ends[1]);
	return 0;
}

static void what_passes_is_tried_again(void **state)
{
	static const struct {
		enum which which;
		int code;
	} passing[] = {
	        {WRITE, EINTR}, {WRITE, EAGAIN}, {READ, EINTR}, {READ, EAGAIN}, {POLL, EINTR}};
	(void)state;
	for (size_t i = 0; i < sizeof passing / sizeof passing[0]; i++) {
		uint8_t *bytes = NULL;
		size_t size = 0;
		if (passing[i].which == WRITE)
			failure[WRITE] = passing[i].code;
		assert_int_equal(frame_write(ends[0], &hello.base), 0);
		failure[passing[i].which] = passing[i].code;
		assert_int_equal(frame_read(ends[1], 1024, 10000, &bytes, &size), 0);
		failure[WRITE] = 0;
		Predictd__Hello *got = predictd__hello__unpack(NULL, size, bytes);
		assert_non_null(got);
		assert_string_equal(got->client, "test");
		predictd__hello__free_unpacked(got, NULL);
		free(bytes);
	}
}

static void what_does_not_pass_is_told(void **state)
{
	uint8_t *bytes = NULL;
	size_t size = 0;
	(void)state;
	failure[WRITE] = ECONNRESET;
	assert_int_equal(frame_write(ends[0], &hello.base), ECONNRESET);
	failure[POLL] = EBADF;
	assert_int_equal(frame_read(ends[1], 1024, 10000, &bytes, &size), EBADF);
	assert_int_equal(frame_write(ends[0], &hello.base), 0);
	failure[READ] = ECONNRESET;
	assert_int_equal(frame_read(ends[1], 1024, 10000, &bytes, &size), ECONNRESET);
	assert_null(bytes);
}

static void a_body_that_does_not_come_is_told(void **state)
{
	uint8_t *bytes = NULL;
	size_t size = 0;
	(void)state;
	assert_int_equal(send(ends[0], "\5\0\0\0ab", 6, 0), 6);
	assert_int_equal(frame_read(ends[1], 1024, 20, &bytes, &size), ETIMEDOUT);
	assert_int_equal(frame_read(ends[1], 1024, 0, &bytes, &size), ETIMEDOUT);
	assert_int_equal(send(ends[0], "\1\0\0\200", 4, 0), 4);
	/* no frame is so long, whatever the limit */
	assert_int_equal(frame_read(ends[1], SIZE_MAX, 1000, &bytes, &size), EMSGSIZE);
	assert_int_equal(send(ends[0], "\0\0\0\0", 4, 0), 4);
	assert_int_equal(frame_read(ends[1], 0, INT32_MAX, &bytes, &size), 0);
	assert_int_equal(size, 0);
	free(bytes);
}

static void without_memory_nothing_is_packed_kept_or_read(void **state)
{
	struct frame_reader reader;
	uint8_t *bytes = NULL;
	size_t size = 0;
	(void)state;
	failure[ALLOCATE] = ENOMEM;
	assert_false(frame_pack(&hello.base, &bytes, &size));
	failure[ALLOCATE] = ENOMEM;
	assert_int_equal(frame_write(ends[0], &hello.base), EMSGSIZE);
	assert_int_equal(frame_write(ends[0], &hello.base), 0);
	failure[ALLOCATE] = ENOMEM;
	assert_int_equal(frame_read(ends[1], 1024, 1000, &bytes, &size), ENOMEM);
	frame_reader_init(&reader, 1024);
	failure[ALLOCATE] = ENOMEM;
	assert_false(frame_reader_feed(&reader, "abc", 3));
	assert_true(frame_reader_feed(&reader, "abc", 3));
	frame_reader_deinit(&reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(what_passes_is_tried_again, setup, teardown),
	        cmocka_unit_test_setup_teardown(what_does_not_pass_is_told, setup, teardown),
	        cmocka_unit_test_setup_teardown(a_body_that_does_not_come_is_told, setup, teardown),
	        cmocka_unit_test_setup_teardown(without_memory_nothing_is_packed_kept_or_read,
	                                        setup, teardown),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("frame failures", tests, NULL, NULL);
}
