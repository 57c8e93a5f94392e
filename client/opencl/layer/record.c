/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record of a process, as docs/programs.md has it. It is written straight to the file, value
 * by value: a tree of 10,000 shapes in memory would take more than all that is known of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/opencl/layer/known.h"
#include "proto/text.h"

/* ---- JSON ---------------------------------------------------------------------------------- */

struct json {
	FILE *file;
	bool is_first; /* of its object or array */
};

static void key(struct json *json, const char *name)
{
	(void)fputs(json->is_first ? "" : ",", json->file);
	json->is_first = false;
	if (name != NULL)
		(void)fprintf(json->file, "\"%s\":", name);
}

static void begin(struct json *json, const char *name, char bracket)
{
	key(json, name);
	(void)fputc(bracket, json->file);
	json->is_first = true;
}

static void end(struct json *json, char bracket)
{
	(void)fputc(bracket, json->file);
	json->is_first = false;
}

/* Bytes that may not stand in a text are question marks. */
static void text(struct json *json, const char *name, const char *value)
{
	key(json, name);
	(void)fputc('"', json->file);
	for (const char *at = value != NULL ? value : ""; *at != '\0';) {
		size_t bytes = text_character_bytes(at);
		if (bytes == 0)
			(void)fputc(*at == '\n' || *at == '\t' ? ' ' : '?', json->file);
		else if (*at == '"' || *at == '\\')
			(void)fprintf(json->file, "\\%c", *at);
		else
			(void)fwrite(at, 1, bytes, json->file);
		at += bytes > 0 ? bytes : 1;
	}
	(void)fputc('"', json->file);
}

static void count(struct json *json, const char *name, uint64_t value)
{
	key(json, name);
	(void)fprintf(json->file, "%llu", (unsigned long long)value);
}

/* null where it is no number */
static void number(struct json *json, const char *name, double value)
{
	key(json, name);
	if (isfinite(value))
		(void)fprintf(json->file, "%.9g", value);
	else
		(void)fputs("null", json->file);
}

static void truth(struct json *json, const char *name, bool value)
{
	key(json, name);
	(void)fputs(value ? "true" : "false", json->file);
}

/* ---- parts --------------------------------------------------------------------------------- */

static void devices_write(struct json *json, const struct known *known)
{
	static const char *const kinds[SEEN_TRANSFER_KINDS] = {
	        [SEEN_WRITE] = "write",    [SEEN_READ] = "read", [SEEN_COPY] = "copy",
	        [SEEN_FILL] = "fill",      [SEEN_MAP] = "map",   [SEEN_UNMAP] = "unmap",
	        [SEEN_MIGRATE] = "migrate"};
	begin(json, "devices", '[');
	for (size_t i = 0; i < known->device_count; i++) {
		const struct known_device *one = &known->devices[i];
		struct busy_totals idle = busy_totals(&one->busy);
		begin(json, NULL, '{');
		text(json, "key", one->device->key);
		text(json, "name", one->device->name);
		truth(json, "is_cpu", one->device->is_cpu);
		count(json, "launches", one->launches);
		number(json, "span_s", one->busy.end_s - one->busy.begin_s);
		number(json, "idle_s", idle.idle_s);
		number(json, "unqueued_s", idle.unqueued_s);
		count(json, "gaps", idle.gaps);
		count(json, "launches_when_idle", one->launch.count);
		number(json, "launch_time_s", times_median(&one->launch));
		begin(json, "transfers", '[');
		for (size_t kind = 0; kind < SEEN_TRANSFER_KINDS; kind++) {
			const struct known_transfers *some = &one->transfers[kind];
			if (some->count == 0)
				continue;
			begin(json, NULL, '{');
			text(json, "kind", kinds[kind]);
			count(json, "count", some->count);
			count(json, "untimed", some->untimed);
			count(json, "failed", some->failed);
			count(json, "blocking", some->blocking);
			count(json, "bytes", some->bytes);
			count(json, "timed_bytes", some->timed_bytes);
			number(json, "time_s", some->time_s);
			end(json, '}');
		}
		end(json, ']');
		end(json, '}');
	}
	end(json, ']');
}

static size_t device_number(const struct known *known, const seen_device *device)
{
	size_t i = 0;
	while (i < known->device_count && known->devices[i].device != device)
		i++;
	return i;
}

static void sizes_write(struct json *json, const char *name, const uint64_t sizes[3],
                        uint32_t dimensions)
{
	begin(json, name, '[');
	for (uint32_t i = 0; i < dimensions && i < 3; i++)
		count(json, NULL, sizes[i]);
	end(json, ']');
}

