/* SPDX-License-Identifier: Apache-2.0 */
/* Answers kept in the caller's process, good while their epochs stand still. */
#include "client/library/memo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>

enum {
	MEMO_BYTES_DEFAULT = 1 << 20,
	MEMO_BYTES_MAX = 1 << 30,
	MEMO_WAYS = 4,
	MEMO_READS = 8,             /* of an entry that is written meanwhile */
	EPOCHS_BYTES_MAX = 4 << 20, /* of addresses; the daemon uses 256 KB */
	TEXTS = 64,                 /* sentences of refusals */
	TEXT_WORDS = 32
};

/* An entry's words; those behind ENTRY_TIMES are ten times in seconds and a share. */
enum {
	ENTRY_LOW,
	ENTRY_HIGH,
	ENTRY_SERIAL,
	ENTRY_SLOT,
	ENTRY_VALUE,
	ENTRY_FLAGS,
	ENTRY_EPOCH,
	ENTRY_COUNT,
	ENTRY_LOCAL,
	ENTRY_TIMES = ENTRY_LOCAL + 3,
	ENTRY_WORDS = ENTRY_TIMES + 11
};

struct entry {
	_Atomic uint64_t sequence; /* odd: it is being written; 0: empty */
	_Atomic uint64_t words[ENTRY_WORDS];
};

/* A refusal's sentence, ended by a zero. */
struct text {
	_Atomic uint64_t sequence; /* as of an entry */
	_Atomic uint64_t words[TEXT_WORDS];
};

struct memo {
	uint64_t seed;
	uint32_t buckets;
	uint32_t victim; /* of the next bucket without a free way */
	_Atomic uint64_t serial;
	_Atomic uint64_t names;   /* grows when an index means another device */
	_Atomic uint64_t *epochs; /* EPOCHS_BYTES_MAX of addresses, or NULL */
	uint32_t slots;
	struct entry *entries;
	uint32_t next_text; /* to be replaced */
	struct text texts[TEXTS];
};

struct question_key memo_key(const struct memo *memo, const predictd_question *question)
{
	struct key_words words;
	memo_words(memo, question, &words, NULL, NULL);
	key_put_text(&words, question->device);
	return key_of_words(&words);
}

void memo_words(const struct memo *memo, const predictd_question *question, struct key_words *words,
                size_t *places, size_t *values)
{
	key_put_question(words, memo->seed, memo_names(memo), question, places, values);
}

uint64_t memo_names(const struct memo *memo)
{
	return atomic_load_explicit(&memo->names, memory_order_relaxed);
}

/* ---- entries ------------------------------------------------------------------------------- */

static struct entry *bucket_of(const struct memo *memo, const struct question_key *key)
{
	return &memo->entries[((key->high >> 32) * memo->buckets >> 32) * MEMO_WAYS];
}

/* An acquire: what follows is read later, and a newer word shows the sequence it is of. */
static inline uint64_t word_of(const struct entry *entry, size_t index)
{
	return atomic_load_explicit(&entry->words[index], memory_order_acquire);
}

/* False: it is another's, or is being written all the time. */
static bool entry_read(const struct entry *entry, const struct question_key *key,
                       uint64_t words[ENTRY_WORDS])
{
	for (unsigned attempt = 0; attempt < MEMO_READS; attempt++) {
		uint64_t sequence = atomic_load_explicit(&entry->sequence, memory_order_acquire);
		if (sequence == 0 || word_of(entry, ENTRY_LOW) != key->low)
			return false;
		for (size_t i = 0; i < ENTRY_WORDS; i++)
			words[i] = word_of(entry, i);
		if ((sequence & 1) == 0 &&
		    atomic_load_explicit(&entry->sequence, memory_order_relaxed) == sequence)
			return words[ENTRY_LOW] == key->low && words[ENTRY_HIGH] == key->high;
	}
	return false;
}

static void entry_write(struct entry *entry, const uint64_t words[ENTRY_WORDS])
{
	uint64_t sequence = atomic_load_explicit(&entry->sequence, memory_order_relaxed);
	atomic_store_explicit(&entry->sequence, sequence + 1, memory_order_relaxed);
	for (size_t i = 0; i < ENTRY_WORDS; i++)
		atomic_store_explicit(&entry->words[i], words[i], memory_order_release);
	atomic_store_explicit(&entry->sequence, sequence + 2, memory_order_release);
}

