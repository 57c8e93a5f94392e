/* SPDX-License-Identifier: Apache-2.0 */
/* Products of float4 and the sums of work-groups by a tree. */
kernel void dot_vectors(global const float4 *a, global const float4 *b, global float *out,
                        local float *scratch)
{
	int i = get_global_id(0);
	int lid = get_local_id(0);

	scratch[lid] = dot(a[i], b[i]);
	for (int stride = get_local_size(0) >> 1; stride > 0; stride >>= 1) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lid < stride)
			scratch[lid] += scratch[lid + stride];
	}
	if (lid == 0)
		out[get_group_id(0)] = scratch[0];
}
