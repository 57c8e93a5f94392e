/* SPDX-License-Identifier: Apache-2.0 */
/* How a device executes: who runs at once, lockstep, latency, loops. */

/* state[0]: work-groups running now; state[1]: the most there were */
kernel void resident(global int *state, global float *out, int trips, float y)
{
	float x = (float)get_local_id(0);
	if (get_local_id(0) == 0)
		atomic_max(&state[1], atomic_inc(&state[0]) + 1);
	barrier(CLK_GLOBAL_MEM_FENCE); /* all of the group between the two */
	for (int i = 0; i < trips; i++)
		x = x * y + y;
	if (x == 12345.0f)
		out[0] = x;
	barrier(CLK_GLOBAL_MEM_FENCE);
	if (get_local_id(0) == 0)
		atomic_dec(&state[0]);
}

/* The same of groups that take 12 KiB of local memory each: ROOM_BYTES of calibrate_exec.c. */
kernel void resident_local(global int *state, global float *out, int trips, float y)
{
	local float room[3072];
	uint id = (uint)get_local_id(0);
	float x = (float)id;
	for (uint i = id; i < 3072; i += (uint)get_local_size(0))
		room[i] = x + y;
	if (id == 0)
		atomic_max(&state[1], atomic_inc(&state[0]) + 1);
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	for (int i = 0; i < trips; i++)
		x = x * y + y;
	if (x == 12345.0f)
		out[0] = room[(uint)trips % 3072];
	barrier(CLK_GLOBAL_MEM_FENCE);
	if (id == 0)
		atomic_dec(&state[0]);
}

#define TIMES4(s)  s s s s
#define TIMES16(s) TIMES4(TIMES4(s))

/* 0: float adds, each waits for the one before; 1: int adds; 2 and 3: one loop, not unrolled and
 * unrolled by 16; 4: eight float chains that do not wait for each other; 5: float multiplications,
 * 6: int adds of comparisons, 7: native roots, each waits for the one before; 8: a loop of one
 * operation, which no compiler does in fewer */
kernel void chain(global float *out, int which, int trips, float y, int n)
{
	size_t id = get_global_id(0);
	float x = (float)id;
	uint a = (uint)id, b = (uint)n;
	if (which == 0) {
		for (int i = 0; i < trips; i++) {
			TIMES16(x = x + y;)
		}
	} else if (which == 1) {
		for (int i = 0; i < trips; i++) {
			TIMES4(TIMES4(a += b; b += a;))
		}
	} else if (which == 2) {
		__attribute__((opencl_unroll_hint(1)))
		for (int i = 0; i < trips; i++)
			a = (a << 1) ^ b;
	} else if (which == 6) {
		for (int i = 0; i < trips; i++) {
			TIMES16(a += a < b; b -= 3;)
		}
	} else if (which == 7) {
		for (int i = 0; i < trips; i++) {
			TIMES16(x = native_rsqrt(x);)
		}
	} else if (which == 3) {
		__attribute__((opencl_unroll_hint(1)))
		for (int i = 0; i < trips; i += 16) {
			TIMES16(a = (a << 1) ^ b;)
		}
	} else if (which == 8) {
		__attribute__((opencl_unroll_hint(1)))
		for (int i = 0; i < trips; i++)
			a = b - a;
	} else if (which == 5) {
		for (int i = 0; i < trips; i++) {
			TIMES16(x = x * y;)
		}
	} else {
		float x1 = x + 1, x2 = x + 2, x3 = x + 3, x4 = x + 4, x5 = x + 5, x6 = x + 6,
		      x7 = x + 7;
		for (int i = 0; i < trips; i++) {
			TIMES4(x = x * y + y; x1 = x1 * y + y; x2 = x2 * y + y; x3 = x3 * y + y;
			       x4 = x4 * y + y; x5 = x5 * y + y; x6 = x6 * y + y; x7 = x7 * y + y;)
		}
		x += x1 + x2 + x3 + x4 + x5 + x6 + x7;
	}
	if (x + (float)(a + b) == 12345.678f)
		out[0] = x;
}

/* Takes a branch every other time: by chance (1), or in turns (0). The stores keep it a branch. */
kernel void guess(global float *out, int which, int trips)
{
	uint chance = (uint)get_global_id(0) * 2654435761u + 1u;
	float x = 0;
	__attribute__((opencl_unroll_hint(1)))
	for (int i = 0; i < trips; i++) {
		chance = chance * 1664525u + 1013904223u;
		if ((which == 1 ? chance >> 31 : (uint)i & 1u) != 0)
			out[get_local_id(0) + 1] = x;
		else
			x += 1.0f;
	}
	out[get_local_id(0)] = x;
}

/* Work-items with an odd lid >> shift take one side, the others another; both cost the same */
kernel void diverge(global float *out, int shift, int trips, float y, float z)
{
	float x = (float)get_local_id(0);
	if (((get_local_id(0) >> shift) & 1) != 0) {
		for (int i = 0; i < trips; i++)
			x = x * y + z;
	} else {
		for (int i = 0; i < trips; i++)
			x = x * z - y;
	}
	if (x == 12345.678f)
		out[0] = x;
}
