/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the OpenCL layer is, and whether the ICD loader of this node would load it. Loaders pass
 * over a layer that they cannot load without a word.
 */
#ifndef PREDICTD_CLIENT_PREDICTCTL_LAYER_H
#define PREDICTD_CLIENT_PREDICTCTL_LAYER_H

#include <limits.h>
#include <stdbool.h>

/*
 * The layer's file: of the folders of $PREDICTD_LAYER_PATH, which colons part, else the installed
 * one. NULL: there is none; *why (static storage) says where it was looked for.
 */
const char *layer_find(const char **why);

/* Why a file would not be loaded as a layer, or NULL. Static storage. */
const char *layer_fault(const char *path);

enum layer_loader { LOADER_NONE, LOADER_WITHOUT_LAYERS, LOADER_WITH_LAYERS };

/* path   out: of the loader that programs get here, or "" */
enum layer_loader layer_loader(char path[PATH_MAX]);

/* Why a program's file makes the loader pass over layers, or NULL. Static storage. */
const char *layer_program_fault(const char *path);

#endif
