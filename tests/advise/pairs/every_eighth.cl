// SPDX-License-Identifier: Apache-2.0
//
// One field of records of 32 bytes: records as they are against that field alone.

__kernel void bad(__global const float *records, __global float *out)
{
	const uint i = get_global_id(0);

	out[i] = 2.0f * records[8 * i] + 1.0f;
}

__kernel void good(__global const float *field, __global float *out)
{
	const uint i = get_global_id(0);

	out[i] = 2.0f * field[i] + 1.0f;
}
