/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests that are wrong, too many or too large: each is refused by a sentence that says what was
 * wanted, and the next one of the same connection is answered.
 */
#include "tests/unit/daemon/fixture.h"

#include "model/frontend/frontend.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MANY = 1025, ID = 40 };

/* A request of one launch of 64 work-items, and everything that it may be made of. */
struct asked {
	uint64_t global;
	Predictd__Launch launch;
	Predictd__Predict predict, *predictions[MANY];
	char *devices[MANY];
	Predictd__Program program;
	Predictd__Header header, *headers[MANY];
	Predictd__RegisterProgram registration;
	Predictd__PredictBatch batch;
	Predictd__Place place;
	Predictd__FindReaches reaches;
	Predictd__History history;
	Predictd__Forget forget;
	Predictd__Import import;
	Predictd__Observation observation, *observations[1];
	Predictd__Observe observe;
	Predictd__ListDevices list;
	Predictd__Calibrate calibrate;
	Predictd__Cancel cancel;
	Predictd__Request request;
};

static uint64_t handle;
static struct asked asked;

static void asked_init(Predictd__Request__BodyCase body)
{
	memset(&asked, 0, sizeof asked);
	asked.global = 64;
	predictd__launch__init(&asked.launch);
	predictd__predict__init(&asked.predict);
	predictd__program__init(&asked.program);
	predictd__header__init(&asked.header);
	predictd__register_program__init(&asked.registration);
	predictd__predict_batch__init(&asked.batch);
	predictd__place__init(&asked.place);
	predictd__find_reaches__init(&asked.reaches);
	predictd__history__init(&asked.history);
	predictd__forget__init(&asked.forget);
	predictd__import__init(&asked.import);
	predictd__observation__init(&asked.observation);
	predictd__observe__init(&asked.observe);
	predictd__list_devices__init(&asked.list);
	predictd__calibrate__init(&asked.calibrate);
	predictd__cancel__init(&asked.cancel);
	predictd__request__init(&asked.request);
	asked.launch.n_global_items = 1;
	asked.launch.global_items = &asked.global;
	asked.predict.handle = handle;
	asked.predict.kernel = (char *)"a";
	asked.predict.device = (char *)"0";
	asked.predict.launch = &asked.launch;
	for (size_t i = 0; i < MANY; i++) {
		asked.predictions[i] = &asked.predict;
		asked.devices[i] = (char *)"0";
		asked.headers[i] = &asked.header;
	}
	asked.program.source = (ProtobufCBinaryData){9, (uint8_t *)(uintptr_t)"kernels z"};
	asked.program.headers = asked.headers;
	asked.registration.program = &asked.program;
	asked.batch.predictions = asked.predictions;
	asked.place.launches = asked.predictions;
	asked.place.n_launches = 1;
	asked.place.devices = asked.devices;
	asked.history.handle = handle;
	asked.history.kernel = (char *)"a";
	asked.history.device = (char *)"0";
	asked.observation.handle = handle;
	asked.observation.kernel = (char *)"a";
	asked.observation.launch = &asked.launch;
	asked.observation.kernel_time_s = 1e-3;
	asked.observations[0] = &asked.observation;
	asked.observe.observations = asked.observations;
	asked.observe.n_observations = 1;
	asked.observe.acknowledge = true;
	asked.calibrate.device = (char *)"0";
	asked.request.id = ID;
	asked.request.body_case = body;
	/* one place for whichever it is */
	asked.request.predict = &asked.predict;
	switch ((int)body) {
	case PREDICTD__REQUEST__BODY_REGISTER_PROGRAM:
		asked.request.register_program = &asked.registration;
		break;
	case PREDICTD__REQUEST__BODY_PREDICT_BATCH:
		asked.request.predict_batch = &asked.batch;
		break;
	case PREDICTD__REQUEST__BODY_PLACE:
		asked.request.place = &asked.place;
		break;
	case PREDICTD__REQUEST__BODY_FIND_REACHES:
		asked.request.find_reaches = &asked.reaches;
		break;
	case PREDICTD__REQUEST__BODY_HISTORY:
		asked.request.history = &asked.history;
		break;
	case PREDICTD__REQUEST__BODY_FORGET:
		asked.request.forget = &asked.forget;
		break;
	case PREDICTD__REQUEST__BODY_IMPORT:
		asked.request.import = &asked.import;
		break;
	case PREDICTD__REQUEST__BODY_OBSERVE:
		asked.request.observe = &asked.observe;
		break;
	case PREDICTD__REQUEST__BODY_LIST_DEVICES:
		asked.request.list_devices = &asked.list;
		break;
	case PREDICTD__REQUEST__BODY_CALIBRATE:
		asked.request.calibrate = &asked.calibrate;
		break;
	case PREDICTD__REQUEST__BODY_CANCEL:
		asked.request.cancel = &asked.cancel;
		break;
	default:
		break;
	}
}

