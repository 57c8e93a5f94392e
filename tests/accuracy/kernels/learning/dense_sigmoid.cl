/* SPDX-License-Identifier: Apache-2.0 */
/* A layer of neurons: weights times inputs, then the logistic function. */
kernel void dense_sigmoid(global const float *input, global const float *weight,
                          global const float *bias, global float *output, int inputs, int outputs)
{
	int neuron = get_global_id(0);
	int sample = get_global_id(1);
	float sum = bias[neuron];

	for (int k = 0; k < inputs; k++)
		sum += input[sample * inputs + k] * weight[k * outputs + neuron];
	output[sample * outputs + neuron] = 1.0f / (1.0f + exp(-sum));
}
