/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hostile programs. Each is answered, or kills the child that reads it, by its
 * deadline; the analyser lives on and answers the next good program; and no
 * reply holds what a file on this machine says.
 */
#include "tests/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/analyser/zygote.h"
#include "tests/unit/analyser/driver.h"

enum { DEADLINE_MS = 2500 };

static struct analyser analyser;

static int start(void **state)
{
	(void)state;
	return analyser_start(&analyser, NULL) ? 0 : -1;
}

static int stop(void **state)
{
	(void)state;
	return WIFEXITED(analyser_stop(&analyser)) ? 0 : -1;
}

/* The answer to a program; every test ends in answer_deinit. */
static struct answer ask(const char *source, const char *options)
{
	struct question question = {.source = source,
	                            .bytes = strlen(source),
	                            .options = options,
	                            .deadline_ms = DEADLINE_MS};
	struct answer answer;
	analyser_ask(&analyser, &question, &answer);
	return answer;
}

/* Answered or dead, and nothing left behind. */
static void assert_survived(struct answer *answer)
{
	assert_int_not_equal(answer->outcome, OUTCOME_LATE);
	answer_deinit(answer);
	assert_true(analyser_is_well(&analyser));
}

static void survive(const char *source)
{
	struct answer answer = ask(source, NULL);
	assert_survived(&answer);
}

/* Takes the text. */
static void survive_text(struct text *text)
{
	struct question question = {
	        .source = text->bytes, .bytes = text->size, .deadline_ms = DEADLINE_MS};
	struct answer answer;
	analyser_ask(&analyser, &question, &answer);
	free(text->bytes);
	assert_survived(&answer);
}

/* A kernel whose only statement is an expression between two repeated parts. */
static void survive_nested(const char *open, const char *middle, const char *close, size_t depth)
{
	struct text text = {0};
	text_add(&text, "__kernel void k(__global int *a, int x) {\n");
	text_repeat(&text, open, depth);
	text_add(&text, middle);
	text_repeat(&text, close, depth);
	text_add(&text, "\n}\n");
	survive_text(&text);
}

/* ---- programs that are answered ------------------------------------------------------------ */

static void a_good_program_is_answered(void **state)
{
	(void)state;
	assert_true(analyser_is_well(&analyser));
}

static void a_syntax_error_names_its_place(void **state)
{
	(void)state;
	struct answer answer = ask("__kernel void k(__global int *a) {\n  a[0] = ;\n}\n", NULL);
	assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
	assert_int_equal(answer.status, STATUS_SYNTAX);
	assert_non_null(strstr(answer.error.text, "test.cl:2:10"));
	assert_survived(&answer);
}

static void a_header_that_was_sent_along_is_found(void **state)
{
	(void)state;
	static const char source[] =
	        "#include \"half.h\"\n__kernel void k(__global float *a) { a[0] = HALF; }\n";
	struct question question = {.source = source,
	                            .bytes = sizeof source - 1,
	                            .header_name = "half.h",
	                            .header_text = "#define HALF 0.5f\n",
	                            .deadline_ms = DEADLINE_MS};
	struct answer answer;
	analyser_ask(&analyser, &question, &answer);
	assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
	assert_int_equal(answer.status, STATUS_OK);
	assert_int_equal(answer.count, 1);
	assert_survived(&answer);
}

static void an_empty_program_is_answered(void **state)
{
	(void)state;
	struct answer answer = ask("", NULL);
	assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
	assert_survived(&answer);
}

static void nul_bytes_are_no_end_of_the_world(void **state)
{
	(void)state;
	static const char source[] = "__kernel void k(\0__global int *a) { a[\0 0] = 1; }\0\0\n";
	struct question question = {
	        .source = source, .bytes = sizeof source - 1, .deadline_ms = DEADLINE_MS};
	struct answer answer;
	analyser_ask(&analyser, &question, &answer);
	assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
	assert_survived(&answer);
}

static void an_option_off_the_list_is_refused_by_name(void **state)
{
	(void)state;
	static const char *const options[] = {"-MD -MF /tmp/x", "-include /etc/passwd",
	                                      "-Xclang -load", "@/etc/passwd",
	                                      "-fplugin=/tmp/x.so"};
	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		struct answer answer = ask("__kernel void k(void) {}\n", options[i]);
		assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
		assert_int_equal(answer.status, STATUS_INVALID);
		assert_survived(&answer);
	}
}

