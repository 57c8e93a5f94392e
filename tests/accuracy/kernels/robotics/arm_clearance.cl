// SPDX-License-Identifier: Apache-2.0
// How far is a six-jointed arm from the obstacles? Each work-item has a configuration: forward kinematics by
// Denavit-Hartenberg rows, then every link (a capsule) against every sphere. A collision ends the search.

#define JOINTS 6

struct dh {
	float a;
	float d;
	float cos_alpha;
	float sin_alpha;
	float radius;
};

typedef struct { float m[3][4]; } frame;

void frame_turn(frame *f, float theta, __constant struct dh *row)
{
	float c, s = sincos(theta, &c);
	float ca = row->cos_alpha, sa = row->sin_alpha;

	for (int i = 0; i < 3; i++) {
		float x = f->m[i][0], y = f->m[i][1], z = f->m[i][2];
		float along = x * c + y * s;
		float across = y * c - x * s;

		f->m[i][0] = along;
		f->m[i][1] = across * ca + z * sa;
		f->m[i][2] = z * ca - across * sa;
		f->m[i][3] += row->a * along + row->d * z;
	}
}

float segment_distance(float3 p, float3 q, float3 c)
{
	float3 pq = q - p;
	float t = clamp(dot(c - p, pq) / fmax(dot(pq, pq), 1e-12f), 0.0f, 1.0f);
	return distance(c, p + t * pq);
}

__kernel void arm_clearance(__global const float *angles, __constant struct dh *arm, __global const float4 *spheres,
			    int sphere_count, __global float *clearance, __global int *colliding, int configurations)
{
	int id = get_global_id(0);
	if (id >= configurations)
		return;

	frame f = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
	float3 from = (float3)(0.0f);
	float least = INFINITY;
	int link = -1;

	for (int j = 0; j < JOINTS && link < 0; j++) {
		frame_turn(&f, angles[id * JOINTS + j], &arm[j]);
		float3 to = (float3)(f.m[0][3], f.m[1][3], f.m[2][3]);

		for (int s = 0; s < sphere_count; s++) {
			float4 ball = spheres[s];
			float gap = segment_distance(from, to, ball.xyz) - ball.w - arm[j].radius;
			least = fmin(least, gap);
			if (gap < 0.0f) {
				link = j;
				break;
			}
		}
		from = to;
	}
	clearance[id] = least;
	colliding[id] = link;
}
