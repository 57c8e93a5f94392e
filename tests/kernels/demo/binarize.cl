/* SPDX-License-Identifier: Apache-2.0 */
/* A grey image to black and white by a threshold. */
// launch: global=4096,4096 local=32,8 args=buffer:16M:r,buffer:16M:w,uchar:128,int:4096
// expect: kernel binarize
// expect: argument threshold scalar uchar
// expect: written mul.int 1
// expect: written add.int 1
// expect: written compare.int 1
// expect: accesses 2
// expect: load in coalesced
// expect: store out coalesced
// expect: segments in 1
// expect: segments out 1
// expect: barriers 0
kernel void binarize(global const uchar *in, global uchar *out, uchar threshold, int width)
{
	int i = (int)get_global_id(1) * width + (int)get_global_id(0);

	out[i] = in[i] > threshold ? 255 : 0;
}
