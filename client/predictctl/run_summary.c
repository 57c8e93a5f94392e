/* SPDX-License-Identifier: Apache-2.0 */
/* What a run's processes launched, summed up by kernel. */
#include "client/predictctl/run_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double run_kernel_ratio(const struct run_kernel *kernel)
{
	return kernel->compared_launches > 0
	               ? run_ratio(kernel->predicted_time_s, kernel->observed_time_s)
	               : 0;
}

double run_ratio(double predicted_s, double observed_s)
{
	return predicted_s > 0 && observed_s > 0 ? predicted_s / observed_s : 0;
}

/* ---- kernels ------------------------------------------------------------------------------- */

/* A shape and where it is from, while they are sorted. */
struct entry {
	const struct run_record *record;
	const struct run_shape *shape;
};

static const struct run_device *device_of(const struct entry *entry)
{
	return &entry->record->devices[entry->shape->device];
}

static int compare_kernels(const struct entry *a, const struct entry *b)
{
	int order = strcmp(a->shape->kernel, b->shape->kernel);
	if (order == 0)
		order = strcmp(a->shape->program, b->shape->program);
	return order != 0 ? order : strcmp(device_of(a)->key, device_of(b)->key);
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = compare_kernels(x, y);
	if (order != 0)
		return order;
	double x_s = x->shape->total_time_s, y_s = y->shape->total_time_s;
	return (x_s < y_s) - (x_s > y_s);
}

static int compare_totals(const void *a, const void *b)
{
	const struct run_kernel *x = a, *y = b;
	int order = (x->total_time_s < y->total_time_s) - (x->total_time_s > y->total_time_s);
	return order != 0 ? order : (x->launches < y->launches) - (x->launches > y->launches);
}

static void kernel_add(struct run_kernel *kernel, const struct run_shape *shape)
{
	kernel->shape_count++;
	kernel->launches += shape->launches;
	if (shape->has_answer && !shape->is_fallback) {
		kernel->predicted_launches += shape->launches - shape->near;
		kernel->near_launches += shape->near;
	}
	kernel->fallback_launches += shape->is_fallback ? shape->launches : 0;
	kernel->untimed += shape->untimed;
	kernel->overlapped += shape->overlapped;
	kernel->failed += shape->failed;
	kernel->total_time_s += shape->total_time_s;
}

/*
 * Predicted beside observed, of the shapes that ran well; a driver may compile at a first launch,
 * and those that overlap others take their time. Where there are no others, they are shown, and not
 * compared.
 */
static void kernel_compare(struct run_kernel *kernel, bool is_clean)
{
	double launches = 0;
	for (size_t i = 0; i < kernel->shape_count; i++) {
		const struct run_shape *shape = kernel->shapes[i];
		double more = (double)(is_clean ? shape->clean : shape->timed);
		if (!(run_ratio(shape->answer.time_s, shape->time_s) > 0) || !(more > 0))
			continue;
		double share = more / (launches + more);
		kernel->predicted_time_s +=
		        share * (shape->answer.time_s - kernel->predicted_time_s);
		kernel->observed_time_s += share * (shape->time_s - kernel->observed_time_s);
		launches += more;
		kernel->compared_launches += is_clean ? shape->clean : 0;
	}
	if (is_clean && !(launches > 0))
		kernel_compare(kernel, false);
}

static void kernels_make(const struct entry *entries, size_t count, struct run_summary *summary)
{
	for (size_t i = 0; i < count; i++) {
		const struct entry *entry = &entries[i];
		summary->by_kernel[i] = entry->shape;
		if (i == 0 || compare_kernels(&entries[i - 1], entry) != 0)
			summary->kernels[summary->kernel_count++] =
			        (struct run_kernel){.record = entry->record,
			                            .device = device_of(entry),
			                            .name = entry->shape->kernel,
			                            .shapes = &summary->by_kernel[i]};
		kernel_add(&summary->kernels[summary->kernel_count - 1], entry->shape);
	}
	for (size_t i = 0; i < summary->kernel_count; i++) {
		struct run_kernel *kernel = &summary->kernels[i];
		kernel_compare(kernel, true);
		if (summary->total_time_s > 0)
			kernel->share = kernel->total_time_s / summary->total_time_s;
	}
	qsort(summary->kernels, summary->kernel_count, sizeof *summary->kernels, compare_totals);
}

/* ---- reasons ------------------------------------------------------------------------------- */

static const char *reason_of(const struct run_shape *shape)
{
	return !shape->has_answer ? shape->why : shape->answer.note;
}

static int compare_reasons(const void *a, const void *b)
{
	const struct run_shape *const *x = a, *const *y = b;
	return strcmp(reason_of(*x), reason_of(*y));
}

static int compare_counts(const void *a, const void *b)
{
	const struct run_reason *x = a, *y = b;
	return (x->launches < y->launches) - (x->launches > y->launches);
}

/* Of the shapes of which there is no prediction, or a fallback. */
static bool reasons_make(const struct entry *entries, size_t count, struct run_summary *summary)
{
	const struct run_shape **missed = calloc(count + 1, sizeof *missed);
	size_t missed_count = 0;
	if (missed == NULL)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!entries[i].shape->has_answer || entries[i].shape->is_fallback)
			missed[missed_count++] = entries[i].shape;
	qsort(missed, missed_count, sizeof *missed, compare_reasons);
	for (size_t i = 0; i < missed_count; i++) {
		const char *why = reason_of(missed[i]);
		if (i == 0 || strcmp(reason_of(missed[i - 1]), why) != 0)
			summary->reasons[summary->reason_count++] = (struct run_reason){.why = why};
		struct run_reason *reason = &summary->reasons[summary->reason_count - 1];
		reason->launches += missed[i]->launches;
		reason->shapes++;
	}
	qsort(summary->reasons, summary->reason_count, sizeof *summary->reasons, compare_counts);
	free(missed);
	return true;
}

