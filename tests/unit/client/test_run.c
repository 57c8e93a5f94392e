/* SPDX-License-Identifier: Apache-2.0 */
/* Records of processes, their sums, traces, and what keeps a layer from being loaded. */
#include "tests/test.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/predictctl/layer.h"
#include "client/predictctl/run.h"
#include "tests/folder.h"

/* ---- made-up records ------------------------------------------------------------------------ */

/* predicted_s < 0: no answer; basis "": the reason is "because". */
static json_t *shape(const char *kernel, int device, int launches, double time_s,
                     double predicted_s, const char *basis)
{
	json_t *one = json_pack("{ss ss si s[i] s[] si si si si si si si sf sf}", "kernel", kernel,
	                        "program", "12", "device", device, "global", 64 * launches, "local",
	                        "launches", launches, "untimed", 0, "failed", 0, "overlapped", 0,
	                        "near", launches > 200 ? 50 : 0, "timed", launches, "clean",
	                        launches, "total_time_s", launches * time_s, "time_s", time_s);
	if (predicted_s < 0)
		json_object_set_new(one, "why", json_string("because"));
	else
		json_object_set_new(one, "predicted",
		                    json_pack("{sf sf sf sf ss ss ss si}", "time_s", predicted_s,
		                              "low_s", predicted_s / 2, "high_s", predicted_s * 2,
		                              "launch_time_s", 1e-6, "basis", basis, "bottleneck",
		                              "memory", "note", "a note", "taught", 0));
	return one;
}

static json_t *device(const char *key, double idle_s)
{
	return json_pack("{ss ss si si si sf sf sf sf s[{ss si si si si si si sf}]}", "key", key,
	                 "name", "Testing 3000", "launches", 1, "gaps", 2, "launches_when_idle", 3,
	                 "span_s", 10.0, "idle_s", idle_s, "unqueued_s", 0.5, "launch_time_s", 1e-5,
	                 "transfers", "kind", "write", "count", 2, "untimed", 0, "failed", 0,
	                 "blocking", 1, "bytes", 1000, "timed_bytes", 1000, "time_s", 1e-3);
}

/* Takes the lists. */
static json_t *record(int pid, json_t *devices, json_t *shapes)
{
	return json_pack("{si si ss ss sb s{sb ss si si si} s{si si si si} so so}", "schema", 1,
	                 "pid", pid, "name", "test", "mode", "all", "observes", 1, "daemon",
	                 "has_answered", 1, "away", "", "sent", 1, "refused", 0, "dropped", 0,
	                 "lost", "launches", 0, "shapes", 0, "transfers", 0, "spans", 0, "devices",
	                 devices, "shapes", shapes);
}

/* Takes the JSON. */
static bool parse(json_t *json, struct run_record *result, struct complaint *why)
{
	char *text = json_dumps(json, 0);
	assert_non_null(text);
	bool is_read = run_record_parse(text, strlen(text), result, why);
	free(text);
	json_decref(json);
	return is_read;
}

static void parse_two(struct run_record records[2])
{
	struct complaint why = {""};
	json_t *first = json_pack("[ooo]", shape("add", 0, 100, 1e-4, 2e-4, "static"),
	                          shape("add", 0, 300, 1e-3, 1e-3, "refined"),
	                          shape("sort", 0, 10, 0.5, -1, ""));
	json_t *second = json_pack("[oooo]", shape("add", 0, 100, 1e-4, 1e-4, "static"),
	                           shape("mul", 0, 5, 1e-3, 1e-3, "fallback"),
	                           shape("mul", 1, 5, 1e-3, 8e-3, "static"),
	                           shape("never", 1, 0, 0, 1e-3, "static"));
	if (!parse(record(2, json_pack("[o]", device("uuid:1", 1)), first), &records[0], &why) ||
	    !parse(record(3, json_pack("[oo]", device("uuid:1", 2), device("uuid:2", 4)), second),
	           &records[1], &why))
		fail_msg("%s", why.text);
}

/* ---- tests --------------------------------------------------------------------------------- */

