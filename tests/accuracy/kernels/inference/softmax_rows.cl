/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of each row by a work-group: maximum, sum, quotient. */
float reduce(local float *part, float mine, int lid, int size, bool maximum)
{
	part[lid] = mine;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int step = size / 2; step > 0; step /= 2) {
		if (lid < step)
			part[lid] = maximum ? fmax(part[lid], part[lid + step]) : part[lid] + part[lid + step];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	float all = part[0];
	barrier(CLK_LOCAL_MEM_FENCE);
	return all;
}

kernel void softmax_rows(global const float *in, global float *out, int columns, local float *part)
{
	int lid = get_local_id(0);
	int size = get_local_size(0);
	global const float *row = in + (size_t)get_group_id(0) * columns;
	global float *to = out + (size_t)get_group_id(0) * columns;

	float top = -INFINITY;
	for (int i = lid; i < columns; i += size)
		top = fmax(top, row[i]);
	top = reduce(part, top, lid, size, true);

	float sum = 0.0f;
	for (int i = lid; i < columns; i += size)
		sum += exp(row[i] - top);
	sum = reduce(part, sum, lid, size, false);

	for (int i = lid; i < columns; i += size)
		to[i] = exp(row[i] - top) / sum;
}
