/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about a list of cases: programs registered once each, answers case by case. */
#ifndef PREDICTD_CLIENT_PREDICTCTL_ASK_H
#define PREDICTD_CLIENT_PREDICTCTL_ASK_H

#include <jansson.h>

#include "client/predictctl/options.h"
#include "client/predictctl/sampled.h"

/* A source of the cases, loaded and (where a daemon is asked) registered. */
struct ask_program {
	const char *file, *options; /* borrowed of the first case that has them */
	bool is_sourceless;         /* `file` is its name */
	predictd_source *source;
	predictd_program *program;
	predictd_status status;
	char error[512]; /* of that status; or what to say where none of several kernels is named */
};

struct ask {
	predictd_connection *connection; /* NULL: nobody is asked */
	const struct case_list *cases;
	size_t program_count;
	struct ask_program *programs;
	size_t *program_of;      /* by case */
	struct sampled *sampled; /* by case: what is known of its buffers, once it was asked for */
};

/* The answer of one case. */
struct answer {
	predictd_status status;
	const char *error;                     /* or "" */
	const predictd_prediction *prediction; /* NULL on error */
};

struct answers {
	size_t count;
	struct answer *each;
	predictd_prediction *predictions;
	size_t prediction_count;
};

/* Loads every source; registers it when connection is not NULL. Fails for want of memory only. */
predictd_status ask_init(struct ask *ask, const struct case_list *cases,
                         predictd_connection *connection);
void ask_deinit(struct ask *ask); /* before the connection is closed */

/*
 * The question of a case to its registered program; device and model are the caller's to set.
 *
 * options   transfers, pinned and sample: whether its buffers' `init` are sampled, also where the
 *           case does not say so
 * question  out: borrows from the ask; unchanged on failure
 * error     out: on failure, why; lives as long as the ask
 *
 * Fails as its program did, or with PREDICTD_INVALID: no kernel is named, or an init is wrong.
 */
predictd_status ask_question(const struct ask *ask, size_t index, const struct options *options,
                             predictd_question *question, const char **error);

/* Asks about every case; *answers is ended by answers_deinit. */
predictd_status ask_predict(const struct ask *ask, const struct options *options,
                            predictd_model model, const char *device, struct answers *answers);
void answers_deinit(struct answers *answers);

/* Says what the answers warn of, a line each on standard error. */
void answers_warn(const struct answers *answers, const struct case_list *cases);

/* "warning: ...; " of each warning, and what it notes besides: one text. */
const char *answer_note(const predictd_prediction *got, char text[1024]);

/* What it warns of, as a list. */
json_t *warnings_json(const predictd_prediction *got);

/* The kernel that a case is about: its own, or the source's only one; else "". */
const char *ask_kernel(const struct ask *ask, size_t index);

/* Opens the daemon's connection; complains when it cannot. */
enum exit_code ask_open(const struct options *options, predictd_connection **connection);

enum device_found { DEVICE_FOUND, DEVICE_NONE, DEVICE_AMBIGUOUS };

/*
 * The device that a text means, as the daemon reads it (predictd.h): a key, an index, or part of a
 * name; NULL: of those here the first calibrated one, else the first.
 */
enum device_found device_find(const predictd_devices *devices, const char *text,
                              const predictd_device **device);

/* Whether a text is an index, which means what whoever listed it says. */
bool is_device_index(const char *text);

/* EXIT_DONE when all are OK; UNREACHABLE or UNCALIBRATED when that is why all failed. */
enum exit_code answers_code(const struct answers *answers);

#endif
