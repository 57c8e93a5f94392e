/* SPDX-License-Identifier: Apache-2.0 */
/* Rays, textures, volumes and triangles against the host. */
#include <string.h>

#include "tests/accuracy/check/run.h"

struct point {
	double v[3];
};

static double dot(struct point a, struct point b)
{
	return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2];
}

static struct point along(struct point from, double t, struct point way)
{
	for (int k = 0; k < 3; k++)
		from.v[k] += t * way.v[k];
	return from;
}

static struct point normed(struct point a)
{
	double size = sqrt(dot(a, a));
	return (struct point){{a.v[0] / size, a.v[1] / size, a.v[2] / size}};
}

static struct point point_of(const float *p)
{
	return (struct point){{(double)p[0], (double)p[1], (double)p[2]}};
}

static double distance_to_scene(struct point p)
{
	double outside[3], square = 0, most = -1e9;
	for (int k = 0; k < 3; k++) {
		double at = k == 1 ? p.v[1] - 0.5 : p.v[k] - 2 * floor(p.v[k] / 2) - 1;
		outside[k] = fabs(at) - (k == 1 ? 0.5 : 0.3);
		most = fmax(most, outside[k]);
		square += pow(fmax(outside[k], 0), 2);
	}
	double box = sqrt(square) + fmin(most, 0) - 0.05;
	return fmin(box, 0.7 * (p.v[1] + 0.2 * sin(p.v[0]) * sin(p.v[2])));
}

/* Where rays graze, a step more or less is chance: most pixels have to agree. */
static void raymarch_sdf_draws_what_is_nearest(void **unused)
{
	enum { W = 48, H = 32 };
	static const float eye[4] = {0.3f, 1.8f, 0.2f, 0.7f};
	uint8_t picture[4 * W * H];
	float depth[W * H];
	int alike = 0, hits = 0;
	(void)unused;
	RUN("rendering/raymarch_sdf", "", WORK(48, 32), WORK(16, 4), ARRAY(picture), ARRAY(depth),
	    INT(W), INT(H), {ARGUMENT_SCALAR, (void *)eye, sizeof eye});
	struct point ahead = {{cos((double)eye[3]), -0.3, sin((double)eye[3])}};
	struct point right = normed((struct point){{-ahead.v[2], 0, ahead.v[0]}});
	struct point up = {{right.v[1] * ahead.v[2] - right.v[2] * ahead.v[1],
	                    right.v[2] * ahead.v[0] - right.v[0] * ahead.v[2],
	                    right.v[0] * ahead.v[1] - right.v[1] * ahead.v[0]}};
	for (int i = 0; i < W * H; i++) {
		double u = (2.0 * (i % W) - (int)W) / (int)H, v = ((int)H - 2.0 * (i / W)) / (int)H;
		struct point ray = normed(along(along(ahead, u, right), v, up));
		double t = 0, free = 1, light = 0.1, want = 20;
		for (int step = 0; step < 64 && t < 20 && free >= 0.002; step++) {
			free = distance_to_scene(along(point_of(eye), t, ray));
			t += free >= 0.002 ? free : 0;
		}
		if (free < 0.002) {
			struct point normal, sun = {{0.6, 0.64, 0.48}};
			for (int k = 0; k < 3; k++) {
				struct point axis = {{k == 0, k == 1, k == 2}};
				struct point p = along(point_of(eye), t, ray);
				normal.v[k] = distance_to_scene(along(p, 0.001, axis)) -
				              distance_to_scene(along(p, -0.001, axis));
			}
			light += 0.9 * fmax(0, dot(normed(normal), sun));
			want = t;
			hits++;
		}
		alike += fabs((double)depth[i] - want) < 0.02 &&
		         fabs(picture[4 * i] - 255 * light) < 4 &&
		         fabs(picture[4 * i + 2] - 200 * light) < 4;
	}
	assert_in_range(hits, W * H / 4, W * H);
	assert_in_range(alike, W * H * 96 / 100, W * H);
}

