/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log: events with fields. To the journal as fields with a fixed
 * MESSAGE_ID per event when standard error is the journal, else one line on
 * standard error: `level event key=value key="text"`. Text of clients is
 * bounded and escaped here, and so is how often one event is written.
 */
#ifndef PREDICTD_DAEMON_LOG_H
#define PREDICTD_DAEMON_LOG_H

#include <stdbool.h>
#include <stdint.h>

/* X(NAME, "word", syslog priority) */
#define LOG_LEVEL_TABLE(X)                                                                         \
	X(ERROR, "error", 3)                                                                       \
	X(WARNING, "warning", 4)                                                                   \
	X(INFO, "info", 6)                                                                         \
	X(DEBUG, "debug", 7)

enum log_level {
#define X(name, word, priority) LOG_LEVEL_##name,
	LOG_LEVEL_TABLE(X)
#undef X
};

/* X(NAME, "event", LEVEL, "message id") - an id, once released, stays with its event. */
#define LOG_EVENT_TABLE(X)                                                                         \
	X(STARTED, "started", INFO, "6f3c1d0a5b7e4c2f9a8d3e6b1c4f7a20")                            \
	X(STOPPING, "stopping", INFO, "0b9e5a7c3d1f4e8b92c6a4d8f1e3b571")                          \
	X(STOPPED, "stopped", INFO, "d2a7f4c9e1b84f63a5c0e7d3b9f61482")                            \
	X(RELOADED, "reloaded", INFO, "84c1e6f0a3d94b7795e2c8b0d7f3a619")                          \
	X(RELOAD_FAILED, "reload-failed", WARNING, "19f7b3e5c8d24a06b1e9f4a7c2d5083e")             \
	X(SESSION_OPENED, "session-opened", DEBUG, "a4e0c7d1f9b34582867e3b5a0d9c1f47")             \
	X(SESSION_CLOSED, "session-closed", DEBUG, "57d8b2f6a1c94e3098f5d7c0e4b6a213")             \
	X(SESSION_REFUSED, "session-refused", WARNING, "e3b6a9d4c7f145208b1d0e8f5a7c2946")         \
	X(REQUEST_REFUSED, "request-refused", DEBUG, "2c95f1b8e7d04a63b4a0c6f9d3e81f75")           \
	X(ANALYSER_READY, "analyser-ready", DEBUG, "f0a8d5c3b1e64792a7d9e2c6f4b03851")             \
	X(ANALYSER_FAILED, "analyser-failed", WARNING, "71e4c9a6f8b24d05936f1a8d0c7b5e32")         \
	X(JAIL_LACKS, "jail-lacks", WARNING, "2d8f04b7c6e94a13b05f7e91d3a8c642")                   \
	X(DEVICES_FOUND, "devices-found", INFO, "b8d1f7e3a5c049648c2e7b9f0d6a4153")                \
	X(DEVICES_FAILED, "devices-failed", WARNING, "4a6c0e9d7b3f42518fe8a1d5c9b7f036")           \
	X(CALIBRATION_STARTED, "calibration-started", INFO, "9d3f5b7a1e8c4602b5f7c1a9e0d4b863")    \
	X(CALIBRATION_KEPT, "calibration-kept", INFO, "35b0e8c6d4f947a1a2c9f6e7b1d05834")          \
	X(CALIBRATION_DOUBTED, "calibration-doubted", WARNING, "ed412d1fcb1b43e0b3fd40e7b689206e") \
	X(CALIBRATION_FAILED, "calibration-failed", WARNING, "c67a2f9e0b5d4813b7e4d0a6f8c19352")   \
	X(PAIR_KEPT, "pair-kept", INFO, "5c1d7e9a3b8f42d6a0e4f7b2c9d86135")                        \
	X(CALIBRATION_REMOVED, "calibration-removed", INFO, "7e1f4ac3905d4b6e8b0d62f9c5a3e714")    \
	X(CALIBRATION_LEFT, "calibration-left", INFO, "d1b60c3f4e7a49d2a85e90f72c6b1e38")          \
	X(STORE_FAILED, "store-failed", WARNING, "08e5d9c1b7a64f32956b8f3e7a2c4d0f")               \
	X(STORE_SET_ASIDE, "store-set-aside", WARNING, "ea1b4f8d6c3742958d07f9b2a5e6c314")         \
	X(OBSERVATIONS_FAILED, "observations-failed", WARNING, "5b7d92e04c1f4a86bd3e70f8a2c96514") \
	X(DEVICE_DRIFTS, "device-drifts", WARNING, "8e21f6b90d5c4a37b1f46c02e9a87d13")             \
	X(OBSERVATIONS_FORGOTTEN, "observations-forgotten", INFO,                                  \
	  "c40a7e19d8b24f35a6e1f3b9027d5c88")                                                      \
	X(EPOCHS_FAILED, "epochs-failed", WARNING, "1e4654dc8b014c93ac750daec3b6ccbf")             \
	X(DEVICE_CAME, "device-came", INFO, "8fade231b96b424594debfc8381941e0")                    \
	X(DEVICE_WENT, "device-went", WARNING, "cb110254eefe48efa35536c0066cd16a")                 \
	X(DRIVER_FAILED, "driver-failed", WARNING, "9f11fdea01ce4d48b9dbd01f20ef9bef")             \
	X(ANALYSIS_FAILED, "analysis-failed", INFO, "9503cfddc272455a90251fe5bce91c1a")            \
	X(STORE_BACK, "store-back", INFO, "a2ab36ecc5384831a6bb1ec04198b3c1")                      \
	X(METRICS_FAILED, "metrics-failed", WARNING, "552712271b4b43dcb53b5134b6d2eb9f")           \
	X(SHARE_CONNECTED, "share-connected", INFO, "a3c5e1f79b2d4860be14d7f3096a5c82")            \
	X(SHARE_SERVER_LOST, "share-server-lost", WARNING, "4d1f8b6e02c74a95937be5a0c8f2d613")     \
	X(SHARE_DAEMON_LOST, "share-daemon-lost", WARNING, "b90e27d45f6c4183a2d8c1f76e3b5094")     \
	X(SHARE_REFUSED, "share-refused", WARNING, "17c4a9f3e85d4b62804fd6b1972ce3a5")             \
	X(SHARE_IDENTITY, "share-identity", WARNING, "e6820fb41d9c4735b8a37c5f0d21e9b4")           \
	X(SHARE_BORROWED, "share-borrowed", INFO, "2f7db50c96e348a1bd04f8e3a61c7952")              \
	X(SHARE_FAILED, "share-failed", ERROR, "90a6d3c81e5f4d27a7b94e60f2c8315b")

