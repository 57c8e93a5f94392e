/* SPDX-License-Identifier: Apache-2.0 */
/* What a question is known by. */
#include "client/library/key.h"

#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "client/library/program.h"
#include "client/library/sample.h"

static const uint64_t flag_sample = UINT64_C(1) << 49;

static XXH128_hash_t hash_of(const struct key_words *words)
{
	return XXH3_128bits_withSeed(words->words, words->used * sizeof words->words[0],
	                             words->seed);
}

static inline void put(struct key_words *words, uint64_t word)
{
	if (words->used == KEY_WORDS) {
		XXH128_hash_t hash = hash_of(words);
		words->words[0] = hash.low64;
		words->words[1] = hash.high64;
		words->used = 2;
		words->was_folded = true;
	}
	words->words[words->used++] = word;
}

void key_put_text(struct key_words *words, const char *text)
{
	size_t length = text == NULL ? 0 : strlen(text);
	put(words, length);
	for (; length >= sizeof(uint64_t); length -= sizeof(uint64_t), text += sizeof(uint64_t)) {
		uint64_t word;
		memcpy(&word, text, sizeof word);
		put(words, word);
	}
	if (length > 0) {
		uint64_t word = 0;
		memcpy(&word, text, length);
		put(words, word);
	}
}

static inline uint64_t bits_of(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

/* "float16" has 16; of a text that is no type's name, some: the daemon refuses it. */
static inline size_t lane_count(const char *type)
{
	size_t length = strlen(type);
	unsigned char last = length == 0 ? 'x' : (unsigned char)type[length - 1];
	if (last < '0' || last > '9')
		return 1;
	return last == '6' ? 16 : (size_t)(last - '0');
}

void key_put_sample(uint64_t *argument_words, const predictd_sample *sample)
{
	argument_words[KEY_FLAGS] &= ~flag_sample;
	memset(&argument_words[KEY_SAMPLE], 0, SAMPLE_NAME_BYTES);
	if (sample == NULL)
		return;
	argument_words[KEY_FLAGS] |= flag_sample;
	memcpy(&argument_words[KEY_SAMPLE], sample->name, sizeof sample->name);
}

/* Returns where the lanes of a scalar begin. */
static size_t put_argument(struct key_words *words, const predictd_argument *argument)
{
	uint64_t head[KEY_SAMPLE + 2] = {[KEY_FLAGS] = (uint64_t)argument->kind |
	                                               (uint64_t)argument->access << 16 |
	                                               (uint64_t)argument->has_range << 48,
	                                 [KEY_SIZE] = argument->size_bytes};
	put(words, head[KEY_FLAGS]);
	put(words, head[KEY_SIZE]);
	if (argument->kind == PREDICTD_BUFFER) {
		key_put_sample(head, argument_sample(argument));
		words->words[words->used - 2] = head[KEY_FLAGS];
		put(words, head[KEY_SAMPLE]);
		put(words, head[KEY_SAMPLE + 1]);
	}
	if (argument->has_range) {
		put(words, (uint64_t)argument->low);
		put(words, (uint64_t)argument->high);
	}
	if (argument->kind == PREDICTD_IMAGE) {
		put(words, (uint64_t)argument->width << 32 | argument->height);
		put(words, argument->depth);
	}
	if (argument->kind == PREDICTD_BUFFER || argument->kind == PREDICTD_LOCAL ||
	    argument->kind == PREDICTD_STRUCT)
		return words->used;
	const char *type = argument->type == NULL ? "" : argument->type;
	key_put_text(words, type); /* a scalar's, an image's format, a sampler's filter */
	size_t place = words->used;
	if (argument->kind != PREDICTD_SCALAR)
		return place;
	size_t lanes = lane_count(type);
	bool is_real = type[0] == 'f' || type[0] == 'd' || type[0] == 'h';
	for (size_t i = 0; i < lanes; i++)
		put(words, is_real ? bits_of(argument->reals[i]) : (uint64_t)argument->integers[i]);
	return place;
}

void key_put_question(struct key_words *words, uint64_t seed, uint64_t names,
                      const predictd_question *question, size_t *places, size_t *values)
{
	uint32_t dimensions = question->dimensions < 3 ? question->dimensions : 3;
	words->seed = seed;
	words->used = 0;
	words->was_folded = false;
	put(words, question->program->number);
	put(words, names);
	put(words, (uint64_t)question->model | (uint64_t)question->with_transfers << 32 |
	                   (uint64_t)question->static_only << 33 |
	                   (uint64_t)question->pinned_transfers << 34 |
	                   (uint64_t)question->dimensions << 35);
	put(words, bits_of(question->idle_s));
	for (uint32_t i = 0; i < dimensions; i++) {
		put(words, question->global[i]);
		put(words, question->local[i]);
		put(words, question->offset[i]);
	}
	put(words, (uint64_t)question->argument_count << 32 | question->hint_count);
	for (size_t i = 0; i < question->argument_count; i++) {
		size_t place = words->used;
		size_t value = put_argument(words, &question->arguments[i]);
		if (places != NULL)
			places[i] = place;
		if (values != NULL)
			values[i] = value;
	}
	for (size_t i = 0; i < question->hint_count; i++) {
		put(words, (uint64_t)question->hints[i].line << 1 | question->hints[i].is_branch);
		put(words, bits_of(question->hints[i].value));
	}
	key_put_text(words, question->kernel);
}

struct question_key key_of_words(const struct key_words *words)
{
	XXH128_hash_t hash = hash_of(words);
	return (struct question_key){hash.low64, hash.high64};
}
