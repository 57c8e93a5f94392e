/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Performance models of StarPU 1.3 (version 45): what a codelet's tasks took, by combination of
 * devices, implementation and footprint. A file is text: numbers in a fixed order, and lines of
 * comment that begin with '#'.
 */
#ifndef PREDICTD_CLIENT_PREDICTCTL_STARPU_MODEL_H
#define PREDICTD_CLIENT_PREDICTCTL_STARPU_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct complaint;

enum { STARPU_MODEL_VERSION = 45, STARPU_OPENCL_TYPE = 2 };

/* The tasks of one footprint; times in microseconds, as everything in the file. */
struct starpu_row {
	uint32_t footprint;
	uint64_t size_bytes;
	double flops, mean_us, deviation_us, sum_us, sum2_us2;
	uint64_t count;
};

struct starpu_implementation {
	double regression[6]; /* sumlnx, sumlnx2, sumlny, sumlnxlny, alpha, beta */
	uint64_t regression_count, x_min, x_max;
	double curve[3]; /* a, b, c */
	size_t row_count;
	struct starpu_row *rows;
};

struct starpu_combination {
	size_t device_count;
	struct starpu_device {
		int type, number, cores;
	} *devices;
	size_t implementation_count;
	struct starpu_implementation *implementations;
};

struct starpu_model {
	size_t count;
	struct starpu_combination *combinations;
};

/*
 * Reads a file's text. False: *why has the line, what was wanted and what is there; the model is
 * empty then. starpu_model_deinit after success.
 */
bool starpu_model_parse(const char *text, size_t size, struct starpu_model *model,
                        struct complaint *why);
void starpu_model_deinit(struct starpu_model *model);

/* Writes it as StarPU does, so that StarPU reads it. */
void starpu_model_print(const struct starpu_model *model, FILE *file);

/*
 * The row of a footprint on an OpenCL device of StarPU's (implementation 0); NULL: there is none.
 * starpu_model_put replaces or appends it; false for want of memory.
 */
const struct starpu_row *starpu_model_find(const struct starpu_model *model, int opencl,
                                           uint32_t footprint);
bool starpu_model_put(struct starpu_model *model, int opencl, const struct starpu_row *row);

/* A row of `count` tasks of that mean and deviation. */
struct starpu_row starpu_row_make(uint32_t footprint, uint64_t size_bytes, double mean_us,
                                  double deviation_us, uint64_t count);

/* Of both together; the footprint, size and flops are the first's. */
struct starpu_row starpu_row_add(const struct starpu_row *one, const struct starpu_row *other);

/*
 * What StarPU itself measured of a row, where `written` (NULL: nothing) had been put into it
 * before. StarPU forgets a row that proves wrong, and then `written` with it: a rest that no
 * measured times can have says so, and all of the row is StarPU's.
 */
struct starpu_row starpu_row_measured(const struct starpu_row *row,
                                      const struct starpu_row *written);

#endif
