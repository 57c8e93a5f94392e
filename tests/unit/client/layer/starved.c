/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layer where memory is short: its own allocation number $STARVED_AT fails, and with
 * $STARVED_ON all behind it as well. The linker puts these functions in the places of malloc()
 * and others; nobody else's calls come here.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *context);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *context);

static bool fails(void)
{
	static _Atomic unsigned long calls;
	const char *at = getenv("STARVED_AT");
	const unsigned long number = atomic_fetch_add(&calls, 1) + 1;
	const unsigned long wanted = at == NULL ? 0 : strtoul(at, NULL, 10);
	return wanted > 0 &&
	       (number == wanted || (number > wanted && getenv("STARVED_ON") != NULL));
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *context)
{
	return fails() ? EAGAIN : __real_pthread_create(thread, attributes, run, context);
}
