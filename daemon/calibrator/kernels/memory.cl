/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory hierarchy. VEC is float16 with one work-item a group on a CPU (so
 * that reads run in order whatever the compiler makes of work-items), float4
 * elsewhere. A window is `vecs` long, a multiple of 4 * get_local_size(0).
 */

/* each work-group reads its window; windows begin `apart` vectors from each other */
kernel void read_windows(global const VEC *in, global float *out, uint vecs, uint apart, int repeats)
{
	global const VEC *window = in + get_group_id(0) * (size_t)apart;
	uint lid = (uint)get_local_id(0), size = (uint)get_local_size(0);
	VEC a = 0, b = 0, c = 0, d = 0;
	for (int r = 0; r < repeats; r++) {
		for (uint i = lid; i < vecs; i += 4 * size) {
			a += window[i];
			b += window[i + size];
			c += window[i + 2 * size];
			d += window[i + 3 * size];
		}
		a = a * 0.5f; /* or the repeats fold into one */
	}
	a += b + c + d;
	if (a.s0 + a.s1 + a.s2 + a.s3 == 12345.678f)
		out[0] = 1;
}

/*
 * Each work-group reads `length` vectors of the one window, from another place on, and
 * begins anew at its end. vecs and length are multiples of 4 * get_local_size(0). Groups
 * that follow each other, as they may on one unit, begin far apart: at multiples of the
 * golden ratio.
 */
kernel void read_shared(global const VEC *in, global float *out, uint vecs, uint length)
{
	uint lid = (uint)get_local_id(0), size = (uint)get_local_size(0);
	uint quanta = vecs / (4 * size);
	uint at = mul_hi(quanta, (uint)get_group_id(0) * 2654435769u) * 4 * size;
	VEC a = 0, b = 0, c = 0, d = 0;
	for (uint i = 0; i < length; i += 4 * size) {
		a += in[at + lid];
		b += in[at + lid + size];
		c += in[at + lid + 2 * size];
		d += in[at + lid + 3 * size];
		at += 4 * size;
		at = at < vecs ? at : 0;
	}
	a += b + c + d;
	if (a.s0 + a.s1 + a.s2 + a.s3 == 12345.678f)
		out[0] = 1;
}

kernel void write_windows(global VEC *out, uint vecs, uint apart, int repeats, float y)
{
	global VEC *window = out + get_group_id(0) * (size_t)apart;
	uint lid = (uint)get_local_id(0), size = (uint)get_local_size(0);
	VEC x = y;
	for (int r = 0; r < repeats; r++) {
		for (uint i = lid; i < vecs; i += 4 * size) {
			window[i] = x;
			window[i + size] = x;
			window[i + 2 * size] = x;
			window[i + 3 * size] = x;
		}
		x += y;
	}
}

/* one work-item follows a cycle of indices, from where the last launch ended */
kernel void chase(global const uint *next, global uint *out, int steps)
{
	uint at = out[0];
	for (int i = 0; i < steps; i++)
		at = next[at];
	out[0] = at;
}

/* one work-item walks down a column of `lines` lines, then down the next one */
kernel void walk_read(global const float *in, global float *out, uint lines, uint apart, int columns)
{
	float x = 0;
	for (int c = 0; c < columns; c++)
		for (uint i = 0; i < lines; i++)
			x += in[i * apart + (c & 15)];
	out[get_global_id(0)] = x;
}

kernel void walk_write(global float *in, global float *out, uint lines, uint apart, int columns)
{
	float x = out[0];
	for (int c = 0; c < columns; c++)
		for (uint i = 0; i < lines; i++)
			in[i * apart + (c & 15)] = x;
}

/* one work-item reads at random, twice after 192 operations; lines = mask + 1 */
#define STEP                                                                                       \
	a ^= a << 13;                                                                              \
	b += b << 5;                                                                               \
	a ^= a >> 17;                                                                              \
	b ^= b >> 7;                                                                               \
	a ^= a << 5;                                                                               \
	b += b << 3;
