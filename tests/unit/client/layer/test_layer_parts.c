/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the layer that need no driver. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "client/opencl/layer/arena.h"
#include "client/opencl/layer/binary_file.h"
#include "client/opencl/layer/handles.h"
#include "client/opencl/layer/intern.h"
#include "client/opencl/layer/overlap.h"
#include "client/opencl/layer/text.h"

/* ---- handles ------------------------------------------------------------------------------- */

static _Atomic int ended;

static void count_end(void *record)
{
	atomic_fetch_add(&ended, 1);
	free(record);
}

static int *record_of(int value)
{
	int *record = malloc(sizeof *record);
	assert_non_null(record);
	*record = value;
	return record;
}

static void record_ends_with_the_last_reference(void **state)
{
	char object;
	(void)state;
	atomic_store(&ended, 0);
	handles_add(&object, HANDLE_KERNEL, record_of(1), count_end);
	handles_retain(&object, HANDLE_KERNEL);
	handles_release(&object, HANDLE_KERNEL);
	assert_int_equal(*(int *)handles_find(&object, HANDLE_KERNEL), 1);
	assert_null(handles_find(&object, HANDLE_QUEUE));
	handles_release(&object, HANDLE_KERNEL);
	assert_null(handles_find(&object, HANDLE_KERNEL));
	assert_int_equal(ended, 1);
	handles_release(&object, HANDLE_KERNEL); /* of nothing */
	assert_int_equal(ended, 1);
}

static void address_that_was_not_released_is_taken_over(void **state)
{
	char object;
	(void)state;
	atomic_store(&ended, 0);
	handles_add(&object, HANDLE_PROGRAM, record_of(1), count_end);
	handles_add(&object, HANDLE_KERNEL, record_of(2), count_end);
	assert_int_equal(ended, 1);
	assert_null(handles_find(&object, HANDLE_PROGRAM));
	assert_int_equal(*(int *)handles_find(&object, HANDLE_KERNEL), 2);
	handles_release(&object, HANDLE_KERNEL);
	assert_int_equal(ended, 2);
}

enum { THREADS = 4, OBJECTS = 2000, ROUNDS = 20 };

/* Finds what it holds itself, always, whatever the others take out. */
static void *come_and_go(void *context)
{
	static char objects[THREADS][OBJECTS];
	char *own = objects[*(const int *)context];
	uintptr_t wrong = 0;
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < OBJECTS; i++) {
			int *record = malloc(sizeof *record);
			if (record == NULL)
				return (void *)1;
			*record = round * OBJECTS + i;
			handles_add(own + i, HANDLE_MEMORY, record, free);
		}
		for (int i = 0; i < OBJECTS; i++) {
			const int *record = handles_find(own + i, HANDLE_MEMORY);
			wrong += record == NULL || *record != round * OBJECTS + i;
		}
		for (int i = 0; i < OBJECTS; i++)
			handles_release(own + i, HANDLE_MEMORY);
	}
	return (void *)wrong;
}

