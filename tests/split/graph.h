/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of tasks on tiles, in the order in which a sequential program would run them. */
#ifndef PREDICTD_TESTS_SPLIT_GRAPH_H
#define PREDICTD_TESTS_SPLIT_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GRAPH_TASKS_MAX = 1024, GRAPH_TILES_MAX = 512, TASK_TILES_MAX = 4 };

/* Its work-items: one group, one a row, an element, a complex number; SQUARE, PAIRS: in rows. */
enum shape { ONE_GROUP, ROWS, ELEMENTS, HALVES, SQUARE, PAIRS };

/* A kernel of tiles.cl: its arguments are tiles. */
struct task_kind {
	const char *kernel;
	size_t tiles;
	unsigned read, written; /* bit i: argument i */
	enum shape shape;
};

enum kind {
	POTRF,
	TRSM_ROWS,
	GEMM_TRANSPOSED,
	SYRK,
	GETRF,
	TRSM_LOWER,
	TRSM_UPPER,
	GEMM,
	TRANSFORM,
	BUTTERFLY,
	STENCIL,
	POLYNOMIAL,
	BLEND,
	SMOOTH,
	KINDS
};

struct task {
	enum kind kind;
	size_t tiles[TASK_TILES_MAX];
};

struct graph {
	char name[64];
	size_t task_count, tile_count;
	struct task tasks[GRAPH_TASKS_MAX];
	bool is_heavy[GRAPH_TILES_MAX]; /* its diagonal outweighs its row, as factors ask for */
};

enum { GRAPHS = 20 };

extern const struct task_kind task_kinds[KINDS];

/* Number 0 to GRAPHS - 1: Cholesky, LU, FFT, stencil and random layers, in four sizes each. */
void graph_make(struct graph *graph, size_t number);

#endif
