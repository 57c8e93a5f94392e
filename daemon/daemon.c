/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's life: start, signals, reload, stop. */
#include "daemon/daemon.h"

#include "daemon/export/export.h"
#include "daemon/libexec.h"
#include "daemon/log.h"
#include "daemon/serve/listener.h"
#include "daemon/serve/turns.h"
#include "daemon/services/service.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

enum { STOP_GRACE_MS = 2000 };

/* ---- what is known of devices -------------------------------------------------------------- */

static void become_ready(struct daemon *daemon)
{
	if (daemon->is_registry_ready || !daemon->is_store_loaded ||
	    !daemon->calibration.was_scanned)
		return;
	daemon->is_registry_ready = true;
	registry_settle(&daemon->registry);
}

static void on_store_loaded(struct daemon *daemon)
{
	daemon->is_store_loaded = true;
	become_ready(daemon);
	turns_wake(daemon);
}

static void on_devices_known(struct daemon *daemon)
{
	become_ready(daemon);
	turns_wake(daemon);
	service_devices_known(daemon);
}

/* ---- stopping ------------------------------------------------------------------------------ */

static void close_handle(uv_handle_t *handle)
{
	if (handle->loop != NULL && !uv_is_closing(handle))
		uv_close(handle, NULL);
}

/* Everything has been answered, or will not be: ends children and closes what is left. */
static void close_rest(struct daemon *daemon)
{
	if (daemon->is_closed)
		return;
	daemon->is_closed = true;
	export_stop(daemon);
	analysis_stop(&daemon->analysis);
	evaluations_stop(&daemon->evaluations);
	recalibrating_stop(&daemon->recalibrating);
	calibration_stop(&daemon->calibration);
	program_persistence_stop(&daemon->program_persistence);
	sample_persistence_stop(&daemon->sample_persistence);
	observations_stop(&daemon->observations);
	persistence_stop(&daemon->persistence);
	for (unsigned i = 0; i < sizeof daemon->signals / sizeof daemon->signals[0]; i++)
		close_handle((uv_handle_t *)&daemon->signals[i]);
	close_handle((uv_handle_t *)&daemon->watchdog);
	turns_stop(daemon);
}

static void on_session_closed(struct daemon *daemon)
{
	if (daemon->is_stopping && daemon->session_count == 0)
		close_rest(daemon);
}

static void on_grace_over(uv_timer_t *timer)
{
	struct daemon *daemon = timer->data;
	if (daemon->is_closed) {
		/* a child that not even SIGKILL ends: it is left to the system */
		uv_stop(&daemon->loop);
		return;
	}
	sessions_close(daemon);
	close_rest(daemon);
}

/* Removes a socket made here; its path is then free for another daemon. */
static void remove_socket(struct daemon *daemon)
{
	if (daemon->socket_lock < 0)
		return;
	(void)unlink(daemon->paths.socket);
	close(daemon->socket_lock);
	daemon->socket_lock = -1;
}

/* Stops accepting, answers what runs, for two seconds at most; then the loop ends. */
static void stop(struct daemon *daemon)
{
	if (daemon->is_stopping) {
		/* asked twice: at once */
		sessions_close(daemon);
		close_rest(daemon);
		return;
	}
	daemon->is_stopping = true;
	(void)sd_notify(0, "STOPPING=1");
	log_write(LOG_STOPPING, LOG_NUMBER_FIELD("connections", daemon->session_count));
	accepting_stop(&daemon->accepting);
	remove_socket(daemon);
	(void)uv_timer_start(&daemon->stop_timer, on_grace_over, STOP_GRACE_MS, STOP_GRACE_MS);
	uv_unref((uv_handle_t *)&daemon->stop_timer);
	recalibrating_stop(&daemon->recalibrating);
	calibration_stop(&daemon->calibration);
	sessions_end(daemon);
	if (daemon->session_count == 0)
		close_rest(daemon);
}

/* ---- configuration ------------------------------------------------------------------------- */

/* Looked up here, as the group of administrators is. */
static void find_share_user(struct daemon *daemon)
{
	const char *name = daemon->config.user;
	daemon->has_share_user = false;
	if (name[0] == '\0')
		return;
	const struct passwd *user = getpwnam(name);
	if (user == NULL) {
		log_write(LOG_RELOAD_FAILED, LOG_TEXT_FIELD("share_user", name),
		          LOG_TEXT_FIELD("why", "no such user: nobody shares"));
		return;
	}
	daemon->share_user = user->pw_uid;
	daemon->has_share_user = true;
}

