/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where StarPU keeps performance models, and how they are read and replaced.
 *
 *   FOLDER/codelets/45/SYMBOL.HOST         StarPU's
 *   FOLDER/codelets/predictd/SYMBOL.HOST   what of it predictctl wrote, in the same format
 *   FOLDER/codelets/predictd/imported/SYMBOL.HOST   what of it was imported, in the same format
 */
#ifndef PREDICTD_CLIENT_PREDICTCTL_STARPU_FILES_H
#define PREDICTD_CLIENT_PREDICTCTL_STARPU_FILES_H

#include "client/predictctl/starpu_model.h"

enum { STARPU_FILE_BYTES_MAX = 64 << 20 };

struct starpu_files {
	char *model, *record, *imported; /* paths */
};

/*
 * The files of a symbol.
 *
 * folder   NULL: as StarPU finds it, by STARPU_PERF_MODEL_DIR, else .starpu/sampling in
 *          STARPU_HOME, XDG_CACHE_HOME or HOME
 * host     NULL: STARPU_HOSTNAME, else the machine's name up to its first dot
 *
 * False: *why says what is missing. starpu_files_deinit after success.
 */
bool starpu_files_init(const char *folder, const char *host, const char *symbol,
                       struct starpu_files *files, struct complaint *why);
/* The same of the path of a model; false for want of memory only. */
bool starpu_files_of(const char *path, struct starpu_files *files, struct complaint *why);

void starpu_files_deinit(struct starpu_files *files);

/*
 * Reads a model; a file that is not there is an empty model when `may_lack`. False: *why has the
 * line, or the system's word. It waits a second at most for a program that is writing the file.
 */
bool starpu_model_load(const char *path, bool may_lack, struct starpu_model *model,
                       struct complaint *why);

/*
 * Replaces the file, and makes the folders above it: another file beside it is synchronised and
 * renamed, so that no reader sees half of it, not even after a loss of power.
 */
bool starpu_model_save(const char *path, const struct starpu_model *model, struct complaint *why);

#endif
