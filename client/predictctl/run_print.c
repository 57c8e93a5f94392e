/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a run, for people. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/predictctl/run.h"
#include "client/predictctl/table.h"
#include "client/predictctl/text.h"
#include "proto/text.h"

enum { KERNELS_SHOWN = 25, NOTES_SHOWN = 10, WORST_SHOWN = 5, REASONS_SHOWN = 10 };

static void time_cell(struct table *table, double time_s)
{
	char text[TEXT_MAX] = "-";
	if (time_s > 0)
		format_time(text, time_s);
	table_cell(table, "%s", text);
}

static void ratio_cell(struct table *table, double ratio)
{
	char text[TEXT_MAX] = "-";
	if (ratio > 0)
		format_number(text, ratio, 3);
	table_cell(table, "%s", text);
}

/* One line of a text that a driver or a source may have put there. */
static void line_print(FILE *file, const char *indent, const char *name, const char *value)
{
	char text[1024];
	(void)snprintf(text, sizeof text, "%.200s%s%.800s", name, name[0] != '\0' ? ": " : "",
	               value);
	text_clean(text);
	(void)fprintf(file, "%s%s\n", indent, text);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

/* ---- kernels ------------------------------------------------------------------------------- */

/* Of kernels of one name, as a tuner makes them, the begin of the program's hash tells which. */
static void name_cell(struct table *table, const struct run_summary *summary, size_t index)
{
	const struct run_kernel *kernel = &summary->kernels[index];
	bool is_alone = true;
	for (size_t i = 0; i < summary->kernel_count && is_alone; i++)
		is_alone = i == index || strcmp(summary->kernels[i].name, kernel->name) != 0 ||
		           strcmp(summary->kernels[i].shapes[0]->program,
		                  kernel->shapes[0]->program) == 0;
	if (is_alone)
		table_cell(table, "%.40s", kernel->name);
	else
		table_cell(table, "%.40s @%.4s", kernel->name, kernel->shapes[0]->program);
}

static void kernels_print(const struct run_summary *summary, FILE *file)
{
	bool has_devices = summary->device_count > 1;
	struct table *table = table_new(has_devices ? "lrrrrrrrll" : "lrrrrrrrl");
	static const char *const heads[] = {"kernel", "sizes", "launches", "predicted", "observed",
	                                    "ratio",  "total", "share",    "bottleneck"};
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
		table_cell(table, "%s", heads[i]);
	if (has_devices)
		table_cell(table, "device");
	table_rule(table);
	for (size_t i = 0; i < summary->kernel_count && i < KERNELS_SHOWN; i++) {
		const struct run_kernel *kernel = &summary->kernels[i];
		const struct run_shape *longest = kernel->shapes[0];
		name_cell(table, summary, i);
		table_cell(table, "%zu", kernel->shape_count);
		table_cell(table, "%llu", (unsigned long long)kernel->launches);
		time_cell(table, kernel->predicted_time_s);
		time_cell(table, kernel->observed_time_s);
		ratio_cell(table, run_kernel_ratio(kernel));
		time_cell(table, kernel->total_time_s);
		table_cell(table, "%.1f %%", 100 * kernel->share);
		table_cell(table, "%s%s", longest->has_answer ? longest->answer.bottleneck : "-",
		           longest->is_fallback ? " (fallback)" : "");
		if (has_devices)
			table_cell(table, "%.40s", kernel->device->name);
	}
	table_print(table, "", file);
	table_free(table);
	if (summary->kernel_count > KERNELS_SHOWN)
		(void)fprintf(file, "and %zu kernels more, which take less\n",
		              summary->kernel_count - KERNELS_SHOWN);
	(void)fputs("predicted and observed are of one launch: first answers, and medians; without "
	            "a ratio "
	            "there are\nfirst or overlapped launches alone\n",
	            file);
}

/* Whether the sentence was printed for a kernel that takes longer. */
static bool is_repeated(const struct run_summary *summary, size_t index)
{
	const char *note = summary->kernels[index].shapes[0]->answer.note;
	for (size_t i = 0; i < index; i++) {
		const struct run_shape *shape = summary->kernels[i].shapes[0];
		if (shape->has_answer && !shape->is_fallback &&
		    strcmp(shape->answer.note, note) == 0)
			return true;
	}
	return false;
}

/* What the longest kernels' answers rest on, each sentence once. */
static void notes_print(const struct run_summary *summary, FILE *file)
{
	size_t shown = 0;
	for (size_t i = 0; i < summary->kernel_count && i < KERNELS_SHOWN; i++) {
		const struct run_shape *shape = summary->kernels[i].shapes[0];
		char names[160];
		size_t more = 0;
		if (!shape->has_answer || shape->is_fallback || shape->answer.note[0] == '\0' ||
		    is_repeated(summary, i) || shown == NOTES_SHOWN)
			continue;
		if (shown++ == 0)
			(void)fputs("\nassumed\n", file);
		for (size_t j = i + 1; j < summary->kernel_count && j < KERNELS_SHOWN; j++) {
			const struct run_shape *other = summary->kernels[j].shapes[0];
			more += other->has_answer && !other->is_fallback &&
			        strcmp(other->answer.note, shape->answer.note) == 0;
		}
		(void)snprintf(names, sizeof names, "%.120s", shape->kernel);
		if (more > 0)
			(void)snprintf(names, sizeof names, "%.120s and %zu more", shape->kernel,
			               more);
		line_print(file, "  ", names, shape->answer.note);
	}
}

static void worst_print(const struct run_summary *summary, FILE *file)
{
	struct run_miss worst[WORST_SHOWN];
	size_t count = run_worst(summary, worst, WORST_SHOWN);
	struct table *table = table_new("llrrrl");
	char sizes[TEXT_MAX], bounds[TEXT_MAX];
	if (count > 0)
		(void)fputs("\npredicted worst\n", file);
	for (size_t i = 0; i < count; i++) {
		const struct run_shape *shape = worst[i].shape;
		format_sizes(sizes, shape->global, shape->dimensions);
		format_interval(bounds, shape->answer.low_s, shape->answer.high_s);
		table_cell(table, "%.40s", worst[i].kernel->name);
		table_cell(table, "%s", sizes);
		time_cell(table, shape->answer.time_s);
		time_cell(table, shape->time_s);
		ratio_cell(table, run_ratio(shape->answer.time_s, shape->time_s));
		table_cell(table, "%s", bounds);
	}
	table_print(table, "  ", file);
	table_free(table);
}

static void reasons_print(const struct run_summary *summary, FILE *file)
{
	char name[64];
	if (summary->reason_count > 0)
		(void)fputs("\nwithout a prediction\n", file);
	for (size_t i = 0; i < summary->reason_count && i < REASONS_SHOWN; i++) {
		const struct run_reason *reason = &summary->reasons[i];
		(void)snprintf(name, sizeof name, "%llu launch%s",
		               (unsigned long long)reason->launches,
		               reason->launches == 1 ? "" : "es");
		line_print(file, "  ", name, reason->why);
	}
	if (summary->reason_count > REASONS_SHOWN)
		(void)fprintf(file, "  and %zu reasons more\n",
		              summary->reason_count - REASONS_SHOWN);
}

/* ---- devices ------------------------------------------------------------------------------- */

static void transfers_print(const struct run_summary *summary, FILE *file)
{
	struct table *table = table_new("lrrrrrl");
	char bytes[TEXT_MAX], rate[TEXT_MAX];
	size_t rows = 0;
	static const char *const heads[] = {"transfers", "count", "waited for", "bytes",
	                                    "time",      "rate",  "device"};
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
		table_cell(table, "%s", heads[i]);
	table_rule(table);
	for (size_t i = 0; i < summary->device_count; i++)
		for (size_t j = 0; j < summary->devices[i].sum.kind_count; j++, rows++) {
			const struct run_transfers *some = &summary->devices[i].sum.kinds[j];
			format_bytes(bytes, (double)some->bytes);
			(void)strcpy(rate, "-");
			if (some->time_s > 0 && some->timed_bytes > 0)
				format_rate(rate, (double)some->timed_bytes / some->time_s, "B/s");
			table_cell(table, "%.20s", some->kind);
			table_cell(table, "%llu", (unsigned long long)some->count);
			table_cell(table, "%llu", (unsigned long long)some->blocking);
			table_cell(table, "%s", bytes);
			time_cell(table, some->time_s);
			table_cell(table, "%s", rate);
			table_cell(table, "%.40s", summary->devices[i].sum.name);
		}
	if (rows > 0) {
		(void)fputc('\n', file);
		table_print(table, "", file);
	}
	table_free(table);
}

/* What launches and pauses cost. */
static void idle_print(const struct run_summary *summary, FILE *file)
{
	char launch[TEXT_MAX], idle[TEXT_MAX], span[TEXT_MAX], unqueued[TEXT_MAX];
	for (size_t i = 0; i < summary->device_count; i++) {
		const struct run_device *device = &summary->devices[i].sum;
		format_time(span, device->span_s);
		format_time(idle, device->idle_s);
		format_time(unqueued, device->unqueued_s);
		if (!(device->span_s > 0))
			continue;
		line_print(file, "\n", "", device->name);
		(void)fprintf(file,
		              "  idle for %s (%.1f %%) of the %s from its first command to its "
		              "last, in %llu gaps;\n  for %s of it nothing was enqueued\n",
		              idle, 100 * device->idle_s / device->span_s, span,
		              (unsigned long long)device->gaps, unqueued);
		if (device->launches_when_idle == 0)
			continue;
		format_time(launch, device->launch_time_s);
		(void)fprintf(file,
		              "  a launch on the idle device begins %s after it is enqueued "
		              "(median of %llu)\n",
		              launch, (unsigned long long)device->launches_when_idle);
	}
}

/* ---- the whole ----------------------------------------------------------------------------- */

static void shares_print(const struct run_summary *summary, FILE *file)
{
	(void)fprintf(file,
	              "\npredicted before they ran: %.1f %% of launches, %.1f %% of kernels with "
	              "their sizes (%zu)\n",
	              percent(summary->predicted_launches, summary->launches),
	              percent(summary->predicted_shapes, summary->shapes), summary->shapes);
	if (summary->fallback_launches > 0)
		(void)fprintf(file, "by a fallback besides: %.1f %% of launches\n",
		              percent(summary->fallback_launches, summary->launches));
	if (summary->near_launches > 0)
		(void)fprintf(
		        file,
		        "by the answer for other values of their arguments: %.1f %% of launches\n",
		        percent(summary->near_launches, summary->launches));
	if (summary->taught_shapes > 0)
		(void)fprintf(file,
		              "%llu of these answers came after this run had reported times\n",
		              (unsigned long long)summary->taught_shapes);
}

static void losses_print(const struct run_summary *summary, FILE *file)
{
	uint64_t launches = 0, shapes = 0, transfers = 0, spans = 0, sent = 0, refused = 0;
	bool has_answered = false, observes = false;
	const char *away = "", *mode = "";
	for (size_t i = 0; i < summary->record_count; i++) {
		const struct run_record *one = &summary->records[i];
		launches += one->lost_launches;
		shapes += one->lost_shapes;
		transfers += one->lost_transfers;
		spans += one->lost_spans;
		sent += one->sent;
		refused += one->refused + one->dropped;
		has_answered |= one->has_answered;
		observes |= one->observes;
		away = one->away[0] != '\0' ? one->away : away;
		mode = one->mode;
	}
	if (launches > 0 || shapes > 0 || transfers > 0)
		(void)fprintf(file,
		              "not followed: %llu launches, %llu launches of kernels with further "
		              "sizes, %llu transfers\n",
		              (unsigned long long)launches, (unsigned long long)shapes,
		              (unsigned long long)transfers);
	if (spans > 0)
		(void)fprintf(file, "not in the trace: %llu launches and transfers\n",
		              (unsigned long long)spans);
	if (strcmp(mode, "times") == 0)
		(void)fputs("nothing was asked: PREDICTD_LAYER is times\n", file);
	else if (away[0] != '\0')
		line_print(file, "", has_answered ? "the daemon went away" : "nothing was asked",
		           away);
	if (observes)
		(void)fprintf(file, "reported: %llu times, of which the daemon kept %llu\n",
		              (unsigned long long)(sent + refused), (unsigned long long)sent);
}

void run_print(const struct run *run, const struct run_summary *summary, FILE *file)
{
	char time[TEXT_MAX], total[TEXT_MAX];
	format_time(time, run->time_s);
	format_time(total, summary->total_time_s);
	(void)fprintf(file,
	              "\npredictctl run: %s, of which kernels %s; %zu process%s, "
	              "%zu device%s, %llu launch%s\n\n",
	              time, total, summary->record_count, summary->record_count == 1 ? "" : "es",
	              summary->device_count, summary->device_count == 1 ? "" : "s",
	              (unsigned long long)summary->launches, summary->launches == 1 ? "" : "es");
	if (summary->launches > 0) {
		kernels_print(summary, file);
		shares_print(summary, file);
	} else {
		(void)fputs("no launch was seen\n", file);
	}
	losses_print(summary, file);
	notes_print(summary, file);
	worst_print(summary, file);
	reasons_print(summary, file);
	transfers_print(summary, file);
	idle_print(summary, file);
}
