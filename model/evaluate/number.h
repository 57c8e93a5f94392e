/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of nodes and what operators make of them. Integers wrap at the node's type; reals are
 * kept as the bits of a double, rounded to their type. Nothing of launches or lanes.
 */
#ifndef PREDICTD_MODEL_EVALUATE_NUMBER_H
#define PREDICTD_MODEL_EVALUATE_NUMBER_H

#include <string.h>

#include "model/ir/ir.h"

/*
 * (sqrt(5) - 1) / 2. Its multiples, modulo 1, lie evenly between 0 and 1, however many there are
 * (Knuth, The Art of Computer Programming 3, 6.4, theorem S).
 */
#define GOLDEN_SECTION 0.6180339887498949

/* How far a value is known; combined by bitwise and. */
enum {
	NUMBER_PLACE = 1,   /* nobody knows, but of one place the same: good for how lanes lie */
	NUMBER_CHANCE = 3,  /* drawn from the hinted range of a buffer: good where many are drawn */
	NUMBER_KNOWN = 7,   /* follows from the launch: good for control */
	NUMBER_COUNTED = 11 /* as NUMBER_CHANCE, while bound_counters has set it */
};

/*
 * What an operator makes of its operands' values, as many as it has; from: the first one's type.
 * k[]: cleared where that is not known: a division by zero, what no table has. Of scalars.
 */
void number_apply(const struct ir_node *n, struct type from, const int64_t *const v[3], int64_t *r,
                  uint8_t *k, unsigned count);

/* number_wrap of each value. */
void number_wrap_all(struct type type, int64_t *values, unsigned count);

/* The value wrapped to an integer type; reals unchanged. */
static inline int64_t number_wrap(struct type type, int64_t value)
{
	switch (type.scalar) {
	case SCALAR_BOOL:
		return value != 0;
	case SCALAR_CHAR:
		return (int8_t)value;
	case SCALAR_UCHAR:
		return (uint8_t)value;
	case SCALAR_SHORT:
		return (int16_t)value;
	case SCALAR_USHORT:
		return (uint16_t)value;
	case SCALAR_INT:
		return (int32_t)value;
	case SCALAR_UINT:
		return (uint32_t)value;
	default:
		return value;
	}
}

/* A real as it is kept: the bits of a double, rounded to its type. */
static inline int64_t number_bits(struct type type, double real)
{
	int64_t bits;

	if (type.scalar != SCALAR_DOUBLE)
		real = (double)(float)real;
	memcpy(&bits, &real, sizeof(bits));
	return bits;
}

static inline double number_real(int64_t bits)
{
	double real;

	memcpy(&real, &bits, sizeof(real));
	return real;
}

/* An integer of 64 well mixed bits for each number: the only source of chance. */
static inline uint64_t number_mix(uint64_t number)
{
	/* splitmix64: Steele, Lea, Flood, OOPSLA 2014 */
	number += 0x9e3779b97f4a7c15u;
	number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
	number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
	return number ^ (number >> 31);
}

/* Of mixed bits: a real between zero and one. */
static inline double number_unit(uint64_t mixed)
{
	return (double)(mixed >> 11) * 0x1p-53;
}

#endif
