/* SPDX-License-Identifier: Apache-2.0 */
/* Cases files: every key, and what is refused with the case's and the key's name. */
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

#include "client/predictctl/cases.h"

static bool parse(const char *text, struct case_list *list, struct complaint *why)
{
	return case_list_parse(text, strlen(text), "folder/", list, why);
}

static void assert_refused(const char *text, const char *part, const char *other)
{
	struct case_list list;
	struct complaint why = {""};
	if (parse(text, &list, &why))
		fail_msg("%s was taken", text);
	if (strstr(why.text, part) == NULL || strstr(why.text, other) == NULL)
		fail_msg("%s: '%s' lacks '%s' or '%s'", text, why.text, part, other);
	assert_int_equal(list.count, 0);
}

static const char *const whole =
        "[{\"id\": \"stream.saxpy.4096\", \"file\": \"kernels/stream.cl\", \"kernel\": \"saxpy\","
        "\"options\": \"-cl-mad-enable\", \"global\": [4096, 2], \"local\": [128, 1],"
        "\"args\": [{\"buffer\": 16384, \"init\": \"rand_float\", \"access\": \"r\"},"
        "{\"buffer\": 16384, \"init\": \"rand_index:9\", \"access\": \"rw\", \"range\": [0, 8]},"
        "{\"scalar\": \"float\", \"value\": 0.25}, {\"scalar\": \"uint2\", \"value\": [4096, 1]},"
        "{\"local\": 512}, {\"bytes\": 24}, {\"image\": [64, 32], \"format\": \"r32f\","
        "\"access\": \"w\"}, {\"sampler\": \"linear\"}],"
        "\"hints\": {\"loop:4\": 10, \"branch:9\": 0.5}, \"time_depends_on_data\": true}]";

static void every_key_is_read(void **state)
{
	(void)state;
	struct case_list list;
	struct complaint why;
	if (!parse(whole, &list, &why))
		fail_msg("%s", why.text);
	assert_int_equal(list.count, 1);
	const struct launch_case *one = &list.cases[0];
	assert_string_equal(one->id, "stream.saxpy.4096");
	assert_string_equal(one->group, "stream");
	assert_string_equal(one->file, "folder/kernels/stream.cl");
	assert_string_equal(one->kernel, "saxpy");
	assert_string_equal(one->options, "-cl-mad-enable");
	assert_int_equal(one->dimensions, 2);
	assert_true(one->has_groups);
	assert_int_equal(one->local[0], 128);
	assert_int_equal(one->argument_count, 8);
	assert_int_equal(one->arguments[0].access, PREDICTD_READ);
	assert_string_equal(one->arguments[0].init, "rand_float");
	assert_true(one->arguments[1].has_range);
	assert_int_equal(one->arguments[1].high, 8);
	assert_close(one->arguments[2].reals[0], 0.25, 0);
	assert_int_equal(one->arguments[3].integers[1], 1);
	assert_int_equal(one->arguments[4].kind, PREDICTD_LOCAL);
	assert_int_equal(one->arguments[5].kind, PREDICTD_STRUCT);
	assert_int_equal(one->arguments[6].height, 32);
	assert_int_equal(one->arguments[7].kind, PREDICTD_SAMPLER);
	assert_int_equal(one->hint_count, 2);
	assert_int_equal(one->hints[0].line, 4);
	assert_true(one->hints[1].is_branch);
	case_list_deinit(&list);
}

static void a_question_borrows_the_case(void **state)
{
	(void)state;
	struct case_list list;
	struct complaint why;
	assert_true(
	        parse("[{\"id\": \"a\", \"file\": \"/x.cl\", \"global\": [8], \"idle_s\": 1e-3}]",
	              &list, &why));
	predictd_question question = case_question(&list.cases[0]);
	assert_string_equal(list.cases[0].file, "/x.cl");
	assert_string_equal(list.cases[0].group, "a");
	assert_null(question.kernel);
	assert_int_equal(question.global[0], 8);
	assert_int_equal(question.global[1], 1);
	assert_int_equal(question.local[0], 0); /* the runtime chooses */
	assert_close(question.idle_s, 1e-3, 0);
	case_list_deinit(&list);
}