static void processes_are_summed_up_by_kernel_and_device(void **state)
{
	(void)state;
	struct run_record records[2];
	struct run_summary summary;
	parse_two(records);
	assert_true(run_summary_make(records, 2, &summary));
	/* what was never launched counts nowhere */
	assert_int_equal(summary.launches, 520);
	assert_int_equal(summary.shapes, 6);
	assert_int_equal(summary.predicted_launches, 455);
	assert_int_equal(summary.near_launches, 50);
	assert_int_equal(summary.predicted_shapes, 4);
	assert_int_equal(summary.fallback_launches, 5);
	assert_int_equal(summary.kernel_count, 4);
	const struct run_kernel *sort = &summary.kernels[0], *add = &summary.kernels[1];
	assert_string_equal(sort->name, "sort");
	assert_close(sort->share, 5 / 5.33, 1e-6);
	assert_close(sort->observed_time_s, 0, 0);
	assert_string_equal(add->name, "add");
	assert_int_equal(add->launches, 500);
	assert_int_equal(add->shape_count, 3);
	assert_close(add->total_time_s, 0.32, 1e-6);
	/* of one launch: (100 * 2e-4 + 300 * 1e-3 + 100 * 1e-4) / 500 */
	assert_close(add->predicted_time_s, 6.6e-4, 1e-6);
	assert_close(add->observed_time_s, 6.4e-4, 1e-6);
	assert_close(add->shapes[0]->total_time_s, 0.3, 1e-6); /* the longest is first */
	/* one device of two processes, and one of one */
	assert_int_equal(summary.device_count, 2);
	assert_close(summary.devices[0].sum.idle_s, 3, 1e-9);
	assert_int_equal(summary.devices[0].sum.kinds[0].bytes, 2000);
	assert_close(summary.devices[1].sum.idle_s, 4, 1e-9);
	assert_close(summary.devices[1].time_s, 5e-3, 1e-9);
	/* a fallback's reason is what it says itself */
	assert_int_equal(summary.reason_count, 2);
	assert_string_equal(summary.reasons[0].why, "because");
	assert_int_equal(summary.reasons[0].launches, 10);
	assert_string_equal(summary.reasons[1].why, "a note");
	/* the worst first, without fallbacks and exact ones */
	struct run_miss worst[2];
	assert_int_equal(run_worst(&summary, worst, 2), 2);
	assert_close(worst[0].shape->answer.time_s, 8e-3, 1e-9);
	assert_close(worst[1].shape->answer.time_s, 2e-4, 1e-9);
	struct run_miss all[9];
	assert_int_equal(run_worst(&summary, all, 9), 2);
	run_summary_deinit(&summary);
	run_record_deinit(&records[0]);
	run_record_deinit(&records[1]);
}

/* A driver compiles at a first launch: that is no miss of a prediction. */
static void first_launches_alone_are_shown_and_not_compared(void **state)
{
	(void)state;
	struct run_record one;
	struct run_summary summary;
	struct run_miss worst;
	struct complaint why = {""};
	json_t *first = shape("add", 0, 1, 1, 1e-3, "static");
	json_object_set_new(first, "clean", json_integer(0));
	json_t *both = json_pack("[oo]", first, shape("add", 0, 2, 2e-3, 1e-3, "static"));
	json_t *alone = json_deep_copy(first);
	json_object_set_new(alone, "kernel", json_string("mul"));
	json_array_append_new(both, alone);
	assert_true(parse(record(2, json_pack("[o]", device("uuid:1", 1)), both), &one, &why));
	assert_true(run_summary_make(&one, 1, &summary));
	const struct run_kernel *add = &summary.kernels[0], *mul = &summary.kernels[1];
	assert_string_equal(add->name, "add");
	assert_close(add->observed_time_s, 2e-3, 1e-9);
	assert_close(run_kernel_ratio(add), 0.5, 1e-9);
	assert_close(mul->observed_time_s, 1, 1e-9);
	assert_close(mul->predicted_time_s, 1e-3, 1e-9);
	assert_close(run_kernel_ratio(mul), 0, 0);
	assert_int_equal(run_worst(&summary, &worst, 1), 1);
	assert_close(worst.shape->time_s, 2e-3, 1e-9);
	run_summary_deinit(&summary);
	run_record_deinit(&one);
}

