/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules: small ones by hand, random ones by what holds of every schedule. Sequences of random
 * numbers are fixed. Times are given; nobody is asked.
 */
#include "tests/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/library/schedule.h"

enum { DEVICES = 4, TASKS = 120, BUFFERS = 60, LISTED = 4, SEEDS = 60 };

/* ---- by hand ------------------------------------------------------------------------------- */

static predictd_schedule *schedule_of(const predictd_schedule_device *devices, size_t count,
                                      predictd_method method)
{
	predictd_schedule_options options = {.size = sizeof options,
	                                     .method = method,
	                                     .device_count = count,
	                                     .devices = devices};
	predictd_schedule *schedule = NULL;
	assert_int_equal(predictd_schedule_new(&options, &schedule), PREDICTD_OK);
	return schedule;
}

static predictd_plan plan_of(predictd_schedule *schedule)
{
	predictd_plan plan;
	predictd_schedule_get(schedule, &plan);
	return plan;
}

static void tasks_go_where_they_end_first(void **state)
{
	(void)state;
	const predictd_schedule_device devices[2] = {{.busy_until_s = 0}, {.busy_until_s = 1}};
	const double slow_s[] = {3, 2.5}, fast_s[] = {1, 1};
	const size_t first[] = {0};
	const predictd_schedule_task tasks[] = {
	        {.times_s = slow_s}, {.times_s = fast_s, .need_count = 1, .needs = first}};
	predictd_schedule *schedule = schedule_of(devices, 2, PREDICTD_HEFT);
	assert_int_equal(predictd_schedule_add(schedule, NULL, tasks, 2, 0), PREDICTD_OK);
	predictd_plan plan = plan_of(schedule);
	assert_int_equal(plan.tasks[0].device, 0);
	assert_close(plan.tasks[0].ends_s[1], 3.5, 0);
	assert_int_equal(plan.tasks[0].by, PREDICTD_BY_FINISH);
	assert_close(plan.makespan_s, 4, 0);
	assert_int_equal(plan.critical_count, 2);
	assert_int_equal(plan.critical[0], 0);
	assert_true(plan.tasks[1].is_critical);
	assert_false(plan.is_contention_known);
	predictd_schedule_free(schedule);
}

static void data_that_lie_on_a_device_keep_a_task_there(void **state)
{
	(void)state;
	const predictd_schedule_device devices[2] = {
	        {.upload_bytes_per_s = 10, .download_bytes_per_s = 10},
	        {.upload_bytes_per_s = 10, .download_bytes_per_s = 20}};
	const predictd_schedule_buffer buffers[] = {{.size_bytes = 20, .on_device = 2}};
	const double times_s[] = {1, 2};
	const size_t first[] = {0};
	const predictd_schedule_task task = {.times_s = times_s, .read_count = 1, .reads = first};
	predictd_schedule *schedule = schedule_of(devices, 2, PREDICTD_HEFT);
	assert_int_equal(predictd_schedule_add_buffers(schedule, buffers, 1), PREDICTD_OK);
	assert_int_equal(predictd_schedule_add(schedule, NULL, &task, 1, 0), PREDICTD_OK);
	predictd_plan plan = plan_of(schedule);
	assert_int_equal(plan.tasks[0].device, 1);
	assert_int_equal(plan.tasks[0].by, PREDICTD_BY_DATA);
	assert_close(plan.tasks[0].ends_s[0], 1 + 2 + 1, 0); /* down, up, and the task */
	assert_int_equal(plan.copy_count, 0);
	predictd_schedule_free(schedule);
	/* "fastest" moves them all the same, by way of the host */
	schedule = schedule_of(devices, 2, PREDICTD_FASTEST);
	assert_int_equal(predictd_schedule_add_buffers(schedule, buffers, 1), PREDICTD_OK);
	assert_int_equal(predictd_schedule_add(schedule, NULL, &task, 1, 5), PREDICTD_OK);
	plan = plan_of(schedule);
	assert_int_equal(plan.tasks[0].device, 0);
	assert_int_equal(plan.tasks[0].by, PREDICTD_BY_TIME);
	assert_int_equal(plan.copy_count, 2);
	assert_int_equal(plan.copies[0].from, 1);
	assert_int_equal(plan.copies[0].to, PREDICTD_HOST);
	assert_close(plan.copies[0].start_s, 5, 0);
	assert_close(plan.copies[1].end_s, 8, 0);
	assert_close(plan.makespan_s, 9, 0);
	predictd_schedule_free(schedule);
}

