/* SPDX-License-Identifier: Apache-2.0 */
/* Finite impulse response filter with `taps` coefficients. */
kernel void fir(global const float *in, global float *out, constant float *tap, int taps)
{
	int i = get_global_id(0);
	float sum = 0.0f;

	for (int k = 0; k < taps; k++)
		sum += tap[k] * in[i + k];
	out[i] = sum;
}
