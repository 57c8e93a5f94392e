/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of a kernel that is measured: made, filled, set, copied. */
#ifndef PREDICTD_CALIBRATOR_ARGUMENTS_H
#define PREDICTD_CALIBRATOR_ARGUMENTS_H

#include "daemon/calibrator/opencl.h"
#include "proto/predictd.pb-c.h"

enum { ARGUMENTS_MAX = 256 };

struct arguments {
	size_t count;
	struct argument_buffer {
		cl_mem memory;   /* NULL: no buffer or image */
		cl_mem pristine; /* what it held at first, where arguments_restore is cheap; or NULL
		                  */
		cl_mem texels;   /* the buffer that a 1-D image of one shows; or NULL */
		size_t bytes;
		uint32_t access;  /* enum buffer_access */
		size_t region[3]; /* of an image; else zeros */
		cl_sampler sampler;
	} buffer[ARGUMENTS_MAX];
};

/*
 * Checks the number and kinds against the kernel's, creates and fills the
 * buffers and sets every argument. arguments_deinit accepts what is half made.
 */
enum status arguments_init(struct arguments *arguments, struct opencl *opencl,
                           const struct device *device, cl_kernel kernel,
                           const Predictd__Launch *launch, struct error *error);
void arguments_deinit(struct arguments *arguments);

/*
 * Gives small buffers that the kernel reads and writes (ARGUMENTS_RESTORE_BYTES) what they
 * held at first, by a copy on the device: repeats of a kernel that works in place are
 * then the same launch. Larger ones keep what the launch before left, for a copy
 * would empty the caches that repeats find warm. To be called outside of what is timed.
 */
enum { ARGUMENTS_RESTORE_BYTES = 1 << 18 };
enum status arguments_restore(const struct arguments *arguments, struct opencl *opencl,
                              struct error *error);

/*
 * Host times of copying all read buffers in, and all written ones out, between
 * host memory (pinned or pageable) and the device: the median of a few blocking copies each.
 */
enum status arguments_transfer(const struct arguments *arguments, struct opencl *opencl,
                               bool is_pinned, double *h2d_time_s, double *d2h_time_s,
                               struct error *error);

/* The bits of a half, rounded to nearest even. */
uint16_t half_bits(double value);

#endif