/* ---- files --------------------------------------------------------------------------------- */

/* An error that shows nothing of the file. */
static void assert_file_is_closed(const char *source, const char *options)
{
	struct answer answer = ask(source, options);
	assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
	assert_int_not_equal(answer.status, STATUS_OK);
	assert_null(strstr(answer.error.text, "root:"));
	assert_survived(&answer);
}

static void an_absolute_include_finds_nothing(void **state)
{
	(void)state;
	assert_file_is_closed("#include \"/etc/passwd\"\n", NULL);
}

static void an_include_of_a_device_finds_nothing(void **state)
{
	(void)state;
	assert_file_is_closed("#include \"/dev/zero\"\n", NULL);
}

static void an_include_by_trigraph_finds_nothing(void **state)
{
	(void)state;
	assert_file_is_closed("?\?=include \"/etc/passwd\"\n", "-cl-std=CL1.2");
}

static void an_include_by_digraph_and_macro_finds_nothing(void **state)
{
	(void)state;
	assert_file_is_closed("#define F </etc/passwd>\n%:include F\n", NULL);
}

static void an_include_through_a_search_path_finds_nothing(void **state)
{
	(void)state;
	assert_file_is_closed("#include <passwd>\n", "-I /etc");
}

static void an_embed_finds_nothing(void **state)
{
	(void)state;
	assert_file_is_closed("__constant char c[] = {\n#embed \"/etc/passwd\"\n};\n", NULL);
}

static void has_include_sees_no_file(void **state)
{
	(void)state;
	struct answer answer = ask("#if __has_include(</etc/passwd>)\n"
	                           "#error it is there\n"
	                           "#endif\n"
	                           "__kernel void k(__global int *a) { a[0] = 1; }\n",
	                           NULL);
	assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
	assert_int_equal(answer.status, STATUS_OK);
	assert_survived(&answer);
}

static void pragmas_that_name_files_open_none(void **state)
{
	(void)state;
	survive("#pragma clang module import \"/etc/passwd\"\n"
	        "#pragma clang module load x\n"
	        "#pragma GCC dependency \"/etc/passwd\"\n"
	        "#pragma include_alias(\"a.h\", \"/etc/passwd\")\n"
	        "#line 1 \"/etc/passwd\"\n"
	        "__kernel void k(__global int *a) { a[0] = ; }\n");
}

/* ---- size and depth ------------------------------------------------------------------------ */

static void a_macro_bomb_is_bounded(void **state)
{
	(void)state;
	struct text text = {0};
	char line[64];
	text_add(&text, "#define A0 x+x+x+x+x+x+x+x+x+x\n");
	for (int i = 1; i < 12; i++) {
		(void)snprintf(line, sizeof line, "#define A%d ", i);
		text_add(&text, line);
		(void)snprintf(line, sizeof line, "A%d+", i - 1);
		text_repeat(&text, line, 9);
		(void)snprintf(line, sizeof line, "A%d\n", i - 1);
		text_add(&text, line);
	}
	text_add(&text, "__kernel void k(__global int *a, int x) { a[0] = A11; }\n");
	survive_text(&text);
}

static void a_deep_chain_of_signs_is_bounded(void **state)
{
	(void)state;
	struct text text = {0};
	text_add(&text, "__kernel void k(__global int *a, int x) { a[0] = ");
	text_repeat(&text, "- ", 100000);
	text_add(&text, "x; }\n");
	survive_text(&text);
}

static void a_deep_chain_of_casts_is_bounded(void **state)
{
	(void)state;
	survive_nested("(int)", "x;", "", 100000);
}

static void deep_parentheses_are_bounded(void **state)
{
	(void)state;
	survive_nested("(", "x", ")", 100000);
}

static void deep_braces_are_bounded(void **state)
{
	(void)state;
	survive_nested("{", "a[0] = x;", "}", 100000);
}

static void a_long_ladder_of_else_if_is_bounded(void **state)
{
	(void)state;
	survive_nested("if (x) a[0]++; else ", "a[1]++;", "", 100000);
}

