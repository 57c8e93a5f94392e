/* SPDX-License-Identifier: Apache-2.0 */
/* Coefficients by name, their fallbacks, and what a device from outside must satisfy. */
#include "model/device/device.h"

#include "model/ir/ir.h"
#include "model/underived.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAGNITUDE_MIN 1e-30
#define MAGNITUDE_MAX 1e30

#define ODD_OPERATION_ADDS 12.0

enum { CACHE_LEVELS_MAX = 4 };

static const struct {
	const char *name, *what;
} scalars[COEFFICIENT_SCALARS] = {
#define X(id, name, what) {name, what},
        COEFFICIENT_TABLE(X)
#undef X
};

static const char *const levels[MEMORY_LEVEL_COUNT] = {
#define X(id, text) text,
        MEMORY_LEVEL_TABLE(X)
#undef X
};

static const struct {
	const char *name, *what;
} columns[MEMORY_COLUMN_COUNT] = {
#define X(id, name, what) {name, what},
        MEMORY_COLUMN_TABLE(X)
#undef X
};

static const struct {
	const char *name, *what;
} paper_columns[PAPER_COLUMN_COUNT] = {
#define X(id, name, what) {name, what},
        PAPER_COLUMN_TABLE(X)
#undef X
};

static const char *const modes[OP_MODE_COUNT] = {"vector", "scalar"};
static const char *const paper_ops[PAPER_OPS] = {"add", "mul", "div", "mod"};

/* ---- names --------------------------------------------------------------------------------- */

void coefficient_name(unsigned id, char name[COEFFICIENT_NAME_MAX])
{
	assert(id < COEFFICIENT_COUNT);
	if (id < COEFFICIENT_MEMORY) {
		(void)snprintf(name, COEFFICIENT_NAME_MAX, "%s", scalars[id].name);
	} else if (id < COEFFICIENT_OP) {
		unsigned at = id - COEFFICIENT_MEMORY;
		(void)snprintf(name, COEFFICIENT_NAME_MAX, "memory.%s.%s",
		               levels[at / MEMORY_COLUMN_COUNT],
		               columns[at % MEMORY_COLUMN_COUNT].name);
	} else if (id < COEFFICIENT_PAPER_OP) {
		unsigned at = id - COEFFICIENT_OP, row = at / OP_CLASS_COUNT;
		(void)snprintf(name, COEFFICIENT_NAME_MAX, "op.%s.%s.%s.time_s",
		               modes[row / TYPE_CLASS_COUNT],
		               type_class_name((enum type_class)(row % TYPE_CLASS_COUNT)),
		               op_class_name((enum op_class)(at % OP_CLASS_COUNT)));
	} else if (id >= COEFFICIENT_BUILD) {
		unsigned at = id - COEFFICIENT_BUILD;
		(void)snprintf(name, COEFFICIENT_NAME_MAX, "build.%s.float.%s.ratio",
		               build_price_name((enum build_price)(at / OP_CLASS_COUNT)),
		               op_class_name((enum op_class)(at % OP_CLASS_COUNT)));
	} else if (id >= COEFFICIENT_CHAIN) {
		unsigned at = id - COEFFICIENT_CHAIN;
		(void)snprintf(name, COEFFICIENT_NAME_MAX, "chain.%s.%s.time_s",
		               type_class_name((enum type_class)(at / OP_CLASS_COUNT)),
		               op_class_name((enum op_class)(at % OP_CLASS_COUNT)));
	} else if (id >= COEFFICIENT_IMAGE) {
		unsigned at = id - COEFFICIENT_IMAGE, row = at / IMAGE_CLASS_COUNT;
		(void)snprintf(name, COEFFICIENT_NAME_MAX, "image.%s.%s.%s.time_s",
		               modes[row / IMAGE_WAY_COUNT],
		               image_way_name((enum image_way)(row % IMAGE_WAY_COUNT)),
		               image_class_name((enum image_class)(at % IMAGE_CLASS_COUNT)));
	} else {
		unsigned at = id - COEFFICIENT_PAPER_OP, row = at / PAPER_COLUMN_COUNT;
		(void)snprintf(name, COEFFICIENT_NAME_MAX, "paper.op.%s.%s.%s",
		               type_class_name((enum type_class)(row / PAPER_OPS)),
		               paper_ops[row % PAPER_OPS],
		               paper_columns[at % PAPER_COLUMN_COUNT].name);
	}
}

