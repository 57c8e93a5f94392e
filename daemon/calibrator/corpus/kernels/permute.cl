/* SPDX-License-Identifier: Apache-2.0 */
kernel void permute(global const float *in, global const int *place, global float *out)
{
	int i = get_global_id(0);

	out[place[i]] = in[i];
}
