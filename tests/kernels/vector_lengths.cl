/* SPDX-License-Identifier: Apache-2.0 */
/* Lengths and angles of three-vectors: four elements in memory, geometric built-ins. */
// launch: global=65536 local=64 args=buffer:1M:r,buffer:1M:r,buffer:256K:w
// expect: kernel angles
// expect: argument a buffer float3
// expect: written asin.float 1
// expect: emitted asin.float 1
// expect: accesses 3
// expect: store out coalesced
// expect: segments out 4
kernel void angles(global const float3 *a, global const float3 *b, global float *out)
{
	size_t i = get_global_id(0);
	float3 x = normalize(a[i]);
	float3 y = normalize(b[i]);

	out[i] = acos(clamp(dot(x, y), -1.0f, 1.0f));
}
