/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of 64 bits: a product, a quotient and a remainder by a variable. */
// launch: global=262144 local=64 args=buffer:2M:rw,long:1000003
// expect: kernel long_mix
// expect: argument modulus scalar long
// expect: written mul.long 1
// expect: written mod.long 1
// expect: emitted wide_mod.long 1
// expect: written div.long 1
// expect: accesses 2
// expect: segments x 8
kernel void long_mix(global long *x, long modulus)
{
	size_t i = get_global_id(0);
	long v = x[i] * 6364136223846793005L;

	x[i] = v % modulus + v / (modulus - 1);
}
