/* SPDX-License-Identifier: Apache-2.0 */
/* What an array of microphones hears from each direction: their signals, delayed by parts of samples, in sum. */
kernel void delay_and_sum(global const float *signal, global const float *delay, constant float *weight,
                          global float *beam, int microphones, int pitch)
{
	const int t = get_global_id(0);
	const int direction = get_global_id(1);
	float sum = 0.0f;

	for (int m = 0; m < microphones; m++) {
		const float late = delay[direction * microphones + m];
		const int whole = (int)late;
		global const float *p = signal + m * pitch + t + whole;
		sum += weight[m] * (p[0] + (late - whole) * (p[1] - p[0]));
	}
	beam[direction * get_global_size(0) + t] = sum;
}
