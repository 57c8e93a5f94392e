/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metrics as others read them. Comes in: the daemon's counters (daemon/metrics) and what its rooms
 * know of themselves. Goes out: a page in Prometheus' text format, to a file, over HTTP, and to who
 * asks for it over the daemon's own socket. This room changes nothing in any other.
 */
#ifndef PREDICTD_DAEMON_EXPORT_PAGE_H
#define PREDICTD_DAEMON_EXPORT_PAGE_H

#include "daemon/metrics/text.h"

struct daemon;

/*
 * Writes the page. Its length is bounded by the kinds of requests and by how many devices, users
 * and kernels are named: half a megabyte at the most.
 *
 * with_names   with ids of users and names of kernels
 * text         empty; the caller deinits it. has_failed: memory was short
 */
void page_write(const struct daemon *daemon, bool with_names, struct metrics_text *text);

#endif
