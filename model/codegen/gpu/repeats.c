/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places that a GPU's loops load again and again once they are unrolled (`in[x + i + k]` of two
 * counters, patches of an image that overlap): the compiler knows all places of one straight line
 * and loads each once (LLVM's GVN), and before a loop that stays what no iteration of it changes.
 *
 * Places that a loop reads and writes in each iteration, and nothing else in it does, are kept as
 * well: loaded before the loop and stored behind it (LLVM's LICM: promoteLoopAccessesToScalars).
 */
#include <math.h>
#include <stdlib.h>

#include "model/codegen/codegen.h"

enum {
	PLACES_MAX = 1024,   /* of one access that are looked at */
	KEPT_MAX = 128,      /* of a group: beyond, there are no registers to keep them in */
	GROUP_LOOPS_MAX = 6, /* unrolled, around an access */
	LOOKS_MAX = 1 << 20  /* statements and places that are looked at */
};

/* How much may still be looked at of a kernel. */
struct looks {
	uint64_t left;
};

static bool takes(struct looks *looks, uint64_t count)
{
	looks->left = looks->left > count ? looks->left - count : 0;
	return looks->left > 0;
}

/* The loops around an access as far out as what it loads can be kept. */
struct nest {
	uint32_t root;                   /* the block that they stand in */
	uint32_t outermost;              /* of them, a statement; IR_NONE: there is none */
	uint32_t loops[GROUP_LOOPS_MAX]; /* indices of those that are unrolled */
	unsigned count;
	double trips, stays; /* of those, and of loops that are passed on the way */
};

/* Whether an access may be to what an object holds: as passes/place.c has it. */
static bool may_meet(const struct ir_kernel *kernel, const struct ir_access *a, uint32_t object)
{
	const struct ir_object *of = &kernel->objects[object], *other = &kernel->objects[a->object];

	return a->object == object ||
	       (of->space == other->space && !of->is_restrict && !other->is_restrict);
}

/*
 * Whether what an object holds may change within a loop; is_own: by other accesses than loads and
 * stores of its own, or be asked for by others while it is not there.
 */
static bool is_changed(const struct ir_kernel *kernel, uint32_t object, uint32_t loop, bool is_own,
                       struct looks *looks)
{
	if (!takes(looks, kernel->statement_count))
		return true;

	for (uint32_t i = 0; i < kernel->statement_count; i++) {
		const struct ir_statement *s = &kernel->statements[i];
		const struct ir_access *a;

		if ((s->kind != STATEMENT_BARRIER && s->kind != STATEMENT_ACCESS) ||
		    !kernel_is_within(kernel, s->block, loop))
			continue;
		if (s->kind == STATEMENT_BARRIER)
			return true;
		a = &kernel->accesses[s->access];
		if (is_own && a->object == object
		            ? a->kind == ACCESS_ATOMIC
		            : (is_own || a->kind != ACCESS_LOAD) && may_meet(kernel, a, object))
			return true;
	}
	return false;
}

static bool has_term(const struct affine *form, uint32_t loop)
{
	for (unsigned i = 0; i < form->term_count; i++)
		if (form->terms[i].base == AFFINE_LOOP + loop)
			return true;
	return false;
}

/* is_own: of what loops that it reads and writes keep. */
static void find_nest(const struct machine *m, uint32_t access, bool is_own, struct nest *nest,
                      struct looks *looks)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_summary *summary = kernel->summary;
	const struct affine *form = &evaluation_of(m)->accesses[access].address;
	uint32_t owner;

	*nest = (struct nest){.root = summary->access_block[access],
	                      .outermost = IR_NONE,
	                      .trips = 1,
	                      .stays = 1};
	for (; (owner = kernel->blocks[nest->root].owner) != IR_NONE;
	     nest->root = kernel->statements[owner].block) {
		const struct ir_statement *s = &kernel->statements[owner];
		uint32_t loop;

		if (s->kind == STATEMENT_BRANCH && !summary->branch_is_fixed[owner])
			return;
		if (s->kind != STATEMENT_LOOP)
			continue;
		loop = summary->block_loop[s->body];
		if (nest->count == 0 && !summary->loops[loop].is_unrolled && !is_own)
			return;
		/* what is left early may never have been stored */
		if (is_own && summary->loops[loop].has_early_exit)
			return;
		if (is_changed(kernel, kernel->accesses[access].object, owner, is_own, looks))
			return;
		if (summary->loops[loop].is_unrolled) {
			if (nest->count == GROUP_LOOPS_MAX)
				return;
			nest->loops[nest->count++] = loop;
			nest->trips *= (double)summary->loops[loop].trips;
		} else if (!has_term(form, loop)) {
			nest->stays *= fmax(1, evaluation_of(m)->loops[loop].trips);
		} else {
			return;
		}
		nest->outermost = owner;
	}
}

static bool is_unrolled_in(const struct nest *nest, uint32_t base)
{
	for (unsigned i = 0; i < nest->count; i++)
		if (base == AFFINE_LOOP + nest->loops[i])
			return true;
	return false;
}

/* Whether all but the constant and the unrolled counters are the same. */
static bool is_beside(const struct affine *a, const struct nest *of_a, const struct affine *b,
                      const struct nest *of_b)
{
	unsigned i = 0, k = 0;

	for (;; i++, k++) {
		while (i < a->term_count && is_unrolled_in(of_a, a->terms[i].base))
			i++;
		while (k < b->term_count && is_unrolled_in(of_b, b->terms[k].base))
			k++;
		if (i == a->term_count || k == b->term_count)
			return i == a->term_count && k == b->term_count;
		if (a->terms[i].base != b->terms[k].base ||
		    a->terms[i].divisor != b->terms[k].divisor ||
		    a->terms[i].extent != b->terms[k].extent ||
		    a->terms[i].factor != b->terms[k].factor)
			return false;
	}
}

struct places {
	int64_t *at;
	unsigned count, room;
};

/* Whether it was not there yet. */
static bool add_place(struct places *places, int64_t at)
{
	for (unsigned i = 0; i < places->count; i++)
		if (places->at[i] == at)
			return false;
	if (places->count < places->room)
		places->at[places->count++] = at;
	return true;
}

/* Places that an access adds to those of its group. */
static double add_places(const struct machine *m, uint32_t access, const struct nest *nest,
                         struct places *places, struct looks *looks)
{
	const struct affine *form = &evaluation_of(m)->accesses[access].address;
	double added = 0;

	for (unsigned n = 0; n < (unsigned)nest->trips && places->count <= KEPT_MAX; n++) {
		int64_t at = form->constant;
		unsigned left = n;

		for (unsigned i = 0; i < nest->count; i++) {
			uint64_t trips = m->input->kernel->summary->loops[nest->loops[i]].trips;

			for (unsigned t = 0; t < form->term_count; t++)
				if (form->terms[t].base == AFFINE_LOOP + nest->loops[i])
					at += form->terms[t].factor * (int64_t)(left % trips);
			left /= (unsigned)trips;
		}
		added += add_place(places, at);
		if (!takes(looks, places->count))
			places->count = KEPT_MAX + 1;
	}
	return added;
}

/* Whether places are known, all of them whole digits of their counters. */
static bool has_places(const struct machine *m, uint32_t access, const struct nest *nest)
{
	const struct ir_access *a = &m->input->kernel->accesses[access];
	const struct ir_object *object = &m->input->kernel->objects[a->object];
	const struct affine *form = &evaluation_of(m)->accesses[access].address;

	if (object->space > SPACE_LOCAL || object->is_volatile || object->space == SPACE_PRIVATE ||
	    !form->is_known || form->is_random || form->is_rough ||
	    !(access_items(m, access) > 0) || nest->trips > (double)(int)PLACES_MAX)
		return false;
	for (unsigned i = 0; i < form->term_count; i++)
		if (is_unrolled_in(nest, form->terms[i].base) && form->terms[i].divisor != 1)
			return false;
	return true;
}

static bool is_looked_at(const struct machine *m, uint32_t access, const struct nest *nest)
{
	return m->input->kernel->accesses[access].kind == ACCESS_LOAD && nest->count > 0 &&
	       nest->trips > 1 && has_places(m, access, nest);
}

/* The accesses from `first` on that are beside it; fills their shares. */
static void share_places(struct machine *m, uint32_t first, const struct nest *nests, bool *is_done,
                         struct places *places, struct looks *looks)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct evaluation_access *accesses = evaluation_of(m)->accesses;

	places->count = 0;
	takes(looks, kernel->access_count - first);
	for (uint32_t i = first; i < kernel->access_count; i++) {
		if (is_done[i] || nests[i].root != nests[first].root ||
		    kernel->accesses[i].object != kernel->accesses[first].object ||
		    type_bytes(kernel->accesses[i].type) !=
		            type_bytes(kernel->accesses[first].type) ||
		    !is_beside(&accesses[i].address, &nests[i], &accesses[first].address,
		               &nests[first]))
			continue;
		is_done[i] = true;
		m->code.repeats[i] = add_places(m, i, &nests[i], places, looks) /
		                     (nests[i].trips * nests[i].stays);
	}
	for (uint32_t i = first; places->count > KEPT_MAX && i < kernel->access_count; i++)
		if (nests[i].root == nests[first].root && nests[i].count > 0 &&
		    kernel->accesses[i].object == kernel->accesses[first].object)
			m->code.repeats[i] = 1;
}