static void the_json_says_what_the_table_says(void **state)
{
	(void)state;
	struct run_record records[2];
	struct run_summary summary;
	char program[] = "test", *words[] = {program, NULL}, *text = NULL;
	const struct run run = {.program = words, .status = 7, .time_s = 2};
	size_t size;
	parse_two(records);
	assert_true(run_summary_make(records, 2, &summary));
	json_t *json = run_json(&run, &summary);
	assert_non_null(json);
	assert_int_equal(json_integer_value(json_object_get(json, "schema")), 1);
	assert_int_equal(json_integer_value(json_object_get(json, "exit_status")), 7);
	const json_t *kernels = json_object_get(json, "kernels");
	assert_int_equal(json_array_size(kernels), 4);
	const json_t *add = json_array_get(kernels, 1);
	assert_string_equal(json_string_value(json_object_get(add, "name")), "add");
	assert_int_equal(json_integer_value(json_object_get(add, "predicted_launches")), 450);
	assert_close(json_number_value(json_object_get(add, "predicted_time_s")), 6.6e-4, 1e-6);
	assert_close(json_number_value(json_object_get(add, "share")), 0.32 / 5.33, 1e-6);
	assert_true(json_is_null(json_object_get(json_array_get(kernels, 0), "predicted_time_s")));
	assert_int_equal(json_array_size(json_object_get(json, "processes")), 2);
	json_decref(json);
	FILE *file = open_memstream(&text, &size);
	assert_non_null(file);
	run_print(&run, &summary, file);
	assert_int_equal(fclose(file), 0);
	assert_non_null(strstr(text, "520 launches"));
	assert_non_null(strstr(text, "87.5 % of launches, 66.7 % of kernels with their sizes (6)"));
	assert_non_null(strstr(text, "10 launches: because"));
	assert_non_null(strstr(text, "reported: 2 times, of which the daemon kept 2"));
	free(text);
	run_summary_deinit(&summary);
	run_record_deinit(&records[0]);
	run_record_deinit(&records[1]);
}

static void assert_refused(json_t *json, const char *want)
{
	struct run_record result;
	struct complaint why = {""};
	assert_false(parse(json, &result, &why));
	if (strstr(why.text, want) == NULL)
		fail_msg("got '%s', want '%s'", why.text, want);
	run_record_deinit(&result);
}

static void a_record_that_is_wrong_is_refused_with_the_place(void **state)
{
	(void)state;
	assert_refused(json_pack("{si}", "schema", 2), "schema: want 1");
	assert_refused(json_pack("[]"), "schema: want 1");
	json_t *json =
	        record(2, json_array(), json_pack("[o]", shape("add", 0, 1, 1, 1, "static")));
	assert_refused(json, "shapes: device");
	json = record(2, json_pack("[o]", device("uuid:1", -1)), json_array());
	assert_refused(json, "devices: idle_s: want seconds");
	json = record(2, json_pack("[o]", device("uuid:1", 1)),
	              json_pack("[o]", shape("add", 0, -1, 1, 1, "static")));
	assert_refused(json, "shapes: launches: want a count");
	json_t *near = shape("add", 0, 1, 1, 1, "static");
	json_object_set_new(near, "near", json_integer(2));
	json = record(2, json_pack("[o]", device("uuid:1", 1)), json_pack("[o]", near));
	assert_refused(json, "shapes: near: want launches at most");
	json = record(-2, json_array(), json_array());
	assert_refused(json, "record: pid: want a count");
	struct run_record result;
	struct complaint why = {""};
	assert_false(run_record_parse("{\"schema\":", 10, &result, &why));
	assert_non_null(strstr(why.text, "line 1"));
	run_record_deinit(&result);
	assert_false(run_record_load("/dev/zero", &result, &why));
	assert_non_null(strstr(why.text, "want a file"));
	run_record_deinit(&result);
}

