/* SPDX-License-Identifier: Apache-2.0 */
/* A Julia set, coloured by the iterations until escape. */
// launch: global=512,512 local=16,16 args=buffer:1M:w,float:-0.8,float:0.156,int:64
// expect: kernel julia
// expect: argument cr scalar float
// expect: accesses 1
// expect: written div.float 2
// expect: argument out buffer uchar4
// expect: barriers 0
kernel void julia(global uchar4 *out, float cr, float ci, int limit)
{
	int x = get_global_id(0);
	int y = get_global_id(1);
	float2 z = (float2)(3.0f * x / get_global_size(0) - 1.5f, 3.0f * y / get_global_size(1) - 1.5f);
	int i;

	for (i = 0; i < limit; i++) {
		z = (float2)(z.x * z.x - z.y * z.y + cr, 2.0f * z.x * z.y + ci);
		if (dot(z, z) > 4.0f)
			break;
	}
	out[y * (int)get_global_size(0) + x] = (uchar4)((uchar)(i * 4), (uchar)(i * 2), (uchar)i, 255);
}
