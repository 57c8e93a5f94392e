/* SPDX-License-Identifier: Apache-2.0 */
kernel void keep_positive(global const float *in, global float *out, global uint *kept, uint mask)
{
	float value = in[get_global_id(0)];

	if (value > 0)
		out[atomic_inc(kept) & mask] = value;
}
