/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vector components. Through the C API `v.wzyx` is an unexposed expression
 * without a name, like an implicit cast. The name is read from the source
 * text at its end; where a macro hides that, from the function's
 * pretty-printed text, whose n-th member access is the n-th in the tree.
 */
#include "model/frontend/lower.h"

#include <ctype.h>
#include <string.h>

enum { MEMBERS_MAX = 1 << 14 };

/* A component name of a vector of `width` lanes -> lanes. "xyzw", "rgba", "s0F", lo, hi, even, odd.
 */
static bool lanes_parse(const char *name, unsigned width, unsigned *count, uint64_t *lanes)
{
	size_t length = strlen(name);
	unsigned full = width == 3 ? 4 : width, half = full / 2;
	*lanes = 0;
	if (strcmp(name, "lo") == 0 || strcmp(name, "hi") == 0 || strcmp(name, "even") == 0 ||
	    strcmp(name, "odd") == 0) {
		bool is_pair = name[0] == 'e' || name[0] == 'o';
		bool is_second = strcmp(name, "hi") == 0 || strcmp(name, "odd") == 0;
		*count = half;
		for (unsigned i = 0; i < half; i++) {
			unsigned lane = is_pair ? 2 * i + is_second : i + (is_second ? half : 0);
			*lanes |= (uint64_t)(lane < width ? lane : width - 1) << (4 * i);
		}
		return true;
	}
	if ((name[0] == 's' || name[0] == 'S') && length > 1 && length <= 17) {
		for (size_t i = 1; i < length; i++) {
			unsigned char c = (unsigned char)name[i];
			if (!isxdigit(c))
				return false;
			unsigned lane = (unsigned)(isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);
			if (lane >= width)
				return false;
			*lanes |= (uint64_t)lane << (4 * (i - 1));
		}
		*count = (unsigned)length - 1;
		return true;
	}
	if (length == 0 || length > 4)
		return false;
	for (size_t i = 0; i < length; i++) {
		static const char letters[] = "xyzwrgba";
		const char *found = strchr(letters, name[i]);
		if (found == NULL || (unsigned)(found - letters) % 4 >= width)
			return false;
		*lanes |= (uint64_t)((unsigned)(found - letters) % 4) << (4 * i);
	}
	*count = (unsigned)length;
	return true;
}

/* Whether both end at the same character: then nothing was written between. */
static bool ends_alike(CXCursor a, CXCursor b)
{
	return clang_equalLocations(clang_getRangeEnd(clang_getCursorExtent(a)),
	                            clang_getRangeEnd(clang_getCursorExtent(b))) != 0;
}

/* By the types alone: could this be a component access? */
static bool is_candidate(CXCursor cursor, CXCursor child, struct type *vector, bool *is_arrow)
{
	struct type result;
	CXType type = clang_getCursorType(child);
	*is_arrow = type_is_pointer(type);
	if (*is_arrow)
		type = type_pointee(type);
	if (!type_of(type, vector) || vector->width == 1 ||
	    !type_of(clang_getCursorType(cursor), &result) || result.scalar != vector->scalar)
		return false;
	if (*is_arrow || result.width != vector->width)
		return true;
	if (!clang_equalTypes(type_canonical(clang_getCursorType(cursor)), type_canonical(type)))
		return false;
	/* a cast of something that is no variable's: a literal, or v->xy read */
	return !ends_alike(cursor, child) || clang_getAddressSpace(type_canonical(type)) != 0;
}

/* The identifier that ends where the cursor ends, after a '.' or '->'. */
static bool name_at_end(struct lower *l, CXCursor cursor, char name[20])
{
	const char *text;
	size_t offset, bytes, begin;
	CXSourceLocation end = clang_getRangeEnd(clang_getCursorExtent(cursor));
	if (!translation_text(l->translation, end, &text, &offset, &bytes))
		return false;
	for (begin = offset; begin > 0 && isalnum((unsigned char)text[begin - 1]); begin--)
		;
	if (begin == offset || offset - begin > 18)
		return false;
	(void)memcpy(name, text + begin, offset - begin);
	name[offset - begin] = '\0';
	while (begin > 0 && isspace((unsigned char)text[begin - 1]))
		begin--;
	return begin > 0 && (text[begin - 1] == '.' ||
	                     (begin > 1 && text[begin - 1] == '>' && text[begin - 2] == '-'));
}

/* ---- names from the pretty-printed function -------------------------------------------------- */

