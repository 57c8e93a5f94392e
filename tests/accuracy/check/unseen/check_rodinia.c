/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as Rodinia has them against the host. */
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/check/run.h"

static void layer_forward_weighs_the_inputs(void **unused)
{
	enum { INPUTS = 96, SIDE = 16, ROW = SIDE + 1, GROUPS = INPUTS / SIDE };
	float input[INPUTS + 1], weights[(INPUTS + 1) * ROW], old[(INPUTS + 1) * ROW];
	float partial[GROUPS * SIDE];
	(void)unused;
	seed();
	fill_floats(input, INPUTS + 1, 0, 1);
	fill_floats(weights, (size_t)(INPUTS + 1) * ROW, -1, 1);
	memcpy(old, weights, sizeof old);
	RUN("unseen/rodinia/layer_forward", "-DSIDE=16", WORK(SIDE, INPUTS), WORK(SIDE, SIDE),
	    ARRAY(input), ARRAY(weights), ARRAY(partial), LOCAL(4 * SIDE), LOCAL(4 * SIDE * SIDE),
	    INT(SIDE));
	for (int g = 0; g < GROUPS; g++)
		for (int unit = 1; unit <= SIDE; unit++) {
			double sum = 0;
			for (int i = g * SIDE + 1; i <= (g + 1) * SIDE; i++)
				sum += (double)input[i] * (double)old[i * ROW + unit];
			assert_true(fabs(sum - (double)partial[g * SIDE + unit - 1]) < 1e-5);
			/* the last input of each group is in no sum of others */
			float product = input[(g + 1) * SIDE] * old[(g + 1) * SIDE * ROW + unit];
			assert_true(weights[(g + 1) * SIDE * ROW + unit] == product);
		}
	for (int i = 0; i <= INPUTS; i++)
		assert_true(weights[i * ROW] == old[i * ROW]);
}

enum {
	TREE_ORDER = 8,
	TREE_LEAVES = 40,
	TREE_INNER = 5,
	TREE_NODES = 1 + TREE_INNER + TREE_LEAVES
};

struct tree_node {
	int location, child[TREE_ORDER + 1], key[TREE_ORDER + 1], is_leaf, keys;
};

/* A tree of three levels: records' keys are 7 times their places. */
static void range_search_finds_both_ends(void **unused)
{
	enum { RANGES = 30, RECORDS = TREE_ORDER * TREE_LEAVES };
	struct tree_node nodes[TREE_NODES];
	int first[RANGES] = {0}, first_next[RANGES] = {0}, last[RANGES] = {0};
	int last_next[RANGES] = {0}, start[RANGES], end[RANGES], record[RANGES], length[RANGES];
	(void)unused;
	seed();
	memset(nodes, 0, sizeof nodes);
	for (int k = 0; k <= TREE_ORDER; k++) {
		nodes[0].key[k] = k < TREE_INNER ? 7 * k * TREE_ORDER * TREE_ORDER : 1 << 30;
		nodes[0].child[k] = k < TREE_INNER ? 1 + k : 1 << 20;
		for (int i = 0; i < TREE_INNER; i++) {
			int leaf = i * TREE_ORDER + k;
			nodes[1 + i].key[k] = 7 * leaf * TREE_ORDER;
			nodes[1 + i].child[k] = k == TREE_ORDER ? 1 << 20 : 1 + TREE_INNER + leaf;
		}
		for (int leaf = 0; leaf < TREE_LEAVES; leaf++) {
			struct tree_node *node = nodes + 1 + TREE_INNER + leaf;
			node->key[k] = k == TREE_ORDER ? 1 << 30 : 7 * (leaf * TREE_ORDER + k);
			node->child[k] = leaf * TREE_ORDER + k;
		}
	}
	/* the descent goes on in a leaf as long as a child is no node: height counts inner levels
	 */
	for (int i = 0; i < RANGES; i++) {
		int a = (int)(random_word() % RECORDS), b = (int)(random_word() % RECORDS);
		start[i] = 7 * (a < b ? a : b);
		end[i] = 7 * (a < b ? b : a);
		if (i % 10 == 9)
			end[i]++; /* no such record */
		record[i] = length[i] = -1;
	}
	RUN("unseen/rodinia/range_search", "-DORDER=8", WORK((size_t)RANGES * TREE_ORDER),
	    WORK(TREE_ORDER), INT(2), ARRAY(nodes), INT(TREE_NODES), ARRAY(first),
	    ARRAY(first_next), ARRAY(last), ARRAY(last_next), ARRAY(start), ARRAY(end),
	    ARRAY(record), ARRAY(length));
	for (int i = 0; i < RANGES; i++) {
		assert_int_equal(record[i], start[i] / 7);
		assert_int_equal(length[i], i % 10 == 9 ? -1 : (end[i] - start[i]) / 7 + 1);
		assert_int_equal(first[i], 1 + TREE_INNER + start[i] / 7 / TREE_ORDER);
		assert_int_equal(last[i], 1 + TREE_INNER + end[i] / 7 / TREE_ORDER);
	}
}

