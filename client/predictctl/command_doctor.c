/* SPDX-License-Identifier: Apache-2.0 */
/* predictctl doctor: what is missing or wrong on this node, and how to mend it. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/predictctl/commands.h"
#include "client/predictctl/layer.h"
#include "client/predictctl/nodes.h"
#include "client/predictctl/pairs.h"

#define SYSTEM_SOCKET "/run/predictd/predictd.sock" /* as predictd_default_socket has it */

/* A warning costs accuracy; a problem has predictd not work as it should. */
enum level { LEVEL_OK, LEVEL_WARNING, LEVEL_PROBLEM, LEVELS };

/* What was looked at, in order. */
struct findings {
	bool is_json;
	size_t counts[LEVELS];
	json_t *list;
};

static void add(struct findings *findings, enum level level, const char *what, const char *mend,
                const char *format, va_list arguments) __attribute__((format(printf, 5, 0)));

static void add(struct findings *findings, enum level level, const char *what, const char *mend,
                const char *format, va_list arguments)
{
	static const char *const names[] = {"ok", "warning", "problem"};
	char text[512];
	(void)vsnprintf(text, sizeof text, format, arguments);
	findings->counts[level]++;
	if (findings->is_json) {
		json_array_append_new(findings->list,
		                      json_pack("{ss ss sb ss ss}", "what", what, "level",
		                                names[level], "ok", level == LEVEL_OK, "finding",
		                                text, "mend", mend != NULL ? mend : ""));
		return;
	}
	(void)printf("%s%-8s%s %-16s %s\n", level == LEVEL_OK ? color_good() : color_bad(),
	             names[level], color_end(), what, text);
	if (mend != NULL)
		(void)printf("%-8s %-16s -> %s\n", "", "", mend);
}

/* A finding; mend is NULL where all is well. */
static void find(struct findings *findings, const char *what, const char *mend, const char *format,
                 ...) __attribute__((format(printf, 4, 5)));

static void find(struct findings *findings, const char *what, const char *mend, const char *format,
                 ...)
{
	va_list arguments;
	va_start(arguments, format);
	add(findings, mend == NULL ? LEVEL_OK : LEVEL_PROBLEM, what, mend, format, arguments);
	va_end(arguments);
}

static void warn(struct findings *findings, const char *what, const char *mend, const char *format,
                 ...) __attribute__((format(printf, 4, 5)));

static void warn(struct findings *findings, const char *what, const char *mend, const char *format,
                 ...)
{
	va_list arguments;
	va_start(arguments, format);
	add(findings, LEVEL_WARNING, what, mend, format, arguments);
	va_end(arguments);
}

/* Before OpenCL is: its loader has the driver's helper make them, for whoever may run that. */
static void check_nodes(struct findings *findings)
{
	const char *missing = nodes_missing();
	if (missing != NULL)
		find(findings, "device files",
		     "run `nvidia-modprobe -c 0 -u` as root, and at each boot; then `systemctl "
		     "restart predictd`",
		     "NVIDIA's driver is loaded, but %s is not there, and predictd's unit may not "
		     "make it",
		     missing);
}

/*
 * PoCL has no device where it can keep nothing of what it compiled. Its folder is that of 3.1's
 * pocl_cache_init_topdir. False: it is not installed, or it can.
 */
static bool is_pocl_cache_closed(char path[PATH_MAX])
{
	const char *vendors = getenv("OCL_ICD_VENDORS"), *own = getenv("POCL_CACHE_DIR");
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char at[PATH_MAX];
	struct stat about;
	(void)snprintf(at, sizeof at, "%s/pocl.icd",
	               vendors != NULL ? vendors : "/etc/OpenCL/vendors");
	if (access(at, F_OK) != 0)
		return false;
	if (own != NULL)
		(void)snprintf(path, PATH_MAX, "%s", own);
	else if (cache != NULL && cache[0] != '\0')
		(void)snprintf(path, PATH_MAX, "%s/pocl", cache);
	else if (home != NULL)
		(void)snprintf(path, PATH_MAX, "%s/.cache/pocl", home);
	else
		(void)snprintf(path, PATH_MAX, "/tmp/pocl");
	/* what is there of the path decides whether the rest can be made */
	(void)snprintf(at, sizeof at, "%s", path);
	for (char *end; stat(at, &about) != 0 && (end = strrchr(at, '/')) != NULL && end > at;)
		*end = '\0';
	return stat(at, &about) == 0 && !(S_ISDIR(about.st_mode) && access(at, W_OK | X_OK) == 0);
}

