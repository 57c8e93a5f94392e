/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/share/administer.h"

#include <inttypes.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/share/ledger.h"
#include "daemon/share/migrations.h"

static int complain(const char *what, const char *why)
{
	size_t length = strlen(why);
	while (length > 0 && why[length - 1] == '\n')
		length--;
	(void)fprintf(stderr, "predictd-share: %s: %.*s\n", what, (int)length, why);
	return EXIT_FAILURE;
}

/* NULL: it was complained of. */
static PGconn *connect_to(const char *server)
{
	const char *const names[] = {"dbname", "fallback_application_name", "connect_timeout",
	                             NULL};
	const char *const values[] = {server, "predictctl share", "10", NULL};
	PGconn *connection = PQconnectdbParams(names, values, 1);
	if (connection != NULL && PQstatus(connection) == CONNECTION_OK)
		return connection;
	(void)complain("server", connection != NULL ? PQerrorMessage(connection) : "no memory");
	PQfinish(connection);
	return NULL;
}

/* The first field, or NULL: it was complained of. The caller clears *result. */
static const char *ask(PGconn *connection, const char *what, const char *sql, const char *value,
                       PGresult **result)
{
	const char *const values[] = {value};
	*result = PQexecParams(connection, sql, value != NULL ? 1 : 0, NULL, values, NULL, NULL, 0);
	if (PQresultStatus(*result) == PGRES_TUPLES_OK && PQntuples(*result) > 0)
		return PQgetvalue(*result, 0, 0);
	(void)complain(what, PQresultErrorMessage(*result));
	return NULL;
}

/* ---- the schema ---------------------------------------------------------------------------- */

/* How many migrations it has had; -1: it was complained of. */
static int version_of(PGconn *connection)
{
	PGresult *result;
	int version = -1;
	const char *there = ask(connection, "server",
	                        "SELECT to_regclass('predictd.site') IS NOT NULL", NULL, &result);
	bool is_there = there != NULL && there[0] == 't';
	if (there != NULL && !is_there)
		version = 0;
	PQclear(result);
	if (!is_there)
		return version;
	const char *text =
	        ask(connection, "server", "SELECT version FROM predictd.site", NULL, &result);
	if (text != NULL)
		version = atoi(text);
	PQclear(result);
	return version;
}

static bool migrate(PGconn *connection, const struct migration *migration)
{
	static const char *const around[] = {"BEGIN", NULL, "COMMIT"};
	for (size_t i = 0; i < 3; i++) {
		PGresult *result = PQexec(connection, i == 1 ? migration->sql : around[i]);
		ExecStatusType status = PQresultStatus(result);
		bool is_done = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
		if (!is_done)
			(void)complain(migration->name, PQresultErrorMessage(result));
		PQclear(result);
		if (!is_done)
			return false;
	}
	return true;
}

static void ignore_notice(void *context, const char *text)
{
	(void)context;
	(void)text;
}

int administer_init(const char *server)
{
	PGconn *connection = connect_to(server);
	if (connection == NULL)
		return EXIT_FAILURE;
	(void)PQsetNoticeProcessor(connection, ignore_notice, NULL);
	int version = version_of(connection), code = EXIT_SUCCESS;
	if (version < 0) {
		code = EXIT_FAILURE;
	} else if ((size_t)version > migration_count) {
		(void)fprintf(
		        stderr,
		        "predictd-share: the site's schema is of version %d, this program knows"
		        " %zu: use a newer one\n",
		        version, migration_count);
		code = EXIT_FAILURE;
	}
	for (size_t i = (size_t)version; code == EXIT_SUCCESS && i < migration_count; i++)
		if (!migrate(connection, &migrations[i]))
			code = EXIT_FAILURE;
	PQfinish(connection);
	if (code == EXIT_SUCCESS)
		(void)printf("%s: the site's schema is of version %zu\n",
		             (size_t)version == migration_count ? "nothing to do" : "done",
		             migration_count);
	return code;
}

/* ---- this node ----------------------------------------------------------------------------- */

static struct ledger *open_ledger(const char *state)
{
	struct ledger *ledger;
	struct error error;
	enum status status = ledger_open_read(state, &ledger, &error);
	if (status == STATUS_OK)
		return ledger;
	(void)complain("state", status == STATUS_NOT_FOUND ? "this node has shared nothing yet"
	                                                   : error.text);
	return NULL;
}

static void print_age(int64_t since_s)
{
	int64_t age_s = (int64_t)time(NULL) - since_s;
	if (age_s < 120)
		(void)printf("%" PRId64 " s", age_s);
	else if (age_s < 7200)
		(void)printf("%" PRId64 " minutes", age_s / 60);
	else
		(void)printf("%" PRId64 " hours", age_s / 3600);
}

int administer_status(const struct settings *settings, const char *state)
{
	struct ledger_counts counts;
	struct error error;
	char problem[256], pushed[64];
	struct ledger *ledger = open_ledger(state);
	if (ledger == NULL)
		return EXIT_FAILURE;
	enum status status = ledger_count(ledger, &counts, &error);
	if (status == STATUS_OK)
		status = ledger_remarked(ledger, "problem", problem, sizeof problem, &error);
	if (status == STATUS_OK)
		status = ledger_remarked(ledger, "pushed", pushed, sizeof pushed, &error);
	if (status == STATUS_OK) {
		(void)printf("node      %s\n", ledger_node(ledger));
		(void)printf("server    %s\n", settings->server[0] == '\0' ? "none is named"
		                               : problem[0] != '\0'        ? problem
		                                                           : "answers");
		(void)printf("sent      %s\n", pushed[0] != '\0' ? pushed : "0");
		(void)printf("waiting   %" PRIu64, counts.waiting);
		if (counts.waiting > 0) {
			(void)fputs(", the oldest for ", stdout);
			print_age(counts.oldest_s);
		}
		if (counts.waiting >= settings->outbox)
			(void)fputs("; the outbox is full: the daemon keeps the newest", stdout);
		(void)printf("\nknown     %" PRIu64 " launches of %" PRIu64 " nodes\n",
		             counts.launches, counts.nodes);
	}
	ledger_close(ledger);
	return status == STATUS_OK ? EXIT_SUCCESS : complain("state", error.text);
}

int administer_forget(const struct settings *settings, const char *state)
{
	struct ledger *ledger = open_ledger(state);
	if (ledger == NULL)
		return EXIT_FAILURE;
	if (settings->server[0] == '\0') {
		ledger_close(ledger);
		return complain("server", "share.conf names none");
	}
	PGresult *result = NULL;
	PGconn *connection = connect_to(settings->server);
	const char *gone = NULL;
	if (connection != NULL)
		gone = ask(connection, "forget", "SELECT predictd.forget($1)", ledger_node(ledger),
		           &result);
	if (gone != NULL)
		(void)printf("%s observations of this node are deleted\n", gone);
	int code = gone != NULL ? EXIT_SUCCESS : EXIT_FAILURE;
	PQclear(result);
	PQfinish(connection);
	ledger_close(ledger);
	return code;
}
