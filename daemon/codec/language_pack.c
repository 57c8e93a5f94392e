/* SPDX-License-Identifier: Apache-2.0 */
/* Language profiles: from a compiler's answers to packed bytes. */
#include "daemon/codec/language.h"

#include <stdlib.h>
#include <string.h>

/* A standard's macros, sorted, each name once. */
struct sorted {
	struct language_macro *macros;
	size_t count;
};

/* What the message points into. */
struct packing {
	struct sorted *standards; /* in the order of the answers */
	Predictd__LanguageMacro *macros;
	Predictd__LanguageMacro **macro_list;
	size_t macro_count;
	Predictd__LanguageStandard *standard;
	Predictd__LanguageStandard **standard_list;
	Predictd__LanguageOption *option;
	Predictd__LanguageOption **option_list;
	const char **undefined;
};

static int compare_macros(const void *a, const void *b)
{
	const struct language_macro *x = a, *y = b;
	return strcmp(x->name, y->name);
}

static int compare_names(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;
	return strcmp(*x, *y);
}

static int compare_standards(const void *a, const void *b)
{
	const Predictd__LanguageStandard *const *x = a, *const *y = b;
	return strcmp((*x)->option, (*y)->option);
}

static int compare_options(const void *a, const void *b)
{
	const Predictd__LanguageOption *const *x = a, *const *y = b;
	return strcmp((*x)->name, (*y)->name);
}

static const struct language_macro *find_macro(const struct sorted *in, const char *name)
{
	const struct language_macro key = {.name = name};
	return bsearch(&key, in->macros, in->count, sizeof *in->macros, compare_macros);
}

static bool sort_standard(const struct language_standard *given, struct sorted *sorted)
{
	sorted->macros = calloc(given->count + 1, sizeof *sorted->macros);
	if (sorted->macros == NULL)
		return false;
	/* in order of their giving, so that the first of a name stays */
	for (size_t i = 0; i < given->count; i++) {
		size_t at = sorted->count;
		while (at > 0 && strcmp(sorted->macros[at - 1].name, given->macros[i].name) > 0)
			at--;
		if (at > 0 && strcmp(sorted->macros[at - 1].name, given->macros[i].name) == 0)
			continue;
		memmove(&sorted->macros[at + 1], &sorted->macros[at],
		        (sorted->count - at) * sizeof *sorted->macros);
		sorted->macros[at] = given->macros[i];
		sorted->count++;
	}
	return true;
}

static bool packing_init(struct packing *packing, const struct language_answers *answers)
{
	size_t macros = 0;
	*packing = (struct packing){.standards = NULL};
	packing->standards = calloc(answers->standard_count + 1, sizeof *packing->standards);
	for (size_t i = 0; packing->standards != NULL && i < answers->standard_count; i++) {
		if (!sort_standard(&answers->standards[i], &packing->standards[i]))
			return false;
		macros += packing->standards[i].count;
	}
	packing->macros = calloc(macros + 1, sizeof *packing->macros);
	packing->macro_list = calloc(macros + 1, sizeof(*packing->macro_list));
	packing->standard = calloc(answers->standard_count + 1, sizeof *packing->standard);
	packing->standard_list =
	        calloc(answers->standard_count + 1, sizeof(*packing->standard_list));
	packing->option = calloc(answers->option_count + 1, sizeof *packing->option);
	packing->option_list = calloc(answers->option_count + 1, sizeof(*packing->option_list));
	packing->undefined = calloc(answers->asked_count + 1, sizeof(*packing->undefined));
	return packing->standards != NULL && packing->macros != NULL &&
	       packing->macro_list != NULL && packing->standard != NULL &&
	       packing->standard_list != NULL && packing->option != NULL &&
	       packing->option_list != NULL && packing->undefined != NULL;
}

static void packing_deinit(struct packing *packing, size_t standard_count)
{
	for (size_t i = 0; packing->standards != NULL && i < standard_count; i++)
		free(packing->standards[i].macros);
	free(packing->standards);
	free(packing->macros);
	free(packing->macro_list);
	free(packing->standard);
	free(packing->standard_list);
	free(packing->option);
	free(packing->option_list);
	free(packing->undefined);
}

/* Whether every standard that is accepted defines it so. */
static bool is_common(const struct packing *packing, const struct language_answers *answers,
                      const struct language_macro *macro)
{
	for (size_t i = 0; i < answers->standard_count; i++) {
		if (answers->standards[i].is_refused)
			continue;
		const struct language_macro *other =
		        find_macro(&packing->standards[i], macro->name);
		if (other == NULL || strcmp(other->value, macro->value) != 0)
			return false;
	}
	return true;
}

