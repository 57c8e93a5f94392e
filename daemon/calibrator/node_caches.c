/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel tells of the caches of this node's processors. */
#include "daemon/calibrator/node_caches.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *folder = "/sys/devices/system/cpu";

enum { PROCESSORS_MAX = 1024, INDICES_MAX = 8, PATH_BYTES = 512, TEXT_BYTES = 128 };

static bool read_text(unsigned processor, unsigned index, const char *name, char text[TEXT_BYTES])
{
	char path[PATH_BYTES];
	(void)snprintf(path, sizeof path, "%s/cpu%u/cache/index%u/%s", folder, processor, index,
	               name);
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return false;
	bool is_read = fgets(text, TEXT_BYTES, file) != NULL;
	(void)fclose(file);
	if (is_read)
		text[strcspn(text, "\n")] = '\0';
	return is_read;
}

/* "32K", "1024K", "32M"; 0: none. */
static double bytes_of(const char *text)
{
	char *end;
	double bytes = strtod(text, &end);
	if (end == text || !(bytes > 0) || !isfinite(bytes))
		return 0;
	return *end == 'K' ? bytes * 1024 : *end == 'M' ? bytes * 1048576 : bytes;
}

/* A processor's data caches; false: no such processor. */
static bool read_processor(unsigned processor, struct node_caches *caches)
{
	char text[TEXT_BYTES], path[PATH_BYTES];
	for (unsigned index = 0; index < INDICES_MAX; index++) {
		if (!read_text(processor, index, "type", text) || strcmp(text, "Instruction") == 0)
			continue;
		if (!read_text(processor, index, "level", text))
			continue;
		unsigned long level = strtoul(text, NULL, 10);
		double bytes = read_text(processor, index, "size", text) ? bytes_of(text) : 0;
		if (level < 1 || level > NODE_CACHES_MAX || !(bytes > 0))
			continue;
		bool is_own = read_text(processor, index, "shared_cpu_list", text) &&
		              strpbrk(text, ",-") == NULL;
		caches->level[level - 1] = (struct node_cache){bytes, bytes, is_own};
		if (level > caches->count)
			caches->count = (unsigned)level;
	}
	(void)snprintf(path, sizeof path, "%s/cpu%u", folder, processor);
	return access(path, F_OK) == 0;
}

void node_caches_read_from(const char *name)
{
	folder = name;
}

void node_caches_read(struct node_caches *caches)
{
	*caches = (struct node_caches){.count = 0};
	for (unsigned processor = 0; processor < PROCESSORS_MAX; processor++) {
		struct node_caches one = {.count = 0};
		if (!read_processor(processor, &one))
			break;
		if (processor == 0)
			*caches = one;
		if (one.count < caches->count)
			caches->count = one.count;
		for (unsigned i = 0; i < caches->count; i++) {
			struct node_cache *cache = &caches->level[i];
			cache->least_bytes = fmin(cache->least_bytes, one.level[i].least_bytes);
			cache->most_bytes = fmax(cache->most_bytes, one.level[i].most_bytes);
			cache->is_own = cache->is_own && one.level[i].is_own;
		}
	}
	for (unsigned i = 0; i < caches->count; i++)
		if (!(caches->level[i].least_bytes > 0))
			caches->count = i;
}
