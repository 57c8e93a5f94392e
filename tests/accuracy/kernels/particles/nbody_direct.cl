/* SPDX-License-Identifier: Apache-2.0 */
/* Accelerations of all pairs, softened, positions read from global memory. */
kernel void nbody_direct(global const float4 *position, global float4 *acceleration, int count,
                         float softening)
{
	int i = get_global_id(0);
	float4 here = position[i];
	float ax = 0.0f, ay = 0.0f, az = 0.0f;

	for (int j = 0; j < count; j++) {
		float4 other = position[j];
		float dx = other.x - here.x, dy = other.y - here.y, dz = other.z - here.z;
		float inverse = rsqrt(dx * dx + dy * dy + dz * dz + softening);
		float scale = other.w * inverse * inverse * inverse;
		ax += scale * dx;
		ay += scale * dy;
		az += scale * dz;
	}
	acceleration[i] = (float4)(ax, ay, az, 0.0f);
}
