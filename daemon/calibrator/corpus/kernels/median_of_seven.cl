/* SPDX-License-Identifier: Apache-2.0 */
#define ORDER(a, b)                                                                                \
	{                                                                                          \
		float low = fmin(a, b);                                                            \
		b = fmax(a, b);                                                                    \
		a = low;                                                                           \
	}

kernel void median_of_seven(global const float *in, global float *out)
{
	int i = get_global_id(0);
	float v[7];

	for (int k = 0; k < 7; k++)
		v[k] = in[i + k];
	for (int last = 6; last > 2; last--)
		for (int k = 0; k < last; k++)
			ORDER(v[k], v[k + 1]);
	out[i] = v[3];
}
