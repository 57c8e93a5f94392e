/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that fail once, from a kernel's source to its prediction: usage:
 * test_failures POINTS FILE.cl... Of each file's calls of a kind so many fail, one
 * at a time, spread evenly. What comes back is an error with a reason, a kernel that says why it
 * was not analysed, or what comes back otherwise; and the next time all is as it was.
 */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/codec/ir_codec.h"
#include "model/answer/predict.h"
#include "model/frontend/lower.h"
#include "model/ir/text.h"
#include "tests/unit/failures/failing.h"
#include "tests/unit/golden/golden_device.h"
#include "tests/unit/golden/golden_file.h"
#include "tests/unit/predict/kernels.h"

/* LOWERINGS: how many more calls fail where nothing is parsed */
enum { KERNELS_MAX = 16, TEXT_MAX = 1 << 20, BUDGET = 1 << 16, LOWERINGS = 8 };

static unsigned long points;

/* A program, and what comes of it when nothing fails. */
struct subject {
	struct golden_file file;
	struct frontend_program program;
	struct ir_kernel **kernels;
	size_t count;
	char *texts[KERNELS_MAX];
	/* parsed once, for what fails after it */
	struct translation translation;
	CXCursor functions[KERNELS_MAX];
	size_t function_count, lowered;
};

static char *text_of(const struct ir_kernel *kernel)
{
	struct error error;
	char *text = NULL;
	assert_int_equal(kernel_format(kernel, TEXT_MAX, &text, &error), STATUS_OK);
	return text;
}

static enum CXChildVisitResult visit_function(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct subject *subject = data;
	uint32_t required[3];
	bool has_body;
	(void)parent;
	if (clang_getCursorKind(cursor) == CXCursor_FunctionDecl &&
	    subject->function_count < KERNELS_MAX &&
	    function_is_kernel(&subject->translation, cursor, required, &has_body) && has_body)
		subject->functions[subject->function_count++] = cursor;
	return CXChildVisit_Continue;
}

static void subject_init(struct subject *subject, const char *path)
{
	struct error error = {.status = STATUS_OK};
	memset(subject, 0, sizeof *subject);
	if (golden_file_init(&subject->file, path, &error) != STATUS_OK)
		fail_msg("%s", error.text);
	subject->program = (struct frontend_program){.name = path,
	                                             .source = subject->file.source,
	                                             .source_bytes = subject->file.source_bytes,
	                                             .options = subject->file.options};
	if (frontend_analyse(&subject->program, &subject->kernels, &subject->count, NULL, &error) !=
	    STATUS_OK)
		fail_msg("%s", error.text);
	assert_in_range(subject->count, 1, KERNELS_MAX);
	for (size_t i = 0; i < subject->count; i++)
		subject->texts[i] = text_of(subject->kernels[i]);
	if (translation_open(&subject->translation, &subject->program, &error) != STATUS_OK)
		fail_msg("%s", error.text);
	(void)clang_visitChildren(clang_getTranslationUnitCursor(subject->translation.unit),
	                          visit_function, subject);
	assert_int_equal(subject->function_count, subject->count);
}

static void subject_deinit(struct subject *subject)
{
	for (size_t i = 0; i < subject->count; i++)
		free(subject->texts[i]);
	frontend_free(subject->kernels, subject->count);
	translation_close(&subject->translation);
	golden_file_deinit(&subject->file);
}

/* One thing that is done, with calls that fail: false when it gives what it may not give. */
typedef bool doing(struct subject *subject);

/* Lets calls of one kind fail, one at a time and at most so many; then none. */
static void sweep(struct subject *subject, doing *attempt, enum failing kind, unsigned long most,
                  const char *what)
{
	failing_set(kind, 0);
	bool is_well = attempt(subject);
	unsigned long total = failing_end();
	if (!is_well)
		fail_msg("%s: %s: not what it was", subject->file.path, what);
	unsigned long step = total > most ? total / most : 1;
	for (unsigned long n = 1; n <= total; n += step) {
		failing_set(kind, n);
		is_well = attempt(subject);
		(void)failing_end();
		if (!is_well)
			fail_msg("%s: %s: call %lu of %lu", subject->file.path, what, n, total);
	}
	if (!attempt(subject))
		fail_msg("%s: %s: not what it was, after failures", subject->file.path, what);
}

static bool has_reason(enum status status, const struct error *error)
{
	return (status == STATUS_NO_MEMORY || status == STATUS_LIMIT) && error->text[0] != '\0';
}

static bool analysed(struct subject *subject)
{
	struct ir_kernel **kernels = NULL;
	struct error error = {.status = STATUS_OK};
	size_t count = 0;
	enum status status = frontend_analyse(&subject->program, &kernels, &count, NULL, &error);
	(void)failing_end();
	if (status != STATUS_OK)
		return has_reason(status, &error);
	bool is_well = count == subject->count;
	for (size_t i = 0; i < count && is_well; i++) {
		char *text = text_of(kernels[i]);
		is_well =
		        strcmp(text, subject->texts[i]) == 0 || kernels[i]->unsupported[0] != '\0';
		free(text);
	}
	frontend_free(kernels, count);
	return is_well;
}

