/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was observed: the records of model/correction/correction.h, one row each, and what
 * people call the kernels and launches in them. Calls block on the disk, as
 * those of store.h do.
 */
#ifndef PREDICTD_STORE_OBSERVATIONS_H
#define PREDICTD_STORE_OBSERVATIONS_H

#include "model/correction/correction.h"
#include "store/store.h"

enum {
	STORE_KERNEL_NAME_MAX = 256, /* bytes; longer texts are cut */
	STORE_ARGUMENTS_MAX = 1024,
	STORE_SIZES = 6 /* of a launch: three global, three local; local zeros: the runtime's */
};

/* A launch of a kernel, in words. */
struct launch_words {
	uint64_t kernel, launch; /* the records' keys */
	uint32_t dimensions;
	uint64_t sizes[STORE_SIZES];
	const char *kernel_name, *arguments; /* borrowed */
	const char *device_key; /* of a kernel without source, which is of one device; else "" or
	                           NULL */
};

/* What changed; all of it borrowed. */
struct observed_changes {
	const struct correction_record *records;
	size_t record_count;
	const struct correction_user *users;
	size_t user_count;
	const struct launch_words *words; /* new ones */
	size_t word_count;
};

/*
 * Keeps records and users in place of those of the same key; or, without samples, deletes records
 * with the words that no other needs, and users of size 0. In one transaction: all
 * of it survives the end of this process at any moment, and with `power_loss` the machine's.
 * STATUS_IO: disk full, read-only, locked too long; nothing is changed.
 */
enum status store_save_records(struct store *store, const struct observed_changes *changes,
                               bool power_loss, struct error *error);

/* The users, at most count_max; *users is the caller's, to free(). */
enum status store_load_users(struct store *store, size_t count_max, struct correction_user **users,
                             size_t *count, struct error *error);

/*
 * The records of a kernel (NULL: of every one), at most count_max. *records is the caller's, to
 * free(). One that cannot be read is skipped and named in error->text (status CORRUPT), with
 * STATUS_OK returned.
 */
enum status store_load_records(struct store *store, const uint64_t *kernel, size_t count_max,
                               struct correction_record **records, size_t *count,
                               struct error *error);

enum { STORE_IDENTITY_BYTES = 16 };

/* A record with when it was saved, and what people call its kernel. */
struct changed_record {
	uint64_t sequence;
	bool is_read; /* false: not what was saved, of a newer version or damaged */
	struct correction_record record;
	char kernel_name[STORE_KERNEL_NAME_MAX];
};

struct changed_records {
	uint8_t store[STORE_IDENTITY_BYTES]; /* random, given when the store was made */
	uint64_t last;                  /* ask for what is after it next: all up to it was read */
	struct changed_record *records; /* the caller's, to free() */
	size_t count;
};

/*
 * Records whose sequence is greater than `after`, in its order, at most count_max. A sequence is
 * given with each save of a record, greater than any before, and never again; what was deleted is
 * not told. Less in `last` than in `after`: the store was restored from a copy.
 */
enum status store_load_changed(struct store *store, uint64_t after, size_t count_max,
                               struct changed_records *changed, struct error *error);

/* A launch's words as they were kept. */
struct launch_entry {
	uint64_t launch;
	uint32_t dimensions;
	uint64_t sizes[STORE_SIZES];
	char arguments[STORE_ARGUMENTS_MAX];
};

/* The launches kept of a kernel, at most count_max; *entries is the caller's, to free(). */
enum status store_load_launches(struct store *store, uint64_t kernel, size_t count_max,
                                struct launch_entry **entries, size_t *count, struct error *error);

/* Which kernels: all conditions hold. */
struct kernel_filter {
	const char *name;       /* NULL: of any name */
	const char *device_key; /* NULL: of any device; else those without source alone */
	bool is_sourceless;     /* those without source alone */
};

/* The kernels that a filter lets pass; *kernels is the caller's, to free(). */
enum status store_find_kernels(struct store *store, const struct kernel_filter *filter,
                               uint64_t **kernels, size_t *count, struct error *error);

#endif
