/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels without source: what users have observed of them, asked and taken into account. */
#include "daemon/state/sourceless.h"

#include "daemon/codec/launch_key.h"
#include "daemon/daemon.h"
#include "daemon/state/observations_saving.h"

#include <string.h>
#include <xxhash.h>

/* Other hashes of the same bytes than those of sources and of devices. */
enum { KERNEL_SEED = 0x6b65726e, DRAWER_SEED = 0x64726177 };

void sourceless_init(struct sourceless *sourceless, const char *name,
                     const char key[DEVICE_KEY_MAX])
{
	size_t length = strnlen(key, DEVICE_KEY_MAX - 1);
	*sourceless = (struct sourceless){.name = name};
	memcpy(sourceless->key, key, length);
	uint64_t device = XXH3_64bits_withSeed(key, length, DRAWER_SEED);
	sourceless->kernel = XXH3_64bits_withSeed(name, strlen(name), device ^ KERNEL_SEED);
	for (uint64_t kind = 0; kind < CORRECTION_KINDS; kind++) {
		const uint64_t words[] = {device % SOURCELESS_DRAWERS, kind};
		sourceless->drawers[kind] = XXH3_64bits_withSeed(words, sizeof words, DRAWER_SEED);
	}
}

uint32_t sourceless_epoch_slot(const struct observations *observations,
                               const struct sourceless *sourceless, uid_t user)
{
	return epochs_slot(observations->daemon->epochs, sourceless->kernel, REGISTRY_DEVICES_MAX,
	                   user);
}

static struct correction_launch describe(const struct observations *observations,
                                         enum correction_kind kind)
{
	const struct launch *launch = &observations->daemon->launch;
	return correction_describe_work(launch_key(launch), kind, launch_items(launch));
}

void sourceless_ask(struct observations *observations, const struct sourceless *sourceless,
                    uid_t user, struct sourceless_answer *answer)
{
	for (unsigned kind = 0; kind < CORRECTION_KINDS; kind++) {
		const struct correction_launch launch =
		        describe(observations, (enum correction_kind)kind);
		answer->is_known[kind] = correction_ask_history(
		        observations->correction, sourceless->drawers[kind], sourceless->kernel,
		        user, &launch, &answer->of[kind]);
	}
}

static enum status take_one(struct observations *observations, const struct sourceless *sourceless,
                            const struct observed *observed, enum correction_kind kind,
                            unsigned *moved, struct error *error)
{
	struct correction_answer before;
	struct correction_run run = {
	        .device = sourceless->drawers[kind],
	        .kernel = sourceless->kernel,
	        .uid = observed->user,
	        .flags = observed->flags,
	        .time_s = observed->time_s[kind],
	        .measured_at_s = observed->measured_at_s,
	        .launch = describe(observations, kind),
	};
	unsigned bits = 0;
	bool is_known = correction_ask_history(observations->correction, run.device, run.kernel,
	                                       run.uid, &run.launch, &before);
	if (is_known) {
		run.predicted_s = (float)before.time_s;
		run.low_s = (float)before.low_s;
		run.high_s = (float)before.high_s;
	}
	enum status status = correction_observe(observations->correction, &run, &bits, error);
	*moved |= bits;
	if (status == STATUS_OK && is_known && observed->flags == 0) {
		struct daemon *daemon = observations->daemon;
		const struct quality_run judged = {
		        .kind = kind, /* and no device: its key may be of the user's choice */
		        .basis = before.basis,
		        .predicted_s = before.time_s,
		        .low_s = before.low_s,
		        .high_s = before.high_s,
		        .measured_s = run.time_s,
		};
		quality_add(&daemon->metrics.quality, &judged,
		            daemon->has_names ? sourceless->name : NULL);
	}
	return status;
}

enum status sourceless_take(struct observations *observations, const struct sourceless *sourceless,
                            struct observed *observed, struct error *error)
{
	struct epochs *epochs = observations->daemon->epochs;
	const struct launch *launch = &observations->daemon->launch;
	enum status status = STATUS_OK;
	unsigned moved = 0;
	observed->kernel = sourceless->kernel;
	observed->kernel_name = sourceless->name;
	observed->device_key = sourceless->key;
	for (unsigned kind = 0; kind < CORRECTION_KINDS && status == STATUS_OK; kind++)
		if (observed->time_s[kind] > 0)
			status = take_one(observations, sourceless, observed,
			                  (enum correction_kind)kind, &moved, error);
	if (status != STATUS_OK)
		return status;
	/* no answer to others, or about other kernels, rests on it */
	if (moved != 0 && epochs != NULL)
		epochs_raise(epochs,
		             sourceless_epoch_slot(observations, sourceless, observed->user));
	saving_changed(observations, observed, launch_key(launch));
	return STATUS_OK;
}