static void check_opencl(struct findings *findings, size_t *usable)
{
	predictd_devices *devices = NULL;
	predictd_status status = predictd_scan_devices(&devices);
	*usable = 0;
	if (status == PREDICTD_UNAVAILABLE) {
		find(findings, "calibrator",
		     "install predictd whole, or set PREDICTD_LIBEXECDIR to the folders of "
		     "predictd-calibrator",
		     "%s", predictd_error_text());
		return;
	}
	if (status != PREDICTD_OK) {
		find(findings, "OpenCL",
		     "install an OpenCL loader and a driver: `apt install ocl-icd-libopencl1 "
		     "pocl-opencl-icd` runs on any CPU; a GPU needs its vendor's",
		     "%s", predictd_error_text());
		return;
	}
	char cache[PATH_MAX];
	if (devices->count == 0 && is_pocl_cache_closed(cache))
		find(findings, "OpenCL",
		     "name one with POCL_CACHE_DIR that you may write to: PoCL has no device "
		     "without",
		     "PoCL may not write to %s", cache);
	else if (devices->count == 0)
		find(findings, "OpenCL",
		     "install a driver: `apt install pocl-opencl-icd` runs on any CPU; a GPU needs "
		     "its vendor's; see that /etc/OpenCL/vendors/*.icd name it",
		     "the loader finds no device");
	for (size_t i = 0; i < devices->count; i++) {
		const predictd_device *device = &devices->devices[i];
		if (device->failure[0] != '\0') {
			find(findings, "OpenCL device",
			     "see the driver's own messages; the other devices work without it",
			     "%s: %s", device->name, device->failure);
			continue;
		}
		++*usable;
		find(findings, "OpenCL device", NULL, "%s (%s, driver %s)", device->name,
		     device->platform, device->driver);
	}
	predictd_devices_free(devices);
}

/* Each entry of OPENCL_LAYERS: a loader passes over what it cannot load without a word. */
static void check_layers_set(struct findings *findings)
{
	const char *set = getenv("OPENCL_LAYERS");
	char path[PATH_MAX];
	for (const char *at = set != NULL ? set : ""; *at != '\0'; at += *at == ':') {
		size_t length = strcspn(at, ":");
		(void)snprintf(path, sizeof path, "%.*s", (int)length, at);
		at += length;
		if (length == 0)
			continue;
		const char *fault = layer_fault(path);
		find(findings, "OPENCL_LAYERS",
		     fault == NULL ? NULL : "take it out of OPENCL_LAYERS, or mend its path",
		     "%s%s%s", path, fault == NULL ? "" : ": ", fault == NULL ? "" : fault);
	}
}

/* Whether `predictctl run` follows programs. */
static void check_layer(struct findings *findings)
{
	char loader[PATH_MAX];
	const char *why, *layer = layer_find(&why);
	bool is_chosen = getenv("PREDICTD_LAYER_PATH") != NULL;
	enum layer_loader kind = layer_loader(loader);
	const char *fault = layer != NULL ? layer_fault(layer) : NULL;
	check_layers_set(findings);
	if (layer == NULL)
		find(findings, "layer",
		     is_chosen
		             ? "set PREDICTD_LAYER_PATH to the folder of libpredictd-layer.so, or "
		               "unset it"
		             : NULL,
		     "%s; `predictctl run` needs it, and nothing else does", why);
	else if (fault != NULL)
		find(findings, "layer", "install predictd whole", "%s: %s", layer, fault);
	else if (kind == LOADER_WITHOUT_LAYERS)
		find(findings, "layer",
		     "install a loader that takes layers: ocl-icd from 2.3.0 on, or Khronos's",
		     "%s would not be loaded: %s takes no layers", layer, loader);
	else if (kind == LOADER_WITH_LAYERS)
		find(findings, "layer", NULL, "%s, which %s would load", layer, loader);
}

/* The socket's file, where the daemon could not be reached. */
static void check_socket(struct findings *findings, const char *why, const char *path)
{
	struct stat about;
	if (stat(path, &about) != 0) {
		find(findings, "daemon",
		     "start it: `systemctl enable --now predictd.socket`, or `predictd` as "
		     "yourself",
		     "%s", why);
	} else if (!S_ISSOCK(about.st_mode)) {
		find(findings, "socket", "remove it, and start predictd again", "%s is no socket",
		     path);
	} else if (access(path, W_OK) != 0) {
		char mend[256];
		(void)snprintf(
		        mend, sizeof mend,
		        "join the socket's group (id %u): `adduser $USER GROUP`, then log in "
		        "again",
		        (unsigned)about.st_gid);
		find(findings, "socket", mend, "%s may not be written to by you", path);
	} else {
		find(findings, "daemon",
		     "start it: `systemctl start predictd`, or `predictd`; its log: `journalctl -u "
		     "predictd`",
		     "%s", why);
	}
}