static inline bool is_fresh(const struct memo *memo, uint64_t serial, uint64_t slot, uint64_t value)
{
	return serial == atomic_load_explicit(&memo->serial, memory_order_acquire) &&
	       atomic_load_explicit(&memo->epochs[slot], memory_order_acquire) == value;
}

enum {
	FLAG_MODEL_BITS = 8,
	FLAG_BASIS_SHIFT = 8,
	FLAG_CAPPED = 1 << 16,
	FLAG_DATA_DEPENDENT = 1 << 17,
	FLAG_STATUS_SHIFT = 24, /* of a refusal */
	FLAG_NODES_SHIFT = 32
};

/* Where a refusal has its sentence, and which one it was then. */
enum { ENTRY_TEXT = ENTRY_LOCAL, ENTRY_TEXT_SEQUENCE };

static void estimate_pack(const predictd_estimate *estimate, uint64_t words[ENTRY_WORDS])
{
	const double times[] = {
	        estimate->kernel_time_s, estimate->low_s,       estimate->high_s,
	        estimate->launch_time_s, estimate->h2d_time_s,  estimate->d2h_time_s,
	        estimate->static_time_s, estimate->task_time_s, estimate->task_low_s,
	        estimate->task_high_s,   estimate->memory_share};
	memcpy(&words[ENTRY_TIMES], times, sizeof times);
	memcpy(&words[ENTRY_LOCAL], estimate->local, sizeof estimate->local);
	words[ENTRY_EPOCH] = estimate->epoch;
	words[ENTRY_COUNT] = estimate->observation_count;
	words[ENTRY_FLAGS] = (uint64_t)estimate->model |
	                     (uint64_t)estimate->basis << FLAG_BASIS_SHIFT |
	                     (uint64_t)estimate->nodes << FLAG_NODES_SHIFT;
	if (estimate->is_capped)
		words[ENTRY_FLAGS] |= FLAG_CAPPED;
	if (estimate->is_data_dependent)
		words[ENTRY_FLAGS] |= FLAG_DATA_DEPENDENT;
}

static void estimate_unpack(const uint64_t words[ENTRY_WORDS], predictd_estimate *estimate)
{
	double times[11];
	uint64_t flags = words[ENTRY_FLAGS];
	memcpy(times, &words[ENTRY_TIMES], sizeof times);
	*estimate = (predictd_estimate){
	        .kernel_time_s = times[0],
	        .low_s = times[1],
	        .high_s = times[2],
	        .launch_time_s = times[3],
	        .h2d_time_s = times[4],
	        .d2h_time_s = times[5],
	        .static_time_s = times[6],
	        .task_time_s = times[7],
	        .task_low_s = times[8],
	        .task_high_s = times[9],
	        .memory_share = times[10],
	        .epoch = words[ENTRY_EPOCH],
	        .observation_count = words[ENTRY_COUNT],
	        .model = (predictd_model)(flags & ((1 << FLAG_MODEL_BITS) - 1)),
	        .basis = (predictd_basis)(flags >> FLAG_BASIS_SHIFT & 0xff),
	        .nodes = (uint8_t)(flags >> FLAG_NODES_SHIFT & 0xff),
	        .is_capped = (flags & FLAG_CAPPED) != 0,
	        .is_data_dependent = (flags & FLAG_DATA_DEPENDENT) != 0,
	};
	memcpy(estimate->local, &words[ENTRY_LOCAL], sizeof estimate->local);
}

/* False: another one has its place by now. */
static bool text_read(const struct text *text, uint64_t sequence, uint64_t words[TEXT_WORDS])
{
	if (atomic_load_explicit(&text->sequence, memory_order_acquire) != sequence)
		return false;
	for (size_t i = 0; i < TEXT_WORDS; i++)
		words[i] = atomic_load_explicit(&text->words[i], memory_order_acquire);
	return atomic_load_explicit(&text->sequence, memory_order_relaxed) == sequence;
}

/* With the mutex held: the place of a sentence, where it is already or in another's place. */
static const struct text *text_keep(struct memo *memo, const char *sentence)
{
	uint64_t words[TEXT_WORDS] = {0}, kept[TEXT_WORDS];
	memcpy(words, sentence, strnlen(sentence, sizeof words - 1));
	for (size_t i = 0; i < TEXTS; i++) {
		const struct text *text = &memo->texts[i];
		uint64_t sequence = atomic_load_explicit(&text->sequence, memory_order_relaxed);
		if (sequence != 0 && text_read(text, sequence, kept) &&
		    memcmp(kept, words, sizeof words) == 0)
			return text;
	}
	struct text *text = &memo->texts[memo->next_text++ % TEXTS];
	uint64_t sequence = atomic_load_explicit(&text->sequence, memory_order_relaxed);
	atomic_store_explicit(&text->sequence, sequence + 1, memory_order_relaxed);
	for (size_t i = 0; i < TEXT_WORDS; i++)
		atomic_store_explicit(&text->words[i], words[i], memory_order_release);
	atomic_store_explicit(&text->sequence, sequence + 2, memory_order_release);
	return text;
}

