/* SPDX-License-Identifier: Apache-2.0 */
/* Epochs: memory that clients can read and nobody else's hand can change. */
#include "tests/unit/daemon/fixture.h"

#include "daemon/state/epoch_limit.h"
#include "daemon/state/epochs.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static struct epochs *new_epochs(void)
{
	struct epochs *epochs = NULL;
	struct error error = {.text = ""};
	if (epochs_new(&epochs, &error) != STATUS_OK)
		fail_msg("%s", error.text);
	return epochs;
}

static const volatile uint64_t *map(int fd, size_t count)
{
	void *bytes = mmap(NULL, count * sizeof(uint64_t), PROT_READ, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(bytes, MAP_FAILED);
	return bytes;
}

static void a_raise_is_seen_through_the_descriptor(void **state)
{
	(void)state;
	struct epochs *epochs = new_epochs();
	const volatile uint64_t *seen = map(epochs_descriptor(epochs), epochs_count(epochs));
	uint32_t one = epochs_slot(epochs, 1, 0, 1000);
	assert_true(one < epochs_count(epochs));
	uint64_t before = epochs_value(epochs, one);
	assert_true(before > 0);
	assert_int_equal(seen[one], before);
	epochs_raise(epochs, one);
	assert_int_equal(seen[one], before + 1);
	assert_int_equal(epochs_slot(epochs, 1, 0, 1000), one);
	epochs_raise_all(epochs);
	assert_int_equal(seen[one], before + 2);
	/* who outlives the daemon asks again */
	epochs_free(epochs);
	assert_int_equal(seen[one], before + 3);
}

static void slots_of_another_daemon_tell_nothing(void **state)
{
	(void)state;
	enum { KERNELS = 64 };
	struct epochs *epochs = new_epochs(), *others = new_epochs();
	unsigned same = 0;
	for (uint64_t kernel = 0; kernel < KERNELS; kernel++)
		same += epochs_slot(epochs, kernel, 0, 1000) ==
		        epochs_slot(others, kernel, 0, 1000);
	/* one in 32768 by chance */
	assert_true(same < KERNELS / 8);
	epochs_free(epochs);
	epochs_free(others);
}

static void kernels_devices_and_users_have_slots_of_their_own(void **state)
{
	(void)state;
	struct epochs *epochs = new_epochs();
	uint32_t one = epochs_slot(epochs, 7, 0, 1000);
	/* by hash: the same for one of these would be chance, for all of them a mistake */
	assert_false(epochs_slot(epochs, 8, 0, 1000) == one &&
	             epochs_slot(epochs, 9, 0, 1000) == one);
	assert_false(epochs_slot(epochs, 7, 1, 1000) == one &&
	             epochs_slot(epochs, 7, 2, 1000) == one);
	assert_false(epochs_slot(epochs, 7, 0, 1001) == one &&
	             epochs_slot(epochs, 7, 0, 1002) == one);
	epochs_free(epochs);
}

static void a_users_or_kernels_answers_are_raised_by_themselves(void **state)
{
	(void)state;
	struct epochs *epochs = new_epochs();
	uint32_t mine = epochs_slot(epochs, 7, 0, 1000), there = epochs_slot(epochs, 7, 1, 1000);
	uint32_t others = epochs_slot(epochs, 7, 0, 1001), other = epochs_slot(epochs, 8, 0, 1002);
	const struct epochs_scope of_user = {
	        .has_device = true, .has_uid = true, .device_index = 0, .uid = 1000};
	const struct epochs_scope of_kernel = {.has_kernel = true, .kernel_hash = 7};
	epochs_raise_scope(epochs, &of_user);
	assert_int_equal(epochs_value(epochs, mine), 2);
	assert_int_equal(epochs_value(epochs, there), 1);
	assert_int_equal(epochs_value(epochs, others), 1);
	assert_int_equal(epochs_slot(epochs, 7, 0, 1000), mine);
	epochs_raise_scope(epochs, &of_kernel);
	assert_int_equal(epochs_value(epochs, mine), 3);
	assert_int_equal(epochs_value(epochs, there), 2);
	assert_int_equal(epochs_value(epochs, others), 2);
	assert_int_equal(epochs_value(epochs, other), 1);
	/* raised, it is nobody's until it is named again */
	epochs_raise_scope(epochs, &of_kernel);
	assert_int_equal(epochs_value(epochs, mine), 3);
	epochs_free(epochs);
}

static void many_moves_within_a_second_cost_others_two_questions(void **state)
{
	(void)state;
	struct epochs *epochs = new_epochs();
	struct epoch_limit limit;
	uv_loop_t loop;
	assert_int_equal(uv_loop_init(&loop), 0);
	epoch_limit_init(&limit, epochs, &loop);
	uint32_t slot = epochs_slot(epochs, 7, 0, 1000), other = epochs_slot(epochs, 9, 1, 1000);
	for (unsigned i = 0; i < 1000; i++) {
		const struct epochs_scope scope = {
		        .has_device = true, .has_kernel = i % 2 == 1, .kernel_hash = i};
		epoch_limit_add(&limit, &scope);
		assert_int_equal(epochs_slot(epochs, 7, 0, 1000), slot);
	}
	assert_int_equal(epochs_value(epochs, slot), 2);
	assert_int_equal(epochs_value(epochs, other), 1);
	while (epochs_value(epochs, slot) == 2)
		(void)uv_run(&loop, UV_RUN_ONCE);
	assert_int_equal(epochs_value(epochs, slot), 3);
	epoch_limit_stop(&limit);
	(void)uv_run(&loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&loop), 0);
	epochs_free(epochs);
}

