/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a kernel can be built with several results a work-item, and of which vectors. */
#include "model/whatif/differ.h"
#include "model/whatif/shape.h"

enum { NODES_MAX = 1 << 14 };

static bool launch_fits(const struct launch *launch, const struct several *several)
{
	unsigned d = several->dimension, count = several->count;

	if (several->way == SEVERAL_SUMS || several->way == SEVERAL_BESIDE ||
	    several->way == SEVERAL_STRIP)
		return count >= 2 && count <= 16;
	if (several_is_as_many(several->way))
		return true;
	if (count < 2 ||
	    count > (several->way == SEVERAL_GROUPS ? SEVERAL_GROUPS_MOST : SEVERAL_MOST) ||
	    (count & (count - 1)) != 0 || d > 2 || d >= launch->dimensions ||
	    launch->offset[d] != 0)
		return false;
	if (several->way == SEVERAL_WIDTH && count > 16)
		return false;
	if (several->way == SEVERAL_GROUPS)
		return launch->dimensions == 1 && launch->global[0] < UINT64_C(1) << 20;
	if (several->way == SEVERAL_SPLIT)
		return launch->global[0] < UINT64_C(1) << 32 && launch->local[0] % count == 0;
	return launch->global[d] % (count * launch->local[d]) == 0;
}

bool several_has_structures(const struct ir_kernel *kernel, uint32_t object)
{
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (kernel->accesses[i].object == object &&
		    kernel->accesses[i].scale_bytes > type_bytes(kernel->accesses[i].type))
			return true;
	return false;
}

struct several_vectors several_vectors_of(const struct ir_kernel *kernel,
                                          const struct launch *launch,
                                          const struct several *several)
{
	struct several_state s;
	bool is_made = state_init(&s, kernel, launch, several) == STATUS_OK;
	struct several_vectors vectors = {.is_aligned = is_made, .narrowest_bytes = UINT32_MAX};

	for (uint32_t i = 0; is_made && i < kernel->access_count; i++) {
		const struct ir_access *access = &kernel->accesses[i];
		uint32_t bytes = type_bytes(access->type);

		if (!access_varies(&s, access) ||
		    (several->way == SEVERAL_BESIDE && access->kind != ACCESS_LOAD) ||
		    (several->way == SEVERAL_STRIP && !access_is_several(&s, access)))
			continue;
		vectors.is_aligned &= access_is_aligned(&s, access);
		if (bytes < vectors.narrowest_bytes)
			vectors.narrowest_bytes = bytes;
		if (bytes > vectors.widest_bytes)
			vectors.widest_bytes = bytes;
	}
	state_deinit(&s);
	return vectors;
}

bool several_fits(const struct ir_kernel *kernel, const struct launch *launch,
                  const struct several *several)
{
	struct several_state s;
	bool is_fit;

	if (kernel->node_count > NODES_MAX || !launch_fits(launch, several) ||
	    (several_is_as_many(several->way) && several->object >= kernel->object_count) ||
	    (!several_is_as_many(several->way) && several->way != SEVERAL_BLOCK &&
	     several->way != SEVERAL_GROUPS && !kernel_is_free_of_groups(kernel)) ||
	    ((several->way == SEVERAL_SPLIT || several->way == SEVERAL_GROUPS ||
	      several->way == SEVERAL_SUMS || several->way == SEVERAL_TREE ||
	      several->way == SEVERAL_BESIDE || several->way == SEVERAL_CHOSEN ||
	      several->way == SEVERAL_STRIP) &&
	     (several->loop >= kernel->statement_count ||
	      kernel->statements[several->loop].kind != STATEMENT_LOOP)))
		return false;
	is_fit = state_init(&s, kernel, launch, several) == STATUS_OK && state_fits(&s);
	state_deinit(&s);
	return is_fit;
}
