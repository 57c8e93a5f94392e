/* SPDX-License-Identifier: Apache-2.0 */
/* A scan of bytes seen along an axis that leans: densities between eight voxels, colours of a table in local memory,
 * front to back until what is behind is hidden. */
__kernel void volume_cast(__global const uchar *volume, __global const float4 *transfer, __global float4 *picture,
                          int side, int width, float lean_x, float lean_y)
{
	__local float4 colours[256];
	int x = get_global_id(0), y = get_global_id(1);
	int size = get_local_size(0) * get_local_size(1);

	for (int i = get_local_id(1) * get_local_size(0) + get_local_id(0); i < 256; i += size)
		colours[i] = transfer[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (x >= width || y >= width)
		return;

	float scale = (float)(side - 1) / width;
	float4 seen = (float4)(0.0f);
	for (int z = 0; z < side - 1; z++) {
		float px = x * scale + lean_x * z, py = y * scale + lean_y * z;
		if (px < 0.0f || py < 0.0f || px >= side - 1 || py >= side - 1)
			continue;
		int vx = (int)px, vy = (int)py;
		float fx = px - vx, fy = py - vy;
		__global const uchar *v = volume + (z * side + vy) * side + vx;
		float near = mix(mix((float)v[0], (float)v[1], fx), mix((float)v[side], (float)v[side + 1], fx), fy);
		v += side * side;
		float far = mix(mix((float)v[0], (float)v[1], fx), mix((float)v[side], (float)v[side + 1], fx), fy);
		float4 c = colours[(int)(0.5f * (near + far))];
		seen.xyz += (1.0f - seen.w) * c.w * c.xyz;
		seen.w += (1.0f - seen.w) * c.w;
		if (seen.w > 0.98f)
			break;
	}
	picture[y * width + x] = seen;
}
