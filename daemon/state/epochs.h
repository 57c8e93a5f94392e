/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Epochs: when an answer that a client keeps is out of date.
 *
 * A table of 64-bit counters in memory that clients map read-only (a memfd with
 * F_SEAL_FUTURE_WRITE). An answer names its slot and the value it is good for; when the
 * kernel's correction for that user moves an answer by more than 2 %, or the device's
 * coefficients change, the slot's value is raised and every process sees it at its next
 * question (what others' reports move, within a second: daemon/state/epoch_limit.h). Slots are
 * shared by hash: a collision costs a question, never a wrong answer. The hash is keyed, anew by
 * each daemon, so that a slot that is raised tells nobody whose kernel it is. Values of slots that
 * answers name are not 0, and only grow.
 */
#ifndef PREDICTD_DAEMON_STATE_EPOCHS_H
#define PREDICTD_DAEMON_STATE_EPOCHS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/status.h"

struct epochs;

/* STATUS_IO: no sealed memfd can be had (Linux before 5.1), or no random key. The caller frees. */
enum status epochs_new(struct epochs **epochs, struct error *error);
/* Raises every slot: clients may outlive the daemon. Accepts NULL. */
void epochs_free(struct epochs *epochs);

/* The slot of answers about a kernel (a hash of source, options and name) on a device for a
 * user. */
uint32_t epochs_slot(const struct epochs *epochs, uint64_t kernel_hash, uint32_t device_index,
                     uid_t uid);
uint64_t epochs_value(const struct epochs *epochs, uint32_t slot);
/* Every answer of that slot is out of date. */
void epochs_raise(struct epochs *epochs, uint32_t slot);
/* Every answer of every slot is: a new calibration. */
void epochs_raise_all(struct epochs *epochs);

/* Which answers are out of date: all conditions hold. */
struct epochs_scope {
	bool has_kernel, has_device, has_uid;
	uint64_t kernel_hash;
	uint32_t device_index;
	uid_t uid;
};

/* Some microseconds. Slots that answers of several kernels, devices or users named are raised as
 * well. */
void epochs_raise_scope(struct epochs *epochs, const struct epochs_scope *scope);

/* A descriptor that can be mapped for reading only, and the table's size; borrowed. */
int epochs_descriptor(const struct epochs *epochs);
uint32_t epochs_count(const struct epochs *epochs);

#endif
