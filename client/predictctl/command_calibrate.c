/* SPDX-License-Identifier: Apache-2.0 */
/* predictctl calibrate, export and import: where calibrations come from and go to. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/predictctl/ask.h"
#include "client/predictctl/commands.h"
#include "client/predictctl/interrupts.h"
#include "client/predictctl/pairs.h"
#include "client/predictctl/whole_file.h"

enum { BAR_CELLS = 30, CALIBRATION_BYTES_MAX = 4 << 20 };

/* A quick calibration takes as long as it may; one that ends before this share of its stages had a
 * busy machine, or a driver that compiled for too long, and lacks more than rare operations. */
static const double ENOUGH = 0.8;

/* What is worth knowing of others who used the device, or "". */
static void others_text(const predictd_device *done, char text[96])
{
	double share = 0;
	for (size_t i = 0; i < done->coefficient_count; i++)
		if (strcmp(done->coefficients[i].name, "calibration.others.share") == 0)
			share = done->coefficients[i].value;
	text[0] = '\0';
	if (done->was_busy && share > 0.1)
		(void)snprintf(text, 96, "; others had %.0f %% of the processors meanwhile",
		               100 * share);
	else if (done->was_busy)
		(void)snprintf(text, 96, "; others used the device meanwhile");
}

/* What the progress shows last, so that plain output has a line a stage. */
struct progress {
	const char *name;
	bool is_bar;
	double done;
	char stage[64];
};

static bool progress_show(double done, double left_s, const char *stage, void *context)
{
	struct progress *progress = context;
	if (!(done >= 0))
		done = 0;
	if (done > 1)
		done = 1;
	if (progress->is_bar) {
		char bar[BAR_CELLS + 1];
		int full = (int)lround(done * (double)BAR_CELLS);
		for (int i = 0; i < BAR_CELLS; i++)
			bar[i] = i < full ? '#' : '.';
		bar[BAR_CELLS] = '\0';
		(void)fprintf(stderr, "\r%-.40s [%s] %3.0f %%  %3.0f s left  %-28.28s",
		              progress->name, bar, 100 * done, left_s > 0 ? left_s : 0, stage);
		(void)fflush(stderr);
	} else if (strcmp(progress->stage, stage) != 0) {
		(void)fprintf(stderr, "%s: %3.0f %%: %s\n", progress->name, 100 * done, stage);
	}
	(void)snprintf(progress->stage, sizeof progress->stage, "%s", stage);
	progress->done = done;
	return !interrupts_came();
}

/* Calibrates one device; adds its JSON to `list`. */
static enum exit_code calibrate_one(predictd_connection *connection, const char *device,
                                    const char *name, const struct options *options, json_t *list)
{
	struct progress progress = {.name = name, .is_bar = is_watched()};
	predictd_devices *result = NULL;
	predictd_status status = predictd_calibrate(connection, device, options->quick,
	                                            progress_show, &progress, &result);
	if (progress.is_bar)
		(void)fputs("\r\033[K", stderr);
	if (status == PREDICTD_CANCELLED) {
		complain(name, "calibration cancelled; nothing was changed");
		return EXIT_INTERRUPTED;
	}
	if (status != PREDICTD_OK)
		return complain_of(name, status);
	const predictd_device *done = &result->devices[0];
	if (options->json) {
		json_array_append_new(list, device_json(done, true));
	} else {
		size_t rough = 0;
		char others[96];
		others_text(done, others);
		for (size_t i = 0; i < done->coefficient_count; i++)
			rough += done->coefficients[i].standard_error > 0.02;
		(void)printf("%s: calibrated%s in %.1f s, %zu coefficients, %zu with a standard "
		             "error above 2 %%%s\n",
		             done->name, done->is_quick ? " (quick)" : "", done->duration_s,
		             done->coefficient_count, rough, others);
		doubts_print(done, "  ");
	}
	if (options->quick && progress.done < ENOUGH)
		complain(name,
		         "time was up at %.0f %% (%s), and what is missing is assumed: predictions "
		         "may be far off. Calibrate without --quick, or when the machine is idle",
		         100 * progress.done, progress.stage);
	predictd_devices_free(result);
	return EXIT_DONE;
}

/* The largest factor of either side, and for which loads. */
static void worst_text(const predictd_slowdown *slowdown, char text[96])
{
	int own = 0, other = 0;
	for (int i = 0; i < PREDICTD_LOADS; i++)
		for (int j = 0; j < PREDICTD_LOADS; j++)
			if (slowdown->factors[i][j] > slowdown->factors[own][other]) {
				own = i;
				other = j;
			}
	if (slowdown->factors[own][other] < 1.05)
		(void)snprintf(text, 96, "is not slowed down");
	else
		(void)snprintf(text, 96, "takes up to %.2f times as long (%s beside %s)",
		               slowdown->factors[own][other],
		               predictd_load_name((predictd_load)own),
		               predictd_load_name((predictd_load)other));
}

