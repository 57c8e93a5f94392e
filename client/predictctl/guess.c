/* SPDX-License-Identifier: Apache-2.0 */
/* Guesses: sizes and values for a kernel that comes without any. */
#include "client/predictctl/guess.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/predictctl/cases.h"
#include "client/predictctl/form.h"

enum {
	CONSTANT_BYTES = 16384, /* of a __constant buffer: a quarter of what every device has */
	CONSTANT_MOST = 65536,  /* what every device has of it */
	BUFFER_MOST = 1 << 28,  /* what every device of today allows; farther, a scalar is wrong */
	LOCAL_MOST = 32768,     /* of local memory: what every device has */
	GROUP_MOST = 1024,      /* of a local array's group: what most devices allow */
	PRIVATE_MOST = 1 << 22, /* of a group's private arrays: half a thread's stack of 8 MiB,
	                           where a CPU's driver has them */
	ELEMENT_MOST = 16,      /* of a private array: a vector of four */
	ROW_LENGTH = 16,        /* entries of a row where there is a row pointer */
	INDEX_VALUES = 256,     /* of an integer buffer not known to be an index */
	STRUCT_BYTES_MAX = 65536
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The '(' of `name`'s parameters where it is declared a kernel; NULL when there is none. */
static const char *kernel_find(const char *text, const char *name)
{
	size_t length = strlen(name);
	const char *found = NULL;
	for (const char *at = text; (at = strstr(at, name)) != NULL; at++) {
		const char *end = at + length;
		if ((at > text && is_word(at[-1])) || is_word(*end))
			continue;
		while (isspace((unsigned char)*end))
			end++;
		if (*end != '(')
			continue;
		/* its declaration reaches back to the end of what stands before */
		const char *from = at;
		while (from > text && strchr(";}", from[-1]) == NULL)
			from--;
		const char *word = strstr(from, "kernel");
		if (word != NULL && word < at)
			return end;
		found = found == NULL ? end : found;
	}
	return found;
}

/* Past the bracket that closes the one at `at`; the end of the text when none does. */
static const char *bracket_end(const char *at, char open, char close)
{
	unsigned depth = 0;
	for (; *at != '\0'; at++) {
		depth += *at == open;
		if (*at == close && --depth == 0)
			return at + 1;
	}
	return at;
}

/* From the kernel's parameters to the end of its body; of the whole text when it is not found. */
static const char *kernel_range(const char *text, const char *kernel, const char **end)
{
	const char *from = kernel_find(text, kernel);
	*end = text + strlen(text);
	if (from == NULL)
		return text;
	const char *body = strchr(bracket_end(from, '(', ')'), '{');
	*end = body != NULL ? bracket_end(body, '{', '}') : *end;
	return from;
}

uint32_t guess_dimensions(const char *text, const char *kernel)
{
	const char *end, *from = kernel_range(text, kernel, &end);
	uint32_t dimensions = 1;
	for (const char *at = from; (at = strstr(at, "get_")) != NULL && at < end; at++) {
		if (strncmp(at, "get_global_id", 13) != 0 && strncmp(at, "get_group_id", 12) != 0 &&
		    strncmp(at, "get_local_id", 12) != 0)
			continue;
		const char *open = at + strcspn(at, "(");
		open += *open != '\0';
		open += strspn(open, " \t");
		if (*open >= '1' && *open <= '2' && (uint32_t)(*open - '0') + 1 > dimensions)
			dimensions = (uint32_t)(*open - '0') + 1;
	}
	return dimensions;
}

/* The operator before `at`, not before `from`; 0: there is none, or the mark of a comment. */
static char operator_before(const char *from, const char *at)
{
	while (at > from && isspace((unsigned char)at[-1]))
		at--;
	if (at - from < 2)
		return '\0';
	bool is_mark = strchr("*/", at[-1]) != NULL && strchr("*/", at[-2]) != NULL;
	return is_mark ? '\0' : at[-1];
}

static char operator_behind(const char *at)
{
	at += strspn(at, " \t\n");
	return at[0] == '*' && at[1] == '/' ? '\0' : at[0];
}

/* True when `at` is an operand of mul24 or mad24. */
static bool is_in_product(const char *from, const char *at)
{
	unsigned depth = 0;
	for (; at > from && strchr(";{}", *at) == NULL; at--) {
		depth += *at == ')';
		if (*at != '(')
			continue;
		if (depth > 0)
			depth--;
		else if (at - from >= 5 &&
		         (strncmp(at - 5, "mul24", 5) == 0 || strncmp(at - 5, "mad24", 5) == 0))
			return true;
	}
	return false;
}

/* `i & name` and `name & i`, but neither `i && name` nor `&name`. */
static bool is_mask_of(const char *from, const char *at, const char *behind)
{
	behind += strspn(behind, " \t\n");
	while (at > from && (isspace((unsigned char)at[-1]) || at[-1] == '('))
		at--;
	if (behind[0] == '&' && behind[1] != '&')
		return true;
	if (at - from < 2 || at[-1] != '&')
		return false;
	at--;
	while (at > from && isspace((unsigned char)at[-1]))
		at--;
	return at > from && (is_word(at[-1]) || strchr(")]", at[-1]) != NULL);
}

struct guess_use guess_use(const char *text, const char *kernel, const char *name)
{
	const char *end, *from = kernel_range(text, kernel, &end);
	const char *body = strchr(from, '{');
	size_t length = strlen(name);
	struct guess_use use = {0};
	if (body == NULL || body >= end || length == 0)
		return use;
	for (const char *at = body; (at = strstr(at, name)) != NULL && at < end; at++) {
		if (is_word(at[-1]) || is_word(at[length]))
			continue;
		char before = operator_before(body, at), after = operator_behind(at + length);
		use.is_factor |= before == '*' || after == '*' || is_in_product(body, at);
		use.is_divisor |= before == '/' || before == '%';
		use.is_mask |= is_mask_of(body, at, at + length);
		const char *sign = at;
		while (sign > body && (isspace((unsigned char)sign[-1]) || sign[-1] == '('))
			sign--;
		if (sign - body < 3)
			continue;
		/* atomic_add(&name[ or atomic_add(name */
		const char *call = sign;
		while (call > body && (call[-1] == '&' || call[-1] == '(' || is_word(call[-1])))
			call--;
		use.is_atomic |= memmem(call, (size_t)(sign - call), "atom", 4) != NULL;
		use.is_shift |= sign[-1] == sign[-2] && (sign[-1] == '<' || sign[-1] == '>');
		use.is_shift |= sign[-1] == '=' && sign[-2] == sign[-3] &&
		                (sign[-2] == '<' || sign[-2] == '>');
		use.is_step |= sign[-1] == '=' && (sign[-2] == '+' || sign[-2] == '-');
	}
	return use;
}

struct guess_parameter guess_parameter(const char *text, const char *kernel, size_t index)
{
	struct guess_parameter parameter = {false, false};
	const char *at = kernel_find(text, kernel);
	if (at == NULL)
		return parameter;
	const char *end = bracket_end(at++, '(', ')');
	unsigned depth = 0;
	for (size_t comma = 0; at < end; at++) {
		depth += *at == '(';
		depth -= *at == ')' && depth > 0;
		if (*at == ',' && depth == 0 && ++comma > index)
			break;
		if (comma != index || is_word(at[-1]))
			continue;
		parameter.is_const |= strncmp(at, "const", 5) == 0 && !is_word(at[5]);
		parameter.is_constant |= (strncmp(at, "constant", 8) == 0 && !is_word(at[8])) ||
		                         (strncmp(at, "__constant", 10) == 0 && !is_word(at[10]));
	}
	return parameter;
}

uint64_t guess_element_bytes(const char *type)
{
	const struct scalar_type *scalar = scalar_type_find(type);
	if (scalar == NULL) {
		/* of a struct there is its size */
		unsigned long long bytes = strtoull(type, NULL, 10);
		return bytes > 0 && bytes <= STRUCT_BYTES_MAX ? bytes : 4;
	}
	return (uint64_t)scalar->bytes * (scalar->lanes == 3 ? 4 : scalar->lanes);
}

/* True when `name`, without case and trailing digits and underscores, is one of the words. */
static bool is_named(const char *name, const char *const *words)
{
	size_t length = strlen(name);
	while (length > 1 && (isdigit((unsigned char)name[length - 1]) || name[length - 1] == '_'))
		length--;
	for (; *words != NULL; words++)
		if (strlen(*words) == length && strncasecmp(*words, name, length) == 0)
			return true;
	return false;
}

static const char *const width_names[] = {
        "width", "w",   "cols", "columns", "ncols",       "nx",   "stride", "pitch", "ld",
        "lda",   "ldb", "ldc",  "xsize",   "image_width", "dimx", "size_x", "sizex", NULL};
static const char *const height_names[] = {"height", "h",     "rows", "nrows",
                                           "ny",     "ysize", "dimy", "image_height",
                                           "size_y", "sizey", NULL};
static const char *const side_names[] = {"m",     "n",     "k",      "p",     "q",
                                         "dim",   "order", "nz",     "depth", "d",
                                         "zsize", "dimz",  "size_z", "sizez", NULL};
static const char *const small_names[] = {"radius",      "r",         "halo",  "log2n",
                                          "bits",        "shift",     "level", "filter_size",
                                          "kernel_size", "mask_size", NULL};
static const char *const zero_names[] = {"offset", "off", "start", "begin", "base", "first", NULL};
static const char *const steps_names[] = {
        "iterations", "iters", "iter",          "steps", "trips",  "max_iter", "max_iterations",
        "maxiter",    "limit", "maxiterations", "niter", "nsteps", "rounds",   NULL};
static const char *const index_names[] = {
        "idx",     "index",   "indices", "ind",       "col",       "cols",  "perm", "map",
        "columns", "col_idx", "colidx",  "col_index", "neighbors", "edges", "keys", NULL};
static const char *const row_names[] = {"rowptr",       "row_ptr", "rows", "row_offsets", "ptr",
                                        "row_pointers", "offsets", "xadj", NULL};

/* Where something begins: x_offset, offsetA, firstentry, row_start. */
static bool is_zero(const char *name)
{
	static const char *const parts[] = {"offset", "_off", "first", "start", "_begin", "_base"};
	bool is_part = is_named(name, zero_names);
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		is_part |= strcasestr(name, parts[i]) != NULL;
	return is_part;
}

/* Yes or no: has_alpha, isFlipped. */
static bool is_flag(const char *name)
{
	static const char *const words[] = {"has", "is", "use"};
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		size_t length = strlen(words[i]);
		if (strncmp(name, words[i], length) == 0 &&
		    (name[length] == '_' || isupper((unsigned char)name[length])))
			return true;
	}
	return false;
}

