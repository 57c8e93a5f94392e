/* SPDX-License-Identifier: Apache-2.0 */
/* Edges by Sobel's two filters; the arrays have a border of one. */
// launch: global=1024,1024 local=32,8 args=buffer:4210704:r,buffer:4210704:w,int:1026
// expect: kernel sobel
// expect: written sqrt.float 1
// expect: emitted sqrt.float 1
// expect: accesses 9
// expect: written mul.float 6
// expect: written add.float 11
// expect: store out coalesced
kernel void sobel(global const float *in, global float *out, int width)
{
	int i = ((int)get_global_id(1) + 1) * width + (int)get_global_id(0) + 1;
	float nw = in[i - width - 1], n = in[i - width], ne = in[i - width + 1];
	float w = in[i - 1], e = in[i + 1];
	float sw = in[i + width - 1], s = in[i + width], se = in[i + width + 1];
	float gx = ne + 2.0f * e + se - nw - 2.0f * w - sw;
	float gy = sw + 2.0f * s + se - nw - 2.0f * n - ne;

	out[i] = sqrt(gx * gx + gy * gy);
}
