/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The jail of the analyser.
 *
 * Two filters: the zygote's, and a shorter one that each child puts on top.
 * The second is compiled beforehand and kept as BPF, because compiling it
 * takes longer than parsing a small kernel.
 */
#include "daemon/analyser/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALL(name) SCMP_SYS(name)

/* What libclang, malloc and the child's own work need once everything is loaded. */
static const int allowed[] = {
        CALL(read), CALL(write), CALL(readv), CALL(writev), CALL(recvmsg), CALL(poll), CALL(ppoll),
        CALL(close), CALL(lseek),
        /* memory */
        CALL(brk), CALL(munmap), CALL(mremap), CALL(madvise), CALL(futex),
        /* time, identity, chance */
        CALL(clock_gettime), CALL(clock_getres), CALL(gettimeofday), CALL(time), CALL(times),
        CALL(getrusage), CALL(clock_nanosleep), CALL(nanosleep), CALL(getpid), CALL(gettid),
        CALL(getppid), CALL(getuid), CALL(geteuid), CALL(getgid), CALL(getegid), CALL(getrandom),
        CALL(sysinfo), CALL(uname), CALL(sched_yield), CALL(sched_getaffinity),
        /* signals to itself, threads' bookkeeping, the end */
        CALL(rt_sigaction), CALL(rt_sigprocmask), CALL(rt_sigreturn), CALL(sigaltstack),
        CALL(setitimer), CALL(restart_syscall), CALL(set_robust_list), CALL(set_tid_address),
        CALL(rseq), CALL(exit), CALL(exit_group)};

/* What the zygote needs besides; those with arguments are below. */
static const int allowed_zygote[] = {CALL(wait4), CALL(sendmsg), CALL(sendto), CALL(dup2),
                                     CALL(dup3)};

/*
 * Calls that look for a file: there is none. The preprocessor goes on to the
 * next of its search path, which may be one that the client sent along; any other errno
 * would be an error of the program to it.
 */
static const int absent[] = {
        CALL(open),       CALL(openat2),  CALL(stat),       CALL(lstat),
        CALL(newfstatat), CALL(statx),    CALL(access),     CALL(faccessat),
        CALL(faccessat2), CALL(readlink), CALL(readlinkat),
};

/* Calls that change files, or name addresses or other processes: they fail. */
static const int denied[] = {CALL(creat),    CALL(fstat),   CALL(statfs),     CALL(fstatfs),
                             CALL(getcwd),   CALL(chdir),   CALL(getdents64), CALL(unlink),
                             CALL(unlinkat), CALL(rename),  CALL(renameat),   CALL(renameat2),
                             CALL(mkdir),    CALL(mkdirat), CALL(ftruncate),  CALL(socket),
                             CALL(connect),  CALL(execve),  CALL(execveat),   CALL(ptrace)};

/* Adds a rule unless an earlier one has failed; the first failure stays. */
#define RULE(failure, ...) ((failure) = (failure) != 0 ? (failure) : seccomp_rule_add(__VA_ARGS__))

static struct scmp_arg_cmp argument_is(unsigned argument, uint64_t value)
{
	return (struct scmp_arg_cmp){.arg = argument, .op = SCMP_CMP_EQ, .datum_a = value};
}

static struct scmp_arg_cmp argument_lacks(unsigned argument, uint64_t bits)
{
	return (struct scmp_arg_cmp){
	        .arg = argument, .op = SCMP_CMP_MASKED_EQ, .datum_a = bits, .datum_b = 0};
}

/* What gcov calls to add to the counts of a file. */
static int rules_add_covered(scmp_filter_ctx filter)
{
	const struct scmp_arg_cmp creates = {
	        .arg = 2, .op = SCMP_CMP_MASKED_EQ, .datum_a = O_CREAT, .datum_b = O_CREAT};
	int failure = 0;
	RULE(failure, filter, SCMP_ACT_ALLOW, CALL(openat), 1, creates);
	RULE(failure, filter, SCMP_ACT_ERRNO(ENOENT), CALL(openat), 1, argument_lacks(2, O_CREAT));
	RULE(failure, filter, SCMP_ACT_ALLOW, CALL(fcntl), 0);
	return failure;
}

