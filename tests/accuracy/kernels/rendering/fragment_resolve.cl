/* SPDX-License-Identifier: Apache-2.0 */
/* Transparency in the right order: the fragments of a pixel, up to twelve, are put in order of their depth by insertion
 * and laid over the background from the farthest on. Colours have eight bits a channel. */
#define MOST 12

kernel void fragment_resolve(global const int *start, global const float *depth, global const uchar4 *colour,
                             global uchar4 *picture, int pixels)
{
	const int pixel = get_global_id(0);
	float depths[MOST];
	uchar4 colours[MOST];

	if (pixel >= pixels)
		return;
	const int first = start[pixel];
	const int count = min(start[pixel + 1] - first, MOST);
	for (int k = 0; k < count; k++) {
		const float d = depth[first + k];
		int slot = k;
		for (; slot > 0 && depths[slot - 1] < d; slot--) {
			depths[slot] = depths[slot - 1];
			colours[slot] = colours[slot - 1];
		}
		depths[slot] = d;
		colours[slot] = colour[first + k];
	}
	float3 sum = (float3)(32.0f, 32.0f, 48.0f);
	for (int k = 0; k < count; k++) {
		const float4 c = convert_float4(colours[k]);
		sum = mix(sum, c.xyz, c.w * (1.0f / 255.0f));
	}
	picture[pixel] = convert_uchar4_sat_rte((float4)(sum, 255.0f));
}
