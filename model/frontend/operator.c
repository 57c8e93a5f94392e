/* SPDX-License-Identifier: Apache-2.0 */
/* Operators: arithmetic, comparison, assignment, conditions. */
#include "model/frontend/lower.h"

static enum node_op arithmetic_of(enum CXBinaryOperatorKind kind)
{
	switch (kind) {
	case CXBinaryOperator_Add:
	case CXBinaryOperator_AddAssign:
		return NODE_ADD;
	case CXBinaryOperator_Sub:
	case CXBinaryOperator_SubAssign:
		return NODE_SUB;
	case CXBinaryOperator_Mul:
	case CXBinaryOperator_MulAssign:
		return NODE_MUL;
	case CXBinaryOperator_Div:
	case CXBinaryOperator_DivAssign:
		return NODE_DIV;
	case CXBinaryOperator_Rem:
	case CXBinaryOperator_RemAssign:
		return NODE_REM;
	case CXBinaryOperator_Shl:
	case CXBinaryOperator_ShlAssign:
		return NODE_SHL;
	case CXBinaryOperator_Shr:
	case CXBinaryOperator_ShrAssign:
		return NODE_SHR;
	case CXBinaryOperator_And:
	case CXBinaryOperator_AndAssign:
		return NODE_AND;
	case CXBinaryOperator_Or:
	case CXBinaryOperator_OrAssign:
		return NODE_OR;
	case CXBinaryOperator_Xor:
	case CXBinaryOperator_XorAssign:
		return NODE_XOR;
	default:
		return NODE_OP_COUNT;
	}
}

static uint32_t arithmetic(struct lower *l, enum node_op op, struct type type, uint32_t a,
                           uint32_t b)
{
	/* a shift's count has a type of its own in C; the IR wants the value's */
	write_operation(l, node_op_class(op), type, 1);
	return node_binary(l, op, type, convert_node(l, a, type), convert_node(l, b, type));
}

static bool is_product(struct lower *l, CXCursor cursor)
{
	CXCursor inner = cursor_strip(l, cursor);
	return clang_getCursorKind(inner) == CXCursor_BinaryOperator &&
	       clang_getCursorBinaryOperatorKind(inner) == CXBinaryOperator_Mul;
}

/*
 * A sum none of whose operands is written as a product, though one may be: clang contracts within
 * an expression (-ffp-contract=on), not what variables carry.
 */
static uint32_t sum_apart(struct lower *l, enum node_op op, struct type type, uint32_t a,
                          uint32_t b)
{
	uint32_t operands[2] = {convert_node(l, a, type), convert_node(l, b, type)};
	write_operation(l, node_op_class(op), type, 1);
	if (l->failed)
		return 0;
	bool has_product = l->kernel->nodes[operands[0]].op == NODE_MUL ||
	                   l->kernel->nodes[operands[1]].op == NODE_MUL;
	return node_check(l, kernel_node(l->kernel, op, type, operands, 2, has_product, 0));
}

static bool is_real_sum(enum node_op op, struct type type)
{
	return (op == NODE_ADD || op == NODE_SUB) && type_is_real(type);
}

/* ---- pointers ------------------------------------------------------------------------------- */

static uint32_t negated(struct lower *l, uint32_t node)
{
	struct type type = node_type(l, node);
	if (!type_is_signed(type) || type_bytes(type) < 4) {
		type = type_scalar(SCALAR_LONG);
		node = convert_node(l, node, type);
	}
	return node_unary(l, NODE_NEG, type, node);
}

