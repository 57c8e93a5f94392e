/* SPDX-License-Identifier: Apache-2.0 */
/* libclang's types as the IR's: scalars, vectors, and the leaves of aggregates. */
#include "model/frontend/lower.h"

#include <string.h>

enum {
	TYPE_PARTS_MAX = 1 << 14, /* visited to lay one type out */
	MEMBERS_MAX = 1 << 14,    /* of one struct, where the offset of one is asked for */
	MEMBERS_PER_SCAN = 16     /* that take as long as a cursor of a scan, by far less */
};

/* Address spaces as libclang numbers them (clang's LangAS). */
enum { ADDRESS_GLOBAL = 1, ADDRESS_LOCAL = 2, ADDRESS_CONSTANT = 3, ADDRESS_PRIVATE = 4 };

CXType type_canonical(CXType type)
{
	return clang_getCanonicalType(type);
}

static bool scalar_of(CXType type, enum scalar *scalar)
{
	switch ((int)type.kind) {
	case CXType_Bool:
		*scalar = SCALAR_BOOL;
		return true;
	case CXType_Char_S:
	case CXType_SChar:
		*scalar = SCALAR_CHAR;
		return true;
	case CXType_Char_U:
	case CXType_UChar:
		*scalar = SCALAR_UCHAR;
		return true;
	case CXType_Short:
		*scalar = SCALAR_SHORT;
		return true;
	case CXType_UShort:
		*scalar = SCALAR_USHORT;
		return true;
	case CXType_Int:
	case CXType_OCLEvent: /* a handle */
		*scalar = SCALAR_INT;
		return true;
	case CXType_UInt:
		*scalar = SCALAR_UINT;
		return true;
	case CXType_Long:
	case CXType_LongLong:
		*scalar = SCALAR_LONG;
		return true;
	case CXType_ULong:
	case CXType_ULongLong:
		*scalar = SCALAR_ULONG;
		return true;
	case CXType_Half:
	case CXType_Float16:
		*scalar = SCALAR_HALF;
		return true;
	case CXType_Float:
		*scalar = SCALAR_FLOAT;
		return true;
	case CXType_Double:
		*scalar = SCALAR_DOUBLE;
		return true;
	case CXType_Void:
		*scalar = SCALAR_VOID;
		return true;
	default:
		return false;
	}
}

bool type_is_image(CXType type, enum image_kind *kind, unsigned *access)
{
	/* three rows of libclang's numbers: read-only, write-only, read-write */
	static const uint8_t kinds[] = {IMAGE_1D,
	                                IMAGE_1D_ARRAY,
	                                IMAGE_1D_BUFFER,
	                                IMAGE_2D,
	                                IMAGE_2D_ARRAY,
	                                IMAGE_2D /* depth */,
	                                IMAGE_2D_ARRAY /* depth */,
	                                IMAGE_2D /* samples */,
	                                IMAGE_2D_ARRAY,
	                                IMAGE_2D,
	                                IMAGE_2D_ARRAY,
	                                IMAGE_3D};
	enum { ROW = sizeof(kinds) };
	int number = (int)type_canonical(type).kind - (int)CXType_OCLImage1dRO;
	if (number < 0 || number >= 3 * (int)ROW)
		return false;
	*kind = (enum image_kind)kinds[number % (int)ROW];
	*access = (unsigned)(number / (int)ROW) + 1;
	return true;
}

bool type_of(CXType type, struct type *result)
{
	enum scalar scalar;
	type = type_canonical(type);
	if (type.kind == CXType_OCLSampler) { /* its CLK_ bits */
		*result = type_scalar(SCALAR_UINT);
		return true;
	}
	if (type.kind == CXType_Atomic)
		type = type_canonical(clang_Type_getValueType(type));
	if (type.kind == CXType_Enum)
		type = type_canonical(clang_getEnumDeclIntegerType(clang_getTypeDeclaration(type)));
	if (type.kind == CXType_ExtVector || type.kind == CXType_Vector) {
		long long width = clang_getNumElements(type);
		if (!scalar_of(type_canonical(clang_getElementType(type)), &scalar) || width < 2 ||
		    width > 16)
			return false;
		*result = (struct type){(uint8_t)scalar, (uint8_t)width};
		return type_is_valid(*result);
	}
	if (!scalar_of(type, &scalar) || scalar == SCALAR_VOID)
		return false;
	*result = type_scalar(scalar);
	return true;
}

bool type_is_pointer(CXType type)
{
	enum image_kind kind;
	unsigned access;
	return type_canonical(type).kind == CXType_Pointer || type_is_image(type, &kind, &access);
}

bool type_is_array(CXType type)
{
	enum CXTypeKind kind = type_canonical(type).kind;
	return kind == CXType_ConstantArray || kind == CXType_IncompleteArray;
}

bool type_is_struct(CXType type)
{
	return type_canonical(type).kind == CXType_Record;
}

bool type_points(CXType type)
{
	return type_is_pointer(type) || type_is_array(type);
}

CXType type_pointee(CXType type)
{
	type = type_canonical(type);
	if (type.kind == CXType_Pointer)
		return type_canonical(clang_getPointeeType(type));
	return type_canonical(clang_getArrayElementType(type));
}

