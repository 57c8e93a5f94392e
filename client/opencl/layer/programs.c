/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program is known by its source until it is built: then by source, options and headers, for each
 * device that it was built for. A binary is known by what it was got from, here or in an earlier
 * process. What is linked of several programs is known kernel by kernel.
 */
#include "client/opencl/layer/programs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "client/opencl/layer/binaries.h"
#include "client/opencl/layer/handles.h"
#include "client/opencl/layer/intern.h"
#include "client/opencl/layer/text.h"

enum { TEXT_MAX = 16 << 20, HEADERS_MAX = 256, DEVICES_MAX = 64, BINARY_MAX = 256 << 20 };

struct program {
	seen_origin origin;
	char *text; /* of SEEN_SOURCE, `size` bytes and a zero */
	size_t size;
	struct builds builds;
	seen_program *linked[LINKED_MAX]; /* what it was linked of, where that is more than one */
	size_t linked_count;
};

/* Guards the builds of all programs: several threads may build one for several devices. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void programs_forget(void)
{
	mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	binaries_forget();
}

static void program_end(void *record)
{
	struct program *program = record;
	free(program->text);
	free(program);
}

static struct program *program_find(cl_program handle)
{
	return handles_find(handle, HANDLE_PROGRAM);
}

static struct program *program_new(seen_origin origin)
{
	struct program *new = layer_follows() ? calloc(1, sizeof *new) : NULL;
	if (new != NULL)
		new->origin = origin;
	return new;
}

seen_program *builds_find(const struct builds *builds, cl_device_id device)
{
	seen_program *any = NULL;
	for (size_t i = 0; i < builds->count; i++) {
		if (builds->of[i].device == device)
			return builds->of[i].program;
		if (builds->of[i].device == NULL)
			any = builds->of[i].program;
	}
	return any;
}

static void builds_set(struct builds *builds, cl_device_id device, seen_program *program)
{
	for (size_t i = 0; i < builds->count; i++)
		if (builds->of[i].device == device) {
			builds->of[i].program = program;
			return;
		}
	if (program == NULL || builds->count == BUILDS_MAX)
		return;
	builds->of[builds->count].device = device;
	builds->of[builds->count++].program = program;
}

/* ---- making -------------------------------------------------------------------------------- */

/* The strings in a row, as the driver reads them; NULL: too long, or memory is short. */
static char *concatenate(cl_uint count, const char **strings, const size_t *lengths, size_t *size)
{
	size_t total = 0;
	for (cl_uint i = 0; i < count && total <= TEXT_MAX; i++)
		total += lengths != NULL && lengths[i] != 0 ? lengths[i] : strlen(strings[i]);
	char *text = total > TEXT_MAX ? NULL : malloc(total + 1);
	char *at = text;
	for (cl_uint i = 0; text != NULL && i < count; i++) {
		const size_t length =
		        lengths != NULL && lengths[i] != 0 ? lengths[i] : strlen(strings[i]);
		memcpy(at, strings[i], length);
		at += length;
	}
	if (text != NULL)
		*at = '\0';
	*size = total;
	return text;
}

static cl_program CL_API_CALL own_clCreateProgramWithSource(cl_context context, cl_uint count,
                                                            const char **strings,
                                                            const size_t *lengths, cl_int *error)
{
	cl_program made =
	        layer_target.clCreateProgramWithSource(context, count, strings, lengths, error);
	struct program *new = made == NULL ? NULL : program_new(SEEN_SOURCE);
	if (new == NULL)
		return made;
	new->text = concatenate(count, strings, lengths, &new->size);
	if (new->text == NULL)
		new->origin = SEEN_BINARY;
	handles_add(made, HANDLE_PROGRAM, new, program_end);
	return made;
}

/* What is told from others by some bytes that say nothing of it. */
static void follow_bytes(cl_program handle, seen_origin origin, const void *bytes, size_t size)
{
	struct program *new = handle == NULL ? NULL : program_new(origin);
	if (new == NULL)
		return;
	builds_set(&new->builds, NULL, intern_program(origin, bytes, size, "", NULL, 0));
	handles_add(handle, HANDLE_PROGRAM, new, program_end);
}

static cl_program CL_API_CALL own_clCreateProgramWithIL(cl_context context, const void *il,
                                                        size_t size, cl_int *error)
{
	cl_program made = layer_target.clCreateProgramWithIL(context, il, size, error);
	follow_bytes(made, SEEN_IL, il, size);
	return made;
}

static cl_program CL_API_CALL own_clCreateProgramWithBuiltInKernels(cl_context context,
                                                                    cl_uint count,
                                                                    const cl_device_id *devices,
                                                                    const char *names,
                                                                    cl_int *error)
{
	cl_program made = layer_target.clCreateProgramWithBuiltInKernels(context, count, devices,
	                                                                 names, error);
	follow_bytes(made, SEEN_BUILT_IN, names, names == NULL ? 0 : strlen(names));
	return made;
}

