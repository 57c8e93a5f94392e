/* SPDX-License-Identifier: Apache-2.0 */
/* Forms of the language analysed, and compared with other spellings of them. */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/answer/predict.h"
#include "model/frontend/lower.h"
#include "model/ir/text.h"
#include "tests/unit/failures/failing.h"
#include "tests/unit/frontend/forms.h"
#include "tests/unit/golden/golden_device.h"

#define ARGUMENTS                                                                                  \
	"kernel void f(global float *a, global int *b, global float4 *v, local int *l, int n, "    \
	"uint u, float x, long z, double d, global uchar *c, half h)"

static char *source_of(const struct form *form)
{
	char *source = NULL;
	assert_true(asprintf(&source, "%s\n%s { int i = get_global_id(0); %s }",
	                     form->head != NULL ? form->head : "", ARGUMENTS, form->body) > 0);
	return source;
}

struct ir_kernel *form_kernel(const struct form *form, const char *options)
{
	char *source = source_of(form);
	struct error error = {0};
	struct ir_kernel **kernels = NULL;
	size_t count = 0;
	const struct frontend_program program = {.name = "form.cl",
	                                         .source = source,
	                                         .source_bytes = strlen(source),
	                                         .options = options};
	if (frontend_analyse(&program, &kernels, &count, NULL, &error) != STATUS_OK)
		fail_msg("%s: %s", form->body, error.text);
	assert_int_equal(count, 1);
	struct ir_kernel *kernel = kernels[0];
	free(kernels);
	free(source);
	return kernel;
}

/* ---- the same, with calls that fail -----------------------------------------------------------
 */

static enum CXChildVisitResult visit_kernel(CXCursor cursor, CXCursor parent, CXClientData data)
{
	CXCursor *kernel = data;
	(void)parent;
	if (clang_getCursorKind(cursor) != CXCursor_FunctionDecl ||
	    !clang_isCursorDefinition(cursor) || !cursor_is(cursor, "f"))
		return CXChildVisit_Continue;
	*kernel = cursor;
	return CXChildVisit_Break;
}

/* Lowered with calls that fail one at a time: as before, or with a reason. */
static void assert_failures_have_a_reason(struct translation *translation, CXCursor function,
                                          enum failing kind, const char *text)
{
	unsigned long total = 0, step = 1;
	for (unsigned long n = 0; n <= total; n += n == 0 ? 1 : step) {
		char *other = NULL;
		struct error error;
		failing_set(kind, n);
		struct ir_kernel *kernel = lower_kernel(translation, function, NULL);
		unsigned long count = failing_end();
		if (n == 0) {
			total = count;
			step = total > FORM_POINTS ? total / FORM_POINTS : 1;
		}
		if (kernel == NULL)
			continue; /* no memory */
		assert_int_equal(kernel_format(kernel, 1 << 20, &other, &error), STATUS_OK);
		if (kernel->unsupported[0] == '\0' && strcmp(text, other) != 0)
			fail_msg("call %lu of %lu: want\n%s\ngot\n%s", n, total, text, other);
		free(other);
		kernel_free(kernel);
	}
}

static void assert_survives_failures(const struct form *form, const char *options, const char *text)
{
	char *source = source_of(form);
	struct translation translation;
	struct error error;
	CXCursor function = clang_getNullCursor();
	const struct frontend_program program = {.name = "form.cl",
	                                         .source = source,
	                                         .source_bytes = strlen(source),
	                                         .options = options};
	if (translation_open(&translation, &program, &error) != STATUS_OK)
		fail_msg("%s: %s", form->body, error.text);
	(void)clang_visitChildren(clang_getTranslationUnitCursor(translation.unit), visit_kernel,
	                          &function);
	assert_false(clang_Cursor_isNull(function));
	assert_failures_have_a_reason(&translation, function, FAILING_BUILDER, text);
	assert_failures_have_a_reason(&translation, function, FAILING_ARENA, text);
	translation_close(&translation);
	free(source);
}

/* The text of a form's kernel, and where `result` is not NULL the kernel. */
static char *form_text(const struct form *form, const char *options, struct ir_kernel **result)
{
	struct error error;
	char *text = NULL;
	struct ir_kernel *kernel = form_kernel(form, options);
	if (kernel->unsupported[0] != '\0')
		fail_msg("%s: %s", form->body, kernel->unsupported);
	assert_int_equal(kernel_format(kernel, 1 << 20, &text, &error), STATUS_OK);
	if (result != NULL)
		*result = kernel;
	else
		kernel_free(kernel);
	assert_survives_failures(form, options, text);
	return text;
}

