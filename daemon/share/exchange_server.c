/* SPDX-License-Identifier: Apache-2.0 */
/* What the server is asked and told: who this node is, what it observed, what others did. */
#include <inttypes.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/log.h"
#include "daemon/share/borrow.h"
#include "daemon/share/exchange.h"
#include "daemon/share/literal.h"
#include "daemon/share/row.h"

enum { HEADS_AT_ONCE = 64, ROWS_OF_HEAD = EXCHANGE_BATCH / HEADS_AT_ONCE, SHA256_BYTES = 32 };

/* A statement that failed though the link stands: the server is not as it should be. */
static bool has_failed(struct exchange *exchange, const PGresult *result, const char *what,
                       const char *why)
{
	if (result != NULL)
		return false;
	if (exchange->server.state != SERVER_UP)
		return true; /* the link is lost, and is said to be */
	log_write(LOG_SHARE_REFUSED, LOG_TEXT_FIELD("asked", what), LOG_TEXT_FIELD("problem", why));
	server_link_fail(&exchange->server, why);
	return true;
}

static bool is_null(const PGresult *result, int row, int column)
{
	return row >= PQntuples(result) || column >= PQnfields(result) ||
	       PQgetisnull(result, row, column) != 0;
}

static const char *text_of(const PGresult *result, int row, int column)
{
	return is_null(result, row, column) ? "" : PQgetvalue(result, row, column);
}

static int64_t number_of(const PGresult *result, int row, int column)
{
	return strtoll(text_of(result, row, column), NULL, 10);
}

/* ---- who this node is ---------------------------------------------------------------------- */

static void renew(struct exchange *exchange, bool sends_again, const char *why)
{
	struct error error;
	if (ledger_renew(exchange->ledger, sends_again, &error) != STATUS_OK) {
		exchange_fail(exchange, &error);
		return;
	}
	log_write(LOG_SHARE_IDENTITY, LOG_TEXT_FIELD("node", ledger_node(exchange->ledger)),
	          LOG_TEXT_FIELD("why", why));
	exchange->is_welcome = false;
	exchange->is_read = false;
	exchange_pump(exchange);
}

static void on_retired(void *context, const PGresult *result, const char *why)
{
	struct exchange *exchange = context;
	if (!has_failed(exchange, result, "forget", why))
		renew(exchange, true, "the node was restored to an older state");
}

static void on_hello(void *context, const PGresult *result, const char *why)
{
	struct exchange *exchange = context;
	struct error error;
	size_t size;
	if (has_failed(exchange, result, "hello", why))
		return;
	const char *verdict = text_of(result, 0, 0);
	if (strcmp(verdict, "restored") == 0) {
		const char *const values[] = {ledger_node(exchange->ledger)};
		server_link_ask(&exchange->server, "SELECT predictd.forget($1)", 1, values,
		                on_retired, exchange);
		return;
	}
	if (strcmp(verdict, "welcome") != 0) {
		renew(exchange, false, "another machine has the node's identity");
		return;
	}
	if (!row_bytes(text_of(result, 0, 2), exchange->salt, SALT_BYTES, &size) ||
	    size != SALT_BYTES) {
		(void)has_failed(exchange, NULL, "hello", "the site has no salt of 32 bytes");
		return;
	}
	/* what it has of the last batch before the link was lost */
	if (ledger_sent(exchange->ledger, (uint64_t)number_of(result, 0, 1), &error) != STATUS_OK) {
		exchange_fail(exchange, &error);
		return;
	}
	exchange->pushed = (uint64_t)number_of(result, 0, 1);
	exchange->position = exchange->listed_position = 0; /* of another server, perhaps */
	exchange->is_welcome = true;
	log_write(LOG_SHARE_CONNECTED, LOG_TEXT_FIELD("node", ledger_node(exchange->ledger)),
	          LOG_NUMBER_FIELD("sequence", exchange->pushed));
	exchange_remark(exchange, "problem", "");
	exchange_pump(exchange);
}