uint64_t type_size(CXType type)
{
	long long size = clang_Type_getSizeOf(type);
	return size > 0 ? (uint64_t)size : 0;
}

bool type_space(CXType type, enum space *space)
{
	/* an array has its element's address space, or the element its array's */
	unsigned number = 0;
	CXType part = type_canonical(type);
	if (part.kind == CXType_Invalid)
		return false;
	for (unsigned depth = 0; depth < 32; depth++) {
		number = clang_getAddressSpace(part);
		if (number != 0 || !type_is_array(part))
			break;
		part = type_pointee(part);
	}
	switch (number) {
	case ADDRESS_GLOBAL:
		*space = SPACE_GLOBAL;
		return true;
	case ADDRESS_CONSTANT:
		*space = SPACE_CONSTANT;
		return true;
	case ADDRESS_LOCAL:
		*space = SPACE_LOCAL;
		return true;
	case ADDRESS_PRIVATE:
		*space = SPACE_PRIVATE;
		return true;
	default:
		return false;
	}
}

struct flattening {
	struct lower *l;
	struct leaf *leaves;
	uint32_t count;
	uint64_t base;
	CXCursor at;
	unsigned depth, visited;
	bool overflowed;
};

static void flatten(struct flattening *f, CXType type);

/* The unit of memory that a bit-field lies in: a leaf of its own, or the one before it. */
static void flatten_bits(struct flattening *f, CXCursor field, uint64_t bits)
{
	struct leaf leaf = {0};
	if (!type_of(clang_getCursorType(field), &leaf.type)) {
		lower_fail(f->l, f->at, "bit-field of this type");
		return;
	}
	uint32_t bytes = type_bytes(leaf.type);
	uint64_t offset = f->base + bits / (8 * bytes) * bytes;
	const struct leaf *last = f->count > 0 ? &f->leaves[f->count - 1] : NULL;
	if (last != NULL && last->offset + type_bytes(last->type) > offset) {
		if (last->offset > offset || last->is_pointer ||
		    last->offset + type_bytes(last->type) < offset + bytes)
			lower_fail(f->l, f->at, "bit-field that shares its bytes");
		return;
	}
	if (f->count == LOWER_AGGREGATE_MAX) {
		f->overflowed = true;
		return;
	}
	leaf.offset = (uint32_t)offset;
	f->leaves[f->count++] = leaf;
}

/* The members of a struct, and those of structs within. */
static enum CXVisitorResult count_member(CXCursor field, CXClientData data)
{
	unsigned *count = data;
	if (++*count > MEMBERS_MAX)
		return CXVisit_Break;
	CXType type = type_canonical(clang_getCursorType(field));
	if (type.kind == CXType_Record)
		(void)clang_Type_visitFields(type, count_member, count);
	return *count > MEMBERS_MAX ? CXVisit_Break : CXVisit_Continue;
}

/* libclang goes through all of them each time: 2^n where each of n structs holds two others. */
long long field_offset_bits(struct lower *l, CXCursor field, CXCursor at)
{
	CXCursor record = clang_getCursorSemanticParent(field);
	struct member_count *known = &l->members[clang_hashCursor(record) % LOWER_RECORDS];
	if (!clang_equalCursors(known->record, record)) {
		*known = (struct member_count){.record = record};
		(void)clang_Type_visitFields(clang_getCursorType(record), count_member,
		                             &known->count);
	}
	l->scanned += known->count / MEMBERS_PER_SCAN;
	if (known->count > MEMBERS_MAX)
		lower_fail(l, at, "struct with more than %d members, those within included",
		           MEMBERS_MAX);
	else if (l->scanned > LOWER_SCAN_MAX)
		lower_fail(l, at, "too many members of large structs");
	return l->failed ? -1 : clang_Cursor_getOffsetOfField(field);
}

static enum CXVisitorResult flatten_field(CXCursor field, CXClientData data)
{
	struct flattening *f = data;
	long long bits = field_offset_bits(f->l, field, f->at);
	if (bits < 0) {
		lower_fail(f->l, f->at, "struct layout");
		return CXVisit_Break;
	}
	if (clang_Cursor_isBitField(field)) {
		flatten_bits(f, field, (uint64_t)bits);
		return f->l->failed || f->overflowed ? CXVisit_Break : CXVisit_Continue;
	}
	uint64_t base = f->base;
	f->base += (uint64_t)bits / 8;
	flatten(f, clang_getCursorType(field));
	f->base = base;
	return f->l->failed || f->overflowed ? CXVisit_Break : CXVisit_Continue;
}

/* The members of a union one after the other: that with most bytes, and most parts, stays. */
struct alternatives {
	struct flattening *f;
	uint32_t first, best_count; /* in f->leaves; of `best` */
	uint64_t best_bytes;
	struct leaf *best;
};

