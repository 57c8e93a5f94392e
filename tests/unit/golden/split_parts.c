/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of launches, run. For each launch line of each kernel file and each dimension: the kernel
 * is refused with a reason, or the launch and its parts, each on buffers of its own, have the same
 * result, bit for bit. A part's buffers hold what it is said to read, and junk elsewhere; what it
 * is said to write is taken from it, and nothing else. Wants an OpenCL device.
 *
 *   split_parts [-v] FILE...      -v: what is said of every argument
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/device/sample.h"
#include "model/frontend/frontend.h"
#include "model/split/split.h"
#include "tests/unit/golden/golden_device.h"
#include "tests/unit/golden/golden_file.h"

enum { PARTS = 3, EXIT_SKIPPED = 77 };

/* As many bytes of buffers as nobody waits long for. */
#define BYTES_MAX (UINT64_C(160) << 20)

static struct {
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	unsigned run, split, refused, failed;
	bool is_loud;
} suite;

struct run {
	const char *path;
	cl_kernel kernel;
	const struct ir_kernel *ir;
	const struct launch *launch;
	uint8_t *initial[IR_ARGUMENTS_MAX], *whole[IR_ARGUMENTS_MAX], *merged[IR_ARGUMENTS_MAX];
	cl_mem memory[IR_ARGUMENTS_MAX];
};

static bool has_device(void)
{
	cl_platform_id platform;
	cl_uint count = 0;
	cl_int code;
	if (clGetPlatformIDs(1, &platform, &count) != CL_SUCCESS || count == 0 ||
	    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &suite.device, &count) != CL_SUCCESS)
		return false;
	suite.context = clCreateContext(NULL, 1, &suite.device, NULL, NULL, &code);
	if (code != CL_SUCCESS)
		return false;
	suite.queue = clCreateCommandQueue(suite.context, suite.device, 0, &code);
	return code == CL_SUCCESS;
}

/* ---- buffers ------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Values that a kernel can work with: within a buffer's range, else small ones. */
static void fill(uint8_t *bytes, const struct launch_argument *argument,
                 const struct ir_argument *parameter, uint64_t seed)
{
	uint64_t state = seed * 0x9e3779b97f4a7c15 + 1;
	unsigned size = parameter->type.scalar == SCALAR_VOID
	                        ? 1
	                        : scalar_bytes((enum scalar)parameter->type.scalar);
	for (uint64_t at = 0; at + size <= argument->size_bytes; at += size) {
		uint64_t random = next_random(&state) >> 16;
		int64_t integer = (int64_t)(random % 4);
		float real = (float)(random % 1000) / 1024; /* below 1: loops over reals end */
		double wide = (double)(random % 1000) / 1024;
		if (argument->has_range)
			integer =
			        argument->low +
			        (int64_t)(random % (uint64_t)(argument->high - argument->low + 1));
		if (parameter->type.scalar == SCALAR_FLOAT)
			memcpy(bytes + at, &real, size);
		else if (parameter->type.scalar == SCALAR_DOUBLE)
			memcpy(bytes + at, &wide, size);
		else if (parameter->type.scalar == SCALAR_HALF)
			memcpy(bytes + at, &(uint16_t){(uint16_t)(0x3c00 + random % 512)}, size);
		else
			memcpy(bytes + at, &integer, size);
	}
	for (uint32_t i = 0; argument->sample != NULL && i < argument->sample->run_count; i++) {
		const struct sample_run *run = &argument->sample->runs[i];
		memcpy(bytes + run->offset_bytes, argument->sample->bytes + run->start,
		       run->length_bytes);
	}
}

static void write_bytes(const struct run *run, uint32_t argument, const uint8_t *bytes,
                        uint64_t from, uint64_t to)
{
	if (to > from && clEnqueueWriteBuffer(suite.queue, run->memory[argument], CL_TRUE, from,
	                                      to - from, bytes + from, 0, NULL, NULL) != CL_SUCCESS)
		abort();
}

static void read_bytes(const struct run *run, uint32_t argument, uint8_t *bytes, uint64_t from,
                       uint64_t to)
{
	if (to > from && clEnqueueReadBuffer(suite.queue, run->memory[argument], CL_TRUE, from,
	                                     to - from, bytes + from, 0, NULL, NULL) != CL_SUCCESS)
		abort();
}

