/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A row of another node, from the texts of a server's answer, which are hostile: bounded and
 * decoded here, in one place. What its state holds is the ledger's to see.
 */
#ifndef PREDICTD_DAEMON_SHARE_ROW_H
#define PREDICTD_DAEMON_SHARE_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/share/ledger.h"

/* As the server's columns are named; borrowed, never NULL. */
struct row_text {
	const char *sequence, *kernel, *launch, *kind, *observer, *state;
};

/* bytea as text, "\x..."; false: it is not, or of more than `room` bytes. */
bool row_bytes(const char *text, uint8_t *bytes, size_t room, size_t *size);

/* Fills all of *row but model and driver; false: it is not what a server has. */
bool row_read(const struct row_text *text, struct shared_row *row);

#endif
