/* SPDX-License-Identifier: Apache-2.0 */
/* Corrections of whole tasks: apart from those of their kernels, and resting on them. */
#include "tests/unit/model/streams.h"

static const double KERNEL_S = 1e-3, BESIDE_S = 1e-5;

static struct correction_launch kernel_launch(double items)
{
	return launch_of(items, KERNEL_S * items / 1024, BOTTLENECK_DRAM);
}

static void report_task(struct stream *stream, uint32_t uid, uint64_t kernel, double items,
                        double time_s, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		const struct correction_launch launch = kernel_launch(items);
		const struct correction_launch task = correction_task(
		        stream->correction, STREAM_DEVICE, kernel, uid, &launch, BESIDE_S);
		stream_runs(stream, uid, kernel, &task, time_s, 1);
	}
}

static void report_kernel(struct stream *stream, uint32_t uid, uint64_t kernel, double items,
                          double time_s, unsigned count)
{
	const struct correction_launch launch = kernel_launch(items);

	stream_runs(stream, uid, kernel, &launch, time_s, count);
}

static struct correction_answer ask_kernel(struct stream *stream, uint32_t uid, uint64_t kernel,
                                           double items)
{
	const struct correction_launch launch = kernel_launch(items);

	return stream_ask(stream, uid, kernel, &launch);
}

static struct correction_answer ask_task(struct stream *stream, uint32_t uid, uint64_t kernel,
                                         double items)
{
	const struct correction_launch launch = kernel_launch(items);
	const struct correction_answer of_kernel = ask_kernel(stream, uid, kernel, items);
	struct correction_answer answer;

	correction_ask_task(stream->correction, STREAM_DEVICE, kernel, uid, &launch, &of_kernel,
	                    BESIDE_S, &answer);
	return answer;
}

static void an_unobserved_task_is_kernel_and_launch(void **state)
{
	struct stream stream;

	(void)state;
	stream_init(&stream, 1, 0);
	struct correction_answer kernel = ask_kernel(&stream, STREAM_UID, 1, 1024);
	struct correction_answer task = ask_task(&stream, STREAM_UID, 1, 1024);
	assert_close(task.time_s, KERNEL_S + BESIDE_S, 1e-6);
	assert_int_equal(task.basis, BASIS_STATIC);
	/* how runtimes measure tasks is not known: wider than the kernel's */
	assert_true(task.low_s < kernel.low_s && task.high_s > kernel.high_s);
	stream_deinit(&stream);
}

static void assert_same(const struct correction_answer *a, const struct correction_answer *b)
{
	assert_true(a->time_s == b->time_s && a->low_s == b->low_s && a->high_s == b->high_s);
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->basis, b->basis);
	assert_int_equal(a->is_drifting, b->is_drifting);
}

static void a_task_never_changes_its_kernel(void **state)
{
	struct stream stream;

	(void)state;
	stream_init(&stream, 2, 0.01);
	report_kernel(&stream, STREAM_UID, 1, 1024, 1.2e-3, 5);
	struct correction_answer before = ask_kernel(&stream, STREAM_UID, 1, 1024);
	struct correction_answer other = ask_kernel(&stream, STREAM_UID, 2, 4096);
	for (uint64_t kernel = 1; kernel < 12; kernel++)
		report_task(&stream, STREAM_UID, kernel, 1024, 9e-3, 8);
	struct correction_answer after = ask_kernel(&stream, STREAM_UID, 1, 1024);
	assert_same(&before, &after);
	after = ask_kernel(&stream, STREAM_UID, 2, 4096);
	assert_same(&other, &after);
	stream_deinit(&stream);
}

static void an_observed_task_is_what_was_measured(void **state)
{
	struct stream stream;

	(void)state;
	stream_init(&stream, 3, 0.02);
	report_task(&stream, STREAM_UID, 1, 1024, 2.5e-3, 10);
	struct correction_answer task = ask_task(&stream, STREAM_UID, 1, 1024);
	assert_close(task.time_s, 2.5e-3, 0.03);
	assert_int_equal(task.basis, BASIS_OBSERVED);
	assert_int_equal(task.count, 10);
	assert_true(task.high_s / task.low_s < 1.3);
	/* and of other sizes of that kernel something is learnt */
	task = ask_task(&stream, STREAM_UID, 1, 4096);
	assert_close(task.time_s, 2.5 * (4 * KERNEL_S + BESIDE_S), 0.2);
	/* of which another user knows nothing */
	task = ask_task(&stream, STREAM_UID + 1, 1, 1024);
	assert_close(task.time_s, KERNEL_S + BESIDE_S, 1e-6);
	stream_deinit(&stream);
}

static void a_kernels_runs_improve_its_tasks(void **state)
{
	struct stream stream;

	(void)state;
	stream_init(&stream, 4, 0.01);
	report_kernel(&stream, STREAM_UID, 1, 1024, 3e-3, 6);
	struct correction_answer task = ask_task(&stream, STREAM_UID, 1, 1024);
	assert_close(task.time_s, 3e-3 + BESIDE_S, 0.03);
	stream_deinit(&stream);
}

