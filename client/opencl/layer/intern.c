/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records by the 64-bit hash of what they are: among 16384 programs two of one hash are met once in
 * 10^11 processes, so the hash stands for equality.
 */
#include "client/opencl/layer/intern.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "client/opencl/layer/arena.h"

/* The header calls the loader, which a layer must not do: its calls are the target's here. */
#define clGetDeviceIDs    layer_target.clGetDeviceIDs
#define clGetDeviceInfo   layer_target.clGetDeviceInfo
#define clGetPlatformIDs  layer_target.clGetPlatformIDs
#define clGetPlatformInfo layer_target.clGetPlatformInfo
#include "client/opencl/predictd_opencl.h"

enum {
	DEVICES_MAX = 64,
	KERNELS_MAX = 1 << 15,
	SLOTS = 1 << 16, /* of each table: half of them stay empty */
	TEXT_BYTES_MAX = 32 << 20,
	RECORD_BYTES_MAX = 8 << 20
};

struct interned {
	uint64_t hash;
	void *record;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct interned *programs, *kernels; /* SLOTS */
static size_t program_count, kernel_count;
static struct arena texts = {.bound = TEXT_BYTES_MAX}, records = {.bound = RECORD_BYTES_MAX};
static struct {
	cl_device_id device;
	seen_device *seen;
} devices[DEVICES_MAX];
static size_t device_count;

/* The slot of a hash, or the empty one that is for it; NULL: memory is short. */
static struct interned *slot_of(struct interned **table, uint64_t hash)
{
	if (*table == NULL && (*table = calloc(SLOTS, sizeof **table)) == NULL)
		return NULL;
	size_t i = hash % SLOTS;
	while ((*table)[i].record != NULL && (*table)[i].hash != hash)
		i = (i + 1) % SLOTS;
	return &(*table)[i];
}

/* ---- devices ------------------------------------------------------------------------------- */

/*
 * The keys of a platform's devices. Other platforms stay as they are: their drivers would start on
 * a program's behalf that does not use them, and equals are numbered within a platform's name.
 */
static void key_of(cl_device_id device, char key[PREDICTD_KEY_BYTES])
{
	cl_platform_id platform;
	cl_device_id list[DEVICES_MAX];
	cl_uint count = 0;
	key[0] = '\0';
	if (clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) !=
	            CL_SUCCESS ||
	    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, DEVICES_MAX, list, &count) != CL_SUCCESS)
		return;
	if (count > DEVICES_MAX)
		count = DEVICES_MAX;
	predictd_device_identity *identities = calloc(count + 1, sizeof *identities);
	char(*keys)[PREDICTD_KEY_BYTES] = calloc(count + 1, sizeof *keys);
	if (identities != NULL && keys != NULL) {
		for (cl_uint i = 0; i < count; i++)
			predictd_opencl_identity(list[i], &identities[i]);
		predictd_device_keys(identities, count, keys);
		for (cl_uint i = 0; i < count; i++)
			if (list[i] == device)
				memcpy(key, keys[i], PREDICTD_KEY_BYTES);
	}
	free(identities);
	free(keys);
}

static bool is_same(const seen_device *a, const seen_device *b)
{
	return strcmp(a->key, b->key) == 0 && strcmp(a->name, b->name) == 0;
}

seen_device *intern_device(cl_device_id device)
{
	seen_device new = {0}, *seen = NULL;
	cl_device_type type = 0;
	(void)pthread_mutex_lock(&mutex);
	for (size_t i = 0; i < device_count; i++)
		if (devices[i].device == device)
			seen = devices[i].seen;
	(void)pthread_mutex_unlock(&mutex);
	if (seen != NULL)
		return seen;
	key_of(device, new.key);
	predictd_opencl_text(device, CL_DEVICE_NAME, new.name, sizeof new.name);
	if (clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL) == CL_SUCCESS)
		new.is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
	(void)pthread_mutex_lock(&mutex);
	for (size_t i = 0; i < device_count; i++)
		if (is_same(devices[i].seen, &new))
			seen = devices[i].seen;
	if (seen == NULL && device_count < DEVICES_MAX &&
	    (seen = arena_copy(&records, &new, sizeof new)) != NULL) {
		/* a sub-device's handle may come up again: it is found by its name */
		devices[device_count].device = new.key[0] == '\0' ? NULL : device;
		devices[device_count++].seen = seen;
	}
	(void)pthread_mutex_unlock(&mutex);
	return seen;
}

