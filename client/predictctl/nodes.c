/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device files of NVIDIA's driver.
 *
 * No udev makes them: the driver's libraries run nvidia-modprobe(1), which is set-uid, when they
 * find one missing. Files of single GPUs are not looked for: a container may be given any of them.
 */
#include "client/predictctl/nodes.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

static bool is_there(const char *root, const char *file)
{
	char path[PATH_MAX];
	int size = snprintf(path, sizeof path, "%s%s", root, file);
	return size > 0 && (size_t)size < sizeof path && access(path, F_OK) == 0;
}

const char *nodes_missing_below(const char *root)
{
	static const char *const files[] = {"/dev/nvidiactl", "/dev/nvidia-uvm"};
	if (!is_there(root, "/proc/driver/nvidia/version"))
		return NULL;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		if (!is_there(root, files[i]))
			return files[i];
	return NULL;
}

const char *nodes_missing(void)
{
	return nodes_missing_below("");
}
