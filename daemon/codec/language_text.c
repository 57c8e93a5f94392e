/* SPDX-License-Identifier: Apache-2.0 */
/* What a language profile says to people. */
#include "daemon/codec/language.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line {
	char *text;
	size_t used;
};

static void append(struct line *line, const char *text)
{
	size_t room = LANGUAGE_TEXT_MAX - 1 - line->used, length = strlen(text);
	if (length > room)
		length = room;
	memcpy(line->text + line->used, text, length);
	line->used += length;
	line->text[line->used] = '\0';
}

static const char *find_value(Predictd__LanguageMacro *const *macros, size_t count,
                              const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(macros[i]->name, name) == 0)
			return macros[i]->value;
	return NULL;
}

/* "OpenCL C 3.0 by default, CL1.2 CL3.0, 57 macros": those of the default. */
static void describe_standards(struct line *line, const Predictd__Language *language)
{
	char text[64];
	size_t macros = language->n_macros;
	const char *version =
	        find_value(language->macros, language->n_macros, "__OPENCL_C_VERSION__");
	for (size_t i = 0; i < language->n_standards; i++) {
		const Predictd__LanguageStandard *standard = language->standards[i];
		if (standard->option[0] != '\0')
			continue;
		macros += standard->n_macros;
		if (version == NULL)
			version = find_value(standard->macros, standard->n_macros,
			                     "__OPENCL_C_VERSION__");
	}
	unsigned long number = version != NULL ? strtoul(version, NULL, 10) : 0;
	if (number >= 100 && number < 1000) {
		(void)snprintf(text, sizeof text, "OpenCL C %lu.%lu by default", number / 100,
		               number / 10 % 10);
		append(line, text);
	} else {
		append(line, "OpenCL C of unknown version by default");
	}
	const char *before = ", ";
	for (size_t i = 0; i < language->n_standards; i++) {
		const Predictd__LanguageStandard *standard = language->standards[i];
		if (standard->is_refused || strncmp(standard->option, "-cl-std=", 8) != 0)
			continue;
		append(line, before);
		append(line, standard->option + 8);
		before = " ";
	}
	(void)snprintf(text, sizeof text, ", %zu macros", macros);
	append(line, text);
}

void language_describe(const Predictd__Language *language, char text[LANGUAGE_TEXT_MAX])
{
	struct line line = {.text = text};
	text[0] = '\0';
	describe_standards(&line, language);
	if (language->origin != LANGUAGE_NONE) {
		append(&line, ", ");
		append(&line, language_origin_text(language->origin));
	}
}

static bool tell_refused(const Predictd__Language *language, Predictd__Device *message)
{
	message->refused_options =
	        calloc(language->n_options + 1, sizeof(*message->refused_options));
	if (message->refused_options == NULL)
		return false;
	for (size_t i = 0; i < language->n_options; i++) {
		if (!language->options[i]->is_refused)
			continue;
		char *copy = strdup(language->options[i]->name);
		if (copy == NULL)
			return false;
		message->refused_options[message->n_refused_options++] = copy;
	}
	return true;
}

bool language_tell(const struct device *device, Predictd__Device *message)
{
	char text[LANGUAGE_TEXT_MAX];
	Predictd__Language *language = language_of(device);
	if (language == NULL)
		return true;
	language_describe(language, text);
	char *copy = strdup(text);
	bool is_told = copy != NULL && tell_refused(language, message);
	if (copy != NULL)
		message->language_text = copy;
	message->is_language_assumed = language->origin != LANGUAGE_ASKED;
	predictd__language__free_unpacked(language, NULL);
	return is_told;
}
