/* SPDX-License-Identifier: Apache-2.0 */
/* predictctl run: a program with the OpenCL layer, and what its kernels took beside predictions. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/predictctl/commands.h"
#include "client/predictctl/layer.h"
#include "client/predictctl/run.h"

enum { RECORDS_MAX = 1024 };

/* ---- the folder ---------------------------------------------------------------------------- */

static bool folder_make(struct run *run)
{
	const char *place = getenv("TMPDIR");
	if (place == NULL || place[0] != '/' || strlen(place) > 30)
		place = "/tmp";
	(void)snprintf(run->folder, sizeof run->folder, "%s/predictctl-run-XXXXXX", place);
	if (mkdtemp(run->folder) != NULL)
		return true;
	complain(run->folder, "%s", strerror(errno));
	run->folder[0] = '\0';
	return false;
}

/* It has files alone, whoever wrote them. */
static void folder_remove(const struct run *run)
{
	DIR *folder = opendir(run->folder);
	for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			(void)unlinkat(dirfd(folder), entry->d_name, 0);
	if (folder != NULL)
		(void)closedir(folder);
	(void)rmdir(run->folder);
}

static bool is_record(const char *name)
{
	size_t digits = strspn(name, "0123456789");
	return digits > 0 && strcmp(name + digits, ".json") == 0;
}

/* Reads what the processes wrote; one that cannot be read is told and left out. */
static size_t records_load(const struct run *run, struct run_record *records)
{
	struct dirent **entries = NULL;
	int count = scandir(run->folder, &entries, NULL, versionsort);
	size_t loaded = 0;
	for (int i = 0; i < count; i++) {
		char path[400];
		struct complaint why = {""};
		(void)snprintf(path, sizeof path, "%s/%s", run->folder, entries[i]->d_name);
		if (is_record(entries[i]->d_name) && loaded < RECORDS_MAX) {
			if (run_record_load(path, &records[loaded], &why)) {
				loaded++;
			} else {
				warn_of(path, why.text);
				run_record_deinit(&records[loaded]);
			}
		}
		free(entries[i]);
	}
	free(entries);
	return loaded;
}

/* ---- what is said -------------------------------------------------------------------------- */

/* The program's file, as execvp finds it; false: it is not found. */
static bool program_path(const char *word, char path[PATH_MAX])
{
	const char *folders = getenv("PATH");
	if (strchr(word, '/') != NULL) {
		(void)snprintf(path, PATH_MAX, "%s", word);
		return true;
	}
	for (const char *at = folders != NULL ? folders : "/usr/bin:/bin"; *at != '\0';
	     at += *at == ':') {
		size_t length = strcspn(at, ":");
		(void)snprintf(path, PATH_MAX, "%.*s/%s", (int)length, at, word);
		if (length > 0 && access(path, X_OK) == 0)
			return true;
		at += length;
	}
	return false;
}

static void unseen_say(const struct run *run)
{
	char path[PATH_MAX], loader[PATH_MAX];
	const char *mode = getenv("PREDICTD_LAYER");
	const char *why = program_path(run->program[0], path) ? layer_program_fault(path) : NULL;
	if (why == NULL && run->layer != NULL)
		why = layer_fault(run->layer);
	if (why == NULL && mode != NULL && strcmp(mode, "off") == 0)
		why = "PREDICTD_LAYER is off";
	if (why == NULL && layer_loader(loader) == LOADER_NONE)
		why = "there is no OpenCL loader (libOpenCL.so.1)";
	if (why == NULL && layer_loader(loader) == LOADER_WITHOUT_LAYERS)
		why = "this OpenCL loader takes no layers: ocl-icd takes them from 2.3.0 on";
	if (why == NULL)
		why = "it enqueues none, brings a loader of its own, or changed OPENCL_LAYERS";
	complain(run->program[0], "no OpenCL command was seen: %s", why);
}

/* Writes to a file, or to standard output for "-". */
static bool file_write(const char *path, const struct run *run, const struct run_summary *summary,
                       bool (*write)(const struct run *, const struct run_summary *, FILE *))
{
	bool is_stream = strcmp(path, "-") == 0;
	FILE *file = is_stream ? stdout : fopen(path, "we");
	bool is_written = file != NULL && write(run, summary, file) && fflush(file) == 0;
	int error = errno;
	if (file != NULL && !is_stream && fclose(file) != 0 && is_written) {
		is_written = false;
		error = errno;
	}
	if (!is_written)
		complain(is_stream ? "standard output" : path, "%s", strerror(error));
	return is_written;
}

static bool json_write(const struct run *run, const struct run_summary *summary, FILE *file)
{
	json_t *json = run_json(run, summary);
	bool is_written = json != NULL &&
	                  json_dumpf(json, file,
	                             JSON_INDENT(2) | JSON_SORT_KEYS | JSON_REAL_PRECISION(9)) == 0;
	(void)fputc('\n', file);
	json_decref(json);
	return is_written;
}

/* Of a run that was done. False: something could not be said. */
static bool tell(const struct run *run, const struct options *options)
{
	struct run_record *records = calloc(RECORDS_MAX + 1, sizeof *records);
	struct run_summary summary = {0};
	size_t count = records != NULL ? records_load(run, records) : 0;
	bool is_done = records != NULL && run_summary_make(records, count, &summary);
	if (!is_done)
		complain("run", "no memory");
	if (is_done && count == 0 && run->layer != NULL)
		unseen_say(run);
	if (is_done && count > 0)
		run_print(run, &summary, stderr);
	if (is_done && options->run_json != NULL)
		is_done = file_write(options->run_json, run, &summary, json_write);
	if (is_done && options->trace != NULL)
		is_done = file_write(options->trace, run, &summary, run_trace);
	run_summary_deinit(&summary);
	for (size_t i = 0; i < count; i++)
		run_record_deinit(&records[i]);
	free(records);
	return is_done;
}

enum exit_code command_run(const struct options *options)
{
	const char *why;
	struct run run = {.program = options->program,
	                  .observes = options->observe,
	                  .wants_spans = options->trace != NULL,
	                  .socket = options->socket,
	                  .layer = layer_find(&why)};
	const char *fault = run.layer != NULL ? layer_fault(run.layer) : NULL;
	if (run.layer == NULL || fault != NULL) {
		complain("run", "%s%s%s; the program runs without a layer",
		         run.layer != NULL ? run.layer : "", run.layer != NULL ? ": " : "",
		         run.layer != NULL ? fault : why);
		run.layer = NULL;
	}
	if (run.layer != NULL && !folder_make(&run))
		run.layer = NULL;
	run_program(&run);
	if (!run.has_started)
		complain(run.program[0], "%s", run.why);
	else
		(void)tell(&run, options);
	if (run.folder[0] != '\0')
		folder_remove(&run);
	/* the program's, whatever became of the table */
	return (enum exit_code)run.status;
}