enum log_event {
#define X(name, word, level, id) LOG_##name,
	LOG_EVENT_TABLE(X)
#undef X
	        LOG_EVENTS
};

enum log_kind { LOG_END, LOG_TEXT, LOG_NUMBER, LOG_REAL };

struct log_field {
	const char *key; /* lower case, as on standard error */
	enum log_kind kind;
	union {
		const char *text;
		int64_t number;
		double real;
	};
};

#define LOG_TEXT_FIELD(name, value) {.key = (name), .kind = LOG_TEXT, .text = (value)}
#define LOG_NUMBER_FIELD(name, value)                                                              \
	{.key = (name), .kind = LOG_NUMBER, .number = (int64_t)(value)}
#define LOG_REAL_FIELD(name, value) {.key = (name), .kind = LOG_REAL, .real = (value)}

/* Logs an event with at least one field. */
#define log_write(event, ...)                                                                      \
	log_write_fields(event, (const struct log_field[]){__VA_ARGS__, {.kind = LOG_END}})

void log_write_fields(enum log_event event, const struct log_field *fields);

/* How often an event came, also where it was not written; and its word. */
uint64_t log_count(enum log_event event);
const char *log_word(enum log_event event);

/* Events above the level are not written; finds out where the log goes. */
void log_open(enum log_level level);
void log_set_level(enum log_level level);
bool log_level_find(const char *word, enum log_level *level);

#endif