/* ---- what a loop reads and writes ---- */

/* Whether an access is in the loops around a store that may keep what it stores. */
static bool is_with(const struct machine *m, uint32_t access, uint32_t store,
                    const struct nest *around)
{
	const struct ir_kernel *kernel = m->input->kernel;
	uint32_t block = kernel->summary->access_block[access];

	return kernel->accesses[access].object == kernel->accesses[store].object &&
	       block < kernel->block_count && kernel_is_within(kernel, block, around->outermost);
}

/* Whether a statement stands before another one in a block. */
static bool is_before(const struct ir_kernel *kernel, uint32_t block, uint32_t one, uint32_t other)
{
	uint32_t s = kernel->blocks[block].first;

	while (s != IR_NONE && s != one && s != other)
		s = kernel->statements[s].following;
	return s == one && s != other;
}

/*
 * Places that unrolled loops before those of a store have stored: what goes on with them is there
 * (GVN). Where a kernel has barriers, or the object other places, nobody looks.
 */
static void add_stored(struct machine *m, uint32_t store, struct nest *nests, struct places *places,
                       struct looks *looks)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct evaluation_access *accesses = evaluation_of(m)->accesses;

	places->count = 0;
	if (kernel->summary->has_barrier || !takes(looks, kernel->access_count))
		return;
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		if (kernel->accesses[i].object != kernel->accesses[store].object ||
		    kernel->summary->access_block[i] >= kernel->block_count ||
		    is_with(m, i, store, &nests[store]))
			continue;
		find_nest(m, i, true, &nests[i], looks);
		if (nests[i].root != nests[store].root || !has_places(m, i, &nests[i]) ||
		    !is_beside(&accesses[i].address, &nests[i], &accesses[store].address,
		               &nests[store])) {
			places->count = 0;
			return;
		}
		if (kernel->accesses[i].kind == ACCESS_STORE && nests[i].outermost != IR_NONE &&
		    !(nests[i].stays > 1) &&
		    is_before(kernel, nests[i].root, nests[i].outermost, nests[store].outermost))
			(void)add_places(m, i, &nests[i], places, looks);
	}
}

