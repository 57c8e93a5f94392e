/* SPDX-License-Identifier: Apache-2.0 */
/* A histogram counted straight in global memory; the data decide which bin. */
// launch: global=1048576 local=64 args=buffer:4M:r,buffer:4K:rw
// expect: kernel histogram_global
// expect: written bit.int 1
// expect: emitted bit.int 1
// expect: accesses 2
// expect: load values coalesced
// expect: segments values 4
// expect: barriers 0
kernel void histogram_global(global const uint *values, global uint *bins)
{
	atomic_inc(&bins[values[get_global_id(0)] & 1023u]);
}