static void lines_of_spans_are_checked(void **state)
{
	(void)state;
	struct run_record records[2];
	struct run_span span;
	parse_two(records);
	assert_true(run_span_parse("L 3 1000 1500 2000 5000 3\n", &records[1], &span));
	assert_true(span.is_launch && span.is_first && span.is_overlapped);
	assert_int_equal(span.device, 1);
	assert_close(span.end_s - span.start_s, 3e-6, 1e-6);
	assert_true(run_span_parse("T 1 0 4096 1000 2000 5000\n", &records[1], &span));
	assert_int_equal(span.size_bytes, 4096);
	assert_string_equal(run_kind_name(span.kind), "read");
	static const char *const wrong[] = {"",
	                                    "L",
	                                    "L 3 1000 1500 2000 5000",
	                                    "L 4 1 1 2 5 0",
	                                    "L 3 1 1 5 2 0",
	                                    "L 3 1 1 -2 5 0",
	                                    "T 1 2 4096 1 2 5",
	                                    "T 1 0 4096 1 5 2",
	                                    "X 1 2 3 4 5 6"};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		if (run_span_parse(wrong[i], &records[1], &span))
			fail_msg("'%s' was taken", wrong[i]);
	run_record_deinit(&records[0]);
	run_record_deinit(&records[1]);
}

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[128];
	(void)snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void a_trace_has_a_row_for_each_that_overlaps(void **state)
{
	(void)state;
	struct run_record records[2];
	struct run_summary summary;
	struct run run = {.folder = "/tmp/predictd-run-XXXXXX"};
	char *text = NULL;
	size_t size;
	parse_two(records);
	assert_non_null(mkdtemp(run.folder));
	/* 1 us each; the second overlaps the first, and noise is passed over */
	write_file(run.folder, "2.spans",
	           "L 0 1000 1000 2000 3000 1\nnoise\n"
	           "L 0 1000 1000 2500 3500 2\nT 0 0 64 4000 4000 5000\n");
	assert_true(run_summary_make(records, 2, &summary));
	FILE *file = open_memstream(&text, &size);
	assert_non_null(file);
	assert_true(run_trace(&run, &summary, file));
	assert_int_equal(fclose(file), 0);
	json_t *json = json_loads(text, 0, NULL), *event;
	size_t i, spans = 0, rows = 0;
	double predicted_end_us = 0;
	json_array_foreach(json_object_get(json, "traceEvents"), i, event)
	{
		bool is_span = strcmp(json_string_value(json_object_get(event, "ph")), "X") == 0;
		double begin_us = json_number_value(json_object_get(event, "ts"));
		double time_us = json_number_value(json_object_get(event, "dur"));
		spans += is_span;
		rows += strcmp(json_string_value(json_object_get(event, "name")), "thread_name") ==
		        0;
		if (!is_span || !(time_us > 100))
			continue;
		/* predicted to take 200 us each, one behind the other; details are at the first */
		assert_close(time_us, 200, 1e-6);
		assert_true(begin_us >= predicted_end_us);
		assert_true((json_object_get(event, "args") != NULL) == !(predicted_end_us > 0));
		predicted_end_us = begin_us + time_us;
	}
	assert_int_equal(spans, 5);
	assert_int_equal(rows, 4); /* observed twice, predicted, transfers */
	assert_close(predicted_end_us, 400, 1e-6);
	json_decref(json);
	free(text);
	run_summary_deinit(&summary);
	run_record_deinit(&records[0]);
	run_record_deinit(&records[1]);
	assert_int_equal(folder_remove(run.folder), 0);
}

static void a_layer_is_found_and_its_faults_are_named(void **state)
{
	(void)state;
	char folder[] = "/tmp/predictd-layer-XXXXXX", folders[256];
	const char *why;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(folders, sizeof folders, "/nonexistent::%s", folder);
	assert_int_equal(setenv("PREDICTD_LAYER_PATH", folders, 1), 0);
	assert_null(layer_find(&why));
	assert_non_null(strstr(why, "is not in /nonexistent"));
	write_file(folder, "libpredictd-layer.so", "clGetLayerInfo");
	const char *path = layer_find(&why);
	assert_non_null(path);
	assert_non_null(strstr(layer_fault(path), "no OpenCL layer"));
	write_file(folder, "libpredictd-layer.so", "clGetLayerInfo clInitLayer");
	assert_null(layer_fault(path));
	assert_non_null(strstr(layer_fault("/nonexistent/a.so"), "No such file"));
	write_file(folder, "a:b.so", "clGetLayerInfo clInitLayer");
	(void)snprintf(folders, sizeof folders, "%s/a:b.so", folder);
	assert_non_null(strstr(layer_fault(folders), "colon"));
	assert_int_equal(unsetenv("PREDICTD_LAYER_PATH"), 0);
	/* a program of the test's own takes layers, one that is no program is not known to refuse
	 */
	assert_null(layer_program_fault("/proc/self/exe"));
	assert_null(layer_program_fault(folders));
	assert_int_equal(folder_remove(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(processes_are_summed_up_by_kernel_and_device),
	        cmocka_unit_test(first_launches_alone_are_shown_and_not_compared),
	        cmocka_unit_test(the_json_says_what_the_table_says),
	        cmocka_unit_test(a_record_that_is_wrong_is_refused_with_the_place),
	        cmocka_unit_test(lines_of_spans_are_checked),
	        cmocka_unit_test(a_trace_has_a_row_for_each_that_overlaps),
	        cmocka_unit_test(a_layer_is_found_and_its_faults_are_named),
	};
	return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
