/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel's comparisons and indices tell: guards, counters, tiles, how far buffers are
 * reached. */
#include "client/predictctl/form_scope.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

const char *word_find(const char *from, const char *end, const char *word)
{
	size_t length = strlen(word);
	for (const char *at = from; (at = strstr(at, word)) != NULL && at < end; at += length)
		if ((at == from || !text_is_word(at[-1])) && !text_is_word(at[length]))
			return at;
	return NULL;
}

/* One operand of a comparison, from its operator back. */
static const char *operand_begin(const char *body, const char *at)
{
	unsigned depth = 0;
	for (; at > body; at--) {
		char c = at[-1];
		if (depth == 0 && strchr("([{;,?!=&|}", c) != NULL)
			break;
		depth += c == ')' || c == ']';
		depth -= c == '(' || c == '[';
	}
	return at;
}

static const char *operand_end(const char *at, const char *end)
{
	while (at < end && strchr(",;)]}?&|", *at) == NULL)
		at = strchr("([{", *at) != NULL ? text_bracket_skip(at, end) : at + 1;
	return at;
}

/* `name`, or a number more or less. */
static bool is_about(const char *from, const char *end, const char *name)
{
	const char *found = word_find(from, end, name);
	if (found == NULL)
		return false;
	for (const char *at = from; at < end; at++)
		if (strchr("*/%[.<>", *at) != NULL)
			return false;
	return true;
}

/* The next comparison from *at, of which one side is about `name`: the other side. */
static bool comparison_find(const struct scope *scope, const char *name, const char **at,
                            const char **from, const char **end)
{
	for (const char *sign = *at; sign < scope->end && name[0] != '\0'; sign++) {
		if ((*sign != '<' && *sign != '>') || sign[-1] == '-' || sign[-1] == *sign ||
		    sign[1] == *sign)
			continue;
		const char *left = operand_begin(scope->body, sign);
		const char *right = sign + 1 + (sign[1] == '=');
		const char *right_end = operand_end(right, scope->end);
		bool is_left = is_about(left, sign, name);
		if (!is_left && !is_about(right, right_end, name))
			continue;
		*from = is_left ? right : left;
		*end = is_left ? right_end : sign;
		*at = sign + 1;
		return true;
	}
	return false;
}

unsigned scope_counts(const struct scope *scope, const char *name)
{
	const char *from, *end;
	unsigned count = 0;
	for (const char *at = scope->body; comparison_find(scope, name, &at, &from, &end);) {
		char word[64];
		from = text_blank_skip(from);
		size_t length = text_word_length(from);
		if (strncmp(from, "++", 2) == 0 || length == 0 || length >= sizeof word ||
		    text_blank_skip(from + length) < end)
			continue;
		memcpy(word, from, length);
		word[length] = '\0';
		for (const char *last = scope->body;
		     (last = word_find(last, scope->end, word)) != NULL;) {
			const char *sign = text_blank_skip(last + length);
			last += length;
			if (sign[0] != '=' || sign[1] == '=')
				continue;
			struct form first =
			        form_of(scope, sign + 1, text_expression_end(sign + 1, scope->end));
			count += form_is_constant(&first);
			break;
		}
	}
	return count;
}

bool scope_guard(const struct scope *scope, const char *name, unsigned *dimension, double *factor)
{
	const char *from, *end;
	for (const char *at = scope->body; comparison_find(scope, name, &at, &from, &end);) {
		struct form form = form_of(scope, from, end);
		unsigned places = 0;
		form_globalise(&form);
		for (unsigned i = 0; i < FORM_PLACES; i++)
			places += form.factor[i] != 0;
		for (unsigned d = 0; d < 3 && places == 1 && form.is_known; d++)
			if (form.factor[FORM_GLOBAL + d] > 0) {
				*dimension = d;
				*factor = form.factor[FORM_GLOBAL + d];
				return true;
			}
	}
	return false;
}

/* The sizes of `name[..][..]`, behind the name; their number, 0 where one is not known. */
static unsigned sizes_read(const struct scope *scope, const char *at, double sizes[INDICES_MAX])
{
	unsigned count = 0;
	for (at = text_blank_skip(at); *at == '[' && count < INDICES_MAX;
	     at = text_blank_skip(at)) {
		const char *end = text_bracket_skip(at, scope->end);
		struct form form = form_of(scope, at + 1, end - 1);
		if (!form_is_constant(&form) || form.low < 1)
			return 0;
		sizes[count++] = form.low;
		at = end;
	}
	return count;
}

