/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Light in a canopy of voxels: what reaches each from some places of the sun, by Beer and Lambert through the leaf area
 * above (in hundredths of square metres a voxel). The plot repeats itself sideways. Rays end where hardly any
 * light is left.
 */
kernel void canopy_light(global const uchar *leaves, constant float4 *suns, int sun_count, float extinction,
                         float dark, int width, int depth, int layers, global float *light, global uchar *shaded)
{
	int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
	if (x >= width || y >= depth || z >= layers)
		return;

	float total = 0.0f;
	int in_shade = 0;
	for (int s = 0; s < sun_count; s++) {
		float4 sun = suns[s]; /* sideways per layer, length of the way through one, share */
		float remaining = 1.0f;
		for (int up = 1; z + up < layers; up++) {
			int ax = (x + convert_int_rte(up * sun.x)) % width, ay = (y + convert_int_rte(up * sun.y)) % depth;
			ax += ax < 0 ? width : 0;
			ay += ay < 0 ? depth : 0;
			uchar area = leaves[((z + up) * depth + ay) * width + ax];
			if (area == 0)
				continue;
			remaining *= native_exp(-extinction * 0.01f * area * sun.z);
			if (remaining < dark)
				break;
		}
		if (remaining < dark) {
			in_shade++;
			continue;
		}
		total += sun.w * remaining;
	}
	int voxel = (z * depth + y) * width + x;
	light[voxel] = total;
	shaded[voxel] = in_shade;
}
