/* SPDX-License-Identifier: Apache-2.0 */
/* The page of metrics, family by family. */
#include "daemon/export/page.h"

#include "daemon/daemon.h"
#include "daemon/log.h"

#include <inttypes.h>
#include <stdio.h>

enum { PAGE_USERS_MAX = 64 };

static const char *const kind_words[CORRECTION_KINDS] = {
        [CORRECTION_OF_KERNEL] = "kernel", [CORRECTION_OF_TASK] = "task"};
static const char *const basis_words[] = {
#define X(name, word) word,
        BASIS_TABLE(X)
#undef X
};

/* A family of one sample. */
static void gauge(struct metrics_text *text, const char *name, const char *help, double value)
{
	metrics_text_family(text, name, "gauge", help);
	metrics_text_real(text, NULL, value);
}

static void counter(struct metrics_text *text, const char *name, const char *help, uint64_t count)
{
	metrics_text_family(text, name, "counter", help);
	metrics_text_count(text, NULL, count);
}

static void labelled(struct metrics_text *text, const char *label, const char *value,
                     uint64_t count)
{
	metrics_text_count(text, METRICS_LABELS({label, value}), count);
}

/* ---- requests ------------------------------------------------------------------------------ */

static void write_requests(const struct metrics *metrics, struct metrics_text *text)
{
	metrics_text_family(text, "predictd_requests_total", "counter",
	                    "Requests read, by kind; those answered from memory with them.");
	for (unsigned i = 0; i < METRICS_REQUESTS; i++) {
		const char *name = metrics_kind_name(i);
		if (name != NULL || i == 0)
			labelled(text, "request", name != NULL ? name : "unknown",
			         metrics->requests[i]);
	}
	metrics_text_family(text, "predictd_request_duration_seconds", "histogram",
	                    "From a request's being read to its answer, by kind.");
	for (unsigned i = 1; i < METRICS_REQUESTS; i++)
		if (metrics->requests[i] > 0 && metrics_kind_name(i) != NULL)
			metrics_text_histogram(text,
			                       METRICS_LABELS({"request", metrics_kind_name(i)}),
			                       &metrics->latency[i]);
	metrics_text_family(text, "predictd_refusals_total", "counter",
	                    "Requests, and parts of several, answered by an error, by its status.");
	for (unsigned i = 1; i < STATUS_COUNT; i++)
		labelled(text, "status", status_word((enum status)i), metrics->refusals[i]);
	counter(text, "predictd_predictions_total", "Predictions answered.", metrics->predictions);
}

static void write_caches(const struct metrics *metrics, struct metrics_text *text)
{
	static const char *const words[] = {
#define X(name, word) word,
	        METRICS_CACHE_TABLE(X)
#undef X
	};
	metrics_text_family(text, "predictd_cache_hits_total", "counter",
	                    "What was looked for in memory and found, by what it was.");
	for (unsigned i = 0; i < METRICS_CACHES; i++)
		labelled(text, "cache", words[i], metrics->caches[i].hits);
	metrics_text_family(text, "predictd_cache_misses_total", "counter",
	                    "What was looked for in memory and made, by what it was.");
	for (unsigned i = 0; i < METRICS_CACHES; i++)
		labelled(text, "cache", words[i], metrics->caches[i].misses);
}

static void write_connections(const struct daemon *daemon, struct metrics_text *text)
{
	gauge(text, "predictd_connections", "Connections that are open.",
	      (double)daemon->session_count);
	counter(text, "predictd_connections_total", "Connections that were taken.",
	        daemon->metrics.connections);
	counter(text, "predictd_connections_refused_total",
	        "Connections refused, as there were too many.",
	        daemon->metrics.connections_refused);
	size_t users = 0;
	for (const struct user *user = daemon->users.table; user != NULL; user = user->hh.next)
		users += user->sessions > 0 ? 1 : 0;
	gauge(text, "predictd_users", "Users who have a connection.", (double)users);
}

