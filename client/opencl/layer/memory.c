/* SPDX-License-Identifier: Apache-2.0 */
/* Memory objects as the program makes and frees them, and what it said that they hold. */
#include "client/opencl/layer/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "client/opencl/layer/handles.h"
#include "client/opencl/layer/samples.h"

struct memory *memory_find(cl_mem handle)
{
	return handles_find(handle, HANDLE_MEMORY);
}

void memory_keep(struct memory *memory)
{
	atomic_fetch_add_explicit(&memory->references, 1, memory_order_relaxed);
}

void memory_drop(struct memory *memory)
{
	if (memory == NULL ||
	    atomic_fetch_sub_explicit(&memory->references, 1, memory_order_acq_rel) != 1)
		return;
	memory_drop(memory->parent);
	free(memory);
}

static void memory_end(void *record)
{
	memory_drop(record);
}

void memory_spoil(struct memory *memory)
{
	while (memory->parent != NULL)
		memory = memory->parent;
	if (atomic_load_explicit(&memory->content, memory_order_relaxed) != 0)
		atomic_store_explicit(&memory->content, 0, memory_order_relaxed);
}

void memory_tell(struct memory *memory, const void *data)
{
	uint64_t content = 0;
	if (memory->kind != MEMORY_BUFFER || memory->parent != NULL) {
		memory_spoil(memory);
		return;
	}
	if (data != NULL)
		content = samples_take(data, memory->size_bytes);
	atomic_store_explicit(&memory->content, content, memory_order_relaxed);
}

/* A new record with one reference, the program's. */
static struct memory *memory_new(memory_kind kind, uint64_t size_bytes, cl_mem_flags flags)
{
	struct memory *new = calloc(1, sizeof *new);
	if (new == NULL)
		return NULL;
	new->kind = kind;
	new->size_bytes = size_bytes;
	new->is_read_only = (flags & CL_MEM_READ_ONLY) != 0;
	atomic_store(&new->references, 1);
	return new;
}

/* host: what the program gave, NULL where the flags do not say that it is used. */
static void follow_buffer(cl_mem handle, cl_mem_flags flags, size_t size, const void *host)
{
	struct memory *new =
	        handle == NULL || !layer_follows() ? NULL : memory_new(MEMORY_BUFFER, size, flags);
	if (new == NULL)
		return;
	if ((flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR)) != 0)
		memory_tell(new, host);
	handles_add(handle, HANDLE_MEMORY, new, memory_end);
}

static void follow_image(cl_mem handle, cl_mem_flags flags, const cl_image_format *format,
                         const cl_image_desc *desc)
{
	struct memory *new =
	        handle == NULL || !layer_follows() ? NULL : memory_new(MEMORY_IMAGE, 0, flags);
	if (new == NULL)
		return;
	image_describe(new, format, desc);
	/* of an image that is another one, or a buffer: what is written to it changes that */
	new->parent = memory_find(desc->mem_object);
	if (new->parent != NULL)
		memory_keep(new->parent);
	handles_add(handle, HANDLE_MEMORY, new, memory_end);
}

/* ---- making -------------------------------------------------------------------------------- */

static cl_mem CL_API_CALL own_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size,
                                             void *host, cl_int *error)
{
	cl_mem made = layer_target.clCreateBuffer(context, flags, size, host, error);
	follow_buffer(made, flags, size, host);
	return made;
}

static cl_mem CL_API_CALL own_clCreateBufferWithProperties(cl_context context,
                                                           const cl_mem_properties *properties,
                                                           cl_mem_flags flags, size_t size,
                                                           void *host, cl_int *error)
{
	cl_mem made = layer_target.clCreateBufferWithProperties(context, properties, flags, size,
	                                                        host, error);
	follow_buffer(made, flags, size, host);
	return made;
}

static cl_mem CL_API_CALL own_clCreateSubBuffer(cl_mem of, cl_mem_flags flags,
                                                cl_buffer_create_type type, const void *info,
                                                cl_int *error)
{
	cl_mem made = layer_target.clCreateSubBuffer(of, flags, type, info, error);
	struct memory *parent = memory_find(of), *new;
	if (made == NULL || parent == NULL || type != CL_BUFFER_CREATE_TYPE_REGION)
		return made;
	const cl_buffer_region *region = info;
	if ((new = memory_new(MEMORY_BUFFER, region->size, flags)) == NULL)
		return made;
	/* without flags of access it has those of what it is a part of */
	if ((flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY)) == 0)
		new->is_read_only = parent->is_read_only;
	memory_keep(parent);
	new->parent = parent;
	handles_add(made, HANDLE_MEMORY, new, memory_end);
	return made;
}

static cl_mem CL_API_CALL own_clCreateImage(cl_context context, cl_mem_flags flags,
                                            const cl_image_format *format,
                                            const cl_image_desc *desc, void *host, cl_int *error)
{
	cl_mem made = layer_target.clCreateImage(context, flags, format, desc, host, error);
	follow_image(made, flags, format, desc);
	return made;
}