/* Those of a standard that are common, or that are not. */
static size_t add_macros(struct packing *packing, const struct language_answers *answers,
                         size_t standard, bool common, Predictd__LanguageMacro ***list)
{
	const struct sorted *from = &packing->standards[standard];
	size_t before = packing->macro_count;
	*list = packing->macro_list + before;
	for (size_t i = 0; i < from->count; i++) {
		if (is_common(packing, answers, &from->macros[i]) != common)
			continue;
		Predictd__LanguageMacro *macro = &packing->macros[packing->macro_count];
		predictd__language_macro__init(macro);
		macro->name = (char *)(uintptr_t)from->macros[i].name;
		macro->value = (char *)(uintptr_t)from->macros[i].value;
		packing->macro_list[packing->macro_count++] = macro;
	}
	return packing->macro_count - before;
}

static size_t add_undefined(struct packing *packing, const struct language_answers *answers)
{
	size_t count = 0, kept = 0;
	for (size_t i = 0; i < answers->asked_count; i++) {
		bool is_defined = false;
		for (size_t j = 0; j < answers->standard_count && !is_defined; j++)
			is_defined = !answers->standards[j].is_refused &&
			             find_macro(&packing->standards[j], answers->asked[i]) != NULL;
		if (!is_defined)
			packing->undefined[count++] = answers->asked[i];
	}
	if (count > 0)
		qsort(packing->undefined, count, sizeof(*packing->undefined), compare_names);
	for (size_t i = 0; i < count; i++)
		if (kept == 0 || strcmp(packing->undefined[kept - 1], packing->undefined[i]) != 0)
			packing->undefined[kept++] = packing->undefined[i];
	return kept;
}

static void add_standards(struct packing *packing, const struct language_answers *answers)
{
	for (size_t i = 0; i < answers->standard_count; i++) {
		Predictd__LanguageStandard *standard = &packing->standard[i];
		predictd__language_standard__init(standard);
		standard->option = (char *)(uintptr_t)answers->standards[i].option;
		standard->is_refused = answers->standards[i].is_refused;
		if (!standard->is_refused)
			standard->n_macros =
			        add_macros(packing, answers, i, false, &standard->macros);
		packing->standard_list[i] = standard;
	}
	qsort(packing->standard_list, answers->standard_count, sizeof(*packing->standard_list),
	      compare_standards);
}

static size_t add_options(struct packing *packing, const struct language_answers *answers)
{
	size_t kept = 0;
	for (size_t i = 0; i < answers->option_count; i++) {
		Predictd__LanguageOption *option = &packing->option[i];
		bool is_new = true;
		for (size_t j = 0; j < kept && is_new; j++)
			is_new = strcmp(packing->option_list[j]->name, answers->options[i].name);
		if (!is_new)
			continue;
		predictd__language_option__init(option);
		option->name = (char *)(uintptr_t)answers->options[i].name;
		option->is_refused = answers->options[i].is_refused;
		packing->option_list[kept++] = option;
	}
	if (kept > 0)
		qsort(packing->option_list, kept, sizeof(*packing->option_list), compare_options);
	return kept;
}

static enum status pack_into(const Predictd__Language *language, struct device *device,
                             struct error *error)
{
	uint8_t *bytes = malloc(DEVICE_LANGUAGE_MAX);
	size_t size = predictd__language__get_packed_size(language);
	enum status status = STATUS_OK;
	if (bytes == NULL) {
		status = error_set(error, STATUS_NO_MEMORY, "language: no memory");
	} else if (size > DEVICE_LANGUAGE_MAX) {
		status = error_set(error, STATUS_LIMIT, "language: want at most %d bytes, got %zu",
		                   DEVICE_LANGUAGE_MAX, size);
	} else {
		(void)predictd__language__pack(language, bytes);
		status = language_check(bytes, size, error);
	}
	if (status == STATUS_OK) {
		memset(device->language, 0, sizeof device->language);
		memcpy(device->language, bytes, size);
		device->language_bytes = (uint32_t)size;
	}
	free(bytes);
	return status;
}

enum status language_pack(const struct language_answers *answers, struct device *device,
                          struct error *error)
{
	Predictd__Language language = PREDICTD__LANGUAGE__INIT;
	struct packing packing;
	enum status status = STATUS_OK;
	size_t accepted = 0;
	while (accepted < answers->standard_count && answers->standards[accepted].is_refused)
		accepted++;
	if (accepted == answers->standard_count)
		return error_set(error, STATUS_INVALID,
		                 "language: all %zu standards are refused: want one that is not",
		                 answers->standard_count);
	if (!packing_init(&packing, answers)) {
		status = error_set(error, STATUS_NO_MEMORY, "language: no memory");
		goto out;
	}
	language.origin = answers->origin;
	language.n_macros = add_macros(&packing, answers, accepted, true, &language.macros);
	add_standards(&packing, answers);
	language.n_standards = answers->standard_count;
	language.standards = packing.standard_list;
	language.n_undefined = add_undefined(&packing, answers);
	language.undefined = (char **)(uintptr_t)packing.undefined;
	language.n_options = add_options(&packing, answers);
	language.options = packing.option_list;
	status = pack_into(&language, device, error);
out:
	packing_deinit(&packing, answers->standard_count);
	return status;
}
