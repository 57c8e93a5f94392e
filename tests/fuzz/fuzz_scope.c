/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel's text as guesses read it: build options, a NUL, the source, with a kernel called k. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/predictctl/form.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t global[3] = {64, 64, 1}, group[3] = {8, 8, 1};
	static const char *const names[] = {"d"};
	char *text = malloc(size + 1);
	if (text == NULL)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	size_t length = strlen(text);
	const char *source = length < size ? text + length + 1 : text;
	struct scope *scope = scope_new(source, length < size ? text : "", "k");
	if (scope != NULL) {
		uint64_t local[3];
		unsigned dimension = 0;
		double factor = 1;
		scope_read(scope);
		scope_tile(scope, local);
		scope_range(scope, global, group);
		scope_set(scope, "n", 64);
		scope_data(scope, "d", -128, 127);
		scope_read(scope);
		(void)scope_is_open(scope, names, 1);
		bool is_guarded = scope_guard(scope, "n", &dimension, &factor);
		(void)scope_counts(scope, "n");
		double reach = scope_reach(scope, "a");
		if ((is_guarded && (dimension > 2 || !(factor > 0))) || isnan(reach) || reach < 0)
			abort();
	}
	scope_free(scope);
	free(text);
	return 0;
}