/* ---- programs and kernels ------------------------------------------------------------------ */

static uint64_t program_hash(seen_origin origin, const char *text, size_t size, const char *options,
                             const predictd_header *headers, size_t header_count)
{
	uint64_t hash = XXH3_64bits_withSeed(text, size, (uint64_t)origin + 1);
	hash = XXH3_64bits_withSeed(options, strlen(options), hash);
	for (size_t i = 0; i < header_count; i++) {
		hash = XXH3_64bits_withSeed(headers[i].name, strlen(headers[i].name), hash);
		hash = XXH3_64bits_withSeed(headers[i].text, headers[i].size, hash);
	}
	return hash;
}

static bool program_fill(seen_program *program, const char *text, size_t size, const char *options,
                         const predictd_header *headers, size_t header_count)
{
	if (program->origin == SEEN_SOURCE &&
	    (program->text = arena_copy(&texts, text, size)) == NULL)
		return false;
	program->size = size;
	program->options = arena_copy(&texts, options, strlen(options));
	program->headers = arena_give(&records, (header_count + 1) * sizeof *headers);
	if (program->options == NULL || program->headers == NULL)
		return false;
	for (size_t i = 0; i < header_count; i++) {
		predictd_header *header = &program->headers[i];
		header->name = arena_copy(&texts, headers[i].name, strlen(headers[i].name));
		header->text = arena_copy(&texts, headers[i].text, headers[i].size);
		header->size = headers[i].size;
		if (header->name == NULL || header->text == NULL)
			return false;
	}
	program->header_count = header_count;
	return true;
}

seen_program *intern_program(seen_origin origin, const char *text, size_t size, const char *options,
                             const predictd_header *headers, size_t header_count)
{
	if (options == NULL)
		options = "";
	const uint64_t hash = program_hash(origin, text, size, options, headers, header_count);
	(void)pthread_mutex_lock(&mutex);
	struct interned *slot = slot_of(&programs, hash);
	seen_program *program = slot == NULL ? NULL : slot->record;
	if (slot != NULL && program == NULL && program_count < SEEN_PROGRAMS_MAX &&
	    (program = arena_give(&records, sizeof *program)) != NULL) {
		program->origin = origin;
		program->hash = hash;
		if (program_fill(program, text, size, options, headers, header_count)) {
			*slot = (struct interned){hash, program};
			program_count++;
		} else {
			program = NULL;
		}
	}
	(void)pthread_mutex_unlock(&mutex);
	return program;
}

seen_kernel *intern_kernel(seen_program *program, const char *name, uint32_t argument_count)
{
	if (program == NULL)
		return NULL;
	const uint64_t hash = XXH3_64bits_withSeed(name, strlen(name), program->hash);
	(void)pthread_mutex_lock(&mutex);
	struct interned *slot = slot_of(&kernels, hash);
	seen_kernel *kernel = slot == NULL ? NULL : slot->record;
	if (slot != NULL && kernel == NULL && kernel_count < KERNELS_MAX &&
	    (kernel = arena_give(&records, sizeof *kernel)) != NULL) {
		kernel->program = program;
		kernel->argument_count = argument_count;
		kernel->name = arena_copy(&records, name, strlen(name));
		kernel->parameters = arena_give(&records, argument_count + 1);
		if (kernel->name != NULL && kernel->parameters != NULL) {
			*slot = (struct interned){hash, kernel};
			kernel_count++;
		} else {
			kernel = NULL;
		}
	}
	(void)pthread_mutex_unlock(&mutex);
	return kernel;
}

void intern_forget(void)
{
	mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	programs = kernels = NULL;
	program_count = kernel_count = device_count = 0;
	texts = (struct arena){.bound = TEXT_BYTES_MAX};
	records = (struct arena){.bound = RECORD_BYTES_MAX};
}