static void the_memory_can_be_read_and_not_written(void **state)
{
	(void)state;
	struct epochs *epochs = new_epochs();
	int fd = epochs_descriptor(epochs);
	size_t size = epochs_count(epochs) * sizeof(uint64_t);
	assert_ptr_equal(mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), MAP_FAILED);
	void *bytes = (void *)(uintptr_t)map(fd, epochs_count(epochs));
	assert_int_not_equal(mprotect(bytes, size, PROT_READ | PROT_WRITE), 0);
	assert_int_equal(write(fd, "x", 1), -1);
	assert_int_not_equal(ftruncate(fd, 0), 0);
	assert_int_not_equal(ftruncate(fd, 1 << 30), 0);
	assert_int_not_equal(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096), 0);
	assert_int_not_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), 0);
	/* the daemon still can */
	uint32_t slot = epochs_slot(epochs, 1, 0, 0);
	epochs_raise(epochs, slot);
	assert_int_equal(((const uint64_t *)bytes)[slot], epochs_value(epochs, slot));
	epochs_free(epochs);
	(void)munmap(bytes, size);
}

static void send_watch(int fd, uint64_t id)
{
	Predictd__WatchEpochs watch = PREDICTD__WATCH_EPOCHS__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	request.id = id;
	request.body_case = PREDICTD__REQUEST__BODY_WATCH_EPOCHS;
	request.watch_epochs = &watch;
	fixture_send(fd, &request);
}

/* Reads until `count` whole frames have come; the one descriptor among them. */
static int receive_descriptor(int socket, uint8_t *bytes, size_t room, size_t count, size_t *used)
{
	int passed = -1;
	size_t whole = 0, begin = 0;
	*used = 0;
	while (whole < count) {
		union {
			struct cmsghdr header;
			char bytes[CMSG_SPACE(4 * sizeof(int))];
		} control;
		struct iovec part = {bytes + *used, room - *used};
		struct msghdr message = {.msg_iov = &part,
		                         .msg_iovlen = 1,
		                         .msg_control = control.bytes,
		                         .msg_controllen = sizeof control.bytes};
		ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
		assert_true(got > 0);
		*used += (size_t)got;
		struct cmsghdr *header = CMSG_FIRSTHDR(&message);
		if (header != NULL) {
			assert_int_equal(header->cmsg_type, SCM_RIGHTS);
			assert_int_equal(header->cmsg_len, CMSG_LEN(sizeof passed));
			assert_int_equal(passed, -1);
			memcpy(&passed, CMSG_DATA(header), sizeof passed);
		}
		while (*used - begin >= FRAME_PREFIX_BYTES) {
			size_t size = (size_t)bytes[begin] | (size_t)bytes[begin + 1] << 8;
			if (*used - begin - FRAME_PREFIX_BYTES < size)
				break;
			begin += FRAME_PREFIX_BYTES + size;
			whole++;
		}
	}
	return passed;
}