/* What two devices do to each other, by their places among those of `pairs`. */
static enum exit_code calibrate_pair(predictd_connection *connection, const char *const keys[2],
                                     const char *const names[2], const struct options *options,
                                     json_t *list)
{
	char name[200], first[96], second[96];
	struct pairs pair = {0};
	(void)snprintf(name, sizeof name, "%.90s and %.90s", names[0], names[1]);
	struct progress progress = {.name = name, .is_bar = is_watched()};
	predictd_status status =
	        predictd_calibrate_pair(connection, keys[0], keys[1], progress_show, &progress);
	if (progress.is_bar)
		(void)fputs("\r\033[K", stderr);
	if (status == PREDICTD_CANCELLED) {
		complain(name, "measuring them together was cancelled; nothing was changed");
		return EXIT_INTERRUPTED;
	}
	if (status != PREDICTD_OK)
		return complain_of(name, status);
	enum exit_code code = EXIT_DONE;
	if (!pairs_init(&pair, connection, keys, names, 2)) {
		complain(name, "%s", predictd_error_text());
		code = EXIT_FAILED;
	} else if (options->json) {
		json_t *one = pairs_json(&pair);
		(void)json_array_extend(list, one);
		json_decref(one);
	} else {
		worst_text(&pair.slowdowns[1], first);
		worst_text(&pair.slowdowns[2], second);
		(void)printf("%s together: %s %s, %s %s%s\n", name, pairs_name(&pair, 0), first,
		             pairs_name(&pair, 1), second,
		             pair.slowdowns[1].was_busy ? "; others used the machine meanwhile"
		                                        : "");
	}
	pairs_deinit(&pair);
	return code;
}

/* Every two of the devices that are here; with `only`, those of one of them. */
static enum exit_code calibrate_pairs(predictd_connection *connection,
                                      const predictd_devices *devices, const predictd_device *only,
                                      const struct options *options, json_t *list)
{
	enum exit_code code = EXIT_DONE;
	for (size_t i = 0; i < devices->count; i++)
		for (size_t j = i + 1; j < devices->count && !interrupts_came(); j++) {
			const predictd_device *a = &devices->devices[i], *b = &devices->devices[j];
			const char *const keys[] = {a->key, b->key}, *const names[] = {a->name,
			                                                               b->name};
			if (!a->is_present || !b->is_present ||
			    (only != NULL && a != only && b != only))
				continue;
			enum exit_code own = calibrate_pair(connection, keys, names, options, list);
			if (own != EXIT_DONE)
				code = own;
		}
	return code;
}

/* Pairs alone: of those named, of one with all others, or of all. */
static enum exit_code calibrate_named(predictd_connection *connection,
                                      const predictd_devices *devices,
                                      const struct options *options, json_t *list)
{
	const predictd_device *named[2] = {NULL, NULL};
	size_t present = 0;
	for (size_t i = 0; i < options->positional_count; i++) {
		const char *text = options->positional[i];
		enum device_found found = device_find(devices, text, &named[i]);
		if (found != DEVICE_FOUND) {
			complain(
			        "calibrate",
			        found == DEVICE_NONE
			                ? "no device '%s'; see `predictctl devices`"
			                : "more than one device has '%s'; see `predictctl devices`",
			        text);
			return EXIT_FAILED;
		}
	}
	if (options->positional_count == 2) {
		/* the daemon says what is wrong with them */
		const char *const keys[] = {named[0]->key, named[1]->key}, *const names[] = {
		                                                                   named[0]->name,
		                                                                   named[1]->name};
		return calibrate_pair(connection, keys, names, options, list);
	}
	for (size_t i = 0; i < devices->count; i++)
		present += devices->devices[i].is_present;
	if (present < 2) {
		complain("calibrate", "a pair takes two devices on this node; there %s %zu",
		         present == 1 ? "is" : "are", present);
		return EXIT_FAILED;
	}
	return calibrate_pairs(connection, devices, named[0], options, list);
}

enum exit_code command_calibrate(const struct options *options)
{
	predictd_connection *connection = NULL;
	predictd_devices *devices = NULL;
	enum exit_code code = ask_open(options, &connection);
	if (code != EXIT_DONE)
		return code;
	json_t *list = json_array(), *pairs = json_array();
	interrupts_take(NULL);
	predictd_status status = predictd_list_devices(connection, false, &devices);
	if (status != PREDICTD_OK) {
		code = complain_of("calibrate", status);
		goto out;
	}
	if (options->pairs) {
		code = calibrate_named(connection, devices, options, pairs);
		goto show;
	}
	if (options->positional_count > 0) {
		/* the daemon knows best what the text means, and says so when it means nothing */
		const predictd_device *device;
		bool is_found =
		        device_find(devices, options->positional[0], &device) == DEVICE_FOUND;
		code = calibrate_one(connection, options->positional[0],
		                     is_found ? device->name : "calibrate", options, list);
		goto show;
	}
	size_t present = 0;
	for (size_t i = 0; i < devices->count && !interrupts_came(); i++) {
		const predictd_device *device = &devices->devices[i];
		if (!device->is_present)
			continue;
		present++;
		enum exit_code own =
		        calibrate_one(connection, device->key, device->name, options, list);
		if (own != EXIT_DONE)
			code = own;
	}
	if (present > 1 && !interrupts_came()) {
		enum exit_code own = calibrate_pairs(connection, devices, NULL, options, pairs);
		if (own != EXIT_DONE)
			code = own;
	}
	if (present == 0) {
		complain("calibrate",
		         "no OpenCL device on this node; `predictctl doctor` says why");
		code = EXIT_FAILED;
	}
show:
	if (options->json)
		print_json(json_pack("{sO sO}", "devices", list, "pairs", pairs));
out:
	json_decref(list);
	json_decref(pairs);
	predictd_devices_free(devices);
	predictd_close(connection);
	return code;
}

