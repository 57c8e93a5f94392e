/* SPDX-License-Identifier: Apache-2.0 */
/* A union: the sign of one lane is changed as bits, the lanes are added as floats. */
// launch: global=1024 local=64 args=buffer:16K:r,buffer:4K:w
// expect: kernel pun
// expect: written bit.int 1
// expect: written add.float 2
// expect: accesses 2
// expect: load a coalesced
union quad {
	float4 vector;
	float lane[4];
	uint bits[4];
};

kernel void pun(global const float4 *a, global float *o)
{
	size_t i = get_global_id(0);
	union quad q;

	q.vector = a[i];
	q.bits[1] ^= 0x80000000u;
	o[i] = q.lane[0] + q.lane[1] + q.lane[2];
}
