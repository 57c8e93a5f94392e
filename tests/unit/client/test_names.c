/* SPDX-License-Identifier: Apache-2.0 */
/* What indices of devices mean on a connection, whatever a restarted daemon gives them to. */
#include "tests/test.h"

#include "client/library/names.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int setup(void **state)
{
	static struct names names;
	names = (struct names){.keys = NULL};
	*state = &names;
	return 0;
}

static int teardown(void **state)
{
	names_deinit(*state);
	return 0;
}

/* What is sent in place of a device. */
static const char *sent(struct names *names, const char *device)
{
	Predictd__Predict body = PREDICTD__PREDICT__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	body.device = (char *)(uintptr_t)device;
	request.body_case = PREDICTD__REQUEST__BODY_PREDICT;
	request.predict = &body;
	names_translate(names, &request);
	return body.device;
}

static void answer(struct names *names, uint32_t index, const char *key)
{
	Predictd__DeviceName name = PREDICTD__DEVICE_NAME__INIT;
	Predictd__Prediction prediction = PREDICTD__PREDICTION__INIT;
	Predictd__PredictReply reply = PREDICTD__PREDICT_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	name.index = index;
	name.key = (char *)(uintptr_t)key;
	prediction.device = key != NULL ? &name : NULL;
	reply.prediction = &prediction;
	response.body_case = PREDICTD__RESPONSE__BODY_PREDICT;
	response.predict = &reply;
	names_learn(names, &response);
}

static void list(struct names *names, uint32_t index, const char *key)
{
	Predictd__Device device = PREDICTD__DEVICE__INIT, *devices[] = {&device};
	Predictd__DevicesReply reply = PREDICTD__DEVICES_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	device.index = index;
	device.key = (char *)(uintptr_t)key;
	reply.devices = devices;
	reply.n_devices = 1;
	response.body_case = PREDICTD__RESPONSE__BODY_DEVICES;
	response.devices = &reply;
	names_learn(names, &response);
}

static void the_first_answer_says_what_an_index_means(void **state)
{
	struct names *names = *state;
	answer(names, 1, "name:b"); /* to a question that named it otherwise */
	assert_string_equal(sent(names, "1"), "1");
	answer(names, 1, NULL); /* of an older daemon */
	assert_string_equal(sent(names, "1"), "1");
	answer(names, 1, "name:a");
	answer(names, 1, "name:b");
	assert_string_equal(sent(names, "1"), "name:a");
	assert_string_equal(sent(names, "01"), "name:a");
	static const char *const others[] = {"",   "0",  "GPU",        "name:b",
	                                     "1 ", "-1", "0000000001", "18446744073709551617"};
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		assert_string_equal(sent(names, others[i]), others[i]);
}

static void a_list_says_it_anew(void **state)
{
	struct names *names = *state;
	list(names, 1, "name:a");
	assert_string_equal(sent(names, "1"), "name:a");
	list(names, 1, "name:b");
	answer(names, 1, "name:a");
	assert_string_equal(sent(names, "1"), "name:b");
	list(names, 1, ""); /* of an older daemon */
	assert_string_equal(sent(names, "1"), "name:b");
}

static void what_is_no_key_is_not_sent(void **state)
{
	struct names *names = *state;
	char longest[200];
	memset(longest, ':', sizeof longest);
	longest[sizeof longest - 1] = '\0';
	const char *const bad[] = {"", "7", "a b:", "name:\n", "name:\xff", longest};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		list(names, 3, bad[i]);
		assert_string_equal(sent(names, "3"), "3");
		answer(names, 3, bad[i]);
		assert_string_equal(sent(names, "3"), "3");
	}
}

/* A request borrows its key: it is the same text for as long as the connection lives. */
static void keys_that_were_sent_stay(void **state)
{
	struct names *names = *state;
	list(names, 1, "name:a");
	const char *first = sent(names, "1");
	for (unsigned i = 0; i < 10000; i++) {
		char key[32];
		(void)snprintf(key, sizeof key, "name:%u", i);
		list(names, 1, key);
		list(names, i, key);
	}
	assert_string_equal(first, "name:a");
	list(names, 1, "name:a");
	assert_ptr_equal(sent(names, "1"), first);
}

