/* SPDX-License-Identifier: Apache-2.0 */
/* Distinct lines of a window: closed form for affine accesses, occupancy for the rest. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/traffic/groups.h"

enum { BESIDE_BYTES = 256 }; /* as far apart as lines are told apart */

static int64_t magnitude(int64_t x)
{
	return x < 0 ? (x == INT64_MIN ? INT64_MAX : -x) : x;
}

/* ---- groups of accesses -------------------------------------------------------------------- */

static bool is_counted(const struct footprint *f, uint32_t access)
{
	unsigned space = f->kernel->objects[f->kernel->accesses[access].object].space;

	return (space == SPACE_GLOBAL || space == SPACE_CONSTANT || space == SPACE_IMAGE ||
	        (space == SPACE_LOCAL && f->order.kind->holds_local)) &&
	       f->evaluation->accesses[access].executions > 0 &&
	       !f->kernel->summary->access_is_folded[access];
}

/*
 * Whether an access lies beside the first of a group wherever that is: a field of the same
 * structure, the next element.
 */
static bool lies_beside(const struct footprint *f, const struct footprint_group *group,
                        uint32_t access)
{
	const struct ir_access *a = &f->kernel->accesses[access];
	const struct ir_access *b = &f->kernel->accesses[group->first];
	int64_t apart = a->offset_bytes - b->offset_bytes;

	return a->object == b->object && a->index == b->index && a->index != IR_NONE &&
	       a->scale_bytes == b->scale_bytes && a->kind != ACCESS_ATOMIC &&
	       b->kind != ACCESS_ATOMIC && apart < BESIDE_BYTES && apart > -BESIDE_BYTES;
}

static bool same_group(const struct footprint *f, const struct footprint_group *group,
                       uint32_t access)
{
	const struct affine *a = &f->evaluation->accesses[access].address;
	const struct affine *b = &f->evaluation->accesses[group->first].address;

	if (group->is_spread)
		return lies_beside(f, group, access);
	return f->kernel->accesses[access].object == f->kernel->accesses[group->first].object &&
	       (f->kernel->accesses[access].kind == ACCESS_ATOMIC) == group->is_atomic &&
	       a->is_known && !a->is_random && affine_is_parallel(a, b);
}

/* Takes the constant offset apart: multiples of the group's strides, and a rest. */
static void add_offset(struct footprint_group *group, int64_t delta)
{
	for (unsigned i = group->term_count; i-- > 0;) {
		const struct footprint_term *term = &group->terms[i];
		int64_t stride = magnitude(term->factor), q;

		if (stride <= (int64_t)group->bytes)
			continue;
		/* half a stride is none: the other half of what a pair of them spans */
		q = delta >= 0 ? (delta + (stride - 1) / 2) / stride
		               : -(((stride - 1) / 2 - delta) / stride);
		if (q == 0 || q > FOOTPRINT_SHIFT_MAX || q < -FOOTPRINT_SHIFT_MAX)
			q = 0;
		delta -= q * stride;
		group->shifts[i].low = q < group->shifts[i].low ? q : group->shifts[i].low;
		group->shifts[i].high = q > group->shifts[i].high ? q : group->shifts[i].high;
		group->shifts[i].seen |= (uint64_t)1 << (q + FOOTPRINT_SHIFT_MAX);
	}
	group->rest_low = delta < group->rest_low ? delta : group->rest_low;
	group->rest_high = delta > group->rest_high ? delta : group->rest_high;
	for (unsigned i = 0; i < group->rest_count; i++)
		if (group->rests[i] == delta)
			return;
	if (group->rest_count < FOOTPRINT_RESTS_MAX)
		group->rests[group->rest_count++] = delta;
}

/*
 * Takes an id apart where another term is a digit of it: 8 i - 4 (i % n) is 4 (i % n) +
 * 8 n (i / n), whose strides say what is touched.
 */
static void part_digits(struct footprint_group *group)
{
	for (unsigned i = 0; i < group->term_count; i++)
		for (unsigned j = 0; j < group->term_count; j++) {
			struct footprint_term *digit = &group->terms[i], *whole = &group->terms[j];
			double upper = (double)whole->factor * digit->extent;

			if (digit->base != whole->base || digit->divisor < whole->divisor ||
			    digit->divisor > whole->divisor || !(digit->extent > 1) ||
			    !(whole->extent > digit->extent) ||
			    fmod(whole->extent, digit->extent) > 0 || fabs(upper) > 1e15)
				continue;
			digit->factor += whole->factor;
			whole->divisor *= digit->extent;
			whole->extent /= digit->extent;
			whole->factor = (int64_t)upper;
		}
}