static struct value pointer_arithmetic(struct lower *l, CXCursor cursor, CXCursor left,
                                       CXCursor right, enum node_op op)
{
	bool is_left = type_points(clang_getCursorType(left));
	bool is_right = type_points(clang_getCursorType(right));
	uint64_t bytes = type_size(type_pointee(clang_getCursorType(is_left ? left : right)));
	struct type type = type_scalar(SCALAR_LONG);
	if (is_left && is_right) {
		struct pointer a = lower_pointer(l, left), b = lower_pointer(l, right);
		if (a.target != b.target || a.target == POINTER_CHOICE || a.base != b.base)
			return value_node(node_check(l, kernel_unknown(l->kernel, type)));
		if (l->failed)
			return (struct value){0};
		uint32_t difference =
		        node_binary(l, NODE_SUB, type, pointer_bytes(l, &a), pointer_bytes(l, &b));
		return value_node(node_binary(l, NODE_DIV, type, difference,
		                              node_number(l, type, (double)bytes)));
	}
	struct pointer pointer = lower_pointer(l, is_left ? left : right);
	uint32_t index = lower_node(l, is_left ? right : left);
	write_operation(l, OP_CLASS_ADD, type_scalar(SCALAR_INT), 1);
	if (op == NODE_SUB)
		index = negated(l, index);
	return value_pointer(pointer_add(l, pointer, index, bytes, cursor));
}

static struct value pointer_compare(struct lower *l, CXCursor cursor,
                                    enum CXBinaryOperatorKind kind, struct value a, struct value b)
{
	struct type type = type_scalar(SCALAR_INT);
	if (a.kind != VALUE_POINTER || b.kind != VALUE_POINTER) {
		lower_fail(l, cursor, "pointer compared with a number");
		return (struct value){0};
	}
	struct pointer *either = a.pointer.target == POINTER_CHOICE   ? &a.pointer
	                         : b.pointer.target == POINTER_CHOICE ? &b.pointer
	                                                              : NULL;
	if (either != NULL && !l->failed) {
		uint32_t condition = either->choice->condition, nodes[2];
		struct pointer arms[2] = {choice_arm(either, true), choice_arm(either, false)};
		for (unsigned arm = 0; arm < 2; arm++) {
			*either = arms[arm];
			nodes[arm] =
			        value_as_node(l, pointer_compare(l, cursor, kind, a, b), cursor);
		}
		return value_node(node_select(l, NODE_PHI, type, condition, nodes[0], nodes[1]));
	}
	if ((a.pointer.target == POINTER_NULL) != (b.pointer.target == POINTER_NULL) &&
	    (kind == CXBinaryOperator_EQ || kind == CXBinaryOperator_NE)) {
		const struct pointer *set =
		        a.pointer.target == POINTER_NULL ? &b.pointer : &a.pointer;
		uint32_t node = pointer_is_set(l, set);

		return value_node(
		        kind == CXBinaryOperator_NE ? node : node_unary(l, NODE_LNOT, type, node));
	}
	bool is_same = a.pointer.target == b.pointer.target && a.pointer.base == b.pointer.base;
	if (!is_same || a.pointer.target == POINTER_NULL) {
		/* different objects, or one against nothing: never equal */
		if (kind != CXBinaryOperator_EQ && kind != CXBinaryOperator_NE)
			return value_node(node_check(l, kernel_unknown(l->kernel, type)));
		return value_node(
		        node_number(l, type, (kind == CXBinaryOperator_EQ) == is_same ? 1 : 0));
	}
	/* in elements where both count in them */
	struct pointer *p = &a.pointer, *q = &b.pointer;
	uint32_t step = p->index != IR_NONE ? p->scale : q->index != IR_NONE ? q->scale : 1;
	if (p->offset % step == 0 && q->offset % step == 0 &&
	    (p->index == IR_NONE || p->scale == step) &&
	    (q->index == IR_NONE || q->scale == step)) {
		p->offset /= step;
		q->offset /= step;
		p->scale = q->scale = 1;
	}
	uint32_t x = pointer_bytes(l, p), y = pointer_bytes(l, q);
	switch (kind) {
	case CXBinaryOperator_LT:
		return value_node(node_binary(l, NODE_LT, type, x, y));
	case CXBinaryOperator_GT:
		return value_node(node_binary(l, NODE_LT, type, y, x));
	case CXBinaryOperator_LE:
		return value_node(node_binary(l, NODE_LE, type, x, y));
	case CXBinaryOperator_GE:
		return value_node(node_binary(l, NODE_LE, type, y, x));
	case CXBinaryOperator_EQ:
		return value_node(node_binary(l, NODE_EQ, type, x, y));
	default:
		return value_node(node_binary(l, NODE_NE, type, x, y));
	}
}