static void bfs_masks_reach_the_next_level(void **unused)
{
	enum { NODES = 200, MOST = 8 };
	int start[NODES + 1], edge[NODES * MOST], cost[NODES], want_cost[NODES];
	int8_t frontier[NODES], next[NODES] = {0}, want[NODES] = {0}, visited[NODES];
	int marked = 0;
	(void)unused;
	seed();
	fill_rows(start, NODES, MOST);
	fill_ints(edge, (size_t)NODES * MOST, NODES);
	for (int i = 0; i < NODES; i++) {
		uint32_t draw = random_word() % 8;
		frontier[i] = draw == 0;
		visited[i] = draw < 3;
		cost[i] = draw == 0 ? 5 : draw < 3 ? 4 : -1;
		want_cost[i] = cost[i];
	}
	RUN("unseen/rodinia/bfs_masks", "", WORK(224), WORK(32), ARRAY(start), ARRAY(edge),
	    ARRAY(frontier), ARRAY(next), ARRAY(visited), ARRAY(cost), INT(NODES));
	for (int i = 0; i < NODES; i++)
		for (int k = start[i]; frontier[i] && k < start[i + 1]; k++)
			if (!visited[edge[k]]) {
				want[edge[k]] = 1;
				want_cost[edge[k]] = 6;
				marked++;
			}
	assert_true(marked > 20);
	assert_ints(cost, want_cost, NODES);
	assert_memory_equal(next, want, sizeof next);
}

/* Density, momentum and energy that go through a unit area along each axis. */
static void euler_tensor(const double *v, double flux[5][3])
{
	double kinetic = (v[1] * v[1] + v[2] * v[2] + v[3] * v[3]) / v[0] / 2;
	double pressure = 0.4 * (v[4] - kinetic);
	for (int k = 0; k < 3; k++) {
		double speed = v[1 + k] / v[0];
		flux[0][k] = v[1 + k];
		for (int m = 0; m < 3; m++)
			flux[1 + m][k] = v[1 + m] * speed + (m == k ? pressure : 0);
		flux[4][k] = speed * (v[4] + pressure);
	}
}

static double euler_fastest(const double *v)
{
	double speed2 = (v[1] * v[1] + v[2] * v[2] + v[3] * v[3]) / v[0] / v[0];
	return sqrt(speed2) + sqrt(1.4 * 0.4 * (v[4] - v[0] * speed2 / 2) / v[0]);
}

