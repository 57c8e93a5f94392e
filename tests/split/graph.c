/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/split/graph.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

const struct task_kind task_kinds[KINDS] = {
        [POTRF] = {"potrf", 1, 1, 1, ONE_GROUP},
        [TRSM_ROWS] = {"trsm_rows", 2, 3, 2, ROWS},
        [GEMM_TRANSPOSED] = {"gemm_transposed", 3, 7, 4, SQUARE},
        [SYRK] = {"syrk", 2, 3, 2, SQUARE},
        [GETRF] = {"getrf", 1, 1, 1, ONE_GROUP},
        [TRSM_LOWER] = {"trsm_lower", 2, 3, 2, ROWS},
        [TRSM_UPPER] = {"trsm_upper", 2, 3, 2, ROWS},
        [GEMM] = {"gemm", 3, 7, 4, SQUARE},
        [TRANSFORM] = {"transform", 2, 1, 2, PAIRS},
        [BUTTERFLY] = {"butterfly", 2, 3, 3, HALVES},
        [STENCIL] = {"stencil", 4, 7, 8, SQUARE},
        [POLYNOMIAL] = {"polynomial", 2, 3, 2, ELEMENTS},
        [BLEND] = {"blend", 3, 7, 4, SQUARE},
        [SMOOTH] = {"smooth", 2, 3, 2, ROWS},
};

static void task_add(struct graph *graph, enum kind kind, size_t a, size_t b, size_t c, size_t d)
{
	assert(graph->task_count < GRAPH_TASKS_MAX);
	graph->tasks[graph->task_count++] = (struct task){kind, {a, b, c, d}};
}

static void cholesky(struct graph *graph, size_t n)
{
	graph->tile_count = n * n;
	for (size_t k = 0; k < n; k++) {
		graph->is_heavy[k * n + k] = true;
		task_add(graph, POTRF, k * n + k, 0, 0, 0);
		for (size_t i = k + 1; i < n; i++)
			task_add(graph, TRSM_ROWS, k * n + k, i * n + k, 0, 0);
		for (size_t i = k + 1; i < n; i++) {
			task_add(graph, SYRK, i * n + k, i * n + i, 0, 0);
			for (size_t j = k + 1; j < i; j++)
				task_add(graph, GEMM_TRANSPOSED, i * n + k, j * n + k, i * n + j,
				         0);
		}
	}
}

static void lu(struct graph *graph, size_t n)
{
	graph->tile_count = n * n;
	for (size_t k = 0; k < n; k++) {
		graph->is_heavy[k * n + k] = true;
		task_add(graph, GETRF, k * n + k, 0, 0, 0);
		for (size_t i = k + 1; i < n; i++) {
			task_add(graph, TRSM_LOWER, k * n + k, k * n + i, 0, 0);
			task_add(graph, TRSM_UPPER, k * n + k, i * n + k, 0, 0);
		}
		for (size_t i = k + 1; i < n; i++)
			for (size_t j = k + 1; j < n; j++)
				task_add(graph, GEMM, i * n + k, k * n + j, i * n + j, 0);
	}
}

/* Rows within tiles, then butterflies between them; as often as is said. */
static void fft(struct graph *graph, size_t tiles, size_t passes)
{
	graph->tile_count = 2 * tiles;
	for (size_t pass = 0; pass < passes; pass++) {
		size_t from = pass % 2 * tiles, to = tiles - from;
		for (size_t i = 0; i < tiles; i++)
			task_add(graph, TRANSFORM, from + i, to + i, 0, 0);
		for (size_t far = 1; far < tiles; far *= 2)
			for (size_t i = 0; i < tiles; i++)
				if ((i & far) == 0)
					task_add(graph, BUTTERFLY, to + i, to + i + far, 0, 0);
	}
}

/* Rows of tiles; each step is made of the one before. */
static void stencil(struct graph *graph, size_t side, size_t steps)
{
	graph->tile_count = 2 * side * side;
	for (size_t step = 0; step < steps; step++) {
		size_t from = step % 2 * side * side, to = side * side - from;
		for (size_t i = 0; i < side * side; i++) {
			size_t row = i / side * side;
			task_add(graph, STENCIL, from + i, from + row + (i + side - 1) % side,
			         from + row + (i + 1) % side, to + i);
		}
	}
}

/* A number below `bound`, of a sequence that is the same everywhere (Knuth's MBLEND). */
static size_t draw(uint64_t *state, size_t bound)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (size_t)((*state >> 33) % bound);
}

/* Each layer's tasks write a tile each and read two of the layer before. */
static void layers(struct graph *graph, size_t depth, size_t width)
{
	static const enum kind kinds[] = {BLEND, POLYNOMIAL, SMOOTH, TRANSFORM, POLYNOMIAL};
	uint64_t state = depth * width;
	graph->tile_count = 2 * width;
	for (size_t layer = 0; layer < depth; layer++) {
		size_t from = layer % 2 * width, to = width - from;
		for (size_t i = 0; i < width; i++) {
			size_t a = from + draw(&state, width), b = from + draw(&state, width);
			enum kind kind = kinds[draw(&state, sizeof kinds / sizeof kinds[0])];
			if (kind == BLEND)
				task_add(graph, kind, a, b, to + i, 0);
			else
				task_add(graph, kind, a, to + i, 0, 0);
		}
	}
}

void graph_make(struct graph *graph, size_t number)
{
	static const size_t cholesky_sides[] = {6, 8, 10, 13}, lu_sides[] = {5, 6, 8, 10};
	static const size_t fft_tiles[][2] = {{16, 2}, {32, 1}, {32, 2}, {32, 4}};
	static const size_t stencil_sides[][2] = {{4, 4}, {5, 6}, {6, 8}, {7, 10}};
	static const size_t layer_sides[][2] = {{10, 5}, {15, 10}, {20, 15}, {25, 20}};
	static const char *const families[] = {"cholesky", "lu", "fft", "stencil", "layers"};
	const size_t size = number % 4;
	assert(number < GRAPHS);
	memset(graph, 0, sizeof *graph);
	switch (number / 4) {
	case 0:
		cholesky(graph, cholesky_sides[size]);
		break;
	case 1:
		lu(graph, lu_sides[size]);
		break;
	case 2:
		fft(graph, fft_tiles[size][0], fft_tiles[size][1]);
		break;
	case 3:
		stencil(graph, stencil_sides[size][0], stencil_sides[size][1]);
		break;
	default:
		layers(graph, layer_sides[size][0], layer_sides[size][1]);
		break;
	}
	assert(graph->tile_count <= GRAPH_TILES_MAX);
	(void)snprintf(graph->name, sizeof graph->name, "%s.%zu", families[number / 4],
	               graph->task_count);
}