/* ---- comparison and logic -------------------------------------------------------------------- */

static struct value compare(struct lower *l, CXCursor cursor, CXCursor left, CXCursor right)
{
	enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(cursor);
	struct value x = lower_expression(l, left), y = lower_expression(l, right);
	struct type type;
	if (l->failed)
		return (struct value){0};
	if (x.kind == VALUE_POINTER || y.kind == VALUE_POINTER) {
		write_operation(l, OP_CLASS_COMPARE, type_scalar(SCALAR_INT), 1);
		return pointer_compare(l, cursor, kind, x, y);
	}
	uint32_t a = value_as_node(l, x, left), b = value_as_node(l, y, right);
	if (!type_of(clang_getCursorType(cursor), &type))
		type = type_scalar(SCALAR_INT);
	struct type operand = node_type(l, a);
	b = convert_node(l, b, operand);
	write_operation(l, OP_CLASS_COMPARE, operand, 1);
	switch (kind) {
	case CXBinaryOperator_LT:
		return value_node(node_binary(l, NODE_LT, type, a, b));
	case CXBinaryOperator_GT:
		return value_node(node_binary(l, NODE_LT, type, b, a));
	case CXBinaryOperator_LE:
		return value_node(node_binary(l, NODE_LE, type, a, b));
	case CXBinaryOperator_GE:
		return value_node(node_binary(l, NODE_LE, type, b, a));
	case CXBinaryOperator_EQ:
		return value_node(node_binary(l, NODE_EQ, type, a, b));
	default:
		return value_node(node_binary(l, NODE_NE, type, a, b));
	}
}

/* 0 or 1 as int; for a vector 0 or -1 in each lane. */
static uint32_t truth(struct lower *l, uint32_t node)
{
	struct type type = node_type(l, node);
	struct type result = type_scalar(SCALAR_INT);
	if (l->failed)
		return 0;
	const struct ir_node *n = &l->kernel->nodes[node];
	if (n->op == NODE_EQ || n->op == NODE_NE || n->op == NODE_LT || n->op == NODE_LE ||
	    n->op == NODE_LNOT)
		return convert_node(l, node, type.width == 1 ? result : type);
	if (type.width > 1) {
		static const enum scalar integers[9] = {
		        [1] = SCALAR_CHAR, [2] = SCALAR_SHORT, [4] = SCALAR_INT, [8] = SCALAR_LONG};
		result.scalar = (uint8_t)integers[scalar_bytes((enum scalar)type.scalar)];
		result.width = type.width;
	}
	return node_binary(l, NODE_NE, result, node, node_zero(l, type));
}

enum { BONUS_OPERATIONS = 1 };

/* Operations of nodes from the first one on, the last comparison aside. */
static unsigned operations_from(const struct lower *l, uint32_t first)
{
	unsigned operations = 0;
	for (uint32_t id = first; id < l->kernel->node_count; id++)
		operations +=
		        l->kernel->nodes[id].operand_count > 0 &&
		        node_op_class((enum node_op)l->kernel->nodes[id].op) != OP_CLASS_CONVERT;
	return operations > 0 ? operations - 1 : 0;
}

/* A branch around a side that is computed already: it has its place where it is needed. */
static uint32_t part(struct lower *l, CXCursor cursor, uint32_t condition, uint32_t yes,
                     uint32_t otherwise)
{
	struct branch branch;
	branch_begin(l, &branch, condition, false, cursor_line(cursor));
	branch_arm(l, &branch, 0);
	branch_arm_end(l, &branch, 0);
	branch_end(l, &branch, cursor);
	return l->failed ? 0
	                 : node_select(l, NODE_PHI, type_scalar(SCALAR_INT), condition, yes,
	                               otherwise);
}

/*
 * && and ||: where the right side only computes, both sides are computed, as
 * compilers do; where it touches memory or calls, it is a branch. In the condition of a branch
 * both are computed where the right one is a comparison and no more than one operation
 * (LLVM's SimplifyCFG: bonus-inst-threshold).
 */
