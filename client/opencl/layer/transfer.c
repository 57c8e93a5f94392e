/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transfers, and what they leave in buffers: a whole one that comes from the host is known, a part
 * or what comes from a device is not.
 */
#include "client/opencl/layer/memory.h"
#include "client/opencl/layer/watch.h"

/* The command has returned. Gives its result on. */
static cl_int finish(struct watch *watch, cl_int result, seen_transfer_kind kind,
                     uint64_t size_bytes, bool is_blocking)
{
	struct harvest_entry entry = {
	        .kind = kind, .size_bytes = size_bytes, .is_blocking = is_blocking};
	if (watch_end(watch, result))
		watch_push(watch, &entry);
	else if (watch->queue != NULL && result == CL_SUCCESS)
		atomic_fetch_add_explicit(&layer_losses.transfers, 1, memory_order_relaxed);
	return result;
}

/* A command wrote it, or a part of it. */
static void spoil(cl_int result, cl_mem handle)
{
	struct memory *memory = result == CL_SUCCESS ? memory_find(handle) : NULL;
	if (memory != NULL)
		memory_spoil(memory);
}

/* Of a call that the driver took: before that, its pointers are not to be trusted. */
static uint64_t texels_bytes(cl_int result, cl_mem image, const size_t *region)
{
	const struct memory *memory = result == CL_SUCCESS ? memory_find(image) : NULL;
	return memory == NULL ? 0
	                      : (uint64_t)memory->texel_bytes * region[0] * region[1] * region[2];
}

static uint64_t box_bytes(cl_int result, const size_t *region)
{
	return result != CL_SUCCESS ? 0 : (uint64_t)region[0] * region[1] * region[2];
}

static bool is_whole(const struct memory *memory, size_t offset, size_t size)
{
	return offset == 0 && size == memory->size_bytes;
}

/* ---- buffers ------------------------------------------------------------------------------- */

static cl_int CL_API_CALL own_clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer,
                                                  cl_bool is_blocking, size_t offset, size_t size,
                                                  void *data, cl_uint wait_count,
                                                  const cl_event *waits, cl_event *event)
{
	struct watch watch;
	watch_begin(&watch, queue, event);
	const cl_int result = layer_target.clEnqueueReadBuffer(
	        queue, buffer, is_blocking, offset, size, data, wait_count, waits, watch.event);
	struct memory *memory = result == CL_SUCCESS && is_blocking && watch.queue != NULL
	                                ? memory_find(buffer)
	                                : NULL;
	if (memory != NULL && is_whole(memory, offset, size) && atomic_load(&memory->content) == 0)
		memory_tell(memory, data);
	return finish(&watch, result, SEEN_READ, size, is_blocking);
}

static cl_int CL_API_CALL own_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer,
                                                   cl_bool is_blocking, size_t offset, size_t size,
                                                   const void *data, cl_uint wait_count,
                                                   const cl_event *waits, cl_event *event)
{
	struct watch watch;
	watch_begin(&watch, queue, event);
	const cl_int result = layer_target.clEnqueueWriteBuffer(
	        queue, buffer, is_blocking, offset, size, data, wait_count, waits, watch.event);
	struct memory *memory = result == CL_SUCCESS ? memory_find(buffer) : NULL;
	if (memory != NULL && layer_follows())
		memory_tell(memory, is_whole(memory, offset, size) ? data : NULL);
	return finish(&watch, result, SEEN_WRITE, size, is_blocking);
}

static cl_int CL_API_CALL own_clEnqueueReadBufferRect(
        cl_command_queue queue, cl_mem buffer, cl_bool is_blocking, const size_t *a_origin,
        const size_t *b_origin, const size_t *region, size_t a_row, size_t a_slice, size_t b_row,
        size_t b_slice, void *data, cl_uint wait_count, const cl_event *waits, cl_event *event)
{
	struct watch watch;
	watch_begin(&watch, queue, event);
	const cl_int result = layer_target.clEnqueueReadBufferRect(
	        queue, buffer, is_blocking, a_origin, b_origin, region, a_row, a_slice, b_row,
	        b_slice, data, wait_count, waits, watch.event);
	return finish(&watch, result, SEEN_READ, box_bytes(result, region), is_blocking);
}

