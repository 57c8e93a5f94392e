/* SPDX-License-Identifier: Apache-2.0 */
/* The options of predictctl's commands, as a table; options.c parses and shows it. */
#ifndef PREDICTD_CLIENT_PREDICTCTL_OPTION_TABLE_H
#define PREDICTD_CLIENT_PREDICTCTL_OPTION_TABLE_H

#include "client/predictctl/options.h"

#define ON(name)   (UINT64_C(1) << COMMAND_##name)
#define ALL        (2 * ON(HELP) - 1) /* the last command */
#define LAUNCHES   (ON(PREDICT) | ON(MEASURE) | ON(PLACE) | ON(OBSERVE))
#define SIZED      (LAUNCHES | ON(HISTORY) | ON(SPLIT))
#define NAMED      ((SIZED & ~ON(MEASURE) & ~ON(SPLIT)) | ON(FORGET))
#define WITH_CASES (LAUNCHES | ON(EVALUATE))
#define STARPU     (ON(STARPU_EXPORT) | ON(STARPU_IMPORT))

/* X(NAME, "word", "value", commands, "what it means") */
#define OPTION_TABLE(X)                                                                            \
	X(JSON, "json", NULL, ALL & ~ON(RUN) & ~ON(METRICS) & ~ON(RESTORE),                        \
	  "answer as JSON, with \"schema\": 1")                                                    \
	X(SOCKET, "socket", "PATH", ALL & ~ON(RESTORE),                                            \
	  "the daemon's socket (also PREDICTD_SOCKET)")                                            \
	X(VERBOSE, "verbose", NULL, ON(DEVICES), "limits and what calibration found")              \
	X(QUICK, "quick", NULL, ON(CALIBRATE), "about 15 s: wider intervals, and no images")       \
	X(PAIRS, "pairs", NULL, ON(CALIBRATE), "only what devices do to each other")               \
	X(NAME, "name", "NAME", NAMED,                                                             \
	  "of a kernel without source, in place of FILE.cl; any device KEY:WORD of yours, too")    \
	X(GLOBAL, "global", "N[,N[,N]]", SIZED, "work-items; of a NAME: what its time follows")    \
	X(LOCAL, "local", "N[,N[,N]]", SIZED, "work-group size; without: assumed, and said")       \
	X(OFFSET, "offset", "N[,N[,N]]", SIZED, "global offset")                                   \
	X(ARG, "arg", "ARGUMENT", SIZED,                                                           \
	  "in kernel order: buffer:SIZE[:r|w|rw][:LOW..HIGH][:INIT], TYPE:VALUE[,VALUE...], "      \
	  "local:SIZE, bytes:SIZE, image:WxH[:FORMAT][:r|w], sampler[:linear]; SIZE with K, M, "   \
	  "G; INIT is what measure fills it with, such as rand_float, rand_index:N or @FILE")      \
	X(HINT, "hint", "HINT", LAUNCHES | ON(SPLIT), "loop:LINE=TRIPS or branch:LINE=SHARE")      \
	X(OPTIONS, "options", "STRING", SIZED | ON(CASES) | ON(FORGET),                            \
	  "build options, as clBuildProgram's")                                                    \
	X(CASES, "cases", "CASES.json", WITH_CASES, "the launches of a cases file (-: of stdin)")  \
	X(DEVICE, "device", "DEVICE",                                                              \
	  WITH_CASES | ON(CASES) | ON(HISTORY) | ON(FORGET) | ON(SPLIT),                           \
	  "a key or an index of `devices`, or part of a name")                                     \
	X(MODEL, "model", "MODEL", ON(PREDICT) | ON(MEASURE) | ON(EVALUATE) | ON(SPLIT),           \
	  "default, pattern or uncached")                                                          \
	X(TRANSFERS, "transfers", NULL, LAUNCHES | ON(SPLIT),                                      \
	  "with copies to and from the device")                                                    \
	X(PINNED, "pinned", NULL, LAUNCHES | ON(SPLIT), "with copies from and to pinned memory")   \
	X(IDLE, "idle", "TIME", SIZED | ON(EVALUATE),                                              \
	  "how long the device has had nothing to do before, such as 10us, 1ms or 0.1s; 0: "       \
	  "behind another launch, or not known")                                                   \
	X(SAMPLE, "sample", NULL, WITH_CASES | ON(HISTORY),                                        \
	  "predictions may look at samples of what INIT makes")                                    \
	X(EXPLAIN, "explain", "ir|lines", ON(PREDICT),                                             \
	  "the breakdown; =ir: the kernel's IR as well; =lines: the source, with each line's "     \
	  "cost")                                                                                  \
	X(CSV, "csv", NULL, ON(PREDICT) | ON(MEASURE) | ON(KERNELS) | ON(USERS),                   \
	  "one row a case, a kernel or a user; times in seconds")                                  \
	X(STATIC, "static", NULL, ON(PREDICT) | ON(MEASURE) | ON(SPLIT),                           \
	  "as if nothing had been observed")                                                       \
	X(REFINED, "refined", NULL, ON(EVALUATE), "with what was observed taken into account")     \
	X(RUN_JSON, "json", "FILE", ON(RUN),                                                       \
	  "the table as JSON, with \"schema\": 1; -: to stdout")                                   \
	X(TRACE, "trace", "FILE", ON(RUN) | ON(PLACE),                                             \
	  "what ran, or is planned, as a Chrome trace; -: to stdout")                              \
	X(METHOD, "method", "METHOD", ON(PLACE),                                                   \
	  "a schedule of all the cases by heft (the default), min-min or fastest")                 \
	X(GANTT, "gantt", NULL, ON(PLACE), "the schedule as a chart")                              \
	X(OBSERVE, "observe", NULL, ON(MEASURE) | ON(RUN),                                         \
	  "report to the daemon what was measured")                                                \
	X(TIME, "time-s", "TIME", ON(OBSERVE), "what a run took: 0.0125, 12.5ms; may be repeated") \
	X(TASK, "task", NULL, ON(OBSERVE),                                                         \
	  "the times are of whole tasks, as your runtime measures")                                \
	X(FIRST_RUN, "first-run", NULL, ON(OBSERVE), "it was the kernel's first run")              \
	X(OVERLAPPED, "overlapped", NULL, ON(OBSERVE), "other work ran on the device")             \
	X(THROTTLED, "throttled", NULL, ON(OBSERVE), "the device was slowed down")                 \
	X(WATCH, "watch", NULL, ON(STATUS), "again and again, until Ctrl-C")                       \
	X(INTERVAL, "interval", "TIME", ON(STATUS) | ON(TOP), "until it is shown again (2s)")      \
	X(FRAMES, "count", "N", ON(STATUS) | ON(TOP),                                              \
	  "how often it is shown; without, until Ctrl-C, and once where no terminal reads it")     \
	X(TIMEOUT, "timeout", "TIME", ON(WAITSYNC), "how long to wait; without: for ever")         \
	X(NEWEST, "count", "N", ON(HISTORY), "at most so many runs, the newest (100)")             \
	X(KERNEL, "kernel", "KERNEL", ON(FORGET), "a kernel's name, or FILE.cl[:KERNEL]")          \
	X(UID, "uid", "USER", ON(FORGET), "whose; others' than one's own take an admin")           \
	X(AGE, "age", "AGE", ON(FORGET), "only what is older: seconds, or 90m, 12h, 30d")          \
	X(EVERYTHING, "all", NULL, ON(FORGET), "whatever kernel, device and age")                  \
	X(RUNS, "runs", "N", ON(MEASURE) | ON(EVALUATE), "the least number of runs of a case")     \
	X(BUDGET, "budget", "TIME", ON(MEASURE) | ON(EVALUATE), "how long to go on with a case")   \
	X(MEASURED, "measured", "FILE.csv", ON(EVALUATE) | ON(OBSERVE),                            \
	  "from `measure --csv`; evaluate without it measures now")                                \
	X(REQUIRE, "require", "[CLASS:]METRIC=VALUE", ON(EVALUATE),                                \
	  "exit 1 when a metric of all cases, or a class, is worse (see predictctl(1))")           \
	X(DIMENSION, "dimension", "D", ON(SPLIT), "along which it is split: 0 (default), 1 or 2")  \
	X(GRANULE, "granule", "N", ON(SPLIT),                                                      \
	  "parts are multiples of N work-items; without: of the work-group's size")                \
	X(SPLIT, "split", "ARGUMENT[:SIZE]", ON(SPLIT),                                            \
	  "a buffer, by its number or name, of which you know better than predictd that its "      \
	  "parts go with the launch's; SIZE: of it for each granule")                              \
	X(SIZE, "size", "N", ON(CASES), "work-items; may be repeated (65536)")                     \
	X(SYMBOL, "symbol", "NAME", STARPU, "only the cases of this performance model")            \
	X(DIR, "dir", "DIR", STARPU,                                                               \
	  "the folder with StarPU's codelets/45 (STARPU_PERF_MODEL_DIR, else as StarPU has it)")   \
	X(HOST, "host", "NAME", STARPU, "of which node (STARPU_HOSTNAME, else this one)")          \
	X(OPENCL, "opencl", "N=DEVICE[,N=DEVICE]", STARPU,                                         \
	  "which device is StarPU's OpenCL device N; without: as StarPU numbers them here")        \
	X(FORCE, "force", NULL, STARPU,                                                            \
	  "export over what StarPU has measured, import again what was imported")                  \
	X(HELP, "help", NULL, ALL, "this text")

enum option_id {
#define X(name, word, value, commands, what) OPTION_##name,
	OPTION_TABLE(X)
#undef X
	        OPTION_COUNT
};

#endif
