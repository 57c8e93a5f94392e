/* SPDX-License-Identifier: Apache-2.0 */
/* A filter of 3 x 3, written out; the input has a border of one. */
// launch: global=1024,1024 local=64,4 args=buffer:4210704:r,buffer:4M:w,buffer:36:r,int:1024
// expect: kernel convolution3x3
// expect: written mul.float 9
// expect: written add.float 8
// expect: accesses 19
// expect: load f constant
// expect: segments f 1
// expect: store out coalesced
// expect: segments out 4
kernel void convolution3x3(global const float *in, global float *out, constant float *f, int width)
{
	int stride = width + 2;
	int i = (int)get_global_id(1) * stride + (int)get_global_id(0);

	out[(int)get_global_id(1) * width + (int)get_global_id(0)] =
	        f[0] * in[i] + f[1] * in[i + 1] + f[2] * in[i + 2] + f[3] * in[i + stride] +
	        f[4] * in[i + stride + 1] + f[5] * in[i + stride + 2] + f[6] * in[i + 2 * stride] +
	        f[7] * in[i + 2 * stride + 1] + f[8] * in[i + 2 * stride + 2];
}