static struct value logical(struct lower *l, CXCursor cursor, CXCursor left, CXCursor right)
{
	bool is_and = clang_getCursorBinaryOperatorKind(cursor) == CXBinaryOperator_LAnd;
	struct type type = type_scalar(SCALAR_INT);
	uint32_t a = truth(l, lower_condition(l, left));
	int64_t known;
	if (l->failed)
		return (struct value){0};
	write_operation(l, OP_CLASS_BIT, type, 1);
	if (kernel_constant(l->kernel, a, &known) && (known != 0) != is_and)
		return value_node(node_number(l, type, known != 0 ? 1 : 0));
	if (node_type(l, a).width > 1 || !scan_has_effects(l, right)) {
		uint32_t first = l->kernel->node_count;
		uint32_t b = truth(l, lower_condition(l, right));
		if (l->failed)
			return (struct value){0};
		if (l->is_parted && node_type(l, a).width == 1 &&
		    !kernel_constant(l->kernel, a, &known) &&
		    operations_from(l, first) > (unsigned)BONUS_OPERATIONS) {
			uint32_t condition = is_and ? a : node_unary(l, NODE_LNOT, type, a);
			return value_node(part(l, cursor, condition, convert_node(l, b, type),
			                       node_number(l, type, is_and ? 0 : 1)));
		}
		return value_node(node_binary(l, is_and ? NODE_AND : NODE_OR, node_type(l, a), a,
		                              convert_node(l, b, node_type(l, a))));
	}
	struct branch branch;
	uint32_t condition = is_and ? a : node_unary(l, NODE_LNOT, type, a);
	branch_begin(l, &branch, condition, false, cursor_line(cursor));
	branch_arm(l, &branch, 0);
	uint32_t b = truth(l, lower_condition(l, right));
	branch_arm_end(l, &branch, 0);
	branch_end(l, &branch, cursor);
	uint32_t otherwise = node_number(l, type, is_and ? 0 : 1);
	if (l->failed)
		return (struct value){0};
	return value_node(node_select(l, NODE_PHI, type, condition, b, otherwise));
}

struct value lower_conditional(struct lower *l, CXCursor cursor)
{
	struct cursor_list list = cursor_children(l, cursor);
	CXType result = clang_getCursorType(cursor);
	struct type type;
	struct branch branch;
	int64_t known;
	if (list.count != 3) {
		lower_fail(l, cursor, "conditional");
		return (struct value){0};
	}
	uint32_t condition = lower_condition(l, list.at[0]);
	if (l->failed)
		return (struct value){0};
	if (kernel_constant(l->kernel, condition, &known))
		return lower_expression(l, list.at[known != 0 ? 1 : 2]);
	bool is_number = type_of(result, &type);
	if (is_number && (node_type(l, condition).width > 1 ||
	                  (!scan_has_effects(l, list.at[1]) && !scan_has_effects(l, list.at[2])))) {
		uint32_t yes = convert_node(l, lower_node(l, list.at[1]), type);
		uint32_t no = convert_node(l, lower_node(l, list.at[2]), type);
		write_operation(l, OP_CLASS_SELECT, type, 1);
		return value_node(node_select(l, NODE_SELECT, type, condition, yes, no));
	}
	write_operation(l, OP_CLASS_SELECT, type_scalar(SCALAR_INT), 1);
	if (type_points(result) && !scan_has_effects(l, list.at[1]) &&
	    !scan_has_effects(l, list.at[2])) {
		struct value yes = lower_expression(l, list.at[1]);
		struct value no = lower_expression(l, list.at[2]);
		return l->failed ? yes : value_join(l, condition, yes, no, cursor);
	}
	struct value arms[2] = {{0}, {0}};
	branch_begin(l, &branch, condition, true, cursor_line(cursor));
	for (unsigned arm = 0; arm < 2 && !l->failed; arm++) {
		branch_arm(l, &branch, arm);
		arms[arm] = lower_expression(l, list.at[arm + 1]);
		if (is_number && arms[arm].kind == VALUE_NODE)
			arms[arm].node = convert_node(l, arms[arm].node, type);
		branch_arm_end(l, &branch, arm);
	}
	branch_end(l, &branch, cursor);
	if (l->failed)
		return (struct value){0};
	if (arms[0].kind == VALUE_NONE && arms[1].kind == VALUE_NONE)
		return arms[0];
	return value_join(l, condition, arms[0], arms[1], cursor);
}

