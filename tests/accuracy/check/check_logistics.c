/* SPDX-License-Identifier: Apache-2.0 */
/* Routes, loads, timetables, assignments and stock against the host. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/check/run.h"

enum { CUSTOMERS = 60, CAPACITY = 900 };

struct customers {
	float place[CUSTOMERS][2];
	uint16_t window[CUSTOMERS][2];
	uint8_t demand[CUSTOMERS];
};

/* The stop at which a route fails that leaves so late; -1: none. */
static int route_fails_at(const struct customers *all, const int *stops, int count, double late,
                          double *length)
{
	double now = late, x = 50, y = 40;
	int load = 0;
	*length = 0;
	for (int k = 0; k < count; k++) {
		const float *to = all->place[stops[k]];
		const uint16_t *window = all->window[stops[k]];
		double leg = hypot((double)to[0] - x, (double)to[1] - y);
		load += all->demand[stops[k]];
		now += leg / 0.5;
		if (load > CAPACITY || now > window[0] + window[1])
			return k;
		*length += leg;
		now = fmax(now, window[0]) + 300;
		x = (double)to[0];
		y = (double)to[1];
	}
	*length += hypot(50 - x, 40 - y);
	return -1;
}

static void route_check_stops_where_it_is_late(void **unused)
{
	enum { ROUTES = 90, MOST = 13 };
	struct customers all;
	int start[ROUTES + 1], stops[ROUTES * MOST], failed[ROUTES], works = 0;
	float cost[ROUTES], slack[ROUTES], depot[2] = {50, 40};
	(void)unused;
	seed();
	fill_rows(start, ROUTES, MOST);
	fill_ints(stops, (size_t)ROUTES * MOST, CUSTOMERS);
	fill_floats(all.place[0], (size_t)2 * CUSTOMERS, 0, 100);
	for (int c = 0; c < CUSTOMERS; c++) {
		all.window[c][0] = (uint16_t)(random_word() % 6000);
		all.window[c][1] = (uint16_t)(random_word() % 30000);
		all.demand[c] = (uint8_t)random_word();
	}
	RUN("logistics/route_check", "", WORK(96), WORK(32), ARRAY(start), ARRAY(stops),
	    ARRAY(all.place), ARRAY(all.window), ARRAY(all.demand),
	    {ARGUMENT_SCALAR, depot, sizeof depot}, FLOAT(0.5f), FLOAT(300), INT(CAPACITY),
	    ARRAY(cost), ARRAY(slack), ARRAY(failed), INT(ROUTES));
	for (int r = 0; r < ROUTES; r++) {
		const int *of = stops + start[r], count = start[r + 1] - start[r];
		double length, other, low = 0, high = 86400;
		assert_int_equal(failed[r], route_fails_at(&all, of, count, 0, &length));
		assert_true(fabs((double)cost[r] - length) < 1e-2);
		if (failed[r] >= 0) {
			assert_true(slack[r] == -1);
			continue;
		}
		works++;
		for (int k = 0; k < 40; k++) {
			double middle = (low + high) / 2;
			if (route_fails_at(&all, of, count, middle, &other) < 0)
				low = middle;
			else
				high = middle;
		}
		assert_true(fabs((double)slack[r] - low) < 0.1);
	}
	assert_in_range(works, ROUTES / 10, ROUTES - ROUTES / 10);
}

static double tour_length(float (*cities)[2], const uint16_t *tour, int length)
{
	double sum = 0;
	for (int k = 0; k < length; k++) {
		const float *a = cities[tour[k]], *b = cities[tour[(k + 1) % length]];
		sum += hypot((double)a[0] - (double)b[0], (double)a[1] - (double)b[1]);
	}
	return sum;
}

/* Tours are turned around between any two places, and measured again; no other move gains more. */
static void two_opt_best_gains_the_most(void **unused)
{
	enum { TOURS = 7, LENGTH = 45, CITIES = 64 };
	float cities[CITIES][2], gain[TOURS];
	uint16_t tours[TOURS][LENGTH], turned[LENGTH];
	int moves[TOURS][2];
	(void)unused;
	seed();
	fill_floats(cities[0], (size_t)2 * CITIES, 0, 10);
	for (int i = 0; i < TOURS * LENGTH; i++)
		tours[i / LENGTH][i % LENGTH] = (uint16_t)(random_word() % CITIES);
	RUN("logistics/two_opt_best", "", WORK((size_t)TOURS * 32), WORK(32), ARRAY(cities),
	    ARRAY(tours), INT(LENGTH), ARRAY(gain), ARRAY(moves), LOCAL(8 * LENGTH), LOCAL(4 * 32),
	    LOCAL(8 * 32));
	for (int t = 0; t < TOURS; t++) {
		double before = tour_length(cities, tours[t], LENGTH), most = 0, chosen = -1;
		for (int i = 0; i < LENGTH; i++)
			for (int j = i + 2; j < LENGTH; j++) {
				memcpy(turned, tours[t], sizeof turned);
				for (int k = i + 1; k <= j; k++)
					turned[k] = tours[t][i + 1 + j - k];
				double win = before - tour_length(cities, turned, LENGTH);
				most = fmax(most, win);
				if (i == moves[t][0] && j == moves[t][1])
					chosen = win;
			}
		assert_true(most > 1 && fabs(most - (double)gain[t]) < 1e-4);
		assert_true(fabs(chosen - most) < 1e-4);
	}
}

