/* SPDX-License-Identifier: Apache-2.0 */
/* Temporary folders of tests. */
#ifndef PREDICTD_TESTS_FOLDER_H
#define PREDICTD_TESTS_FOLDER_H

#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static unsigned char folder_wanted[64];
static bool folder_is_found;

static inline int folder_search_entry(const char *path, const struct stat *info, int kind,
                                      struct FTW *where)
{
	(void)where;
	size_t size = (size_t)info->st_size;
	FILE *file = kind == FTW_F && size > 0 ? fopen(path, "r") : NULL;
	char *bytes = file == NULL ? NULL : malloc(size);
	if (bytes != NULL)
		size = fread(bytes, 1, size, file);
	for (size_t at = 0; bytes != NULL && at + sizeof folder_wanted <= size; at++)
		folder_is_found |= memcmp(bytes + at, folder_wanted, sizeof folder_wanted) == 0;
	free(bytes);
	return file == NULL ? 0 : fclose(file);
}

/* Whether a file of the folder has 64 times this byte, in a row. */
static inline bool folder_has(const char *path, unsigned char byte)
{
	memset(folder_wanted, byte, sizeof folder_wanted);
	folder_is_found = false;
	return nftw(path, folder_search_entry, 8, FTW_PHYS) != 0 || folder_is_found;
}

#endif
