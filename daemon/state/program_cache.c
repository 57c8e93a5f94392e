/* SPDX-License-Identifier: Apache-2.0 */
/* The programs analysed and kept. */
#include "daemon/state/program_cache.h"

#include "daemon/codec/ir_codec.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <xxhash.h>

enum { KEY_STEP_BYTES = 8192 };

/* Each part behind its length: no two programs are the same bytes. */
static void hash_length(SHA2_CTX *context, uint64_t length)
{
	uint8_t prefix[8];
	for (unsigned i = 0; i < sizeof prefix; i++)
		prefix[i] = (uint8_t)(length >> (8 * i));
	SHA256Update(context, prefix, sizeof prefix);
}

/* Part `index` of a program; false beyond the last. */
static bool part_get(const Predictd__Program *message, size_t index, const void **bytes,
                     size_t *size)
{
	if (index == 0) {
		*bytes = message->source.data;
		*size = message->source.len;
	} else if (index == 1) {
		*bytes = message->options;
		*size = strlen(message->options);
	} else if ((index - 2) / 2 < message->n_headers) {
		const Predictd__Header *header = message->headers[(index - 2) / 2];
		*bytes = index % 2 == 0 ? (const void *)header->name : header->text.data;
		*size = index % 2 == 0 ? strlen(header->name) : header->text.len;
	} else {
		return false;
	}
	return true;
}

void program_key_begin(struct program_key_state *state)
{
	SHA256Init(&state->context);
	state->part = state->position = 0;
}

/* Some more of the parts before that one. */
static bool hash_parts(struct program_key_state *state, const Predictd__Program *message,
                       size_t end)
{
	const void *bytes;
	size_t size, left = KEY_STEP_BYTES;
	for (; state->part < end && part_get(message, state->part, &bytes, &size); state->part++) {
		if (left == 0)
			return false;
		if (state->position == 0)
			hash_length(&state->context, size);
		size_t now = size - state->position < left ? size - state->position : left;
		if (now > 0)
			SHA256Update(&state->context, (const uint8_t *)bytes + state->position,
			             now);
		state->position += now;
		left -= now;
		if (state->position < size)
			return false;
		state->position = 0;
	}
	return true;
}

bool program_key_source_step(struct program_key_state *state, const Predictd__Program *message)
{
	return hash_parts(state, message, 1);
}

bool program_key_step(struct program_key_state *state, const Predictd__Program *message,
                      struct program_key *key)
{
	uint8_t content[PROGRAM_KEY_BYTES];
	if (!hash_parts(state, message, SIZE_MAX))
		return false;
	SHA256Final(content, &state->context);
	memcpy(&key->content, content, sizeof key->content);
	SHA256Init(&state->context);
	hash_length(&state->context, strlen(message->name));
	SHA256Update(&state->context, (const uint8_t *)message->name, strlen(message->name));
	SHA256Update(&state->context, content, sizeof content);
	SHA256Final(key->bytes, &state->context);
	return true;
}

struct program_key program_key(const Predictd__Program *message)
{
	struct program_key key;
	struct program_key_state state;
	program_key_begin(&state);
	while (!program_key_step(&state, message, &key))
		continue;
	return key;
}

struct program_key program_key_in(const struct program_key *key, uint64_t language)
{
	struct program_key in = *key;
	SHA2_CTX context;
	if (language == 0)
		return in;
	SHA256Init(&context);
	SHA256Update(&context, key->bytes, sizeof key->bytes);
	hash_length(&context, language);
	SHA256Final(in.bytes, &context);
	return in;
}

static void kernels_free(struct ir_kernel **kernels, size_t count)
{
	for (size_t i = 0; kernels != NULL && i < count; i++)
		kernel_free(kernels[i]);
	free(kernels);
}

void program_content_tell(struct program_content *content, const struct analysis_report *report)
{
	memcpy(content->note, report->note, sizeof content->note);
	memcpy(content->language_name, report->language, sizeof content->language_name);
	content->undefined = report->undefined[0] != '\0' ? strdup(report->undefined) : NULL;
	content->left_out = report->left_out[0] != '\0' ? strdup(report->left_out) : NULL;
}

void program_content_deinit(struct program_content *content)
{
	kernels_free(content->kernels, content->kernel_count);
	free(content->undefined);
	free(content->left_out);
	free(content->packed);
	*content = (struct program_content){.kernels = NULL};
}

static void program_free(struct program *program)
{
	if (program == NULL)
		return;
	kernels_free(program->kernels, program->kernel_count);
	free(program->packed);
	free(program->undefined);
	free(program->left_out);
	free(program);
}

/* ---- kernels in use elsewhere -------------------------------------------------------------- */

