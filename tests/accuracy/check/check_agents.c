/* SPDX-License-Identifier: Apache-2.0 */
/* Crowds, epidemics, roads and queues against the host. */
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/check/run.h"

static uint32_t hash(uint32_t x)
{
	x = (x ^ x >> 16) * 0x7feb352du;
	x = (x ^ x >> 15) * 0x846ca68bu;
	return x ^ x >> 16;
}

static void traffic_cells_keep_apart(void **unused)
{
	enum { CARS = 50, LANES = 2, CELLS = 200, ALL = CARS * LANES };
	int place[ALL], new_place[ALL], changes = 0;
	uint8_t speed[ALL], new_speed[ALL], over[ALL];
	uint32_t moved[LANES] = {0}, want_moved[LANES] = {0};
	const uint32_t dawdle = 0x40000000;
	(void)unused;
	seed();
	for (int i = 0; i < ALL; i++) {
		place[i] = i < LANES ? 0 : place[i - LANES] + 1 + (int)(random_word() % 6);
		speed[i] = (uint8_t)(random_word() % 6);
	}
	place[ALL - 1] = CELLS - 1;
	assert_true(place[ALL - 2] < CELLS && place[ALL - 3] < CELLS - 1);
	RUN("agents/traffic_cells", "", WORK(64, LANES), WORK(32, 1), ARRAY(place), ARRAY(speed),
	    ARRAY(new_place), ARRAY(new_speed), ARRAY(over), ARRAY(moved), INT(CARS), INT(CELLS),
	    INT(5), SCALAR(uint32_t, dawdle), SCALAR(uint32_t, 3));
	for (int i = 0; i < ALL; i++) {
		int lane = i % LANES, gap = 0, v = speed[i] + 1 > 5 ? 5 : speed[i] + 1;
		bool is_free = true, is_beside_free = true;
		while (is_free && gap < CELLS - 1) {
			for (int k = lane; k < ALL; k += LANES)
				is_free = is_free && place[k] != (place[i] + gap + 1) % CELLS;
			gap += is_free;
		}
		bool is_held_up = gap < v;
		v = is_held_up ? gap : v;
		if (v > 0 && hash((uint32_t)i ^ hash(3)) < dawdle)
			v--;
		for (int k = 1 - lane; k < ALL; k += LANES)
			is_beside_free = is_beside_free &&
			                 (place[k] < place[i] - 2 || place[k] > place[i] + v + 1);
		assert_int_equal(new_speed[i], v);
		assert_int_equal(new_place[i], (place[i] + v) % CELLS);
		assert_int_equal(over[i], is_held_up && is_beside_free);
		want_moved[lane] += place[i] + v >= CELLS;
		changes += over[i];
	}
	assert_words(moved, want_moved, LANES);
	assert_true(changes > 2 && changes < ALL / 2);
}

struct agent {
	uint8_t state, days, age, immunity;
};