static void say_hello(struct exchange *exchange)
{
	char machine[2 * SHA256_BYTES + 3], offered[24];
	uint8_t hash[MACHINE_BYTES];
	uint64_t sequence;
	struct error error;
	if (ledger_machine(exchange->ledger, hash, &error) != STATUS_OK ||
	    ledger_offered(exchange->ledger, &sequence, &error) != STATUS_OK) {
		exchange_fail(exchange, &error);
		return;
	}
	(void)snprintf(machine, sizeof machine, "\\x");
	for (size_t i = 0; i < MACHINE_BYTES; i++)
		(void)snprintf(machine + 2 + 2 * i, 3, "%02x", hash[i]);
	(void)snprintf(offered, sizeof offered, "%" PRIu64, sequence);
	const char *const values[] = {ledger_node(exchange->ledger), machine, exchange->session,
	                              offered};
	server_link_ask(&exchange->server,
	                "SELECT verdict, last_sequence, salt FROM predictd.hello($1, $2, $3, $4)",
	                4, values, on_hello, exchange);
}

static void on_maintained(void *context, const PGresult *result, const char *why)
{
	struct exchange *exchange = context;
	if (!has_failed(exchange, result, "maintain", why))
		exchange_pump(exchange);
}

static const char lost_identity[] = "it was forgotten, or another process writes as it";

static void on_heard(void *context, const PGresult *result, const char *why)
{
	struct exchange *exchange = context;
	if (has_failed(exchange, result, "node", why))
		return;
	if (strcmp(PQcmdTuples((PGresult *)result), "1") != 0)
		renew(exchange, false, lost_identity);
	else
		exchange_pump(exchange);
}

/* That it lives: who comes with its identity meanwhile is another one. */
static void say_alive(struct exchange *exchange)
{
	const char *const values[] = {ledger_node(exchange->ledger), exchange->session};
	exchange->is_heard = true;
	server_link_ask(&exchange->server,
	                "UPDATE predictd.node SET last_seen = now()"
	                " WHERE node = $1 AND session = $2 AND retired IS NULL",
	                2, values, on_heard, exchange);
}

/* ---- out ----------------------------------------------------------------------------------- */

static void on_pushed(void *context, const PGresult *result, const char *why)
{
	struct exchange *exchange = context;
	struct error error;
	char text[64];
	if (has_failed(exchange, result, "push", why))
		return;
	if (is_null(result, 0, 0)) {
		renew(exchange, false, lost_identity);
		return;
	}
	exchange->pushed = (uint64_t)number_of(result, 0, 0);
	if (ledger_sent(exchange->ledger, exchange->pushed, &error) != STATUS_OK) {
		exchange_fail(exchange, &error);
		return;
	}
	(void)snprintf(text, sizeof text, "%" PRIu64, exchange->pushed);
	exchange_remark(exchange, "pushed", text);
	exchange_pump(exchange);
}

/* The site's hash of a user. */
static void observer_of(const struct exchange *exchange, uint32_t uid,
                        uint8_t observer[OBSERVER_BYTES])
{
	SHA2_CTX hash;
	uint8_t sum[SHA256_BYTES];
	const uint8_t bytes[4] = {(uint8_t)uid, (uint8_t)(uid >> 8), (uint8_t)(uid >> 16),
	                          (uint8_t)(uid >> 24)};
	SHA256Init(&hash);
	SHA256Update(&hash, exchange->salt, SALT_BYTES);
	SHA256Update(&hash, bytes, sizeof bytes);
	SHA256Final(sum, &hash);
	memcpy(observer, sum, OBSERVER_BYTES);
}

enum push_column {
	SEQUENCE,
	MODEL,
	DRIVER,
	KERNEL,
	LAUNCH,
	KIND,
	OBSERVER,
	RUNS,
	STATE,
	NAME,
	PUSHED
};