static int rules_add(scmp_filter_ctx filter, bool for_child)
{
	static const uint64_t fork_flags = CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID | SIGCHLD;
	int failure = 0;
	for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
		RULE(failure, filter, SCMP_ACT_ALLOW, allowed[i], 0);
	for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
		RULE(failure, filter, SCMP_ACT_ERRNO(ENOENT), absent[i], 0);
	for (size_t i = 0; i < sizeof denied / sizeof *denied; i++)
		RULE(failure, filter, SCMP_ACT_ERRNO(EACCES), denied[i], 0);
	/* no memory becomes code */
	RULE(failure, filter, SCMP_ACT_ALLOW, CALL(mmap), 1, argument_lacks(2, PROT_EXEC));
	RULE(failure, filter, SCMP_ACT_ALLOW, CALL(mprotect), 1, argument_lacks(2, PROT_EXEC));
	/* of itself; without capabilities no limit can be raised */
	RULE(failure, filter, SCMP_ACT_ALLOW, CALL(prlimit64), 1, argument_is(0, 0));
	/* its own priority: without capabilities it can only get lower */
	RULE(failure, filter, SCMP_ACT_ALLOW, CALL(setpriority), 2, argument_is(0, PRIO_PROCESS),
	     argument_is(1, 0));
	/* its own slice and processors: a higher policy takes a capability */
	RULE(failure, filter, SCMP_ACT_ALLOW, CALL(sched_getattr), 1, argument_is(0, 0));
	RULE(failure, filter, SCMP_ACT_ALLOW, CALL(sched_setattr), 1, argument_is(0, 0));
	RULE(failure, filter, SCMP_ACT_ALLOW, CALL(sched_setaffinity), 1, argument_is(0, 0));
	/* streams that ask whether they are terminals; F_SETOWN would send signals */
	RULE(failure, filter, SCMP_ACT_ERRNO(ENOTTY), CALL(ioctl), 0);
	if (JAIL_COVERED)
		failure = failure != 0 ? failure : rules_add_covered(filter);
	else {
		RULE(failure, filter, SCMP_ACT_ERRNO(ENOENT), CALL(openat), 0);
		RULE(failure, filter, SCMP_ACT_ERRNO(EPERM), CALL(fcntl), 0);
	}
	RULE(failure, filter, SCMP_ACT_ERRNO(ENOSYS), CALL(clone3), 0);
	/* abort() goes on to an illegal instruction when it may not signal itself */
	RULE(failure, filter, SCMP_ACT_ERRNO(EPERM), CALL(tgkill), 0);
	RULE(failure, filter, SCMP_ACT_ERRNO(EPERM), CALL(tkill), 0);
	if (for_child) {
		RULE(failure, filter, SCMP_ACT_ERRNO(EAGAIN), CALL(clone), 0);
		RULE(failure, filter, SCMP_ACT_ERRNO(EPERM), CALL(kill), 0);
		RULE(failure, filter, SCMP_ACT_ERRNO(EINVAL), CALL(prctl), 0);
		return failure;
	}
	for (size_t i = 0; i < sizeof allowed_zygote / sizeof *allowed_zygote; i++)
		RULE(failure, filter, SCMP_ACT_ALLOW, allowed_zygote[i], 0);
	/* processes, no threads: the front-end tries one when its stack runs short, and may fail */
	RULE(failure, filter, SCMP_ACT_ALLOW, CALL(clone), 1, argument_is(0, fork_flags));
	RULE(failure, filter, SCMP_ACT_ERRNO(EAGAIN), CALL(clone), 1,
	     (struct scmp_arg_cmp){.arg = 0, .op = SCMP_CMP_NE, .datum_a = fork_flags});
	RULE(failure, filter, SCMP_ACT_ALLOW, CALL(kill), 1, argument_is(1, SIGKILL));
	RULE(failure, filter, SCMP_ACT_ALLOW, CALL(socketpair), 1, argument_is(0, AF_UNIX));
	RULE(failure, filter, SCMP_ACT_ALLOW, CALL(prctl), 1, argument_is(0, PR_SET_PDEATHSIG));
	RULE(failure, filter, SCMP_ACT_ALLOW, CALL(prctl), 1, argument_is(0, PR_SET_SECCOMP));
	return failure;
}

static int filter_new(bool for_child, scmp_filter_ctx *result)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
	if (filter == NULL)
		return -ENOMEM;
	(void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2); /* a tree, not a list */
	int failure = rules_add(filter, for_child);
	if (failure != 0) {
		seccomp_release(filter);
		return failure;
	}
	*result = filter;
	return 0;
}

/* The child's filter, compiled. */
static struct sock_filter child_code[2048];
static struct sock_fprog child_filter = {.filter = child_code};

