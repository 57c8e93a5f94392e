/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A knowledge that writes what it is told, a line each, to the end of the file $TOLD.PID. With
 * $TOLD_REFUSES it cannot be opened.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "client/opencl/layer/knowledge.h"

static int file = -1;

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *format, ...)
{
	char line[4096];
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	if (file >= 0 && length > 0 && length < (int)sizeof line)
		(void)!write(file, line, (size_t)length);
}

bool knowledge_open(layer_mode mode)
{
	char path[4096];
	const char *told = getenv("TOLD");
	(void)snprintf(path, sizeof path, "%s.%ld", told == NULL ? "/nonexistent" : told,
	               (long)getpid());
	file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	say("open %d\n", (int)mode);
	return getenv("TOLD_REFUSES") == NULL;
}

static void say_argument(const seen_argument *argument)
{
	static const char *const kinds[] = {"unset", "buffer",  "value",   "local",
	                                    "image", "sampler", "pointer", "null"};
	say(" %s:%llu", kinds[argument->kind], (unsigned long long)argument->size_bytes);
	if (argument->kind == SEEN_IMAGE)
		say(":%ux%ux%u", argument->width, argument->height, argument->depth);
	if (argument->type[0] != '\0')
		say(":%s", argument->type);
	if (argument->value != NULL && argument->size_bytes == 4)
		say(":%d", *(const int *)argument->value);
	if (argument->sample != NULL)
		say(":sampled");
}

void knowledge_shape(seen_shape *shape)
{
	static const char *const origins[] = {"source", "binary", "il", "builtin"};
	const seen_program *program = shape->kernel->program;
	say("shape %u %s %s '%s' headers %zu dimensions %u global %llu,%llu,%llu local "
	    "%llu,%llu,%llu offset %llu,%llu,%llu:",
	    shape->number, shape->kernel->name, origins[program->origin], program->options,
	    program->header_count, shape->dimensions, (unsigned long long)shape->global[0],
	    (unsigned long long)shape->global[1], (unsigned long long)shape->global[2],
	    (unsigned long long)shape->local[0], (unsigned long long)shape->local[1],
	    (unsigned long long)shape->local[2], (unsigned long long)shape->offset[0],
	    (unsigned long long)shape->offset[1], (unsigned long long)shape->offset[2]);
	for (uint32_t i = 0; i < shape->argument_count; i++)
		say_argument(&shape->arguments[i]);
	say("\n");
}

void knowledge_launch(seen_shape *shape, const seen_times *times)
{
	const bool is_timed = times->queued_s > 0 && times->submit_s >= times->queued_s &&
	                      times->start_s >= times->submit_s && times->end_s >= times->start_s;
	say("launch %u%s%s%s%s%s\n", shape->number, is_timed ? " timed" : "",
	    times->is_first ? " first" : "", times->is_near ? " near" : "",
	    times->overlapped ? " overlapped" : "", times->failed ? " failed" : "");
}

void knowledge_transfer(seen_transfer_kind kind, const seen_device *device, uint64_t size_bytes,
                        bool is_blocking, const seen_times *times)
{
	static const char *const kinds[] = {"write", "read",  "copy",   "fill",
	                                    "map",   "unmap", "migrate"};
	say("transfer %s %llu%s%s%s\n", kinds[kind], (unsigned long long)size_bytes,
	    is_blocking ? " blocking" : "", times->end_s > 0 ? " timed" : "",
	    device->key[0] == '\0' ? " keyless" : "");
}

void knowledge_tick(const seen_losses *losses)
{
	(void)losses;
}

double knowledge_patience_s(void)
{
	return 0;
}

void knowledge_close(const seen_losses *losses, double wait_s)
{
	(void)wait_s;
	say("close lost %llu shapeless %llu transfers %llu\n", (unsigned long long)losses->launches,
	    (unsigned long long)losses->shapes, (unsigned long long)losses->transfers);
}

void knowledge_forked(void)
{
	file = -1;
}
