/* SPDX-License-Identifier: Apache-2.0 */
/* Types that a kernel takes by value. */
#include "client/library/scalar.h"

#include <string.h>

static const struct {
	const char *name;
	enum scalar_kind kind;
	unsigned lane_bytes;
} names[] = {
        {"char", SCALAR_SIGNED, 1},     {"uchar", SCALAR_UNSIGNED, 1}, {"short", SCALAR_SIGNED, 2},
        {"ushort", SCALAR_UNSIGNED, 2}, {"int", SCALAR_SIGNED, 4},     {"uint", SCALAR_UNSIGNED, 4},
        {"long", SCALAR_SIGNED, 8},     {"ulong", SCALAR_UNSIGNED, 8}, {"bool", SCALAR_UNSIGNED, 1},
        {"half", SCALAR_REAL, 2},       {"float", SCALAR_REAL, 4},     {"double", SCALAR_REAL, 8},
};

bool scalar_type_parse(const char *text, struct scalar_type *type)
{
	static const char *const widths[] = {"", "2", "3", "4", "8", "16"};
	static const unsigned lanes[] = {1, 2, 3, 4, 8, 16};
	size_t length = strcspn(text, "0123456789"), name = 0, width = 0;
	while (name < sizeof names / sizeof names[0] &&
	       (strncmp(names[name].name, text, length) != 0 || names[name].name[length] != '\0'))
		name++;
	while (width < sizeof lanes / sizeof lanes[0] && strcmp(text + length, widths[width]) != 0)
		width++;
	if (length == 0 || name == sizeof names / sizeof names[0] ||
	    width == sizeof lanes / sizeof lanes[0])
		return false;
	*type = (struct scalar_type){names[name].kind, names[name].lane_bytes, lanes[width]};
	return true;
}

size_t scalar_type_bytes(const struct scalar_type *type)
{
	return (size_t)type->lane_bytes * (type->lanes == 3 ? 4 : type->lanes);
}

int64_t scalar_integer(const struct scalar_type *type, const void *bytes)
{
	uint64_t raw = 0;
	memcpy(&raw, bytes, type->lane_bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	raw >>= 64 - 8 * type->lane_bytes;
#endif
	unsigned unused = 64 - 8 * type->lane_bytes;
	return type->kind == SCALAR_SIGNED ? (int64_t)(raw << unused) >> unused : (int64_t)raw;
}

/* IEEE 754 binary16: a sign, five bits of exponent, ten of fraction. */
static double half_value(uint16_t bits)
{
	unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
	uint64_t sign = (uint64_t)(bits >> 15) << 63, raw;
	double value;
	if (exponent == 0) {
		value = (double)fraction /
		        (1 << 24); /* of the smallest numbers, without a leading one */
		return sign != 0 ? -value : value;
	}
	uint64_t wide = exponent == 31 ? 2047 : exponent + 1023 - 15;
	raw = sign | wide << 52 | (uint64_t)fraction << 42;
	memcpy(&value, &raw, sizeof value);
	return value;
}

double scalar_real(const struct scalar_type *type, const void *bytes)
{
	double wide;
	float single;
	uint16_t half;
	switch (type->lane_bytes) {
	case sizeof wide:
		memcpy(&wide, bytes, sizeof wide);
		return wide;
	case sizeof single:
		memcpy(&single, bytes, sizeof single);
		return (double)single;
	default:
		memcpy(&half, bytes, sizeof half);
		return half_value(half);
	}
}