/* The memory of the daemon behind `socket`; *slots of it. */
static const volatile uint64_t *watch(int socket, size_t *slots)
{
	uint8_t bytes[256];
	size_t used;
	send_watch(socket, 50);
	int passed = receive_descriptor(socket, bytes, sizeof bytes, 1, &used);
	assert_true(passed >= 0);
	Predictd__Response *response = predictd__response__unpack(NULL, used - FRAME_PREFIX_BYTES,
	                                                          bytes + FRAME_PREFIX_BYTES);
	assert_non_null(response);
	assert_int_equal(response->id, 50);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_WATCH_EPOCHS);
	*slots = response->watch_epochs->slots;
	assert_int_equal(response->watch_epochs->size_bytes, *slots * sizeof(uint64_t));
	predictd__response__free_unpacked(response, NULL);
	const volatile uint64_t *seen = map(passed, *slots);
	close(passed);
	return seen;
}

static void ask(int fd, uint64_t handle, uint32_t *slot, uint64_t *value)
{
	Predictd__Response *response = fixture_predict(fd, handle, "a", "0");
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_PREDICT);
	*slot = response->predict->prediction->epoch_slot;
	*value = response->predict->prediction->epoch_value;
	predictd__response__free_unpacked(response, NULL);
}

static void an_answer_stands_until_the_device_is_calibrated_anew(void **state)
{
	struct fixture *fixture = *state;
	size_t slots;
	uint32_t slot, again;
	uint64_t value, repeated, after;
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true), other = fixture_connect(fixture, true);
	const volatile uint64_t *seen = watch(fd, &slots);
	fixture_calibrate_well(fd);
	Predictd__Response *response = fixture_register(fd, "kernels a");
	uint64_t handle = response->register_program->handle;
	predictd__response__free_unpacked(response, NULL);
	ask(fd, handle, &slot, &value);
	assert_true(slot < slots && value > 0);
	assert_int_equal(seen[slot], value);
	ask(fd, handle, &again, &repeated); /* from the daemon's memo */
	assert_int_equal(again, slot);
	assert_int_equal(repeated, value);
	fixture_calibrate_well(other);
	assert_true(seen[slot] > value); /* before its caller hears of it */
	ask(fd, handle, &again, &after);
	assert_int_equal(again, slot);
	assert_int_equal(after, seen[slot]);
	close(fd);
	close(other);
}

/* Asks what is refused with that status; the epoch that the refusal stands with. */
static uint64_t ask_refused(int fd, uint64_t handle, const char *kernel, const char *device,
                            enum status status, uint32_t *slot)
{
	Predictd__Response *response = fixture_predict(fd, handle, kernel, device);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_ERROR);
	assert_int_equal(response->error->status, status);
	assert_true(response->error->text[0] != '\0');
	uint64_t value = response->error->epoch_value;
	*slot = response->error->epoch_slot;
	predictd__response__free_unpacked(response, NULL);
	return value;
}

static void a_refusal_stands_until_a_device_is_calibrated(void **state)
{
	struct fixture *fixture = *state;
	size_t slots;
	uint32_t slot, again;
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true), other = fixture_connect(fixture, true);
	const volatile uint64_t *seen = watch(fd, &slots);
	uint64_t handle = fixture_register_well(fd, "kernels a");
	uint64_t value = ask_refused(fd, handle, "a", "0", STATUS_UNCALIBRATED, &slot);
	assert_true(slot < slots && value > 0);
	for (unsigned i = 0; i < 3; i++) { /* from the daemon's memo, and counted */
		assert_int_equal(ask_refused(fd, handle, "a", "0", STATUS_UNCALIBRATED, &again),
		                 value);
		assert_int_equal(again, slot);
	}
	Predictd__Response *response = fixture_status(other);
	assert_int_equal(response->status->refused, 4);
	assert_int_equal(response->status->predictions, 0);
	predictd__response__free_unpacked(response, NULL);
	assert_int_equal(ask_refused(fd, handle, "b", "0", STATUS_NOT_FOUND, &again), value);
	assert_int_equal(ask_refused(fd, handle, "a", "none", STATUS_NOT_FOUND, &again), value);
	/* which may pass by itself: it is registered again */
	assert_int_equal(ask_refused(fd, handle + 1, "a", "0", STATUS_UNREGISTERED, &again), 0);
	fixture_calibrate_well(other);
	assert_true(seen[slot] > value); /* before its caller hears of it */
	response = fixture_predict(fd, handle, "a", "0");
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_PREDICT);
	predictd__response__free_unpacked(response, NULL);
	close(fd);
	close(other);
}