/* One of the places where a daemon may be; whether a file is there. */
static bool tell_socket(struct findings *findings, const char *path, const char *whose,
                        const char *chosen, const char *why)
{
	predictd_connection *connection = NULL;
	bool is_chosen = strcmp(path, chosen) == 0, is_there = access(path, F_OK) == 0;
	if (!is_there && !is_chosen)
		return false;
	bool answers = is_there && predictd_open(path, &connection) == PREDICTD_OK;
	find(findings, "socket", NULL, "%s: %s, %s%s%s", path, whose,
	     answers    ? "answers"
	     : is_there ? "does not answer"
	                : "is not there",
	     is_chosen ? "; chosen, as " : "", is_chosen ? why : "");
	predictd_close(connection);
	return is_there;
}

/* A user's own daemon may run beside the system's: which there are, and which is asked. */
static void tell_sockets(struct findings *findings, const struct options *options)
{
	const char *given = getenv("PREDICTD_SOCKET"), *runtime = getenv("XDG_RUNTIME_DIR");
	const bool is_given = given != NULL && given[0] != '\0';
	char own[PATH_MAX] = "", chosen[PATH_MAX];
	(void)snprintf(chosen, sizeof chosen, "%s",
	               options->socket != NULL ? options->socket : predictd_default_socket());
	if (runtime != NULL && runtime[0] == '/')
		(void)snprintf(own, sizeof own, "%s/predictd/predictd.sock", runtime);
	if (options->socket != NULL)
		(void)tell_socket(findings, chosen, "of --socket", chosen, "it was named");
	if (is_given && (options->socket == NULL || strcmp(given, chosen) != 0))
		(void)tell_socket(findings, given, "of PREDICTD_SOCKET", chosen,
		                  "the variable names it");
	bool is_named = options->socket != NULL || is_given;
	bool is_told =
	        (is_named && strcmp(own, chosen) == 0) || (is_given && strcmp(own, given) == 0);
	bool has_own = own[0] != '\0' && !is_told &&
	               tell_socket(findings, own, "your own daemon's", chosen,
	                           "your own precedes the system's");
	is_told = (is_named && strcmp(SYSTEM_SOCKET, chosen) == 0) ||
	          (is_given && strcmp(SYSTEM_SOCKET, given) == 0);
	if (!is_told)
		(void)tell_socket(findings, SYSTEM_SOCKET, "the system's daemon's", chosen,
		                  has_own ? "your own was passed over"
		                          : "you have no daemon of your own");
}

static void check_status(struct findings *findings, predictd_connection *connection)
{
	predictd_daemon_status *status = NULL;
	if (predictd_get_status(connection, &status) != PREDICTD_OK) {
		find(findings, "daemon", "see its log: `journalctl -u predictd`", "%s",
		     predictd_error_text());
		return;
	}
	bool is_same = strcmp(status->version, predictd_version()) == 0;
	find(findings, "daemon",
	     is_same ? NULL : "restart it after an update: `systemctl restart predictd`",
	     "predictd %s at %s%s%s", status->version, predictd_socket_path(connection),
	     is_same ? "" : ", but predictctl is ", is_same ? "" : predictd_version());
	if (status->analyser_problem[0] == '\0')
		find(findings, "analyser", NULL, "kernels are analysed");
	else
		find(findings, "analyser",
		     "install libclang 19 and predictd whole; its log: `journalctl -u predictd`",
		     "%s", status->analyser_problem);
	if (status->jail_problem[0] != '\0')
		find(findings, "jail",
		     "boot a kernel that has Landlock (its option `lsm=` names landlock), and see "
		     "that no container or unit forbids its calls; until then a fault in seccomp's "
		     "list is enough to read files",
		     "%s", status->jail_problem);
	if (status->store_problem[0] == '\0')
		find(findings, "state directory", NULL, "%s", status->state_directory);
	else
		find(findings, "state directory",
		     "see that predictd's user may write there, that the disk has room and that no "
		     "other predictd keeps its state there; until "
		     "then calibrations are forgotten at its end",
		     "%s: %s", status->state_directory, status->store_problem);
	if (status->device_problem[0] != '\0')
		find(findings, "devices",
		     "see the daemon's log: `journalctl -u predictd`; after mending, `systemctl "
		     "restart predictd`",
		     "%s", status->device_problem);
	predictd_status_free(status);
}