static void apply_config(struct daemon *daemon)
{
	const struct config *config = &daemon->config;
	enum log_level level;
	if (log_level_find(config->log_level, &level))
		log_set_level(level);
	daemon->has_admin_group = false;
	if (config->admin_group[0] != '\0') {
		/* looked up here, not per request: it may ask a directory service */
		const struct group *group = getgrnam(config->admin_group);
		if (group != NULL) {
			daemon->admin_group = group->gr_gid;
			daemon->has_admin_group = true;
		} else {
			log_write(LOG_RELOAD_FAILED,
			          LOG_TEXT_FIELD("admin_group", config->admin_group),
			          LOG_TEXT_FIELD("why", "no such group: nobody is in it"));
		}
	}
	find_share_user(daemon);
	daemon->users.held_bytes_per_user = config->held_bytes_per_user;
	daemon->users.held_bytes_max = config->held_bytes;
	analysis_bound(&daemon->analysis, config->analyses_queued, config->analyses_queued_per_user,
	               config->analyses, config->analysis_deadline_ms);
	refusal_memo_clear(&daemon->refusals); /* the deadline may be another */
	program_cache_bound(&daemon->programs, config->programs, config->program_bytes,
	                    config->unpacked_bytes);
	samples_bound(&daemon->samples, config->count_per_user, config->bytes_per_user,
	              config->bytes);
	daemon->accepts_samples = strcmp(config->accept, "yes") == 0;
	daemon->has_names = strcmp(config->names, "yes") == 0;
	if (!daemon->has_names)
		quality_forget_kernels(&daemon->metrics.quality);
	if (!daemon->accepts_samples)
		(void)samples_forget(&daemon->samples, false, 0, INT64_MAX);
	sample_persistence_set(&daemon->sample_persistence,
	                       daemon->accepts_samples && strcmp(config->keep, "yes") == 0);
}

static void reload(struct daemon *daemon)
{
	char state[96];
	struct error error;
	snprintf(state, sizeof state, "RELOADING=1\nMONOTONIC_USEC=%llu",
	         (unsigned long long)(uv_hrtime() / 1000));
	(void)sd_notify(0, state);
	struct config config;
	config_init(&config);
	enum status status = config_load(&config, daemon->paths.config, &error);
	if (status == STATUS_OK || status == STATUS_NOT_FOUND) {
		config_keep_started(&config, &daemon->config);
		daemon->config = config;
		daemon->config_generation++;
		if (daemon->epochs != NULL)
			epochs_raise_all(daemon->epochs);
		apply_config(daemon);
		export_apply(daemon);
		persistence_open(&daemon->persistence); /* where it could not be */
		log_write(LOG_RELOADED, LOG_TEXT_FIELD("config", daemon->paths.config));
	} else {
		log_write(LOG_RELOAD_FAILED, LOG_TEXT_FIELD("why", error.text));
	}
	(void)sd_notify(0, "READY=1");
}

static void on_signal(uv_signal_t *handle, int number)
{
	struct daemon *daemon = handle->data;
	if (number == SIGHUP)
		reload(daemon);
	else
		stop(daemon);
}

static void on_watchdog(uv_timer_t *timer)
{
	(void)timer;
	(void)sd_notify(0, "WATCHDOG=1");
}

static const struct daemon_events events = {
        .session_closed = on_session_closed,
        .devices_known = on_devices_known,
        .store_loaded = on_store_loaded,
};

/* ---- starting ------------------------------------------------------------------------------ */

static enum status listen_all(struct daemon *daemon, struct error *error)
{
	int fds[ACCEPTING_SOCKETS_MAX], metrics_fd = -1;
	unsigned count;
	enum status status =
	        listener_open(daemon->paths.socket, &daemon->config, fds, ACCEPTING_SOCKETS_MAX,
	                      &count, &daemon->socket_lock, &metrics_fd, error);
	if (status != STATUS_OK)
		return status;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	socklen_t size = sizeof address - 1;
	/* of a socket that was passed, its own path is what clients use */
	if (daemon->socket_lock < 0 && getsockname(fds[0], (struct sockaddr *)&address, &size) == 0)
		snprintf(daemon->paths.socket, sizeof daemon->paths.socket, "%s", address.sun_path);
	status = accepting_start(&daemon->accepting, daemon, fds, count, error);
	export_start(daemon, metrics_fd);
	return status;
}