static cl_mem CL_API_CALL own_clCreateImageWithProperties(
        cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
        const cl_image_format *format, const cl_image_desc *desc, void *host, cl_int *error)
{
	cl_mem made = layer_target.clCreateImageWithProperties(context, properties, flags, format,
	                                                       desc, host, error);
	follow_image(made, flags, format, desc);
	return made;
}

static cl_mem CL_API_CALL own_clCreateImage2D(cl_context context, cl_mem_flags flags,
                                              const cl_image_format *format, size_t width,
                                              size_t height, size_t pitch, void *host,
                                              cl_int *error)
{
	cl_mem made = layer_target.clCreateImage2D(context, flags, format, width, height, pitch,
	                                           host, error);
	follow_image(made, flags, format,
	             &(cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D,
	                              .image_width = width,
	                              .image_height = height});
	return made;
}

static cl_mem CL_API_CALL own_clCreateImage3D(cl_context context, cl_mem_flags flags,
                                              const cl_image_format *format, size_t width,
                                              size_t height, size_t depth, size_t row_pitch,
                                              size_t slice_pitch, void *host, cl_int *error)
{
	cl_mem made = layer_target.clCreateImage3D(context, flags, format, width, height, depth,
	                                           row_pitch, slice_pitch, host, error);
	follow_image(made, flags, format,
	             &(cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE3D,
	                              .image_width = width,
	                              .image_height = height,
	                              .image_depth = depth});
	return made;
}

static cl_mem CL_API_CALL own_clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint packet,
                                           cl_uint packets, const cl_pipe_properties *properties,
                                           cl_int *error)
{
	cl_mem made = layer_target.clCreatePipe(context, flags, packet, packets, properties, error);
	struct memory *new =
	        made == NULL || !layer_follows() ? NULL : memory_new(MEMORY_PIPE, 0, flags);
	if (new != NULL)
		handles_add(made, HANDLE_MEMORY, new, memory_end);
	return made;
}

static cl_int CL_API_CALL own_clRetainMemObject(cl_mem handle)
{
	const cl_int result = layer_target.clRetainMemObject(handle);
	if (result == CL_SUCCESS)
		handles_retain(handle, HANDLE_MEMORY);
	return result;
}

static cl_int CL_API_CALL own_clReleaseMemObject(cl_mem handle)
{
	handles_release(handle, HANDLE_MEMORY);
	return layer_target.clReleaseMemObject(handle);
}

/* ---- samplers ------------------------------------------------------------------------------ */

struct sampler {
	const char *words;
};

const char *memory_sampler(cl_sampler handle)
{
	const struct sampler *sampler = handles_find(handle, HANDLE_SAMPLER);
	return sampler == NULL ? NULL : sampler->words;
}

static void follow_sampler(cl_sampler handle)
{
	static const char *const words[] = {
	        "nearest", "nearest,normalized", "nearest,repeat", "nearest,normalized,repeat",
	        "linear",  "linear,normalized",  "linear,repeat",  "linear,normalized,repeat"};
	cl_bool is_normalized = CL_FALSE;
	cl_addressing_mode addressing = CL_ADDRESS_NONE;
	cl_filter_mode filter = CL_FILTER_NEAREST;
	const __typeof__(layer_target.clGetSamplerInfo) ask = layer_target.clGetSamplerInfo;
	struct sampler *new = handle == NULL || !layer_follows() ? NULL : malloc(sizeof *new);
	if (new == NULL)
		return;
	(void)ask(handle, CL_SAMPLER_NORMALIZED_COORDS, sizeof is_normalized, &is_normalized, NULL);
	(void)ask(handle, CL_SAMPLER_ADDRESSING_MODE, sizeof addressing, &addressing, NULL);
	(void)ask(handle, CL_SAMPLER_FILTER_MODE, sizeof filter, &filter, NULL);
	const bool repeats =
	        addressing == CL_ADDRESS_REPEAT || addressing == CL_ADDRESS_MIRRORED_REPEAT;
	new->words = words[(filter == CL_FILTER_LINEAR) * 4 + repeats * 2 + (is_normalized != 0)];
	handles_add(handle, HANDLE_SAMPLER, new, free);
}

static cl_sampler CL_API_CALL own_clCreateSampler(cl_context context, cl_bool normalized,
                                                  cl_addressing_mode addressing,
                                                  cl_filter_mode filter, cl_int *error)
{
	cl_sampler made =
	        layer_target.clCreateSampler(context, normalized, addressing, filter, error);
	follow_sampler(made);
	return made;
}

static cl_sampler CL_API_CALL own_clCreateSamplerWithProperties(
        cl_context context, const cl_sampler_properties *properties, cl_int *error)
{
	cl_sampler made = layer_target.clCreateSamplerWithProperties(context, properties, error);
	follow_sampler(made);
	return made;
}

static cl_int CL_API_CALL own_clRetainSampler(cl_sampler handle)
{
	const cl_int result = layer_target.clRetainSampler(handle);
	if (result == CL_SUCCESS)
		handles_retain(handle, HANDLE_SAMPLER);
	return result;
}

