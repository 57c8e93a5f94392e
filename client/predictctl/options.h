/* SPDX-License-Identifier: Apache-2.0 */
/* predictctl's sub-commands and options: one table of each, parsed and shown from it. */
#ifndef PREDICTD_CLIENT_PREDICTCTL_OPTIONS_H
#define PREDICTD_CLIENT_PREDICTCTL_OPTIONS_H

#include "client/predictctl/cases.h"
#include "client/predictctl/text.h"

/* X(NAME, "word", positionals from, to, "arguments", "what it does") */
#define COMMAND_TABLE(X)                                                                           \
	X(STATUS, "status", 0, 0, "", "the daemon: version, uptime, counters, problems")           \
	X(WAITSYNC, "waitsync", 0, 0, "", "wait until every device here has a calibration")        \
	X(TOP, "top", 0, 0, "", "what is asked now, how fast, how well; by kernel, device, user")  \
	X(KERNELS, "kernels", 0, 0, "", "kernels known, and what they cost")                       \
	X(USERS, "users", 0, 0, "", "users known, and what they cost")                             \
	X(BACKUP, "backup", 1, 1, "FILE", "copy what the daemon keeps to a file, while it runs")   \
	X(RESTORE, "restore", 2, 2, "FILE DIR", "put a backup in the place of a state folder's")   \
	X(METRICS, "metrics", 0, 0, "", "the daemon's counters, as Prometheus reads them")         \
	X(DEVICES, "devices", 0, 0, "", "devices; with --verbose, what calibration found")         \
	X(CALIBRATE, "calibrate", 0, 2, "[DEVICE | --pairs [DEVICE [DEVICE]]]",                    \
	  "run micro-benchmarks; no DEVICE: all")                                                  \
	X(PREDICT, "predict", 0, 1, "FILE.cl[:KERNEL] [--global N[,N[,N]]]",                       \
	  "how long it will take")                                                                 \
	X(MEASURE, "measure", 0, 1, "FILE.cl[:KERNEL] [--global N[,N[,N]]]",                       \
	  "run it for real, and compare")                                                          \
	X(EVALUATE, "evaluate", 0, 0, "--cases CASES.json", "accuracy of static predictions")      \
	X(PLACE, "place", 0, 1, "FILE.cl[:KERNEL] --global N[,N[,N]]",                             \
	  "the fastest device, or a schedule")                                                     \
	X(SPLIT, "split", 1, 1, "FILE.cl:KERNEL --global N[,N[,N]]",                               \
	  "shares of one launch over devices, and what they gain")                                 \
	X(OBSERVE, "observe", 0, 1, "FILE.cl[:KERNEL] --global N[,N[,N]] --time-s T",              \
	  "report measured times of kernels or tasks")                                             \
	X(HISTORY, "history", 0, 1, "FILE.cl[:KERNEL]",                                            \
	  "what was observed of a kernel, and predicted")                                          \
	X(FORGET, "forget", 0, 0, "", "forget observations")                                       \
	X(CASES, "cases", 1, 1, "FILE.cl[:KERNEL]",                                                \
	  "a cases file for your kernels, sizes guessed")                                          \
	X(REMOVE, "remove", 1, 1, "DEVICE", "take a device's calibration away")                    \
	X(EXPORT, "export", 2, 2, "DEVICE FILE", "write a calibration to a file")                  \
	X(IMPORT, "import", 1, 1, "FILE", "keep a calibration of the same device model")           \
	X(STARPU_EXPORT, "starpu-export", 1, 1, "CASES.json",                                      \
	  "write predictions as StarPU's performance models")                                      \
	X(STARPU_IMPORT, "starpu-import", 1, 2, "CASES.json [FILE]",                               \
	  "report what StarPU has measured")                                                       \
	X(RUN, "run", 1, SIZE_MAX, "[--] PROGRAM [ARGUMENT]...",                                   \
	  "run an OpenCL program, and say what its kernels took beside predictions")               \
	X(LAYER, "layer", 0, 2, "[on|off|status] [session|user|node]",                             \
	  "the OpenCL layer for all programs of a session, a user, the node")                      \
	X(TUNE, "tune", 1, 1, "SPACE.json",                                                        \
	  "the fastest of a kernel's variants, few of which are measured")                         \
	X(SHARE, "share", 1, SIZE_MAX, "init SERVER | status | forget",                            \
	  "what this node shares with a site's others")                                            \
	X(SWEEP, "sweep", 1, SIZE_MAX, "FILE.cl[:KERNEL] --over NAME=VALUES --global N[,N[,N]]",   \
	  "one question over sizes, work-groups, macros, devices")                                 \
	X(REPORT, "report", 1, SIZE_MAX,                                                           \
	  "FILE.cl[:KERNEL] --over NAME=VALUES --global N[,N[,N]] --output FILE.html",             \
	  "a page: rooflines, where the time goes, over sizes and devices")                        \
	X(ADVISE, "advise", 1, SIZE_MAX, "FILE.cl[:KERNEL] --global N[,N[,N]]",                    \
	  "what would make it faster, and by how much")                                            \
	X(DOCTOR, "doctor", 0, 0, "", "what is missing or wrong on this node, and how to mend it") \
	X(HELP, "help", 0, 1, "[COMMAND]", "this text")