static int compare_terms(const void *a, const void *b)
{
	int64_t x = magnitude(((const struct footprint_term *)a)->factor);
	int64_t y = magnitude(((const struct footprint_term *)b)->factor);

	return x < y ? -1 : x > y;
}

static void start_group(struct footprint *f, struct footprint_group *group, uint32_t access)
{
	const struct evaluation_access *a = &f->evaluation->accesses[access];

	memset(group, 0, sizeof(*group));
	group->first = access;
	group->loop = IR_NONE;
	group->bytes = a->bytes;
	group->object_bytes = (double)a->object_bytes;
	if (f->order.tile_rows > 1)
		group->pitch_bytes = (double)a->pitch_bytes;
	group->is_spread = !a->address.is_known || a->address.is_random;
	group->is_atomic = f->kernel->accesses[access].kind == ACCESS_ATOMIC;
	for (unsigned i = 0; a->address.is_known && i < a->address.term_count; i++)
		group->terms[group->term_count++] =
		        (struct footprint_term){.base = a->address.terms[i].base,
		                                .divisor = (double)a->address.terms[i].divisor,
		                                .extent = (double)a->address.terms[i].extent,
		                                .factor = a->address.terms[i].factor};
	part_digits(group);
	qsort(group->terms, group->term_count, sizeof(*group->terms), compare_terms);
}

static void add_to_group(struct footprint *f, struct footprint_group *group, uint32_t access)
{
	const struct ir_access *ir = &f->kernel->accesses[access];
	const struct evaluation_access *a = &f->evaluation->accesses[access];
	uint32_t block = f->kernel->summary->access_block[access];

	group->bytes = fmax(group->bytes, a->bytes);
	if (a->executions > group->executions) {
		group->executions = a->executions;
		group->loop = block == IR_NONE ? IR_NONE : f->kernel->summary->block_loop[block];
	}
	group->has_load |= ir->kind != ACCESS_STORE;
	group->is_streamed |= ir->kind != ACCESS_STORE &&
	                      (!f->order.is_unstreamed || !f->order.is_unstreamed[access]);
	group->has_store |= ir->kind != ACCESS_LOAD;
	if (group->is_spread) {
		int64_t at = ir->offset_bytes - f->kernel->accesses[group->first].offset_bytes;
		int64_t end = at + (int64_t)a->bytes;

		group->rest_low = at < group->rest_low ? at : group->rest_low;
		group->rest_high = end > group->rest_high ? end : group->rest_high;
		group->bytes = (double)(group->rest_high - group->rest_low);
	} else {
		int64_t delta = a->address.constant -
		                f->evaluation->accesses[group->first].address.constant;

		add_offset(group, delta);
		if (a->image_way == IMAGE_WAY_LINEAR) { /* mixed with the next of the next row */
			add_offset(group, delta + (int64_t)a->bytes);
			add_offset(group, delta + (int64_t)a->pitch_bytes);
		}
	}
}

/* Of each group its accesses. */
static void gather_members(struct footprint *f)
{
	/* counted one place ahead, so that filling moves each to its end, where the next begins */
	for (uint32_t i = 0; i < f->kernel->access_count; i++)
		if (f->group_of[i] != IR_NONE)
			f->first[f->group_of[i] + 2]++;
	for (uint32_t i = 0; i < f->group_count; i++)
		f->first[i + 2] += f->first[i + 1];
	for (uint32_t i = 0; i < f->kernel->access_count; i++)
		if (f->group_of[i] != IR_NONE)
			f->members[f->first[f->group_of[i] + 1]++] = i;
}

