/* SPDX-License-Identifier: Apache-2.0 */
/* The same texel by an integer, and by a real half a texel further: one access. */
// launch: global=256,256 local=64,1 args=image:256x256:rgba8ui:r,buffer:1M:w,sampler
// expect: kernel twice
// expect: argument through sampler
// expect: accesses 2
// expect: load in coalesced
// expect: ir %3 = uint4 load in[texel(%1, %2, through)]
kernel void twice(read_only image2d_t in, global uint *out, sampler_t through)
{
	int x = get_global_id(0), y = get_global_id(1);
	uint4 a = read_imageui(in, through, (int2)(x, y));
	uint4 b = read_imageui(in, through, (int2)(x, y));

	out[y * get_global_size(0) + x] = a.x + b.y;
}
