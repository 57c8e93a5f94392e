/* SPDX-License-Identifier: Apache-2.0 */
/* Language profiles: their check, and what tells them apart. */
#include "daemon/codec/language.h"

#include "proto/text.h"

#include <ctype.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static enum status corrupt(const char *what, const char *name, struct error *error)
{
	char text[64];
	size_t used = 0;
	for (; name[used] != '\0' && used < sizeof text - 1; used++)
		text[used] = isprint((unsigned char)name[used]) ? name[used] : '?';
	text[used] = '\0';
	return error_set(error, STATUS_CORRUPT, "language: %s \"%s\"", what, text);
}

static bool is_macro_name(const char *name)
{
	size_t length = strnlen(name, LANGUAGE_NAME_MAX);
	if (length == 0 || length == LANGUAGE_NAME_MAX || isdigit((unsigned char)name[0]))
		return false;
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_')
			return false;
	return true;
}

static bool is_line(const char *text, size_t room)
{
	size_t length = strnlen(text, room);
	/* a backslash at the end would join it with what follows */
	return length < room && text_clean_bytes(text) == length &&
	       (length == 0 || text[length - 1] != '\\');
}

static bool is_option(const char *name)
{
	return name[0] == '-' && is_line(name, LANGUAGE_NAME_MAX);
}

static enum status macros_check(Predictd__LanguageMacro *const *macros, size_t count,
                                struct error *error)
{
	if (count > LANGUAGE_LIST_MAX)
		return error_set(error, STATUS_CORRUPT, "language: want at most %d macros, got %zu",
		                 LANGUAGE_LIST_MAX, count);
	for (size_t i = 0; i < count; i++) {
		if (!is_macro_name(macros[i]->name))
			return corrupt("no macro's name:", macros[i]->name, error);
		if (!is_line(macros[i]->value, LANGUAGE_VALUE_MAX))
			return corrupt("no macro's value:", macros[i]->value, error);
	}
	return STATUS_OK;
}

static enum status message_check(const Predictd__Language *language, struct error *error)
{
	enum status status = macros_check(language->macros, language->n_macros, error);
	if (language->origin == LANGUAGE_NONE || language->origin >= LANGUAGE_ORIGINS)
		return error_set(error, STATUS_CORRUPT, "language: unknown origin %u",
		                 language->origin);
	if (language->n_undefined > LANGUAGE_LIST_MAX || language->n_options > LANGUAGE_LIST_MAX ||
	    language->n_standards > LANGUAGE_STANDARDS_MAX)
		return error_set(error, STATUS_CORRUPT,
		                 "language: want at most %d names and options and %d standards",
		                 LANGUAGE_LIST_MAX, LANGUAGE_STANDARDS_MAX);
	for (size_t i = 0; i < language->n_undefined && status == STATUS_OK; i++)
		if (!is_macro_name(language->undefined[i]))
			status = corrupt("no macro's name:", language->undefined[i], error);
	for (size_t i = 0; i < language->n_standards && status == STATUS_OK; i++) {
		const Predictd__LanguageStandard *standard = language->standards[i];
		if (standard->option[0] != '\0' && !is_option(standard->option))
			status = corrupt("no option:", standard->option, error);
		else
			status = macros_check(standard->macros, standard->n_macros, error);
	}
	for (size_t i = 0; i < language->n_options && status == STATUS_OK; i++)
		if (!is_option(language->options[i]->name))
			status = corrupt("no option:", language->options[i]->name, error);
	return status;
}

enum status language_unpack(const uint8_t *bytes, size_t size, Predictd__Language **language,
                            struct error *error)
{
	if (size > DEVICE_LANGUAGE_MAX)
		return error_set(error, STATUS_CORRUPT, "language: want at most %d bytes, got %zu",
		                 DEVICE_LANGUAGE_MAX, size);
	Predictd__Language *message = predictd__language__unpack(NULL, size, bytes);
	if (message == NULL)
		return error_set(error, STATUS_CORRUPT, "language: %zu bytes that are no message",
		                 size);
	enum status status = message_check(message, error);
	if (status == STATUS_OK)
		*language = message;
	else
		predictd__language__free_unpacked(message, NULL);
	return status;
}

enum status language_check(const uint8_t *bytes, size_t size, struct error *error)
{
	Predictd__Language *language = NULL;
	enum status status = language_unpack(bytes, size, &language, error);
	if (status == STATUS_OK)
		predictd__language__free_unpacked(language, NULL);
	return status;
}

const char *language_origin_text(uint32_t origin)
{
	static const char *const texts[LANGUAGE_ORIGINS] = {
	        [LANGUAGE_NONE] = "of no device's compiler",
	        [LANGUAGE_ASKED] = "asked of the device's compiler",
	        [LANGUAGE_LISTED] = "assumed from the device's version and extensions",
	        [LANGUAGE_VERSION] = "assumed from the device's version",
	};
	return texts[origin < LANGUAGE_ORIGINS ? origin : LANGUAGE_NONE];
}

uint64_t language_id(const uint8_t *bytes, size_t size)
{
	if (size == 0)
		return 0;
	uint64_t id = XXH3_64bits(bytes, size);
	return id == 0 ? 1 : id;
}

Predictd__Language *language_of(const struct device *device)
{
	struct error ignored;
	Predictd__Language *language = NULL;
	if (device->language_bytes > 0)
		(void)language_unpack(device->language, device->language_bytes, &language,
		                      &ignored);
	return language;
}

enum language_origin language_origin(const struct device *device)
{
	Predictd__Language *language = language_of(device);
	if (language == NULL)
		return LANGUAGE_NONE;
	enum language_origin origin = (enum language_origin)language->origin;
	predictd__language__free_unpacked(language, NULL);
	return origin;
}

bool language_is_nearer(const struct device *a, const struct device *b)
{
	enum language_origin of_a = language_origin(a), of_b = language_origin(b);
	return of_a != LANGUAGE_NONE && (of_b == LANGUAGE_NONE || of_a < of_b);
}

void language_copy(const struct device *from, struct device *to)
{
	memcpy(to->language, from->language, sizeof to->language);
	to->language_bytes = from->language_bytes;
}