static void a_long_sum_is_bounded(void **state)
{
	(void)state;
	struct text text = {0};
	text_add(&text, "__kernel void k(__global int *a, int x) { a[0] = x");
	text_repeat(&text, "+x*a[1]", 100000);
	text_add(&text, "; }\n");
	survive_text(&text);
}

static void a_long_chain_of_members_and_conditionals_is_bounded(void **state)
{
	(void)state;
	struct text text = {0};
	text_add(&text, "__kernel void k(__global int *a, int x) { a[0] = ");
	text_repeat(&text, "x ? 1 : ", 100000);
	text_add(&text, "2; }\n");
	survive_text(&text);
}

static void ten_megabytes_of_statements_are_bounded(void **state)
{
	(void)state;
	static const char statement[] = "a[x] = a[x + 1] * 3 + x;\n";
	survive_nested(statement, "", "", (10u << 20) / (sizeof statement - 1));
}

static void an_initialiser_of_half_a_billion_elements_is_bounded(void **state)
{
	(void)state;
	survive("__constant int c[1 << 30] = {[0 ... 1 << 29] = 1};\n"
	        "__kernel void k(__global int *a) { a[0] = c[1]; }\n");
}

static void an_array_of_most_of_the_address_space_is_bounded(void **state)
{
	(void)state;
	survive("__kernel void k(__global int *a) {\n"
	        "  __local int l[0x7fffffffffff]; l[a[0]] = 1; a[0] = l[1];\n"
	        "  int p[0x3fffffffff]; p[a[1]] = 1; a[2] = p[a[3]];\n}\n");
}

static void an_inline_bomb_is_bounded(void **state)
{
	(void)state;
	struct text text = {0};
	char line[128];
	text_add(&text, "int f0(int x) { return x * x + 1; }\n");
	for (int i = 1; i <= 40; i++) {
		(void)snprintf(line, sizeof line,
		               "int f%d(int x) { return f%d(x) + f%d(x + %d); }\n", i, i - 1, i - 1,
		               i);
		text_add(&text, line);
	}
	text_add(&text, "__kernel void k(__global int *a) { a[0] = f40(a[1]); }\n");
	survive_text(&text);
}

static void recursion_is_bounded(void **state)
{
	(void)state;
	survive("int g(int x);\n"
	        "int f(int x) { return x > 0 ? g(x - 1) : 1; }\n"
	        "int g(int x) { return f(x) * x; }\n"
	        "__kernel void k(__global int *a) { a[0] = f(a[1]); k(a); }\n");
}

static void five_thousand_overloads_are_bounded(void **state)
{
	(void)state;
	struct text text = {0};
	char line[160];
	for (int i = 0; i < 5000; i++) {
		(void)snprintf(
		        line, sizeof line,
		        "struct s%d { int x; };\n"
		        "__attribute__((overloadable)) int f(struct s%d s) { return s.x; }\n",
		        i, i);
		text_add(&text, line);
	}
	text_add(&text, "__kernel void k(__global int *a) {\n");
	for (int i = 0; i < 200; i++) {
		(void)snprintf(line, sizeof line, "  struct s%d v%d = {%d}; a[0] += f(v%d);\n", i,
		               i, i, i);
		text_add(&text, line);
	}
	text_add(&text, "}\n");
	survive_text(&text);
}

static void loops_nested_a_thousand_deep_are_bounded(void **state)
{
	(void)state;
	survive_nested("for (int i = 0; i < x; i++) ", "a[0]++;", "", 1000);
}

static void a_constant_expression_that_never_ends_is_bounded(void **state)
{
	(void)state;
	survive("__kernel void k(__global int *a) {\n"
	        "  for (ulong i = 0; i != 0xffffffffffffffff; i++)\n"
	        "    for (ulong j = 0; j != 0xffffffffffffffff; j++) a[0]++;\n}\n");
}

/* Two inclusions of the next one in each: on a busy machine the wait ends first. */
static void headers_that_double_are_refused_for_their_work(void **state)
{
	(void)state;
	static const char source[] = "#if __INCLUDE_LEVEL__ < 60\n"
	                             "#include \"twice.h\"\n"
	                             "#include \"twice.h\"\n"
	                             "#endif\n";
	struct question question = {.source = source,
	                            .bytes = sizeof source - 1,
	                            .header_name = "twice.h",
	                            .header_text = source,
	                            .deadline_ms = 500};
	struct answer answer;
	analyser_ask(&analyser, &question, &answer);
	assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
	if (answer.status != STATUS_TIMEOUT) {
		assert_int_equal(answer.status, STATUS_LIMIT);
		assert_non_null(strstr(answer.error.text, "too much work to analyse"));
	}
	assert_non_null(strstr(answer.error.text, "split it"));
	assert_survived(&answer);
}

