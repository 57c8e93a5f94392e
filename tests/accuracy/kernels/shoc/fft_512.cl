/* SPDX-License-Identifier: Apache-2.0 */
/* Fast Fourier transforms of 512 points, each by a row of 64 work-items with eight points each: three stages of
 * radix 8, with exchanges of real and then imaginary parts through local memory between them. FFTS: transforms of a
 * work-group. After SHOC's FFT. */
#define WIDTH 72 /* eight rows of eight and one to spare, against conflicts of banks */

inline float2 times(float2 a, float2 b)
{
	return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

inline void butterfly(float2 *a, float2 *b)
{
	float2 sum = *a + *b;

	*b = *a - *b;
	*a = sum;
}

inline void fft4(float2 *a, float2 *b, float2 *c, float2 *d)
{
	butterfly(a, c);
	butterfly(b, d);
	*d = (float2)(d->y, -d->x);
	butterfly(a, b);
	butterfly(c, d);
}

/* Leaves them in bit-reversed order. */
inline void fft8(float2 *v)
{
	const float half_root = 0.70710678f;

	butterfly(v, v + 4);
	butterfly(v + 1, v + 5);
	butterfly(v + 2, v + 6);
	butterfly(v + 3, v + 7);
	v[5] = half_root * (float2)(v[5].x + v[5].y, v[5].y - v[5].x);
	v[6] = (float2)(v[6].y, -v[6].x);
	v[7] = half_root * (float2)(v[7].y - v[7].x, -v[7].x - v[7].y);
	fft4(v, v + 1, v + 2, v + 3);
	fft4(v + 4, v + 5, v + 6, v + 7);
}

#define TURN(at, turns)                                                                            \
	v[at] = times(v[at], (float2)(cos((turns) * angle), sin((turns) * angle)))

inline void twiddle8(float2 *v, int i, int points)
{
	float angle = -6.28318531f * (float)i / (float)points;

	TURN(1, 4.0f);
	TURN(2, 2.0f);
	TURN(3, 6.0f);
	TURN(4, 1.0f);
	TURN(5, 5.0f);
	TURN(6, 3.0f);
	TURN(7, 7.0f);
}

/* Eight numbers go to places `out` apart, in natural order, and eight come from places `in` apart. */
#define EXCHANGE(part, to, out, from, in)                                                          \
	(to)[0] = v[0].part;                                                                       \
	(to)[1 * (out)] = v[4].part;                                                               \
	(to)[2 * (out)] = v[2].part;                                                               \
	(to)[3 * (out)] = v[6].part;                                                               \
	(to)[4 * (out)] = v[1].part;                                                               \
	(to)[5 * (out)] = v[5].part;                                                               \
	(to)[6 * (out)] = v[3].part;                                                               \
	(to)[7 * (out)] = v[7].part;                                                               \
	barrier(CLK_LOCAL_MEM_FENCE);                                                              \
	w[0].part = (from)[0];                                                                     \
	w[1].part = (from)[1 * (in)];                                                              \
	w[2].part = (from)[2 * (in)];                                                              \
	w[3].part = (from)[3 * (in)];                                                              \
	w[4].part = (from)[4 * (in)];                                                              \
	w[5].part = (from)[5 * (in)];                                                              \
	w[6].part = (from)[6 * (in)];                                                              \
	w[7].part = (from)[7 * (in)];                                                              \
	barrier(CLK_LOCAL_MEM_FENCE)

#define TRANSPOSE(to, out, from, in)                                                               \
	EXCHANGE(x, to, out, from, in);                                                            \
	EXCHANGE(y, to, out, from, in);                                                            \
	v[0] = w[0];                                                                               \
	v[1] = w[1];                                                                               \
	v[2] = w[2];                                                                               \
	v[3] = w[3];                                                                               \
	v[4] = w[4];                                                                               \
	v[5] = w[5];                                                                               \
	v[6] = w[6];                                                                               \
	v[7] = w[7]

kernel void fft_512(global float2 *work)
{
	local float scratch[FFTS][8 * WIDTH];
	int id = get_local_id(0);
	int high = id >> 3, low = id & 7;
	local float *mine = scratch[get_local_id(1)];
	global float2 *data = work + get_global_id(1) * 512 + id;
	float2 v[8], w[8];

	v[0] = data[0];
	v[1] = data[64];
	v[2] = data[128];
	v[3] = data[192];
	v[4] = data[256];
	v[5] = data[320];
	v[6] = data[384];
	v[7] = data[448];

	fft8(v);
	twiddle8(v, id, 512);
	TRANSPOSE(mine + high * 8 + low, 66, mine + low * 66 + high, 8);
	fft8(v);
	twiddle8(v, high, 64);
	TRANSPOSE(mine + high * 8 + low, WIDTH, mine + high * WIDTH + low, 8);
	fft8(v);

	data[0] = v[0];
	data[64] = v[4];
	data[128] = v[2];
	data[192] = v[6];
	data[256] = v[1];
	data[320] = v[5];
	data[384] = v[3];
	data[448] = v[7];
}
