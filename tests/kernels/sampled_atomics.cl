/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics whose places the launch tells in part: which of them meet. */

// expect: kernel counts
// launch: global=65536 local=64 args=buffer:256K:r:int=i%4,buffer:256K:rw
// expect: turns bins 8
// expect: hot bins 1
// launch: global=65536 local=64 args=buffer:256K:r:int=i%2*4096,buffer:256K:rw
// expect: turns bins 32
// expect: hot bins 0.5
// launch: global=65536 local=64 args=buffer:256K:r:int=i%8/7*4096,buffer:256K:rw
// expect: turns bins 32
// expect: hot bins ~0.8541
// launch: global=65536 local=64 args=buffer:256K:r:int=i*4%4096,buffer:256K:rw
// expect: turns bins 16
// expect: data_known
kernel void counts(global const int *key, global uint *bins)
{
	/*
	 * Lanes at one address come one after another: of 32 eight at each of four, 16 at each of
	 * two lines, 28 at one line and four at another: (0.875^3 + 0.125^3) / (0.875^2 + 0.125^2).
	 * Two lanes in each unit of 32 bytes are one turn.
	 */
	atomic_inc(&bins[key[get_global_id(0)]]);
}

// expect: kernel counts_apart
// launch: global=65536 local=64 args=buffer:256K:r:int=i%2,buffer:8K:w
// expect: ways own 16
// launch: global=65536 local=64 args=buffer:256K:r:int=i%32,buffer:8K:w
// expect: ways own 1
// expect: data_known
kernel void counts_apart(global const int *key, global uint *out)
{
	local uint own[64];

	atomic_inc(&own[key[get_global_id(0)]]);
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_local_id(0)] = own[get_local_id(0)];
}
