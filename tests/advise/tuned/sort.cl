// SPDX-License-Identifier: Apache-2.0
//
// The steps of a bitonic sort of 512 keys that stay in local memory.

#define KEYS 512

__kernel void sort_512(__global const uint *in, __global uint *out)
{
	__local uint keys[KEYS];
	const uint lane = get_local_id(0), base = get_group_id(0) * KEYS;

	keys[lane] = in[base + lane];
	keys[lane + KEYS / 2] = in[base + lane + KEYS / 2];
	for (uint size = 2; size <= KEYS; size *= 2) {
		for (uint stride = size / 2; stride > 0; stride /= 2) {
			const uint at = 2 * lane - (lane & (stride - 1));
			const bool up = (at & size) == 0;

			barrier(CLK_LOCAL_MEM_FENCE);
			const uint a = keys[at], b = keys[at + stride];
			keys[at] = up ? min(a, b) : max(a, b);
			keys[at + stride] = up ? max(a, b) : min(a, b);
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	out[base + lane] = keys[lane];
	out[base + lane + KEYS / 2] = keys[lane + KEYS / 2];
}
