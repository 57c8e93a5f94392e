/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accesses to global memory that stay in the first level: 16 a work-item, over
 * 4096 floats.
 */
#define EACH16(s)                                                                                  \
	s(0) s(1) s(2) s(3) s(4) s(5) s(6) s(7) s(8) s(9) s(10) s(11) s(12) s(13) s(14) s(15)

/* unit stride; the caller keeps get_local_size(0) * 16 <= 4096 */
kernel void load_vector(global const float *in, global float *out)
{
	size_t lid = get_local_id(0), size = get_local_size(0);
	float x = 0;
#define LOAD(k) x += in[lid + k * size];
	EACH16(LOAD)
	out[PLACE()] = x;
}

kernel void load_none(global const float *in, global float *out, float a)
{
	out[PLACE()] = a;
}

/* the lanes `stride` floats apart, in windows of mask + 1 floats */
kernel void load_strided(global const float *in, global float *out, uint stride, uint mask)
{
	uint at = (uint)get_local_id(0) * stride;
	uint step = (uint)get_local_size(0) * stride;
	float x = 0;
#define LOAD_STRIDED(k) x += in[(at + k * step) & mask];
	EACH16(LOAD_STRIDED)
	out[PLACE()] = x;
}

/*
 * The same at distances that a compiler knows: of others LLVM packs the positions within a work-item, and then
 * work-items are no lanes, and nothing is gathered.
 */
kernel void load_spread(global const float *in, global float *out, uint stride, uint mask)
{
	uint at = (uint)get_local_id(0) * stride;
	float x = 0;
#define LOAD_SPREAD(k) x += in[(at + k * 37) & mask];
	EACH16(LOAD_SPREAD)
	out[PLACE()] = x;
}

/* load_strided beyond a unit's own cache: no other work-group reads where this one does */
kernel void load_far(global const float *in, global float *out, uint stride, uint mask)
{
	uint step = (uint)get_local_size(0) * stride;
	uint at = (uint)get_group_id(0) * 16 * step + (uint)get_local_id(0) * stride;
	float x = 0;
	EACH16(LOAD_STRIDED)
	out[PLACE()] = x;
}

/* constants of the program: as many of them by a warp's lanes as the mask lets differ */
constant uint constants[64] = {
        0x9e3779b9, 0x7f4a7c15, 0xf39cc060, 0x5cedc834, 0x1082276b, 0xf3a27251, 0xf86c6a11, 0xd0c18e95,
        0x2767f0b1, 0x53d27b7f, 0x0347045b, 0x5bf1827f, 0x01886f09, 0x28403002, 0xc1d64ba4, 0x0f335e36,
        0xf06ad7ae, 0x9717877e, 0x85839d6e, 0xffbd7dc6, 0x64d325d1, 0xc5371682, 0xcadd0ccc, 0xfdffbbe1,
        0x626e33b8, 0xd04b4331, 0xbbf73c79, 0x0d94f7f7, 0x8c36f2c1, 0x5b9fc5cf, 0x5e3d2b1a, 0x2b9e4d13,
        0x3c6ef372, 0xfe94f82b, 0xe73980c0, 0xb9db9068, 0x21044ed6, 0xe744e4a2, 0xf0d8d422, 0xa1831d2a,
        0x4ecfe162, 0xa7a4f6fe, 0x068e08b6, 0xb7e304fe, 0x0310de12, 0x50806004, 0x83ac9748, 0x1e66bc6c,
        0xe0d5af5c, 0x2e2f0efd, 0x0b073adc, 0xff7afb8c, 0xc9a64ba2, 0x8a6e2d04, 0x95ba1998, 0xfbff77c2,
        0xc4dc6770, 0xa0968662, 0x77ee78f2, 0x1b29efee, 0x186de582, 0xb73f8b9e, 0xbc7a5634, 0x573c9a26};

