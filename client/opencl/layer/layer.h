/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An OpenCL layer that follows a program's launches and transfers. In comes what the program calls,
 * out goes the same call to the target, and beside it what knowledge.h is told. This room calls
 * OpenCL through the target alone, prints nothing, and fails nothing that would have succeeded.
 */
#ifndef CLIENT_OPENCL_LAYER_LAYER_H
#define CLIENT_OPENCL_LAYER_LAYER_H

#include <CL/cl_layer.h>

#include "client/opencl/layer/knowledge.h"

/* What lies below; functions that it lacks are NULL. Written once, by clInitLayer. */
extern struct _cl_icd_dispatch layer_target;

/* How much the environment asks for. Written once, by clInitLayer. */
extern layer_mode layer_wanted;

/* Counts of what could not be followed. */
extern seen_losses layer_losses;

/* Whether calls are followed: not at exit, and not once memory was short at the start. */
extern _Atomic bool layer_is_following;

static inline bool layer_follows(void)
{
	return atomic_load_explicit(&layer_is_following, memory_order_relaxed);
}

/* Puts the layer's own function where the target has one. */
#define LAYER_ENTER(dispatch, name)                                                                \
	do {                                                                                       \
		if ((dispatch)->name != NULL)                                                      \
			(dispatch)->name = own_##name;                                             \
	} while (0)

/* Each puts its functions into the table that the program calls. */
void queues_enter(struct _cl_icd_dispatch *dispatch);
void programs_enter(struct _cl_icd_dispatch *dispatch);
void kernels_enter(struct _cl_icd_dispatch *dispatch);
void memory_enter(struct _cl_icd_dispatch *dispatch);
void launch_enter(struct _cl_icd_dispatch *dispatch);
void transfer_enter(struct _cl_icd_dispatch *dispatch);

#endif
