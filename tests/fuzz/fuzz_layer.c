/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the OpenCL layer reads of others: a file of a binary's source, with a head that checks but
 * for its sizes, and a program's text with a kernel called k.
 */
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "client/opencl/layer/binary_file.h"
#include "client/opencl/layer/text.h"
#include "tests/fuzz/fuzz.h"

enum { HASH = 7, HEAD_BYTES = 40, CHECKED_FROM = 24 };

static void examine(const char *bytes, size_t size)
{
	struct binary_file file;
	if (!binary_file_parse(bytes, size, HASH, &file))
		return;
	if (file.text + file.size + 1 != bytes + size || file.text[file.size] != '\0' ||
	    file.options + strlen(file.options) + 1 != file.text)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1 + HEAD_BYTES);
	if (text == NULL)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	for (size_t i = 0; i < 4; i++) {
		bool is_read_only;
		if (text_parameter(text_parameters(text, "k"), i, &is_read_only) != TEXT_UNKNOWN &&
		    !text_defines(text, "k"))
			abort();
	}
	/* what is made is read back */
	size_t made_size = 0;
	char *made = binary_file_make(&(struct binary_file){"-DA", text, size}, HASH, &made_size);
	struct binary_file file;
	if (made != NULL &&
	    (!binary_file_parse(made, made_size, HASH, &file) || file.size != size ||
	     memcmp(file.text, data, size) != 0 || strcmp(file.options, "-DA") != 0))
		abort();
	/* and so is a head with sizes of the input's choice, or it is refused */
	if (made != NULL && size >= HEAD_BYTES) {
		memcpy(text, made, CHECKED_FROM);
		const uint64_t checksum = XXH3_64bits(text + CHECKED_FROM, size - CHECKED_FROM);
		memcpy(text + CHECKED_FROM - sizeof checksum, &checksum, sizeof checksum);
		examine(text, size);
	}
	free(made);
	free(text);
	return 0;
}