/* ---- memory -------------------------------------------------------------------------------- */

static void write_memory(const struct daemon *daemon, struct metrics_text *text)
{
	size_t resident = 0;
	(void)uv_resident_set_memory(&resident);
	gauge(text, "predictd_resident_memory_bytes", "Resident memory of the daemon.",
	      (double)resident);
	metrics_text_family(text, "predictd_memory_bytes", "gauge",
	                    "Memory that is accounted for, by what it holds.");
	labelled(text, "part", "users", daemon->users.held_bytes);
	labelled(text, "part", "programs", daemon->programs.bytes);
	labelled(text, "part", "unpacked_programs", daemon->programs.unpacked_bytes);
	labelled(text, "part", "samples", daemon->samples.bytes);
	metrics_text_family(text, "predictd_memory_limit_bytes", "gauge",
	                    "What each part may hold at the most.");
	labelled(text, "part", "users", daemon->users.held_bytes_max);
	labelled(text, "part", "programs", daemon->programs.bytes_max);
	labelled(text, "part", "unpacked_programs", daemon->programs.unpacked_bytes_max);
	labelled(text, "part", "samples", daemon->samples.bytes_max);
	gauge(text, "predictd_programs", "Analysed programs in memory.",
	      (double)daemon->programs.count);
}

/* ---- children ------------------------------------------------------------------------------ */

static void write_children(const struct daemon *daemon, struct metrics_text *text)
{
	static const char *const words[] = {
#define X(name, word) word,
	        METRICS_RUN_TABLE(X)
#undef X
	};
	const struct analysis *analysis = &daemon->analysis;
	const struct metrics *metrics = &daemon->metrics;
	counter(text, "predictd_analyses_total", "Analyser processes that were given sources.",
	        analysis->forks);
	counter(text, "predictd_background_analyses_total",
	        "Of these, those at a low priority, for users who ask much.",
	        analysis->background_forks);
	counter(text, "predictd_analyses_failed_total",
	        "Analyses without a result, for a crash, memory or time.", analysis->given_up);
	gauge(text, "predictd_analyses_running", "Analyses under way.",
	      (double)analysis->running_count);
	gauge(text, "predictd_analyses_waiting", "Sources that wait for the analyser.",
	      (double)analysis->queue.count);
	gauge(text, "predictd_analyser_up", "1 when the analyser is ready.",
	      analysis->process.is_ready ? 1 : 0);
	counter(text, "predictd_background_predictions_total",
	        "Predictions made in the background, for users who ask much or of large kernels.",
	        daemon->evaluations.made);
	metrics_text_family(text, "predictd_calibrator_runs_total", "counter",
	                    "Calibrator processes that were started, by what for.");
	for (unsigned i = 0; i < METRICS_RUNS; i++)
		labelled(text, "run", words[i], metrics->runs[i]);
	metrics_text_family(text, "predictd_calibrator_failures_total", "counter",
	                    "Of these, those that failed: the driver, its time, or the daemon.");
	for (unsigned i = 0; i < METRICS_RUNS; i++)
		labelled(text, "run", words[i], metrics->runs_failed[i]);
	gauge(text, "predictd_calibrating", "1 while a device is calibrated.",
	      calibration_device(&daemon->calibration) != NULL ? 1 : 0);
}

/* ---- the store ----------------------------------------------------------------------------- */

static void write_store(const struct daemon *daemon, struct metrics_text *text)
{
	const struct store_worker *worker = &daemon->persistence.worker;
	const struct metrics *metrics = &daemon->metrics;
	size_t waiting = worker->asked.count;
	for (const struct store_job *job = worker->first; job != NULL; job = job->next)
		waiting++;
	gauge(text, "predictd_store_up", "1 when what is to be kept is kept.",
	      daemon->persistence.is_open && daemon->persistence.problem[0] == '\0' ? 1 : 0);
	gauge(text, "predictd_store_jobs_waiting", "Jobs that wait for the store.",
	      (double)waiting);
	metrics_text_family(text, "predictd_store_commit_duration_seconds", "histogram",
	                    "From observations' being due to their being kept.");
	metrics_text_histogram(text, NULL, &metrics->commits);
	gauge(text, "predictd_store_last_commit_duration_seconds", "Of the last one.",
	      metrics->last_commit_s);
	counter(text, "predictd_store_commits_failed_total",
	        "Attempts to keep observations that failed.", metrics->commits_failed);
}

