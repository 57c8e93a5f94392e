/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images: what a texel costs by how it is reached and what it holds, where it hits the
 * first level; and whether rows of texels lie in tiles. A device without images has none of
 * these coefficients.
 */
#include <math.h>
#include <string.h>

#include "daemon/calibrator/argument_image.h"
#include "daemon/calibrator/bench.h"
#include "daemon/calibrator/kernels_image.h"

enum { SIDE = 32, SAMPLERS = 2 };

/*
 * Of what a GPU writes: its units all write to one cache, and would wait for each other at the
 * few lines of a small image, which work-items with texels of their own do not.
 */
enum { WRITTEN_SIDE = 512 };

/* Rows further in a trip: of reads any that no compiler knows, of writes another square. */
enum { READ_STEP = 5, WRITE_STEP = 16 };

/* Texels of a trip, and of a straight-line work-item. */
#define LOOP_EACH     4.0
#define STRAIGHT_EACH 8.0

/*
 * Beyond a unit's own cache: 16 MB, texels of four bytes, 128 bytes apart; and eight times that
 * where it takes a million texels to outweigh the launch.
 */
enum { TILES_WIDTH = 1024, TILES_ROWS = 4096, TILES_APART = 32, TILES_STEP = 32, TILES_EACH = 4 };
enum { TILES_WIDER = 4, TILES_HIGHER = 2 };

struct image_bench {
	struct bench *bench;
	cl_program program;
	cl_sampler sampler[SAMPLERS]; /* nearest, linear */
	cl_mem image;
	cl_kernel kernel;
};

static const struct {
	const char *kernel;
	enum image_way way;
	enum image_class class;
	enum image_format format;
	bool is_quick; /* what a quick one has kernels built for */
} rows[] = {
        {"texel_read", IMAGE_WAY_READ, IMAGE_CLASS_FLOAT, IMAGE_RGBA32F, true},
        {"texel_read", IMAGE_WAY_READ, IMAGE_CLASS_NORMAL, IMAGE_RGBA8, true},
        {"texel_real", IMAGE_WAY_REAL, IMAGE_CLASS_FLOAT, IMAGE_RGBA32F, true},
        {"texel_real", IMAGE_WAY_LINEAR, IMAGE_CLASS_FLOAT, IMAGE_RGBA32F, true},
        {"texel_write", IMAGE_WAY_WRITE, IMAGE_CLASS_FLOAT, IMAGE_RGBA32F, true},
        {"texel_write", IMAGE_WAY_WRITE, IMAGE_CLASS_NORMAL, IMAGE_RGBA8, true},
        {"texel_real", IMAGE_WAY_REAL, IMAGE_CLASS_NORMAL, IMAGE_RGBA8, true},
        {"texel_real", IMAGE_WAY_LINEAR, IMAGE_CLASS_NORMAL, IMAGE_RGBA8, true},
        {"texel_read_integer", IMAGE_WAY_READ, IMAGE_CLASS_INTEGER, IMAGE_RGBA8UI, false},
        {"texel_write_integer", IMAGE_WAY_WRITE, IMAGE_CLASS_INTEGER, IMAGE_RGBA8UI, false},
        {"texel_read", IMAGE_WAY_READ, IMAGE_CLASS_HALF, IMAGE_RGBA16F, false},
        {"texel_real", IMAGE_WAY_REAL, IMAGE_CLASS_HALF, IMAGE_RGBA16F, false},
        {"texel_real", IMAGE_WAY_LINEAR, IMAGE_CLASS_HALF, IMAGE_RGBA16F, false},
        {"texel_write", IMAGE_WAY_WRITE, IMAGE_CLASS_HALF, IMAGE_RGBA16F, false},
};

static enum status image_bench_open(struct image_bench *images, struct error *error)
{
	struct bench *bench = images->bench;
	enum status status = opencl_build(bench->opencl, kernels_image_cl, strlen(kernels_image_cl),
	                                  bench->options_text, &images->program, error);
	for (int i = 0; i < SAMPLERS && status == STATUS_OK; i++) {
		cl_int code;
		images->sampler[i] =
		        clCreateSampler(bench->opencl->context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE,
		                        i == 0 ? CL_FILTER_NEAREST : CL_FILTER_LINEAR, &code);
		if (code != CL_SUCCESS)
			status = opencl_failure("clCreateSampler", code, error);
	}
	return status;
}

