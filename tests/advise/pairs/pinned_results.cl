// SPDX-License-Identifier: Apache-2.0
//
// Passwords hashed: 32 MiB of results read back to pageable against pinned memory.

__kernel void bad(__global const uint *seed, __global uint4 *out)
{
	const uint i = get_global_id(0), x = seed[i & 1023] + i;

	out[i] = (uint4)(x, rotate(x, 7u), x * 2654435761u, x ^ 0x5bd1e995u);
}

__kernel void good(__global const uint *seed, __global uint4 *out)
{
	const uint i = get_global_id(0), x = seed[i & 1023] + i;

	out[i] = (uint4)(x, rotate(x, 7u), x * 2654435761u, x ^ 0x5bd1e995u);
}
