/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that fail once: what to fail lies in memory that the processes share. */
#include "tests/unit/daemon/failing.h"

#include "tests/test.h"

#include "daemon/codec/arena.h"
#include "daemon/serve/users.h"
#include "store/observations.h"
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <uv.h>

enum { HELD_US = 2000 };

static struct {
	atomic_int kind; /* FAILING_COUNT: none */
	atomic_ulong count, fail_at;
	atomic_bool is_heavy, is_held;
} *shared;

static pid_t tester;

void failing_init(void)
{
	tester = getpid();
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
	              0);
	assert_true(shared != MAP_FAILED);
	atomic_store(&shared->kind, FAILING_COUNT);
}

void failing_set(enum failing kind, unsigned long n)
{
	atomic_store(&shared->count, 0);
	atomic_store(&shared->fail_at, n);
	atomic_store(&shared->kind, (int)kind);
}

unsigned long failing_end(void)
{
	atomic_store(&shared->kind, FAILING_COUNT);
	return atomic_load(&shared->count);
}

void failing_make_heavy(bool is_heavy)
{
	atomic_store(&shared->is_heavy, is_heavy);
}

void failing_hold_store(bool is_held)
{
	atomic_store(&shared->is_held, is_held);
}

static bool fails(enum failing kind)
{
	while (kind == FAILING_STORE && atomic_load(&shared->is_held))
		usleep(HELD_US);
	return shared != NULL && atomic_load(&shared->kind) == (int)kind && getpid() != tester &&
	       atomic_fetch_add(&shared->count, 1) + 1 == atomic_load(&shared->fail_at);
}

#define WRAP(kind, failure, type, name, parameters, ...)                                           \
	type __real_##name parameters;                                                             \
	type __wrap_##name parameters;                                                             \
	type __wrap_##name parameters                                                              \
	{                                                                                          \
		return fails(kind) ? (failure) : __real_##name(__VA_ARGS__);                       \
	}

WRAP(FAILING_MEMORY, NULL, void *, malloc, (size_t size), size)
WRAP(FAILING_MEMORY, NULL, void *, calloc, (size_t items, size_t size), items, size)
WRAP(FAILING_MEMORY, NULL, void *, realloc, (void *old, size_t size), old, size)
WRAP(FAILING_MEMORY, NULL, char *, strdup, (const char *text), text)
WRAP(FAILING_MEMORY, NULL, char *, strndup, (const char *text, size_t size), text, size)

WRAP(FAILING_ARENA, NULL, void *, arena_allocate, (struct arena * arena, size_t size), arena, size)
WRAP(FAILING_ARENA, NULL, char *, arena_text, (struct arena * arena, const char *text), arena, text)

#define WRAP_LOOP(name, parameters, ...)                                                           \
	WRAP(FAILING_LOOP, UV_ENOMEM, int, name, parameters, __VA_ARGS__)

WRAP_LOOP(uv_async_init, (uv_loop_t * loop, uv_async_t *async, uv_async_cb done), loop, async, done)
WRAP_LOOP(uv_cond_init, (uv_cond_t * cond), cond)
WRAP_LOOP(uv_mutex_init, (uv_mutex_t * mutex), mutex)
WRAP_LOOP(uv_thread_create, (uv_thread_t * thread, uv_thread_cb entry, void *data), thread, entry,
          data)
WRAP_LOOP(uv_loop_init, (uv_loop_t * loop), loop)
WRAP_LOOP(uv_fileno, (const uv_handle_t *handle, uv_os_fd_t *fd), handle, fd)
WRAP_LOOP(uv_poll_init, (uv_loop_t * loop, uv_poll_t *poll, int fd), loop, poll, fd)
WRAP_LOOP(uv_pipe_open, (uv_pipe_t * pipe, uv_file file), pipe, file)
WRAP_LOOP(uv_read_start, (uv_stream_t * stream, uv_alloc_cb room, uv_read_cb done), stream, room,
          done)
WRAP_LOOP(uv_try_write, (uv_stream_t * stream, const uv_buf_t parts[], unsigned count), stream,
          parts, count)
WRAP_LOOP(uv_write,
          (uv_write_t * request, uv_stream_t *stream, const uv_buf_t parts[], unsigned count,
           uv_write_cb done),
          request, stream, parts, count, done)
/* A program that cannot be started: the handle is as libuv leaves it then. */
int __real_uv_spawn(uv_loop_t *loop, uv_process_t *process, const uv_process_options_t *options);
int __wrap_uv_spawn(uv_loop_t *loop, uv_process_t *process, const uv_process_options_t *options);
int __wrap_uv_spawn(uv_loop_t *loop, uv_process_t *process, const uv_process_options_t *options)
{
	uv_process_options_t other = *options;
	if (fails(FAILING_LOOP))
		other.file = "/nonexistent";
	return __real_uv_spawn(loop, process, &other);
}

#define WRAP_SYSTEM(type, name, parameters, ...)                                                   \
	WRAP(FAILING_SYSTEM, (errno = ENOMEM, -1), type, name, parameters, __VA_ARGS__)

WRAP_SYSTEM(int, socketpair, (int domain, int type, int protocol, int ends[2]), domain, type,
            protocol, ends)
WRAP_SYSTEM(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), fd, message, flags)
WRAP_SYSTEM(int, getsockopt, (int fd, int level, int name, void *value, socklen_t *size), fd, level,
            name, value, size)

