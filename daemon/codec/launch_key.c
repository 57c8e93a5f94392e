/* SPDX-License-Identifier: Apache-2.0 */
/* What tells one launch of a kernel from another. */
#include "daemon/codec/launch_key.h"

#include "model/device/sample.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

enum { LANES_MAX = 16, ARGUMENT_TEXT_MAX = 480 };

/* A few words hashed on from `hash`. */
static uint64_t mix(uint64_t hash, const uint64_t *words, size_t count)
{
	return XXH3_64bits_withSeed(words, count * sizeof words[0], hash);
}

static uint64_t mix_sizes(const struct launch *launch)
{
	uint64_t words[10] = {launch->dimensions};
	for (size_t i = 0; i < 3; i++) {
		words[1 + i] = launch->global[i];
		words[4 + i] = launch->has_local ? launch->local[i] : 0;
		words[7 + i] = launch->offset[i];
	}
	return mix(0, words, 10);
}

static uint64_t mix_argument(uint64_t hash, const struct launch_argument *argument)
{
	uint64_t words[5 + LANES_MAX] = {argument->kind};
	size_t count = 1;
	switch (argument->kind) {
	case ARGUMENT_SCALAR:
		words[count++] = (uint64_t)argument->type.scalar << 8 | argument->type.width;
		/* integers and reals are the same bits of memory */
		memcpy(&words[count], &argument->value,
		       argument->type.width * sizeof argument->value.integer[0]);
		count += argument->type.width;
		break;
	case ARGUMENT_BUFFER:
		words[count++] = argument->size_bytes;
		/* with other data it is another launch */
		if (argument->sample != NULL) {
			words[count++] = argument->sample->key[0];
			words[count++] = argument->sample->key[1];
		}
		break;
	case ARGUMENT_IMAGE:
		words[count++] = argument->width;
		words[count++] = argument->height;
		if (argument->depth > 1 || argument->has_format) {
			words[count++] = argument->depth;
			words[count++] = argument->has_format ? 1 + (uint64_t)argument->format : 0;
		}
		break;
	case ARGUMENT_SAMPLER:
		words[count++] = argument->size_bytes;
		if (argument->sampler != 0)
			words[count++] = argument->sampler;
		break;
	default:
		words[count++] = argument->size_bytes;
		break;
	}
	return mix(hash, words, count);
}

/*
 * Runs in one state are runs of one launch. No two pauses are equally long, but a state differs
 * little within a power of ten; what comes within a microsecond is behind another launch.
 */
static uint64_t mix_state(uint64_t hash, double idle_s)
{
	if (!(idle_s > 0))
		return hash;
	const uint64_t words[] = {(uint64_t)lround(log10(fmin(fmax(idle_s, 1e-6), 1)) + 7)};
	return mix(hash, words, 1);
}

uint64_t launch_key(const struct launch *launch)
{
	uint64_t hash = mix_sizes(launch);
	for (uint32_t i = 0; i < launch->argument_count; i++)
		hash = mix_argument(hash, &launch->arguments[i]);
	return mix_state(hash, launch->idle_s);
}

uint64_t launch_question_key(const struct launch *launch)
{
	uint64_t hash = launch_key(launch), idle;
	memcpy(&idle, &launch->idle_s, sizeof idle);
	hash = mix(hash, &idle, 1);
	for (uint32_t i = 0; i < launch->argument_count; i++) {
		const struct launch_argument *argument = &launch->arguments[i];
		const uint64_t words[] = {argument->access, argument->has_range,
		                          (uint64_t)argument->low, (uint64_t)argument->high};
		hash = mix(hash, words, 4);
	}
	for (uint32_t i = 0; i < launch->hint_count; i++) {
		uint64_t words[] = {launch->hints[i].is_branch, launch->hints[i].line, 0};
		memcpy(&words[2], &launch->hints[i].value, sizeof words[2]);
		hash = mix(hash, words, 3);
	}
	return hash;
}

double launch_items(const struct launch *launch)
{
	double items = 1;
	for (uint32_t i = 0; i < launch->dimensions; i++)
		items *= (double)launch->global[i];
	return items < 1 ? 1 : items;
}

static void format_scalar(const struct launch_argument *argument, char *text, size_t room)
{
	char type[16];
	type_format(argument->type, type);
	int used = snprintf(text, room, "%s:", type);
	for (unsigned i = 0; i < argument->type.width && used > 0 && (size_t)used < room; i++) {
		const char *comma = i == 0 ? "" : ",";
		if (type_is_integer(argument->type))
			used += snprintf(text + used, room - (size_t)used, "%s%" PRId64, comma,
			                 argument->value.integer[i]);
		else
			used += snprintf(text + used, room - (size_t)used, "%s%.9g", comma,
			                 argument->value.real[i]);
	}
}

static void format_argument(const struct launch_argument *argument, char *text, size_t room)
{
	static const char *const accesses[] = {"", ":r", ":w", ":rw"};
	const char *access = argument->access < 4 ? accesses[argument->access] : "";
	switch (argument->kind) {
	case ARGUMENT_SCALAR:
		format_scalar(argument, text, room);
		break;
	case ARGUMENT_LOCAL:
		snprintf(text, room, "local:%" PRIu64, argument->size_bytes);
		break;
	case ARGUMENT_STRUCT:
		snprintf(text, room, "bytes:%" PRIu64, argument->size_bytes);
		break;
	case ARGUMENT_IMAGE:
		snprintf(text, room, "image:%" PRIu32 "x%" PRIu32, argument->width,
		         argument->height);
		break;
	case ARGUMENT_SAMPLER:
		snprintf(text, room, "sampler");
		break;
	default:
		snprintf(text, room, "buffer:%" PRIu64 "%s", argument->size_bytes, access);
		break;
	}
}

void launch_format_arguments(const struct launch *launch, char *text, size_t room)
{
	char one[ARGUMENT_TEXT_MAX];
	size_t used = 0;
	text[0] = '\0';
	for (uint32_t i = 0; i < launch->argument_count; i++) {
		format_argument(&launch->arguments[i], one, sizeof one);
		size_t length = strlen(one), wanted = length + (i > 0) + sizeof " ...";
		if (wanted > room - used) {
			snprintf(text + used, room - used, "%s...", i > 0 ? " " : "");
			return;
		}
		used += (size_t)snprintf(text + used, room - used, "%s%s", i > 0 ? " " : "", one);
	}
}