static void the_descriptor_comes_in_its_turn_among_pipelined_requests(void **state)
{
	struct fixture *fixture = *state;
	uint8_t bytes[8192];
	size_t used, begin = 0;
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true);
	Predictd__Status status = PREDICTD__STATUS__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	request.body_case = PREDICTD__REQUEST__BODY_STATUS;
	request.status = &status;
	request.id = 71;
	fixture_send(fd, &request);
	send_watch(fd, 72);
	request.id = 73;
	fixture_send(fd, &request);
	int passed = receive_descriptor(fd, bytes, sizeof bytes, 3, &used);
	assert_true(passed >= 0);
	close(passed);
	for (uint64_t id = 71; id <= 73; id++) {
		size_t size = (size_t)bytes[begin] | (size_t)bytes[begin + 1] << 8;
		Predictd__Response *response =
		        predictd__response__unpack(NULL, size, bytes + begin + FRAME_PREFIX_BYTES);
		assert_non_null(response);
		assert_int_equal(response->id, id);
		begin += FRAME_PREFIX_BYTES + size;
		predictd__response__free_unpacked(response, NULL);
	}
	close(fd);
}

static void a_client_that_reads_nothing_is_told_to_read_first(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true);
	Predictd__ListDevices list = PREDICTD__LIST_DEVICES__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	list.verbose = true;
	request.body_case = PREDICTD__REQUEST__BODY_LIST_DEVICES;
	request.list_devices = &list;
	enum { UNREAD = 100 /* fewer than a socket has room for */ };
	for (request.id = 100; request.id < 100 + UNREAD; request.id++)
		fixture_send(fd, &request);
	send_watch(fd, 99);
	bool is_passed = true;
	for (unsigned i = 0; i < UNREAD + 1; i++) {
		Predictd__Response *response = fixture_receive(fd);
		assert_non_null(response);
		/* whether its socket was full then is the kernel's affair */
		if (response->id == 99 && response->body_case == PREDICTD__RESPONSE__BODY_ERROR) {
			assert_int_equal(response->error->status, STATUS_BUSY);
			is_passed = false;
		}
		predictd__response__free_unpacked(response, NULL);
	}
	size_t slots = 1;
	if (!is_passed)
		(void)watch(fd, &slots);
	assert_true(slots > 0);
	close(fd);
}

static void the_descriptor_is_passed_once_to_a_connection(void **state)
{
	struct fixture *fixture = *state;
	size_t slots;
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true), other = fixture_connect(fixture, true);
	(void)watch(fd, &slots);
	send_watch(fd, 51);
	Predictd__Response *response = fixture_receive(fd);
	assert_non_null(response);
	assert_int_equal(response->id, 51);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_ERROR);
	assert_int_equal(response->error->status, STATUS_LIMIT);
	predictd__response__free_unpacked(response, NULL);
	(void)watch(other, &slots);
	close(fd);
	close(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_raise_is_seen_through_the_descriptor),
	        cmocka_unit_test(slots_of_another_daemon_tell_nothing),
	        cmocka_unit_test(kernels_devices_and_users_have_slots_of_their_own),
	        cmocka_unit_test(a_users_or_kernels_answers_are_raised_by_themselves),
	        cmocka_unit_test(many_moves_within_a_second_cost_others_two_questions),
	        cmocka_unit_test(the_memory_can_be_read_and_not_written),
	        cmocka_unit_test_setup_teardown(a_refusal_stands_until_a_device_is_calibrated,
	                                        fixture_setup, fixture_teardown),
	        cmocka_unit_test_setup_teardown(
	                an_answer_stands_until_the_device_is_calibrated_anew, fixture_setup,
	                fixture_teardown),
	        cmocka_unit_test_setup_teardown(
	                the_descriptor_comes_in_its_turn_among_pipelined_requests, fixture_setup,
	                fixture_teardown),
	        cmocka_unit_test_setup_teardown(a_client_that_reads_nothing_is_told_to_read_first,
	                                        fixture_setup, fixture_teardown),
	        cmocka_unit_test_setup_teardown(the_descriptor_is_passed_once_to_a_connection,
	                                        fixture_setup, fixture_teardown),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("epochs", tests, NULL, NULL);
}