#define STEP4 STEP STEP STEP STEP

kernel void read_ahead(global const float *in, global float *out, uint mask, uint trips)
{
	uint a = (uint)get_global_id(0) * 7919u + 12345u, b = a * 3u + 1u;
	float x = 0, y = 0;
	for (uint i = 0; i < trips; i++) {
		STEP4 STEP4 STEP4 STEP4
		x += in[(size_t)((a ^ a >> 9) & mask) << 4];
		y += in[(size_t)((b ^ b >> 11) & mask) << 4];
	}
	out[get_global_id(0)] = x + y;
}

uint scramble(uint h)
{
	h *= 2654435761u;
	h ^= h >> 15;
	return h * 739982445u;
}

/*
 * 8 random blocks a work-item, `shift` (in floats, log 2) apart; blocks = mask + 1.
 * A second kernel reads a second word of each block, `second` floats on.
 */
#define EACH8(s) s(0) s(1) s(2) s(3) s(4) s(5) s(6) s(7)
#define BLOCK(k) ((scramble(at + k * 131071u) >> 4 & mask) << shift)

kernel void gather(global const float *in, global float *out, uint mask, uint shift)
{
	uint at = (uint)get_global_id(0);
	float x = 0;
#define GATHER(k) x += in[BLOCK(k)];
	EACH8(GATHER)
	out[PLACE()] = x;
}

/* 8 floats a work-item, in order, of mask + 1; no compiler knows them for neighbours: gathered */
kernel void gather_run(global const float *in, global float *out, uint mask)
{
	uint at = (uint)get_global_id(0) * 8u;
	float x = 0;
#define GATHER_RUN(k) x += in[(at + k) & mask];
	EACH8(GATHER_RUN)
	out[PLACE()] = x;
}

/* gather's blocks written; `out` is not */
kernel void scatter(global float *in, global float *out, uint mask, uint shift)
{
	uint at = (uint)get_global_id(0);
#define SCATTER(k) in[BLOCK(k)] = (float)(at + k);
	EACH8(SCATTER)
}

/* added to, by a lock each; 0 leaves what is there */
kernel void atomic_random(global int *in, uint mask, uint shift, int value)
{
	uint at = (uint)get_global_id(0);
#define ADD(k) atomic_add(&in[BLOCK(k)], value);
	EACH8(ADD)
}

/* written by one work-item in a window of its own, `apart` floats from the next one */
kernel void scatter_own(global float *in, uint mask, uint shift, uint apart, uint trips)
{
	uint window = (uint)get_group_id(0) * apart, at;
	for (uint i = 0; i < trips; i++) {
		at = i * 8u;
#define SCATTER_OWN(k) in[window + ((scramble(at + k) >> 4 & mask) << shift)] = (float)i;
		EACH8(SCATTER_OWN)
	}
}

kernel void gather_pair(global const float *in, global float *out, uint mask, uint shift,
                        uint second)
{
	uint at = (uint)get_global_id(0);
	float x = 0;
#define GATHER_PAIR(k)                                                                             \
	{                                                                                          \
		uint block = BLOCK(k);                                                             \
		x += in[block] + in[block + second];                                               \
	}
	EACH8(GATHER_PAIR)
	out[PLACE()] = x;
}

/*
 * Streams of 8 reads a work-item, so that they and not the dispatch take the time, with
 * `trips` of arithmetic on them: what overlaps
 */
kernel void balance(global const float *in, global float *out, uint mask, int trips, float y)
{
	uint at = (uint)get_global_id(0), step = (uint)get_global_size(0);
	float x = 0;
#define BALANCE(k) x += in[(at + k * step) & mask];
	EACH8(BALANCE)
	for (int i = 0; i < trips; i++)
		x = x * y + y;
	out[PLACE()] = x;
}
