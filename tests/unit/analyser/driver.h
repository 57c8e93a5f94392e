/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's side of the analyser, for tests: starts the real program and asks it. */
#ifndef PREDICTD_TESTS_ANALYSER_DRIVER_H
#define PREDICTD_TESTS_ANALYSER_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/ir/ir.h"

struct analyser {
	pid_t pid;
	int channel;
};

/*
 * Starts the analyser and waits until it is ready. `wrapper`, a list of
 * arguments that ends in NULL, or NULL, is put before it (strace). False when it does
 * not get ready.
 */
bool analyser_start(struct analyser *analyser, const char *const *wrapper);

/* Closes the channel and waits for the end. Returns the status of waitpid. */
int analyser_stop(struct analyser *analyser);

enum outcome {
	OUTCOME_ANSWERED, /* a reply of the right form: kernels, or an error */
	OUTCOME_DIED,     /* an end without a reply */
	OUTCOME_LATE      /* neither, well after the deadline */
};

struct question {
	const char *source;
	size_t bytes;
	const char *options;                   /* or NULL */
	const char *header_name, *header_text; /* or NULL */
	uint32_t deadline_ms;
	bool is_background;
};

struct answer {
	enum outcome outcome;
	enum status status; /* of an answer */
	struct error error;
	struct ir_kernel **kernels;
	size_t count;
};

/* Hands a new socket to the analyser and returns the other end, or -1. */
int analyser_open(struct analyser *analyser, uint32_t deadline_ms);

/* Asks and waits for what comes of it; answer_deinit afterwards. */
void analyser_ask(struct analyser *analyser, const struct question *question,
                  struct answer *answer);
void answer_deinit(struct answer *answer);

/* True when a program with nothing wrong in it is answered. */
bool analyser_is_well(struct analyser *analyser);

/* A text being built. */
struct text {
	char *bytes;
	size_t size, room;
};

void text_add(struct text *text, const char *part);
void text_repeat(struct text *text, const char *part, size_t times);

#endif
