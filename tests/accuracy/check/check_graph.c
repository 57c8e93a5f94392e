/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: rounds repeated until nothing changes against textbook algorithms on the host. */
#include <string.h>

#include "tests/accuracy/check/run.h"

enum { NODES = 128, DEGREE = 3, EDGES_MAX = NODES * DEGREE, FAR = 1000000 };

static int start[NODES + 1], neighbour[EDGES_MAX];

static int make(void)
{
	seed();
	int edges = fill_rows(start, NODES, DEGREE);
	fill_ints(neighbour, EDGES_MAX, NODES);
	return edges;
}

static void bfs_levels_are_distances(void **unused)
{
	int level[NODES], want[NODES], queue[NODES], tail = 0, changed[1] = {1};
	(void)unused;
	make();
	for (int i = 0; i < NODES; i++)
		level[i] = want[i] = -1;
	level[0] = want[0] = 0;
	queue[tail++] = 0;
	for (int head = 0; head < tail; head++)
		for (int k = start[queue[head]]; k < start[queue[head] + 1]; k++)
			if (want[neighbour[k]] < 0) {
				want[neighbour[k]] = want[queue[head]] + 1;
				queue[tail++] = neighbour[k];
			}
	for (int depth = 0; changed[0]; depth++) {
		changed[0] = 0;
		RUN("graph/bfs_level", "", WORK(160), WORK(32), ARRAY(start), ARRAY(neighbour),
		    ARRAY(level), ARRAY(changed), INT(depth), INT(NODES));
	}
	assert_ints(level, want, NODES);
}

static void pagerank_gathers_over_edges(void **unused)
{
	float rank[NODES], inverse[NODES], next[NODES], want[NODES];
	(void)unused;
	make();
	fill_floats(rank, NODES, 0, 1);
	fill_floats(inverse, NODES, 0.1f, 1);
	for (int i = 0; i < NODES; i++) {
		want[i] = 0.15f / (float)NODES;
		for (int k = start[i]; k < start[i + 1]; k++)
			want[i] += 0.85f * rank[neighbour[k]] * inverse[neighbour[k]];
	}
	RUN("graph/pagerank_pull", "", WORK(160), WORK(32), ARRAY(start), ARRAY(neighbour),
	    ARRAY(rank), ARRAY(inverse), ARRAY(next), FLOAT(0.85f), INT(NODES));
	assert_floats(next, want, NODES, 1e-6f);
}

static void sssp_rounds_end_at_shortest_paths(void **unused)
{
	int from[EDGES_MAX], length[EDGES_MAX], distance[NODES], want[NODES];
	int edges = make();
	bool changed = true;
	(void)unused;
	fill_ints(length, EDGES_MAX, 100);
	for (int i = 0; i < NODES; i++) {
		distance[i] = want[i] = i == 0 ? 0 : FAR;
		for (int k = start[i]; k < start[i + 1]; k++)
			from[k] = i;
	}
	for (int round = 0; round < NODES; round++)
		for (int k = 0; k < edges; k++)
			if (want[from[k]] + length[k] < want[neighbour[k]])
				want[neighbour[k]] = want[from[k]] + length[k];
	while (changed) {
		int next[NODES];
		memcpy(next, distance, sizeof next);
		RUN("graph/sssp_relax", "", WORK(EDGES_MAX), WORK(32), ARRAY(from),
		    ARRAY(neighbour), ARRAY(length), ARRAY(distance), ARRAY(next), INT(edges));
		changed = memcmp(next, distance, sizeof next) != 0;
		memcpy(distance, next, sizeof next);
	}
	assert_ints(distance, want, NODES);
}

static void components_take_the_least_label_around(void **unused)
{
	int label[NODES], next[NODES], want[NODES];
	(void)unused;
	make();
	fill_ints(label, NODES, NODES);
	for (int i = 0; i < NODES; i++) {
		want[i] = label[i];
		for (int k = start[i]; k < start[i + 1]; k++)
			want[i] = label[neighbour[k]] < want[i] ? label[neighbour[k]] : want[i];
	}
	RUN("graph/components_hook", "", WORK(NODES), WORK(32), ARRAY(start), ARRAY(neighbour),
	    ARRAY(label), ARRAY(next));
	assert_ints(next, want, NODES);
}

static void pointer_jumps_end_at_the_root(void **unused)
{
	int parent[NODES], next[NODES];
	(void)unused;
	/* a chain: every jump halves what is left of it */
	for (int i = 0; i < NODES; i++)
		parent[i] = i > 0 ? i - 1 : 0;
	for (int length = NODES; length > 1; length /= 2) {
		RUN("graph/pointer_jump", "", WORK(NODES), WORK(64), ARRAY(parent), ARRAY(next),
		    INT(NODES));
		memcpy(parent, next, sizeof next);
	}
	for (int i = 0; i < NODES; i++)
		assert_int_equal(parent[i], 0);
}

CHECK_FAMILY(graph, cmocka_unit_test(bfs_levels_are_distances),
             cmocka_unit_test(pagerank_gathers_over_edges),
             cmocka_unit_test(sssp_rounds_end_at_shortest_paths),
             cmocka_unit_test(components_take_the_least_label_around),
             cmocka_unit_test(pointer_jumps_end_at_the_root))
