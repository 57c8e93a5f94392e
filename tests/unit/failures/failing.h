/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that fail once: of the linker's --wrap, so that calls of this project's own code are
 * counted and those of libraries are not.
 */
#ifndef PREDICTD_TESTS_FAILURES_FAILING_H
#define PREDICTD_TESTS_FAILURES_FAILING_H

enum failing {
	FAILING_MEMORY,  /* malloc, calloc, realloc, strdup */
	FAILING_BUILDER, /* what adds to a kernel's IR: it then refuses all that follows */
	FAILING_ARENA,   /* the front-end's memory of one kernel */
	FAILING_COUNT
};

/* The n-th call from now on of a kind fails; 0: none does. Counts start anew. */
void failing_set(enum failing kind, unsigned long n);

/* Calls of the kind since then; counting ends. */
unsigned long failing_end(void);

#endif
