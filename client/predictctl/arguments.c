/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar of --arg, --global and --hint. */
#include "client/predictctl/arguments.h"

#include "client/predictctl/nearest.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MAX = 5 }; /* buffer:SIZE:ACCESS:RANGE:INIT */

#define WIDTHS(name, bytes, is_real, is_unsigned)                                                  \
	{name, 1, bytes, is_real, is_unsigned}, {name "2", 2, bytes, is_real, is_unsigned},        \
	        {name "3", 3, bytes, is_real, is_unsigned},                                        \
	        {name "4", 4, bytes, is_real, is_unsigned},                                        \
	        {name "8", 8, bytes, is_real, is_unsigned},                                        \
	{                                                                                          \
		name "16", 16, bytes, is_real, is_unsigned                                         \
	}

static const struct scalar_type scalar_types[] = {
        WIDTHS("char", 1, false, false),  WIDTHS("uchar", 1, false, true),
        WIDTHS("short", 2, false, false), WIDTHS("ushort", 2, false, true),
        WIDTHS("int", 4, false, false),   WIDTHS("uint", 4, false, true),
        WIDTHS("long", 8, false, false),  WIDTHS("ulong", 8, false, true),
        WIDTHS("half", 2, true, false),   WIDTHS("float", 4, true, false),
        WIDTHS("double", 8, true, false),
};

const struct scalar_type *scalar_type_find(const char *name)
{
	for (size_t i = 0; i < sizeof scalar_types / sizeof scalar_types[0]; i++)
		if (strcmp(scalar_types[i].name, name) == 0)
			return &scalar_types[i];
	return NULL;
}

const char *scalar_type_say(const char *name, char text[64])
{
	static const char *const kinds[] = {"buffer", "local", "bytes", "image", "sampler"};
	enum {
		KINDS = sizeof kinds / sizeof kinds[0],
		TYPES = sizeof scalar_types / sizeof scalar_types[0]
	};
	const char *words[KINDS + TYPES + 1] = {NULL};
	for (size_t i = 0; i < KINDS; i++)
		words[i] = kinds[i];
	for (size_t i = 0; i < TYPES; i++)
		words[KINDS + i] = scalar_types[i].name;
	return nearest_say(name, words, text);
}

bool refuse(struct complaint *why, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(why->text, sizeof why->text, format, arguments);
	va_end(arguments);
	return false;
}

/* A decimal number at *at, which moves behind it. */
static bool digits_parse(const char **at, uint64_t *value)
{
	char *end;
	if (**at < '0' || **at > '9')
		return false;
	errno = 0;
	*value = strtoull(*at, &end, 10);
	*at = end;
	return errno == 0;
}

bool size_parse(const char *text, uint64_t *size, struct complaint *why)
{
	static const char suffixes[] = "KMG";
	const char *at = text;
	uint64_t value;
	if (!digits_parse(&at, &value))
		return at == text
		               ? refuse(why, "want a size such as 4096 or 16K, have '%.40s'", text)
		               : refuse(why, "%.40s is over 64 bits", text);
	if (*at != '\0') {
		const char *suffix = strchr(suffixes, *at);
		if (suffix == NULL || at[1] != '\0')
			return refuse(why, "want K, M or G behind a size, have '%.40s'", text);
		unsigned shift = 10 * (unsigned)(suffix - suffixes + 1);
		if (value > UINT64_MAX >> shift)
			return refuse(why, "%.40s is over 64 bits", text);
		value <<= shift;
	}
	*size = value;
	return true;
}

bool time_parse(const char *text, double *time_s)
{
	static const struct {
		const char *name;
		double unit_s;
	} units[] = {{"", 1},      {"s", 1},  {"ms", 1e-3},   {"us", 1e-6},
	             {"ns", 1e-9}, {"m", 60}, {"h", 60 * 60}, {"d", 24 * 60 * 60}};
	char *end;
	double value = strtod(text, &end);
	if (end == text || !(value >= 0 && value <= 1e12))
		return false;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (strcmp(end, units[i].name) != 0)
			continue;
		*time_s = value * units[i].unit_s;
		return *time_s <= 1e12;
	}
	return false;
}

