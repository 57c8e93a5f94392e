/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes and operators from build options, as kernels of libraries are written. */
// launch: global=262144 local=64 options="-DUNROLL=4 -DTYPE=int -DOP=max" args=buffer:4M:r,buffer:1M:w
// expect: kernel fold
// expect: argument in buffer int
// expect: argument out buffer int
// expect: written minmax.int 4
// expect: trips 23 4
// expect: accesses 2
// expect: store out coalesced
#ifndef UNROLL
#error UNROLL is not defined
#endif
#define CAT(a, b) a##b
#define FOLD(name) CAT(fo, name)

kernel void FOLD(ld)(global const TYPE *in, global TYPE *out)
{
	size_t i = get_global_id(0);
	TYPE value = 0;

#pragma unroll
	for (int k = 0; k < UNROLL; k++)
		value = OP(value, in[i + k * get_global_size(0)]);
	out[i] = value;
}

// expect: kernel spliced
#define SPLICED(name) \
kernel void name(global TYPE *out) \
{ \
	out[get_global_id(0)] = UNROLL; \
}
SPLICED(spliced)
