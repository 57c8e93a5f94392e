/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of an image with a filter of 5 x 5; the input has a border of two. */
// launch: global=1024,1024 local=32,8 args=buffer:4227136:r,buffer:4M:w,buffer:100:r,int:1024
// expect: kernel convolution5x5
// expect: argument filter buffer float
// expect: written mul.float 25
// expect: written add.float 25
// expect: trips 21 5
// expect: trips 22 5
// expect: accesses 3
// expect: load filter interval
// expect: store out coalesced
// expect: segments filter 1
kernel void convolution5x5(global const float *in, global float *out, constant float *filter,
                           int width)
{
	int x = get_global_id(0);
	int y = get_global_id(1);
	float sum = 0.0f;

	for (int dy = 0; dy < 5; dy++)
		for (int dx = 0; dx < 5; dx++)
			sum += filter[dy * 5 + dx] * in[(y + dy) * (width + 4) + x + dx];
	out[y * width + x] = sum;
}
