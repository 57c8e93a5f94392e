/* SPDX-License-Identifier: Apache-2.0 */
/* share.conf, and texts of PostgreSQL's arrays. */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/share/literal.h"
#include "daemon/share/settings.h"

static struct settings settings;
static struct error error;

static enum status load(const char *text)
{
	char path[] = "/tmp/predictd-share-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	(void)close(fd);
	enum status status = settings_load(&settings, path, &error);
	(void)unlink(path);
	return status;
}

static void keys_are_read_over_defaults(void **state)
{
	(void)state;
	assert_int_equal(load("[share]\nserver = service=site sslmode=verify-full\nagreement = 5\n"
	                      "names = yes\noutbox = 64K\n"),
	                 STATUS_OK);
	assert_string_equal(settings.server, "service=site sslmode=verify-full");
	assert_int_equal(settings.agreement, 5);
	assert_int_equal(settings.interval_ms, 500);
	assert_int_equal(settings.outbox, 65536);
	assert_int_equal(load(""), STATUS_OK);
	assert_string_equal(settings.server, "");
}

static void mistakes_are_told_with_their_lines(void **state)
{
	(void)state;
	static const struct {
		const char *text, *says;
	} of[] = {
	        {"[share]\nagreement = 0\n", ":2: [share] agreement: want 1 to 1000, got \"0\""},
	        {"[share]\n\nnames = maybe\n", ":3: [share] names: want yes or no"},
	        {"[share]\ncolour = red\n", ":2: [share] colour: unknown key"},
	        {"[daemon]\nsocket = x\n", ":2: [daemon] socket: want the section [share]"},
	        {"[share]\nserver = host=h password=secret\n",
	         ":2: [share] server: want no password"},
	        {"[share]\nserver = postgresql://u:secret@h/d\n", "want no password here"},
	        {"[share]\nserver = nonsense\n", ":2: [share] server: missing \"=\""},
	        {"[share]\nserver\n", ":2: want \"key = value\""},
	};
	for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
		assert_int_equal(load(of[i].text), STATUS_INVALID);
		assert_non_null(strstr(error.text, of[i].says));
		assert_null(strstr(error.text, "secret"));
	}
	assert_int_equal(settings_load(&settings, "/nonexistent/share.conf", &error),
	                 STATUS_NOT_FOUND);
}

static void elements_are_quoted(void **state)
{
	(void)state;
	struct literal literal;
	literal_init(&literal);
	assert_string_equal(literal_end(&literal), "{}");
	literal_deinit(&literal);
	literal_add_text(&literal, "a\"b\\c,{}");
	literal_add_text(&literal, "");
	literal_add_null(&literal);
	literal_add_number(&literal, INT64_MIN);
	literal_add_bytes(&literal, (const uint8_t *)"\x00\xfe", 2);
	assert_string_equal(literal_end(&literal),
	                    "{\"a\\\"b\\\\c,{}\",\"\",NULL,-9223372036854775808,\"\\\\x00fe\"}");
	literal_deinit(&literal);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(keys_are_read_over_defaults),
	        cmocka_unit_test(mistakes_are_told_with_their_lines),
	        cmocka_unit_test(elements_are_quoted),
	};
	return cmocka_run_group_tests_name("share/settings", tests, NULL, NULL);
}