static cl_int CL_API_CALL own_clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer,
                                                       cl_bool is_blocking, const size_t *a_origin,
                                                       const size_t *b_origin, const size_t *region,
                                                       size_t a_row, size_t a_slice, size_t b_row,
                                                       size_t b_slice, const void *data,
                                                       cl_uint wait_count, const cl_event *waits,
                                                       cl_event *event)
{
	struct watch watch;
	watch_begin(&watch, queue, event);
	const cl_int result = layer_target.clEnqueueWriteBufferRect(
	        queue, buffer, is_blocking, a_origin, b_origin, region, a_row, a_slice, b_row,
	        b_slice, data, wait_count, waits, watch.event);
	spoil(result, buffer);
	return finish(&watch, result, SEEN_WRITE, box_bytes(result, region), is_blocking);
}

static cl_int CL_API_CALL own_clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to,
                                                  size_t from_offset, size_t to_offset, size_t size,
                                                  cl_uint wait_count, const cl_event *waits,
                                                  cl_event *event)
{
	struct watch watch;
	watch_begin(&watch, queue, event);
	const cl_int result = layer_target.clEnqueueCopyBuffer(
	        queue, from, to, from_offset, to_offset, size, wait_count, waits, watch.event);
	spoil(result, to);
	return finish(&watch, result, SEEN_COPY, size, false);
}

static cl_int CL_API_CALL own_clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem from,
                                                      cl_mem to, const size_t *a_origin,
                                                      const size_t *b_origin, const size_t *region,
                                                      size_t a_row, size_t a_slice, size_t b_row,
                                                      size_t b_slice, cl_uint wait_count,
                                                      const cl_event *waits, cl_event *event)
{
	struct watch watch;
	watch_begin(&watch, queue, event);
	const cl_int result = layer_target.clEnqueueCopyBufferRect(
	        queue, from, to, a_origin, b_origin, region, a_row, a_slice, b_row, b_slice,
	        wait_count, waits, watch.event);
	spoil(result, to);
	return finish(&watch, result, SEEN_COPY, box_bytes(result, region), false);
}

static cl_int CL_API_CALL own_clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer,
                                                  const void *pattern, size_t pattern_size,
                                                  size_t offset, size_t size, cl_uint wait_count,
                                                  const cl_event *waits, cl_event *event)
{
	struct watch watch;
	watch_begin(&watch, queue, event);
	const cl_int result = layer_target.clEnqueueFillBuffer(
	        queue, buffer, pattern, pattern_size, offset, size, wait_count, waits, watch.event);
	spoil(result, buffer);
	return finish(&watch, result, SEEN_FILL, size, false);
}

/* ---- images -------------------------------------------------------------------------------- */

static cl_int CL_API_CALL own_clEnqueueReadImage(cl_command_queue queue, cl_mem image,
                                                 cl_bool is_blocking, const size_t *origin,
                                                 const size_t *region, size_t row, size_t slice,
                                                 void *data, cl_uint wait_count,
                                                 const cl_event *waits, cl_event *event)
{
	struct watch watch;
	watch_begin(&watch, queue, event);
	const cl_int result =
	        layer_target.clEnqueueReadImage(queue, image, is_blocking, origin, region, row,
	                                        slice, data, wait_count, waits, watch.event);
	return finish(&watch, result, SEEN_READ, texels_bytes(result, image, region), is_blocking);
}

static cl_int CL_API_CALL own_clEnqueueWriteImage(cl_command_queue queue, cl_mem image,
                                                  cl_bool is_blocking, const size_t *origin,
                                                  const size_t *region, size_t row, size_t slice,
                                                  const void *data, cl_uint wait_count,
                                                  const cl_event *waits, cl_event *event)
{
	struct watch watch;
	watch_begin(&watch, queue, event);
	const cl_int result =
	        layer_target.clEnqueueWriteImage(queue, image, is_blocking, origin, region, row,
	                                         slice, data, wait_count, waits, watch.event);
	spoil(result, image);
	return finish(&watch, result, SEEN_WRITE, texels_bytes(result, image, region), is_blocking);
}