static void a_device_without_ability_or_memory_is_not_chosen(void **state)
{
	(void)state;
	const predictd_schedule_device devices[2] = {{.memory_bytes = 100}, {.memory_bytes = 1000}};
	const predictd_schedule_buffer buffers[] = {{.size_bytes = 60, .is_on_host = true},
	                                            {.size_bytes = 60, .is_on_host = true},
	                                            {.size_bytes = 2000, .is_on_host = true}};
	const double both_s[] = {1, 100}, second_s[] = {(double)INFINITY, 1};
	const size_t two[] = {0, 1}, large[] = {2}, last[] = {2};
	const predictd_schedule_task tasks[] = {
	        {.times_s = both_s, .read_count = 2, .reads = two},
	        {.times_s = second_s},
	        {.name = "big", .times_s = both_s, .read_count = 1, .reads = large},
	        {.times_s = both_s, .need_count = 1, .needs = last},
	        {.times_s = both_s}};
	predictd_schedule *schedule = schedule_of(devices, 2, PREDICTD_HEFT);
	assert_int_equal(predictd_schedule_add_buffers(schedule, buffers, 3), PREDICTD_OK);
	assert_int_equal(predictd_schedule_add(schedule, NULL, tasks, 5, 0), PREDICTD_LIMIT);
	assert_non_null(strstr(predictd_error_text(), "task 2 (big) fits nowhere: 2000 bytes"));
	predictd_plan plan = plan_of(schedule);
	assert_int_equal(plan.tasks[0].device, 1);
	assert_int_equal(plan.tasks[0].by, PREDICTD_BY_MEMORY);
	assert_int_equal(plan.tasks[0].statuses[0], PREDICTD_LIMIT);
	assert_int_equal(plan.tasks[1].device, 1);
	assert_int_equal(plan.tasks[1].by, PREDICTD_BY_ABILITY);
	assert_int_equal(plan.tasks[2].status, PREDICTD_LIMIT);
	assert_true(plan.tasks[2].device == SIZE_MAX);
	assert_int_equal(plan.tasks[3].status, PREDICTD_LIMIT);
	assert_int_equal(plan.tasks[4].status, PREDICTD_OK);
	predictd_schedule_free(schedule);
}

static void memory_is_free_again_after_the_last_use(void **state)
{
	(void)state;
	const predictd_schedule_device device = {.memory_bytes = 100, .upload_bytes_per_s = 100};
	const predictd_schedule_buffer buffers[] = {{.size_bytes = 80, .is_on_host = true},
	                                            {.size_bytes = 80, .is_on_host = true}};
	const double times_s[] = {2};
	const size_t numbers[] = {0, 1};
	const predictd_schedule_task tasks[] = {
	        {.times_s = times_s, .read_count = 1, .reads = &numbers[0]},
	        {.times_s = times_s, .read_count = 1, .reads = &numbers[1]}};
	predictd_schedule *schedule = schedule_of(&device, 1, PREDICTD_HEFT);
	assert_int_equal(predictd_schedule_add_buffers(schedule, buffers, 2), PREDICTD_OK);
	assert_int_equal(predictd_schedule_add(schedule, NULL, tasks, 2, 0), PREDICTD_OK);
	predictd_plan plan = plan_of(schedule);
	/* the second copy begins when the first buffer is gone */
	assert_close(plan.copies[1].start_s, plan.tasks[0].end_s, 0);
	assert_close(plan.makespan_s, 2 * (0.8 + 2), 1e-12);
	predictd_schedule_free(schedule);
}

