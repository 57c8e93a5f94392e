/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/share/exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/log.h"
#include "daemon/share/ledger_file.h"

enum {
	LISTED_EVERY_MS = 10000,
	BORROWED_EVERY_MS = 10000,
	HEARD_EVERY_MS = 60000,
	MAINTAINED_EVERY_MS = 86400000
};

void parcel_empty(struct parcel *parcel)
{
	free(parcel->bytes);
	*parcel = (struct parcel){.bytes = NULL};
}

void exchange_fail(struct exchange *exchange, const struct error *error)
{
	log_write(LOG_SHARE_FAILED, LOG_TEXT_FIELD("problem", error->text));
	exchange->on_failure(exchange->context, error);
}

void exchange_pump(struct exchange *exchange)
{
	exchange_pump_daemon(exchange);
	exchange_pump_server(exchange);
}

static bool is_every(const struct exchange *exchange, uint32_t period_ms)
{
	uint64_t ticks = period_ms / exchange->settings->interval_ms;
	return exchange->ticks % (ticks > 0 ? ticks : 1) == 0;
}

static void on_tick(uv_timer_t *timer)
{
	struct exchange *exchange = timer->data;
	exchange->ticks++;
	exchange->is_read = false;
	exchange->has_looked = false;
	if (is_every(exchange, LISTED_EVERY_MS))
		exchange->is_listed = false;
	for (size_t i = 0; i < exchange->device_count && is_every(exchange, BORROWED_EVERY_MS); i++)
		exchange->devices[i].is_asked = false;
	if (is_every(exchange, HEARD_EVERY_MS))
		exchange->is_heard = false;
	if (is_every(exchange, MAINTAINED_EVERY_MS))
		exchange->is_maintained = false;
	exchange_pump(exchange);
}

void exchange_remark(struct exchange *exchange, const char *name, const char *text)
{
	struct error error;
	if (ledger_remark(exchange->ledger, name, text, &error) != STATUS_OK)
		exchange_fail(exchange, &error);
}

/* What the daemon knows of the site it knows from here: a daemon that began anew is told again. */
static void on_daemon_up(void *context)
{
	struct exchange *exchange = context;
	struct error error;
	exchange->is_listed = exchange->is_read = false;
	if (ledger_touch_all(exchange->ledger, &error) != STATUS_OK)
		exchange_fail(exchange, &error);
	exchange_pump(exchange);
}

static void on_daemon_down(void *context, const char *why)
{
	struct exchange *exchange = context;
	exchange->told_count = 0;
	parcel_empty(&exchange->borrowed);
	log_write(LOG_SHARE_DAEMON_LOST, LOG_TEXT_FIELD("problem", why));
}

static void on_server_up(void *context)
{
	struct exchange *exchange = context;
	exchange_pump(exchange);
}

static void on_server_down(void *context, const char *why)
{
	struct exchange *exchange = context;
	char before[SERVER_TEXT_MAX];
	struct error error;
	/* tried again and again, it is told of once */
	if (ledger_remarked(exchange->ledger, "problem", before, sizeof before, &error) !=
	            STATUS_OK ||
	    exchange->is_welcome || strcmp(before, why) != 0)
		log_write(LOG_SHARE_SERVER_LOST, LOG_TEXT_FIELD("problem", why));
	exchange->is_welcome = false;
	exchange->head_count = exchange->head_next = exchange->asked_heads = 0;
	for (size_t i = 0; i < exchange->device_count; i++)
		exchange->devices[i].is_asked = false;
	exchange_remark(exchange, "problem", why);
}

enum status exchange_init(struct exchange *exchange, const struct settings *settings,
                          const char *socket, struct ledger *ledger, uv_loop_t *loop,
                          struct error *error)
{
	*exchange = (struct exchange){.settings = settings, .ledger = ledger, .loop = loop};
	exchange->rows = calloc(EXCHANGE_BATCH, sizeof *exchange->rows);
	exchange->heads = calloc(EXCHANGE_HEADS_MAX, sizeof *exchange->heads);
	if (exchange->rows == NULL || exchange->heads == NULL) {
		exchange_deinit(exchange);
		return error_set(error, STATUS_NO_MEMORY, "sharing: no memory");
	}
	uuid_make(exchange->session);
	(void)uv_timer_init(loop, &exchange->timer);
	exchange->timer.data = exchange;
	daemon_link_init(&exchange->daemon, loop);
	exchange->daemon.socket = socket;
	exchange->daemon.deadline_ms = settings->deadline_ms;
	exchange->daemon.on_up = on_daemon_up;
	exchange->daemon.on_down = on_daemon_down;
	exchange->daemon.context = exchange;
	server_link_init(&exchange->server, loop);
	exchange->server.server = settings->server;
	exchange->server.deadline_ms = settings->deadline_ms;
	exchange->server.retry_ms = settings->retry_ms;
	exchange->server.on_up = on_server_up;
	exchange->server.on_down = on_server_down;
	exchange->server.context = exchange;
	return STATUS_OK;
}

void exchange_start(struct exchange *exchange)
{
	(void)uv_timer_start(&exchange->timer, on_tick, 0, exchange->settings->interval_ms);
	daemon_link_start(&exchange->daemon);
	server_link_start(&exchange->server);
}

void exchange_stop(struct exchange *exchange)
{
	if (!uv_is_closing((uv_handle_t *)&exchange->timer))
		uv_close((uv_handle_t *)&exchange->timer, NULL);
	daemon_link_stop(&exchange->daemon);
	server_link_stop(&exchange->server);
}

void exchange_deinit(struct exchange *exchange)
{
	parcel_empty(&exchange->exported);
	parcel_empty(&exchange->borrowed);
	free(exchange->rows);
	free(exchange->heads);
	exchange->rows = NULL;
	exchange->heads = NULL;
}
