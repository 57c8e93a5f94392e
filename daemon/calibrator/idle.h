/* SPDX-License-Identifier: Apache-2.0 */
/* A device without work for a time: the host waits. */
#ifndef PREDICTD_CALIBRATOR_IDLE_H
#define PREDICTD_CALIBRATOR_IDLE_H

/*
 * Returns idle_s seconds later; 0 or less: at once. Short waits keep the host's processor, as a
 * program does between two launches; longer ones give it away.
 */
void idle_wait(double idle_s);

#endif