static struct program_hold **hold_find(struct program_cache *cache, struct ir_kernel **kernels)
{
	struct program_hold **link = &cache->holds;
	while (*link != NULL && (*link)->kernels != kernels)
		link = &(*link)->next;
	return link;
}

bool program_cache_hold(struct program_cache *cache, const struct program *program)
{
	struct program_hold *hold = *hold_find(cache, program->kernels);
	if (hold == NULL) {
		hold = calloc(1, sizeof *hold);
		if (hold == NULL)
			return false;
		hold->kernels = program->kernels;
		hold->count = program->kernel_count;
		hold->next = cache->holds;
		cache->holds = hold;
	}
	hold->uses++;
	return true;
}

void program_cache_release(struct program_cache *cache, struct ir_kernel **kernels)
{
	struct program_hold **link = hold_find(cache, kernels), *hold = *link;
	if (hold == NULL || --hold->uses > 0)
		return;
	*link = hold->next;
	if (hold->is_left)
		kernels_free(hold->kernels, hold->count);
	free(hold);
}

/* Frees a program's kernels, or leaves that to who holds them. */
static void kernels_leave(struct program_cache *cache, struct program *program)
{
	struct program_hold *hold = *hold_find(cache, program->kernels);
	if (hold != NULL)
		hold->is_left = true;
	else
		kernels_free(program->kernels, program->kernel_count);
	program->kernels = NULL;
}

/* ---- groups -------------------------------------------------------------------------------- */

/* Where memory was short a group is in one table, or in none. */
static void group_free(struct program_cache *cache, struct program_group *group)
{
	if (group->by_key.tbl != NULL)
		HASH_DELETE(by_key, cache->by_key, group);
	if (group->by_handle.tbl != NULL)
		HASH_DELETE(by_handle, cache->by_handle, group);
	free(group);
}

/* Takes a program out of its group, which ends with its last. */
static void group_leave(struct program_cache *cache, struct program *program)
{
	struct program **link = &program->group->programs;
	while (*link != program)
		link = &(*link)->sibling;
	*link = program->sibling;
	if (program->group->programs == NULL)
		group_free(cache, program->group);
	program->group = NULL;
}

/* One that no program has, and that nobody can guess. */
static enum status new_handle(const struct program_cache *cache, uint64_t *handle,
                              struct error *error)
{
	struct program_group *there;
	do {
		if (getrandom(handle, sizeof *handle, 0) != (ssize_t)sizeof *handle)
			return error_set(error, STATUS_IO, "random numbers: %s", strerror(errno));
		HASH_FIND(by_handle, cache->by_handle, handle, sizeof *handle, there);
	} while (*handle == 0 || there != NULL);
	return STATUS_OK;
}

/* The group of a key, or a new one without programs. */
static enum status group_get(struct program_cache *cache, const struct program_key *key,
                             struct program_group **result, struct error *error)
{
	struct program_group *group;
	HASH_FIND(by_key, cache->by_key, key, sizeof *key, group);
	if (group == NULL) {
		group = calloc(1, sizeof *group);
		if (group == NULL)
			return error_set(error, STATUS_NO_MEMORY, "program: no memory");
		group->key = *key;
		enum status status = new_handle(cache, &group->handle, error);
		if (status != STATUS_OK) {
			free(group);
			return status;
		}
		HASH_ADD(by_key, cache->by_key, key, sizeof group->key, group);
		HASH_ADD(by_handle, cache->by_handle, handle, sizeof group->handle, group);
		if (group->by_key.tbl == NULL || group->by_handle.tbl == NULL) {
			group_free(cache, group);
			return error_set(error, STATUS_NO_MEMORY, "program: no memory");
		}
	}
	*result = group;
	return STATUS_OK;
}

const struct program_group *program_cache_group(const struct program_cache *cache, uint64_t handle)
{
	struct program_group *group;
	HASH_FIND(by_handle, cache->by_handle, &handle, sizeof handle, group);
	return group;
}

const struct program_group *program_cache_group_of(const struct program_cache *cache,
                                                   const struct program_key *key)
{
	struct program_group *group;
	HASH_FIND(by_key, cache->by_key, key, sizeof *key, group);
	return group;
}

static struct program *group_find(const struct program_group *group, uint64_t language)
{
	struct program *program = group != NULL ? group->programs : NULL;
	while (program != NULL && program->language != language)
		program = program->sibling;
	return program;
}

bool program_group_has(const struct program_group *group, uint64_t language)
{
	return group_find(group, language) != NULL;
}

static void unwant(struct program_group *group, uint64_t language)
{
	size_t kept = 0;
	for (size_t i = 0; i < group->wanted_count; i++)
		if (group->wanted[i] != language)
			group->wanted[kept++] = group->wanted[i];
	group->wanted_count = kept;
}

