/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels without source, on the wire: requests about one have a handle that no registered program
 * has, and the kernel's name, of the user's choice. A device is one of the node, as ever, or any
 * text that key_is_valid (proto/device_key.h) takes: a key of the user's choice.
 */
#ifndef PREDICTD_PROTO_SOURCELESS_H
#define PREDICTD_PROTO_SOURCELESS_H

#include <stdint.h>

#define SOURCELESS_HANDLE UINT64_MAX

enum { SOURCELESS_NAME_MAX = 256 }; /* bytes, with the final zero; clean text (proto/text.h) */

#endif