static enum exit_code file_write(const char *path, const uint8_t *bytes, size_t size)
{
	struct whole_file file;
	mode_t mask = umask(0);

	(void)umask(mask);
	if (whole_file_open(&file, path))
		whole_file_write(&file, bytes, size);
	if (whole_file_close(&file, true, 0666 & ~mask))
		return EXIT_DONE;
	complain(path, "%s", strerror(file.why));
	return EXIT_FAILED;
}

enum exit_code command_remove(const struct options *options)
{
	predictd_connection *connection = NULL;
	predictd_removal removal;
	enum exit_code code = ask_open(options, &connection);
	if (code != EXIT_DONE)
		return code;
	predictd_status status =
	        predictd_remove_calibration(connection, options->positional[0], &removal);
	if (status != PREDICTD_OK)
		code = complain_of("remove", status);
	else if (options->json)
		print_json(json_pack("{ss sI sI}", "device_key", removal.key, "calibrations",
		                     (json_int_t)removal.calibrations, "observations",
		                     (json_int_t)removal.observations));
	else
		(void)printf("%s: %u calibration%s removed, %llu observation%s forgotten\n",
		             removal.key, removal.calibrations,
		             removal.calibrations == 1 ? "" : "s",
		             (unsigned long long)removal.observations,
		             removal.observations == 1 ? "" : "s");
	predictd_close(connection);
	return code;
}

enum exit_code command_export(const struct options *options)
{
	predictd_connection *connection = NULL;
	uint8_t *bytes = NULL;
	size_t size = 0;
	enum exit_code code = ask_open(options, &connection);
	if (code != EXIT_DONE)
		return code;
	const char *device = options->positional[0], *path = options->positional[1];
	predictd_status status = predictd_export(connection, device, &bytes, &size);
	if (status != PREDICTD_OK) {
		code = complain_of("export", status);
	} else if (strcmp(path, "-") == 0) {
		(void)fwrite(bytes, 1, size, stdout);
	} else {
		code = file_write(path, bytes, size);
		if (code == EXIT_DONE && options->json)
			print_json(
			        json_pack("{ss sI}", "file", path, "size_bytes", (json_int_t)size));
		else if (code == EXIT_DONE)
			(void)printf("%s: %zu bytes\n", path, size);
	}
	free(bytes);
	predictd_close(connection);
	return code;
}

static enum exit_code file_read(const char *path, uint8_t **bytes, size_t *size)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rbe");
	if (file == NULL) {
		complain(path, "%s", strerror(errno));
		return EXIT_FAILED;
	}
	enum exit_code code = EXIT_FAILED;
	*bytes = malloc(CALIBRATION_BYTES_MAX + 1);
	if (*bytes != NULL)
		*size = fread(*bytes, 1, CALIBRATION_BYTES_MAX + 1, file);
	if (*bytes == NULL)
		complain(path, "no memory");
	else if (ferror(file))
		complain(path, "%s", strerror(errno));
	else if (*size == 0)
		complain(path, "empty: no calibration");
	else if (*size > CALIBRATION_BYTES_MAX)
		complain(path, "over %d MiB: no calibration", CALIBRATION_BYTES_MAX >> 20);
	else
		code = EXIT_DONE;
	if (file != stdin)
		(void)fclose(file);
	return code;
}

enum exit_code command_import(const struct options *options)
{
	predictd_connection *connection = NULL;
	predictd_devices *result = NULL;
	uint8_t *bytes = NULL;
	size_t size = 0;
	enum exit_code code = file_read(options->positional[0], &bytes, &size);
	if (code == EXIT_DONE)
		code = ask_open(options, &connection);
	if (code != EXIT_DONE)
		goto out;
	predictd_status status = predictd_import(connection, bytes, size, &result);
	if (status != PREDICTD_OK)
		code = complain_of(options->positional[0], status);
	else if (options->json)
		print_json(json_pack("{so}", "device", device_json(&result->devices[0], true)));
	else
		(void)printf("%s: imported as device %u%s\n", result->devices[0].name,
		             result->devices[0].index,
		             result->devices[0].is_present ? "" : ", which is not on this node");
out:
	free(bytes);
	predictd_devices_free(result);
	predictd_close(connection);
	return code;
}