static bool push(struct exchange *exchange)
{
	struct literal columns[PUSHED];
	const char *values[3 + PUSHED];
	char expected[24];
	struct error error;
	size_t count;
	bool is_whole = true;
	if (ledger_next(exchange->ledger, exchange->rows, EXCHANGE_BATCH, &count, &error) !=
	    STATUS_OK) {
		exchange_fail(exchange, &error);
		return false;
	}
	if (count == 0)
		return false;
	if (ledger_offer(exchange->ledger, exchange->rows[count - 1].sequence, &error) !=
	    STATUS_OK) {
		exchange_fail(exchange, &error);
		return false;
	}
	for (size_t i = 0; i < PUSHED; i++)
		literal_init(&columns[i]);
	for (size_t i = 0; i < count; i++) {
		const struct shared_row *row = &exchange->rows[i];
		uint8_t observer[OBSERVER_BYTES];
		observer_of(exchange, row->uid, observer);
		literal_add_number(&columns[SEQUENCE], (int64_t)row->sequence);
		literal_add_text(&columns[MODEL], row->place.model);
		literal_add_text(&columns[DRIVER], row->place.driver);
		literal_add_number(&columns[KERNEL], (int64_t)row->place.kernel);
		literal_add_number(&columns[LAUNCH], (int64_t)row->place.launch);
		literal_add_number(&columns[KIND], row->place.kind);
		literal_add_bytes(&columns[OBSERVER], observer, sizeof observer);
		literal_add_number(&columns[RUNS], row->runs);
		literal_add_bytes(&columns[STATE], row->state, row->size);
		if (row->name[0] != '\0')
			literal_add_text(&columns[NAME], row->name);
		else
			literal_add_null(&columns[NAME]);
	}
	(void)snprintf(expected, sizeof expected, "%" PRIu64, exchange->pushed);
	values[0] = ledger_node(exchange->ledger);
	values[1] = exchange->session;
	values[2] = expected;
	for (size_t i = 0; i < PUSHED; i++) {
		values[3 + i] = literal_end(&columns[i]);
		is_whole = is_whole && values[3 + i] != NULL;
	}
	if (is_whole)
		server_link_ask(&exchange->server,
		                "SELECT predictd.push($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,"
		                " $12, $13)",
		                3 + PUSHED, values, on_pushed, exchange);
	for (size_t i = 0; i < PUSHED; i++)
		literal_deinit(&columns[i]);
	return is_whole;
}

static void on_calibration_sent(void *context, const PGresult *result, const char *why)
{
	struct exchange *exchange = context;
	struct error error;
	if (has_failed(exchange, result, "calibration", why))
		return;
	enum status status =
	        ledger_sent_calibration(exchange->ledger, exchange->exported.device.key,
	                                exchange->exported.device.epoch, &error);
	parcel_empty(&exchange->exported);
	if (status != STATUS_OK)
		exchange_fail(exchange, &error);
	else
		exchange_pump(exchange);
}

static bool send_calibration(struct exchange *exchange)
{
	const struct parcel *parcel = &exchange->exported;
	char epoch[24];
	char *bytes = parcel->bytes != NULL ? malloc(2 * parcel->size + 3) : NULL;
	if (bytes == NULL)
		return false;
	(void)snprintf(bytes, 3, "\\x");
	for (size_t i = 0; i < parcel->size; i++)
		(void)snprintf(bytes + 2 + 2 * i, 3, "%02x", parcel->bytes[i]);
	(void)snprintf(epoch, sizeof epoch, "%" PRIu64, parcel->device.epoch);
	const char *const values[] = {ledger_node(exchange->ledger), parcel->device.model,
	                              parcel->device.driver, epoch, bytes};
	server_link_ask(&exchange->server,
	                "INSERT INTO predictd.calibration (node, model, driver, epoch, calibration)"
	                " VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
	                5, values, on_calibration_sent, exchange);
	free(bytes);
	return true;
}

