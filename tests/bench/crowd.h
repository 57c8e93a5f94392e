/* SPDX-License-Identifier: Apache-2.0 */
/* Many clients at once: connections of a process of their own, of many users where root asks. */
#ifndef PREDICTD_TESTS_BENCH_CROWD_H
#define PREDICTD_TESTS_BENCH_CROWD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CROWD_USERS = 100,
	CROWD_RATE_HZ = 10 /* questions of one that asks now and then */
};

enum crowd_mode { CROWD_IDLE, CROWD_ASKING, CROWD_ENDED };

struct crowd;

/* A connection of the user of that number (of CROWD_USERS) after hello, or -1. */
int crowd_connect(const char *path, unsigned user);

/*
 * So many connections, of which the first `asking` ask the framed question. NULL, said on standard
 * error: they could not be opened.
 */
struct crowd *crowd_new(const char *path, unsigned count, unsigned asking, const uint8_t *bytes,
                        size_t size, size_t reply);
void crowd_set(struct crowd *crowd, enum crowd_mode mode);
uint64_t crowd_answered(const struct crowd *crowd);
/* Closes them; false: one of them was closed before, or they had not been opened (NULL). */
bool crowd_free(struct crowd *crowd);

#endif
