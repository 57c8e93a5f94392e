/* SPDX-License-Identifier: Apache-2.0 */
/* For who runs a node: what the daemon knows, what that costs, and copies of it. */
#ifndef PREDICTD_OPERATION_H
#define PREDICTD_OPERATION_H

#include "predictd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is kept of a kernel that the caller observed; of an admin's calls, of all users'. */
typedef struct predictd_known_kernel {
	uint64_t kernel; /* by content, the same on every node */
	const char *name;
	uint64_t users, launches, bytes; /* in the store */
} predictd_known_kernel;

/* Questions of a user about a kernel on a device, since the daemon started, that were evaluated. */
typedef struct predictd_asked_kernel {
	uint64_t kernel;
	const char *name, *device; /* a key, or "" */
	uint32_t uid;
	uint64_t questions;
} predictd_asked_kernel;

typedef struct predictd_kernels {
	size_t count;
	const predictd_known_kernel *kernels; /* the most launches first */
	size_t asked_count;
	const predictd_asked_kernel *asked; /* the one asked about last at the end; 256 at most */
} predictd_kernels;

/* A page of the kernels behind `offset` of them, count_max (1 to 1000) at most; the caller frees.
 */
predictd_status predictd_list_kernels(predictd_connection *connection, uint64_t offset,
                                      uint32_t count_max, predictd_kernels **kernels);
void predictd_kernels_free(predictd_kernels *kernels); /* accepts NULL */

/* The caller; of an admin's calls, each user who has a connection or of whom something is kept. */
typedef struct predictd_known_user {
	uint32_t uid;
	uint64_t connections, requests; /* since he is connected, or has used time lately */
	uint64_t held_bytes;            /* of memory: messages, sources, answers */
	uint64_t launches, bytes;       /* observed; in the store */
	uint64_t samples, choices;      /* in the store */
} predictd_known_user;

typedef struct predictd_users {
	size_t count;
	const predictd_known_user *users; /* in the order of their ids */
	bool is_last;                     /* there is no page after it */
} predictd_users;

/* A page of the users of greater ids than *after (NULL: of all), count_max (1 to 1000) at most. */
predictd_status predictd_list_users(predictd_connection *connection, const uint32_t *after,
                                    uint32_t count_max, predictd_users **users);
void predictd_users_free(predictd_users *users); /* accepts NULL */

/*
 * What the daemon keeps, as of one moment, while it runs: each part of the file goes to `write`, in
 * their order, until it returns false, which ends the call with PREDICTD_CANCELLED. Takes root, the
 * daemon's user or its admin group. Without a time limit.
 */
predictd_status predictd_backup(predictd_connection *connection,
                                bool (*write)(const void *bytes, size_t size, void *context),
                                void *context);

#ifdef __cplusplus
}
#endif

#endif
