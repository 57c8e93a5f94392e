/* SPDX-License-Identifier: Apache-2.0 */
/* The same with positions brought to local memory a work-group at a time. */
kernel void nbody_tiled(global const float4 *position, global float4 *acceleration, int count,
                        float softening, local float4 *tile)
{
	int i = get_global_id(0);
	int lid = get_local_id(0);
	int size = get_local_size(0);
	float4 here = position[i];
	float4 sum = (float4)(0.0f);

	for (int start = 0; start < count; start += size) {
		tile[lid] = position[start + lid];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int j = 0; j < size; j++) {
			float4 between = tile[j] - here;
			float square = between.x * between.x + between.y * between.y +
			               between.z * between.z + softening;
			float inverse = native_rsqrt(square);
			sum += between * (tile[j].w * inverse * inverse * inverse);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	sum.w = 0.0f;
	acceleration[i] = sum;
}
