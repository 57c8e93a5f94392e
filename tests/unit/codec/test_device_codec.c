/* SPDX-License-Identifier: Apache-2.0 */
/* Devices as messages and back: their languages, their doubts, and what is neither. */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/codec/device_codec.h"
#include "daemon/codec/language.h"

static struct device device, again; /* large */

static int fill(void **state)
{
	const struct language_macro macro = {"__OPENCL_C_VERSION__", "120"};
	const struct language_standard standard = {"", false, &macro, 1};
	const struct language_answers answers = {
	        .origin = LANGUAGE_ASKED, .standards = &standard, .standard_count = 1};
	struct error error;
	(void)state;
	memset(&device, 0, sizeof device);
	memset(&again, 0, sizeof again);
	strcpy(device.vendor, "Acme");
	strcpy(device.name, "Rocket 9");
	device.compute_units = 4;
	device.max_group_items = 1024;
	for (unsigned d = 0; d < 3; d++)
		device.max_item_sizes[d] = 1024;
	strcpy(device.doubts, "a way of 512 bytes\na launch of 8 us");
	return language_pack(&answers, &device, &error) == STATUS_OK ? 0 : 1;
}

/* What is wrong with a message, of which one field was bent. */
static void assert_refused(Predictd__Device *message, const char *says)
{
	struct error error = {.text = ""};
	strcpy(again.name, "as before");
	assert_int_equal(device_decode(message, &again, &error), STATUS_CORRUPT);
	if (strstr(error.text, says) == NULL)
		fail_msg("want \"%s\", got \"%s\"", says, error.text);
	assert_string_equal(again.name, "as before");
}

static void a_language_and_doubts_come_back_as_they_were(void **state)
{
	struct error error = {.text = ""};
	(void)state;
	Predictd__Device *message = device_encode(&device, true);
	assert_non_null(message);
	assert_int_equal(message->n_doubts, 2);
	assert_string_equal(message->doubts[0], "a way of 512 bytes");
	if (device_decode(message, &again, &error) != STATUS_OK)
		fail_msg("%s", error.text);
	assert_memory_equal(&again, &device, sizeof device);
	predictd__device__free_unpacked(message, NULL);

	/* a device in short has its doubts, for people, and no language */
	message = device_encode(&device, false);
	assert_non_null(message);
	assert_int_equal(message->n_doubts, 2);
	assert_int_equal(message->language.len, 0);
	predictd__device__free_unpacked(message, NULL);
}

static void doubts_that_are_no_sentences_are_refused(void **state)
{
	char *line, many[DEVICE_DOUBTS_MAX + 1];
	(void)state;
	Predictd__Device *message = device_encode(&device, true);
	assert_non_null(message);
	line = message->doubts[1];
	message->doubts[1] = (char *)(uintptr_t)"two\nlines";
	assert_refused(message, "device: doubts: byte 3 is a control character");
	memset(many, 'x', DEVICE_DOUBTS_MAX);
	many[DEVICE_DOUBTS_MAX] = '\0';
	message->doubts[1] = many;
	assert_refused(message, "device: doubts: want at most 1022 bytes");
	message->doubts[1] = line;
	predictd__device__free_unpacked(message, NULL);
}

static void languages_that_are_none_are_refused(void **state)
{
	static uint8_t large[DEVICE_LANGUAGE_MAX + 1];
	(void)state;
	Predictd__Device *message = device_encode(&device, true);
	assert_non_null(message);
	const ProtobufCBinaryData whole = message->language;
	message->language = (ProtobufCBinaryData){sizeof large, large};
	assert_refused(message, "device: language: want at most 16384 bytes, got 16385");
	message->language = (ProtobufCBinaryData){3, (uint8_t *)(uintptr_t)"\xff\xff\xff"};
	assert_refused(message, "language: 3 bytes that are no message");
	message->language = (ProtobufCBinaryData){2, (uint8_t *)(uintptr_t)"\x08\x09"};
	assert_refused(message, "language: unknown origin 9");
	message->language = whole;
	predictd__device__free_unpacked(message, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup(a_language_and_doubts_come_back_as_they_were, fill),
	        cmocka_unit_test_setup(doubts_that_are_no_sentences_are_refused, fill),
	        cmocka_unit_test_setup(languages_that_are_none_are_refused, fill),
	};
	return cmocka_run_group_tests_name("device_codec", tests, NULL, NULL);
}
