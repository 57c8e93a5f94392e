/* SPDX-License-Identifier: Apache-2.0 */
/* The text in messages of clients and children: cleaned before anything is done with it. */
#ifndef PREDICTD_DAEMON_CODEC_MESSAGE_TEXT_H
#define PREDICTD_DAEMON_CODEC_MESSAGE_TEXT_H

#include <protobuf-c/protobuf-c.h>

/*
 * Cleans every string of an unpacked message and of those in it (proto/text.h), but for fields
 * named `options`, which go to a compiler and are never shown.
 */
void message_clean_text(ProtobufCMessage *message);

#endif