static void euler_flux_balances_faces(void **unused)
{
	enum { COUNT = 150 };
	int neighbours[4 * COUNT];
	float normals[12 * COUNT], variables[5 * COUNT], far[5] = {1.4f, 1.5f, 0.1f, -0.2f, 4};
	float far_flux[12], fluxes[5 * COUNT], want[5 * COUNT];
	double at_far[5], tensor[5][3];
	static const int order[4] = {4, 1, 2, 3}; /* of far_flux: energy, then the momentum */
	int seen[3] = {0};
	(void)unused;
	seed();
	fill_floats(normals, (size_t)12 * COUNT, -1, 1);
	fill_floats(variables, COUNT, 1, 2);
	fill_floats(variables + COUNT, (size_t)3 * COUNT, -1, 1);
	fill_floats(variables + 4 * (size_t)COUNT, COUNT, 3, 5);
	for (int k = 0; k < 5; k++)
		at_far[k] = (double)far[k];
	euler_tensor(at_far, tensor);
	for (int k = 0; k < 12; k++)
		far_flux[k] = (float)tensor[order[k / 3]][k % 3];
	for (int i = 0; i < 4 * COUNT; i++) {
		neighbours[i] = (int)(random_word() % (COUNT + 30)) - 30;
		if (neighbours[i] < 0)
			neighbours[i] = neighbours[i] % 2 ? -1 : -2;
		seen[neighbours[i] < 0 ? -neighbours[i] : 0]++;
	}
	assert_true(seen[0] > 100 && seen[1] > 10 && seen[2] > 10);
	for (int i = 0; i < COUNT; i++) {
		double mine[5], other[5], through[5][3], sum[5] = {0};
		for (int k = 0; k < 5; k++)
			mine[k] = (double)variables[k * COUNT + i];
		euler_tensor(mine, tensor);
		for (int j = 0; j < 4; j++) {
			int nb = neighbours[j * COUNT + i];
			double normal[3], length = 0;
			for (int k = 0; k < 3; k++) {
				normal[k] = (double)normals[(4 * k + j) * COUNT + i];
				length += normal[k] * normal[k];
			}
			if (nb == -1) {
				double pressure = tensor[1][0] - mine[1] * mine[1] / mine[0];
				for (int k = 0; k < 3; k++)
					sum[1 + k] += normal[k] * pressure;
				continue;
			}
			for (int k = 0; k < 5; k++)
				other[k] = nb < 0 ? at_far[k] : (double)variables[k * COUNT + nb];
			euler_tensor(other, through);
			double smooth =
			        nb < 0 ? 0
			               : 0.1 * sqrt(length) *
			                         (euler_fastest(mine) + euler_fastest(other));
			for (int k = 0; k < 5; k++) {
				sum[k] -= smooth * (mine[k] - other[k]);
				for (int m = 0; m < 3; m++)
					sum[k] += normal[m] / 2 * (tensor[k][m] + through[k][m]);
			}
		}
		for (int k = 0; k < 5; k++)
			want[k * COUNT + i] = (float)sum[k];
	}
	RUN("unseen/rodinia/euler_flux", "", WORK(160), WORK(32), ARRAY(neighbours), ARRAY(normals),
	    ARRAY(variables), ARRAY(far), ARRAY(far_flux), ARRAY(fluxes), INT(COUNT));
	assert_floats(fluxes, want, (size_t)5 * COUNT, 1e-4f);
}

/* The 5/3 lifting of `count` numbers `apart` from each other, low band first. */
static void lift53(int *line, int count, int apart)
{
	int x[300], k, m;
	for (int i = 0; i < count; i++)
		x[i] = line[i * apart];
	for (int i = 1; i < count; i += 2)
		x[i] -= (x[i - 1] + x[i + 1 < count ? i + 1 : i - 1]) / 2;
	for (int i = 0; i < count; i += 2) {
		k = i > 0 ? i - 1 : 1;
		m = i + 1 < count ? i + 1 : i - 1;
		x[i] += (x[k] + x[m] + 2) / 4;
	}
	for (int i = 0; i < count; i++)
		line[(i % 2 ? (count + 1) / 2 + i / 2 : i / 2) * apart] = x[i];
}

