/* SPDX-License-Identifier: Apache-2.0 */
/* Formats, samplers, tiles; images in the IR and in a launch. */
#include "tests/test.h"

#include "model/device/device.h"
#include "model/device/launch.h"
#include "model/ir/check.h"
#include "model/ir/text.h"
#include "tests/unit/model/build.h"

#define FLOAT4 ((struct type){SCALAR_FLOAT, 4})
#define UINT4  ((struct type){SCALAR_UINT, 4})

struct fixture {
	struct ir_kernel *kernel; /* k(read_only image2d_t in, sampler_t s, global float4 *out) */
	uint32_t texel;
	struct device device;
	struct launch launch;
};

static uint32_t add_image(struct ir_kernel *kernel, const char *name, enum image_kind kind,
                          uint8_t access)
{
	struct ir_argument argument = {.kind = ARGUMENT_IMAGE,
	                               .type = type_scalar(SCALAR_VOID),
	                               .object = kernel->object_count,
	                               .image = (uint8_t)kind,
	                               .access = access};
	struct ir_object object = {.space = SPACE_IMAGE,
	                           .argument = kernel->argument_count,
	                           .type = type_scalar(SCALAR_VOID)};
	(void)snprintf(argument.name, sizeof argument.name, "%s", name);
	(void)snprintf(object.name, sizeof object.name, "%s", name);
	(void)kernel_add_argument(kernel, &argument);
	return kernel_add_object(kernel, &object);
}

static uint32_t add_read(struct ir_kernel *kernel, uint32_t object, uint32_t texel,
                         struct type type)
{
	struct ir_access access = {.kind = ACCESS_LOAD,
	                           .object = object,
	                           .index = texel,
	                           .scale_bytes = 1,
	                           .type = type,
	                           .value = IR_NONE};
	uint32_t number = kernel_access(kernel, 0, &access);
	return kernel->accesses[number].result;
}

static struct ir_kernel *kernel_of(struct type type, uint32_t *texel)
{
	struct ir_kernel *kernel = kernel_new("k");
	uint32_t in = add_image(kernel, "in", IMAGE_2D, BUFFER_READ);
	struct ir_argument sampler = {
	        .name = "s", .kind = ARGUMENT_SAMPLER, .type = UINT, .object = IR_NONE};
	uint32_t number = kernel_add_argument(kernel, &sampler);
	uint32_t out = add_buffer(kernel, "out", SPACE_GLOBAL, type);
	uint32_t operands[3] = {add_id(kernel, NODE_GLOBAL_ID, 0),
	                        add_id(kernel, NODE_GLOBAL_ID, 1),
	                        kernel_node(kernel, NODE_ARG, UINT, NULL, 0, number, 0)};
	*texel = kernel_node(kernel, NODE_TEXEL, ULONG, operands, 3, in, 2);
	(void)add_store(kernel, 0, out, operands[0], add_read(kernel, in, *texel, type));
	return kernel;
}

static int set_up(void **state)
{
	static struct fixture f;
	memset(&f, 0, sizeof f);
	f.kernel = kernel_of(FLOAT4, &f.texel);
	f.device.max_group_items = 1024;
	for (unsigned d = 0; d < 3; d++)
		f.device.max_item_sizes[d] = 1024;
	f.device.local_bytes = 1024;
	f.device.max_image_2d[0] = f.device.max_image_2d[1] = 4096;
	f.device.max_allocation_bytes = 1 << 20;
	f.launch = (struct launch){.dimensions = 2,
	                           .global = {64, 64},
	                           .local = {8, 8},
	                           .has_local = true,
	                           .argument_count = 3};
	f.launch.arguments[0] = (struct launch_argument){
	        .kind = ARGUMENT_IMAGE, .access = BUFFER_READ, .width = 64, .height = 32};
	f.launch.arguments[1] = (struct launch_argument){.kind = ARGUMENT_SAMPLER};
	f.launch.arguments[2] = (struct launch_argument){
	        .kind = ARGUMENT_BUFFER, .access = BUFFER_WRITE, .size_bytes = 1024};
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	kernel_free(f->kernel);
	return 0;
}

/* ---- formats, samplers, tiles -------------------------------------------------------------- */

static void every_format_is_found_by_its_name(void **state)
{
	(void)state;
	enum image_format found;
	for (unsigned i = 0; i < IMAGE_FORMAT_COUNT; i++) {
		assert_true(image_format_parse(image_format_name((enum image_format)i), &found));
		assert_int_equal(found, i);
		assert_true(image_format_bytes(found) >= 1 && image_format_bytes(found) <= 16);
	}
	assert_false(image_format_parse("rgba9", &found));
	assert_false(image_format_parse("", &found));
	assert_int_equal(image_format_bytes(IMAGE_RGBA16F), 8);
	assert_int_equal(image_format_class(IMAGE_R16F), IMAGE_CLASS_HALF);
	assert_true(image_format_is_signed(IMAGE_R32I));
	assert_false(image_format_is_signed(IMAGE_R32UI));
}

