/* SPDX-License-Identifier: Apache-2.0 */
/* Requests by HTTP: what is answered depends on their bytes, and not on how these come. */
#include <stdlib.h>

#include "daemon/export/http_request.h"
#include "tests/fuzz/fuzz.h"

/* In pieces of that many bytes. */
static unsigned status_of(const uint8_t *data, size_t size, size_t piece)
{
	struct http_request request;
	unsigned status = 0;
	http_request_init(&request);
	for (size_t i = 0; i < size && status == 0; i += piece)
		status = http_request_feed(&request, (const char *)data + i,
		                           size - i < piece ? size - i : piece);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char head[256];
	unsigned status = status_of(data, size, size + 1);
	switch (status) {
	case 0:
		if (size >= HTTP_REQUEST_BYTES_MAX)
			abort();
		break;
	case 200:
	case 400:
	case 404:
	case 405:
	case 431:
		if (http_answer_head(status, size, head, sizeof head) == 0)
			abort();
		break;
	default:
		abort();
	}
	if (status_of(data, size, 1) != status || status_of(data, size, 7) != status)
		abort();
	return 0;
}