static cl_int CL_API_CALL own_clEnqueueCopyImage(cl_command_queue queue, cl_mem from, cl_mem to,
                                                 const size_t *from_origin, const size_t *to_origin,
                                                 const size_t *region, cl_uint wait_count,
                                                 const cl_event *waits, cl_event *event)
{
	struct watch watch;
	watch_begin(&watch, queue, event);
	const cl_int result = layer_target.clEnqueueCopyImage(
	        queue, from, to, from_origin, to_origin, region, wait_count, waits, watch.event);
	spoil(result, to);
	return finish(&watch, result, SEEN_COPY, texels_bytes(result, from, region), false);
}

static cl_int CL_API_CALL own_clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem from,
                                                         cl_mem to, const size_t *origin,
                                                         const size_t *region, size_t offset,
                                                         cl_uint wait_count, const cl_event *waits,
                                                         cl_event *event)
{
	struct watch watch;
	watch_begin(&watch, queue, event);
	const cl_int result = layer_target.clEnqueueCopyImageToBuffer(
	        queue, from, to, origin, region, offset, wait_count, waits, watch.event);
	spoil(result, to);
	return finish(&watch, result, SEEN_COPY, texels_bytes(result, from, region), false);
}

static cl_int CL_API_CALL own_clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem from,
                                                         cl_mem to, size_t offset,
                                                         const size_t *origin, const size_t *region,
                                                         cl_uint wait_count, const cl_event *waits,
                                                         cl_event *event)
{
	struct watch watch;
	watch_begin(&watch, queue, event);
	const cl_int result = layer_target.clEnqueueCopyBufferToImage(
	        queue, from, to, offset, origin, region, wait_count, waits, watch.event);
	spoil(result, to);
	return finish(&watch, result, SEEN_COPY, texels_bytes(result, to, region), false);
}

static cl_int CL_API_CALL own_clEnqueueFillImage(cl_command_queue queue, cl_mem image,
                                                 const void *color, const size_t *origin,
                                                 const size_t *region, cl_uint wait_count,
                                                 const cl_event *waits, cl_event *event)
{
	struct watch watch;
	watch_begin(&watch, queue, event);
	const cl_int result = layer_target.clEnqueueFillImage(queue, image, color, origin, region,
	                                                      wait_count, waits, watch.event);
	spoil(result, image);
	return finish(&watch, result, SEEN_FILL, texels_bytes(result, image, region), false);
}

/* ---- maps ---------------------------------------------------------------------------------- */

/* A map for writing: what the buffer holds is known again when it is unmapped, if at all. */
static void follow_map(cl_mem buffer, void *pointer, cl_map_flags flags, bool is_known)
{
	struct memory *memory = memory_find(buffer);
	if (memory == NULL || (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) == 0)
		return;
	memory_spoil(memory);
	atomic_store(&memory->mapped, is_known ? pointer : NULL);
}

static void *CL_API_CALL own_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer,
                                                cl_bool is_blocking, cl_map_flags flags,
                                                size_t offset, size_t size, cl_uint wait_count,
                                                const cl_event *waits, cl_event *event,
                                                cl_int *error)
{
	struct watch watch;
	watch_begin(&watch, queue, event);
	void *pointer =
	        layer_target.clEnqueueMapBuffer(queue, buffer, is_blocking, flags, offset, size,
	                                        wait_count, waits, watch.event, error);
	const struct memory *memory = memory_find(buffer);
	if (pointer != NULL && memory != NULL && layer_follows())
		follow_map(buffer, pointer, flags, is_blocking && is_whole(memory, offset, size));
	(void)finish(&watch, pointer == NULL ? CL_MAP_FAILURE : CL_SUCCESS, SEEN_MAP, size,
	             is_blocking);
	return pointer;
}

