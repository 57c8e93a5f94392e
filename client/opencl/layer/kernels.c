/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shadow of each kernel's arguments. OpenCL forbids that two threads set arguments of one kernel
 * or launch it meanwhile, so a shadow has no lock.
 */
#include "client/opencl/layer/kernels.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "client/opencl/layer/handles.h"
#include "client/opencl/layer/intern.h"
#include "client/opencl/layer/text.h"

enum { NAME_BYTES = 1024 };

struct kernel *kernel_find(cl_kernel handle)
{
	return handles_find(handle, HANDLE_KERNEL);
}

static void kernel_end(void *record)
{
	struct kernel *kernel = record;
	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		memory_drop(kernel->arguments[i].memory);
		if (kernel->arguments[i].value != kernel->arguments[i].few)
			free(kernel->arguments[i].value);
	}
	if (kernel->variants != kernel->first)
		free(kernel->variants);
	free(kernel);
}

static struct kernel *kernel_new(uint32_t argument_count, size_t variant_count)
{
	struct kernel *new = calloc(1, sizeof *new + argument_count * sizeof new->arguments[0]);
	if (new == NULL)
		return NULL;
	new->variants =
	        variant_count > 1 ? calloc(variant_count, sizeof *new->variants) : new->first;
	if (new->variants == NULL) {
		free(new);
		return NULL;
	}
	new->variant_count = variant_count;
	new->argument_count = argument_count;
	for (uint32_t i = 0; i < argument_count; i++) {
		new->arguments[i].value = new->arguments[i].few;
		new->arguments[i].room = sizeof new->arguments[i].few;
	}
	return new;
}

static void follow(cl_program program, const char *name, cl_kernel handle)
{
	cl_uint count = 0;
	struct builds builds;
	if (!layer_follows() ||
	    layer_target.clGetKernelInfo(handle, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL) !=
	            CL_SUCCESS ||
	    count > SEEN_ARGUMENTS_MAX)
		return;
	programs_of_kernel(program, name, &builds);
	struct kernel *new = kernel_new(count, builds.count);
	if (new == NULL)
		return;
	for (size_t i = 0; i < builds.count; i++)
		new->variants[i] = (struct variant){
		        builds.of[i].device, intern_kernel(builds.of[i].program, name, count)};
	handles_add(handle, HANDLE_KERNEL, new, kernel_end);
}

seen_kernel *kernel_on(const struct kernel *kernel, cl_device_id device)
{
	seen_kernel *any = NULL;
	for (size_t i = 0; i < kernel->variant_count; i++) {
		if (kernel->variants[i].device == device)
			return kernel->variants[i].kernel;
		if (kernel->variants[i].device == NULL)
			any = kernel->variants[i].kernel;
	}
	return any;
}

uint64_t kernel_content(const struct kernel *kernel)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; kernel->has_buffers && i < kernel->argument_count; i++) {
		const struct memory *memory = kernel->arguments[i].memory;
		const uint64_t content =
		        memory == NULL
		                ? 0
		                : atomic_load_explicit(&memory->content, memory_order_relaxed);
		if (content != 0) /* the buffers' order counts */
			sum += content * (2 * (uint64_t)i + 1);
	}
	return sum;
}

void kernel_has_written(const struct kernel *kernel)
{
	for (uint32_t i = 0; kernel->has_buffers && i < kernel->argument_count; i++) {
		const struct argument *argument = &kernel->arguments[i];
		if (argument->memory != NULL && !argument->is_read_only &&
		    !argument->memory->is_read_only)
			memory_spoil(argument->memory);
	}
}

/* ---- making -------------------------------------------------------------------------------- */

static cl_kernel CL_API_CALL own_clCreateKernel(cl_program program, const char *name, cl_int *error)
{
	cl_kernel made = layer_target.clCreateKernel(program, name, error);
	if (made != NULL)
		follow(program, name, made);
	return made;
}

