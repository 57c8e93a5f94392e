/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a part of a launch reads and writes: asked of the daemon once for each question, and kept
 * with the connection. It follows from the kernel and the launch alone, so that an answer is good
 * as long as its program's handle is; a program that is registered again is asked about anew.
 */
#ifndef PREDICTD_CLIENT_LIBRARY_SPLIT_PARTS_H
#define PREDICTD_CLIENT_LIBRARY_SPLIT_PARTS_H

#include "client/library/connection.h"

/* Constant, and shared by all that ask the same. */
struct split_parts {
	_Atomic unsigned users;
	char refusal[sizeof((predictd_split_argument *)NULL)->refusal];
	size_t count;
	predictd_split_argument arguments[];
};

struct parts_memo; /* of a connection */

predictd_status parts_memo_new(struct parts_memo **memo);
void parts_memo_free(struct parts_memo *memo); /* accepts NULL */

/*
 * *parts: the caller's to release. Refusals are in it; the status says whether it could be asked.
 *
 * question   with the device whose language the kernel is read in
 */
predictd_status split_parts_find(predictd_connection *connection, const predictd_question *question,
                                 uint32_t dimension, const struct split_parts **parts);
void split_parts_release(const struct split_parts *parts); /* accepts NULL */

/*
 * What of a buffer the part of `items` work-items from `begin` on (without the offset) reads
 * before it may write, and writes, in bytes.
 */
void split_parts_bytes(const predictd_split_argument *argument, uint64_t begin, uint64_t items,
                       uint64_t size_bytes, predictd_split_range *reads,
                       predictd_split_range *writes);

#endif