const char *coefficient_what(unsigned id)
{
	assert(id < COEFFICIENT_COUNT);
	if (id < COEFFICIENT_MEMORY)
		return scalars[id].what;
	if (id < COEFFICIENT_OP)
		return columns[(id - COEFFICIENT_MEMORY) % MEMORY_COLUMN_COUNT].what;
	if (id < COEFFICIENT_PAPER_OP)
		return "device-seconds of one scalar operation of one work-item";
	if (id >= COEFFICIENT_BUILD)
		return "time of one operation by a build with that option over one without";
	if (id >= COEFFICIENT_CHAIN)
		return "seconds until another operation has the result of this one";
	if (id >= COEFFICIENT_IMAGE)
		return "device-seconds of one texel of one work-item";
	return paper_columns[(id - COEFFICIENT_PAPER_OP) % PAPER_COLUMN_COUNT].what;
}

/* The length of `word` when the text begins with it and then a dot or its end; else 0. */
static size_t leads(const char *text, const char *word)
{
	size_t length = strlen(word);
	if (strncmp(text, word, length) != 0 || (text[length] != '.' && text[length] != '\0'))
		return 0;
	return length;
}

/* Takes one of the words off the front of *text, with the dot behind it; -1: none of them. */
static int take(const char **text, const char *(*word_of)(unsigned), unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		size_t length = leads(*text, word_of(i));
		if (length == 0)
			continue;
		*text += length;
		if (**text == '.')
			++*text;
		return (int)i;
	}
	return -1;
}

static const char *level_word(unsigned i)
{
	return levels[i];
}

static const char *column_word(unsigned i)
{
	return columns[i].name;
}

static const char *mode_word(unsigned i)
{
	return modes[i];
}

static const char *type_word(unsigned i)
{
	return type_class_name((enum type_class)i);
}

static const char *op_word(unsigned i)
{
	return op_class_name((enum op_class)i);
}

static const char *build_price_word(unsigned i)
{
	return build_price_name((enum build_price)i);
}

static const char *paper_op_word(unsigned i)
{
	return paper_ops[i];
}

static const char *image_way_word(unsigned i)
{
	return image_way_name((enum image_way)i);
}

static const char *image_class_word(unsigned i)
{
	return image_class_name((enum image_class)i);
}

static const char *paper_column_word(unsigned i)
{
	return paper_columns[i].name;
}