static void *CL_API_CALL own_clEnqueueMapImage(cl_command_queue queue, cl_mem image,
                                               cl_bool is_blocking, cl_map_flags flags,
                                               const size_t *origin, const size_t *region,
                                               size_t *row, size_t *slice, cl_uint wait_count,
                                               const cl_event *waits, cl_event *event,
                                               cl_int *error)
{
	struct watch watch;
	watch_begin(&watch, queue, event);
	void *pointer =
	        layer_target.clEnqueueMapImage(queue, image, is_blocking, flags, origin, region,
	                                       row, slice, wait_count, waits, watch.event, error);
	const cl_int result = pointer == NULL ? CL_MAP_FAILURE : CL_SUCCESS;
	if ((flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0)
		spoil(result, image);
	(void)finish(&watch, result, SEEN_MAP, texels_bytes(result, image, region), is_blocking);
	return pointer;
}

static cl_int CL_API_CALL own_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem object,
                                                      void *pointer, cl_uint wait_count,
                                                      const cl_event *waits, cl_event *event)
{
	struct watch watch;
	struct memory *memory = layer_follows() ? memory_find(object) : NULL;
	const bool is_known =
	        memory != NULL && pointer != NULL && atomic_load(&memory->mapped) == pointer;
	if (is_known) { /* before it goes */
		atomic_store(&memory->mapped, NULL);
		memory_tell(memory, pointer);
	}
	watch_begin(&watch, queue, event);
	const cl_int result = layer_target.clEnqueueUnmapMemObject(queue, object, pointer,
	                                                           wait_count, waits, watch.event);
	return finish(&watch, result, SEEN_UNMAP, memory == NULL ? 0 : memory->size_bytes, false);
}

/* ---- what a function of the program's does -------------------------------------------------- */

static cl_int CL_API_CALL own_clEnqueueNativeKernel(cl_command_queue queue,
                                                    void(CL_CALLBACK *function)(void *), void *data,
                                                    size_t size, cl_uint count,
                                                    const cl_mem *objects, const void **places,
                                                    cl_uint wait_count, const cl_event *waits,
                                                    cl_event *event)
{
	const cl_int result = layer_target.clEnqueueNativeKernel(
	        queue, function, data, size, count, objects, places, wait_count, waits, event);
	for (cl_uint i = 0; result == CL_SUCCESS && i < count; i++)
		spoil(result, objects[i]);
	return result;
}

/* ---- the rest ------------------------------------------------------------------------------ */

static cl_int CL_API_CALL own_clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint count,
                                                         const cl_mem *objects,
                                                         cl_mem_migration_flags flags,
                                                         cl_uint wait_count, const cl_event *waits,
                                                         cl_event *event)
{
	struct watch watch;
	uint64_t size_bytes = 0;
	watch_begin(&watch, queue, event);
	const cl_int result = layer_target.clEnqueueMigrateMemObjects(
	        queue, count, objects, flags, wait_count, waits, watch.event);
	for (cl_uint i = 0; result == CL_SUCCESS && i < count; i++) {
		const struct memory *memory = memory_find(objects[i]);
		size_bytes += memory == NULL ? 0 : memory->size_bytes;
	}
	return finish(&watch, result, SEEN_MIGRATE, size_bytes, false);
}

static cl_int CL_API_CALL own_clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool is_blocking,
                                                 void *to, const void *from, size_t size,
                                                 cl_uint wait_count, const cl_event *waits,
                                                 cl_event *event)
{
	struct watch watch;
	watch_begin(&watch, queue, event);
	const cl_int result = layer_target.clEnqueueSVMMemcpy(queue, is_blocking, to, from, size,
	                                                      wait_count, waits, watch.event);
	return finish(&watch, result, SEEN_COPY, size, is_blocking);
}

static cl_int CL_API_CALL own_clEnqueueSVMMemFill(cl_command_queue queue, void *to,
                                                  const void *pattern, size_t pattern_size,
                                                  size_t size, cl_uint wait_count,
                                                  const cl_event *waits, cl_event *event)
{
	struct watch watch;
	watch_begin(&watch, queue, event);
	const cl_int result = layer_target.clEnqueueSVMMemFill(
	        queue, to, pattern, pattern_size, size, wait_count, waits, watch.event);
	return finish(&watch, result, SEEN_FILL, size, false);
}