/* ---- the front-end's own traps ------------------------------------------------------------- */

static void debug_pragmas_harm_only_their_child(void **state)
{
	(void)state;
	static const char *const pragmas[] = {
	        "crash",           "parser_crash", "llvm_fatal_error", "llvm_unreachable",
	        "overflow_stack",  "captured",     "assert",           "diag_mapping",
	        "dump precedence", "macro k",      "handle_crash"};
	for (size_t i = 0; i < sizeof pragmas / sizeof *pragmas; i++) {
		char source[256];
		(void)snprintf(source, sizeof source,
		               "__kernel void k(__global int *a) {\n"
		               "#pragma clang __debug %s\n"
		               "  a[0] = 1;\n}\n",
		               pragmas[i]);
		survive(source);
	}
}

static void inline_assembly_is_no_way_out(void **state)
{
	(void)state;
	survive("__asm__(\".incbin \\\"/etc/passwd\\\"\");\n"
	        "__kernel void k(__global int *a) { __asm__ volatile(\"nop\"); a[0] = 1; }\n");
}

/* ---- the protocol -------------------------------------------------------------------------- */

static void a_message_that_is_no_program_is_refused(void **state)
{
	(void)state;
	static const uint8_t frames[][8] = {{4, 0, 0, 0, 0xff, 0xff, 0xff, 0xff},
	                                    {0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4},
	                                    {0xff, 0, 0, 0, 1, 2, 3, 4}};
	for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
		int socket = analyser_open(&analyser, 200);
		assert_true(socket >= 0);
		assert_int_equal(write(socket, frames[i], sizeof frames[i]), sizeof frames[i]);
		char reply[512];
		assert_true(read(socket, reply, sizeof reply) >= 0);
		close(socket);
		assert_true(analyser_is_well(&analyser));
	}
}

static void an_asker_that_says_nothing_is_dropped_at_the_deadline(void **state)
{
	(void)state;
	int socket = analyser_open(&analyser, 50);
	assert_true(socket >= 0);
	char reply[512];
	ssize_t got;
	while ((got = read(socket, reply, sizeof reply)) > 0)
		continue;
	assert_int_equal(got, 0);
	close(socket);
	assert_true(analyser_is_well(&analyser));
}

static void an_asker_that_goes_away_is_forgotten(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++) {
		int socket = analyser_open(&analyser, 1000);
		assert_true(socket >= 0);
		close(socket);
	}
	/* those may still be counted for a moment: a refusal is an answer too */
	for (int i = 0; i < 2000 && !analyser_is_well(&analyser); i++)
		usleep(10000);
	assert_true(analyser_is_well(&analyser));
}

static void more_programs_than_children_are_refused_and_later_served(void **state)
{
	(void)state;
	int sockets[ZYGOTE_CHILDREN_MAX + 4];
	size_t refused = 0;
	for (size_t i = 0; i < sizeof sockets / sizeof *sockets; i++) {
		sockets[i] = analyser_open(&analyser, 30000);
		assert_true(sockets[i] >= 0);
	}
	for (size_t i = ZYGOTE_CHILDREN_MAX; i < sizeof sockets / sizeof *sockets; i++) {
		char reply[512];
		refused += read(sockets[i], reply, sizeof reply) > 0;
	}
	assert_int_equal(refused, sizeof sockets / sizeof *sockets - ZYGOTE_CHILDREN_MAX);
	for (size_t i = 0; i < sizeof sockets / sizeof *sockets; i++)
		close(sockets[i]);
	for (int i = 0; i < 2000 && !analyser_is_well(&analyser); i++)
		usleep(10000);
	assert_true(analyser_is_well(&analyser));
}

