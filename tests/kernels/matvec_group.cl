/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix times a vector, one row per work-group: coalesced, then a tree. */
// launch: global=65536 local=64 args=buffer:1M:r,buffer:1K:r,buffer:4K:w,uint:256
// expect: kernel matvec_group
// expect: written mul.float 4
// expect: trips 21 4
// expect: trips 25 6
// expect: segments a 4
// expect: segments x 4
// expect: load sums local
// expect: barriers 7
// expect: local_bytes 256
kernel void matvec_group(global const float *a, global const float *x, global float *y,
                         uint columns)
{
	local float sums[64];
	uint lane = get_local_id(0);
	uint row = get_group_id(0);
	float sum = 0.0f;

	for (uint k = lane; k < columns; k += 64)
		sum += a[row * columns + k] * x[k];
	sums[lane] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = 32; s > 0; s /= 2) {
		if (lane < s)
			sums[lane] += sums[lane + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lane == 0)
		y[row] = sums[0];
}
