/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a run, as JSON; docs/programs.md has its schema. */
#include "client/predictctl/run.h"

#include "client/predictctl/text.h"

enum { WORST = 10 };

static json_t *time_json(double time_s)
{
	return time_s > 0 ? json_finite(time_s) : json_null();
}

static json_t *count_json(uint64_t count)
{
	return json_integer((json_int_t)count);
}

static json_t *sizes_json(const uint64_t sizes[3], uint32_t dimensions)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < dimensions; i++)
		json_array_append_new(list, count_json(sizes[i]));
	return list;
}

static json_t *answer_json(const struct run_answer *answer)
{
	return json_pack("{so so so so so so so so}", "time_s", time_json(answer->time_s), "low_s",
	                 time_json(answer->low_s), "high_s", time_json(answer->high_s),
	                 "launch_time_s", time_json(answer->launch_time_s), "basis",
	                 json_text(answer->basis), "bottleneck", json_text(answer->bottleneck),
	                 "assumed", json_text(answer->note), "taught", count_json(answer->taught));
}

static json_t *shape_json(const struct run_shape *shape)
{
	return json_pack(
	        "{so so so so so so so so so so so}", "global",
	        sizes_json(shape->global, shape->dimensions), "local",
	        shape->local[0] > 0 ? sizes_json(shape->local, shape->dimensions) : json_null(),
	        "launches", count_json(shape->launches), "untimed", count_json(shape->untimed),
	        "failed", count_json(shape->failed), "overlapped", count_json(shape->overlapped),
	        "total_time_s", json_finite(shape->total_time_s), "observed_time_s",
	        time_json(shape->time_s), "predicted",
	        shape->has_answer ? answer_json(&shape->answer) : json_null(), "ratio",
	        time_json(run_ratio(shape->answer.time_s, shape->time_s)), "why",
	        shape->has_answer ? json_null() : json_text(shape->why));
}

static json_t *kernel_json(const struct run_kernel *kernel)
{
	json_t *shapes = json_array();
	const struct run_shape *longest = kernel->shapes[0];
	for (size_t i = 0; i < kernel->shape_count; i++)
		json_array_append_new(shapes, shape_json(kernel->shapes[i]));
	json_t *object = json_pack(
	        "{so so so so so so so so so so so so so}", "name", json_text(kernel->name),
	        "program", json_text(longest->program), "process", count_json(kernel->record->pid),
	        "device", json_text(kernel->device->name), "device_key",
	        json_text(kernel->device->key), "launches", count_json(kernel->launches),
	        "predicted_launches", count_json(kernel->predicted_launches), "fallback_launches",
	        count_json(kernel->fallback_launches), "compared_launches",
	        count_json(kernel->compared_launches), "predicted_time_s",
	        time_json(kernel->predicted_time_s), "observed_time_s",
	        time_json(kernel->observed_time_s), "ratio", time_json(run_kernel_ratio(kernel)),
	        "total_time_s", json_finite(kernel->total_time_s));
	json_object_set_new(object, "near_launches", count_json(kernel->near_launches));
	json_object_set_new(object, "share", json_finite(kernel->share));
	json_object_set_new(object, "bottleneck",
	                    longest->has_answer ? json_text(longest->answer.bottleneck)
	                                        : json_null());
	json_object_set_new(object, "shapes", shapes);
	return object;
}

static json_t *device_json_of(const struct run_device_sum *device)
{
	json_t *transfers = json_array();
	const struct run_device *sum = &device->sum;
	for (size_t i = 0; i < sum->kind_count; i++) {
		const struct run_transfers *some = &sum->kinds[i];
		double rate = some->time_s > 0 ? (double)some->timed_bytes / some->time_s : 0;
		json_array_append_new(
		        transfers,
		        json_pack("{so so so so so so so so}", "kind", json_text(some->kind),
		                  "count", count_json(some->count), "untimed",
		                  count_json(some->untimed), "failed", count_json(some->failed),
		                  "blocking", count_json(some->blocking), "bytes",
		                  count_json(some->bytes), "time_s", json_finite(some->time_s),
		                  "bytes_per_s", time_json(rate)));
	}
	return json_pack("{so so so so so so so so so so so}", "name", json_text(sum->name), "key",
	                 json_text(sum->key), "launches", count_json(sum->launches),
	                 "kernel_time_s", json_finite(device->time_s), "span_s",
	                 json_finite(sum->span_s), "idle_s", json_finite(sum->idle_s), "unqueued_s",
	                 json_finite(sum->unqueued_s), "gaps", count_json(sum->gaps),
	                 "launches_when_idle", count_json(sum->launches_when_idle), "launch_time_s",
	                 time_json(sum->launch_time_s), "transfers", transfers);
}

static json_t *process_json(const struct run_record *record)
{
	return json_pack("{so so so sb sb so so so so so so so so}", "pid", count_json(record->pid),
	                 "name", json_text(record->name), "mode", json_text(record->mode),
	                 "observes", record->observes, "has_answered", record->has_answered, "away",
	                 json_text(record->away), "sent", count_json(record->sent), "refused",
	                 count_json(record->refused), "dropped", count_json(record->dropped),
	                 "lost_launches", count_json(record->lost_launches), "lost_shapes",
	                 count_json(record->lost_shapes), "lost_transfers",
	                 count_json(record->lost_transfers), "lost_spans",
	                 count_json(record->lost_spans));
}

json_t *run_json(const struct run *run, const struct run_summary *summary)
{
	json_t *kernels = json_array(), *devices = json_array(), *reasons = json_array(),
	       *worst = json_array(), *processes = json_array();
	struct run_miss misses[WORST];
	size_t count = run_worst(summary, misses, WORST);
	for (size_t i = 0; i < summary->kernel_count; i++)
		json_array_append_new(kernels, kernel_json(&summary->kernels[i]));
	for (size_t i = 0; i < summary->device_count; i++)
		json_array_append_new(devices, device_json_of(&summary->devices[i]));
	for (size_t i = 0; i < summary->reason_count; i++)
		json_array_append_new(
		        reasons, json_pack("{so so so}", "why", json_text(summary->reasons[i].why),
		                           "launches", count_json(summary->reasons[i].launches),
		                           "shapes", count_json(summary->reasons[i].shapes)));
	for (size_t i = 0; i < count; i++) {
		json_t *one = shape_json(misses[i].shape);
		json_object_set_new(one, "name", json_text(misses[i].kernel->name));
		json_array_append_new(worst, one);
	}
	for (size_t i = 0; i < summary->record_count; i++)
		json_array_append_new(processes, process_json(&summary->records[i]));
	json_t *json = json_pack(
	        "{si so si so so so so so so so so so so so so so so}", "schema", 1, "program",
	        json_text(run->program[0]), "exit_status", run->status, "time_s",
	        json_finite(run->time_s), "launches", count_json(summary->launches),
	        "predicted_launches", count_json(summary->predicted_launches), "fallback_launches",
	        count_json(summary->fallback_launches), "distinct", count_json(summary->shapes),
	        "predicted_distinct", count_json(summary->predicted_shapes), "fallback_distinct",
	        count_json(summary->fallback_shapes), "taught_distinct",
	        count_json(summary->taught_shapes), "kernel_time_s",
	        json_finite(summary->total_time_s), "kernels", kernels, "devices", devices,
	        "unpredicted", reasons, "worst", worst, "processes", processes);
	json_object_set_new(json, "near_launches", count_json(summary->near_launches));
	return json;
}