/* The image and kernel of one benchmark, for those of the one before. */
static enum status image_bench_take(struct image_bench *images, const char *kernel,
                                    enum image_format format, size_t width, size_t height,
                                    struct error *error)
{
	if (images->image != NULL)
		clReleaseMemObject(images->image);
	if (images->kernel != NULL)
		clReleaseKernel(images->kernel);
	images->image = NULL;
	images->kernel = NULL;
	enum status status =
	        image_create(images->bench->opencl, format, width, height, &images->image, error);
	return status == STATUS_OK ? opencl_kernel(images->program, kernel, &images->kernel, error)
	                           : status;
}

static void image_bench_close(struct image_bench *images)
{
	if (images->image != NULL)
		clReleaseMemObject(images->image);
	if (images->kernel != NULL)
		clReleaseKernel(images->kernel);
	for (int i = 0; i < SAMPLERS; i++)
		if (images->sampler[i] != NULL)
			clReleaseSampler(images->sampler[i]);
	if (images->program != NULL)
		clReleaseProgram(images->program);
}

static struct bench_argument sampler_argument(cl_sampler sampler)
{
	/* as large as any handle: memory's union member holds its bytes */
	struct bench_argument argument = {.size = sizeof sampler};
	_Static_assert(sizeof sampler <= sizeof argument.value, "a handle fits");
	memcpy(&argument.value, &sampler, sizeof sampler);
	return argument;
}

/* A loop of unknown length: against a quarter of the trips. */
static enum status time_row(struct image_bench *images, size_t row, struct error *error)
{
	struct bench *bench = images->bench;
	bool is_store = rows[row].way == IMAGE_WAY_WRITE;
	unsigned trips = is_store ? 1 : 3;
	struct bench_run runs[2] = {{.argument = {{0}}}};
	size_t side = is_store && bench->is_gpu ? WRITTEN_SIDE : SIDE;
	enum status status =
	        image_bench_take(images, rows[row].kernel, rows[row].format, side, side, error);
	if (status != STATUS_OK)
		return status == STATUS_UNSUPPORTED ? STATUS_OK : status; /* not this format */
	struct bench_run *run = &runs[0];
	run->kernel = images->kernel;
	run->groups = bench->has_cpu_clock ? 1 : (bench->is_gpu ? 16 : 256) * (size_t)bench->units;
	run->local = bench->local;
	run->argument[0] = ARG_MEM(images->image);
	if (!is_store) {
		run->argument[1] =
		        sampler_argument(images->sampler[rows[row].way == IMAGE_WAY_LINEAR]);
		run->argument[2] = ARG_MEM(bench->scratch);
	}
	run->argument[trips] = ARG_UINT(4);
	if (rows[row].way == IMAGE_WAY_READ || is_store)
		run->argument[trips + 1] = ARG_INT(is_store ? WRITE_STEP : READ_STEP);
	if (is_store)
		run->argument[trips + 2] = ARG_INT(side);
	double more;
	status = bench_time_trips(bench, runs, trips, 1u << 20, &more, error);
	if (status == STATUS_OK)
		bench_set_difference(
		        bench, coefficient_image(OP_MODE_SCALAR, rows[row].way, rows[row].class),
		        &runs[0], &runs[1], more * LOOP_EACH * (double)(run->groups * run->local));
	return status;
}

