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
		cl_mem memory; /* NULL: no buffer */
		size_t bytes;
		uint32_t access; /* enum buffer_access */
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
 * Host times of copying all read buffers in, and all written ones out, between
 * pageable memory and the device: the median of a few blocking copies each.
 */
enum status arguments_transfer(const struct arguments *arguments, struct opencl *opencl,
                               double *h2d_time_s, double *d2h_time_s, struct error *error);

/* The bits of a half, rounded to nearest even. */
uint16_t half_bits(double value);

#endif
