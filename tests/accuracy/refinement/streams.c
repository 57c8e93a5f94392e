/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded streams: read, drawn from, taught. */
#include "tests/accuracy/refinement/streams.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void give_up(const char *path, unsigned line, const char *why)
{
	(void)fprintf(stderr, "%s:%u: %s\n", path, line, why);
	exit(1);
}

static uint64_t kernel_of(struct streams *streams, const char *name, char (*names)[NAME_MAX_BYTES])
{
	for (uint32_t i = 0; i < streams->kernel_count; i++)
		if (strcmp(names[i], name) == 0)
			return i + 1;
	(void)snprintf(names[streams->kernel_count], NAME_MAX_BYTES, "%s", name);
	return ++streams->kernel_count;
}

static void runs_read(struct stream_launch *launch, char *text)
{
	char *end;
	uint32_t round = 0;

	for (char *at = text; *at != '\0' && *at != '\n' && launch->run_count < RUNS_MAX;) {
		double time_s = 1e-9 * strtod(at, &end);
		if (end == at)
			break;
		launch->times_s[launch->run_count] = time_s;
		launch->round[launch->run_count++] = round;
		round += *end == '/';
		at = *end == ' ' || *end == '/' ? end + 1 : end;
	}
}

/* "0.25 int add;0.1 local load": rows of the breakdown, as shares of the static time. */
static void rows_read(struct prediction *prediction, char *text)
{
	for (char *part; (part = strsep(&text, ";")) != NULL && *part != '\0' &&
	                 prediction->row_count < PREDICTION_ROWS_MAX;) {
		struct prediction_row *row = &prediction->rows[prediction->row_count++];
		char *words;

		row->time_s = strtod(part, &words) * prediction->kernel_time_s;
		(void)snprintf(row->what, sizeof(row->what), "%s", words + strspn(words, " "));
	}
}

static bool row_read(struct streams *streams, char *line, char (*names)[NAME_MAX_BYTES])
{
	enum { COLUMNS = 12 };
	char *fields[COLUMNS], *end;
	struct stream_launch *launch = &streams->launches[streams->count];
	struct prediction prediction = {0};

	for (unsigned i = 0; i < COLUMNS; i++) {
		fields[i] = strsep(&line, ",");
		if (fields[i] == NULL)
			return false;
	}
	memset(launch, 0, sizeof(*launch));
	(void)snprintf(launch->name, sizeof(launch->name), "%s", fields[0]);
	launch->kernel = kernel_of(streams, fields[1], names);
	launch->items = strtod(fields[3], NULL);
	prediction.epoch = strtoull(fields[2], NULL, 10);
	prediction.local[0] = strtoull(fields[4], NULL, 10);
	prediction.kernel_time_s = launch->static_time_s = strtod(fields[5], NULL);
	prediction.low_s = strtod(fields[6], NULL);
	prediction.high_s = strtod(fields[7], NULL);
	end = fields[8];
	for (unsigned i = 0; i < BOTTLENECK_COUNT; i++)
		prediction.elasticity[i] = strtof(end, &end);
	prediction.is_data_dependent = strstr(fields[9], "assumed") != NULL;
	prediction.is_scalar = strstr(fields[9], "scalar") != NULL;
	rows_read(&prediction, fields[10]);
	runs_read(launch, fields[11]);
	correction_describe((streams->count + 1) * 0x9e3779b97f4a7c15u, &prediction, launch->items,
	                    &launch->launch);
	return launch->run_count > 0 && launch->static_time_s > 0;
}

void streams_load(const char *path, struct streams *streams)
{
	enum { LAUNCHES_MAX = 4096 };
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t size = 0;
	const char *name = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
	char(*names)[NAME_MAX_BYTES] = calloc(LAUNCHES_MAX, sizeof(*names));

	*streams = (struct streams){0};
	streams->launches = calloc(LAUNCHES_MAX, sizeof(*streams->launches));
	if (file == NULL || names == NULL || streams->launches == NULL)
		give_up(path, 0, "cannot be read");
	(void)snprintf(streams->device, sizeof(streams->device), "%.*s", (int)strcspn(name, "."),
	               name);
	for (unsigned number = 1; getline(&line, &size, file) > 0; number++) {
		if (number == 1)
			continue;
		if (streams->count == LAUNCHES_MAX || !row_read(streams, line, names))
			give_up(path, number, "not a row of a stream");
		streams->count++;
	}
	free(line);
	free(names);
	(void)fclose(file);
}

void streams_free(struct streams *streams)
{
	free(streams->launches);
}

/* ---- figures -------------------------------------------------------------------------------- */

double random_uniform(struct random *random)
{
	uint64_t x = random->state += 0x9e3779b97f4a7c15u; /* splitmix64 */

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

void random_shuffle(struct random *random, uint32_t *values, uint32_t count)
{
	for (uint32_t i = count; i > 1; i--) {
		uint32_t j = (uint32_t)(random_uniform(random) * i), value = values[j];
		values[j] = values[i - 1];
		values[i - 1] = value;
	}
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void figures_add(struct figures *figures, double value)
{
	if (figures->count == figures->room) {
		figures->room = 2 * figures->room + 64;
		figures->values =
		        realloc(figures->values, figures->room * sizeof(*figures->values));
		if (figures->values == NULL)
			give_up("refinement", 0, "no memory");
	}
	figures->values[figures->count++] = value;
}

double figures_quantile(struct figures *figures, double quantile)
{
	if (figures->count == 0)
		return (double)NAN;
	qsort(figures->values, figures->count, sizeof(*figures->values), by_value);
	return figures->values[(uint32_t)(quantile * (figures->count - 1))];
}

double figures_mean(const struct figures *figures)
{
	double sum = 0;

	for (uint32_t i = 0; i < figures->count; i++)
		sum += figures->values[i];
	return sum / figures->count;
}

void figures_free(struct figures *figures)
{
	free(figures->values);
	*figures = (struct figures){0};
}

double median_of(const double *values, uint32_t count)
{
	double sorted[RUNS_MAX];

	memcpy(sorted, values, count * sizeof(*values));
	qsort(sorted, count, sizeof(*sorted), by_value);
	return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

/* ---- a correction --------------------------------------------------------------------------- */

struct correction *correction_fresh(void)
{
	struct correction *correction;
	struct error error;

	if (correction_new(1024, 0, &correction, &error) != STATUS_OK)
		give_up("refinement", 0, error.text);
	return correction;
}

void teach(struct correction *correction, const struct stream_launch *launch, uint32_t uid,
           double time_s, uint32_t at_s)
{
	const struct correction_run run = {.device = DEVICE_KEY,
	                                   .kernel = launch->kernel,
	                                   .uid = uid,
	                                   .time_s = time_s,
	                                   .measured_at_s = at_s,
	                                   .launch = launch->launch};
	struct error error;

	if (correction_observe(correction, &run, NULL, &error) != STATUS_OK)
		give_up(launch->name, 0, error.text);
}

struct correction_answer ask(struct correction *correction, const struct stream_launch *launch,
                             uint32_t uid)
{
	struct correction_answer answer;

	correction_ask(correction, DEVICE_KEY, launch->kernel, uid, &launch->launch, false,
	               &answer);
	return answer;
}
