/* SPDX-License-Identifier: Apache-2.0 */
/* StarPU's performance models: read, merged and written; footprints as StarPU has them. */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/predictctl/arguments.h"
#include "client/predictctl/starpu_files.h"
#include "client/predictctl/starpu_footprint.h"
#include "client/predictctl/starpu_task.h"

static const char *const recorded[] = {"block", "csr",       "matrix",   "mixed", "nl_regression",
                                       "none",  "size_base", "variable", "vector"};

enum { RECORDED = sizeof recorded / sizeof *recorded };

static void load(const char *name, struct starpu_model *model)
{
	char path[512];
	struct complaint why;
	(void)snprintf(path, sizeof path, "%s/%s.node", STARPU_DATA, name);
	if (!starpu_model_load(path, false, model, &why))
		fail_msg("%s: %s", path, why.text);
}

static char *printed(const struct starpu_model *model, size_t *size)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, size);
	starpu_model_print(model, file);
	(void)fclose(file);
	return text;
}

/* ---- footprints ------------------------------------------------------------------------------ */

static struct starpu_task task_of(const char *json)
{
	struct starpu_task task;
	struct complaint why;
	json_t *value = json_loads(json, 0, NULL);
	assert_non_null(value);
	if (!starpu_task_parse(value, "a", &task, &why))
		fail_msg("%s: %s", json, why.text);
	json_decref(value);
	return task;
}

/* tests/starpu/record.c has the handles that these files were recorded of. */
static void footprints_are_those_that_starpu_wrote(void **state)
{
	(void)state;
	static const char *const tasks[][2] = {
	        {"vector",
	         "{\"symbol\": \"s\", \"handles\": [{\"vector\": 2048, \"elemsize\": 4}]}"},
	        {"matrix",
	         "{\"symbol\": \"s\", \"handles\": [{\"matrix\": [64, 33], \"elemsize\": 4}]}"},
	        {"block",
	         "{\"symbol\": \"s\", \"handles\": [{\"block\": [10, 9, 8], \"elemsize\": 4}]}"},
	        {"csr", "{\"symbol\": \"s\", \"handles\": [{\"csr\": [50, 10], \"elemsize\": 4}]}"},
	        {"variable", "{\"symbol\": \"s\", \"handles\": [{\"variable\": 12}]}"},
	        {"mixed", "{\"symbol\": \"s\", \"handles\": [{\"vector\": 2048, \"elemsize\": 4},"
	                  "{\"matrix\": [64, 33], \"elemsize\": 4},"
	                  "{\"csr\": [50, 10], \"elemsize\": 4}]}"},
	        {"none", "{\"symbol\": \"s\", \"handles\": []}"},
	        {"size_base", "{\"symbol\": \"s\", \"size_base\": 12345}"},
	};
	for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
		struct starpu_model model;
		struct starpu_task task = task_of(tasks[i][1]);
		load(tasks[i][0], &model);
		assert_int_equal(model.count, 1);
		const struct starpu_row *row = model.combinations[0].implementations[0].rows;
		if (task.footprint != row->footprint || task.size_bytes != row->size_bytes)
			fail_msg("%s: have %08x of %llu bytes, StarPU wrote %08x of %llu",
			         tasks[i][0], (unsigned)task.footprint,
			         (unsigned long long)task.size_bytes, (unsigned)row->footprint,
			         (unsigned long long)row->size_bytes);
		starpu_model_deinit(&model);
	}
}

