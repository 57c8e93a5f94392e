/* SPDX-License-Identifier: Apache-2.0 */
/* Rotary positions: pairs of each head turned by an angle that grows with the position, slower pair by pair. */
kernel void rotary_embedding(global float2 *pairs, int heads, int pairs_each, float base)
{
	int pair = get_global_id(0) % pairs_each;
	int position = get_global_id(0) / (pairs_each * heads);
	float angle = position * pow(base, -(float)pair / pairs_each);
	float cosine;
	float sine = sincos(angle, &cosine);
	float2 old = pairs[get_global_id(0)];

	pairs[get_global_id(0)] = (float2)(old.x * cosine - old.y * sine, old.x * sine + old.y * cosine);
}