static void class_overrides_the_id(void **state)
{
	(void)state;
	struct case_list list;
	struct complaint why;
	assert_true(parse("[{\"id\": \"a.b\", \"class\": \"c\", \"file\": \"x\", \"global\": [8]}]",
	                  &list, &why));
	assert_string_equal(list.cases[0].group, "c");
	case_list_deinit(&list);
}

static void unknown_keys_are_named_with_their_case(void **state)
{
	(void)state;
	assert_refused("[{\"id\": \"a\", \"file\": \"x\", \"global\": [8], \"gobal\": 1}]", "a",
	               "'gobal'");
	assert_refused("[{\"id\": \"a\", \"file\": \"x\", \"global\": [8], "
	               "\"args\": [{\"buffer\": 4, \"acces\": \"r\"}]}]",
	               "a: args[0]", "'acces'");
	assert_refused("[{\"id\": \"a\", \"file\": \"x\", \"global\": [8], "
	               "\"args\": [{\"scalar\": \"int\", \"value\": 1, \"init\": \"zero\"}]}]",
	               "args[0]", "'init'");
	assert_refused("[{\"id\": \"a\", \"file\": \"x\", \"global\": [8], "
	               "\"args\": [{\"bufer\": 4}]}]",
	               "args[0]", "'bufer'");
	assert_refused("[{\"id\": \"a\", \"file\": \"x\", \"global\": [8], "
	               "\"hints\": {\"lop:4\": 1}}]",
	               "a", "'lop:4'");
}

static void what_is_missing_is_named(void **state)
{
	(void)state;
	assert_refused("[{\"file\": \"x\", \"global\": [8]}]", "case 0", "'id'");
	assert_refused("[{\"id\": \"a\", \"global\": [8]}]", "a", "'file'");
	assert_refused("[{\"id\": \"a\", \"file\": \"x\"}]", "a", "'global'");
}

static void an_id_that_comes_twice_is_named_with_both_places(void **state)
{
	(void)state;
	static const char *const twice = "[{\"id\": \"a.b\", \"file\": \"x\", \"global\": [8]},"
	                                 "{\"id\": \"a\", \"file\": \"x\", \"global\": [8]},"
	                                 "{\"id\": \"a.b\", \"file\": \"y\", \"global\": [9]}]";
	assert_refused(twice, "case 2: id 'a.b'", "case 0");
}

static void standard_input_is_no_file_of_a_case(void **state)
{
	(void)state;
	assert_refused("[{\"id\": \"a\", \"file\": \"-\", \"global\": [8]}]", "a: 'file'",
	               "standard input");
}

static void a_kernel_without_source_has_a_name(void **state)
{
	(void)state;
	struct case_list list;
	struct complaint why;
	if (!parse("[{\"id\": \"a\", \"name\": \"gemm\", \"global\": [8]},"
	           "{\"id\": \"b\", \"file\": \"gemm\", \"global\": [8]}]",
	           &list, &why))
		fail_msg("%s", why.text);
	assert_true(list.cases[0].is_sourceless);
	assert_string_equal(list.cases[0].file, "gemm"); /* no folder's */
	assert_false(list.cases[1].is_sourceless);
	assert_string_equal(list.cases[1].file, "folder/gemm");
	case_list_deinit(&list);
	static const char *const keys[] = {"file", "kernel", "options"};
	for (size_t i = 0; i < 3; i++) {
		char text[128];
		(void)snprintf(text, sizeof text,
		               "[{\"id\": \"a\", \"name\": \"gemm\", \"%s\": \"x\", \"global\": "
		               "[8]}]",
		               keys[i]);
		assert_refused(text, "a: 'name'", "without source");
	}
}

