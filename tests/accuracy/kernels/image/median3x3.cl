/* SPDX-License-Identifier: Apache-2.0 */
/* Median of nine by a network of nineteen exchanges, on an image with a halo of one. */
#define EXCHANGE(a, b)                                                                             \
	{                                                                                          \
		float low = fmin(a, b);                                                            \
		b = fmax(a, b);                                                                    \
		a = low;                                                                           \
	}

kernel void median3x3(global const float *in, global float *out, int pitch)
{
	int x = get_global_id(0);
	int y = get_global_id(1);
	global const float *p = in + y * pitch + x;
	float a = p[0], b = p[1], c = p[2];
	float d = p[pitch], e = p[pitch + 1], f = p[pitch + 2];
	float g = p[2 * pitch], h = p[2 * pitch + 1], i = p[2 * pitch + 2];

	EXCHANGE(b, c)
	EXCHANGE(e, f)
	EXCHANGE(h, i)
	EXCHANGE(a, b)
	EXCHANGE(d, e)
	EXCHANGE(g, h)
	EXCHANGE(b, c)
	EXCHANGE(e, f)
	EXCHANGE(h, i)
	EXCHANGE(a, d)
	EXCHANGE(f, i)
	EXCHANGE(e, h)
	EXCHANGE(d, g)
	EXCHANGE(b, e)
	EXCHANGE(c, f)
	EXCHANGE(e, h)
	EXCHANGE(e, c)
	EXCHANGE(g, e)
	EXCHANGE(e, c)
	out[y * get_global_size(0) + x] = e;
}