static void a_task_that_arrives_fills_a_gap_and_moves_nothing(void **state)
{
	(void)state;
	const predictd_schedule_device devices[2] = {{.key = ""}, {.key = ""}};
	const double first_s[] = {(double)INFINITY, 4}, second_s[] = {1, (double)INFINITY};
	const size_t needs[] = {0};
	const predictd_schedule_task tasks[] = {
	        {.times_s = first_s}, {.times_s = second_s, .need_count = 1, .needs = needs}};
	predictd_schedule *schedule = schedule_of(devices, 2, PREDICTD_HEFT);
	assert_int_equal(predictd_schedule_add(schedule, NULL, tasks, 2, 0), PREDICTD_OK);
	const predictd_schedule_task late = {.times_s = second_s};
	assert_int_equal(predictd_schedule_add(schedule, NULL, &late, 1, 2), PREDICTD_OK);
	predictd_plan plan = plan_of(schedule);
	assert_close(plan.tasks[1].start_s, 4, 0);
	assert_close(plan.tasks[2].start_s, 2, 0);
	assert_close(plan.makespan_s, 5, 0);
	/* after one that was there before */
	const size_t last[] = {1};
	const predictd_schedule_task after = {.times_s = second_s, .need_count = 1, .needs = last};
	assert_int_equal(predictd_schedule_add(schedule, NULL, &after, 1, 2), PREDICTD_OK);
	assert_close(plan_of(schedule).tasks[3].start_s, 5, 0);
	predictd_schedule_free(schedule);
}

static void needs_may_point_forward_and_come_before_the_order_of_numbers(void **state)
{
	(void)state;
	const predictd_schedule_device device = {.key = ""};
	const predictd_schedule_buffer buffers[] = {{.size_bytes = 4}, {.size_bytes = 4}};
	const double times_s[] = {1};
	const size_t n0[] = {0}, n1[] = {1}, n2[] = {2};
	/* the first task reads what the last one writes, since it needs it */
	const predictd_schedule_task tasks[] = {
	        {.times_s = times_s, .need_count = 1, .needs = n2, .read_count = 1, .reads = n0},
	        {.times_s = times_s, .read_count = 1, .reads = n1},
	        {.times_s = times_s, .write_count = 1, .writes = n0}};
	const predictd_schedule_task maker = {.times_s = times_s, .write_count = 1, .writes = n1};
	predictd_schedule *schedule = schedule_of(&device, 1, PREDICTD_HEFT);
	assert_int_equal(predictd_schedule_add_buffers(schedule, buffers, 2), PREDICTD_OK);
	/* buffer 1 holds nothing before its maker was added */
	assert_int_equal(predictd_schedule_add(schedule, NULL, tasks, 3, 0), PREDICTD_INVALID);
	assert_int_equal(predictd_schedule_add(schedule, NULL, &maker, 1, 0), PREDICTD_OK);
	const size_t last[] = {3};
	predictd_schedule_task later[3];
	memcpy(later, tasks, sizeof later);
	later[0].needs = last;
	assert_int_equal(predictd_schedule_add(schedule, NULL, later, 3, 0), PREDICTD_OK);
	predictd_plan plan = plan_of(schedule);
	assert_true(plan.tasks[3].end_s <= plan.tasks[1].start_s);
	assert_true(plan.tasks[0].end_s <= plan.tasks[2].start_s);
	assert_close(plan.makespan_s, 4, 0);
	predictd_schedule_free(schedule);
}

static void tasks_of_priority_are_placed_first(void **state)
{
	(void)state;
	const predictd_schedule_device device = {.key = ""};
	const double long_s[] = {5}, short_s[] = {1};
	const predictd_schedule_task tasks[] = {{.times_s = long_s},
	                                        {.times_s = short_s, .priority = 1}};
	for (unsigned method = PREDICTD_HEFT; method <= PREDICTD_FASTEST; method++) {
		predictd_schedule *schedule = schedule_of(&device, 1, (predictd_method)method);
		assert_int_equal(predictd_schedule_add(schedule, NULL, tasks, 2, 0), PREDICTD_OK);
		assert_close(plan_of(schedule).tasks[1].start_s, 0, 0);
		assert_close(plan_of(schedule).tasks[0].start_s, 1, 0);
		predictd_schedule_free(schedule);
	}
}

static void a_task_takes_longer_beside_a_neighbour(void **state)
{
	(void)state;
	const predictd_schedule_device devices[2] = {{.key = ""}, {.key = ""}};
	const double slowdowns[] = {1, 1.5, 1.5, 1}, both_s[] = {2, 2};
	const predictd_schedule_options options = {.size = sizeof options,
	                                           .device_count = 2,
	                                           .devices = devices,
	                                           .slowdowns = slowdowns};
	const predictd_schedule_task tasks[] = {{.times_s = both_s}, {.times_s = both_s}};
	predictd_schedule *schedule;
	assert_int_equal(predictd_schedule_new(&options, &schedule), PREDICTD_OK);
	assert_int_equal(predictd_schedule_add(schedule, NULL, tasks, 2, 0), PREDICTD_OK);
	predictd_plan plan = plan_of(schedule);
	assert_true(plan.is_contention_known);
	/* the one planned first, too: each is beside the other all the time */
	assert_close(plan.tasks[0].end_s, 3, 1e-3);
	assert_close(plan.tasks[1].end_s, 3, 1e-3);
	assert_close(plan.makespan_s, 3, 1e-3);
	predictd_schedule_free(schedule);
}

