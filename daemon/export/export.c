/* SPDX-License-Identifier: Apache-2.0 */
/* Starting, changing and stopping what exports metrics. */
#include "daemon/export/export.h"

#include "daemon/address.h"
#include "daemon/daemon.h"
#include "daemon/log.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void failed(const struct error *error)
{
	log_write(LOG_METRICS_FAILED, LOG_TEXT_FIELD("why", error->text));
}

/* With the path of a Unix socket that was made here. */
static void close_endpoint(struct export_sinks *sinks)
{
	struct address address;
	struct error error;
	if (sinks->endpoint != NULL && !sinks->was_passed &&
	    address_parse(sinks->listen, &address, &error) == STATUS_OK &&
	    address.any.sa_family == AF_UNIX)
		(void)unlink(address.local.sun_path);
	endpoint_close(sinks->endpoint);
	sinks->endpoint = NULL;
}

/* Opens what is configured, in place of what was. */
static void apply_listen(struct daemon *daemon)
{
	struct export_sinks *sinks = &daemon->export_sinks;
	const char *wanted = daemon->config.listen;
	struct error error;
	int fd = -1;
	if (sinks->was_passed ||
	    (strcmp(sinks->listen, wanted) == 0 && (sinks->endpoint != NULL || wanted[0] == '\0')))
		return;
	close_endpoint(sinks);
	(void)snprintf(sinks->listen, sizeof sinks->listen, "%s", wanted);
	if (wanted[0] == '\0')
		return;
	if (endpoint_listen(wanted, &fd, &error) == STATUS_OK)
		sinks->endpoint = endpoint_open(daemon, fd, &error);
	if (sinks->endpoint == NULL)
		failed(&error);
}

void export_start(struct daemon *daemon, int passed_fd)
{
	struct export_sinks *sinks = &daemon->export_sinks;
	struct error error;
	export_file_start(&sinks->file, daemon);
	if (passed_fd >= 0) {
		sinks->was_passed = true;
		sinks->endpoint = endpoint_open(daemon, passed_fd, &error);
		if (sinks->endpoint == NULL)
			failed(&error);
	}
	apply_listen(daemon);
}

void export_apply(struct daemon *daemon)
{
	if (daemon->export_sinks.file.daemon == NULL)
		return; /* export_start will */
	export_file_apply(&daemon->export_sinks.file);
	apply_listen(daemon);
}

void export_stop(struct daemon *daemon)
{
	struct export_sinks *sinks = &daemon->export_sinks;
	if (sinks->file.daemon == NULL)
		return;
	export_file_stop(&sinks->file);
	close_endpoint(sinks);
}
