/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/calibrator/calibrate.h"
enum status calibrate(struct opencl *opencl, const struct calibrate_options *options,
                      struct device *device, struct error *error)
{
	(void)opencl;
	(void)options;
	(void)device;
	return error_set(error, STATUS_UNSUPPORTED, "not in this version");
}
