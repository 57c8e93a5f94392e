// SPDX-License-Identifier: Apache-2.0
//
// Softmax and layer norm of rows: a group a row, the row in registers, trees in local memory.

#define GROUP 256

float tree(float value, bool most, __local float *part)
{
	const uint lane = get_local_id(0);

	part[lane] = value;
#pragma unroll
	for (uint s = GROUP / 2; s > 0; s /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane < s)
			part[lane] = most ? fmax(part[lane], part[lane + s])
			                  : part[lane] + part[lane + s];
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	const float all = part[0];
	barrier(CLK_LOCAL_MEM_FENCE);
	return all;
}

__kernel void softmax(__global const float4 *in, __global float4 *out)
{
	__local float part[GROUP];
	const float4 own = in[get_global_id(0)];
	const float most = tree(fmax(fmax(own.x, own.y), fmax(own.z, own.w)), true, part);
	const float4 e = native_exp(own - most);
	const float all = tree((e.x + e.y) + (e.z + e.w), false, part);

	out[get_global_id(0)] = e * native_recip(all);
}

__kernel void layer_norm(__global const float4 *in, __constant float4 *scale,
                         __global float4 *out)
{
	__local float part[GROUP];
	const float4 own = in[get_global_id(0)];
	const float mean = tree((own.x + own.y) + (own.z + own.w), false, part) / (4 * GROUP);
	const float4 off = own - mean;
	const float variance = tree(dot(off, off), false, part) / (4 * GROUP);

	out[get_global_id(0)] = off * native_rsqrt(variance + 1e-5f) * scale[get_local_id(0)];
}
