/* SPDX-License-Identifier: Apache-2.0 */
/* SIGINT and SIGTERM, where a command ends by itself what it has begun. */
#ifndef PREDICTD_CLIENT_PREDICTCTL_INTERRUPTS_H
#define PREDICTD_CLIENT_PREDICTCTL_INTERRUPTS_H

#include <stdbool.h>

/*
 * From now on the first of either signal is kept, and `also` called (NULL: nothing), in the
 * handler; a second one ends the process. A signal that is ignored, as below nohup(1), stays so.
 */
void interrupts_take(void (*also)(void));
/* Whether one came since. */
bool interrupts_came(void);
/* Either ends the process again. */
void interrupts_leave(void);

#endif