/* ---- in: observations ---------------------------------------------------------------------- */

/* Nodes that retired first: what they observed goes. The others are worked off by head. */
static void on_heads(void *context, const PGresult *result, const char *why)
{
	struct exchange *exchange = context;
	struct error error;
	if (has_failed(exchange, result, "heads", why))
		return;
	exchange->head_count = exchange->head_next = 0;
	/* of a list that is cut, the last row's own */
	int last = PQntuples(result) - 1;
	exchange->listed_position =
	        (uint64_t)number_of(result, last, last >= EXCHANGE_HEADS_MAX - 1 ? 5 : 0);
	for (int i = 0; i < PQntuples(result) && exchange->head_count < EXCHANGE_HEADS_MAX; i++) {
		struct head *head = &exchange->heads[exchange->head_count];
		if (is_null(result, i, 1))
			continue;
		(void)snprintf(head->node, sizeof head->node, "%s", text_of(result, i, 1));
		if (is_null(result, i, 2)) {
			if (ledger_drop(exchange->ledger, head->node, &error) != STATUS_OK) {
				exchange_fail(exchange, &error);
				return;
			}
			continue;
		}
		(void)snprintf(head->model, sizeof head->model, "%s", text_of(result, i, 2));
		(void)snprintf(head->driver, sizeof head->driver, "%s", text_of(result, i, 3));
		head->last = (uint64_t)number_of(result, i, 4);
		if (ledger_position(exchange->ledger, head->node, head->model, head->driver,
		                    &head->position, &error) != STATUS_OK) {
			exchange_fail(exchange, &error);
			return;
		}
		if (head->last > head->position)
			exchange->head_count++;
	}
	exchange_pump(exchange);
}

/* Those that moved, of this node's models, since the oldest transaction that ran at the last look;
 * and what retired since. After a start, all. */
static bool ask_heads(struct exchange *exchange)
{
	struct literal models, drivers;
	char text[24], limit[24];
	exchange->has_looked = true;
	if (exchange->device_count == 0)
		return false;
	literal_init(&models);
	literal_init(&drivers);
	for (size_t i = 0; i < exchange->device_count; i++) {
		literal_add_text(&models, exchange->devices[i].model);
		literal_add_text(&drivers, exchange->devices[i].driver);
	}
	(void)snprintf(text, sizeof text, "%" PRIu64, exchange->position);
	(void)snprintf(limit, sizeof limit, "%d", EXCHANGE_HEADS_MAX);
	const char *const values[] = {ledger_node(exchange->ledger), text, literal_end(&models),
	                              literal_end(&drivers), limit};
	bool is_whole = values[2] != NULL && values[3] != NULL;
	if (is_whole)
		server_link_ask(&exchange->server,
		                "SELECT horizon, node, model, driver, last_sequence, moved"
		                " FROM predictd.heads($1, $2, $3, $4, $5)",
		                5, values, on_heads, exchange);
	literal_deinit(&models);
	literal_deinit(&drivers);
	return is_whole;
}

static bool row_of(const PGresult *result, int i, const struct head *head, struct shared_row *row)
{
	const struct row_text text = {.sequence = text_of(result, i, 1),
	                              .kernel = text_of(result, i, 2),
	                              .launch = text_of(result, i, 3),
	                              .kind = text_of(result, i, 4),
	                              .observer = text_of(result, i, 5),
	                              .state = text_of(result, i, 6)};
	if (!row_read(&text, row))
		return false;
	memcpy(row->place.model, head->model, sizeof row->place.model);
	memcpy(row->place.driver, head->driver, sizeof row->place.driver);
	return true;
}

