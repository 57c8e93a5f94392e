/* SPDX-License-Identifier: Apache-2.0 */
/* Framing: any bytes, cut anywhere, give whole messages within the limit, or an end. */
#include <stdlib.h>

#include "proto/frame.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	struct frame_reader reader;
	const size_t limit = (size_t)data[0] * 64, step = (size_t)data[1] + 1;
	data += 2;
	size -= 2;
	frame_reader_init(&reader, limit);
	for (size_t at = 0; at < size; at += step) {
		size_t part = size - at < step ? size - at : step;
		if (!frame_reader_feed(&reader, data + at, part))
			break;
		const uint8_t *message = NULL;
		size_t message_size = 0;
		enum frame_result result;
		volatile uint8_t sum = 0; /* reads every byte, for the sanitizer to see */
		while ((result = frame_reader_next(&reader, &message, &message_size)) ==
		       FRAME_READY) {
			if (message_size > limit)
				abort();
			for (size_t i = 0; i < message_size; i++)
				sum = (uint8_t)(sum + message[i]);
		}
		if (result == FRAME_TOO_LONG)
			break;
	}
	frame_reader_deinit(&reader);
	return 0;
}