static void what_is_wrong_with_a_task_is_named(void **state)
{
	(void)state;
	static const char *const wrong[][2] = {
	        {"[]", "want an object"},
	        {"{\"handles\": []}", "'symbol'"},
	        {"{\"symbol\": \"a/b\", \"handles\": []}", "'symbol'"},
	        {"{\"symbol\": \"..\", \"handles\": []}", "'symbol'"},
	        {"{\"symbol\": \"s\"}", "want either 'handles' or 'size_base'"},
	        {"{\"symbol\": \"s\", \"handles\": [], \"size_base\": 1}", "want either"},
	        {"{\"symbol\": \"s\", \"handle\": []}", "did you mean handles"},
	        {"{\"symbol\": \"s\", \"size_base\": -1}", "'size_base'"},
	        {"{\"symbol\": \"s\", \"handles\": {}}", "'handles': want an array"},
	        {"{\"symbol\": \"s\", \"handles\": [{\"bcsr\": [1, 2]}]}",
	         "handles[0]: want vector, matrix, block, csr or variable"},
	        {"{\"symbol\": \"s\", \"handles\": [{\"vector\": 4}]}", "'elemsize'"},
	        {"{\"symbol\": \"s\", \"handles\": [{\"vector\": 4, \"elemsize\": 0}]}",
	         "'elemsize'"},
	        {"{\"symbol\": \"s\", \"handles\": [{\"vector\": [4], \"elemsize\": 4}]}",
	         "'vector': want a number of elements"},
	        {"{\"symbol\": \"s\", \"handles\": [{\"vector\": 4294967296, \"elemsize\": 4}]}",
	         "'vector'"},
	        {"{\"symbol\": \"s\", \"handles\": [{\"matrix\": [4], \"elemsize\": 4}]}",
	         "'matrix': want [NX, NY]"},
	        {"{\"symbol\": \"s\", \"handles\": [{\"csr\": [4, -1], \"elemsize\": 4}]}",
	         "'csr': want [NON-ZEROS, ROWS]"},
	        {"{\"symbol\": \"s\", \"handles\": [{\"variable\": 4, \"elemsize\": 4}]}",
	         "unknown key 'elemsize'"},
	        {"{\"symbol\": \"s\", \"handles\": [{\"vector\": 4, \"elemsize\": 4, \"ld\": 1}]}",
	         "unknown key 'ld'"},
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct starpu_task task;
		struct complaint why = {""};
		json_t *value = json_loads(wrong[i][0], 0, NULL);
		assert_non_null(value);
		if (starpu_task_parse(value, "a", &task, &why))
			fail_msg("%s was taken", wrong[i][0]);
		if (strstr(why.text, wrong[i][1]) == NULL || strncmp(why.text, "a: ", 3) != 0)
			fail_msg("%s: '%s' lacks '%s'", wrong[i][0], why.text, wrong[i][1]);
		json_decref(value);
	}
}

/* ---- files ----------------------------------------------------------------------------------- */

static void what_starpu_wrote_is_read_and_written_back(void **state)
{
	(void)state;
	for (size_t i = 0; i < RECORDED; i++) {
		struct starpu_model model, again;
		struct complaint why;
		size_t size, other_size;
		load(recorded[i], &model);
		char *text = printed(&model, &size);
		if (!starpu_model_parse(text, size, &again, &why))
			fail_msg("%s: %s", recorded[i], why.text);
		char *other = printed(&again, &other_size);
		assert_string_equal(text, other);
		assert_int_equal(again.count, 1);
		assert_int_equal(again.combinations[0].devices[0].type, 0);
		starpu_model_deinit(&model);
		starpu_model_deinit(&again);
		free(text);
		free(other);
	}
}

static void regressions_and_implementations_are_kept(void **state)
{
	(void)state;
	struct starpu_model model;
	load("nl_regression", &model);
	const struct starpu_implementation *one = model.combinations[0].implementations;
	assert_int_equal(one->row_count, 6);
	assert_int_equal(one->x_min, 256);
	assert_int_equal(one->x_max, 65536);
	assert_true(one->regression_count > 0 && one->regression[4] > 0);
	assert_int_equal(one->rows[4].footprint, 0xd1f14eba);
	for (size_t i = 0; i < one->row_count; i++) {
		const struct starpu_row *row = &one->rows[i];
		assert_close(row->mean_us, row->sum_us / (double)row->count, 1e-5);
	}
	starpu_model_deinit(&model);
	load("none", &model);
	assert_int_equal(model.combinations[0].implementation_count, 2);
	assert_true(isnan(model.combinations[0].implementations[1].curve[2]));
	starpu_model_deinit(&model);
}

