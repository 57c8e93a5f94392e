/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analyse IN OUT OUT.S, while predictd is built: the cases of a packed Corpus with the IR
 * of their kernels, and what puts that into a program. The calibrator itself parses
 * no source.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/ir_codec.h"
#include "model/frontend/frontend.h"

enum { CORPUS_BYTES_MAX = 16 << 20 };

static uint8_t *file_read(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = malloc(CORPUS_BYTES_MAX);
	*size = file != NULL && bytes != NULL ? fread(bytes, 1, CORPUS_BYTES_MAX, file) : 0;
	if (file != NULL)
		(void)fclose(file);
	if (*size > 0 && *size < CORPUS_BYTES_MAX)
		return bytes;
	(void)fprintf(stderr, "analyse: %s: cannot be read, or is too large\n", path);
	free(bytes);
	return NULL;
}

/* Sets the IR of a case; false, having said why, when its kernel is outside the language. */
static bool case_analyse(Predictd__CorpusCase *one)
{
	const Predictd__Program *program = one->what->program;
	const struct frontend_program source = {.name = program->name,
	                                        .source = (const char *)program->source.data,
	                                        .source_bytes = program->source.len,
	                                        .options = program->options};
	struct ir_kernel **kernels = NULL;
	struct error error = {0};
	size_t count = 0;
	const char *why = NULL;
	if (frontend_analyse(&source, &kernels, &count, &error) != STATUS_OK)
		why = error.text;
	else if (count != 1)
		why = "want one kernel";
	else if (kernels[0]->unsupported[0] != '\0')
		why = kernels[0]->unsupported;
	else if ((one->ir = ir_encode(kernels[0])) == NULL)
		why = "no memory";
	if (why != NULL)
		(void)fprintf(stderr, "analyse: %s: %s\n", program->name, why);
	frontend_free(kernels, count);
	return why == NULL;
}

static const char assembly[] = "\t.section .rodata\n"
                               "\t.global corpus_packed, corpus_packed_bytes\n"
                               "\t.type corpus_packed, %%object\n"
                               "\t.balign 16\n"
                               "corpus_packed:\n"
                               "\t.incbin \"%s\"\n"
                               "1:\t.size corpus_packed, . - corpus_packed\n"
                               "\t.type corpus_packed_bytes, %%object\n"
                               "\t.balign 8\n"
                               "corpus_packed_bytes:\n"
                               "\t.quad 1b - corpus_packed\n"
                               "\t.size corpus_packed_bytes, 8\n"
                               "\t.section .note.GNU-stack,\"\",%%progbits\n";

static bool assembly_write(const char *path, const char *data)
{
	char *absolute = realpath(data, NULL);
	FILE *file = absolute != NULL ? fopen(path, "w") : NULL;
	bool is_written = file != NULL && fprintf(file, assembly, absolute) > 0;
	if (file != NULL && fclose(file) != 0)
		is_written = false;
	free(absolute);
	return is_written;
}

int main(int argc, char **argv)
{
	int result = EXIT_FAILURE;
	size_t size = 0;
	uint8_t *bytes = argc == 4 ? file_read(argv[1], &size) : NULL;
	Predictd__Corpus *corpus =
	        bytes != NULL ? predictd__corpus__unpack(NULL, size, bytes) : NULL;
	FILE *file = NULL;
	uint8_t *packed = NULL;
	if (corpus == NULL)
		goto out;
	for (size_t i = 0; i < corpus->n_cases; i++)
		if (!case_analyse(corpus->cases[i]))
			goto out;
	size = predictd__corpus__get_packed_size(corpus);
	packed = malloc(size);
	file = fopen(argv[2], "wb");
	if (packed == NULL || file == NULL)
		goto out;
	(void)predictd__corpus__pack(corpus, packed);
	if (fwrite(packed, 1, size, file) == size)
		result = EXIT_SUCCESS;
out:
	if (file != NULL && fclose(file) != 0)
		result = EXIT_FAILURE;
	if (result == EXIT_SUCCESS && !assembly_write(argv[3], argv[2]))
		result = EXIT_FAILURE;
	if (corpus != NULL)
		predictd__corpus__free_unpacked(corpus, NULL);
	free(packed);
	free(bytes);
	return result;
}