struct footprint *footprint_new(const struct ir_kernel *kernel, const struct evaluation *evaluation,
                                const struct launch *launch, const struct footprint_order *order)
{
	struct footprint *f = calloc(1, sizeof(*f));
	uint32_t loops = kernel->summary->loop_count;

	if (!f)
		return NULL;
	*f = (struct footprint){.kernel = kernel,
	                        .evaluation = evaluation,
	                        .launch = launch,
	                        .order = *order,
	                        .loop_count = loops};
	f->groups = calloc((size_t)kernel->access_count + 1, sizeof(*f->groups));
	f->group_of = calloc((size_t)kernel->access_count + 1, sizeof(*f->group_of));
	f->first = calloc((size_t)kernel->access_count + 2, sizeof(*f->first));
	f->members = calloc((size_t)kernel->access_count + 1, sizeof(*f->members));
	f->loops = calloc((size_t)loops * (FOOTPRINT_WINDOWS_MAX + 1) + 1, sizeof(*f->loops));
	if (!f->groups || !f->group_of || !f->first || !f->members || !f->loops) {
		footprint_free(f);
		return NULL;
	}
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		struct footprint_group *group = NULL;

		f->group_of[i] = IR_NONE;
		if (!is_counted(f, i))
			continue;
		/* a kernel of many accesses: the latest groups are the likely ones */
		for (uint32_t j = f->group_count; j-- > 0 && f->group_count - j <= 64 && !group;)
			if (same_group(f, &f->groups[j], i))
				group = &f->groups[j];
		if (!group) {
			group = &f->groups[f->group_count++];
			start_group(f, group, i);
		}
		f->group_of[i] = (uint32_t)(group - f->groups);
		add_to_group(f, group, i);
	}
	gather_members(f);
	return f;
}

void footprint_free(struct footprint *footprint)
{
	if (!footprint)
		return;
	free(footprint->groups);
	free(footprint->group_of);
	free(footprint->first);
	free(footprint->members);
	free(footprint->loops);
	free(footprint);
}

/* ---- lines of one group in a window -------------------------------------------------------- */

/* Consecutive values of a counter in the window. */
static double counter_span(const struct footprint *f, const struct footprint_window *window,
                           uint32_t base)
{
	unsigned d = base % 3;

	if (base >= AFFINE_LOOP)
		return base - AFFINE_LOOP < f->loop_count ? window->loops[base - AFFINE_LOOP] : 1;
	if (base >= AFFINE_GROUP)
		return window->group[d];
	if (base >= AFFINE_LOCAL)
		return window->local[d];
	return fmin(window->local[d] * window->group[d], (double)f->launch->global[d]);
}

static unsigned bits_set(uint64_t x)
{
	return (unsigned)__builtin_popcountll(x);
}

static double term_values(const struct footprint *f, const struct footprint_window *window,
                          const struct footprint_term *term)
{
	return fmin(term->extent, fmax(1, counter_span(f, window, term->base) / term->divisor));
}

/* Multiples of the i-th stride at which the group's accesses lie in the window. */
static double places(const struct footprint *f, const struct footprint_group *group,
                     const struct footprint_window *window, unsigned i)
{
	const struct footprint_shifts *shifts = &group->shifts[i];
	double values = term_values(f, window, &group->terms[i]);

	if (shifts->high <= shifts->low)
		return values;
	return fmin(values + (double)(shifts->high - shifts->low), values * bits_set(shifts->seen));
}

/*
 * Runs of bytes under an affine group: strides by size, a stride within the run
 * (or within a line) makes it longer, any other multiplies the runs; one that
 * is a multiple of the stride before continues its row of runs.
 */
static void affine_runs(const struct footprint *f, const struct footprint_group *group,
                        const struct footprint_window *window, double line, double *runs,
                        double *run, bool *is_aligned)
{
	double reach = (double)(group->rest_high - group->rest_low);
	double stride = 0, row = 1;

	*runs = 1;
	*run = group->bytes;
	*is_aligned = true;
	for (unsigned i = 0; i < group->term_count; i++) {
		const struct footprint_term *term = &group->terms[i];
		double factor = (double)magnitude(term->factor);
		double values = places(f, group, window, i);

		/* places apart are one run as soon as each run reaches the next place */
		if (reach > 0 && reach <= group->rest_count * fmax(*run, line)) {
			*run += reach;
			reach = 0;
		}
		if (values <= 1)
			continue;
		if (factor <= fmax(*run, line)) {
			*run += factor * (values - 1);
		} else if (stride > 0 && fmod(factor, stride) == 0 && factor / stride <= row) {
			double longer = row + factor / stride * (values - 1);

			*runs *= longer / row;
			row = longer;
		} else {
			*runs *= values;
			stride = factor;
			row = values;
		}
		if (fmod(factor, line) != 0 && factor > fmax(*run, line))
			*is_aligned = false;
	}
	if (reach > 0 && reach <= group->rest_count * fmax(*run, line))
		*run += reach;
	else if (reach > 0)
		*runs *= group->rest_count;
}