static void answer_write(struct json *json, const struct known_answer *answer)
{
	begin(json, "predicted", '{');
	number(json, "time_s", answer->time_s);
	number(json, "low_s", answer->low_s);
	number(json, "high_s", answer->high_s);
	number(json, "static_time_s", answer->static_time_s);
	number(json, "launch_time_s", answer->launch_time_s);
	text(json, "basis", predictd_basis_name(answer->basis));
	text(json, "bottleneck", answer->bottleneck);
	text(json, "note", answer->note);
	count(json, "observations", answer->observation_count);
	count(json, "taught", answer->taught);
	end(json, '}');
}

static void shape_write(struct json *json, const struct known *known,
                        const struct ask_counts *counts, const struct known_shape *one)
{
	const seen_shape *shape = one->shape;
	char hash[20];
	(void)snprintf(hash, sizeof hash, "%016llx",
	               (unsigned long long)shape->kernel->program->hash);
	begin(json, NULL, '{');
	count(json, "number", one->number);
	text(json, "kernel", shape->kernel->name);
	text(json, "program", hash);
	count(json, "device", device_number(known, shape->device));
	sizes_write(json, "global", shape->global, shape->dimensions);
	sizes_write(json, "local", shape->local, shape->dimensions);
	count(json, "arguments", shape->argument_count);
	count(json, "launches", one->launches);
	count(json, "untimed", one->untimed);
	count(json, "failed", one->failed);
	count(json, "overlapped", one->overlapped);
	count(json, "near", one->near);
	count(json, "timed", one->timed);
	count(json, "clean", one->clean.count);
	number(json, "total_time_s", one->total_time_s);
	/* of a program that runs a kernel once, or never alone, the mean is what there is */
	number(json, "time_s",
	       one->clean.count > 0 ? times_median(&one->clean)
	       : one->timed > 0     ? one->total_time_s / (double)one->timed
	                            : 0);
	number(json, "min_s", one->clean.min_s);
	number(json, "max_s", one->clean.max_s);
	number(json, "first_time_s", one->first_time_s);
	switch (atomic_load_explicit(&one->state, memory_order_acquire)) {
	case KNOWN_ANSWERED:
		answer_write(json, &one->answer);
		break;
	case KNOWN_UNANSWERED:
		text(json, "why", one->why);
		break;
	default:
		text(json, "why",
		     counts->away[0] != '\0' ? counts->away
		     : counts->has_asked     ? "no answer was there when the program ended"
		                             : "the daemon gave no answer until the program ended");
	}
	end(json, '}');
}

static void losses_write(struct json *json, const struct known *known, const seen_losses *losses,
                         uint64_t spans_lost)
{
	begin(json, "lost", '{');
	count(json, "launches", losses != NULL ? atomic_load(&losses->launches) : 0);
	count(json, "shapes", losses != NULL ? atomic_load(&losses->shapes) : 0);
	count(json, "transfers", losses != NULL ? atomic_load(&losses->transfers) : 0);
	count(json, "devices", known->devices_lost);
	count(json, "spans", spans_lost);
	end(json, '}');
}

static void asked_write(struct json *json, const struct ask_counts *counts)
{
	begin(json, "daemon", '{');
	truth(json, "has_answered", counts->has_asked);
	text(json, "away", counts->away);
	count(json, "sent", counts->sent);
	count(json, "refused", counts->refused);
	count(json, "dropped", counts->dropped);
	end(json, '}');
}

bool record_write(const struct known *known, const seen_losses *losses, uint64_t spans_lost)
{
	char *path = NULL, *partial = NULL;
	struct json json = {.is_first = true};
	bool is_written = false;
	int fd = -1;
	struct ask_counts counts;
	ask_get_counts(&counts);
	if (asprintf(&path, "%s/%ld.json", known->folder, (long)getpid()) < 0)
		path = NULL;
	if (asprintf(&partial, "%s/.%ld.json", known->folder, (long)getpid()) < 0)
		partial = NULL;
	if (path == NULL || partial == NULL)
		goto out;
	fd = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	json.file = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (json.file == NULL) {
		if (fd >= 0)
			(void)close(fd);
		goto out;
	}
	begin(&json, NULL, '{');
	count(&json, "schema", 1);
	count(&json, "pid", (uint64_t)getpid());
	text(&json, "name", known->name);
	text(&json, "executable", known->executable);
	count(&json, "started_at_s", (uint64_t)known->started_at_s);
	text(&json, "mode", known->mode == LAYER_ALL ? "all" : "times");
	truth(&json, "observes", known->observes);
	asked_write(&json, &counts);
	devices_write(&json, known);
	begin(&json, "shapes", '[');
	for (const struct known_shape *one = known->first; one != NULL; one = one->next)
		shape_write(&json, known, &counts, one);
	end(&json, ']');
	losses_write(&json, known, losses, spans_lost);
	end(&json, '}');
	(void)fputc('\n', json.file);
	is_written = ferror(json.file) == 0;
	is_written = fclose(json.file) == 0 && is_written && rename(partial, path) == 0;
out:
	if (!is_written && partial != NULL)
		(void)unlink(partial);
	free(path);
	free(partial);
	return is_written;
}
