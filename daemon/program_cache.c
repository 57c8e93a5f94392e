/* SPDX-License-Identifier: Apache-2.0 */
/* The programs analysed and kept. */
#include "daemon/program_cache.h"

#include "model/passes.h"

#include <errno.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <xxhash.h>

/* Each part behind its length: no two programs are the same bytes. */
static void hash_part(SHA2_CTX *context, const void *bytes, size_t size)
{
	uint64_t length = size;
	uint8_t prefix[8];
	for (unsigned i = 0; i < sizeof prefix; i++)
		prefix[i] = (uint8_t)(length >> (8 * i));
	SHA256Update(context, prefix, sizeof prefix);
	if (size > 0)
		SHA256Update(context, bytes, size);
}

struct program_key program_key(const Predictd__Program *message)
{
	struct program_key key;
	SHA2_CTX context;
	SHA256Init(&context);
	hash_part(&context, message->name, strlen(message->name));
	hash_part(&context, message->source.data, message->source.len);
	hash_part(&context, message->options, strlen(message->options));
	for (size_t i = 0; i < message->n_headers; i++) {
		const Predictd__Header *header = message->headers[i];
		hash_part(&context, header->name, strlen(header->name));
		hash_part(&context, header->text.data, header->text.len);
	}
	SHA256Final(key.bytes, &context);
	return key;
}

static void program_free(struct program *program)
{
	if (program == NULL)
		return;
	for (size_t i = 0; i < program->kernel_count; i++)
		kernel_free(program->kernels[i]);
	free(program->kernels);
	free(program);
}

static void list_remove(struct program_cache *cache, struct program *program)
{
	*(program->newer != NULL ? &program->newer->older : &cache->newest) = program->older;
	*(program->older != NULL ? &program->older->newer : &cache->oldest) = program->newer;
	program->newer = NULL;
	program->older = NULL;
}

static void list_push(struct program_cache *cache, struct program *program)
{
	program->older = cache->newest;
	*(cache->newest != NULL ? &cache->newest->newer : &cache->oldest) = program;
	cache->newest = program;
}

static void forget(struct program_cache *cache, struct program *program)
{
	list_remove(cache, program);
	HASH_DELETE(by_key, cache->by_key, program);
	HASH_DELETE(by_handle, cache->by_handle, program);
	cache->count--;
	cache->bytes -= program->bytes;
	program_free(program);
}

void program_cache_init(struct program_cache *cache, size_t count_max, size_t bytes_max)
{
	*cache = (struct program_cache){.count_max = count_max, .bytes_max = bytes_max};
}

void program_cache_deinit(struct program_cache *cache)
{
	while (cache->oldest != NULL)
		forget(cache, cache->oldest);
}

void program_cache_bound(struct program_cache *cache, size_t count_max, size_t bytes_max)
{
	cache->count_max = count_max;
	cache->bytes_max = bytes_max;
	/* the newest stays, or a program over the bound could never be asked about */
	while (cache->oldest != cache->newest &&
	       (cache->count > count_max || cache->bytes > bytes_max))
		forget(cache, cache->oldest);
}

static struct program *used(struct program_cache *cache, struct program *program)
{
	if (program != NULL && program != cache->newest) {
		list_remove(cache, program);
		list_push(cache, program);
	}
	return program;
}

struct program *program_cache_find(struct program_cache *cache, const struct program_key *key)
{
	struct program *program;
	HASH_FIND(by_key, cache->by_key, key, sizeof *key, program);
	return used(cache, program);
}

struct program *program_cache_find_handle(struct program_cache *cache, uint64_t handle)
{
	struct program *program;
	HASH_FIND(by_handle, cache->by_handle, &handle, sizeof handle, program);
	return used(cache, program);
}

/* What sealing adds: counts of a block are larger than all else of it. */
static size_t summary_bytes(const struct ir_kernel *kernel)
{
	const struct ir_summary *summary = kernel->summary;
	if (summary == NULL)
		return 0;
	size_t of_node = sizeof *summary->node_block + sizeof *summary->node_is_address +
	                 sizeof *summary->node_is_integer_known;
	size_t of_block = sizeof *summary->emitted + sizeof *summary->block_depth +
	                  sizeof *summary->loop_depth + sizeof *summary->block_obstacle;
	return sizeof *summary + kernel->node_count * of_node +
	       kernel->access_count * sizeof *summary->access_block +
	       kernel->block_count * of_block + summary->loop_count * sizeof *summary->loops;
}

