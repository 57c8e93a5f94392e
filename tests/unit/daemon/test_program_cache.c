/* SPDX-License-Identifier: Apache-2.0 */
/* The program cache: found by content and handle, forgotten by age, count and bytes. */
#include "tests/test.h"

#include "daemon/codec/ir_codec.h"
#include "daemon/state/program_cache.h"
#include "model/passes/passes.h"

#include <stdlib.h>
#include <string.h>

static struct program_key key_of(const char *text)
{
	struct program_key key = {.content = 0};
	memcpy(key.bytes, text, strlen(text));
	return key;
}

/* One kernel, and as an analyser would have sent it. */
static struct program_content content_of(const char *text)
{
	struct program_content content = {.kernels = calloc(1, sizeof(*content.kernels)),
	                                  .kernel_count = 1};
	Predictd__AnalyserReply reply = PREDICTD__ANALYSER_REPLY__INIT;
	Predictd__IrKernel *message;
	struct error error;
	assert_non_null(content.kernels);
	content.kernels[0] = kernel_new(text);
	assert_non_null(content.kernels[0]);
	assert_int_equal(kernel_seal(content.kernels[0], &error), STATUS_OK);
	message = ir_encode(content.kernels[0]);
	assert_non_null(message);
	reply.kernels = &message;
	reply.n_kernels = 1;
	content.packed_bytes = predictd__analyser_reply__get_packed_size(&reply);
	content.packed = malloc(content.packed_bytes);
	assert_non_null(content.packed);
	(void)predictd__analyser_reply__pack(&reply, content.packed);
	predictd__ir_kernel__free_unpacked(message, NULL);
	return content;
}

static struct program *add_content(struct program_cache *cache, const char *text,
                                   struct program_content *content)
{
	struct program *program = NULL;
	struct error error;
	struct program_key key = key_of(text);
	assert_int_equal(program_cache_add(cache, &key, 0, content, &program, &error), STATUS_OK);
	assert_null(content->kernels);
	assert_null(content->packed);
	return program;
}

static struct program *add(struct program_cache *cache, const char *text)
{
	struct program_content content = content_of(text);
	return add_content(cache, text, &content);
}

static bool has(struct program_cache *cache, const char *text)
{
	struct program_key key = key_of(text);
	return program_cache_find(cache, &key, 0) != NULL;
}

static void least_recently_used_is_forgotten(void **state)
{
	(void)state;
	struct program_cache cache;
	program_cache_init(&cache, 3, SIZE_MAX, SIZE_MAX);
	uint64_t second;
	add(&cache, "a");
	second = add(&cache, "b")->group->handle;
	add(&cache, "c");
	assert_true(has(&cache, "a"));
	assert_non_null(program_cache_find_handle(&cache, second, 0));
	add(&cache, "d"); /* of a, b and c, c was used longest ago */
	assert_int_equal(cache.count, 3);
	assert_false(has(&cache, "c"));
	assert_true(has(&cache, "a") && has(&cache, "b") && has(&cache, "d"));
	program_cache_deinit(&cache);
	assert_int_equal(cache.bytes, 0);
}

static void bytes_bound_the_cache_but_the_newest_stays(void **state)
{
	(void)state;
	struct program_cache cache;
	program_cache_init(&cache, 100, 1, SIZE_MAX);
	uint64_t first = add(&cache, "a")->group->handle, second = add(&cache, "b")->group->handle;
	assert_int_equal(cache.count, 1);
	assert_null(program_cache_find_handle(&cache, first, 0));
	assert_non_null(program_cache_find_handle(&cache, second, 0));
	program_cache_deinit(&cache);
}

static void a_kernels_summary_counts(void **state)
{
	(void)state;
	struct program_cache cache;
	program_cache_init(&cache, 100, SIZE_MAX, SIZE_MAX);
	const struct program *program = add(&cache, "a");
	const struct ir_kernel *kernel = program->kernels[0];
	assert_true(kernel->block_count > 0);
	assert_true(program->unpacked_bytes >=
	            sizeof(kernel) + sizeof *kernel + sizeof *kernel->summary +
	                    kernel->block_count * sizeof *kernel->summary->emitted);
	program_cache_deinit(&cache);
}

static void smaller_bounds_forget_at_once(void **state)
{
	(void)state;
	struct program_cache cache;
	char name[8] = "a";
	program_cache_init(&cache, 100, SIZE_MAX, SIZE_MAX);
	for (int i = 0; i < 26; i++, name[0]++)
		add(&cache, name);
	program_cache_bound(&cache, 2, SIZE_MAX, SIZE_MAX);
	assert_int_equal(cache.count, 2);
	assert_true(has(&cache, "z") && has(&cache, "y"));
	program_cache_deinit(&cache);
}