/* The id that the parts of a family's name make, as if the name were well formed. */
static int find_in_family(const char *text)
{
	if (strncmp(text, "memory.", 7) == 0) {
		text += 7;
		int level = take(&text, level_word, MEMORY_LEVEL_COUNT);
		int column = take(&text, column_word, MEMORY_COLUMN_COUNT);
		if (level >= 0 && column >= 0)
			return (int)coefficient_memory((enum memory_level)level,
			                               (enum memory_column)column);
	} else if (strncmp(text, "op.", 3) == 0) {
		text += 3;
		int mode = take(&text, mode_word, OP_MODE_COUNT);
		int type = take(&text, type_word, TYPE_CLASS_COUNT);
		int op = take(&text, op_word, OP_CLASS_COUNT);
		if (mode >= 0 && type >= 0 && op >= 0)
			return (int)coefficient_op((enum op_mode)mode, (enum type_class)type,
			                           (enum op_class)op);
	} else if (strncmp(text, "chain.", 6) == 0) {
		text += 6;
		int type = take(&text, type_word, TYPE_CLASS_COUNT);
		int op = take(&text, op_word, OP_CLASS_COUNT);
		if (type >= 0 && op >= 0)
			return (int)coefficient_chain((enum type_class)type, (enum op_class)op);
	} else if (strncmp(text, "build.", 6) == 0) {
		text += 6;
		int price = take(&text, build_price_word, BUILD_PRICE_COUNT);
		int type = take(&text, type_word, TYPE_CLASS_COUNT);
		int op = take(&text, op_word, OP_CLASS_COUNT);
		if (price >= 0 && type == TYPE_CLASS_FLOAT && op >= 0)
			return (int)coefficient_build((enum build_price)price, (enum op_class)op);
	} else if (strncmp(text, "image.", 6) == 0) {
		text += 6;
		int mode = take(&text, mode_word, OP_MODE_COUNT);
		int way = take(&text, image_way_word, IMAGE_WAY_COUNT);
		int class = take(&text, image_class_word, IMAGE_CLASS_COUNT);
		if (mode >= 0 && way >= 0 && class >= 0)
			return (int)coefficient_image((enum op_mode)mode, (enum image_way)way,
			                              (enum image_class) class);
	} else if (strncmp(text, "paper.op.", 9) == 0) {
		text += 9;
		int type = take(&text, type_word, TYPE_CLASS_COUNT);
		int op = take(&text, paper_op_word, PAPER_OPS);
		int column = take(&text, paper_column_word, PAPER_COLUMN_COUNT);
		if (type >= 0 && op >= 0 && column >= 0)
			return (int)coefficient_paper((enum type_class)type, (unsigned)op,
			                              (enum paper_column)column);
	}
	return -1;
}

int coefficient_find(const char *name)
{
	char exact[COEFFICIENT_NAME_MAX];
	for (int i = 0; i < COEFFICIENT_SCALARS; i++)
		if (strcmp(scalars[i].name, name) == 0)
			return i;
	int id = find_in_family(name);
	if (id < 0)
		return -1;
	coefficient_name((unsigned)id, exact);
	return strcmp(exact, name) == 0 ? id : -1;
}

uint32_t build_price_option(enum build_price price)
{
	static const uint32_t options[BUILD_PRICE_COUNT] = {
#define X(name, text, option) option,
	        BUILD_PRICE_TABLE(X)
#undef X
	};

	assert(price < BUILD_PRICE_COUNT);
	return options[price];
}

const char *build_price_name(enum build_price price)
{
	static const char *const names[BUILD_PRICE_COUNT] = {
#define X(name, text, option) text,
	        BUILD_PRICE_TABLE(X)
#undef X
	};

	assert(price < BUILD_PRICE_COUNT);
	return names[price];
}

/* ---- values -------------------------------------------------------------------------------- */

double device_value(const struct device *device, unsigned id, double otherwise)
{
	assert(id < COEFFICIENT_COUNT);
	return device->coefficient[id].is_known ? device->coefficient[id].value : otherwise;
}

double idle_state_s(enum idle_state state)
{
	static const double seconds[IDLE_STATE_COUNT] = {
#define X(name, text, seconds) seconds,
	        IDLE_STATE_TABLE(X)
#undef X
	};

	assert(state < IDLE_STATE_COUNT);
	return seconds[state];
}

unsigned idle_state_launches(enum idle_state state, bool is_quick)
{
	/* a state that takes long to be reached has few */
	enum { ROUNDS = 31, ROUNDS_LONG = 9, ROUNDS_QUICK = 15, ROUNDS_LONG_QUICK = 3 };

	if (idle_state_s(state) >= 1e-2)
		return is_quick ? ROUNDS_LONG_QUICK : ROUNDS_LONG;
	return is_quick ? ROUNDS_QUICK : ROUNDS;
}