/* ---- bad input ----------------------------------------------------------------------------- */

static void refused(predictd_schedule *schedule, const predictd_schedule_task *tasks, size_t count,
                    const char *text)
{
	assert_int_equal(predictd_schedule_add(schedule, NULL, tasks, count, 0), PREDICTD_INVALID);
	if (strstr(predictd_error_text(), text) == NULL)
		fail_msg("want '%s', got '%s'", text, predictd_error_text());
	assert_int_equal(plan_of(schedule).task_count, 0);
}

static void wrong_tasks_are_refused_and_change_nothing(void **state)
{
	(void)state;
	const predictd_schedule_device device = {.key = ""};
	const predictd_schedule_buffer nothing = {.size_bytes = 4};
	const double one_s[] = {1}, minus_s[] = {-1}, nan_s[] = {(double)NAN},
	             never_s[] = {(double)INFINITY};
	const size_t n0[] = {0}, n1[] = {1}, n2[] = {2}, n3[] = {3};
	predictd_schedule *schedule = schedule_of(&device, 1, PREDICTD_HEFT);
	assert_int_equal(predictd_schedule_add_buffers(schedule, &nothing, 1), PREDICTD_OK);
	const predictd_schedule_task cycle[] = {
	        {.times_s = one_s},
	        {.name = "a", .times_s = one_s, .need_count = 1, .needs = n2},
	        {.name = "b", .times_s = one_s, .need_count = 1, .needs = n1},
	        {.times_s = one_s, .need_count = 1, .needs = n2}};
	refused(schedule, cycle, 4, "a cycle of 2 tasks: task ");
	assert_non_null(strstr(predictd_error_text(), "(a)"));
	assert_non_null(strstr(predictd_error_text(), "(b)"));
	const predictd_schedule_task itself = {.times_s = one_s, .need_count = 1, .needs = n0};
	refused(schedule, &itself, 1, "a cycle of 1 task: task 0");
	const predictd_schedule_task unknown = {.times_s = one_s, .need_count = 1, .needs = n3};
	refused(schedule, &unknown, 1, "task 0 needs task 3: there are 1");
	const predictd_schedule_task reader = {.times_s = one_s, .read_count = 1, .reads = n1};
	refused(schedule, &reader, 1, "task 0 reads buffer 1: there are 1");
	const predictd_schedule_task writer = {.times_s = one_s, .write_count = 1, .writes = n1};
	refused(schedule, &writer, 1, "task 0 writes buffer 1");
	const predictd_schedule_task empty = {.times_s = one_s, .read_count = 1, .reads = n0};
	refused(schedule, &empty, 1, "task 0 reads buffer 0, which holds nothing");
	const predictd_schedule_task minus = {.times_s = minus_s}, nan = {.times_s = nan_s};
	refused(schedule, &minus, 1, "want 0 or more, got -1");
	refused(schedule, &nan, 1, "want 0 or more, got");
	const predictd_schedule_task none = {.name = "x"};
	refused(schedule, &none, 1, "task 0 (x): want either a question or times");
	const predictd_question question = {.dimensions = 1};
	const predictd_schedule_task asks = {.question = &question};
	refused(schedule, &asks, 1, "want a key of device 0");
	const predictd_schedule_task never = {.times_s = never_s};
	assert_int_equal(predictd_schedule_add(schedule, NULL, &never, 1, 0), PREDICTD_UNSUPPORTED);
	assert_int_equal(predictd_schedule_add(schedule, NULL, &itself, SIZE_MAX, 0),
	                 PREDICTD_LIMIT);
	assert_int_equal(predictd_schedule_add(schedule, NULL, &itself, 1, (double)NAN),
	                 PREDICTD_INVALID);
	/* as good as new */
	const predictd_schedule_task good = {.times_s = one_s};
	assert_int_equal(predictd_schedule_add(schedule, NULL, &good, 1, 0), PREDICTD_OK);
	predictd_schedule_free(schedule);
}

