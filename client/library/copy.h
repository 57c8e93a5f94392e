/* SPDX-License-Identifier: Apache-2.0 */
/* A question with all that it points to, for later. */
#ifndef PREDICTD_CLIENT_LIBRARY_COPY_H
#define PREDICTD_CLIENT_LIBRARY_COPY_H

#include "client/library/error.h"

struct question_copy {
	predictd_question question;
	max_align_t bytes[]; /* of its arguments, hints and texts */
};

/* Of a checked question, whose program is held. NULL when memory is short. */
struct question_copy *question_copy_new(const predictd_question *question);
void question_copy_free(struct question_copy *copy); /* accepts NULL */

#endif