static size_t put_scalar(const struct launch_argument *argument, struct type type,
                         uint8_t room[128])
{
	unsigned size = scalar_bytes((enum scalar)type.scalar);
	memset(room, 0, 128);
	for (unsigned lane = 0; lane < type.width; lane++) {
		float real = (float)argument->value.real[lane];
		uint8_t *at = room + (size_t)lane * size;
		if (type.scalar == SCALAR_FLOAT)
			memcpy(at, &real, size);
		else
			memcpy(at, &argument->value.integer[lane], size);
	}
	return type_bytes(type);
}

/* Sets all arguments; false: of a kind that is not made here. */
static bool run_begin(struct run *run)
{
	uint8_t room[128];
	for (uint32_t i = 0; i < run->launch->argument_count; i++) {
		const struct launch_argument *argument = &run->launch->arguments[i];
		size_t size = argument->size_bytes;
		cl_int code = CL_SUCCESS;
		uint8_t *zeros;
		switch (argument->kind) {
		case ARGUMENT_BUFFER:
			run->initial[i] = calloc(1, size);
			run->whole[i] = calloc(1, size);
			run->merged[i] = calloc(1, size);
			fill(run->initial[i], argument, &run->ir->arguments[i], i + 1);
			run->memory[i] =
			        clCreateBuffer(suite.context, CL_MEM_READ_WRITE, size, NULL, &code);
			if (code == CL_SUCCESS)
				code = clSetKernelArg(run->kernel, i, sizeof(cl_mem),
				                      &run->memory[i]);
			break;
		case ARGUMENT_LOCAL:
			code = clSetKernelArg(run->kernel, i, size, NULL);
			break;
		case ARGUMENT_SCALAR:
			code = clSetKernelArg(run->kernel, i,
			                      put_scalar(argument, argument->type, room), room);
			break;
		case ARGUMENT_STRUCT:
			zeros = calloc(1, size + 1);
			code = clSetKernelArg(run->kernel, i, size, zeros);
			free(zeros);
			break;
		default:
			return false;
		}
		if (code != CL_SUCCESS)
			return false;
	}
	return true;
}

static void run_end(struct run *run)
{
	for (uint32_t i = 0; i < run->launch->argument_count; i++) {
		free(run->initial[i]);
		free(run->whole[i]);
		free(run->merged[i]);
		if (run->memory[i] != NULL)
			clReleaseMemObject(run->memory[i]);
	}
}

/* ---- launches ------------------------------------------------------------------------------ */

static bool launch_part(const struct run *run, uint32_t dimension, uint64_t begin, uint64_t end)
{
	const struct launch *launch = run->launch;
	size_t offset[3], global[3], local[3];
	for (unsigned d = 0; d < 3; d++) {
		offset[d] = launch->offset[d];
		global[d] = launch->global[d];
		local[d] = launch->local[d];
	}
	offset[dimension] += begin;
	global[dimension] = end - begin;
	cl_int code =
	        clEnqueueNDRangeKernel(suite.queue, run->kernel, launch->dimensions, offset, global,
	                               launch->has_local ? local : NULL, 0, NULL, NULL);
	return code == CL_SUCCESS && clFinish(suite.queue) == CL_SUCCESS;
}

static bool run_whole(struct run *run)
{
	for (uint32_t i = 0; i < run->launch->argument_count; i++)
		if (run->memory[i] != NULL)
			write_bytes(run, i, run->initial[i], 0,
			            run->launch->arguments[i].size_bytes);
	if (!launch_part(run, 0, 0, run->launch->global[0]))
		return false;
	for (uint32_t i = 0; i < run->launch->argument_count; i++)
		if (run->memory[i] != NULL)
			read_bytes(run, i, run->whole[i], 0, run->launch->arguments[i].size_bytes);
	return true;
}

static bool run_part(struct run *run, const struct split_reaches *reaches, uint32_t dimension,
                     uint64_t begin, uint64_t end)
{
	for (uint32_t i = 0; i < run->launch->argument_count; i++) {
		const struct split_argument *said = &reaches->arguments[i];
		uint64_t size = run->launch->arguments[i].size_bytes, from, to;
		if (run->memory[i] == NULL)
			continue;
		uint8_t *junk = malloc(size);
		for (uint64_t at = 0; at < size; at++)
			junk[at] = (uint8_t)(at * 37 + 11);
		write_bytes(run, i, junk, 0, size);
		free(junk);
		reach_bytes(&said->reads, begin, end, size, &from, &to);
		write_bytes(run, i, run->initial[i], from, to);
		reach_bytes(&said->writes, begin, end, size, &from, &to);
		if (!said->is_filled)
			write_bytes(run, i, run->initial[i], from, to);
	}
	if (!launch_part(run, dimension, begin, end))
		return false;
	for (uint32_t i = 0; i < run->launch->argument_count; i++) {
		uint64_t from, to;
		if (run->memory[i] == NULL)
			continue;
		reach_bytes(&reaches->arguments[i].writes, begin, end,
		            run->launch->arguments[i].size_bytes, &from, &to);
		read_bytes(run, i, run->merged[i], from, to);
	}
	return true;
}

