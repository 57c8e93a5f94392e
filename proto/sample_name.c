/* SPDX-License-Identifier: Apache-2.0 */
/* The name of a sample: a hash of what it holds. */
#include "proto/sample_name.h"

#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
	return size == 0 ? hash : XXH3_64bits_withSeed(bytes, size, hash);
}

/* What it is, hashed into the seed of the hash of its bytes: counts tell lists apart. */
void sample_name(const Predictd__Sample *sample, uint8_t name[SAMPLE_NAME_BYTES])
{
	const uint64_t counts[] = {sample->size_bytes, sample->n_offsets_bytes,
	                           sample->n_lengths_bytes, sample->bytes.len};
	uint64_t seed = mix(0, counts, sizeof counts);
	seed = mix(seed, sample->type, strlen(sample->type));
	seed = mix(seed, sample->offsets_bytes,
	           sample->n_offsets_bytes * sizeof sample->offsets_bytes[0]);
	seed = mix(seed, sample->lengths_bytes,
	           sample->n_lengths_bytes * sizeof sample->lengths_bytes[0]);
	static const uint8_t nothing[1];
	const uint8_t *bytes = sample->bytes.data != NULL ? sample->bytes.data : nothing;
	XXH128_canonical_t canonical;
	XXH128_canonicalFromHash(&canonical, XXH3_128bits_withSeed(bytes, sample->bytes.len, seed));
	memcpy(name, canonical.digest, SAMPLE_NAME_BYTES);
}
