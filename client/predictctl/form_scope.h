/* SPDX-License-Identifier: Apache-2.0 */
/* What form.c reads and scope.c asks of: a kernel's names, and expressions over them. */
#ifndef PREDICTD_CLIENT_PREDICTCTL_FORM_SCOPE_H
#define PREDICTD_CLIENT_PREDICTCTL_FORM_SCOPE_H

#include "client/predictctl/form.h"

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
	bool is_data; /* a buffer's: the form is what it holds */
};

struct scope {
	char *text, *options; /* without comments */
	const char *body, *end;
	double extent[FORM_PLACES]; /* 0: not told */
	size_t fixed, count;        /* macros and parameters, and with what is assigned */
	struct name names[NAMES_MAX];
};

/* Of a whole expression. */
struct form form_of(const struct scope *scope, const char *from, const char *end);
/* Where it is not known as a whole, the sum of those of its terms that are. */
struct form form_part(const struct scope *scope, const char *from, const char *end);

/* From the least to the greatest place; false where a place's extent is not told. */
bool form_bounds(const struct scope *scope, const struct form *form, double *low, double *high);
bool form_is_constant(const struct form *form);
/* A group's id times the size that its text knows, and a local id, are a global id. */
void form_globalise(struct form *form);

bool text_is_word(char c);
size_t text_word_length(const char *at);
/* Past blanks, and the ends of lines that are continued. */
const char *text_blank_skip(const char *at);
/* Past the bracket that closes the one at `at`. */
const char *text_bracket_skip(const char *at, const char *end);
/* Where an expression ends that begins at `at`: at a comma, semicolon or closing bracket. */
const char *text_expression_end(const char *at, const char *end);

#endif
