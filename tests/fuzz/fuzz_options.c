/* SPDX-License-Identifier: Apache-2.0 */
/* Build options: any text is accepted or refused; what is accepted names no file. */
#include <stdlib.h>
#include <string.h>

#include "model/frontend/frontend.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct error error = {0};
	if (text == NULL)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	enum status status = frontend_check_options(text, &error);
	if (status == STATUS_OK &&
	    (strncmp(text, "-Xclang", 7) == 0 || strncmp(text, "-include", 8) == 0 ||
	     strncmp(text, "-M", 2) == 0 || strncmp(text, "@", 1) == 0))
		abort();
	if (status != STATUS_OK && error.text[0] == '\0')
		abort();
	free(text);
	return 0;
}