static void dwt53_parts_bands(void **unused)
{
	enum { MOST = 240 * 136 };
	static int in[MOST], out[MOST], want[MOST];
	static const int sizes[4][3] = {{64, 32, 2}, {201, 101, 4}, {240, 136, 15}, {66, 8, 1}};
	(void)unused;
	seed();
	for (int s = 0; s < 4; s++) {
		int w = sizes[s][0], h = sizes[s][1], steps = sizes[s][2];
		size_t across = ((size_t)w + 63) / 64 * 64;
		size_t along = ((size_t)h + 8 * (size_t)steps - 1) / (8 * (size_t)steps);
		fill_ints(in, MOST, 256);
		for (int i = 0; i < MOST; i++) {
			in[i] -= 128;
			want[i] = in[i];
			out[i] = 1 << 20;
		}
		for (int y = 0; y < h; y++)
			lift53(want + y * w, w, 1);
		for (int x = 0; x < w; x++)
			lift53(want + x, h, w);
		RUN("unseen/rodinia/dwt53", "-DWIN_X=64 -DWIN_Y=8", WORK(across, along),
		    WORK(64, 1), ARRAY(in), ARRAY(out), INT(w), INT(h), INT(steps));
		assert_ints(out, want, (size_t)w * (size_t)h);
		assert_true(w * h == MOST || out[w * h] == 1 << 20);
	}
}

static void eliminate_fan2_clears_a_column(void **unused)
{
	enum { N = 40, T = 13 };
	float multipliers[N * N], a[N * N], b[N], want_a[N * N], want_b[N];
	(void)unused;
	seed();
	fill_floats(a, (size_t)N * N, 1, 2);
	fill_floats(b, N, -1, 1);
	fill_floats(multipliers, (size_t)N * N, 5, 6);
	for (int row = T + 1; row < N; row++)
		multipliers[row * N + T] = a[row * N + T] / a[T * N + T];
	memcpy(want_a, a, sizeof a);
	memcpy(want_b, b, sizeof b);
	for (int row = T + 1; row < N; row++) {
		for (int column = T; column < N; column++)
			want_a[row * N + column] -= multipliers[row * N + T] * a[T * N + column];
		want_b[row] -= multipliers[row * N + T] * b[T];
	}
	RUN("unseen/rodinia/eliminate_fan2", "", WORK(N, N), WORK(4, 4), ARRAY(multipliers),
	    ARRAY(a), ARRAY(b), INT(N), INT(T));
	assert_floats(a, want_a, (size_t)N * N, 1e-5f);
	assert_floats(b, want_b, N, 1e-5f);
	for (int row = T + 1; row < N; row++)
		assert_true(fabsf(a[row * N + T]) < 1e-5f);
}

static void hotspot_pyramid_is_so_many_steps(void **unused)
{
	enum { W = 50, H = 41, STEPS = 3, SMALL = 16 - 2 * STEPS };
	float power[W * H], from[W * H], to[W * H], now[W * H], next[W * H];
	(void)unused;
	seed();
	fill_floats(power, (size_t)W * H, 0, 1);
	fill_floats(from, (size_t)W * H, 60, 100);
	memcpy(now, from, sizeof now);
	for (int step = 0; step < STEPS; step++) {
		for (int i = 0; i < W * H; i++) {
			int x = i % W, y = i / W;
			float here = now[i];
			float along = now[y < H - 1 ? i + W : i] + now[y > 0 ? i - W : i];
			float across = now[x < W - 1 ? i + 1 : i] + now[x > 0 ? i - 1 : i];
			next[i] = here + 0.3f * (power[i] + (along - 2 * here) / 2.5f +
			                         (across - 2 * here) / 1.5f + (80 - here) / 4);
		}
		memcpy(now, next, sizeof now);
	}
	RUN("unseen/rodinia/hotspot_pyramid", "-DSIDE=16",
	    WORK((size_t)16 * ((W + SMALL - 1) / SMALL), (size_t)16 * ((H + SMALL - 1) / SMALL)),
	    WORK(16, 16), INT(STEPS), ARRAY(power), ARRAY(from), ARRAY(to), INT(W), INT(H),
	    FLOAT(0.3f), FLOAT(1.5f), FLOAT(2.5f), FLOAT(4));
	assert_floats(to, now, (size_t)W * H, 1e-5f);
}

