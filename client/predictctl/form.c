/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel's text says of its sizes: expressions as linear forms of where a work-item is. */
#include "client/predictctl/form.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	NAMES_MAX = 256,
	DEPTH_MAX = 32,
	WORK_MAX = 4096, /* operands of an expression: macros of macros double with each */
	INDICES_MAX = 4
};

struct name {
	const char *word; /* within the texts */
	size_t length;
	const char *text; /* a macro's, up to the end of its line; NULL: the form */
	struct form form;
};

struct scope {
	char *text, *options; /* without comments */
	const char *body, *end;
	double extent[FORM_PLACES]; /* 0: not told */
	size_t fixed, count;        /* macros and parameters, and with what is assigned */
	struct name names[NAMES_MAX];
};

static const struct form unknown = {.is_known = false};

static struct form constant(double value)
{
	return (struct form){.low = value, .high = value, .is_known = true};
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static size_t word_length(const char *at)
{
	size_t length = 0;
	while (is_word(at[length]))
		length++;
	return length;
}

static bool is_same(const char *word, size_t length, const char *name)
{
	return strncmp(word, name, length) == 0 && name[length] == '\0';
}

/* Past blanks, and the ends of lines that are continued. */
static const char *blank_skip(const char *at)
{
	while (isspace((unsigned char)*at) || (at[0] == '\\' && at[1] == '\n'))
		at++;
	return at;
}

/* Comments and literals become blanks; what stands behind keeps its place. */
static void text_bare(char *at)
{
	while (*at != '\0') {
		char *from = at;
		if (at[0] == '/' && at[1] == '/') {
			while (*at != '\0' && *at != '\n')
				at++;
		} else if (at[0] == '/' && at[1] == '*') {
			char *close = strstr(at + 2, "*/");
			at = close != NULL ? close + 2 : at + strlen(at);
		} else if (*at == '"' || *at == '\'') {
			char mark = *at++;
			while (*at != '\0' && *at != mark && *at != '\n')
				at += 1 + (at[0] == '\\' && at[1] != '\0');
			at += *at == mark;
		} else {
			at++;
			continue;
		}
		for (; from < at; from++)
			*from = *from == '\n' ? '\n' : ' ';
	}
}

static const struct name *name_find(const struct scope *scope, const char *word, size_t length)
{
	for (size_t i = 0; i < scope->count; i++)
		if (scope->names[i].length == length &&
		    strncmp(scope->names[i].word, word, length) == 0)
			return &scope->names[i];
	return NULL;
}

/* The first that is said of a name is kept: build options, then the text from its beginning. */
static void name_add(struct scope *scope, const char *word, size_t length, const char *text,
                     struct form form)
{
	if (length == 0 || scope->count == NAMES_MAX || name_find(scope, word, length) != NULL)
		return;
	scope->names[scope->count++] = (struct name){word, length, text, form};
}

/* ---- expressions --------------------------------------------------------------------------- */

struct reader {
	const struct scope *scope;
	const char *at, *end;
	unsigned depth, *work;
};

static struct form sum_read(struct reader *reader);

static void form_add(struct form *to, const struct form *other, double sign)
{
	for (unsigned i = 0; i < FORM_PLACES; i++)
		to->factor[i] += sign * other->factor[i];
	double low = sign > 0 ? other->low : -other->high;
	to->high += sign > 0 ? other->high : -other->low;
	to->low += low;
	to->is_known &= other->is_known;
}

static bool is_constant(const struct form *form)
{
	for (unsigned i = 0; i < FORM_PLACES; i++)
		if (form->factor[i] != 0)
			return false;
	return form->is_known && form->low == form->high;
}

/* From the least to the greatest place; false where a place's extent is not told. */
static bool form_bounds(const struct scope *scope, const struct form *form, double *low,
                        double *high)
{
	*low = form->low;
	*high = form->high;
	for (unsigned i = 0; i < FORM_PLACES; i++) {
		if (form->factor[i] == 0)
			continue;
		if (scope->extent[i] == 0)
			return false;
		double far = form->factor[i] * (scope->extent[i] - 1);
		*low += fmin(far, 0);
		*high += fmax(far, 0);
	}
	return form->is_known;
}

static struct form form_scale(struct form form, double by)
{
	double low = by * (by < 0 ? form.high : form.low),
	       high = by * (by < 0 ? form.low : form.high);
	for (unsigned i = 0; i < FORM_PLACES; i++)
		form.factor[i] *= by;
	form.low = low;
	form.high = high;
	return form;
}

static struct form form_product(const struct scope *scope, const struct form *a,
                                const struct form *b)
{
	double low[2], high[2];
	if (!a->is_known || !b->is_known)
		return unknown;
	if (is_constant(a))
		return form_scale(*b, a->low);
	if (is_constant(b))
		return form_scale(*a, b->low);
	/* a group's id times the group's size, and the like, are no forms; their bounds are */
	if (!form_bounds(scope, a, &low[0], &high[0]) || !form_bounds(scope, b, &low[1], &high[1]))
		return unknown;
	const double ends[4] = {low[0] * low[1], low[0] * high[1], high[0] * low[1],
	                        high[0] * high[1]};
	struct form form = constant(ends[0]);
	for (unsigned i = 1; i < 4; i++) {
		form.low = fmin(form.low, ends[i]);
		form.high = fmax(form.high, ends[i]);
	}
	return form;
}

static struct form form_divide(const struct scope *scope, char operation, const struct form *a,
                               const struct form *b)
{
	double low, high;
	if (!a->is_known || !is_constant(b) || !(b->low > 0))
		return unknown;
	if (is_constant(a))
		return constant(operation == '%' ? fmod(a->low, b->low) : trunc(a->low / b->low));
	bool is_bounded = form_bounds(scope, a, &low, &high) && low >= 0;
	if (!is_bounded && operation == '/')
		return unknown;
	struct form form = constant(0);
	form.high = operation == '%' ? (is_bounded ? fmin(high, b->low - 1) : b->low - 1)
	                             : floor(high / b->low);
	return form;
}

static char reader_next(struct reader *reader)
{
	reader->at = blank_skip(reader->at);
	return reader->at < reader->end ? *reader->at : '\0';
}

/* Past the bracket that closes the one that the reader is at. */
static const char *bracket_skip(const char *at, const char *end)
{
	unsigned depth = 0;
	for (; at < end; at++) {
		depth += strchr("([{", *at) != NULL;
		if (strchr(")]}", *at) != NULL && --depth == 0)
			return at + 1;
	}
	return end;
}

static bool is_type_name(const char *word, size_t length)
{
	static const char *const types[] = {"int",       "uint",     "long",    "ulong",
	                                    "short",     "ushort",   "char",    "uchar",
	                                    "unsigned",  "signed",   "size_t",  "float",
	                                    "ptrdiff_t", "uint32_t", "int32_t", NULL};
	for (unsigned i = 0; types[i] != NULL; i++)
		if (is_same(word, length, types[i]))
			return true;
	return false;
}

static struct form macro_read(struct reader *reader, const char *text)
{
	const char *end = text;
	while (*end != '\0' && *end != '\n')
		end += 1 + (end[0] == '\\' && end[1] == '\n');
	struct reader own = {reader->scope, text, end, reader->depth + 1, reader->work};
	struct form form = sum_read(&own);
	return reader_next(&own) == '\0' ? form : unknown;
}

/* An id of a dimension that is written as a number; mad24 and mul24; else not known. */
static struct form call_read(struct reader *reader, const char *word, size_t length)
{
	static const struct {
		const char *name;
		unsigned place;
	} ids[] = {{"get_global_id", FORM_GLOBAL},
	           {"get_local_id", FORM_LOCAL},
	           {"get_group_id", FORM_GROUP}};
	static const struct {
		const char *name;
		unsigned place;
	} sizes[] = {{"get_global_size", FORM_GLOBAL},
	             {"get_local_size", FORM_LOCAL},
	             {"get_num_groups", FORM_GROUP}};
	struct form arguments[3], form = unknown;
	unsigned count = 0;
	const char *end = bracket_skip(reader->at, reader->end);
	reader->at++;
	while (reader->at < end && count < 3) {
		arguments[count++] = sum_read(reader);
		if (reader_next(reader) != ',')
			break;
		reader->at++;
	}
	bool is_whole = reader_next(reader) == ')';
	reader->at = end;
	if (!is_whole || count == 0)
		return unknown;
	double first = arguments[0].low;
	bool is_dimension = is_constant(&arguments[0]) && first >= 0 && first <= 2;
	for (unsigned i = 0; i < 3 && is_dimension && count == 1; i++) {
		if (is_same(word, length, ids[i].name)) {
			form = constant(0);
			form.factor[ids[i].place + (unsigned)first] = 1;
		} else if (is_same(word, length, sizes[i].name)) {
			double extent = reader->scope->extent[sizes[i].place + (unsigned)first];
			form = extent > 0 ? constant(extent) : unknown;
		}
	}
	if ((is_same(word, length, "mul24") && count == 2) ||
	    (is_same(word, length, "mad24") && count == 3))
		form = form_product(reader->scope, &arguments[0], &arguments[1]);
	if (is_same(word, length, "mad24") && count == 3)
		form_add(&form, &arguments[2], 1);
	return form;
}

static struct form primary_read(struct reader *reader)
{
	char next = reader_next(reader);
	struct form form = unknown;
	if (++reader->depth > DEPTH_MAX || ++*reader->work > WORK_MAX || next == '\0') {
		reader->at = reader->end;
		return unknown;
	}
	if (next == '-' || next == '+') {
		reader->at++;
		form = form_scale(primary_read(reader), next == '-' ? -1 : 1);
	} else if (next == '(') {
		const char *end = bracket_skip(reader->at, reader->end);
		const char *word = blank_skip(reader->at + 1);
		size_t length = word_length(word);
		reader->at++;
		if (is_type_name(word, length) &&
		    (*blank_skip(word + length) == ')' ||
		     is_type_name(blank_skip(word + length),
		                  word_length(blank_skip(word + length))))) {
			reader->at = end; /* a cast */
			form = primary_read(reader);
		} else {
			form = sum_read(reader);
			if (reader_next(reader) != ')')
				form = unknown;
			reader->at = end;
		}
	} else if (isdigit((unsigned char)next)) {
		char *end;
		double value = (double)strtoull(reader->at, &end, 0);
		while (*end != '\0' && strchr("uUlL", *end) != NULL)
			end++;
		form = is_word(*end) || *end == '.' ? unknown : constant(value);
		reader->at = end + word_length(end);
	} else if (is_word(next)) {
		const char *word = reader->at;
		size_t length = word_length(word);
		reader->at += length;
		const struct name *name = name_find(reader->scope, word, length);
		if (reader_next(reader) == '(')
			form = call_read(reader, word, length);
		else if (name != NULL)
			form = name->text != NULL ? macro_read(reader, name->text) : name->form;
	} else {
		reader->at = reader->end;
	}
	next = reader_next(reader);
	while (next == '[' || next == '.') { /* an element or a member: data */
		reader->at = next == '[' ? bracket_skip(reader->at, reader->end)
		                         : blank_skip(reader->at + 1);
		reader->at += next == '.' ? word_length(reader->at) : 0;
		form = unknown;
		next = reader_next(reader);
	}
	reader->depth--;
	return form;
}

static struct form product_read(struct reader *reader)
{
	struct form form = primary_read(reader);
	for (;;) {
		char operation = reader_next(reader);
		if (operation != '*' && operation != '/' && operation != '%')
			return form;
		reader->at++;
		struct form other = primary_read(reader);
		form = operation == '*' ? form_product(reader->scope, &form, &other)
		                        : form_divide(reader->scope, operation, &form, &other);
	}
}

static struct form sum_read(struct reader *reader)
{
	struct form form = product_read(reader);
	for (;;) {
		char operation = reader_next(reader);
		if ((operation != '+' && operation != '-') || reader->at[1] == operation ||
		    reader->at[1] == '=')
			break;
		reader->at++;
		struct form other = product_read(reader);
		form_add(&form, &other, operation == '+' ? 1 : -1);
	}
	if (reader->at + 1 < reader->end && reader->at[0] == '<' && reader->at[1] == '<') {
		reader->at += 2;
		struct form by = product_read(reader);
		form = is_constant(&by) && by.low >= 0 && by.low < 32
		               ? form_scale(form, ldexp(1, (int)by.low))
		               : unknown;
	}
	return form;
}

/* Of a whole expression; not known when something else stands behind it. */
static struct form form_of(const struct scope *scope, const char *from, const char *end)
{
	unsigned work = 0;
	struct reader reader = {scope, from, end, 0, &work};
	struct form form = sum_read(&reader);
	return reader_next(&reader) == '\0' ? form : unknown;
}

/* ---- names --------------------------------------------------------------------------------- */

/* "-D NAME=VALUE", "-DNAME=VALUE" and "-DNAME", whose value is 1. */
static void options_read(struct scope *scope)
{
	for (char *at = scope->options; (at = strstr(at, "-D")) != NULL;) {
		at += 2;
		at += strspn(at, " ");
		size_t length = word_length(at);
		char *value = at + length;
		if (*value == '=') {
			char *end = value + strcspn(value, " ");
			name_add(scope, at, length, value + 1, unknown);
			at = end;
			if (*at == ' ')
				*at++ = '\n'; /* a macro's text ends with its line */
		} else {
			name_add(scope, at, length, NULL, constant(1));
			at = value;
		}
	}
}

static void macros_read(struct scope *scope)
{
	for (const char *at = scope->text; (at = strchr(at, '#')) != NULL;) {
		at++;
		at += strspn(at, " \t");
		if (strncmp(at, "define", 6) != 0)
			continue;
		at += 6;
		at += strspn(at, " \t");
		size_t length = word_length(at);
		if (at[length] == ' ' || at[length] == '\t')
			name_add(scope, at, length, at + length, unknown);
	}
}

/* Where an expression ends that begins at `at`: at a comma, semicolon or closing bracket. */
static const char *expression_end(const char *at, const char *end)
{
	while (at < end && strchr(",;)]}", *at) == NULL)
		at = strchr("([{", *at) != NULL ? bracket_skip(at, end) : at + 1;
	return at;
}

/*
 * for (NAME = first; NAME < bound; ...): from the first to the last. `at` is behind the `=`.
 * Not known unless both are, and are bounded.
 */
static struct form counter_form(const struct scope *scope, const char *word, size_t length,
                                const char *at)
{
	double low[2], high[2];
	const char *end = expression_end(at, scope->end), *test = blank_skip(end + (*end == ';'));
	struct form first = form_of(scope, at, end);
	if (*end != ';' || strncmp(test, word, length) != 0 || is_word(test[length]))
		return unknown;
	test = blank_skip(test + length);
	if (*test != '<' && *test != '>')
		return unknown;
	bool is_up = *test == '<', is_within = test[1] == '=';
	test += 1 + is_within;
	struct form bound = form_of(scope, test, expression_end(test, scope->end));
	if (!form_bounds(scope, &first, &low[0], &high[0]) ||
	    !form_bounds(scope, &bound, &low[1], &high[1]))
		return unknown;
	struct form form = constant(is_up ? low[0] : low[1] + !is_within);
	form.high = is_up ? high[1] - !is_within : high[0];
	return form.high >= form.low ? form : unknown;
}

static bool is_in_for(const char *body, const char *at)
{
	while (at > body && strchr("(;{})", at[-1]) == NULL)
		at--;
	if (at == body || at[-1] != '(')
		return false;
	at--;
	while (at > body && isspace((unsigned char)at[-1]))
		at--;
	return at - body >= 3 && strncmp(at - 3, "for", 3) == 0;
}

/* A group's id times the size that its text knows, and a local id, are a global id. */
static void form_globalise(struct form *form)
{
	for (unsigned d = 0; d < 3; d++) {
		if (form->factor[FORM_GROUP + d] < 1 || form->factor[FORM_LOCAL + d] != 1)
			continue;
		form->factor[FORM_GLOBAL + d] += 1;
		form->factor[FORM_GROUP + d] = form->factor[FORM_LOCAL + d] = 0;
	}
}

void scope_read(struct scope *scope)
{
	scope->count = scope->fixed;
	for (const char *at = scope->body; at < scope->end;) {
		size_t length = word_length(at);
		if (length == 0 || isdigit((unsigned char)*at)) {
			at += length > 0 ? length : 1;
			continue;
		}
		const char *word = at, *behind = blank_skip(at + length);
		bool is_member = at > scope->body && strchr(".>]", at[-1]) != NULL;
		at += length;
		if (behind[0] != '=' || behind[1] == '=' || is_member)
			continue;
		const char *from = behind + 1;
		struct form form = is_in_for(scope->body, word)
		                           ? counter_form(scope, word, length, from)
		                           : form_of(scope, from, expression_end(from, scope->end));
		form_globalise(&form);
		name_add(scope, word, length, NULL, form);
	}
}

void scope_set(struct scope *scope, const char *name, double value)
{
	scope->count = scope->fixed; /* what was assigned rests on it */
	name_add(scope, name, strlen(name), NULL, constant(value));
	scope->fixed = scope->count;
}

void scope_range(struct scope *scope, const uint64_t global[3], const uint64_t local[3])
{
	for (unsigned d = 0; d < 3; d++) {
		scope->extent[FORM_GLOBAL + d] = (double)global[d];
		scope->extent[FORM_LOCAL + d] = (double)local[d];
		scope->extent[FORM_GROUP + d] =
		        local[d] > 0 ? ceil((double)global[d] / (double)local[d]) : 0;
	}
}

struct scope *scope_new(const char *text, const char *options, const char *kernel)
{
	struct scope *scope = calloc(1, sizeof *scope);
	if (scope == NULL)
		return NULL;
	scope->text = strdup(text);
	scope->options = strdup(options);
	if (scope->text == NULL || scope->options == NULL)
		goto failed;
	text_bare(scope->text);
	size_t length = strlen(kernel);
	for (const char *at = scope->text; (at = strstr(at, kernel)) != NULL; at += length) {
		const char *open = blank_skip(at + length);
		if ((at > scope->text && is_word(at[-1])) || is_word(at[length]) || *open != '(')
			continue;
		const char *whole = scope->text + strlen(scope->text);
		const char *body = blank_skip(bracket_skip(open, whole));
		if (*body != '{')
			continue;
		scope->body = body;
		scope->end = bracket_skip(body, whole);
		break;
	}
	if (scope->body == NULL)
		goto failed;
	options_read(scope);
	macros_read(scope);
	scope->fixed = scope->count;
	return scope;
failed:
	scope_free(scope);
	return NULL;
}

void scope_free(struct scope *scope)
{
	if (scope == NULL)
		return;
	free(scope->text);
	free(scope->options);
	free(scope);
}

/* ---- what it tells ------------------------------------------------------------------------- */

static const char *word_find(const char *from, const char *end, const char *word)
{
	size_t length = strlen(word);
	for (const char *at = from; (at = strstr(at, word)) != NULL && at < end; at += length)
		if ((at == from || !is_word(at[-1])) && !is_word(at[length]))
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
		at = strchr("([{", *at) != NULL ? bracket_skip(at, end) : at + 1;
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

bool scope_counts(const struct scope *scope, const char *name)
{
	const char *from, *end;
	for (const char *at = scope->body; comparison_find(scope, name, &at, &from, &end);) {
		char word[64];
		from = blank_skip(from);
		size_t length = word_length(from);
		if (strncmp(from, "++", 2) == 0 || length == 0 || length >= sizeof word ||
		    blank_skip(from + length) < end)
			continue;
		memcpy(word, from, length);
		word[length] = '\0';
		for (const char *last = scope->body;
		     (last = word_find(last, scope->end, word)) != NULL;) {
			const char *sign = blank_skip(last + length);
			last += length;
			if (sign[0] != '=' || sign[1] == '=')
				continue;
			struct form first =
			        form_of(scope, sign + 1, expression_end(sign + 1, scope->end));
			if (is_constant(&first))
				return true;
			break;
		}
	}
	return false;
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
	for (at = blank_skip(at); *at == '[' && count < INDICES_MAX; at = blank_skip(at)) {
		const char *end = bracket_skip(at, scope->end);
		struct form form = form_of(scope, at + 1, end - 1);
		if (!is_constant(&form) || form.low < 1)
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
		if (strncmp(at, word, length) != 0 || is_word(at[-1]) || is_word(at[length]))
			continue;
		const char *open = blank_skip(at + length);
		for (unsigned i = 0; i < count && *open == '['; i++) {
			const char *end = bracket_skip(open, scope->end);
			struct form form = form_of(scope, open + 1, end - 1);
			index_bound(&form, sizes[i], bound);
			open = blank_skip(end);
		}
	}
}

/* A side that is padded against bank conflicts, or has a border, is of a group of a power of two.
 */
static uint64_t side_of(double bound)
{
	uint64_t side = (uint64_t)bound, power = 1;
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
		if (space == 0 || is_word(at[-1]) || is_word(at[space]))
			continue;
		const char *end = at + space;
		/* each declarator of the declaration */
		while (end < scope->end && *end != ';' && *end != '=' && *end != '(') {
			size_t length = word_length(end);
			double sizes[INDICES_MAX];
			unsigned count = *blank_skip(end + length) == '['
			                         ? sizes_read(scope, end + length, sizes)
			                         : 0;
			if (length > 0 && count > 0)
				array_bound(scope, end, length, sizes, count, bound);
			end = length > 0    ? end + length
			      : *end == '[' ? bracket_skip(end, scope->end)
			                    : end + 1;
		}
		at = end - 1;
	}
	for (unsigned d = 0; d < 3; d++)
		local[d] = bound[d] > 0 ? side_of(bound[d]) : 0;
}

double scope_reach(const struct scope *scope, const char *name)
{
	double reach = 0;
	size_t length = strlen(name);
	if (length == 0)
		return 0;
	for (const char *at = scope->body; (at = word_find(at, scope->end, name)) != NULL;) {
		const char *open = blank_skip(at + length);
		double low, high;
		at += length;
		if (*open != '[')
			continue;
		struct form form = form_of(scope, open + 1, bracket_skip(open, scope->end) - 1);
		if (form_bounds(scope, &form, &low, &high))
			reach = fmax(reach, high + 1);
	}
	return reach;
}