/* Rows of one head, from `at`; returns where they end. */
static int learn(struct exchange *exchange, const PGresult *result, int at, struct head *head,
                 int64_t order)
{
	struct error error;
	size_t count = 0, left_out = 0;
	uint64_t position = head->position;
	int end = at;
	for (; end < PQntuples(result) && number_of(result, end, 0) == order; end++) {
		struct shared_row *row = &exchange->rows[count];
		uint64_t sequence = (uint64_t)number_of(result, end, 1);
		position = sequence > position ? sequence : position;
		if (is_null(result, end, 6))
			continue; /* of another model of that node */
		if (count < EXCHANGE_BATCH && row_of(result, end, head, row))
			count++;
		else
			exchange->refused_rows++;
	}
	/* all there is: also where the server keeps what is old no more */
	if (end - at < ROWS_OF_HEAD && head->last > position)
		position = head->last;
	if (ledger_learn(exchange->ledger, head->node, head->model, head->driver, exchange->rows,
	                 count, position, exchange->settings->known, &left_out,
	                 &error) != STATUS_OK) {
		exchange_fail(exchange, &error);
		return -1;
	}
	exchange->refused_rows += left_out;
	head->position = position;
	return end;
}

static void on_rows(void *context, const PGresult *result, const char *why)
{
	struct exchange *exchange = context;
	size_t asked = exchange->asked_heads;
	int at = 0;
	exchange->asked_heads = 0;
	if (has_failed(exchange, result, "rows", why))
		return;
	for (size_t i = 0; i < asked && at >= 0; i++)
		at = learn(exchange, result, at, &exchange->heads[exchange->head_next + i],
		           (int64_t)i + 1);
	if (at < 0)
		return;
	/* those that have more come once more, behind the others */
	size_t first = exchange->head_next, kept = 0;
	for (size_t i = first; i < first + asked; i++)
		if (exchange->heads[i].position < exchange->heads[i].last) {
			struct head head = exchange->heads[i];
			exchange->heads[i] = exchange->heads[first + kept];
			exchange->heads[first + kept++] = head;
		}
	memmove(&exchange->heads[first + kept], &exchange->heads[first + asked],
	        (exchange->head_count - first - asked) * sizeof *exchange->heads);
	exchange->head_count -= asked - kept;
	exchange_pump(exchange);
}

/*
 * A page of each of some heads. Rows of a node's other models are among them, without their state:
 * a condition on the model would have the server sort all that is left, page after page.
 */
static bool ask_rows(struct exchange *exchange)
{
	struct literal nodes, models, drivers, positions;
	size_t count = exchange->head_count - exchange->head_next;
	char limit[24];
	if (count == 0) {
		/* the list is worked off: the next look begins where this one was made */
		if (exchange->listed_position > 0)
			exchange->position = exchange->listed_position;
		exchange->listed_position = 0;
		return false;
	}
	if (count > HEADS_AT_ONCE)
		count = HEADS_AT_ONCE;
	literal_init(&nodes);
	literal_init(&models);
	literal_init(&drivers);
	literal_init(&positions);
	for (size_t i = 0; i < count; i++) {
		const struct head *head = &exchange->heads[exchange->head_next + i];
		literal_add_text(&nodes, head->node);
		literal_add_text(&models, head->model);
		literal_add_text(&drivers, head->driver);
		literal_add_number(&positions, (int64_t)head->position);
	}
	(void)snprintf(limit, sizeof limit, "%d", ROWS_OF_HEAD);
	const char *const values[] = {literal_end(&nodes), literal_end(&models),
	                              literal_end(&drivers), literal_end(&positions), limit};
	bool is_whole =
	        values[0] != NULL && values[1] != NULL && values[2] != NULL && values[3] != NULL;
	exchange->asked_heads = count;
	if (is_whole)
		server_link_ask(
		        &exchange->server,
		        "SELECT c.place, o.sequence, o.kernel, o.launch, o.kind, o.observer,"
		        " CASE WHEN o.model = c.model AND o.driver = c.driver THEN o.state END"
		        " FROM unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[])"
		        " WITH ORDINALITY AS c (node, model, driver, position, place)"
		        " CROSS JOIN LATERAL (SELECT * FROM predictd.observation a"
		        " WHERE a.node = c.node AND a.sequence > c.position"
		        " ORDER BY a.sequence LIMIT $5::bigint) o"
		        " ORDER BY c.place, o.sequence",
		        5, values, on_rows, exchange);
	literal_deinit(&nodes);
	literal_deinit(&models);
	literal_deinit(&drivers);
	literal_deinit(&positions);
	return is_whole;
}

