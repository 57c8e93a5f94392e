/* SPDX-License-Identifier: Apache-2.0 */
/* Image and sampler arguments of a kernel that is measured. */
#ifndef PREDICTD_CALIBRATOR_ARGUMENT_IMAGE_H
#define PREDICTD_CALIBRATOR_ARGUMENT_IMAGE_H

#include "daemon/calibrator/arguments.h"

/*
 * Creates an image of the kind that the kernel declares, fills it and sets the argument.
 * What it holds is what `init` says of its bytes; without: random texels.
 *
 * STATUS_UNSUPPORTED: the device has no images, or not in that format.
 */
enum status argument_image(struct argument_buffer *buffer, struct opencl *opencl,
                           const struct device *device, cl_kernel kernel, unsigned index,
                           const Predictd__Argument *argument, struct error *error);

enum status argument_sampler(struct argument_buffer *buffer, struct opencl *opencl,
                             cl_kernel kernel, unsigned index, const Predictd__Argument *argument,
                             struct error *error);

/*
 * A 2-D image of the format, `width` by `height`, with zeros in it.
 * STATUS_UNSUPPORTED as above; for micro-benchmarks.
 */
enum status image_create(struct opencl *opencl, enum image_format format, size_t width,
                         size_t height, cl_mem *image, struct error *error);

#endif
