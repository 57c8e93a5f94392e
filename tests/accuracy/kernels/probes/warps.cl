/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What warps wait for and what they share: chains alone and many beside each other, over
 * numbers of warps on a unit. No real work; each shows one mechanism of a GPU.
 */
#define TIMES4(s)  s s s s
#define TIMES16(s) TIMES4(TIMES4(s))
#define EACH8(s)   s(0, 1) s(1, 2) s(2, 3) s(3, 4) s(4, 5) s(5, 6) s(6, 7) s(7, 0)
#define EACH16(s)  s(0) s(1) s(2) s(3) s(4) s(5) s(6) s(7) s(8) s(9) s(10) s(11) s(12) s(13) s(14) s(15)
#define ROLLED     __attribute__((opencl_unroll_hint(1)))

/* Eight chains of words beside each other, 16 steps a trip; and one alone. */
#define WORDS(name, step)                                                                          \
	kernel void name(global float *out, int trips, uint p, uint q)                             \
	{                                                                                          \
		int gid = get_global_id(0);                                                        \
		uint u0 = p + gid, u1 = p + gid * 3, u2 = p + gid * 5, u3 = p + gid * 7,           \
		     u4 = p + gid * 9, u5 = p + gid * 11, u6 = p + gid * 13, u7 = p + gid * 15;    \
		ROLLED for (int i = 0; i < trips; i++) { EACH8(step) EACH8(step) }                 \
		out[gid] = (float)u0 + (float)u1 + (float)u2 + (float)u3 + (float)u4 + (float)u5 + \
		           (float)u6 + (float)u7;                                                  \
	}
#define WORD_CHAIN(name, step)                                                                     \
	kernel void name(global float *out, int trips, uint p, uint q)                             \
	{                                                                                          \
		int gid = get_global_id(0);                                                        \
		uint u0 = p + gid, u1 = q;                                                         \
		ROLLED for (int i = 0; i < trips; i++) { TIMES16(step(0, 1)) }                     \
		out[gid] = (float)u0;                                                              \
	}
#define CHOICE(k, j)   u##k = ((u##k & u##j) | (~u##k & p)) + q;
#define ROTATED(k, j)  u##k = rotate(u##k, 6u) ^ rotate(u##k, 11u) ^ rotate(u##k, 25u);
#define MASKED(k, j)   u##k = (u##k & p) + u##j;
#define COUNTED(k, j)  u##k += u##k < p + i;
#define MIXED(k, j)    u##k = u##k ^ p; u##k += q;
WORDS(op_select3, CHOICE)
WORDS(op_xor3rot, ROTATED)
WORDS(op_and1, MASKED)
WORDS(op_cmpadd1, COUNTED)
WORD_CHAIN(lat_select3, CHOICE)
WORD_CHAIN(lat_cmpadd1, COUNTED)
WORD_CHAIN(lat_add1, MIXED)

/* The same of reals. */
#define REALS(name, step)                                                                          \
	kernel void name(global float *out, int trips, float p, float q)                           \
	{                                                                                          \
		int gid = get_global_id(0);                                                        \
		float x0 = p + gid, x1 = p + gid + 1, x2 = p + gid + 2, x3 = p + gid + 3,          \
		      x4 = p + gid + 4, x5 = p + gid + 5, x6 = p + gid + 6, x7 = p + gid + 7;      \
		ROLLED for (int i = 0; i < trips; i++) { EACH8(step) EACH8(step) }                 \
		out[gid] = x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7;                                  \
	}
#define REAL_CHAIN(name, times, step)                                                              \
	kernel void name(global float *out, int trips, float p, float q)                           \
	{                                                                                          \
		int gid = get_global_id(0);                                                        \
		float x0 = p + gid;                                                                \
		ROLLED for (int i = 0; i < trips; i++) { times(step(0, 1)) }                       \
		out[gid] = x0;                                                                     \
	}
#define ONCE(s)     s
#define TIMES32(s)  TIMES16(s) TIMES16(s)
#define DIVIDED(k, j) x##k = p / x##k;
#define ROOT(k, j)    x##k = native_rsqrt(x##k);
#define SUM(k, j)     x##k = fma(x##k, p, q);
REALS(fop_div, DIVIDED)
REALS(fop_nrsqrt, ROOT)
REAL_CHAIN(flat_div, TIMES16, DIVIDED)
REAL_CHAIN(flat_nrsqrt, TIMES16, ROOT)
REAL_CHAIN(fma_ilp1, TIMES32, SUM)
REAL_CHAIN(loop1_fma1, ONCE, SUM)

kernel void fma_ilp4(global float *out, int trips, float p, float q)
{
	int gid = get_global_id(0);
	float x0 = p + gid, x1 = p + gid + 1, x2 = p + gid + 2, x3 = p + gid + 3;
	ROLLED for (int i = 0; i < trips; i++) {
		TIMES4(SUM(0, ) SUM(1, ) SUM(2, ) SUM(3, )) TIMES4(SUM(0, ) SUM(1, ) SUM(2, ) SUM(3, ))
	}
	out[gid] = x0 + x1 + x2 + x3;
}

/* Local memory: neighbours, vectors, a chain; barriers alone and with an exchange. */
#define IN_LOCAL(name, type, size, start, step, end)                                               \
	kernel void name(global float *out, int trips)                                             \
	{                                                                                          \
		int gid = get_global_id(0), lid = get_local_id(0);                                 \
		local type tile[size];                                                             \
		for (int k = lid; k < size; k += (int)get_local_size(0))                           \
			tile[k] = (type)(out[k & 31]);                                             \
		barrier(CLK_LOCAL_MEM_FENCE);                                                      \
		start ROLLED for (int i = 0; i < trips; i++) { step }                              \
		out[gid] = end;                                                                    \
	}
#define NEIGHBOUR(k) x += tile[(lid + i + k) & 1023];
#define VECTOR(k)    x += tile[(lid + i + k) & 255];
#define WAIT         barrier(CLK_LOCAL_MEM_FENCE);
IN_LOCAL(lds_unit, float, 1024, float x = gid;, EACH16(NEIGHBOUR), x)
IN_LOCAL(lds4_unit, float4, 256, float4 x = (float4)(gid);, EACH16(VECTOR), x.x + x.y + x.z + x.w)
IN_LOCAL(lds_chase, int, 1024, int x = lid;, TIMES16(x = tile[x];), (float)x)
IN_LOCAL(bar_only, float, 1024, float x = gid;, x = fma(x, 1.5f, 0.5f); WAIT, x)
IN_LOCAL(bar_xchg, float, 1024, float x = gid;, tile[lid] = x; WAIT x += tile[lid ^ 33]; WAIT, x)
