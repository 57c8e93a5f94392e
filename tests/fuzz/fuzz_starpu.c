/* SPDX-License-Identifier: Apache-2.0 */
/* Files of StarPU's performance models: what is taken is written, and read back as the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/predictctl/arguments.h"
#include "client/predictctl/starpu_model.h"
#include "tests/fuzz/fuzz.h"

static char *printed(const struct starpu_model *model, size_t *size)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, size);
	if (file == NULL)
		return NULL;
	starpu_model_print(model, file);
	(void)fclose(file);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct starpu_model model, again = {0};
	struct complaint why = {""};
	size_t length, other_length;
	if (!starpu_model_parse((const char *)data, size, &model, &why)) {
		if (strncmp(why.text, "line ", 5) != 0)
			abort();
		return 0;
	}
	struct starpu_row row = starpu_row_make(0x1234, 99, 20, 5, 10);
	if (!starpu_model_put(&model, 1, &row) || starpu_model_find(&model, 1, 0x1234) == NULL)
		abort();
	char *text = printed(&model, &length);
	if (text != NULL && !starpu_model_parse(text, length, &again, &why))
		abort();
	char *other = text != NULL ? printed(&again, &other_length) : NULL;
	if (other != NULL && (length != other_length || memcmp(text, other, length) != 0))
		abort();
	starpu_model_deinit(&model);
	starpu_model_deinit(&again);
	free(text);
	free(other);
	return 0;
}
