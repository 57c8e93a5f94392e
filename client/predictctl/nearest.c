/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The word that somebody who mistyped one may have meant: the least restricted Damerau-Levenshtein
 * distance, also called optimal string alignment (Damerau, CACM 7(3), 1964).
 */
#include "client/predictctl/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { WORD_MAX = 32 };

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned distance(const char *a, size_t length, const char *b)
{
	unsigned rows[3][WORD_MAX + 1], *before = rows[0], *last = rows[1], *row = rows[2];
	size_t other = strlen(b);
	for (unsigned j = 0; j <= other; j++)
		last[j] = j;
	for (size_t i = 1; i <= length; i++) {
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= other; j++) {
			unsigned differ = tolower((unsigned char)a[i - 1]) !=
			                  tolower((unsigned char)b[j - 1]);
			row[j] = least(last[j - 1] + differ, 1 + least(last[j], row[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
		}
		unsigned *free_row = before;
		before = last;
		last = row;
		row = free_row;
	}
	return last[other];
}

const char *nearest(const char *word, const char *const *words)
{
	const char *found = NULL;
	size_t length = strlen(word);
	unsigned best = length > WORD_MAX ? 0 : (unsigned)(length + 2) / 3 + 1;
	for (; *words != NULL; words++) {
		unsigned apart = strlen(*words) > WORD_MAX ? best : distance(word, length, *words);
		if (apart >= best)
			continue;
		best = apart;
		found = *words;
	}
	return found;
}

const char *nearest_say(const char *word, const char *const *words, char text[64])
{
	char part[WORD_MAX + 1];
	size_t length = strcspn(word, ":=,");
	text[0] = '\0';
	if (length < 2 || length > WORD_MAX)
		return text;
	(void)memcpy(part, word, length);
	part[length] = '\0';
	const char *meant = nearest(part, words);
	if (meant != NULL)
		(void)snprintf(text, 64, "; did you mean %s?", meant);
	return text;
}