static int start(struct fixture *fixture, const char *config)
{
	fixture_start(fixture, "well", config);
	int fd = fixture_connect(fixture, true);
	Predictd__Response *response = fixture_calibrate(fd, "0");
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_CALIBRATE);
	predictd__response__free_unpacked(response, NULL);
	response = fixture_register(fd, "kernels a b");
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM);
	handle = response->register_program->handle;
	predictd__response__free_unpacked(response, NULL);
	return fd;
}

static void assert_predicted(int fd)
{
	Predictd__Response *response = fixture_predict(fd, handle, "a", "0");
	assert_non_null(response);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_PREDICT);
	predictd__response__free_unpacked(response, NULL);
}

static void ask_refused(int fd, enum status status, const char *part)
{
	assert_refused(fixture_ask(fd, &asked.request), status, part);
}

static void programs_that_cannot_be_are_refused(void **state)
{
	int fd = start(*state, "");
	char *options = calloc(1, FRONTEND_OPTIONS_MAX + 2);
	uint8_t *source = malloc(FRONTEND_SOURCE_MAX + 1);
	assert_non_null(options);
	assert_non_null(source);
	asked_init(PREDICTD__REQUEST__BODY_REGISTER_PROGRAM);
	asked.registration.program = NULL;
	ask_refused(fd, STATUS_INVALID, "the source is empty");
	asked.registration.program = &asked.program;
	asked.program.source.len = 0;
	ask_refused(fd, STATUS_INVALID, "the source is empty");
	memset(source, ' ', FRONTEND_SOURCE_MAX + 1);
	asked.program.source = (ProtobufCBinaryData){FRONTEND_SOURCE_MAX + 1, source};
	ask_refused(fd, STATUS_LIMIT, "source: want at most 16777216 bytes, got 16777217");
	asked_init(PREDICTD__REQUEST__BODY_REGISTER_PROGRAM);
	memset(options, 'x', FRONTEND_OPTIONS_MAX + 1);
	asked.program.options = options;
	ask_refused(fd, STATUS_LIMIT, "options: want at most 16384 bytes, got 16385");
	asked.program.options = (char *)"";
	asked.program.n_headers = FRONTEND_HEADERS_MAX + 1;
	ask_refused(fd, STATUS_LIMIT, "want at most 256 headers, got 257");
	assert_predicted(fd);
	free(options);
	free(source);
	close(fd);
}

