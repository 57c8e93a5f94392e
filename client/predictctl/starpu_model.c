/* SPDX-License-Identifier: Apache-2.0 */
/* Performance models of StarPU, read and written. */
#include "client/predictctl/starpu_model.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/predictctl/arguments.h"

/* ---- words of the file ----------------------------------------------------------------------- */

enum {
	WORD_MAX = 64,     /* of a number, with its final zero */
	DEVICES_MAX = 1024 /* of one combination */
};

struct reader {
	const char *at, *end;
	size_t line;
	bool is_line_start;
	struct complaint *why;
};

/* The next word that is not in a line of comment. At the end of the file it is "". */
static bool word_next(struct reader *reader, const char *wanted, char word[WORD_MAX])
{
	size_t length = 0;
	while (reader->at < reader->end) {
		char c = *reader->at;
		if (c == '#' && reader->is_line_start) {
			while (reader->at < reader->end && *reader->at != '\n')
				reader->at++;
		} else if (c == '\n') {
			reader->line++;
			reader->at++;
			reader->is_line_start = true;
		} else if (c == ' ' || c == '\t' || c == '\r') {
			reader->at++;
		} else {
			break;
		}
	}
	reader->is_line_start = false;
	while (reader->at < reader->end && strchr(" \t\r\n", *reader->at) == NULL &&
	       *reader->at != '\0') {
		if (length + 1 == WORD_MAX)
			return refuse(reader->why, "line %zu: want %s, have a word of %d or more",
			              reader->line, wanted, WORD_MAX);
		word[length++] = *reader->at++;
	}
	word[length] = '\0';
	if (reader->at < reader->end && *reader->at == '\0')
		return refuse(reader->why, "line %zu: want %s, have a zero byte", reader->line,
		              wanted);
	return true;
}

static bool word_refuse(const struct reader *reader, const char *wanted, const char *word)
{
	char shown[WORD_MAX];
	size_t length = 0;
	/* it may be anything, and goes to a terminal */
	for (; word[length] != '\0'; length++)
		shown[length] = word[length] > ' ' && word[length] < 127 ? word[length] : '?';
	shown[length] = '\0';
	if (length == 0)
		return refuse(reader->why, "line %zu: want %s, have the file's end", reader->line,
		              wanted);
	return refuse(reader->why, "line %zu: want %s, have '%s'", reader->line, wanted, shown);
}

static bool integer_next(struct reader *reader, const char *wanted, int base, uint64_t max,
                         uint64_t *value)
{
	char word[WORD_MAX], *end;
	if (!word_next(reader, wanted, word))
		return false;
	errno = 0;
	unsigned long long number = strtoull(word, &end, base);
	if (word[0] == '\0' || word[0] == '-' || word[0] == '+' || *end != '\0' || errno != 0 ||
	    number > max)
		return word_refuse(reader, wanted, word);
	*value = number;
	return true;
}

static bool real_next(struct reader *reader, const char *wanted, double *value)
{
	char word[WORD_MAX], *end;
	if (!word_next(reader, wanted, word))
		return false;
	*value = strtod(word, &end);
	return (word[0] != '\0' && *end == '\0') || word_refuse(reader, wanted, word);
}

