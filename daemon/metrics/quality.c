/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of errors. */
#include "daemon/metrics/quality.h"

#include "proto/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t filled(uint64_t total, size_t room)
{
	return total < room ? (size_t)total : room;
}

static int compare(const void *first, const void *second)
{
	const float *a = first, *b = second;
	return (*a > *b) - (*a < *b);
}

/* Of at most QUALITY_WINDOW, at least one. */
static double median(const float *errors, size_t count)
{
	float sorted[QUALITY_WINDOW];
	memcpy(sorted, errors, count * sizeof *errors);
	qsort(sorted, count, sizeof *sorted, compare);
	return 0.5 * ((double)sorted[(count - 1) / 2] + (double)sorted[count / 2]);
}

double quality_median(const struct quality_window *window)
{
	return median(window->errors, filled(window->total, QUALITY_WINDOW));
}

double quality_coverage(const struct quality_window *window)
{
	return (double)window->within / (double)filled(window->total, QUALITY_WINDOW);
}

double quality_kernel_median(const struct quality_kernel *kernel)
{
	return median(kernel->errors, filled(kernel->total, QUALITY_KERNEL_WINDOW));
}

/* ---- devices ------------------------------------------------------------------------------- */

static struct quality_device *device_get(struct quality *quality, uint64_t hash)
{
	struct quality_device *device;
	HASH_FIND(hh, quality->devices, &hash, sizeof hash, device);
	if (device != NULL || HASH_COUNT(quality->devices) >= QUALITY_DEVICES_MAX)
		return device;
	device = calloc(1, sizeof *device);
	if (device == NULL)
		return NULL;
	device->device = hash;
	HASH_ADD(hh, quality->devices, device, sizeof device->device, device);
	if (device->hh.tbl == NULL) {
		free(device);
		return NULL;
	}
	return device;
}

static void window_add(struct quality_window *window, float error, bool is_within)
{
	size_t place = window->total % QUALITY_WINDOW;
	if (window->total >= QUALITY_WINDOW && window->is_within[place])
		window->within--;
	window->errors[place] = error;
	window->is_within[place] = is_within;
	window->within += is_within ? 1 : 0;
	window->total++;
}

/* ---- kernels ------------------------------------------------------------------------------- */

static void kernel_remove(struct quality *quality, struct quality_kernel *kernel)
{
	HASH_DEL(quality->kernels, kernel);
	free(kernel);
}

/* Becomes the one observed last; the one observed longest ago makes room. */
static void kernel_add(struct quality *quality, uint64_t device, const char *name, float error)
{
	struct quality_kernel_key key = {.device = device};
	struct quality_kernel *kernel;
	strncpy(key.name, name, sizeof key.name - 1);
	text_clean(key.name); /* cut within a character, perhaps, of which nothing is to stay */
	size_t length = strlen(key.name);
	memset(key.name + length, 0, sizeof key.name - length);
	HASH_FIND(hh, quality->kernels, &key, sizeof key, kernel);
	if (kernel != NULL) {
		HASH_DEL(quality->kernels, kernel);
	} else {
		if (HASH_COUNT(quality->kernels) >= QUALITY_KERNELS_MAX)
			kernel_remove(quality, quality->kernels);
		kernel = calloc(1, sizeof *kernel);
		if (kernel == NULL)
			return;
		kernel->key = key;
	}
	kernel->errors[kernel->total++ % QUALITY_KERNEL_WINDOW] = error;
	HASH_ADD(hh, quality->kernels, key, sizeof kernel->key, kernel);
	if (kernel->hh.tbl == NULL)
		free(kernel);
}

void quality_forget_kernels(struct quality *quality)
{
	struct quality_kernel *kernel, *next;
	HASH_ITER(hh, quality->kernels, kernel, next)
	kernel_remove(quality, kernel);
}

/* ---- runs ---------------------------------------------------------------------------------- */

void quality_add(struct quality *quality, const struct quality_run *run, const char *kernel)
{
	double error = fabs(log(run->predicted_s / run->measured_s));
	if (!isfinite(error) || run->basis >= BASIS_COUNT)
		return;
	struct quality_device *device = device_get(quality, run->device);
	if (device == NULL)
		return;
	struct quality_window **window = &device->windows[run->kind][run->basis];
	if (*window == NULL)
		*window = calloc(1, sizeof **window);
	if (*window != NULL)
		window_add(*window, (float)error,
		           run->measured_s >= run->low_s && run->measured_s <= run->high_s);
	if (kernel != NULL)
		kernel_add(quality, run->device, kernel, (float)error);
}

void quality_deinit(struct quality *quality)
{
	struct quality_device *device, *next;
	HASH_ITER(hh, quality->devices, device, next)
	{
		HASH_DEL(quality->devices, device);
		for (unsigned kind = 0; kind < CORRECTION_KINDS; kind++)
			for (unsigned basis = 0; basis < BASIS_COUNT; basis++)
				free(device->windows[kind][basis]);
		free(device);
	}
	quality_forget_kernels(quality);
}
