/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records that a program that is followed wrote, and their sums, JSON and table. Behind a zero
 * stand lines of spans.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/predictctl/run.h"
#include "tests/fuzz/fuzz.h"

static void lines_parse(const char *text, size_t size, const struct run_record *record)
{
	char line[256];
	for (size_t at = 0; at < size;) {
		const char *end = memchr(text + at, '\n', size - at);
		size_t length = end != NULL ? (size_t)(end - text) - at : size - at;
		struct run_span span;
		(void)snprintf(line, sizeof line, "%.*s", (int)(length < 255 ? length : 255),
		               text + at);
		if (run_span_parse(line, record, &span) &&
		    (span.device >= record->device_count || !(span.end_s >= span.start_s) ||
		     (span.is_launch && span.shape >= record->shape_count)))
			abort();
		at += length + 1;
	}
}

static void tell(const struct run_record *record)
{
	struct run_summary summary;
	struct run_miss worst[3];
	char *words[] = {(char[]){"program"}, NULL}, *text = NULL;
	const struct run run = {.program = words};
	size_t size = 0;
	if (run_summary_make(record, 1, &summary)) {
		uint64_t launches = 0;
		size_t shapes = 0;
		for (size_t i = 0; i < summary.kernel_count; i++) {
			const struct run_kernel *kernel = &summary.kernels[i];
			launches += kernel->launches;
			shapes += kernel->shape_count;
			if (!(kernel->share >= 0) || kernel->share > 1.000001 ||
			    !isfinite(kernel->predicted_time_s) ||
			    !isfinite(kernel->observed_time_s))
				abort();
		}
		if (launches != summary.launches || shapes != summary.shapes ||
		    run_worst(&summary, worst, 3) > shapes)
			abort();
		FILE *file = open_memstream(&text, &size);
		if (file != NULL) {
			run_print(&run, &summary, file);
			(void)fclose(file);
		}
		json_t *json = run_json(&run, &summary);
		if (json == NULL)
			abort();
		json_decref(json);
	}
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)text[i] < ' ' && text[i] != '\n')
			abort();
	free(text);
	run_summary_deinit(&summary);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct run_record record;
	struct complaint why = {""};
	const uint8_t *zero = memchr(data, '\0', size);
	size_t length = zero != NULL ? (size_t)(zero - data) : size;
	bool is_read = run_record_parse((const char *)data, length, &record, &why);
	if (is_read == (why.text[0] != '\0'))
		abort();
	if (is_read) {
		tell(&record);
		if (zero != NULL)
			lines_parse((const char *)zero + 1, size - length - 1, &record);
	}
	run_record_deinit(&record);
	return 0;
}