bool sizes_parse(const char *text, uint64_t sizes[3], uint32_t *count, struct complaint *why)
{
	char part[32];
	*count = 0;
	for (const char *at = text;; at++) {
		size_t length = strcspn(at, ",");
		if (*count == 3)
			return refuse(why, "want one to three sizes, have '%.60s'", text);
		if (length >= sizeof part)
			return refuse(why, "want sizes such as 1024,1024, have '%.60s'", text);
		memcpy(part, at, length);
		part[length] = '\0';
		if (!size_parse(part, &sizes[*count], why))
			return false;
		if (sizes[*count] == 0)
			return refuse(why, "want sizes of 1 or more, have '%.60s'", text);
		++*count;
		at += length;
		if (*at == '\0')
			return true;
	}
}

bool access_parse(const char *text, unsigned *access)
{
	if (strcmp(text, "r") == 0)
		*access = PREDICTD_READ;
	else if (strcmp(text, "w") == 0)
		*access = PREDICTD_WRITE;
	else if (strcmp(text, "rw") == 0)
		*access = PREDICTD_READ_WRITE;
	else
		return false;
	return true;
}

const char *model_say(const char *text, char meant[64])
{
	const char *words[PREDICTD_UNCACHED + 2] = {NULL};
	for (int i = PREDICTD_DEFAULT; i <= PREDICTD_UNCACHED; i++)
		words[i] = predictd_model_name((predictd_model)i);
	return nearest_say(text, words, meant);
}

bool model_parse(const char *text, predictd_model *model)
{
	for (int i = PREDICTD_DEFAULT; i <= PREDICTD_UNCACHED; i++) {
		if (strcmp(predictd_model_name((predictd_model)i), text) == 0) {
			*model = (predictd_model)i;
			return true;
		}
	}
	return false;
}

static const char *name_find(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return names[i];
	return NULL;
}

static const char *const formats[] = {
        "rgba8",   "r8",      "rg8",     "bgra8",    "r16",     "rg16",    "rgba16",   "r16f",
        "rg16f",   "rgba16f", "r32f",    "rg32f",    "rgba32f", "r8i",     "rg8i",     "rgba8i",
        "r16i",    "rg16i",   "rgba16i", "r32i",     "rg32i",   "rgba32i", "r8ui",     "rg8ui",
        "rgba8ui", "r16ui",   "rg16ui",  "rgba16ui", "r32ui",   "rg32ui",  "rgba32ui", NULL,
};

const char *image_format_find(const char *name)
{
	return name_find(formats, sizeof formats / sizeof formats[0] - 1, name);
}

const char *image_format_say(const char *name, char text[64])
{
	return nearest_say(name, formats, text);
}

static const char *const samplers[] = {
        "nearest",
        "linear",
        "nearest,normalized",
        "linear,normalized",
        "nearest,repeat",
        "linear,repeat",
        "nearest,normalized,repeat",
        "linear,normalized,repeat",
        NULL,
};

const char *sampler_find(const char *name)
{
	return name_find(samplers, sizeof samplers / sizeof samplers[0] - 1, name);
}

static const char *const inits[] = {
        "zero", "iota", "rand_float", "rand_double", "rand_u32", "rand_index", "csr_rowptr", NULL,
};

/* What measuring may fill a buffer with begins like this; colons and numbers may follow. */
static bool init_begins(const char *text)
{
	size_t length = strcspn(text, ":");
	if (text[0] == '@')
		return true;
	for (size_t i = 0; inits[i] != NULL; i++)
		if (strlen(inits[i]) == length && strncmp(inits[i], text, length) == 0)
			return true;
	return false;
}

/* "LOW..HIGH" */
static bool range_parse(const char *text, predictd_argument *argument, struct complaint *why)
{
	char *end, meant[64];
	errno = 0;
	argument->low = strtoll(text, &end, 10);
	if (end == text || strncmp(end, "..", 2) != 0)
		return refuse(
		        why,
		        "want r, w, rw, LOW..HIGH or an init such as rand_float, have '%.60s'%s",
		        text, nearest_say(text, inits, meant));
	const char *high = end + 2;
	argument->high = strtoll(high, &end, 10);
	if (end == high || *end != '\0' || errno != 0 || argument->low > argument->high)
		return refuse(why, "want a range LOW..HIGH, have '%.60s'", text);
	argument->has_range = true;
	return true;
}

