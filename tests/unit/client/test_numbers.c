/* SPDX-License-Identifier: Apache-2.0 */
/* The public numbers and words are those of the model and of the protocol. */
#include "tests/test.h"

#include "client/library/error.h"
#include "client/predictd.h"
#include "model/answer/predict.h"
#include "model/device/launch.h"
#include "model/status.h"

static void statuses_are_the_models(void **state)
{
	(void)state;
	assert_int_equal(PREDICTD_UNSAMPLED + 1, STATUS_COUNT);
#define SAME(name) assert_int_equal((int)PREDICTD_##name, (int)STATUS_##name)
	SAME(OK);
	SAME(INVALID);
	SAME(SYNTAX);
	SAME(UNSUPPORTED);
	SAME(LIMIT);
	SAME(NOT_FOUND);
	SAME(UNCALIBRATED);
	SAME(UNAVAILABLE);
	SAME(DENIED);
	SAME(BUSY);
	SAME(TIMEOUT);
	SAME(CANCELLED);
	SAME(IO);
	SAME(CORRUPT);
	SAME(NO_MEMORY);
	SAME(DEVICE);
	SAME(INTERNAL);
	SAME(UNREGISTERED);
	SAME(UNSAMPLED);
#undef SAME
	for (unsigned i = 0; i < STATUS_COUNT; i++) {
		assert_string_equal(predictd_status_name((predictd_status)i),
		                    status_word((enum status)i));
		assert_int_equal((int)status_from_wire(i), (int)i);
	}
	assert_int_equal(status_from_wire(STATUS_COUNT), PREDICTD_INTERNAL);
	assert_string_equal(predictd_status_name((predictd_status)STATUS_COUNT), "unknown");
}

static void models_bases_and_bottlenecks_are_the_models(void **state)
{
	(void)state;
	assert_int_equal((int)PREDICTD_DEFAULT, (int)MODEL_DEFAULT);
	assert_int_equal((int)PREDICTD_PATTERN, (int)MODEL_PATTERN);
	assert_int_equal((int)PREDICTD_UNCACHED, (int)MODEL_UNCACHED);
	assert_int_equal((int)PREDICTD_FALLBACK, (int)BASIS_FALLBACK);
	static const char *const models[] = {
#define X(name, word, what) word,
	        KERNEL_MODEL_TABLE(X)
#undef X
	};
	static const char *const bases[] = {
#define X(name, word) word,
	        BASIS_TABLE(X)
#undef X
	};
	static const char *const bottlenecks[] = {
#define X(name, word) word,
	        BOTTLENECK_TABLE(X)
#undef X
	};
	for (unsigned i = 0; i < MODEL_COUNT; i++)
		assert_string_equal(predictd_model_name((predictd_model)i), models[i]);
	for (unsigned i = 0; i < BASIS_COUNT; i++)
		assert_string_equal(predictd_basis_name((predictd_basis)i), bases[i]);
	for (unsigned i = 0; i < BOTTLENECK_COUNT; i++)
		assert_string_equal(bottleneck_from_wire(i), bottlenecks[i]);
	assert_string_equal(bottleneck_from_wire(BOTTLENECK_COUNT), "unknown");
}

static void arguments_and_devices_are_the_models(void **state)
{
	(void)state;
	assert_int_equal((int)PREDICTD_BUFFER, (int)ARGUMENT_BUFFER);
	assert_int_equal((int)PREDICTD_SCALAR, (int)ARGUMENT_SCALAR);
	assert_int_equal((int)PREDICTD_LOCAL, (int)ARGUMENT_LOCAL);
	assert_int_equal((int)PREDICTD_STRUCT, (int)ARGUMENT_STRUCT);
	assert_int_equal((int)PREDICTD_IMAGE, (int)ARGUMENT_IMAGE);
	assert_int_equal((int)PREDICTD_SAMPLER, (int)ARGUMENT_SAMPLER);
	assert_int_equal((int)PREDICTD_READ, (int)BUFFER_READ);
	assert_int_equal((int)PREDICTD_WRITE, (int)BUFFER_WRITE);
	assert_int_equal((int)PREDICTD_READ_WRITE, (int)BUFFER_READ_WRITE);
	assert_int_equal((int)PREDICTD_CPU, (int)DEVICE_CPU);
	assert_int_equal((int)PREDICTD_GPU, (int)DEVICE_GPU);
	assert_int_equal((int)PREDICTD_ACCELERATOR, (int)DEVICE_ACCELERATOR);
	assert_int_equal((int)PREDICTD_OTHER, (int)DEVICE_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(statuses_are_the_models),
	        cmocka_unit_test(models_bases_and_bottlenecks_are_the_models),
	        cmocka_unit_test(arguments_and_devices_are_the_models),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("numbers", tests, NULL, NULL);
}
