/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of devices as a calibrator, or a file, tells them: decoded, and encoded once more. */
#include <stdlib.h>
#include <string.h>

#include "daemon/codec/pair_codec.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct contention pair, again;
	struct error error = {.text = ""};
	Predictd__Pair *message = predictd__pair__unpack(NULL, size, data), told;
	if (message == NULL)
		return 0;
	if (pair_decode(message, &pair, &error) == STATUS_OK) {
		if (strcmp(pair.keys[0], pair.keys[1]) >= 0)
			abort();
		pair_encode(&pair, &told);
		if (pair_decode(&told, &again, &error) != STATUS_OK ||
		    memcmp(&pair, &again, sizeof pair) != 0)
			abort();
	} else if (error.text[0] == '\0') {
		abort();
	}
	predictd__pair__free_unpacked(message, NULL);
	return 0;
}