static void holder_finds_its_object_while_others_go(void **state)
{
	pthread_t threads[THREADS];
	int numbers[THREADS];
	(void)state;
	for (int i = 0; i < THREADS; i++) {
		numbers[i] = i;
		assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, &numbers[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		void *wrong = NULL;
		assert_int_equal(pthread_join(threads[i], &wrong), 0);
		assert_null(wrong);
	}
	assert_int_equal(handles_count(), 0);
}

static void objects_beyond_the_bound_are_not_followed(void **state)
{
	char *objects = malloc(HANDLES_MAX + 1);
	(void)state;
	assert_non_null(objects);
	atomic_store(&ended, 0);
	for (size_t i = 0; i <= HANDLES_MAX; i++)
		handles_add(objects + i, HANDLE_MEMORY, record_of(0), count_end);
	assert_int_equal(handles_count(), HANDLES_MAX);
	assert_int_equal(ended, 1);
	assert_null(handles_find(objects + HANDLES_MAX, HANDLE_MEMORY));
	for (size_t i = 0; i <= HANDLES_MAX; i++)
		handles_release(objects + i, HANDLE_MEMORY);
	assert_int_equal(ended, HANDLES_MAX + 1);
	free(objects);
}

/* ---- overlaps ------------------------------------------------------------------------------ */

static bool meets(struct span a, struct span b, bool *a_meets)
{
	struct overlap overlap = {0};
	bool b_meets = false;
	*a_meets = false;
	a.overlapped = a_meets;
	b.overlapped = &b_meets;
	overlap_add(&overlap, &a);
	overlap_add(&overlap, &b);
	return b_meets;
}

static void kernels_of_a_device_overlap_when_their_spans_do(void **state)
{
	const int one = 0, two = 0;
	bool other;
	(void)state;
	assert_true(meets((struct span){&one, 1, true, 0, 2, NULL},
	                  (struct span){&one, 2, true, 1, 3, NULL}, &other));
	assert_true(other);
	/* another device; one queue in order; one behind the other; one queue without order */
	assert_false(meets((struct span){&one, 1, true, 0, 2, NULL},
	                   (struct span){&two, 2, true, 1, 3, NULL}, &other));
	assert_false(other);
	assert_false(meets((struct span){&one, 1, true, 0, 2, NULL},
	                   (struct span){&one, 1, true, 1, 3, NULL}, &other));
	assert_false(meets((struct span){&one, 1, true, 0, 2, NULL},
	                   (struct span){&one, 2, true, 2, 3, NULL}, &other));
	assert_true(meets((struct span){&one, 1, false, 0, 2, NULL},
	                  (struct span){&one, 1, false, 1, 3, NULL}, &other));
}

static void span_that_was_told_is_not_marked_any_more(void **state)
{
	const int device = 0;
	bool first = false, second = false;
	struct overlap overlap = {0};
	(void)state;
	overlap_add(&overlap, &(struct span){&device, 1, true, 0, 2, &first});
	overlap_settle(&overlap);
	overlap_add(&overlap, &(struct span){&device, 2, true, 1, 3, &second});
	assert_false(first);
	assert_true(second);
}

/* ---- texts --------------------------------------------------------------------------------- */

static void kernel_is_found_where_it_is_defined(void **state)
{
	static const struct {
		const char *text;
		bool has;
	} cases[] = {
	        {"__kernel void f(int a) { }", true},
	        {"kernel void f (int a)\n{ }", true},
	        {"__kernel void f(int a);", false},
	        {"__kernel void f(int a) __attribute__((annotate(\"x\"))) {}", true},
	        {"__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void f(int a) {}", true},
	        {"void g() { f(1); }", false},
	        {"__kernel void ff(int a) {}", false},
	        {"__kernel void f(int a", false},
	        {"f", false},
	        {"void", false},
	        {"", false}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (text_defines(cases[i].text, "f") != cases[i].has)
			fail_msg("'%s': want %d", cases[i].text, cases[i].has);
	assert_false(text_defines("__kernel void f() {}", ""));
}

static void parameter_is_what_its_text_says(void **state)
{
	static const char text[] = "__kernel void f(__global const float *a, global float *const "
	                           "b, __constant int *c,\n"
	                           "  local int *d, int e, REAL *f, __attribute__((x(1, 2))) const "
	                           "__global int *g)\n{}";
	static const struct {
		text_address address;
		bool is_read_only;
	} wanted[] = {{TEXT_GLOBAL, true}, {TEXT_GLOBAL, false},  {TEXT_CONSTANT, true},
	              {TEXT_LOCAL, false}, {TEXT_UNKNOWN, false}, {TEXT_UNKNOWN, false},
	              {TEXT_GLOBAL, true}, {TEXT_UNKNOWN, false}};
	(void)state;
	for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
		bool is_read_only = true;
		assert_int_equal(text_parameter(text_parameters(text, "f"), i, &is_read_only),
		                 wanted[i].address);
		assert_int_equal(is_read_only, wanted[i].is_read_only);
	}
}

static void file_of_a_binary_is_whole_or_nothing(void **state)
{
	const struct binary_file wanted = {"-DA=1", "text\0more", 9};
	struct binary_file got;
	size_t size = 0;
	(void)state;
	char *bytes = binary_file_make(&wanted, 42, &size);
	assert_non_null(bytes);
	assert_true(binary_file_parse(bytes, size, 42, &got));
	assert_string_equal(got.options, wanted.options);
	assert_int_equal(got.size, wanted.size);
	assert_memory_equal(got.text, wanted.text, wanted.size + 1);
	assert_false(binary_file_parse(bytes, size, 43, &got));
	for (size_t i = 0; i < size; i++)
		assert_false(binary_file_parse(bytes, i, 42, &got));
	for (size_t i = 0; i < size; i++) {
		bytes[i] ^= 1;
		assert_false(binary_file_parse(bytes, size, 42, &got));
		bytes[i] ^= 1;
	}
	free(bytes);
}

static void what_is_the_same_is_one_record(void **state)
{
	const predictd_header header = {"n.h", "#define N", 9};
	(void)state;
	seen_program *program = intern_program(SEEN_SOURCE, "text", 4, "-DA", NULL, 0);
	assert_non_null(program);
	assert_string_equal(program->text, "text");
	assert_ptr_equal(intern_program(SEEN_SOURCE, "text", 4, "-DA", NULL, 0), program);
	assert_ptr_not_equal(intern_program(SEEN_SOURCE, "text", 4, "-DB", NULL, 0), program);
	assert_ptr_not_equal(intern_program(SEEN_SOURCE, "text", 4, "-DA", &header, 1), program);
	assert_ptr_not_equal(intern_program(SEEN_BINARY, "text", 4, "-DA", NULL, 0), program);
	assert_ptr_equal(intern_kernel(program, "f", 2), intern_kernel(program, "f", 2));
	assert_ptr_not_equal(intern_kernel(program, "f", 2), intern_kernel(program, "g", 2));
}

static void arena_stays_within_its_bound(void **state)
{
	static void *kept[100000 / 32 + 1]; /* or its blocks are leaks */
	struct arena arena = {.bound = 100000};
	size_t given = 0;
	(void)state;
	assert_null(arena_give(&arena, SIZE_MAX));
	assert_null(arena_copy(&arena, "", SIZE_MAX));
	while ((kept[given / 32] = arena_give(&arena, 24)) != NULL)
		given += 32;
	assert_in_range(given, 100000 - 32, 100000);
	assert_null(arena_give(&arena, 100));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(record_ends_with_the_last_reference),
	        cmocka_unit_test(address_that_was_not_released_is_taken_over),
	        cmocka_unit_test(holder_finds_its_object_while_others_go),
	        cmocka_unit_test(objects_beyond_the_bound_are_not_followed),
	        cmocka_unit_test(kernels_of_a_device_overlap_when_their_spans_do),
	        cmocka_unit_test(span_that_was_told_is_not_marked_any_more),
	        cmocka_unit_test(kernel_is_found_where_it_is_defined),
	        cmocka_unit_test(parameter_is_what_its_text_says),
	        cmocka_unit_test(file_of_a_binary_is_whole_or_nothing),
	        cmocka_unit_test(what_is_the_same_is_one_record),
	        cmocka_unit_test(arena_stays_within_its_bound),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
