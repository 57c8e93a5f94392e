/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the tables of images, and addresses in tiles. */
#include "model/ir/image.h"

#include <assert.h>
#include <string.h>

static const struct {
	const char *word;
	unsigned coordinates, dimensions;
} kinds[IMAGE_KIND_COUNT] = {
#define X(name, word, coordinates, dimensions) {word, coordinates, dimensions},
        IMAGE_KIND_TABLE(X)
#undef X
};

static const struct {
	const char *word;
	unsigned bytes;
	enum image_class class;
	enum image_order order;
	enum image_type type;
} formats[IMAGE_FORMAT_COUNT] = {
#define X(name, word, bytes, class, order, type)                                                   \
	{word, bytes, IMAGE_CLASS_##class, IMAGE_ORDER_##order, IMAGE_TYPE_##type},
        IMAGE_FORMAT_TABLE(X)
#undef X
};

static const char *const classes[IMAGE_CLASS_COUNT] = {
#define X(name, word) word,
        IMAGE_CLASS_TABLE(X)
#undef X
};

static const char *const ways[IMAGE_WAY_COUNT] = {
#define X(name, word) word,
        IMAGE_WAY_TABLE(X)
#undef X
};

const char *image_kind_name(enum image_kind kind)
{
	return kind < IMAGE_KIND_COUNT ? kinds[kind].word : "unknown";
}

unsigned image_coordinates(enum image_kind kind)
{
	return kind < IMAGE_KIND_COUNT ? kinds[kind].coordinates : 0;
}

unsigned image_dimensions(enum image_kind kind)
{
	return kind < IMAGE_KIND_COUNT ? kinds[kind].dimensions : 0;
}

const char *image_format_name(enum image_format format)
{
	return format < IMAGE_FORMAT_COUNT ? formats[format].word : "unknown";
}

unsigned image_format_bytes(enum image_format format)
{
	assert(format < IMAGE_FORMAT_COUNT);
	return formats[format].bytes;
}

enum image_class image_format_class(enum image_format format)
{
	assert(format < IMAGE_FORMAT_COUNT);
	return formats[format].class;
}

enum image_order image_format_order(enum image_format format)
{
	assert(format < IMAGE_FORMAT_COUNT);
	return formats[format].order;
}

enum image_type image_format_type(enum image_format format)
{
	assert(format < IMAGE_FORMAT_COUNT);
	return formats[format].type;
}

bool image_format_is_signed(enum image_format format)
{
	enum image_type type = image_format_type(format);

	return type >= IMAGE_TYPE_INT8 && type <= IMAGE_TYPE_INT32;
}

bool image_format_parse(const char *name, enum image_format *format)
{
	for (unsigned i = 0; i < IMAGE_FORMAT_COUNT; i++)
		if (strcmp(formats[i].word, name) == 0) {
			*format = (enum image_format)i;
			return true;
		}
	return false;
}

const char *image_class_name(enum image_class class)
{
	return class < IMAGE_CLASS_COUNT ? classes[class] : "unknown";
}

const char *image_way_name(enum image_way way)
{
	return way < IMAGE_WAY_COUNT ? ways[way] : "unknown";
}

bool sampler_parse(const char *text, uint32_t *bits)
{
	static const struct {
		const char *word;
		uint32_t bits;
	} words[] = {
	        {"nearest", SAMPLER_NEAREST},
	        {"linear", SAMPLER_LINEAR},
	        {"normalized", SAMPLER_NORMALIZED},
	        {"clamp", SAMPLER_ADDRESS_CLAMP},
	        {"clamp_to_edge", SAMPLER_ADDRESS_EDGE},
	        {"repeat", SAMPLER_ADDRESS_REPEAT},
	        {"mirrored", SAMPLER_ADDRESS_MIRRORED},
	};
	uint32_t read = text[0] == '\0' ? SAMPLER_NEAREST : 0;

	for (const char *at = text; *at != '\0';) {
		size_t length = strcspn(at, ","), i = 0;

		while (i < sizeof words / sizeof words[0] &&
		       (strlen(words[i].word) != length || strncmp(words[i].word, at, length) != 0))
			i++;
		if (i == sizeof words / sizeof words[0])
			return false;
		read |= words[i].bits;
		at += length + (at[length] == ',' && at[length + 1] != '\0');
		if (*at == ',')
			return false;
	}
	*bits = read;
	return true;
}

/* ---- tiles --------------------------------------------------------------------------------- */

enum { UNIT_SHIFT = 4, ROWS_SHIFT_MAX = 6 }; /* units of 16 bytes; 64 rows */

unsigned image_line_rows(unsigned tile_rows, double bytes)
{
	unsigned rows = 1;

	/* from a unit on, by turns: twice the rows, twice the width */
	for (double line = 2 << UNIT_SHIFT; line <= bytes && rows * 2 <= tile_rows; line *= 4)
		rows *= 2;
	return rows;
}

int64_t image_tile_address(int64_t address, uint64_t pitch_bytes, unsigned tile_rows)
{
	unsigned shift = 0;
	uint64_t row, column, unit, tiled, wide;

	while (shift < ROWS_SHIFT_MAX && 2u << shift <= tile_rows)
		shift++;
	if (shift == 0 || pitch_bytes == 0 || address < 0)
		return address;
	row = (uint64_t)address / pitch_bytes;
	column = (uint64_t)address % pitch_bytes;
	unit = column >> UNIT_SHIFT;
	/* a tile is as many units wide as it has rows: bits of row and unit by turns */
	wide = ((pitch_bytes - 1) >> (UNIT_SHIFT + shift)) + 1;
	tiled = (row >> shift) * wide + (unit >> shift);
	for (unsigned bit = shift; bit-- > 0;)
		tiled = tiled << 2 | (unit >> bit & 1) << 1 | (row >> bit & 1);
	return (int64_t)(tiled << UNIT_SHIFT | (column & ((1u << UNIT_SHIFT) - 1)));
}