/* Executions of the group's access in the window, over all its work-items. */
static double window_executions(const struct footprint *f, const struct footprint_group *group,
                                const struct footprint_window *window)
{
	double count = group->executions;

	for (unsigned d = 0; d < 3; d++)
		count *= window->local[d] * window->group[d];
	for (uint32_t loop = group->loop; loop != IR_NONE;
	     loop = f->evaluation->loops[loop].parent) {
		double trips = f->evaluation->loops[loop].trips;

		if (trips > 1)
			count *= fmin(1, window->loops[loop] / trips);
	}
	return count;
}

/* The share of an execution's lines, 32 << at bytes long, whose neighbours no other lane touches.
 */
static double apart(const struct evaluation_access *a, unsigned at)
{
	unsigned wide = at + 1 < EVALUATE_LINES ? at + 1 : at;

	if (!(a->lines[wide - 1] > 0))
		return 1;
	return fmin(1, fmax(0, 2 * a->lines[wide] / a->lines[wide - 1] - 1));
}

/* Bytes between the first and the last place of a group's form in the window. */
static double form_span(const struct footprint *f, const struct footprint_group *group,
                        const struct footprint_window *window)
{
	double span = 0;

	for (unsigned i = 0; i < group->term_count; i++)
		span += (double)magnitude(group->terms[i].factor) *
		        (term_values(f, window, &group->terms[i]) - 1);
	return span;
}

/* Addresses at chance, or without a form: lines fall into those that can be hit. */
static double spread_lines(const struct footprint *f, const struct footprint_group *group,
                           const struct footprint_window *window, double line, double *isolated)
{
	const struct evaluation_access *a = &f->evaluation->accesses[group->first];
	double executions = window_executions(f, group, window), lines, all, run = group->bytes;
	double span = a->high_bytes > a->low_bytes ? a->high_bytes - a->low_bytes : 0;
	unsigned at = line_index(line);
	double alone = fmax(1, group->bytes / line); /* lines of a work-item by itself */
	double each = fmin(alone, fmax(a->lines[at], 1e-3) / fmax(1, a->lanes) * alone /
	                                  fmax(1, a->bytes / line));

	if (a->address.is_known) {
		double together = 1;

		/* each base that chance gives is followed for the loop's run */
		for (unsigned i = 0; i < group->term_count; i++) {
			const struct footprint_term *term = &group->terms[i];
			double values;

			if (term->base < AFFINE_LOOP)
				continue;
			values = term_values(f, window, term);
			together *= values;
			if ((double)magnitude(term->factor) <= fmax(run, line))
				run += (double)magnitude(term->factor) * (values - 1);
			else
				together /= values; /* its lines are counted one by one */
		}
		lines = executions / fmax(together, 1) *
		        (run / line + 1 - fmin(1, group->bytes / line));
		if (run <= group->bytes)
			lines = executions * alone;
		/* lanes that follow one base together share its lines */
		lines *= each / alone;
	} else {
		lines = executions * each;
	}
	lines = fmax(lines, executions > 0 ? 1 : 0);
	all = group->object_bytes > 0 ? group->object_bytes / line : 1e18;
	if (a->unknown < 0.5 && span > 0)
		all = fmin(all, span / line);
	if (a->reach_bytes > 0)
		all = fmin(all, (a->reach_bytes + form_span(f, group, window)) / line + 1);
	all = fmax(all, 1);
	if (a->halvings > 0)
		lines = halving_places(a, lines, all);
	else if (a->is_sampled)
		lines = indirect_lines(a, at, lines, all);
	else
		lines = all * -expm1(-lines / all);
	*isolated = run > 2 * line ? 0 : lines * fmax(0, 1 - lines / all) * apart(a, at);
	return lines;
}

/* How far a stride of an image's bytes goes: whole rows down, and bytes across. */
static void take_apart(double factor, double pitch, double *down, double *across)
{
	*down = round(factor / pitch);
	*across = fabs(factor - *down * pitch);
	*down = fabs(*down);
}

