/* SPDX-License-Identifier: Apache-2.0 */
/* Images in an evaluated launch: texels, two-dimensional locality, and what they cost. */
#include "tests/test.h"

#include "model/evaluate/pattern.h"
#include "model/passes/passes.h"
#include "model/traffic/footprint.h"
#include "tests/unit/predict/answers.h"
#include "tests/unit/predict/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VOID   type_scalar(SCALAR_VOID)
#define INT    type_scalar(SCALAR_INT)
#define FLOAT  type_scalar(SCALAR_FLOAT)
#define ULONG  type_scalar(SCALAR_ULONG)
#define FLOAT4 ((struct type){SCALAR_FLOAT, 4})

/* How a kernel comes to its coordinates. */
enum way {
	WAY_PLAIN,      /* (x, y) */
	WAY_TRANSPOSED, /* (y, x) */
	WAY_HALVES,     /* (x + 0.5f) / 1024 and the like of the whole, interpolated */
	WAY_ZOOMED,     /* (x * 0.25f, y * 0.25f) */
	WAY_TURNED,     /* (0.6f x + 0.8f y, 0.6f y) */
	WAY_STEEP       /* (1e30f x, 1e30f y) */
};

static uint32_t real(struct ir_kernel *k, enum node_op op, uint32_t a, double b)
{
	return kernel_binary(k, op, FLOAT, a, kernel_real(k, FLOAT, b));
}

static uint32_t coordinates(struct ir_kernel *k, enum way way, uint32_t image)
{
	uint32_t x = kernel_unary(k, NODE_CONVERT, INT,
	                          kernel_node(k, NODE_GLOBAL_ID, ULONG, NULL, 0, 0, 0));
	uint32_t y = kernel_unary(k, NODE_CONVERT, INT,
	                          kernel_node(k, NODE_GLOBAL_ID, ULONG, NULL, 0, 1, 0));
	uint32_t fx = kernel_unary(k, NODE_CONVERT, FLOAT, x);
	uint32_t fy = kernel_unary(k, NODE_CONVERT, FLOAT, y);
	uint32_t operands[3] = {x, y, IR_NONE};
	uint64_t form = 2;
	unsigned count = 2;
	if (way == WAY_TRANSPOSED) {
		operands[0] = y;
		operands[1] = x;
	} else if (way == WAY_HALVES) {
		operands[0] = real(k, NODE_DIV, real(k, NODE_ADD, fx, 0.5), 1024);
		operands[1] = real(k, NODE_DIV, real(k, NODE_ADD, fy, 0.5), 1024);
		operands[2] = kernel_integer(k, type_scalar(SCALAR_UINT),
		                             SAMPLER_NORMALIZED | SAMPLER_LINEAR);
		form |= TEXEL_REAL;
		count = 3;
	} else if (way != WAY_PLAIN) {
		double factor = way == WAY_ZOOMED ? 0.25 : way == WAY_TURNED ? 0.6 : 1e30;
		operands[0] = real(k, NODE_MUL, fx, factor);
		operands[1] = real(k, NODE_MUL, fy, factor);
		if (way == WAY_TURNED)
			operands[0] = kernel_binary(k, NODE_ADD, FLOAT, operands[0],
			                            real(k, NODE_MUL, fy, 0.8));
		form |= TEXEL_REAL;
	}
	return kernel_node(k, NODE_TEXEL, ULONG, operands, count, image, form);
}

/* out[y * 1024 + x] = read(in, coordinates).x */
static struct ir_kernel *kernel_of(enum way way)
{
	struct ir_kernel *k = kernel_new("image");
	struct ir_argument arguments[2] = {{.name = "in",
	                                    .kind = ARGUMENT_IMAGE,
	                                    .type = VOID,
	                                    .image = IMAGE_2D,
	                                    .access = BUFFER_READ},
	                                   {.name = "out",
	                                    .kind = ARGUMENT_BUFFER,
	                                    .type = FLOAT,
	                                    .size_bytes = 4,
	                                    .object = 1}};
	struct ir_object objects[2] = {
	        {.name = "in", .space = SPACE_IMAGE, .argument = 0, .type = VOID},
	        {.name = "out",
	         .space = SPACE_GLOBAL,
	         .argument = 1,
	         .type = FLOAT,
	         .element_bytes = 4}};
	struct error error = {0};
	for (unsigned i = 0; i < 2; i++) {
		(void)kernel_add_argument(k, &arguments[i]);
		(void)kernel_add_object(k, &objects[i]);
	}
	struct ir_access read = {.kind = ACCESS_LOAD,
	                         .object = 0,
	                         .index = coordinates(k, way, 0),
	                         .scale_bytes = 1,
	                         .type = FLOAT4,
	                         .value = IR_NONE};
	uint32_t access = kernel_access(k, 0, &read);
	kernel_write_access(k, 0, access, false);
	uint32_t value = k->accesses[access].result;
	uint32_t x = kernel_node(k, NODE_GLOBAL_ID, ULONG, NULL, 0, 0, 0);
	uint32_t row = kernel_binary(k, NODE_MUL, ULONG,
	                             kernel_node(k, NODE_GLOBAL_ID, ULONG, NULL, 0, 1, 0),
	                             kernel_integer(k, ULONG, 1024));
	struct ir_access write = {
	        .kind = ACCESS_STORE,
	        .object = 1,
	        .index = kernel_binary(k, NODE_ADD, ULONG, row, x),
	        .scale_bytes = 4,
	        .type = FLOAT,
	        .value = kernel_node(k, NODE_SWIZZLE, FLOAT, &value, 1, 0, 0),
	};
	kernel_write_access(k, 0, kernel_access(k, 0, &write), false);
	if (kernel_seal(k, &error) != STATUS_OK)
		fail_msg("%s", error.text);
	return k;
}

