/* SPDX-License-Identifier: Apache-2.0 */
/* Eight bytes at a time by vload8 and vstore8. */
// launch: global=262144 local=64 args=buffer:2M:r,buffer:2M:w
// expect: kernel invert
// expect: argument in buffer uchar
// expect: accesses 2
// expect: segments in 8
// expect: segments out 8
// expect: load in coalesced
// expect: store out coalesced
kernel void invert(global const uchar *in, global uchar *out)
{
	size_t i = get_global_id(0);

	vstore8((uchar8)(255) - vload8(i, in), i, out);
}
