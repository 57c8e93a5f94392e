/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel IR between model/ir.h and its message. The analyser encodes; the
 * daemon decodes what came from a process that parsed hostile text: every
 * count is bounded, every reference validated, and the kernel sealed.
 */
#ifndef PREDICTD_DAEMON_IR_CODEC_H
#define PREDICTD_DAEMON_IR_CODEC_H

#include "model/ir.h"
#include "proto/predictd.pb-c.h"

/* The message of a kernel; NULL when memory is short. predictd__ir_kernel__free_unpacked(m, NULL).
 */
Predictd__IrKernel *ir_encode(const struct ir_kernel *kernel);

/* A sealed kernel, the caller's; STATUS_CORRUPT or STATUS_LIMIT says what is wrong with it. */
enum status ir_decode(const Predictd__IrKernel *message, struct ir_kernel **kernel,
                      struct error *error);

#endif
