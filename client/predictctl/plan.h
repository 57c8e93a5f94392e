/* SPDX-License-Identifier: Apache-2.0 */
/* A schedule of the tasks of a cases file: made, and shown as a table, chart, JSON or trace. */
#ifndef PREDICTD_CLIENT_PREDICTCTL_PLAN_H
#define PREDICTD_CLIENT_PREDICTCTL_PLAN_H

#include "client/predictctl/ask.h"
#include "client/predictctl/pairs.h"

struct plan {
	const struct ask *ask;
	predictd_method method;
	predictd_schedule *schedule; /* NULL: there is none */
	struct pairs pairs;          /* of the devices */
	const char *keys[PREDICTD_SCHEDULE_DEVICES_MAX], *names[PREDICTD_SCHEDULE_DEVICES_MAX];
	predictd_plan got;
	size_t device_count;
	predictd_schedule_device devices[PREDICTD_SCHEDULE_DEVICES_MAX];
	predictd_devices *known;
	const predictd_device *about[PREDICTD_SCHEDULE_DEVICES_MAX]; /* each of the devices */
	size_t buffer_count;
	predictd_schedule_buffer *buffers;
	const char **buffer_names;
};

/*
 * Plans every case, on the devices of the options, or all that are calibrated and here. Buffers lie
 * on the host at the beginning. Complains, and gives the exit code, when something fails; where
 * tasks have no place for want of memory, there is a schedule all the same. plan_deinit after
 * either.
 */
enum exit_code plan_make(struct plan *plan, const struct ask *ask, const struct options *options);
void plan_deinit(struct plan *plan);

void plan_print(const struct plan *plan, bool with_chart, FILE *file);
json_t *plan_json(const struct plan *plan);
/* False: something was not written. */
bool plan_trace(const struct plan *plan, FILE *file);

/*
 * A chart of so many columns: a line a device, and one of its copies. Plain ASCII unless is_utf8.
 */
void plan_chart(const struct plan *plan, size_t columns, bool is_utf8, FILE *file);

#endif
