/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files that have each session of a user, or of the node, load the OpenCL layer:
 *
 *   user   $XDG_CONFIG_HOME/environment.d/60-predictd-layer.conf, and a line of the profile that
 *          his login shell reads: ~/.bash_profile, else ~/.bash_login, else ~/.profile
 *   node   /etc/environment.d/60-predictd-layer.conf and /etc/profile.d/predictd-layer.sh
 *
 * A profile that has other lines keeps them, and its permissions; a link to one stays a link.
 */
#ifndef PREDICTD_CLIENT_PREDICTCTL_LAYER_FILES_H
#define PREDICTD_CLIENT_PREDICTCTL_LAYER_FILES_H

#include <stdbool.h>

/* Whether shells and environment.d(5) read the path as it stands. */
bool layer_path_is_plain(const char *layer);

/*
 * A profile with the line that has login shells load the layer, once and last, or without it for
 * NULL; the caller's, to free. Its other lines stay as they are. NULL: no memory.
 */
char *layer_profile(const char *before, const char *layer);

/* Whether both files name the layer; NULL: any. */
bool layer_files_have(bool is_node, const char *layer);

/* Each says on standard error what failed, and returns false. Files that are right stay. */
bool layer_files_write(bool is_node, const char *layer);
bool layer_files_remove(bool is_node);

#endif