static void same_content_replaces_and_keeps_its_handle(void **state)
{
	(void)state;
	struct program_cache cache;
	program_cache_init(&cache, 10, SIZE_MAX, SIZE_MAX);
	uint64_t first = add(&cache, "a")->group->handle, second = add(&cache, "a")->group->handle;
	assert_true(first == second);
	assert_int_equal(cache.count, 1);
	program_cache_deinit(&cache);
}

static void one_handle_has_a_program_in_each_language(void **state)
{
	(void)state;
	struct program_cache cache;
	struct program *other = NULL;
	struct error error;
	struct program_key key = key_of("a");
	program_cache_init(&cache, 3, SIZE_MAX, SIZE_MAX);
	struct program *first = add(&cache, "a");
	uint64_t handle = first->group->handle;
	/* what is wanted is told once, and is no longer wanted when it is there */
	program_cache_want(&cache, handle, 7);
	program_cache_want(&cache, handle, 7);
	program_cache_want(&cache, handle, 0);
	assert_int_equal(first->group->wanted_count, 1);
	assert_null(program_cache_find_handle(&cache, handle, 7));
	struct program_content content = content_of("b");
	assert_int_equal(program_cache_add(&cache, &key, 7, &content, &other, &error), STATUS_OK);
	assert_ptr_equal(other->group, first->group);
	assert_int_equal(first->group->wanted_count, 0);
	assert_true(memcmp(other->key.bytes, first->key.bytes, sizeof key.bytes) != 0);
	assert_int_equal(other->key.content, first->key.content);
	assert_string_equal(program_cache_find_handle(&cache, handle, 7)->kernels[0]->name, "b");
	assert_string_equal(program_cache_find_handle(&cache, handle, 0)->kernels[0]->name, "a");
	assert_null(program_cache_find_handle(&cache, handle, 8));
	/* of more than there is room for, the first are dropped */
	for (uint64_t i = 0; i < 2 * PROGRAM_LANGUAGES_MAX; i++)
		program_cache_want(&cache, handle, 100 + i);
	assert_int_equal(first->group->wanted_count, PROGRAM_LANGUAGES_MAX);
	assert_int_equal(first->group->wanted[0], 100 + PROGRAM_LANGUAGES_MAX);
	/* the handle stands until the last has gone */
	add(&cache, "c");
	add(&cache, "d");
	assert_null(program_cache_find_handle(&cache, handle, 7));
	assert_non_null(program_cache_find_any(&cache, handle));
	add(&cache, "e");
	add(&cache, "f");
	add(&cache, "g");
	assert_null(program_cache_group(&cache, handle));
	assert_false(program_cache_use(&cache, handle));
	program_cache_deinit(&cache);
	assert_int_equal(cache.bytes, 0);
}

static void those_not_used_are_packed_and_come_back_as_they_were(void **state)
{
	(void)state;
	struct program_cache cache;
	const struct ir_kernel *kernel;
	struct error error;
	program_cache_init(&cache, 100, SIZE_MAX, 1);
	struct program *a = add(&cache, "a"), *b = add(&cache, "b");
	uint64_t handle = a->group->handle;
	assert_int_equal(cache.count, 2);
	assert_null(a->kernels);
	assert_non_null(b->kernels);
	assert_true(program_cache_use(&cache, handle));
	assert_null(a->kernels);
	assert_ptr_equal(program_cache_find_handle(&cache, handle, 0), a);
	assert_null(b->kernels);
	assert_int_equal(cache.unpacked_bytes, a->unpacked_bytes);
	assert_int_equal(program_find_kernel(a, "a", &kernel, &error), STATUS_OK);
	assert_string_equal(kernel->name, "a");
	assert_non_null(kernel->summary);
	program_cache_deinit(&cache);
	assert_int_equal(cache.unpacked_bytes, 0);
}

static void one_too_large_to_be_unpacked_again_is_forgotten_instead(void **state)
{
	(void)state;
	struct program_cache cache;
	program_cache_init(&cache, 100, SIZE_MAX, 1);
	struct program_content content = content_of("a");
	uint8_t *grown = realloc(content.packed, PROGRAM_PACKED_MAX + 1);
	assert_non_null(grown);
	content.packed = grown;
	content.packed_bytes = PROGRAM_PACKED_MAX + 1;
	uint64_t handle = add_content(&cache, "a", &content)->group->handle;
	assert_non_null(program_cache_find_handle(&cache, handle, 0)->kernels);
	add(&cache, "b");
	assert_null(program_cache_find_handle(&cache, handle, 0));
	assert_false(program_cache_use(&cache, handle));
	assert_int_equal(cache.count, 1);
	program_cache_deinit(&cache);
	assert_int_equal(cache.bytes, 0);
}

