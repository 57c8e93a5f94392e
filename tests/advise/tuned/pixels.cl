// SPDX-License-Identifier: Apache-2.0
//
// Pixels: grey of four of them a work-item, and a picture enlarged by a linear sampler.

__kernel void grey(__global const uchar16 *in, __global uchar4 *out)
{
	const uint i = get_global_id(0);
	const ushort16 p = convert_ushort16(in[i]);
	const ushort4 r = p.s048c, g = p.s159d, b = p.s26ae;

	out[i] = convert_uchar4((r * (ushort)77 + g * (ushort)150 + b * (ushort)29) >> (ushort)8);
}

__kernel void enlarge(__read_only image2d_t in, sampler_t at, __global float4 *out, float step)
{
	const uint x = get_global_id(0), y = get_global_id(1);
	const float2 place = (float2)((float)x + 0.5f, (float)y + 0.5f) * step;

	out[y * get_global_size(0) + x] = read_imagef(in, at, place);
}