double device_idle_value(const struct device *device, enum idle_part part, double idle_s,
                         double otherwise)
{
	static const unsigned behind[IDLE_PART_COUNT] = {
	        [IDLE_ENQUEUE] = COEFFICIENT_LAUNCH_ENQUEUE,
	        [IDLE_BASE] = COEFFICIENT_LAUNCH_BASE,
	        [IDLE_JOIN] = COEFFICIENT_JOIN,
	        [IDLE_SPREAD] = COEFFICIENT_SPREAD,
	};
	double before_s = 0, value = device_value(device, behind[part], otherwise);

	assert(part < IDLE_PART_COUNT);
	for (unsigned i = 0; i < IDLE_STATE_COUNT && before_s < idle_s; i++) {
		unsigned id = coefficient_idle((enum idle_state)i, part);
		double state_s = idle_state_s((enum idle_state)i), share = 1;

		if (!device->coefficient[id].is_known)
			continue;
		if (idle_s < state_s)
			share = before_s > 0 ? log(idle_s / before_s) / log(state_s / before_s)
			                     : idle_s / state_s;
		value += share * (device->coefficient[id].value - value);
		before_s = state_s;
	}
	return value;
}

bool device_is_lockstep(const struct device *device)
{
	return device_value(device, COEFFICIENT_WARP_ITEMS, 1) > 1.5; /* between 1 and 2 */
}

bool device_has_idle_states(const struct device *device)
{
	for (unsigned id = COEFFICIENT_IDLE_10US_ENQUEUE; id <= COEFFICIENT_IDLE_100MS_SPREAD; id++)
		if (device->coefficient[id].is_known)
			return true;
	return false;
}

/* The class whose cost is nearest to one that is not calibrated; OP_CLASS_NONE: see below. */
static enum op_class nearest_class(enum op_class op)
{
	switch (op) {
	case OP_CLASS_MOD:
	case OP_CLASS_WIDE_DIV:
	case OP_CLASS_NATIVE_DIV:
		return OP_CLASS_DIV;
	case OP_CLASS_WIDE_MOD:
		return OP_CLASS_MOD;
	case OP_CLASS_BIT:
	case OP_CLASS_COMPARE:
	case OP_CLASS_SELECT:
	case OP_CLASS_CONVERT:
	case OP_CLASS_MINMAX:
		return OP_CLASS_ADD;
	/* one figure for all of them, before each had its own */
	case OP_CLASS_POPCOUNT:
	case OP_CLASS_CLZ:
	case OP_CLASS_MUL_HI:
		return OP_CLASS_ODD;
	case OP_CLASS_ODD:
		return OP_CLASS_MUL_HI;
	case OP_CLASS_NATIVE_SQRT:
	case OP_CLASS_HYPOT:
		return OP_CLASS_SQRT;
	case OP_CLASS_NATIVE_EXP:
		return OP_CLASS_EXP;
	case OP_CLASS_NATIVE_LOG:
		return OP_CLASS_LOG;
	case OP_CLASS_NATIVE_POW:
		return OP_CLASS_POW;
	case OP_CLASS_NATIVE_SIN:
		return OP_CLASS_SIN;
	case OP_CLASS_NATIVE_TAN:
		return OP_CLASS_TAN;
	/* those of a CPU are as long, and one work-item's each */
	case OP_CLASS_TAN:
	case OP_CLASS_ATAN:
	case OP_CLASS_GAMMA:
	case OP_CLASS_FMOD:
		return OP_CLASS_SIN;
	case OP_CLASS_HYPER:
		return OP_CLASS_EXP;
	default:
		return OP_CLASS_NONE;
	}
}

static enum type_class nearest_type(enum type_class type)
{
	switch (type) {
	case TYPE_CLASS_HALF:
	case TYPE_CLASS_DOUBLE:
		return TYPE_CLASS_FLOAT;
	case TYPE_CLASS_LONG:
		return TYPE_CLASS_INT;
	default:
		return TYPE_CLASS_NONE;
	}
}