static void bad_values_are_refused(void **state)
{
	(void)state;
	static const char *const bad[] = {
	        "{}",
	        "[]",
	        "[1]",
	        "[{\"id\": 1, \"file\": \"x\", \"global\": [8]}]",
	        "[{\"id\": \"a\", \"file\": \"x\", \"global\": []}]",
	        "[{\"id\": \"a\", \"file\": \"x\", \"global\": [1,1,1,1]}]",
	        "[{\"id\": \"a\", \"file\": \"x\", \"global\": [0]}]",
	        "[{\"id\": \"a\", \"file\": \"x\", \"global\": [-1]}]",
	        "[{\"id\": \"a\", \"file\": \"x\", \"global\": [1.5]}]",
	        "[{\"id\": \"a\", \"file\": \"x\", \"global\": [8], \"local\": [1,1]}]",
	        "[{\"id\": \"a\", \"file\": \"x\", \"global\": [8], \"args\": {}}]",
	        "[{\"id\": \"a\", \"file\": \"x\", \"global\": [8], \"args\": [1]}]",
	        "[{\"id\": \"a\", \"file\": \"x\", \"global\": [8], \"args\": [{}]}]",
	        "[{\"id\": \"a\", \"file\": \"x\", \"global\": [8], \"args\": [{\"buffer\": 0}]}]",
	        "[{\"id\": \"a\", \"file\": \"x\", \"global\": [8], "
	        "\"args\": [{\"buffer\": 4, \"access\": \"x\"}]}]",
	        "[{\"id\": \"a\", \"file\": \"x\", \"global\": [8], "
	        "\"args\": [{\"buffer\": 4, \"range\": [2, 1]}]}]",
	        "[{\"id\": \"a\", \"file\": \"x\", \"global\": [8], "
	        "\"args\": [{\"scalar\": \"int\"}]}]",
	        "[{\"id\": \"a\", \"file\": \"x\", \"global\": [8], "
	        "\"args\": [{\"scalar\": \"uchar\", \"value\": 256}]}]",
	        "[{\"id\": \"a\", \"file\": \"x\", \"global\": [8], "
	        "\"args\": [{\"scalar\": \"int2\", \"value\": [1]}]}]",
	        "[{\"id\": \"a\", \"file\": \"x\", \"global\": [8], \"hints\": {\"loop:1\": -1}}]",
	        "[{\"id\": \"a\", \"file\": \"x\", \"global\": [8], \"hints\": {\"branch:1\": 2}}]",
	        "[{\"id\": \"a\", \"file\": \"x\", \"global\": [8], \"id\": \"b\"}]",
	        "[{\"id\": \"a\", \"file\": \"x\", \"global\": [8], "
	        "\"time_depends_on_data\": 1}]",
	        "[{\"id\": \"a\", \"file\": \"x\", \"global\": [8], \"idle_s\": -1}]",
	        "[{\"id\": \"a\", \"file\": \"x\", \"global\": [8], \"idle_s\": \"1ms\"}]",
	};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_refused(bad[i], "", "");
}

