/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes around the points of each work-group, the leaves of a hierarchy of bounding volumes. */
kernel void group_bounds(global const float4 *points, global float4 *boxes, int count, local float4 *low,
                         local float4 *high)
{
	uint gid = get_global_id(0);
	uint lid = get_local_id(0);
	float4 point = points[min(gid, (uint)count - 1)];

	low[lid] = point - point.w;
	high[lid] = point + point.w;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint half_way = get_local_size(0) >> 1; half_way != 0; half_way >>= 1) {
		if (lid < half_way) {
			low[lid] = fmin(low[lid], low[lid + half_way]);
			high[lid] = fmax(high[lid], high[lid + half_way]);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lid == 0) {
		boxes[2 * get_group_id(0)] = low[0];
		boxes[2 * get_group_id(0) + 1] = high[0];
	}
}
