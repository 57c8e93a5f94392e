/* SPDX-License-Identifier: Apache-2.0 */
/* The same quotient written four times, computed once. */
// launch: global=1048576 local=64 args=buffer:4M:r,buffer:4M:r,buffer:4M:w
// expect: kernel quotients
// expect: written div.float 4
// expect: emitted div.float 1
// expect: written sqrt.float 2
// expect: emitted sqrt.float 1
// expect: accesses 3
// expect: load a coalesced
kernel void quotients(global const float *a, global const float *b, global float *out)
{
	size_t i = get_global_id(0);
	float once = sqrt(a[i] / b[i]) + a[i] / b[i];
	float again = sqrt(a[i] / b[i]) - a[i] / b[i];

	out[i] = once * again;
}
