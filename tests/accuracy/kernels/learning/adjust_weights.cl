/* SPDX-License-Identifier: Apache-2.0 */
/* Back-propagation: weights moved along the error with momentum. */
kernel void adjust_weights(global float *weight, global float *momentum, global const float *error,
                           global const float *input, int outputs, float rate)
{
	int j = get_global_id(0);
	int i = get_global_id(1);
	int at = i * outputs + j;
	float change = rate * error[j] * input[i] + rate * momentum[at];

	weight[at] += change;
	momentum[at] = change;
}
