/* SPDX-License-Identifier: Apache-2.0 */
/* The first half of a separable filter: rows, seven taps; the input has a border of three. */
// launch: global=1024,1024 local=64,4 options="-DRADIUS=3" args=buffer:4218880:r,buffer:4M:w,buffer:28:r,int:1024
// expect: kernel convolution_rows
// expect: trips 18 7
// expect: written mul.float 7
// expect: written add.float 7
// expect: accesses 3
// expect: load taps interval
// expect: store out coalesced
kernel void convolution_rows(global const float *in, global float *out, constant float *taps,
                             int width)
{
	int x = get_global_id(0);
	int y = get_global_id(1);
	float sum = 0.0f;

	for (int k = -RADIUS; k <= RADIUS; k++)
		sum += taps[k + RADIUS] * in[y * (width + 2 * RADIUS) + x + RADIUS + k];
	out[y * width + x] = sum;
}
