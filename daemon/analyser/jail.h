/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The jail of the analyser: what is left of the kernel's interface once libclang is loaded.
 *
 * libclang probes paths whatever the source says, so calls that name a path
 * fail; a call that has no business here ends the process. A
 * textual search for #include would be no substitute: trigraphs, #embed,
 * __has_include and _Pragma all evade it.
 */
#ifndef PREDICTD_DAEMON_ANALYSER_JAIL_H
#define PREDICTD_DAEMON_ANALYSER_JAIL_H

#include <stdbool.h>

#include "model/status.h"

/* Bytes are exact; a sanitizer's shadow memory takes terabytes of address space by itself. */
#if defined(__SANITIZE_ADDRESS__)
#define JAIL_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define JAIL_SANITIZED 1
#endif
#endif
#ifndef JAIL_SANITIZED
#define JAIL_SANITIZED 0
#endif

/* Counts of coverage are written as a process ends: what open() may create stays within reach. */
#ifndef JAIL_COVERED
#define JAIL_COVERED 0
#endif

enum {
	JAIL_STACK_BYTES = 64 << 20,
	JAIL_DATA_BYTES = 256 << 20,
	JAIL_DESCRIPTORS = 32,
	JAIL_LACK_MAX = 128
};

/*
 * Locks this process in, for good, and every child with it: no new
 * privileges, no capabilities, not dumpable, killed with its parent, no files
 * (Landlock where the kernel has it), and a list of system calls (seccomp).
 * Descriptors that are open stay usable.
 *
 * lack   out: what the kernel does not have of it, as "no Landlock: WHY"; "" when all is there
 *
 * STATUS_UNAVAILABLE: the kernel lacks seccomp, or refuses it; nothing may be parsed then.
 */
enum status jail_enter(char lack[JAIL_LACK_MAX], struct error *error);

/*
 * Locks a child further, before it reads anything hostile: limits on memory,
 * files and cores, death with the parent, and a shorter list of system calls
 * (no fork, no signals to others, no sending of descriptors).
 * Async-signal-safe. False when the kernel refuses: the child must end.
 */
bool jail_enter_child(void);

/* Ends this process when it has used that many more seconds of CPU time. */
void jail_limit_cpu(unsigned seconds);

#endif
