/* SPDX-License-Identifier: Apache-2.0 */
/* Launches to ask about: a cases file's (predictctl(1)), or the one of the command line. */
#ifndef PREDICTD_CLIENT_PREDICTCTL_CASES_H
#define PREDICTD_CLIENT_PREDICTCTL_CASES_H

#include <jansson.h>

#include "client/predictctl/arguments.h"
#include "client/predictctl/starpu_task.h"

enum {
	CASES_MAX = 100000,
	CASES_BYTES_MAX = 256 << 20,
	CASE_ARGUMENTS_MAX = 256,
	CASE_HINTS_MAX = 64
};

struct launch_case {
	char *id;
	char *group;        /* `class`, or the id up to its first dot */
	char *file;         /* a path that can be opened */
	bool is_sourceless; /* of a kernel without source: `file` is its name */
	char *kernel;       /* NULL: the file's only one */
	char *options;
	bool has_groups; /* a local size was given */
	bool is_pinned;  /* its host memory, where transfers are asked for */
	double idle_s;   /* how long the device has nothing to do before */
	uint32_t dimensions;
	uint64_t global[3], local[3], offset[3];
	size_t argument_count, hint_count;
	predictd_argument *arguments; /* their `init` is owned */
	bool *is_sampled;             /* by argument; NULL: none is */
	predictd_hint *hints;
	struct starpu_task starpu;
	bool is_task; /* it has `needs`, `reads`, `writes` or `priority` */
	int priority;
	size_t need_count;
	size_t *needs;       /* numbers of cases */
	char **buffer_names; /* by argument: of a buffer, or NULL; NULL: none is named */
};

struct case_list {
	size_t count;
	struct launch_case *cases;
};

/*
 * Reads a cases file; "-" is standard input, whose paths are relative to the working folder. False:
 * *why names the case and the key. A list that failed is empty. Free with case_list_deinit.
 */
bool case_list_load(const char *path, struct case_list *list, struct complaint *why);

/* The same from text; paths in it are relative to `folder` ("" or with its slash). */
bool case_list_parse(const char *text, size_t size, const char *folder, struct case_list *list,
                     struct complaint *why);

void case_list_deinit(struct case_list *list);

/*
 * What a case needs, reads and writes, of its JSON object; `seen`: the numbers of all cases, by
 * their ids. False: *why names the case and the key. case_graph_deinit after either.
 */
bool case_graph_get(json_t *object, json_t *seen, struct launch_case *one, struct complaint *why);
void case_graph_deinit(struct launch_case *one);

/* A question about the launch that borrows from it; program and device are the caller's to set. */
predictd_question case_question(const struct launch_case *one);

#endif