static void warn_of_calibration(struct findings *findings, const predictd_device *device,
                                const char *mend)
{
	if (device->is_language_assumed)
		warn(findings, "language", mend, "%s: %s", device->name, device->language);
	for (size_t i = 0; i < device->doubt_count; i++)
		warn(findings, "calibration", mend, "%s: doubted: %s", device->name,
		     device->doubts[i]);
}

/* Plans take it that devices that were not measured together do not disturb each other. */
static void check_pairs(struct findings *findings, predictd_connection *connection,
                        const predictd_devices *devices)
{
	struct pairs pairs = {0};
	if (!pairs_list(&pairs, connection, devices, PAIRS_OF_HERE))
		find(findings, "pairs", NULL, "not known: %s", predictd_error_text());
	else if (pairs.count > 1 && pairs_are_known(&pairs))
		find(findings, "pairs", NULL, "devices that are here were measured together");
	else if (pairs.count > 1)
		warn(findings, "pairs", "`predictctl calibrate --pairs`",
		     "not all devices that are here were measured together (`predictctl devices`)");
	pairs_deinit(&pairs);
}

static void check_devices(struct findings *findings, predictd_connection *connection, size_t usable)
{
	predictd_devices *devices = NULL;
	char mend[128];
	size_t present = 0;
	if (predictd_list_devices(connection, false, &devices) != PREDICTD_OK) {
		find(findings, "devices", "see the daemon's log: `journalctl -u predictd`", "%s",
		     predictd_error_text());
		return;
	}
	for (size_t i = 0; i < devices->count; i++) {
		const predictd_device *device = &devices->devices[i];
		present += device->is_present;
		(void)snprintf(mend, sizeof mend, "`predictctl calibrate %u`", device->index);
		if (!device->is_present)
			continue;
		if (device->failure[0] != '\0')
			find(findings, "device", mend, "%s: %s", device->name, device->failure);
		else if (!device->is_calibrated)
			find(findings, "calibration", mend, "%s is not calibrated", device->name);
		else if (device->is_stale)
			find(findings, "calibration", mend,
			     "%s: its driver changed since it was calibrated", device->name);
		else if (device->borrowed_nodes > 0)
			find(findings, "calibration", mend,
			     "%s has none of its own: it is borrowed from %u nodes", device->name,
			     device->borrowed_nodes);
		else if (device->was_busy)
			find(findings, "calibration", mend,
			     "%s was in use by others while it was calibrated", device->name);
		else
			find(findings, "calibration", NULL, "%s%s", device->name,
			     device->is_quick ? ", quick" : "");
		if (device->is_calibrated)
			warn_of_calibration(findings, device, mend);
	}
	if (present < usable)
		find(findings, "devices",
		     "give predictd's user access to the device (groups video, render); then "
		     "`systemctl restart predictd`, which sees drivers loaded since its start",
		     "predictd sees %zu of the %zu devices that you can use", present, usable);
	check_pairs(findings, connection, devices);
	predictd_devices_free(devices);
}

enum exit_code command_doctor(const struct options *options)
{
	predictd_connection *connection = NULL;
	struct findings findings = {.is_json = options->json, .list = json_array()};
	size_t usable;
	check_nodes(&findings);
	check_opencl(&findings, &usable);
	check_layer(&findings);
	tell_sockets(&findings, options);
	predictd_status status = predictd_open(options->socket, &connection);
	if (status == PREDICTD_OK) {
		check_status(&findings, connection);
		check_devices(&findings, connection, usable);
	} else {
		check_socket(&findings, predictd_error_text(),
		             options->socket != NULL ? options->socket : predictd_default_socket());
	}
	size_t problems = findings.counts[LEVEL_PROBLEM], warnings = findings.counts[LEVEL_WARNING];
	if (options->json)
		print_json(json_pack("{sO sI sI}", "findings", findings.list, "problems",
		                     (json_int_t)problems, "warnings", (json_int_t)warnings));
	else
		(void)printf("%zu problem%s, %zu warning%s\n", problems, problems == 1 ? "" : "s",
		             warnings, warnings == 1 ? "" : "s");
	json_decref(findings.list);
	predictd_close(connection);
	return problems > 0 ? EXIT_FAILED : EXIT_DONE;
}
