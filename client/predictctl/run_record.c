/* SPDX-License-Identifier: Apache-2.0 */
/* Records of processes: read, and checked. */
#include "client/predictctl/run_record.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const kinds[] = {"write", "read", "copy", "fill", "map", "unmap", "migrate"};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ---- values -------------------------------------------------------------------------------- */

/* Where the first fault was found; reading goes on with zeros. */
struct reader {
	struct complaint *why;
	const char *where;
	bool is_wrong;
};

static void wrong(struct reader *reader, const char *name, const char *want)
{
	if (!reader->is_wrong)
		(void)refuse(reader->why, "%s: %s: want %s", reader->where, name, want);
	reader->is_wrong = true;
}

static uint64_t count_of(struct reader *reader, const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);
	json_int_t number = json_integer_value(value);
	if (!json_is_integer(value) || number < 0 || number > 1LL << 53) {
		wrong(reader, name, "a count");
		return 0;
	}
	return (uint64_t)number;
}

/* A time, or what is measured in seconds: the year is one that sums stay finite in. */
static double seconds_of(struct reader *reader, const json_t *object, const char *name)
{
	const double seconds_max = 1e12;
	const json_t *value = json_object_get(object, name);
	double number = json_number_value(value);
	if (json_is_null(value))
		return 0;
	if (!json_is_number(value) || !(number >= 0) || number > seconds_max) {
		wrong(reader, name, "seconds");
		return 0;
	}
	return number;
}

static const char *text_of(struct reader *reader, const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));
	if (text == NULL)
		wrong(reader, name, "a text");
	return text != NULL ? text : "";
}

static bool truth_of(struct reader *reader, const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);
	if (!json_is_boolean(value))
		wrong(reader, name, "true or false");
	return json_is_true(value);
}

static uint32_t sizes_of(struct reader *reader, const json_t *object, const char *name,
                         uint64_t sizes[3])
{
	const json_t *list = json_object_get(object, name);
	size_t count = json_array_size(list);
	if (count > 3)
		wrong(reader, name, "three sizes at most");
	for (size_t i = 0; i < count && i < 3; i++) {
		json_int_t size = json_integer_value(json_array_get(list, i));
		sizes[i] = size > 0 ? (uint64_t)size : 0;
	}
	return (uint32_t)(count < 3 ? count : 3);
}

/* ---- parts --------------------------------------------------------------------------------- */

static void transfers_read(struct reader *reader, const json_t *from, struct run_transfers *some)
{
	*some = (struct run_transfers){.kind = text_of(reader, from, "kind"),
	                               .count = count_of(reader, from, "count"),
	                               .untimed = count_of(reader, from, "untimed"),
	                               .failed = count_of(reader, from, "failed"),
	                               .blocking = count_of(reader, from, "blocking"),
	                               .bytes = count_of(reader, from, "bytes"),
	                               .timed_bytes = count_of(reader, from, "timed_bytes"),
	                               .time_s = seconds_of(reader, from, "time_s")};
}

static void device_read(struct reader *reader, const json_t *from, struct run_device *device)
{
	const json_t *list = json_object_get(from, "transfers");
	*device = (struct run_device){.key = text_of(reader, from, "key"),
	                              .name = text_of(reader, from, "name"),
	                              .launches = count_of(reader, from, "launches"),
	                              .gaps = count_of(reader, from, "gaps"),
	                              .launches_when_idle =
	                                      count_of(reader, from, "launches_when_idle"),
	                              .span_s = seconds_of(reader, from, "span_s"),
	                              .idle_s = seconds_of(reader, from, "idle_s"),
	                              .unqueued_s = seconds_of(reader, from, "unqueued_s"),
	                              .launch_time_s = seconds_of(reader, from, "launch_time_s"),
	                              .kind_count = json_array_size(list)};
	if (device->kind_count > RUN_KINDS_MAX) {
		wrong(reader, "transfers", "fewer kinds");
		device->kind_count = 0;
	}
	for (size_t i = 0; i < device->kind_count; i++)
		transfers_read(reader, json_array_get(list, i), &device->kinds[i]);
}

