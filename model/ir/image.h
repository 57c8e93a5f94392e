/* SPDX-License-Identifier: Apache-2.0 */
/* Images as OpenCL has them: kinds, formats, samplers, and how texels lie in memory. */
#ifndef PREDICTD_MODEL_IR_IMAGE_H
#define PREDICTD_MODEL_IR_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

/* X(NAME, "word", coordinates, of them in space) - order is wire format: append only. */
#define IMAGE_KIND_TABLE(X)                                                                        \
	X(NONE, "none", 0, 0)                                                                      \
	X(1D, "1d", 1, 1)                                                                          \
	X(1D_ARRAY, "1d_array", 2, 1)                                                              \
	X(1D_BUFFER, "1d_buffer", 1, 1)                                                            \
	X(2D, "2d", 2, 2)                                                                          \
	X(2D_ARRAY, "2d_array", 3, 2)                                                              \
	X(3D, "3d", 3, 3)

enum image_kind {
#define X(name, word, coordinates, dimensions) IMAGE_##name,
	IMAGE_KIND_TABLE(X)
#undef X
	        IMAGE_KIND_COUNT
};

/* What a channel holds, and so what a read converts. Words of coefficients' names. */
#define IMAGE_CLASS_TABLE(X)                                                                       \
	X(NORMAL, "normal") /* integers that stand for 0 to 1: a conversion */                     \
	X(FLOAT, "float")                                                                          \
	X(HALF, "half")                                                                            \
	X(INTEGER, "integer") /* as they are */

enum image_class {
#define X(name, word) IMAGE_CLASS_##name,
	IMAGE_CLASS_TABLE(X)
#undef X
	        IMAGE_CLASS_COUNT
};

/*
 * X(NAME, "name", bytes of a texel, class, order, type) - a name is what people and
 * messages say; the first is what an image is of when nothing says it.
 */
#define IMAGE_FORMAT_TABLE(X)                                                                      \
	X(RGBA8, "rgba8", 4, NORMAL, RGBA, UNORM8)                                                 \
	X(R8, "r8", 1, NORMAL, R, UNORM8)                                                          \
	X(RG8, "rg8", 2, NORMAL, RG, UNORM8)                                                       \
	X(BGRA8, "bgra8", 4, NORMAL, BGRA, UNORM8)                                                 \
	X(R16, "r16", 2, NORMAL, R, UNORM16)                                                       \
	X(RG16, "rg16", 4, NORMAL, RG, UNORM16)                                                    \
	X(RGBA16, "rgba16", 8, NORMAL, RGBA, UNORM16)                                              \
	X(R16F, "r16f", 2, HALF, R, HALF)                                                          \
	X(RG16F, "rg16f", 4, HALF, RG, HALF)                                                       \
	X(RGBA16F, "rgba16f", 8, HALF, RGBA, HALF)                                                 \
	X(R32F, "r32f", 4, FLOAT, R, FLOAT)                                                        \
	X(RG32F, "rg32f", 8, FLOAT, RG, FLOAT)                                                     \
	X(RGBA32F, "rgba32f", 16, FLOAT, RGBA, FLOAT)                                              \
	X(R8I, "r8i", 1, INTEGER, R, INT8)                                                         \
	X(RG8I, "rg8i", 2, INTEGER, RG, INT8)                                                      \
	X(RGBA8I, "rgba8i", 4, INTEGER, RGBA, INT8)                                                \
	X(R16I, "r16i", 2, INTEGER, R, INT16)                                                      \
	X(RG16I, "rg16i", 4, INTEGER, RG, INT16)                                                   \
	X(RGBA16I, "rgba16i", 8, INTEGER, RGBA, INT16)                                             \
	X(R32I, "r32i", 4, INTEGER, R, INT32)                                                      \
	X(RG32I, "rg32i", 8, INTEGER, RG, INT32)                                                   \
	X(RGBA32I, "rgba32i", 16, INTEGER, RGBA, INT32)                                            \
	X(R8UI, "r8ui", 1, INTEGER, R, UINT8)                                                      \
	X(RG8UI, "rg8ui", 2, INTEGER, RG, UINT8)                                                   \
	X(RGBA8UI, "rgba8ui", 4, INTEGER, RGBA, UINT8)                                             \
	X(R16UI, "r16ui", 2, INTEGER, R, UINT16)                                                   \
	X(RG16UI, "rg16ui", 4, INTEGER, RG, UINT16)                                                \
	X(RGBA16UI, "rgba16ui", 8, INTEGER, RGBA, UINT16)                                          \
	X(R32UI, "r32ui", 4, INTEGER, R, UINT32)                                                   \
	X(RG32UI, "rg32ui", 8, INTEGER, RG, UINT32)                                                \
	X(RGBA32UI, "rgba32ui", 16, INTEGER, RGBA, UINT32)

