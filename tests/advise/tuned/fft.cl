// SPDX-License-Identifier: Apache-2.0
//
// One pass of Stockham transforms of radix 4 over 65,536 rows of 256 points, and a whole transform
// of 256 points a group in local memory.

float2 times(float2 a, float2 b)
{
	return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

void butterfly(float2 *v)
{
	const float2 a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = v[1] - v[3];

	v[0] = a + c;
	v[1] = b + (float2)(d.y, -d.x);
	v[2] = a - c;
	v[3] = b - (float2)(d.y, -d.x);
}

__kernel void pass(__global const float2 *in, __global float2 *out, uint done)
{
	const uint i = get_global_id(0), quarter = get_global_size(0), k = i & (done - 1);
	const float angle = -1.57079632679f * (float)k / (float)done;
	float2 v[4];

	for (uint q = 0; q < 4; q++) {
		float2 turn;
		turn.x = native_cos(angle * (float)q);
		turn.y = native_sin(angle * (float)q);
		v[q] = times(in[i + q * quarter], turn);
	}
	butterfly(v);
	for (uint q = 0; q < 4; q++)
		out[((i - k) << 2) + k + q * done] = v[q];
}

__kernel void whole_256(__global const float2 *in, __global float2 *out)
{
	__local float re[256 + 16], im[256 + 16];
	const uint lane = get_local_id(0), base = get_group_id(0) * 256;
	float2 v[4];

	for (uint q = 0; q < 4; q++)
		v[q] = in[base + lane + q * 64];
	for (uint done = 1;; done *= 4) {
		const uint k = lane & (done - 1), to = ((lane - k) << 2) + k;
		const float angle = -1.57079632679f * (float)k / (float)done;

		for (uint q = 1; q < 4; q++) {
			const float turn = angle * (float)q;
			v[q] = times(v[q], (float2)(native_cos(turn), native_sin(turn)));
		}
		butterfly(v);
		if (done == 64)
			break;
		for (uint q = 0; q < 4; q++) {
			const uint at = to + q * done;
			re[at + at / 16] = v[q].x;
			im[at + at / 16] = v[q].y;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint q = 0; q < 4; q++) {
			const uint at = lane + q * 64;
			v[q] = (float2)(re[at + at / 16], im[at + at / 16]);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	for (uint q = 0; q < 4; q++)
		out[base + lane + q * 64] = v[q];
}
