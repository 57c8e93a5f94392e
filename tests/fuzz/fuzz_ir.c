/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels from a process that was taken over: whatever is decoded can be
 * printed, and predicted by every model within its budget.
 */
#include <stdlib.h>

#include "daemon/codec/ir_codec.h"
#include "tests/fuzz/examine.h"
#include "tests/fuzz/fuzz.h"

enum { KERNELS_MAX = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ir_kernel **kernels = NULL;
	size_t count = 0;
	struct error error;
	if (ir_decode_reply(data, size, &kernels, &count, NULL, &error) != STATUS_OK)
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (i < KERNELS_MAX)
			examine(kernels[i]);
		kernel_free(kernels[i]);
	}
	free(kernels);
	return 0;
}
