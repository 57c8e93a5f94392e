/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The programs analysed and kept: found by what they were made of (SHA-256 of
 * source, options and headers) and by handle, and by the language that they were analysed in
 * (daemon/codec/language.h): devices whose compilers make something else of a source have it
 * analysed once each, under one handle. The least recently used are forgotten beyond a count or a
 * number of bytes.
 *
 * Each is kept as the analyser replied, a thirtieth of a sealed kernel; those used
 * last are kept unpacked besides, the others are unpacked again when they are asked
 * about (10 us for forty lines). One too large for that is kept unpacked only.
 */
#ifndef PREDICTD_DAEMON_STATE_PROGRAM_CACHE_H
#define PREDICTD_DAEMON_STATE_PROGRAM_CACHE_H

#include "daemon/codec/ir_codec.h"
#include "model/ir/ir.h"
#include "proto/predictd.pb-c.h"

#include <sha2.h>
#include <stdbool.h>
#include <uthash.h>

enum {
	PROGRAM_KEY_BYTES = 32,
	PROGRAM_PACKED_MAX = 256 << 10, /* of one program: more is not unpacked on the loop */
	PROGRAM_LANGUAGES_MAX = 8       /* wanted of one program at a time */
};

struct program_key {
	uint8_t bytes[PROGRAM_KEY_BYTES];
	uint64_t content; /* of all but the name: what is observed belongs to it */
};

struct program;

/* A source, options and headers, with all that was analysed of them. */
struct program_group {
	struct program_key key;
	uint64_t handle;
	struct program *programs; /* by language, one at least; a list by `sibling` */
	/* languages of devices that were asked about and have no program here */
	uint64_t wanted[PROGRAM_LANGUAGES_MAX];
	size_t wanted_count;
	UT_hash_handle by_key, by_handle;
};

/* An analysis of it in one language. */
struct program {
	struct program_key key; /* of source and language: in the store, and of refusals */
	uint64_t language;      /* language_id */
	struct program_group *group;
	struct program *sibling;
	/* of options that change nothing; what the language is called */
	char note[REPORT_NOTE_MAX], language_name[REPORT_LANGUAGE_MAX];
	char *undefined, *left_out; /* of analysis_report, on the heap; NULL: empty */
	size_t kernel_count;
	struct ir_kernel **kernels; /* sealed; NULL: packed */
	uint8_t *packed;            /* an AnalyserReply; NULL: too large */
	size_t packed_bytes;
	size_t unpacked_bytes; /* of the kernels; 0: packed */
	double analysis_time_s;
	int64_t kept_at_s; /* in the store, as used, since 1970; 0: never */
	struct program *newer, *older;
	struct program *unpacked_newer, *unpacked_older; /* of those unpacked */
};

/* Kernels that somebody else reads, off the loop. */
struct program_hold {
	struct ir_kernel **kernels;
	size_t count;
	unsigned uses;
	bool is_left; /* the cache has no use for them any more */
	struct program_hold *next;
};

struct program_cache {
	struct program_hold *holds;
	struct program_group *by_key, *by_handle;
	struct program *newest, *oldest;
	struct program *unpacked_newest, *unpacked_oldest;
	size_t count, count_max;
	size_t bytes, bytes_max; /* of what is packed, and of the list */
	size_t unpacked_bytes, unpacked_bytes_max;
};

/* What an analysis gave. */
struct program_content {
	struct ir_kernel **kernels; /* sealed, each and the array on the heap */
	size_t kernel_count;
	uint8_t *packed; /* the AnalyserReply that they were in, on the heap; NULL: not kept */
	size_t packed_bytes;
	double analysis_time_s;
	char note[REPORT_NOTE_MAX], language_name[REPORT_LANGUAGE_MAX];
	char *undefined, *left_out; /* of analysis_report, on the heap; NULL: empty */
};
/* Copies what an analysis told besides the kernels; what memory is short for is left empty. */
void program_content_tell(struct program_content *content, const struct analysis_report *report);
void program_content_deinit(struct program_content *content);

/*
 * The key of a program; its name counts, since messages carry it. Sixteen megabytes take a
 * tenth of a second: program_key_step hashes some thousands of bytes of them at a time, until
 * it is true and *key is there.
 */
struct program_key_state {
	SHA2_CTX context;
	size_t part, position; /* of source, options, and each header's name and text */
};
void program_key_begin(struct program_key_state *state);
bool program_key_step(struct program_key_state *state, const Predictd__Program *message,
                      struct program_key *key);
/* The same up to the end of the source: what programs of one source have in common. */
bool program_key_source_step(struct program_key_state *state, const Predictd__Program *message);
struct program_key program_key(const Predictd__Program *message);

/* The key of what a program is in a language; that of language 0 is the program's own. */
struct program_key program_key_in(const struct program_key *key, uint64_t language);

void program_cache_init(struct program_cache *cache, size_t count_max, size_t bytes_max,
                        size_t unpacked_bytes_max);
void program_cache_deinit(struct program_cache *cache);

/* Sets other bounds, and forgets or packs what is beyond them. */
void program_cache_bound(struct program_cache *cache, size_t count_max, size_t bytes_max,
                         size_t unpacked_bytes_max);

/*
 * The program in a language, unpacked and now the most recently used, or NULL: not known, or no
 * memory to unpack it. Valid until the cache is changed, its kernels until another is found.
 */
struct program *program_cache_find(struct program_cache *cache, const struct program_key *key,
                                   uint64_t language);
struct program *program_cache_find_handle(struct program_cache *cache, uint64_t handle,
                                          uint64_t language);

/* The same in whatever language was asked about first of those that are known. */
struct program *program_cache_find_any(struct program_cache *cache, uint64_t handle);

/* What the handle is of, or NULL: not known. */
const struct program_group *program_cache_group(const struct program_cache *cache, uint64_t handle);
const struct program_group *program_cache_group_of(const struct program_cache *cache,
                                                   const struct program_key *key);

/* Whether the group has it in that language. */
bool program_group_has(const struct program_group *group, uint64_t language);

/* Notes that a handle was asked about in a language; it is analysed when it is registered again. */
void program_cache_want(struct program_cache *cache, uint64_t handle, uint64_t language);

/* Keeps the kernels of an unpacked program until they are released; false: no memory. */
bool program_cache_hold(struct program_cache *cache, const struct program *program);
void program_cache_release(struct program_cache *cache, struct ir_kernel **kernels);

/* Makes those of a handle the most recently used: true when it is known. */
bool program_cache_use(struct program_cache *cache, uint64_t handle);

/*
 * Keeps a program in a language, under the handle that it has in others or a new one: random, so
 * that nobody can guess another's, and none that is in use. Takes the content, also on failure,
 * and leaves it empty. STATUS_NO_MEMORY, STATUS_IO (no random numbers).
 */
enum status program_cache_add(struct program_cache *cache, const struct program_key *key,
                              uint64_t language, struct program_content *content,
                              struct program **program, struct error *error);

/*
 * A hash of source, options, headers and the kernel's name, but not the program's; the same
 * in every daemon.
 */
uint64_t program_kernel_hash(const struct program *program, const struct ir_kernel *kernel);

/*
 * A program's kernel of that name; an empty name is the only kernel.
 * STATUS_NOT_FOUND, STATUS_INVALID (empty, and several): names those there are.
 */
enum status program_find_kernel(const struct program *program, const char *name,
                                const struct ir_kernel **kernel, struct error *error);

#endif