/* ---- observations, and how good predictions are -------------------------------------------- */

/* The device of a hash; NULL: it has left, or it is none. */
static const struct registry_device *device_of(const struct daemon *daemon, uint64_t hash)
{
	for (size_t i = 0; i < daemon->registry.count; i++)
		if (daemon->registry.devices[i]->hash == hash)
			return daemon->registry.devices[i];
	return NULL;
}

/* Its key; of kernels without source there is no device. NULL: it has left. */
static const char *device_label(const struct daemon *daemon, uint64_t hash)
{
	const struct registry_device *device = hash == 0 ? NULL : device_of(daemon, hash);
	return hash == 0 ? "without-source" : device == NULL ? NULL : device->device.key;
}

/* One sample of each window. */
static void write_windows(const struct daemon *daemon, struct metrics_text *text,
                          double (*value)(const struct quality_window *))
{
	const struct quality_device *device = daemon->metrics.quality.devices;
	for (; device != NULL; device = device->hh.next) {
		const char *label = device_label(daemon, device->device);
		for (unsigned kind = 0; kind < CORRECTION_KINDS && label != NULL; kind++)
			for (unsigned basis = 0; basis < BASIS_COUNT; basis++)
				if (device->windows[kind][basis] != NULL)
					metrics_text_real(
					        text,
					        METRICS_LABELS({"device", label},
					                       {"of", kind_words[kind]},
					                       {"basis", basis_words[basis]}),
					        value(device->windows[kind][basis]));
	}
}

static double window_total(const struct quality_window *window)
{
	return (double)window->total;
}

static void write_quality(const struct daemon *daemon, struct metrics_text *text)
{
	char sentence[CORRECTION_SENTENCE_MAX];
	const struct correction *correction = daemon->observations.correction;
	counter(text, "predictd_observations_total", "Launches that were reported and taken.",
	        daemon->metrics.observed);
	gauge(text, "predictd_observations_known", "Runs known, of this and earlier times.",
	      (double)correction_runs(correction));
	metrics_text_family(text, "predictd_judged_runs_total", "counter",
	                    "Runs compared with what was answered before they were known.");
	write_windows(daemon, text, window_total);
	metrics_text_family(text, "predictd_prediction_error_median", "gauge",
	                    "Median of |ln(predicted / measured)| of the newest 256 of them.");
	write_windows(daemon, text, quality_median);
	metrics_text_family(text, "predictd_interval_coverage_ratio", "gauge",
	                    "Share of these that lie in the answered interval, meant to be 0.9.");
	write_windows(daemon, text, quality_coverage);
	metrics_text_family(text, "predictd_device_drifts", "gauge",
	                    "1 when a device's times have shifted since earlier observations.");
	for (size_t i = 0; i < daemon->registry.count; i++)
		labelled(text, "device", daemon->registry.devices[i]->device.key,
		         correction_drift(correction, daemon->registry.devices[i]->hash, sentence)
		                 ? 1
		                 : 0);
}

