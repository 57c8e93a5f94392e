/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of the daemon that fail once, told from another process: the linker's --wrap counts
 * those that the daemon's own code makes.
 */
#ifndef PREDICTD_TESTS_DAEMON_FAILING_H
#define PREDICTD_TESTS_DAEMON_FAILING_H

#include <stdbool.h>

enum failing {
	FAILING_MEMORY, /* malloc, calloc, realloc, strdup, strndup */
	FAILING_ARENA,  /* the memory of one request */
	FAILING_LOOP,   /* what libuv may refuse */
	FAILING_SYSTEM, /* sockets and descriptors */
	FAILING_STORE,  /* whole calls of the store */
	FAILING_COUNT
};

/* Before the daemon is started: calls of this process are not counted, those of its children are.
 */
void failing_init(void);

/* From now on the n-th call of the kind fails, once; 0: none. Counts start anew. */
void failing_set(enum failing kind, unsigned long n);

/* Nothing fails any more; the calls of the kind since it was set. */
unsigned long failing_end(void);

/* Whole calls of the store do not end until this is taken back. */
void failing_hold_store(bool is_held);

/* Every user asks so much that what takes long is done for him in the background. */
void failing_make_heavy(bool is_heavy);

#endif
