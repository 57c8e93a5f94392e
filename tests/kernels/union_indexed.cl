/* SPDX-License-Identifier: Apache-2.0 */
/* The same union with a variable index: it lives in private memory. */
// launch: global=1024 local=64 args=buffer:16K:r,buffer:4K:w
// expect: kernel pun_loop
// expect: load a coalesced
// expect: trips 20 4
// expect: written add.float 4
union quad {
	float4 vector;
	float lane[4];
};

kernel void pun_loop(global const float4 *a, global float *o)
{
	size_t i = get_global_id(0);
	union quad q;
	float sum = 0.0f;

	q.vector = a[i];
	for (int k = 0; k < 4; k++)
		sum += q.lane[k];
	o[i] = sum;
}
