/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel's text says of its sizes: expressions as linear forms of where a work-item is. */
#include "client/predictctl/form_scope.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct form unknown = {.is_known = false};

static struct form constant(double value)
{
	return (struct form){.low = value, .high = value, .is_known = true};
}

bool text_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

size_t text_word_length(const char *at)
{
	size_t length = 0;
	while (text_is_word(at[length]))
		length++;
	return length;
}

static bool is_same(const char *word, size_t length, const char *name)
{
	return strncmp(word, name, length) == 0 && name[length] == '\0';
}

const char *text_blank_skip(const char *at)
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
	scope->names[scope->count++] =
	        (struct name){.word = word, .length = length, .text = text, .form = form};
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
	to->is_moved |= other->is_moved;
}

bool form_is_constant(const struct form *form)
{
	for (unsigned i = 0; i < FORM_PLACES; i++)
		if (form->factor[i] != 0)
			return false;
	return form->is_known && form->low == form->high;
}

bool form_bounds(const struct scope *scope, const struct form *form, double *low, double *high)
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
	struct form scaled = form_is_constant(a) ? form_scale(*b, a->low) : form_scale(*a, b->low);
	scaled.is_moved = a->is_moved || b->is_moved;
	if (form_is_constant(a) || form_is_constant(b))
		return scaled;
	/* a group's id times the group's size, and the like, are no forms; their bounds are */
	if (!form_bounds(scope, a, &low[0], &high[0]) || !form_bounds(scope, b, &low[1], &high[1]))
		return unknown;
	const double ends[4] = {low[0] * low[1], low[0] * high[1], high[0] * low[1],
	                        high[0] * high[1]};
	struct form form = constant(ends[0]);
	form.is_moved = a->is_moved || b->is_moved;
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
	if (!a->is_known || !form_is_constant(b) || !(b->low > 0))
		return unknown;
	struct form form =
	        constant(operation == '%' ? fmod(a->low, b->low) : trunc(a->low / b->low));
	/* a remainder is below its divisor, whatever is divided */
	form.is_moved = b->is_moved || (a->is_moved && operation == '/');
	if (form_is_constant(a) && !(operation == '%' && a->is_moved))
		return form;
	bool is_bounded = form_bounds(scope, a, &low, &high) && low >= 0;
	if (!is_bounded && operation == '/')
		return unknown;
	form.low = 0;
	form.high = operation == '%'
	                    ? (is_bounded && !a->is_moved ? fmin(high, b->low - 1) : b->low - 1)
	                    : floor(high / b->low);
	return form;
}

static char reader_next(struct reader *reader)
{
	reader->at = text_blank_skip(reader->at);
	return reader->at < reader->end ? *reader->at : '\0';
}

const char *text_bracket_skip(const char *at, const char *end)
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

/* The least or the greatest of two, or what lies between the latter two of three. */
static struct form limit_read(const struct scope *scope, const char *word,
                              const struct form arguments[3])
{
	double low[3], high[3];
	bool is_clamp = *word == 'c', is_least = strncmp(word, "min", 3) == 0;
	struct form form = constant(0);
	for (unsigned i = is_clamp; i < 2u + is_clamp; i++) {
		if (!form_bounds(scope, &arguments[i], &low[i], &high[i]))
			return unknown;
		form.is_moved |= arguments[i].is_moved;
	}
	form.low = is_clamp ? low[1] : is_least ? fmin(low[0], low[1]) : fmax(low[0], low[1]);
	form.high = is_clamp ? high[2] : is_least ? fmin(high[0], high[1]) : fmax(high[0], high[1]);
	return form;
}

/* An id of a dimension that is written as a number; mad24 and mul24; limits; else not known. */
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
	const char *end = text_bracket_skip(reader->at, reader->end);
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
	bool is_dimension = form_is_constant(&arguments[0]) && first >= 0 && first <= 2;
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
	if (((is_same(word, length, "min") || is_same(word, length, "max")) && count == 2) ||
	    (is_same(word, length, "clamp") && count == 3))
		form = limit_read(reader->scope, word, arguments);
	return form;
}