static bool buffer_parse(char *parts[PARTS_MAX], size_t count, predictd_argument *argument,
                         struct complaint *why)
{
	argument->kind = PREDICTD_BUFFER;
	argument->access = PREDICTD_READ_WRITE;
	if (count < 2)
		return refuse(why, "want buffer:SIZE, have 'buffer'");
	if (!size_parse(parts[1], &argument->size_bytes, why))
		return false;
	if (argument->size_bytes == 0)
		return refuse(why, "a buffer of 0 bytes");
	size_t next = 2;
	if (next < count && access_parse(parts[next], &argument->access))
		next++;
	if (next < count && !init_begins(parts[next]) && !range_parse(parts[next++], argument, why))
		return false;
	if (next == count)
		return true;
	char meant[64];
	if (!init_begins(parts[next]))
		return refuse(why, "'%.60s' after a buffer's range%s", parts[next],
		              nearest_say(parts[next], inits, meant));
	argument->init = strdup(parts[next]);
	return argument->init != NULL || refuse(why, "no memory");
}

/* local:SIZE and bytes:SIZE */
static bool bytes_parse(predictd_argument_kind kind, char *parts[PARTS_MAX], size_t count,
                        predictd_argument *argument, struct complaint *why)
{
	argument->kind = kind;
	if (count != 2)
		return refuse(why, "want %s:SIZE", parts[0]);
	if (!size_parse(parts[1], &argument->size_bytes, why))
		return false;
	return argument->size_bytes > 0 || refuse(why, "%s of 0 bytes", parts[0]);
}

/* "W", "WxH" or "WxHxD" */
static bool image_sizes_parse(const char *at, uint32_t sizes[3])
{
	for (unsigned i = 0; i < 3; i++) {
		uint64_t size;
		if (!digits_parse(&at, &size) || size == 0 || size > UINT32_MAX)
			return false;
		sizes[i] = (uint32_t)size;
		if (*at == '\0')
			return true;
		if (*at++ != 'x')
			return false;
	}
	return false;
}

static bool image_parse(char *parts[PARTS_MAX], size_t count, predictd_argument *argument,
                        struct complaint *why)
{
	uint32_t sizes[3] = {0};
	size_t next = 2;
	argument->kind = PREDICTD_IMAGE;
	argument->access = 0; /* as the kernel declares it */
	if (count < 2 || !image_sizes_parse(parts[1], sizes))
		return refuse(why, "want image:WIDTHxHEIGHT, have '%.60s'",
		              count > 1 ? parts[1] : "");
	argument->width = sizes[0];
	argument->height = sizes[1];
	argument->depth = sizes[2];
	if (next < count && (argument->type = image_format_find(parts[next])) != NULL)
		next++;
	if (next < count && access_parse(parts[next], &argument->access))
		next++;
	char meant[64];
	if (next == count)
		return true;
	if (next > 2)
		return refuse(why, "want r, w or rw, have '%.60s'", parts[next]);
	return refuse(why, "want a format such as rgba8, r32f or rgba32f, have '%.60s'%s",
	              parts[next], image_format_say(parts[next], meant));
}

bool argument_set_integer(predictd_argument *argument, const struct scalar_type *type,
                          unsigned lane, int64_t value, struct complaint *why)
{
	if (type->bytes < 8) {
		unsigned bits = 8u * type->bytes;
		int64_t low = type->is_unsigned ? 0 : -((int64_t)1 << (bits - 1));
		int64_t high = ((int64_t)1 << (type->is_unsigned ? bits : bits - 1)) - 1;
		if (value < low || value > high)
			return refuse(why, "%lld does not fit %s (%lld to %lld)", (long long)value,
			              type->name, (long long)low, (long long)high);
	}
	argument->integers[lane] = value;
	return true;
}

/* One lane's value. */
static bool value_parse(const char *text, const struct scalar_type *type, unsigned lane,
                        predictd_argument *argument, struct complaint *why)
{
	char *end = (char *)text;
	errno = 0;
	if (type->is_real) {
		argument->reals[lane] = strtod(text, &end);
		bool is_whole = end != text &&
		                (*end == '\0' || ((*end == 'f' || *end == 'h') && end[1] == '\0'));
		return is_whole || refuse(why, "want %s, have '%.40s'", type->name, text);
	}
	bool is_large = type->is_unsigned && type->bytes == 8 && text[0] != '-';
	int64_t value = is_large ? (int64_t)strtoull(text, &end, 0) : strtoll(text, &end, 0);
	if (end == text || *end != '\0' || errno != 0 ||
	    (type->is_unsigned && text[0] == '-' && value < 0))
		return refuse(why, "want %s, have '%.40s'", type->name, text);
	return argument_set_integer(argument, type, lane, value, why);
}