static void a_ticket_of_the_wrong_form_is_dropped(void **state)
{
	(void)state;
	assert_int_equal(write(analyser.channel, "abc", 3), 3);
	assert_int_equal(write(analyser.channel, "abcd", 4), 4);
	assert_int_equal(write(analyser.channel, "abcdefgh", 8), 8);
	assert_true(analyser_is_well(&analyser));
}

static void a_start_by_anybody_else_is_refused(void **state)
{
	(void)state;
	pid_t pid = fork();
	if (pid == 0) {
		int quiet = open("/dev/null", O_RDWR);
		(void)dup2(quiet, STDERR_FILENO);
		(void)dup2(quiet, 3);
		execl(ANALYSER_PATH, ANALYSER_PATH, (char *)NULL);
		_exit(127);
	}
	int status = 0;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 2);
}

/* Which takes calls that nothing else does. */
static void what_is_analysed_in_the_background_is_answered(void **state)
{
	static const char source[] = "kernel void k(global int *a) { a[0] = 1; }";
	struct question question = {.source = source,
	                            .bytes = sizeof source - 1,
	                            .deadline_ms = DEADLINE_MS,
	                            .is_background = true};
	struct answer answer;
	(void)state;
	analyser_ask(&analyser, &question, &answer);
	assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
	assert_int_equal(answer.status, STATUS_OK);
	assert_survived(&answer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_good_program_is_answered),
	        cmocka_unit_test(a_syntax_error_names_its_place),
	        cmocka_unit_test(a_header_that_was_sent_along_is_found),
	        cmocka_unit_test(an_empty_program_is_answered),
	        cmocka_unit_test(nul_bytes_are_no_end_of_the_world),
	        cmocka_unit_test(an_option_off_the_list_is_refused_by_name),
	        cmocka_unit_test(an_absolute_include_finds_nothing),
	        cmocka_unit_test(an_include_of_a_device_finds_nothing),
	        cmocka_unit_test(an_include_by_trigraph_finds_nothing),
	        cmocka_unit_test(an_include_by_digraph_and_macro_finds_nothing),
	        cmocka_unit_test(an_include_through_a_search_path_finds_nothing),
	        cmocka_unit_test(an_embed_finds_nothing),
	        cmocka_unit_test(has_include_sees_no_file),
	        cmocka_unit_test(pragmas_that_name_files_open_none),
	        cmocka_unit_test(a_macro_bomb_is_bounded),
	        cmocka_unit_test(a_deep_chain_of_signs_is_bounded),
	        cmocka_unit_test(a_deep_chain_of_casts_is_bounded),
	        cmocka_unit_test(deep_parentheses_are_bounded),
	        cmocka_unit_test(deep_braces_are_bounded),
	        cmocka_unit_test(a_long_ladder_of_else_if_is_bounded),
	        cmocka_unit_test(a_long_sum_is_bounded),
	        cmocka_unit_test(a_long_chain_of_members_and_conditionals_is_bounded),
	        cmocka_unit_test(ten_megabytes_of_statements_are_bounded),
	        cmocka_unit_test(an_initialiser_of_half_a_billion_elements_is_bounded),
	        cmocka_unit_test(an_array_of_most_of_the_address_space_is_bounded),
	        cmocka_unit_test(an_inline_bomb_is_bounded),
	        cmocka_unit_test(recursion_is_bounded),
	        cmocka_unit_test(five_thousand_overloads_are_bounded),
	        cmocka_unit_test(loops_nested_a_thousand_deep_are_bounded),
	        cmocka_unit_test(a_constant_expression_that_never_ends_is_bounded),
	        cmocka_unit_test(headers_that_double_are_refused_for_their_work),
	        cmocka_unit_test(debug_pragmas_harm_only_their_child),
	        cmocka_unit_test(inline_assembly_is_no_way_out),
	        cmocka_unit_test(a_message_that_is_no_program_is_refused),
	        cmocka_unit_test(an_asker_that_says_nothing_is_dropped_at_the_deadline),
	        cmocka_unit_test(an_asker_that_goes_away_is_forgotten),
	        cmocka_unit_test(more_programs_than_children_are_refused_and_later_served),
	        cmocka_unit_test(a_ticket_of_the_wrong_form_is_dropped),
	        cmocka_unit_test(what_is_analysed_in_the_background_is_answered),
	        cmocka_unit_test(a_start_by_anybody_else_is_refused),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("hostile", tests, start, stop);
}