/* 1024 by 1024 work-items, groups of 32 by 8, an image of that size and format. */
static struct launch launch_of(enum image_format format)
{
	struct launch launch = launch_2d(1024, 1024, 32, 8);
	launch.arguments[launch.argument_count++] =
	        (struct launch_argument){.kind = ARGUMENT_IMAGE,
	                                 .access = BUFFER_READ,
	                                 .width = 1024,
	                                 .height = 1024,
	                                 .has_format = true,
	                                 .format = (uint8_t)format};
	launch_buffer(&launch, 4 << 20);
	return launch;
}

static struct evaluation evaluated(enum way way, const struct device *device)
{
	struct ir_kernel *kernel = kernel_of(way);
	struct launch launch = launch_of(IMAGE_R32F);
	struct evaluation evaluation;
	struct error error = {0};
	assert_int_equal(evaluate(kernel, device, &launch, PREDICTION_BUDGET, &evaluation, &error),
	                 STATUS_OK);
	kernel_free(kernel);
	return evaluation;
}

/* The factor of a global id in the address of the read; its divisor where one is wanted. */
static int64_t factor_of(const struct evaluation *evaluation, uint32_t base, uint64_t divisor)
{
	const struct affine *address = &evaluation->accesses[0].address;
	assert_true(address->is_known && !address->is_random);
	for (unsigned i = 0; i < address->term_count; i++)
		if (address->terms[i].base == base && address->terms[i].divisor == divisor)
			return address->terms[i].factor;
	return 0;
}

static void a_texel_is_as_far_as_its_row_and_column(void **state)
{
	(void)state;
	struct device *device = device_gpu();
	struct evaluation e = evaluated(WAY_PLAIN, device);
	assert_int_equal(factor_of(&e, AFFINE_GLOBAL, 1), 4);
	assert_int_equal(factor_of(&e, AFFINE_GLOBAL + 1, 1), 4096);
	assert_close(e.accesses[0].bytes, 4, 0);
	assert_close(e.accesses[0].segments, 4, 1e-6);
	evaluation_deinit(&e);
	e = evaluated(WAY_TRANSPOSED, device);
	assert_int_equal(factor_of(&e, AFFINE_GLOBAL, 1), 4096);
	assert_close(e.accesses[0].segments, 32, 1e-6);
	evaluation_deinit(&e);
	free(device);
}

static void real_coordinates_have_steps_too(void **state)
{
	(void)state;
	struct device *device = device_gpu();
	struct evaluation e = evaluated(WAY_HALVES, device);
	assert_int_equal(e.accesses[0].image_way, IMAGE_WAY_LINEAR);
	assert_int_equal(factor_of(&e, AFFINE_GLOBAL, 1), 4);
	assert_int_equal(factor_of(&e, AFFINE_GLOBAL + 1, 1), 4096);
	evaluation_deinit(&e);
	e = evaluated(WAY_ZOOMED, device);
	assert_int_equal(e.accesses[0].image_way, IMAGE_WAY_REAL);
	assert_int_equal(factor_of(&e, AFFINE_GLOBAL, 4), 4);
	assert_int_equal(factor_of(&e, AFFINE_GLOBAL + 1, 4), 4096);
	/* eight texels of a row of 32 work-items: one segment */
	assert_close(e.accesses[0].segments, 1, 1e-6);
	evaluation_deinit(&e);
	e = evaluated(WAY_TURNED, device);
	assert_int_equal(factor_of(&e, AFFINE_GLOBAL, 2), 4); /* 0.6: every second */
	evaluation_deinit(&e);
	free(device);
}

