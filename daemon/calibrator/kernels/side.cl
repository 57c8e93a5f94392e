/* SPDX-License-Identifier: Apache-2.0 */
/* What one device does while another one is watched: arithmetic alone, or memory alone. */

kernel void compute(global float4 *out, uint trips, float factor)
{
	float4 a = (float4)(factor), b = a + 1.0f, c = a + 2.0f, d = a + 3.0f;
	for (uint i = 0; i < trips; i++) {
		a = mad(a, factor, 0.25f);
		b = mad(b, factor, 0.5f);
		c = mad(c, factor, 0.75f);
		d = mad(d, factor, 1.0f);
	}
	/* never: but a compiler cannot know */
	if (a.x + b.y + c.z + d.w == 12345.0f)
		out[0] = a + b + c + d;
}

kernel void memory(global const float4 *from, global float4 *to)
{
	size_t i = get_global_id(0);
	to[i] = from[i];
}