static cl_int CL_API_CALL own_clReleaseSampler(cl_sampler handle)
{
	handles_release(handle, HANDLE_SAMPLER);
	return layer_target.clReleaseSampler(handle);
}

/* ---- shared virtual memory ----------------------------------------------------------------- */

enum { SVM_MAX = 4096 };

/* Sorted by address; no two overlap. */
static pthread_mutex_t svm_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct svm {
	uintptr_t at;
	size_t size;
} svm[SVM_MAX];
static size_t svm_count;

/* With the mutex: how many begin at the address or before it. */
static size_t svm_up_to(uintptr_t at)
{
	size_t low = 0, high = svm_count;
	while (low < high) {
		const size_t middle = (low + high) / 2;
		if (svm[middle].at <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint64_t memory_svm_size(const void *pointer)
{
	const uintptr_t at = (uintptr_t)pointer;
	uint64_t size = 0;
	(void)pthread_mutex_lock(&svm_mutex);
	const size_t count = svm_up_to(at);
	if (count > 0 && at - svm[count - 1].at < svm[count - 1].size)
		size = svm[count - 1].size - (at - svm[count - 1].at);
	(void)pthread_mutex_unlock(&svm_mutex);
	return size;
}

static void svm_take_out(size_t from, size_t to)
{
	memmove(&svm[from], &svm[to], (svm_count - to) * sizeof *svm);
	svm_count -= to - from;
}

/* What it overlaps is gone: it was freed in a way that was not seen. */
static void svm_add(void *pointer, size_t size)
{
	const uintptr_t at = (uintptr_t)pointer;
	if (pointer == NULL || size == 0)
		return;
	(void)pthread_mutex_lock(&svm_mutex);
	size_t from = svm_up_to(at), to = svm_up_to(at + size - 1);
	if (from > 0 && at - svm[from - 1].at < svm[from - 1].size)
		from--;
	svm_take_out(from, to);
	if (svm_count < SVM_MAX) {
		memmove(&svm[from + 1], &svm[from], (svm_count++ - from) * sizeof *svm);
		svm[from] = (struct svm){at, size};
	}
	(void)pthread_mutex_unlock(&svm_mutex);
}

static void svm_remove(const void *pointer)
{
	(void)pthread_mutex_lock(&svm_mutex);
	const size_t count = svm_up_to((uintptr_t)pointer);
	if (count > 0 && svm[count - 1].at == (uintptr_t)pointer)
		svm_take_out(count - 1, count);
	(void)pthread_mutex_unlock(&svm_mutex);
}

void memory_forget(void)
{
	svm_mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	svm_count = 0;
}

static void *CL_API_CALL own_clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size,
                                        cl_uint alignment)
{
	void *made = layer_target.clSVMAlloc(context, flags, size, alignment);
	if (layer_follows())
		svm_add(made, size);
	return made;
}

static void CL_API_CALL own_clSVMFree(cl_context context, void *pointer)
{
	svm_remove(pointer);
	layer_target.clSVMFree(context, pointer);
}

static cl_int CL_API_CALL
own_clEnqueueSVMFree(cl_command_queue queue, cl_uint count, void *pointers[],
                     void(CL_CALLBACK *notify)(cl_command_queue, cl_uint, void *[], void *),
                     void *user, cl_uint wait_count, const cl_event *waits, cl_event *event)
{
	const cl_int result = layer_target.clEnqueueSVMFree(queue, count, pointers, notify, user,
	                                                    wait_count, waits, event);
	/* a callback of the program's frees where there is one: the program may go on using them */
	for (cl_uint i = 0; result == CL_SUCCESS && notify == NULL && i < count; i++)
		svm_remove(pointers[i]);
	return result;
}

void memory_enter(struct _cl_icd_dispatch *dispatch)
{
	LAYER_ENTER(dispatch, clCreateBuffer);
	LAYER_ENTER(dispatch, clCreateBufferWithProperties);
	LAYER_ENTER(dispatch, clCreateSubBuffer);
	LAYER_ENTER(dispatch, clCreateImage);
	LAYER_ENTER(dispatch, clCreateImageWithProperties);
	LAYER_ENTER(dispatch, clCreateImage2D);
	LAYER_ENTER(dispatch, clCreateImage3D);
	LAYER_ENTER(dispatch, clCreatePipe);
	LAYER_ENTER(dispatch, clRetainMemObject);
	LAYER_ENTER(dispatch, clReleaseMemObject);
	LAYER_ENTER(dispatch, clCreateSampler);
	LAYER_ENTER(dispatch, clCreateSamplerWithProperties);
	LAYER_ENTER(dispatch, clRetainSampler);
	LAYER_ENTER(dispatch, clReleaseSampler);
	LAYER_ENTER(dispatch, clSVMAlloc);
	LAYER_ENTER(dispatch, clSVMFree);
	LAYER_ENTER(dispatch, clEnqueueSVMFree);
}
