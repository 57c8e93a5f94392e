/* SPDX-License-Identifier: Apache-2.0 */
/* What buffers held when they were sampled. */
#include "model/evaluate/held.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/evaluate/number.h"

enum { STRIDE = 32 /* elements without an order: one of so many is looked at */ };

/* ---- elements ------------------------------------------------------------------------------ */

/* IEEE 754 binary16. */
static double half_real(uint16_t bits)
{
	double sign = bits & 0x8000 ? -1 : 1, fraction = bits & 0x3ff;
	int exponent = bits >> 10 & 0x1f;

	if (exponent == 0)
		return sign * ldexp(fraction, -24);
	if (exponent == 0x1f)
		return fraction > 0 ? (double)NAN : sign * HUGE_VAL;
	return sign * ldexp(fraction + 0x400, exponent - 25);
}

/* Bytes are in the host's order. */
static inline int64_t number_at(const uint8_t *at, struct type type, uint32_t bytes)
{
	uint64_t bits = 0;
	float real;
	uint32_t word;

	switch (bytes) {
	case 1:
		bits = *at;
		break;
	case 2: {
		uint16_t half;

		memcpy(&half, at, sizeof(half));
		bits = half;
		break;
	}
	case 4:
		memcpy(&word, at, sizeof(word));
		bits = word;
		break;
	default:
		memcpy(&bits, at, sizeof(bits));
		break;
	}
	if (type.scalar == SCALAR_HALF)
		return number_bits(type, half_real((uint16_t)bits));
	if (type.scalar == SCALAR_FLOAT) {
		word = (uint32_t)bits;
		memcpy(&real, &word, sizeof(real));
		return number_bits(type, (double)real);
	}
	return number_wrap(type, (int64_t)bits);
}

static double real_of(struct type type, int64_t number)
{
	return type_is_real(type) ? number_real(number) : (double)number;
}

/* The nearest number below. */
static int64_t number_of(const struct held *held, struct type type, double value)
{
	value = fmin(fmax(value, held->low), held->high);
	if (type_is_real(type))
		return number_bits(type, value);
	if (!(value < 0x1p63))
		return INT64_MAX;
	return number_wrap(type, (int64_t)floor(value));
}

static struct type type_of(const struct held *held)
{
	return type_scalar((enum scalar)held->scalar);
}

static const uint8_t *element_at(const struct held *held, uint32_t run, uint32_t element)
{
	return held->sample->bytes + held->sample->runs[run].start + (size_t)element * held->bytes;
}

static uint32_t count_of(const struct sample *sample, uint32_t run, uint32_t bytes)
{
	return sample->runs[run].length_bytes / bytes;
}

/* ---- what follows from them ---------------------------------------------------------------- */

/* In the order of the runs; who is in none says so soon. */
static enum sample_order order_of(const struct held *held)
{
	struct type type = type_of(held);
	bool ascends = true, descends = true, is_first = true;
	double before = 0;

	if (held->sample->scalar == held->scalar)
		return (enum sample_order)held->sample->order;
	for (uint32_t run = 0; run < held->sample->run_count; run++)
		for (uint32_t i = 0; i < held->runs[run].count; i++) {
			double value = real_of(
			        type, number_at(element_at(held, run, i), type, held->bytes));

			ascends &= is_first ? value <= value : before <= value; /* no NaN */
			descends &= is_first ? value <= value : before >= value;
			if (!ascends && !descends)
				return SAMPLE_UNORDERED;
			before = value;
			is_first = false;
		}
	return ascends == descends ? SAMPLE_UNORDERED
	       : ascends           ? SAMPLE_ASCENDING
	                           : SAMPLE_DESCENDING;
}

static void describe_run(const struct held *held, uint32_t number, struct held_run *run)
{
	struct type type = type_of(held);
	double sum = 0, summed = 0;

	run->first = real_of(type, number_at(element_at(held, number, 0), type, held->bytes));
	run->last = real_of(type,
	                    number_at(element_at(held, number, run->count - 1), type, held->bytes));
	run->low = fmin(run->first, run->last);
	run->high = fmax(run->first, run->last);
	run->mean = (run->first + run->last) / 2;
	if (held->order != SAMPLE_UNORDERED)
		return;
	for (uint32_t i = 0; i < run->count; i += STRIDE) {
		double value =
		        real_of(type, number_at(element_at(held, number, i), type, held->bytes));

		if (!isfinite(value))
			continue;
		run->low = fmin(run->low, value);
		run->high = fmax(run->high, value);
		sum += value;
		summed++;
	}
	if (summed > 0)
		run->mean = sum / summed;
}