/* The launch in parts beside the whole one, which was run; true: the same. */
static bool parts_agree(struct run *run, const struct split_reaches *reaches, uint32_t dimension)
{
	const struct launch *launch = run->launch;
	uint64_t local = launch->local[dimension], groups = launch->global[dimension] / local;
	uint64_t cuts[PARTS + 1] = {0, groups / 3 * local, groups * 5 / 8 * local,
	                            launch->global[dimension]};
	bool agree = true;
	for (uint32_t i = 0; i < launch->argument_count; i++)
		if (run->memory[i] != NULL)
			memcpy(run->merged[i], run->initial[i], launch->arguments[i].size_bytes);
	for (unsigned part = 0; part < PARTS; part++)
		if (cuts[part + 1] > cuts[part] &&
		    !run_part(run, reaches, dimension, cuts[part], cuts[part + 1]))
			return false;
	for (uint32_t i = 0; i < launch->argument_count && agree; i++) {
		uint64_t size = launch->arguments[i].size_bytes, at = 0;
		if (run->memory[i] == NULL || memcmp(run->merged[i], run->whole[i], size) == 0)
			continue;
		while (run->merged[i][at] == run->whole[i][at])
			at++;
		printf("# %s: %s, dimension %u: argument %u (%s) differs from byte %" PRIu64
		       " on\n",
		       run->path, run->ir->name, dimension, i, run->ir->arguments[i].name, at);
		agree = false;
	}
	return agree;
}

/* ---- files --------------------------------------------------------------------------------- */

static const char *refusal_of(const struct split_reaches *reaches)
{
	if (reaches->refusal[0] != '\0')
		return reaches->refusal;
	for (uint32_t i = 0; i < reaches->argument_count; i++)
		if (reaches->arguments[i].refusal[0] != '\0')
			return reaches->arguments[i].refusal;
	return NULL;
}

static void describe_reach(const char *word, const struct reach *reach)
{
	if (reach->kind == REACH_WHOLE)
		printf(" %s all", word);
	else if (reach->kind == REACH_OWN)
		printf(" %s %" PRId64 "i %+" PRId64 " .. %+" PRId64, word, reach->stride_bytes,
		       reach->low_bytes, reach->high_bytes);
}

static void describe(const struct ir_kernel *kernel, const struct split_reaches *reaches)
{
	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		const struct split_argument *argument = &reaches->arguments[i];
		if (argument->reads.kind == REACH_NOTHING && argument->writes.kind == REACH_NOTHING)
			continue;
		printf("#   %s:", kernel->arguments[i].name);
		describe_reach("reads", &argument->reads);
		describe_reach("writes", &argument->writes);
		printf("%s\n", argument->is_filled ? ", all of it" : "");
	}
}

/* Whether the buffers made here are such as the kernel can run with, and few enough. */
static bool can_run(const char *kernel, const struct launch *launch)
{
	/* which are trees, and no others end */
	static const char *const of_trees[] = {"visit"};
	uint64_t bytes = 0;
	for (size_t i = 0; i < sizeof of_trees / sizeof *of_trees; i++)
		if (strcmp(kernel, of_trees[i]) == 0)
			return false;
	for (uint32_t i = 0; i < launch->argument_count; i++) {
		bytes += launch->arguments[i].size_bytes;
		const struct sample *sample = launch->arguments[i].sample;
		if (launch->arguments[i].kind == ARGUMENT_IMAGE ||
		    launch->arguments[i].kind == ARGUMENT_SAMPLER)
			return false;
		/* what is not sampled may be places that no buffer has */
		if (sample != NULL && sample->byte_count < sample->size_bytes)
			return false;
	}
	return bytes <= BYTES_MAX;
}

static bool check_dimensions(struct run *run, const char *path, bool can, unsigned line)
{
	static struct split_reaches reaches;
	struct error error = {.status = STATUS_OK};
	bool is_good = true, was_run = false;
	for (uint32_t d = 0; d < run->launch->dimensions; d++) {
		if (split_find_reaches(run->ir, run->launch, d, &reaches, &error) != STATUS_OK) {
			printf("# %s: %s\n", path, error.text);
			return false;
		}
		const char *refusal = refusal_of(&reaches);
		printf("# %s:%u: %s, dimension %u: %s%s\n", path, line, run->ir->name, d,
		       refusal == NULL ? "split" : "refused: ", refusal == NULL ? "" : refusal);
		if (suite.is_loud)
			describe(run->ir, &reaches);
		suite.refused += refusal != NULL;
		if (refusal != NULL || !can)
			continue;
		if (!was_run && !run_whole(run)) {
			printf("# %s: %s is not run by this device\n", path, run->ir->name);
			return is_good;
		}
		was_run = true;
		suite.run++;
		is_good = parts_agree(run, &reaches, d) && is_good;
	}
	return is_good;
}