static void coordinates_beyond_all_numbers_are_not_followed(void **state)
{
	(void)state;
	struct device *device = device_gpu();
	struct evaluation e = evaluated(WAY_STEEP, device);
	assert_false(e.accesses[0].address.is_known);
	evaluation_deinit(&e);
	free(device);
}

static double lines_of(enum way way, unsigned tile_rows, double x, double y)
{
	struct device *device = device_gpu();
	struct ir_kernel *kernel = kernel_of(way);
	struct launch launch = launch_of(IMAGE_R32F);
	struct footprint_order order = {
	        .kind = &gpu_footprint, .units = 10, .resident_groups = 8, .tile_rows = tile_rows};
	struct footprint_window window = {
	        .local = {32, 8, 1}, .group = {x / 32, y / 8, 1}, .items_share = 1};
	struct evaluation evaluation;
	struct error error = {0};
	assert_int_equal(evaluate(kernel, device, &launch, PREDICTION_BUDGET, &evaluation, &error),
	                 STATUS_OK);
	evaluation.accesses[1].executions = 0; /* the image alone */
	struct footprint *footprint = footprint_new(kernel, &evaluation, &launch, &order);
	double lines = footprint_bytes(footprint, &window, 128) / 128;
	footprint_free(footprint);
	evaluation_deinit(&evaluation);
	kernel_free(kernel);
	free(device);
	return lines;
}

static void a_rectangle_of_texels_is_a_rectangle_of_tiles(void **state)
{
	(void)state;
	/* lines of 128 bytes: 32 texels of a row, or 8 by 4 in tiles */
	assert_close(lines_of(WAY_PLAIN, 1, 32, 8), 8, 1e-6);
	assert_close(lines_of(WAY_PLAIN, 8, 32, 8), 8, 1e-6);
	assert_close(lines_of(WAY_TRANSPOSED, 1, 32, 8), 32, 1e-6);
	assert_close(lines_of(WAY_TRANSPOSED, 8, 32, 8), 8, 1e-6);
	assert_close(lines_of(WAY_PLAIN, 8, 1024, 1024), 32768, 1e-6);
	assert_close(lines_of(WAY_PLAIN, 1, 1024, 1024), 32768, 1e-6);
}

static void a_warp_down_a_column_shares_tiles(void **state)
{
	(void)state;
	struct device *device = device_gpu();
	device_set(device, COEFFICIENT_IMAGE_TILE_ROWS, 8);
	struct evaluation e = evaluated(WAY_TRANSPOSED, device);
	/* 32 rows: two to each segment of 32 bytes, four to each line of 128 */
	assert_close(e.accesses[0].segments, 16, 1e-6);
	assert_close(e.accesses[0].lines[2], 8, 1e-6);
	evaluation_deinit(&e);
	free(device);
}

static struct prediction image_answer(enum way way, enum image_format format,
                                      const struct device *device)
{
	struct ir_kernel *kernel = kernel_of(way);
	struct launch launch = launch_of(format);
	struct prediction prediction = answer(kernel, device, &launch);
	kernel_free(kernel);
	return prediction;
}

static void a_texel_costs_by_its_way_and_class(void **state)
{
	(void)state;
	struct device *device = device_cpu();
	device_set(device, coefficient_image(OP_MODE_SCALAR, IMAGE_WAY_READ, IMAGE_CLASS_FLOAT),
	           1e-9);
	device_set(device, coefficient_image(OP_MODE_SCALAR, IMAGE_WAY_READ, IMAGE_CLASS_NORMAL),
	           3e-9);
	device_set(device, coefficient_image(OP_MODE_SCALAR, IMAGE_WAY_LINEAR, IMAGE_CLASS_FLOAT),
	           8e-9);
	struct prediction p = image_answer(WAY_PLAIN, IMAGE_R32F, device);
	assert_close(row_time(&p, "image read of in"), 1e-9 * (1 << 20), 0.01);
	p = image_answer(WAY_PLAIN, IMAGE_RGBA8, device);
	assert_close(row_time(&p, "image read of in"), 3e-9 * (1 << 20), 0.01);
	p = image_answer(WAY_HALVES, IMAGE_R32F, device);
	assert_close(row_time(&p, "linear image read of in"), 8e-9 * (1 << 20), 0.01);
	/* interpolated bytes: as floats are to their own reads */
	p = image_answer(WAY_HALVES, IMAGE_RGBA8, device);
	assert_close(row_time(&p, "linear image read of in"), 24e-9 * (1 << 20), 0.01);
	free(device);
}

