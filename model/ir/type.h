/* SPDX-License-Identifier: Apache-2.0 */
/* The value types of OpenCL C that the IR knows: a scalar kind and a width. */
#ifndef PREDICTD_MODEL_IR_TYPE_H
#define PREDICTD_MODEL_IR_TYPE_H

#include <stdbool.h>
#include <stdint.h>

/* X(NAME, "opencl name", bytes, type class) - order is wire format: append only. */
#define SCALAR_TABLE(X)                                                                            \
	X(VOID, "void", 0, NONE)                                                                   \
	X(BOOL, "bool", 1, INT)                                                                    \
	X(CHAR, "char", 1, INT)                                                                    \
	X(UCHAR, "uchar", 1, INT)                                                                  \
	X(SHORT, "short", 2, INT)                                                                  \
	X(USHORT, "ushort", 2, INT)                                                                \
	X(INT, "int", 4, INT)                                                                      \
	X(UINT, "uint", 4, INT)                                                                    \
	X(LONG, "long", 8, LONG)                                                                   \
	X(ULONG, "ulong", 8, LONG)                                                                 \
	X(HALF, "half", 2, HALF)                                                                   \
	X(FLOAT, "float", 4, FLOAT)                                                                \
	X(DOUBLE, "double", 8, DOUBLE)

enum scalar {
#define X(name, text, bytes, class) SCALAR_##name,
	SCALAR_TABLE(X)
#undef X
	        SCALAR_COUNT
};

/* What arithmetic costs is calibrated per class of type. */
#define TYPE_CLASS_TABLE(X)                                                                        \
	X(INT, "int")                                                                              \
	X(LONG, "long")                                                                            \
	X(HALF, "half")                                                                            \
	X(FLOAT, "float")                                                                          \
	X(DOUBLE, "double")

enum type_class {
#define X(name, text) TYPE_CLASS_##name,
	TYPE_CLASS_TABLE(X)
#undef X
	        TYPE_CLASS_COUNT,
	TYPE_CLASS_NONE = TYPE_CLASS_COUNT
};

/* width: 1 for a scalar, else 2, 3, 4, 8, 16. */
struct type {
	uint8_t scalar; /* enum scalar */
	uint8_t width;
};

static inline struct type type_scalar(enum scalar scalar)
{
	return (struct type){(uint8_t)scalar, 1};
}

/* All below accept only valid types (see type_is_valid). */
bool type_is_valid(struct type type);
bool type_is_integer(struct type type); /* bool to ulong */
bool type_is_signed(struct type type);  /* signed integers and reals */
bool type_is_real(struct type type);    /* half, float, double */
uint32_t scalar_bytes(enum scalar scalar);
uint32_t type_bytes(struct type type); /* a three-vector takes four elements, as in memory */
enum type_class type_class_of(struct type type);
const char *scalar_name(enum scalar scalar);
const char *type_class_name(enum type_class type_class);

/* "float4" and the like -> type; false when it is no type the IR knows. */
bool type_parse(const char *text, struct type *type);

/* Writes "uint2" into text (at least 16 bytes). */
void type_format(struct type type, char text[16]);

#endif
