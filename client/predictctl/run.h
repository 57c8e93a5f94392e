/* SPDX-License-Identifier: Apache-2.0 */
/* predictctl run: a program with the OpenCL layer, and what is said of it afterwards. */
#ifndef PREDICTD_CLIENT_PREDICTCTL_RUN_H
#define PREDICTD_CLIENT_PREDICTCTL_RUN_H

#include "client/predictctl/run_summary.h"

struct run {
	char **program; /* its words, which NULL ends */
	const char *layer;
	char folder[64]; /* private; each process writes its record there */
	bool observes, wants_spans;
	const char *socket; /* or NULL */
	/* afterwards */
	int status;       /* as a shell says it */
	int signal;       /* that ended it, or 0 */
	bool has_started; /* else `why` says why not */
	char why[128];
	double time_s;
};

/* ---- run_process.c ------------------------------------------------------------------------- */

/*
 * Runs the program with the layer, if there is one, and waits for its end. SIGINT, SIGTERM and
 * SIGHUP that are sent to this process are passed on to it.
 */
void run_program(struct run *run);

/* ---- run_print.c, run_json.c, run_trace.c --------------------------------------------------- */

void run_print(const struct run *run, const struct run_summary *summary, FILE *file);
json_t *run_json(const struct run *run, const struct run_summary *summary);

/* Predicted and observed spans of each process, from FOLDER/PID.spans. False: not all is written.
 */
bool run_trace(const struct run *run, const struct run_summary *summary, FILE *file);

#endif
