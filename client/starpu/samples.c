/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of what handles in main memory hold, taken once a handle, where a kernel's time hangs on
 * data. A handle that a task of an attached codelet writes is unknown from the task's submission
 * on.
 */
#include <string.h>

#include "client/starpu/adapter.h"

enum { CACHE_MAX = 256 };

struct cached {
	starpu_data_handle_t handle;
	const void *data;
	size_t size_bytes;
	bool is_written;         /* what it holds is not known any more */
	predictd_sample *sample; /* stays until the end: others may be asking with it */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct cached cache[CACHE_MAX];
static size_t cached_count;

static struct cached *find(starpu_data_handle_t handle)
{
	for (size_t i = 0; i < cached_count; i++)
		if (cache[i].handle == handle)
			return &cache[i];
	return NULL;
}

static struct cached *find_or_add(starpu_data_handle_t handle)
{
	struct cached *found = find(handle);
	if (found == NULL && cached_count < CACHE_MAX) {
		found = &cache[cached_count++];
		*found = (struct cached){.handle = handle};
	}
	return found;
}

/* Where the data lie in main memory, if they are good there. */
static const void *data_of(starpu_data_handle_t handle)
{
	int is_allocated = 0, is_valid = 0, is_requested = 0;
	switch (starpu_data_get_interface_id(handle)) {
	case STARPU_VECTOR_INTERFACE_ID:
	case STARPU_VARIABLE_INTERFACE_ID:
		break;
	case STARPU_MATRIX_INTERFACE_ID: /* rows that lie apart are not what the buffer has */
		if (starpu_matrix_get_local_ld(handle) != starpu_matrix_get_nx(handle))
			return NULL;
		break;
	default:
		return NULL;
	}
	starpu_data_query_status(handle, STARPU_MAIN_RAM, &is_allocated, &is_valid, &is_requested);
	return is_allocated && is_valid ? starpu_data_handle_to_pointer(handle, STARPU_MAIN_RAM)
	                                : NULL;
}

/* "float" of "buffer float"; NULL: it is no type of elements. */
static const char *element_of(const predictd_kernel *kernel, size_t i)
{
	static const char word[] = "buffer ";
	const char *type = kernel->argument_types[i];
	if (strncmp(type, word, sizeof word - 1) != 0 ||
	    strchr("0123456789", type[sizeof word - 1]))
		return NULL;
	return type + sizeof word - 1;
}

/* The sample of a handle that is only read. By a thread that submits: a worker takes none. */
static const predictd_sample *sample_of(const struct predictd_starpu_state *state, size_t argument,
                                        starpu_data_handle_t handle, bool may_take)
{
	size_t size_bytes = starpu_data_get_size(handle);
	struct cached *cached = find(handle);
	if (cached == NULL && !may_take)
		return NULL;
	if (cached != NULL) /* of other data: the handle's place is another's by now */
		return cached->is_written || cached->size_bytes != size_bytes ||
		                       (may_take && cached->data != data_of(handle))
		               ? NULL
		               : cached->sample;
	const void *data = data_of(handle);
	if (data == NULL || (cached = find_or_add(handle)) == NULL)
		return NULL;
	cached->data = data;
	cached->size_bytes = size_bytes;
	(void)predictd_sample_take(data, size_bytes, element_of(state->description, argument), 0,
	                           &cached->sample);
	return cached->sample;
}

static enum starpu_data_access_mode mode_of(const struct starpu_task *task,
                                            starpu_data_handle_t handle)
{
	enum starpu_data_access_mode mode = STARPU_NONE;
	unsigned count = STARPU_TASK_GET_NBUFFERS(task);
	for (unsigned i = 0; i < count; i++)
		if (STARPU_TASK_GET_HANDLE(task, i) == handle)
			mode |= STARPU_TASK_GET_MODE(task, i);
	return mode;
}

void samples_put(const struct predictd_starpu_state *state, const struct starpu_task *task,
                 predictd_starpu_launch *launch)
{
	bool may_take = starpu_worker_get_id() < 0;
	(void)pthread_mutex_lock(&mutex);
	for (size_t i = 0; i < launch->count; i++) {
		starpu_data_handle_t handle = launch->handles[i];
		if (handle == NULL)
			continue;
		if ((mode_of(task, handle) & STARPU_W) == 0) {
			launch->values[i].sample = sample_of(state, i, handle, may_take);
			continue;
		}
		struct cached *cached = find_or_add(handle);
		if (cached != NULL)
			cached->is_written = true;
	}
	(void)pthread_mutex_unlock(&mutex);
}

void samples_forget(void)
{
	(void)pthread_mutex_lock(&mutex);
	for (size_t i = 0; i < cached_count; i++)
		predictd_sample_free(cache[i].sample);
	cached_count = 0;
	(void)pthread_mutex_unlock(&mutex);
}
