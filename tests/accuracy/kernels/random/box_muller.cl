/* SPDX-License-Identifier: Apache-2.0 */
/* Uniform pairs to normal pairs. */
kernel void box_muller(global const float2 *uniform, global float2 *normal)
{
	int i = get_global_id(0);
	float2 u = uniform[i];
	float radius = sqrt(-2.0f * log(u.x));
	float angle = 6.2831853f * u.y;

	normal[i] = (float2)(radius * cos(angle), radius * sin(angle));
}