/* Channel orders and types by OpenCL's numbers, which kernels and the API share. */
enum image_order {
	IMAGE_ORDER_R = 0x10b0,
	IMAGE_ORDER_RG = 0x10b2,
	IMAGE_ORDER_RGBA = 0x10b5,
	IMAGE_ORDER_BGRA = 0x10b6
};

enum image_type {
	IMAGE_TYPE_UNORM8 = 0x10d2,
	IMAGE_TYPE_UNORM16 = 0x10d3,
	IMAGE_TYPE_INT8 = 0x10d7,
	IMAGE_TYPE_INT16 = 0x10d8,
	IMAGE_TYPE_INT32 = 0x10d9,
	IMAGE_TYPE_UINT8 = 0x10da,
	IMAGE_TYPE_UINT16 = 0x10db,
	IMAGE_TYPE_UINT32 = 0x10dc,
	IMAGE_TYPE_HALF = 0x10dd,
	IMAGE_TYPE_FLOAT = 0x10de
};

enum image_format {
#define X(name, word, bytes, class, order, type) IMAGE_##name,
	IMAGE_FORMAT_TABLE(X)
#undef X
	        IMAGE_FORMAT_COUNT
};

/* What a work-item does with a texel. Words of coefficients' names. */
#define IMAGE_WAY_TABLE(X)                                                                         \
	X(READ, "read") /* by integer coordinates */                                               \
	X(REAL, "real") /* by real ones, the nearest texel */                                      \
	X(LINEAR, "linear")                                                                        \
	X(WRITE, "write")

enum image_way {
#define X(name, word) IMAGE_WAY_##name,
	IMAGE_WAY_TABLE(X)
#undef X
	        IMAGE_WAY_COUNT
};

/* The values of a sampler_t: OpenCL C's CLK_ constants, as clang's header has them. */
enum {
	SAMPLER_NORMALIZED = 1,
	SAMPLER_ADDRESS_MASK = 0xe,
	SAMPLER_ADDRESS_EDGE = 2,
	SAMPLER_ADDRESS_CLAMP = 4,
	SAMPLER_ADDRESS_REPEAT = 6,
	SAMPLER_ADDRESS_MIRRORED = 8,
	SAMPLER_NEAREST = 0x10,
	SAMPLER_LINEAR = 0x20
};

/*
 * "nearest" or "linear", and in any order behind commas "normalized", "clamp",
 * "clamp_to_edge", "repeat" or "mirrored", as bits; "" is nearest. False: none of that.
 */
bool sampler_parse(const char *text, uint32_t *bits);

const char *image_kind_name(enum image_kind kind);
unsigned image_coordinates(enum image_kind kind); /* of a texel: layers of arrays among them */
unsigned image_dimensions(enum image_kind kind);  /* those that a sampler interpolates */

const char *image_format_name(enum image_format format);
unsigned image_format_bytes(enum image_format format);
enum image_class image_format_class(enum image_format format);
enum image_order image_format_order(enum image_format format);
enum image_type image_format_type(enum image_format format);
bool image_format_is_signed(enum image_format format); /* of integers */
/* False when there is no such format. */
bool image_format_parse(const char *name, enum image_format *format);

/* "normal", "float", ...; "read", "linear", ... */
const char *image_class_name(enum image_class class);
const char *image_way_name(enum image_way way);

/*
 * Where a device keeps 2-D images in tiles, a line of `bytes` (a power of two) covers so
 * many rows: squares of 16-byte units, as in Morton's order, up to the device's tile_rows.
 */
unsigned image_line_rows(unsigned tile_rows, double bytes);

/*
 * The address of a byte when rows of `pitch_bytes` lie in tiles: lines of any power of
 * two are then what image_line_rows says. The same address for tile_rows 1 or pitch 0.
 */
int64_t image_tile_address(int64_t address, uint64_t pitch_bytes, unsigned tile_rows);

#endif