static enum status time_straight(struct image_bench *images, struct error *error)
{
	struct bench *bench = images->bench;
	cl_kernel none = NULL;
	struct bench_run runs[2] = {{.argument = {{0}}}};
	enum status status =
	        image_bench_take(images, "texel_straight", IMAGE_RGBA32F, SIDE, SIDE, error);
	if (status == STATUS_OK)
		status = opencl_kernel(images->program, "texel_none", &none, error);
	if (status != STATUS_OK)
		goto out;
	runs[0] = (struct bench_run){.kernel = images->kernel,
	                             .groups = 64 * (size_t)bench->units,
	                             .local = bench->local,
	                             .argument = {ARG_MEM(images->image),
	                                          sampler_argument(images->sampler[0]),
	                                          ARG_MEM(bench->scratch)}};
	status = bench_lengthen_groups(bench, &runs[0], (size_t)1 << 20, error);
	runs[1] = (struct bench_run){.kernel = none,
	                             .groups = runs[0].groups,
	                             .local = bench->local,
	                             .argument = {ARG_MEM(bench->scratch), ARG_FLOAT(1)}};
	if (status == STATUS_OK)
		status = bench_time(bench, runs, 2, error);
	if (status == STATUS_OK)
		bench_set_difference(
		        bench, coefficient_image(OP_MODE_VECTOR, IMAGE_WAY_READ, IMAGE_CLASS_FLOAT),
		        &runs[0], &runs[1],
		        (double)(runs[0].groups * runs[0].local) * STRAIGHT_EACH);
out:
	if (none != NULL)
		clReleaseKernel(none);
	return status;
}

/*
 * The same texels with neighbours in neighbouring rows, and 32 rows apart: where rows lie in
 * tiles, neighbours then share no lines, and take so many times longer.
 */
static enum status time_tiles(struct image_bench *images, struct error *error)
{
	struct bench *bench = images->bench;
	const struct device *device = bench->device;
	size_t width = (size_t)TILES_WIDTH * (bench->is_gpu ? TILES_WIDER : 1);
	size_t height = (size_t)TILES_ROWS * (bench->is_gpu ? TILES_HIGHER : 1);
	double base = bench->is_gpu ? bench_value(bench, COEFFICIENT_LAUNCH_BASE, 0) : 0;
	struct bench_run runs[2];
	if (device->max_image_2d[0] < width || device->max_image_2d[1] < height)
		return STATUS_OK;
	enum status status =
	        image_bench_take(images, "texel_column", IMAGE_R32F, width, height, error);
	if (status != STATUS_OK)
		return status == STATUS_UNSUPPORTED ? STATUS_OK : status;
	size_t items = width / TILES_APART / TILES_EACH * height;
	for (unsigned i = 0; i < 2; i++)
		runs[i] = (struct bench_run){
		        .kernel = images->kernel,
		        .groups = items / bench->local,
		        .local = bench->local,
		        .argument = {ARG_MEM(images->image), sampler_argument(images->sampler[0]),
		                     ARG_MEM(bench->scratch), ARG_UINT(height),
		                     ARG_UINT(i == 0 ? 1 : TILES_STEP), ARG_INT(TILES_APART)}};
	status = bench_time(bench, runs, 2, error);
	if (status != STATUS_OK || !(runs[0].time_s > base))
		return status;
	double shared = (runs[1].time_s - base) / (runs[0].time_s - base);
	bench_set(bench, COEFFICIENT_IMAGE_TILE_ROWS,
	          shared < 1.5 ? 1 : exp2(round(log2(fmin(shared, (double)(int)TILES_STEP)))),
	          hypot(runs[0].standard_error, runs[1].standard_error));
	return STATUS_OK;
}

enum status calibrate_image(struct bench *bench, struct error *error)
{
	struct image_bench images = {.bench = bench};
	const size_t count = sizeof rows / sizeof rows[0];
	if (!bench->device->has_images || !bench_takes(bench))
		return STATUS_OK;
	enum status status = image_bench_open(&images, error);
	for (size_t i = 0; i < count && status == STATUS_OK; i++) {
		if (bench->is_quick && !rows[i].is_quick)
			continue;
		status = time_row(&images, i, error);
		if (status == STATUS_OK)
			status =
			        bench_progress(bench, (double)(i + 1) / (double)(count + 2), error);
		if (status == STATUS_OK && i == 0)
			status = time_straight(&images, error);
	}
	if (status == STATUS_OK)
		status = time_tiles(&images, error);
	image_bench_close(&images);
	return status;
}