static int child_filter_compile(void)
{
	scmp_filter_ctx filter = NULL;
	int failure = filter_new(true, &filter);
	if (failure != 0)
		return failure;
	int fd = memfd_create("filter", MFD_CLOEXEC);
	failure = fd < 0 ? -errno : seccomp_export_bpf(filter, fd);
	if (failure == 0) {
		ssize_t got = pread(fd, child_code, sizeof child_code, 0);
		if (got <= 0 || got == (ssize_t)sizeof child_code)
			failure = -EFBIG;
		else
			child_filter.len = (unsigned short)((size_t)got / sizeof *child_code);
	}
	if (fd >= 0)
		close(fd);
	seccomp_release(filter);
	return failure;
}

/* ---- Landlock ------------------------------------------------------------------------------ */

/* The kernel's structure as of ABI 6; older ones take its beginning. */
struct landlock_rules {
	uint64_t handled_access_fs;
	uint64_t handled_access_net;
	uint64_t scoped;
};

/*
 * With no rule added, everything that is handled is refused. A kernel without Landlock, or a filter
 * that forbids it, is no error: the filter of system calls keeps from files by itself.
 */
static bool landlock_enter(char lack[JAIL_LACK_MAX])
{
	enum { CREATE_RULESET = 444, RESTRICT_SELF = 446, VERSION = 1 };
	if (JAIL_COVERED)
		return true;
	long abi = syscall(CREATE_RULESET, NULL, 0, VERSION);
	if (abi < 1) {
		(void)snprintf(lack, JAIL_LACK_MAX, "no Landlock: %s", strerror(errno));
		return true;
	}
	/* accesses that the ABI knows: 13 in the first; then refer, truncate, ioctl of devices */
	unsigned fs_bits = abi >= 5 ? 16 : abi >= 3 ? 15 : abi >= 2 ? 14 : 13;
	struct landlock_rules rules = {
	        .handled_access_fs = (UINT64_C(1) << fs_bits) - 1,
	        .handled_access_net = abi >= 4 ? 3 : 0, /* bind, connect */
	        .scoped = abi >= 6 ? 3 : 0,             /* abstract sockets, signals */
	};
	size_t bytes = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
	long ruleset = syscall(CREATE_RULESET, &rules, bytes, 0);
	if (ruleset < 0)
		return false;
	long result = syscall(RESTRICT_SELF, (int)ruleset, 0);
	close((int)ruleset);
	return result == 0;
}

static bool capabilities_drop(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
	return syscall(SYS_capset, &header, none) == 0;
}

/* ---- both ---------------------------------------------------------------------------------- */

enum status jail_enter(char lack[JAIL_LACK_MAX], struct error *error)
{
	lack[0] = '\0';
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return error_set(error, STATUS_UNAVAILABLE, "jail: no_new_privs: %s",
		                 strerror(errno));
	if (!capabilities_drop())
		return error_set(error, STATUS_UNAVAILABLE, "jail: capabilities: %s",
		                 strerror(errno));
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
		return error_set(error, STATUS_UNAVAILABLE, "jail: prctl: %s", strerror(errno));
	if (!landlock_enter(lack))
		return error_set(error, STATUS_UNAVAILABLE, "jail: Landlock: %s", strerror(errno));

	scmp_filter_ctx filter = NULL;
	int failure = child_filter_compile();
	if (failure == 0)
		failure = filter_new(false, &filter);
	if (failure == 0)
		failure = seccomp_load(filter);
	if (filter != NULL)
		seccomp_release(filter);
	if (failure != 0)
		return error_set(error, STATUS_UNAVAILABLE, "jail: seccomp: %s",
		                 strerror(-failure));
	return STATUS_OK;
}

bool jail_enter_child(void)
{
	const struct {
		__rlimit_resource_t resource;
		rlim_t value;
	} limits[] = {
	        {RLIMIT_CORE, 0},
	        {RLIMIT_FSIZE, JAIL_COVERED ? RLIM_INFINITY : 0},
	        {RLIMIT_NOFILE, JAIL_DESCRIPTORS},
	        {RLIMIT_DATA, JAIL_SANITIZED ? RLIM_INFINITY : JAIL_DATA_BYTES},
	};
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		struct rlimit limit = {limits[i].value, limits[i].value};
		if (limits[i].value != RLIM_INFINITY && setrlimit(limits[i].resource, &limit) != 0)
			return false;
	}
	return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &child_filter, 0, 0) == 0;
}

void jail_limit_cpu(unsigned seconds)
{
	struct rusage used;
	if (getrusage(RUSAGE_SELF, &used) != 0)
		return;
	rlim_t end = (rlim_t)used.ru_utime.tv_sec + (rlim_t)used.ru_stime.tv_sec + seconds + 2;
	(void)setrlimit(RLIMIT_CPU, &(struct rlimit){end, end});
}