/* What an entry that is a refusal says; nothing when it does not stand, or its sentence is gone. */
static enum memo_found refusal_unpack(const struct memo *memo, const uint64_t words[ENTRY_WORDS],
                                      predictd_status *refusal)
{
	uint64_t sentence[TEXT_WORDS];
	if (!is_fresh(memo, words[ENTRY_SERIAL], words[ENTRY_SLOT], words[ENTRY_VALUE]) ||
	    !text_read(&memo->texts[words[ENTRY_TEXT]], words[ENTRY_TEXT_SEQUENCE], sentence))
		return MEMO_NOTHING;
	*refusal = (predictd_status)(words[ENTRY_FLAGS] >> FLAG_STATUS_SHIFT);
	error_keep_text((const char *)sentence);
	return MEMO_REFUSED;
}

enum memo_found memo_find(const struct memo *memo, const struct question_key *key,
                          predictd_estimate *estimate, predictd_status *refusal)
{
	const struct entry *bucket = bucket_of(memo, key);
	uint64_t words[ENTRY_WORDS];
	for (size_t way = 0; way < MEMO_WAYS; way++) {
		if (!entry_read(&bucket[way], key, words))
			continue;
		if (words[ENTRY_FLAGS] >> FLAG_STATUS_SHIFT != PREDICTD_OK)
			return refusal_unpack(memo, words, refusal);
		estimate_unpack(words, estimate);
		estimate->is_fresh =
		        is_fresh(memo, words[ENTRY_SERIAL], words[ENTRY_SLOT], words[ENTRY_VALUE]);
		return estimate->is_fresh ? MEMO_FRESH : MEMO_STALE;
	}
	return MEMO_NOTHING;
}

/* The way for a key: its own, else a free one, else one that is stale, else in turn. */
static struct entry *way_for(struct memo *memo, const struct question_key *key)
{
	struct entry *bucket = bucket_of(memo, key), *stale = NULL, *empty = NULL;
	for (size_t way = 0; way < MEMO_WAYS; way++) {
		struct entry *entry = &bucket[way];
		if (atomic_load_explicit(&entry->sequence, memory_order_relaxed) == 0) {
			empty = entry;
		} else if (word_of(entry, ENTRY_LOW) == key->low &&
		           word_of(entry, ENTRY_HIGH) == key->high) {
			return entry;
		} else if (!is_fresh(memo, word_of(entry, ENTRY_SERIAL), word_of(entry, ENTRY_SLOT),
		                     word_of(entry, ENTRY_VALUE))) {
			stale = entry;
		}
	}
	if (empty != NULL)
		return empty;
	return stale != NULL ? stale : &bucket[memo->victim++ % MEMO_WAYS];
}

/* With the mutex held. False: it cannot be kept, without an epoch or a link that is watched. */
static bool words_begin(const struct memo *memo, const struct question_key *key, uint32_t slot,
                        uint64_t value, uint64_t serial, uint64_t words[ENTRY_WORDS])
{
	memset(words, 0, ENTRY_WORDS * sizeof words[0]);
	words[ENTRY_LOW] = key->low;
	words[ENTRY_HIGH] = key->high;
	words[ENTRY_SERIAL] = serial;
	words[ENTRY_SLOT] = slot;
	words[ENTRY_VALUE] = value;
	return value != 0 && serial == memo_serial(memo) && slot < memo->slots;
}

void memo_keep(struct memo *memo, const struct question_key *key, const predictd_estimate *estimate,
               const Predictd__Prediction *prediction, uint64_t serial)
{
	uint64_t words[ENTRY_WORDS];
	if (!words_begin(memo, key, prediction->epoch_slot, prediction->epoch_value, serial, words))
		return;
	estimate_pack(estimate, words);
	entry_write(way_for(memo, key), words);
}

