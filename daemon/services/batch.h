/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variants of one source on their way through the analyser: several in a row by one child, as a
 * child costs more than a small program. They are one user's, and one source's: there is nothing
 * that one of them could learn or spoil which is not his own.
 *
 * A batch orders few children at a time, in its user's turn among others. What a child did not
 * get over (a crash, a time, memory) is ordered again alone, by a child of its own, and those
 * after it together: no variant is refused for another's sake.
 */
#ifndef PREDICTD_DAEMON_SERVICES_BATCH_H
#define PREDICTD_DAEMON_SERVICES_BATCH_H

#include "daemon/services/registration.h"

/* Of `variants` at most, for the user of a session, who holds it. NULL: no memory. */
struct batch *batch_new(struct session *session, const Predictd__Program *program, size_t variants);

/* No more is entered; the batch ends with its last variant. */
void batch_close(struct batch *batch);

/*
 * The registration is the batch's, which copies the options. STATUS_NO_MEMORY. It is then looked
 * for elsewhere, and left or queued.
 */
enum status batch_enter(struct batch *batch, struct registration *registration,
                        const Predictd__Program *program, struct error *error);

/* It has to be analysed. Nothing is done before batch_pump. */
void batch_queue(struct registration *registration);

/* Orders what may be ordered. Registrations may end in it, and the batch when it is closed. */
void batch_pump(struct batch *batch);

/* The registration is no batch's any more, if it was; it is in no child. */
void batch_leave(struct registration *registration);

/* Nobody waits for it any more: it ends, unless a child has it. */
void batch_withdraw(struct registration *registration);

/* Another user waits for it, too: its child is his, and the next. */
void batch_hasten(struct registration *registration, uid_t user);

#endif
