/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded into a program: its n-th call of a kind fails, once, or then every FAIL_EVERY-th
 * up to call FAIL_LAST. n is FAIL_AT and the kind FAIL_KIND of the environment:
 *
 *   memory       malloc, calloc, realloc: ENOMEM
 *   descriptor   what gives a descriptor: EMFILE
 *   disk         what reads or writes a file at a place, or changes a folder: EIO, ENOSPC
 *   process      fork and threads: EAGAIN
 *   loop         what libuv may refuse: ENOMEM
 *
 * FAIL_PLACE of the environment is another way to say which: the first call that is reached
 * through that place, an offset in the program. COUNT_TO names a file that gets, when the
 * program ends, the number of such calls, and the places: in each line one from which such a
 * call came first.
 * Children of the program are left alone.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
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
#include <uv.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

enum kind { KIND_NONE, KIND_MEMORY, KIND_DESCRIPTOR, KIND_DISK, KIND_PROCESS, KIND_LOOP };

static enum kind counted;
static atomic_ulong count;
static atomic_bool has_failed; /* at its place */
static unsigned long fail_at, fail_every, fail_last;
static char count_to[512];

/* At exit what the compiler's run-time library does is nobody's: libgcov is not ready for it. */
static void stop(void)
{
	counted = KIND_NONE;
}

/* ---- places: return addresses in the program itself ------------------------------------------ */

enum { DEPTH = 64, PLACES_MAX = 1 << 13 };

static uintptr_t program, program_end, fail_place;
static _Atomic uintptr_t places[PLACES_MAX]; /* offsets; 0: free */
static uintptr_t first[PLACES_MAX];          /* of each call that came from a new one */
static atomic_uint first_count;
static _Thread_local bool is_looking;

static int find_program(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	program = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		if (part->p_type == PT_LOAD &&
		    program + part->p_vaddr + part->p_memsz > program_end)
			program_end = program + part->p_vaddr + part->p_memsz;
	}
	return 1; /* the first is the program */
}

static bool is_new(uintptr_t place)
{
	size_t at = (size_t)(place * 11400714819323198485u >> 40) % PLACES_MAX;
	for (size_t i = 0; i < PLACES_MAX; i++, at = (at + 1) % PLACES_MAX) {
		uintptr_t there = 0;
		if (atomic_compare_exchange_strong(&places[at], &there, place))
			return true;
		if (there == place)
			return false;
	}
	return false;
}

/* Whether the call comes through the place that fails; where none does, notes new ones. */
static bool is_at_place(void)
{
	void *frames[DEPTH];
	bool is_noted = false;
	if (is_looking)
		return false;
	is_looking = true;
	int count_of_frames = backtrace(frames, DEPTH);
	is_looking = false;
	for (int i = 0; i < count_of_frames; i++) {
		uintptr_t address = (uintptr_t)frames[i];
		if (address < program || address >= program_end)
			continue;
		if (fail_place != 0) {
			if (address - program == fail_place)
				return true;
		} else if (is_new(address - program) && !is_noted) {
			is_noted = true;
			if (atomic_load(&first_count) == 0)
				(void)atexit(stop);
			first[atomic_fetch_add(&first_count, 1) % PLACES_MAX] = address - program;
		}
	}
	return false;
}

/* Whether this call is the one. */
static bool fails(enum kind kind, int error)
{
	if (kind != counted)
		return false;
	unsigned long n = atomic_fetch_add(&count, 1) + 1;
	if (count_to[0] != '\0' && fail_at == 0 && (fail_place == 0 || !has_failed) &&
	    is_at_place()) {
		if (atomic_exchange(&has_failed, true))
			return false;
		(void)atexit(stop);
		errno = error;
		return true;
	}
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
	static const char *const words[] = {"", "memory", "descriptor", "disk", "process", "loop"};
	void *one[1];
	const char *at = getenv("FAIL_AT"), *to = getenv("COUNT_TO"), *kind = getenv("FAIL_KIND");
	(void)snprintf(count_to, sizeof count_to, "%s", to != NULL ? to : "");
	const char *every = getenv("FAIL_EVERY"), *last = getenv("FAIL_LAST");
	const char *place = getenv("FAIL_PLACE");
	(void)dl_iterate_phdr(find_program, NULL);
	(void)backtrace(one, 1); /* its first call allocates */
	fail_place = place != NULL ? strtoul(place, NULL, 16) : 0;
	fail_at = at != NULL ? strtoul(at, NULL, 10) : 0;
	fail_every = every != NULL ? strtoul(every, NULL, 10) : 0;
	fail_last = last != NULL ? strtoul(last, NULL, 10) : 0;
	for (unsigned i = KIND_MEMORY; kind != NULL && i < sizeof words / sizeof words[0]; i++)
		if (strcmp(words[i], kind) == 0)
			counted = (enum kind)i;
	unsetenv("LD_PRELOAD");
	unsetenv("FAIL_AT");
	unsetenv("FAIL_PLACE");
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
	for (unsigned i = 0; i < atomic_load(&first_count) && i < PLACES_MAX; i++) {
		length = snprintf(text, sizeof text, "%lx\n", (unsigned long)first[i]);
		(void)!write(fd, text, (size_t)length);
	}
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

/* ---- libuv: what it may refuse, and leaves as it was then -------------------------------------
 */

#define WRAP_LOOP(name, parameters, ...)                                                           \
	WRAP(KIND_LOOP, ENOMEM, UV_ENOMEM, int, name, parameters, __VA_ARGS__)

WRAP_LOOP(uv_async_init, (uv_loop_t * loop, uv_async_t *async, uv_async_cb done), loop, async, done)
WRAP_LOOP(uv_cond_init, (uv_cond_t * cond), cond)
WRAP_LOOP(uv_fileno, (const uv_handle_t *handle, uv_os_fd_t *fd), handle, fd)
WRAP_LOOP(uv_listen, (uv_stream_t * stream, int backlog, uv_connection_cb done), stream, backlog,
          done)
WRAP_LOOP(uv_loop_init, (uv_loop_t * loop), loop)
WRAP_LOOP(uv_mutex_init, (uv_mutex_t * mutex), mutex)
WRAP_LOOP(uv_pipe_open, (uv_pipe_t * pipe, uv_file file), pipe, file)
WRAP_LOOP(uv_read_start, (uv_stream_t * stream, uv_alloc_cb room, uv_read_cb done), stream, room,
          done)
WRAP_LOOP(uv_thread_create, (uv_thread_t * thread, uv_thread_cb entry, void *argument), thread,
          entry, argument)
WRAP_LOOP(uv_write,
          (uv_write_t * request, uv_stream_t *stream, const uv_buf_t parts[],
           unsigned count_of_parts, uv_write_cb done),
          request, stream, parts, count_of_parts, done)

/* A program that cannot be started: the handle is as libuv leaves it then. */
int uv_spawn(uv_loop_t *loop, uv_process_t *process, const uv_process_options_t *options)
{
	uv_process_options_t other = *options;
	if (fails(KIND_LOOP, ENOMEM))
		other.file = "/nonexistent";
	return REAL(uv_spawn)(loop, process, &other);
}
