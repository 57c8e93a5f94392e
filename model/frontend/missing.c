/* SPDX-License-Identifier: Apache-2.0 */
/* What a program lacks: names that are defined nowhere, and kernels that the preprocessor left out.
 */
#include "model/frontend/lower.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { CONDITIONS_MAX = 64 };

/* Appends while there is room for all of it and for "..."; false: there is not. */
static bool append(char *text, size_t room, const char *separator, const char *name)
{
	size_t used = strlen(text);
	if (used + strlen(separator) + strlen(name) + sizeof(", ...") > room) {
		if (used + sizeof(", ...") <= room && strstr(text, "...") == NULL)
			(void)strcpy(text + used, ", ...");
		return false;
	}
	(void)snprintf(text + used, room - used, "%s%s", separator, name);
	return true;
}

void missing_names(const struct translation *t, char text[FRONTEND_UNDEFINED_MAX])
{
	char options[FRONTEND_UNDEFINED_MAX] = "", option[80];
	unsigned count = 0;
	text[0] = '\0';
	for (unsigned i = 0; i < t->fault_count; i++) {
		bool is_said = t->faults[i].is_function;
		for (unsigned j = 0; j < i && !is_said; j++)
			is_said = strcmp(t->faults[j].name, t->faults[i].name) == 0;
		if (is_said)
			continue;
		/* half of the room is the options' */
		(void)snprintf(option, sizeof(option), "-D%s=", t->faults[i].name);
		if (!append(text, FRONTEND_UNDEFINED_MAX * 3 / 8, count > 0 ? ", " : "",
		            t->faults[i].name) ||
		    !append(options, FRONTEND_UNDEFINED_MAX / 2, count > 0 ? " " : "", option))
			break;
		count++;
	}
	if (count > 0)
		(void)snprintf(text + strlen(text), FRONTEND_UNDEFINED_MAX - strlen(text),
		               " %s defined nowhere: build options '%s' would define %s",
		               count > 1 ? "are" : "is", options, count > 1 ? "them" : "it");
}

/* ---- kernels that are left out ------------------------------------------------------------- */

struct text {
	const char *at, *end;
	unsigned line;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static size_t word_length(const struct text *text)
{
	size_t length = 0;
	while (text->at + length < text->end && is_word(text->at[length]))
		length++;
	return length;
}

static bool is_there(const struct text *text, const char *word)
{
	size_t length = strlen(word);
	return (size_t)(text->end - text->at) >= length && memcmp(text->at, word, length) == 0 &&
	       (text->at + length == text->end || !is_word(text->at[length]));
}

static void step(struct text *text)
{
	text->line += *text->at == '\n';
	text->at++;
}

/* Past a comment; false when there is none. */
static bool comment_skip(struct text *text)
{
	if (text->end - text->at < 2 || text->at[0] != '/' ||
	    (text->at[1] != '/' && text->at[1] != '*'))
		return false;
	bool is_line = text->at[1] == '/';
	text->at += 2;
	while (text->at < text->end) {
		if (is_line && *text->at == '\n')
			return true;
		if (!is_line && text->end - text->at >= 2 && text->at[0] == '*' &&
		    text->at[1] == '/') {
			text->at += 2;
			return true;
		}
		step(text);
	}
	return true;
}

static void blanks_skip(struct text *text)
{
	while (text->at < text->end &&
	       (isspace((unsigned char)*text->at) || *text->at == '\\' || comment_skip(text)))
		if (text->at < text->end &&
		    (isspace((unsigned char)*text->at) || *text->at == '\\'))
			step(text);
}

static void brackets_skip(struct text *text)
{
	unsigned depth = 0;
	while (text->at < text->end) {
		depth += *text->at == '(';
		bool is_last = *text->at == ')' && --depth == 0;
		step(text);
		if (is_last)
			return;
	}
}

/* Lines of the conditions that the text is in; a directive that is met moves past its line. */
struct conditions {
	unsigned depth, lines[CONDITIONS_MAX];
};

static void directive_take(struct text *text, struct conditions *conditions)
{
	unsigned line = text->line;
	text->at++;
	while (text->at < text->end && (*text->at == ' ' || *text->at == '\t'))
		text->at++;
	if (is_there(text, "if") || is_there(text, "ifdef") || is_there(text, "ifndef")) {
		if (conditions->depth < CONDITIONS_MAX)
			conditions->lines[conditions->depth] = line;
		conditions->depth++;
	} else if (is_there(text, "else") || is_there(text, "elif")) {
		if (conditions->depth > 0 && conditions->depth <= CONDITIONS_MAX)
			conditions->lines[conditions->depth - 1] = line;
	} else if (is_there(text, "endif") && conditions->depth > 0) {
		conditions->depth--;
	}
	while (text->at < text->end && *text->at != '\n') {
		bool is_continued = *text->at == '\\' && text->end - text->at > 1;
		step(text);
		if (is_continued)
			step(text);
	}
}

/* The name behind "kernel ... void", where it is one and no macro makes it; else empty. */
static void kernel_name(struct text text, char name[64])
{
	name[0] = '\0';
	for (unsigned words = 0; words < 16; words++) {
		blanks_skip(&text);
		if (text.at < text.end && *text.at == '(') { /* an attribute's */
			brackets_skip(&text);
			continue;
		}
		size_t length = word_length(&text);
		if (length == 0)
			return;
		bool is_result = is_there(&text, "void");
		text.at += length;
		if (is_result)
			break;
	}
	for (unsigned words = 0; words < 16; words++) {
		blanks_skip(&text);
		size_t length = word_length(&text);
		const char *word = text.at;
		bool is_attribute = is_there(&text, "__attribute__");
		if (length == 0 || length > 63)
			return;
		text.at += length;
		blanks_skip(&text);
		if (text.at == text.end || *text.at != '(')
			continue;
		brackets_skip(&text);
		blanks_skip(&text);
		if (is_attribute)
			continue;
		if (text.at < text.end && *text.at == '{')
			(void)snprintf(name, 64, "%.*s", (int)length, word);
		return;
	}
}

static bool is_known(struct ir_kernel *const *kernels, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(kernels[i]->name, name) == 0)
			return true;
	return false;
}

void missing_kernels(const struct frontend_program *program, struct ir_kernel *const *kernels,
                     size_t count, char said[FRONTEND_LEFT_OUT_MAX])
{
	struct text text = {program->source, program->source + program->source_bytes, 1};
	struct conditions conditions = {0};
	bool is_begun = false, is_inside = false; /* of a line; of a word */
	said[0] = '\0';
	while (text.at < text.end) {
		char name[64], one[96];
		if (*text.at == '#' && !is_begun) {
			directive_take(&text, &conditions);
			continue;
		}
		if (comment_skip(&text))
			continue;
		if (!is_inside && conditions.depth > 0 &&
		    (is_there(&text, "kernel") || is_there(&text, "__kernel"))) {
			struct text behind = text;
			behind.at += word_length(&behind);
			kernel_name(behind, name);
			unsigned depth = conditions.depth < CONDITIONS_MAX ? conditions.depth
			                                                   : CONDITIONS_MAX;
			(void)snprintf(one, sizeof(one), "%s (line %u)", name,
			               conditions.lines[depth - 1]);
			if (name[0] != '\0' && !is_known(kernels, count, name) &&
			    strstr(said, one) == NULL &&
			    !append(said, FRONTEND_LEFT_OUT_MAX, said[0] != '\0' ? ", " : "", one))
				return;
		}
		is_inside = is_word(*text.at);
		is_begun = *text.at != '\n' && (is_begun || !isspace((unsigned char)*text.at));
		step(&text);
	}
}
