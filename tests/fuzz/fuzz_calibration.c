/* SPDX-License-Identifier: Apache-2.0 */
/* Exported calibrations: what is decoded is sane, can be written again, and told to people. */
#include <stdlib.h>

#include "daemon/codec/arena.h"
#include "daemon/codec/device_codec.h"
#include "daemon/codec/language.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena;
	struct error error = {0};
	arena_init(&arena, 4 << 20);
	ProtobufCAllocator allocator = arena_allocator(&arena);
	struct device *device = calloc(1, sizeof *device);
	Predictd__Calibration *calibration = predictd__calibration__unpack(&allocator, size, data);
	if (device == NULL || calibration == NULL || calibration->device == NULL)
		goto out;
	if (device_decode(calibration->device, device, &error) == STATUS_OK) {
		if (device_check(device, &error) != STATUS_OK)
			abort();
		Predictd__Device *again = device_encode(device, true);
		if (again != NULL && !language_tell(device, again))
			abort();
		if (again != NULL &&
		    (again->language_text[0] != '\0') != (device->language_bytes > 0))
			abort();
		if (again != NULL)
			predictd__device__free_unpacked(again, NULL);
		/* what its version tells is a profile, whatever the rest is */
		if (language_assume(NULL, device, &error) != STATUS_OK ||
		    (device->language_bytes > 0 &&
		     language_check(device->language, device->language_bytes, &error) != STATUS_OK))
			abort();
	} else if (error.text[0] == '\0') {
		abort();
	}
out:
	free(device);
	arena_deinit(&arena);
	return 0;
}