static void write_devices(const struct daemon *daemon, struct metrics_text *text)
{
	const struct registry *registry = &daemon->registry;
	metrics_text_family(text, "predictd_device_info", "gauge",
	                    "1, of each device, by its key.");
	for (size_t i = 0; i < registry->count; i++)
		metrics_text_count(text,
		                   METRICS_LABELS({"device", registry->devices[i]->device.key},
		                                  {"name", registry->devices[i]->device.name}),
		                   1);
	metrics_text_family(text, "predictd_device_present", "gauge", "1 unless it is away.");
	for (size_t i = 0; i < registry->count; i++)
		labelled(text, "device", registry->devices[i]->device.key,
		         registry->devices[i]->is_present ? 1 : 0);
	metrics_text_family(text, "predictd_device_calibrated", "gauge",
	                    "1 when it is calibrated.");
	for (size_t i = 0; i < registry->count; i++)
		labelled(text, "device", registry->devices[i]->device.key,
		         registry->devices[i]->device.is_calibrated ? 1 : 0);
}

/* ---- names --------------------------------------------------------------------------------- */

static void write_users(const struct daemon *daemon, struct metrics_text *text)
{
	const struct user *user;
	char id[16];
	size_t written = 0;
	metrics_text_family(text, "predictd_user_connections", "gauge",
	                    "Connections by user id, of at most 64 users.");
	for (user = daemon->users.table; user != NULL && written < PAGE_USERS_MAX;
	     user = user->hh.next, written++) {
		(void)snprintf(id, sizeof id, "%u", (unsigned)user->id);
		labelled(text, "user", id, user->sessions);
	}
	metrics_text_family(text, "predictd_user_memory_bytes", "gauge",
	                    "Memory held by user id, of at most 64 users.");
	written = 0;
	for (user = daemon->users.table; user != NULL && written < PAGE_USERS_MAX;
	     user = user->hh.next, written++) {
		(void)snprintf(id, sizeof id, "%u", (unsigned)user->id);
		labelled(text, "user", id, user->held_bytes);
	}
}

/* One sample of each kernel. */
static void write_each_kernel(const struct daemon *daemon, struct metrics_text *text,
                              double (*value)(const struct quality_kernel *))
{
	const struct quality_kernel *kernel = daemon->metrics.quality.kernels;
	for (; kernel != NULL; kernel = kernel->hh.next) {
		const char *label = device_label(daemon, kernel->key.device);
		if (label != NULL)
			metrics_text_real(
			        text,
			        METRICS_LABELS({"device", label}, {"kernel", kernel->key.name}),
			        value(kernel));
	}
}

static double kernel_total(const struct quality_kernel *kernel)
{
	return (double)kernel->total;
}

static void write_kernels(const struct daemon *daemon, struct metrics_text *text)
{
	metrics_text_family(text, "predictd_kernel_judged_runs_total", "counter",
	                    "Runs compared, of the 128 kernels that were observed last.");
	write_each_kernel(daemon, text, kernel_total);
	metrics_text_family(text, "predictd_kernel_prediction_error_median", "gauge",
	                    "Median of |ln(predicted / measured)| of their newest 32 runs.");
	write_each_kernel(daemon, text, quality_kernel_median);
}

/* ---- the page ------------------------------------------------------------------------------ */

static void write_events(struct metrics_text *text)
{
	metrics_text_family(text, "predictd_events_total", "counter",
	                    "Events of the log, by their word in predictd(8).");
	for (unsigned i = 0; i < LOG_EVENTS; i++)
		labelled(text, "event", log_word((enum log_event)i), log_count((enum log_event)i));
}

void page_write(const struct daemon *daemon, bool with_names, struct metrics_text *text)
{
	metrics_text_family(text, "predictd_build_info", "gauge", "1, with the daemon's version.");
	labelled(text, "version", PREDICTD_VERSION, 1);
	gauge(text, "predictd_uptime_seconds", "Since the daemon was started.",
	      (double)(uv_hrtime() - daemon->started_ns) * 1e-9);
	write_requests(&daemon->metrics, text);
	write_caches(&daemon->metrics, text);
	write_connections(daemon, text);
	write_memory(daemon, text);
	write_children(daemon, text);
	write_store(daemon, text);
	write_devices(daemon, text);
	write_quality(daemon, text);
	write_events(text);
	if (!with_names)
		return;
	write_users(daemon, text);
	write_kernels(daemon, text);
}
