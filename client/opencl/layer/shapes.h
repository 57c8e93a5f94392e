/* SPDX-License-Identifier: Apache-2.0 */
/* Launches that are alike, found by one look-up each. */
#ifndef CLIENT_OPENCL_LAYER_SHAPES_H
#define CLIENT_OPENCL_LAYER_SHAPES_H

#include "client/opencl/layer/kernels.h"

/* Shapes of one class that are told apart; a class is all of a launch but values and data. */
enum { SHAPES_A_CLASS_MAX = 256 };

/* Hashed as it stands: it has no room between its fields. */
struct shape_launch {
	seen_kernel *kernel;
	seen_device *device;
	uint64_t dimensions;
	uint64_t global[3], local[3], offset[3]; /* zeros behind the dimensions */
};

/*
 * The shape of a launch with the arguments that its kernel has by now.
 *
 * is_near   out: its class is full, and it is counted as the last one of it
 *
 * NULL: there is no room for it.
 */
seen_shape *shapes_find(const struct shape_launch *launch, const struct kernel *kernel,
                        bool *is_near);

/* By its number; NULL: there is none yet. */
seen_shape *shapes_get(uint32_t number);

/* In a child of fork(). */
void shapes_forget(void);

#endif
