/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What two devices do to each other: how many times longer one takes for work of a kind while the
 * other does work of a kind. They may share processors, memory, or a bus.
 */
#ifndef PREDICTD_MODEL_DEVICE_CONTENTION_H
#define PREDICTD_MODEL_DEVICE_CONTENTION_H

#include "model/device/device.h"

enum load {
	LOAD_COMPUTE,  /* arithmetic, no memory */
	LOAD_MEMORY,   /* streams through more than the last cache holds */
	LOAD_TRANSFER, /* copies to the device and back */
	LOAD_COUNT
};

struct contention {
	/* by key; the lesser one first once it is kept (contention_order) */
	char keys[2][DEVICE_KEY_MAX];
	char drivers[2][DEVICE_TEXT_MAX]; /* it is of these two; others may do otherwise */
	/* [side][its load][the other's load], 1 to CONTENTION_MAX */
	double slowdown[2][LOAD_COUNT][LOAD_COUNT];
	double standard_error; /* relative, of the least sure of them */
	double others_share;   /* of the processors, that others had meanwhile */
	double duration_s;
	int64_t measured_at_s; /* since 1970 */
	bool was_busy;         /* others had so much that the slowdowns may be theirs */
};

/* One device that all but stops another is no more than slow: schedules stay finite. */
#define CONTENTION_MAX 1000.0

/* "compute", "memory", "transfer". */
const char *load_name(enum load load);

/* STATUS_INVALID: a key is no key, both are one, or a figure is out of its range. */
enum status contention_check(const struct contention *contention, struct error *error);

/* Exchanges the sides where the second key is the lesser one. */
void contention_order(struct contention *contention);

#endif
