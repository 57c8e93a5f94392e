/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that print and end. */
#include "proto/printed.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int printed(const char *program, int code)
{
	bool is_whole = ferror(stdout) == 0; /* of what was flushed on the way */

	errno = 0;
	is_whole &= fflush(stdout) == 0;
	if (is_whole)
		return code;
	(void)fprintf(stderr, "%s: standard output: %s\n", program,
	              errno != 0 ? strerror(errno) : "not all was written");
	return code == EXIT_SUCCESS ? EXIT_FAILURE : code;
}
