/* SPDX-License-Identifier: Apache-2.0 */
kernel void correlate(global const float *signal, constant float *tap, global float *out, int taps)
{
	int i = get_global_id(0);
	float sum = 0;

	for (int k = 0; k < taps; k++)
		sum = mad(signal[i + k], tap[k], sum);
	out[i] = sum;
}
