/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that turn numbers into others, all by themselves: followed from any number of the type. */
// expect: kernel euclid
// launch: global=65536 local=64 args=buffer:256K:r,buffer:256K:r,buffer:256K:rw
// expect: trips 13 ~18.6
// expect: data_dependent
kernel void euclid(global const uint *a, global const uint *b, global uint *out)
{
	int i = get_global_id(0);
	uint x = a[i], y = b[i];

	/* 12 ln 2 / pi^2 * ln 2^32, and a bit (Knuth, The Art of Computer Programming 2, 4.5.3) */
	while (y != 0) {
		uint rest = x % y;
		x = y;
		y = rest;
	}
	out[i] = x;
}

// expect: kernel binary_euclid
// launch: global=65536 local=64 args=buffer:256K:r,buffer:256K:r,buffer:256K:rw
// expect: trips 31 ~22.6
// expect: executions out 11.27
kernel void binary_euclid(global const uint *a, global const uint *b, global uint *out)
{
	int i = get_global_id(0);
	uint x = a[i], y = b[i] | 1;

	/* what takes the other's place is no record */
	while (x != 0) {
		x >>= popcount((x & (0 - x)) - 1);
		if (x < y) {
			uint swap = x;
			x = y;
			y = swap;
			out[i + y] = 1;
		}
		x -= y;
	}
}

// expect: kernel carries
// launch: global=4096 local=64 args=buffer:2M:r,buffer:16388:r,buffer:8K:rw
// expect: trips 53 64
// expect: trips 55 0
// expect: trips 57 ~1.6
kernel void carries(global const ushort *words, global const int *start, global ushort *sums)
{
	int i = get_global_id(0), k = start[i], end = start[i + 1];
	uint sum = 0;

	for (; k + 4 <= end; k += 4)
		sum += (uint)words[k] + words[k + 1] + words[k + 2] + words[k + 3];
	for (; k < end; k++)
		sum += words[k];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	sums[i] = sum;
}

// expect: kernel bits
// launch: global=65536 local=64 args=buffer:256K:r,buffer:256K:rw
// expect: trips 70 ~16
kernel void bits(global const uint *a, global uint *out)
{
	int i = get_global_id(0);
	uint x, count = 0;

	for (x = a[i]; x != 0; x &= x - 1)
		count++;
	out[i] = count;
}
