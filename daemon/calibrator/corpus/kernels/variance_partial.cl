/* SPDX-License-Identifier: Apache-2.0 */
kernel void variance_partial(global const float *in, global float2 *out, int n)
{
	local float2 part[256];
	int me = get_local_id(0);
	float2 sum = (float2)(0, 0);

	for (int i = get_global_id(0); i < n; i += get_global_size(0))
		sum += (float2)(in[i], in[i] * in[i]);
	part[me] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int half_way = 128; half_way > 0; half_way >>= 1) {
		if (me < half_way)
			part[me] += part[me + half_way];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (me == 0)
		out[get_group_id(0)] = part[0];
}