/*
 * Lines of an image in tiles: the rectangle that a group's strides span, in tiles. A stride
 * that skips tiles touches as many as it has values; what reaches beyond the rows of the
 * image (planes, layers) multiplies.
 */
static double tiled_lines(const struct footprint *f, const struct footprint_group *group,
                          const struct footprint_window *window, double line)
{
	double rows = image_line_rows(f->order.tile_rows, line), width = line / rows;
	double across = group->bytes, down = 1, columns = 1, bands = 1, part_down, part_across;

	take_apart((double)(group->rest_high - group->rest_low), group->pitch_bytes, &part_down,
	           &part_across);
	across += part_across;
	down += part_down;
	for (unsigned i = 0; i < group->term_count; i++) {
		const struct footprint_shifts *shifts = &group->shifts[i];
		double values = term_values(f, window, &group->terms[i]);

		if (shifts->high > shifts->low)
			values += (double)(shifts->high - shifts->low);
		take_apart((double)group->terms[i].factor, group->pitch_bytes, &part_down,
		           &part_across);
		if (part_across > fmax(across, width))
			columns *= values;
		else
			across += part_across * (values - 1);
		if (part_down > fmax(down, rows))
			bands *= values;
		else
			down += part_down * (values - 1);
	}
	return columns * fmax(1, across / width) * bands * fmax(1, down / rows);
}

double footprint_group_lines(const struct footprint *f, const struct footprint_group *group,
                             const struct footprint_window *window, double line, double *isolated)
{
	double runs, run, lines;
	bool is_aligned;

	if (group->is_spread)
		return spread_lines(f, group, window, line, isolated);
	if (group->pitch_bytes > 0) {
		lines = tiled_lines(f, group, window, line);
		lines = fmin(lines, fmax(1, group->object_bytes / line));
		*isolated = 0;
		return fmin(lines, fmax(1, window_executions(f, group, window)));
	}
	affine_runs(f, group, window, line, &runs, &run, &is_aligned);
	if (is_aligned && group->rest_count <= 1)
		lines = runs * fmax(1, run / line);
	else
		lines = runs * (run / line + 1 - fmin(1, group->bytes / line));
	if (group->object_bytes > 0)
		lines = fmin(lines, fmax(1, group->object_bytes / line));
	*isolated = runs > 1 ? lines * fmin(1, fmax(0, 2 - run / line)) : 0;
	return lines;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b != 0) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Places in a way, in lines, that the group's constant offsets begin at. */
static double offset_places(const struct footprint_group *group, double line, double way)
{
	double place[FOOTPRINT_RESTS_MAX];
	unsigned places = 0;

	for (unsigned i = 0; i < group->rest_count; i++) {
		double at = floor((double)group->rests[i] / line), sets = way / line;
		unsigned j = 0;

		at -= floor(at / sets) * sets;
		while (j < places && fabs(place[j] - at) > 0.5)
			j++;
		if (j == places)
			place[places++] = at;
	}
	return places;
}

double footprint_set_share(const struct footprint *f, const struct footprint_group *group,
                           const struct footprint_window *window, double line, double way)
{
	double sets = way / line, hit, runs, run;
	bool is_aligned;

	if (group->is_spread || group->pitch_bytes > 0 || !(sets >= 2))
		return 1;
	affine_runs(f, group, window, line, &runs, &run, &is_aligned);
	hit = fmax(1, run / line);
	hit = fmax(hit, offset_places(group, line, way));
	for (unsigned i = 0; i < group->term_count && hit < sets; i++) {
		uint64_t factor = (uint64_t)magnitude(group->terms[i].factor);
		double values = places(f, group, window, i);

		if ((double)factor > fmax(run, line) && values > 1)
			hit *= fmin(values, way / (double)common_divisor(factor, (uint64_t)way));
	}
	return fmin(1, hit / sets);
}

double footprint_bytes(struct footprint *footprint, const struct footprint_window *window,
                       double line_bytes)
{
	double lines = 0, isolated;

	for (uint32_t i = 0; i < footprint->group_count; i++)
		lines += footprint_group_lines(footprint, &footprint->groups[i], window, line_bytes,
		                               &isolated);
	return lines * line_bytes;
}
