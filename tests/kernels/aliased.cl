/* SPDX-License-Identifier: Apache-2.0 */
/* A store between two equal reads of the same buffer: the second is a read of its own. */
// launch: global=1048576 local=64 args=buffer:4M:rw,buffer:4M:w
// expect: kernel read_back
// expect: written add.float 2
// expect: load x coalesced
// expect: store x coalesced
// expect: store y coalesced
// expect: barriers 0
kernel void read_back(global float *x, global float *y)
{
	size_t i = get_global_id(0);

	x[i] = x[i] + 1.0f;
	y[i] = x[i] + 2.0f;
}
