// SPDX-License-Identifier: Apache-2.0
//
// A scan in groups, 16 consecutive elements a work-item in local memory: unpadded against one word
// more for each 16.

#define GROUP 128
#define EACH  16

__kernel void bad(__global const int *in, __global int *out)
{
	__local int data[GROUP * EACH], sums[GROUP];
	const uint lane = get_local_id(0), base = get_group_id(0) * GROUP * EACH;
	int sum = 0;

	for (uint k = lane; k < GROUP * EACH; k += GROUP)
		data[k] = in[base + k];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 0; k < EACH; k++) {
		sum += data[lane * EACH + k];
		data[lane * EACH + k] = sum;
	}
	sums[lane] = sum;
	for (uint step = 1; step < GROUP; step *= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		const int before = lane >= step ? sums[lane - step] : 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		sums[lane] += before;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 0; k < EACH; k++)
		data[lane * EACH + k] += lane > 0 ? sums[lane - 1] : 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = lane; k < GROUP * EACH; k += GROUP)
		out[base + k] = data[k];
}

#define AT(k) ((k) / EACH * (EACH + 1) + (k) % EACH)

__kernel void good(__global const int *in, __global int *out)
{
	__local int data[GROUP * (EACH + 1)], sums[GROUP];
	const uint lane = get_local_id(0), base = get_group_id(0) * GROUP * EACH;
	int sum = 0;

	for (uint k = lane; k < GROUP * EACH; k += GROUP)
		data[AT(k)] = in[base + k];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 0; k < EACH; k++) {
		sum += data[lane * (EACH + 1) + k];
		data[lane * (EACH + 1) + k] = sum;
	}
	sums[lane] = sum;
	for (uint step = 1; step < GROUP; step *= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		const int before = lane >= step ? sums[lane - step] : 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		sums[lane] += before;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 0; k < EACH; k++)
		data[lane * (EACH + 1) + k] += lane > 0 ? sums[lane - 1] : 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = lane; k < GROUP * EACH; k += GROUP)
		out[base + k] = data[AT(k)];
}
