/* SPDX-License-Identifier: Apache-2.0 */
/* Temporary folders of tests. */
#ifndef PREDICTD_TESTS_FOLDER_H
#define PREDICTD_TESTS_FOLDER_H

#include <ftw.h>
#include <stdio.h>

static inline int folder_remove_entry(const char *path, const struct stat *info, int kind,
                                      struct FTW *where)
{
	(void)info;
	(void)kind;
	(void)where;
	return remove(path);
}

/* A folder with all that it has, links not followed; not 0: something is left. */
static inline int folder_remove(const char *path)
{
	enum { OPEN_MAX_AT_ONCE = 8 };
	return nftw(path, folder_remove_entry, OPEN_MAX_AT_ONCE, FTW_DEPTH | FTW_PHYS);
}

#endif