static cl_int CL_API_CALL own_clCreateKernelsInProgram(cl_program program, cl_uint count,
                                                       cl_kernel *kernels, cl_uint *count_ret)
{
	cl_uint made = 0;
	const cl_int result = layer_target.clCreateKernelsInProgram(program, count, kernels, &made);
	if (count_ret != NULL && result == CL_SUCCESS)
		*count_ret = made;
	for (cl_uint i = 0; result == CL_SUCCESS && kernels != NULL && i < made && i < count; i++) {
		char name[NAME_BYTES] = "";
		if (layer_target.clGetKernelInfo(kernels[i], CL_KERNEL_FUNCTION_NAME,
		                                 sizeof name - 1, name, NULL) == CL_SUCCESS)
			follow(program, name, kernels[i]);
	}
	return result;
}

static bool argument_copy(struct argument *to, const struct argument *from)
{
	unsigned char *value = from->value == from->few ? to->few : malloc(from->room);
	if (value == NULL)
		return false;
	memcpy(value, from->value, from->room);
	*to = *from;
	to->value = value;
	if (to->memory != NULL)
		memory_keep(to->memory);
	return true;
}

static cl_kernel CL_API_CALL own_clCloneKernel(cl_kernel source, cl_int *error)
{
	cl_kernel made = layer_target.clCloneKernel(source, error);
	const struct kernel *from = made == NULL || !layer_follows() ? NULL : kernel_find(source);
	struct kernel *new =
	        from == NULL ? NULL : kernel_new(from->argument_count, from->variant_count);
	if (new == NULL)
		return made;
	memcpy(new->variants, from->variants, from->variant_count * sizeof *from->variants);
	new->hash = from->hash;
	new->class_hash = from->class_hash;
	new->has_buffers = from->has_buffers;
	bool is_whole = true;
	for (uint32_t i = 0; i < new->argument_count; i++)
		is_whole &= argument_copy(&new->arguments[i], &from->arguments[i]);
	if (is_whole)
		handles_add(made, HANDLE_KERNEL, new, kernel_end);
	else
		kernel_end(new);
	return made;
}

static cl_int CL_API_CALL own_clRetainKernel(cl_kernel handle)
{
	const cl_int result = layer_target.clRetainKernel(handle);
	if (result == CL_SUCCESS)
		handles_retain(handle, HANDLE_KERNEL);
	return result;
}

static cl_int CL_API_CALL own_clReleaseKernel(cl_kernel handle)
{
	handles_release(handle, HANDLE_KERNEL);
	return layer_target.clReleaseKernel(handle);
}

/* ---- arguments ----------------------------------------------------------------------------- */

/*
 * What is known of a parameter, in a byte that kernels of one name and program share: a program may
 * make a kernel a launch, and a text may be long.
 */
enum { PARAMETER_IS_KNOWN = 1, PARAMETER_IS_READ_ONLY = 2, PARAMETER_ADDRESS_SHIFT = 2 };

static const cl_kernel_arg_address_qualifier addresses[] = {
        0, CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_CONSTANT,
        CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_ADDRESS_PRIVATE};

enum { ADDRESSES = sizeof addresses / sizeof addresses[0] };

static uint8_t parameter_code(cl_kernel_arg_address_qualifier address, bool is_read_only)
{
	size_t i = ADDRESSES - 1;
	while (i > 0 && addresses[i] != address)
		i--;
	return (uint8_t)(PARAMETER_IS_KNOWN | (is_read_only ? PARAMETER_IS_READ_ONLY : 0) |
	                 i << PARAMETER_ADDRESS_SHIFT);
}

/* What the driver knows: of programs that were built so. 0: it does not. */
static uint8_t ask_driver(cl_kernel handle, cl_uint index)
{
	cl_kernel_arg_address_qualifier address = 0;
	cl_kernel_arg_type_qualifier type = 0;
	const __typeof__(layer_target.clGetKernelArgInfo) ask = layer_target.clGetKernelArgInfo;
	if (ask == NULL || ask(handle, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address,
	                       &address, NULL) != CL_SUCCESS)
		return 0;
	if (address == CL_KERNEL_ARG_ADDRESS_GLOBAL &&
	    ask(handle, index, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof type, &type, NULL) !=
	            CL_SUCCESS)
		type = 0;
	return parameter_code(address, address == CL_KERNEL_ARG_ADDRESS_CONSTANT ||
	                                       (type & CL_KERNEL_ARG_TYPE_CONST) != 0);
}

