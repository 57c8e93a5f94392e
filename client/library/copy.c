/* SPDX-License-Identifier: Apache-2.0 */
/* A question with all that it points to, for later. */
#include "client/library/copy.h"

#include <stdlib.h>
#include <string.h>

#include "client/library/program.h"
#include "client/library/sample.h"

static size_t text_bytes(const char *text)
{
	return text == NULL ? 0 : strlen(text) + 1;
}

static const char *put_text(char **to, const char *text)
{
	size_t size = text_bytes(text);
	if (text == NULL)
		return NULL;
	char *at = *to;
	memcpy(at, text, size);
	*to += size;
	return at;
}

struct question_copy *question_copy_new(const predictd_question *question)
{
	size_t argument_bytes = question->argument_count * sizeof question->arguments[0];
	size_t hint_bytes = question->hint_count * sizeof question->hints[0];
	size_t texts = text_bytes(question->kernel) + text_bytes(question->device);
	for (size_t i = 0; i < question->argument_count; i++)
		texts += text_bytes(question->arguments[i].type) +
		         text_bytes(question->arguments[i].init);
	struct question_copy *copy = malloc(sizeof *copy + argument_bytes + hint_bytes + texts);
	if (copy == NULL)
		return NULL;
	/* sizes of structs are multiples of their alignment: what follows is aligned, too */
	predictd_argument *arguments = (predictd_argument *)copy->bytes;
	predictd_hint *hints = (predictd_hint *)((char *)copy->bytes + argument_bytes);
	char *to = (char *)copy->bytes + argument_bytes + hint_bytes;
	copy->question = *question;
	copy->question.arguments = arguments;
	copy->question.hints = hints;
	copy->question.kernel = put_text(&to, question->kernel);
	copy->question.device = put_text(&to, question->device);
	if (argument_bytes > 0)
		memcpy(arguments, question->arguments, argument_bytes);
	if (hint_bytes > 0)
		memcpy(hints, question->hints, hint_bytes);
	for (size_t i = 0; i < question->argument_count; i++) {
		arguments[i].type = put_text(&to, question->arguments[i].type);
		arguments[i].init = put_text(&to, question->arguments[i].init);
		client_sample_hold(arguments[i].sample);
	}
	program_hold(question->program);
	return copy;
}

void question_copy_free(struct question_copy *copy)
{
	if (copy == NULL)
		return;
	for (size_t i = 0; i < copy->question.argument_count; i++)
		client_sample_release(copy->question.arguments[i].sample);
	program_release(copy->question.program);
	free(copy);
}
