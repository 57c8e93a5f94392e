/* SPDX-License-Identifier: Apache-2.0 */
/* a work-group a row */
kernel void softmax_rows(global const float *in, global float *out, int columns)
{
	local float part[128];
	int me = get_local_id(0), row = get_group_id(0);
	float most = -INFINITY, sum = 0;

	for (int k = me; k < columns; k += 128)
		most = fmax(most, in[row * columns + k]);
	part[me] = most;
	for (int half_way = 64; half_way > 0; half_way /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (me < half_way)
			part[me] = fmax(part[me], part[me + half_way]);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	most = part[0];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int k = me; k < columns; k += 128)
		sum += exp(in[row * columns + k] - most);
	part[me] = sum;
	for (int half_way = 64; half_way > 0; half_way /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (me < half_way)
			part[me] += part[me + half_way];
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int k = me; k < columns; k += 128)
		out[row * columns + k] = exp(in[row * columns + k] - most) / part[0];
}