/*
 * By one index, of an array of `size`: factors that follow one another are strides, so that
 * t[y * 16 + x] of 256 is 16 x 16.
 */
static void index_bound(const struct form *form, double size, double bound[3])
{
	for (unsigned d = 0; d < 3; d++) {
		double own = form->factor[FORM_LOCAL + d], above = size - form->high;
		if (!(own >= 1) || !form->is_known)
			continue;
		for (unsigned other = 0; other < 3; other++)
			if (form->factor[FORM_LOCAL + other] > own)
				above = fmin(above, form->factor[FORM_LOCAL + other]);
		double fits = floor(above / own);
		if (fits >= 1 && (bound[d] == 0 || fits < bound[d]))
			bound[d] = fits;
	}
}

static void array_bound(const struct scope *scope, const char *word, size_t length,
                        const double sizes[INDICES_MAX], unsigned count, double bound[3])
{
	for (const char *at = word + length; at < scope->end; at++) {
		if (strncmp(at, word, length) != 0 || text_is_word(at[-1]) ||
		    text_is_word(at[length]))
			continue;
		const char *open = text_blank_skip(at + length);
		for (unsigned i = 0; i < count && *open == '['; i++) {
			const char *end = text_bracket_skip(open, scope->end);
			struct form form = form_of(scope, open + 1, end - 1);
			index_bound(&form, sizes[i], bound);
			open = text_blank_skip(end);
		}
	}
}

/*
 * A side that is padded against bank conflicts, or has a border, is of a group of a power of two.
 * No group has a side above 2^32, whatever a source says of its arrays.
 */
static uint64_t side_of(double bound)
{
	uint64_t side = (uint64_t)fmin(bound, 0x1p32), power = 1;
	while (2 * power <= side)
		power *= 2;
	return side % 4 == 0 ? side : power;
}

void scope_tile(const struct scope *scope, uint64_t local[3])
{
	double bound[3] = {0};
	local[0] = local[1] = local[2] = 0;
	for (const char *at = scope->body; at < scope->end; at++) {
		size_t space = strncmp(at, "__local", 7) == 0 ? 7
		               : strncmp(at, "local", 5) == 0 ? 5
		                                              : 0;
		if (space == 0 || text_is_word(at[-1]) || text_is_word(at[space]))
			continue;
		const char *end = at + space;
		/* each declarator of the declaration */
		while (end < scope->end && *end != ';' && *end != '=' && *end != '(') {
			size_t length = text_word_length(end);
			double sizes[INDICES_MAX];
			unsigned count = *text_blank_skip(end + length) == '['
			                         ? sizes_read(scope, end + length, sizes)
			                         : 0;
			if (length > 0 && count > 0)
				array_bound(scope, end, length, sizes, count, bound);
			end = length > 0    ? end + length
			      : *end == '[' ? text_bracket_skip(end, scope->end)
			                    : end + 1;
		}
		at = end - 1;
	}
	for (unsigned d = 0; d < 3; d++)
		local[d] = bound[d] > 0 ? side_of(bound[d]) : 0;
}

/* Whether `at` is a declarator behind a type, of no space but a work-item's own. */
static bool is_private(const struct scope *scope, const char *at)
{
	static const char *const others[] = {"local",  "__local",  "constant", "__constant",
	                                     "global", "__global", "return"};
	const char *from = at, *type;
	unsigned words = 0;
	while (from > scope->text && strchr(";{}()", from[-1]) == NULL)
		from--;
	/* two words one after the other: a type, and what is declared first */
	for (type = text_blank_skip(from); text_is_word(*type) && words < 2; words++)
		type = text_blank_skip(type + text_word_length(type));
	for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++)
		if (word_find(from, at, others[i]) != NULL)
			return false;
	return words == 2;
}

double scope_private(const struct scope *scope)
{
	double elements = 0;
	for (const char *at = scope->text; *at != '\0';) {
		size_t length = text_word_length(at);
		double sizes[INDICES_MAX];
		unsigned count = 0;
		if (length > 0 && *text_blank_skip(at + length) == '[' && is_private(scope, at))
			count = sizes_read(scope, at + length, sizes);
		double all = count > 0;
		for (unsigned i = 0; i < count; i++)
			all *= sizes[i];
		elements += all;
		at += length > 0 ? length : 1;
	}
	return elements;
}

