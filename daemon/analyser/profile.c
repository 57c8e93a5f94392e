/* SPDX-License-Identifier: Apache-2.0 */
/* A language profile as the front-end takes it. */
#include "daemon/analyser/profile.h"

#include <stdlib.h>

#include "daemon/codec/language.h"

/* Macros as the front-end takes them; NULL: no memory. */
static const struct frontend_macro *macros_of(Predictd__LanguageMacro *const *from, size_t count)
{
	struct frontend_macro *macros = calloc(count + 1, sizeof *macros);
	for (size_t i = 0; macros != NULL && i < count; i++)
		macros[i] = (struct frontend_macro){from[i]->name, from[i]->value};
	return macros;
}

bool profile_language(const Predictd__Language *from, struct frontend_language *language)
{
	struct frontend_standard *standards = calloc(from->n_standards + 1, sizeof *standards);
	const char **refused = calloc(from->n_options + 1, sizeof(*refused));
	bool is_whole = standards != NULL && refused != NULL;
	*language = (struct frontend_language){
	        .origin = language_origin_text(from->origin),
	        .macros = macros_of(from->macros, from->n_macros),
	        .macro_count = from->n_macros,
	        .undefined = (const char *const *)from->undefined,
	        .undefined_count = from->n_undefined,
	        .standards = standards,
	        .standard_count = from->n_standards,
	        .refused = refused,
	};
	for (size_t i = 0; is_whole && i < from->n_standards; i++) {
		const Predictd__LanguageStandard *standard = from->standards[i];
		standards[i] = (struct frontend_standard){
		        .option = standard->option,
		        .is_refused = standard->is_refused,
		        .macros = macros_of(standard->macros, standard->n_macros),
		        .macro_count = standard->n_macros};
		is_whole = standards[i].macros != NULL;
	}
	for (size_t i = 0; is_whole && i < from->n_options; i++)
		if (from->options[i]->is_refused)
			refused[language->refused_count++] = from->options[i]->name;
	return is_whole && language->macros != NULL;
}
