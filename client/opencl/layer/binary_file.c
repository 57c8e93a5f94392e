/* SPDX-License-Identifier: Apache-2.0 */
/* A fixed head with a checksum, the options, the source, each with a zero behind it. */
#include "client/opencl/layer/binary_file.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

struct head {
	char magic[8];
	uint64_t hash;     /* of the binary */
	uint64_t checksum; /* of all that follows */
	uint64_t options_size, text_size;
};

enum { CHECKED_FROM = offsetof(struct head, options_size) };

static const char magic[8] = "pdbin-1";

char *binary_file_make(const struct binary_file *file, uint64_t hash, size_t *size)
{
	struct head head = {
	        .hash = hash, .options_size = strlen(file->options), .text_size = file->size};
	*size = sizeof head + head.options_size + head.text_size + 2;
	char *bytes = calloc(1, *size);
	if (bytes == NULL)
		return NULL;
	memcpy(head.magic, magic, sizeof magic);
	memcpy(bytes, &head, sizeof head);
	memcpy(bytes + sizeof head, file->options, head.options_size);
	memcpy(bytes + sizeof head + head.options_size + 1, file->text, head.text_size);
	head.checksum = XXH3_64bits(bytes + CHECKED_FROM, *size - CHECKED_FROM);
	memcpy(bytes, &head, sizeof head);
	return bytes;
}

bool binary_file_parse(const char *bytes, size_t size, uint64_t hash, struct binary_file *file)
{
	struct head head;
	if (size < sizeof head)
		return false;
	memcpy(&head, bytes, sizeof head);
	const char *rest = bytes + sizeof head;
	const size_t rest_size = size - sizeof head;
	if (memcmp(head.magic, magic, sizeof magic) != 0 || head.hash != hash ||
	    head.options_size >= rest_size || head.text_size >= rest_size ||
	    head.options_size + head.text_size + 2 != rest_size ||
	    head.checksum != XXH3_64bits(bytes + CHECKED_FROM, size - CHECKED_FROM))
		return false;
	if (memchr(rest, '\0', rest_size) != rest + head.options_size ||
	    rest[rest_size - 1] != '\0')
		return false;
	file->options = rest;
	file->text = rest + head.options_size + 1;
	file->size = head.text_size;
	return true;
}