static uint32_t xorshift(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static void seir_step_spreads_by_contacts(void **unused)
{
	enum { COUNT = 150, MOST = 10 };
	struct agent agents[COUNT], got[COUNT];
	int start[COUNT + 1], contacts[COUNT * MOST], counts[4] = {0}, want_counts[4] = {0};
	uint8_t closeness[COUNT * MOST];
	(void)unused;
	seed();
	fill_rows(start, COUNT, MOST);
	fill_ints(contacts, (size_t)COUNT * MOST, COUNT);
	for (int i = 0; i < COUNT; i++)
		agents[i] =
		        (struct agent){(uint8_t)(random_word() % 4), (uint8_t)(random_word() % 3),
		                       (uint8_t)random_word(), (uint8_t)(random_word() % 100)};
	for (int i = 0; i < COUNT * MOST; i++)
		closeness[i] = (uint8_t)random_word();
	RUN("agents/seir_step", "", WORK(160), WORK(32), ARRAY(agents), ARRAY(got), ARRAY(start),
	    ARRAY(contacts), ARRAY(closeness), FLOAT(0.4f), SCALAR(uint32_t, 99), ARRAY(counts),
	    INT(COUNT));
	for (int i = 0; i < COUNT; i++) {
		struct agent want = agents[i];
		uint32_t random = ((uint32_t)i + 1) * 2654435761u ^ 99;
		if (want.state == 0) {
			for (int k = start[i]; k < start[i + 1] && want.state == 0; k++) {
				if (agents[contacts[k]].state != 2)
					continue;
				double risk =
				        0.4 * (1 - want.immunity / 255.0) * closeness[k] / 255;
				if ((xorshift(&random) >> 8) * 0x1p-24 < risk) {
					want.state = 1;
					want.days = (uint8_t)(2 + xorshift(&random) % 4);
				}
			}
		} else if (want.state == 3) {
			bool is_less = (xorshift(&random) >> 8) * 0x1p-24 < 0.1;
			want.immunity = (uint8_t)(want.immunity - (want.immunity > 0 && is_less));
		} else if (want.days > 0) {
			want.days--;
		} else if (want.state == 1) {
			want.state = 2;
			want.days = (uint8_t)(4 + xorshift(&random) % 6 + (want.age > 160 ? 3 : 0));
		} else {
			want.state = 3;
			want.immunity = 255;
		}
		assert_memory_equal(&got[i], &want, sizeof want);
		want_counts[want.state] += want.state != agents[i].state;
	}
	assert_ints(counts, want_counts, 4);
	assert_true(counts[1] > 5 && counts[2] > 3);
}

static void claim_moves_lets_one_in(void **unused)
{
	enum { WIDTH = 30, HEIGHT = 20, CELLS = WIDTH * HEIGHT, COUNT = 120 };
	int walkers[COUNT], occupied[CELLS], claims[CELLS] = {0}, to[COUNT], turned = 0, gone = 0;
	float distance[CELLS];
	(void)unused;
	seed();
	fill_floats(distance, CELLS, 0, 3);
	fill_ints(occupied, CELLS, 3);
	for (int i = 0; i < CELLS; i++)
		occupied[i] = occupied[i] == 0;
	for (int i = 0; i < COUNT; i++) {
		walkers[i] = i * 7 % CELLS;
		occupied[walkers[i]] = 1;
	}
	RUN("agents/claim_moves", "", WORK(128), WORK(32), ARRAY(walkers), ARRAY(distance),
	    ARRAY(occupied), ARRAY(claims), ARRAY(to), INT(WIDTH), INT(HEIGHT), INT(COUNT));
	for (int i = 0; i < COUNT; i++) {
		int best = walkers[i];
		float least = distance[best];
		for (int n = 0; n < CELLS; n++) {
			int dx = abs(n % WIDTH - walkers[i] % WIDTH);
			int dy = abs(n / WIDTH - walkers[i] / WIDTH);
			float far = distance[n] + (dx + dy == 2 ? 0.41f : 0.0f);
			if (dx < 2 && dy < 2 && dx + dy > 0 && !occupied[n] && far < least) {
				least = far;
				best = n;
			}
		}
		if (best == walkers[i]) {
			assert_int_equal(to[i], best);
		} else if (to[i] == best) {
			assert_int_equal(claims[best], i + 1);
			gone++;
		} else { /* somebody else has it */
			assert_int_equal(to[i], walkers[i]);
			assert_int_equal(to[claims[best] - 1], best);
			turned++;
		}
	}
	assert_true(gone > 30 && turned > 0);
}

static void ant_tours_visit_all_cities(void **unused)
{
	enum { ANTS = 64, CITIES = 24 };
	float attraction[CITIES * CITIES], distance[CITIES * CITIES], lengths[ANTS], want[ANTS];
	uint8_t tours[ANTS * CITIES];
	int shortest = 1 << 30, alike = 0;
	double least = 1e30;
	(void)unused;
	seed();
	fill_floats(attraction, CITIES * CITIES, 0.01f, 1);
	fill_floats(distance, CITIES * CITIES, 1, 2);
	for (int i = 0; i < CITIES; i++) /* as good as always from one to the next */
		attraction[i * CITIES + (i + 1) % CITIES] = 1e4f;
	RUN("agents/ant_tours", "", WORK(ANTS), WORK(32), ARRAY(attraction), ARRAY(distance),
	    INT(CITIES), SCALAR(uint32_t, 5), ARRAY(tours), ARRAY(lengths),
	    {ARGUMENT_ARRAY, &shortest, 4});
	for (int ant = 0; ant < ANTS; ant++) {
		const uint8_t *tour = tours + ant * CITIES;
		uint32_t seen = 0;
		double length = 0;
		for (int k = 0; k < CITIES; k++) {
			int next = tour[(k + 1) % CITIES];
			seen |= 1u << tour[k];
			length += (double)distance[tour[k] * CITIES + next];
			alike += next == (tour[k] + 1) % CITIES;
		}
		assert_int_equal(tour[0], ant % CITIES);
		assert_int_equal(seen, (1 << CITIES) - 1);
		want[ant] = (float)length;
		least = fmin(least, length);
	}
	assert_floats(lengths, want, ANTS, 1e-5f);
	assert_true(fabs(shortest - 1000 * least) < 1.1);
	assert_true(alike > ANTS * CITIES * 9 / 10);
}

/* Children without mutations consist of two parents' bits; the fittest have most children. */
static void breed_pairs_cross_and_mutate(void **unused)
{
	enum { POPULATION = 100, WORDS = 8 };
	uint32_t genomes[POPULATION * WORDS], children[POPULATION * WORDS];
	float fitness[POPULATION];
	int flips = 0, rank = 0;
	(void)unused;
	/* a genome is its number, eight times */
	for (int i = 0; i < POPULATION * WORDS; i++)
		genomes[i] = (uint32_t)(i / WORDS) * 0x01010101u;
	for (int i = 0; i < POPULATION; i++)
		fitness[i] = (float)i;
	RUN("agents/breed_pairs", "", WORK(64), WORK(32), ARRAY(genomes), ARRAY(fitness),
	    ARRAY(children), SCALAR(uint32_t, POPULATION), FLOAT(1e-7f), SCALAR(uint32_t, 8));
	for (int pair = 0; pair < POPULATION / 2; pair++) {
		const uint32_t *one = children + 2 * pair * WORDS, *two = one + WORDS;
		uint32_t differ = (one[0] ^ two[0]) & 255;
		int changes = 0;
		for (int k = 0; k < 4 * WORDS; k++) { /* of bytes, two may be mixed */
			uint32_t a = one[k / 4] >> k % 4 * 8 & 255,
			         b = two[k / 4] >> k % 4 * 8 & 255;
			assert_int_equal(a ^ b, differ);
			changes += k > 0 && a != (one[(k - 1) / 4] >> (k - 1) % 4 * 8 & 255);
		}
		assert_true(changes <= 4);
		rank += (int)((one[0] & 255) + (two[0] & 255));
	}
	assert_true(rank > POPULATION * 65); /* three quarters of 99 in the mean */
	memset(genomes, 0, sizeof genomes);
	RUN("agents/breed_pairs", "", WORK(64), WORK(32), ARRAY(genomes), ARRAY(fitness),
	    ARRAY(children), SCALAR(uint32_t, POPULATION), FLOAT(0.02f), SCALAR(uint32_t, 8));
	for (int i = 0; i < POPULATION * WORDS; i++)
		flips += __builtin_popcount(children[i]);
	assert_true(abs(flips - POPULATION * 256 / 50) < 90);
}

/* Erlang's C formula for exponential services; nobody waits long where little is to do. */
static void queue_waits_fit_erlang(void **unused)
{
	enum { RUNS = 64 };
	float rates[RUNS][2], results[RUNS][4];
	double wait = 0, share = 0;
	(void)unused;
	for (int i = 0; i < RUNS; i++) {
		rates[i][0] = i % 2 == 0 ? 2.8f : 0.1f;
		rates[i][1] = 1;
	}
	RUN("agents/queue_waits", "", WORK(RUNS), WORK(32), ARRAY(rates), INT(1), INT(4000),
	    INT(200), ARRAY(results), SCALAR(uint32_t, 12));
	for (int i = 0; i < RUNS; i++) {
		double rate = (double)rates[i][0];
		assert_true(fabs((double)results[i][3] * rate / 4000 - 1) < 0.1);
		assert_true(results[i][1] >= results[i][0]);
		if (i % 2 == 1) {
			assert_true(results[i][2] < 0.002f);
			continue;
		}
		wait += (double)results[i][0] / 32;
		share += (double)results[i][2] / 32;
	}
	double term = 1, sum = 0;
	for (int k = 0; k < 4; k++) {
		sum += term;
		term *= 2.8 / (k + 1);
	}
	term /= 1 - 0.7;
	assert_true(fabs(share / (term / (sum + term)) - 1) < 0.05);
	assert_true(fabs(wait / (term / (sum + term) / 1.2) - 1) < 0.12);
}

CHECK_FAMILY(agents, cmocka_unit_test(traffic_cells_keep_apart),
             cmocka_unit_test(seir_step_spreads_by_contacts),
             cmocka_unit_test(claim_moves_lets_one_in),
             cmocka_unit_test(ant_tours_visit_all_cities),
             cmocka_unit_test(breed_pairs_cross_and_mutate),
             cmocka_unit_test(queue_waits_fit_erlang))
