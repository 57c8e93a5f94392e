/* SPDX-License-Identifier: Apache-2.0 */
/* The end of the program, and its children. */
#ifndef CLIENT_OPENCL_LAYER_EXIT_H
#define CLIENT_OPENCL_LAYER_EXIT_H

#include <stdbool.h>

/* false: children could not be told from their parents; nothing is followed then. */
bool exit_init(void);

/*
 * What exit() calls, in the reverse order of registration: ours must come before those of the
 * driver and of libpredictd, so it is registered once after each of these.
 */
typedef enum exit_stage {
	EXIT_AFTER_CONTEXT,
	EXIT_AFTER_QUEUE,
	EXIT_AFTER_KNOWLEDGE,
	EXIT_STAGES
} exit_stage;
void exit_register(exit_stage stage);

#endif