/*
 * What the loops around a store keep: all that they access of its object are places that they know,
 * and tell apart.
 */
static void promote(struct machine *m, uint32_t store, struct nest *nests, struct places *places,
                    struct looks *looks)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct evaluation_access *accesses = evaluation_of(m)->accesses;
	unsigned kept = 0;

	if (!takes(looks, kernel->access_count))
		return;
	find_nest(m, store, true, &nests[store], looks);
	if (nests[store].outermost == IR_NONE || !(nests[store].stays > 1))
		return;
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		if (!is_with(m, i, store, &nests[store]))
			continue;
		if (i != store)
			find_nest(m, i, true, &nests[i], looks);
		if (nests[i].root != nests[store].root || !has_places(m, i, &nests[i]) ||
		    type_bytes(kernel->accesses[i].type) !=
		            type_bytes(kernel->accesses[store].type) ||
		    !is_beside(&accesses[i].address, &nests[i], &accesses[store].address,
		               &nests[store]))
			return;
		places->count = 0;
		(void)add_places(m, i, &nests[i], places, looks);
		kept += places->count;
	}
	if (kept > KEPT_MAX)
		return;
	add_stored(m, store, nests, places, looks);
	for (unsigned kind = ACCESS_LOAD; kind <= ACCESS_STORE; kind++) {
		for (uint32_t i = 0; i < kernel->access_count; i++) {
			if (!is_with(m, i, store, &nests[store]) ||
			    kernel->accesses[i].kind != kind)
				continue;
			m->code.is_promoted[i] = true;
			m->code.repeats[i] = add_places(m, i, &nests[i], places, looks) /
			                     (nests[i].trips * nests[i].stays);
		}
		places->count = 0;
	}
}

enum status find_repeats(struct machine *m, struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;
	size_t count = (size_t)kernel->access_count + 1;
	double *repeats = malloc(count * sizeof(*repeats));
	struct nest *nests = calloc(count, sizeof(*nests));
	bool *is_done = calloc(count, sizeof(*is_done));
	struct places places = {.at = malloc(PLACES_MAX * sizeof(*places.at)), .room = PLACES_MAX};
	struct looks looks = {LOOKS_MAX};
	enum status status = STATUS_OK;

	m->code.is_promoted = calloc(count, sizeof(*m->code.is_promoted));
	if (!repeats || !nests || !is_done || !places.at || !m->code.is_promoted) {
		status = error_set(error, STATUS_NO_MEMORY, "%s: no memory for its loads",
		                   kernel->name);
		goto out;
	}
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		repeats[i] = 1;
		is_done[i] = kernel->summary->access_block[i] >= kernel->block_count ||
		             kernel->accesses[i].kind != ACCESS_LOAD;
		if (!is_done[i])
			find_nest(m, i, false, &nests[i], &looks);
		is_done[i] = is_done[i] || !is_looked_at(m, i, &nests[i]);
	}
	m->code.repeats = repeats;
	repeats = NULL; /* moved */
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (!is_done[i] && looks.left > 0)
			share_places(m, i, nests, is_done, &places, &looks);
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (kernel->accesses[i].kind == ACCESS_STORE && !m->code.is_promoted[i] &&
		    kernel->summary->access_block[i] < kernel->block_count)
			promote(m, i, nests, &places, &looks);
out:
	free(repeats);
	free(nests);
	free(is_done);
	free(places.at);
	return status;
}
