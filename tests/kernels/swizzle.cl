/* SPDX-License-Identifier: Apache-2.0 */
/* Vector lanes reordered: complex products of two pairs held in four-vectors. */
// launch: global=262144 local=64 args=buffer:4M:r,buffer:4M:r,buffer:4M:w
// expect: kernel complex_product
// expect: argument a buffer float4
// expect: emitted mul.float 8
// expect: accesses 3
// expect: segments a 16
// expect: segments c 16
// expect: load b coalesced
kernel void complex_product(global const float4 *a, global const float4 *b, global float4 *c)
{
	size_t i = get_global_id(0);
	float4 x = a[i];
	float4 y = b[i];
	float4 direct = x * y;
	float4 crossed = x * y.yxwz;

	c[i] = (float4)(direct.x - direct.y, crossed.x + crossed.y, direct.z - direct.w,
	                crossed.z + crossed.w);
}
