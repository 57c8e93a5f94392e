/* SPDX-License-Identifier: Apache-2.0 */
/* Small integers are promoted to int: audio samples mixed and clipped. */
// launch: global=1048576 local=64 args=buffer:2M:r,buffer:1M:r,buffer:2M:w
// expect: kernel mix_samples
// expect: argument samples buffer short
// expect: argument gains buffer uchar
// expect: written mul.int 1
// expect: written bit.int 1
// expect: accesses 3
// expect: segments samples 2
// expect: segments gains 1
kernel void mix_samples(global const short *samples, global const uchar *gains, global short *out)
{
	size_t i = get_global_id(0);
	int value = samples[i] * gains[i] >> 6;

	out[i] = (short)clamp(value, -32768, 32767);
}
