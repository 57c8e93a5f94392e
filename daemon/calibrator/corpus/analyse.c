/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analyse IN OUT OUT.S, while predictd is built: the cases of a packed Corpus with the IR
 * of their kernels, and what puts that into a program. The calibrator itself parses
 * no source.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/codec/ir_codec.h"
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
	if (frontend_analyse(&source, &kernels, &count, NULL, &error) != STATUS_OK)
		why = error.text;
	else if (count != 1)
		why = "want one kernel";
	else if (kernels[0]->unsupported[0] != '\0')
		why = kernels[0]->unsupported;
	else if (kernels[0]->unknown[0] != '\0')
		why = kernels[0]->unknown;
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

static bool file_write(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");
	bool is_written = file != NULL && fwrite(bytes, 1, size, file) == size;
	if (file != NULL)
		is_written = fclose(file) == 0 && is_written;
	if (!is_written)
		(void)fprintf(stderr, "analyse: %s: cannot be written\n", path);
	return is_written;
}

/* What was analysed, and what puts it into a program. */
static bool corpus_write(const Predictd__Corpus *corpus, const char *path,
                         const char *assembly_path)
{
	char absolute[PATH_MAX], text[sizeof assembly + PATH_MAX];
	size_t size = predictd__corpus__get_packed_size(corpus);
	uint8_t *packed = malloc(size + 1);
	if (packed == NULL)
		return false;
	(void)predictd__corpus__pack(corpus, packed);
	bool is_written = file_write(path, packed, size) && realpath(path, absolute) != NULL;
	free(packed);
	if (!is_written)
		return false;
	int length = snprintf(text, sizeof text, assembly, absolute);
	return file_write(assembly_path, text, (size_t)length);
}

int main(int argc, char **argv)
{
	size_t size = 0;
	if (argc != 4) {
		(void)fprintf(stderr, "Usage: analyse IN OUT OUT.S\n");
		return 2;
	}
	uint8_t *bytes = file_read(argv[1], &size);
	if (bytes == NULL)
		return EXIT_FAILURE;
	Predictd__Corpus *corpus = predictd__corpus__unpack(NULL, size, bytes);
	free(bytes);
	if (corpus == NULL) {
		(void)fprintf(stderr, "analyse: %s: no corpus\n", argv[1]);
		return EXIT_FAILURE;
	}
	bool is_well = true;
	for (size_t i = 0; i < corpus->n_cases && is_well; i++)
		is_well = case_analyse(corpus->cases[i]);
	is_well = is_well && corpus_write(corpus, argv[2], argv[3]);
	predictd__corpus__free_unpacked(corpus, NULL);
	return is_well ? EXIT_SUCCESS : EXIT_FAILURE;
}
