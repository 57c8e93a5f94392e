/* SPDX-License-Identifier: Apache-2.0 */
/* A recording at another rate: each sample by 16 taps of a bank of 32 phases (and one more), between two of which it
 * is interpolated. Places in the input have 32 bits behind the point. */
#define TAPS 16
#define PHASE_BITS 5

__kernel void polyphase_resample(__global const float *in, __global const float *bank, __global float *out, ulong step,
                                 uint count)
{
	uint i = get_global_id(0);
	float sum = 0;

	if (i >= count)
		return;
	ulong place = i * step;
	uint whole = (uint)(place >> 32);
	uint phase = (uint)place >> (32 - PHASE_BITS);
	float part = ((uint)place << PHASE_BITS) * 0x1p-32f;
	__global const float *low = bank + phase * TAPS;
	for (int k = 0; k < TAPS; k++)
		sum += in[whole + k] * mix(low[k], low[k + TAPS], part);
	out[i] = sum;
}
