// SPDX-License-Identifier: Apache-2.0
//
// Many elements a work-item: those a whole NDRange apart, against a chunk of neighbours.

__kernel void bad(__global const float *in, __global float *out, float scale, uint each)
{
	for (uint k = 0; k < each; k++) {
		const uint i = k * get_global_size(0) + get_global_id(0);

		out[i] = in[i] * scale + 0.5f;
	}
}

__kernel void good(__global const float *in, __global float *out, float scale, uint each)
{
	for (uint k = 0; k < each; k++) {
		const uint i = get_global_id(0) * each + k;

		out[i] = in[i] * scale + 0.5f;
	}
}