/* `common ?: otherwise` */
struct value lower_otherwise(struct lower *l, CXCursor cursor, CXCursor common, CXCursor otherwise)
{
	struct value yes = lower_expression(l, common), no = {0};
	uint32_t condition = value_as_condition(l, yes, common);
	bool has_effects = scan_has_effects(l, otherwise);
	struct branch branch;
	struct type type;
	int64_t known;
	if (l->failed)
		return no;
	bool is_known = kernel_constant(l->kernel, condition, &known);
	bool is_number = type_of(clang_getCursorType(cursor), &type) && yes.kind == VALUE_NODE;
	if (is_number)
		yes.node = convert_node(l, yes.node, type);
	if (is_known && known != 0)
		return yes;
	if (has_effects && !is_known) {
		branch_begin(l, &branch,
		             node_unary(l, NODE_LNOT, type_scalar(SCALAR_INT), condition), false,
		             cursor_line(cursor));
		branch_arm(l, &branch, 0);
	}
	no = lower_expression(l, otherwise);
	if (is_number && !l->failed)
		no = value_node(convert_node(l, value_as_node(l, no, otherwise), type));
	if (has_effects && !is_known) {
		branch_arm_end(l, &branch, 0);
		branch_end(l, &branch, cursor);
	}
	if (is_known || l->failed)
		return no;
	write_operation(l, OP_CLASS_SELECT, is_number ? type : type_scalar(SCALAR_INT), 1);
	if (is_number && !has_effects)
		return value_node(node_select(l, NODE_SELECT, type, condition, yes.node, no.node));
	return value_join(l, condition, yes, no, cursor);
}

/* ---- assignment ------------------------------------------------------------------------------ */

/* What is changed: a place, or the pointer that a parameter of an array's type is. */
struct changed {
	struct place place;
	const struct variable *parameter;
};

static struct changed changed_by(struct lower *l, CXCursor cursor)
{
	CXCursor inner = cursor_strip(l, cursor);
	CXCursor declaration = clang_getCursorReferenced(inner);
	struct changed changed = {.parameter = NULL};
	if (clang_getCursorKind(inner) == CXCursor_DeclRefExpr && is_array_parameter(declaration))
		changed.parameter = variable_find(l, declaration);
	if (changed.parameter == NULL)
		changed.place = lower_place(l, cursor);
	return changed;
}

static struct value changed_load(struct lower *l, const struct changed *changed, CXCursor at)
{
	return changed->parameter ? cell_get(l, changed->parameter->where.base, at)
	                          : place_load(l, &changed->place, at);
}

static void changed_store(struct lower *l, const struct changed *changed, struct value value,
                          CXCursor at)
{
	if (changed->parameter)
		cell_set(l, changed->parameter->where.base, value);
	else
		place_store(l, &changed->place, value, at);
}

static struct value assign(struct lower *l, CXCursor cursor, CXCursor left, CXCursor right)
{
	struct value value = lower_expression(l, right);
	struct changed changed = changed_by(l, left);
	changed_store(l, &changed, value, cursor);
	return value;
}

/* Usual arithmetic conversions of two scalar types. */
static struct type common_type(struct type a, struct type b)
{
	if (a.width > 1 || b.width > 1)
		return a.width > 1 ? a : b;
	if (type_is_real(a) || type_is_real(b)) {
		if (!type_is_real(a))
			return b;
		if (!type_is_real(b))
			return a;
		return a.scalar > b.scalar ? a : b;
	}
	if (a.scalar < SCALAR_INT)
		a.scalar = SCALAR_INT;
	if (b.scalar < SCALAR_INT)
		b.scalar = SCALAR_INT;
	/* in the order int, uint, long, ulong the larger wins */
	return a.scalar > b.scalar ? a : b;
}

