/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/split/launches.h"

#include <stdlib.h>
#include <string.h>

static bool sizes_read(const char *text, size_t *sizes, unsigned count)
{
	char *end;
	for (unsigned i = 0; i < count; i++) {
		sizes[i] = strtoull(text, &end, 10);
		if (end == text || sizes[i] == 0 || *end != (i + 1 < count ? ',' : '\0'))
			return false;
		text = end + 1;
	}
	return true;
}

static bool buffer_read(struct launch *launch, size_t i, const char *text)
{
	predictd_argument *argument = &launch->arguments[i];
	char access[4], split[8];
	unsigned long long bytes;
	long long low, high;
	int got = sscanf(text, "%llu %3s %63s %7s %lld %lld", &bytes, access, launch->words[i][0],
	                 split, &low, &high);
	if (got != 4 && got != 6)
		return false;
	*argument = (predictd_argument){
	        .kind = PREDICTD_BUFFER, .size_bytes = bytes, .init = launch->words[i][0]};
	argument->access = (strchr(access, 'r') != NULL ? PREDICTD_READ : 0u) |
	                   (strchr(access, 'w') != NULL ? PREDICTD_WRITE : 0u);
	argument->has_range = got == 6;
	if (got == 6) {
		argument->low = low;
		argument->high = high;
	}
	launch->is_split[i] = strcmp(split, "split") == 0;
	return bytes > 0 && argument->access != 0;
}

static bool scalar_read(struct launch *launch, size_t i, const char *text)
{
	predictd_argument *argument = &launch->arguments[i];
	char *type = launch->words[i][1], *end;
	size_t lanes = 0, lane_bytes, room;
	int length;
	if (sscanf(text, "%63s%n", type, &length) != 1)
		return false;
	bool is_float = strncmp(type, "float", 5) == 0, is_double = strncmp(type, "double", 6) == 0;
	bool is_long = strncmp(type, "long", 4) == 0 || strncmp(type, "ulong", 5) == 0;
	*argument = (predictd_argument){.kind = PREDICTD_SCALAR, .type = type};
	lane_bytes = is_double || is_long ? 8 : 4;
	for (text += length; lanes < 16; text = end, lanes++) {
		char *at = launch->scalars[i].bytes + lanes * lane_bytes;
		double real = strtod(text, &end);
		if (end == text)
			break;
		float narrow = (float)real;
		int64_t integer = strtoll(text, NULL, 10);
		int32_t short_integer = (int32_t)integer;
		argument->integers[lanes] = integer;
		argument->reals[lanes] = real;
		memcpy(at,
		       is_double  ? (const void *)&real
		       : is_float ? (const void *)&narrow
		       : is_long  ? (const void *)&integer
		                  : (const void *)&short_integer,
		       lane_bytes);
	}
	for (room = 1; room < lanes;)
		room *= 2;
	launch->scalar_sizes[i] = room * lane_bytes;
	return lanes > 0;
}

static bool argument_read(struct launch *launch, const char *line)
{
	const size_t i = launch->argument_count;
	if (i == ARGUMENTS_MAX)
		return false;
	launch->argument_count++;
	if (strncmp(line, "buffer ", 7) == 0)
		return buffer_read(launch, i, line + 7);
	if (strncmp(line, "scalar ", 7) == 0)
		return scalar_read(launch, i, line + 7);
	if (strncmp(line, "local ", 6) != 0)
		return false;
	launch->arguments[i] = (predictd_argument){.kind = PREDICTD_LOCAL,
	                                           .size_bytes = strtoull(line + 6, NULL, 10)};
	return launch->arguments[i].size_bytes > 0;
}

bool launch_read(FILE *file, const char *path, struct launch *launch)
{
	char line[2 * LAUNCH_TEXT], global[64], local[64];
	bool is_begun = false;
	while (fgets(line, sizeof line, file) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		bool is_right = true;
		if (line[0] == '#' || line[0] == '\0')
			continue;
		if (strncmp(line, "launch ", 7) == 0) {
			memset(launch, 0, sizeof *launch);
			is_right = !is_begun &&
			           sscanf(line + 7, "%511s %511s %511s %u %63s %63s %u", launch->id,
			                  launch->kernel, launch->file, &launch->dimensions, global,
			                  local, &launch->dimension) == 7 &&
			           launch->dimensions >= 1 && launch->dimensions <= 3 &&
			           launch->dimension < launch->dimensions &&
			           sizes_read(global, launch->global, launch->dimensions) &&
			           sizes_read(local, launch->local, launch->dimensions);
			is_begun = true;
		} else if (!is_begun) {
			is_right = false;
		} else if (strcmp(line, "end") == 0) {
			return true;
		} else if (strncmp(line, "options ", 8) == 0) {
			(void)snprintf(launch->options, sizeof launch->options, "%.511s", line + 8);
		} else {
			is_right = argument_read(launch, line);
		}
		if (!is_right)
			fail("%s: cannot be read as tests/split/launches.h says: %s", path, line);
	}
	if (is_begun)
		fail("%s: %s has no end", path, launch->id);
	return false;
}

void launch_question(const struct launch *launch, const predictd_program *program,
                     predictd_question *question)
{
	*question = (predictd_question){.program = program,
	                                .kernel = launch->kernel,
	                                .dimensions = launch->dimensions,
	                                .argument_count = launch->argument_count,
	                                .arguments = launch->arguments,
	                                .static_only = true};
	for (unsigned i = 0; i < launch->dimensions; i++) {
		question->global[i] = launch->global[i];
		question->local[i] = launch->local[i];
	}
}