static uint8_t ask_text(const char *parameters, cl_uint index)
{
	static const cl_kernel_arg_address_qualifier of[] = {
	        [TEXT_UNKNOWN] = 0,
	        [TEXT_GLOBAL] = CL_KERNEL_ARG_ADDRESS_GLOBAL,
	        [TEXT_CONSTANT] = CL_KERNEL_ARG_ADDRESS_CONSTANT,
	        [TEXT_LOCAL] = CL_KERNEL_ARG_ADDRESS_LOCAL};
	bool is_read_only = false;
	const text_address address = text_parameter(parameters, index, &is_read_only);
	return parameter_code(of[address], is_read_only);
}

/* Asks once of a kernel of a program; where the driver does not know, of all its parameters. */
static uint8_t ask_once(seen_kernel *seen, cl_kernel handle, cl_uint index)
{
	_Atomic uint8_t *all = seen->parameters;
	uint8_t code = atomic_load_explicit(&all[index], memory_order_relaxed);
	if (code != 0)
		return code;
	code = ask_driver(handle, index);
	const char *text = seen->program->text;
	const char *parameters =
	        code != 0 || text == NULL ? NULL : text_parameters(text, seen->name);
	for (cl_uint i = 0; code == 0 && i < seen->argument_count; i++)
		if (atomic_load_explicit(&all[i], memory_order_relaxed) == 0)
			atomic_store_explicit(&all[i], ask_text(parameters, i),
			                      memory_order_relaxed);
	if (code != 0)
		atomic_store_explicit(&all[index], code, memory_order_relaxed);
	return atomic_load_explicit(&all[index], memory_order_relaxed);
}

static void ask(const struct kernel *kernel, cl_kernel handle, cl_uint index,
                struct argument *argument)
{
	seen_kernel *seen = kernel->variant_count == 0 ? NULL : kernel->variants[0].kernel;
	uint8_t code;
	argument->is_asked = true;
	/* programs of which nothing is known are one to us, and are several */
	if (seen != NULL && seen->program->size > 0 && index < seen->argument_count)
		code = ask_once(seen, handle, index);
	else
		code = ask_driver(handle, index);
	argument->address = addresses[code >> PARAMETER_ADDRESS_SHIFT];
	argument->is_read_only = (code & PARAMETER_IS_READ_ONLY) != 0;
}

/* A value that is longer than is kept is known by its hash alone. */
static void set_value(struct argument *argument, size_t size, const void *value)
{
	argument->kind = SEEN_VALUE;
	argument->size_bytes = size;
	if (size > argument->room && size <= SEEN_VALUE_BYTES) {
		unsigned char *more = malloc(SEEN_VALUE_BYTES);
		if (more != NULL) {
			argument->value = more; /* it was `few` before */
			argument->room = SEEN_VALUE_BYTES;
		}
	}
	if (size <= argument->room)
		memcpy(argument->value, value, size);
	argument->hash = XXH3_64bits(value, size);
}

static void set_memory(struct argument *argument, struct memory *memory)
{
	argument->size_bytes = memory->size_bytes;
	if (memory->kind == MEMORY_PIPE)
		return;
	argument->kind = memory->kind == MEMORY_IMAGE ? SEEN_IMAGE : SEEN_BUFFER;
	argument->memory = memory;
	memory_keep(memory);
	if (memory->kind == MEMORY_IMAGE) {
		const uint32_t sizes[] = {memory->width, memory->height, memory->depth};
		argument->hash = XXH3_64bits_withSeed(
		        sizes, sizeof sizes, XXH3_64bits(memory->type, sizeof memory->type));
	}
}

/*
 * Eight bytes may be an object or a number: the driver's word counts, and where it gives none,
 * an object that is known.
 */
