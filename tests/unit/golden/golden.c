/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Golden tests: what the analysis finds in a kernel, against what a person read
 * in it. Each kernel file of tests/kernels carries lines
 *
 *   // launch: ...                     see golden_file.h; what follows is about this launch
 *   // expect: kernel NAME             a kernel of the source; what follows is about it
 *   // expect: argument NAME KIND [TYPE]
 *   // expect: written CLASS.TYPE N    operations of the syntax tree per work-item, loops
 * multiplied
 *   // expect: emitted CLASS.TYPE N    the same as a compiler would emit them
 *   // expect: load|store|atomic OBJECT PATTERN     some such access has the paper's pattern
 *   // expect: segments OBJECT N       some access of a warp touches N segments of 32 bytes
 *   // expect: ways OBJECT N           some access to local memory has N-way bank conflicts
 *   // expect: executions OBJECT N     some access is executed N times per work-item
 *   // expect: accesses N              accesses of the IR
 *   // expect: folded OBJECT           a compiler knows what some access to it reads
 *   // expect: trips LINE N            rounds of the loop in that line per entry
 *   // expect: barriers N              passed per work-item
 *   // expect: local_bytes N           of the program's __local arrays
 *   // expect: required_local X Y Z    reqd_work_group_size
 *   // expect: data_dependent          the answer says that data decide
 *   // expect: data_known              it does not, since samples tell them
 *   // expect: turns OBJECT N          some atomic's warp takes N turns
 *   // expect: hot OBJECT N            and its hottest line has such a share of all
 *   // expect: fallback TEXT           not analysed, and the reason contains TEXT
 *   // expect: ir LINE                 a line of the text form, blanks aside
 *
 * A number with ~ before it is one that the analysis may take from samples: within ten per cent,
 * where others are within two.
 *
 * One test per file; a line that fails is printed as file:line: want, got.
 */
#include "tests/test.h"

#include "model/answer/predict.h"
#include "model/correction/state.h"
#include "model/evaluate/evaluate.h"
#include "model/frontend/frontend.h"
#include "model/ir/text.h"
#include "model/passes/passes.h"
#include "tests/unit/golden/golden_device.h"
#include "tests/unit/golden/golden_file.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const argument_words[ARGUMENT_KIND_COUNT] = {
        [ARGUMENT_BUFFER] = "buffer", [ARGUMENT_SCALAR] = "scalar", [ARGUMENT_LOCAL] = "local",
        [ARGUMENT_STRUCT] = "struct", [ARGUMENT_IMAGE] = "image",   [ARGUMENT_SAMPLER] = "sampler",
};

static const char *const access_words[ACCESS_KIND_COUNT] = {
        [ACCESS_LOAD] = "load", [ACCESS_STORE] = "store", [ACCESS_ATOMIC] = "atomic"};

/* One file under test: the kernel and launch that its lines are about at the moment. */
struct golden {
	const struct golden_file *file;
	struct device device;
	struct ir_kernel **kernels;
	size_t kernel_count;
	const struct ir_kernel *kernel;
	struct launch launch;
	bool has_launch;
	struct evaluation evaluation;
	struct prediction prediction;
	unsigned failures;
};

