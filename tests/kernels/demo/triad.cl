/* SPDX-License-Identifier: Apache-2.0 */
/* The triad of McCalpin's STREAM: two reads, one write, a multiplication and an addition. */
// launch: global=16777216 local=256 args=buffer:64M:w,buffer:64M:r,buffer:64M:r,float:3
// expect: kernel triad
// expect: argument scalar scalar float
// expect: written mul.float 1
// expect: written add.float 1
// expect: accesses 3
// expect: load b coalesced
// expect: load c coalesced
// expect: store a coalesced
// expect: segments b 4
// expect: barriers 0
kernel void triad(global float *a, global const float *b, global const float *c, float scalar)
{
	size_t i = get_global_id(0);

	a[i] = b[i] + scalar * c[i];
}
