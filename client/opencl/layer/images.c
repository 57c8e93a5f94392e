/* SPDX-License-Identifier: Apache-2.0 */
/* Images in predictd's words. */
#include <stdio.h>

#include "client/opencl/layer/memory.h"

static const struct {
	cl_channel_order order;
	const char *word;
	unsigned channels;
} orders[] = {{CL_R, "r", 1},
              {CL_RG, "rg", 2},
              {CL_RGBA, "rgba", 4},
              {CL_BGRA, "bgra", 4},
              /* of one channel, as the hardware has them */
              {CL_A, "r", 1},
              {CL_INTENSITY, "r", 1},
              {CL_LUMINANCE, "r", 1},
              {CL_DEPTH, "r", 1}};

static const struct {
	cl_channel_type type;
	const char *word;
	unsigned bytes;
} types[] = {{CL_UNORM_INT8, "8", 1},        {CL_UNORM_INT16, "16", 2},
             {CL_HALF_FLOAT, "16f", 2},      {CL_FLOAT, "32f", 4},
             {CL_SIGNED_INT8, "8i", 1},      {CL_SIGNED_INT16, "16i", 2},
             {CL_SIGNED_INT32, "32i", 4},    {CL_UNSIGNED_INT8, "8ui", 1},
             {CL_UNSIGNED_INT16, "16ui", 2}, {CL_UNSIGNED_INT32, "32ui", 4}};

static bool find(const cl_image_format *format, size_t *order, size_t *type)
{
	const size_t order_count = sizeof orders / sizeof orders[0];
	const size_t type_count = sizeof types / sizeof types[0];
	for (*order = 0; *order < order_count; ++*order)
		if (orders[*order].order == format->image_channel_order)
			break;
	for (*type = 0; *type < type_count; ++*type)
		if (types[*type].type == format->image_channel_data_type)
			break;
	return *order < order_count && *type < type_count;
}

void image_describe(struct memory *memory, const cl_image_format *format, const cl_image_desc *desc)
{
	size_t order, type;
	memory->kind = MEMORY_IMAGE;
	memory->width = (uint32_t)desc->image_width;
	memory->height = memory->depth = 0;
	switch (desc->image_type) {
	case CL_MEM_OBJECT_IMAGE1D_ARRAY:
		memory->height = (uint32_t)desc->image_array_size;
		break;
	case CL_MEM_OBJECT_IMAGE2D:
		memory->height = (uint32_t)desc->image_height;
		break;
	case CL_MEM_OBJECT_IMAGE2D_ARRAY:
		memory->height = (uint32_t)desc->image_height;
		memory->depth = (uint32_t)desc->image_array_size;
		break;
	case CL_MEM_OBJECT_IMAGE3D:
		memory->height = (uint32_t)desc->image_height;
		memory->depth = (uint32_t)desc->image_depth;
		break;
	default:
		break;
	}
	if (!find(format, &order, &type))
		return;
	(void)snprintf(memory->type, sizeof memory->type, "%s%s", orders[order].word,
	               types[type].word);
	memory->texel_bytes = orders[order].channels * types[type].bytes;
	memory->size_bytes = (uint64_t)memory->texel_bytes * memory->width;
	memory->size_bytes *= memory->height == 0 ? 1 : memory->height;
	memory->size_bytes *= memory->depth == 0 ? 1 : memory->depth;
}