/* Calibrated in this mode, the other, or for the type's relative. */
static bool find_op_time(const struct device *device, enum op_mode mode, enum type_class type,
                         enum op_class op, double *time_s)
{
	enum op_mode other = mode == OP_MODE_VECTOR ? OP_MODE_SCALAR : OP_MODE_VECTOR;
	for (; type != TYPE_CLASS_NONE; type = nearest_type(type)) {
		unsigned ids[2] = {coefficient_op(mode, type, op), coefficient_op(other, type, op)};
		for (unsigned i = 0; i < 2; i++) {
			if (!device->coefficient[ids[i]].is_known)
				continue;
			*time_s = device->coefficient[ids[i]].value;
			return true;
		}
	}
	return false;
}

/*
 * The class that told of a function before it had a benchmark of its own, and tells of it still
 * where a calibration does not know it; OP_CLASS_NONE: it always had one.
 */
static enum op_class class_before(enum op_class op)
{
	switch (op) {
	case OP_CLASS_EXP2:
	case OP_CLASS_EXP10:
	case OP_CLASS_EXPM1:
		return OP_CLASS_EXP;
	case OP_CLASS_LOG2:
	case OP_CLASS_LOG1P:
		return OP_CLASS_LOG;
	case OP_CLASS_CBRT:
		return OP_CLASS_POW;
	case OP_CLASS_SINCOS:
	case OP_CLASS_SINPI:
		return OP_CLASS_SIN;
	case OP_CLASS_ASIN:
	case OP_CLASS_ATAN2:
		return OP_CLASS_ATAN;
	case OP_CLASS_SINH:
	case OP_CLASS_ASINH:
		return OP_CLASS_HYPER;
	case OP_CLASS_ERFC:
	case OP_CLASS_LGAMMA:
	case OP_CLASS_TGAMMA:
		return OP_CLASS_GAMMA;
	case OP_CLASS_NATIVE_EXP2:
		return OP_CLASS_NATIVE_EXP;
	case OP_CLASS_NATIVE_LOG2:
		return OP_CLASS_NATIVE_LOG;
	case OP_CLASS_HALF_SIN:
		return OP_CLASS_NATIVE_SIN;
	default:
		return OP_CLASS_NONE;
	}
}

double device_op_time_s(const struct device *device, enum op_mode mode, enum type_class type,
                        enum op_class op)
{
	double time_s, other_s;
	assert(type < TYPE_CLASS_COUNT && op < OP_CLASS_COUNT);
	if (find_op_time(device, mode, type, op, &time_s))
		return time_s;
	if (op == OP_CLASS_FMA && find_op_time(device, mode, type, OP_CLASS_MUL, &time_s) &&
	    find_op_time(device, mode, type, OP_CLASS_ADD, &other_s))
		return time_s + other_s;
	if (class_before(op) != OP_CLASS_NONE)
		return device_op_time_s(device, mode, type, class_before(op));
	enum op_class nearest = nearest_class(op);
	if (nearest != OP_CLASS_NONE && find_op_time(device, mode, type, nearest, &time_s))
		return time_s;
	if (find_op_time(device, mode, type, OP_CLASS_ADD, &time_s))
		return op == OP_CLASS_ADD ? time_s : ODD_OPERATION_ADDS * time_s;
	return 0;
}

/* The calibrated figure of that way and class, in that mode or the other; 0: neither. */
static double image_value(const struct device *device, enum op_mode mode, enum image_way way,
                          enum image_class class)
{
	enum op_mode other = mode == OP_MODE_VECTOR ? OP_MODE_SCALAR : OP_MODE_VECTOR;
	double value = device_value(device, coefficient_image(mode, way, class), 0);

	return value > 0 ? value : device_value(device, coefficient_image(other, way, class), 0);
}

unsigned device_atomic_shift(const struct device *device)
{
	double same = device_value(device, COEFFICIENT_ATOMIC_GLOBAL_SAME, 0);
	double line = device_value(device, COEFFICIENT_ATOMIC_GLOBAL_32, 0);

	if (!(same > 0) || !(line > 0))
		return 5;
	return (unsigned)fmin(fmax(2 + round(log2(same / line)), 2), 7);
}

