/* SPDX-License-Identifier: Apache-2.0 */
/* Where the child programs are. */
#include "daemon/libexec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *libexec_directories(void)
{
	/* not under a set-uid or capability-raising exec, where the caller is not trusted */
	const char *directories = secure_getenv("PREDICTD_LIBEXECDIR");
	return directories != NULL && directories[0] != '\0' ? directories : PREDICTD_LIBEXECDIR;
}

enum status libexec_find(const char *directories, const char *program, char *path, size_t room,
                         struct error *error)
{
	for (const char *directory = directories; *directory != '\0';) {
		size_t length = strcspn(directory, ":");
		if (length > 0) {
			int written =
			        snprintf(path, room, "%.*s/%s", (int)length, directory, program);
			if (written > 0 && (size_t)written < room && access(path, X_OK) == 0)
				return STATUS_OK;
		}
		directory += length + (directory[length] == ':');
	}
	return error_set(error, STATUS_UNAVAILABLE, "%s is not in %.160s", program, directories);
}
