/* SPDX-License-Identifier: Apache-2.0 */
/* Rays, polygons, circles and boxes against the host, in double. */
#include <string.h>

#include "tests/accuracy/check/run.h"

static double dot(const double *a, const double *b)
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void sphere_rays_meet_the_nearest(void **unused)
{
	enum { W = 30, H = 14, SPHERES = 12 };
	float sphere[4 * SPHERES], got[W * H], want[W * H];
	const double far = 1.5;
	(void)unused;
	seed();
	fill_floats(sphere, 4 * SPHERES, 0.1f, 0.9f);
	for (int s = 0; s < SPHERES; s++)
		sphere[4 * s + 3] *= 0.2f;
	for (int i = 0; i < W * H; i++) {
		double ray[3] = {(i % W + 0.5) / (double)W - 0.5, (i / W + 0.5) / (double)H - 0.5,
		                 far},
		       nearest = HUGE_VAL;
		double length = sqrt(dot(ray, ray)), light = 0.05;
		for (int k = 0; k < 3; k++)
			ray[k] /= length;
		for (int s = 0; s < SPHERES; s++) {
			const float *one = sphere + 4 * s;
			double radius = (double)one[3];
			double from[3] = {0.5 - (double)one[0], 0.5 - (double)one[1],
			                  -far - (double)one[2]};
			/* |from + t ray| = radius */
			double b = dot(from, ray), c = dot(from, from) - radius * radius,
			       root = b * b - c;
			if (b > 0 || root < 0 || -b - sqrt(root) >= nearest)
				continue;
			nearest = -b - sqrt(root);
			double normal[3];
			for (int k = 0; k < 3; k++)
				normal[k] = (from[k] + nearest * ray[k]) / radius;
			light = 0.05 +
			        0.95 * fmax(0, dot(normal, (const double[]){0.48, 0.6, -0.64}));
		}
		want[i] = (float)light;
	}
	RUN("geometry/sphere_rays", "", WORK(32, 16), WORK(8, 8), ARRAY(sphere), INT(SPHERES),
	    ARRAY(got), INT(W), INT(H), FLOAT((float)far));
	assert_floats(got, want, W * H, 1e-3f);
}

