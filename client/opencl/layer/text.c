/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel returns nothing, so it is defined where "void", its name, brackets and a brace follow
 * one another.
 */
#include "client/opencl/layer/text.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Behind the bracket that closes the one at `at`; NULL: none does. */
static const char *behind_brackets(const char *at)
{
	int depth = 0;
	for (; *at != '\0'; at++) {
		depth += (*at == '(') - (*at == ')');
		if (depth == 0)
			return at + 1;
	}
	return NULL;
}

/* The bracket of "void name(...) {", attributes before the brace included; NULL: it is none. */
static const char *defined_at(const char *text, const char *at, size_t length)
{
	static const char word[] = "void";
	const char *before = at, *bracket = at + length;
	while (before > text && isspace((unsigned char)before[-1]))
		before--;
	if (before == at || (size_t)(before - text) < sizeof word - 1 ||
	    strncmp(before - (sizeof word - 1), word, sizeof word - 1) != 0)
		return NULL;
	while (isspace((unsigned char)*bracket))
		bracket++;
	const char *behind = *bracket == '(' ? behind_brackets(bracket) : NULL;
	while (behind != NULL && *behind != '\0' && *behind != '{' && *behind != ';')
		behind++;
	return behind != NULL && *behind == '{' ? bracket : NULL;
}

/* Their bracket. */
const char *text_parameters(const char *text, const char *kernel)
{
	const size_t length = strlen(kernel);
	if (length == 0)
		return NULL;
	for (const char *at = strstr(text, kernel); at != NULL; at = strstr(at + 1, kernel)) {
		const char *bracket = (at > text && is_word(at[-1])) || is_word(at[length])
		                              ? NULL
		                              : defined_at(text, at, length);
		if (bracket != NULL)
			return bracket;
	}
	return NULL;
}

bool text_defines(const char *text, const char *kernel)
{
	return text_parameters(text, kernel) != NULL;
}

static bool has_word(const char *from, const char *to, const char *word)
{
	const size_t length = strlen(word);
	for (const char *at = from; at + length <= to; at++)
		if (strncmp(at, word, length) == 0 && (at == from || !is_word(at[-1])) &&
		    !is_word(at[length]))
			return true;
	return false;
}

text_address text_parameter(const char *parameters, size_t index, bool *is_read_only)
{
	static const struct {
		const char *plain, *reserved;
		text_address address;
	} words[] = {{"global", "__global", TEXT_GLOBAL},
	             {"constant", "__constant", TEXT_CONSTANT},
	             {"local", "__local", TEXT_LOCAL}};
	const char *from = parameters;
	int depth = 1;
	*is_read_only = false;
	if (from == NULL)
		return TEXT_UNKNOWN;
	from++;
	for (; index > 0; from++) {
		depth += (*from == '(') - (*from == ')');
		if (depth == 0)
			return TEXT_UNKNOWN;
		index -= depth == 1 && *from == ',';
	}
	/* what stands before the star is pointed to, what stands behind it is the pointer's own */
	const char *star = from;
	for (; *star != '*' && depth > 0 && (depth > 1 || *star != ','); star++)
		depth += (*star == '(') - (*star == ')');
	if (*star != '*')
		return TEXT_UNKNOWN;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (has_word(from, star, words[i].plain) ||
		    has_word(from, star, words[i].reserved)) {
			*is_read_only =
			        words[i].address == TEXT_CONSTANT || has_word(from, star, "const");
			return words[i].address;
		}
	return TEXT_UNKNOWN;
}
