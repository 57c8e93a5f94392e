/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a question is known by: 128 bits of a hash of its words (XXH3 with a seed that nobody
 * outside knows). Two of a million questions are taken for each other with a probability of 10^-27.
 *
 * The words of arguments lie at places that depend on the arguments' kinds and types alone, so
 * that a prepared question (client/library/prepared.c) puts values into words made before.
 */
#ifndef PREDICTD_CLIENT_LIBRARY_KEY_H
#define PREDICTD_CLIENT_LIBRARY_KEY_H

#include "client/predictd.h"

enum { KEY_WORDS = 128 };

struct question_key {
	uint64_t low, high;
};

/* What is hashed; what does not fit is hashed into its first words. */
struct key_words {
	uint64_t seed;
	bool was_folded; /* words are not where they were put any more */
	size_t used;
	uint64_t words[KEY_WORDS];
};

enum {
	KEY_NAMES = 1,  /* the word with the number of times that indices got another meaning */
	KEY_GLOBAL = 4, /* for each dimension its global size, local size and offset */
	/* of an argument's words: */
	KEY_FLAGS = 0,
	KEY_SIZE = 1,
	KEY_SAMPLE = 2 /* a buffer's: its name's two, or zeros */
};

/*
 * Of all but the device. The question was not checked, its program is not NULL.
 *
 * places   NULL, or out: where each argument's words begin
 * values   NULL, or out: where the lanes of each scalar do
 */
void key_put_question(struct key_words *words, uint64_t seed, uint64_t names,
                      const predictd_question *question, size_t *places, size_t *values);
/* A text behind its length; NULL is "". A question's device comes last. */
void key_put_text(struct key_words *words, const char *text);
struct question_key key_of_words(const struct key_words *words);

/* The words of a sample at an argument, and its flag. */
void key_put_sample(uint64_t *argument_words, const predictd_sample *sample);

#endif
