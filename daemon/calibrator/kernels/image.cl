/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texels of an image of SIDE by SIDE that stays in the first level. In loops of unknown
 * length four a trip, the second coordinate walking by a step that no compiler knows, so that
 * none is hoisted and no later trip is seen to read what an earlier one did; every channel is
 * used, for what is not would not be converted.
 */
#define SIDE 32
#define PLACE() (get_global_id(0) % 1048576)
#define SUM(v)  (v.x + v.y + v.z + v.w)

/* known to the compiler, as in most kernels: a GPU's then reads texels without filtering */
constant sampler_t nearest =
	CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

/* `by` is that of real coordinates */
kernel void texel_read(read_only image2d_t in, sampler_t by, global float *out, int trips,
		       int step)
{
	int x = get_local_id(0) % SIDE, y = get_group_id(0) % SIDE;
	float4 a = 0, b = 0;
	for (int i = 0; i < trips; i++) {
		a += read_imagef(in, nearest, (int2)(x, y));
		b += read_imagef(in, nearest, (int2)(x, y ^ 1));
		a += read_imagef(in, nearest, (int2)(x, y ^ 2));
		b += read_imagef(in, nearest, (int2)(x, y ^ 3));
		y = (y + step) % SIDE;
	}
	a += b;
	out[PLACE()] = SUM(a);
}

/* reals are not seen to come back */
kernel void texel_real(read_only image2d_t in, sampler_t by, global float *out, int trips)
{
	float x = 1 + get_local_id(0) % (SIDE - 4) + 0.3f, y = get_group_id(0) % SIDE + 0.3f;
	float4 a = 0, b = 0;
	for (int i = 0; i < trips; i++) {
		a += read_imagef(in, by, (float2)(x, y));
		b += read_imagef(in, by, (float2)(x + 1, y));
		a += read_imagef(in, by, (float2)(x + 2, y));
		b += read_imagef(in, by, (float2)(x - 1, y));
		y = SIDE - y;
	}
	a += b;
	out[PLACE()] = SUM(a);
}

kernel void texel_read_integer(read_only image2d_t in, sampler_t by, global float *out,
			       int trips, int step)
{
	int x = get_local_id(0) % SIDE, y = get_group_id(0) % SIDE;
	uint4 a = 0, b = 0;
	for (int i = 0; i < trips; i++) {
		a ^= read_imageui(in, nearest, (int2)(x, y));
		b ^= read_imageui(in, nearest, (int2)(x, y ^ 1));
		a ^= read_imageui(in, nearest, (int2)(x, y ^ 2));
		b ^= read_imageui(in, nearest, (int2)(x, y ^ 3));
		y = (y + step) % SIDE;
	}
	a ^= b;
	out[PLACE()] = SUM(a);
}

/*
 * To texels of an image of side by side, a power of two of at least 32: a work-group of 256 has a
 * square of its own, of which a line of memory holds more than one row.
 */
kernel void texel_write(write_only image2d_t to, int trips, int step, int side)
{
	int tiles = side / 16, x = get_group_id(0) % tiles * 16 + get_local_id(0) % 16;
	int y = get_group_id(0) / tiles % tiles * 16 + get_local_id(0) / 16 % 16;
	float4 a = (float4)(x % SIDE, y % SIDE, 0, 1) / SIDE;
	for (int i = 0; i < trips; i++) {
		write_imagef(to, (int2)(x, y), a);
		write_imagef(to, (int2)(x ^ 16, y), a);
		write_imagef(to, (int2)(x, y ^ 16), a);
		write_imagef(to, (int2)(x ^ 16, y ^ 16), a);
		y = (y + step) & (side - 1);
		a.x = 1 - a.x;
	}
}

kernel void texel_write_integer(write_only image2d_t to, int trips, int step, int side)
{
	int tiles = side / 16, x = get_group_id(0) % tiles * 16 + get_local_id(0) % 16;
	int y = get_group_id(0) / tiles % tiles * 16 + get_local_id(0) / 16 % 16;
	uint4 a = (uint4)(x, y, 0, 1);
	for (int i = 0; i < trips; i++) {
		write_imageui(to, (int2)(x, y), a);
		write_imageui(to, (int2)(x ^ 16, y), a);
		write_imageui(to, (int2)(x, y ^ 16), a);
		write_imageui(to, (int2)(x ^ 16, y ^ 16), a);
		y = (y + step) & (side - 1);
		a.x ^= 1;
	}
}

/* straight-line: 8 a work-item; a CPU may make vectors of work-items */
kernel void texel_straight(read_only image2d_t in, sampler_t by, global float *out)
{
	int x = get_local_id(0) % SIDE, y = get_group_id(0) % SIDE;
	float4 a = 0;
#define READ(k) a += read_imagef(in, nearest, (int2)(x ^ k, y ^ (k / 4)));
	READ(0) READ(1) READ(2) READ(3) READ(4) READ(5) READ(6) READ(7)
	out[PLACE()] = SUM(a);
}

kernel void texel_none(global float *out, float a)
{
	out[PLACE()] = a;
}

/*
 * Four texels of a row, `apart` from each other, so that no line of texels holds two of
 * them; neighbouring work-items `step` rows apart. With every step the same texels are read.
 * Only how many rows of a line of texels neighbours share differs: none where rows lie one
 * after another.
 */
kernel void texel_column(read_only image2d_t in, sampler_t by, global float *out, uint rows,
			 uint step, int apart)
{
	uint at = (uint)get_global_id(0), walked = at % rows * step;
	int x = (int)(at / rows) * 4 * apart, y = (int)(walked % rows + walked / rows);
	float4 a = read_imagef(in, by, (int2)(x, y)) + read_imagef(in, by, (int2)(x + apart, y)) +
		   read_imagef(in, by, (int2)(x + 2 * apart, y)) +
		   read_imagef(in, by, (int2)(x + 3 * apart, y));
	out[PLACE()] = SUM(a);
}
