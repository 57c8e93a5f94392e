/* SPDX-License-Identifier: Apache-2.0 */
/* The value types of OpenCL C that the IR knows. */
#include "model/ir/type.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	uint8_t bytes;
	uint8_t type_class;
} scalars[SCALAR_COUNT] = {
#define X(name, text, bytes, class) {text, bytes, TYPE_CLASS_##class},
        SCALAR_TABLE(X)
#undef X
};

static const char *const type_classes[TYPE_CLASS_COUNT] = {
#define X(name, text) text,
        TYPE_CLASS_TABLE(X)
#undef X
};

static bool width_is_valid(unsigned width)
{
	return width == 1 || width == 2 || width == 3 || width == 4 || width == 8 || width == 16;
}

bool type_is_valid(struct type type)
{
	if (type.scalar == SCALAR_VOID)
		return type.width == 1;
	return type.scalar < SCALAR_COUNT && width_is_valid(type.width);
}

bool type_is_integer(struct type type)
{
	return type.scalar >= SCALAR_BOOL && type.scalar <= SCALAR_ULONG;
}

bool type_is_real(struct type type)
{
	return type.scalar >= SCALAR_HALF && type.scalar <= SCALAR_DOUBLE;
}

bool type_is_signed(struct type type)
{
	switch (type.scalar) {
	case SCALAR_CHAR:
	case SCALAR_SHORT:
	case SCALAR_INT:
	case SCALAR_LONG:
		return true;
	default:
		return type_is_real(type);
	}
}

uint32_t scalar_bytes(enum scalar scalar)
{
	assert(scalar < SCALAR_COUNT);
	return scalars[scalar].bytes;
}

uint32_t type_bytes(struct type type)
{
	unsigned lanes = type.width == 3 ? 4u : type.width;
	return scalar_bytes((enum scalar)type.scalar) * lanes;
}

enum type_class type_class_of(struct type type)
{
	assert(type.scalar < SCALAR_COUNT);
	return (enum type_class)scalars[type.scalar].type_class;
}

const char *scalar_name(enum scalar scalar)
{
	assert(scalar < SCALAR_COUNT);
	return scalars[scalar].name;
}

const char *type_class_name(enum type_class type_class)
{
	return type_class < TYPE_CLASS_COUNT ? type_classes[type_class] : "none";
}

bool type_parse(const char *text, struct type *type)
{
	for (int s = SCALAR_BOOL; s < SCALAR_COUNT; s++) {
		size_t length = strlen(scalars[s].name);
		if (strncmp(text, scalars[s].name, length) != 0)
			continue;
		const char *rest = text + length;
		unsigned width = 1;
		if (*rest != '\0') {
			char *end;
			unsigned long value = strtoul(rest, &end, 10);
			if (*rest < '1' || *rest > '9' || *end != '\0' || value < 2 || value > 16 ||
			    !width_is_valid((unsigned)value))
				continue;
			width = (unsigned)value;
		}
		*type = (struct type){(uint8_t)s, (uint8_t)width};
		return true;
	}
	return false;
}

void type_format(struct type type, char text[16])
{
	if (type.width > 1)
		(void)snprintf(text, 16, "%s%u", scalar_name((enum scalar)type.scalar), type.width);
	else
		(void)snprintf(text, 16, "%s", scalar_name((enum scalar)type.scalar));
}