static void a_wrong_value_is_shown(void **state)
{
	(void)state;
	static const char before[] = "[{\"id\": \"a\", \"file\": \"x\", \"global\": ";
	static const struct {
		const char *rest, *part, *shown;
	} rows[] = {
	        {"[-8]}]", "'global'", "have -8"},
	        {"[\"8\"]}]", "'global'", "have \"8\""},
	        {"64}]", "as in [64, 64]", "have 64"},
	        {"[8], \"args\": [{\"buffer\": 1e30}]}]", "args[0]: 'buffer'", "have 1e30"},
	        {"[8], \"args\": [{\"scalar\": \"int\"}]}]", "want int", "have nothing"},
	        {"[8], \"args\": [{\"scalar\": \"uint\", \"value\": -1}]}]", "uint", "have -1"},
	        {"[8], \"args\": [{\"scalar\": \"float\", \"value\": \"x\"}]}]", "number",
	         "have \"x\""},
	        {"[\"a text of more than the forty characters that are shown\"]}]", "1 or more",
	         "have \"a text of more than the forty"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char text[256];
		(void)snprintf(text, sizeof text, "%s%s", before, rows[i].rest);
		assert_refused(text, rows[i].part, rows[i].shown);
	}
}

static void broken_json_names_line_and_column(void **state)
{
	(void)state;
	assert_refused("[{\"id\": \"a\",\n \"file\" \"x\"}]", "line 2", "column");
	assert_refused("", "line", "");
}

static void deep_nesting_ends_in_an_error(void **state)
{
	(void)state;
	static char text[200001];
	memset(text, '[', sizeof text - 1);
	assert_refused(text, "", "");
}

static void a_mistyped_key_names_the_nearest(void **state)
{
	(void)state;
	assert_refused("[{\"id\": \"a\", \"file\": \"x\", \"golbal\": [8]}]", "golbal",
	               "did you mean global?");
	assert_refused("[{\"id\": \"a\", \"file\": \"x\", \"global\": [8], \"args\": "
	               "[{\"scalar\": \"flaot\", \"value\": 1}]}]",
	               "flaot", "did you mean float?");
	assert_refused("[{\"id\": \"a\", \"file\": \"x\", \"global\": [8], \"args\": "
	               "[{\"bufer\": 4}]}]",
	               "bufer", "did you mean buffer?");
	assert_refused("[{\"id\": \"a\", \"file\": \"x\", \"global\": [8], \"args\": "
	               "[{\"image\": [4, 4], \"format\": \"rgab8\"}]}]",
	               "format", "did you mean rgba8?");
}

static void samples_are_of_what_init_makes(void **state)
{
	(void)state;
	struct case_list list;
	struct complaint why;
	static const char *const text =
	        "[{\"id\": \"a\", \"file\": \"a.cl\", \"global\": [1], \"args\": ["
	        "{\"buffer\": 4, \"init\": \"@data.bin\", \"sample\": true},"
	        "{\"buffer\": 4, \"init\": \"@/data.bin\", \"sample\": false},"
	        "{\"buffer\": 4, \"init\": \"iota\"}]}]";
	if (!parse(text, &list, &why))
		fail_msg("%s", why.text);
	const struct launch_case *one = &list.cases[0];
	assert_string_equal(one->arguments[0].init, "@folder/data.bin");
	assert_string_equal(one->arguments[1].init, "@/data.bin");
	assert_true(one->is_sampled[0]);
	assert_false(one->is_sampled[1] || one->is_sampled[2]);
	case_list_deinit(&list);
#define OF_BUFFER(keys)                                                                            \
	"[{\"id\": \"a\", \"file\": \"a.cl\", \"global\": [1], \"args\": [{\"buffer\": 4, " keys   \
	"}]}]"
	assert_refused(OF_BUFFER("\"sample\": 1"), "'sample'", "want true or false");
	assert_refused(OF_BUFFER("\"sample\": true"), "'sample'", "want an 'init'");
#undef OF_BUFFER
}

static void a_task_of_starpu_s_is_read(void **state)
{
	(void)state;
	struct case_list list;
	struct complaint why;
	if (!parse("[{\"id\": \"a\", \"file\": \"k.cl\", \"global\": [8], \"starpu\":"
	           "{\"symbol\": \"scal\", \"handles\": [{\"vector\": 2048, \"elemsize\": 4}]}},"
	           "{\"id\": \"b\", \"file\": \"k.cl\", \"global\": [8]}]",
	           &list, &why))
		fail_msg("%s", why.text);
	assert_string_equal(list.cases[0].starpu.symbol, "scal");
	assert_int_equal(list.cases[0].starpu.footprint, 0x870a30aa);
	assert_int_equal(list.cases[0].starpu.size_bytes, 8192);
	assert_string_equal(list.cases[1].starpu.symbol, "");
	case_list_deinit(&list);
	assert_refused("[{\"id\": \"a\", \"file\": \"k.cl\", \"global\": [8], \"starpu\":"
	               "{\"symbol\": \"scal\", \"handles\": [{\"coo\": 1}]}}]",
	               "a: starpu: handles[0]", "'coo'");
}

#define TASK(id, rest)                                                                             \
	"{\"id\": \"" id "\", \"file\": \"a.cl\", \"global\": [64], \"args\": ["                   \
	"{\"buffer\": 16, \"access\": \"r\"}, {\"scalar\": \"int\", \"value\": 1},"                \
	"{\"buffer\": 32}]" rest "}"

static void what_tasks_need_read_and_write_is_read(void **state)
{
	(void)state;
	struct case_list list;
	struct complaint why;
	/* one that comes later may be needed */
	const char *text = "[" TASK(
	        "one",
	        ", \"needs\": [\"two\"], \"reads\": [\"x\", \"y\"],"
	        "\"writes\": [\"y\"]") "," TASK("two", "") "," TASK("three",
	                                                            ", \"priority\": -3") "]";
	if (!parse(text, &list, &why))
		fail_msg("%s", why.text);
	const struct launch_case *one = &list.cases[0];
	assert_true(one->is_task);
	assert_int_equal(one->need_count, 1);
	assert_int_equal(one->needs[0], 1);
	assert_string_equal(one->buffer_names[0], "x");
	assert_null(one->buffer_names[1]);
	assert_string_equal(one->buffer_names[2], "y");
	assert_int_equal(one->priority, 0);
	assert_false(list.cases[1].is_task);
	assert_null(list.cases[1].buffer_names);
	assert_true(list.cases[2].is_task);
	assert_int_equal(list.cases[2].priority, -3);
	case_list_deinit(&list);
}

static void wrong_tasks_are_refused(void **state)
{
	(void)state;
	assert_refused("[" TASK("one", ", \"needs\": [\"two\"]") "]", "one: 'needs'",
	               "no case has the id 'two'");
	assert_refused("[" TASK("one", ", \"needs\": \"one\"") "]", "one: 'needs'", "an array");
	assert_refused("[" TASK("one", ", \"needs\": [1]") "]", "one: 'needs'", "an array of ids");
	assert_refused("[" TASK("one", ", \"priority\": 0.5") "]", "one: 'priority'", "an integer");
	assert_refused("[" TASK("one", ", \"priority\": 2147483648") "]", "one: 'priority'",
	               "an integer of 32 bits");
	assert_refused("[" TASK("one", ", \"reads\": [\"x\"]") "]", "one: 'reads'",
	               "want 2 names, one for each of its buffers that the kernel reads");
	assert_refused("[" TASK("one", ", \"writes\": [\"x\", \"y\"]") "]", "one: 'writes'",
	               "want 1 name,");
	assert_refused("[" TASK("one", ", \"writes\": [\"\"]") "]", "one: 'writes'", "want names");
	assert_refused("[" TASK("one", ", \"writes\": [7]") "]", "one: 'writes'", "want names");
	assert_refused("[" TASK("one", ", \"reads\": [\"x\", \"y\"], \"writes\": [\"z\"]") "]",
	               "one: args[2]", "read as 'y' and written as 'z'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_key_is_read),
	        cmocka_unit_test(a_question_borrows_the_case),
	        cmocka_unit_test(class_overrides_the_id),
	        cmocka_unit_test(unknown_keys_are_named_with_their_case),
	        cmocka_unit_test(what_is_missing_is_named),
	        cmocka_unit_test(an_id_that_comes_twice_is_named_with_both_places),
	        cmocka_unit_test(standard_input_is_no_file_of_a_case),
	        cmocka_unit_test(a_kernel_without_source_has_a_name),
	        cmocka_unit_test(bad_values_are_refused),
	        cmocka_unit_test(a_wrong_value_is_shown),
	        cmocka_unit_test(samples_are_of_what_init_makes),
	        cmocka_unit_test(broken_json_names_line_and_column),
	        cmocka_unit_test(deep_nesting_ends_in_an_error),
	        cmocka_unit_test(a_mistyped_key_names_the_nearest),
	        cmocka_unit_test(a_task_of_starpu_s_is_read),
	        cmocka_unit_test(what_tasks_need_read_and_write_is_read),
	        cmocka_unit_test(wrong_tasks_are_refused),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("cases", tests, NULL, NULL);
}
