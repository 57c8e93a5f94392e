/* SPDX-License-Identifier: Apache-2.0 */
/* A pointer that an argument chooses: one of two buffers is read, and the launch says which. */
// launch: global=1024 local=64 args=buffer:4K:r,buffer:128K:r,buffer:4K:w,int:1
// expect: kernel choose_buffer
// expect: load b uncoalesced
// expect: store o coalesced
// expect: written mul.float 1
// expect: accesses 3
kernel void choose_buffer(global const float *a, global const float *b, global float *o, int which)
{
	size_t i = get_global_id(0);
	global const float *p = which == 0 ? a : b + 31 * i;

	o[i] = p[i] * 2.0f;
}