struct value lower_compound_assign(struct lower *l, CXCursor cursor)
{
	struct cursor_list list = cursor_children(l, cursor);
	enum node_op op = arithmetic_of(clang_getCursorBinaryOperatorKind(cursor));
	struct type type;
	if (list.count != 2 || op == NODE_OP_COUNT) {
		lower_fail(l, cursor, "assignment");
		return (struct value){0};
	}
	CXType target = clang_getCursorType(list.at[0]);
	if (type_points(target)) {
		struct changed changed = changed_by(l, list.at[0]);
		struct value pointer = changed_load(l, &changed, cursor);
		uint32_t index = lower_node(l, list.at[1]);
		if (l->failed)
			return (struct value){0};
		write_operation(l, OP_CLASS_ADD, type_scalar(SCALAR_INT), 1);
		if (op == NODE_SUB)
			index = negated(l, index);
		pointer.pointer = pointer_add(l, pointer.pointer, index,
		                              type_size(type_pointee(target)), cursor);
		changed_store(l, &changed, pointer, cursor);
		return pointer;
	}
	if (!type_of(target, &type)) {
		lower_fail(l, cursor, "assignment to this type");
		return (struct value){0};
	}
	uint32_t right = lower_node(l, list.at[1]);
	struct place place = lower_place(l, list.at[0]);
	uint32_t left = value_as_node(l, place_load(l, &place, cursor), cursor);
	if (l->failed)
		return (struct value){0};
	struct type wide = op == NODE_SHL || op == NODE_SHR
	                           ? common_type(type, type)
	                           : common_type(type, node_type(l, right));
	uint32_t node = is_real_sum(op, wide) && !is_product(l, list.at[1])
	                        ? sum_apart(l, op, wide, left, right)
	                        : arithmetic(l, op, wide, left, right);
	node = convert_node(l, node, type);
	place_store(l, &place, value_node(node), cursor);
	return value_node(node);
}

/* ---- entry points ---------------------------------------------------------------------------- */

/* as_T(x): the marker, a comma, and what looks like a conversion. */
static bool is_bitcast(struct lower *l, CXCursor left, CXCursor right, CXCursor *operand)
{
	CXCursor marker = cursor_strip(l, left);
	if (clang_getCursorKind(marker) == CXCursor_CStyleCastExpr)
		return false;
	if (clang_getCursorKind(marker) != CXCursor_DeclRefExpr ||
	    !cursor_is(marker, "__predictd_as"))
		return false;
	struct cursor_list list = cursor_children(l, right);
	if (clang_getCursorKind(right) != CXCursor_UnexposedExpr || list.count != 1)
		return false;
	*operand = list.at[0];
	return true;
}

struct value lower_binary(struct lower *l, CXCursor cursor)
{
	struct cursor_list list = cursor_children(l, cursor);
	enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(cursor);
	struct type type;
	CXCursor operand;
	if (list.count != 2) {
		lower_fail(l, cursor, "operator");
		return (struct value){0};
	}
	CXCursor left = list.at[0], right = list.at[1];
	switch (kind) {
	case CXBinaryOperator_Assign:
		return assign(l, cursor, left, right);
	case CXBinaryOperator_Comma:
		if (is_bitcast(l, left, right, &operand) &&
		    type_of(clang_getCursorType(cursor), &type)) {
			uint32_t node = lower_node(l, operand);
			if (l->failed)
				return (struct value){0};
			if (node_type(l, node).scalar == type.scalar &&
			    node_type(l, node).width == type.width)
				return value_node(node);
			return value_node(node_unary(l, NODE_BITCAST, type, node));
		}
		(void)lower_expression(l, left);
		return lower_expression(l, right);
	case CXBinaryOperator_LAnd:
	case CXBinaryOperator_LOr:
		return logical(l, cursor, left, right);
	case CXBinaryOperator_LT:
	case CXBinaryOperator_GT:
	case CXBinaryOperator_LE:
	case CXBinaryOperator_GE:
	case CXBinaryOperator_EQ:
	case CXBinaryOperator_NE:
		return compare(l, cursor, left, right);
	default:
		break;
	}
	enum node_op op = arithmetic_of(kind);
	if (op == NODE_OP_COUNT) {
		lower_fail(l, cursor, "operator");
		return (struct value){0};
	}
	if (type_points(clang_getCursorType(left)) || type_points(clang_getCursorType(right)))
		return pointer_arithmetic(l, cursor, left, right, op);
	if (!type_of(clang_getCursorType(cursor), &type)) {
		lower_fail(l, cursor, "operator on this type");
		return (struct value){0};
	}
	uint32_t a = lower_node(l, left), b = lower_node(l, right);
	if (l->failed)
		return (struct value){0};
	if (is_real_sum(op, type) && !is_product(l, left) && !is_product(l, right))
		return value_node(sum_apart(l, op, type, a, b));
	return value_node(arithmetic(l, op, type, a, b));
}

