/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a projection weighed by the cosine of their rays and convolved with the ramp filter, whose taps are zero
 * at even distances and -1 / (pi d)^2 at odd ones. A work-group has a row, which waits in local memory. */
kernel void ramp_filter(global const float *in, global float *out, int width, float focal, local float *row)
{
	const int lid = get_local_id(0), all = get_local_size(0), y = get_group_id(0);
	const float v = y - 0.5f * (get_num_groups(0) - 1);

	for (int x = lid; x < width; x += all) {
		const float u = x - 0.5f * (width - 1);
		row[x] = in[y * width + x] * focal * rsqrt(focal * focal + u * u + v * v);
	}
	barrier(CLK_LOCAL_MEM_FENCE);

	for (int x = lid; x < width; x += all) {
		float sum = 0.0f;
		for (int k = ~x & 1; k < width; k += 2) {
			const float d = x - k;
			sum += row[k] / (d * d);
		}
		out[y * width + x] = 0.25f * row[x] - sum * (1.0f / (M_PI_F * M_PI_F));
	}
}
