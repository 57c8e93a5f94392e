/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target over its corpus, and over mutants of each file that are
 * the same in every run: usage: TARGET MUTANTS DIRECTORY. Any crash or
 * sanitizer report fails the test.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

enum { INPUT_BYTES_MAX = 1 << 20, MUTANT_ROOM = 64 };

static uint64_t random_state;

/* xorshift64* (Vigna, 2016) */
static uint64_t random_next(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return random_state * UINT64_C(0x2545f4914f6cdd1d);
}

/* Changes, inserts, removes or repeats a few bytes. `input` has MUTANT_ROOM bytes more. */
static size_t mutate(uint8_t *input, size_t size)
{
	size_t room = size + MUTANT_ROOM;
	unsigned steps = 1 + (unsigned)(random_next() % 4);
	for (unsigned i = 0; i < steps && size > 0; i++) {
		size_t at = (size_t)(random_next() % size);
		size_t length = (size_t)(random_next() % 8) + 1;
		switch (random_next() % 5) {
		case 0:
			input[at] ^= (uint8_t)(1u << (random_next() % 8));
			break;
		case 1:
			input[at] = (uint8_t)random_next();
			break;
		case 2:
			input[at] = random_next() % 2 == 0 ? 0xff : 0x7f;
			break;
		case 3:
			if (length > size - at)
				length = size - at;
			memmove(input + at, input + at + length, size - at - length);
			size -= length;
			break;
		default:
			if (length > room - size)
				break;
			memmove(input + at + length, input + at, size - at);
			size += length;
			break;
		}
	}
	return size;
}

/* In a buffer of exactly its size, so that a sanitizer sees one byte too far. */
static void run(const uint8_t *input, size_t size)
{
	uint8_t *exact = malloc(size > 0 ? size : 1);
	if (exact == NULL)
		abort();
	memcpy(exact, input, size);
	(void)LLVMFuzzerTestOneInput(exact, size);
	free(exact);
}

static int run_file(const char *path, unsigned long mutants)
{
	static uint8_t input[INPUT_BYTES_MAX + MUTANT_ROOM], mutant[INPUT_BYTES_MAX + MUTANT_ROOM];
	FILE *file = fopen(path, "rb");
	if (file == NULL) {
		perror(path);
		return 1;
	}
	size_t size = fread(input, 1, INPUT_BYTES_MAX, file);
	fclose(file);
	run(input, size);
	random_state = UINT64_C(0x9e3779b97f4a7c15) ^ size;
	for (unsigned long i = 0; i < mutants; i++) {
		memcpy(mutant, input, size);
		run(mutant, mutate(mutant, size));
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: %s MUTANTS DIRECTORY\n", argv[0]);
		return 2;
	}
	struct dirent **entries = NULL;
	int count = scandir(argv[2], &entries, NULL, alphasort);
	if (count < 0) {
		perror(argv[2]);
		return 2;
	}
	int failures = 0, files = 0;
	run((const uint8_t *)"", 0);
	for (int i = 0; i < count; i++) {
		char path[4096];
		if (entries[i]->d_name[0] != '.') {
			(void)snprintf(path, sizeof path, "%s/%s", argv[2], entries[i]->d_name);
			failures += run_file(path, strtoul(argv[1], NULL, 10));
			files++;
		}
		free(entries[i]);
	}
	free(entries);
	printf("%s: %d files\n", argv[2], files);
	return failures == 0 && files > 0 ? 0 : 1;
}
