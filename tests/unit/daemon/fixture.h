/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon in a process of its own, with children that are told how to behave, and a client. */
#ifndef PREDICTD_TESTS_DAEMON_FIXTURE_H
#define PREDICTD_TESTS_DAEMON_FIXTURE_H

#include "tests/test.h"

#include "model/status.h"
#include "proto/frame.h"
#include "proto/predictd.pb-c.h"

#include <stdbool.h>
#include <sys/types.h>

struct fixture {
	char directory[64];
	char socket[96];
	char state[96];
	pid_t pid; /* of the daemon; 0: none */
};

/* A fresh directory; no daemon yet. */
int fixture_setup(void **state);
/* Stops the daemon, if there is one, and removes the directory. */
int fixture_teardown(void **state);

/* Starts a daemon; the calibrator behaves as `calibrator` says. Configuration keys may follow. */
void fixture_start(struct fixture *fixture, const char *calibrator, const char *limits);
/* The same; false when the daemon refused to start: it has ended then. */
bool fixture_try_start(struct fixture *fixture, const char *calibrator, const char *limits);
/* Configuration that gives the socket to the group of who runs the test, as he may; static. */
const char *fixture_socket_group(void);
/* What others had of the first 64 processors so far, instead of /proc/stat; without it nothing is
 * known. */
void fixture_say_others(const struct fixture *fixture, unsigned busy_ticks, unsigned idle_ticks);
/* Sends a signal, waits, returns the exit status (or -signal). */
int fixture_stop(struct fixture *fixture, int signal);

/* A connection; greeted: hello has been exchanged. */
int fixture_connect(const struct fixture *fixture, bool greeted);

/* Sends a request; the next response that comes (free_unpacked), or NULL when the daemon closed. */
void fixture_send(int fd, Predictd__Request *request);
Predictd__Response *fixture_receive(int fd);
Predictd__Response *fixture_ask(int fd, Predictd__Request *request);

/* What the daemon says of itself, and of its devices. */
Predictd__Response *fixture_status(int fd);
Predictd__Response *fixture_devices(int fd, bool is_verbose);

/* Registers a source for the fake analyser, and asks without arguments on one work-item. */
void fixture_send_register(int fd, const char *source); /* request 2 */
Predictd__Response *fixture_register(int fd, const char *source);
Predictd__Response *fixture_predict(int fd, uint64_t handle, const char *kernel,
                                    const char *device);
Predictd__Response *fixture_predict_size(int fd, uint64_t handle, const char *kernel,
                                         const char *device, uint64_t size);
/* A quick calibration; the last answer of it, its progress skipped. */
void fixture_send_calibrate(int fd, uint64_t id, const char *device);
Predictd__Response *fixture_calibrate(int fd, const char *device);
/* The fake calibrator's two devices; each must be calibrated. */
void fixture_calibrate_both(int fd);
/* Where kernel "a" of one work-item is placed, among one device or (NULL) all. */
Predictd__Response *fixture_place(int fd, uint64_t handle, const char *device);
/* The same where all has to go well: the program's handle; device 0. */
uint64_t fixture_register_well(int fd, const char *source);
void fixture_calibrate_well(int fd);
/* Fails unless the response is an error of that status whose text has `part`; frees it. */
void assert_refused(Predictd__Response *response, enum status status, const char *part);

#endif