/*
 * vload4(OFFSET, name) and vstore4(value, OFFSET, name), where `at` is the name: the offset and how
 * many elements it counts by; 0: it is no such call.
 */
static unsigned vector_find(const struct scope *scope, const char *at, const char **from,
                            const char **end)
{
	const char *open = at, *word;
	unsigned depth = 0;
	*from = *end = NULL;
	for (; open > scope->body && strchr(";{}", open[-1]) == NULL; open--) {
		depth += open[-1] == ')';
		if (open[-1] == '(' && depth-- == 0)
			break;
		if (open[-1] == ',' && depth == 0 && *from == NULL) {
			*from = *end == NULL ? NULL : open;
			*end = *end == NULL ? open - 1 : *end;
		}
	}
	if (*end == NULL || open == scope->body || open[-1] != '(')
		return 0;
	*from = *from == NULL ? open : *from;
	for (word = open - 1; word > scope->body && text_is_word(word[-1]);)
		word--;
	const char *digits = strncmp(word, "vload", 5) == 0    ? word + 5
	                     : strncmp(word, "vstore", 6) == 0 ? word + 6
	                                                       : NULL;
	unsigned width = 0;
	for (; digits != NULL && isdigit((unsigned char)*digits) && width < 16; digits++)
		width = 10 * width + (unsigned)(*digits - '0');
	return width <= 16 ? width : 0;
}

double scope_reach(const struct scope *scope, const char *name)
{
	double reach = 0;
	size_t length = strlen(name);
	if (length == 0)
		return 0;
	for (const char *at = scope->body; (at = word_find(at, scope->end, name)) != NULL;) {
		const char *open = text_blank_skip(at + length);
		double low, high;
		const char *from, *end;
		unsigned width = vector_find(scope, at, &from, &end);
		at += length;
		if (width > 0) {
			struct form offset = form_of(scope, from, end);
			if (form_bounds(scope, &offset, &low, &high))
				reach = fmax(reach, width * (high + 1));
		}
		if (*open != '[')
			continue;
		struct form form =
		        form_part(scope, open + 1, text_bracket_skip(open, scope->end) - 1);
		double stride = 1;
		for (unsigned i = 0; i < FORM_PLACES && !form.is_known; i++)
			stride = fmax(stride, form.factor[i]);
		if (!form.is_known && stride == 1)
			continue;
		/* what is not known stays within what one work-item has to itself */
		form.is_known = true;
		if (form_bounds(scope, &form, &low, &high))
			reach = fmax(reach, high + stride);
	}
	return reach;
}

/* An index that is bounded, and within the array's size where that is told (0: not). */
static bool is_within(const struct scope *scope, const char *from, const char *end, double size)
{
	double low, high;
	struct form form = form_of(scope, from, end);
	return !form.is_moved && form_bounds(scope, &form, &low, &high) &&
	       (size == 0 || high < size);
}

/* Where the text has a name first, as where it declares it. */
static const char *first_find(const struct scope *scope, const char *word, size_t length)
{
	for (const char *at = scope->text; at < word; at++)
		if (strncmp(at, word, length) == 0 && !text_is_word(at[length]) &&
		    (at == scope->text || !text_is_word(at[-1])))
			return at;
	return word;
}

bool scope_is_open(const struct scope *scope, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *at = word_find(scope->body, scope->end, names[i]);
		/* where the body does not name it, macros do */
		if (at == NULL)
			return true;
		for (; at != NULL; at = word_find(at + 1, scope->end, names[i]))
			if (*text_blank_skip(at + strlen(names[i])) != '[')
				return true;
	}
	for (const char *at = scope->body; at < scope->end; at++) {
		size_t length = text_word_length(at);
		double sizes[INDICES_MAX] = {0};
		if (length == 0)
			continue;
		const char *open = text_blank_skip(at + length);
		const char *first = *open == '[' ? first_find(scope, at, length) : at;
		unsigned known = *open == '[' ? sizes_read(scope, first + length, sizes) : 0;
		for (unsigned i = 0; *open == '[' && first != at; i++) {
			const char *end = text_bracket_skip(open, scope->end);
			if (!is_within(scope, open + 1, end - 1, i < known ? sizes[i] : 0))
				return true;
			open = text_blank_skip(end);
		}
		at += length - 1;
	}
	return false;
}
