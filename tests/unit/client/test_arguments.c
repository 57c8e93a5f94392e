/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar of --arg, --global and --hint. */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/predictctl/arguments.h"
#include "model/ir/image.h"

static predictd_argument parsed(const char *text)
{
	predictd_argument argument;
	struct complaint why = {""};
	if (!argument_parse(text, &argument, &why))
		fail_msg("%s: %s", text, why.text);
	return argument;
}

static void assert_refused(const char *text, const char *part)
{
	predictd_argument argument;
	struct complaint why = {""};
	if (argument_parse(text, &argument, &why))
		fail_msg("%s was taken", text);
	if (strstr(why.text, part) == NULL)
		fail_msg("%s: '%s' lacks '%s'", text, why.text, part);
}

static void sizes_have_binary_suffixes(void **state)
{
	(void)state;
	struct complaint why;
	uint64_t size;
	assert_true(size_parse("4096", &size, &why));
	assert_int_equal(size, 4096);
	assert_true(size_parse("16K", &size, &why));
	assert_int_equal(size, 16384);
	assert_true(size_parse("3M", &size, &why));
	assert_int_equal(size, 3 << 20);
	assert_true(size_parse("2G", &size, &why));
	assert_int_equal(size, UINT64_C(2) << 30);
	assert_true(size_parse("18446744073709551615", &size, &why));
	assert_true(size == UINT64_MAX);
}

static void sizes_that_are_none_are_refused(void **state)
{
	(void)state;
	static const char *const bad[] = {"",
	                                  "-1",
	                                  "K",
	                                  "1.5K",
	                                  "1KB",
	                                  "1T",
	                                  " 1",
	                                  "0x10",
	                                  "1 K",
	                                  "18446744073709551616",
	                                  "17179869184G"};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct complaint why;
		uint64_t size = 7;
		if (size_parse(bad[i], &size, &why))
			fail_msg("'%s' was taken", bad[i]);
		assert_int_equal(size, 7);
		bool is_large = strlen(bad[i]) > 11;
		assert_true((strstr(why.text, "64 bits") != NULL) == is_large);
	}
}

static void a_launch_has_one_to_three_sizes(void **state)
{
	(void)state;
	struct complaint why;
	uint64_t sizes[3];
	uint32_t count;
	assert_true(sizes_parse("1K", sizes, &count, &why));
	assert_int_equal(count, 1);
	assert_true(sizes_parse("1,2,3", sizes, &count, &why));
	assert_int_equal(count, 3);
	assert_int_equal(sizes[2], 3);
	assert_false(sizes_parse("1,2,3,4", sizes, &count, &why));
	assert_false(sizes_parse("", sizes, &count, &why));
	assert_false(sizes_parse("1,", sizes, &count, &why));
	assert_false(sizes_parse("0", sizes, &count, &why));
}

static void buffers_have_access_and_range(void **state)
{
	(void)state;
	predictd_argument one = parsed("buffer:16K");
	assert_int_equal(one.kind, PREDICTD_BUFFER);
	assert_int_equal(one.size_bytes, 16384);
	assert_int_equal(one.access, PREDICTD_READ_WRITE);
	assert_false(one.has_range);
	one = parsed("buffer:4:r");
	assert_int_equal(one.access, PREDICTD_READ);
	one = parsed("buffer:4:w:-3..17");
	assert_int_equal(one.access, PREDICTD_WRITE);
	assert_true(one.has_range);
	assert_int_equal(one.low, -3);
	assert_int_equal(one.high, 17);
	one = parsed("buffer:4:0..9"); /* the access may be left out */
	assert_int_equal(one.access, PREDICTD_READ_WRITE);
	assert_true(one.has_range);
}

static void what_measuring_fills_a_buffer_with_is_its_last_part(void **state)
{
	(void)state;
	static const char *const texts[][2] = {{"buffer:4:zero", "zero"},
	                                       {"buffer:4:r:rand_float:-1:1", "rand_float:-1:1"},
	                                       {"buffer:4:r:0..8:rand_index:9", "rand_index:9"},
	                                       {"buffer:4:csr_rowptr:4:2", "csr_rowptr:4:2"},
	                                       {"buffer:4:rw:@a:b/c", "@a:b/c"}};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		predictd_argument one = parsed(texts[i][0]);
		assert_string_equal(one.init, texts[i][1]);
		assert_int_equal(one.has_range, i == 2);
		free((void *)one.init);
	}
	assert_null(parsed("buffer:4:r:0..9").init);
}

