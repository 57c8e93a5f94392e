/* SPDX-License-Identifier: Apache-2.0 */
/* A sample: some of what a buffer holds when a kernel is launched. */
#include "model/device/sample.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is wrong with its parts ---------------------------------------------------------- */

static enum status check_run(const struct sample_parts *parts, size_t i, uint64_t end_bytes,
                             struct error *error)
{
	uint64_t offset = parts->offsets_bytes[i], length = parts->lengths_bytes[i];
	uint32_t element = parts->scalar == SCALAR_VOID ? 1 : scalar_bytes(parts->scalar);
	if (length == 0)
		return error_set(error, STATUS_INVALID,
		                 "sample: run %zu: want 1 byte or more, got 0", i);
	if (length > parts->size_bytes || offset > parts->size_bytes - length)
		return error_set(error, STATUS_INVALID,
		                 "sample: run %zu: want it within %" PRIu64 " bytes, got %" PRIu64
		                 " at %" PRIu64,
		                 i, parts->size_bytes, length, offset);
	if (offset % element != 0 || length % element != 0)
		return error_set(error, STATUS_INVALID,
		                 "sample: run %zu: want whole elements of %" PRIu32
		                 " bytes, got %" PRIu64 " at %" PRIu64,
		                 i, element, length, offset);
	if (i > 0 && offset <= end_bytes)
		return error_set(error, STATUS_INVALID,
		                 "sample: run %zu: want it behind byte %" PRIu64
		                 ", where the run before ends, got %" PRIu64,
		                 i, end_bytes, offset);
	return STATUS_OK;
}

static enum status check_parts(const struct sample_parts *parts, struct error *error)
{
	uint64_t total = 0, end = 0;
	if ((unsigned)parts->scalar >= SCALAR_COUNT)
		return error_set(error, STATUS_INVALID, "sample: want elements of a scalar type");
	if (parts->offset_count != parts->length_count || parts->offset_count == 0)
		return error_set(
		        error, STATUS_INVALID,
		        "sample: want an offset and a length for each run, got %zu and %zu",
		        parts->offset_count, parts->length_count);
	if (parts->offset_count > SAMPLE_RUNS_MAX)
		return error_set(error, STATUS_LIMIT, "sample: want at most %d runs, got %zu",
		                 SAMPLE_RUNS_MAX, parts->offset_count);
	if (parts->byte_count > SAMPLE_BYTES_MAX)
		return error_set(error, STATUS_LIMIT, "sample: want at most %d bytes, got %zu",
		                 SAMPLE_BYTES_MAX, parts->byte_count);
	for (size_t i = 0; i < parts->offset_count; i++) {
		enum status status = check_run(parts, i, end, error);
		if (status != STATUS_OK)
			return status;
		end = parts->offsets_bytes[i] + parts->lengths_bytes[i];
		total += parts->lengths_bytes[i]; /* 2^32 * SAMPLE_RUNS_MAX at most */
	}
	if (total != parts->byte_count)
		return error_set(error, STATUS_INVALID,
		                 "sample: want the %" PRIu64 " bytes of all runs, got %zu", total,
		                 parts->byte_count);
	return STATUS_OK;
}

/* ---- what follows from its bytes ----------------------------------------------------------- */

/* One element: a number that orders as its values do. */
struct element {
	int64_t rank;
	bool is_zero, is_nan;
};

/* Of an IEEE number's bits: sign and magnitude, with both zeros the same. */
static struct element real_element(uint64_t bits, unsigned width, uint64_t infinity)
{
	uint64_t sign = UINT64_C(1) << (width - 1), magnitude = bits & (sign - 1);
	int64_t rank = (int64_t)magnitude;
	return (struct element){(bits & sign) != 0 ? -rank : rank, magnitude == 0,
	                        magnitude > infinity};
}

static struct element integer_element(int64_t value)
{
	return (struct element){value, value == 0, false};
}

/* Elements are in the host's order of bytes. */
#define DEFINE_READ(name, type)                                                                    \
	static inline type name(const uint8_t *at)                                                 \
	{                                                                                          \
		type value;                                                                        \
		memcpy(&value, at, sizeof value);                                                  \
		return value;                                                                      \
	}
DEFINE_READ(read_16, uint16_t)
DEFINE_READ(read_32, uint32_t)
DEFINE_READ(read_64, uint64_t)

