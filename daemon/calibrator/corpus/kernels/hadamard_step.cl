/* SPDX-License-Identifier: Apache-2.0 */
kernel void hadamard_step(global float *data, int distance)
{
	int i = get_global_id(0);
	int low = i / distance * 2 * distance + i % distance;
	float a = data[low], b = data[low + distance];

	data[low] = a + b;
	data[low + distance] = a - b;
}
