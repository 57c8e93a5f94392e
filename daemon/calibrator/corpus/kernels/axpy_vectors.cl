/* SPDX-License-Identifier: Apache-2.0 */
kernel void axpy_vectors(global const float4 *x, global float4 *y, float a)
{
	size_t i = get_global_id(0);

	y[i] = a * x[i] + y[i];
}
