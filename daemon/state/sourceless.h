/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels without source: a CPU's or CUDA's code, a call of a vendor's library. All that is known
 * of one is a name of its user's choice, its device, and the user's own observations, which are
 * kept as those of other kernels are. The device may be one that the daemon does not know; so
 * that nobody can use up the numbers of devices that are kept, they are filed in a few drawers.
 */
#ifndef PREDICTD_DAEMON_STATE_SOURCELESS_H
#define PREDICTD_DAEMON_STATE_SOURCELESS_H

#include "daemon/state/observations.h"
#include "model/device/device.h"

enum { SOURCELESS_DRAWERS = 16 };

struct sourceless {
	const char *name;                   /* borrowed */
	char key[DEVICE_KEY_MAX];           /* of its device */
	uint64_t kernel;                    /* of name and key */
	uint64_t drawers[CORRECTION_KINDS]; /* in place of a device: tasks and kernels apart */
};

void sourceless_init(struct sourceless *sourceless, const char *name,
                     const char key[DEVICE_KEY_MAX]);

/* Where answers about it are told to be out of date: of no device that others are on. */
uint32_t sourceless_epoch_slot(const struct observations *observations,
                               const struct sourceless *sourceless, uid_t user);

/* What is known of daemon->launch. */
struct sourceless_answer {
	struct correction_answer of[CORRECTION_KINDS];
	bool is_known[CORRECTION_KINDS];
};
void sourceless_ask(struct observations *observations, const struct sourceless *sourceless,
                    uid_t user, struct sourceless_answer *answer);

/*
 * Takes a run of daemon->launch into account, as observations_take does. Of `observed`, what says
 * whose and when and how long; the rest is filled here.
 */
enum status sourceless_take(struct observations *observations, const struct sourceless *sourceless,
                            struct observed *observed, struct error *error);

#endif
