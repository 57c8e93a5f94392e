/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statuses and the error that carries a sentence.
 *
 * A function that can fail returns `enum status` and fills a caller-owned
 * `struct error`. A status that a contract names is handled by its caller;
 * any other passes up unchanged. The text says where, wanted, got.
 */
#ifndef PREDICTD_MODEL_STATUS_H
#define PREDICTD_MODEL_STATUS_H

/* X(NAME, "word") - the order is part of the wire protocol: append only. */
#define STATUS_TABLE(X)                                                                            \
	X(OK, "ok")                                                                                \
	X(INVALID, "invalid")           /* the question is wrong: which, wanted, got */            \
	X(SYNTAX, "syntax")             /* the kernel source does not compile */                   \
	X(UNSUPPORTED, "unsupported")   /* a construct or request this version lacks */            \
	X(LIMIT, "limit")               /* a budget, quota or bound was reached */                 \
	X(NOT_FOUND, "not-found")       /* no such kernel, device, handle */                       \
	X(UNCALIBRATED, "uncalibrated") /* the device has no calibration */                        \
	X(UNAVAILABLE, "unavailable")   /* the daemon or a helper process is away */               \
	X(DENIED, "denied")             /* the caller may not do this */                           \
	X(BUSY, "busy")                 /* try again later */                                      \
	X(TIMEOUT, "timeout")           /* a deadline passed */                                    \
	X(CANCELLED, "cancelled")       /* somebody asked to stop */                               \
	X(IO, "io")                     /* file, socket or database failure */                     \
	X(CORRUPT, "corrupt")           /* stored or received bytes are not what they claim */     \
	X(NO_MEMORY, "no-memory")                                                                  \
	X(DEVICE, "device") /* the OpenCL driver failed */                                         \
	X(INTERNAL, "internal")                                                                    \
	X(UNREGISTERED, "unregistered") /* no such program, or not in that language */             \
	X(UNSAMPLED, "unsampled")       /* a sample that is not kept (any more): send it */

enum status {
#define X(name, word) STATUS_##name,
	STATUS_TABLE(X)
#undef X
	        STATUS_COUNT
};

struct error {
	enum status status;
	char text[256];
};

/* The word of a status; "unknown" for a number out of range. Static storage. */
const char *status_word(enum status status);

/* The status whose number is `number`; STATUS_INTERNAL when out of range. */
enum status status_from_number(unsigned number);

/*
 * Fills `error` (which may be NULL) with a formatted sentence, truncated to
 * fit, and returns `status`, so that a failing line reads
 * `return error_set(error, STATUS_INVALID, "...")`.
 */
enum status error_set(struct error *error, enum status status, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

#endif
