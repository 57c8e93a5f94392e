/* SPDX-License-Identifier: Apache-2.0 */
/* How much of each tone is in a block of samples, by Goertzel's recurrence in double: a work-group has a block, a
 * work-item a tone. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void goertzel_bank(global const short *audio, global float *power, int length, local float *chunk)
{
	const int tone = get_local_id(0), tones = get_local_size(0);
	global const short *block = audio + get_group_id(0) * length;
	const double turn = 2.0 * cos(M_PI * (tone + 1) / (tones + 1));
	double now = 0.0, before = 0.0;

	for (int start = 0; start < length; start += tones) {
		chunk[tone] = block[start + tone] * (1.0f / 32768);
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int k = 0; k < tones; k++) {
			const double next = chunk[k] + turn * now - before;
			before = now;
			now = next;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	power[get_global_id(0)] = (float)(now * now + before * before - turn * now * before);
}