void program_cache_want(struct program_cache *cache, uint64_t handle, uint64_t language)
{
	struct program_group *group;
	HASH_FIND(by_handle, cache->by_handle, &handle, sizeof handle, group);
	if (group == NULL || program_group_has(group, language))
		return;
	unwant(group, language);
	/* of more, those that were asked about first have gone elsewhere, or ask again */
	if (group->wanted_count == PROGRAM_LANGUAGES_MAX)
		unwant(group, group->wanted[0]);
	group->wanted[group->wanted_count++] = language;
}

/* ---- lists --------------------------------------------------------------------------------- */

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

static void unpacked_remove(struct program_cache *cache, struct program *program)
{
	struct program *newer = program->unpacked_newer, *older = program->unpacked_older;
	*(newer != NULL ? &newer->unpacked_older : &cache->unpacked_newest) = older;
	*(older != NULL ? &older->unpacked_newer : &cache->unpacked_oldest) = newer;
	program->unpacked_newer = NULL;
	program->unpacked_older = NULL;
}

static void unpacked_push(struct program_cache *cache, struct program *program)
{
	struct program *newest = cache->unpacked_newest;
	program->unpacked_older = newest;
	*(newest != NULL ? &newest->unpacked_newer : &cache->unpacked_oldest) = program;
	cache->unpacked_newest = program;
}

static size_t listed_bytes(const struct program *program)
{
	return sizeof *program + program->packed_bytes;
}

static void leave_unpacked(struct program_cache *cache, struct program *program)
{
	if (program->kernels == NULL)
		return;
	unpacked_remove(cache, program);
	cache->unpacked_bytes -= program->unpacked_bytes;
	kernels_leave(cache, program);
	program->unpacked_bytes = 0;
}

static void forget(struct program_cache *cache, struct program *program)
{
	list_remove(cache, program);
	leave_unpacked(cache, program);
	group_leave(cache, program);
	cache->count--;
	cache->bytes -= listed_bytes(program);
	program_free(program);
}

/* Packs or forgets what is beyond the bounds; the newest stays, or one over a bound could
 * never be asked about. */
static void keep_bounds(struct program_cache *cache)
{
	while (cache->oldest != cache->newest &&
	       (cache->count > cache->count_max || cache->bytes > cache->bytes_max))
		forget(cache, cache->oldest);
	while (cache->unpacked_oldest != cache->unpacked_newest &&
	       cache->unpacked_bytes > cache->unpacked_bytes_max) {
		if (cache->unpacked_oldest->packed != NULL)
			leave_unpacked(cache, cache->unpacked_oldest);
		else
			forget(cache, cache->unpacked_oldest);
	}
}

void program_cache_init(struct program_cache *cache, size_t count_max, size_t bytes_max,
                        size_t unpacked_bytes_max)
{
	*cache = (struct program_cache){.count_max = count_max,
	                                .bytes_max = bytes_max,
	                                .unpacked_bytes_max = unpacked_bytes_max};
}

void program_cache_deinit(struct program_cache *cache)
{
	struct program_hold *hold, *next;
	while (cache->oldest != NULL)
		forget(cache, cache->oldest);
	for (hold = cache->holds; hold != NULL; hold = next) {
		next = hold->next;
		if (hold->is_left)
			kernels_free(hold->kernels, hold->count);
		free(hold);
	}
	cache->holds = NULL;
}

void program_cache_bound(struct program_cache *cache, size_t count_max, size_t bytes_max,
                         size_t unpacked_bytes_max)
{
	cache->count_max = count_max;
	cache->bytes_max = bytes_max;
	cache->unpacked_bytes_max = unpacked_bytes_max;
	keep_bounds(cache);
}

/* ---- unpacked kernels ---------------------------------------------------------------------- */

static void enter_unpacked(struct program_cache *cache, struct program *program,
                           struct ir_kernel **kernels)
{
	program->kernels = kernels;
	program->unpacked_bytes = program->kernel_count * sizeof(*kernels);
	for (size_t i = 0; i < program->kernel_count; i++)
		program->unpacked_bytes += ir_kernel_bytes(kernels[i]);
	cache->unpacked_bytes += program->unpacked_bytes;
	unpacked_push(cache, program);
}

/* ---- finding ------------------------------------------------------------------------------- */

static struct program *used(struct program_cache *cache, struct program *program)
{
	if (program != NULL && program != cache->newest) {
		list_remove(cache, program);
		list_push(cache, program);
	}
	return program;
}

/* The program with its kernels; NULL: no memory for them. */
static struct program *unpacked(struct program_cache *cache, struct program *program)
{
	struct ir_kernel **kernels = NULL;
	size_t count = 0;
	struct error error;
	if (program == NULL || program == cache->unpacked_newest)
		return program;
	if (program->kernels != NULL) {
		unpacked_remove(cache, program);
		unpacked_push(cache, program);
		return program;
	}
	/* it was decoded before: only memory can be short */
	if (ir_decode_reply(program->packed, program->packed_bytes, &kernels, &count, NULL,
	                    &error) != STATUS_OK)
		return NULL;
	assert(count == program->kernel_count);
	enter_unpacked(cache, program, kernels);
	keep_bounds(cache);
	return program;
}

