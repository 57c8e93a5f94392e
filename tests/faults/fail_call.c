/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded into a program: its n-th call of a kind fails, once, or then every FAIL_EVERY-th
 * up to call FAIL_LAST. n is FAIL_AT and the kind FAIL_KIND of the environment:
 *
 *   memory       malloc, calloc, realloc: ENOMEM
 *   descriptor   what gives a descriptor: EMFILE
 *   disk         what reads or writes a file at a place, or changes a folder: EIO, ENOSPC
 *   process      fork and threads: EAGAIN
 *
 * COUNT_TO names a file that gets the number of such calls when the program ends.
 * Children of the program are left alone.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

enum kind { KIND_NONE, KIND_MEMORY, KIND_DESCRIPTOR, KIND_DISK, KIND_PROCESS };

static enum kind counted;
static atomic_ulong count;
static unsigned long fail_at, fail_every, fail_last;
static char count_to[512];

/* At exit what the compiler's run-time library does is nobody's: libgcov is not ready for it. */
static void stop(void)
{
	counted = KIND_NONE;
}

/* Whether this call is the one. */
static bool fails(enum kind kind, int error)
{
	if (kind != counted)
		return false;
	unsigned long n = atomic_fetch_add(&count, 1) + 1;
	if (n != fail_at &&
	    (fail_every == 0 || n < fail_at || n > fail_last || (n - fail_at) % fail_every != 0))
		return false;
	if (n == fail_at)
		(void)atexit(stop);
	errno = error;
	return true;
}

__attribute__((constructor)) static void begin(void)
{
	static const char *const words[] = {"", "memory", "descriptor", "disk", "process"};
	const char *at = getenv("FAIL_AT"), *to = getenv("COUNT_TO"), *kind = getenv("FAIL_KIND");
	(void)snprintf(count_to, sizeof count_to, "%s", to != NULL ? to : "");
	const char *every = getenv("FAIL_EVERY"), *last = getenv("FAIL_LAST");
	fail_at = at != NULL ? strtoul(at, NULL, 10) : 0;
	fail_every = every != NULL ? strtoul(every, NULL, 10) : 0;
	fail_last = last != NULL ? strtoul(last, NULL, 10) : 0;
	for (unsigned i = KIND_MEMORY; kind != NULL && i < sizeof words / sizeof words[0]; i++)
		if (strcmp(words[i], kind) == 0)
			counted = (enum kind)i;
	unsetenv("LD_PRELOAD");
	unsetenv("FAIL_AT");
	unsetenv("FAIL_KIND");
	unsetenv("FAIL_EVERY");
	unsetenv("FAIL_LAST");
	unsetenv("COUNT_TO");
	atomic_store(&count, 0);
}

__attribute__((destructor)) static void end(void)
{
	char text[32];
	unsigned long total = atomic_load(&count);
	counted = KIND_NONE;
	if (count_to[0] == '\0')
		return;
	int fd = open(count_to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	int length = snprintf(text, sizeof text, "%lu\n", total);
	(void)!write(fd, text, (size_t)length);
	close(fd);
}

/* The real function. */
#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

#define WRAP(kind, error, failed, type, name, parameters, ...)                                     \
	type name parameters                                                                       \
	{                                                                                          \
		return fails(kind, error) ? (failed) : REAL(name)(__VA_ARGS__);                    \
	}

/* ---- memory -------------------------------------------------------------------------------- */

void *malloc(size_t size)
{
	return fails(KIND_MEMORY, ENOMEM) ? NULL : __libc_malloc(size);
}

void *calloc(size_t items, size_t size)
{
	return fails(KIND_MEMORY, ENOMEM) ? NULL : __libc_calloc(items, size);
}

void *realloc(void *old, size_t size)
{
	return fails(KIND_MEMORY, ENOMEM) ? NULL : __libc_realloc(old, size);
}

/* ---- descriptors --------------------------------------------------------------------------- */

#define WRAP_OPEN(name)                                                                            \
	int name(const char *path, int flags, ...)                                                 \
	{                                                                                          \
		mode_t mode = 0;                                                                   \
		if ((flags & (O_CREAT | O_TMPFILE)) != 0) {                                        \
			va_list more;                                                              \
			va_start(more, flags);                                                     \
			mode = va_arg(more, mode_t);                                               \
			va_end(more);                                                              \
		}                                                                                  \
		return fails(KIND_DESCRIPTOR, EMFILE) ? -1 : REAL(name)(path, flags, mode);        \
	}
WRAP_OPEN(open)
WRAP_OPEN(open64)

WRAP(KIND_DESCRIPTOR, EMFILE, -1, int, socket, (int domain, int type, int protocol), domain, type,
     protocol)
WRAP(KIND_DESCRIPTOR, EMFILE, -1, int, socketpair, (int domain, int type, int protocol, int fds[2]),
     domain, type, protocol, fds)
WRAP(KIND_DESCRIPTOR, EMFILE, -1, int, pipe2, (int fds[2], int flags), fds, flags)
WRAP(KIND_DESCRIPTOR, EMFILE, -1, int, accept4,
     (int fd, struct sockaddr *address, socklen_t *size, int flags), fd, address, size, flags)
WRAP(KIND_DESCRIPTOR, EMFILE, -1, int, memfd_create, (const char *name, unsigned flags), name,
     flags)

/* ---- disk ---------------------------------------------------------------------------------- */

WRAP(KIND_DISK, EIO, -1, ssize_t, pread, (int fd, void *bytes, size_t size, off_t at), fd, bytes,
     size, at)
WRAP(KIND_DISK, EIO, -1, ssize_t, pread64, (int fd, void *bytes, size_t size, off64_t at), fd,
     bytes, size, at)
WRAP(KIND_DISK, ENOSPC, -1, ssize_t, pwrite, (int fd, const void *bytes, size_t size, off_t at), fd,
     bytes, size, at)
WRAP(KIND_DISK, ENOSPC, -1, ssize_t, pwrite64, (int fd, const void *bytes, size_t size, off64_t at),
     fd, bytes, size, at)
WRAP(KIND_DISK, EIO, -1, int, fsync, (int fd), fd)
WRAP(KIND_DISK, EIO, -1, int, fdatasync, (int fd), fd)
WRAP(KIND_DISK, ENOSPC, -1, int, ftruncate, (int fd, off_t size), fd, size)
WRAP(KIND_DISK, ENOSPC, -1, int, ftruncate64, (int fd, off64_t size), fd, size)
WRAP(KIND_DISK, EIO, -1, int, rename, (const char *from, const char *to), from, to)
WRAP(KIND_DISK, EIO, -1, int, unlink, (const char *path), path)
WRAP(KIND_DISK, ENOSPC, -1, int, mkdir, (const char *path, mode_t mode), path, mode)

/* ---- processes ----------------------------------------------------------------------------- */

WRAP(KIND_PROCESS, EAGAIN, -1, pid_t, fork, (void), )

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument)
{
	return fails(KIND_PROCESS, EAGAIN)
	               ? EAGAIN
	               : REAL(pthread_create)(thread, attributes, run, argument);
}