kernel void load_constant(global float *out, uint mask)
{
	uint at = (uint)get_local_id(0), x = 0;
#define LOAD_CONSTANT(k) x += constants[(at + 5 * k) & mask];
	EACH16(LOAD_CONSTANT)
	out[PLACE()] = (float)x;
}

/*
 * 8 loads a trip in a loop of unknown length, with nothing beside them that takes
 * longer: one address a trip, integers that an xor swallows
 */
kernel void load_scalar(global const int *in, global float *out, int trips, uint stride)
{
	uint at = (uint)get_local_id(0);
	int x = 0, y = 0, z = 0, w = 0;
	for (int i = 0; i < trips; i++) {
		global const int *p = in + (at & 2047u);
		x ^= p[0];
		y ^= p[256];
		z ^= p[512];
		w ^= p[768];
		x ^= p[1024];
		y ^= p[1280];
		z ^= p[1536];
		w ^= p[1792];
		at += stride;
	}
	out[PLACE()] = (float)(x ^ y ^ z ^ w);
}

/*
 * A work-group's own 4096 floats. Those of a CPU's threads may not lie in one line, which
 * they would take from each other: what is surely a thread's own is local memory. It is read
 * where never == 1, so that the stores stay.
 */
#if ON_CPU
#define OWN(own)                                                                                   \
	local float unaligned[4096 + 16];                                                          \
	local float *own = unaligned + (16 - ((uint)(size_t)unaligned & 63) / 4) % 16
#define KEEP(own) if (never == 1) out[get_local_id(0)] = own[get_local_id(0) + never]
#else
#define OWN(own)  global float *own = out + get_group_id(0) % 253 * 4096
#define KEEP(own) (void)never
#endif

kernel void store_vector(global float *out, float a, int never)
{
	OWN(own);
	size_t lid = get_local_id(0), size = get_local_size(0);
#define STORE(k) own[lid + k * size] = a + k;
	EACH16(STORE)
	KEEP(own);
}

kernel void store_scatter(global float *out, float a, int never, uint stride)
{
	OWN(own);
	uint at = (uint)get_local_id(0) * stride;
	uint step = (uint)get_local_size(0) * stride + 1;
#define STORE_SCATTER(k) own[(at + k * step) & 4095u] = a + k;
	EACH16(STORE_SCATTER)
	KEEP(own);
}

kernel void store_scalar(global float *out, float a, int trips, uint stride)
{
	uint at = (uint)get_local_id(0);
	global float *own = out + get_group_id(0) % 253 * 4096;
	for (int i = 0; i < trips; i++) {
		global float *p = own + (at & 2047u);
		p[0] = a;
		p[256] = a;
		p[512] = a;
		p[768] = a;
		p[1024] = a;
		p[1280] = a;
		p[1536] = a;
		p[1792] = a;
		at += stride;
		a += 1;
	}
}

/*
 * Global atomics: 8 a work-item; scale 0: one address, 1: one of as many neighbours as the mask
 * leaves
 */
kernel void atomic_global(global int *counter, uint scale, uint mask, int value)
{
	uint at = ((uint)get_global_id(0) * scale) & mask;
	atomic_add(&counter[at], value);
	atomic_add(&counter[at], value + 1);
	atomic_add(&counter[at], value + 2);
	atomic_add(&counter[at], value + 3);
	atomic_add(&counter[at], value + 4);
	atomic_add(&counter[at], value + 5);
	atomic_add(&counter[at], value + 6);
	atomic_add(&counter[at], value + 7);
}

/* The same on an address that the compiler knows to be one, operands of its own each */
kernel void atomic_global_known(global int *counter, uint scale, uint mask, int value)
{
	int own = value + (int)get_local_id(0);
	atomic_add(&counter[0], own);
	atomic_add(&counter[0], own + 1);
	atomic_add(&counter[0], own + 2);
	atomic_add(&counter[0], own + 3);
	atomic_add(&counter[0], own + 4);
	atomic_add(&counter[0], own + 5);
	atomic_add(&counter[0], own + 6);
	atomic_add(&counter[0], own + 7);
}