static void wrong_devices_and_buffers_are_refused(void **state)
{
	(void)state;
	static const predictd_schedule_device many[65];
	const predictd_schedule_device devices[] = {{.busy_until_s = -1},
	                                            {.upload_latency_s = (double)NAN},
	                                            {.download_bytes_per_s = (double)INFINITY}};
	const double below[] = {0.5};
	predictd_schedule_options options = {.size = sizeof options};
	predictd_schedule *schedule = NULL;
	assert_int_equal(predictd_schedule_new(&options, &schedule), PREDICTD_INVALID);
	options.device_count = 1;
	for (size_t i = 0; i < 3; i++) {
		options.devices = &devices[i];
		assert_int_equal(predictd_schedule_new(&options, &schedule), PREDICTD_INVALID);
	}
	options.devices = many;
	options.slowdowns = below;
	assert_int_equal(predictd_schedule_new(&options, &schedule), PREDICTD_INVALID);
	options.slowdowns = NULL;
	options.device_count = 65;
	assert_int_equal(predictd_schedule_new(&options, &schedule), PREDICTD_LIMIT);
	assert_null(schedule);
	const predictd_schedule_device small = {.memory_bytes = 10};
	const predictd_schedule_buffer elsewhere = {.on_device = 2},
	                               large = {.size_bytes = 11, .on_device = 1};
	schedule = schedule_of(&small, 1, PREDICTD_HEFT);
	assert_int_equal(predictd_schedule_add_buffers(schedule, &elsewhere, 1), PREDICTD_INVALID);
	assert_int_equal(predictd_schedule_add_buffers(schedule, &large, 1), PREDICTD_LIMIT);
	assert_int_equal(predictd_schedule_add_buffers(schedule, &large, SIZE_MAX), PREDICTD_LIMIT);
	predictd_schedule_free(schedule);
}

/* ---- at random ----------------------------------------------------------------------------- */

static uint64_t random_state;

/* SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) */
static uint64_t random_next(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static size_t random_below(size_t limit)
{
	return (size_t)(random_next() % limit);
}

struct random_graph {
	size_t device_count, task_count;
	predictd_schedule_device devices[DEVICES];
	predictd_schedule_buffer buffers[BUFFERS];
	predictd_schedule_task tasks[TASKS];
	double times_s[TASKS][DEVICES];
	size_t needs[TASKS][LISTED], reads[TASKS][LISTED], writes[TASKS][LISTED];
};

static void graph_make(struct random_graph *graph, uint64_t seed, bool has_limits)
{
	random_state = seed;
	memset(graph, 0, sizeof *graph);
	graph->device_count = 1 + random_below(DEVICES);
	graph->task_count = 1 + random_below(TASKS);
	for (size_t i = 0; i < graph->device_count; i++) {
		bool is_shared = random_below(3) == 0; /* copies take no time */
		graph->devices[i] = (predictd_schedule_device){
		        .busy_until_s = (double)random_below(5),
		        .memory_bytes = has_limits ? 400 + random_below(800) : 0,
		        .upload_latency_s = is_shared ? 0 : 0.1,
		        .upload_bytes_per_s = is_shared ? 0 : 50 + (double)random_below(100),
		        .download_latency_s = is_shared ? 0 : 0.2,
		        .download_bytes_per_s = is_shared ? 0 : 50 + (double)random_below(100)};
	}
	for (size_t i = 0; i < BUFFERS; i++)
		graph->buffers[i] = (predictd_schedule_buffer){.size_bytes = random_below(200),
		                                               .is_on_host = true};
	for (size_t i = 0; i < graph->task_count; i++) {
		predictd_schedule_task *task = &graph->tasks[i];
		*task = (predictd_schedule_task){.times_s = graph->times_s[i],
		                                 .needs = graph->needs[i],
		                                 .reads = graph->reads[i],
		                                 .writes = graph->writes[i],
		                                 .read_count = random_below(LISTED),
		                                 .write_count = random_below(2),
		                                 .need_count = i == 0 ? 0 : random_below(3)};
		size_t able = random_below(graph->device_count);
		for (size_t j = 0; j < graph->device_count; j++)
			graph->times_s[i][j] = j != able && random_below(8) == 0
			                               ? (double)INFINITY
			                               : (double)random_below(1000) / 100;
		for (size_t j = 0; j < LISTED; j++) {
			graph->needs[i][j] = i == 0 ? 0 : random_below(i);
			graph->reads[i][j] = random_below(BUFFERS);
			graph->writes[i][j] = random_below(BUFFERS);
		}
	}
}

static predictd_schedule *graph_plan(const struct random_graph *graph, predictd_method method,
                                     size_t batch)
{
	predictd_schedule *schedule = schedule_of(graph->devices, graph->device_count, method);
	assert_int_equal(predictd_schedule_add_buffers(schedule, graph->buffers, BUFFERS),
	                 PREDICTD_OK);
	for (size_t i = 0; i < graph->task_count; i += batch) {
		size_t count = graph->task_count - i < batch ? graph->task_count - i : batch;
		predictd_status status = predictd_schedule_add(schedule, NULL, &graph->tasks[i],
		                                               count, (double)i / 50);
		assert_true(status == PREDICTD_OK || status == PREDICTD_LIMIT);
	}
	return schedule;
}

static bool lists(const size_t *numbers, size_t count, size_t number)
{
	for (size_t i = 0; i < count; i++)
		if (numbers[i] == number)
			return true;
	return false;
}

/* What task `before` must have ended for, by the lists alone. */
static bool waits_for(const struct random_graph *graph, size_t task, size_t before)
{
	const predictd_schedule_task *one = &graph->tasks[task], *other = &graph->tasks[before];
	if (lists(one->needs, one->need_count, before))
		return true;
	for (size_t i = 0; i < BUFFERS; i++) {
		bool reads = lists(one->reads, one->read_count, i),
		     writes = lists(one->writes, one->write_count, i),
		     read = lists(other->reads, other->read_count, i),
		     wrote = lists(other->writes, other->write_count, i);
		if ((reads && wrote) || (writes && (read || wrote)))
			return true;
	}
	return false;
}

static void no_two_overlap(const predictd_plan *plan)
{
	for (size_t i = 0; i < plan->task_count; i++)
		for (size_t j = 0; j < i; j++) {
			const predictd_planned *a = &plan->tasks[i], *b = &plan->tasks[j];
			if (a->device == b->device && a->device != SIZE_MAX)
				assert_true(a->end_s <= b->start_s || b->end_s <= a->start_s);
		}
	for (size_t i = 0; i < plan->copy_count; i++)
		for (size_t j = 0; j < i; j++) {
			const predictd_planned_copy *a = &plan->copies[i], *b = &plan->copies[j];
			if (a->from == b->from && a->to == b->to)
				assert_true(a->end_s <= b->start_s || b->end_s <= a->start_s);
		}
}

/* Follows each buffer's copies in the order of tasks' numbers: what is read is there. */
static void data_are_there(const struct random_graph *graph, const predictd_plan *plan)
{
	for (size_t number = 0; number < BUFFERS; number++) {
		double there_s[DEVICES + 1];
		for (size_t i = 0; i <= DEVICES; i++)
			there_s[i] = i == DEVICES ? 0 : (double)INFINITY;
		double made_s = 0;
		for (size_t i = 0; i < plan->task_count; i++) {
			const predictd_planned *planned = &plan->tasks[i];
			const predictd_schedule_task *task = &graph->tasks[i];
			if (planned->device == SIZE_MAX)
				continue;
			const predictd_schedule_device *own = &graph->devices[planned->device];
			if (lists(task->reads, task->read_count, number)) {
				/* the last copy to its device ends before it, and brings what was
				 * made last; devices whose copies take no time share memory */
				bool is_there = there_s[planned->device] <= planned->start_s ||
				                (!(own->upload_latency_s > 0) &&
				                 made_s <= planned->start_s);
				for (size_t j = 0; j < plan->copy_count && !is_there; j++)
					is_there = plan->copies[j].buffer == number &&
					           plan->copies[j].to == planned->device &&
					           plan->copies[j].start_s >= made_s &&
					           plan->copies[j].end_s <= planned->start_s;
				assert_true(is_there);
			}
			if (!lists(task->writes, task->write_count, number))
				continue;
			for (size_t j = 0; j <= DEVICES; j++)
				there_s[j] = (double)INFINITY;
			there_s[planned->device] = made_s = planned->end_s;
		}
	}
}

/* The longest way by each task's least time, and the least that the devices take together. */
static double least_s(const struct random_graph *graph)
{
	double ends_s[TASKS], way_s = 0, work_s = 0;
	for (size_t i = 0; i < graph->task_count; i++) {
		double own_s = (double)INFINITY, ready_s = 0;
		for (size_t j = 0; j < graph->device_count; j++)
			own_s = fmin(own_s, graph->times_s[i][j]);
		for (size_t j = 0; j < i; j++)
			if (waits_for(graph, i, j))
				ready_s = fmax(ready_s, ends_s[j]);
		ends_s[i] = ready_s + own_s;
		way_s = fmax(way_s, ends_s[i]);
		work_s += own_s;
	}
	return fmax(way_s, work_s / (double)graph->device_count);
}

/* Whether a buffer came to a device after a time, and not after another. */
static bool comes_between(const struct random_graph *graph, const predictd_plan *plan,
                          size_t buffer, size_t device, double after_s, double until_s)
{
	for (size_t i = 0; i < plan->copy_count; i++)
		if (plan->copies[i].buffer == buffer && plan->copies[i].to == device &&
		    plan->copies[i].start_s > after_s && plan->copies[i].start_s <= until_s)
			return true;
	for (size_t i = 0; i < plan->task_count; i++)
		if (plan->tasks[i].device == device && plan->tasks[i].start_s > after_s &&
		    plan->tasks[i].start_s < until_s &&
		    lists(graph->tasks[i].writes, graph->tasks[i].write_count, buffer))
			return true;
	return false;
}

/*
 * What lies on a device fits, at the starts of some of its tasks: what the task uses, and what
 * later ones read that does not come after that time.
 */
static void memory_suffices(const struct random_graph *graph, const predictd_plan *plan)
{
	for (size_t i = 0; i < plan->task_count; i += 3) {
		const predictd_planned *at = &plan->tasks[i];
		if (at->device == SIZE_MAX || graph->devices[at->device].memory_bytes == 0)
			continue;
		/* copies that take no time are not told */
		bool tells = graph->devices[at->device].upload_latency_s > 0;
		bool lies[BUFFERS] = {false};
		uint64_t bytes = 0;
		for (size_t j = 0; j < plan->task_count; j++) {
			const predictd_planned *other = &plan->tasks[j];
			const predictd_schedule_task *task = &graph->tasks[j];
			if (other->device != at->device ||
			    (j != i && (!tells || other->start_s <= at->start_s)))
				continue;
			for (size_t k = 0; k < task->read_count; k++)
				lies[task->reads[k]] |=
				        j == i ||
				        !comes_between(graph, plan, task->reads[k], at->device,
				                       at->start_s, other->start_s);
			for (size_t k = 0; k < task->write_count && j == i; k++)
				lies[task->writes[k]] = true;
		}
		for (size_t k = 0; k < BUFFERS; k++)
			bytes += lies[k] ? graph->buffers[k].size_bytes : 0;
		assert_true(bytes <= graph->devices[at->device].memory_bytes);
	}
}

static void plan_check(const struct random_graph *graph, predictd_schedule *schedule)
{
	predictd_plan plan = plan_of(schedule);
	bool is_whole = true;
	double last_s = 0;
	assert_int_equal(plan.task_count, graph->task_count);
	for (size_t i = 0; i < plan.task_count; i++) {
		const predictd_planned *one = &plan.tasks[i];
		is_whole = is_whole && one->status == PREDICTD_OK;
		assert_int_equal(one->status == PREDICTD_OK, one->device != SIZE_MAX);
		if (one->device == SIZE_MAX)
			continue;
		last_s = fmax(last_s, one->end_s);
		assert_true(isfinite(graph->times_s[i][one->device]));
		assert_close(one->end_s - one->start_s, graph->times_s[i][one->device], 1e-9);
		assert_close(one->ends_s[one->device], one->end_s, 0);
		assert_true(one->start_s >= graph->devices[one->device].busy_until_s);
		for (size_t j = 0; j < i; j++)
			if (waits_for(graph, i, j)) {
				assert_int_equal(plan.tasks[j].status, PREDICTD_OK);
				assert_true(plan.tasks[j].end_s <= one->start_s);
			}
	}
	assert_close(plan.makespan_s, last_s, 0);
	if (is_whole)
		assert_true(plan.makespan_s >= least_s(graph) * (1 - 1e-12));
	for (size_t i = 1; i < plan.critical_count; i++)
		assert_true(plan.tasks[plan.critical[i - 1]].end_s <=
		            plan.tasks[plan.critical[i]].start_s);
	if (plan.critical_count > 0)
		assert_close(plan.tasks[plan.critical[plan.critical_count - 1]].end_s,
		             plan.makespan_s, 0);
	no_two_overlap(&plan);
	data_are_there(graph, &plan);
	memory_suffices(graph, &plan);
}

static void every_schedule_is_one_that_can_run(void **state)
{
	(void)state;
	struct random_graph *graph = malloc(sizeof *graph);
	assert_non_null(graph);
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		for (unsigned method = PREDICTD_HEFT; method <= PREDICTD_FASTEST; method++)
			for (unsigned how = 0; how < 4; how++) {
				graph_make(graph, seed, how % 2 == 1);
				predictd_schedule *schedule = graph_plan(
				        graph, (predictd_method)method, how < 2 ? TASKS : 7);
				plan_check(graph, schedule);
				predictd_schedule_free(schedule);
			}
	free(graph);
}

static void the_same_tasks_give_the_same_schedule(void **state)
{
	(void)state;
	struct random_graph *graph = malloc(sizeof *graph);
	assert_non_null(graph);
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		graph_make(graph, seed, false);
		predictd_schedule *a = graph_plan(graph, PREDICTD_HEFT, TASKS),
		                  *b = graph_plan(graph, PREDICTD_HEFT, TASKS);
		predictd_plan first = plan_of(a), second = plan_of(b);
		assert_int_equal(first.copy_count, second.copy_count);
		for (size_t i = 0; i < first.task_count; i++) {
			assert_int_equal(first.tasks[i].device, second.tasks[i].device);
			assert_close(first.tasks[i].start_s, second.tasks[i].start_s, 0);
		}
		predictd_schedule_free(a);
		predictd_schedule_free(b);
	}
	free(graph);
}

