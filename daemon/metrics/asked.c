/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that are asked about. */
#include "daemon/metrics/asked.h"

#include "proto/text.h"

#include <stdlib.h>
#include <string.h>

static void asked_remove(struct asked *asked, struct asked_kernel *kernel)
{
	HASH_DEL(asked->kernels, kernel);
	free(kernel);
}

static struct asked_kernel *asked_new(const struct asked_key *key, const char *name)
{
	struct asked_kernel *kernel = calloc(1, sizeof *kernel);
	if (kernel == NULL)
		return NULL;
	kernel->key = *key;
	strncpy(kernel->name, name, sizeof kernel->name - 1);
	text_clean(kernel->name);
	return kernel;
}

void asked_add(struct asked *asked, const struct asked_key *key, const char *name)
{
	struct asked_kernel *kernel;
	HASH_FIND(hh, asked->kernels, key, sizeof *key, kernel);
	if (kernel != NULL && kernel->hh.next == NULL) {
		kernel->questions++; /* the last one already */
		return;
	}
	if (kernel != NULL) {
		HASH_DEL(asked->kernels, kernel);
	} else {
		if (HASH_COUNT(asked->kernels) >= ASKED_MAX)
			asked_remove(asked, asked->kernels);
		kernel = asked_new(key, name);
		if (kernel == NULL)
			return;
	}
	kernel->questions++;
	HASH_ADD(hh, asked->kernels, key, sizeof kernel->key, kernel);
	if (kernel->hh.tbl == NULL)
		free(kernel);
}

void asked_deinit(struct asked *asked)
{
	struct asked_kernel *kernel, *next;
	HASH_ITER(hh, asked->kernels, kernel, next)
	asked_remove(asked, kernel);
}