/* A tree whose boxes hold what is below, so that every sphere has to be found. */
static void bvh_traverse_finds_the_nearest_sphere(void **unused)
{
	enum { LEAVES = 32, NODES = 2 * LEAVES - 1, RAYS = 200 };
	float middles[4 * NODES], half_sides[4 * NODES], spheres[4 * LEAVES], origins[4 * RAYS],
	        directions[4 * RAYS], nearest[RAYS], low[NODES][3], high[NODES][3];
	int hit[RAYS], hits = 0;
	(void)unused;
	seed();
	fill_floats(spheres, 4 * LEAVES, 0, 1);
	fill_floats(origins, 4 * RAYS, -0.5f, 1.5f);
	fill_floats(directions, 4 * RAYS, -1, 1);
	for (int i = 0; i < LEAVES; i++)
		spheres[4 * i + 3] *= 0.4f;
	for (int n = NODES - 1; n >= 0; n--)
		for (int k = 0; k < 3; k++) {
			if (n >= LEAVES - 1) {
				const float *s = spheres + 4 * (n - LEAVES + 1);
				low[n][k] = s[k] - s[3] - 0.001f;
				high[n][k] = s[k] + s[3] + 0.001f;
			} else {
				low[n][k] = fminf(low[2 * n + 1][k], low[2 * n + 2][k]);
				high[n][k] = fmaxf(high[2 * n + 1][k], high[2 * n + 2][k]);
			}
			middles[4 * n + k] = (low[n][k] + high[n][k]) / 2;
			half_sides[4 * n + k] = (high[n][k] - low[n][k]) / 2;
		}
	RUN("rendering/bvh_traverse", "", WORK(224), WORK(32), ARRAY(middles), ARRAY(half_sides),
	    ARRAY(spheres), ARRAY(origins), ARRAY(directions), ARRAY(nearest), ARRAY(hit),
	    INT(LEAVES), INT(RAYS));
	for (int ray = 0; ray < RAYS; ray++) {
		struct point from = point_of(origins + 4 * ray);
		struct point way = normed(point_of(directions + 4 * ray));
		double best = 1e30;
		int which = -1;
		for (int i = 0; i < LEAVES; i++) {
			struct point to = along(point_of(spheres + 4 * i), -1, from);
			double b = dot(to, way), r = (double)spheres[4 * i + 3];
			double root = b * b - dot(to, to) + r * r;
			if (root >= 0 && b - sqrt(root) > 0 && b - sqrt(root) < best) {
				best = b - sqrt(root);
				which = i;
			}
		}
		assert_int_equal(hit[ray], which);
		if (which >= 0)
			assert_true(fabs((double)nearest[ray] - best) < 1e-3 * best + 1e-4);
		hits += which >= 0;
	}
	assert_in_range(hits, RAYS / 10, RAYS - 1);
}

