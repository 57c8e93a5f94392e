/* SPDX-License-Identifier: Apache-2.0 */
/* share.conf: read or refused with a reason, and unchanged when refused; no password stays in it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/share/settings.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct settings settings, before;
	struct error error = {0};
	char path[64];
	int fd = memfd_create("share.conf", MFD_CLOEXEC);
	if (fd < 0)
		return 0;
	if (write(fd, data, size) != (ssize_t)size)
		goto out;
	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	settings_init(&settings);
	before = settings;
	if (settings_load(&settings, path, &error) != STATUS_OK) {
		if (error.text[0] == '\0' || memcmp(&before, &settings, sizeof settings) != 0)
			abort();
	} else if (strstr(settings.server, "password=") == settings.server) {
		abort();
	}
out:
	close(fd);
	return 0;
}
