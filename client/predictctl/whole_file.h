/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that is there whole or not at all: it is written beside its path and renamed, so that no
 * reader sees half of it. A link is followed. What is no regular file, as /dev/stdout or a pipe, is
 * written to as it is: renaming would put a file in its place.
 */
#ifndef PREDICTD_CLIENT_PREDICTCTL_WHOLE_FILE_H
#define PREDICTD_CLIENT_PREDICTCTL_WHOLE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct whole_file {
	int fd;       /* to write to */
	char *path;   /* where it will be; NULL: it is no regular file */
	char *beside; /* until then */
	int why;      /* errno of the first failure; 0: none */
};

/* False, and `why`: it cannot be written. Either way whole_file_close ends it. */
bool whole_file_open(struct whole_file *file, const char *path);

void whole_file_write(struct whole_file *file, const void *bytes, size_t size);

/* Puts it in its place, unless something failed or it is not wanted. True: it is there. */
bool whole_file_close(struct whole_file *file, bool is_wanted, mode_t mode);

#endif
