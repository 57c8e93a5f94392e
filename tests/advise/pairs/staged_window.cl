// SPDX-License-Identifier: Apache-2.0
//
// A mean of 17 neighbours: by way of local memory against caches that hold them anyway.

__kernel void bad(__global const float *in, __global float *out)
{
	__local float tile[256 + 16];
	const uint l = get_local_id(0), i = get_global_id(0);
	float sum = 0.0f;

	tile[l] = in[i];
	if (l < 16)
		tile[l + 256] = in[i + 256];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 0; k < 17; k++)
		sum += tile[l + k];
	out[i] = sum * (1.0f / 17.0f);
}

__kernel void good(__global const float *in, __global float *out)
{
	const uint i = get_global_id(0);
	float sum = 0.0f;

	for (uint k = 0; k < 17; k++)
		sum += in[i + k];
	out[i] = sum * (1.0f / 17.0f);
}
