/* SPDX-License-Identifier: Apache-2.0 */
/* Cases files: what is taken names only what there is, and is planned or refused with a sentence.
 */
#include <stdlib.h>
#include <string.h>

#include "client/predictctl/cases.h"
#include "tests/fuzz/fuzz.h"

enum { PLANNED_MAX = 64 };

/* Tasks by what they need alone, all of one time. */
static void plan(const struct case_list *list)
{
	static const double times_s[] = {1, 2};
	const predictd_schedule_device devices[2] = {{.upload_bytes_per_s = 1},
	                                             {.download_latency_s = 1}};
	const predictd_schedule_options options = {
	        .size = sizeof options, .device_count = 2, .devices = devices};
	predictd_schedule_task tasks[PLANNED_MAX];
	predictd_schedule *schedule;
	predictd_plan got;
	size_t count = list->count;
	if (count > PLANNED_MAX || predictd_schedule_new(&options, &schedule) != PREDICTD_OK)
		return;
	for (size_t i = 0; i < count; i++)
		tasks[i] = (predictd_schedule_task){.name = list->cases[i].id,
		                                    .times_s = times_s,
		                                    .need_count = list->cases[i].need_count,
		                                    .needs = list->cases[i].needs};
	predictd_status status = predictd_schedule_add(schedule, NULL, tasks, count, 0);
	predictd_schedule_get(schedule, &got);
	if (status == PREDICTD_OK ? got.task_count != count || !(got.makespan_s >= 1)
	                          : predictd_error_text()[0] == '\0' || got.task_count != 0)
		abort();
	for (size_t i = 0; i < got.task_count; i++)
		for (size_t j = 0; j < tasks[i].need_count; j++)
			if (got.tasks[tasks[i].needs[j]].end_s > got.tasks[i].start_s)
				abort();
	predictd_schedule_free(schedule);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct case_list list;
	struct complaint why = {""};
	if (!case_list_parse((const char *)data, size, "", &list, &why)) {
		if (why.text[0] == '\0' || list.count != 0)
			abort();
		return 0;
	}
	for (size_t i = 0; i < list.count; i++)
		for (size_t j = 0; j < list.cases[i].need_count; j++)
			if (list.cases[i].needs[j] >= list.count)
				abort();
	plan(&list);
	case_list_deinit(&list);
	return 0;
}
