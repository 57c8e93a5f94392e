/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What observations are worth: recorded streams replayed through the corrections, a row of
 * figures for each promise, beside StarPU's rules.
 *
 *   refine [--require FILE] STREAM.csv|FOLDER...
 *
 * Of a folder, all its streams. FILE has lines "DEVICE METRIC <= VALUE" (or >=); with it the output
 * is TAP, and each line's device must have a stream.
 */
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/refinement/measures.h"

enum { METRICS_MAX = 64 };

struct metric {
	char name[40];
	double value;
};

struct report {
	char device[NAME_MAX_BYTES];
	bool is_quiet;
	struct metric metrics[METRICS_MAX];
	unsigned count;
};

static void metric(struct report *report, const char *name, double value)
{
	if (report->count == METRICS_MAX)
		return;
	struct metric *metric = &report->metrics[report->count++];
	(void)snprintf(metric->name, sizeof(metric->name), "%s", name);
	metric->value = value;
}

static double percent(struct figures *figures)
{
	return 100 * expm1(figures_quantile(figures, 0.5));
}

/* A row of errors: ours, the noise floor, and what others would have said. */
static void error_row(struct report *report, const char *name, const char *what,
                      struct errors *errors, const char *must)
{
	metric(report, name, percent(&errors->corrected));
	if (report->is_quiet)
		return;
	(void)printf("%-44s %7.1f %% %7.1f %% ", what, percent(&errors->corrected),
	             percent(&errors->floor));
	if (errors->alone.count > 0)
		(void)printf("%7.1f %% ", percent(&errors->alone));
	else
		(void)printf("%9s ", "");
	(void)printf("%7.1f %% ", percent(&errors->fixed));
	if (errors->starpu.count > 0)
		(void)printf("%7.1f %% of %2.0f %%", percent(&errors->starpu),
		             100.0 * errors->starpu.count / errors->corrected.count);
	else
		(void)printf("%17s", "nothing");
	(void)printf("   %s\n", must);
}

static void value_row(struct report *report, const char *name, const char *what, double value,
                      const char *unit, const char *must)
{
	metric(report, name, value);
	if (!report->is_quiet)
		(void)printf("%-44s %7.3g %-46s %s\n", what, value, unit, must);
}

static void report_device(struct report *report, const struct streams *streams)
{
	static const unsigned counts[] = {1, 3, 10};
	static const char *const musts[] = {"8 (5)", "5 (3)", "3 (2)"};
	char name[40], what[64];

	if (!report->is_quiet) {
		(void)printf("%s: %u launches of %u kernels, recorded\n\n", streams->device,
		             streams->count, streams->kernel_count);
		(void)printf("%-44s %9s %9s %9s %9s %17s   %s\n", "median error", "corrected",
		             "noise", "runs'", "static", "StarPU's rule", "must (goal)");
	}
	for (unsigned i = 0; i < 3; i++) {
		struct errors errors = {0};
		measure_same_launch(streams, counts[i], &errors);
		(void)snprintf(name, sizeof(name), "same_launch_%u", counts[i]);
		(void)snprintf(what, sizeof(what), "same launch after %u run%s", counts[i],
		               i == 0 ? "" : "s");
		error_row(report, name, what, &errors, musts[i]);
		errors_free(&errors);
	}
	struct errors sizes = {0};
	measure_unseen_size(streams, &sizes);
	error_row(report, "unseen_size", "unseen size, 4x away, three sizes seen", &sizes,
	          "10 (7)");
	errors_free(&sizes);

	struct others others = {0};
	measure_other_kernels(streams, &others);
	if (!report->is_quiet)
		(void)putchar('\n');
	value_row(report, "other_kernels_static", "other kernels: mean error, static",
	          100 * others.static_error, "% (mean |ln ratio|)", "");
	value_row(report, "other_kernels_refined", "other kernels: mean error, 30 kernels seen",
	          100 * others.refined_error, "%", "");
	value_row(report, "other_kernels_gain", "  falls by", 100 * others.gain, "%", "15 (33)");
	value_row(report, "other_kernels_percent", "  the same of mean |ratio - 1|",
	          100 * others.percent_gain, "%", "");
	value_row(report, "other_kernels_all", "  with all other kernels seen",
	          100 * others.all_gain, "%", "");
	value_row(report, "other_kernels_level", "  if each kernel's own level were known",
	          100 * others.level_gain, "%", "");
	struct figures moves = {0};
	measure_outliers(streams, &moves);
	value_row(report, "outliers", "10 % of samples a hundredfold: moves, median",
	          percent(&moves), "%", "5 (2)");
	value_row(report, "outliers_p95", "  95th percentile",
	          100 * expm1(figures_quantile(&moves, 0.95)), "%", "");
	figures_free(&moves);
	value_row(report, "hostile", "49 hostile users of 100: within honest medians",
	          100 * measure_hostile(streams), "% of launches", "100");

	struct coverage coverage[COVERAGE_CLASSES];
	measure_coverage(streams, coverage);
	if (!report->is_quiet)
		(void)printf("\n%-44s %9s %9s %9s\n", "nominal 90 % interval of the next run",
		             "covers", "width", "runs'");
	for (unsigned i = 0; i < COVERAGE_CLASSES; i++) {
		static const char *const words[] = {"0", "0_cold", "0_kernel", "1",
		                                    "3", "10",     "later"};
		static const char *const whats[] = {"after 0 runs",
		                                    "  of a kernel never seen",
		                                    "  of a kernel seen at other launches",
		                                    "after 1 run",
		                                    "after 3 runs",
		                                    "after 10 runs",
		                                    "  the next round's first run"};
		static const char *const widths[] = {"85-95 (87-93) %, x3 (x2)",
		                                     "",
		                                     "",
		                                     "85-95 (87-93) %",
		                                     "85-95 (87-93) %, x1.6 (x1.4)",
		                                     "85-95 (87-93) %, x1.3 (x1.2)",
		                                     ""};
		double covered = 100.0 * coverage[i].covered / fmax(1, coverage[i].count);
		double width = figures_quantile(&coverage[i].widths, 0.5);
		double noise = figures_quantile(&coverage[i].noise, 0.5);
		(void)snprintf(name, sizeof(name), "coverage_%s", words[i]);
		metric(report, name, covered);
		(void)snprintf(name, sizeof(name), "width_%s", words[i]);
		metric(report, name, width);
		(void)snprintf(name, sizeof(name), "runs_%s", words[i]);
		metric(report, name, noise);
		if (!report->is_quiet)
			(void)printf("%-44s %7.1f %%    x%.2f     x%.2f   %u answers   %s\n",
			             whats[i], covered, width, noise, coverage[i].count, widths[i]);
		figures_free(&coverage[i].widths);
		figures_free(&coverage[i].noise);
	}
	if (!report->is_quiet)
		(void)putchar('\n');
}

