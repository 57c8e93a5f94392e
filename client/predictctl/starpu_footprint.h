/* SPDX-License-Identifier: Apache-2.0 */
/* Footprints: by which StarPU 1.3 tells tasks of one codelet and unlike data sizes apart. */
#ifndef PREDICTD_CLIENT_PREDICTCTL_STARPU_FOOTPRINT_H
#define PREDICTD_CLIENT_PREDICTCTL_STARPU_FOOTPRINT_H

#include <stddef.h>
#include <stdint.h>

/* The interfaces of data handles whose footprint is known. */
enum starpu_interface {
	STARPU_MATRIX = 0,
	STARPU_BLOCK = 1,
	STARPU_VECTOR = 2,
	STARPU_CSR = 3,
	STARPU_VARIABLE = 5
};

/* A data handle, as its task sees it: of a partitioned one, the part. */
struct starpu_handle {
	enum starpu_interface interface;
	uint32_t sizes[3]; /* NX; NX, NY; NX, NY, NZ; non-zeros, rows; a variable has none */
	uint64_t element_bytes;
};

/*
 * The CRC of bytes, with `seed` as the state before them: polynomial 0x1EDC6F41 (CRC-32C), the
 * highest bit first, no final complement. It is that of <starpu_hash.h>.
 */
uint32_t starpu_crc(const void *bytes, size_t size, uint32_t seed);

/* The footprint of a task with these handles, in the order of its codelet's. */
uint32_t starpu_handles_footprint(const struct starpu_handle *handles, size_t count);

/* The footprint of a task whose performance model has a size_base function, which said `size`. */
uint32_t starpu_size_footprint(uint64_t size);

/* What StarPU takes for the size of the handle's data, in bytes. */
uint64_t starpu_handle_bytes(const struct starpu_handle *handle);

#endif
