// SPDX-License-Identifier: Apache-2.0
//
// 64 MiB copied there and back round a short kernel: pageable against pinned memory.

__kernel void bad(__global const float *in, __global float *out)
{
	out[get_global_id(0)] = 2.0f * in[get_global_id(0)];
}

__kernel void good(__global const float *in, __global float *out)
{
	out[get_global_id(0)] = 2.0f * in[get_global_id(0)];
}
