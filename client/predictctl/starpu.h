/* SPDX-License-Identifier: Apache-2.0 */
/* What starpu-export and starpu-import share: the cases with a `starpu`, and StarPU's devices. */
#ifndef PREDICTD_CLIENT_PREDICTCTL_STARPU_H
#define PREDICTD_CLIENT_PREDICTCTL_STARPU_H

#include "client/predictctl/ask.h"
#include "client/predictctl/starpu_files.h"

/* One of predictd's devices under StarPU's number of it. */
struct starpu_worker {
	int opencl;
	char key[PREDICTD_KEY_BYTES];
};

struct starpu_session {
	predictd_connection *connection;
	struct case_list cases; /* those of the symbol; its array is owned, not what it points to */
	struct ask ask;
	size_t worker_count;
	struct starpu_worker workers[SIZES_MAX];
};

/*
 * Chooses the cases, connects, registers their sources and finds the devices: those of --opencl,
 * else those that OpenCL's loader lists and StarPU would take. Complains on failure.
 *
 * what   the command, for messages
 */
enum exit_code starpu_session_open(const char *what, const struct options *options,
                                   struct starpu_session *session);
void starpu_session_close(struct starpu_session *session);

/* Whether no case before this one has its symbol. */
bool starpu_is_first(const struct starpu_session *session, size_t index);

/* The first other case with the symbol and footprint of this one; NULL: there is none. */
const struct launch_case *starpu_twin(const struct starpu_session *session, size_t index);

/*
 * The model (`is_needed`: it has to be there) and the record of a symbol's files. False after a
 * complaint, with nothing to end.
 */
bool starpu_models_load(const struct starpu_files *files, bool is_needed,
                        struct starpu_model *model, struct starpu_model *record);

#endif