void held_prepare(struct held *held)
{
	if (held->is_ready)
		return;
	held->is_ready = true;
	held->low = HUGE_VAL;
	held->high = -HUGE_VAL;
	for (uint32_t i = 0; i < held->sample->run_count; i++)
		held->runs[i].count = count_of(held->sample, i, held->bytes);
	held->order = (uint8_t)order_of(held);
	for (uint32_t i = 0; i < held->sample->run_count; i++) {
		if (held->runs[i].count == 0)
			continue;
		describe_run(held, i, &held->runs[i]);
		held->low = fmin(held->low, held->runs[i].low);
		held->high = fmax(held->high, held->runs[i].high);
	}
}

bool held_is_whole(const struct held *held)
{
	return held->sample->runs[0].offset_bytes == 0 &&
	       held->sample->runs[0].length_bytes == held->sample->size_bytes;
}

/* Elements from the buffer's beginning to the middle of a run. */
static double middle_of(const struct held *held, uint32_t run)
{
	return (double)held->sample->runs[run].offset_bytes / held->bytes +
	       held->runs[run].count / 2.0;
}

bool held_trend(const struct held *held, double *slope, double *spread)
{
	uint32_t first = held->longest, last = held->longest, before = SAMPLE_RUNS_MAX;
	bool rises = true, falls = true, is_ordered = held->order != SAMPLE_UNORDERED;
	double apart;

	for (uint32_t i = 0; i < held->sample->run_count; i++) {
		const struct held_run *run = &held->runs[i];

		if (run->count == 0)
			continue;
		if (before == SAMPLE_RUNS_MAX) {
			first = i;
		} else {
			rises &= held->runs[before].high < run->low;
			falls &= held->runs[before].low > run->high;
		}
		before = last = i;
	}
	*spread = 0;
	apart = middle_of(held, last) - middle_of(held, first);
	if (is_ordered) {
		apart += (held->runs[last].count + held->runs[first].count) / 2.0 - 1;
		*slope = (held->runs[last].last - held->runs[first].first) / fmax(apart, 1);
		return isfinite(*slope);
	}
	if (first == last || rises == falls)
		return false;
	*slope = (held->runs[last].mean - held->runs[first].mean) / fmax(apart, 1);
	for (uint32_t i = 0; i < held->sample->run_count; i++)
		if (held->runs[i].count > 0)
			*spread = fmax(*spread, held->runs[i].high - held->runs[i].low -
			                                fabs(*slope) * held->runs[i].count);
	return isfinite(*slope) && isfinite(*spread);
}

/* ---- pieces -------------------------------------------------------------------------------- */

/* A gap between two runs that have elements, or, where both are the same, beside one. */
struct gap {
	uint32_t before, after;
	uint64_t begin, end; /* bytes */
};

static struct gap gap_of(const struct held *held, uint32_t before)
{
	const struct sample *sample = held->sample;
	bool is_first = before == sample->run_count;
	struct gap gap = {.before = before, .after = is_first ? 0 : before + 1};

	if (!is_first)
		gap.begin = sample->runs[before].offset_bytes + sample->runs[before].length_bytes;
	gap.end = gap.after < sample->run_count ? sample->runs[gap.after].offset_bytes
	                                        : sample->size_bytes;
	if (is_first)
		gap.before = gap.after;
	if (gap.after == sample->run_count)
		gap.after = gap.before;
	/* runs too short for an element say nothing */
	if (held->runs[gap.before].count == 0)
		gap.before = held->runs[gap.after].count > 0 ? gap.after : held->longest;
	if (held->runs[gap.after].count == 0)
		gap.after = gap.before;
	return gap;
}

/*
 * From where a block in order begins to where the next one does; `begins`, `ends`: elements from
 * the gap's beginning.
 */
static void stretch(const struct held *held, double from, double to, uint32_t run, uint32_t element,
                    double begins, double ends, double all, struct held_piece *piece)
{
	struct type type = type_of(held);
	uint32_t last = element + (uint32_t)(ends - begins);
	double end = from + (to - from) * (ends + 1) / (all + 1), grows = 0;

	piece->at = from + (to - from) * (begins + 1) / (all + 1);
	piece->first = real_of(type, number_at(piece->bytes, type, held->bytes));
	if (last < held->runs[run].count)
		grows = real_of(type, number_at(element_at(held, run, last), type, held->bytes)) -
		        piece->first;
	piece->is_by_place = !(grows * (end - piece->at) > 0);
	piece->factor = (end - piece->at) / (piece->is_by_place ? ends - begins : grows);
}

