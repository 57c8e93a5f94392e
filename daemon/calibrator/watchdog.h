/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A limit on how long a driver may take: when it passes, one message made
 * beforehand is written and the process ends. A hanging clFinish cannot be
 * called off otherwise.
 */
#ifndef PREDICTD_CALIBRATOR_WATCHDOG_H
#define PREDICTD_CALIBRATOR_WATCHDOG_H

#include <stddef.h>
#include <stdint.h>

enum { WATCHDOG_EXIT = 3 };

/* Sets what is written to fd at the limit; takes bytes (malloc'd), fd -1: nothing is. */
void watchdog_message(int fd, uint8_t *bytes, size_t size);

/* Starts the limit anew; 0 ends it. */
void watchdog_arm(unsigned limit_s);

#endif
