/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Half the size by interpolation: coordinates count the whole, and the image's size comes from
 * itself. Neighbouring work-items read every second texel.
 */
// launch: global=256,256 local=32,8 args=image:512x512:rgba8:r,image:256x256:rgba8:w
// expect: kernel halve
// expect: accesses 2
// expect: load in coalesced
// expect: store out coalesced
// expect: emitted convert.float 4
// expect: ir store float4 out[texel(%1, %2)] = %3
kernel void halve(read_only image2d_t in, write_only image2d_t out)
{
	const sampler_t sampler =
		CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
	int x = get_global_id(0), y = get_global_id(1);
	float2 where = (float2)((x + 0.5f) * 2 / get_image_width(in),
				(y + 0.5f) * 2 / get_image_height(in));

	write_imagef(out, (int2)(x, y), read_imagef(in, sampler, where));
}
