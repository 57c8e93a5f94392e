/* SPDX-License-Identifier: Apache-2.0 */
/* A row of an image read by neighbouring work-items: one texel each, rgba8, four bytes. */
// launch: global=512,512 local=16,16 args=image:512x512:rgba8:r,buffer:1M:w
// expect: kernel blur
// expect: argument in image
// expect: argument out buffer float
// expect: accesses 2
// expect: load in coalesced
// expect: store out coalesced
// expect: ir %3 = float4 load in[texel(%1, %2, 16)]
kernel void blur(read_only image2d_t in, global float *out)
{
	const sampler_t sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST;
	int x = get_global_id(0);
	int y = get_global_id(1);

	out[y * (int)get_global_size(0) + x] = read_imagef(in, sampler, (int2)(x, y)).x;
}
