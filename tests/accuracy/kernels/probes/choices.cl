/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What data choose: branches that few work-items go into, and private tables at places
 * that data tell. No real work; each shows one mechanism of a GPU.
 */
#define ROLLED __attribute__((opencl_unroll_hint(1)))

kernel void rare_then(global const int *label, global float *out, int wanted, int trips)
{
	int gid = get_global_id(0);
	if (label[gid] == wanted) {
		float x = gid;
		ROLLED for (int i = 0; i < trips; i++)
		{
			x = fma(x, 1.5f, 0.5f);
			x = fma(x, 0.5f, 0.25f);
		}
		out[gid] = x;
	}
}

kernel void rare_gather(global const int *label, global const int *next, global float *out,
                        int wanted, int degree)
{
	int gid = get_global_id(0);
	if (label[gid] != wanted)
		return;
	float x = 0;
	for (int i = 0; i < degree; i++)
		x += next[(gid * degree + i * 7919) & 1048575];
	out[gid] = x;
}

/* Lanes lie in as many rows of the table as `mask` leaves. */
#define TABLE(name, entries)                                                                       \
	kernel void name##_update(global uint *out, int trips, uint p, uint mask)                  \
	{                                                                                          \
		uint table[entries];                                                               \
		uint gid = get_global_id(0), x = (gid & mask) * p, sum = 0;                        \
		for (int d = 0; d < entries; d++)                                                  \
			table[d] = d * p;                                                          \
		ROLLED for (int i = 0; i < trips; i++)                                             \
		{                                                                                  \
			table[x & (entries - 1)]++;                                                \
			x += 5;                                                                    \
		}                                                                                  \
		for (int d = 0; d < entries; d++)                                                  \
			sum += table[d] ^ d;                                                       \
		out[gid] = sum;                                                                    \
	}                                                                                          \
	kernel void name##_read(global uint *out, int trips, uint p, uint mask)                    \
	{                                                                                          \
		uint table[entries];                                                               \
		uint gid = get_global_id(0), x = (gid & mask) * p, sum = 0;                        \
		for (int d = 0; d < entries; d++)                                                  \
			table[d] = d * p + gid;                                                    \
		ROLLED for (int i = 0; i < trips; i++)                                             \
		{                                                                                  \
			sum += table[x & (entries - 1)] + table[(x + 3) & (entries - 1)] +         \
			       table[(x + 6) & (entries - 1)] + table[(x + 9) & (entries - 1)];    \
			x += 5;                                                                    \
		}                                                                                  \
		out[gid] = sum;                                                                    \
	}                                                                                          \
	kernel void name##_chase(global uint *out, int trips, uint p, uint mask)                   \
	{                                                                                          \
		uint table[entries];                                                               \
		uint gid = get_global_id(0), x = (gid & mask) * p;                                 \
		for (int d = 0; d < entries; d++)                                                  \
			table[d] = d + p;                                                          \
		ROLLED for (int i = 0; i < trips; i++)                                             \
			x = table[x & (entries - 1)];                                              \
		out[gid] = x;                                                                      \
	}
TABLE(private16, 16)
TABLE(private64, 64)