static void watch_signals(struct daemon *daemon)
{
	static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a failed write */
	for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		(void)uv_signal_init(&daemon->loop, &daemon->signals[i]);
		daemon->signals[i].data = daemon;
		(void)uv_signal_start(&daemon->signals[i], on_signal, numbers[i]);
	}
}

static bool has_analysed_much(void *data, uid_t id)
{
	struct daemon *daemon = data;
	uint64_t now_ns = uv_hrtime();
	struct user *user = user_get(&daemon->users, id, now_ns);
	return user != NULL && user_is_heavy(&daemon->users, user, USE_ANALYSES, now_ns);
}

enum status daemon_start(struct daemon *daemon, const struct config *config,
                         const struct paths *paths, struct error *error)
{
	memset(daemon, 0, sizeof *daemon);
	daemon->config = *config;
	daemon->paths = *paths;
	daemon->events = &events;
	daemon->services = &services;
	daemon->started_ns = uv_hrtime();
	daemon->socket_lock = -1;
	daemon->turn_clock = -1;
	if (uv_loop_init(&daemon->loop) != 0)
		return error_set(error, STATUS_NO_MEMORY, "event loop: no memory");
	(void)uv_timer_init(&daemon->loop, &daemon->stop_timer);
	(void)uv_timer_init(&daemon->loop, &daemon->watchdog);
	daemon->stop_timer.data = daemon;
	enum status status = turns_open(daemon, error);
	if (status != STATUS_OK)
		return status;
	if (epochs_new(&daemon->epochs, error) != STATUS_OK)
		log_write(LOG_EPOCHS_FAILED, LOG_TEXT_FIELD("why", error->text));
	registry_init(&daemon->registry);
	pairs_init(&daemon->pairs);
	daemon->registry.epochs = daemon->epochs;
	program_cache_init(&daemon->programs, config->programs, config->program_bytes,
	                   config->unpacked_bytes);
	analysis_init(&daemon->analysis, &daemon->loop, libexec_directories(), has_analysed_much,
	              daemon);
	daemon->analysis.users = &daemon->users;
	evaluations_init(&daemon->evaluations, daemon);
	calibration_init(&daemon->calibration, daemon);
	recalibrating_init(&daemon->recalibrating, daemon);
	persistence_init(&daemon->persistence, daemon);
	program_persistence_init(&daemon->program_persistence, daemon);
	sample_persistence_init(&daemon->sample_persistence, daemon);
	apply_config(daemon);
	status = observations_init(&daemon->observations, daemon, error);
	if (status == STATUS_OK)
		status = listen_all(daemon, error);
	if (status != STATUS_OK) {
		remove_socket(daemon);
		return status;
	}
	watch_signals(daemon);

	persistence_open(&daemon->persistence);
	analysis_start(&daemon->analysis);
	calibration_scan(&daemon->calibration);

	uint64_t interval_us = 0;
	if (sd_watchdog_enabled(0, &interval_us) > 0) {
		uint64_t interval_ms = interval_us / 2000 > 0 ? interval_us / 2000 : 1;
		(void)uv_timer_start(&daemon->watchdog, on_watchdog, interval_ms, interval_ms);
	}
	(void)sd_notify(0, "READY=1");
	log_write(LOG_STARTED, LOG_TEXT_FIELD("version", PREDICTD_VERSION),
	          LOG_TEXT_FIELD("socket", daemon->paths.socket),
	          LOG_TEXT_FIELD("state", daemon->paths.state));
	return STATUS_OK;
}

bool daemon_deinit(struct daemon *daemon)
{
	log_write(LOG_STOPPED, LOG_NUMBER_FIELD("requests", metrics_requests(&daemon->metrics)),
	          LOG_NUMBER_FIELD("predictions", daemon->metrics.predictions));
	close_handle((uv_handle_t *)&daemon->stop_timer);
	(void)uv_run(&daemon->loop, UV_RUN_NOWAIT);
	sessions_deinit(daemon);
	bool is_ended = persistence_deinit(&daemon->persistence);
	observations_deinit(&daemon->observations);
	sample_persistence_deinit(&daemon->sample_persistence);
	samples_deinit(&daemon->samples);
	program_cache_deinit(&daemon->programs);
	answer_memo_deinit(&daemon->answers);
	static_memo_deinit(&daemon->statics);
	free(daemon->ir_text);
	registry_deinit(&daemon->registry);
	pairs_deinit(&daemon->pairs);
	metrics_deinit(&daemon->metrics);
	epochs_free(daemon->epochs);
	(void)uv_loop_close(&daemon->loop);
	turns_deinit(daemon);
	return is_ended;
}
