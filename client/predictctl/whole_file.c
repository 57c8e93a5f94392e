/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are there whole or not at all. */
#include "client/predictctl/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool whole_file_open(struct whole_file *file, const char *path)
{
	struct stat is;

	*file = (struct whole_file){.fd = -1};
	if (stat(path, &is) == 0 && !S_ISREG(is.st_mode)) {
		file->fd = open(path, O_WRONLY | O_CLOEXEC);
	} else {
		/* of a link that leads nowhere the link is replaced */
		file->path = realpath(path, NULL);
		if (file->path == NULL)
			file->path = strdup(path);
		if (file->path != NULL && asprintf(&file->beside, "%s.XXXXXX", file->path) < 0)
			file->beside = NULL;
		if (file->beside == NULL)
			errno = ENOMEM;
		else
			file->fd = mkostemp(file->beside, O_CLOEXEC);
	}
	if (file->fd < 0)
		file->why = errno;
	return file->fd >= 0;
}

void whole_file_write(struct whole_file *file, const void *bytes, size_t size)
{
	for (size_t done = 0; done < size && file->why == 0;) {
		ssize_t written = write(file->fd, (const char *)bytes + done, size - done);

		if (written >= 0)
			done += (size_t)written;
		else if (errno != EINTR)
			file->why = errno;
	}
}

bool whole_file_close(struct whole_file *file, bool is_wanted, mode_t mode)
{
	bool is_there = false;

	if (file->fd >= 0) {
		bool is_beside = file->beside != NULL;

		is_wanted &= file->why == 0;
		if (is_beside && is_wanted && (fchmod(file->fd, mode) != 0 || fsync(file->fd) != 0))
			file->why = errno;
		if (close(file->fd) != 0 && file->why == 0)
			file->why = errno;
		if (is_beside && is_wanted && file->why == 0 &&
		    rename(file->beside, file->path) != 0)
			file->why = errno;
		is_there = is_wanted && file->why == 0;
		if (is_beside && !is_there)
			(void)unlink(file->beside);
	}
	free(file->beside);
	free(file->path);
	file->beside = file->path = NULL;
	file->fd = -1;
	return is_there;
}
