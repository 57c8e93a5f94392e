/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forms of the language in tables: the body of a kernel
 *
 *   f(global float *a, global int *b, global float4 *v, local int *l, int n, uint u, float x,
 *     long z, double d, global uchar *c, half h) { int i = get_global_id(0); BODY }
 *
 * and what is expected of it.
 */
#ifndef PREDICTD_TESTS_FORMS_H
#define PREDICTD_TESTS_FORMS_H

#include <stddef.h>

#include "model/ir/ir.h"

struct form {
	const char *head, *body; /* head: what is declared before the kernel, or NULL */
	const char *expected;    /* another spelling's body, a reason, or a part of the text */
};

/* The kernel, analysed or with its reason. */
struct ir_kernel *form_kernel(const struct form *form, const char *options);

/* Each is analysed, stores something, and has a time on a GPU and on a CPU. */
void assert_analysed(const struct form *forms, size_t count, const char *options);
/* Each becomes the same IR as its other spelling; NULL: any. */
void assert_same(const struct form *forms, size_t count, const char *options);
/* Each has a text form with that in it. */
void assert_part(const struct form *forms, size_t count, const char *options);
/* Each is refused, or has something unknown, with that as the reason; NULL: neither. */
void assert_refused(const struct form *forms, size_t count, const char *options);

#endif