static void a_gpus_texel_costs_by_its_bytes(void **state)
{
	(void)state;
	struct device *device = device_gpu();
	device_set(device, coefficient_image(OP_MODE_SCALAR, IMAGE_WAY_READ, IMAGE_CLASS_FLOAT),
	           40e-12);
	device_set(device, coefficient_image(OP_MODE_SCALAR, IMAGE_WAY_READ, IMAGE_CLASS_NORMAL),
	           20e-12);
	struct prediction p = image_answer(WAY_PLAIN, IMAGE_RGBA32F, device);
	assert_close(row_time(&p, "image read of in"), 40e-12 * (1 << 20), 0.01);
	p = image_answer(WAY_PLAIN, IMAGE_R32F, device);
	assert_close(row_time(&p, "image read of in"), 20e-12 * (1 << 20), 0.01);
	p = image_answer(WAY_PLAIN, IMAGE_RGBA8, device);
	assert_close(row_time(&p, "image read of in"), 20e-12 * (1 << 20), 0.01);
	free(device);
}

static void images_that_no_calibration_knows_are_estimated_and_noted(void **state)
{
	(void)state;
	struct device *device = device_cpu();
	struct prediction p = image_answer(WAY_PLAIN, IMAGE_RGBA8, device);
	assert_non_null(strstr(p.note, "images are not calibrated"));
	assert_true(row_time(&p, "image read of in") > 0);
	assert_true(p.basis != BASIS_FALLBACK);
	free(device);
}

static void the_papers_models_count_a_read(void **state)
{
	(void)state;
	struct device *device = device_gpu();
	struct ir_kernel *kernel = kernel_of(WAY_PLAIN);
	struct launch launch = launch_of(IMAGE_R32F);
	struct prediction_options options = {.model = MODEL_PATTERN};
	struct prediction p = {0};
	struct error error = {0};
	assert_int_equal(predict(kernel, device, &launch, &options, &p, &error), STATUS_OK);
	assert_true(row_time(&p, "coalesced read") > 0);
	kernel_free(kernel);
	free(device);
}

static void an_image_is_transferred_as_its_texels(void **state)
{
	(void)state;
	struct device *device = device_gpu();
	struct ir_kernel *kernel = kernel_of(WAY_PLAIN);
	struct launch launch = launch_of(IMAGE_RGBA32F);
	struct prediction_options options = {.with_transfers = true};
	struct prediction p = {0};
	struct error error = {0};
	launch.arguments[1].access = BUFFER_WRITE;
	assert_int_equal(predict(kernel, device, &launch, &options, &p, &error), STATUS_OK);
	assert_close(p.h2d_time_s, 10e-6 + 16.0 * (1 << 20) / 10e9, 1e-6);
	kernel_free(kernel);
	free(device);
}

static void a_gpus_launch_looks_up_its_images_first(void **state)
{
	(void)state;
	struct device *device = device_gpu(), *cpu = device_cpu(), *slow = device_gpu();
	struct ir_kernel *kernel = kernel_of(WAY_PLAIN);
	struct launch launch = launch_of(IMAGE_R32F);
	unsigned latency = coefficient_memory(MEMORY_DRAM, MEMORY_COLUMN_LATENCY);
	double memory_s = device_value(device, latency, 0);
	device_set(slow, latency, 2 * memory_s);
	struct prediction p = answer(kernel, device, &launch), q = answer(kernel, slow, &launch);
	/* an image and its sampler, one after the other */
	assert_true(memory_s > 0);
	assert_close(row_time(&q, "reaching memory") - row_time(&p, "reaching memory"),
	             2 * memory_s, 1e-3);
	p = answer(kernel, cpu, &launch);
	assert_null(row_find(&p, "reaching memory"));
	kernel_free(kernel);
	free(device);
	free(slow);
	free(cpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_texel_is_as_far_as_its_row_and_column),
	        cmocka_unit_test(real_coordinates_have_steps_too),
	        cmocka_unit_test(coordinates_beyond_all_numbers_are_not_followed),
	        cmocka_unit_test(a_rectangle_of_texels_is_a_rectangle_of_tiles),
	        cmocka_unit_test(a_warp_down_a_column_shares_tiles),
	        cmocka_unit_test(a_texel_costs_by_its_way_and_class),
	        cmocka_unit_test(a_gpus_texel_costs_by_its_bytes),
	        cmocka_unit_test(a_gpus_launch_looks_up_its_images_first),
	        cmocka_unit_test(images_that_no_calibration_knows_are_estimated_and_noted),
	        cmocka_unit_test(the_papers_models_count_a_read),
	        cmocka_unit_test(an_image_is_transferred_as_its_texels),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
