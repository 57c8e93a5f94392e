/* SPDX-License-Identifier: Apache-2.0 */
/* as a Fourier transform needs it */
kernel void reverse_order(global const float2 *in, global float2 *out, int bits)
{
	uint i = get_global_id(0), r = i;

	r = (r & 0x55555555u) << 1 | (r >> 1 & 0x55555555u);
	r = (r & 0x33333333u) << 2 | (r >> 2 & 0x33333333u);
	r = (r & 0x0f0f0f0fu) << 4 | (r >> 4 & 0x0f0f0f0fu);
	r = (r & 0x00ff00ffu) << 8 | (r >> 8 & 0x00ff00ffu);
	r = r << 16 | r >> 16;
	out[r >> (32 - bits)] = in[i];
}