/* What all of one kernel's guesses share. */
struct shape {
	uint32_t dimensions;
	uint64_t global[3], local[3];
	bool has_local;
	uint64_t items;       /* of the launch, or elements of all its rows */
	uint64_t side;        /* of a square of them: no row is longer, nor are there more */
	uint64_t rows;        /* > 0: there is a row pointer of so many rows */
	unsigned sized_names; /* scalars that name a side */
	struct scope *scope;  /* of the kernel's text; NULL: nothing is known of it */
	bool is_open;         /* what integers of memory decide may reach anywhere */
};

static void say(char said[1024], const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(char said[1024], const char *format, ...)
{
	size_t used = strlen(said);
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(said + used, 1024 - used, format, arguments);
	va_end(arguments);
}

/* "buffer float" -> "float" */
static const char *type_behind(const char *type, const char *kind)
{
	size_t length = strlen(kind);
	if (strncmp(type, kind, length) != 0 || (type[length] != ' ' && type[length] != '\0'))
		return NULL;
	return type[length] == ' ' ? type + length + 1 : type + length;
}

static bool is_side(const char *name)
{
	return is_named(name, width_names) || is_named(name, height_names) ||
	       is_named(name, side_names);
}

/* The group that the kernel requires, else that its local arrays are made for, else a usual one. */
static void local_fill(const predictd_kernel *kernel, struct shape *shape)
{
	static const uint64_t usual[4][3] = {{0, 0, 0}, {64, 1, 1}, {16, 16, 1}, {8, 8, 4}};
	uint64_t tile[3] = {0}, group = 1;
	bool is_required = shape->has_local;
	if (shape->scope != NULL && !is_required) {
		scope_range(shape->scope, (const uint64_t[3]){0}, usual[shape->dimensions]);
		scope_read(shape->scope);
		scope_tile(shape->scope, tile);
	}
	for (uint32_t i = 0; i < shape->dimensions; i++) {
		uint64_t local = is_required   ? kernel->required_local[i]
		                 : tile[i] > 0 ? tile[i]
		                               : usual[shape->dimensions][i];
		while (!is_required && local > 1 && group * local > GROUP_MOST)
			local /= 2;
		shape->local[i] = local > 1 ? local : 1;
		shape->has_local |= tile[i] > 0;
		group *= shape->local[i];
	}
	/* a group that the driver chose may have more private arrays than it has room for */
	double elements = shape->scope != NULL && !is_required ? scope_private(shape->scope) : 0;
	shape->has_local |= elements > 0;
	for (uint32_t i = 0; i < shape->dimensions; i++)
		while (tile[i] == 0 && shape->local[i] % 2 == 0 &&
		       (double)group * elements * (double)ELEMENT_MOST > (double)PRIVATE_MOST) {
			shape->local[i] /= 2;
			group /= 2;
		}
}

static void shape_fill(const predictd_kernel *kernel, const char *text, uint64_t items,
                       struct shape *shape)
{
	bool has_factor = false, has_divisor = false;
	struct scope *scope = shape->scope;
	*shape = (struct shape){
	        .dimensions = guess_dimensions(text, kernel->name), .items = 1, .scope = scope};
	for (uint32_t i = 0; i < 3; i++) {
		shape->has_local |= kernel->required_local[i] != 0;
		if (kernel->required_local[i] > 1 && i + 1 > shape->dimensions)
			shape->dimensions = i + 1;
	}
	for (size_t i = 0; i < kernel->argument_count; i++) {
		const char *type = kernel->argument_types[i], *name = kernel->argument_names[i];
		const char *element = type_behind(type, "buffer");
		if (element != NULL && is_named(name, row_names) && strstr(element, "int") != NULL)
			shape->rows = 1;
		const char *scalar = type_behind(type, "scalar");
		if (scalar == NULL)
			continue;
		shape->sized_names += is_side(name);
		struct guess_use use = guess_use(text, kernel->name, name);
		const struct scalar_type *known = scalar_type_find(scalar);
		if (known == NULL || known->is_real || is_named(name, small_names) ||
		    is_zero(name) || is_named(name, steps_names) || use.is_shift)
			continue;
		has_factor |= use.is_factor;
		has_divisor |= use.is_divisor;
	}
	/* a work-item has a row to itself */
	bool has_rows = shape->dimensions == 1 && has_factor && !has_divisor && shape->rows == 0;
	uint64_t elements = items;
	local_fill(kernel, shape);
	if (has_rows)
		items = (uint64_t)sqrt((double)items);
	for (size_t i = 0; i < kernel->argument_count; i++)
		shape->has_local |= type_behind(kernel->argument_types[i], "local") != NULL;
	double root = pow((double)items, 1.0 / shape->dimensions);
	for (uint32_t i = 0; i < shape->dimensions; i++) {
		uint64_t step = shape->local[i];
		uint64_t sized = shape->dimensions == 1 ? items : (uint64_t)(root + 0.5);
		shape->global[i] = sized / step > 0 ? sized / step * step : step;
		shape->items *= shape->global[i];
	}
	shape->side = shape->global[0];
	for (uint32_t i = 1; i < shape->dimensions; i++)
		if (shape->global[i] < shape->side)
			shape->side = shape->global[i];
	if (has_rows) {
		shape->items *= shape->global[0];
		shape->items = shape->items > elements ? shape->items : elements;
	} else if (shape->dimensions == 1) {
		shape->side = (uint64_t)(sqrt((double)shape->items) + 1e-9);
	}
	if (shape->rows != 0)
		shape->rows = shape->items;
}

static int64_t integer_guess(const struct shape *shape, const char *name, struct guess_use use)
{
	bool is_flat = shape->dimensions == 1;
	if (is_zero(name))
		return use.is_step ? 1 : 0;
	if (is_flag(name))
		return 1;
	if (is_named(name, small_names) || use.is_shift || strcasestr(name, "radius") != NULL)
		return 2;
	if (is_named(name, steps_names))
		return 100;
	if (use.is_mask) {
		int64_t power = 1;
		while (2 * (uint64_t)power <= shape->items)
			power *= 2;
		return power - 1;
	}
	unsigned dimension;
	double factor;
	if (shape->scope != NULL && scope_guard(shape->scope, name, &dimension, &factor) &&
	    dimension < shape->dimensions)
		return (int64_t)fmin(factor * (double)shape->global[dimension], 0x1p62);
	if (is_flat && (use.is_factor || use.is_divisor))
		return (int64_t)shape->side;
	/* a loop of each work-item: as many rounds as there are work-items are too many */
	unsigned loops = is_flat && shape->scope != NULL ? scope_counts(shape->scope, name) : 0;
	if (loops > 0) /* one within the other, for all that is known */
		return (int64_t)fmax(pow((double)shape->side, 1.0 / loops), 2);
	if (is_named(name, width_names))
		return (int64_t)(is_flat ? shape->side : shape->global[0]);
	if (is_named(name, height_names))
		return (int64_t)(is_flat ? shape->side : shape->global[1]);
	if (is_named(name, side_names))
		/* one such name of a flat kernel is its length, two are a matrix' sides */
		return (int64_t)(!is_flat                 ? shape->global[0]
		                 : shape->sized_names > 1 ? shape->side
		                                          : shape->items);
	return (int64_t)(is_flat ? shape->items : shape->side);
}

/* An integer scalar's guess, within its type. */
static int64_t integer_within(const struct shape *shape, const char *name,
                              const struct scalar_type *type, struct guess_use use)
{
	int64_t guess = integer_guess(shape, name, use);
	unsigned bits = 8u * type->bytes - !type->is_unsigned;
	int64_t limit = bits >= 63 ? INT64_MAX : ((int64_t)1 << bits) - 1;
	return guess < limit ? guess : limit;
}

static json_t *scalar_guess(const struct shape *shape, const char *name, const char *type_name,
                            struct guess_use use, char said[1024])
{
	const struct scalar_type *type = scalar_type_find(type_name);
	if (type == NULL)
		return json_pack("{ss si}", "scalar", type_name, "value", 1);
	json_t *value;
	if (type->is_real) {
		value = json_real(1.0);
		say(said, "; %s = 1.0", name);
	} else {
		int64_t guess = integer_within(shape, name, type, use);
		value = json_integer(guess);
		say(said, "; %s = %lld", name, (long long)guess);
	}
	return json_pack("{ss so}", "scalar", type_name, "value", value);
}

static bool is_row_pointer(const struct shape *shape, const char *name, const char *type)
{
	return shape->rows > 0 && is_named(name, row_names) && strstr(type, "int") != NULL;
}

/* What a buffer holds while it is measured: `init`, and the integers that it makes. */
struct contents {
	char init[64];
	bool is_integer; /* low..high */
	bool has_range;  /* which is worth to be said */
	int64_t low, high;
};

static struct contents contents_guess(const struct shape *shape, const char *name, const char *type,
                                      struct guess_use use)
{
	struct contents contents = {.init = "zero"};
	const struct scalar_type *scalar = scalar_type_find(type);
	if (scalar == NULL)
		return contents;
	if (scalar->is_real) {
		if (scalar->bytes >= 4)
			(void)snprintf(contents.init, sizeof contents.init, "rand_%s",
			               scalar->bytes == 8 ? "double" : "float");
		return contents;
	}
	contents.is_integer = true;
	/* slots and locks are free at first; what is open stays where it is asked */
	if (shape->is_open || scalar->bytes == 8 || (scalar->bytes == 4 && use.is_atomic))
		return contents;
	if (is_row_pointer(shape, name, type)) {
		contents.high = (int64_t)(shape->rows * ROW_LENGTH);
		(void)snprintf(contents.init, sizeof contents.init, "csr_rowptr:%llu:%d",
		               (unsigned long long)shape->rows, ROW_LENGTH);
	} else if (scalar->bytes == 4) {
		bool is_index = is_named(name, index_names) || shape->items < INDEX_VALUES;
		uint64_t values = is_index ? shape->items : INDEX_VALUES;
		contents.high = (int64_t)values - 1;
		contents.has_range = true;
		(void)snprintf(contents.init, sizeof contents.init, "rand_index:%llu",
		               (unsigned long long)values);
	} else {
		unsigned bits = 8u * scalar->bytes - !scalar->is_unsigned;
		contents.high = ((int64_t)1 << bits) - 1;
		contents.low = scalar->is_unsigned ? 0 : -contents.high - 1;
		(void)snprintf(contents.init, sizeof contents.init, "rand_u32");
	}
	return contents;
}

static uint64_t buffer_most(struct guess_parameter parameter)
{
	return parameter.is_constant ? CONSTANT_MOST : BUFFER_MOST;
}

uint64_t guess_most(const char *kind)
{
	return strcmp(kind, "local") == 0 ? LOCAL_MOST : BUFFER_MOST;
}

static json_t *buffer_guess(const struct shape *shape, const char *name, const char *type,
                            struct guess_parameter parameter, struct guess_use use, char said[1024])
{
	uint64_t element = guess_element_bytes(type), count = shape->items;
	struct contents contents = contents_guess(shape, name, type, use);
	if (is_row_pointer(shape, name, type))
		count = shape->rows + 1;
	else if (shape->rows > 0)
		count *= ROW_LENGTH;
	uint64_t bytes = count * element, most = buffer_most(parameter);
	if (parameter.is_constant && bytes > CONSTANT_BYTES)
		bytes = CONSTANT_BYTES;
	double reach = shape->scope != NULL ? scope_reach(shape->scope, name) : 0;
	if (reach * (double)element > (double)bytes)
		bytes = reach * (double)element < (double)most ? (uint64_t)reach * element : most;
	/* what data count from where a work-item begins is within as much again */
	if (shape->is_open && 2 * bytes <= most)
		bytes *= 2;
	json_t *object =
	        json_pack("{sI ss ss}", "buffer", (json_int_t)bytes, "init", contents.init,
	                  "access", parameter.is_const || parameter.is_constant ? "r" : "rw");
	if (contents.has_range)
		json_object_set_new(
		        object, "range",
		        json_pack("[II]", (json_int_t)contents.low, (json_int_t)contents.high));
	say(said, "; %s of %llu bytes", name, (unsigned long long)bytes);
	return object;
}

/* As many pixels as work-items where it has two sizes; what the kernel declares it as. */
static json_t *image_guess(const struct shape *shape, const char *name, const char *type,
                           char said[1024])
{
	char kind[16] = "2d", access[4] = "r", format[16] = "rgba8";
	uint64_t side = shape->side, depth = 1;
	json_t *sizes = json_array();
	if (type != NULL)
		(void)sscanf(type, "%15s %3s %15s", kind, access, format);
	bool is_line = strcmp(kind, "1d") == 0 || strcmp(kind, "1d_buffer") == 0;
	if (strcmp(kind, "3d") == 0 || strcmp(kind, "2d_array") == 0)
		depth = shape->dimensions > 2 ? shape->global[2] : 4;
	if (shape->dimensions > 2)
		side = shape->global[0];
	json_array_append_new(sizes, json_integer((json_int_t)side));
	if (!is_line)
		json_array_append_new(sizes, json_integer((json_int_t)side));
	if (depth > 1)
		json_array_append_new(sizes, json_integer((json_int_t)depth));
	if (is_line)
		say(said, "; %s of %llu pixels of %s", name, (unsigned long long)side, format);
	else if (depth > 1)
		say(said, "; %s of %llu x %llu x %llu pixels of %s", name, (unsigned long long)side,
		    (unsigned long long)side, (unsigned long long)depth, format);
	else
		say(said, "; %s of %llu x %llu pixels of %s", name, (unsigned long long)side,
		    (unsigned long long)side, format);
	return json_pack("{so ss ss}", "image", sizes, "format", format, "access", access);
}

static json_t *argument_guess(const struct shape *shape, const char *name, const char *type,
                              struct guess_parameter parameter, struct guess_use use,
                              char said[1024])
{
	const char *rest;
	if ((rest = type_behind(type, "buffer")) != NULL)
		return buffer_guess(shape, name, rest, parameter, use, said);
	if ((rest = type_behind(type, "scalar")) != NULL)
		return scalar_guess(shape, name, rest, use, said);
	if ((rest = type_behind(type, "local")) != NULL) {
		uint64_t group = shape->local[0];
		for (uint32_t i = 1; i < shape->dimensions; i++)
			group *= shape->local[i];
		/* four a work-item: room for a tile's border, or for several arrays */
		uint64_t element = guess_element_bytes(rest), bytes = 4 * group * element;
		double reach = shape->scope != NULL ? scope_reach(shape->scope, name) : 0;
		if (reach * (double)element > (double)bytes &&
		    reach * (double)element <= (double)LOCAL_MOST)
			bytes = (uint64_t)reach * element;
		say(said, "; local %s of %llu bytes", name, (unsigned long long)bytes);
		return json_pack("{sI}", "local", (json_int_t)bytes);
	}
	if ((rest = type_behind(type, "struct")) != NULL) {
		long bytes = strtol(rest, NULL, 10);
		bytes = bytes > 0 ? bytes : 4;
		say(said, "; %s of %ld bytes, each 0", name, bytes);
		return json_pack("{sI}", "bytes", (json_int_t)bytes);
	}
	if (type_behind(type, "sampler") != NULL)
		return json_pack("{ss}", "sampler", "nearest");
	return image_guess(shape, name, type_behind(type, "image"), said);
}

/* What the buffers of integers hold; whether an index that rests on it leaves its buffer. */
static bool data_fill(const predictd_kernel *kernel, const char *text, const struct shape *shape)
{
	const char *names[CASE_ARGUMENTS_MAX];
	size_t count = 0;
	bool is_open = false;
	for (size_t i = 0; i < kernel->argument_count && i < CASE_ARGUMENTS_MAX; i++) {
		const char *type = type_behind(kernel->argument_types[i], "buffer");
		const char *name = kernel->argument_names[i];
		if (type == NULL)
			continue;
		struct contents contents =
		        contents_guess(shape, name, type, guess_use(text, kernel->name, name));
		if (!contents.is_integer)
			continue;
		names[count++] = name;
		scope_data(shape->scope, name, (double)contents.low, (double)contents.high);
	}
	scope_read(shape->scope);
	for (size_t i = 0; i < kernel->argument_count && i < CASE_ARGUMENTS_MAX; i++) {
		const char *type = type_behind(kernel->argument_types[i], "buffer");
		double most = (double)buffer_most(guess_parameter(text, kernel->name, i));
		is_open |= type != NULL && scope_reach(shape->scope, kernel->argument_names[i]) *
		                                           (double)guess_element_bytes(type) >
		                                   most;
	}
	return count > 0 && (is_open || scope_is_open(shape->scope, names, count));
}

/* What indices are reckoned with: the launch, what was guessed of the scalars, and what buffers
 * hold. */
static void scope_fill(const predictd_kernel *kernel, const char *text, struct shape *shape)
{
	uint64_t local[3] = {1, 1, 1}, global[3] = {1, 1, 1};
	shape->is_open = shape->scope == NULL;
	if (shape->scope == NULL)
		return;
	for (uint32_t i = 0; i < shape->dimensions; i++) {
		global[i] = shape->global[i];
		local[i] = shape->local[i];
	}
	scope_range(shape->scope, global, local);
	scope_read(shape->scope);
	int64_t guesses[CASE_ARGUMENTS_MAX];
	for (size_t i = 0; i < kernel->argument_count && i < CASE_ARGUMENTS_MAX; i++) {
		const char *type = type_behind(kernel->argument_types[i], "scalar");
		const struct scalar_type *scalar = type != NULL ? scalar_type_find(type) : NULL;
		const char *name = kernel->argument_names[i];
		if (scalar != NULL && !scalar->is_real)
			guesses[i] = integer_within(shape, name, scalar,
			                            guess_use(text, kernel->name, name));
	}
	for (size_t i = 0; i < kernel->argument_count && i < CASE_ARGUMENTS_MAX; i++) {
		const char *type = type_behind(kernel->argument_types[i], "scalar");
		const struct scalar_type *scalar = type != NULL ? scalar_type_find(type) : NULL;
		if (scalar != NULL && !scalar->is_real && scalar->lanes == 1)
			scope_set(shape->scope, kernel->argument_names[i], (double)guesses[i]);
	}
	shape->is_open = data_fill(kernel, text, shape);
	if (shape->is_open) /* once more, with nothing but zeros */
		(void)data_fill(kernel, text, shape);
}

json_t *guess_case(const char *file, const char *options, const char *text,
                   const predictd_kernel *kernel, uint64_t items, char said[1024])
{
	struct shape shape = {.scope = scope_new(text, options, kernel->name)};
	char id[160];
	said[0] = '\0';
	shape_fill(kernel, text, items, &shape);
	scope_fill(kernel, text, &shape);
	(void)snprintf(id, sizeof id, "%.100s.%llu", kernel->name, (unsigned long long)items);
	json_t *object = json_pack("{ss ss ss}", "id", id, "file", file, "kernel", kernel->name);
	if (object == NULL)
		goto out;
	if (options[0] != '\0')
		json_object_set_new(object, "options", json_string(options));
	json_t *global = json_array(), *local = json_array(), *arguments = json_array();
	say(said, "%s: global", kernel->name);
	for (uint32_t i = 0; i < shape.dimensions; i++) {
		json_array_append_new(global, json_integer((json_int_t)shape.global[i]));
		json_array_append_new(local, json_integer((json_int_t)shape.local[i]));
		say(said, "%s%llu", i > 0 ? " x " : " ", (unsigned long long)shape.global[i]);
	}
	for (uint32_t i = 0; i < shape.dimensions && shape.has_local; i++)
		say(said, "%s%llu", i > 0 ? " x " : ", local ", (unsigned long long)shape.local[i]);
	for (size_t i = 0; i < kernel->argument_count; i++)
		json_array_append_new(
		        arguments,
		        argument_guess(&shape, kernel->argument_names[i], kernel->argument_types[i],
		                       guess_parameter(text, kernel->name, i),
		                       guess_use(text, kernel->name, kernel->argument_names[i]),
		                       said));
	json_object_set_new(object, "global", global);
	if (shape.has_local)
		json_object_set(object, "local", local);
	json_decref(local);
	json_object_set_new(object, "args", arguments);
out:
	scope_free(shape.scope);
	return object;
}