static void pallet_stack_puts_boxes_low(void **unused)
{
	enum { PALLETS = 40, MOST = 40, W = 12, D = 8, LIMIT = 9 };
	int start[PALLETS + 1], volume[PALLETS], rejected = 0;
	uint8_t boxes[PALLETS * MOST], left[PALLETS], surface[W * D][PALLETS];
	(void)unused;
	seed();
	fill_rows(start, PALLETS, MOST);
	for (int i = 0; i < PALLETS * MOST; i++)
		boxes[i] = (uint8_t)(random_word() % 80);
	RUN("logistics/pallet_stack", "", WORK(64), WORK(32), ARRAY(start), ARRAY(boxes),
	    INT(LIMIT), ARRAY(volume), ARRAY(left), ARRAY(surface), INT(PALLETS));
	for (int p = 0; p < PALLETS; p++) {
		int top[W * D] = {0}, filled = 0, behind = 0;
		for (int b = start[p]; b < start[p + 1]; b++) {
			int w = boxes[b] % 4 + 1, d = boxes[b] / 4 % 4 + 1, h = boxes[b] / 16 + 1;
			int best = INT_MAX, place = -1;
			for (int i = 0; i < 2 * W * D; i++) {
				int x = i % W, y = i / W % D, across = i < W * D ? w : d;
				int along = w + d - across, stands = 0;
				if (x + across > W || y + along > D)
					continue;
				for (int k = 0; k < across * along; k++) {
					int z = top[(y + k / across) * W + x + k % across];
					stands = z > stands ? z : stands;
				}
				if (stands < best) {
					best = stands;
					place = i;
				}
			}
			if (best + h > LIMIT) {
				behind++;
				continue;
			}
			int across = place < W * D ? w : d;
			for (int k = 0; k < w * d; k++)
				top[place % (W * D) + k / across * W + k % across] = best + h;
			filled += w * d * h;
		}
		assert_int_equal(volume[p], filled);
		assert_int_equal(left[p], behind);
		for (int k = 0; k < W * D; k++)
			assert_int_equal(surface[k][p], top[k]);
		rejected += behind;
	}
	assert_true(rejected > 5);
}

/* Again and again through all connections until no arrival gets earlier. */
static void timetable_scan_arrives_first(void **unused)
{
	enum { STOPS = 40, TRIPS = 64, COUNT = 900, QUERIES = 50, CHANGE = 4, NEVER = INT_MAX };
	int departure[COUNT], connections[COUNT][4], query[QUERIES][2], leave[QUERIES];
	int arrival[STOPS * QUERIES], result[QUERIES], reached = 0, lost = 0;
	uint32_t boarded[TRIPS / 32 * QUERIES];
	(void)unused;
	seed();
	fill_rows(departure, COUNT - 1, 3);
	for (int c = 0; c < COUNT; c++) {
		fill_ints(connections[c], 2, STOPS);
		fill_ints(connections[c] + 2, 1, TRIPS);
		fill_ints(connections[c] + 3, 1, 60);
	}
	fill_ints(query[0], (size_t)2 * QUERIES, STOPS);
	fill_ints(leave, QUERIES, departure[COUNT - 1]);
	query[0][1] = query[0][0];
	memset(arrival, 0x55, sizeof arrival);
	memset(boarded, 0x55, sizeof boarded);
	RUN("logistics/timetable_scan", "", WORK(64), WORK(32), ARRAY(departure),
	    ARRAY(connections), INT(COUNT), ARRAY(query), ARRAY(leave), INT(STOPS), INT(TRIPS / 32),
	    INT(CHANGE), ARRAY(arrival), ARRAY(boarded), ARRAY(result), INT(QUERIES));
	for (int q = 0; q < QUERIES; q++) {
		int earliest[STOPS], boards_at[TRIPS];
		bool is_changed = true;
		for (int s = 0; s < STOPS; s++)
			earliest[s] = s == query[q][0] ? leave[q] - CHANGE : NEVER;
		for (int t = 0; t < TRIPS; t++)
			boards_at[t] = COUNT;
		while (is_changed) {
			is_changed = false;
			for (int c = COUNT - 1; c >= 0; c--) {
				const int *at = connections[c];
				bool is_reached = earliest[at[0]] != NEVER &&
				                  earliest[at[0]] + CHANGE <= departure[c];
				if (departure[c] < leave[q] ||
				    !(is_reached || boards_at[at[2]] < c))
					continue;
				if (c < boards_at[at[2]]) {
					boards_at[at[2]] = c;
					is_changed = true;
				}
				if (departure[c] + at[3] < earliest[at[1]]) {
					earliest[at[1]] = departure[c] + at[3];
					is_changed = true;
				}
			}
		}
		int want = earliest[query[q][1]];
		if (query[q][0] == query[q][1])
			want = leave[q];
		assert_int_equal(result[q], want);
		reached += want != NEVER;
		lost += want == NEVER;
	}
	assert_true(reached > 10 && lost > 2);
}