static struct form primary_read(struct reader *reader)
{
	char next = reader_next(reader);
	struct form form = unknown;
	bool is_data = false;
	if (++reader->depth > DEPTH_MAX || ++*reader->work > WORK_MAX || next == '\0') {
		reader->at = reader->end;
		return unknown;
	}
	if (next == '-' || next == '+') {
		reader->at++;
		form = form_scale(primary_read(reader), next == '-' ? -1 : 1);
	} else if (next == '(') {
		const char *end = text_bracket_skip(reader->at, reader->end);
		const char *word = text_blank_skip(reader->at + 1);
		size_t length = text_word_length(word);
		reader->at++;
		if (is_type_name(word, length) &&
		    (*text_blank_skip(word + length) == ')' ||
		     is_type_name(text_blank_skip(word + length),
		                  text_word_length(text_blank_skip(word + length))))) {
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
		form = text_is_word(*end) || *end == '.' ? unknown : constant(value);
		reader->at = end + text_word_length(end);
	} else if (text_is_word(next)) {
		const char *word = reader->at;
		size_t length = text_word_length(word);
		reader->at += length;
		const struct name *name = name_find(reader->scope, word, length);
		is_data = name != NULL && name->is_data && reader_next(reader) == '[';
		if (is_data) {
			reader->at = text_bracket_skip(reader->at, reader->end);
			form = name->form;
		} else if (reader_next(reader) == '(') {
			form = call_read(reader, word, length);
		} else if (name != NULL && !name->is_data) {
			form = name->text != NULL ? macro_read(reader, name->text) : name->form;
		}
	} else {
		reader->at = reader->end;
	}
	next = reader_next(reader);
	while (next == '[' || next == '.') { /* an element or a member: data */
		reader->at = next == '[' ? text_bracket_skip(reader->at, reader->end)
		                         : text_blank_skip(reader->at + 1);
		reader->at += next == '.' ? text_word_length(reader->at) : 0;
		if (!is_data || next == '[') /* else a lane of a vector: as all of it */
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
		form = form_is_constant(&by) && by.low >= 0 && by.low < 32
		               ? form_scale(form, ldexp(1, (int)by.low))
		               : unknown;
	}
	if (reader->at + 1 < reader->end && reader->at[0] == '&' && reader->at[1] != '&') {
		reader->at++;
		struct form mask = sum_read(reader);
		/* within the one that is a constant, whatever the other is */
		mask = form_is_constant(&form) ? form : mask;
		form = form_is_constant(&mask) && mask.low >= 0 ? constant(0) : unknown;
		form.high = form.is_known ? mask.low : 0;
	}
	return form;
}

struct form form_part(const struct scope *scope, const char *from, const char *end)
{
	unsigned work = 0;
	struct reader reader = {scope, from, end, 0, &work};
	struct form form = sum_read(&reader);
	form.is_known &= reader_next(&reader) == '\0';
	return form;
}

struct form form_of(const struct scope *scope, const char *from, const char *end)
{
	struct form form = form_part(scope, from, end);
	return form.is_known ? form : unknown;
}

/* ---- names --------------------------------------------------------------------------------- */

/* "-D NAME=VALUE", "-DNAME=VALUE" and "-DNAME", whose value is 1. */
static void options_read(struct scope *scope)
{
	for (char *at = scope->options; (at = strstr(at, "-D")) != NULL;) {
		at += 2;
		at += strspn(at, " ");
		size_t length = text_word_length(at);
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
		size_t length = text_word_length(at);
		if (at[length] == ' ' || at[length] == '\t')
			name_add(scope, at, length, at + length, unknown);
	}
}

const char *text_expression_end(const char *at, const char *end)
{
	while (at < end && strchr(",;)]}", *at) == NULL)
		at = strchr("([{", *at) != NULL ? text_bracket_skip(at, end) : at + 1;
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
	const char *end = text_expression_end(at, scope->end),
	           *test = text_blank_skip(end + (*end == ';'));
	struct form first = form_of(scope, at, end);
	if (*end != ';' || strncmp(test, word, length) != 0 || text_is_word(test[length]))
		return unknown;
	test = text_blank_skip(test + length);
	if (*test != '<' && *test != '>')
		return unknown;
	bool is_up = *test == '<', is_within = test[1] == '=';
	test += 1 + is_within;
	struct form bound = form_of(scope, test, text_expression_end(test, scope->end));
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

/* Within the brackets behind `for`, wherever. */
static bool is_in_header(const char *body, const char *at)
{
	unsigned depth = 0;
	for (; at > body && strchr("{}", at[-1]) == NULL; at--) {
		depth += at[-1] == ')';
		if (at[-1] != '(' || depth-- > 0)
			continue;
		depth = 0;
		const char *end = at - 1;
		while (end > body && isspace((unsigned char)end[-1]))
			end--;
		if (end - body >= 3 && strncmp(end - 3, "for", 3) == 0)
			return true;
	}
	return false;
}

/* The operator behind a name that gives it another value: = += <<= ++ and the like. */
static bool is_change(const char *at)
{
	at = text_blank_skip(at);
	if ((at[0] == '<' && at[1] == '<') || (at[0] == '>' && at[1] == '>'))
		return at[2] == '=';
	if ((at[0] == '+' || at[0] == '-') && at[1] == at[0])
		return true;
	return at[0] != '\0' && strchr("+-*/%&|^", at[0]) != NULL && at[1] == '=';
}

/* What is counted by a loop's header alone, or is assigned once, does not move. */
static bool is_moved(const struct scope *scope, const char *word, size_t length)
{
	unsigned assigned = 0, headers = 0;
	for (const char *at = scope->body; at < scope->end; at++) {
		if (strncmp(at, word, length) != 0 || text_is_word(at[length]) ||
		    (at > scope->body && (text_is_word(at[-1]) || at[-1] == '.')))
			continue;
		const char *behind = text_blank_skip(at + length), *before = at;
		while (before > scope->body && isspace((unsigned char)before[-1]))
			before--;
		char last = before > scope->body ? before[-1] : '\0';
		char next_to_last = before > scope->body + 1 ? before[-2] : '\0';
		bool is_stepped = (last == '+' || last == '-') && next_to_last == last;
		bool is_passed = last == '&' && strchr("(,=", next_to_last) != NULL;
		bool is_assigned = behind[0] == '=' && behind[1] != '=';
		if (!is_stepped && !is_passed && !is_assigned && !is_change(behind))
			continue;
		bool is_counted = is_in_header(scope->body, at);
		headers += is_counted;
		assigned += is_assigned && !is_counted;
		if (is_passed || (!is_counted && !is_assigned))
			return true;
	}
	return assigned > 1 || (assigned > 0 && headers > 0);
}

/* As one more loop counts: from the least to the greatest of all of them. */
static void count_merge(struct form *form, const struct form *other)
{
	for (unsigned i = 0; i < FORM_PLACES; i++)
		form->is_moved |= form->factor[i] != 0 || other->factor[i] != 0;
	form->is_moved |= other->is_moved || !other->is_known;
	form->low = fmin(form->low, other->low);
	form->high = fmax(form->high, other->high);
}

void form_globalise(struct form *form)
{
	for (unsigned d = 0; d < 3; d++) {
		if (form->factor[FORM_GROUP + d] < 1 || form->factor[FORM_LOCAL + d] != 1)
			continue;
		form->factor[FORM_GLOBAL + d] += 1;
		form->factor[FORM_GROUP + d] = form->factor[FORM_LOCAL + d] = 0;
	}
}

/* `at` is declared there as an unsigned integer. */
static bool is_unsigned(const struct scope *scope, const char *at)
{
	static const char *const types[] = {"unsigned", "uint",  "ulong",
	                                    "ushort",   "uchar", "size_t"};
	const char *from = at;
	while (from > scope->body && strchr(";{}(", from[-1]) == NULL)
		from--;
	for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++)
		if (word_find(from, at, types[i]) != NULL)
			return true;
	return false;
}

void scope_read(struct scope *scope)
{
	scope->count = scope->fixed;
	for (const char *at = scope->body; at < scope->end;) {
		size_t length = text_word_length(at);
		if (length == 0 || isdigit((unsigned char)*at)) {
			at += length > 0 ? length : 1;
			continue;
		}
		const char *word = at, *behind = text_blank_skip(at + length);
		bool is_member = at > scope->body && strchr(".>]", at[-1]) != NULL;
		at += length;
		if (behind[0] != '=' || behind[1] == '=' || is_member)
			continue;
		const char *from = behind + 1;
		bool is_count = is_in_for(scope->body, word);
		struct form form =
		        is_count ? counter_form(scope, word, length, from)
		                 : form_of(scope, from, text_expression_end(from, scope->end));
		form_globalise(&form);
		/* the difference of what memory holds: below zero it is far above */
		if (form.low < 0 && form.low < form.high && is_unsigned(scope, word))
			form = unknown;
		const struct name *known = name_find(scope, word, length);
		if (known == NULL) {
			form.is_moved |= is_moved(scope, word, length);
			name_add(scope, word, length, NULL, form);
		} else if (is_count && known >= scope->names + scope->fixed) {
			count_merge(&scope->names[known - scope->names].form, &form);
		}
	}
}

void scope_set(struct scope *scope, const char *name, double value)
{
	scope->count = scope->fixed; /* what was assigned rests on it */
	name_add(scope, name, strlen(name), NULL, constant(value));
	scope->fixed = scope->count;
}

void scope_data(struct scope *scope, const char *name, double low, double high)
{
	struct form form = constant(low);
	form.high = high;
	scope->count = scope->fixed;
	name_add(scope, name, strlen(name), NULL, form);
	for (size_t i = 0; i < scope->count; i++) {
		struct name *one = &scope->names[i];
		if (!is_same(one->word, one->length, name))
			continue;
		one->form = form;
		one->is_data = true;
	}
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
		const char *open = text_blank_skip(at + length);
		if ((at > scope->text && text_is_word(at[-1])) || text_is_word(at[length]) ||
		    *open != '(')
			continue;
		const char *whole = scope->text + strlen(scope->text);
		const char *body = text_blank_skip(text_bracket_skip(open, whole));
		if (*body != '{')
			continue;
		scope->body = body;
		scope->end = text_bracket_skip(body, whole);
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