static void questions_that_cannot_be_are_refused(void **state)
{
	int fd = start(*state, "");
	asked_init(PREDICTD__REQUEST__BODY_PREDICT);
	asked.predict.model = 99;
	ask_refused(fd, STATUS_INVALID, "model: want less than");
	asked.predict.model = 0;
	asked.launch.n_global_items = 0;
	ask_refused(fd, STATUS_INVALID, "global size: want 1 to 3 sizes, got 0");
	asked_init(PREDICTD__REQUEST__BODY_PREDICT_BATCH);
	asked.batch.n_predictions = MANY;
	ask_refused(fd, STATUS_LIMIT, "batch: want at most 1024, got 1025");
	asked_init(PREDICTD__REQUEST__BODY_PLACE);
	asked.place.n_launches = MANY;
	ask_refused(fd, STATUS_LIMIT, "place: want at most 1024 launches, got 1025");
	asked.place.n_launches = 1;
	asked.place.n_devices = 65;
	ask_refused(fd, STATUS_LIMIT, "place: want at most 64 devices, got 65");
	asked.place.n_devices = 2;
	asked.devices[1] = (char *)"nosuch";
	ask_refused(fd, STATUS_NOT_FOUND, "nosuch");
	asked_init(PREDICTD__REQUEST__BODY_FIND_REACHES);
	ask_refused(fd, STATUS_INVALID, "reaches: want a question, got none");
	asked.reaches.question = &asked.predict;
	asked.reaches.dimension = 3;
	ask_refused(fd, STATUS_INVALID, "dimension: want less than 1, got 3");
	asked.predict.device = (char *)"nosuch";
	ask_refused(fd, STATUS_NOT_FOUND, "nosuch");
	asked_init(PREDICTD__REQUEST__BODY_PREDICT);
	asked.request.id = 0;
	ask_refused(fd, STATUS_INVALID, "request id: want not 0");
	asked.request.id = ID;
	asked.request.body_case = PREDICTD__REQUEST__BODY__NOT_SET;
	ask_refused(fd, STATUS_UNSUPPORTED, "does not know it");
	assert_predicted(fd);
	close(fd);
}

/* ask_refused() looks whether what it is told may be shown. */
static void what_was_quoted_is_text_wherever_it_is_cut(void **state)
{
	int fd = start(*state, "");
	char text[400];
	for (size_t shift = 0; shift < 2; shift++) {
		memset(text, 'x', sizeof text);
		for (size_t i = shift; i + 2 < sizeof text; i += 2)
			memcpy(text + i, "\xc3\xa9", 2);
		text[sizeof text - 2] = '\0';
		asked_init(PREDICTD__REQUEST__BODY_PREDICT);
		asked.predict.device = text;
		ask_refused(fd, STATUS_NOT_FOUND, "device");
		asked.predict.device = (char *)"0";
		asked.predict.kernel = text;
		ask_refused(fd, STATUS_NOT_FOUND, "kernel");
	}
	asked_init(PREDICTD__REQUEST__BODY_PREDICT);
	asked.predict.kernel = (char *)"a\xc2\x9b"
	                               "31m\x1b[0m\x9b";
	ask_refused(fd, STATUS_NOT_FOUND, "kernel \"a??31m?[0m?\"");
	asked.predict.kernel = (char *)"";
	asked.predict.device = (char *)"\xff\nnosuch";
	ask_refused(fd, STATUS_NOT_FOUND, "? nosuch");
	asked_init(PREDICTD__REQUEST__BODY_PREDICT);
	assert_predicted(fd);
	close(fd);
}

static void what_is_to_be_looked_up_or_forgotten_has_to_be_there(void **state)
{
	int fd = start(*state, "");
	char name[5000];
	asked_init(PREDICTD__REQUEST__BODY_HISTORY);
	asked.history.handle++;
	ask_refused(fd, STATUS_UNREGISTERED, "handle is not known");
	asked.history.handle = handle;
	asked.history.kernel = (char *)"nosuch";
	ask_refused(fd, STATUS_NOT_FOUND, "kernel \"nosuch\"");
	asked.history.kernel = (char *)"a";
	asked.history.device = (char *)"nosuch";
	ask_refused(fd, STATUS_NOT_FOUND, "nosuch");
	asked.history.device = (char *)"0";
	asked.history.launch = &asked.launch;
	asked.launch.n_global_items = 0;
	ask_refused(fd, STATUS_INVALID, "global size");

	asked_init(PREDICTD__REQUEST__BODY_FORGET);
	asked.forget.handle = handle + 1;
	ask_refused(fd, STATUS_UNREGISTERED, "handle is not known");
	asked.forget.handle = handle;
	asked.forget.kernel = (char *)"nosuch";
	ask_refused(fd, STATUS_NOT_FOUND, "kernel \"nosuch\"");
	asked.forget.handle = 0;
	memset(name, 'x', sizeof name);
	name[sizeof name - 1] = '\0';
	asked.forget.kernel = name;
	ask_refused(fd, STATUS_NOT_FOUND, "no kernel of such a name");
	asked.forget.kernel = (char *)"";
	asked.forget.device = (char *)"nosuch";
	ask_refused(fd, STATUS_NOT_FOUND, "nosuch");
	asked.forget.device = (char *)"0";
	asked.forget.age_s = (double)INFINITY;
	ask_refused(fd, STATUS_INVALID, "age: want 0 or more seconds");
	close(fd);
}

