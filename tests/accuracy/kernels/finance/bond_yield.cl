/* SPDX-License-Identifier: Apache-2.0 */
/* Yields of bonds by eight of Newton's steps on their present values. */
kernel void bond_yield(global const float *price, global const float *coupon, global float *yield,
                       int years)
{
	int i = get_global_id(0);
	float y = 0.05f;

	for (int iteration = 0; iteration < 8; iteration++) {
		float factor = 1.0f / (1.0f + y);
		float discount = 1.0f, value = 0.0f, slope = 0.0f;
		for (int t = 1; t <= years; t++) {
			discount *= factor;
			value += coupon[i] * discount;
			slope -= (float)t * coupon[i] * discount * factor;
		}
		value += 100.0f * discount;
		slope -= (float)years * 100.0f * discount * factor;
		y -= (value - price[i]) / slope;
	}
	yield[i] = y;
}
