/* SPDX-License-Identifier: Apache-2.0 */
/* Exported calibrations: what is decoded is sane, and can be written again. */
#include <stdlib.h>

#include "daemon/arena.h"
#include "daemon/device_codec.h"
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
		if (again != NULL)
			predictd__device__free_unpacked(again, NULL);
	} else if (error.text[0] == '\0') {
		abort();
	}
out:
	free(device);
	arena_deinit(&arena);
	return 0;
}
