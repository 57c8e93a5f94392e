/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places that are kept in vectors of integers are numbers of their own: a warp reads neighbours,
 * and a loop has as many trips as they say.
 */
// launch: global=1024,1024 local=32,8 args=buffer:4M:r,buffer:4M:w,int:1024,int:1024
// expect: kernel shifted
// expect: load in coalesced
// expect: store out coalesced
// expect: segments in 5
// expect: trips 20 3
kernel void shifted(global const float *in, global float *out, int width, int height)
{
	const int2 here = (int2)(get_global_id(0), get_global_id(1));
	const int2 last = (int2)(width, height) - 1;
	const int2 place = clamp(here + (int2)(1, 0), (int2)(0), last);
	float sum = 0.0f;

	const int2 ends = (here & (int2)(0, 0)) + (int2)(0, 3);
	for (int k = ends.x; k < ends.y; k++)
		sum += in[place.y * width + place.x];
	out[here.y * width + here.x] = sum;
}