static uint64_t forgotten(int fd, uint64_t of, const char *kernel, int64_t uid)
{
	asked_init(PREDICTD__REQUEST__BODY_FORGET);
	asked.forget.handle = of;
	asked.forget.kernel = (char *)(uintptr_t)kernel;
	asked.forget.has_uid = uid >= 0;
	asked.forget.uid = uid >= 0 ? (uint32_t)uid : 0;
	Predictd__Response *response = fixture_ask(fd, &asked.request);
	assert_non_null(response);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_FORGET);
	uint64_t count = response->forget->forgotten;
	predictd__response__free_unpacked(response, NULL);
	return count;
}

static void observe(int fd, const char *kernel)
{
	asked_init(PREDICTD__REQUEST__BODY_OBSERVE);
	asked.observation.kernel = (char *)(uintptr_t)kernel;
	Predictd__Response *response = fixture_ask(fd, &asked.request);
	assert_non_null(response);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_OBSERVE);
	assert_int_equal(response->observe->kept, 1);
	predictd__response__free_unpacked(response, NULL);
}

static void forgetting_takes_the_kernels_and_the_user_that_it_names(void **state)
{
	int fd = start(*state, "");
	observe(fd, "a");
	observe(fd, "b");
	assert_int_equal(forgotten(fd, handle, "b", (int64_t)getuid() + 1), 0);
	assert_int_equal(forgotten(fd, handle, "b", (int64_t)getuid()), 1);
	assert_int_equal(forgotten(fd, handle, "b", -1), 0);
	observe(fd, "b");
	assert_int_equal(forgotten(fd, handle, "", -1), 2);
	close(fd);
}

/* Packs an import of a device as it is, with a checksum that is not its. */
static void ask_import(int fd, const Predictd__Calibration *calibration, enum status status,
                       const char *part)
{
	uint8_t bytes[256];
	assert_true(predictd__calibration__get_packed_size(calibration) <= sizeof bytes);
	asked_init(PREDICTD__REQUEST__BODY_IMPORT);
	asked.import.calibration.data = bytes;
	asked.import.calibration.len = predictd__calibration__pack(calibration, bytes);
	ask_refused(fd, status, part);
}

static void calibrations_that_are_none_are_not_imported(void **state)
{
	int fd = start(*state, "");
	uint8_t sum[32] = {0};
	Predictd__Calibration calibration = PREDICTD__CALIBRATION__INIT;
	Predictd__Device device = PREDICTD__DEVICE__INIT;
	calibration.format = 2;
	ask_import(fd, &calibration, STATUS_UNSUPPORTED, "import: format: want 1, got 2");
	calibration.format = 1;
	ask_import(fd, &calibration, STATUS_CORRUPT, "import: not a whole calibration");
	calibration.device = &device;
	ask_import(fd, &calibration, STATUS_CORRUPT, "import: not a whole calibration");
	calibration.sha256 = (ProtobufCBinaryData){sizeof sum, sum};
	ask_import(fd, &calibration, STATUS_CORRUPT, "the checksum is not that of its contents");

	enum { TOO_MANY = (4 << 20) + 1 };
	asked_init(PREDICTD__REQUEST__BODY_IMPORT);
	asked.import.calibration = (ProtobufCBinaryData){TOO_MANY, calloc(1, TOO_MANY)};
	ask_refused(fd, STATUS_LIMIT, "import: want at most 4194304 bytes, got 4194305");
	free(asked.import.calibration.data);
	asked_init(PREDICTD__REQUEST__BODY_IMPORT);
	asked.import.calibration = (ProtobufCBinaryData){3, (uint8_t *)(uintptr_t)"\xff\xff\xff"};
	ask_refused(fd, STATUS_CORRUPT, "import: 3 bytes that are no calibration");
	assert_predicted(fd);
	close(fd);
}