static void answer_read(struct reader *reader, const json_t *from, struct run_shape *shape)
{
	struct run_answer *answer = &shape->answer;
	*answer = (struct run_answer){.time_s = seconds_of(reader, from, "time_s"),
	                              .low_s = seconds_of(reader, from, "low_s"),
	                              .high_s = seconds_of(reader, from, "high_s"),
	                              .launch_time_s = seconds_of(reader, from, "launch_time_s"),
	                              .basis = text_of(reader, from, "basis"),
	                              .bottleneck = text_of(reader, from, "bottleneck"),
	                              .note = text_of(reader, from, "note"),
	                              .taught = count_of(reader, from, "taught")};
	shape->has_answer = true;
	shape->is_fallback = strcmp(answer->basis, predictd_basis_name(PREDICTD_FALLBACK)) == 0;
}

static void shape_read(struct reader *reader, const json_t *from, size_t device_count,
                       struct run_shape *shape)
{
	const json_t *answer = json_object_get(from, "predicted");
	*shape = (struct run_shape){.kernel = text_of(reader, from, "kernel"),
	                            .program = text_of(reader, from, "program"),
	                            .device = (size_t)count_of(reader, from, "device"),
	                            .launches = count_of(reader, from, "launches"),
	                            .untimed = count_of(reader, from, "untimed"),
	                            .failed = count_of(reader, from, "failed"),
	                            .overlapped = count_of(reader, from, "overlapped"),
	                            .timed = count_of(reader, from, "timed"),
	                            .clean = count_of(reader, from, "clean"),
	                            .near = count_of(reader, from, "near"),
	                            .total_time_s = seconds_of(reader, from, "total_time_s"),
	                            .time_s = seconds_of(reader, from, "time_s")};
	shape->dimensions = sizes_of(reader, from, "global", shape->global);
	(void)sizes_of(reader, from, "local", shape->local);
	if (shape->near > shape->launches)
		wrong(reader, "near", "launches at most");
	if (shape->device >= device_count)
		wrong(reader, "device", "the number of one of its devices");
	if (answer != NULL)
		answer_read(reader, answer, shape);
	else
		shape->why = text_of(reader, from, "why");
}

/* ---- the whole ----------------------------------------------------------------------------- */

static void lists_read(struct reader *reader, struct run_record *record)
{
	const json_t *devices = json_object_get(record->json, "devices");
	const json_t *shapes = json_object_get(record->json, "shapes");
	record->device_count = json_array_size(devices);
	record->shape_count = json_array_size(shapes);
	if (record->device_count > RUN_DEVICES_MAX || record->shape_count > RUN_SHAPES_MAX) {
		reader->where = "record";
		wrong(reader, "devices, shapes", "fewer");
		record->device_count = record->shape_count = 0;
	}
	record->devices = calloc(record->device_count + 1, sizeof *record->devices);
	record->shapes = calloc(record->shape_count + 1, sizeof *record->shapes);
	if (record->devices == NULL || record->shapes == NULL) {
		record->device_count = record->shape_count = 0;
		wrong(reader, "memory", "more of it");
	}
	reader->where = "devices";
	for (size_t i = 0; i < record->device_count; i++)
		device_read(reader, json_array_get(devices, i), &record->devices[i]);
	reader->where = "shapes";
	for (size_t i = 0; i < record->shape_count; i++)
		shape_read(reader, json_array_get(shapes, i), record->device_count,
		           &record->shapes[i]);
}