/* The block of a gap that an address lies in. */
static struct held_piece block_of(const struct held *held, const struct gap *gap, uint64_t address)
{
	const struct held_run *before = &held->runs[gap->before], *after = &held->runs[gap->after];
	uint32_t bytes = held->bytes, run = gap->before, from = 0;
	uint32_t least = before->count < after->count ? before->count : after->count;
	uint64_t length = least > 1 ? least - 1 : 1;
	uint64_t number = address > gap->begin ? (address - gap->begin) / bytes / length : 0;
	uint64_t mixed = number_mix(number_mix(gap->begin) + number);
	double all = gap->end > gap->begin ? (double)((gap->end - gap->begin) / bytes) : 0;
	double begins = (double)(number * length);
	double ends = fmax(begins + 1, fmin(begins + (double)length, all));
	struct held_piece piece = {.factor = 1};

	if (number_unit(mixed) * all < (begins + ends) / 2)
		run = gap->after;
	/* any piece of a longer run */
	if (held->runs[run].count > least)
		from = (uint32_t)(number_mix(mixed) % (held->runs[run].count - least + 1));
	piece.bytes = element_at(held, run, from);
	piece.begin = gap->begin + number * length * bytes;
	piece.end = piece.begin + (uint64_t)(ends - begins) * bytes;
	if (gap->before == gap->after)
		return piece;
	if (held->order != SAMPLE_UNORDERED) {
		stretch(held, before->last, after->first, run, from, begins, ends, all, &piece);
	} else if (before->low > after->high || after->low > before->high) {
		/* on the line through the middles of both runs */
		piece.at = before->mean + (after->mean - before->mean) *
		                                  ((begins + ends + before->count) /
		                                   (2 * all + before->count + after->count));
		piece.first = held->runs[run].mean;
	} else {
		return piece;
	}
	piece.is_moved = isfinite(piece.at) && isfinite(piece.factor) && isfinite(piece.first);
	return piece;
}

static int64_t piece_number(const struct held *held, const struct held_piece *piece,
                            uint64_t address)
{
	struct type type = type_of(held);
	uint64_t within = address - piece->begin, bytes = held->bytes;
	int64_t number;

	if (!piece->is_moved)
		return number_at(piece->bytes + within, type, held->bytes);
	within /= bytes;
	number = number_at(piece->bytes + within * bytes, type, held->bytes);
	return number_of(held, type,
	                 piece->at + piece->factor * (piece->is_by_place ? (double)within
	                                                                 : real_of(type, number) -
	                                                                           piece->first));
}

int64_t held_number(struct held *held, uint64_t address)
{
	const struct sample *sample = held->sample;
	uint64_t bytes = held->bytes, within;
	uint32_t before;
	struct gap gap;

	if (address >= held->piece.begin && address < held->piece.end &&
	    held->piece.end - address >= bytes)
		return piece_number(held, &held->piece, address);
	if (address >= sample->size_bytes)
		address = number_mix(address) % sample->size_bytes;
	before = sample_run_before(sample, address);
	if (before < sample->run_count) {
		const struct sample_run *run = &sample->runs[before];

		within = address - run->offset_bytes;
		if (within + bytes <= run->length_bytes) {
			held->piece =
			        (struct held_piece){.begin = run->offset_bytes,
			                            .end = run->offset_bytes + run->length_bytes,
			                            .bytes = sample->bytes + run->start};
			return piece_number(held, &held->piece, address);
		}
	}
	held_prepare(held);
	gap = gap_of(held, before);
	held->piece = block_of(held, &gap, address);
	/* what lies across two pieces is read as the last, or the first, of its own */
	if (address < held->piece.begin)
		address = held->piece.begin;
	if (address > held->piece.end - bytes)
		address = held->piece.end - bytes;
	return piece_number(held, &held->piece, address);
}

int64_t held_any(const struct held *held, uint64_t mixed)
{
	const struct sample *sample = held->sample;
	uint32_t at = (uint32_t)(mixed % sample->byte_count), run = 0, count;

	while (run + 1 < sample->run_count && sample->runs[run + 1].start <= at)
		run++;
	count = count_of(sample, run, held->bytes);
	at -= sample->runs[run].start;
	if (count == 0) {
		run = held->longest;
		count = count_of(sample, run, held->bytes);
	}
	at /= held->bytes;
	return number_at(element_at(held, run, at < count ? at : count - 1), type_of(held),
	                 held->bytes);
}

/* ---- which accesses read it ---------------------------------------------------------------- */

/* Where accesses stand in the tree: their numbers in its order. */
struct places {
	const struct ir_kernel *kernel;
	uint32_t *order; /* accesses by number */
	uint32_t *end;   /* per access: the last number of the outermost loop around it */
	uint32_t *
	        write; /* per argument: the number of what writes it first; IR_NONE: nothing does */
	uint32_t count;
};

