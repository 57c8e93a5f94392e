/* SPDX-License-Identifier: Apache-2.0 */
/* Local memory, barriers and local atomics. */
/* beyond the last word that a work-item of 256 reads at offsets up to 31 * 64 */
#define WORDS 4096

#define EACH16L(s)                                                                                 \
	s(0) s(1) s(2) s(3) s(4) s(5) s(6) s(7) s(8) s(9) s(10) s(11) s(12) s(13) s(14) s(15)

/*
 * 32 loads or stores of a unit stride, and none. The index is an int from before
 * a barrier and the distance is not known, as in most kernels: a CPU's compiler
 * that keeps such values in arrays gathers and scatters then. No condition may
 * stand around them, which would keep the index out of the array.
 */
kernel void local_none(global float *out, int step, float a)
{
	local float words[WORDS];
	int lid = (int)get_local_id(0);
	words[lid] = a;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[PLACE()] = words[lid + step];
}

kernel void local_load(global float *out, int step, float a)
{
	local float words[WORDS];
	int lid = (int)get_local_id(0);
	float x = 0;
	words[lid] = a;
	barrier(CLK_LOCAL_MEM_FENCE);
#define LOCAL_LOAD(k) x += words[lid + k * step];
	EACH16L(LOCAL_LOAD)
#define LOCAL_LOAD2(k) x += words[lid + k * step + 1024];
	EACH16L(LOCAL_LOAD2)
	out[PLACE()] = x;
}

kernel void local_store(global float *out, int step, float a)
{
	local float words[WORDS];
	int lid = (int)get_local_id(0);
	words[lid] = a;
	barrier(CLK_LOCAL_MEM_FENCE);
#define LOCAL_STORE(k) words[lid + k * step] = a + k;
	EACH16L(LOCAL_STORE)
#define LOCAL_STORE2(k) words[lid + k * step + 1024] = a - k;
	EACH16L(LOCAL_STORE2)
	out[PLACE()] = words[lid + step];
}

/* lanes `stride` words apart */
kernel void local_strided(global float *out, int trips, uint stride)
{
	local float words[WORDS];
	uint lid = (uint)get_local_id(0), at = lid * stride;
	float x = 0;
	for (uint i = lid; i < WORDS; i += (uint)get_local_size(0))
		words[i] = (float)i;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int i = 0; i < trips; i++) {
#define LOCAL_STRIDED(k) x += words[(at + k) & (WORDS - 1)];
		EACH16L(LOCAL_STRIDED)
		at += 16;
	}
	out[PLACE()] = x;
}

/* 16 loads or stores a trip, unit stride; one address a trip, integers that an xor swallows */
kernel void local_loop_load(global float *out, int trips, uint stride)
{
	local int words[WORDS];
	uint lid = (uint)get_local_id(0), at = lid;
	int x = 0, y = 0;
	for (uint i = lid; i < WORDS; i += (uint)get_local_size(0))
		words[i] = (int)i;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int i = 0; i < trips; i++) {
		local const int *p = words + (at & 2047u);
#define LOCAL_LOOP_LOAD(k)                                                                         \
	if ((k) % 2 == 0)                                                                          \
		x ^= p[k * 128];                                                                   \
	else                                                                                       \
		y ^= p[k * 128];
		EACH16L(LOCAL_LOOP_LOAD)
		at += stride;
	}
	out[PLACE()] = (float)(x ^ y);
}

kernel void local_loop_store(global float *out, int trips, uint stride)
{
	local int words[WORDS];
	uint lid = (uint)get_local_id(0), at = lid;
	words[lid] = (int)lid;
	for (int i = 0; i < trips; i++) {
		local int *p = words + (at & 2047u);
#define LOCAL_LOOP_STORE(k) p[k * 128] = i;
		EACH16L(LOCAL_LOOP_STORE)
		at += stride;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	out[PLACE()] = (float)words[(lid + (uint)trips) & (WORDS - 1)];
}

/* each load's address is what the one before read */
kernel void local_chain(global float *out, int trips, int step)
{
	local int next[256];
	int at = (int)get_local_id(0);
	for (int i = at; i < 256; i += (int)get_local_size(0))
		next[i] = (i + step) & 255;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int i = 0; i < trips; i++) {
#define LOCAL_CHAIN(k) at = next[at];
		EACH16L(LOCAL_CHAIN)
	}
	out[PLACE()] = (float)at;
}

kernel void barriers(global float *out, int trips, float y)
{
	float x = (float)get_local_id(0);
	for (int i = 0; i < trips; i++) {
		x = x * y + y;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[PLACE()] = x;
}

/* scale 0: one address a work-group, 1: an address each */
kernel void atomic_local(global int *out, uint scale, int trips, int value)
{
	local int counter[256];
	uint lid = (uint)get_local_id(0);
	counter[lid & 255] = value;
	barrier(CLK_LOCAL_MEM_FENCE);
	local int *at = &counter[(lid * scale) & 255];
	for (int i = 0; i < trips; i++) {
		atomic_add(at, value);
		atomic_add(at, value + 1);
		atomic_add(at, value + 2);
		atomic_add(at, value + 3);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	out[PLACE()] = counter[lid & 255];
}

/* The same on an address that the compiler knows to be one, operands of its own each */
kernel void atomic_local_known(global int *out, uint scale, int trips, int value)
{
	local int counter[256];
	uint lid = (uint)get_local_id(0);
	int own = value + (int)lid;
	counter[lid & 255] = value;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int i = 0; i < trips; i++) {
		atomic_add(&counter[0], own);
		atomic_add(&counter[0], own + 1);
		atomic_add(&counter[0], own + 2);
		atomic_add(&counter[0], own + 3);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	out[PLACE()] = counter[lid & 255];
}
