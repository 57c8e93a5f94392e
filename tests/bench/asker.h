/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The benchmarks' client: the protocol with nothing around it, so that what is
 * timed is the daemon. Every function says on standard error why it failed.
 */
#ifndef PREDICTD_TESTS_BENCH_ASKER_H
#define PREDICTD_TESTS_BENCH_ASKER_H

#include "predictd.pb-c.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A vector addition of three buffers; what most benchmarks ask about. */
extern const char asker_addition[];

/* A connected socket, or -1 (silently: servers take a while to start). */
int asker_connect(const char *path);

/* One request and its reply: the caller's, to free; NULL: none came. An error is a reply. */
Predictd__Response *asker_exchange(int fd, const Predictd__Request *request);

/* Connects and says hello; waits for a daemon that starts. A socket, or -1. */
int asker_open(const char *path);

/* Registers a source; its handle, or 0. */
uint64_t asker_register(int fd, const char *text, size_t size);

/* What a file of `predictctl export` has: the caller's, to free; NULL: nothing that has a device.
 */
Predictd__Calibration *asker_calibration(const char *path);
/* Imports a calibration, which may have been changed since it was read. */
bool asker_import(int fd, Predictd__Calibration *calibration);

/* A launch of a kernel with three buffers; `items` work-items in one dimension. */
struct asker_question {
	Predictd__Argument arguments[3];
	Predictd__Argument *pointers[3];
	uint64_t global[1], local[1];
	Predictd__Launch launch;
	Predictd__Predict predict;
};
void asker_question_init(struct asker_question *question, uint64_t handle, const char *device,
                         uint64_t items);

/* The framed request of a question; *size its bytes. The caller's, to free; NULL: no memory. */
uint8_t *asker_question_pack(const struct asker_question *question, uint64_t id, size_t *size);

/*
 * The same, asked once: *reply the bytes of its framed answer, which a bare server is to
 * send too. NULL when it is refused.
 */
uint8_t *asker_question_probe(int fd, const struct asker_question *question, uint64_t id,
                              size_t *size, size_t *reply);

bool asker_send(int fd, const uint8_t *bytes, size_t size); /* all of them */

/* Sends `size` bytes and reads `reply` bytes. */
bool asker_ping(int fd, const uint8_t *bytes, size_t size, size_t reply);

/* The process that listens at the other end, or -1. */
pid_t asker_server(int fd);

/* Starts a program and ends it; -1: it could not be started. */
pid_t asker_start(char *const arguments[]);
void asker_end(pid_t pid);

/* Resident memory of a process, in bytes; 0: not known. */
size_t asker_resident_bytes(pid_t pid);

/* The index-th of the processors that this process may use; -1: there are not as many. */
int asker_processor(const cpu_set_t *usable, int index);

/* Has a process (0: this one) run on that processor alone. */
bool asker_put_on(pid_t pid, int where);

#endif
