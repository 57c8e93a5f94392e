/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accesses whose address no more than data bounds: they may go anywhere, whatever a buffer's size.
 *
 * An address that rests on a real from memory is one, unless min, max, & or % keep it on both
 * sides. So is one that a loop counts which data alone end, as `while (*p != LAST) p++` does; a
 * list that 0 ends is none. Integers from memory are not: they are indices, and who fills a buffer
 * knows what they reach.
 */
#ifndef PREDICTD_MODEL_ANSWER_UNBOUND_H
#define PREDICTD_MODEL_ANSWER_UNBOUND_H

#include "model/ir/ir.h"

/*
 * Tells of each access of a sealed kernel that has a summary.
 *
 * is_unbound  out: kernel->access_count of them
 *
 * False when memory is short; then nothing is written.
 */
bool unbound_find(const struct ir_kernel *kernel, bool *is_unbound);

#endif
