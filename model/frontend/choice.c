/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pointers to one of several objects, as control decides. A choice is a tree of conditions with
 * addresses for leaves; where a pointer is chosen again and again, it grows although the objects
 * stay the same. Then it becomes which object, as a number, and how far in it, as another: one
 * leaf for each object.
 */
#include "model/frontend/lower.h"

/* Cells hold pointers, objects do not. */
bool pointer_is_of_cells(const struct pointer *pointer)
{
	if (pointer->target != POINTER_CHOICE)
		return pointer->target == POINTER_CELLS;
	return pointer_is_of_cells(&pointer->choice->yes) &&
	       pointer_is_of_cells(&pointer->choice->no);
}

struct pointer choice_arm(const struct pointer *pointer, bool is_yes)
{
	struct pointer arm = is_yes ? pointer->choice->yes : pointer->choice->no;
	if (__builtin_add_overflow(arm.offset, pointer->offset, &arm.offset))
		arm.offset = INT64_MAX; /* an access there is refused by the IR's check */
	return arm;
}

uint32_t pointer_in_steps(struct lower *l, struct pointer pointer, uint32_t step)
{
	struct type type = type_scalar(SCALAR_LONG);
	if (pointer.target != POINTER_CHOICE && pointer.offset % step == 0 &&
	    (pointer.index == IR_NONE || pointer.scale % step == 0)) {
		pointer.offset /= step;
		pointer.scale = pointer.index == IR_NONE ? 1 : pointer.scale / step;
		return pointer_bytes(l, &pointer);
	}
	if (pointer.target == POINTER_CHOICE) {
		struct pointer yes = choice_arm(&pointer, true), no = choice_arm(&pointer, false);
		if (l->failed)
			return 0;
		return node_select(l, NODE_PHI, type, pointer.choice->condition,
		                   pointer_in_steps(l, yes, step), pointer_in_steps(l, no, step));
	}
	return node_binary(l, NODE_DIV, type, pointer_bytes(l, &pointer),
	                   node_number(l, type, (double)step));
}

bool pointer_is_multiple(const struct pointer *pointer, uint32_t step)
{
	if (pointer->target == POINTER_CHOICE)
		return pointer->offset % step == 0 &&
		       pointer_is_multiple(&pointer->choice->yes, step) &&
		       pointer_is_multiple(&pointer->choice->no, step);
	return pointer->offset % step == 0 &&
	       (pointer->index == IR_NONE || pointer->scale % step == 0);
}

/* number == k ? k : the last, or the number itself: as it is one of them, the number. */
static bool is_number_itself(const struct lower *l, uint32_t number, uint32_t condition,
                             uint32_t yes, uint32_t no, unsigned count)
{
	const struct ir_node *n = &l->kernel->nodes[condition];
	int64_t compared, chosen, other;
	if (number == IR_NONE || n->op != NODE_EQ ||
	    l->kernel->operands[n->first_operand] != number ||
	    !kernel_constant(l->kernel, l->kernel->operands[n->first_operand + 1], &compared) ||
	    !kernel_constant(l->kernel, yes, &chosen) || chosen != compared)
		return false;
	return no == number || (kernel_constant(l->kernel, no, &other) && other == count - 1);
}

uint32_t candidates_which(struct lower *l, const struct candidates *candidates,
                          const struct pointer *pointer, uint32_t number, CXCursor at)
{
	struct type type = type_scalar(SCALAR_INT);
	if (l->failed)
		return 0;
	if (pointer->target == POINTER_CHOICE) {
		uint32_t condition = pointer->choice->condition;
		uint32_t yes = candidates_which(l, candidates, &pointer->choice->yes, number, at);
		uint32_t no = candidates_which(l, candidates, &pointer->choice->no, number, at);
		if (!l->failed &&
		    is_number_itself(l, number, condition, yes, no, candidates->count))
			return number;
		return node_select(l, NODE_PHI, type, condition, yes, no);
	}
	for (unsigned i = 0; i < candidates->count; i++)
		if (pointer->target == POINTER_NULL ||
		    (candidates->at[i].target == pointer->target &&
		     candidates->at[i].base == pointer->base))
			return node_number(l, type, i);
	if (pointer->target != POINTER_OBJECT)
		lower_fail(l, at, "pointer to several variables");
	else
		lower_unknown(l, at, 1, "pointer to one of more objects than are told apart");
	return l->failed ? 0 : node_number(l, type, candidates->count - 1);
}