static void auction_bids_raise_to_the_second_best(void **unused)
{
	enum { JOBS = 90, VEHICLES = 36, SCALE = 100, EPSILON = 7 };
	uint8_t worth[JOBS][VEHICLES];
	int prices[VEHICLES], assigned[JOBS], wish[JOBS], bid[JOBS] = {0};
	int highest[VEHICLES] = {0}, want[VEHICLES] = {0};
	(void)unused;
	seed();
	fill_ints(prices, VEHICLES, 9000);
	fill_ints(assigned, JOBS, 2);
	for (int i = 0; i < JOBS * VEHICLES; i++)
		worth[i / VEHICLES][i % VEHICLES] = (uint8_t)random_word();
	RUN("logistics/auction_bids", "", WORK(96), WORK(32), ARRAY(worth), ARRAY(prices),
	    ARRAY(assigned), INT(VEHICLES), INT(SCALE), INT(EPSILON), ARRAY(wish), ARRAY(bid),
	    ARRAY(highest), INT(JOBS));
	for (int j = 0; j < JOBS; j++) {
		int best = 0, second = INT_MIN;
		if (assigned[j]) {
			assert_int_equal(wish[j], -1);
			assert_int_equal(bid[j], 0);
			continue;
		}
		for (int v = 1; v < VEHICLES; v++)
			if (worth[j][v] * SCALE - prices[v] > worth[j][best] * SCALE - prices[best])
				best = v;
		for (int v = 0; v < VEHICLES; v++) {
			int net = worth[j][v] * SCALE - prices[v];
			second = v != best && net > second ? net : second;
		}
		assert_int_equal(wish[j], best);
		/* Another vehicle would be no worse, but for epsilon. */
		assert_int_equal(worth[j][best] * SCALE - bid[j], second - EPSILON);
		want[best] = bid[j] > want[best] ? bid[j] : want[best];
	}
	assert_ints(highest, want, VEHICLES);
}

static void stock_policy_pays_for_what_is_kept_and_owed(void **unused)
{
	enum { POLICIES = 50, DAYS = 200, LEAD = 2 };
	int below[POLICIES], more[POLICIES], late = 0;
	double costs[4] = {0.25, 4, 30, 1.5}, cost[POLICIES];
	float rate[POLICIES], limit = 0.0025f;
	(void)unused;
	seed();
	fill_ints(below, POLICIES, 50);
	fill_ints(more, POLICIES, 60);
	RUN("logistics/stock_policy", "", WORK(64), WORK(32), ARRAY(below), ARRAY(more),
	    FLOAT(limit), INT(DAYS), INT(LEAD), {ARGUMENT_SCALAR, costs, sizeof costs},
	    SCALAR(uint32_t, 9), ARRAY(cost), ARRAY(rate), INT(POLICIES));
	for (int p = 0; p < POLICIES; p++) {
		int most = below[p] + 1 + more[p], stock = most, position = most, wanted = 0,
		    served = 0;
		int arrives[DAYS + 16] = {0};
		uint32_t state = 9u ^ (uint32_t)(p + 1) * 747796405u;
		double sum = 0;
		for (int day = 0; day < DAYS; day++) {
			stock += arrives[day];
			int demand = 0;
			for (float product = 1;; demand++) {
				state = state * 1664525u + 1013904223u;
				product *= (float)(state >> 8) / 16777216.0f;
				if (!(product > limit))
					break;
			}
			wanted += demand;
			served += stock < 0 ? 0 : stock < demand ? stock : demand;
			stock -= demand;
			position -= demand;
			sum += stock > 0 ? costs[0] * stock : -costs[1] * stock;
			if (position > below[p])
				continue;
			state = state * 1664525u + 1013904223u;
			arrives[day + LEAD + (int)(state >> 29)] += most - position;
			sum += costs[2] + costs[3] * (most - position);
			position = most;
		}
		assert_true(fabs(cost[p] - sum / (int)DAYS) < 1e-9 * sum);
		assert_true(fabs((double)rate[p] - (double)served / wanted) < 1e-6);
		late += served < wanted;
	}
	assert_true(late > POLICIES / 4);
}

CHECK_FAMILY(logistics, cmocka_unit_test(route_check_stops_where_it_is_late),
             cmocka_unit_test(two_opt_best_gains_the_most),
             cmocka_unit_test(pallet_stack_puts_boxes_low),
             cmocka_unit_test(timetable_scan_arrives_first),
             cmocka_unit_test(auction_bids_raise_to_the_second_best),
             cmocka_unit_test(stock_policy_pays_for_what_is_kept_and_owed))
