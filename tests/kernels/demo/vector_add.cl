/* SPDX-License-Identifier: Apache-2.0 */
/* The sum of two vectors. */
// launch: global=16777216 local=256 args=buffer:64M:r,buffer:64M:r,buffer:64M:w
// expect: kernel vector_add
// expect: ir kernel vector_add(buffer float a, buffer float b, buffer float c)
// expect: argument a buffer float
// expect: argument c buffer float
// expect: written add.float 1
// expect: emitted add.float 1
// expect: written mul.float 0
// expect: accesses 3
// expect: load a coalesced
// expect: load b coalesced
// expect: store c coalesced
// expect: segments a 4
// expect: segments c 4
// expect: barriers 0
kernel void vector_add(global const float *a, global const float *b, global float *c)
{
	size_t i = get_global_id(0);

	c[i] = a[i] + b[i];
}
