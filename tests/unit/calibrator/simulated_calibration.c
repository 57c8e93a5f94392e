/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/calibrator/simulated_calibration.h"

#include "daemon/calibrator/list.h"
#include "daemon/calibrator/opencl.h"

enum status simulated_calibrate(const struct simulated *simulated,
                                const struct calibrate_options *options, struct device *device,
                                struct error *error)
{
	struct found_devices found = {0};
	struct opencl opencl = {0};
	const struct found_device *chosen = NULL;
	simulated_begin(simulated);
	enum status status = found_devices_init(&found, error);
	if (status == STATUS_OK)
		status = found_devices_find(&found, "", &chosen, error);
	if (status == STATUS_OK && chosen->failure[0] != '\0')
		status = error_set(error, STATUS_DEVICE, "%s", chosen->failure);
	if (status == STATUS_OK) {
		*device = chosen->device;
		status = opencl_open(&opencl, chosen->platform, chosen->id, error);
	}
	if (status == STATUS_OK)
		status = calibrate(&opencl, options, device, error);
	opencl_close(&opencl);
	found_devices_deinit(&found);
	return status;
}
