/* SPDX-License-Identifier: Apache-2.0 */
/* What the store has of kernels and of users, in numbers. */
#ifndef PREDICTD_STORE_KNOWN_H
#define PREDICTD_STORE_KNOWN_H

#include "store/observations.h"

#include <stdbool.h>

struct known_scope {
	bool is_everybody; /* else what is of `user` alone */
	uint64_t user;
	uint64_t offset; /* kernels: to be passed over; users: the least id */
};

struct known_kernel {
	uint64_t kernel;
	char name[STORE_KERNEL_NAME_MAX];
	uint64_t users, launches, bytes;
};

struct known_user {
	uint64_t user;
	uint64_t launches, bytes, samples, choices;
};

/*
 * Fills at most *count of them, and sets it to how many: kernels with the most launches first,
 * users in the order of their ids. STATUS_IO: the disk.
 */
enum status store_list_kernels(struct store *store, const struct known_scope *scope,
                               struct known_kernel *kernels, size_t *count, struct error *error);
enum status store_list_users(struct store *store, const struct known_scope *scope,
                             struct known_user *users, size_t *count, struct error *error);

#endif