void memo_refuse(struct memo *memo, const struct question_key *key, const Predictd__Error *error,
                 uint64_t serial)
{
	uint64_t words[ENTRY_WORDS];
	predictd_status status = status_from_wire(error->status);
	if (status == PREDICTD_OK ||
	    !words_begin(memo, key, error->epoch_slot, error->epoch_value, serial, words))
		return;
	const struct text *text = text_keep(memo, error->text);
	words[ENTRY_FLAGS] = (uint64_t)status << FLAG_STATUS_SHIFT;
	words[ENTRY_TEXT] = (uint64_t)(text - memo->texts);
	words[ENTRY_TEXT_SEQUENCE] = atomic_load_explicit(&text->sequence, memory_order_relaxed);
	entry_write(way_for(memo, key), words);
}

/* ---- epochs -------------------------------------------------------------------------------- */

uint64_t memo_serial(const struct memo *memo)
{
	return atomic_load_explicit(&memo->serial, memory_order_acquire);
}

bool memo_stands(const struct memo *memo, uint64_t serial, uint32_t slot, uint64_t value)
{
	return memo != NULL && value != 0 && serial == memo_serial(memo) && slot < memo->slots &&
	       is_fresh(memo, serial, slot, value);
}

void memo_expire(struct memo *memo)
{
	atomic_store_explicit(&memo->serial, 0, memory_order_release);
}

void memo_rename(struct memo *memo)
{
	atomic_fetch_add_explicit(&memo->names, 1, memory_order_relaxed);
}

void memo_forked(struct memo *memo)
{
	memo_expire(memo);
}

predictd_status memo_watch(struct memo *memo, int fd, uint32_t slots, uint64_t serial)
{
	struct stat file = {.st_size = 0};
	int seals = fcntl(fd, F_GET_SEALS);
	bool is_sealed = seals >= 0 && (seals & F_SEAL_SHRINK) != 0 && fstat(fd, &file) == 0;
	if (slots == 0 && is_sealed && file.st_size <= EPOCHS_BYTES_MAX)
		slots = (uint32_t)((size_t)file.st_size / sizeof memo->epochs[0]);
	uint64_t size = (uint64_t)slots * sizeof memo->epochs[0];
	/* memory that shrinks would end the process that reads it */
	if (!is_sealed || size == 0 || size > EPOCHS_BYTES_MAX || (uint64_t)file.st_size < size)
		return error_keep(PREDICTD_CORRUPT, "predictd passed no epochs");
	if (memo->epochs == NULL) {
		void *base = mmap(NULL, EPOCHS_BYTES_MAX, PROT_READ,
		                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (base == MAP_FAILED)
			return error_keep(PREDICTD_NO_MEMORY, "no memory for epochs");
		memo->epochs = base;
	}
	memo_expire(memo);
	/* in place of what was there: a reader sees one or the other, and then its serial */
	if (mmap(memo->epochs, size, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
		return error_keep(PREDICTD_IO, "epochs: %s", strerror(errno));
	memo->slots = slots;
	atomic_store_explicit(&memo->serial, serial, memory_order_release);
	return PREDICTD_OK;
}

/* ---- life ---------------------------------------------------------------------------------- */

predictd_status memo_new(size_t bytes, struct memo **result)
{
	const size_t bucket_bytes = MEMO_WAYS * sizeof(struct entry);
	if (bytes == 0)
		bytes = MEMO_BYTES_DEFAULT;
	if (bytes > MEMO_BYTES_MAX)
		return error_keep(PREDICTD_LIMIT, "a memo of %zu bytes: want at most %d", bytes,
		                  MEMO_BYTES_MAX);
	struct memo *memo = calloc(1, sizeof *memo);
	if (memo == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for answers");
	memo->buckets = (uint32_t)(bytes < bucket_bytes ? 1 : bytes / bucket_bytes);
	memo->entries = calloc(memo->buckets, bucket_bytes);
	if (memo->entries == NULL) {
		free(memo);
		return error_keep(PREDICTD_NO_MEMORY, "no memory for answers of %zu bytes", bytes);
	}
	if (getrandom(&memo->seed, sizeof memo->seed, GRND_NONBLOCK) != sizeof memo->seed)
		memo->seed = (uintptr_t)memo; /* early at boot: the address is random, too */
	*result = memo;
	return PREDICTD_OK;
}

void memo_free(struct memo *memo)
{
	if (memo == NULL)
		return;
	if (memo->epochs != NULL)
		(void)munmap(memo->epochs, EPOCHS_BYTES_MAX);
	free(memo->entries);
	free(memo);
}
