/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sequential tracing of rays through a lens of conicoids: a grid over the entrance pupil, one field angle, until the
 * image plane. Lengths in mm. A ray ends where it misses a surface, where an aperture stops it or where it is reflected
 * totally; where it ended is its status.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define MISSED    1
#define VIGNETTED 2
#define REFLECTED 3
#define ENDED(why, surface) ((uchar)((why) | (surface) << 2))

kernel void lens_trace(constant float *curvature, constant float *conic, constant float *thickness,
                       constant float *index, constant float *aperture, int surfaces, double pupil_mm, double field,
                       int grid, global double2 *spot, global double *path, global uchar *status)
{
	int i = get_global_id(0), j = get_global_id(1);
	if (i >= grid || j >= grid)
		return;
	int ray = j * grid + i;
	double3 at = (double3)(pupil_mm * (2.0 * (i + 0.5) / grid - 1.0), pupil_mm * (2.0 * (j + 0.5) / grid - 1.0), 0.0);
	double3 to = (double3)(0.0, sin(field), cos(field));
	double n = 1.0, optical = 0.0;
	uchar ended = 0;

	for (int s = 0; s < surfaces; s++) {
		double c = curvature[s], k = conic[s];

		/* c (x^2 + y^2 + (1 + k) z^2) - 2 z = 0 along the ray, the root near the vertex */
		double a = c * (1.0 + k * to.z * to.z);
		double b = to.z - c * (at.x * to.x + at.y * to.y + (1.0 + k) * at.z * to.z);
		double g = c * (at.x * at.x + at.y * at.y + (1.0 + k) * at.z * at.z) - 2.0 * at.z;
		double inside = b * b - a * g;
		if (inside < 0.0) {
			ended = ENDED(MISSED, s);
			break;
		}
		double length = g / (b + sqrt(inside));
		at += length * to;
		optical += n * length;
		if (at.x * at.x + at.y * at.y > (double)aperture[s] * aperture[s]) {
			ended = ENDED(VIGNETTED, s);
			break;
		}

		double3 normal = normalize((double3)(-c * at.x, -c * at.y, 1.0 - c * (1.0 + k) * at.z));
		double ratio = n / index[s];
		double cosine = dot(normal, to);
		double squared = 1.0 - ratio * ratio * (1.0 - cosine * cosine);
		if (squared < 0.0) {
			ended = ENDED(REFLECTED, s);
			break;
		}
		to = ratio * to + (sqrt(squared) - ratio * cosine) * normal;
		n = index[s];
		at.z -= thickness[s];
	}
	if (ended == 0) {
		double length = -at.z / to.z;
		at += length * to;
		optical += n * length;
	}
	spot[ray] = at.xy;
	path[ray] = optical;
	status[ray] = ended;
}