/* In the same order and on the same devices, each task ends no later where gaps are filled. */
static void a_gap_that_is_filled_makes_nothing_later(void **state)
{
	(void)state;
	struct random_graph *graph = malloc(sizeof *graph);
	size_t forced[TASKS], sooner = 0;
	assert_non_null(graph);
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		graph_make(graph, seed, false);
		predictd_schedule *schedules[2];
		for (size_t i = 0; i < graph->task_count; i++)
			do {
				forced[i] = random_below(graph->device_count);
			} while (!isfinite(graph->times_s[i][forced[i]]));
		for (size_t i = 0; i < 2; i++) {
			schedules[i] =
			        schedule_of(graph->devices, graph->device_count, PREDICTD_HEFT);
			schedules[i]->is_append = i == 1;
			schedules[i]->forced = forced;
			assert_int_equal(predictd_schedule_add_buffers(schedules[i], graph->buffers,
			                                               BUFFERS),
			                 PREDICTD_OK);
			assert_int_equal(predictd_schedule_add(schedules[i], NULL, graph->tasks,
			                                       graph->task_count, 0),
			                 PREDICTD_OK);
		}
		predictd_plan filled = plan_of(schedules[0]), appended = plan_of(schedules[1]);
		for (size_t i = 0; i < filled.task_count; i++)
			assert_true(filled.tasks[i].end_s <= appended.tasks[i].end_s);
		sooner += filled.makespan_s < appended.makespan_s;
		predictd_schedule_free(schedules[0]);
		predictd_schedule_free(schedules[1]);
	}
	assert_true(sooner > 0);
	free(graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(tasks_go_where_they_end_first),
	        cmocka_unit_test(data_that_lie_on_a_device_keep_a_task_there),
	        cmocka_unit_test(a_device_without_ability_or_memory_is_not_chosen),
	        cmocka_unit_test(memory_is_free_again_after_the_last_use),
	        cmocka_unit_test(a_task_that_arrives_fills_a_gap_and_moves_nothing),
	        cmocka_unit_test(needs_may_point_forward_and_come_before_the_order_of_numbers),
	        cmocka_unit_test(tasks_of_priority_are_placed_first),
	        cmocka_unit_test(a_task_takes_longer_beside_a_neighbour),
	        cmocka_unit_test(wrong_tasks_are_refused_and_change_nothing),
	        cmocka_unit_test(wrong_devices_and_buffers_are_refused),
	        cmocka_unit_test(every_schedule_is_one_that_can_run),
	        cmocka_unit_test(the_same_tasks_give_the_same_schedule),
	        cmocka_unit_test(a_gap_that_is_filled_makes_nothing_later),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("schedule", tests, NULL, NULL);
}
