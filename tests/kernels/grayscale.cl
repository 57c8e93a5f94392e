/* SPDX-License-Identifier: Apache-2.0 */
/* Four-channel pixels to grey, by the weights of ITU-R BT.601. */
// launch: global=2048,1024 local=64,4 args=buffer:8M:r,buffer:2M:w,int:2048
// expect: kernel grayscale
// expect: argument in buffer uchar4
// expect: argument out buffer uchar
// expect: written mul.float 3
// expect: written add.float 2
// expect: accesses 2
// expect: segments in 4
// expect: segments out 1
// expect: store out coalesced
kernel void grayscale(global const uchar4 *in, global uchar *out, int width)
{
	int i = (int)get_global_id(1) * width + (int)get_global_id(0);
	uchar4 pixel = in[i];

	out[i] = (uchar)(0.299f * pixel.x + 0.587f * pixel.y + 0.114f * pixel.z);
}
