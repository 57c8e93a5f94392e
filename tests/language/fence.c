/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fence behind aligned memory, which is where OpenCL drivers of CPUs have buffers: it ends where
 * a page begins that nobody may touch. The first access beyond it ends the program, which without a
 * fence goes on with another buffer's bytes. Preloaded into processes that end soon: addresses are
 * not used twice.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

static const uint64_t range_bytes = (uint64_t)1 << 38, page_bytes = 4096;
static uintptr_t range, range_used; /* fenced memory lies in one range, and nothing else */

void __libc_free(void *memory);                        /* NOLINT: glibc's own */
void *__libc_memalign(size_t alignment, size_t bytes); /* NOLINT */

__attribute__((constructor)) static void range_reserve(void)
{
	void *at = mmap(NULL, range_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
	                -1, 0);

	range = at != MAP_FAILED ? (uintptr_t)at : 0;
}

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
	uint64_t room = (bytes + page_bytes - 1) / page_bytes * page_bytes;
	uintptr_t at;

	if (range == 0 || bytes < page_bytes || alignment > page_bytes) {
		*memory = __libc_memalign(alignment, bytes);
		return *memory != NULL ? 0 : ENOMEM;
	}
	at = range + __atomic_fetch_add(&range_used, room + page_bytes, __ATOMIC_RELAXED);
	if (at + room + page_bytes > range + range_bytes ||
	    mprotect((void *)at, room, PROT_READ | PROT_WRITE) != 0)
		return ENOMEM;
	*memory = (void *)((at + room - bytes) / alignment * alignment);
	return 0;
}

void free(void *memory)
{
	uintptr_t at = (uintptr_t)memory;

	/* the pages stay taken: processes that preload this end soon */
	if (range == 0 || at < range || at >= range + range_bytes)
		__libc_free(memory);
}
