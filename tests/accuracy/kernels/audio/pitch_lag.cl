/* SPDX-License-Identifier: Apache-2.0 */
/* The period of a voice: of all lags from 32 to 255 that at which a frame is most like itself. A work-group has a
 * frame in local memory; the best lags of its work-items are compared in a tree. */
#define FRAME 512
#define SHORTEST 32
#define LONGEST 256

__kernel void pitch_lag(__global const float *audio, __global int *lags, __global float *likeness, int hop,
                        __local float *score, __local int *place)
{
	__local float x[FRAME];
	int lid = get_local_id(0), size = get_local_size(0);
	__global const float *from = audio + get_group_id(0) * hop;

	for (int i = lid; i < FRAME; i += size)
		x[i] = from[i];
	barrier(CLK_LOCAL_MEM_FENCE);

	float best = -FLT_MAX;
	int where = SHORTEST;
	for (int lag = SHORTEST + lid; lag < LONGEST; lag += size) {
		float cross = 0.0f, energy = 1e-6f;
		for (int i = 0; i < FRAME - LONGEST; i++) {
			float later = x[i + lag];
			cross += x[i] * later;
			energy += later * later;
		}
		float s = cross * rsqrt(energy);
		if (s > best) {
			best = s;
			where = lag;
		}
	}
	score[lid] = best;
	place[lid] = where;
	for (int step = size / 2; step > 0; step >>= 1) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lid < step && score[lid + step] > score[lid]) {
			score[lid] = score[lid + step];
			place[lid] = place[lid + step];
		}
	}
	if (lid == 0) {
		lags[get_group_id(0)] = place[0];
		likeness[get_group_id(0)] = score[0];
	}
}
