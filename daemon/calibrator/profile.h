/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device's language profile (daemon/codec/language.h): by asking its compiler, or from what its
 * driver lists.
 *
 * The compiler is asked by a kernel whose text is string literals between #ifdefs: each macro that
 * is defined comes back as it expands. Options are tried with an empty kernel. A compiler that is
 * asked what it does not know may crash or hang: a process of its own asks.
 */
#ifndef PREDICTD_CALIBRATOR_PROFILE_H
#define PREDICTD_CALIBRATOR_PROFILE_H

#include <sys/types.h>

#include "daemon/calibrator/opencl.h"

/* From the driver's lists: nothing is compiled. Where they do not suffice there is none. */
void profile_assume(cl_device_id id, struct device *device);

/*
 * Asks the compiler, in this process. Options for which there was no time until end_s of
 * clock_now_s are left out. On error the device's profile is unchanged; STATUS_DEVICE: it does not
 * compile what asks it, or does not run it.
 */
enum status profile_ask(struct opencl *opencl, double end_s, struct device *device,
                        struct error *error);

/* A process that asks: this program anew, as `--language --device INDEX [--quick]`. */
struct profile_asker {
	pid_t child; /* -1: none was started, or it was waited for */
	int answer;
};

void profile_start(size_t device_index, bool is_quick, struct profile_asker *asker);

/* Called now and then while another process asks; a status other than STATUS_OK ends it. */
typedef enum status profile_tick(void *context, struct error *error);

/*
 * Waits until the process has answered, or until end_s: then it is stopped, and goes on in
 * profile_finish. Only tick's status is an error.
 */
enum status profile_wait(const struct profile_asker *asker, double end_s, profile_tick *tick,
                         void *context, struct error *error);

/*
 * Waits for the process's output until end_s, takes the profile from it, and ends the process.
 * Where that crashed, or has not answered by then, the device's profile is unchanged: only tick's
 * status is an error.
 */
enum status profile_finish(struct profile_asker *asker, double end_s, profile_tick *tick,
                           void *context, struct device *device, struct error *error);

#endif
