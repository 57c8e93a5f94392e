/* SPDX-License-Identifier: Apache-2.0 */
/* Reinhard tone mapping of float4 pixels with gamma. */
kernel void tone_map(global const float4 *in, global float4 *out, float exposure, float gamma)
{
	int i = get_global_id(0);
	float4 pixel = in[i];
	float luminance = 0.2126f * pixel.x + 0.7152f * pixel.y + 0.0722f * pixel.z;
	float scale = exposure / (1.0f + exposure * luminance);

	out[i] = pow(pixel * scale, (float4)(gamma));
}