static void complain(struct golden *golden, const struct golden_line *line, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

static void complain(struct golden *golden, const struct golden_line *line, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s:%u: want %s, got ", golden->file->path, line->line, line->text);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	golden->failures++;
}

/* Counts are compared within two per cent: work-items at an edge may do less. */
static bool is_near(double got, double want, double relative)
{
	return fabs(got - want) <= relative * fabs(want) + 1e-9;
}

static void expect_number(struct golden *golden, const struct golden_line *line, const char *want,
                          double got)
{
	bool is_sampled = want[0] == '~';
	char *end;

	want += is_sampled;
	double number = strtod(want, &end);
	if (end == want || *end != '\0')
		complain(golden, line, "no number in the line");
	else if (!is_near(got, number, is_sampled ? 0.1 : 0.02))
		complain(golden, line, "%.6g", got);
}

/* ---- launches ------------------------------------------------------------------------------ */

static void leave_launch(struct golden *golden)
{
	evaluation_deinit(&golden->evaluation);
	memset(&golden->evaluation, 0, sizeof golden->evaluation);
	golden_launch_deinit(&golden->launch);
	golden->has_launch = false;
}

/* Evaluates and predicts the launch of a line for the kernel at hand. */
static void enter_launch(struct golden *golden, const struct golden_line *line)
{
	struct error error = {.status = STATUS_OK};
	struct prediction_options options = {.model = MODEL_DEFAULT};

	leave_launch(golden);
	if (golden_launch(line->text, &golden->launch, &error) != STATUS_OK ||
	    launch_check(golden->kernel, &golden->device, &golden->launch, &error) != STATUS_OK ||
	    predict(golden->kernel, &golden->device, &golden->launch, &options, &golden->prediction,
	            &error) != STATUS_OK) {
		complain(golden, line, "%s", error.text);
		return;
	}
	if (golden->kernel->unsupported[0] != '\0')
		return;
	/* what observations teach of other kernels rests on it */
	for (uint32_t i = 0; i < golden->prediction.row_count; i++)
		if (i + 1 < PREDICTION_ROWS_MAX &&
		    work_kind(golden->prediction.rows[i].what) == WORK_KINDS)
			complain(golden, line, "\"%s\" is no known kind of work",
			         golden->prediction.rows[i].what);
	if (evaluate(golden->kernel, &golden->device, &golden->launch, PREDICTION_BUDGET,
	             &golden->evaluation, &error) != STATUS_OK) {
		complain(golden, line, "%s", error.text);
		return;
	}
	golden->has_launch = true;
}

/* ---- expectations -------------------------------------------------------------------------- */

static void expect_kernel(struct golden *golden, const struct golden_line *line, char **words)
{
	golden->kernel = NULL;
	for (size_t i = 0; i < golden->kernel_count; i++)
		if (strcmp(golden->kernels[i]->name, words[1]) == 0)
			golden->kernel = golden->kernels[i];
	if (golden->kernel == NULL) {
		complain(golden, line, "no such kernel");
		golden->kernel = golden->kernels[0];
	}
}

static void expect_argument(struct golden *golden, const struct golden_line *line, char **words)
{
	for (uint32_t i = 0; i < golden->kernel->argument_count; i++) {
		const struct ir_argument *argument = &golden->kernel->arguments[i];
		char type[16];
		if (strcmp(argument->name, words[1]) != 0)
			continue;
		type_format(argument->type, type);
		if (strcmp(argument_words[argument->kind], words[2]) != 0 ||
		    (words[3] != NULL && strcmp(type, words[3]) != 0))
			complain(golden, line, "%s %s", argument_words[argument->kind], type);
		return;
	}
	complain(golden, line, "no such argument");
}

/* "mul.float" -> class and type; false when there is no such. */
static bool parse_operation(const char *text, unsigned *op_class, unsigned *type_class)
{
	for (*op_class = 0; *op_class < OP_CLASS_COUNT; ++*op_class) {
		const char *name = op_class_name((enum op_class) * op_class);
		size_t length = strlen(name);
		if (strncmp(text, name, length) != 0 || text[length] != '.')
			continue;
		for (*type_class = 0; *type_class < TYPE_CLASS_COUNT; ++*type_class)
			if (strcmp(text + length + 1,
			           type_class_name((enum type_class) * type_class)) == 0)
				return true;
	}
	return false;
}

static void expect_operations(struct golden *golden, const struct golden_line *line, char **words)
{
	const struct ir_kernel *kernel = golden->kernel;
	unsigned op, type;
	double count = 0;

	if (!parse_operation(words[1], &op, &type)) {
		complain(golden, line, "no such operation");
		return;
	}
	if (strcmp(words[0], "written") == 0) {
		for (uint32_t i = 0; i < kernel->written_count; i++) {
			const struct ir_written *written = &kernel->written[i];
			if (written->access == IR_NONE && written->op_class == op &&
			    written->type_class == type)
				count += written->count *
				         golden->evaluation.blocks[written->block].executions;
		}
	} else {
		for (uint32_t block = 0; block < kernel->block_count; block++)
			count += (double)kernel->summary->emitted[block].operation[op][type] *
			         golden->evaluation.blocks[block].executions;
	}
	expect_number(golden, line, words[2], count);
}

static const char *object_name(const struct golden *golden, uint32_t access)
{
	return golden->kernel->objects[golden->kernel->accesses[access].object].name;
}

static void expect_pattern(struct golden *golden, const struct golden_line *line, char **words)
{
	char seen[256] = "";

	for (uint32_t i = 0; i < golden->prediction.access_count; i++) {
		const struct prediction_access *found = &golden->prediction.accesses[i];
		const struct ir_access *access = &golden->kernel->accesses[found->access];
		const char *pattern = pattern_name((enum pattern)found->pattern);
		if (strcmp(object_name(golden, found->access), words[1]) != 0 ||
		    strcmp(access_words[access->kind], words[0]) != 0)
			continue;
		if (strcmp(pattern, words[2]) == 0)
			return;
		note_add(seen, sizeof seen, "%s", pattern);
	}
	complain(golden, line, "%s", seen[0] == '\0' ? "no such access" : seen);
}

/* Segments and bank conflict ways, of one execution by a warp. */
static void expect_width(struct golden *golden, const struct golden_line *line, char **words)
{
	char seen[256] = "";
	bool is_sampled = words[2][0] == '~';
	double want = strtod(words[2] + is_sampled, NULL);

	for (uint32_t i = 0; i < golden->kernel->access_count; i++) {
		const struct evaluation_access *access = &golden->evaluation.accesses[i];
		double got = words[0][0] == 's'   ? access->segments
		             : words[0][0] == 'e' ? access->executions
		             : words[0][0] == 'h' ? access->hot_share[0]
		                                  : access->ways;
		if (strcmp(object_name(golden, i), words[1]) != 0)
			continue;
		if (is_near(got, want, is_sampled ? 0.1 : 0.02))
			return;
		note_add(seen, sizeof seen, "%.4g", got);
	}
	complain(golden, line, "%s", seen[0] == '\0' ? "no such access" : seen);
}

static void expect_folded(struct golden *golden, const struct golden_line *line, char **words)
{
	for (uint32_t i = 0; i < golden->kernel->access_count; i++)
		if (strcmp(object_name(golden, i), words[1]) == 0 &&
		    golden->kernel->summary->access_is_folded[i])
			return;
	complain(golden, line, "no such access");
}

static void expect_trips(struct golden *golden, const struct golden_line *line, char **words)
{
	const struct ir_kernel *kernel = golden->kernel;
	uint32_t want = (uint32_t)strtoul(words[1], NULL, 10);

	for (uint32_t i = 0; i < kernel->summary->loop_count; i++) {
		uint32_t statement = kernel->summary->loops[i].statement;
		if (kernel->statements[statement].line == want) {
			expect_number(golden, line, words[2], golden->evaluation.loops[i].trips);
			return;
		}
	}
	complain(golden, line, "no loop in that line");
}

static void expect_barriers(struct golden *golden, const struct golden_line *line, char **words)
{
	double count = 0;

	for (uint32_t i = 0; i < golden->kernel->statement_count; i++) {
		const struct ir_statement *statement = &golden->kernel->statements[i];
		if (statement->kind == STATEMENT_BARRIER)
			count += golden->evaluation.blocks[statement->block].executions;
	}
	expect_number(golden, line, words[1], count);
}

static void expect_required(struct golden *golden, const struct golden_line *line, char **words)
{
	const uint32_t *got = golden->kernel->required_local;

	for (unsigned i = 0; i < 3; i++)
		if (words[1 + i] == NULL || strtoul(words[1 + i], NULL, 10) != got[i]) {
			complain(golden, line, "%u %u %u", got[0], got[1], got[2]);
			return;
		}
}

static void expect_fallback(struct golden *golden, const struct golden_line *line)
{
	const char *want = line->text + strlen("fallback ");

	if (strstr(golden->kernel->unsupported, want) == NULL)
		complain(golden, line, "\"%s\"", golden->kernel->unsupported);
	else if (golden->prediction.basis != BASIS_FALLBACK ||
	         strstr(golden->prediction.note, want) == NULL)
		complain(golden, line, "basis %s, note \"%s\"",
		         basis_name((enum basis)golden->prediction.basis), golden->prediction.note);
}

static void squeeze(char *text)
{
	char *to = text;

	for (const char *from = text; *from != '\0'; from++)
		if (!isspace((unsigned char)*from))
			*to++ = *from;
	*to = '\0';
}

static void expect_ir(struct golden *golden, const struct golden_line *line)
{
	struct error error;
	char *text = NULL;
	char want[GOLDEN_TEXT_MAX];
	bool is_found = false;

	strcpy(want, line->text + strlen("ir "));
	squeeze(want);
	if (kernel_format(golden->kernel, 1 << 20, &text, &error) != STATUS_OK) {
		complain(golden, line, "%s", error.text);
		return;
	}
	for (char *rest, *at = strtok_r(text, "\n", &rest); at != NULL;
	     at = strtok_r(NULL, "\n", &rest)) {
		squeeze(at);
		is_found = is_found || strcmp(at, want) == 0;
	}
	free(text);
	if (!is_found)
		complain(golden, line, "no such line");
}

/* Checks one line; the table says how many words it takes and whether it needs a launch. */
static void expect_line(struct golden *golden, const struct golden_line *line)
{
	static const struct {
		const char *word;
		unsigned words;
		bool needs_launch;
		void (*expect)(struct golden *, const struct golden_line *, char **);
	} table[] = {
	        {"kernel", 2, false, expect_kernel},
	        {"argument", 3, false, expect_argument},
	        {"written", 3, true, expect_operations},
	        {"emitted", 3, true, expect_operations},
	        {"load", 3, true, expect_pattern},
	        {"store", 3, true, expect_pattern},
	        {"atomic", 3, true, expect_pattern},
	        {"segments", 3, true, expect_width},
	        {"ways", 3, true, expect_width},
	        {"turns", 3, true, expect_width},
	        {"hot", 3, true, expect_width},
	        {"executions", 3, true, expect_width},
	        {"trips", 3, true, expect_trips},
	        {"folded", 2, true, expect_folded},
	        {"barriers", 2, true, expect_barriers},
	        {"required_local", 4, false, expect_required},
	};
	char copy[GOLDEN_TEXT_MAX];
	char *words[6] = {NULL};
	unsigned count = 0;

	strcpy(copy, line->text);
	for (char *rest, *word = strtok_r(copy, " ", &rest); word != NULL && count < 5;
	     word = strtok_r(NULL, " ", &rest))
		words[count++] = word;
	if (count == 0) {
		complain(golden, line, "an empty line");
		return;
	}
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		if (strcmp(words[0], table[i].word) != 0)
			continue;
		if (count < table[i].words)
			complain(golden, line, "a line of %u words", count);
		else if (table[i].needs_launch && !golden->has_launch)
			complain(golden, line, "no launch that was analysed");
		else
			table[i].expect(golden, line, words);
		return;
	}
	if (strcmp(words[0], "fallback") == 0)
		expect_fallback(golden, line);
	else if (strcmp(words[0], "ir") == 0)
		expect_ir(golden, line);
	else if (strcmp(words[0], "accesses") == 0 && count == 2)
		expect_number(golden, line, words[1], golden->kernel->access_count);
	else if (strcmp(words[0], "local_bytes") == 0 && count == 2)
		expect_number(golden, line, words[1], (double)golden->kernel->summary->local_bytes);
	else if (strcmp(words[0], "data_dependent") == 0) {
		if (!golden->prediction.is_data_dependent)
			complain(golden, line, "no word of it");
	} else if (strcmp(words[0], "data_known") == 0) {
		if (golden->prediction.is_data_dependent)
			complain(golden, line, "\"%s\"", golden->prediction.note);
	} else
		complain(golden, line, "a word that is not known");
}