static cl_program CL_API_CALL own_clCreateProgramWithBinary(cl_context context, cl_uint count,
                                                            const cl_device_id *devices,
                                                            const size_t *lengths,
                                                            const unsigned char **binaries,
                                                            cl_int *status, cl_int *error)
{
	cl_program made = layer_target.clCreateProgramWithBinary(context, count, devices, lengths,
	                                                         binaries, status, error);
	struct program *new = made == NULL ? NULL : program_new(SEEN_BINARY);
	if (new == NULL)
		return made;
	for (cl_uint i = 0; i < count; i++) {
		seen_program *seen = binaries_find(binaries[i], lengths[i]);
		if (seen == NULL)
			seen = intern_program(SEEN_BINARY, (const char *)binaries[i], lengths[i],
			                      "", NULL, 0);
		builds_set(&new->builds, devices[i], seen);
	}
	handles_add(made, HANDLE_PROGRAM, new, program_end);
	return made;
}

static cl_int CL_API_CALL own_clRetainProgram(cl_program handle)
{
	const cl_int result = layer_target.clRetainProgram(handle);
	if (result == CL_SUCCESS)
		handles_retain(handle, HANDLE_PROGRAM);
	return result;
}

static cl_int CL_API_CALL own_clReleaseProgram(cl_program handle)
{
	handles_release(handle, HANDLE_PROGRAM);
	return layer_target.clReleaseProgram(handle);
}

/* ---- building ------------------------------------------------------------------------------ */

/* Without sources, a program is told from others and no more. */
static seen_program *seen_of(const struct program *program, const char *options,
                             const predictd_header *headers, size_t header_count)
{
	const bool has_source = program->origin == SEEN_SOURCE && layer_wanted == LAYER_ALL;
	return intern_program(has_source ? SEEN_SOURCE : SEEN_BINARY, program->text, program->size,
	                      options, headers, header_count);
}

/* A build begins: its callback may use what is built. *before: to go back to. */
static void build_begin(struct program *program, cl_uint count, const cl_device_id *devices,
                        seen_program *seen, struct builds *before)
{
	(void)pthread_mutex_lock(&mutex);
	*before = program->builds;
	if (devices == NULL || count == 0)
		program->builds.count = 0;
	for (cl_uint i = 0; devices != NULL && i < count; i++)
		builds_set(&program->builds, devices[i], seen);
	if (devices == NULL || count == 0)
		builds_set(&program->builds, NULL, seen);
	(void)pthread_mutex_unlock(&mutex);
}

/* It may have been refused outright, as with kernels that are in use: nothing was built then. */
static void build_end(struct program *program, cl_int result, const struct builds *before)
{
	if (result == CL_SUCCESS || result == CL_BUILD_PROGRAM_FAILURE ||
	    result == CL_COMPILE_PROGRAM_FAILURE)
		return;
	(void)pthread_mutex_lock(&mutex);
	program->builds = *before;
	(void)pthread_mutex_unlock(&mutex);
}

static cl_int CL_API_CALL own_clBuildProgram(cl_program handle, cl_uint count,
                                             const cl_device_id *devices, const char *options,
                                             void(CL_CALLBACK *notify)(cl_program, void *),
                                             void *user)
{
	struct builds before;
	struct program *program = layer_follows() ? program_find(handle) : NULL;
	const bool is_source = program != NULL && program->text != NULL;
	if (is_source)
		build_begin(program, count, devices, seen_of(program, options, NULL, 0), &before);
	const cl_int result =
	        layer_target.clBuildProgram(handle, count, devices, options, notify, user);
	if (is_source)
		build_end(program, result, &before);
	return result;
}

static cl_int CL_API_CALL own_clCompileProgram(cl_program handle, cl_uint count,
                                               const cl_device_id *devices, const char *options,
                                               cl_uint header_count, const cl_program *headers,
                                               const char **names,
                                               void(CL_CALLBACK *notify)(cl_program, void *),
                                               void *user)
{
	struct builds before;
	struct program *program = layer_follows() ? program_find(handle) : NULL;
	bool is_source = program != NULL && program->text != NULL && header_count <= HEADERS_MAX &&
	                 (header_count == 0 || (headers != NULL && names != NULL));
	predictd_header *seen_headers =
	        is_source ? calloc(header_count + 1, sizeof *seen_headers) : NULL;
	is_source = seen_headers != NULL;
	for (cl_uint i = 0; is_source && i < header_count; i++) {
		const struct program *header = program_find(headers[i]);
		is_source = header != NULL && header->text != NULL && names[i] != NULL;
		if (is_source)
			seen_headers[i] = (predictd_header){names[i], header->text, header->size};
	}
	if (is_source)
		build_begin(program, count, devices,
		            seen_of(program, options, seen_headers, header_count), &before);
	free(seen_headers);
	const cl_int result = layer_target.clCompileProgram(
	        handle, count, devices, options, header_count, headers, names, notify, user);
	if (is_source)
		build_end(program, result, &before);
	return result;
}

