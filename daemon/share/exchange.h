/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between the node's daemon and the site's server, in rounds: what the daemon newly observed goes
 * into the outbox, what waits there to the server, what other nodes observed into the ledger, and
 * what the site says of each launch to the daemon. Each link is asked one thing at a time; either
 * may be away, and the other goes on as far as it can.
 */
#ifndef PREDICTD_DAEMON_SHARE_EXCHANGE_H
#define PREDICTD_DAEMON_SHARE_EXCHANGE_H

#include <uv.h>

#include "daemon/share/daemon_link.h"
#include "daemon/share/ledger.h"
#include "daemon/share/server_link.h"
#include "daemon/share/settings.h"

enum {
	EXCHANGE_DEVICES_MAX = 64,
	EXCHANGE_HEADS_MAX = 4096,
	EXCHANGE_BATCH = 1000, /* rows of one push, or records of one page */
	EXCHANGE_TOLD = 256,   /* estimates of one message */
	SALT_BYTES = 32
};

/* A device of the node, as the daemon lists it. */
struct shared_device {
	char key[KEY_BYTES_MAX], model[KEY_BYTES_MAX], driver[DRIVER_TEXT];
	bool is_calibrated, is_present;
	uint32_t borrowed_nodes;
	uint64_t epoch;
	bool is_asked; /* the server was asked what other nodes have of it */
};

/* Another node whose observations have gone on. */
struct head {
	char node[UUID_TEXT];
	char model[KEY_BYTES_MAX], driver[DRIVER_TEXT];
	uint64_t last, position;
};

/* Bytes on their way from one link to the other; empty: none. */
struct parcel {
	uint8_t *bytes;
	size_t size;
	struct shared_device device;
	uint32_t nodes;
};

struct exchange {
	const struct settings *settings;
	struct ledger *ledger;
	uv_loop_t *loop;
	struct daemon_link daemon;
	struct server_link server;
	uv_timer_t timer;
	uint64_t ticks;
	/* of the daemon */
	struct shared_device devices[EXCHANGE_DEVICES_MAX];
	size_t device_count;
	bool is_listed, is_read; /* in this round */
	uint64_t read_after;
	struct launch_place told[EXCHANGE_TOLD];
	size_t told_count;
	struct parcel exported, borrowed;
	/* of the server */
	char session[UUID_TEXT];
	bool is_welcome, has_looked, is_maintained, is_heard;
	uint8_t salt[SALT_BYTES];
	/* the oldest transaction that was not over when heads were listed last; of the list that is
	 * being worked off */
	uint64_t position, listed_position;
	bool reads_next; /* out and in take turns */
	struct head *heads;
	size_t head_count, head_next;
	size_t asked_heads;
	uint64_t pushed;         /* the last sequence of the batch that is on its way */
	struct shared_row *rows; /* EXCHANGE_BATCH: of a batch, out or in */
	/* what went wrong last, and what is told of it once */
	uint64_t refused_records, refused_rows;
	void (*on_failure)(void *context,
	                   const struct error *error); /* the ledger's: no going on */
	void *context;
};

/* STATUS_NO_MEMORY. The ledger is borrowed; so are settings. */
enum status exchange_init(struct exchange *exchange, const struct settings *settings,
                          const char *socket, struct ledger *ledger, uv_loop_t *loop,
                          struct error *error);
void exchange_start(struct exchange *exchange);
/* Its handles close with the loop's next turns; then deinit. */
void exchange_stop(struct exchange *exchange);
void exchange_deinit(struct exchange *exchange);

/* ---- inside exchange*.c -------------------------------------------------------------------- */

/* Asks the daemon, or the server, the next thing that there is to ask, where it is free. */
void exchange_pump_daemon(struct exchange *exchange);
void exchange_pump_server(struct exchange *exchange);
void exchange_pump(struct exchange *exchange);
/* A ledger that fails ends the process: systemd starts it again. */
void exchange_fail(struct exchange *exchange, const struct error *error);
/* ledger_remark, or exchange_fail. */
void exchange_remark(struct exchange *exchange, const char *name, const char *text);
void parcel_empty(struct parcel *parcel);

#endif
