/* SPDX-License-Identifier: Apache-2.0 */
/* Calibrations and measurements of a simulated device, and each of its calls failing. */
#include "tests/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/calibrator/calibrate.h"
#include "daemon/calibrator/list.h"
#include "daemon/calibrator/measure.h"
#include "model/ir.h"
#include "model/launch.h"
#include "tests/unit/calibrator/simulated.h"

static unsigned long points;

static enum status calibrate_simulated(bool is_gpu, bool is_quick, unsigned long fail_at,
                                       struct device *device, struct error *error)
{
	struct found_devices found = {0};
	struct opencl opencl = {0};
	const struct found_device *chosen = NULL;
	const struct calibrate_options options = {.is_quick = is_quick};
	simulated_begin(is_gpu, fail_at);
	enum status status = found_devices_init(&found, error);
	if (status == STATUS_OK)
		status = found_devices_find(&found, "", &chosen, error);
	if (status == STATUS_OK && chosen->failure[0] != '\0')
		status = error_set(error, STATUS_DEVICE, "%s", chosen->failure);
	if (status == STATUS_OK) {
		*device = chosen->device;
		status = opencl_open(&opencl, chosen->platform, chosen->id, error);
	}
	if (status == STATUS_OK)
		status = calibrate(&opencl, &options, device, error);
	opencl_close(&opencl);
	found_devices_deinit(&found);
	return status;
}

/* What is kept may be exported and imported. */
static void check_numbers(const struct device *device)
{
	struct error error = {0};
	if (device_check(device, &error) != STATUS_OK)
		fail_msg("%s", error.text);
}

static double value(const struct device *device, unsigned id)
{
	char name[COEFFICIENT_NAME_MAX];
	coefficient_name(id, name);
	if (!device->coefficient[id].is_known)
		fail_msg("%s is not known", name);
	return device->coefficient[id].value;
}

static void a_gpu_is_found_as_it_was_made(void **state)
{
	static struct device device;
	struct error error = {0};
	(void)state;
	if (calibrate_simulated(true, false, 0, &device, &error) != STATUS_OK)
		fail_msg("%s", error.text);
	assert_int_equal(simulated_objects(), 0);
	assert_true(device.is_calibrated && !device.is_quick);
	assert_string_equal(device.name, "Simulated device");
	assert_string_equal(device.pci, "0000:07:03.0");
	check_numbers(&device);
	assert_close(value(&device, COEFFICIENT_UNITS), SIMULATED_UNITS, 1e-9);
	assert_close(value(&device, COEFFICIENT_WARP_ITEMS), SIMULATED_LANES, 1e-9);
	assert_close(value(&device, COEFFICIENT_SEGMENT_BYTES), SIMULATED_SEGMENT_BYTES, 1e-9);
	/* a launch of this device costs what simulated.c says */
	assert_close(value(&device, COEFFICIENT_LAUNCH_ENQUEUE), 2e-6, 0.01);
	assert_close(value(&device, COEFFICIENT_LAUNCH_GROUP), 1e-9, 0.01);
	/* levels: their bandwidths, and capacities as far as steps of the root of two tell */
	assert_close(value(&device, COEFFICIENT_MEMORY_LEVELS), 2, 1e-9);
	assert_close(value(&device, coefficient_memory(MEMORY_L2, MEMORY_COLUMN_CAPACITY)),
	             SIMULATED_L2_BYTES, 0.42);
	assert_close(value(&device, coefficient_memory(MEMORY_L1, MEMORY_COLUMN_READ)), 2e12, 0.1);
	assert_close(value(&device, coefficient_memory(MEMORY_L2, MEMORY_COLUMN_READ)), 8e11, 0.1);
	assert_close(value(&device, coefficient_memory(MEMORY_DRAM, MEMORY_COLUMN_READ)), 2e11,
	             0.1);
}

static void a_cpu_is_calibrated_too(void **state)
{
	static struct device device;
	struct error error = {0};
	(void)state;
	if (calibrate_simulated(false, true, 0, &device, &error) != STATUS_OK)
		fail_msg("%s", error.text);
	assert_int_equal(simulated_objects(), 0);
	assert_true(device.is_calibrated && device.is_quick);
	check_numbers(&device);
}

static void a_call_that_fails_is_an_error_or_a_coefficient_less(void **state)
{
	static struct device device;
	const bool is_gpu = *(bool *)*state;
	struct error error = {0};
	if (calibrate_simulated(is_gpu, true, 0, &device, &error) != STATUS_OK)
		fail_msg("%s", error.text);
	unsigned long total = simulated_calls();
	/* what is done once, all of it; then a sample */
	unsigned long step = total / points + 1;
	for (unsigned long n = 1; n <= total; n += n < 60 ? 1 : step) {
		error = (struct error){0};
		enum status status = calibrate_simulated(is_gpu, true, n, &device, &error);
		if (simulated_objects() != 0)
			fail_msg("call %lu of %lu: %ld objects are left", n, total,
			         simulated_objects());
		if (status != STATUS_OK && error.text[0] == '\0')
			fail_msg("call %lu of %lu: no reason", n, total);
		if (status == STATUS_OK && !device.is_calibrated)
			fail_msg("call %lu of %lu: no calibration", n, total);
		if (status == STATUS_OK)
			check_numbers(&device);
	}
}

/* ---- measuring ------------------------------------------------------------------------------ */

enum { BUFFER, IMAGE, SAMPLER, UINT, BYTES, LOCAL, ARGUMENT_ROWS };

static const char *const types[] = {"float*",   "image2d_t", "sampler_t", "uint",
                                    "struct s", "float*",    NULL};

