/* SPDX-License-Identifier: Apache-2.0 */
/* Sources with headers, resolved on the caller's side. */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/predictd.h"

static char folder[] = "/tmp/predictd-source-XXXXXX";

static void put(const char *name, const char *text)
{
	char path[256];
	(void)snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	(void)fputs(text, file);
	(void)fclose(file);
}

static predictd_source *load(const char *name, const char *options)
{
	char path[256];
	predictd_source *source = NULL;
	(void)snprintf(path, sizeof path, "%s/%s", folder, name);
	if (predictd_source_load(path, options, &source) != PREDICTD_OK)
		fail_msg("%s", predictd_error_text());
	return source;
}

static const char *header(const predictd_source *source, const char *name)
{
	for (size_t i = 0; i < source->header_count; i++)
		if (strcmp(source->headers[i].name, name) == 0)
			return source->headers[i].text;
	return NULL;
}

static int make_folder(void **state)
{
	char path[256];
	(void)state;
	if (mkdtemp(folder) == NULL)
		return 1;
	(void)snprintf(path, sizeof path, "%s/sub", folder);
	(void)mkdir(path, 0700);
	(void)snprintf(path, sizeof path, "%s/other", folder);
	(void)mkdir(path, 0700);
	return 0;
}

static int remove_folder(void **state)
{
	char command[256];
	(void)state;
	(void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
	return system(command);
}

static void headers_are_found_beside_the_file(void **state)
{
	(void)state;
	put("a.h", "#include \"b.h\"\nint a;\n");
	put("b.h", "int b;\n");
	put("plain.cl", "  #  include\t\"a.h\" // twice\n#include \"a.h\"\nkernel void k() {}\n");
	predictd_source *source = load("plain.cl", NULL);
	assert_string_equal(source->name, "plain.cl");
	assert_string_equal(source->options, "");
	assert_int_equal(source->header_count, 2); /* each once */
	assert_string_equal(header(source, "b.h"), "int b;\n");
	predictd_source_free(source);
}

static void headers_of_a_header_are_beside_it(void **state)
{
	(void)state;
	put("sub/one.h", "#include \"two.h\"\n");
	put("sub/two.h", "int two;\n");
	put("nested.cl", "#include \"sub/one.h\"\n");
	predictd_source *source = load("nested.cl", NULL);
	assert_non_null(header(source, "sub/one.h"));
	assert_string_equal(header(source, "sub/two.h"), "int two;\n");
	predictd_source_free(source);
}

static void folders_of_options_are_searched_in_order(void **state)
{
	(void)state;
	char options[512];
	put("other/far.h", "int far;\n");
	put("sub/far.h", "int near;\n");
	put("far.cl", "#include <far.h>\n");
	(void)snprintf(options, sizeof options, "-cl-mad-enable -I '%s/other' -I%s/sub -D X=1",
	               folder, folder);
	predictd_source *source = load("far.cl", options);
	assert_string_equal(header(source, "far.h"), "int far;\n");
	assert_string_equal(source->options, options);
	predictd_source_free(source);
}

static void a_header_that_includes_itself_ends(void **state)
{
	(void)state;
	put("self.h", "#include \"self.h\"\n#include \"peer.h\"\n");
	put("peer.h", "#include \"self.h\"\n");
	put("self.cl", "#include \"self.h\"\n");
	predictd_source *source = load("self.cl", NULL);
	assert_int_equal(source->header_count, 2);
	predictd_source_free(source);
}

static void comments_and_texts_include_nothing(void **state)
{
	(void)state;
	put("quiet.cl", "// #include \"a.h\"\n/*\n#include \"a.h\"\n*/\n"
	                "x = \"\\\"\n#include \"nowhere.h\"\n int y; #include \"a.h\"\n");
	predictd_source *source = load("quiet.cl", NULL);
	assert_int_equal(source->header_count, 0);
	predictd_source_free(source);
}

static void a_comment_may_precede_the_directive(void **state)
{
	(void)state;
	put("lead.cl", "/* first */ #include \"b.h\"\n");
	predictd_source *source = load("lead.cl", NULL);
	assert_int_equal(source->header_count, 1);
	predictd_source_free(source);
}

static void deep_includes_end_in_an_error(void **state)
{
	(void)state;
	predictd_source *source = NULL;
	char name[32], text[64], path[256];
	for (int i = 0; i < 60; i++) {
		(void)snprintf(name, sizeof name, "deep%d.h", i);
		(void)snprintf(text, sizeof text, "#include \"deep%d.h\"\n", i + 1);
		put(name, text);
	}
	put("deep.cl", "#include \"deep0.h\"\n");
	(void)snprintf(path, sizeof path, "%s/deep.cl", folder);
	assert_int_equal(predictd_source_load(path, NULL, &source), PREDICTD_LIMIT);
	assert_non_null(strstr(predictd_error_text(), "nest"));
	assert_null(source);
}

static void a_large_header_ends_in_an_error(void **state)
{
	(void)state;
	predictd_source *source = NULL;
	char path[256];
	(void)snprintf(path, sizeof path, "%s/big.h", folder);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(ftruncate(fileno(file), 20 << 20), 0);
	(void)fclose(file);
	put("big.cl", "#include \"big.h\"\n");
	(void)snprintf(path, sizeof path, "%s/big.cl", folder);
	assert_int_equal(predictd_source_load(path, NULL, &source), PREDICTD_LIMIT);
}

/* Loads "-" while the file stands for standard input. */
static predictd_status load_stdin(const char *name, predictd_source **source)
{
	char path[256];
	int before = dup(STDIN_FILENO);
	(void)snprintf(path, sizeof path, "%s/%s", folder, name);
	assert_non_null(freopen(path, "r", stdin));
	predictd_status status = predictd_source_load("-", NULL, source);
	assert_int_equal(dup2(before, STDIN_FILENO), STDIN_FILENO);
	(void)close(before);
	return status;
}

static void a_dash_is_standard_input_with_headers_of_the_working_folder(void **state)
{
	(void)state;
	predictd_source *source = NULL;
	char *before = getcwd(NULL, 0);
	assert_non_null(before);
	put("beside.h", "int beside;\n");
	put("stream.cl", "#include \"beside.h\"\n");
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(load_stdin("stream.cl", &source), PREDICTD_OK);
	assert_string_equal(source->name, "stdin");
	assert_string_equal(source->text, "#include \"beside.h\"\n");
	assert_int_equal(source->header_count, 1);
	assert_string_equal(header(source, "beside.h"), "int beside;\n");
	predictd_source_free(source);
	assert_int_equal(chdir(before), 0);
	free(before);
}

static void standard_input_is_bounded_as_files_are(void **state)
{
	(void)state;
	predictd_source *source = NULL;
	char path[256];
	(void)snprintf(path, sizeof path, "%s/large.cl", folder);
	put("large.cl", "");
	assert_int_equal(truncate(path, 20 << 20), 0);
	assert_int_equal(load_stdin("large.cl", &source), PREDICTD_LIMIT);
	assert_non_null(strstr(predictd_error_text(), "standard input: "));
	assert_null(source);
}

static void a_source_in_memory_is_completed(void **state)
{
	(void)state;
	predictd_source *source = NULL;
	char options[512], own[] = "#include \"deeper.h\"\n";
	static const char text[] =
	        "#include \"own.h\"\n#include <far.h>\n#include \"lost.h\"\nrest";
	const predictd_header given = {"own.h", own, sizeof own - 1};
	put("other/far.h", "int far;\n");
	put("other/own.h", "int stranger;\n");
	put("other/deeper.h", "int deeper;\n");
	(void)snprintf(options, sizeof options, "-I %s/other", folder);
	assert_int_equal(predictd_source_complete(&(predictd_source){.name = "a/program 1",
	                                                             .text = text,
	                                                             .size = sizeof text - 5,
	                                                             .options = options,
	                                                             .headers = &given,
	                                                             .header_count = 1},
	                                          &source),
	                 PREDICTD_OK);
	assert_string_equal(source->name, "program 1");
	assert_int_equal(source->size, sizeof text - 5);
	assert_memory_equal(source->text, text, sizeof text - 5);
	assert_string_equal(source->options, options);
	assert_int_equal(source->header_count, 3);
	assert_string_equal(header(source, "own.h"), own); /* no file goes before it */
	assert_string_equal(header(source, "far.h"), "int far;\n");
	assert_string_equal(header(source, "deeper.h"), "int deeper;\n");
	assert_null(header(source, "lost.h"));
	put("other/late.h", "int late;\n");
	assert_int_equal(source->find_header(source, "late.h", "own.h"), PREDICTD_OK);
	assert_string_equal(header(source, "late.h"), "int late;\n");
	assert_int_equal(source->find_header(source, "never.h", ""), PREDICTD_NOT_FOUND);
	predictd_source_free(source);
}

static void a_source_in_memory_is_bounded_as_files_are(void **state)
{
	(void)state;
	predictd_source *source = NULL;
	predictd_header many[300];
	for (size_t i = 0; i < 300; i++)
		many[i] = (predictd_header){"x.h", "", 0};
	predictd_source given = {.name = "p", .text = "", .size = (16 << 20) + 1};
	assert_int_equal(predictd_source_complete(&given, &source), PREDICTD_LIMIT);
	given = (predictd_source){.name = "p", .text = "", .headers = many, .header_count = 300};
	assert_int_equal(predictd_source_complete(&given, &source), PREDICTD_LIMIT);
	assert_null(source);
}

static void a_file_that_is_none_is_named(void **state)
{
	(void)state;
	predictd_source *source = NULL;
	assert_int_equal(predictd_source_load("/nowhere/x.cl", NULL, &source), PREDICTD_IO);
	assert_non_null(strstr(predictd_error_text(), "/nowhere/x.cl"));
	assert_int_equal(predictd_source_load(folder, NULL, &source), PREDICTD_IO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(headers_are_found_beside_the_file),
	        cmocka_unit_test(headers_of_a_header_are_beside_it),
	        cmocka_unit_test(folders_of_options_are_searched_in_order),
	        cmocka_unit_test(a_header_that_includes_itself_ends),
	        cmocka_unit_test(comments_and_texts_include_nothing),
	        cmocka_unit_test(a_comment_may_precede_the_directive),
	        cmocka_unit_test(deep_includes_end_in_an_error),
	        cmocka_unit_test(a_large_header_ends_in_an_error),
	        cmocka_unit_test(a_dash_is_standard_input_with_headers_of_the_working_folder),
	        cmocka_unit_test(standard_input_is_bounded_as_files_are),
	        cmocka_unit_test(a_source_in_memory_is_completed),
	        cmocka_unit_test(a_source_in_memory_is_bounded_as_files_are),
	        cmocka_unit_test(a_file_that_is_none_is_named),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("source", tests, make_folder, remove_folder);
}