/* ---- devices ------------------------------------------------------------------------------- */

static void kinds_add(struct run_device *sum, const struct run_device *one)
{
	for (size_t i = 0; i < one->kind_count; i++) {
		const struct run_transfers *from = &one->kinds[i];
		size_t at = 0;
		while (at < sum->kind_count && strcmp(sum->kinds[at].kind, from->kind) != 0)
			at++;
		if (at == RUN_KINDS_MAX)
			continue;
		struct run_transfers *to = &sum->kinds[at];
		if (at == sum->kind_count) {
			*to = *from;
			sum->kind_count++;
			continue;
		}
		to->count += from->count;
		to->untimed += from->untimed;
		to->failed += from->failed;
		to->blocking += from->blocking;
		to->bytes += from->bytes;
		to->timed_bytes += from->timed_bytes;
		to->time_s += from->time_s;
	}
}

static void device_add(struct run_summary *summary, const struct run_device *one)
{
	size_t at = 0;
	while (at < summary->device_count && strcmp(summary->devices[at].sum.key, one->key) != 0)
		at++;
	struct run_device *sum = &summary->devices[at].sum;
	if (at == summary->device_count) {
		*sum = *one;
		summary->device_count++;
		return;
	}
	if (one->launches_when_idle > sum->launches_when_idle)
		sum->launch_time_s = one->launch_time_s;
	sum->launches += one->launches;
	sum->gaps += one->gaps;
	sum->launches_when_idle += one->launches_when_idle;
	sum->span_s += one->span_s;
	sum->idle_s += one->idle_s;
	sum->unqueued_s += one->unqueued_s;
	kinds_add(sum, one);
}

/* ---- the whole ----------------------------------------------------------------------------- */

static void totals_add(struct run_summary *summary, const struct run_shape *shape)
{
	summary->shapes++;
	summary->launches += shape->launches;
	summary->total_time_s += shape->total_time_s;
	if (shape->has_answer && !shape->is_fallback) {
		summary->predicted_launches += shape->launches - shape->near;
		summary->near_launches += shape->near;
		summary->predicted_shapes++;
		summary->taught_shapes += shape->answer.taught > 0;
	} else if (shape->is_fallback) {
		summary->fallback_launches += shape->launches;
		summary->fallback_shapes++;
	}
}

bool run_summary_make(const struct run_record *records, size_t count, struct run_summary *summary)
{
	size_t shapes = 0, devices = 0, filled = 0;
	*summary = (struct run_summary){.records = records, .record_count = count};
	for (size_t i = 0; i < count; i++) {
		shapes += records[i].shape_count;
		devices += records[i].device_count;
	}
	struct entry *entries = calloc(shapes + 1, sizeof *entries);
	summary->by_kernel = calloc(shapes + 1, sizeof *summary->by_kernel);
	summary->kernels = calloc(shapes + 1, sizeof *summary->kernels);
	summary->reasons = calloc(shapes + 1, sizeof *summary->reasons);
	summary->devices = calloc(devices + 1, sizeof *summary->devices);
	bool has_memory = entries != NULL && summary->by_kernel != NULL &&
	                  summary->kernels != NULL && summary->reasons != NULL &&
	                  summary->devices != NULL;
	for (size_t i = 0; i < count && has_memory; i++) {
		for (size_t j = 0; j < records[i].device_count; j++)
			device_add(summary, &records[i].devices[j]);
		/* a kernel that was set up and never launched is no launch's reason */
		for (size_t j = 0; j < records[i].shape_count; j++)
			if (records[i].shapes[j].launches > 0) {
				totals_add(summary, &records[i].shapes[j]);
				entries[filled++] =
				        (struct entry){&records[i], &records[i].shapes[j]};
			}
	}
	if (has_memory) {
		qsort(entries, filled, sizeof *entries, compare_entries);
		kernels_make(entries, filled, summary);
		has_memory = reasons_make(entries, filled, summary);
	}
	for (size_t i = 0; i < summary->kernel_count && has_memory; i++)
		for (size_t j = 0; j < summary->device_count; j++)
			if (strcmp(summary->devices[j].sum.key, summary->kernels[i].device->key) ==
			    0)
				summary->devices[j].time_s += summary->kernels[i].total_time_s;
	free(entries);
	return has_memory;
}

void run_summary_deinit(struct run_summary *summary)
{
	free(summary->by_kernel);
	free(summary->kernels);
	free(summary->reasons);
	free(summary->devices);
	*summary = (struct run_summary){.records = NULL};
}

static double miss_of(const struct run_shape *shape)
{
	double ratio = shape->has_answer && !shape->is_fallback && shape->clean > 0
	                       ? run_ratio(shape->answer.time_s, shape->time_s)
	                       : 0;
	return ratio > 0 ? fabs(log(ratio)) : 0;
}

size_t run_worst(const struct run_summary *summary, struct run_miss *worst, size_t count)
{
	size_t found = 0;
	for (size_t i = 0; i < summary->kernel_count; i++)
		for (size_t j = 0; j < summary->kernels[i].shape_count; j++) {
			const struct run_kernel *kernel = &summary->kernels[i];
			const struct run_shape *shape = kernel->shapes[j];
			size_t at = found;
			while (at > 0 && miss_of(worst[at - 1].shape) < miss_of(shape))
				at--;
			if (at == count || !(miss_of(shape) > 0))
				continue;
			found += found < count;
			memmove(&worst[at + 1], &worst[at], (found - at - 1) * sizeof *worst);
			worst[at] = (struct run_miss){kernel, shape};
		}
	return found;
}