/* Member accesses in the order in which their names are written. */
static void members_collect(struct lower *l, CXCursor cursor, unsigned depth)
{
	struct type vector;
	bool is_arrow;
	struct cursor_list list = cursor_children(l, cursor);
	enum CXCursorKind kind = clang_getCursorKind(cursor);
	if (depth > LOWER_DEPTH_MAX || ++l->scanned > LOWER_SCAN_MAX) {
		lower_fail(l, cursor, "too large to find vector components");
		return;
	}
	for (unsigned i = 0; i < list.count && !l->failed; i++)
		members_collect(l, list.at[i], depth + 1);
	if (kind != CXCursor_MemberRefExpr &&
	    (kind != CXCursor_UnexposedExpr || list.count != 1 ||
	     !is_candidate(cursor, list.at[0], &vector, &is_arrow)))
		return;
	if (l->member_count < MEMBERS_MAX)
		l->member_cursors[l->member_count++] = cursor;
}

/* Names behind '.' and '->' in C text; at most `most`. */
static uint32_t names_collect(const char *c, char (*names)[20], uint32_t most)
{
	uint32_t count = 0;
	while (*c != '\0') {
		if (*c == '"' || *c == '\'') {
			char quote = *c++;
			for (; *c != '\0' && *c != quote; c++)
				if (*c == '\\' && c[1] != '\0')
					c++;
			if (*c != '\0')
				c++;
		} else if (isdigit((unsigned char)*c) ||
		           (*c == '.' && isdigit((unsigned char)c[1]))) {
			while (isalnum((unsigned char)*c) || *c == '.' ||
			       ((*c == '+' || *c == '-') && (c[-1] == 'e' || c[-1] == 'E')))
				c++;
		} else if (isalpha((unsigned char)*c) || *c == '_') {
			while (isalnum((unsigned char)*c) || *c == '_')
				c++;
		} else if (*c == '.' || (*c == '-' && c[1] == '>')) {
			size_t n = 0;
			c += *c == '.' ? 1 : 2;
			while (isspace((unsigned char)*c))
				c++;
			if (!isalpha((unsigned char)*c) && *c != '_')
				continue;
			if (count == most)
				return most + 1;
			for (; isalnum((unsigned char)*c) || *c == '_'; c++)
				if (n < 19)
					names[count][n++] = *c;
			names[count++][n] = '\0';
		} else {
			c++;
		}
	}
	return count;
}

static bool members_find(struct lower *l, CXCursor at)
{
	if (!clang_equalCursors(l->member_function, l->frame->declaration)) {
		l->member_function = l->frame->declaration;
		l->member_count = 0;
		l->member_cursors = arena_alloc(&l->arena, MEMBERS_MAX * sizeof(CXCursor));
		l->member_names = arena_alloc(&l->arena, (MEMBERS_MAX + 1) * 20);
		if (l->member_cursors == NULL || l->member_names == NULL) {
			lower_fail(l, at, "too large");
			return false;
		}
		members_collect(l, l->frame->body, 0);
		CXPrintingPolicy policy = clang_getCursorPrintingPolicy(l->frame->declaration);
		CXString printed = clang_getCursorPrettyPrinted(l->frame->declaration, policy);
		const char *text = clang_getCString(printed);
		const char *body = text == NULL ? NULL : strchr(text, '{');
		uint32_t count =
		        body == NULL ? 0 : names_collect(body, l->member_names, MEMBERS_MAX);
		l->members_known = count == l->member_count;
		clang_disposeString(printed);
		clang_PrintingPolicy_dispose(policy);
	}
	return l->members_known;
}

static bool name_in_print(struct lower *l, CXCursor cursor, char name[20])
{
	if (!members_find(l, cursor))
		return false;
	for (uint32_t i = 0; i < l->member_count; i++)
		if (clang_equalCursors(l->member_cursors[i], cursor)) {
			(void)memcpy(name, l->member_names[i], 20);
			return true;
		}
	return false;
}

bool swizzle_of(struct lower *l, CXCursor cursor, CXCursor child, unsigned *lane_count,
                uint64_t *lanes, struct type *vector, bool *is_arrow)
{
	char name[20];
	struct type result;
	if (!is_candidate(cursor, child, vector, is_arrow))
		return false;
	(void)type_of(clang_getCursorType(cursor), &result);
	if (!ends_alike(cursor, child) && name_at_end(l, cursor, name) &&
	    lanes_parse(name, vector->width, lane_count, lanes) && *lane_count == result.width)
		return true;
	if (name_in_print(l, cursor, name) && lanes_parse(name, vector->width, lane_count, lanes) &&
	    *lane_count == result.width)
		return true;
	lower_fail(l, cursor, "vector component that a macro hides");
	return false;
}
