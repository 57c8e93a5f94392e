/* SPDX-License-Identifier: Apache-2.0 */
/* Sources analysed, and their IR counted. */
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>

#include "model/ir/text.h"
#include "model/passes/passes.h"
#include "tests/unit/frontend/analysis.h"

static struct ir_kernel *first_kernel(const char *source, const char *options)
{
	struct frontend_program program = {.name = "test.cl",
	                                   .source = source,
	                                   .source_bytes = strlen(source),
	                                   .options = options};
	struct ir_kernel **kernels;
	struct error error = {0};
	size_t count;
	if (frontend_analyse(&program, &kernels, &count, NULL, &error) != STATUS_OK)
		fail_msg("%s", error.text);
	if (count == 0)
		fail_msg("no kernel");
	struct ir_kernel *kernel = kernels[0];
	for (size_t i = 1; i < count; i++)
		kernel_free(kernels[i]);
	free(kernels);
	return kernel;
}

struct ir_kernel *analyse(const char *source, const char *options)
{
	struct ir_kernel *kernel = first_kernel(source, options);
	if (kernel->unsupported[0] != '\0')
		fail_msg("unsupported: %s", kernel->unsupported);
	return kernel;
}

void assert_unsupported(const char *source, const char *reason)
{
	struct ir_kernel *kernel = first_kernel(source, NULL);
	if (strstr(kernel->unsupported, reason) == NULL)
		fail_msg("want \"%s\", got \"%s\"", reason, kernel->unsupported);
	assert_non_null(kernel->summary);
	kernel_free(kernel);
}

enum status analyse_status(const char *source, const char *options, struct error *error)
{
	struct frontend_program program = {.name = "test.cl",
	                                   .source = source,
	                                   .source_bytes = strlen(source),
	                                   .options = options};
	struct ir_kernel **kernels;
	size_t count;
	enum status status = frontend_analyse(&program, &kernels, &count, NULL, error);
	if (status == STATUS_OK)
		frontend_free(kernels, count);
	return status;
}

unsigned count_accesses(const struct ir_kernel *kernel, enum access_kind kind, const char *object)
{
	unsigned count = 0;
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (kernel->accesses[i].kind == kind &&
		    strcmp(kernel->objects[kernel->accesses[i].object].name, object) == 0)
			count++;
	return count;
}

const struct ir_access *access_of(const struct ir_kernel *kernel, enum access_kind kind,
                                  const char *object)
{
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (kernel->accesses[i].kind == kind &&
		    strcmp(kernel->objects[kernel->accesses[i].object].name, object) == 0)
			return &kernel->accesses[i];
	fail_msg("no such access to %s", object);
	return NULL;
}

unsigned count_statements(const struct ir_kernel *kernel, enum statement_kind kind)
{
	unsigned count = 0;
	for (uint32_t i = 0; i < kernel->statement_count; i++)
		count += kernel->statements[i].kind == kind;
	return count;
}

unsigned count_nodes(const struct ir_kernel *kernel, enum node_op op)
{
	unsigned count = 0;
	for (uint32_t i = 0; i < kernel->node_count; i++)
		count += kernel->nodes[i].op == op && kernel->summary->node_block[i] != IR_NONE;
	return count;
}

unsigned count_written(const struct ir_kernel *kernel, enum op_class op_class,
                       enum type_class type_class)
{
	unsigned count = 0;
	for (uint32_t i = 0; i < kernel->written_count; i++) {
		const struct ir_written *w = &kernel->written[i];
		if (w->access == IR_NONE && w->op_class == op_class && w->type_class == type_class)
			count += w->count;
	}
	return count;
}

unsigned count_written_accesses(const struct ir_kernel *kernel, bool repeated)
{
	unsigned count = 0;
	for (uint32_t i = 0; i < kernel->written_count; i++)
		if (kernel->written[i].access != IR_NONE && kernel->written[i].repeated == repeated)
			count += kernel->written[i].count;
	return count;
}

static bool text_contains(const struct ir_kernel *kernel, const char *part, char **text)
{
	struct error error;
	assert_int_equal(kernel_format(kernel, 1 << 20, text, &error), STATUS_OK);
	return strstr(*text, part) != NULL;
}

void assert_text(const struct ir_kernel *kernel, const char *part)
{
	char *text;
	if (!text_contains(kernel, part, &text))
		fail_msg("no \"%s\" in\n%s", part, text);
	free(text);
}

void assert_no_text(const struct ir_kernel *kernel, const char *part)
{
	char *text;
	if (text_contains(kernel, part, &text))
		fail_msg("\"%s\" in\n%s", part, text);
	free(text);
}