static void a_sampler_is_read_word_by_word(void **state)
{
	(void)state;
	uint32_t bits = 99;
	assert_true(sampler_parse("", &bits));
	assert_int_equal(bits, SAMPLER_NEAREST);
	assert_true(sampler_parse("linear,normalized,repeat", &bits));
	assert_int_equal(bits, SAMPLER_LINEAR | SAMPLER_NORMALIZED | SAMPLER_ADDRESS_REPEAT);
	assert_false(sampler_parse("cubic", &bits));
	assert_false(sampler_parse("linear,", &bits));
	assert_false(sampler_parse(",linear", &bits));
	assert_false(sampler_parse("linear,,repeat", &bits));
}

static void a_tile_holds_squares_of_sixteen_bytes(void **state)
{
	(void)state;
	assert_int_equal(image_line_rows(1, 128), 1);
	assert_int_equal(image_line_rows(8, 16), 1);
	assert_int_equal(image_line_rows(8, 32), 2);
	assert_int_equal(image_line_rows(8, 128), 4);
	assert_int_equal(image_line_rows(2, 128), 2);
	/* the texel below lies 16 bytes on; the next unit of the row 32 */
	assert_int_equal(image_tile_address(0, 1024, 8), 0);
	assert_int_equal(image_tile_address(1024, 1024, 8), 16);
	assert_int_equal(image_tile_address(16, 1024, 8), 32);
	assert_int_equal(image_tile_address(1024 + 16 + 3, 1024, 8), 48 + 3);
	assert_int_equal(image_tile_address(1024 + 16, 1024, 1), 1024 + 16);
	assert_int_equal(image_tile_address(77, 0, 8), 77);
}

static void every_texel_has_a_tiled_address_of_its_own(void **state)
{
	(void)state;
	/* 7 rows of 100 bytes in tiles of four: all within the bands that hold them */
	static bool is_taken[8 * 128];
	for (int64_t at = 0; at < 700; at++) {
		int64_t tiled = image_tile_address(at, 100, 4);
		assert_true(tiled >= 0 && tiled < (int64_t)sizeof is_taken);
		assert_false(is_taken[tiled]);
		is_taken[tiled] = true;
	}
}

/* ---- in the IR ----------------------------------------------------------------------------- */

static void breaks(struct fixture *f, const char *fragment)
{
	struct error error = {0};
	assert_int_equal(kernel_check(f->kernel, &error), STATUS_CORRUPT);
	if (strstr(error.text, fragment) == NULL)
		fail_msg("want \"%s\", got \"%s\"", fragment, error.text);
}

static void a_texel_names_its_image_and_has_its_coordinates(void **state)
{
	struct fixture *f = *state;
	struct error error = {0};
	struct ir_node *texel = &f->kernel->nodes[f->texel], sound = *texel;
	assert_int_equal(kernel_check(f->kernel, &error), STATUS_OK);
	texel->aux = 1; /* the buffer */
	breaks(f, "a texel of no image");
	texel->aux = 99;
	breaks(f, "a texel of no image");
	*texel = sound;
	texel->imm = 3;
	breaks(f, "coordinates of another image");
	texel->imm = 0x200 | 2;
	breaks(f, "coordinates of another image");
	*texel = sound;
	texel->operand_count = 1;
	breaks(f, "coordinates of another image");
	*texel = sound;
	texel->type = UINT;
	breaks(f, "a texel of another type");
	*texel = sound;
	f->kernel->arguments[0].image = IMAGE_3D;
	breaks(f, "coordinates of another image");
}

static void an_access_to_an_image_is_by_texel(void **state)
{
	struct fixture *f = *state;
	struct ir_access sound = f->kernel->accesses[0];
	f->kernel->accesses[0].index = IR_NONE;
	breaks(f, "want a texel of its image");
	f->kernel->accesses[0] = sound;
	f->kernel->accesses[0].scale_bytes = 4;
	breaks(f, "want a texel of its image");
	f->kernel->accesses[0] = sound;
	f->kernel->accesses[1].index = f->texel; /* of a buffer */
	breaks(f, "want a texel of its image");
}

static void an_image_is_an_argument(void **state)
{
	struct fixture *f = *state;
	f->kernel->arguments[0].image = IMAGE_KIND_COUNT;
	breaks(f, "no such image");
	f->kernel->arguments[0].image = IMAGE_NONE;
	breaks(f, "is not its own");
	f->kernel->arguments[0].image = IMAGE_2D;
	f->kernel->objects[0].argument = IR_NONE;
	breaks(f, "is not its own");
	f->kernel->objects[0].argument = 0;
	f->kernel->objects[0].space = SPACE_GLOBAL;
	breaks(f, "is not its own");
}