/* ---- files --------------------------------------------------------------------------------- */

static void kernel_is_as_read(void **state)
{
	struct golden_file file;
	struct error error = {.status = STATUS_OK};
	struct golden *golden = calloc(1, sizeof *golden);
	bool has_launch_line = false;

	assert_non_null(golden);
	if (golden_file_init(&file, *state, &error) != STATUS_OK)
		fail_msg("%s", error.text);
	struct frontend_program program = {.name = file.path,
	                                   .source = file.source,
	                                   .source_bytes = file.source_bytes,
	                                   .options = file.options};
	golden->file = &file;
	golden_device(&golden->device);
	if (frontend_analyse(&program, &golden->kernels, &golden->kernel_count, NULL, &error) !=
	    STATUS_OK) {
		golden_file_deinit(&file);
		free(golden);
		fail_msg("%s: %s", (const char *)*state, error.text);
	}
	if (golden->kernel_count == 0)
		fail_msg("%s: no kernel", file.path);
	golden->kernel = golden->kernels[0];
	for (unsigned i = 0; i < file.count; i++) {
		has_launch_line = has_launch_line || file.lines[i].is_launch;
		if (file.lines[i].is_launch)
			enter_launch(golden, &file.lines[i]);
		else
			expect_line(golden, &file.lines[i]);
	}
	unsigned failures = golden->failures, expectations = file.count;
	leave_launch(golden);
	frontend_free(golden->kernels, golden->kernel_count);
	golden_file_deinit(&file);
	free(golden);
	if (!has_launch_line || expectations < 5)
		fail_msg("%s: want a launch and four expectations", (const char *)*state);
	if (failures > 0)
		fail_msg("%s: %u of its lines fail", (const char *)*state, failures);
}

int main(int argc, char **argv)
{
	size_t count = argc > 1 ? (size_t)argc - 1 : 0;
	struct CMUnitTest *tests = calloc(count + 1, sizeof *tests);

	if (tests == NULL || count == 0) {
		fprintf(stderr, "golden: want kernel files\n");
		return 2;
	}
	for (size_t i = 0; i < count; i++) {
		const char *name = strrchr(argv[i + 1], '/');
		tests[i].name = name == NULL ? argv[i + 1] : name + 1;
		tests[i].test_func = kernel_is_as_read;
		tests[i].initial_state = argv[i + 1];
	}
	cmocka_set_message_output(CM_OUTPUT_TAP);
	int failed = _cmocka_run_group_tests("golden", tests, count, NULL, NULL);
	free(tests);
	return failed;
}