/* With one request that waits, those that would wait, too, are refused, and all others not. */
static void a_connection_has_so_many_requests_that_wait(void **state)
{
	static const Predictd__Request__BodyCase waiting[] = {
	        PREDICTD__REQUEST__BODY_OBSERVE, PREDICTD__REQUEST__BODY_HISTORY,
	        PREDICTD__REQUEST__BODY_FORGET, PREDICTD__REQUEST__BODY_REGISTER_PROGRAM,
	        PREDICTD__REQUEST__BODY_CALIBRATE};
	struct fixture *fixture = *state;
	int fd = start(fixture, "");
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
	fixture_start(fixture, "hang", "requests_per_connection = 1");
	fd = fixture_connect(fixture, true);
	Predictd__Response *response = fixture_register(fd, "kernels a b");
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM);
	handle = response->register_program->handle;
	predictd__response__free_unpacked(response, NULL);
	fixture_send_calibrate(fd, 20, "0");
	predictd__response__free_unpacked(fixture_receive(fd), NULL);
	for (size_t i = 0; i < sizeof waiting / sizeof waiting[0]; i++) {
		asked_init(waiting[i]);
		asked.calibrate.device = (char *)"1";
		ask_refused(fd, STATUS_BUSY, "1 requests of this connection wait");
	}
	assert_predicted(fd);
	asked_init(PREDICTD__REQUEST__BODY_CANCEL);
	asked.cancel.id = 20;
	/* its own answer, and that of what it ended */
	predictd__response__free_unpacked(fixture_ask(fd, &asked.request), NULL);
	predictd__response__free_unpacked(fixture_receive(fd), NULL);
	observe(fd, "a");
	close(fd);
}

static Predictd__Response *ask_in_order(int fd, uint64_t id, bool is_id_last)
{
	uint8_t bytes[512] = {0};
	asked_init(PREDICTD__REQUEST__BODY_PREDICT);
	asked.request.id = is_id_last ? 0 : id;
	size_t size = predictd__request__get_packed_size(&asked.request);
	assert_true(size < sizeof bytes - 16);
	predictd__request__pack(&asked.request, bytes + FRAME_PREFIX_BYTES);
	if (is_id_last) { /* field 1, a varint */
		bytes[FRAME_PREFIX_BYTES + size++] = 0x08;
		bytes[FRAME_PREFIX_BYTES + size++] = (uint8_t)id;
	}
	bytes[0] = (uint8_t)size;
	bytes[1] = (uint8_t)(size >> 8);
	assert_int_equal(write(fd, bytes, FRAME_PREFIX_BYTES + size),
	                 (ssize_t)(FRAME_PREFIX_BYTES + size));
	Predictd__Response *response = fixture_receive(fd);
	assert_non_null(response);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_PREDICT);
	assert_true(response->id == id);
	return response;
}

static void ids_of_any_size_and_place_are_given_back(void **state)
{
	static const uint64_t ids[] = {1, 127, 128, 300, UINT64_C(1) << 35, UINT64_MAX};
	int fd = start(*state, "");
	double first_s = 0;
	for (size_t i = 0; i < 2 * sizeof ids / sizeof ids[0]; i++) {
		Predictd__Response *response = ask_in_order(fd, ids[i / 2], false);
		double time_s = response->predict->prediction->kernel_time_s;
		assert_true(i == 0 || time_s == first_s);
		first_s = time_s;
		predictd__response__free_unpacked(response, NULL);
	}
	predictd__response__free_unpacked(ask_in_order(fd, 100, true), NULL);
	close(fd);
}

/* Asks for devices as often as the socket takes it at once, up to `most`; how often. */
static size_t ask_without_reading(int fd, size_t most)
{
	uint8_t bytes[64] = {0};
	asked_init(PREDICTD__REQUEST__BODY_LIST_DEVICES);
	asked.list.verbose = true;
	size_t size = predictd__request__pack(&asked.request, bytes + FRAME_PREFIX_BYTES);
	bytes[0] = (uint8_t)size;
	size += FRAME_PREFIX_BYTES;
	for (size_t i = 0; i < most; i++) {
		/* what does not fit at once is waited for a little: the daemon may have paused */
		struct pollfd room = {.fd = fd, .events = POLLOUT};
		if (poll(&room, 1, 300) != 1)
			return i;
		ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent < 0)
			return errno == EAGAIN ? i : SIZE_MAX; /* closed */
		assert_int_equal(sent, (ssize_t)size);
	}
	return most;
}