static void texture_lights_shines(void **unused)
{
	enum { W = 20, H = 14, SIDE = 16, LIGHTS = 8 };
	static uint8_t texture[4 * SIDE * SIDE];
	float places[2 * W * H], points[4 * W * H], normals[4 * W * H], lights[8 * LIGHTS];
	float shaded[4 * W * H], want[4 * W * H];
	(void)unused;
	seed();
	for (int i = 0; i < 4 * SIDE * SIDE; i++)
		texture[i] = (uint8_t)random_word();
	fill_floats(places, 2 * W * H, -1, 2);
	fill_floats(points, 4 * W * H, 0, 1);
	fill_floats(normals, 4 * W * H, -1, 1);
	fill_floats(lights, 8 * LIGHTS, 0, 1);
	RUN("rendering/texture_lights", "", WORK(24, 16), WORK(8, 4), ARRAY(places), ARRAY(points),
	    ARRAY(normals), ARRAY(texture), ARRAY(lights), ARRAY(shaded), INT(W), INT(H),
	    INT(SIDE));
	for (int i = 0; i < W * H; i++) {
		double u = (double)places[2 * i] * (int)SIDE - 0.5;
		double v = (double)places[2 * i + 1] * (int)SIDE - 0.5, base[4] = {0}, sum[3];
		for (int corner = 0; corner < 4; corner++) {
			int x = (int)floor(u) + corner % 2, y = (int)floor(v) + corner / 2;
			double weight = (1 - fabs(u - x)) * (1 - fabs(v - y));
			x = (x + 4 * SIDE) % SIDE;
			y = (y + 4 * SIDE) % SIDE;
			for (int k = 0; k < 4; k++)
				base[k] += weight * texture[4 * (y * SIDE + x) + k] / 255;
		}
		for (int k = 0; k < 3; k++)
			sum[k] = base[k] / 20;
		struct point normal = normed(point_of(normals + 4 * i));
		for (int l = 0; l < LIGHTS; l++) {
			const float *light = lights + 8 * l;
			struct point to = along(point_of(light), -1, point_of(points + 4 * i));
			double square = dot(to, to), reach = (double)light[3];
			double facing = dot(normal, normed(to));
			if (square >= reach * reach || facing <= 0)
				continue;
			double mirrored = 2 * facing * normal.v[2] - normed(to).v[2];
			double shine = pow(fmax(0, mirrored), (double)light[7]);
			for (int k = 0; k < 3; k++)
				sum[k] += (1 - square / reach / reach) * (double)light[4 + k] *
				          (facing * base[k] + shine);
		}
		for (int k = 0; k < 4; k++)
			want[4 * i + k] = (float)(k < 3 ? sum[k] : base[3]);
	}
	assert_floats(shaded, want, 4 * W * H, 2e-3f);
}

static void volume_cast_hides_what_is_behind(void **unused)
{
	enum { SIDE = 14, WIDTH = 20 };
	static uint8_t volume[SIDE * SIDE * SIDE];
	static float transfer[4 * 256], picture[4 * WIDTH * WIDTH], want[4 * WIDTH * WIDTH];
	const float lean = 0.23f;
	int hidden = 0;
	(void)unused;
	seed();
	for (int i = 0; i < SIDE * SIDE * SIDE; i++)
		volume[i] = (uint8_t)random_word();
	for (int i = 0; i < 256; i++) /* slopes: a density may be rounded otherwise */
		for (int k = 0; k < 4; k++)
			transfer[4 * i + k] = (float)(i * (k + 1)) / 1024;
	for (int i = 0; i < WIDTH * WIDTH; i++) {
		double seen[4] = {0};
		for (int z = 0; z < SIDE - 1 && seen[3] <= 0.98; z++) {
			double x = i % WIDTH * ((int)SIDE - 1.0) / (int)WIDTH + (double)lean * z;
			double y =
			        i / WIDTH * ((int)SIDE - 1.0) / (int)WIDTH + (double)-lean / 2 * z;
			double density = 0;
			if (x < 0 || y < 0 || x >= SIDE - 1 || y >= SIDE - 1)
				continue;
			for (int corner = 0; corner < 8; corner++) {
				int cx = (int)x + corner % 2, cy = (int)y + corner / 2 % 2;
				density += (1 - fabs(x - cx)) * (1 - fabs(y - cy)) *
				           volume[((z + corner / 4) * SIDE + cy) * SIDE + cx] / 2;
			}
			const float *c = transfer + 4 * (int)density;
			double over = (1 - seen[3]) * (double)c[3];
			for (int k = 0; k < 4; k++)
				seen[k] += over * (k < 3 ? (double)c[k] : 1);
		}
		hidden += seen[3] > 0.98;
		for (int k = 0; k < 4; k++)
			want[4 * i + k] = (float)seen[k];
	}
	assert_in_range(hidden, 10, WIDTH * WIDTH);
	RUN("rendering/volume_cast", "", WORK(24, 24), WORK(8, 8), ARRAY(volume), ARRAY(transfer),
	    ARRAY(picture), INT(SIDE), INT(WIDTH), FLOAT(lean), FLOAT(-lean / 2));
	assert_floats(picture, want, 4 * WIDTH * WIDTH, 6e-3f);
}

