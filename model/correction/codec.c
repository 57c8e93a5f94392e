/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The versioned bytes of a record: a head of 108 bytes, then 21 a run; little-endian. Version 2
 * had no parts of a task, 8 bytes less; version 1 another 48 less, without kinds of work.
 */
#include <string.h>

#include "model/correction/bytes.h"

enum { VERSION = 3, HEAD_BYTES = 108, SAMPLE_BYTES = 21, SHARES_1 = 16, PARTS_BYTES = 8 };

_Static_assert(HEAD_BYTES + CORRECTION_SAMPLES * SAMPLE_BYTES <= CORRECTION_RECORD_BYTES,
               "a record fits its bytes");

size_t correction_encode(const struct correction_record *record,
                         uint8_t bytes[CORRECTION_RECORD_BYTES])
{
	const struct correction_launch *launch = &record->launch;
	uint8_t *at = bytes;

	at = put(at, VERSION, 2);
	at = put(at, record->sample_count, 2);
	at = put(at, record->runs, 8);
	at = put(at, launch->epoch, 8);
	at = put_float(at, launch->static_log);
	at = put_float(at, launch->static_sd);
	at = put_float(at, launch->items_log);
	at = put_float(at, launch->group_log);
	memcpy(at, launch->share, sizeof(launch->share));
	at += sizeof(launch->share);
	at = put_float(at, launch->kernel_log);
	at = put_float(at, launch->beside_s);
	for (uint32_t i = 0; i < record->sample_count; i++) {
		at = put_float(at, record->samples[i].time_log);
		at = put(at, record->samples[i].at_s, 4);
		at = put(at, record->samples[i].flags, 1);
		at = put_float(at, record->samples[i].predicted_s);
		at = put_float(at, record->samples[i].low_s);
		at = put_float(at, record->samples[i].high_s);
	}
	return (size_t)(at - bytes);
}

enum status correction_decode(const uint8_t *bytes, size_t size, struct correction_record *record,
                              struct error *error)
{
	struct correction_launch *launch = &record->launch;
	const uint8_t *at = bytes;
	uint64_t key = launch->key, version = size < 4 ? 0 : get(&at, 2);
	uint8_t kind = launch->kind;
	size_t shares = version == 1 ? SHARES_1 : CORRECTION_SHARES;
	size_t parts = version < 3 ? 0 : PARTS_BYTES;
	size_t head = HEAD_BYTES - CORRECTION_SHARES + shares - PARTS_BYTES + parts;

	if (version < 1 || version > VERSION)
		return error_set(error, STATUS_CORRUPT,
		                 "observations: a record of another version");
	uint32_t count = (uint32_t)get(&at, 2);
	if (count > CORRECTION_SAMPLES || size != head + (size_t)count * SAMPLE_BYTES)
		return error_set(error, STATUS_CORRUPT,
		                 "observations: a record of %zu bytes for %u runs", size, count);
	record->sample_count = count;
	record->runs = get(&at, 8);
	*launch = (struct correction_launch){.key = key, .kind = kind, .epoch = get(&at, 8)};
	launch->static_log = get_float(&at);
	launch->static_sd = get_float(&at);
	launch->items_log = get_float(&at);
	launch->group_log = get_float(&at);
	memcpy(launch->share, at, shares);
	at += shares;
	if (parts > 0) {
		launch->kernel_log = get_float(&at);
		launch->beside_s = get_float(&at);
	}
	for (uint32_t i = 0; i < count; i++) {
		record->samples[i].time_log = get_float(&at);
		record->samples[i].at_s = (uint32_t)get(&at, 4);
		record->samples[i].flags = (uint32_t)get(&at, 1);
		record->samples[i].predicted_s = get_float(&at);
		record->samples[i].low_s = get_float(&at);
		record->samples[i].high_s = get_float(&at);
	}
	return STATUS_OK;
}
