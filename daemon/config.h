/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration: an INI file of the keys below. The table is the
 * documentation's source; a key that is not in it is an error naming file and line.
 */
#ifndef PREDICTD_DAEMON_CONFIG_H
#define PREDICTD_DAEMON_CONFIG_H

#include "model/status.h"

#include <stdint.h>

enum { CONFIG_TEXT_MAX = 256 };

/*
 * TEXT(section, key, "default", "what it is")
 * MODE(section, key, default, "what it is")                 octal
 * NUMBER(section, key, default, least, most, "what it is")  K, M and G as in 64M
 */
#define CONFIG_TABLE(TEXT, MODE, NUMBER)                                                           \
	TEXT(daemon, socket, "", "path of the socket; empty: see predictd(8)")                     \
	TEXT(daemon, state, "", "directory of what is kept; empty: see predictd(8)")               \
	MODE(daemon, socket_mode, 0660, "permissions of the socket")                               \
	TEXT(daemon, socket_group, "", "group of the socket; empty: the daemon's own")             \
	TEXT(daemon, admin_group, "", "its members may calibrate and import, as root may")         \
	TEXT(daemon, log_level, "info", "error, warning, info or debug")                           \
	TEXT(store, durability, "process",                                                         \
	     "what acknowledged observations survive: the end of the process, or loss of power")   \
	NUMBER(store, commit_ms, 1000, 0, 60000,                                                   \
	       "until observations that nobody waits for are kept")                                \
	NUMBER(store, records, 16384, 64, 1 << 20,                                                 \
	       "launches observed, by user; the sixteen newest runs of each are kept")             \
	TEXT(samples, accept, "yes",                                                               \
	     "yes or no: questions may rest on samples of what buffers hold")                      \
	TEXT(samples, keep, "no", "yes or no: they outlive the daemon, in its state directory")    \
	NUMBER(samples, count_per_user, 64, 1, 1 << 16, "kept; those used longest ago go first")   \
	NUMBER(samples, bytes_per_user, 4 << 20, 1 << 17, 1 << 30, "of them")                      \
	NUMBER(samples, bytes, 64 << 20, 1 << 17, 1 << 30, "of all users' samples")                \
	TEXT(metrics, file, "",                                                                    \
	     "for a collector of Prometheus text files; empty: none is written")                   \
	NUMBER(metrics, interval_s, 15, 1, 3600, "until it is written again")                      \
	TEXT(metrics, listen, "",                                                                  \
	     "unix:PATH, 127.0.0.1:PORT or [::1]:PORT, for GET /metrics; empty: nowhere")          \
	TEXT(metrics, names, "no", "yes or no: with users' ids and kernels' names")                \
	TEXT(calibration, at_start, "quick",                                                       \
	     "quick, full or never: devices that have no calibration get one by themselves")       \
	NUMBER(calibration, again_quiet_s, 600, 0, 1 << 20,                                        \
	       "quiet, before a device that was busy is calibrated again; 0: never by itself")     \
	NUMBER(calibration, again_after_s, 3600, 1, 1 << 20,                                       \
	       "until that is tried once more; each time twice as long")                           \
	TEXT(share, user, "",                                                                      \
	     "may read what all users observed, and tell what other nodes did, as root may")       \
	NUMBER(share, records_max, 20000, 1, 1 << 20, "launches kept that other nodes observed")   \
	NUMBER(limits, observations_per_s, 200000, 1, 1 << 30, "by one user")                      \
	NUMBER(limits, connections, 512, 1, 65536, "open at the same time")                        \
	NUMBER(limits, connections_per_user, 128, 1, 65536, "of them by one user")                 \
	NUMBER(limits, connections_reserved, 16, 0, 65536, "of them for root and administrators")  \
	NUMBER(limits, requests_per_connection, 1024, 1, 65536,                                    \
	       "asked and not answered yet, of one connection")                                    \
	NUMBER(limits, frame_bytes, 32 << 20, 4096, 32 << 20, "of one message")                    \
	NUMBER(limits, output_bytes, 64 << 20, 65536, 1 << 30,                                     \
	       "answers that a client has not read; beyond, it is disconnected")                   \
	NUMBER(limits, held_bytes_per_user, 96 << 20, 1 << 20, 1 << 30,                            \
	       "memory of one user's messages, sources and answers that are not read")             \
	NUMBER(limits, held_bytes, 144 << 20, 1 << 20, 1 << 30,                                    \
	       "memory of all users' messages, sources and answers that are not read")             \
	NUMBER(limits, handshake_ms, 10000, 10, 3600000, "until hello has come")                   \
	NUMBER(limits, frame_ms, 30000, 10, 3600000, "until a message begun is whole")             \
	NUMBER(limits, programs, 10000, 1, 1 << 20, "analysed and kept")                           \
	NUMBER(limits, program_bytes, 32 << 20, 1 << 20, 1 << 30, "of them, packed, in memory")    \
	NUMBER(limits, unpacked_bytes, 6 << 20, 1 << 20, 1 << 30,                                  \
	       "of those asked about last, ready to be evaluated")                                 \
	NUMBER(limits, analyses, 0, 0, 1024,                                                       \
	       "at the same time; 0: two per core; twice as many of several users")                \
	NUMBER(limits, analyses_queued, 512, 1, 65536, "waiting for one of these")                 \
	NUMBER(limits, analyses_queued_per_user, 128, 1, 65536, "of them, by one user")            \
	NUMBER(limits, analysis_deadline_ms, 2000, 10, 600000,                                     \
	       "for one source; at most seven tenths of it on a processor")                        \
	NUMBER(limits, evaluation_budget, 4 << 20, 1024, 1 << 30,                                  \
	       "evaluated nodes of one prediction; beyond, it extrapolates")                       \
	NUMBER(limits, calibrate_quick_ms, 60000, 1000, 3600000, "for a quick calibration")        \
	NUMBER(limits, calibrate_full_ms, 300000, 1000, 3600000, "for a full calibration")         \
	NUMBER(limits, scan_ms, 15000, 100, 600000, "for the drivers to list their devices")

/* Of these, what is read when the daemon starts alone; the rest holds from a reload on. */
#define CONFIG_RESTART_TABLE(X)                                                                    \
	X(socket) X(state) X(socket_mode) X(socket_group) X(records) X(records_max)

struct config {
#define TEXT(section, key, ...)   char key[CONFIG_TEXT_MAX];
#define MODE(section, key, ...)   uint32_t key;
#define NUMBER(section, key, ...) uint32_t key;
	CONFIG_TABLE(TEXT, MODE, NUMBER)
#undef TEXT
#undef MODE
#undef NUMBER
};

/* Gives a configuration that was read again what a reload leaves as it was. */
void config_keep_started(struct config *config, const struct config *started);

/* Every key's default. */
void config_init(struct config *config);

/*
 * Reads a file over the defaults. STATUS_NOT_FOUND: no such file. STATUS_INVALID
 * names file and line, what was wanted, what was got; *config is unchanged then.
 */
enum status config_load(struct config *config, const char *path, struct error *error);

/* Prints every key with its default and what it is, as a configuration file. */
void config_print_defaults(void);

#endif
