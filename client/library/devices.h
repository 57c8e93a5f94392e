/* SPDX-License-Identifier: Apache-2.0 */
/* Devices as the API shows them, out of messages. */
#ifndef PREDICTD_CLIENT_LIBRARY_DEVICES_H
#define PREDICTD_CLIENT_LIBRARY_DEVICES_H

#include "client/library/error.h"
#include "proto/predictd.pb-c.h"

#include <protobuf-c/protobuf-c.h>

/*
 * A list of `count` devices whose texts stay in `message` (a whole reply), which the list
 * takes, also on failure, and ends with itself.
 */
predictd_status devices_new(ProtobufCMessage *message, Predictd__Device *const *devices,
                            size_t count, predictd_devices **result);

#endif
