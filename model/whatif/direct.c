/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local memory that only holds copies. To a CPU it is memory as any other, behind the same caches:
 * to copy, and to part the work-items' loop at a barrier, is work that brings nothing.
 *
 * Where element e of a buffer is at place e - d of an array, for the same d in all work-items of a
 * group, place p of the array is element p + d. The first work-item of the group tells d.
 */
#include "model/whatif/direct.h"

#include "model/whatif/shape.h"

static bool is_local(const struct ir_kernel *kernel, const struct ir_access *access)
{
	return kernel->objects[access->object].space == SPACE_LOCAL;
}

/* The load whose result a store keeps; NULL: it keeps something else. */
static const struct ir_access *source_of(const struct ir_kernel *kernel,
                                         const struct ir_access *store)
{
	const struct ir_node *value = &kernel->nodes[store->value];

	return value->op == NODE_LOAD ? &kernel->accesses[value->aux] : NULL;
}

/* The first store to an array in local memory; NULL: none. */
static const struct ir_access *store_to(const struct ir_kernel *kernel, uint32_t object)
{
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (kernel->accesses[i].object == object &&
		    kernel->accesses[i].kind == ACCESS_STORE)
			return &kernel->accesses[i];
	return NULL;
}

static bool is_read_only(const struct ir_kernel *kernel, uint32_t object)
{
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (kernel->accesses[i].object == object && kernel->accesses[i].kind != ACCESS_LOAD)
			return false;
	return true;
}

static bool is_alike(const struct ir_access *a, const struct ir_access *b)
{
	return a->type.scalar == b->type.scalar && a->type.width == b->type.width &&
	       (a->index == IR_NONE || b->index == IR_NONE || a->scale_bytes == b->scale_bytes);
}

static bool is_copied(const struct ir_kernel *kernel, const struct ir_access *access)
{
	const struct ir_access *store = store_to(kernel, access->object);
	const struct ir_access *first = store ? source_of(kernel, store) : NULL, *from;

	if (!first || access->kind == ACCESS_ATOMIC || !is_alike(access, first))
		return false;
	from = access->kind == ACCESS_STORE ? source_of(kernel, access) : first;
	return from && from->object == first->object && is_alike(from, first) &&
	       is_alike(from, access) && is_read_only(kernel, from->object) &&
	       (kernel->objects[from->object].space == SPACE_GLOBAL ||
	        kernel->objects[from->object].space == SPACE_CONSTANT);
}

bool direct_fits(const struct ir_kernel *kernel)
{
	bool is_any = false;

	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct ir_access *access = &kernel->accesses[i];

		if (!is_local(kernel, access))
			continue;
		if (!is_copied(kernel, access))
			return false;
		is_any = true;
	}
	return is_any;
}

/* Whether a form is the same for all work-items of a group. */
static bool is_of_group(const struct affine *form)
{
	int64_t step[3] = {0};

	if (!form->is_known || form->is_random)
		return false;
	for (unsigned t = 0; t < form->term_count; t++) {
		const struct affine_term *term = &form->terms[t];

		if (term->base >= AFFINE_LOOP ||
		    (term->base >= AFFINE_GROUP && term->base < AFFINE_GROUP + 3))
			continue;
		if (term->divisor != 1 || __builtin_add_overflow(step[term->base % 3], term->factor,
		                                                 &step[term->base % 3]))
			return false;
	}
	return step[0] == 0 && step[1] == 0 && step[2] == 0;
}

bool direct_is_shifted(const struct ir_kernel *kernel, const struct evaluation *evaluation)
{
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct ir_access *store = &kernel->accesses[i], *first;
		struct affine apart[2];

		if (!is_local(kernel, store) || store->kind != ACCESS_STORE)
			continue;
		first = store_to(kernel, store->object);
		for (unsigned k = 0; k < 2; k++) {
			const struct ir_access *of = k == 0 ? store : first;
			const struct evaluation_access *to =
			        &evaluation->accesses[of - kernel->accesses];
			const struct evaluation_access *from =
			        &evaluation->accesses[source_of(kernel, of) - kernel->accesses];
			struct affine less = affine_scale(&to->address, -1);

			if (!access_is_affine(to) || !access_is_affine(from))
				return false;
			apart[k] = affine_add(&from->address, &less);
		}
		if (!is_of_group(&apart[0]) || !affine_is_parallel(&apart[0], &apart[1]) ||
		    apart[0].constant != apart[1].constant)
			return false;
	}
	return true;
}

bool direct_leaves_out(const struct ir_kernel *kernel, const struct ir_statement *statement)
{
	return statement->kind == STATEMENT_BARRIER ||
	       (statement->kind == STATEMENT_ACCESS &&
	        kernel->accesses[statement->access].kind == ACCESS_STORE &&
	        is_local(kernel, &kernel->accesses[statement->access]));
}

uint32_t direct_read(struct several_state *s, const struct ir_access *access, uint32_t block,
                     uint32_t (*made_of)(struct several_state *s, uint32_t node, bool is_first))
{
	const struct ir_access *to = store_to(s->from, access->object);
	const struct ir_access *from = source_of(s->from, to), *parts[3] = {access, from, to};
	struct type type = type_scalar(SCALAR_LONG);
	uint32_t index = kernel_integer(s->to, type, 0), id;
	struct ir_access made = *access;

	for (unsigned i = 0; i < 3; i++) {
		uint32_t node;

		if (parts[i]->index == IR_NONE)
			continue;
		node = made_of(s, parts[i]->index, i > 0);
		if (node == IR_NONE)
			return IR_NONE;
		node = kernel_unary(s->to, NODE_CONVERT, type, node);
		index = kernel_binary(s->to, i == 2 ? NODE_SUB : NODE_ADD, type, index, node);
		made.scale_bytes = parts[i]->scale_bytes;
	}
	made.object = s->object[from->object];
	made.index = index;
	made.offset_bytes += from->offset_bytes - to->offset_bytes;
	made.result = IR_NONE;
	id = kernel_access(s->to, block, &made);
	return id == IR_NONE ? IR_NONE : s->to->accesses[id].result;
}