static double determinant(const double *a, const double *b, const double *c)
{
	return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
	       a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* By Cramer's rule for origin + t direction = corner + u edge1 + v edge2. */
static void triangle_rays_hit_the_nearest(void **unused)
{
	enum { RAYS = 64, TRIANGLES = 45 };
	float origin[4 * RAYS], direction[4 * RAYS], corner[12 * TRIANGLES], distance[RAYS],
	        want[RAYS];
	int which[RAYS], want_which[RAYS], hits = 0;
	(void)unused;
	seed();
	fill_floats(origin, 4 * RAYS, 0, 1);
	fill_floats(direction, 4 * RAYS, -1, 1);
	fill_floats(corner, 12 * TRIANGLES, 0, 1);
	for (int r = 0; r < RAYS; r++) {
		double best = HUGE_VAL;
		want_which[r] = -1;
		for (int t = 0; t < TRIANGLES; t++) {
			double e1[3], e2[3], back[3], s[3];
			for (int k = 0; k < 3; k++) {
				const float *at = corner + 12 * t + k;
				e1[k] = (double)at[4] - (double)at[0];
				e2[k] = (double)at[8] - (double)at[0];
				back[k] = -(double)direction[4 * r + k];
				s[k] = (double)origin[4 * r + k] - (double)at[0];
			}
			double all = determinant(back, e1, e2);
			double along = determinant(s, e1, e2) / all;
			double u = determinant(back, s, e2) / all,
			       v = determinant(back, e1, s) / all;
			if (u >= 0 && v >= 0 && u + v <= 1 && along > 1e-4 && along < best) {
				best = along;
				want_which[r] = t;
			}
		}
		want[r] = best > (double)3.402823466e38f ? 3.402823466e38f : (float)best;
		hits += want_which[r] >= 0;
	}
	assert_true(hits > RAYS / 4);
	RUN("geometry/triangle_rays", "", WORK(RAYS), WORK(16), ARRAY(origin), ARRAY(direction),
	    ARRAY(corner), ARRAY(distance), ARRAY(which), INT(TRIANGLES), LOCAL(16 * 48));
	assert_ints(which, want_which, RAYS);
	assert_floats(distance, want, RAYS, 1e-3f);
}

/* By the sum of the angles under which the sides are seen. */
static void point_in_polygon_counts_crossings(void **unused)
{
	enum { POINTS = 90, CORNERS = 17 };
	float point[2 * POINTS], corner[2 * CORNERS];
	uint8_t inside[POINTS];
	int got[POINTS], want[POINTS];
	(void)unused;
	seed();
	fill_floats(point, 2 * POINTS, -1, 1);
	for (int k = 0; k < CORNERS; k++) { /* a star around 0 */
		double angle = 6.283185307179586 * k / (double)CORNERS, radius = k % 2 ? 0.4 : 1;
		corner[2 * k] = (float)(radius * cos(angle));
		corner[2 * k + 1] = (float)(radius * sin(angle));
	}
	for (int i = 0; i < POINTS; i++) {
		double sum = 0;
		for (int k = 0; k < CORNERS; k++) {
			const float *a = corner + 2 * k, *b = corner + 2 * ((k + 1) % CORNERS);
			double ax = (double)a[0] - (double)point[2 * i],
			       ay = (double)a[1] - (double)point[2 * i + 1];
			double bx = (double)b[0] - (double)point[2 * i],
			       by = (double)b[1] - (double)point[2 * i + 1];
			sum += atan2(ax * by - bx * ay, ax * bx + ay * by);
		}
		want[i] = fabs(sum) > 3;
	}
	RUN("geometry/point_in_polygon", "", WORK(96), WORK(32), ARRAY(point), ARRAY(corner),
	    ARRAY(inside), INT(POINTS), INT(CORNERS));
	for (int i = 0; i < POINTS; i++)
		got[i] = inside[i];
	assert_ints(got, want, POINTS);
}

/* By the circle's centre; with points of a grid of small integers, of which many lie on circles. */
static void in_circle_is_decided_exactly(void **unused)
{
	enum { POINTS = 64, QUADS = 256 };
	float point[2 * POINTS];
	int quad[4 * QUADS], want[QUADS], got[QUADS], on = 0;
	int8_t inside[QUADS];
	(void)unused;
	seed();
	for (int i = 0; i < 2 * POINTS; i++)
		point[i] = (float)(random_word() % 8);
	fill_ints(quad, 4 * QUADS, POINTS);
	for (int q = 0; q < QUADS; q++) {
		long x[3], y[3];
		for (int k = 0; k < 3; k++) {
			x[k] = (long)(point[2 * quad[4 * q + k]] - point[2 * quad[4 * q + 3]]);
			y[k] = (long)(point[2 * quad[4 * q + k] + 1] -
			              point[2 * quad[4 * q + 3] + 1]);
		}
		long sum = 0;
		for (int k = 0; k < 3; k++) {
			int l = (k + 1) % 3, m = (k + 2) % 3;
			sum += (x[k] * x[k] + y[k] * y[k]) * (x[l] * y[m] - x[m] * y[l]);
		}
		want[q] = (sum > 0) - (sum < 0);
		on += sum == 0;
	}
	assert_true(on > 0 && on < QUADS / 2);
	RUN("geometry/in_circle", "", WORK(QUADS), WORK(32), ARRAY(point), ARRAY(quad),
	    ARRAY(inside), FLOAT(1e-5f));
	for (int q = 0; q < QUADS; q++)
		got[q] = inside[q];
	assert_ints(got, want, QUADS);
}

/* Near the border rounding decides: a pixel in fifty may differ. */
static void escape_time_is_that_of_the_quadratic_map(void **unused)
{
	enum { W = 44, H = 30, MOST = 40 };
	uint16_t steps[W * H];
	int differ = 0, escape = 0;
	(void)unused;
	RUN("geometry/escape_time", "", WORK(48, 32), WORK(8, 8), ARRAY(steps), SCALAR(uint32_t, W),
	    SCALAR(uint32_t, H), FLOAT(-2.0f), FLOAT(-1.0f), FLOAT(0.0625f),
	    SCALAR(uint32_t, MOST));
	for (int i = 0; i < W * H; i++) {
		double a = -2 + 0.0625 * (i % W), b = -1 + 0.0625 * (i / W), x = 0, y = 0;
		int n = 0;
		for (; n < MOST && hypot(x, y) <= 2; n++) {
			double next = (x - y) * (x + y) + a;
			y = 2 * x * y + b;
			x = next;
		}
		differ += n != steps[i];
		escape += n < MOST;
	}
	assert_true(escape > W * H / 4);
	assert_in_range(differ, 0, W * H / 50);
}

static void group_bounds_hold_their_points(void **unused)
{
	enum { N = 96, GROUP = 32, COUNT = 90 };
	float point[4 * COUNT], box[8 * (N / GROUP)], want[8 * (N / GROUP)];
	(void)unused;
	seed();
	fill_floats(point, 4 * COUNT, -1, 1);
	for (int g = 0; g < N / GROUP; g++)
		for (int k = 0; k < 4; k++) {
			float low = HUGE_VALF, high = -HUGE_VALF;
			for (int i = g * GROUP; i < (g + 1) * GROUP && i < COUNT; i++) {
				low = fminf(low, point[4 * i + k] - point[4 * i + 3]);
				high = fmaxf(high, point[4 * i + k] + point[4 * i + 3]);
			}
			want[8 * g + k] = low;
			want[8 * g + 4 + k] = high;
		}
	RUN("geometry/group_bounds", "", WORK(N), WORK(GROUP), ARRAY(point), ARRAY(box), INT(COUNT),
	    LOCAL(16 * GROUP), LOCAL(16 * GROUP));
	assert_floats(box, want, 8 * (N / GROUP), 0);
}

CHECK_FAMILY(geometry, cmocka_unit_test(sphere_rays_meet_the_nearest),
             cmocka_unit_test(triangle_rays_hit_the_nearest),
             cmocka_unit_test(point_in_polygon_counts_crossings),
             cmocka_unit_test(in_circle_is_decided_exactly),
             cmocka_unit_test(escape_time_is_that_of_the_quadratic_map),
             cmocka_unit_test(group_bounds_hold_their_points))
