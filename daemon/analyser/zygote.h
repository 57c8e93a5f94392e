/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The zygote: a process that has libclang loaded and forks one child per
 * program. It parses nothing itself, so that no program can leave a trace for the next.
 */
#ifndef PREDICTD_DAEMON_ANALYSER_ZYGOTE_H
#define PREDICTD_DAEMON_ANALYSER_ZYGOTE_H

enum {
	ZYGOTE_CHILDREN_MAX = 64, /* at work; more are refused */
	ZYGOTE_READY = 2,         /* that stand ready: programs come one after another */
	ZYGOTE_GRACE_MS = 100,    /* a child tells of its time-out itself; then SIGKILL */
	ZYGOTE_PAUSE_MS = 4,      /* after a job, and between forks ahead of need */
	ZYGOTE_PAUSE_LONG_MS = 50 /* after a job's start: it may run for long */
};

/*
 * Serves jobs (worker_receive) that come on `channel` until its peer closes.
 * signals: a signalfd of SIGCHLD, which is blocked; quiet: /dev/null, or -1
 * to let children write to standard error. Returns 0, or an errno.
 */
int zygote_run(int channel, int signals, int quiet);

#endif
