/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Footprints of StarPU's tasks. What is hashed, and in which order, was found by comparison with
 * what StarPU 1.3.10 wrote: tests/starpu/data has its files.
 */
#include "client/predictctl/starpu_footprint.h"

uint32_t starpu_crc(const void *bytes, size_t size, uint32_t seed)
{
	const unsigned char *at = bytes;
	uint32_t crc = seed;
	for (size_t i = 0; i < size; i++) {
		crc ^= (uint32_t)at[i] << 24;
		for (int bit = 0; bit < 8; bit++)
			crc = (crc & 0x80000000u) != 0 ? (crc << 1) ^ 0x1EDC6F41u : crc << 1;
	}
	return crc;
}

/* A number is hashed as it lies in memory: the file is of this machine, and so is StarPU. */
static uint32_t number_crc(uint32_t number, uint32_t seed)
{
	return starpu_crc(&number, sizeof number, seed);
}

/* Of the handle alone. Strides and the sizes of elements do not count, but for a variable. */
static uint32_t interface_crc(const struct starpu_handle *handle)
{
	const uint32_t *sizes = handle->sizes;
	switch (handle->interface) {
	case STARPU_MATRIX: /* NY is the seed itself */
		return number_crc(sizes[0], sizes[1]);
	case STARPU_BLOCK:
		return number_crc(sizes[2], number_crc(sizes[1], number_crc(sizes[0], 0)));
	case STARPU_VARIABLE:
		return number_crc((uint32_t)handle->element_bytes, 0);
	default: /* rows of a CSR matrix do not count */
		return number_crc(sizes[0], 0);
	}
}

uint32_t starpu_handles_footprint(const struct starpu_handle *handles, size_t count)
{
	uint32_t crc = 0;
	for (size_t i = 0; i < count; i++) {
		uint32_t own =
		        number_crc(interface_crc(&handles[i]), (uint32_t)handles[i].interface);
		crc = number_crc(own, crc);
	}
	return crc;
}

uint32_t starpu_size_footprint(uint64_t size)
{
	return starpu_crc(&size, sizeof size, 0);
}

uint64_t starpu_handle_bytes(const struct starpu_handle *handle)
{
	uint64_t count = 1;
	if (handle->interface == STARPU_CSR)
		return (uint64_t)handle->sizes[0] * (handle->element_bytes + sizeof(uint32_t)) +
		       ((uint64_t)handle->sizes[1] + 1) * sizeof(uint32_t);
	if (handle->interface == STARPU_VECTOR)
		count = handle->sizes[0];
	else if (handle->interface == STARPU_MATRIX)
		count = (uint64_t)handle->sizes[0] * handle->sizes[1];
	else if (handle->interface == STARPU_BLOCK)
		count = (uint64_t)handle->sizes[0] * handle->sizes[1] * handle->sizes[2];
	return count * handle->element_bytes;
}