/* Seen by the task first and by the kernel then, and the other way round, a factor counts once. */
static void what_kernel_and_task_show_counts_once(void **state)
{
	for (unsigned kernel_first = 0; kernel_first < 2; kernel_first++) {
		struct stream stream;

		(void)state;
		stream_init(&stream, 5, 0.01);
		if (kernel_first)
			report_kernel(&stream, STREAM_UID, 1, 1024, 2 * KERNEL_S, 6);
		report_task(&stream, STREAM_UID, 1, 1024, 2 * KERNEL_S, 6);
		if (!kernel_first)
			report_kernel(&stream, STREAM_UID, 1, 1024, 2 * KERNEL_S, 6);
		struct correction_answer task = ask_task(&stream, STREAM_UID, 1, 1024);
		assert_close(task.time_s, 2 * KERNEL_S, 0.05);
		task = ask_task(&stream, STREAM_UID, 1, 4096);
		assert_close(task.time_s, 8 * KERNEL_S, 0.15);
		stream_deinit(&stream);
	}
}

/* What is so of all tasks of a device (a runtime's own work) is learnt for kernels not seen. */
static void what_tasks_have_in_common_holds_for_others(void **state)
{
	struct stream stream;

	(void)state;
	stream_init(&stream, 6, 0.02);
	for (uint64_t kernel = 1; kernel <= 12; kernel++) {
		report_kernel(&stream, STREAM_UID, kernel, 1024, KERNEL_S, 4);
		report_task(&stream, STREAM_UID, kernel, 1024, KERNEL_S / 1.9, 4);
	}
	struct correction_answer kernel = ask_kernel(&stream, STREAM_UID, 50, 1024);
	struct correction_answer task = ask_task(&stream, STREAM_UID, 50, 1024);
	assert_close(kernel.time_s, KERNEL_S, 0.05);
	assert_close(task.time_s, KERNEL_S / 1.9, 0.15);
	stream_deinit(&stream);
}

static void tasks_are_saved_and_loaded_apart(void **state)
{
	struct stream stream, loaded;
	struct correction_record record;
	struct correction_user user;
	struct error error = {0};
	unsigned kinds[CORRECTION_KINDS] = {0};

	(void)state;
	stream_init(&stream, 7, 0.02);
	stream_init(&loaded, 7, 0.02);
	report_kernel(&stream, STREAM_UID, 1, 1024, 1.5e-3, 5);
	report_task(&stream, STREAM_UID, 1, 1024, 3e-3, 5);
	while (correction_take_changed(stream.correction, &record)) {
		uint8_t bytes[CORRECTION_RECORD_BYTES];
		size_t size = correction_encode(&record, bytes);
		struct correction_record read = {
		        .device = record.device,
		        .kernel = record.kernel,
		        .uid = record.uid,
		        .launch = {.key = record.launch.key, .kind = record.launch.kind}};
		kinds[record.launch.kind]++;
		if (correction_decode(bytes, size, &read, &error) != STATUS_OK ||
		    correction_load(loaded.correction, &read, &error) != STATUS_OK)
			fail_msg("%s", error.text);
	}
	while (correction_take_changed_user(stream.correction, &user))
		if (correction_load_user(loaded.correction, &user, &error) != STATUS_OK)
			fail_msg("%s", error.text);
	correction_settle(loaded.correction);
	correction_settle(stream.correction);
	assert_int_equal(kinds[CORRECTION_OF_KERNEL], 1);
	assert_int_equal(kinds[CORRECTION_OF_TASK], 1);
	assert_close(ask_task(&loaded, STREAM_UID, 1, 1024).time_s,
	             ask_task(&stream, STREAM_UID, 1, 1024).time_s, 1e-6);
	assert_close(ask_kernel(&loaded, STREAM_UID, 1, 1024).time_s,
	             ask_kernel(&stream, STREAM_UID, 1, 1024).time_s, 1e-6);
	/* both go with their device */
	const struct correction_scope scope = {.has_device = true, .device = STREAM_DEVICE};
	assert_int_equal(correction_forget(loaded.correction, &scope), 10);
	assert_int_equal(correction_records(loaded.correction), 0);
	stream_deinit(&loaded);
	stream_deinit(&stream);
}

static void hostile_tasks_are_refused(void **state)
{
	struct stream stream;
	struct correction_run run = {.device = STREAM_DEVICE, .time_s = 1, .measured_at_s = 1};
	struct error error = {0};

	(void)state;
	stream_init(&stream, 8, 0);
	const struct correction_launch launch = kernel_launch(64);
	const struct correction_launch good =
	        correction_task(stream.correction, STREAM_DEVICE, 0, 0, &launch, BESIDE_S);
	static const float parts[] = {NAN, INFINITY, -1e30F, 1e30F};
	for (unsigned i = 0; i < 4; i++) {
		run.launch = good;
		run.launch.kernel_log = parts[i];
		assert_int_equal(correction_observe(stream.correction, &run, NULL, &error),
		                 STATUS_INVALID);
		run.launch = good;
		run.launch.beside_s = parts[i];
		assert_int_equal(correction_observe(stream.correction, &run, NULL, &error),
		                 STATUS_INVALID);
	}
	run.launch = good;
	run.launch.kind = CORRECTION_KINDS;
	assert_int_equal(correction_observe(stream.correction, &run, NULL, &error), STATUS_INVALID);
	assert_int_equal(correction_records(stream.correction), 0);
	stream_deinit(&stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(an_unobserved_task_is_kernel_and_launch),
	        cmocka_unit_test(a_task_never_changes_its_kernel),
	        cmocka_unit_test(an_observed_task_is_what_was_measured),
	        cmocka_unit_test(a_kernels_runs_improve_its_tasks),
	        cmocka_unit_test(what_kernel_and_task_show_counts_once),
	        cmocka_unit_test(what_tasks_have_in_common_holds_for_others),
	        cmocka_unit_test(tasks_are_saved_and_loaded_apart),
	        cmocka_unit_test(hostile_tasks_are_refused),
	};

	return cmocka_run_group_tests_name("correction tasks", tests, NULL, NULL);
}
