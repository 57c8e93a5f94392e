/* SPDX-License-Identifier: Apache-2.0 */
/* What answers requests: one function per family, each in a file of its own in this folder. */
#ifndef PREDICTD_DAEMON_SERVICES_SERVICE_H
#define PREDICTD_DAEMON_SERVICES_SERVICE_H

#include "daemon/daemon.h"

/*
 * Answers a request now, or keeps it with request_begin, or returns the status
 * and error that answer it. Those that take long set work->step instead.
 */
typedef enum status (*service)(struct session *session, struct work *work, struct error *error);

enum status service_register_program(struct session *session, struct work *work,
                                     struct error *error);
enum status service_register_variants(struct session *session, struct work *work,
                                      struct error *error);
enum status service_predict(struct session *session, struct work *work, struct error *error);
enum status service_predict_batch(struct session *session, struct work *work, struct error *error);
enum status service_place(struct session *session, struct work *work, struct error *error);
enum status service_list_devices(struct session *session, struct work *work, struct error *error);
enum status service_calibrate(struct session *session, struct work *work, struct error *error);
enum status service_contention(struct session *session, struct work *work, struct error *error);
enum status service_cancel(struct session *session, struct work *work, struct error *error);
enum status service_status(struct session *session, struct work *work, struct error *error);
enum status service_metrics(struct session *session, struct work *work, struct error *error);
enum status service_backup(struct session *session, struct work *work, struct error *error);
enum status service_list_kernels(struct session *session, struct work *work, struct error *error);
enum status service_list_users(struct session *session, struct work *work, struct error *error);
enum status service_export(struct session *session, struct work *work, struct error *error);
enum status service_import(struct session *session, struct work *work, struct error *error);
enum status service_observe(struct session *session, struct work *work, struct error *error);
enum status service_history(struct session *session, struct work *work, struct error *error);
enum status service_forget(struct session *session, struct work *work, struct error *error);
enum status service_remove_calibration(struct session *session, struct work *work,
                                       struct error *error);
enum status service_keep_sample(struct session *session, struct work *work, struct error *error);
enum status service_keep_choice(struct session *session, struct work *work, struct error *error);
enum status service_find_choice(struct session *session, struct work *work, struct error *error);
enum status service_find_reaches(struct session *session, struct work *work, struct error *error);
enum status service_read_records(struct session *session, struct work *work, struct error *error);
enum status service_tell_site(struct session *session, struct work *work, struct error *error);
enum status service_watch_epochs(struct session *session, struct work *work, struct error *error);

/* Which of them answers which request, for sessions. */
extern const struct services services;

/*
 * The launch of a message into daemon->launch, with the samples that it names of the session's
 * user; without any where none are accepted. STATUS_UNSAMPLED: one is not kept (any more).
 */
enum status service_launch(struct session *session, const Predictd__Launch *message,
                           struct error *error);

/*
 * The program of a handle as the compiler of the device of that place understands it.
 * STATUS_UNREGISTERED: it is to be registered again, and will be analysed in that language then;
 * or why it was refused in it.
 */
enum status predict_program(struct daemon *daemon, uint64_t handle, size_t device,
                            const struct program **program, struct error *error);

/*
 * Predicts one launch on one device for the session's user, into daemon->prediction and
 * daemon->refinement. The kernel is returned for what else is asked about it.
 * STATUS_BUSY: as evaluations_predict says.
 */
enum status predict_one(struct session *session, const Predictd__Predict *question, size_t device,
                        const struct ir_kernel **kernel, struct error *error);

/*
 * The message of the prediction just made for the session's user, with what the question
 * asks for, in the session's arena; NULL when that is full.
 */
Predictd__Prediction *predict_encode(struct session *session, const Predictd__Predict *question,
                                     size_t device, const struct ir_kernel *kernel);

/*
 * Whether a place's device has a calibration, for an answer to be made. STATUS_UNCALIBRATED says
 * what to type.
 */
enum status service_check_calibrated(const struct daemon *daemon, size_t place,
                                     struct error *error);

/* Answers the requests that waited for a scan. */
void service_devices_known(struct daemon *daemon);

/* What to call a device from now on; borrows its key. */
static inline void service_name(const struct registry_device *device, Predictd__DeviceName *name)
{
	name->index = device->index;
	name->key = (char *)device->device.key;
}

/* The message of a device of the registry; predictd__device__free_unpacked(m, NULL). */
Predictd__Device *service_device(const struct daemon *daemon, size_t index, bool is_verbose);

#endif
