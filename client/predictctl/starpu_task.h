/* SPDX-License-Identifier: Apache-2.0 */
/* A case's `starpu`: which entry of which performance model of StarPU's the launch is. */
#ifndef PREDICTD_CLIENT_PREDICTCTL_STARPU_TASK_H
#define PREDICTD_CLIENT_PREDICTCTL_STARPU_TASK_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct complaint;

enum { STARPU_HANDLES_MAX = 256, STARPU_SYMBOL_MAX = 128 };

struct starpu_task {
	char symbol[STARPU_SYMBOL_MAX]; /* of the codelet's model: "" where the case has no `starpu`
	                                 */
	uint32_t footprint;
	uint64_t size_bytes;
};

/* Reads the member's value; `where` names the case. False: *why names the key. */
bool starpu_task_parse(json_t *value, const char *where, struct starpu_task *task,
                       struct complaint *why);

#endif