static enum CXVisitorResult flatten_alternative(CXCursor field, CXClientData data)
{
	struct alternatives *a = data;
	struct flattening *f = a->f;
	uint64_t bytes = 0;
	f->count = a->first;
	enum CXVisitorResult result = flatten_field(field, f);
	uint32_t count = f->count - a->first;
	for (uint32_t i = a->first; i < f->count; i++)
		bytes += type_bytes(f->leaves[i].type);
	if (bytes < a->best_bytes || (bytes == a->best_bytes && count <= a->best_count))
		return result;
	a->best_bytes = bytes;
	a->best_count = count;
	a->best = arena_alloc(&f->l->arena, count * sizeof(*a->best) + 1);
	if (a->best == NULL) {
		lower_fail(f->l, f->at, "too large");
		return CXVisit_Break;
	}
	(void)memcpy(a->best, f->leaves + a->first, count * sizeof(*a->best));
	return result;
}

static void flatten_union(struct flattening *f, CXType type)
{
	struct alternatives a = {.f = f, .first = f->count};
	(void)clang_Type_visitFields(type, flatten_alternative, &a);
	f->count = a.first;
	if (a.best == NULL || f->l->failed || f->overflowed)
		return;
	(void)memcpy(f->leaves + a.first, a.best, a.best_count * sizeof(*a.best));
	f->count += a.best_count;
}

static void flatten(struct flattening *f, CXType type)
{
	struct leaf leaf = {.offset = (uint32_t)f->base};
	type = type_canonical(type);
	if (f->l->failed || f->overflowed)
		return;
	if (++f->depth > 64 || ++f->visited > TYPE_PARTS_MAX || f->base > UINT32_MAX / 2) {
		lower_fail(f->l, f->at, "type nested too deeply");
	} else if (type_is_pointer(type) || type_of(type, &leaf.type)) {
		if (f->count == LOWER_AGGREGATE_MAX) {
			f->overflowed = true;
		} else {
			if (type_is_pointer(type)) {
				leaf.is_pointer = true;
				leaf.type = type_scalar(SCALAR_ULONG);
				uint64_t bytes = type_size(type_pointee(type));
				leaf.pointee_bytes = bytes > UINT32_MAX ? 1 : (uint32_t)bytes;
			}
			f->leaves[f->count++] = leaf;
		}
	} else if (type.kind == CXType_Record) {
		CXCursor declaration = clang_getTypeDeclaration(type);
		if (clang_isInvalidDeclaration(declaration)) {
			if (!function_fault(f->l, declaration, f->at))
				lower_fail(f->l, f->at, "struct with a member of an unknown type");
		} else if (clang_getCursorKind(declaration) == CXCursor_UnionDecl) {
			flatten_union(f, type);
		} else {
			(void)clang_Type_visitFields(type, flatten_field, f);
		}
	} else if (type.kind == CXType_ConstantArray) {
		CXType element = type_pointee(type);
		long long count = clang_getArraySize(type);
		uint64_t bytes = type_size(element), base = f->base;
		for (long long i = 0; i < count && !f->l->failed && !f->overflowed; i++) {
			f->base = base + (uint64_t)i * bytes;
			if (f->count == LOWER_AGGREGATE_MAX || bytes == 0)
				f->overflowed = true;
			else
				flatten(f, element);
		}
		f->base = base;
	} else {
		CXString spelling = clang_getTypeSpelling(type);
		lower_fail(f->l, f->at, "type %.40s", clang_getCString(spelling));
		clang_disposeString(spelling);
	}
	f->depth--;
}

bool layout_of(struct lower *l, CXType type, CXCursor at, struct layout *layout)
{
	struct leaf leaves[LOWER_AGGREGATE_MAX];
	struct flattening f = {.l = l, .leaves = leaves, .at = at};
	flatten(&f, type);
	*layout = (struct layout){.size_bytes = type_size(type)};
	if (l->failed || f.overflowed)
		return false;
	size_t bytes = f.count * sizeof(leaves[0]);
	layout->leaves = arena_alloc(&l->arena, bytes == 0 ? 1 : bytes);
	if (layout->leaves == NULL) {
		lower_fail(l, at, "too large");
		return false;
	}
	if (bytes > 0)
		(void)memcpy(layout->leaves, leaves, bytes);
	layout->count = f.count;
	return true;
}

bool is_array_parameter(CXCursor declaration)
{
	enum CXTypeKind kind = type_canonical(clang_getCursorType(declaration)).kind;
	return clang_getCursorKind(declaration) == CXCursor_ParmDecl &&
	       (kind == CXType_ConstantArray || kind == CXType_IncompleteArray);
}

bool layout_of_pointer(struct lower *l, CXType pointee, CXCursor at, struct layout *layout)
{
	struct leaf *leaf = arena_alloc(&l->arena, sizeof(*leaf));
	uint64_t bytes = type_size(pointee);
	*layout = (struct layout){0};
	if (leaf == NULL) {
		lower_fail(l, at, "too large");
		return false;
	}
	*leaf = (struct leaf){.type = type_scalar(SCALAR_ULONG),
	                      .is_pointer = true,
	                      .pointee_bytes = bytes > UINT32_MAX ? 1 : (uint32_t)bytes};
	*layout = (struct layout){.leaves = leaf, .count = 1, .size_bytes = 8};
	return true;
}
