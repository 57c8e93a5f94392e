/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What devices do to each other: answers of the daemon, kept while their epoch stands; and factors
 * for work of several loads.
 */
#ifndef PREDICTD_CLIENT_LIBRARY_CONTENTION_H
#define PREDICTD_CLIENT_LIBRARY_CONTENTION_H

#include "client/predictd.h"

/* Answers kept of a connection; the connection's mutex guards them. */
struct contentions;

void contentions_free(struct contentions *contentions); /* accepts NULL */

/* How some work divides its time, which adds up to 1. */
struct load_mix {
	double shares[PREDICTD_LOADS];
	double unknown; /* in a kernel of which it is not known */
};

/* Of a kernel alone, by its prediction. */
struct load_mix load_mix_kernel(const predictd_estimate *kernel);

/* Of a launch, its kernel, and transfers before and after it. */
struct load_mix load_mix_task(const predictd_estimate *kernel, double transfers_s);

/*
 * How many times longer the one takes beside the other: the mean over both times, as if each did
 * its loads evenly. What is not known of a kernel is the worse of compute and memory.
 */
double load_factor(const predictd_slowdown *slowdown, const struct load_mix *own,
                   const struct load_mix *other);

/* As predictd_contention; what cannot be told, as by an older daemon, is not known. */
predictd_status contention_assume(predictd_connection *connection, const char *const *devices,
                                  size_t count, predictd_slowdown *slowdowns);

#endif