static bool scalar_parse(const struct scalar_type *type, char *values, predictd_argument *argument,
                         struct complaint *why)
{
	argument->kind = PREDICTD_SCALAR;
	argument->type = type->name;
	unsigned lanes = 0;
	for (char *at = values;;) {
		char *comma = strchr(at, ',');
		if (comma != NULL)
			*comma = '\0';
		if (lanes == type->lanes)
			return refuse(why, "more than %u values for %s", type->lanes, type->name);
		if (!value_parse(at, type, lanes++, argument, why))
			return false;
		if (comma == NULL)
			break;
		at = comma + 1;
	}
	if (lanes != 1 && lanes != type->lanes)
		return refuse(why, "want %u values for %s, have %u", type->lanes, type->name,
		              lanes);
	for (unsigned i = lanes; i < type->lanes; i++) {
		argument->integers[i] = argument->integers[0];
		argument->reals[i] = argument->reals[0];
	}
	return true;
}

bool argument_parse(const char *text, predictd_argument *argument, struct complaint *why)
{
	char copy[512], meant[64];
	char *parts[PARTS_MAX];
	size_t count = 0;
	if (strlen(text) >= sizeof copy)
		return refuse(why, "an argument of more than %zu characters", sizeof copy - 1);
	(void)strcpy(copy, text);
	*argument = (predictd_argument){.kind = PREDICTD_BUFFER};
	for (char *at = copy; at != NULL;) {
		if (count == PARTS_MAX)
			return refuse(why, "too many parts in '%.60s'", text);
		parts[count++] = at;
		at = init_begins(at) ? NULL : strchr(at, ':'); /* an init has colons of its own */
		if (at != NULL)
			*at++ = '\0';
	}
	if (strcmp(parts[0], "buffer") == 0)
		return buffer_parse(parts, count, argument, why);
	if (strcmp(parts[0], "local") == 0)
		return bytes_parse(PREDICTD_LOCAL, parts, count, argument, why);
	if (strcmp(parts[0], "bytes") == 0)
		return bytes_parse(PREDICTD_STRUCT, parts, count, argument, why);
	if (strcmp(parts[0], "image") == 0)
		return image_parse(parts, count, argument, why);
	if (strcmp(parts[0], "sampler") == 0) {
		argument->kind = PREDICTD_SAMPLER;
		argument->type = count > 1 ? sampler_find(parts[1]) : "nearest";
		return (count <= 2 && argument->type != NULL) ||
		       refuse(why,
		              "want sampler[:nearest|linear[,normalized][,repeat]], have '%.60s'%s",
		              text, count > 1 ? nearest_say(parts[1], samplers, meant) : "");
	}
	const struct scalar_type *type = scalar_type_find(parts[0]);
	if (type == NULL)
		return refuse(why,
		              "want buffer, local, bytes, image, sampler or a scalar type such as "
		              "int or float4, have '%.40s'%s",
		              parts[0], scalar_type_say(parts[0], meant));
	if (count != 2)
		return refuse(why, "want %s:VALUE, have '%.60s'", type->name, text);
	return scalar_parse(type, parts[1], argument, why);
}

bool hint_parse(const char *text, predictd_hint *hint, struct complaint *why)
{
	static const char *const words[] = {"loop", "branch", NULL};
	const char *at;
	char meant[64];
	uint64_t line;
	*hint = (predictd_hint){.is_branch = strncmp(text, "branch:", 7) == 0};
	if (hint->is_branch)
		at = text + 7;
	else if (strncmp(text, "loop:", 5) == 0)
		at = text + 5;
	else
		return refuse(why, "want loop:LINE or branch:LINE, have '%.60s'%s", text,
		              nearest_say(text, words, meant));
	if (!digits_parse(&at, &line) || line == 0 || line > UINT32_MAX)
		return refuse(why, "want a line number, have '%.60s'", text);
	hint->line = (uint32_t)line;
	if (*at == '\0')
		return true; /* a key of a cases file: the value stands elsewhere */
	char *end;
	hint->value = *at == '=' ? strtod(at + 1, &end) : nan("");
	if (!isfinite(hint->value) || end == at + 1 || *end != '\0' || hint->value < 0 ||
	    (hint->is_branch && hint->value > 1))
		return refuse(why, "want %s behind the line, have '%.60s'",
		              hint->is_branch ? "=SHARE, from 0 to 1," : "=TRIPS, 0 or more,",
		              text);
	return true;
}
