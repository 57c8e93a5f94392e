/* SPDX-License-Identifier: Apache-2.0 */
/* Leap-frog integration of positions and velocities, walls reflecting. */
kernel void verlet(global float4 *position, global float4 *velocity, global const float4 *force,
                   float step)
{
	int i = get_global_id(0);
	float4 v = velocity[i] + force[i] * step;
	float4 p = position[i] + v * step;

	if (p.x < 0.0f || p.x > 1.0f)
		v.x = -v.x;
	if (p.y < 0.0f || p.y > 1.0f)
		v.y = -v.y;
	if (p.z < 0.0f || p.z > 1.0f)
		v.z = -v.z;
	position[i] = clamp(p, 0.0f, 1.0f);
	velocity[i] = v;
}
