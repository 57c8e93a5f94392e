/* SPDX-License-Identifier: Apache-2.0 */
/* ir_dump FILE.cl [OPTIONS]: the IR of every kernel, with its counts per block. For developers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/frontend/frontend.h"
#include "model/ir/text.h"
#include "model/passes/passes.h"

static char *file_read(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "rb");
	char *text = NULL;
	long size;
	if (file == NULL)
		return NULL;
	if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0) {
		rewind(file);
		text = malloc((size_t)size + 1);
		if (text != NULL)
			*bytes = fread(text, 1, (size_t)size, file);
	}
	(void)fclose(file);
	return text;
}

static void print_written(const struct ir_kernel *kernel)
{
	for (uint32_t i = 0; i < kernel->written_count; i++) {
		const struct ir_written *w = &kernel->written[i];
		if (w->access != IR_NONE)
			printf("  written block %u: %s access %u to %s x%u\n", w->block,
			       w->repeated ? "repeated" : "first", w->access,
			       kernel->objects[kernel->accesses[w->access].object].name, w->count);
		else
			printf("  written block %u: %s %s x%u\n", w->block,
			       op_class_name((enum op_class)w->op_class),
			       type_class_name((enum type_class)w->type_class), w->count);
	}
}

static void print_emitted(const struct ir_kernel *kernel)
{
	if (kernel->summary == NULL || kernel->summary->emitted == NULL)
		return;
	for (uint32_t b = 0; b < kernel->block_count; b++)
		for (int op = 0; op < OP_CLASS_COUNT; op++)
			for (int type = 0; type < TYPE_CLASS_COUNT; type++) {
				double n = (double)kernel->summary->emitted[b].operation[op][type];
				if (n > 0)
					printf("  emitted block %u: %s %s x%g\n", b,
					       op_class_name((enum op_class)op),
					       type_class_name((enum type_class)type), n);
			}
}

static int print_kernel(const struct ir_kernel *kernel)
{
	struct error error;
	char *text;
	if (kernel->unsupported[0] != '\0')
		printf("unsupported %s: %s\n", kernel->name, kernel->unsupported);
	if (kernel_format(kernel, 1 << 20, &text, &error) != STATUS_OK) {
		fprintf(stderr, "ir_dump: %s: %s\n", kernel->name, error.text);
		return 1;
	}
	fputs(text, stdout);
	free(text);
	print_written(kernel);
	print_emitted(kernel);
	return 0;
}

int main(int argc, char **argv)
{
	struct error error;
	struct ir_kernel **kernels;
	size_t count;
	int failed = 0;
	if (argc < 2) {
		fprintf(stderr, "usage: ir_dump FILE.cl [OPTIONS]\n");
		return 2;
	}
	struct frontend_program program = {.name = argv[1], .options = argc > 2 ? argv[2] : NULL};
	char *source = file_read(argv[1], &program.source_bytes);
	program.source = source;
	if (source == NULL) {
		fprintf(stderr, "ir_dump: %s: cannot read\n", argv[1]);
		return 1;
	}
	if (frontend_analyse(&program, &kernels, &count, NULL, &error) != STATUS_OK) {
		fprintf(stderr, "ir_dump: %s: %s\n", status_word(error.status), error.text);
		free(source);
		return 1;
	}
	for (size_t i = 0; i < count; i++)
		failed |= print_kernel(kernels[i]);
	frontend_free(kernels, count);
	free(source);
	return failed;
}
