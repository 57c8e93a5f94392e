/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of what `init` makes of a case's buffers: what measure would fill them with, without
 * filling them.
 */
#ifndef PREDICTD_CLIENT_PREDICTCTL_SAMPLED_H
#define PREDICTD_CLIENT_PREDICTCTL_SAMPLED_H

#include "client/predictctl/cases.h"

/* A case's arguments with their samples. */
struct sampled {
	predictd_argument *arguments; /* argument_count of the case, which they borrow from */
	predictd_sample **samples;    /* one an argument, or NULL */
	size_t count;
	struct complaint why; /* of one that cannot be taken */
};

/*
 * Samples the buffers that have an `init` and are said to be sampled, or each that has one.
 *
 * kernel  its parameters say of what type elements are; NULL: not known
 * every   also those of which the case does not say it
 *
 * False: sampled->why says what is wrong with an init. sampled_deinit also then.
 */
bool sampled_init(const struct launch_case *one, const predictd_kernel *kernel, bool every,
                  struct sampled *sampled);
void sampled_deinit(struct sampled *sampled);

#endif