static void kernels_that_are_held_outlive_their_program(void **state)
{
	(void)state;
	struct program_cache cache;
	program_cache_init(&cache, 1, SIZE_MAX, SIZE_MAX);
	struct ir_kernel **kernels = add(&cache, "a")->kernels;
	assert_true(program_cache_hold(&cache, cache.newest));
	assert_true(program_cache_hold(&cache, cache.newest));
	add(&cache, "b");
	assert_false(has(&cache, "a"));
	program_cache_release(&cache, kernels);
	assert_string_equal(kernels[0]->name, "a");
	program_cache_release(&cache, kernels);
	assert_null(cache.holds);
	/* one that is still the cache's is left to it */
	kernels = cache.newest->kernels;
	assert_true(program_cache_hold(&cache, cache.newest));
	program_cache_release(&cache, kernels);
	assert_ptr_equal(cache.newest->kernels, kernels);
	assert_true(program_cache_hold(&cache, cache.newest));
	program_cache_deinit(&cache);
	assert_null(cache.holds);
}

static Predictd__Program program(char *name, char *source, char *options)
{
	Predictd__Program message = PREDICTD__PROGRAM__INIT;
	message.name = name;
	message.source.data = (uint8_t *)source;
	message.source.len = strlen(source);
	message.options = options;
	return message;
}

static bool have_same_key(const Predictd__Program *a, const Predictd__Program *b)
{
	struct program_key one = program_key(a), two = program_key(b);
	return memcmp(&one, &two, sizeof one) == 0;
}

static void keys_tell_every_part_apart(void **state)
{
	(void)state;
	Predictd__Program a = program("n", "source", "options");
	Predictd__Program same = program("n", "source", "options");
	Predictd__Program shifted = program("n", "sourceoptions", "");
	Predictd__Program renamed = program("m", "source", "options");
	assert_true(have_same_key(&a, &same));
	assert_false(have_same_key(&a, &shifted));
	assert_false(have_same_key(&a, &renamed));
	Predictd__Header header = PREDICTD__HEADER__INIT, *headers[] = {&header};
	header.name = "h";
	same.headers = headers;
	same.n_headers = 1;
	assert_false(have_same_key(&a, &same));
}

static void reference_part(SHA2_CTX *context, const void *bytes, uint64_t size)
{
	uint8_t prefix[8];
	for (unsigned i = 0; i < sizeof prefix; i++)
		prefix[i] = (uint8_t)(size >> (8 * i));
	SHA256Update(context, prefix, sizeof prefix);
	SHA256Update(context, bytes, size);
}

/* What the store keeps is found by it: it is the same however many steps it takes. */
static void a_key_is_that_of_its_parts_whatever_their_size(void **state)
{
	(void)state;
	static const size_t sizes[] = {1, 8191, 8192, 8193, 16384, 100000};
	static char text[100001];
	memset(text, 'x', sizeof text - 1);
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		Predictd__Header header = PREDICTD__HEADER__INIT, *headers[] = {&header};
		Predictd__Program message = program("n", text, "-DA");
		uint8_t content[PROGRAM_KEY_BYTES], whole[PROGRAM_KEY_BYTES];
		SHA2_CTX context;
		message.source.len = sizes[i];
		header.name = "h";
		header.text.data = (uint8_t *)text;
		header.text.len = sizes[sizeof sizes / sizeof sizes[0] - 1 - i];
		message.headers = headers;
		message.n_headers = 1;
		SHA256Init(&context);
		reference_part(&context, text, sizes[i]);
		reference_part(&context, "-DA", 3);
		reference_part(&context, "h", 1);
		reference_part(&context, text, header.text.len);
		SHA256Final(content, &context);
		SHA256Init(&context);
		reference_part(&context, "n", 1);
		SHA256Update(&context, content, sizeof content);
		SHA256Final(whole, &context);
		struct program_key key = program_key(&message);
		assert_memory_equal(key.bytes, whole, sizeof whole);
		assert_memory_equal(&key.content, content, sizeof key.content);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(least_recently_used_is_forgotten),
	        cmocka_unit_test(bytes_bound_the_cache_but_the_newest_stays),
	        cmocka_unit_test(a_kernels_summary_counts),
	        cmocka_unit_test(smaller_bounds_forget_at_once),
	        cmocka_unit_test(same_content_replaces_and_keeps_its_handle),
	        cmocka_unit_test(one_handle_has_a_program_in_each_language),
	        cmocka_unit_test(those_not_used_are_packed_and_come_back_as_they_were),
	        cmocka_unit_test(one_too_large_to_be_unpacked_again_is_forgotten_instead),
	        cmocka_unit_test(kernels_that_are_held_outlive_their_program),
	        cmocka_unit_test(a_key_is_that_of_its_parts_whatever_their_size),
	        cmocka_unit_test(keys_tell_every_part_apart),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("program_cache", tests, NULL, NULL);
}