/* Lines of requirements, each a test, by the report of its device. */
static void check(const struct report *reports, size_t report_count, const char *path)
{
	FILE *file = fopen(path, "r");
	char line[160], device[40], name[40], sign[3];
	unsigned number = 0;
	double bound;

	if (file == NULL) {
		(void)printf("Bail out! %s cannot be read\n", path);
		exit(1);
	}
	while (fgets(line, sizeof(line), file) != NULL) {
		const struct metric *found = NULL;
		if (line[0] == '#' || line[strspn(line, " \n")] == '\0')
			continue;
		if (sscanf(line, "%39s %39s %2s %lf", device, name, sign, &bound) != 4) {
			(void)printf("Bail out! %s: not a requirement: %s", path, line);
			exit(1);
		}
		for (size_t i = 0; i < report_count; i++)
			for (unsigned j = 0; j < reports[i].count; j++)
				if (strcmp(reports[i].device, device) == 0 &&
				    strcmp(reports[i].metrics[j].name, name) == 0)
					found = &reports[i].metrics[j];
		bool holds = found != NULL &&
		             (sign[0] == '<' ? found->value <= bound : found->value >= bound);
		(void)printf("%sok %u - %s: %s %s %g (%g)\n", holds ? "" : "not ", ++number, device,
		             name, sign, bound, found != NULL ? found->value : -1);
	}
	(void)fclose(file);
	(void)printf("1..%u\n", number);
}

/* The files that arguments name. */
static void find_streams(char **arguments, glob_t *files)
{
	char pattern[4096];

	for (int i = 0; arguments[i] != NULL; i++) {
		bool is_stream = strstr(arguments[i], ".csv") != NULL;
		(void)snprintf(pattern, sizeof(pattern), "%s%s", arguments[i],
		               is_stream ? "" : "/*.csv");
		if (glob(pattern, i == 0 ? 0 : GLOB_APPEND, NULL, files) != 0) {
			(void)fprintf(stderr, "refine: %s: no stream\n", arguments[i]);
			exit(1);
		}
	}
}

int main(int argc, char **argv)
{
	const char *require = NULL;
	glob_t files = {0};
	int first = 1;

	if (argc > 2 && strcmp(argv[1], "--require") == 0) {
		require = argv[2];
		first = 3;
	}
	if (first >= argc) {
		(void)fprintf(stderr, "Usage: refine [--require FILE] STREAM.csv|FOLDER...\n");
		return 2;
	}
	find_streams(argv + first, &files);
	struct report *reports = calloc(files.gl_pathc, sizeof(*reports));
	for (size_t i = 0; i < files.gl_pathc && reports != NULL; i++) {
		struct streams streams;
		streams_load(files.gl_pathv[i], &streams);
		reports[i].is_quiet = require != NULL;
		(void)snprintf(reports[i].device, sizeof(reports[i].device), "%s", streams.device);
		report_device(&reports[i], &streams);
		streams_free(&streams);
	}
	if (require != NULL && reports != NULL)
		check(reports, files.gl_pathc, require);
	globfree(&files);
	free(reports);
	return reports == NULL;
}