static void a_caller_that_makes_indices_up_costs_little(void **state)
{
	struct names *names = *state;
	list(names, 0, "name:a");
	for (unsigned i = 0; i < 100000; i++) {
		char index[16];
		(void)snprintf(index, sizeof index, "%u", i);
		(void)sent(names, index);
	}
	assert_true(names->index_count <= 1024);
	assert_string_equal(sent(names, "0"), "name:a");
	assert_string_equal(sent(names, "99999"), "99999");
}

#define NAMES_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static void keys_stand_in_questions_about_choices_and_pairs(void **state)
{
	struct names *names = *state;
	char *devices[] = {(char *)(uintptr_t)"GPU", (char *)(uintptr_t)"1"};
	Predictd__Choice choice = PREDICTD__CHOICE__INIT;
	Predictd__KeepChoice keep = PREDICTD__KEEP_CHOICE__INIT;
	Predictd__FindChoice find = PREDICTD__FIND_CHOICE__INIT;
	Predictd__Contention contention = PREDICTD__CONTENTION__INIT;
	Predictd__Calibrate calibrate = PREDICTD__CALIBRATE__INIT;
	Predictd__Predict question = PREDICTD__PREDICT__INIT;
	Predictd__FindReaches reaches = PREDICTD__FIND_REACHES__INIT;
	Predictd__FindChoiceReply found = PREDICTD__FIND_CHOICE_REPLY__INIT;
	Predictd__DeviceName name = PREDICTD__DEVICE_NAME__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	keep.choice = find.choice = &choice;
	choice.device = (char *)(uintptr_t)"1";
	request.body_case = PREDICTD__REQUEST__BODY_FIND_CHOICE;
	request.find_choice = &find;
	names_translate(names, &request);
	assert_string_equal(choice.device, "1");
	name.index = 1;
	name.key = (char *)(uintptr_t)"name:b";
	found.device = &name;
	response.body_case = PREDICTD__RESPONSE__BODY_FIND_CHOICE;
	response.find_choice = &found;
	(void)names_learn(names, &response);
	names_translate(names, &request);
	assert_string_equal(choice.device, "name:b");
	choice.device = (char *)(uintptr_t)"1";
	request.body_case = PREDICTD__REQUEST__BODY_KEEP_CHOICE;
	request.keep_choice = &keep;
	names_translate(names, &request);
	assert_string_equal(choice.device, "name:b");
	contention.devices = devices;
	contention.n_devices = 2;
	request.body_case = PREDICTD__REQUEST__BODY_CONTENTION;
	request.contention = &contention;
	names_translate(names, &request);
	assert_string_equal(devices[0], "GPU");
	assert_string_equal(devices[1], "name:b");
	calibrate.device = calibrate.other = (char *)(uintptr_t)"1";
	request.body_case = PREDICTD__REQUEST__BODY_CALIBRATE;
	request.calibrate = &calibrate;
	names_translate(names, &request);
	assert_string_equal(calibrate.device, "name:b");
	assert_string_equal(calibrate.other, "name:b");
	question.device = (char *)(uintptr_t)"1";
	reaches.question = &question;
	request.body_case = PREDICTD__REQUEST__BODY_FIND_REACHES;
	request.find_reaches = &reaches;
	names_translate(names, &request);
	assert_string_equal(question.device, "name:b");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        NAMES_TEST(the_first_answer_says_what_an_index_means),
	        NAMES_TEST(a_list_says_it_anew),
	        NAMES_TEST(what_is_no_key_is_not_sent),
	        NAMES_TEST(keys_that_were_sent_stay),
	        NAMES_TEST(keys_stand_in_questions_about_choices_and_pairs),
	        NAMES_TEST(a_caller_that_makes_indices_up_costs_little),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
