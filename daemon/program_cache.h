/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The programs analysed and kept: found by what they were made of (SHA-256 of
 * source, options and headers) and by handle; the least recently used are
 * forgotten beyond a count or a number of bytes.
 */
#ifndef PREDICTD_DAEMON_PROGRAM_CACHE_H
#define PREDICTD_DAEMON_PROGRAM_CACHE_H

#include "model/ir.h"
#include "proto/predictd.pb-c.h"

#include <uthash.h>

enum { PROGRAM_KEY_BYTES = 32 };

struct program_key {
	uint8_t bytes[PROGRAM_KEY_BYTES];
};

struct program {
	struct program_key key;
	uint64_t handle;
	size_t kernel_count;
	struct ir_kernel **kernels; /* sealed */
	size_t bytes;               /* of all of it, in memory */
	double analysis_time_s;
	struct program *newer, *older;
	UT_hash_handle by_key, by_handle;
};

struct program_cache {
	struct program *by_key, *by_handle;
	struct program *newest, *oldest;
	size_t count, count_max;
	size_t bytes, bytes_max;
};

/* The key of a program; its name counts, since messages carry it. */
struct program_key program_key(const Predictd__Program *message);

void program_cache_init(struct program_cache *cache, size_t count_max, size_t bytes_max);
void program_cache_deinit(struct program_cache *cache);

/* Sets other bounds, and forgets what is beyond them. */
void program_cache_bound(struct program_cache *cache, size_t count_max, size_t bytes_max);

/* The program, now the most recently used, or NULL. Valid until the cache is changed. */
struct program *program_cache_find(struct program_cache *cache, const struct program_key *key);
struct program *program_cache_find_handle(struct program_cache *cache, uint64_t handle);

/*
 * Keeps a program under a new handle: random, so that nobody can guess another's,
 * and none that is in use. Takes the kernels and their array, also on failure.
 * STATUS_NO_MEMORY, STATUS_IO (no random numbers).
 */
enum status program_cache_add(struct program_cache *cache, const struct program_key *key,
                              struct ir_kernel **kernels, size_t kernel_count,
                              double analysis_time_s, struct program **program,
                              struct error *error);

/* A hash of what the program was made of and the kernel's name; the same in every daemon. */
uint64_t program_kernel_hash(const struct program *program, const struct ir_kernel *kernel);

/*
 * A program's kernel of that name; an empty name is the only kernel.
 * STATUS_NOT_FOUND, STATUS_INVALID (empty, and several): names those there are.
 */
enum status program_find_kernel(const struct program *program, const char *name,
                                const struct ir_kernel **kernel, struct error *error);

#endif