static cl_int CL_API_CALL own_clEnqueueSVMMap(cl_command_queue queue, cl_bool is_blocking,
                                              cl_map_flags flags, void *pointer, size_t size,
                                              cl_uint wait_count, const cl_event *waits,
                                              cl_event *event)
{
	struct watch watch;
	watch_begin(&watch, queue, event);
	const cl_int result = layer_target.clEnqueueSVMMap(queue, is_blocking, flags, pointer, size,
	                                                   wait_count, waits, watch.event);
	return finish(&watch, result, SEEN_MAP, size, is_blocking);
}

static cl_int CL_API_CALL own_clEnqueueSVMUnmap(cl_command_queue queue, void *pointer,
                                                cl_uint wait_count, const cl_event *waits,
                                                cl_event *event)
{
	struct watch watch;
	watch_begin(&watch, queue, event);
	const cl_int result =
	        layer_target.clEnqueueSVMUnmap(queue, pointer, wait_count, waits, watch.event);
	return finish(&watch, result, SEEN_UNMAP, memory_svm_size(pointer), false);
}

static cl_int CL_API_CALL own_clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint count,
                                                     const void **pointers, const size_t *sizes,
                                                     cl_mem_migration_flags flags,
                                                     cl_uint wait_count, const cl_event *waits,
                                                     cl_event *event)
{
	struct watch watch;
	uint64_t size_bytes = 0;
	watch_begin(&watch, queue, event);
	const cl_int result = layer_target.clEnqueueSVMMigrateMem(
	        queue, count, pointers, sizes, flags, wait_count, waits, watch.event);
	for (cl_uint i = 0; result == CL_SUCCESS && i < count; i++)
		size_bytes +=
		        sizes != NULL && sizes[i] != 0 ? sizes[i] : memory_svm_size(pointers[i]);
	return finish(&watch, result, SEEN_MIGRATE, size_bytes, false);
}

void transfer_enter(struct _cl_icd_dispatch *dispatch)
{
	LAYER_ENTER(dispatch, clEnqueueReadBuffer);
	LAYER_ENTER(dispatch, clEnqueueWriteBuffer);
	LAYER_ENTER(dispatch, clEnqueueReadBufferRect);
	LAYER_ENTER(dispatch, clEnqueueWriteBufferRect);
	LAYER_ENTER(dispatch, clEnqueueCopyBuffer);
	LAYER_ENTER(dispatch, clEnqueueCopyBufferRect);
	LAYER_ENTER(dispatch, clEnqueueFillBuffer);
	LAYER_ENTER(dispatch, clEnqueueReadImage);
	LAYER_ENTER(dispatch, clEnqueueWriteImage);
	LAYER_ENTER(dispatch, clEnqueueCopyImage);
	LAYER_ENTER(dispatch, clEnqueueCopyImageToBuffer);
	LAYER_ENTER(dispatch, clEnqueueCopyBufferToImage);
	LAYER_ENTER(dispatch, clEnqueueFillImage);
	LAYER_ENTER(dispatch, clEnqueueMapBuffer);
	LAYER_ENTER(dispatch, clEnqueueMapImage);
	LAYER_ENTER(dispatch, clEnqueueUnmapMemObject);
	LAYER_ENTER(dispatch, clEnqueueNativeKernel);
	LAYER_ENTER(dispatch, clEnqueueMigrateMemObjects);
	LAYER_ENTER(dispatch, clEnqueueSVMMemcpy);
	LAYER_ENTER(dispatch, clEnqueueSVMMemFill);
	LAYER_ENTER(dispatch, clEnqueueSVMMap);
	LAYER_ENTER(dispatch, clEnqueueSVMUnmap);
	LAYER_ENTER(dispatch, clEnqueueSVMMigrateMem);
}
