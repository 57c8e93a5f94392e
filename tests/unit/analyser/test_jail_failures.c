/* SPDX-License-Identifier: Apache-2.0 */
/* Each call that makes the jail fails once: no analyser goes on without all of it. */
#include "tests/test.h"

#include <errno.h>
#include <seccomp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/analyser/jail.h"
#include "tests/places.h"

enum { LANDLOCK_CREATE = 444, WITHOUT_LANDLOCK = 2 };

static bool has_no_landlock;

/* What looks for leaks may not trace a process that is half in the jail. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

#define WRAP(name, type, failed, parameters, ...)                                                  \
	type __real_##name parameters;                                                             \
	type __wrap_##name parameters;                                                             \
	type __wrap_##name parameters                                                              \
	{                                                                                          \
		errno = EPERM;                                                                     \
		return place_fails() ? (failed) : __real_##name(__VA_ARGS__);                      \
	}

WRAP(seccomp_init, scmp_filter_ctx, NULL, (uint32_t action), action)
WRAP(seccomp_export_bpf, int, -ENOMEM, (scmp_filter_ctx filter, int fd), filter, fd)
WRAP(seccomp_load, int, -EINVAL, (scmp_filter_ctx filter), filter)
WRAP(memfd_create, int, -1, (const char *name, unsigned flags), name, flags)
WRAP(pread64, ssize_t, 0, (int fd, void *bytes, size_t size, off_t at), fd, bytes, size, at)
WRAP(getrusage, int, -1, (__rusage_who_t who, struct rusage *used), who, used)

/* Limits are said to be set: this process goes on. */
int __wrap_setrlimit64(__rlimit_resource_t resource, const struct rlimit *limit);
int __wrap_setrlimit64(__rlimit_resource_t resource, const struct rlimit *limit)
{
	(void)resource;
	(void)limit;
	errno = EPERM;
	return place_fails() ? -1 : 0;
}

int __wrap_seccomp_rule_add(scmp_filter_ctx filter, uint32_t action, int call, unsigned count, ...);
int __wrap_seccomp_rule_add(scmp_filter_ctx filter, uint32_t action, int call, unsigned count, ...)
{
	struct scmp_arg_cmp arguments[6];
	va_list more;
	va_start(more, count);
	for (unsigned i = 0; i < count && i < 6; i++)
		arguments[i] = va_arg(more, struct scmp_arg_cmp);
	va_end(more);
	return place_fails() ? -EFAULT
	                     : seccomp_rule_add_array(filter, action, call, count, arguments);
}

int __real_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d);
int __wrap_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d);
int __wrap_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
	errno = EPERM;
	return place_fails() ? -1 : __real_prctl(option, a, b, c, d);
}

long __real_syscall(long number, unsigned long a, unsigned long b, unsigned long c);
long __wrap_syscall(long number, unsigned long a, unsigned long b, unsigned long c);
long __wrap_syscall(long number, unsigned long a, unsigned long b, unsigned long c)
{
	/* a kernel may have no Landlock: what is asked first is whether it has */
	bool is_question = number == LANDLOCK_CREATE && a == 0;
	errno = EPERM;
	if (is_question)
		return has_no_landlock ? -1 : __real_syscall(number, a, b, c);
	return place_fails() ? -1 : __real_syscall(number, a, b, c);
}

/* In a process of its own, which is jailed in the end. */
static void enter_without_landlock(void)
{
	struct error error = {0};
	char lack[JAIL_LACK_MAX];
	has_no_landlock = true;
	bool is_told = jail_enter(lack, &error) == STATUS_OK &&
	               (JAIL_COVERED || strcmp(lack, "no Landlock: Operation not permitted") == 0);
	_exit(is_told ? 0 : 1);
}

/* The zygote's jail (0) or its child's (1), likewise. */
static void pass(int pass_number)
{
	struct error error = {0};
	unsigned wrong;
	places_begin(1);
	if (pass_number == 0) {
		char lack[JAIL_LACK_MAX];
		enum status status = jail_enter(lack, &error);
		bool is_refused = status != STATUS_OK && strncmp(error.text, "jail: ", 6) == 0;
		if (places_is_child())
			places_end_child(is_refused ? NULL : "it went on");
		_exit(status != STATUS_OK || places_end(&wrong) < 20 || wrong > 0);
	}
	/* a filter that is none: the kernel refuses it, unless something was refused before */
	bool has_entered = jail_enter_child();
	jail_limit_cpu(1000);
	if (places_is_child())
		places_end_child(has_entered ? "it went on" : NULL);
	_exit(places_end(&wrong) < 4 || wrong > 0);
}

static void assert_child_is_well(int number)
{
	int status;
	fflush(NULL);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0 && number == WITHOUT_LANDLOCK)
		enter_without_landlock();
	if (child == 0)
		pass(number);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void without_one_of_its_calls_there_is_no_jail(void **state)
{
	assert_child_is_well(*(int *)*state);
}

static void a_kernel_without_landlock_is_told_of(void **state)
{
	(void)state;
	assert_child_is_well(WITHOUT_LANDLOCK);
}

int main(void)
{
	static int numbers[] = {0, 1};
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_prestate(without_one_of_its_calls_there_is_no_jail, &numbers[0]),
	        cmocka_unit_test_prestate(without_one_of_its_calls_there_is_no_jail, &numbers[1]),
	        cmocka_unit_test(a_kernel_without_landlock_is_told_of),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("jail_failures", tests, NULL, NULL);
}
