/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel IR between model/ir/ir.h and its message. The analyser encodes; the
 * daemon decodes what came from a process that parsed hostile text: every
 * count is bounded, every reference validated, and the kernel sealed.
 */
#ifndef PREDICTD_DAEMON_CODEC_IR_CODEC_H
#define PREDICTD_DAEMON_CODEC_IR_CODEC_H

#include "model/ir/ir.h"
#include "proto/predictd.pb-c.h"

/* What an analysis tells besides kernels, as of model/frontend/frontend.h. */
enum {
	REPORT_NOTE_MAX = 160,
	REPORT_LANGUAGE_MAX = 96,
	REPORT_HEADER_MAX = 513,
	REPORT_UNDEFINED_MAX = 512,
	REPORT_LEFT_OUT_MAX = 160
};
struct analysis_report {
	char note[REPORT_NOTE_MAX];         /* of options that change nothing here, or empty */
	char language[REPORT_LANGUAGE_MAX]; /* that it was analysed in */
	char header[REPORT_HEADER_MAX];     /* one that was not sent, or empty */
	char header_from[REPORT_HEADER_MAX];
	char undefined[REPORT_UNDEFINED_MAX]; /* names that are defined nowhere, a sentence, or
	                                         empty */
	char left_out[REPORT_LEFT_OUT_MAX];   /* kernels that the preprocessor left out, or empty */
};

/* The message of a kernel; NULL when memory is short. predictd__ir_kernel__free_unpacked(m, NULL).
 */
Predictd__IrKernel *ir_encode(const struct ir_kernel *kernel);

/* A sealed kernel, the caller's; STATUS_CORRUPT or STATUS_LIMIT says what is wrong with it. */
enum status ir_decode(const Predictd__IrKernel *message, struct ir_kernel **kernel,
                      struct error *error);

/* What a kernel takes in memory; most of it, once it is sealed, are counts of its blocks. */
size_t ir_kernel_bytes(const struct ir_kernel *kernel);

/*
 * The kernels of a packed AnalyserReply, at most FRONTEND_KERNELS_MAX, or the
 * error that it carries, its text made safe to print. Unpacking two bytes of
 * hostile message can ask for hundred bytes of memory: what all of it may take is bounded.
 * A kernel that goes beyond has its arguments alone, and falls back.
 *
 * bytes      one frame's message; borrowed
 * *kernels   an array of *count sealed kernels; kernel_free each, free() the array
 * *report    what it tells besides, safe to print, also of an error; may be NULL
 *
 * STATUS_CORRUPT, STATUS_LIMIT: the reply is not what an analyser writes.
 */
enum status ir_decode_reply(const uint8_t *bytes, size_t size, struct ir_kernel ***kernels,
                            size_t *count, struct analysis_report *report, struct error *error);

#endif
