/* SPDX-License-Identifier: Apache-2.0 */
/* Where socket, state and configuration are. */
#include "daemon/paths.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The variable's value when it is an absolute path (of a list, the first); else NULL. */
static const char *variable(const char *name)
{
	const char *value = getenv(name);
	return value != NULL && value[0] == '/' ? value : NULL;
}

static enum status join(char *path, const char *base, const char *rest, struct error *error)
{
	int length = snprintf(path, PATHS_TEXT_MAX, "%.*s%s", (int)strcspn(base, ":"), base, rest);
	if (length < 0 || length >= PATHS_TEXT_MAX)
		return error_set(error, STATUS_INVALID, "%.100s...: path too long", base);
	return STATUS_OK;
}

struct place {
	const char *service;  /* systemd's variable */
	const char *user;     /* XDG's variable */
	const char *system;   /* root's directory without either, or NULL */
	const char *fallback; /* of it, below $HOME, or NULL */
	const char *file;     /* in that directory */
};

static enum status find(const struct place *place, char *path, struct error *error)
{
	char rest[128];
	const char *base = variable(place->service);
	if (base != NULL)
		return join(path, base, place->file, error);
	base = variable(place->user);
	if (base != NULL) {
		snprintf(rest, sizeof rest, "/predictd%s", place->file);
		return join(path, base, rest, error);
	}
	if (geteuid() == 0 && place->system != NULL)
		return join(path, place->system, place->file, error);
	base = variable("HOME");
	if (base == NULL || place->fallback == NULL) {
		path[0] = '\0'; /* an option or the configuration may still say */
		return STATUS_OK;
	}
	snprintf(rest, sizeof rest, "/%s/predictd%s", place->fallback, place->file);
	return join(path, base, rest, error);
}

enum status paths_init(struct paths *paths, struct error *error)
{
	static const struct place socket = {"RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR", "/run/predictd",
	                                    NULL, "/predictd.sock"};
	/* no /var/lib for root: the unit's daemon, another user, could not write what he made there
	 */
	static const struct place state = {"STATE_DIRECTORY", "XDG_STATE_HOME", NULL,
	                                   ".local/state", ""};
	static const struct place config = {"CONFIGURATION_DIRECTORY", "XDG_CONFIG_HOME",
	                                    "/etc/predictd", ".config", "/predictd.conf"};
	enum status status = find(&socket, paths->socket, error);
	if (status == STATUS_OK)
		status = find(&state, paths->state, error);
	if (status == STATUS_OK)
		status = find(&config, paths->config, error);
	return status;
}