struct program *program_cache_find(struct program_cache *cache, const struct program_key *key,
                                   uint64_t language)
{
	struct program *program = group_find(program_cache_group_of(cache, key), language);
	return unpacked(cache, used(cache, program));
}

struct program *program_cache_find_handle(struct program_cache *cache, uint64_t handle,
                                          uint64_t language)
{
	struct program *program = group_find(program_cache_group(cache, handle), language);
	return unpacked(cache, used(cache, program));
}

struct program *program_cache_find_any(struct program_cache *cache, uint64_t handle)
{
	const struct program_group *group = program_cache_group(cache, handle);
	return group == NULL ? NULL : unpacked(cache, used(cache, group->programs));
}

bool program_cache_use(struct program_cache *cache, uint64_t handle)
{
	const struct program_group *group = program_cache_group(cache, handle);
	for (struct program *program = group != NULL ? group->programs : NULL; program != NULL;
	     program = program->sibling)
		(void)used(cache, program);
	return group != NULL;
}

/* ---- adding -------------------------------------------------------------------------------- */

static void group_join(struct program_group *group, struct program *program)
{
	struct program **last = &group->programs;
	while (*last != NULL)
		last = &(*last)->sibling;
	*last = program;
	program->group = group;
	unwant(group, program->language);
}

enum status program_cache_add(struct program_cache *cache, const struct program_key *key,
                              uint64_t language, struct program_content *content,
                              struct program **result, struct error *error)
{
	struct program *same, *program = calloc(1, sizeof *program);
	struct program_group *group = NULL;
	enum status status = STATUS_OK;
	if (program == NULL)
		status = error_set(error, STATUS_NO_MEMORY, "program: no memory");
	else
		status = group_get(cache, key, &group, error);
	if (status != STATUS_OK)
		goto out;
	program->key = program_key_in(key, language);
	program->language = language;
	program->kernel_count = content->kernel_count;
	program->analysis_time_s = content->analysis_time_s;
	memcpy(program->note, content->note, sizeof program->note);
	memcpy(program->language_name, content->language_name, sizeof program->language_name);
	program->undefined = content->undefined;
	program->left_out = content->left_out;
	content->undefined = content->left_out = NULL; /* moved */
	if (content->packed_bytes <= PROGRAM_PACKED_MAX) {
		program->packed = content->packed;
		program->packed_bytes = content->packed_bytes;
		content->packed = NULL; /* moved */
	}
	same = group_find(group, language);
	group_join(group, program); /* before another leaves: a group ends with its last */
	if (same != NULL)
		forget(cache, same);
	list_push(cache, program);
	cache->count++;
	cache->bytes += listed_bytes(program);
	enter_unpacked(cache, program, content->kernels);
	content->kernels = NULL; /* moved */
	keep_bounds(cache);
	*result = program;
	program = NULL; /* the cache's */
out:
	program_free(program);
	program_content_deinit(content);
	return status;
}

/* ---- kernels ------------------------------------------------------------------------------- */

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
	return XXH3_64bits_withSeed(kernel->name, strlen(kernel->name), program->key.content);
}

/* In "a (line 1), b (line 9)" the line of `name`; 0: it is not there. */
static unsigned left_out_line(const char *left_out, const char *name)
{
	size_t length = strlen(name);
	for (const char *at = left_out; at != NULL;) {
		if (strncmp(at, name, length) == 0 && strncmp(at + length, " (line ", 7) == 0)
			return (unsigned)strtoul(at + length + 7, NULL, 10);
		at = strstr(at, ", ");
		at = at != NULL ? at + 2 : NULL;
	}
	return 0;
}

enum status program_find_kernel(const struct program *program, const char *name,
                                const struct ir_kernel **kernel, struct error *error)
{
	char names[144];
	if (program->kernel_count == 0)
		return error_set(error, STATUS_NOT_FOUND, "the source has no kernel%s%s",
		                 program->left_out != NULL ? ": the preprocessor left out " : "",
		                 program->left_out != NULL ? program->left_out : "");
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
	unsigned line = left_out_line(program->left_out, name);
	if (line != 0)
		return error_set(error, STATUS_NOT_FOUND,
		                 "kernel \"%.64s\": the preprocessor left it out (line %u); the "
		                 "source has %s",
		                 name, line, names);
	return error_set(error, STATUS_NOT_FOUND, "kernel \"%.64s\": the source has %s", name,
	                 names);
}
