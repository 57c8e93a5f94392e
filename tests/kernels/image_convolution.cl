/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A 3x3 window: nine reads through a sampler of the program, by vectors of coordinates that
 * are sums; the middle one again, which is no new access; one write.
 */
// launch: global=256,256 local=16,16 args=image:256x256:r32f:r,image:256x256:r32f:w
// expect: kernel window
// expect: argument in image
// expect: argument out image
// expect: accesses 2
// expect: trips 29 3
// expect: trips 30 3
// expect: load in coalesced
// expect: store out coalesced
// expect: ir kernel window(image 2d in, image 2d out)
constant sampler_t sampler =
	CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

static float4 at(read_only image2d_t image, int2 where)
{
	return read_imagef(image, sampler, where);
}

kernel void window(read_only image2d_t in, write_only image2d_t out)
{
	int2 where = (int2)(get_global_id(0), get_global_id(1));
	float4 sum = 0;

	for (int j = -1; j <= 1; j++)
		for (int i = -1; i <= 1; i++)
			sum += at(in, where + (int2)(i, j));
	write_imagef(out, where, sum / 9);
}