static void hotspot_layers_mix_with_neighbours(void **unused)
{
	enum { X = 32, Y = 12, Z = 7, ALL = X * Y * Z };
	float power[ALL], from[ALL], to[ALL], want[ALL];
	(void)unused;
	seed();
	fill_floats(power, ALL, 0, 1);
	fill_floats(from, ALL, 60, 100);
	for (int i = 0; i < ALL; i++) {
		int x = i % X, y = i / X % Y, z = i / (X * Y);
		float beside =
		        0.11f * from[x < X - 1 ? i + 1 : i] + 0.12f * from[x > 0 ? i - 1 : i];
		beside += 0.13f * from[y > 0 ? i - X : i] + 0.14f * from[y < Y - 1 ? i + X : i];
		float above = from[z < Z - 1 ? i + X * Y : i], below = from[z > 0 ? i - X * Y : i];
		want[i] = 0.2f * from[i] + beside + 0.05f * (above + 80) + 0.06f * below +
		          0.7f * power[i];
	}
	RUN("unseen/rodinia/hotspot_layers", "", WORK(X, Y), WORK(16, 4), ARRAY(power), ARRAY(from),
	    ARRAY(to), FLOAT(0.7f), INT(X), INT(Y), INT(Z), FLOAT(0.11f), FLOAT(0.12f),
	    FLOAT(0.13f), FLOAT(0.14f), FLOAT(0.05f), FLOAT(0.06f), FLOAT(0.2f));
	assert_floats(to, want, ALL, 1e-5f);
}

/* Lengths are 2 to 14 bits, so that some joined codes lie in three words. */
static void vlc_encode_joins_codes(void **unused)
{
	enum { ITEMS = 64, GROUPS = 5, WORDS = ITEMS * GROUPS };
	uint32_t data[WORDS], codes[256], lengths[256], out[WORDS], bits[GROUPS];
	int longest = 0;
	(void)unused;
	seed();
	fill_words(data, WORDS);
	for (uint32_t i = 0; i < 256; i++) {
		lengths[i] = i % 16 < 3 ? 12 + i % 3 : 2 + i % 6;
		codes[i] = random_word() >> (32 - lengths[i]);
	}
	for (int i = 0; i < WORDS; i += 7)
		data[i] = 0x02122232;
	memset(out, 0, sizeof out);
	RUN("unseen/rodinia/vlc_encode", "-DITEMS=64", WORK(WORDS), WORK(ITEMS), ARRAY(data),
	    ARRAY(codes), ARRAY(lengths), ARRAY(out), ARRAY(bits));
	for (int g = 0; g < GROUPS; g++) {
		uint32_t want[ITEMS] = {0}, at = 0;
		for (uint32_t k = 0; k < 4 * ITEMS; k++) {
			uint32_t byte =
			        data[(uint32_t)g * ITEMS + k / 4] >> (24 - k % 4 * 8) & 0xff;
			for (uint32_t b = lengths[byte]; b-- > 0; at++) {
				assert_true(at < 32 * ITEMS);
				want[at / 32] |= (codes[byte] >> b & 1) << (31 - at % 32);
			}
		}
		assert_int_equal(bits[g], at);
		assert_words(out + (size_t)g * ITEMS, want, ITEMS);
		longest = (int)at > longest ? (int)at : longest;
	}
	assert_true(longest > 1000);
}

CHECK_FAMILY(rodinia, cmocka_unit_test(layer_forward_weighs_the_inputs),
             cmocka_unit_test(range_search_finds_both_ends),
             cmocka_unit_test(bfs_masks_reach_the_next_level),
             cmocka_unit_test(euler_flux_balances_faces), cmocka_unit_test(dwt53_parts_bands),
             cmocka_unit_test(eliminate_fan2_clears_a_column),
             cmocka_unit_test(hotspot_pyramid_is_so_many_steps),
             cmocka_unit_test(hotspot_layers_mix_with_neighbours),
             cmocka_unit_test(vlc_encode_joins_codes))