enum command {
#define X(name, word, from, to, arguments, what) COMMAND_##name,
	COMMAND_TABLE(X)
#undef X
	        COMMAND_COUNT
};

enum { REQUIREMENTS_MAX = 16, SIZES_MAX = 16, TIMES_MAX = 1024 };

/* --require [CLASS:]METRIC=VALUE */
struct requirement {
	char metric[96];
	double value;
};

/* --opencl N=DEVICE */
struct opencl_device {
	uint32_t number;
	char device[256]; /* as of --device */
};

struct options {
	double idle_s; /* of launches that say nothing of it */
	bool json, csv, verbose, quick, pairs, transfers, pinned, explain, explain_ir,
	        explain_lines, has_model;
	bool watch;        /* of status */
	double interval_s; /* of what is shown again and again */
	uint32_t frames;   /* 0: not said */
	double timeout_s;  /* of waitsync; 0: for ever */
	bool sample;       /* what `init` makes of every buffer that has one */
	bool static_only, refined, observe, is_task, all, has_uid;
	unsigned flags; /* PREDICTD_FIRST_RUN, ... */
	uint32_t uid, count;
	double age_s; /* 0: any */
	const char *kernel;
	const char *name; /* of a kernel without source, in place of a file; or NULL */
	size_t time_count;
	double times_s[TIMES_MAX];
	const char *cases, *device, *socket, *measured;
	predictd_model model;
	uint32_t runs;
	double budget_s;
	size_t requirement_count;
	struct requirement requirements[REQUIREMENTS_MAX];
	size_t size_count;
	uint64_t sizes[SIZES_MAX];
	const char *trace;      /* of run and place: a file, "-" for standard output; or NULL */
	const char *run_json;   /* of run: the same */
	bool has_method, gantt; /* of place */
	predictd_method method;
	char **program; /* of run: its words, which NULL ends */
	const char *positional[2];
	size_t positional_count;
	size_t device_count; /* every --device given; `device` is the last */
	const char *devices[SIZES_MAX];
	uint32_t dimension;                 /* of split */
	uint64_t granule;                   /* work-items; 0: the work-group's */
	size_t split_count;                 /* buffers that are split */
	const char *split[SIZES_MAX];       /* ARGUMENT[:SIZE] */
	const char *symbol, *host, *folder; /* of StarPU's models; NULL: as StarPU finds them */
	bool force;                         /* what StarPU measured goes */
	size_t opencl_count;
	struct opencl_device opencl[SIZES_MAX];
	bool is_guessed; /* the launch has a file, and no sizes: of which somebody has to guess */
	/* the launch of the command line, where one was given; empty with --cases */
	struct case_list cases_list;
};

/*
 * Parses what follows the command's name. EXIT_DONE, or EXIT_USAGE after a message;
 * *wants_help when --help was there. options_deinit after either.
 */
enum exit_code options_parse(enum command command, int argc, char **argv, struct options *options,
                             bool *wants_help);
void options_deinit(struct options *options);

/* The command of that word, or -1. */
int command_find(const char *word);
/* The word of the command that may have been meant, or NULL. */
const char *command_nearest(const char *word);
const char *command_word(enum command command);

/* Usage of all, or of one command with its options. */
void usage_print(FILE *file);
void command_usage_print(enum command command, FILE *file);

#endif
