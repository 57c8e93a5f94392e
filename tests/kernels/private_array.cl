/* SPDX-License-Identifier: Apache-2.0 */
/* A window of values in a private array, shifted along a row. */
// launch: global=4096 local=64 args=buffer:4M:r,buffer:4M:w,int:256
// expect: kernel median_of_three
// expect: trips 17 254
// expect: written fminmax.float 1016
// expect: segments in 32
// expect: segments out 32
// expect: barriers 0
kernel void median_of_three(global const float *in, global float *out, int columns)
{
	int row = get_global_id(0);
	float window[3];

	window[0] = in[row * columns];
	window[1] = in[row * columns + 1];
	for (int k = 2; k < columns; k++) {
		window[2] = in[row * columns + k];
		out[row * columns + k - 1] = fmax(fmin(window[0], window[1]),
		                                  fmin(fmax(window[0], window[1]), window[2]));
		window[0] = window[1];
		window[1] = window[2];
	}
}