static size_t kernel_bytes(const struct ir_kernel *kernel)
{
	return sizeof *kernel + kernel->argument_count * sizeof *kernel->arguments +
	       kernel->object_count * sizeof *kernel->objects +
	       kernel->node_count * sizeof *kernel->nodes +
	       kernel->operand_count * sizeof *kernel->operands +
	       kernel->access_count * sizeof *kernel->accesses +
	       kernel->statement_count * sizeof *kernel->statements +
	       kernel->variable_count * sizeof *kernel->variables +
	       kernel->block_count * sizeof *kernel->blocks +
	       kernel->written_count * sizeof *kernel->written + summary_bytes(kernel);
}

enum status program_cache_add(struct program_cache *cache, const struct program_key *key,
                              struct ir_kernel **kernels, size_t kernel_count,
                              double analysis_time_s, struct program **result, struct error *error)
{
	struct program *program = calloc(1, sizeof *program), *there;
	if (program == NULL) {
		for (size_t i = 0; i < kernel_count; i++)
			kernel_free(kernels[i]);
		free(kernels);
		return error_set(error, STATUS_NO_MEMORY, "program: no memory");
	}
	program->key = *key;
	program->kernels = kernels;
	program->kernel_count = kernel_count;
	program->analysis_time_s = analysis_time_s;
	program->bytes = sizeof *program + kernel_count * sizeof(*kernels);
	for (size_t i = 0; i < kernel_count; i++)
		program->bytes += kernel_bytes(kernels[i]);
	do {
		if (getrandom(&program->handle, sizeof program->handle, 0) !=
		    (ssize_t)sizeof program->handle) {
			int failure = errno;
			program_free(program);
			return error_set(error, STATUS_IO, "random numbers: %s", strerror(failure));
		}
		HASH_FIND(by_handle, cache->by_handle, &program->handle, sizeof program->handle,
		          there);
	} while (program->handle == 0 || there != NULL);

	struct program *same = program_cache_find(cache, key);
	if (same != NULL)
		forget(cache, same);
	HASH_ADD(by_key, cache->by_key, key, sizeof program->key, program);
	HASH_ADD(by_handle, cache->by_handle, handle, sizeof program->handle, program);
	list_push(cache, program);
	cache->count++;
	cache->bytes += program->bytes;
	program_cache_bound(cache, cache->count_max, cache->bytes_max);
	*result = program;
	return STATUS_OK;
}

/* "a, b, c", cut where it gets long. */
static void list_names(const struct program *program, char *text, size_t room)
{
	size_t used_bytes = 0;
	text[0] = '\0';
	for (size_t i = 0; i < program->kernel_count; i++) {
		int length = snprintf(text + used_bytes, room - used_bytes, "%s%s",
		                      i == 0 ? "" : ", ", program->kernels[i]->name);
		if (length < 0 || (size_t)length + 8 >= room - used_bytes) {
			snprintf(text + used_bytes, room - used_bytes, ", ...");
			return;
		}
		used_bytes += (size_t)length;
	}
}

uint64_t program_kernel_hash(const struct program *program, const struct ir_kernel *kernel)
{
	uint64_t seed;
	memcpy(&seed, program->key.bytes, sizeof seed);
	return XXH3_64bits_withSeed(kernel->name, strlen(kernel->name), seed);
}

enum status program_find_kernel(const struct program *program, const char *name,
                                const struct ir_kernel **kernel, struct error *error)
{
	char names[144];
	if (program->kernel_count == 0)
		return error_set(error, STATUS_NOT_FOUND, "the source has no kernel");
	if (name[0] == '\0' && program->kernel_count == 1) {
		*kernel = program->kernels[0];
		return STATUS_OK;
	}
	for (size_t i = 0; i < program->kernel_count; i++)
		if (strcmp(program->kernels[i]->name, name) == 0) {
			*kernel = program->kernels[i];
			return STATUS_OK;
		}
	list_names(program, names, sizeof names);
	if (name[0] == '\0')
		return error_set(error, STATUS_INVALID,
		                 "kernel: want a name, the source has %zu: %s",
		                 program->kernel_count, names);
	return error_set(error, STATUS_NOT_FOUND, "kernel \"%.64s\": the source has %s", name,
	                 names);
}