WRAP_SYSTEM(int, socket, (int domain, int type, int protocol), domain, type, protocol)
WRAP_SYSTEM(int, bind, (int fd, const struct sockaddr *address, socklen_t size), fd, address, size)
WRAP_SYSTEM(int, listen, (int fd, int backlog), fd, backlog)
WRAP_SYSTEM(int, accept4, (int fd, struct sockaddr *address, socklen_t *size, int flags), fd,
            address, size, flags)
WRAP_SYSTEM(ssize_t, getrandom, (void *bytes, size_t size, unsigned flags), bytes, size, flags)
WRAP_SYSTEM(int, flock, (int fd, int operation), fd, operation)
WRAP_SYSTEM(int, chmod, (const char *path, mode_t mode), path, mode)
WRAP_SYSTEM(int, chown, (const char *path, uid_t user, gid_t group), path, user, group)
WRAP_SYSTEM(int, unlink, (const char *path), path)
WRAP_SYSTEM(int, lstat64, (const char *path, struct stat64 *status), path, status)
WRAP_SYSTEM(int, memfd_create, (const char *name, unsigned flags), name, flags)
WRAP_SYSTEM(int, ftruncate64, (int fd, off_t size), fd, size)
WRAP_SYSTEM(int, timerfd_create, (int clock, int flags), clock, flags)
WRAP(FAILING_SYSTEM, (errno = ENOMEM, MAP_FAILED), void *, mmap64,
     (void *at, size_t size, int access, int flags, int fd, off_t from), at, size, access, flags,
     fd, from)

int __real_fcntl64(int fd, int operation, ...);
int __wrap_fcntl64(int fd, int operation, ...);
int __wrap_fcntl64(int fd, int operation, ...)
{
	va_list more;
	va_start(more, operation);
	int argument = va_arg(more, int);
	va_end(more);
	return fails(FAILING_SYSTEM) ? (errno = ENOMEM, -1)
	                             : __real_fcntl64(fd, operation, argument);
}

#define WRAP_STORE(name, parameters, ...)                                                          \
	WRAP(FAILING_STORE, error_set(error, STATUS_IO, "told to fail"), enum status, name,        \
	     parameters, __VA_ARGS__)

WRAP_STORE(store_save_calibration,
           (struct store * store, struct device *device, struct error *error), store, device, error)
WRAP_STORE(store_save_records,
           (struct store * store, const struct observed_changes *changes, bool power_loss,
            struct error *error),
           store, changes, power_loss, error)
WRAP_STORE(store_load_records,
           (struct store * store, const uint64_t *kernel, size_t most,
            struct correction_record **records, size_t *count, struct error *error),
           store, kernel, most, records, count, error)
WRAP_STORE(store_load_launches,
           (struct store * store, uint64_t kernel, size_t most, struct launch_entry **entries,
            size_t *count, struct error *error),
           store, kernel, most, entries, count, error)
WRAP_STORE(store_find_kernels,
           (struct store * store, const struct kernel_filter *filter, uint64_t **kernels,
            size_t *count, struct error *error),
           store, filter, kernels, count, error)
WRAP_STORE(store_load_calibrations,
           (struct store * store, struct device **devices, size_t *count, struct error *error),
           store, devices, count, error)
WRAP_STORE(store_load_users,
           (struct store * store, size_t most, struct correction_user **users, size_t *count,
            struct error *error),
           store, most, users, count, error)
WRAP_STORE(store_list_programs,
           (struct store * store, const char *version,
            void (*each)(void *data, const uint8_t key[STORE_KEY_BYTES]), void *data,
            struct error *error),
           store, version, each, data, error)
WRAP_STORE(store_open, (const char *directory, struct store **store, struct error *error),
           directory, store, error)
WRAP_STORE(store_load_program,
           (struct store * store, const char *version, const uint8_t key[STORE_KEY_BYTES],
            struct stored_program *program, struct error *error),
           store, version, key, program, error)
WRAP_STORE(store_save_programs,
           (struct store * store, const char *version, const struct stored_program *programs,
            size_t count, size_t count_max, size_t bytes_max, struct error *error),
           store, version, programs, count, count_max, bytes_max, error)
WRAP_STORE(store_save_samples,
           (struct store * store, const struct stored_sample *samples, size_t count,
            struct error *error),
           store, samples, count, error)
WRAP_STORE(store_delete_samples, (struct store * store, struct error *error), store, error)
WRAP_STORE(store_load_samples,
           (struct store * store, void (*each)(void *data, const struct stored_sample *sample),
            void *data, struct error *error),
           store, each, data, error)

bool __real_user_is_heavy(const struct users *users, struct user *user, enum use use,
                          uint64_t now_ns);
bool __wrap_user_is_heavy(const struct users *users, struct user *user, enum use use,
                          uint64_t now_ns);
bool __wrap_user_is_heavy(const struct users *users, struct user *user, enum use use,
                          uint64_t now_ns)
{
	return __real_user_is_heavy(users, user, use, now_ns) ||
	       (shared != NULL && atomic_load(&shared->is_heavy));
}
WRAP_STORE(store_save_choice,
           (struct store * store, const struct stored_choice *choice, struct error *error), store,
           choice, error)
WRAP_STORE(store_load_choice,
           (struct store * store, struct stored_choice *choice, struct error *error), store, choice,
           error)
WRAP_STORE(store_load_changed,
           (struct store * store, uint64_t after, size_t count_max, struct changed_records *changed,
            struct error *error),
           store, after, count_max, changed, error)
WRAP_STORE(store_delete_choices,
           (struct store * store, bool has_user, uint64_t user, const char *device,
            int64_t before_s, struct error *error),
           store, has_user, user, device, before_s, error)
