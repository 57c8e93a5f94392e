/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How good answers are: of each observed run, what the daemon answered before the run was taken
 * in, beside what was measured. By device, by what was timed and by what the answer rested on, a
 * window of the newest runs. The error is |ln(predicted / measured)|: 0.1 is 10 % either way.
 */
#ifndef PREDICTD_DAEMON_METRICS_QUALITY_H
#define PREDICTD_DAEMON_METRICS_QUALITY_H

#include "model/correction/correction.h"
#include "model/prediction.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

enum {
	QUALITY_WINDOW = 256,
	QUALITY_DEVICES_MAX = 64, /* beyond, a device is not judged */
	QUALITY_KERNELS_MAX = 128,
	QUALITY_KERNEL_WINDOW = 32,
	QUALITY_NAME_MAX = 64
};

struct quality_run {
	uint64_t device; /* a hash; 0: of kernels without source, whatever their device */
	enum correction_kind kind;
	enum basis basis;
	double predicted_s, low_s, high_s, measured_s;
};

/* Of one device, kind and basis. */
struct quality_window {
	uint64_t total;  /* runs ever; the newest QUALITY_WINDOW of them are in the window */
	uint64_t within; /* of the window, those whose interval held what was measured */
	float errors[QUALITY_WINDOW];
	bool is_within[QUALITY_WINDOW];
};

struct quality_device {
	uint64_t device;
	struct quality_window *windows[CORRECTION_KINDS][BASIS_COUNT]; /* NULL: no run */
	UT_hash_handle hh;
};

struct quality_kernel_key {
	uint64_t device;
	char name[QUALITY_NAME_MAX];
};

/* Those observed last, where names are configured. */
struct quality_kernel {
	struct quality_kernel_key key;
	uint64_t total;
	float errors[QUALITY_KERNEL_WINDOW];
	UT_hash_handle hh;
};

struct quality {
	struct quality_device *devices;
	struct quality_kernel *kernels; /* the one observed last at the end */
};

/* Counts a run; without memory it is left out. `kernel`: its name is counted too; or NULL. */
void quality_add(struct quality *quality, const struct quality_run *run, const char *kernel);

/* The median error of the window, and the share of it that the intervals held; total > 0. */
double quality_median(const struct quality_window *window);
double quality_coverage(const struct quality_window *window);
double quality_kernel_median(const struct quality_kernel *kernel);

/* Forgets kernels and their names. */
void quality_forget_kernels(struct quality *quality);
void quality_deinit(struct quality *quality);

#endif