/* A line of a file that StarPU wrote, and another in its place. */
static void a_malformed_file_is_refused_with_its_line(void **state)
{
	(void)state;
	static const struct {
		size_t line;
		const char *instead, *said;
	} wrong[] = {
	        {3, "44", "line 3: want version 45"},
	        {8, "-1", "line 8: want a number of combinations"},
	        {8, "2", "have the file's end"},
	        {12, "x", "line 12: want a number of devices, have 'x'"},
	        {24, "", "line 33: want a number of entries, have '0.000000e+00'"},
	        {33, "1 2 3 4 nan nan 0 0 x", "line 33: want the largest size, have 'x'"},
	        {35, "nan nan", "line 39: want 0, for no multiple regression"},
	        {37, "3", "line 37: want 0, for no multiple regression, have '3'"},
	        {39, "870a30aag 8192 0 1 0 13 13 13", "line 39: want a footprint"},
	        {39, "870a30aa 8192 0 nan 0 13 13 13", "line 39: want a mean in us, have 'nan'"},
	        {39, "870a30aa 8192 0 -1 0 13 13 13", "line 39: want a mean in us, have '-1'"},
	        {39, "870a30aa 8192 0 1 0 inf 13 13", "line 39: want a sum of times, have 'inf'"},
	        {39, "870a30aa 8192 0 1 0 13 13 13 5", "line 39: want the file's end, have '5'"},
	        {39, "870a30aa 8192 0 1", "have the file's end"},
	};
	char path[512], text[4096];
	(void)snprintf(path, sizeof path, "%s/vector.node", STARPU_DATA);
	FILE *file = fopen(path, "re");
	assert_non_null(file);
	size_t size = fread(text, 1, sizeof text - 1, file);
	(void)fclose(file);
	text[size] = '\0';
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		char changed[8192];
		size_t used = 0, line = 1;
		for (const char *at = text; *at != '\0'; line++) {
			size_t length = strcspn(at, "\n");
			bool is_it = line == wrong[i].line;
			used += (size_t)snprintf(changed + used, sizeof changed - used, "%.*s\n",
			                         is_it ? (int)strlen(wrong[i].instead)
			                               : (int)length,
			                         is_it ? wrong[i].instead : at);
			at += length + (at[length] == '\n');
		}
		struct starpu_model model;
		struct complaint why = {""};
		if (starpu_model_parse(changed, used, &model, &why))
			fail_msg("line %zu as '%s' was taken", wrong[i].line, wrong[i].instead);
		if (strstr(why.text, wrong[i].said) == NULL)
			fail_msg("line %zu as '%s': '%s' lacks '%s'", wrong[i].line,
			         wrong[i].instead, why.text, wrong[i].said);
		assert_int_equal(model.count, 0);
	}
	/* a torn one: but for blanks at its end, no beginning of a file is one */
	for (size_t length = 0; length + 4 < size; length++) {
		struct starpu_model model;
		struct complaint why;
		assert_false(starpu_model_parse(text, length, &model, &why));
	}
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void a_row_is_put_beside_what_is_there(void **state)
{
	(void)state;
	struct starpu_model model;
	struct starpu_row row = starpu_row_make(0x1234, 99, 20, 5, 10);
	load("vector", &model);
	assert_null(starpu_model_find(&model, 0, 0x1234));
	assert_true(starpu_model_put(&model, 1, &row));
	row = starpu_row_make(0x1234, 99, 30, 5, 10);
	assert_true(starpu_model_put(&model, 1, &row));
	row = starpu_row_make(0x1235, 99, 40, 5, 10);
	assert_true(starpu_model_put(&model, 1, &row));
	assert_int_equal(model.count, 2);
	assert_int_equal(model.combinations[0].implementations[0].row_count, 1);
	assert_int_equal(model.combinations[1].implementations[0].row_count, 2);
	assert_null(starpu_model_find(&model, 0, 0x1234));
	/* StarPU's CPU 0 has that footprint, and its OpenCL device 1 has not */
	assert_null(starpu_model_find(&model, 1, 0x870a30aa));
	const struct starpu_row *found = starpu_model_find(&model, 1, 0x1234);
	assert_non_null(found);
	assert_close(found->mean_us, 30, 0);
	assert_close(found->sum_us, 300, 1e-12);
	assert_close(found->sum2_us2, 10 * (900 + 25), 1e-12);
	starpu_model_deinit(&model);
}

/* As StarPU's file has it: seven digits. */
static struct starpu_row rounded(struct starpu_row row)
{
	double *const values[] = {&row.mean_us, &row.deviation_us, &row.sum_us, &row.sum2_us2};
	for (size_t i = 0; i < 4; i++) {
		char text[32];
		(void)snprintf(text, sizeof text, "%e", *values[i]);
		*values[i] = strtod(text, NULL);
	}
	return row;
}

static void predictions_are_taken_out_of_what_was_measured(void **state)
{
	(void)state;
	for (uint64_t count = 1; count <= 1000; count *= 10) {
		struct starpu_row predicted = starpu_row_make(1, 8, 123.4567, 17, 10);
		struct starpu_row own = starpu_row_make(1, 8, 101.2345, 3, count);
		struct starpu_row both = rounded(starpu_row_add(&own, &predicted));
		predicted = rounded(predicted);
		assert_int_equal(both.count, 10 + count);
		struct starpu_row measured = starpu_row_measured(&both, &predicted);
		assert_int_equal(measured.count, count);
		assert_close(measured.mean_us, 101.2345, 1e-4);
	}
}

static void a_prediction_alone_is_nothing_measured(void **state)
{
	(void)state;
	struct starpu_row predicted = starpu_row_make(1, 8, 123.4567, 17, 10);
	struct starpu_row same = rounded(predicted);
	assert_int_equal(starpu_row_measured(&same, &predicted).count, 0);
	/* nothing was written: all is measured */
	assert_int_equal(starpu_row_measured(&same, NULL).count, 10);
	/* as many, of other times: StarPU forgot and measured anew */
	struct starpu_row anew = starpu_row_make(1, 8, 300, 3, 10);
	assert_int_equal(starpu_row_measured(&anew, &predicted).count, 10);
}

