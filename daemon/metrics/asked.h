/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which kernels are asked about: questions that were evaluated, by kernel, device and user, of
 * those asked last. The same question again is answered from memory, where nobody looks at what
 * it is about.
 */
#ifndef PREDICTD_DAEMON_METRICS_ASKED_H
#define PREDICTD_DAEMON_METRICS_ASKED_H

#include <stdint.h>
#include <uthash.h>

enum { ASKED_MAX = 256, ASKED_NAME_MAX = 64 };

struct asked_key {
	uint64_t kernel, device; /* hashes */
	uint64_t user;
};

struct asked_kernel {
	struct asked_key key;
	char name[ASKED_NAME_MAX];
	uint64_t questions;
	UT_hash_handle hh;
};

struct asked {
	struct asked_kernel *kernels; /* the one asked about last at the end */
};

/* Counts a question; the kernel asked about longest ago makes room. Without memory: not counted. */
void asked_add(struct asked *asked, const struct asked_key *key, const char *name);
void asked_deinit(struct asked *asked);

#endif
