/* SPDX-License-Identifier: Apache-2.0 */
/* predictctl waitsync: until every device of this node has a calibration, its own or borrowed. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "client/predictctl/ask.h"
#include "client/predictctl/commands.h"

enum { LOOK_MS = 500, SAID_MAX = 512 };

/* What one look has found. */
struct look {
	size_t present, waiting;
	bool is_coming; /* one of them is being, or will be, calibrated */
	char text[SAID_MAX];
};

/* "NAME (calibrating)", behind what is there already. */
static void add(struct look *look, const char *name, const char *how)
{
	size_t used = strlen(look->text);
	(void)snprintf(look->text + used, sizeof look->text - used, "%s%.80s (%.160s)",
	               used > 0 ? ", " : "", name, how);
}

static predictd_status look_now(predictd_connection *connection, struct look *look)
{
	predictd_devices *devices = NULL;
	predictd_daemon_status *daemon = NULL;
	char quiet[96];
	*look = (struct look){0};
	predictd_status status = predictd_list_devices(connection, false, &devices);
	if (status == PREDICTD_OK)
		status = predictd_get_status(connection, &daemon);
	for (size_t i = 0; status == PREDICTD_OK && i < devices->count; i++) {
		const predictd_device *device = &devices->devices[i];
		look->present += device->is_present;
		if (!device->is_present || device->is_calibrated)
			continue;
		look->waiting++;
		bool is_running = strcmp(device->key, daemon->calibrating_key) == 0;
		look->is_coming |= is_running || daemon->coming_devices > 0;
		(void)snprintf(quiet, sizeof quiet, "waits for %.60s", daemon->coming_waits_for);
		add(look, device->name,
		    is_running                            ? "being calibrated"
		    : device->failure[0] != '\0'          ? device->failure
		    : daemon->coming_devices == 0         ? "not calibrated"
		    : daemon->coming_waits_for[0] == '\0' ? "waits for another one"
		                                          : quiet);
	}
	predictd_status_free(daemon);
	predictd_devices_free(devices);
	return status;
}

static double now_s(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The daemon was asked; EXIT_DONE: ask once more, with *is_over unset. */
static enum exit_code judge(const struct look *look, double left_s, bool *is_over)
{
	*is_over = true;
	if (look->present == 0) {
		complain("waitsync", "this node has no OpenCL device; see `predictctl doctor`");
		return EXIT_FAILED;
	}
	if (look->waiting == 0)
		return EXIT_DONE;
	if (!look->is_coming) {
		complain("waitsync",
		         "nothing will calibrate %s: type `predictctl calibrate`, or see at_start "
		         "in predictd.conf(5)",
		         look->text);
		return EXIT_UNCALIBRATED;
	}
	if (left_s <= 0) {
		complain("waitsync", "the time is up: %s", look->text);
		return EXIT_UNCALIBRATED;
	}
	*is_over = false;
	return EXIT_DONE;
}

enum exit_code command_waitsync(const struct options *options)
{
	predictd_connection *connection = NULL;
	const double end_s = now_s() + options->timeout_s;
	char said[SAID_MAX] = "";
	struct look look;
	bool is_over = false;
	enum exit_code code = ask_open(options, &connection);
	while (code == EXIT_DONE && !is_over) {
		predictd_status status = look_now(connection, &look);
		if (status != PREDICTD_OK) {
			code = complain_of("waitsync", status);
			break;
		}
		code = judge(&look, options->timeout_s > 0 ? end_s - now_s() : 1, &is_over);
		if (is_over)
			break;
		if (strcmp(said, look.text) != 0)
			(void)fprintf(stderr, "waiting for %s\n", look.text);
		memcpy(said, look.text, sizeof said);
		(void)nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000L}, NULL);
	}
	if (code == EXIT_DONE && options->json)
		print_json(json_pack("{sI}", "devices", (json_int_t)look.present));
	else if (code == EXIT_DONE)
		(void)printf("%zu device%s calibrated\n", look.present,
		             look.present == 1 ? " is" : "s are");
	predictd_close(connection);
	return code;
}