/* ---- one leaf for each object ---------------------------------------------------------------- */

static unsigned leaves_of(const struct pointer *pointer)
{
	return pointer->target == POINTER_CHOICE ? pointer->choice->leaves : 1;
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

/* What all addresses are multiples of, in bytes; 0: each is its object's beginning. */
static uint64_t step_of(const struct pointer *pointer)
{
	uint64_t step = (uint64_t)(pointer->offset < 0 ? -(pointer->offset + 1) : pointer->offset);

	if (pointer->offset < 0)
		step++;
	if (pointer->target == POINTER_CHOICE) {
		step = common_divisor(step, step_of(&pointer->choice->yes));
		return common_divisor(step, step_of(&pointer->choice->no));
	}
	return pointer->index == IR_NONE ? step : common_divisor(step, pointer->scale);
}

static bool has_cells(const struct pointer *pointer)
{
	if (pointer->target != POINTER_CHOICE)
		return pointer->target == POINTER_CELLS;
	return has_cells(&pointer->choice->yes) || has_cells(&pointer->choice->no);
}

static struct pointer choice_of(struct lower *l, uint32_t condition, const struct pointer *yes,
                                const struct pointer *no, CXCursor at)
{
	struct pointer pointer = {.target = POINTER_CHOICE, .index = IR_NONE, .scale = 1};

	pointer.choice = arena_alloc(&l->arena, sizeof(*pointer.choice));
	if (pointer.choice == NULL) {
		lower_fail(l, at, "too large");
		return *yes;
	}
	*pointer.choice = (struct choice){condition, *yes, *no, leaves_of(yes) + leaves_of(no)};
	return pointer;
}

struct pointer candidates_choose(struct lower *l, const struct candidates *candidates,
                                 uint32_t number, uint32_t index, uint32_t step, CXCursor at)
{
	struct type type = type_scalar(SCALAR_INT);
	struct pointer chosen = {.index = IR_NONE, .scale = 1};

	for (unsigned i = candidates->count; i-- > 0 && !l->failed;) {
		struct pointer one = candidates->at[i];

		one.index = index;
		one.scale = step;
		one.offset = 0;
		if (i + 1 == candidates->count) {
			chosen = one;
			continue;
		}
		uint32_t is_it = node_binary(l, NODE_EQ, type, number, node_number(l, type, i));
		chosen = choice_of(l, is_it, &one, &chosen, at);
	}
	return chosen;
}

/* By object; one arm alone, and so a guess, where there are more objects than are told apart. */
static struct pointer flattened(struct lower *l, const struct pointer *pointer, CXCursor at)
{
	const struct choice *choice = pointer->choice;
	struct candidates candidates = {0};
	uint64_t step = step_of(pointer);

	if (has_cells(pointer)) {
		lower_fail(l, at, "pointer to more than %d objects", LOWER_CHOICES_MAX);
		return *pointer;
	}
	if (!candidates_add(&candidates, pointer)) {
		lower_unknown(l, at, 1, "pointer to one of more than %d objects",
		              LOWER_CHOICES_MAX);
		return choice_arm(pointer, leaves_of(&choice->yes) > leaves_of(&choice->no));
	}
	if (step == 0 || step > UINT32_MAX / 2)
		step = 1;
	uint32_t number = candidates_which(l, &candidates, pointer, IR_NONE, at);
	uint32_t index = pointer_in_steps(l, *pointer, (uint32_t)step);
	return candidates_choose(l, &candidates, number, index, (uint32_t)step, at);
}

struct pointer pointer_choose(struct lower *l, uint32_t condition, const struct pointer *yes,
                              const struct pointer *no, CXCursor at)
{
	if (l->failed)
		return *yes;
	struct pointer pointer = choice_of(l, condition, yes, no, at);
	unsigned most = pointer_is_of_cells(yes) && pointer_is_of_cells(no) ? LOWER_AGGREGATE_MAX
	                                                                    : LOWER_CHOICES_MAX;
	if (l->failed || pointer.choice->leaves <= most)
		return pointer;
	return flattened(l, &pointer, at);
}
