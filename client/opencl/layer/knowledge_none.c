/* SPDX-License-Identifier: Apache-2.0 */
/* Knows nothing. */
#include "client/opencl/layer/knowledge.h"

bool knowledge_open(layer_mode mode)
{
	(void)mode;
	return true;
}

void knowledge_shape(seen_shape *shape)
{
	(void)shape;
}

void knowledge_launch(seen_shape *shape, const seen_times *times)
{
	(void)shape;
	(void)times;
}

void knowledge_transfer(seen_transfer_kind kind, const seen_device *device, uint64_t size_bytes,
                        bool is_blocking, const seen_times *times)
{
	(void)kind;
	(void)device;
	(void)size_bytes;
	(void)is_blocking;
	(void)times;
}

void knowledge_tick(const seen_losses *losses)
{
	(void)losses;
}

void knowledge_close(const seen_losses *losses, double wait_s)
{
	(void)losses;
	(void)wait_s;
}

void knowledge_forked(void)
{
}