static struct value increment(struct lower *l, CXCursor cursor, CXCursor child, bool is_increment,
                              bool is_prefix)
{
	struct changed target = changed_by(l, child);
	struct value old = changed_load(l, &target, cursor), changed = old;
	CXType type = clang_getCursorType(child);
	struct type scalar;
	if (l->failed)
		return old;
	if (old.kind == VALUE_POINTER) {
		uint32_t step = node_number(l, type_scalar(SCALAR_INT), is_increment ? 1 : -1);
		write_operation(l, OP_CLASS_ADD, type_scalar(SCALAR_INT), 1);
		changed.pointer =
		        pointer_add(l, old.pointer, step, type_size(type_pointee(type)), cursor);
	} else if (type_of(type, &scalar)) {
		uint32_t one = node_number(l, scalar, 1);
		changed = value_node(arithmetic(l, is_increment ? NODE_ADD : NODE_SUB, scalar,
		                                value_as_node(l, old, cursor), one));
	} else {
		lower_fail(l, cursor, "increment of this type");
	}
	changed_store(l, &target, changed, cursor);
	return is_prefix ? changed : old;
}

struct value lower_unary(struct lower *l, CXCursor cursor)
{
	struct cursor_list list = cursor_children(l, cursor);
	enum CXUnaryOperatorKind kind = clang_getCursorUnaryOperatorKind(cursor);
	struct type type = type_scalar(SCALAR_INT);
	struct place place;
	uint32_t node;
	if (list.count != 1) {
		lower_fail(l, cursor, "operator");
		return (struct value){0};
	}
	CXCursor child = list.at[0];
	switch (kind) {
	case CXUnaryOperator_PostInc:
	case CXUnaryOperator_PreInc:
		return increment(l, cursor, child, true, kind == CXUnaryOperator_PreInc);
	case CXUnaryOperator_PostDec:
	case CXUnaryOperator_PreDec:
		return increment(l, cursor, child, false, kind == CXUnaryOperator_PreDec);
	case CXUnaryOperator_AddrOf:
		/* never of a vector's components: clang refuses that */
		place = lower_place(l, child);
		return value_pointer(place.pointer);
	case CXUnaryOperator_Deref:
		place = lower_place(l, cursor);
		return place_load(l, &place, cursor);
	case CXUnaryOperator_Plus:
	case CXUnaryOperator_Extension:
		return lower_expression(l, child);
	case CXUnaryOperator_LNot:
		node = lower_condition(l, child);
		(void)type_of(clang_getCursorType(cursor), &type);
		write_operation(l, OP_CLASS_COMPARE, type, 1);
		return value_node(node_unary(l, NODE_LNOT, type, node));
	case CXUnaryOperator_Minus:
	case CXUnaryOperator_Not:
		node = lower_node(l, child);
		if (l->failed || !type_of(clang_getCursorType(cursor), &type)) {
			lower_fail(l, cursor, "operator on this type");
			return (struct value){0};
		}
		node = convert_node(l, node, type);
		enum node_op op = kind == CXUnaryOperator_Minus ? NODE_NEG : NODE_NOT;
		if (clang_getCursorKind(child) != CXCursor_IntegerLiteral &&
		    clang_getCursorKind(child) != CXCursor_FloatingLiteral)
			write_operation(l, node_op_class(op), type, 1);
		return value_node(node_unary(l, op, type, node));
	default:
		lower_fail(l, cursor, "operator");
		return (struct value){0};
	}
}
