/* SPDX-License-Identifier: Apache-2.0 */
/* Fused and unfused: fma, mad and plain. */
// launch: global=1048576 local=64 args=buffer:4M:r,buffer:4M:r,buffer:4M:w
// expect: kernel fused
// expect: written fma.float 1
// expect: written mul.float 1
// expect: written add.float 1
// expect: emitted fma.float 2
// expect: accesses 3
// expect: load a coalesced
// expect: store out coalesced
kernel void fused(global const float *a, global const float *b, global float *out)
{
	size_t i = get_global_id(0);

	out[i] = fma(a[i], b[i], mad(b[i], b[i], a[i]));
}
