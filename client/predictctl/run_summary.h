/* SPDX-License-Identifier: Apache-2.0 */
/* What a run's processes launched, summed up by kernel: predicted beside observed. */
#ifndef PREDICTD_CLIENT_PREDICTCTL_RUN_SUMMARY_H
#define PREDICTD_CLIENT_PREDICTCTL_RUN_SUMMARY_H

#include "client/predictctl/run_record.h"

/* Of one kernel of one program on one device: its shapes, the longest first. */
struct run_kernel {
	const struct run_record *record;
	const struct run_device *device;
	const char *name;
	size_t shape_count;
	const struct run_shape **shapes;
	uint64_t launches, predicted_launches, fallback_launches, near_launches;
	uint64_t untimed, overlapped, failed;
	double total_time_s, share; /* of all kernels' */
	/* of one launch, the mean over launches of the shapes that have both; 0: none has */
	double predicted_time_s, observed_time_s;
	uint64_t compared_launches; /* neither first nor overlapped; 0: those times are of such
	                               alone */
};

/* Why launches have no prediction. */
struct run_reason {
	const char *why;
	uint64_t launches;
	size_t shapes;
};

struct run_device_sum {
	struct run_device sum; /* of all processes; the launch time is that of the most launches */
	double time_s;         /* of its kernels */
};

struct run_summary {
	size_t record_count;
	const struct run_record *records;
	/* near: predicted by an answer about other values */
	uint64_t launches, predicted_launches, fallback_launches, near_launches;
	size_t shapes, predicted_shapes, fallback_shapes;
	uint64_t taught_shapes; /* whose answer this run may have taught */
	double total_time_s;
	size_t kernel_count, device_count, reason_count;
	struct run_kernel *kernels; /* the longest in all first */
	struct run_device_sum *devices;
	struct run_reason *reasons; /* the most launches first */
	const struct run_shape **by_kernel;
};

/* records   outlive the summary. False: memory is short. */
bool run_summary_make(const struct run_record *records, size_t count, struct run_summary *summary);
void run_summary_deinit(struct run_summary *summary);

/* predicted / observed; 0 where one of them is not there. */
double run_ratio(double predicted_s, double observed_s);
/* The same of a kernel whose launches can be compared. */
double run_kernel_ratio(const struct run_kernel *kernel);

/*
 * The shapes that were predicted worst, the worst first; neither fallbacks, nor first and
 * overlapped launches alone.
 *
 * worst   out: room for `count`; NULL behind the last
 */
struct run_miss {
	const struct run_kernel *kernel;
	const struct run_shape *shape;
};
size_t run_worst(const struct run_summary *summary, struct run_miss *worst, size_t count);

#endif