/* ---- in: calibrations ---------------------------------------------------------------------- */

static void on_calibrations(void *context, const PGresult *result, const char *why)
{
	struct exchange *exchange = context;
	struct parcel *parcel = &exchange->borrowed;
	struct borrowing borrowing;
	struct error error;
	uint8_t *bytes = NULL;
	if (has_failed(exchange, result, "calibrations", why))
		return;
	borrowing_init(&borrowing);
	for (int i = 0; i < PQntuples(result); i++) {
		const char *text = text_of(result, i, 0);
		size_t size;
		bytes = strlen(text) < 2 * (size_t)BORROW_BYTES_MAX + 3 ? malloc(strlen(text))
		                                                        : NULL;
		if (bytes != NULL && row_bytes(text, bytes, strlen(text), &size))
			(void)borrowing_add(&borrowing, bytes, size, parcel->device.model,
			                    parcel->device.driver);
		free(bytes);
	}
	if (borrowing_finish(&borrowing, exchange->settings->agreement, &parcel->bytes,
	                     &parcel->size, &error) == STATUS_OK)
		parcel->nodes = (uint32_t)borrowing.count;
	borrowing_deinit(&borrowing);
	exchange_pump(exchange);
}

/* The newest of each node, for a device of this node that has none, or fewer nodes'. */
static bool ask_calibrations(struct exchange *exchange)
{
	char limit[24];
	size_t i = 0;
	while (i < exchange->device_count &&
	       (exchange->devices[i].is_calibrated || exchange->devices[i].is_asked))
		i++;
	if (i == exchange->device_count || exchange->borrowed.bytes != NULL)
		return false;
	exchange->devices[i].is_asked = true;
	exchange->borrowed.device = exchange->devices[i];
	(void)snprintf(limit, sizeof limit, "%d", BORROW_NODES_MAX);
	const char *const values[] = {exchange->devices[i].model, exchange->devices[i].driver,
	                              ledger_node(exchange->ledger), limit};
	server_link_ask(&exchange->server,
	                "SELECT calibration FROM (SELECT DISTINCT ON (c.node) c.calibration,"
	                " c.received FROM predictd.calibration c JOIN predictd.node n USING (node)"
	                " WHERE c.model = $1 AND c.driver = $2 AND c.node <> $3"
	                " AND n.retired IS NULL ORDER BY c.node, c.epoch DESC) a"
	                " ORDER BY received DESC LIMIT $4::bigint",
	                4, values, on_calibrations, exchange);
	return true;
}

static bool send_out(struct exchange *exchange)
{
	return push(exchange) || send_calibration(exchange);
}

static bool read_in(struct exchange *exchange)
{
	return ask_rows(exchange) || ask_calibrations(exchange) ||
	       (!exchange->has_looked && ask_heads(exchange));
}

void exchange_pump_server(struct exchange *exchange)
{
	if (!server_link_is_free(&exchange->server))
		return;
	if (!exchange->is_welcome) {
		say_hello(exchange);
	} else if (!exchange->is_maintained) {
		exchange->is_maintained = true;
		server_link_ask(&exchange->server, "SELECT predictd.maintain()", 0, NULL,
		                on_maintained, exchange);
	} else if (!exchange->is_heard) {
		say_alive(exchange);
	} else {
		exchange->reads_next = !exchange->reads_next;
		(void)((exchange->reads_next && (read_in(exchange) || send_out(exchange))) ||
		       (!exchange->reads_next && (send_out(exchange) || read_in(exchange))));
	}
}
