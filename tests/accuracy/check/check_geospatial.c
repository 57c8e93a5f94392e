/* SPDX-License-Identifier: Apache-2.0 */
/* Maps against the host. */
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/check/run.h"

#define PI 3.14159265358979

static void hillshade_lights_slopes(void **unused)
{
	enum { WIDTH = 40, HEIGHT = 30, COUNT = WIDTH * HEIGHT };
	float elevation[COUNT], slope_aspect[COUNT][2];
	uint8_t shade[COUNT];
	(void)unused;
	seed();
	fill_floats(elevation, COUNT, 0, 60);
	elevation[500] = -9999;
	RUN("geospatial/hillshade", "", WORK(48, 32), WORK(16, 8), ARRAY(elevation), ARRAY(shade),
	    ARRAY(slope_aspect), INT(WIDTH), INT(HEIGHT), FLOAT(20), FLOAT(5.5f), FLOAT(0.8f));
	for (int i = 0; i < COUNT; i++) {
		double east = 0, south = 0;
		bool is_missing = false;
		for (int dy = -1; dy <= 1; dy++)
			for (int dx = -1; dx <= 1; dx++) {
				int x = i % WIDTH + dx, y = i / WIDTH + dy;
				x = x < 0 ? 0 : x >= WIDTH ? WIDTH - 1 : x;
				y = y < 0 ? 0 : y >= HEIGHT ? HEIGHT - 1 : y;
				double h = (double)elevation[y * WIDTH + x];
				is_missing = is_missing || h < -9000;
				east += dx * (2 - abs(dy)) * h / 160;
				south += dy * (2 - abs(dx)) * h / 160;
			}
		if (is_missing) {
			assert_int_equal(shade[i], 0);
			continue;
		}
		/* the plane's normal and the sun's direction; x is east, y north */
		double length = sqrt(1 + east * east + south * south);
		double sun[3] = {sin(5.5) * cos(0.8), cos(5.5) * cos(0.8), sin(0.8)};
		double light = (-east * sun[0] + south * sun[1] + sun[2]) / length;
		double slope = atan(hypot(east, south)) * 180 / PI;
		double aspect = fmod(atan2(-east, south) * 180 / PI + 360, 360);
		assert_true(fabs(shade[i] - (1 + 254 * fmax(light, 0))) < 0.51);
		assert_true(fabs((double)slope_aspect[i][0] - slope) < 0.01);
		assert_true(fabs((double)slope_aspect[i][1] - aspect) < 0.05);
	}
}

static void viewshed_rays_see_what_rises(void **unused)
{
	enum { SIDE = 48, RAYS = 64, OBSERVERS = 3, REACH = 40 };
	float elevation[SIDE * SIDE];
	int observers[OBSERVERS][2] = {{20, 20}, {40, 5}, {0, 47}}, differ = 0, seen = 0;
	uint32_t visible[SIDE * SIDE] = {0}, want[SIDE * SIDE] = {0};
	(void)unused;
	seed();
	fill_floats(elevation, (size_t)SIDE * SIDE, 0, 100);
	for (int i = 0; i < RAYS * OBSERVERS; i++) {
		const int *from = observers[i / RAYS];
		double angle = 2 * PI * (i % RAYS) / 64, horizon = -1e30;
		for (int r = 1; r <= REACH; r++) {
			int x = from[0] + (int)rint(r * cos(angle));
			int y = from[1] + (int)rint(r * sin(angle));
			if (x < 0 || y < 0 || x >= SIDE || y >= SIDE)
				break;
			double rise = (double)elevation[y * SIDE + x] - 2 -
			              (double)elevation[from[1] * SIDE + from[0]];
			double slope = (rise - 0.87 * 900 * r * r / 12742000) / (30.0 * r);
			if (slope > horizon) {
				horizon = slope;
				want[y * SIDE + x] |= 1u << i / RAYS;
			}
		}
	}
	RUN("geospatial/viewshed_rays", "", WORK(RAYS, OBSERVERS), WORK(32, 1), ARRAY(elevation),
	    INT(SIDE), FLOAT(30), ARRAY(observers), FLOAT(2), INT(REACH), ARRAY(visible));
	for (int i = 0; i < SIDE * SIDE; i++) {
		differ += visible[i] != want[i];
		seen += want[i] != 0;
	}
	assert_true(differ <= 3); /* half a cell, rounded to either side */
	assert_true(seen > 100);
}

