/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the calling thread stands among those that want a processor. What the kernel does not
 * know or allow is left out: nothing depends on it but how long others wait.
 */
#ifndef PREDICTD_DAEMON_SCHEDULING_H
#define PREDICTD_DAEMON_SCHEDULING_H

/*
 * For one that works for microseconds and sleeps: a short slice. A thread that wakes up goes
 * before one at work whose slice is longer; else it waits for the end of that, some
 * milliseconds on a busy machine (Linux 6.12). Threads and children begin as usual.
 */
void scheduling_prompt(void);

/*
 * For one that works long, and for whom nobody should wait: niceness, a slice longer than any
 * other's, and all processors but the first, which has room for those who wake up. Inherited.
 */
void scheduling_background(int nice);

#endif
