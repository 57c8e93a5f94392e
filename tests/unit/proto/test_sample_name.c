/* SPDX-License-Identifier: Apache-2.0 */
/* Names of samples: the same of the same, another of everything else. */
#include "tests/test.h"

#include <string.h>

#include "proto/sample_name.h"

static uint64_t offsets[] = {0, 4096};
static uint32_t lengths[] = {16, 8};
static uint8_t bytes[] = "abcdefghijklmnopqrstuvw";

static Predictd__Sample usual(void)
{
	Predictd__Sample sample = PREDICTD__SAMPLE__INIT;
	sample.size_bytes = 8192;
	sample.type = (char *)"int";
	sample.offsets_bytes = offsets;
	sample.lengths_bytes = lengths;
	sample.n_offsets_bytes = sample.n_lengths_bytes = 2;
	sample.bytes = (ProtobufCBinaryData){24, bytes};
	return sample;
}

static void differs(const Predictd__Sample *other)
{
	uint8_t name[SAMPLE_NAME_BYTES], got[SAMPLE_NAME_BYTES];
	const Predictd__Sample sample = usual();
	sample_name(&sample, name);
	sample_name(other, got);
	assert_memory_not_equal(name, got, sizeof name);
}

static void names_are_those_that_clients_compute(void **state)
{
	/* a client that is not built again goes on to find what it sent */
	static const uint8_t want[SAMPLE_NAME_BYTES] = {0xe8, 0x23, 0x77, 0x66, 0x13, 0x99,
	                                                0x4f, 0x4f, 0xe7, 0x35, 0x75, 0xc8,
	                                                0x5c, 0x44, 0xbb, 0x0d};
	uint8_t name[SAMPLE_NAME_BYTES];
	const Predictd__Sample sample = usual();
	(void)state;
	sample_name(&sample, name);
	assert_memory_equal(name, want, sizeof want);
}

static void every_part_counts(void **state)
{
	uint64_t other_offsets[] = {0, 4100};
	uint32_t other_lengths[] = {8, 16};
	uint8_t other_bytes[24];
	(void)state;
	Predictd__Sample sample = usual();
	sample.size_bytes++;
	differs(&sample);
	sample = usual();
	sample.type = (char *)"uint";
	differs(&sample);
	sample.type = (char *)"";
	differs(&sample);
	sample = usual();
	sample.offsets_bytes = other_offsets;
	differs(&sample);
	sample.n_offsets_bytes = 1;
	differs(&sample);
	sample = usual();
	sample.lengths_bytes = other_lengths;
	differs(&sample);
	memcpy(other_bytes, bytes, sizeof other_bytes);
	other_bytes[23] ^= 1;
	sample = usual();
	sample.bytes.data = other_bytes;
	differs(&sample);
	sample = (Predictd__Sample)PREDICTD__SAMPLE__INIT;
	differs(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(names_are_those_that_clients_compute),
	        cmocka_unit_test(every_part_counts),
	};
	return cmocka_run_group_tests_name("proto/sample_name", tests, NULL, NULL);
}
