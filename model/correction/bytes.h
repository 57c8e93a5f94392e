/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as bytes, little-endian: what corrections keep. */
#ifndef PREDICTD_MODEL_CORRECTION_BYTES_H
#define PREDICTD_MODEL_CORRECTION_BYTES_H

#include <string.h>

#include "model/correction/correction.h"

static inline uint8_t *put(uint8_t *at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		*at++ = (uint8_t)(value >> (8 * i));
	return at;
}

static inline uint64_t get(const uint8_t **at, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)*(*at)++ << (8 * i);
	return value;
}

static inline uint8_t *put_float(uint8_t *at, float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return put(at, bits, 4);
}

static inline float get_float(const uint8_t **at)
{
	uint32_t bits = (uint32_t)get(at, 4);
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

#endif