/* StarPU ends a program over times that are none. */
static bool time_next(struct reader *reader, const char *wanted, double *value)
{
	char text[32];
	if (!real_next(reader, wanted, value))
		return false;
	if (isfinite(*value) && *value >= 0)
		return true;
	(void)snprintf(text, sizeof text, "%g", *value);
	return word_refuse(reader, wanted, text);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Room for one more element at the end of an array that grows by doubling. */
static void *array_grow(void *array, size_t count, size_t size)
{
	if (count != 0 && (count & (count - 1)) != 0)
		return array;
	return realloc(array, (count == 0 ? 1 : 2 * count) * size);
}

static struct starpu_row *row_append(struct starpu_implementation *to)
{
	struct starpu_row *grown = array_grow(to->rows, to->row_count, sizeof *grown);
	if (grown == NULL)
		return NULL;
	to->rows = grown;
	grown[to->row_count] = (struct starpu_row){0};
	return &grown[to->row_count++];
}

static struct starpu_implementation *implementation_append(struct starpu_combination *to)
{
	struct starpu_implementation *grown =
	        array_grow(to->implementations, to->implementation_count, sizeof *grown);
	if (grown == NULL)
		return NULL;
	to->implementations = grown;
	struct starpu_implementation *one = &grown[to->implementation_count++];
	/* what StarPU writes of a model without a regression */
	*one = (struct starpu_implementation){.regression = {0, 0, 0, 0, (double)NAN, (double)NAN},
	                                      .curve = {(double)NAN, (double)NAN, (double)NAN}};
	return one;
}

static struct starpu_device *device_append(struct starpu_combination *to)
{
	struct starpu_device *grown = array_grow(to->devices, to->device_count, sizeof *grown);
	if (grown == NULL)
		return NULL;
	to->devices = grown;
	return &grown[to->device_count++];
}

static struct starpu_combination *combination_append(struct starpu_model *model)
{
	struct starpu_combination *grown =
	        array_grow(model->combinations, model->count, sizeof *grown);
	if (grown == NULL)
		return NULL;
	model->combinations = grown;
	grown[model->count] = (struct starpu_combination){0};
	return &grown[model->count++];
}

static bool row_read(struct reader *reader, struct starpu_row *row)
{
	uint64_t footprint = 0;
	if (!integer_next(reader, "a footprint of 8 hexadecimal digits", 16, UINT32_MAX,
	                  &footprint) ||
	    !integer_next(reader, "a size in bytes", 10, UINT64_MAX, &row->size_bytes) ||
	    !time_next(reader, "a number of operations", &row->flops) ||
	    !time_next(reader, "a mean in us", &row->mean_us) ||
	    !time_next(reader, "a deviation in us", &row->deviation_us) ||
	    !time_next(reader, "a sum of times", &row->sum_us) ||
	    !time_next(reader, "a sum of squares", &row->sum2_us2) ||
	    !integer_next(reader, "a number of tasks", 10, UINT32_MAX, &row->count))
		return false;
	row->footprint = (uint32_t)footprint;
	return true;
}

static bool implementation_read(struct reader *reader, struct starpu_implementation *one)
{
	uint64_t rows = 0, coefficients = 0;
	if (!integer_next(reader, "a number of entries", 10, UINT32_MAX, &rows))
		return false;
	for (size_t i = 0; i < 6; i++)
		if (!real_next(reader, "a number of the regression", &one->regression[i]))
			return false;
	if (!integer_next(reader, "a number of samples", 10, UINT32_MAX, &one->regression_count) ||
	    !integer_next(reader, "the least size", 10, UINT64_MAX, &one->x_min) ||
	    !integer_next(reader, "the largest size", 10, UINT64_MAX, &one->x_max))
		return false;
	for (size_t i = 0; i < 3; i++)
		if (!real_next(reader, "a, b or c", &one->curve[i]))
			return false;
	if (!integer_next(reader, "0, for no multiple regression", 10, 0, &coefficients))
		return false;
	for (uint64_t i = 0; i < rows; i++) {
		struct starpu_row *row = row_append(one);
		if (row == NULL)
			return refuse(reader->why, "no memory");
		if (!row_read(reader, row))
			return false;
	}
	return true;
}

static bool combination_read(struct reader *reader, struct starpu_combination *one)
{
	uint64_t devices = 0, implementations = 0;
	if (!integer_next(reader, "a number of devices", 10, DEVICES_MAX, &devices))
		return false;
	for (uint64_t i = 0; i < devices; i++) {
		uint64_t type = 0, number = 0, cores = 0;
		struct starpu_device *device = device_append(one);
		if (device == NULL)
			return refuse(reader->why, "no memory");
		*device = (struct starpu_device){0};
		if (!integer_next(reader, "a device's type", 10, INT32_MAX, &type) ||
		    !integer_next(reader, "a device's number", 10, INT32_MAX, &number) ||
		    !integer_next(reader, "a number of cores", 10, INT32_MAX, &cores))
			return false;
		*device = (struct starpu_device){(int)type, (int)number, (int)cores};
	}
	if (!integer_next(reader, "a number of implementations", 10, UINT32_MAX, &implementations))
		return false;
	for (uint64_t i = 0; i < implementations; i++) {
		struct starpu_implementation *implementation = implementation_append(one);
		if (implementation == NULL)
			return refuse(reader->why, "no memory");
		if (!implementation_read(reader, implementation))
			return false;
	}
	return true;
}

static bool model_read(struct reader *reader, struct starpu_model *model)
{
	uint64_t version = 0, combinations = 0;
	char word[WORD_MAX];
	if (!integer_next(reader, "the version", 10, UINT32_MAX, &version))
		return false;
	if (version != STARPU_MODEL_VERSION)
		return refuse(reader->why,
		              "line %zu: want version %d of performance models, have %" PRIu64,
		              reader->line, STARPU_MODEL_VERSION, version);
	if (!integer_next(reader, "a number of combinations", 10, UINT32_MAX, &combinations))
		return false;
	for (uint64_t i = 0; i < combinations; i++) {
		struct starpu_combination *one = combination_append(model);
		if (one == NULL)
			return refuse(reader->why, "no memory");
		if (!combination_read(reader, one))
			return false;
	}
	if (!word_next(reader, "the file's end", word))
		return false;
	return word[0] == '\0' || word_refuse(reader, "the file's end", word);
}

bool starpu_model_parse(const char *text, size_t size, struct starpu_model *model,
                        struct complaint *why)
{
	struct reader reader = {text, text + size, 1, true, why};
	*model = (struct starpu_model){0};
	if (model_read(&reader, model))
		return true;
	starpu_model_deinit(model);
	return false;
}

void starpu_model_deinit(struct starpu_model *model)
{
	for (size_t i = 0; i < model->count; i++) {
		struct starpu_combination *one = &model->combinations[i];
		for (size_t j = 0; j < one->implementation_count; j++)
			free(one->implementations[j].rows);
		free(one->implementations);
		free(one->devices);
	}
	free(model->combinations);
	*model = (struct starpu_model){0};
}

/* ---- writing --------------------------------------------------------------------------------- */

static void implementation_print(const struct starpu_implementation *one, FILE *file)
{
	(void)fprintf(file, "# number of entries\n%zu\n", one->row_count);
	(void)fputs("# sumlnx\tsumlnx2\t\tsumlny\t\tsumlnxlny\talpha\t\tbeta\t\tn\tminx\t\tmaxx\n",
	            file);
	for (size_t i = 0; i < 6; i++)
		(void)fprintf(file, "%-15e\t", one->regression[i]);
	(void)fprintf(file, "%" PRIu64 "\t%-15" PRIu64 "\t%-15" PRIu64 "\n# a\t\tb\t\tc\n",
	              one->regression_count, one->x_min, one->x_max);
	for (size_t i = 0; i < 3; i++)
		(void)fprintf(file, "%-15e%s", one->curve[i], i < 2 ? "\t" : "\n");
	(void)fputs("# not multiple-regression-base\n0\n"
	            "# hash\t\tsize\t\tflops\t\tmean (us)\tdev (us)\tsum\t\tsum2\t\tn\n",
	            file);
	for (size_t i = 0; i < one->row_count; i++) {
		const struct starpu_row *row = &one->rows[i];
		(void)fprintf(file,
		              "%08" PRIx32 "\t%-15" PRIu64
		              "\t%-15e\t%-15e\t%-15e\t%-15e\t%-15e\t%" PRIu64 "\n",
		              row->footprint, row->size_bytes, row->flops, row->mean_us,
		              row->deviation_us, row->sum_us, row->sum2_us2, row->count);
	}
	(void)fputc('\n', file);
}

void starpu_model_print(const struct starpu_model *model, FILE *file)
{
	(void)fprintf(file,
	              "##################\n# Performance Model Version\n%d\n\n"
	              "# number of combinations\n%zu\n",
	              STARPU_MODEL_VERSION, model->count);
	for (size_t i = 0; i < model->count; i++) {
		const struct starpu_combination *one = &model->combinations[i];
		(void)fprintf(file, "# COMB_%zu\n# number of types devices\n%zu\n", i,
		              one->device_count);
		for (size_t j = 0; j < one->device_count; j++)
			(void)fprintf(
			        file,
			        "# DEV_%zu\n# device type (CPU - 0, CUDA - 1, OPENCL - 2, MIC "
			        "- 3, MPI_MS - 5)\n%d\n# device id\n%d\n# number of cores\n%d\n",
			        j, one->devices[j].type, one->devices[j].number,
			        one->devices[j].cores);
		(void)fprintf(file, "# number of implementations\n%zu\n",
		              one->implementation_count);
		for (size_t j = 0; j < one->implementation_count; j++) {
			(void)fprintf(file, "#####\n# Model for implementation %zu (Comb%zu)\n", j,
			              i);
			implementation_print(&one->implementations[j], file);
		}
	}
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The combination that is one OpenCL device; NULL: there is none. */
static struct starpu_combination *opencl_find(const struct starpu_model *model, int opencl)
{
	for (size_t i = 0; i < model->count; i++) {
		struct starpu_combination *one = &model->combinations[i];
		if (one->device_count == 1 && one->devices[0].type == STARPU_OPENCL_TYPE &&
		    one->devices[0].number == opencl && one->devices[0].cores == 1)
			return one;
	}
	return NULL;
}

static struct starpu_row *row_find(const struct starpu_model *model, int opencl, uint32_t footprint)
{
	const struct starpu_combination *one = opencl_find(model, opencl);
	if (one == NULL || one->implementation_count == 0)
		return NULL;
	for (size_t i = 0; i < one->implementations[0].row_count; i++)
		if (one->implementations[0].rows[i].footprint == footprint)
			return &one->implementations[0].rows[i];
	return NULL;
}

const struct starpu_row *starpu_model_find(const struct starpu_model *model, int opencl,
                                           uint32_t footprint)
{
	return row_find(model, opencl, footprint);
}

static struct starpu_combination *opencl_append(struct starpu_model *model, int opencl)
{
	struct starpu_combination *one = combination_append(model);
	struct starpu_device *device = one == NULL ? NULL : device_append(one);
	if (device == NULL)
		return NULL;
	*device = (struct starpu_device){STARPU_OPENCL_TYPE, opencl, 1};
	return one;
}

bool starpu_model_put(struct starpu_model *model, int opencl, const struct starpu_row *row)
{
	struct starpu_row *old = row_find(model, opencl, row->footprint);
	if (old == NULL) {
		struct starpu_combination *one = opencl_find(model, opencl);
		if (one == NULL)
			one = opencl_append(model, opencl);
		if (one == NULL ||
		    (one->implementation_count == 0 && implementation_append(one) == NULL))
			return false;
		old = row_append(&one->implementations[0]);
	}
	if (old == NULL)
		return false;
	*old = *row;
	return true;
}

struct starpu_row starpu_row_make(uint32_t footprint, uint64_t size_bytes, double mean_us,
                                  double deviation_us, uint64_t count)
{
	double n = (double)count;
	return (struct starpu_row){.footprint = footprint,
	                           .size_bytes = size_bytes,
	                           .mean_us = mean_us,
	                           .deviation_us = deviation_us,
	                           .sum_us = n * mean_us,
	                           .sum2_us2 =
	                                   n * (mean_us * mean_us + deviation_us * deviation_us),
	                           .count = count};
}

/* Mean and deviation as the sums have them. */
static void row_settle(struct starpu_row *row)
{
	double n = (double)row->count, mean = row->sum_us / n;
	row->mean_us = mean;
	row->deviation_us = sqrt(fmax(row->sum2_us2 / n - mean * mean, 0));
}

struct starpu_row starpu_row_add(const struct starpu_row *one, const struct starpu_row *other)
{
	struct starpu_row row = *one;
	row.sum_us += other->sum_us;
	row.sum2_us2 += other->sum2_us2;
	row.count += other->count;
	if (row.count > 0)
		row_settle(&row);
	return row;
}

struct starpu_row starpu_row_measured(const struct starpu_row *row,
                                      const struct starpu_row *written)
{
	/* sums have seven digits, and their difference as many fewer as it is smaller */
	const double precision = 1e-5;
	struct starpu_row rest = *row;
	if (written == NULL || written->count > row->count)
		return rest;
	rest.sum_us -= written->sum_us;
	rest.sum2_us2 -= written->sum2_us2;
	rest.count -= written->count;
	if (rest.count == 0) {
		bool is_same = fabs(rest.sum_us) <= precision * row->sum_us;
		return is_same ? (struct starpu_row){.footprint = row->footprint,
		                                     .size_bytes = row->size_bytes,
		                                     .flops = row->flops}
		               : *row;
	}
	double n = (double)rest.count, mean = rest.sum_us / n;
	double variance = rest.sum2_us2 / n - mean * mean;
	if (!(rest.sum_us > 0) || variance < -precision * row->sum2_us2 / n)
		return *row;
	row_settle(&rest);
	return rest;
}
