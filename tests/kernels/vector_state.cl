/* SPDX-License-Identifier: Apache-2.0 */
/* A loop whose state is a vector: its lanes tell when it ends, after ten rounds for any work-item. */
// launch: global=1024 local=64 args=buffer:8K:w,float:2.0
// expect: kernel advance
// expect: trips 13 10
// expect: written add.float 20
// expect: store out coalesced
kernel void advance(global float2 *out, float step)
{
	float2 z = (float2)(0.0f, 0.0f);
	int i;

	for (i = 0; i < 100; i++) {
		z = (float2)(z.x + 1.0f, z.y + step);
		if (z.y >= 20.0f)
			break;
	}
	out[get_global_id(0)] = z;
}
