/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of sixteen elements, read as four-vectors. */
// launch: global=262144 local=64 args=buffer:16M:r,buffer:1M:w
// expect: kernel reduce_vectorised
// expect: argument in buffer float4
// expect: trips 17 4
// expect: emitted add.float 19
// expect: accesses 2
// expect: store out coalesced
// expect: segments out 4
kernel void reduce_vectorised(global const float4 *in, global float *out)
{
	size_t i = get_global_id(0);
	size_t count = get_global_size(0);
	float4 sum = (float4)(0.0f);

	for (int k = 0; k < 4; k++)
		sum += in[k * count + i];
	out[i] = sum.x + sum.y + sum.z + sum.w;
}