/* The form's kernel has a time on a GPU and on a CPU, by each model. */
static void assert_predicted(const struct form *form, const struct ir_kernel *kernel)
{
	static const uint64_t sizes[] = {4096, 4096, 65536, 256, 0, 0, 0, 0, 0, 4096, 0};
	struct launch launch = {.dimensions = 1,
	                        .global = {1024, 1, 1},
	                        .local = {64, 1, 1},
	                        .has_local = true,
	                        .argument_count = sizeof sizes / sizeof sizes[0]};
	struct prediction *prediction = calloc(1, sizeof *prediction);
	struct device device;
	struct error error;
	assert_non_null(prediction);
	for (uint32_t i = 0; i < launch.argument_count; i++) {
		launch.arguments[i].kind = kernel->arguments[i].kind;
		launch.arguments[i].type = kernel->arguments[i].type;
		launch.arguments[i].size_bytes = sizes[i];
		launch.arguments[i].access = BUFFER_READ_WRITE;
	}
	golden_device(&device);
	for (unsigned is_cpu = 0; is_cpu < 2; is_cpu++) {
		device.type = is_cpu ? DEVICE_CPU : DEVICE_GPU;
		device.coefficient[COEFFICIENT_WARP_ITEMS].value = is_cpu ? 1 : 32;
		for (unsigned model = 0; model < MODEL_COUNT; model++) {
			struct prediction_options how = {.model = (enum kernel_model)model};
			if (predict(kernel, &device, &launch, &how, prediction, &error) !=
			    STATUS_OK)
				fail_msg("%s: %s", form->body, error.text);
			assert_true(prediction->kernel_time_s > 0 &&
			            prediction->kernel_time_s < 1e3);
		}
	}
	free(prediction);
}

void assert_analysed(const struct form *forms, size_t count, const char *options)
{
	for (size_t i = 0; i < count; i++) {
		struct ir_kernel *kernel;
		char *text = form_text(&forms[i], options, &kernel);
		if (strstr(text, "store") == NULL && strstr(text, "atomic") == NULL)
			fail_msg("%s: stores nothing:\n%s", forms[i].body, text);
		free(text);
		assert_predicted(&forms[i], kernel);
		kernel_free(kernel);
	}
}

/* What differs is printed, each; then the test fails. */
void assert_same(const struct form *forms, size_t count, const char *options)
{
	unsigned failures = 0;
	for (size_t i = 0; i < count; i++) {
		const struct form other = {.head = forms[i].head, .body = forms[i].expected};
		char *one = form_text(&forms[i], options, NULL);
		char *two = other.body != NULL ? form_text(&other, options, NULL) : NULL;
		if (two != NULL && strcmp(one, two) != 0) {
			fprintf(stderr, "%s\n%s\n%s\n", forms[i].body, one, two);
			failures++;
		}
		free(one);
		free(two);
	}
	if (failures > 0)
		fail_msg("%u forms differ", failures);
}

void assert_refused(const struct form *forms, size_t count, const char *options)
{
	unsigned failures = 0;
	for (size_t i = 0; i < count; i++) {
		struct ir_kernel *kernel = form_kernel(&forms[i], options);
		const char *reason =
		        kernel->unsupported[0] != '\0' ? kernel->unsupported : kernel->unknown;
		if (forms[i].expected == NULL ? reason[0] != '\0'
		                              : strstr(reason, forms[i].expected) == NULL) {
			fprintf(stderr, "%s: \"%s\"\n", forms[i].body, reason);
			failures++;
		}
		kernel_free(kernel);
	}
	if (failures > 0)
		fail_msg("%u forms have another reason", failures);
}

void assert_part(const struct form *forms, size_t count, const char *options)
{
	unsigned failures = 0;
	for (size_t i = 0; i < count; i++) {
		char *text = form_text(&forms[i], options, NULL);
		if (strstr(text, forms[i].expected) == NULL) {
			fprintf(stderr, "%s: no \"%s\" in\n%s\n", forms[i].body, forms[i].expected,
			        text);
			failures++;
		}
		free(text);
	}
	if (failures > 0)
		fail_msg("%u forms are otherwise", failures);
}