double device_image_time_s(const struct device *device, enum op_mode mode, enum image_way way,
                           enum image_class class, bool *is_known)
{
	/* what clamps, multiplies and converts: per texel, and times four where they are mixed */
	static const double adds[IMAGE_WAY_COUNT] = {16, 32, 128, 16};
	double value = image_value(device, mode, way, class);
	double plain = image_value(device, mode, IMAGE_WAY_READ, class);
	double floats = image_value(device, mode, way, IMAGE_CLASS_FLOAT);
	double plain_floats = image_value(device, mode, IMAGE_WAY_READ, IMAGE_CLASS_FLOAT);

	if (is_known != NULL)
		*is_known = true;
	if (value > 0)
		return value;
	if (floats > 0)
		return plain > 0 && plain_floats > 0 && way != IMAGE_WAY_WRITE
		               ? floats * plain / plain_floats
		               : floats;
	if (plain > 0)
		return plain;
	if (plain_floats > 0)
		return plain_floats;
	if (is_known != NULL)
		*is_known = false;
	value = device_value(device, COEFFICIENT_LOAD_SCALAR,
	                     device_value(device, COEFFICIENT_LOAD_VECTOR, 0));
	return value +
	       adds[way] * device_op_time_s(device, OP_MODE_SCALAR, TYPE_CLASS_INT, OP_CLASS_ADD);
}

double device_texel_time_s(const struct device *device, enum image_way way, double bytes,
                           bool *is_known)
{
	enum image_class class = bytes <= 4   ? IMAGE_CLASS_NORMAL
	                         : bytes <= 8 ? IMAGE_CLASS_HALF
	                                      : IMAGE_CLASS_FLOAT;

	return device_image_time_s(device, OP_MODE_VECTOR, way, class, is_known);
}

/* ---- what comes from outside --------------------------------------------------------------- */

static bool is_text(const char *text, size_t size)
{
	return strnlen(text, size) < size;
}

/* Fitted constants of the paper's curves may be negative; nothing else may. */
static bool may_be_negative(unsigned id)
{
	if (id < COEFFICIENT_PAPER_OP || id >= COEFFICIENT_IMAGE)
		return false;
	unsigned column = (id - COEFFICIENT_PAPER_OP) % PAPER_COLUMN_COUNT;
	return column == PAPER_COLUMN_A || column == PAPER_COLUMN_K || column == PAPER_COLUMN_A2 ||
	       column == PAPER_COLUMN_K2;
}

static bool is_magnitude(double value)
{
	double size = fabs(value);
	return !(size > 0) ? !isnan(value) : size >= MAGNITUDE_MIN && size <= MAGNITUDE_MAX;
}

static enum status check_coefficients(const struct device *device, struct error *error)
{
	char name[COEFFICIENT_NAME_MAX];
	for (unsigned id = 0; id < COEFFICIENT_COUNT; id++) {
		const struct coefficient *coefficient = &device->coefficient[id];
		if (!coefficient->is_known)
			continue;
		coefficient_name(id, name);
		if (!is_magnitude(coefficient->value))
			return error_set(
			        error, STATUS_CORRUPT,
			        "coefficient %s: want zero or 1e-30 to 1e30 in magnitude, got %g",
			        name, coefficient->value);
		if (coefficient->value < 0 && !may_be_negative(id))
			return error_set(error, STATUS_CORRUPT,
			                 "coefficient %s: want no negative number, got %g", name,
			                 coefficient->value);
		if (!(coefficient->standard_error >= 0) ||
		    coefficient->standard_error > MAGNITUDE_MAX)
			return error_set(error, STATUS_CORRUPT,
			                 "coefficient %s: standard error %g is no error", name,
			                 coefficient->standard_error);
	}
	return STATUS_OK;
}