/* One kernel of the program, without parsing it anew. */
static bool lowered(struct subject *subject)
{
	size_t i = subject->lowered;
	struct ir_kernel *kernel = lower_kernel(&subject->translation, subject->functions[i], NULL);
	(void)failing_end();
	if (kernel == NULL)
		return true; /* no memory */
	char *text = text_of(kernel);
	bool is_well = strcmp(text, subject->texts[i]) == 0 || kernel->unsupported[0] != '\0';
	free(text);
	kernel_free(kernel);
	return is_well;
}

static bool sent(struct subject *subject)
{
	bool is_well = true;
	for (size_t i = 0; i < subject->count && is_well; i++) {
		struct ir_kernel *kernel = NULL;
		struct error error = {.status = STATUS_OK};
		Predictd__IrKernel *message = ir_encode(subject->kernels[i]);
		if (message == NULL)
			continue;
		enum status status = ir_decode(message, &kernel, &error);
		if (status != STATUS_OK)
			is_well = has_reason(status, &error);
		kernel_free(kernel);
		predictd__ir_kernel__free_unpacked(message, NULL);
	}
	return is_well;
}

static bool printed(struct subject *subject)
{
	struct error error = {.status = STATUS_OK};
	char *text = NULL;
	enum status status = kernel_format(subject->kernels[0], TEXT_MAX, &text, &error);
	bool is_well = status == STATUS_OK ? strcmp(text, subject->texts[0]) == 0
	                                   : has_reason(status, &error);
	free(text);
	return is_well;
}

/* Every launch of the file, by every model, on three devices. */
static bool predicted(struct subject *subject)
{
	static struct device devices[3];
	static struct prediction prediction;
	static struct launch launch;
	if (!devices[0].is_calibrated) {
		struct device *gpu = device_gpu(), *cpu = device_cpu();
		golden_device(&devices[0]);
		devices[1] = *gpu;
		devices[2] = *cpu;
		free(gpu);
		free(cpu);
	}
	struct error error = {.status = STATUS_OK};
	for (unsigned line = 0; line < subject->file.count; line++) {
		if (!subject->file.lines[line].is_launch ||
		    golden_launch(subject->file.lines[line].text, &launch, &error) != STATUS_OK)
			continue;
		for (unsigned i = 0; i < 3 * MODEL_COUNT; i++) {
			const struct prediction_options options = {
			        .model = (enum kernel_model)(i % MODEL_COUNT), .budget = BUDGET};
			const struct device *device = &devices[i / MODEL_COUNT];
			if (launch_check(subject->kernels[0], device, &launch, &error) != STATUS_OK)
				continue;
			enum status status = predict(subject->kernels[0], device, &launch, &options,
			                             &prediction, &error);
			if (status != STATUS_OK && !has_reason(status, &error))
				return false;
			if (status == STATUS_OK && !(prediction.kernel_time_s > 0))
				return false;
		}
	}
	return true;
}

static void every_failure_is_an_error_or_no_loss(void **state)
{
	struct subject subject;
	subject_init(&subject, *state);
	sweep(&subject, analysed, FAILING_MEMORY, points, "analysed without memory");
	for (size_t i = 0; i < subject.count && subject.translation.unknown[0] == '\0'; i++) {
		subject.lowered = i;
		sweep(&subject, lowered, FAILING_BUILDER, LOWERINGS * points,
		      "lowered without room in the kernel");
		sweep(&subject, lowered, FAILING_ARENA, LOWERINGS * points,
		      "lowered without room for values");
	}
	sweep(&subject, sent, FAILING_MEMORY, points, "sent without memory");
	sweep(&subject, printed, FAILING_MEMORY, points, "printed without memory");
	sweep(&subject, predicted, FAILING_MEMORY, points, "predicted without memory");
	subject_deinit(&subject);
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: test_failures POINTS FILE.cl...\n");
		return 2;
	}
	size_t count = (size_t)argc - 2;
	struct CMUnitTest *tests = calloc(count, sizeof *tests);
	if (tests == NULL)
		return 2;
	points = strtoul(argv[1], NULL, 10);
	for (size_t i = 0; i < count; i++) {
		const char *name = strrchr(argv[i + 2], '/');
		tests[i].name = name == NULL ? argv[i + 2] : name + 1;
		tests[i].test_func = every_failure_is_an_error_or_no_loss;
		tests[i].initial_state = argv[i + 2];
	}
	cmocka_set_message_output(CM_OUTPUT_TAP);
	int failed = _cmocka_run_group_tests("failures", tests, count, NULL, NULL);
	free(tests);
	return failed;
}
