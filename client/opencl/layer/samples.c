/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A handful of samples, each up to 64 KiB: those that no shape has make room for others, the oldest
 * first. Memory that is not there is not read, so that a buffer keeps the size that it has.
 */
#include "client/opencl/layer/samples.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "client/opencl/layer/layer.h"

enum { SAMPLES_MAX = 64, PAGES_MAX = 16 };

struct kept {
	uint64_t hash;
	predictd_sample *sample;
	bool is_pinned;
};

struct reading {
	const unsigned char *data;
	XXH3_state_t *hash;
	uintptr_t page;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct kept kept[SAMPLES_MAX];
static size_t kept_count, oldest;
static double left_s = -1; /* negative: the environment was not asked */

static double now_s(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* What a program may spend on samples, all in all. */
static double budget(void)
{
	const char *seconds = getenv("PREDICTD_LAYER_SAMPLE_S");
	const char *samples = getenv("PREDICTD_SAMPLES");
	char *end = NULL;
	double value = 0.05;
	if (seconds != NULL && *seconds != '\0') {
		value = strtod(seconds, &end);
		if (*end != '\0' || !(value >= 0 && value <= 1e6))
			value = 0.05;
	}
	if (layer_wanted != LAYER_ALL || (samples != NULL && strcmp(samples, "no") == 0))
		value = 0;
	return value;
}

/* Whether all of it is in memory. */
static bool is_there(const struct reading *reading, const unsigned char *from, size_t size)
{
	unsigned char pages[PAGES_MAX];
	const uintptr_t begin = (uintptr_t)from & ~(reading->page - 1);
	const size_t length = (uintptr_t)from + size - begin;
	const size_t count = (length + reading->page - 1) / reading->page;
	if (count > PAGES_MAX || mincore((void *)begin, length, pages) != 0)
		return false;
	for (size_t i = 0; i < count; i++)
		if ((pages[i] & 1) == 0)
			return false;
	return true;
}

static bool read_some(uint64_t offset, void *bytes, size_t size, void *context)
{
	struct reading *reading = context;
	const unsigned char *from = reading->data + offset;
	if (!is_there(reading, from, size))
		return false;
	memcpy(bytes, from, size);
	(void)XXH3_64bits_update(reading->hash, &offset, sizeof offset);
	(void)XXH3_64bits_update(reading->hash, bytes, size);
	return true;
}

/* With the lock: takes the sample. A place was found for it already. */
static void put(uint64_t hash, predictd_sample *sample)
{
	struct kept *place = NULL;
	for (size_t i = 0; i < kept_count; i++)
		if (kept[i].hash == hash) {
			predictd_sample_free(sample);
			return;
		}
	if (kept_count < SAMPLES_MAX)
		place = &kept[kept_count++];
	for (size_t i = 0; place == NULL && i < SAMPLES_MAX; i++) {
		struct kept *next = &kept[oldest++ % SAMPLES_MAX];
		place = next->is_pinned ? NULL : next;
	}
	predictd_sample_free(place->sample);
	*place = (struct kept){hash, sample, false};
}

static bool has_room(void)
{
	bool has = kept_count < SAMPLES_MAX;
	for (size_t i = 0; i < kept_count; i++)
		has |= !kept[i].is_pinned;
	return has;
}

uint64_t samples_take(const void *data, uint64_t size_bytes)
{
	uint64_t hash = 0;
	predictd_sample *sample = NULL;
	(void)pthread_mutex_lock(&mutex);
	if (left_s < 0)
		left_s = budget();
	if (left_s > 0 && has_room()) {
		const double begin_s = now_s();
		XXH3_state_t *state = XXH3_createState();
		struct reading reading = {data, state, (uintptr_t)sysconf(_SC_PAGESIZE)};
		if (state != NULL) {
			(void)XXH3_64bits_reset_withSeed(state, size_bytes);
			if (predictd_sample_read(read_some, &reading, size_bytes, NULL, &sample) ==
			    PREDICTD_OK) {
				hash = XXH3_64bits_digest(state) | 1;
				put(hash, sample);
			}
		}
		(void)XXH3_freeState(state);
		left_s -= now_s() - begin_s;
		left_s = left_s < 0 ? 0 : left_s;
	}
	(void)pthread_mutex_unlock(&mutex);
	return hash;
}

const predictd_sample *samples_pin(uint64_t hash)
{
	const predictd_sample *sample = NULL;
	(void)pthread_mutex_lock(&mutex);
	for (size_t i = 0; i < kept_count; i++)
		if (kept[i].hash == hash) {
			kept[i].is_pinned = true;
			sample = kept[i].sample;
		}
	(void)pthread_mutex_unlock(&mutex);
	return sample;
}

void samples_forget(void)
{
	mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	kept_count = oldest = 0;
	memset(kept, 0, sizeof kept);
	left_s = -1;
}
