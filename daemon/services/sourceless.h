/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels without source: what the services that meet them have in common. */
#ifndef PREDICTD_DAEMON_SERVICES_SOURCELESS_H
#define PREDICTD_DAEMON_SERVICES_SOURCELESS_H

#include "daemon/services/service.h"
#include "daemon/state/sourceless.h"

/* The index of a device that is none of the node's: no list has it. */
#define SOURCELESS_NO_INDEX UINT32_MAX

/* Whether a request with that handle is about a kernel without source. */
bool sourceless_is_meant(uint64_t handle);

/*
 * The device that a text means: one of the node, or a key of the user's choice.
 * STATUS_NOT_FOUND: neither.
 */
enum status sourceless_find_device(const struct registry *registry, const char *device,
                                   struct registry_index *name, struct error *error);

/* The kernel of a request, which lives as long as its name; and its device. */
enum status sourceless_find(const struct registry *registry, const char *name, const char *device,
                            struct sourceless *sourceless, struct registry_index *found,
                            struct error *error);

/* Until when a refusal stands: the first observation ends it. */
struct sourceless_refusal {
	bool is_unknown;
	uint32_t epoch_slot;
};

/*
 * The answer to a question about one on a device, in the session's arena.
 *
 * refusal   out: filled where nothing was observed yet (STATUS_NOT_FOUND)
 */
enum status sourceless_predict(struct session *session, const Predictd__Predict *question,
                               const char *device, Predictd__Prediction **message,
                               struct sourceless_refusal *refusal, struct error *error);

/* Takes an observation whose times and flags are checked; its device, for the reply. */
enum status sourceless_observe(struct session *session, const Predictd__Observation *message,
                               struct observed *observed, struct registry_index *name,
                               struct error *error);

#endif