static void follow_linked(cl_program handle, cl_uint count, const cl_program *inputs)
{
	struct program *new = program_new(SEEN_BINARY);
	if (new == NULL)
		return;
	(void)pthread_mutex_lock(&mutex);
	for (cl_uint i = 0; i < count; i++) {
		const struct program *input = program_find(inputs[i]);
		if (count == 1 && input != NULL)
			new->builds = input->builds;
		/* on several devices it was compiled alike, as a rule: the first one is taken */
		if (count > 1 && count <= LINKED_MAX && input != NULL && input->builds.count > 0)
			new->linked[new->linked_count++] = input->builds.of[0].program;
	}
	(void)pthread_mutex_unlock(&mutex);
	handles_add(handle, HANDLE_PROGRAM, new, program_end);
}

static cl_program CL_API_CALL own_clLinkProgram(cl_context context, cl_uint device_count,
                                                const cl_device_id *devices, const char *options,
                                                cl_uint count, const cl_program *inputs,
                                                void(CL_CALLBACK *notify)(cl_program, void *),
                                                void *user, cl_int *error)
{
	cl_program made = layer_target.clLinkProgram(context, device_count, devices, options, count,
	                                             inputs, notify, user, error);
	if (made != NULL && layer_follows())
		follow_linked(made, count, inputs);
	return made;
}

/* ---- binaries that the program takes ------------------------------------------------------- */

static void remember_binaries(cl_program handle, struct program *program, size_t count,
                              unsigned char *const *binaries)
{
	size_t sizes[DEVICES_MAX];
	cl_device_id devices[DEVICES_MAX];
	const __typeof__(layer_target.clGetProgramInfo) ask = layer_target.clGetProgramInfo;
	if (count > DEVICES_MAX ||
	    ask(handle, CL_PROGRAM_BINARY_SIZES, count * sizeof *sizes, sizes, NULL) !=
	            CL_SUCCESS ||
	    ask(handle, CL_PROGRAM_DEVICES, count * sizeof(cl_device_id), devices, NULL) !=
	            CL_SUCCESS)
		return;
	for (size_t i = 0; i < count; i++) {
		(void)pthread_mutex_lock(&mutex);
		seen_program *seen = builds_find(&program->builds, devices[i]);
		(void)pthread_mutex_unlock(&mutex);
		if (binaries[i] != NULL && sizes[i] > 0 && sizes[i] <= BINARY_MAX && seen != NULL &&
		    seen->origin == SEEN_SOURCE)
			binaries_remember(binaries[i], sizes[i], seen);
	}
}

static cl_int CL_API_CALL own_clGetProgramInfo(cl_program handle, cl_program_info what, size_t size,
                                               void *value, size_t *size_ret)
{
	const cl_int result = layer_target.clGetProgramInfo(handle, what, size, value, size_ret);
	struct program *program = what == CL_PROGRAM_BINARIES && result == CL_SUCCESS &&
	                                          value != NULL && layer_follows()
	                                  ? program_find(handle)
	                                  : NULL;
	cl_uint count = 0;
	if (program != NULL &&
	    layer_target.clGetProgramInfo(handle, CL_PROGRAM_NUM_DEVICES, sizeof count, &count,
	                                  NULL) == CL_SUCCESS)
		remember_binaries(handle, program, count, value);
	return result;
}

/* ---- kernels ------------------------------------------------------------------------------- */

/* The one of several that has the kernel; NULL: none or more. */
static seen_program *one_that_defines(const struct program *program, const char *kernel)
{
	seen_program *one = NULL;
	for (size_t i = 0; i < program->linked_count; i++) {
		seen_program *seen = program->linked[i];
		if (seen == NULL || seen->text == NULL || !text_defines(seen->text, kernel))
			continue;
		if (one != NULL)
			return NULL;
		one = seen;
	}
	return one;
}

void programs_of_kernel(cl_program handle, const char *kernel, struct builds *builds)
{
	const struct program *program = program_find(handle);
	builds->count = 0;
	if (program != NULL) {
		(void)pthread_mutex_lock(&mutex);
		*builds = program->builds;
		(void)pthread_mutex_unlock(&mutex);
		if (builds->count == 0)
			builds_set(builds, NULL, one_that_defines(program, kernel));
	}
	if (builds->count == 0)
		builds_set(builds, NULL, intern_program(SEEN_BINARY, "", 0, "", NULL, 0));
}

void programs_enter(struct _cl_icd_dispatch *dispatch)
{
	LAYER_ENTER(dispatch, clCreateProgramWithSource);
	LAYER_ENTER(dispatch, clCreateProgramWithIL);
	LAYER_ENTER(dispatch, clCreateProgramWithBuiltInKernels);
	LAYER_ENTER(dispatch, clCreateProgramWithBinary);
	LAYER_ENTER(dispatch, clRetainProgram);
	LAYER_ENTER(dispatch, clReleaseProgram);
	LAYER_ENTER(dispatch, clBuildProgram);
	LAYER_ENTER(dispatch, clCompileProgram);
	LAYER_ENTER(dispatch, clLinkProgram);
	LAYER_ENTER(dispatch, clGetProgramInfo);
}