static enum status check_levels(const struct device *device, struct error *error)
{
	double count = device_value(device, COEFFICIENT_MEMORY_LEVELS, 0), before = 0;
	if (count > (double)CACHE_LEVELS_MAX || count > floor(count))
		return error_set(error, STATUS_CORRUPT,
		                 "coefficient %s: want a whole number up to %d, got %g",
		                 scalars[COEFFICIENT_MEMORY_LEVELS].name, CACHE_LEVELS_MAX, count);
	for (int level = 0; level < (int)count; level++) {
		unsigned id = coefficient_memory((enum memory_level)level, MEMORY_COLUMN_CAPACITY);
		double capacity = device_value(device, id, 0);
		if (!(capacity > before))
			return error_set(error, STATUS_CORRUPT,
			                 "coefficient memory.%s.%s: want more than the %g of the "
			                 "level before, got %g",
			                 levels[level], columns[MEMORY_COLUMN_CAPACITY].name,
			                 before, capacity);
		before = capacity;
	}
	return STATUS_OK;
}

enum status device_check(const struct device *device, struct error *error)
{
	const struct {
		const char *what, *text;
		size_t size;
	} texts[] = {
	        {"platform", device->platform, sizeof device->platform},
	        {"vendor", device->vendor, sizeof device->vendor},
	        {"name", device->name, sizeof device->name},
	        {"driver", device->driver, sizeof device->driver},
	        {"version", device->version, sizeof device->version},
	        {"uuid", device->uuid, sizeof device->uuid},
	        {"pci", device->pci, sizeof device->pci},
	        {"doubts", device->doubts, sizeof device->doubts},
	};
	if (device->language_bytes > sizeof device->language)
		return error_set(error, STATUS_CORRUPT, "device: language: want at most %zu bytes",
		                 sizeof device->language);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (!is_text(texts[i].text, texts[i].size))
			return error_set(error, STATUS_CORRUPT, "device: %s is not terminated",
			                 texts[i].what);
	if (device->name[0] == '\0')
		return error_set(error, STATUS_CORRUPT, "device: want a name, got none");
	if (device->type > DEVICE_OTHER)
		return error_set(error, STATUS_CORRUPT, "device: unknown type %u", device->type);
	const struct {
		const char *what;
		uint64_t value;
	} counts[] = {
	        {"compute_units", device->compute_units},
	        {"max_group_items", device->max_group_items},
	        {"max_item_sizes[0]", device->max_item_sizes[0]},
	        {"max_item_sizes[1]", device->max_item_sizes[1]},
	        {"max_item_sizes[2]", device->max_item_sizes[2]},
	};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		if (counts[i].value == 0)
			return error_set(error, STATUS_CORRUPT, "device: want a positive %s, got 0",
			                 counts[i].what);
	if (!(device->duration_s >= 0 && device->duration_s <= MAGNITUDE_MAX))
		return error_set(error, STATUS_CORRUPT, "device: %g seconds is no duration",
		                 device->duration_s);
	enum status status = check_coefficients(device, error);
	return status != STATUS_OK ? status : check_levels(device, error);
}

bool device_is_same_model(const struct device *a, const struct device *b)
{
	return strcmp(a->vendor, b->vendor) == 0 && strcmp(a->name, b->name) == 0 &&
	       a->compute_units == b->compute_units && a->type == b->type;
}

bool device_makes_vectors(const struct device *device)
{
	static const struct {
		enum type_class type;
		enum op_class op;
	} plain[] = {{TYPE_CLASS_FLOAT, OP_CLASS_ADD},
	             {TYPE_CLASS_FLOAT, OP_CLASS_MUL},
	             {TYPE_CLASS_INT, OP_CLASS_ADD},
	             {TYPE_CLASS_INT, OP_CLASS_MUL}};
	unsigned known = 0;

	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
		double vector = device_value(
		        device, coefficient_op(OP_MODE_VECTOR, plain[i].type, plain[i].op), 0);
		double scalar = device_value(
		        device, coefficient_op(OP_MODE_SCALAR, plain[i].type, plain[i].op), 0);

		if (!(vector > 0 && scalar > 0))
			continue;
		if (vector <= SCALAR_SHARE * scalar)
			return true;
		known++;
	}
	return known == 0;
}