static void set_handle(struct argument *argument, const void *value)
{
	void *handle;
	memcpy(&handle, value, sizeof handle);
	const bool is_private = argument->address == CL_KERNEL_ARG_ADDRESS_PRIVATE;
	struct memory *memory = is_private ? NULL : memory_find(handle);
	const char *sampler = memory_sampler(handle);
	if (memory != NULL) {
		set_memory(argument, memory);
	} else if (sampler != NULL) {
		argument->kind = SEEN_SAMPLER;
		argument->words = sampler;
		argument->hash = (uintptr_t)sampler;
	} else if (argument->address == 0 || is_private) {
		set_value(argument, sizeof handle, value);
	} else if (handle == NULL) {
		argument->kind = SEEN_NULL;
	}
}

static void set(struct kernel *kernel, cl_uint index, struct argument *argument)
{
	const struct {
		uint64_t hash, size_bytes;
		uint32_t index, kind;
	} all = {argument->hash, argument->size_bytes, index, argument->kind},
	  class = {argument->kind == SEEN_VALUE ? 0 : argument->hash, argument->size_bytes, index,
	           argument->kind};
	argument->hash = XXH3_64bits(&all, sizeof all);
	argument->class_hash = XXH3_64bits(&class, sizeof class);
	kernel->hash ^= argument->hash;
	kernel->class_hash ^= argument->class_hash;
	kernel->has_buffers |= argument->memory != NULL;
}

/* The argument without what it was; NULL: it is not followed. */
static struct argument *unset(struct kernel *kernel, cl_kernel handle, cl_uint index)
{
	if (kernel == NULL || index >= kernel->argument_count)
		return NULL;
	struct argument *argument = &kernel->arguments[index];
	kernel->hash ^= argument->hash;
	kernel->class_hash ^= argument->class_hash;
	memory_drop(argument->memory);
	argument->memory = NULL;
	argument->words = NULL;
	argument->kind = SEEN_UNSET;
	argument->size_bytes = argument->hash = argument->class_hash = 0;
	if (!argument->is_asked)
		ask(kernel, handle, index, argument);
	return argument;
}

static cl_int CL_API_CALL own_clSetKernelArg(cl_kernel handle, cl_uint index, size_t size,
                                             const void *value)
{
	const cl_int result = layer_target.clSetKernelArg(handle, index, size, value);
	struct kernel *kernel =
	        result == CL_SUCCESS && layer_follows() ? kernel_find(handle) : NULL;
	struct argument *argument = unset(kernel, handle, index);
	if (argument == NULL)
		return result;
	if (value == NULL) {
		const bool is_null = argument->address == CL_KERNEL_ARG_ADDRESS_GLOBAL ||
		                     argument->address == CL_KERNEL_ARG_ADDRESS_CONSTANT;
		argument->kind = is_null ? SEEN_NULL : SEEN_LOCAL;
		argument->size_bytes = is_null ? 0 : size;
	} else if (size == sizeof(void *)) {
		set_handle(argument, value);
	} else {
		set_value(argument, size, value);
	}
	set(kernel, index, argument);
	return result;
}

static cl_int CL_API_CALL own_clSetKernelArgSVMPointer(cl_kernel handle, cl_uint index,
                                                       const void *value)
{
	const cl_int result = layer_target.clSetKernelArgSVMPointer(handle, index, value);
	struct kernel *kernel =
	        result == CL_SUCCESS && layer_follows() ? kernel_find(handle) : NULL;
	struct argument *argument = unset(kernel, handle, index);
	if (argument == NULL)
		return result;
	argument->kind = value == NULL ? SEEN_NULL : SEEN_POINTER;
	argument->size_bytes = memory_svm_size(value);
	set(kernel, index, argument);
	return result;
}

void kernels_enter(struct _cl_icd_dispatch *dispatch)
{
	LAYER_ENTER(dispatch, clCreateKernel);
	LAYER_ENTER(dispatch, clCreateKernelsInProgram);
	LAYER_ENTER(dispatch, clCloneKernel);
	LAYER_ENTER(dispatch, clRetainKernel);
	LAYER_ENTER(dispatch, clReleaseKernel);
	LAYER_ENTER(dispatch, clSetKernelArg);
	LAYER_ENTER(dispatch, clSetKernelArgSVMPointer);
}