static void bad_buffers_are_refused_by_name(void **state)
{
	(void)state;
	assert_refused("buffer", "buffer:SIZE");
	assert_refused("buffer:", "size");
	assert_refused("buffer:0", "0 bytes");
	assert_refused("buffer:4:x", "r, w, rw");
	assert_refused("buffer:4:r:9..1", "LOW..HIGH");
	assert_refused("buffer:4:r:1..", "LOW..HIGH");
	assert_refused("buffer:4:r:1..2:3", "after a buffer's range");
	assert_refused("buffer:4:rand_", "init such as rand_float");
	assert_refused("buffer:4:1..2:r", "after a buffer's range");
}

static void scalars_of_every_type_are_taken(void **state)
{
	(void)state;
	static const char *const types[] = {"char", "uchar", "short", "ushort", "int",   "uint",
	                                    "long", "ulong", "half",  "float",  "double"};
	static const char *const widths[] = {"", "2", "3", "4", "8", "16"};
	for (size_t i = 0; i < 11; i++) {
		for (size_t j = 0; j < 6; j++) {
			char text[32], name[16];
			(void)snprintf(name, sizeof name, "%s%s", types[i], widths[j]);
			(void)snprintf(text, sizeof text, "%s:1", name);
			assert_string_equal(parsed(text).type, name);
		}
	}
}

static void scalar_values_are_kept_lane_by_lane(void **state)
{
	(void)state;
	predictd_argument one = parsed("float4:1,2.5,-3e2,4");
	assert_close(one.reals[1], 2.5, 0);
	assert_close(one.reals[2], -300, 0);
	one = parsed("int2:-5,0x10");
	assert_int_equal(one.integers[0], -5);
	assert_int_equal(one.integers[1], 16);
	one = parsed("uint3:7"); /* one value fills all */
	assert_int_equal(one.integers[2], 7);
	one = parsed("ulong:18446744073709551615");
	assert_int_equal(one.integers[0], -1);
	assert_close(parsed("float:1.5f").reals[0], 1.5, 0);
}

static void scalars_out_of_range_are_refused(void **state)
{
	(void)state;
	assert_refused("uchar:256", "does not fit");
	assert_refused("char:-129", "does not fit");
	assert_refused("uint:-1", "uint");
	assert_refused("int:2147483648", "does not fit");
	assert_refused("long:9223372036854775808", "long");
	assert_refused("int:1.5", "want int, have");
	assert_refused("float:one", "want float, have");
	assert_refused("float:", "want float, have");
	assert_refused("float4:1,2", "want 4 values");
	assert_refused("float2:1,2,3", "more than 2");
	assert_refused("int", "int:VALUE");
	assert_refused("float5:1", "scalar type");
	assert_refused("size_t:1", "scalar type");
	assert_refused("", "scalar type");
}

static void other_kinds_are_taken(void **state)
{
	(void)state;
	predictd_argument one = parsed("local:2K");
	assert_int_equal(one.kind, PREDICTD_LOCAL);
	assert_int_equal(one.size_bytes, 2048);
	one = parsed("bytes:24");
	assert_int_equal(one.kind, PREDICTD_STRUCT);
	one = parsed("image:640x480:r32f:w");
	assert_int_equal(one.kind, PREDICTD_IMAGE);
	assert_int_equal(one.width, 640);
	assert_int_equal(one.height, 480);
	assert_int_equal(one.access, PREDICTD_WRITE);
	assert_string_equal(one.type, "r32f");
	assert_int_equal(parsed("sampler").kind, PREDICTD_SAMPLER);
	assert_string_equal(parsed("sampler:linear").type, "linear");
	assert_refused("local:0", "0 bytes");
	one = parsed("image:64x32x16:rgba8ui");
	assert_int_equal(one.depth, 16);
	assert_int_equal(one.access, 0);
	assert_null(parsed("image:640").type);
	assert_string_equal(parsed("sampler:linear,normalized").type, "linear,normalized");
	assert_refused("image:1x2x3x4", "WIDTHxHEIGHT");
	assert_refused("image:64x", "WIDTHxHEIGHT");
	assert_refused("image:4x4:r32f:x", "rw");
	assert_refused("image:0x5", "WIDTHxHEIGHT");
	assert_refused("image:4x4:bgra", "rgba8");
	assert_refused("sampler:normalized,linear", "nearest");
	assert_refused("sampler:cubic", "nearest");
}

