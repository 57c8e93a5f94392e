/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What predictd-share keeps on its node, in one SQLite file: its identity, how far it has read the
 * daemon, the outbox, how far it has read each other node, and what those observed.
 *
 * What goes out: the daemon's records come by the sequence of its store. Of each, the runs that are
 * new since it was read last go into the outbox under (node, sequence), in the transaction that
 * moves the cursor: once each, whatever dies when. What waits is bounded. While the outbox is full
 * the daemon is not read, and its records keep the newest runs by the daemon's own rule.
 *
 * What comes in: rows of other nodes in the order of their sequence, and the cursor of their node,
 * in one transaction.
 */
#ifndef PREDICTD_DAEMON_SHARE_LEDGER_H
#define PREDICTD_DAEMON_SHARE_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/correction/correction.h"
#include "model/status.h"
#include "proto/device_key.h"

enum {
	UUID_TEXT = 37, /* with the final zero */
	DRIVER_TEXT = 128,
	NAME_TEXT = 257,
	OBSERVER_BYTES = 16,
	STORE_ID_BYTES = 16,
	MACHINE_BYTES = 32
};

/* One launch on devices of one model and driver: what estimates are by. */
struct launch_place {
	char model[KEY_BYTES_MAX];
	char driver[DRIVER_TEXT];
	uint64_t kernel, launch;
	uint8_t kind;
};

/* New runs of one launch by one observer; as a row of the outbox or of the server. */
struct shared_row {
	uint64_t sequence;
	struct launch_place place;
	uint32_t uid;                     /* of the outbox */
	uint8_t observer[OBSERVER_BYTES]; /* of the server */
	uint32_t runs;
	char name[NAME_TEXT]; /* of the kernel; empty: it does not travel */
	size_t size;
	uint8_t state[CORRECTION_RECORD_BYTES];
};

struct ledger;

/*
 * Opens, or makes, the ledger of a directory, which it locks. STATUS_UNAVAILABLE: another process
 * has it. A ledger that was made on another machine begins anew as another node, at the end of what
 * its daemon has: what came with the image is the other node's.
 *
 * machine   a hash of what tells this machine from others
 */
enum status ledger_open(const char *directory, const uint8_t machine[MACHINE_BYTES],
                        struct ledger **ledger, struct error *error);
/* For looking only; STATUS_NOT_FOUND where there is none. */
enum status ledger_open_read(const char *directory, struct ledger **ledger, struct error *error);
void ledger_close(struct ledger *ledger); /* accepts NULL */

/* ---- identity ------------------------------------------------------------------------------ */

const char *ledger_node(const struct ledger *ledger);
enum status ledger_machine(struct ledger *ledger, uint8_t machine[MACHINE_BYTES],
                           struct error *error);
/* The last sequence given out. */
uint64_t ledger_assigned(const struct ledger *ledger);

/*
 * Another identity. What waits goes out under it.
 *
 * sends_again   all that the daemon has is new to the server: the node before it is retired.
 *               Else only what comes from here on and what waits.
 */
enum status ledger_renew(struct ledger *ledger, bool sends_again, struct error *error);

/* ---- out ----------------------------------------------------------------------------------- */

/* Where to go on reading the daemon. `store`: of its last answer; another one begins anew. */
enum status ledger_cursor(struct ledger *ledger, uint64_t *after, struct error *error);

/* One of the daemon's records. */
struct daemon_record {
	uint64_t sequence, runs;
	struct launch_place place;
	uint32_t uid;
	const char *name;
	const uint8_t *state;
	size_t size;
};

/*
 * Takes in what the daemon answered: records after the cursor.
 *
 * last   up to which sequence these are all; less than the cursor: its state is an older one
 *        again, and is read from its beginning. Runs that were sent do not go out twice.
 * refused   out: records that are not what a daemon writes; they are left out
 */
enum status ledger_take(struct ledger *ledger, const uint8_t *store, size_t store_size,
                        uint64_t last, const struct daemon_record *records, size_t count,
                        size_t *refused, struct error *error);

enum status ledger_waiting(struct ledger *ledger, uint64_t *count, struct error *error);

/* The first that wait, at most `room`, in the order of their sequences. */
enum status ledger_next(struct ledger *ledger, struct shared_row *rows, size_t room, size_t *count,
                        struct error *error);

/* The server has all up to this sequence. */
enum status ledger_sent(struct ledger *ledger, uint64_t sequence, struct error *error);

/* Whether a calibration, by device and epoch, is with the server; and that it is. */
enum status ledger_has_calibration(struct ledger *ledger, const char *device, uint64_t epoch,
                                   bool *has, struct error *error);
enum status ledger_sent_calibration(struct ledger *ledger, const char *device, uint64_t epoch,
                                    struct error *error);

/* ---- in ------------------------------------------------------------------------------------ */

/* The last sequence taken in of a node's observations of one model and driver; 0: none. */
enum status ledger_position(struct ledger *ledger, const char *node, const char *model,
                            const char *driver, uint64_t *sequence, struct error *error);

/*
 * Takes in rows of one node, model and driver, in order, and its position after them. Places that
 * they touch are marked until ledger_touched hands them out. Rows that do not decode are counted in
 * `refused` and left out. At most `known_max` launches are kept: the oldest go.
 */
enum status ledger_learn(struct ledger *ledger, const char *node, const char *model,
                         const char *driver, const struct shared_row *rows, size_t count,
                         uint64_t position, uint32_t known_max, size_t *refused,
                         struct error *error);

/* A node that retired: what it observed goes. */
enum status ledger_drop(struct ledger *ledger, const char *node, struct error *error);

/* Places whose estimates are to be told; each again until ledger_told. */
enum status ledger_touched(struct ledger *ledger, struct launch_place *places, size_t room,
                           size_t *count, struct error *error);
enum status ledger_told(struct ledger *ledger, const struct launch_place *places, size_t count,
                        struct error *error);
/* The daemon knows nothing any more: all are to be told. */
enum status ledger_touch_all(struct ledger *ledger, struct error *error);

/* What one observer of a node has of a place: ordered by node. */
struct known_row {
	char node[UUID_TEXT];
	size_t size;
	uint8_t state[CORRECTION_RECORD_BYTES];
};
/* Calls `each` for every row of a place. */
enum status ledger_known(struct ledger *ledger, const struct launch_place *place,
                         void (*each)(void *context, const struct known_row *row), void *context,
                         struct error *error);

/* ---- for people ---------------------------------------------------------------------------- */

struct ledger_counts {
	uint64_t waiting, nodes, launches;
	int64_t oldest_s; /* since 1970, of what waits; 0: nothing does */
};
enum status ledger_count(struct ledger *ledger, struct ledger_counts *counts, struct error *error);

/* A remark that outlives the process: the last contact, the last problem. Empty: none. */
enum status ledger_remark(struct ledger *ledger, const char *name, const char *text,
                          struct error *error);
enum status ledger_remarked(struct ledger *ledger, const char *name, char *text, size_t room,
                            struct error *error);

#endif