static void fragment_resolve_blends_from_the_farthest(void **unused)
{
	enum { PIXELS = 60, MOST = 15, ALL = PIXELS * MOST };
	int start[PIXELS + 1];
	float depth[ALL];
	uint8_t colour[4 * ALL], picture[4 * PIXELS];
	(void)unused;
	seed();
	(void)fill_rows(start, PIXELS, MOST);
	fill_floats(depth, ALL, 0, 1);
	for (int i = 0; i < 4 * ALL; i++)
		colour[i] = (uint8_t)random_word();
	RUN("rendering/fragment_resolve", "", WORK(64), WORK(32), ARRAY(start), ARRAY(depth),
	    ARRAY(colour), ARRAY(picture), INT(PIXELS));
	for (int p = 0; p < PIXELS; p++) {
		double sum[4] = {32, 32, 48, 255}, below = 2;
		int many = start[p + 1] - start[p];
		many = many > 12 ? 12 : many;
		for (int n = 0; n < many; n++) { /* the farthest of those nearer than the last */
			int next = -1;
			for (int i = start[p]; i < start[p] + many; i++)
				if ((double)depth[i] < below &&
				    (next < 0 || depth[i] > depth[next]))
					next = i;
			below = (double)depth[next];
			for (int k = 0; k < 3; k++)
				sum[k] += (colour[4 * next + k] - sum[k]) * colour[4 * next + 3] /
				          255;
		}
		for (int k = 0; k < 4; k++)
			assert_true(fabs(picture[4 * p + k] - sum[k]) <= 0.51);
	}
}

static double side_of(struct point p, struct point q, double x, double y)
{
	return (q.v[0] - p.v[0]) * (y - p.v[1]) - (q.v[1] - p.v[1]) * (x - p.v[0]);
}

static void raster_tile_keeps_the_nearest(void **unused)
{
	enum { W = 28, H = 20, COUNT = 50, GROUP = 32 };
	float triangles[12 * COUNT], nearest[W * H], want[W * H];
	int which[W * H], want_which[W * H];
	(void)unused;
	seed();
	fill_floats(triangles, 12 * COUNT, 0, 1);
	for (int i = 0; i < W * H; i++) {
		double x = (i % W + 0.5) / (int)W, y = (i / W + 0.5) / (int)H;
		want[i] = 1;
		want_which[i] = -1;
		for (int t = 0; t < COUNT; t++) {
			struct point corner[3];
			double share[3], all = 0, z = 0;
			for (int k = 0; k < 3; k++)
				corner[k] = point_of(triangles + 12 * t + 4 * k);
			for (int k = 0; k < 3; k++)
				all += share[k] =
				        side_of(corner[(k + 1) % 3], corner[(k + 2) % 3], x, y);
			for (int k = 0; k < 3; k++)
				z += share[k] / all * corner[k].v[2];
			if (share[0] / all >= 0 && share[1] / all >= 0 && share[2] / all >= 0 &&
			    z < (double)want[i]) {
				want[i] = (float)z;
				want_which[i] = t;
			}
		}
	}
	RUN("rendering/raster_tile", "", WORK(32, 20), WORK(8, 4), ARRAY(triangles), ARRAY(nearest),
	    ARRAY(which), INT(COUNT), INT(W), INT(H), LOCAL(48 * GROUP));
	assert_floats(nearest, want, W * H, 1e-4f);
	assert_ints(which, want_which, W * H);
}

CHECK_FAMILY(rendering, cmocka_unit_test(raymarch_sdf_draws_what_is_nearest),
             cmocka_unit_test(bvh_traverse_finds_the_nearest_sphere),
             cmocka_unit_test(texture_lights_shines),
             cmocka_unit_test(volume_cast_hides_what_is_behind),
             cmocka_unit_test(fragment_resolve_blends_from_the_farthest),
             cmocka_unit_test(raster_tile_keeps_the_nearest))
