/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration files: read or refused with a reason, and unchanged when refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/config.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct config config, before;
	struct error error = {0};
	char path[64];
	int fd = memfd_create("config", MFD_CLOEXEC);
	if (fd < 0)
		return 0;
	if (write(fd, data, size) != (ssize_t)size)
		goto out;
	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	memset(&config, 0, sizeof config);
	config_init(&config);
	before = config;
	if (config_load(&config, path, &error) != STATUS_OK &&
	    (error.text[0] == '\0' || memcmp(&before, &config, sizeof config) != 0))
		abort();
out:
	close(fd);
	return 0;
}