static void drainage_walk_ends_at_outlets(void **unused)
{
	enum { WIDTH = 40, HEIGHT = 30, COUNT = WIDTH * HEIGHT, MOST = 30 };
	static const int way[8][2] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
	                              {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
	uint8_t directions[COUNT];
	int outlet[COUNT], longest = 0;
	uint16_t length[COUNT];
	uint32_t area[COUNT] = {0}, want_area[COUNT] = {0};
	(void)unused;
	seed();
	for (int i = 0; i < COUNT; i++) /* south-east more often than not */
		directions[i] = (uint8_t)(random_word() % 20 == 0 ? 0 : random_word() | 8 >> i % 4);
	RUN("geospatial/drainage_walk", "", WORK(48, 32), WORK(16, 8), ARRAY(directions),
	    INT(WIDTH), INT(HEIGHT), INT(MOST), ARRAY(outlet), ARRAY(length), ARRAY(area));
	for (int i = 0; i < COUNT; i++) {
		int x = i % WIDTH, y = i / WIDTH, walked = 0;
		while (walked < MOST && directions[y * WIDTH + x] != 0) {
			int k = 0;
			while ((directions[y * WIDTH + x] >> k & 1) == 0)
				k++;
			if (x + way[k][0] < 0 || x + way[k][0] >= WIDTH || y + way[k][1] < 0 ||
			    y + way[k][1] >= HEIGHT)
				break;
			x += way[k][0];
			y += way[k][1];
			walked++;
		}
		assert_int_equal(outlet[i], y * WIDTH + x);
		assert_int_equal(length[i], walked);
		want_area[y * WIDTH + x]++;
		longest = walked > longest && walked < MOST ? walked : longest;
	}
	assert_words(area, want_area, COUNT);
	assert_true(longest > 8);
}

static void idw_buckets_hears_neighbours(void **unused)
{
	enum { BUCKETS = 6, SIDE = 32, MOST = 3, COUNT = BUCKETS * BUCKETS };
	int start[COUNT + 1], alone = 0;
	float stations[COUNT * MOST][4], field[SIDE * SIDE], want[SIDE * SIDE];
	(void)unused;
	seed();
	memset(stations, 0, sizeof stations);
	int count = fill_rows(start, COUNT, MOST), bucket[COUNT * MOST];
	for (int b = 0; b < COUNT; b++)
		for (int s = start[b]; s < start[b + 1]; s++) {
			fill_floats(stations[s], 4, 0, 1);
			bucket[s] = b;
			if (b % BUCKETS < 3 && b / BUCKETS < 3)
				stations[s][3] = 0; /* as good as silent */
		}
	/* one that is where a pixel is */
	stations[count - 1][0] = stations[count - 1][1] = 0.5f * 6 / 32;
	stations[count - 1][3] = 1;
	for (int i = 0; i < SIDE * SIDE; i++) {
		double x = (i % SIDE + 0.5) * 6 / 32, y = (i / SIDE + 0.5) * 6 / 32;
		double weights = 0, sum = 0;
		for (int s = 0; s < count; s++) {
			int column = bucket[s] % BUCKETS, row = bucket[s] / BUCKETS;
			double d = hypot(column + (double)stations[s][0] - x,
			                 row + (double)stations[s][1] - y);
			if (d > 1.5 || abs(column - (int)x) > 1 || abs(row - (int)y) > 1)
				continue;
			double w = (double)stations[s][3] * pow(fmax(d, 1e-6), -2.5);
			weights += w;
			sum += w * (double)stations[s][2];
		}
		want[i] = weights > 0 ? (float)(sum / weights) : -1;
		alone += weights == 0;
	}
	RUN("geospatial/idw_buckets", "", WORK(SIDE, SIDE), WORK(16, 4), ARRAY(start),
	    ARRAY(stations), INT(BUCKETS), FLOAT(2.5f), FLOAT(-1), ARRAY(field));
	assert_floats(field, want, (size_t)SIDE * SIDE, 1e-4f);
	assert_true(alone > 0);
}

/* A place whose coordinates are published, and its surroundings as if the earth were flat there. */
static void utm_warp_knows_where_pixels_are(void **unused)
{
	/* the CN Tower, 43 38 33.24 N 79 23 13.70 W, zone 17: 630084 east, 4833438 north */
	enum { COLUMNS = 400, ROWS = 300, SIDE = 16 };
	static int16_t raster[ROWS * COLUMNS];
	int16_t map[SIDE * SIDE];
	const double tower_north = 43.642567, tower_west = -79.387139, step = 0.001;
	int missing = 0;
	(void)unused;
	/* the raster holds its own rows and columns; one cell of it is missing */
	for (int i = 0; i < ROWS * COLUMNS; i++)
		raster[i] = (int16_t)(10 * (i % COLUMNS) + 20 * (i / COLUMNS));
	double west = tower_west - 200.5 * step, north = tower_north + 100.5 * step;
	raster[110 * COLUMNS + 200] = -32768;
	RUN("geospatial/utm_warp", "", WORK(SIDE, SIDE), WORK(8, 4), ARRAY(raster),
	    SCALAR(double, west), SCALAR(double, north), SCALAR(double, step), INT(COLUMNS),
	    INT(ROWS), SCALAR(double, 630084.0 - 250), SCALAR(double, 4833438.0 + 250),
	    SCALAR(double, 500.0), SCALAR(double, -81.0), ARRAY(map), INT(SIDE), INT(SIDE));
	assert_true(abs(map[0] - (10 * 200 + 20 * 100)) <= 1);
	/* 500 m are 0.0045 degrees of latitude, 0.0062 of longitude here, turned by a degree */
	for (int i = 0; i < SIDE * SIDE; i++) {
		double turn = (81 + tower_west) * PI / 180 * sin(tower_north * PI / 180);
		double right = 500.0 * (i % SIDE), down = 500.0 * (i / SIDE);
		double metres_east = right * cos(turn) - down * sin(turn);
		double metres_south = down * cos(turn) + right * sin(turn);
		double u = 200 + metres_east / (80597 * step),
		       v = 100 + metres_south / (111100 * step);
		bool is_near = fabs(u - 200) < 1.2 && fabs(v - 110) < 1.2;
		if (map[i] == -32768)
			missing++;
		else if (!is_near)
			assert_true(fabs(map[i] - (10 * u + 20 * v)) < 15);
	}
	assert_true(missing <= 1);
}

static void geohash_encode_spells_places(void **unused)
{
	enum { COUNT = 40 };
	double points[COUNT][2] = {{(10.40744 + 180) / 360, (57.64911 + 90) / 180},
	                           {(-5.6 + 180) / 360, (42.6 + 90) / 180},
	                           {1.5, 0.5}};
	char text[COUNT][12];
	(void)unused;
	seed();
	for (int i = 3; i < COUNT; i++)
		for (int k = 0; k < 2; k++)
			points[i][k] = random_word() * 0x1p-32;
	RUN("geospatial/geohash_encode", "", WORK(64), WORK(32), ARRAY(points), ARRAY(text),
	    SCALAR(uint32_t, COUNT));
	assert_memory_equal(text[0], "u4pruydqqvj", 11);
	assert_memory_equal(text[1], "ezs42", 5);
	assert_memory_equal(text[2], "            ", 12);
	for (int i = 3; i < COUNT; i++) {
		double low[2] = {0, 0}, size[2] = {1, 1};
		for (int bit = 0; bit < 60; bit++) {
			const char *letters = "0123456789bcdefghjkmnpqrstuvwxyz";
			const char *at = strchr(letters, text[i][bit / 5]);
			assert_non_null(at);
			size[bit % 2] /= 2;
			if ((at - letters) >> (4 - bit % 5) & 1)
				low[bit % 2] += size[bit % 2];
		}
		for (int k = 0; k < 2; k++)
			assert_true(points[i][k] >= low[k] && points[i][k] < low[k] + 0x1p-30);
	}
}

CHECK_FAMILY(geospatial, cmocka_unit_test(hillshade_lights_slopes),
             cmocka_unit_test(viewshed_rays_see_what_rises),
             cmocka_unit_test(drainage_walk_ends_at_outlets),
             cmocka_unit_test(idw_buckets_hears_neighbours),
             cmocka_unit_test(utm_warp_knows_where_pixels_are),
             cmocka_unit_test(geohash_encode_spells_places))
