/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of what the program hands over, by the hash of what was read. */
#ifndef CLIENT_OPENCL_LAYER_SAMPLES_H
#define CLIENT_OPENCL_LAYER_SAMPLES_H

#include <predictd.h>

/*
 * In a thread of the program's, within what $PREDICTD_LAYER_SAMPLE_S and memory leave.
 *
 * Returns the hash, not 0; 0: there is none.
 */
uint64_t samples_take(const void *data, uint64_t size_bytes);

/* The sample, which then lives until the process ends; NULL: it has made room for others. */
const predictd_sample *samples_pin(uint64_t hash);

/* In a child of fork(). */
void samples_forget(void);

#endif
