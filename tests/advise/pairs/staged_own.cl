// SPDX-License-Identifier: Apache-2.0
//
// A step of each element: each stages what it alone uses, and waits for the group, against neither.

__kernel void bad(__global const float *in, __global float *out, float scale)
{
	__local float own[64];
	const uint l = get_local_id(0), i = get_global_id(0);

	own[l] = in[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = own[l] * scale + own[l] * own[l];
}

__kernel void good(__global const float *in, __global float *out, float scale)
{
	const uint i = get_global_id(0);
	const float own = in[i];

	out[i] = own * scale + own * own;
}
