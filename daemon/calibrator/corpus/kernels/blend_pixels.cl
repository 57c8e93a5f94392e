/* SPDX-License-Identifier: Apache-2.0 */
kernel void blend_pixels(global const uchar4 *under, global const uchar4 *over, global uchar4 *out)
{
	size_t i = get_global_id(0);
	uint4 low = convert_uint4(under[i]), high = convert_uint4(over[i]);
	uint alpha = high.w;

	out[i] = convert_uchar4((high * alpha + low * (255 - alpha)) / 255);
}
