/* SPDX-License-Identifier: Apache-2.0 */
/* Temperature of a chip from its neighbours, its power and the ambient; borders repeat. */
kernel void hotspot(global const float *temperature, global const float *power,
                    global float *result, int width, int height, float step, float rx, float ry,
                    float rz)
{
	int x = get_global_id(0);
	int y = get_global_id(1);
	int west = max(x - 1, 0), east = min(x + 1, width - 1);
	int north = max(y - 1, 0), south = min(y + 1, height - 1);
	float here = temperature[y * width + x];
	float across = temperature[y * width + east] + temperature[y * width + west] - 2.0f * here;
	float along = temperature[south * width + x] + temperature[north * width + x] - 2.0f * here;

	result[y * width + x] =
	        here + step * (power[y * width + x] + along * ry + across * rx + (80.0f - here) * rz);
}