static void clients_that_read_late_get_every_answer(void **state)
{
	int fd = start(*state, "");
	int other = fixture_connect(*state, true);
	size_t count = ask_without_reading(fd, 20000);
	assert_true(count != SIZE_MAX && count > 100);
	assert_predicted(other);
	for (size_t i = 0; i < count; i++) {
		Predictd__Response *response = fixture_receive(fd);
		assert_non_null(response);
		assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_DEVICES);
		predictd__response__free_unpacked(response, NULL);
	}
	assert_predicted(fd);
	close(fd);
	close(other);
}

static void clients_that_never_read_are_disconnected(void **state)
{
	int fd = start(*state, "output_bytes = 65536");
	int other = fixture_connect(*state, true);
	assert_int_equal(ask_without_reading(fd, 100000), SIZE_MAX);
	assert_predicted(other);
	close(fd);
	close(other);
}

static uint64_t analyses_now(int fd)
{
	Predictd__Response *response = fixture_status(fd);
	uint64_t count = response->status->analyses;
	predictd__response__free_unpacked(response, NULL);
	return count;
}

static void sources_that_are_wrong_are_analysed_once(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "well", "analysis_deadline_ms = 400");
	int fd = fixture_connect(fixture, true);
	for (int i = 0; i < 3; i++) {
		assert_refused(fixture_register(fd, "syntax"), STATUS_SYNTAX,
		               "a.cl:1:1: want a kernel");
		assert_int_equal(analyses_now(fd), 1);
	}
	/* another source is not taken for it, nor is one known that was no fault of the source */
	assert_refused(fixture_register(fd, "syntax 2"), STATUS_SYNTAX, "want a kernel");
	assert_int_equal(analyses_now(fd), 2);
	for (uint64_t i = 1; i <= 2; i++) {
		assert_refused(fixture_register(fd, "crash"), STATUS_LIMIT, "gave up");
		assert_refused(fixture_register(fd, "hang"), STATUS_TIMEOUT, "too long");
		assert_int_equal(analyses_now(fd), 2 + 2 * i);
	}
	close(fd);
}

static void a_new_configuration_has_refused_sources_analysed_again(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true);
	assert_refused(fixture_register(fd, "syntax"), STATUS_SYNTAX, "want a kernel");
	assert_int_equal(kill(fixture->pid, SIGHUP), 0);
	for (int i = 0; i < 2000 && analyses_now(fd) == 1; i++) {
		assert_refused(fixture_register(fd, "syntax"), STATUS_SYNTAX, "want a kernel");
		usleep(1000);
	}
	assert_int_equal(analyses_now(fd), 2);
	close(fd);
}

#define REFUSALS_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	        REFUSALS_TEST(programs_that_cannot_be_are_refused),
	        REFUSALS_TEST(questions_that_cannot_be_are_refused),
	        REFUSALS_TEST(what_was_quoted_is_text_wherever_it_is_cut),
	        REFUSALS_TEST(what_is_to_be_looked_up_or_forgotten_has_to_be_there),
	        REFUSALS_TEST(forgetting_takes_the_kernels_and_the_user_that_it_names),
	        REFUSALS_TEST(calibrations_that_are_none_are_not_imported),
	        REFUSALS_TEST(a_connection_has_so_many_requests_that_wait),
	        REFUSALS_TEST(ids_of_any_size_and_place_are_given_back),
	        REFUSALS_TEST(clients_that_read_late_get_every_answer),
	        REFUSALS_TEST(clients_that_never_read_are_disconnected),
	        REFUSALS_TEST(sources_that_are_wrong_are_analysed_once),
	        REFUSALS_TEST(a_new_configuration_has_refused_sources_analysed_again),
	};
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("refusals", tests, NULL, NULL);
}