/* The client does not link the model: its list is its own. */
static void every_format_of_the_model_is_taken(void **state)
{
	(void)state;
#define X(name, word, ...)                                                                         \
	assert_non_null(image_format_find(word));                                                  \
	assert_string_equal(image_format_find(word), word);
	IMAGE_FORMAT_TABLE(X)
#undef X
}

static void an_endless_argument_is_refused(void **state)
{
	(void)state;
	char text[2000];
	memset(text, 'a', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	assert_refused(text, "characters");
}

static void hints_name_a_line(void **state)
{
	(void)state;
	struct complaint why;
	predictd_hint hint;
	assert_true(hint_parse("loop:12=100", &hint, &why));
	assert_false(hint.is_branch);
	assert_int_equal(hint.line, 12);
	assert_close(hint.value, 100, 0);
	assert_true(hint_parse("branch:7=0.25", &hint, &why));
	assert_true(hint.is_branch);
	assert_close(hint.value, 0.25, 0);
	static const char *const bad[] = {"loop:x=1",  "loop:0=1",     "loop:1=-1",
	                                  "loop:1=",   "branch:1=1.5", "while:1=1",
	                                  "loop:1=1x", "loop:1=inf",   "loop:4294967296=1"};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (hint_parse(bad[i], &hint, &why))
			fail_msg("'%s' was taken", bad[i]);
	assert_false(hint_parse("loop:1=-1", &hint, &why));
	assert_non_null(strstr(why.text, "0 or more"));
}

static void a_mistyped_word_names_the_nearest(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
	        {"flaot:3", "have 'flaot'; did you mean float?"},
	        {"unit:3", "did you mean uint?"},
	        {"bufer:4K", "did you mean buffer?"},
	        {"buffer:4K:r:rand_flaot", "did you mean rand_float?"},
	        {"buffer:4K:rand_indx:10", "did you mean rand_index?"},
	        {"buffer:4K:0..3:itoa", "did you mean iota?"},
	        {"image:4x4:rgab8", "did you mean rgba8?"},
	        {"sampler:linaer", "did you mean linear?"},
	        {"xyzzyplugh:3", "have 'xyzzyplugh'"}, /* like none */
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		predictd_argument argument;
		struct complaint why;
		assert_false(argument_parse(cases[i][0], &argument, &why));
		free((void *)argument.init);
		if (strstr(why.text, cases[i][1]) == NULL ||
		    (strstr(why.text, "did you mean") == NULL) !=
		            (strstr(cases[i][1], "did you mean") == NULL))
			fail_msg("%s: %s", cases[i][0], why.text);
	}
	predictd_hint hint;
	struct complaint why;
	assert_false(hint_parse("brunch:3=0.5", &hint, &why));
	assert_non_null(strstr(why.text, "did you mean branch?"));
	char meant[64];
	assert_string_equal(model_say("patern", meant), "; did you mean pattern?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(sizes_have_binary_suffixes),
	        cmocka_unit_test(sizes_that_are_none_are_refused),
	        cmocka_unit_test(a_launch_has_one_to_three_sizes),
	        cmocka_unit_test(buffers_have_access_and_range),
	        cmocka_unit_test(what_measuring_fills_a_buffer_with_is_its_last_part),
	        cmocka_unit_test(bad_buffers_are_refused_by_name),
	        cmocka_unit_test(scalars_of_every_type_are_taken),
	        cmocka_unit_test(scalar_values_are_kept_lane_by_lane),
	        cmocka_unit_test(scalars_out_of_range_are_refused),
	        cmocka_unit_test(other_kinds_are_taken),
	        cmocka_unit_test(every_format_of_the_model_is_taken),
	        cmocka_unit_test(an_endless_argument_is_refused),
	        cmocka_unit_test(hints_name_a_line),
	        cmocka_unit_test(a_mistyped_word_names_the_nearest),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("arguments", tests, NULL, NULL);
}
