/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One calibration made of several nodes' of the same model and driver: of each coefficient the
 * median, as sure as the nodes agree on it. What other nodes sent is hostile: bounded, decoded, and
 * left out where it is not what it should be.
 */
#ifndef PREDICTD_DAEMON_SHARE_BORROW_H
#define PREDICTD_DAEMON_SHARE_BORROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/status.h"
#include "proto/predictd.pb-c.h"

enum { BORROW_NODES_MAX = 31, BORROW_BYTES_MAX = 4 << 20, BORROW_COEFFICIENTS_MAX = 4096 };

struct borrowing {
	size_t count;
	Predictd__Calibration *calibrations[BORROW_NODES_MAX];
};

void borrowing_init(struct borrowing *borrowing);
void borrowing_deinit(struct borrowing *borrowing);

/* Takes one in where it is a whole calibration of that model and driver and there is room; false:
 * it is left out. */
bool borrowing_add(struct borrowing *borrowing, const uint8_t *bytes, size_t size,
                   const char *model, const char *driver);

/*
 * The packed calibration, to be imported; the caller frees *bytes. A coefficient that not half of
 * the nodes have is left out. STATUS_NOT_FOUND: fewer than `agreement` were taken in.
 */
enum status borrowing_finish(struct borrowing *borrowing, uint32_t agreement, uint8_t **bytes,
                             size_t *size, struct error *error);

/* The key of a device's model: without UUID and PCI address (proto/device_key.h). */
void borrowing_model(const Predictd__Device *device, char *key);

#endif