bool run_record_parse(const char *text, size_t size, struct run_record *record,
                      struct complaint *why)
{
	json_error_t error;
	struct reader reader = {.why = why, .where = "record"};
	*record = (struct run_record){.json = json_loadb(text, size, 0, &error)};
	if (record->json == NULL)
		return refuse(why, "line %d: %.150s", error.line, error.text);
	if (json_integer_value(json_object_get(record->json, "schema")) != 1)
		return refuse(why, "record: schema: want 1");
	const json_t *daemon = json_object_get(record->json, "daemon");
	const json_t *lost = json_object_get(record->json, "lost");
	record->pid = count_of(&reader, record->json, "pid");
	record->name = text_of(&reader, record->json, "name");
	record->mode = text_of(&reader, record->json, "mode");
	record->observes = truth_of(&reader, record->json, "observes");
	reader.where = "daemon";
	record->has_answered = truth_of(&reader, daemon, "has_answered");
	record->away = text_of(&reader, daemon, "away");
	record->sent = count_of(&reader, daemon, "sent");
	record->refused = count_of(&reader, daemon, "refused");
	record->dropped = count_of(&reader, daemon, "dropped");
	reader.where = "lost";
	record->lost_launches = count_of(&reader, lost, "launches");
	record->lost_shapes = count_of(&reader, lost, "shapes");
	record->lost_transfers = count_of(&reader, lost, "transfers");
	record->lost_spans = count_of(&reader, lost, "spans");
	lists_read(&reader, record);
	return !reader.is_wrong;
}

bool run_record_load(const char *path, struct run_record *record, struct complaint *why)
{
	struct stat about;
	*record = (struct run_record){.json = NULL};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return refuse(why, "%s", strerror(errno));
	if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) ||
	    about.st_size > RUN_RECORD_BYTES_MAX) {
		(void)close(fd);
		return refuse(why, "want a file of %d MiB at most", RUN_RECORD_BYTES_MAX >> 20);
	}
	char *text = malloc((size_t)about.st_size + 1);
	size_t used = 0, size = (size_t)about.st_size;
	for (ssize_t got; text != NULL && used < size; used += (size_t)got)
		if ((got = read(fd, text + used, size - used)) <= 0)
			break;
	(void)close(fd);
	bool is_read = text != NULL && used == size
	                       ? run_record_parse(text, size, record, why)
	                       : refuse(why, "%s", text == NULL ? "no memory" : "it is cut off");
	free(text);
	return is_read;
}

void run_record_deinit(struct run_record *record)
{
	json_decref(record->json);
	free(record->devices);
	free(record->shapes);
	*record = (struct run_record){.json = NULL};
}

/* ---- spans --------------------------------------------------------------------------------- */

const char *run_kind_name(size_t kind)
{
	return kind < KINDS ? kinds[kind] : "transfer";
}

/* Takes one number of digits alone from a line. */
static bool take(const char **line, uint64_t *number)
{
	char *end;
	if (**line != ' ' || (*line)[1] < '0' || (*line)[1] > '9')
		return false;
	errno = 0;
	*number = strtoull(*line + 1, &end, 10);
	*line = end;
	return errno == 0 && (*end == ' ' || *end == '\n' || *end == '\0');
}

bool run_span_parse(const char *line, const struct run_record *record, struct run_span *span)
{
	uint64_t numbers[6];
	size_t count = line[0] == 'L' || line[0] == 'T' ? 6 : 0;
	const char *at = line + 1;
	*span = (struct run_span){.is_launch = line[0] == 'L'};
	for (size_t i = 0; i < count; i++)
		if (!take(&at, &numbers[i]))
			return false;
	if (count == 0 || numbers[5 - span->is_launch] < numbers[4 - span->is_launch])
		return false;
	if (span->is_launch) {
		span->shape = (size_t)numbers[0];
		span->queued_s = 1e-9 * (double)numbers[1];
		span->start_s = 1e-9 * (double)numbers[3];
		span->end_s = 1e-9 * (double)numbers[4];
		span->is_first = (numbers[5] & 1) != 0;
		span->is_overlapped = (numbers[5] & 2) != 0;
		if (span->shape >= record->shape_count)
			return false;
		span->device = record->shapes[span->shape].device;
		return true;
	}
	span->kind = (size_t)numbers[0];
	span->device = (size_t)numbers[1];
	span->size_bytes = numbers[2];
	span->queued_s = 1e-9 * (double)numbers[3];
	span->start_s = 1e-9 * (double)numbers[4];
	span->end_s = 1e-9 * (double)numbers[5];
	return span->device < record->device_count;
}
