/* SPDX-License-Identifier: Apache-2.0 */
/* Where metrics go, as the section [metrics] of the configuration says. */
#ifndef PREDICTD_DAEMON_EXPORT_EXPORT_H
#define PREDICTD_DAEMON_EXPORT_EXPORT_H

#include "daemon/config.h"

#include <stdbool.h>
#include <uv.h>

struct daemon;
struct endpoint;

/* A file that is written now and then, on a thread of libuv's pool. */
struct export_file {
	struct daemon *daemon;
	uv_timer_t timer;
	char path[CONFIG_TEXT_MAX];     /* empty: none */
	struct export_writing *writing; /* or NULL */
	bool has_failed, has_written;
};

struct export_sinks {
	struct export_file file;
	struct endpoint *endpoint; /* NULL: nobody may ask by HTTP */
	char listen[CONFIG_TEXT_MAX];
	bool was_passed; /* the endpoint's socket came from the service manager */
};

/*
 * Begins, as configured. passed_fd: a listening socket of the service manager's, which takes the
 * place of `listen`; taken; -1: none. What cannot be done is logged: the daemon serves without.
 */
void export_start(struct daemon *daemon, int passed_fd);

/* The configuration was read again. */
void export_apply(struct daemon *daemon);

/* Closes everything. The file goes: of a daemon that has ended nothing is true any more. */
void export_stop(struct daemon *daemon);

/* ---- endpoint.c: HTTP over a listening socket ---------------------------------------------- */

/* Takes the socket. NULL, and why in *error: it is closed. */
struct endpoint *endpoint_open(struct daemon *daemon, int fd, struct error *error);

/* A socket made for an address of this machine; a Unix socket for everybody to connect. */
enum status endpoint_listen(const char *address, int *fd, struct error *error);

/* Also its connections; accepts NULL. */
void endpoint_close(struct endpoint *endpoint);

/* ---- file.c -------------------------------------------------------------------------------- */

void export_file_start(struct export_file *file, struct daemon *daemon);
void export_file_apply(struct export_file *file);
void export_file_stop(struct export_file *file);

#endif
