/* SPDX-License-Identifier: Apache-2.0 */
/* What a measured kernel's buffers hold at first. */
#include "daemon/calibrator/init.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* splitmix64 (Steele, Lea, Flood, OOPSLA 2014) of a counter: random access to the stream. */
static uint64_t random_at(uint64_t seed, uint64_t index)
{
	uint64_t z = (seed + 1) * 0xd1342543de82ef95u + (index + 1) * 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static bool parse_real(const char **text, double *value)
{
	char *end;
	if (**text != ':')
		return false;
	*value = strtod(*text + 1, &end);
	if (end == *text + 1 || !isfinite(*value))
		return false;
	*text = end;
	return true;
}

static bool parse_count(const char **text, uint64_t *value)
{
	char *end;
	if (**text != ':' || (*text)[1] < '0' || (*text)[1] > '9')
		return false;
	errno = 0;
	*value = strtoull(*text + 1, &end, 10);
	if (errno != 0)
		return false;
	*text = end;
	return true;
}

static bool take(const char **text, const char *word)
{
	size_t length = strlen(word);
	if (strncmp(*text, word, length) != 0 ||
	    ((*text)[length] != '\0' && (*text)[length] != ':'))
		return false;
	*text += length;
	return true;
}

enum status init_parse(const char *text, struct init *init, struct error *error)
{
	const char *rest = text;
	struct init read = {.high = 1};
	bool good = true;
	if (take(&rest, "zero")) {
		read.kind = INIT_ZERO;
	} else if (take(&rest, "iota")) {
		read.kind = INIT_IOTA;
	} else if (take(&rest, "rand_float")) {
		read.kind = INIT_FLOAT;
		if (*rest == ':')
			good = parse_real(&rest, &read.low) && parse_real(&rest, &read.high) &&
			       read.low <= read.high;
	} else if (take(&rest, "rand_double")) {
		read.kind = INIT_DOUBLE;
	} else if (take(&rest, "rand_u32")) {
		read.kind = INIT_U32;
	} else if (take(&rest, "rand_index")) {
		read.kind = INIT_INDEX;
		good = parse_count(&rest, &read.count) && read.count > 0 &&
		       read.count <= (uint64_t)1 << 31;
	} else if (take(&rest, "csr_rowptr")) {
		read.kind = INIT_CSR_ROW_PTR;
		good = parse_count(&rest, &read.count) && parse_count(&rest, &read.per_row) &&
		       (read.per_row == 0 || read.count <= INT32_MAX / read.per_row);
	} else {
		good = false;
	}
	if (!good || *rest != '\0')
		return error_set(error, STATUS_INVALID,
		                 "init '%.64s': want zero, iota, rand_float[:A:B], rand_double, "
		                 "rand_u32, rand_index:N or csr_rowptr:ROWS:PER_ROW",
		                 text);
	*init = read;
	return STATUS_OK;
}

static float float_at(const struct init *init, uint64_t seed, uint64_t index)
{
	double unit = (double)(random_at(seed, index) >> 40) * 0x1p-24;
	return (float)(init->low + unit * (init->high - init->low));
}

static uint32_t word_at(const struct init *init, uint64_t seed, uint64_t index)
{
	float real;
	uint32_t bits;
	switch (init->kind) {
	case INIT_IOTA:
		return (uint32_t)index;
	case INIT_FLOAT:
		real = float_at(init, seed, index);
		memcpy(&bits, &real, sizeof bits);
		return bits;
	case INIT_U32:
		return (uint32_t)random_at(seed, index);
	case INIT_INDEX:
		return (uint32_t)(random_at(seed, index) % init->count);
	case INIT_CSR_ROW_PTR:
		return (uint32_t)((index < init->count ? index : init->count) * init->per_row);
	case INIT_ZERO:
	case INIT_DOUBLE:
		break;
	}
	return 0;
}

void init_fill(const struct init *init, uint64_t seed, uint64_t at, void *bytes, size_t size)
{
	char *to = bytes;
	if (init->kind == INIT_ZERO) {
		memset(bytes, 0, size);
		return;
	}
	if (init->kind == INIT_DOUBLE) {
		size_t whole = size / sizeof(double);
		for (size_t i = 0; i < whole; i++) {
			double value =
			        (double)(random_at(seed, at / sizeof value + i) >> 11) * 0x1p-53;
			memcpy(to + i * sizeof value, &value, sizeof value);
		}
		memset(to + whole * sizeof(double), 0, size % sizeof(double));
		return;
	}
	size_t whole = size / sizeof(uint32_t);
	for (size_t i = 0; i < whole; i++) {
		uint32_t word = word_at(init, seed, at / sizeof word + i);
		memcpy(to + i * sizeof word, &word, sizeof word);
	}
	memset(to + whole * sizeof(uint32_t), 0, size % sizeof(uint32_t));
}