static void a_size_is_of_an_image(void **state)
{
	struct fixture *f = *state;
	uint32_t size = kernel_node(f->kernel, NODE_IMAGE_SIZE, INT, NULL, 0, 0, IMAGE_SIZE_WIDTH);
	struct error error = {0};
	assert_int_equal(kernel_check(f->kernel, &error), STATUS_OK);
	f->kernel->nodes[size].aux = 2;
	breaks(f, "the size of no image");
	f->kernel->nodes[size].aux = 0;
	f->kernel->nodes[size].imm = IMAGE_SIZE_COUNT;
	breaks(f, "the size of no image");
}

static void the_text_names_kinds_and_texels(void **state)
{
	struct fixture *f = *state;
	struct error error;
	char *text;
	seal(f->kernel);
	assert_int_equal(kernel_format(f->kernel, 1 << 16, &text, &error), STATUS_OK);
	assert_non_null(strstr(text, "kernel k(image 2d in, sampler uint s, buffer float4 out)"));
	assert_non_null(strstr(text, "float4 load in[texel(%1, convert_int(gid(1)), s)]"));
	free(text);
}

/* ---- in a launch --------------------------------------------------------------------------- */

static void passes(struct fixture *f)
{
	struct error error = {0};
	if (launch_check(f->kernel, &f->device, &f->launch, &error) != STATUS_OK)
		fail_msg("%s", error.text);
}

static void says(struct fixture *f, const char *text)
{
	struct error error = {0};
	assert_int_equal(launch_check(f->kernel, &f->device, &f->launch, &error), STATUS_INVALID);
	assert_string_equal(error.text, text);
}

static void an_image_without_format_or_access_is_what_the_kernel_takes(void **state)
{
	struct fixture *f = *state;
	f->launch.arguments[0].access = 0;
	passes(f);
	assert_int_equal(f->launch.arguments[0].format, IMAGE_RGBA8);
	assert_int_equal(f->launch.arguments[0].access, BUFFER_READ);
	assert_int_equal(launch_image_bytes(&f->launch.arguments[0]), 64 * 32 * 4);
	kernel_free(f->kernel);
	f->kernel = kernel_of(UINT4, &f->texel);
	passes(f);
	assert_int_equal(f->launch.arguments[0].format, IMAGE_RGBA8UI);
}

static void an_image_of_another_kind_format_or_access_is_refused(void **state)
{
	struct fixture *f = *state;
	struct launch_argument *image = &f->launch.arguments[0];
	image->has_format = true;
	image->format = IMAGE_R32UI;
	says(f, "argument 0 (in): want a format of reals, such as rgba8 or rgba32f, got r32ui");
	image->format = IMAGE_FORMAT_COUNT;
	says(f, "argument 0 (in): unknown format 31");
	image->format = IMAGE_R32F;
	image->access = BUFFER_WRITE;
	says(f, "argument 0 (in): the kernel declares it read_only");
	image->access = BUFFER_READ;
	image->height = 0;
	says(f, "argument 0 (in): want 2 sizes of an image 2d, got 64x0x0");
	image->height = 4;
	image->depth = 2;
	says(f, "argument 0 (in): want 2 sizes of an image 2d, got 64x4x2");
	*image = f->launch.arguments[2];
	says(f, "argument 0 (in): want image of kind 2d, got buffer of 1024 bytes");
}

static void an_image_over_the_device_is_refused(void **state)
{
	struct fixture *f = *state;
	struct launch_argument *image = &f->launch.arguments[0];
	image->width = 5000;
	says(f, "argument 0 (in): width of the image: want at most 4096, the device's limit, got "
	        "5000");
	image->width = image->height = 4096;
	says(f, "argument 0 (in): want an image of at most 1048576 bytes, the device's limit, got "
	        "67108864");
	/* an older calibration knows no limits */
	memset(f->device.max_image_2d, 0, sizeof f->device.max_image_2d);
	f->device.max_allocation_bytes = 0;
	image->width = image->height = UINT32_MAX;
	says(f, "argument 0 (in): an image of that size");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_format_is_found_by_its_name),
	        cmocka_unit_test(a_sampler_is_read_word_by_word),
	        cmocka_unit_test(a_tile_holds_squares_of_sixteen_bytes),
	        cmocka_unit_test(every_texel_has_a_tiled_address_of_its_own),
	        TEST(a_texel_names_its_image_and_has_its_coordinates),
	        TEST(an_access_to_an_image_is_by_texel),
	        TEST(an_image_is_an_argument),
	        TEST(a_size_is_of_an_image),
	        TEST(the_text_names_kinds_and_texels),
	        TEST(an_image_without_format_or_access_is_what_the_kernel_takes),
	        TEST(an_image_of_another_kind_format_or_access_is_refused),
	        TEST(an_image_over_the_device_is_refused),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
