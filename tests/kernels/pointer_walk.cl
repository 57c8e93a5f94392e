/* SPDX-License-Identifier: Apache-2.0 */
/* A pointer that walks down a column. */
// launch: global=4096 local=64 args=buffer:4M:r,buffer:16K:w,int:4096,int:256
// expect: kernel column_sums
// expect: trips 16 256
// expect: written add.float 256
// expect: accesses 2
// expect: load in coalesced
// expect: segments in 4
// expect: segments out 4
kernel void column_sums(global const float *in, global float *out, int width, int height)
{
	global const float *p = in + get_global_id(0);
	float sum = 0.0f;

	for (int k = 0; k < height; k++) {
		sum += *p;
		p += width;
	}
	out[get_global_id(0)] = sum;
}