/* StarPU forgets a row that is wrong by more than half; then all that it has is measured. */
static void what_starpu_forgot_is_not_taken_out(void **state)
{
	(void)state;
	static const double factors[] = {0.05, 0.5, 1.6, 3, 50};
	for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
		for (uint64_t count = 3; count < 40; count += 4) {
			struct starpu_row predicted = starpu_row_make(1, 8, 100, 20, 10);
			struct starpu_row own =
			        rounded(starpu_row_make(1, 8, 100 * factors[i], 2, count));
			struct starpu_row measured = starpu_row_measured(&own, &predicted);
			if (measured.count != count)
				fail_msg("factor %g, %u tasks: %u left", factors[i],
				         (unsigned)count, (unsigned)measured.count);
			assert_close(measured.mean_us, own.mean_us, 1e-9);
		}
}

/* ---- places ---------------------------------------------------------------------------------- */

static void assert_model_path(const char *folder, const char *host, const char *want)
{
	struct starpu_files files;
	struct complaint why;
	if (!starpu_files_init(folder, host, "s", &files, &why))
		fail_msg("%s", why.text);
	assert_string_equal(files.model, want);
	starpu_files_deinit(&files);
}

static void files_lie_where_starpu_looks(void **state)
{
	(void)state;
	static const char *const names[] = {"STARPU_PERF_MODEL_DIR", "STARPU_HOME",
	                                    "XDG_CACHE_HOME", "HOME"};
	struct starpu_files files;
	struct complaint why = {""};
	for (size_t i = 0; i < 4; i++)
		(void)unsetenv(names[i]);
	assert_false(starpu_files_init(NULL, "n", "s", &files, &why));
	(void)setenv("HOME", "/h", 1);
	assert_model_path(NULL, "n", "/h/.starpu/sampling/codelets/45/s.n");
	(void)setenv("XDG_CACHE_HOME", "/x", 1);
	assert_model_path(NULL, "n", "/x/.starpu/sampling/codelets/45/s.n");
	(void)setenv("STARPU_HOME", "/s", 1);
	assert_model_path(NULL, "n", "/s/.starpu/sampling/codelets/45/s.n");
	(void)setenv("STARPU_PERF_MODEL_DIR", "/p", 1);
	assert_model_path(NULL, "n", "/p/codelets/45/s.n");
	assert_model_path("/d", "n", "/d/codelets/45/s.n");
	(void)setenv("STARPU_HOSTNAME", "foo.bar", 1);
	assert_model_path("/d", NULL, "/d/codelets/45/s.foo.bar");
	assert_false(starpu_files_init("/d", "../n", "s", &files, &why));
	assert_true(starpu_files_of("/d/codelets/45/s.n", &files, &why));
	assert_string_equal(files.record, "/d/codelets/45/../predictd/s.n");
	starpu_files_deinit(&files);
}

static void a_file_is_replaced_as_a_whole(void **state)
{
	(void)state;
	char folder[] = "/tmp/predictd-starpu-XXXXXX", path[128];
	struct starpu_model model, again;
	struct complaint why;
	struct stat status;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof path, "%s/new/s.n", folder);
	assert_true(starpu_model_load(path, true, &model, &why));
	assert_int_equal(model.count, 0);
	assert_false(starpu_model_load(path, false, &model, &why));
	load("mixed", &model);
	assert_true(starpu_model_save(path, &model, &why));
	assert_int_equal(chmod(path, 0640), 0);
	assert_true(starpu_model_save(path, &model, &why));
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0640);
	assert_true(starpu_model_load(path, false, &again, &why));
	assert_int_equal(again.count, model.count);
	starpu_model_deinit(&again);
	/* a folder in its place stays, and nothing is left beside it */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_false(starpu_model_save(path, &model, &why));
	assert_false(starpu_model_load(path, true, &again, &why));
	assert_int_equal(rmdir(path), 0);
	*strrchr(path, '/') = '\0';
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(rmdir(folder), 0);
	starpu_model_deinit(&model);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	        cmocka_unit_test(footprints_are_those_that_starpu_wrote),
	        cmocka_unit_test(what_is_wrong_with_a_task_is_named),
	        cmocka_unit_test(what_starpu_wrote_is_read_and_written_back),
	        cmocka_unit_test(regressions_and_implementations_are_kept),
	        cmocka_unit_test(a_malformed_file_is_refused_with_its_line),
	        cmocka_unit_test(a_row_is_put_beside_what_is_there),
	        cmocka_unit_test(predictions_are_taken_out_of_what_was_measured),
	        cmocka_unit_test(a_prediction_alone_is_nothing_measured),
	        cmocka_unit_test(what_starpu_forgot_is_not_taken_out),
	        cmocka_unit_test(files_lie_where_starpu_looks),
	        cmocka_unit_test(a_file_is_replaced_as_a_whole),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("starpu", tests, NULL, NULL);
}
