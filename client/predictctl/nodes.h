/* SPDX-License-Identifier: Apache-2.0 */
/* The device files of NVIDIA's driver, which programs without privileges find and cannot make. */
#ifndef PREDICTD_CLIENT_PREDICTCTL_NODES_H
#define PREDICTD_CLIENT_PREDICTCTL_NODES_H

/* The first file under /dev that a loaded driver lacks, or NULL: all are there, or no driver is. */
const char *nodes_missing(void);

/* Likewise below a folder of the caller's, which has proc and dev. */
const char *nodes_missing_below(const char *root);

#endif