static struct element element_at(enum scalar scalar, const uint8_t *at)
{
	switch (scalar) {
	case SCALAR_CHAR:
		return integer_element((int8_t)*at);
	case SCALAR_SHORT:
		return integer_element((int16_t)read_16(at));
	case SCALAR_USHORT:
		return integer_element(read_16(at));
	case SCALAR_INT:
		return integer_element((int32_t)read_32(at));
	case SCALAR_UINT:
		return integer_element(read_32(at));
	case SCALAR_LONG:
		return integer_element((int64_t)read_64(at));
	case SCALAR_ULONG: {
		uint64_t value = read_64(at);
		/* 2^63 less, so that the larger half fits */
		int64_t rank = value >= UINT64_C(1) << 63 ? (int64_t)(value - (UINT64_C(1) << 63))
		                                          : (int64_t)value + INT64_MIN;
		return (struct element){rank, value == 0, false};
	}
	case SCALAR_HALF:
		return real_element(read_16(at), 16, 0x7c00);
	case SCALAR_FLOAT:
		return real_element(read_32(at), 32, 0x7f800000);
	case SCALAR_DOUBLE:
		return real_element(read_64(at), 64, UINT64_C(0x7ff0000000000000));
	default: /* bool, uchar, and bytes of no known type */
		return integer_element(*at);
	}
}

/* fills order, range and zeros; requires scalar, bytes and byte_count */
static void describe(struct sample *sample)
{
	enum scalar scalar = (enum scalar)sample->scalar;
	uint32_t size = scalar == SCALAR_VOID ? 1 : scalar_bytes(scalar);
	uint32_t count = sample->byte_count / size, zeros = 0;
	bool ascends = true, descends = true;
	int64_t low = INT64_MAX, high = INT64_MIN, before = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct element element = element_at(scalar, sample->bytes + (size_t)i * size);
		zeros += element.is_zero;
		ascends &= !element.is_nan && (i == 0 || before <= element.rank);
		descends &= !element.is_nan && (i == 0 || before >= element.rank);
		low = element.rank < low ? element.rank : low;
		high = element.rank > high ? element.rank : high;
		before = element.rank;
	}
	sample->zero_share = (double)zeros / count;
	if (scalar == SCALAR_VOID)
		return;
	if (count > 1 && (ascends || descends))
		sample->order = ascends ? SAMPLE_ASCENDING : SAMPLE_DESCENDING;
	if (!type_is_integer(type_scalar(scalar)))
		return;
	if (scalar == SCALAR_ULONG) {
		if (high >= 0)
			return;
		low -= INT64_MIN;
		high -= INT64_MIN;
	}
	sample->has_range = true;
	sample->low = low;
	sample->high = high;
}

/* ---- the sample ---------------------------------------------------------------------------- */

enum status sample_new(const struct sample_parts *parts, struct sample **result,
                       struct error *error)
{
	enum status status = check_parts(parts, error);
	if (status != STATUS_OK)
		return status;
	struct sample *sample = calloc(1, sizeof *sample + parts->byte_count);
	if (sample == NULL)
		return error_set(error, STATUS_NO_MEMORY, "sample: no memory");
	sample->holders = 1;
	sample->size_bytes = parts->size_bytes;
	sample->scalar = (uint8_t)parts->scalar;
	sample->run_count = (uint32_t)parts->offset_count;
	for (uint32_t i = 0; i < sample->run_count; i++) {
		sample->runs[i] = (struct sample_run){.offset_bytes = parts->offsets_bytes[i],
		                                      .length_bytes = parts->lengths_bytes[i],
		                                      .start = sample->byte_count};
		sample->byte_count += parts->lengths_bytes[i];
	}
	memcpy(sample->bytes, parts->bytes, parts->byte_count);
	describe(sample);
	*result = sample;
	return STATUS_OK;
}

const struct sample *sample_hold(const struct sample *sample)
{
	((struct sample *)(uintptr_t)sample)->holders++;
	return sample;
}

void sample_release(const struct sample *sample)
{
	struct sample *own = (struct sample *)(uintptr_t)sample;
	if (own != NULL && --own->holders == 0)
		free(own);
}

uint32_t sample_run_before(const struct sample *sample, uint64_t offset_bytes)
{
	uint32_t first = 0, behind = sample->run_count;
	while (first < behind) {
		uint32_t middle = first + (behind - first) / 2;
		if (sample->runs[middle].offset_bytes <= offset_bytes)
			first = middle + 1;
		else
			behind = middle;
	}
	return first == 0 ? sample->run_count : first - 1;
}

const uint8_t *sample_find(const struct sample *sample, uint64_t offset_bytes,
                           uint64_t length_bytes)
{
	uint32_t before = sample_run_before(sample, offset_bytes);
	if (before == sample->run_count)
		return NULL;
	const struct sample_run *run = &sample->runs[before];
	uint64_t within = offset_bytes - run->offset_bytes;
	if (length_bytes > run->length_bytes || within > run->length_bytes - length_bytes)
		return NULL;
	return sample->bytes + run->start + within;
}
