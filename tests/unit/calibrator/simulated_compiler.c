/* SPDX-License-Identifier: Apache-2.0 */
/* What the simulated device's compiler makes of sources and options. */
#include "tests/unit/calibrator/simulated_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool compiler_builds(cl_program program)
{
	const struct simulated_compiler *compiler = how.compiler;
	if (compiler == NULL)
		return true;
	if (compiler->asked == ASKED_REFUSED && strstr(program->source, "#ifdef") != NULL)
		return false;
	return compiler->takes == NULL || compiler->takes(program->options);
}

double compiler_slows(cl_program program, const char *kernel)
{
	const struct simulated_build *build = how.builds;
	for (; build != NULL && build->option != NULL; build++)
		if (strstr(program->options, build->option) != NULL &&
		    strncmp(kernel, build->kernels, strlen(build->kernels)) == 0)
			return build->slow;
	return 1;
}

/* What the kernel copies: the literals between #ifdefs whose macro is defined. */
cl_uint *compiler_answers(cl_program program, size_t bytes)
{
	static char text[1 << 16];
	const struct simulated_compiler *compiler = how.compiler;
	cl_uint *words = calloc(1, bytes);
	if (words == NULL || compiler == NULL || compiler->asked == ASKED_NOT_RUN)
		return words;
	char *copy = strdup(program->source), *rest = copy;
	size_t used = (size_t)snprintf(text, sizeof text, "predictd asks\n");
	for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
		char name[160];
		if (sscanf(line, "#ifdef %159s", name) != 1)
			continue;
		const char *value = compiler->macro(name, program->options);
		if (value != NULL)
			used += (size_t)snprintf(text + used, sizeof text - used, "%s=%s\n", name,
			                         value);
	}
	free(copy);
	memset(text + used, compiler->asked == ASKED_CUT ? 'x' : 0, sizeof text - used);
	for (size_t i = 0; i < bytes / sizeof *words && i < sizeof text; i++)
		words[i] = (unsigned char)text[i];
	return words;
}

double fetch_s(const char *kernel, double trips)
{
	unsigned instructions;

	if (sscanf(kernel, "body_%u", &instructions) != 1)
		return 0;
	return trips * instructions *
	       (instructions <= SIMULATED_FETCH_NEAR  ? SIMULATED_ISSUE_S
	        : instructions <= SIMULATED_FETCH_FAR ? 3 * SIMULATED_ISSUE_S
	                                              : 6 * SIMULATED_ISSUE_S);
}
