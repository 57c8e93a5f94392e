/* SPDX-License-Identifier: Apache-2.0 */
/* The paper's multiple identical accesses: written twice, read once. */
// launch: global=16777216 local=256 args=buffer:64M:r,buffer:64M:w
// expect: kernel repeated
// expect: written mul.float 1
// expect: accesses 2
// expect: load matrix coalesced
// expect: store to coalesced
// expect: segments matrix 4
kernel void repeated(global const float *matrix, global float *to)
{
	size_t x = get_global_id(0);

	to[x] = matrix[x] * matrix[x];
}