/* One case with an argument of each kind; what was said of it. */
static void measure_simulated(unsigned long fail_at, Predictd__CalibratorReply **reply,
                              enum status *status, struct error *error)
{
	static uint64_t global = 1024, local = 64;
	static int64_t number = 3;
	static char one[] = "one", options[] = "-DX", uint_text[] = "uint", text[] = "kernel";
	Predictd__CalibratorMeasure request = PREDICTD__CALIBRATOR_MEASURE__INIT;
	Predictd__MeasureCase what = PREDICTD__MEASURE_CASE__INIT, *cases[] = {&what};
	Predictd__Program program = PREDICTD__PROGRAM__INIT;
	Predictd__Header header = PREDICTD__HEADER__INIT, *headers[] = {&header};
	Predictd__Launch launch = PREDICTD__LAUNCH__INIT;
	Predictd__Argument argument[ARGUMENT_ROWS], *arguments[ARGUMENT_ROWS];
	static const uint32_t kinds[] = {ARGUMENT_BUFFER, ARGUMENT_IMAGE,  ARGUMENT_SAMPLER,
	                                 ARGUMENT_SCALAR, ARGUMENT_STRUCT, ARGUMENT_LOCAL};
	for (unsigned i = 0; i < ARGUMENT_ROWS; i++) {
		predictd__argument__init(&argument[i]);
		argument[i].kind = kinds[i];
		argument[i].access = BUFFER_READ_WRITE;
		argument[i].size_bytes = 4096;
		arguments[i] = &argument[i];
	}
	argument[IMAGE].width = argument[IMAGE].height = 32;
	argument[BYTES].size_bytes = 24;
	argument[UINT].type = uint_text;
	argument[UINT].n_integers = 1;
	argument[UINT].integers = &number;
	header.name = text;
	program.source = (ProtobufCBinaryData){6, (uint8_t *)text};
	program.options = options;
	program.n_headers = 1;
	program.headers = headers;
	launch.n_global_items = launch.n_local_items = 1;
	launch.global_items = &global;
	launch.local_items = &local;
	launch.n_arguments = ARGUMENT_ROWS;
	launch.arguments = arguments;
	what.program = &program;
	what.launch = &launch;
	what.kernel = one;
	what.runs_min = 5;
	what.with_transfers = true;
	request.n_cases = 1;
	request.cases = cases;
	request.budget_s = 1e-3;
	simulated_begin(true, fail_at);
	simulated_arguments(types);
	int fd = memfd_create("replies", MFD_CLOEXEC);
	assert_true(fd >= 0);
	*status = measure(&request, fd, error);
	static uint8_t bytes[1 << 16];
	ssize_t size = pread(fd, bytes, sizeof bytes, 0);
	close(fd);
	*reply = size > 4 ? predictd__calibrator_reply__unpack(NULL, (size_t)size - 4, bytes + 4)
	                  : NULL;
}

static void a_case_with_every_kind_of_argument_is_measured(void **state)
{
	Predictd__CalibratorReply *reply = NULL;
	enum status status;
	struct error error = {0};
	(void)state;
	measure_simulated(0, &reply, &status, &error);
	if (status != STATUS_OK)
		fail_msg("%s", error.text);
	assert_non_null(reply);
	if (reply->measurement->error != NULL)
		fail_msg("%s", reply->measurement->error->text);
	assert_true(reply->measurement->runs >= 5);
	assert_true(reply->measurement->kernel_time_s > 3e-6);
	assert_true(reply->measurement->h2d_time_s > 0 && reply->measurement->d2h_time_s > 0);
	assert_int_equal(simulated_objects(), 0);
	predictd__calibrator_reply__free_unpacked(reply, NULL);
}

static void a_call_that_fails_is_an_error_of_the_case_or_no_loss(void **state)
{
	Predictd__CalibratorReply *reply = NULL;
	enum status status;
	struct error error = {0};
	(void)state;
	measure_simulated(0, &reply, &status, &error);
	predictd__calibrator_reply__free_unpacked(reply, NULL);
	unsigned long total = simulated_calls(), named = 0;
	for (unsigned long n = 1; n <= total; n++) {
		error = (struct error){0};
		measure_simulated(n, &reply, &status, &error);
		if (simulated_objects() != 0)
			fail_msg("call %lu of %lu: %ld objects are left", n, total,
			         simulated_objects());
		if (status != STATUS_OK ? error.text[0] == '\0' : reply == NULL)
			fail_msg("call %lu of %lu: no reason", n, total);
		named += reply != NULL && reply->measurement->error != NULL;
		if (reply != NULL)
			predictd__calibrator_reply__free_unpacked(reply, NULL);
	}
	assert_true(named > 10);
}

int main(int argc, char **argv)
{
	static bool is_gpu[] = {true, false};
	points = argc > 1 ? strtoul(argv[1], NULL, 10) : 10;
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_gpu_is_found_as_it_was_made),
	        cmocka_unit_test(a_cpu_is_calibrated_too),
	        cmocka_unit_test_prestate(a_call_that_fails_is_an_error_or_a_coefficient_less,
	                                  &is_gpu[0]),
	        cmocka_unit_test_prestate(a_call_that_fails_is_an_error_or_a_coefficient_less,
	                                  &is_gpu[1]),
	        cmocka_unit_test(a_case_with_every_kind_of_argument_is_measured),
	        cmocka_unit_test(a_call_that_fails_is_an_error_of_the_case_or_no_loss),
	};
	return cmocka_run_group_tests_name("simulated", tests, NULL, NULL);
}
