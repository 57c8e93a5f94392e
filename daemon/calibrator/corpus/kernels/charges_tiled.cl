/* SPDX-License-Identifier: Apache-2.0 */
/* the potential of all charges at each of them */
kernel void charges_tiled(global const float4 *charge, global float *potential, int n)
{
	local float4 tile[128];
	int me = get_local_id(0), i = get_global_id(0);
	float4 own = charge[i];
	float sum = 0;

	for (int start = 0; start < n; start += 128) {
		tile[me] = charge[start + me];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int k = 0; k < 128; k++) {
			float4 d = tile[k] - own;
			sum += tile[k].w * rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + 1e-4f);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	potential[i] = sum;
}