static void add_access(struct places *places, uint32_t access)
{
	const struct ir_access *a = &places->kernel->accesses[access];
	uint32_t argument = places->kernel->objects[a->object].argument;
	uint32_t number = places->count++;

	places->order[number] = access;
	places->end[access] = number;
	if (argument == IR_NONE || a->kind == ACCESS_LOAD)
		return;
	/* what others make of a place at once nobody knows at any time */
	if (a->kind == ACCESS_ATOMIC)
		places->write[argument] = 0;
	else if (number < places->write[argument])
		places->write[argument] = number;
}

static void add_block(struct places *places, uint32_t block, bool is_in_loop, unsigned depth)
{
	const struct ir_kernel *kernel = places->kernel;

	if (block == IR_NONE || depth > IR_DEPTH_MAX)
		return;
	for (uint32_t i = kernel->blocks[block].first; i != IR_NONE;
	     i = kernel->statements[i].following) {
		const struct ir_statement *s = &kernel->statements[i];
		bool is_loop = s->kind == STATEMENT_LOOP;
		uint32_t first = places->count;

		if (s->kind == STATEMENT_ACCESS)
			add_access(places, s->access);
		if (is_loop || s->kind == STATEMENT_BRANCH || s->kind == STATEMENT_SCOPE)
			add_block(places, s->body, is_in_loop || is_loop, depth + 1);
		if (s->kind == STATEMENT_BRANCH)
			add_block(places, s->otherwise, is_in_loop, depth + 1);
		for (; is_loop && !is_in_loop && first < places->count; first++)
			places->end[places->order[first]] = places->count - 1;
	}
}

static bool places_init(struct places *places, const struct ir_kernel *kernel)
{
	size_t accesses = kernel->access_count + (size_t)1, arguments = kernel->argument_count;

	*places = (struct places){.kernel = kernel};
	places->order = malloc((accesses * 2 + arguments) * sizeof(*places->order));
	if (!places->order)
		return false;
	places->end = places->order + accesses;
	places->write = places->end + accesses;
	memset(places->write, 0xff, arguments * sizeof(*places->write)); /* IR_NONE */
	/* what stands nowhere is not read, either */
	memset(places->end, 0xff, accesses * sizeof(*places->end));
	add_block(places, 0, false, 0);
	return true;
}

/* The one of an argument and a type, found or made; NULL: no memory, or no run has an element. */
static struct held *held_find(struct held_table *table, const struct sample *sample,
                              uint32_t argument, enum scalar scalar, bool *has_memory)
{
	struct held *held = table->first;
	uint32_t longest = 0;

	while (held && (held->argument != argument || held->scalar != scalar))
		held = held->next;
	/* no device has a buffer whose places signed numbers do not count */
	if (held || scalar_bytes(scalar) == 0 || sample->size_bytes > INT64_MAX)
		return held;
	for (uint32_t i = 1; i < sample->run_count; i++)
		if (sample->runs[i].length_bytes > sample->runs[longest].length_bytes)
			longest = i;
	if (count_of(sample, longest, scalar_bytes(scalar)) == 0)
		return NULL;
	held = calloc(1, sizeof(*held));
	*has_memory = held != NULL;
	if (!held)
		return NULL;
	held->sample = sample;
	held->argument = argument;
	held->scalar = (uint8_t)scalar;
	held->bytes = scalar_bytes(scalar);
	held->longest = longest;
	held->next = table->first;
	table->first = held;
	return held;
}

bool held_init(struct held_table *table, const struct ir_kernel *kernel,
               const struct launch *launch)
{
	struct places places;
	bool has_sample = false, has_memory = true;

	memset(table, 0, sizeof(*table));
	for (uint32_t i = 0; i < launch->argument_count; i++)
		has_sample |= launch->arguments[i].sample != NULL;
	if (!has_sample)
		return true;
	table->of = calloc(kernel->access_count + (size_t)1, sizeof(*table->of));
	if (!table->of || !places_init(&places, kernel))
		return false;
	for (uint32_t i = 0; i < kernel->access_count && has_memory; i++) {
		const struct ir_access *a = &kernel->accesses[i];
		const struct ir_object *object = &kernel->objects[a->object];
		uint32_t argument = object->argument;

		if (a->kind != ACCESS_LOAD || object->space > SPACE_CONSTANT ||
		    object->is_volatile || argument >= launch->argument_count ||
		    argument >= kernel->argument_count || !launch->arguments[argument].sample ||
		    places.end[i] >= places.write[argument])
			continue;
		table->of[i] = held_find(table, launch->arguments[argument].sample, argument,
		                         (enum scalar)a->type.scalar, &has_memory);
	}
	free(places.order);
	return has_memory;
}

void held_deinit(struct held_table *table)
{
	while (table->first) {
		struct held *next = table->first->next;

		free(table->first);
		table->first = next;
	}
	free(table->of);
	table->of = NULL;
}
