/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the daemon counts of itself: one set, which `predictctl status` and the page of metrics
 * (daemon/export/page.h) show. Comes in: events of every room, as additions to a counter. Goes
 * out: numbers. The loop alone writes and reads it, so that a count is one addition. What a room
 * knows anyway (connections, bytes, queues) is not counted here again: the page reads it there.
 */
#ifndef PREDICTD_DAEMON_METRICS_METRICS_H
#define PREDICTD_DAEMON_METRICS_METRICS_H

#include "daemon/metrics/asked.h"
#include "daemon/metrics/histogram.h"
#include "daemon/metrics/quality.h"
#include "model/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Requests by the number of their body in predictd.proto; 0: of no kind that is known. */
enum { METRICS_REQUESTS = 128 };

/* X(NAME, "word", "what is found there") */
#define METRICS_CACHE_TABLE(X)                                                                     \
	X(ANSWERS, "answers")   /* a question that was asked before, as it is answered now */      \
	X(STATICS, "statics")   /* the model's prediction, before observations correct it */       \
	X(OBSERVED, "observed") /* the same, of a launch that is reported */                       \
	X(PROGRAMS, "programs") /* an analysed program that is registered again */

enum metrics_cache {
#define X(name, word) METRICS_CACHE_##name,
	METRICS_CACHE_TABLE(X)
#undef X
	        METRICS_CACHES
};

/* X(NAME, "word"): what the calibrator is started for */
#define METRICS_RUN_TABLE(X)                                                                       \
	X(SCAN, "scan")                                                                            \
	X(CALIBRATION, "calibration")                                                              \
	X(PAIR, "pair")

enum metrics_run {
#define X(name, word) METRICS_RUN_##name,
	METRICS_RUN_TABLE(X)
#undef X
	        METRICS_RUNS
};

struct metrics_hits {
	uint64_t hits, misses;
};

struct metrics {
	uint64_t requests[METRICS_REQUESTS];
	struct histogram latency[METRICS_REQUESTS]; /* from a request's being read to its answer */
	uint64_t refusals[STATUS_COUNT];            /* requests, and parts of several, by reason */
	uint64_t connections, connections_refused;
	uint64_t predictions; /* answered, whatever they were asked in */
	uint64_t observed;    /* launches that were reported and taken */
	struct metrics_hits caches[METRICS_CACHES];
	uint64_t runs[METRICS_RUNS], runs_failed[METRICS_RUNS];
	struct histogram commits; /* of observations, from their being due to their being kept */
	uint64_t commits_failed;
	double last_commit_s;
	struct quality quality;
	struct asked asked;
	/* answers found in memory since the clock was read last, at read_ns */
	uint64_t read_ns, again;
	unsigned again_kind;
};

void metrics_deinit(struct metrics *metrics);

static inline unsigned metrics_kind(unsigned body)
{
	return body < METRICS_REQUESTS ? body : 0;
}

/* The name of a kind of request in predictd.proto; NULL: there is none of that number. */
const char *metrics_kind_name(unsigned kind);

uint64_t metrics_requests(const struct metrics *metrics);
uint64_t metrics_refusals(const struct metrics *metrics);

static inline void metrics_refuse(struct metrics *metrics, enum status status)
{
	metrics->refusals[status < STATUS_COUNT ? status : STATUS_INTERNAL]++;
}

static inline void metrics_look_up(struct metrics *metrics, enum metrics_cache cache, bool is_hit)
{
	if (is_hit)
		metrics->caches[cache].hits++;
	else
		metrics->caches[cache].misses++;
}

/*
 * The clock was read: what was answered from memory since shares the time since. Such an answer
 * takes as long as reading the clock twice, so that it does not read it at all. Returns what was
 * read.
 */
static inline uint64_t metrics_clock(struct metrics *metrics, uint64_t now_ns)
{
	if (metrics->again > 0)
		histogram_add(&metrics->latency[metrics->again_kind], metrics->again,
		              (now_ns - metrics->read_ns) / metrics->again);
	metrics->again = 0;
	metrics->read_ns = now_ns;
	return now_ns;
}

/* A question of that kind was answered from memory: by a prediction, or by an error. */
static inline void metrics_answer_again(struct metrics *metrics, unsigned kind, enum status status)
{
	if (status == STATUS_OK)
		metrics->predictions++;
	else
		metrics_refuse(metrics, status);
	metrics->requests[kind]++;
	metrics->caches[METRICS_CACHE_ANSWERS].hits++;
	metrics->again_kind = kind;
	metrics->again++;
}

#endif