static bool check_launch(const char *path, cl_program program, const struct ir_kernel *ir,
                         const char *text, unsigned line)
{
	static struct launch launch;
	static struct device device;
	struct error error = {.status = STATUS_OK};
	cl_int code = CL_SUCCESS;
	golden_device(&device);
	if (golden_launch(text, &launch, &error) != STATUS_OK ||
	    launch_check(ir, &device, &launch, &error) != STATUS_OK) {
		printf("# %s:%u: %s\n", path, line, error.text);
		golden_launch_deinit(&launch);
		return false;
	}
	struct run *run = calloc(1, sizeof *run);
	run->path = path;
	run->ir = ir;
	run->launch = &launch;
	bool can = program != NULL && can_run(ir->name, &launch);
	if (can)
		run->kernel = clCreateKernel(program, ir->name, &code);
	can = can && code == CL_SUCCESS && run_begin(run);
	bool is_good = check_dimensions(run, path, can, line);
	run_end(run);
	if (run->kernel != NULL)
		clReleaseKernel(run->kernel);
	free(run);
	golden_launch_deinit(&launch);
	return is_good;
}

static cl_program build(const struct golden_file *file)
{
	const char *source = file->source;
	cl_int code;
	cl_program program =
	        clCreateProgramWithSource(suite.context, 1, &source, &file->source_bytes, &code);
	if (code != CL_SUCCESS)
		return NULL;
	if (clBuildProgram(program, 1, &suite.device, file->options, NULL, NULL) == CL_SUCCESS)
		return program;
	clReleaseProgram(program);
	return NULL;
}

static bool check_file(const char *path)
{
	static struct golden_file file;
	struct error error = {.status = STATUS_OK};
	struct ir_kernel **kernels;
	size_t count;
	bool is_good = true;
	if (golden_file_init(&file, path, &error) != STATUS_OK)
		return false;
	struct frontend_program source = {.name = path,
	                                  .source = file.source,
	                                  .source_bytes = file.source_bytes,
	                                  .options = file.options};
	if (frontend_analyse(&source, &kernels, &count, NULL, &error) != STATUS_OK || count == 0) {
		golden_file_deinit(&file);
		return false;
	}
	const struct ir_kernel *kernel = kernels[0];
	cl_program program = build(&file);
	if (program == NULL)
		printf("# %s is not built by this device\n", path);
	for (unsigned i = 0; i < file.count; i++) {
		if (file.lines[i].is_launch)
			is_good = check_launch(path, program, kernel, file.lines[i].text,
			                       file.lines[i].line) &&
			          is_good;
		for (size_t k = 0; k < count && !file.lines[i].is_launch; k++)
			if (strncmp(file.lines[i].text, "kernel ", 7) == 0 &&
			    strcmp(kernels[k]->name, file.lines[i].text + 7) == 0)
				kernel = kernels[k];
	}
	if (program != NULL)
		clReleaseProgram(program);
	frontend_free(kernels, count);
	golden_file_deinit(&file);
	return is_good;
}

int main(int argc, char **argv)
{
	int first = 1;
	if (argc > 1 && strcmp(argv[1], "-v") == 0) {
		suite.is_loud = true;
		first++;
	}
	if (!has_device()) {
		printf("1..0 # SKIP no OpenCL device\n");
		return 0;
	}
	printf("1..%d\n", argc - first + 1);
	for (int i = first; i < argc; i++) {
		bool is_good = check_file(argv[i]);
		const char *name = strrchr(argv[i], '/');
		suite.failed += !is_good;
		printf("%s %d - %s\n", is_good ? "ok" : "not ok", i - first + 1,
		       name == NULL ? argv[i] : name + 1);
		(void)fflush(stdout);
	}
	printf("# run in parts: %u launches; refused: %u\n", suite.run, suite.refused);
	bool is_enough = argc - first < 100 || suite.run >= 60;
	printf("%s %d - most kernels were run in parts\n", is_enough ? "ok" : "not ok",
	       argc - first + 1);
	return suite.failed > 0 || !is_enough;
}
