/* SPDX-License-Identifier: Apache-2.0 */
/* Calibrations and measurements of a simulated device, and each of its calls failing. */
#include "tests/test.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/calibrator/calibrate.h"
#include "daemon/calibrator/list.h"
#include "daemon/calibrator/measure.h"
#include "model/device/launch.h"
#include "model/ir/ir.h"
#include "tests/places.h"
#include "tests/unit/calibrator/simulated_calibration.h"
#include "tests/unit/calibrator/simulated_call.h"

/* Enough of simulated time for every stage. */
#define BUDGET_S 1000.0
#define CORPUS_S 1e9  /* for whole kernels, too */
#define SHORT_S  30.0 /* of a quick one */

/* One in so many places where calls are made is tried. */
static unsigned one_in;

#define WRAP(name, type, parameters, ...)                                                          \
	type __real_##name parameters;                                                             \
	type __wrap_##name parameters;                                                             \
	type __wrap_##name parameters                                                              \
	{                                                                                          \
		return how.failing == FAILING_MEMORY && place_fails()                              \
		               ? NULL                                                              \
		               : __real_##name(__VA_ARGS__);                                       \
	}

WRAP(malloc, void *, (size_t size), size)
WRAP(calloc, void *, (size_t items, size_t size), items, size)
WRAP(open_memstream, FILE *, (char **text, size_t *size), text, size)

/* Launches take so many times as long in stages of that name; or longer from stage to stage. */
static struct {
	const char *stage;
	double slow;
	bool is_growing;
	const char *last;
	const char *end; /* the stage at which nobody listens any more */
} disturbed;

static void disturb(const char *stage)
{
	if (disturbed.last != NULL && strcmp(stage, disturbed.last) == 0)
		return;
	if (disturbed.is_growing)
		how.slow *= disturbed.slow;
	else if (disturbed.stage != NULL)
		how.slow = strcmp(stage, disturbed.stage) == 0 ? disturbed.slow : 1;
	disturbed.last = stage;
}

/* Who listens may have gone. */
static enum status listen(void *context, double progress, double left_s, const char *stage,
                          struct error *error)
{
	(void)context;
	disturb(stage);
	if (!(progress >= 0) || progress > 1 || !(left_s >= 0) || stage == NULL)
		return error_set(error, STATUS_INTERNAL, "progress %g, %g s left", progress,
		                 left_s);
	return (how.failing == FAILING_PROGRESS && place_fails()) ||
	                       (disturbed.end != NULL && strcmp(stage, disturbed.end) == 0)
	               ? error_set(error, STATUS_CANCELLED, "nobody listens")
	               : STATUS_OK;
}

static enum status calibrate_simulated(const struct simulated *simulated, bool is_quick,
                                       double budget_s, struct device *device, struct error *error)
{
	const struct calibrate_options options = {
	        .is_quick = is_quick, .budget_s = budget_s, .progress = listen};
	return simulated_calibrate(simulated, &options, device, error);
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
	if (calibrate_simulated(&(struct simulated){.is_gpu = true}, false, CORPUS_S, &device,
	                        &error) != STATUS_OK)
		fail_msg("%s", error.text);
	assert_int_equal(simulated_objects(), 0);
	assert_true(device.is_calibrated && !device.is_quick);
	/* whole kernels were run, and say how sure predictions are */
	assert_true(value(&device, COEFFICIENT_INTERVAL_LOG_SD) > 0);
	assert_string_equal(device.name, "Simulated device");
	assert_string_equal(device.pci, "0000:07:03.0");
	check_numbers(&device);
	assert_close(value(&device, COEFFICIENT_UNITS), SIMULATED_UNITS, 1e-9);
	assert_close(value(&device, COEFFICIENT_LOCAL_ROOM), SIMULATED_ROOM * 12288, 1e-9);
	assert_close(value(&device, COEFFICIENT_FETCH_NEAR_ROOM), SIMULATED_FETCH_NEAR, 1e-9);
	assert_close(value(&device, COEFFICIENT_FETCH_NEAR), 3 * SIMULATED_ISSUE_S, 0.05);
	assert_close(value(&device, COEFFICIENT_FETCH_FAR_ROOM), SIMULATED_FETCH_FAR, 1e-9);
	assert_close(value(&device, COEFFICIENT_FETCH_FAR), 6 * SIMULATED_ISSUE_S, 0.05);
	assert_close(value(&device, COEFFICIENT_WARP_ITEMS), SIMULATED_LANES, 1e-9);
	assert_close(value(&device, COEFFICIENT_SEGMENT_BYTES), SIMULATED_SEGMENT_BYTES, 1e-9);
	assert_close(value(&device, COEFFICIENT_CONSTANT_ADDRESS), SIMULATED_ADDRESS_S, 0.05);
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

/* Of types whose add is known; the simulated chains' times say nothing of their lengths. */
static void assert_no_operation_is_free(const struct device *device)
{
	for (unsigned type = 0; type < TYPE_CLASS_COUNT; type++) {
		const struct coefficient *of = device->coefficient;
		const struct coefficient *add =
		        &of[coefficient_op(OP_MODE_VECTOR, type, OP_CLASS_ADD)];
		const struct coefficient *bit =
		        &of[coefficient_op(OP_MODE_VECTOR, type, OP_CLASS_BIT)];
		double least = fmin(add->value, bit->is_known ? bit->value : add->value) / 2;
		for (unsigned op = 0; op < OP_CLASS_COUNT && add->is_known; op++) {
			unsigned at = coefficient_op(OP_MODE_VECTOR, type, op);
			if (of[at].is_known)
				assert_true(of[at].value >= least);
		}
	}
}

static void a_cpu_is_calibrated_too(void **state)
{
	static struct device device;
	struct error error = {0};
	(void)state;
	if (calibrate_simulated(&(struct simulated){.is_gpu = false}, true, BUDGET_S, &device,
	                        &error) != STATUS_OK)
		fail_msg("%s", error.text);
	assert_int_equal(simulated_objects(), 0);
	assert_true(device.is_calibrated && device.is_quick);
	check_numbers(&device);
	assert_no_operation_is_free(&device);
	/* of what is more than an instruction, what waits for it as well */
	assert_true(device.coefficient[coefficient_chain(TYPE_CLASS_FLOAT, OP_CLASS_EXP)].is_known);
	assert_false(
	        device.coefficient[coefficient_chain(TYPE_CLASS_FLOAT, OP_CLASS_ADD)].is_known);
}

/* Asleep after a millisecond and more, awake after ten microseconds. */
static void check_sleepy(const struct device *device, double sleepy_s)
{
	static const unsigned awake[] = {COEFFICIENT_LAUNCH_ENQUEUE, COEFFICIENT_LAUNCH_BASE};
	for (unsigned i = 0; i < IDLE_STATE_COUNT; i++)
		for (unsigned part = IDLE_ENQUEUE; part <= IDLE_BASE; part++) {
			double awake_s = device_value(device, awake[part], 0);
			unsigned id = coefficient_idle((enum idle_state)i, (enum idle_part)part);
			assert_true(awake_s > 0 && awake_s < sleepy_s / 2);
			assert_close(device_value(device, id, 0),
			             awake_s + (i >= IDLE_1MS ? sleepy_s : 0), 0.01);
		}
}

static void a_device_that_falls_asleep_is_found_in_each_state(void **state)
{
	static struct device device;
	const double sleepy_s = 2e-5;
	struct error error = {0};
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct simulated device_of = {.is_gpu = i % 2 == 0, .sleepy_s = sleepy_s};
		assert_int_equal(calibrate_simulated(&device_of, i < 2, BUDGET_S, &device, &error),
		                 0);
		check_sleepy(&device, sleepy_s);
		assert_int_equal(device.coefficient[COEFFICIENT_IDLE_100MS_JOIN].is_known, i % 2);
		assert_close(device_value(&device, COEFFICIENT_IDLE_100MS_JOIN, 0),
		             device_value(&device, COEFFICIENT_IDLE_10US_JOIN, 0), 0.01);
	}
}

/* ---- rehearsals and second looks ------------------------------------------------------------ */

/* One process of a rehearsal, which draws every `step`-th number from `first` on. */
static void rehearse_simulated(uint16_t first, unsigned step, bool is_quick)
{
	static struct device device;
	static uint16_t numbers[1024];
	struct found_devices found = {0};
	struct opencl opencl = {0};
	struct error error = {0};
	const struct calibrate_options options = {.is_quick = is_quick, .budget_s = CORPUS_S};
	unsigned count = 0;
	int ends[2];
	simulated_begin(&(struct simulated){.is_gpu = false});
	assert_int_equal(pipe(ends), 0);
	for (unsigned i = first; i < 1024; i += step)
		numbers[count++] = (uint16_t)i;
	assert_int_equal(write(ends[1], numbers, count * sizeof *numbers),
	                 (ssize_t)(count * sizeof *numbers));
	close(ends[1]);
	assert_int_equal(found_devices_init(&found, &error), STATUS_OK);
	device = found.devices[0].device;
	assert_int_equal(
	        opencl_open(&opencl, found.devices[0].platform, found.devices[0].id, &error),
	        STATUS_OK);
	if (calibrate_rehearse(&opencl, &options, ends[0], &device, &error) != STATUS_OK)
		fail_msg("%s", error.text);
	opencl_close(&opencl);
	found_devices_deinit(&found);
	close(ends[0]);
	assert_int_equal(simulated_objects(), 0);
}

enum { NAMES = 512 };

/* The kernels that were launched, up to a NULL. */
static void keep_launched(char *names[NAMES])
{
	unsigned count = 0;
	for (const char *name; (name = simulated_launched(count)) != NULL && count + 1 < NAMES;)
		names[count++] = strdup(name);
	names[count] = NULL;
}

static bool is_among(char *const *names, const char *name)
{
	while (*names != NULL && strcmp(*names, name) != 0)
		names++;
	return *names != NULL;
}

static void free_names(char **names)
{
	for (; *names != NULL; names++)
		free(*names);
}

static void what_a_calibration_launches_was_rehearsed(void **state)
{
	static struct device device;
	static char *timed[NAMES], *rehearsed[NAMES];
	(void)state;
	for (int is_quick = 0; is_quick < 2; is_quick++) {
		struct error error = {0};
		/* but for whole kernels */
		disturbed.end = "whole kernels";
		enum status status = calibrate_simulated(&(struct simulated){.is_gpu = false},
		                                         is_quick == 1, CORPUS_S, &device, &error);
		disturbed.end = NULL;
		assert_int_equal(status, is_quick == 1 ? STATUS_OK : STATUS_CANCELLED);
		keep_launched(timed);
		rehearse_simulated(0, 1, is_quick == 1);
		keep_launched(rehearsed);
		for (unsigned i = 0; timed[i] != NULL; i++)
			if (!is_among(rehearsed, timed[i]))
				fail_msg("%s was not", timed[i]);
		free_names(timed);
		free_names(rehearsed);
	}
}

static void processes_of_a_rehearsal_share_its_kernels(void **state)
{
	static char *all[NAMES], *even[NAMES], *odd[NAMES];
	unsigned both = 0, count = 0;
	(void)state;
	rehearse_simulated(0, 1, true);
	keep_launched(all);
	rehearse_simulated(0, 2, true);
	keep_launched(even);
	rehearse_simulated(1, 2, true);
	keep_launched(odd);
	for (; all[count] != NULL; count++) {
		bool is_even = is_among(even, all[count]), is_odd = is_among(odd, all[count]);
		if (!is_even && !is_odd)
			fail_msg("%s is left out", all[count]);
		both += is_even && is_odd;
	}
	assert_true(count > 60);
	/* kernels without steps are in two programs of a type */
	assert_true(both < count / 10);
	free_names(all);
	free_names(even);
	free_names(odd);
}

static void a_process_without_a_number_rehearses_nothing(void **state)
{
	(void)state;
	rehearse_simulated(1024, 1, true);
	assert_null(simulated_launched(0));
}

/* A quick calibration of a GPU that is disturbed. */
static void calibrate_disturbed(const char *stage, double slow, bool is_growing,
                                struct device *device)
{
	struct error error = {0};
	disturbed.stage = stage;
	disturbed.slow = slow;
	disturbed.is_growing = is_growing;
	disturbed.last = NULL;
	enum status status = calibrate_simulated(&(struct simulated){.is_gpu = true, .slow = 1},
	                                         true, CORPUS_S, device, &error);
	memset(&disturbed, 0, sizeof disturbed);
	if (status != STATUS_OK)
		fail_msg("%s", error.text);
	check_numbers(device);
}

static void a_quiet_device_is_not_busy(void **state)
{
	static struct device device;
	(void)state;
	calibrate_disturbed(NULL, 1, false, &device);
	assert_false(device.was_busy);
}

static void a_disturbed_launch_is_measured_again(void **state)
{
	static struct device device;
	(void)state;
	calibrate_disturbed("launch", 4, false, &device);
	assert_close(value(&device, COEFFICIENT_LAUNCH_GROUP), 1e-9, 0.02);
	assert_false(device.was_busy);
}

static void disturbed_memory_is_measured_again_as_a_whole(void **state)
{
	static struct device device;
	(void)state;
	calibrate_disturbed("memory", 2, false, &device);
	assert_close(value(&device, coefficient_memory(MEMORY_DRAM, MEMORY_COLUMN_READ)), 2e11,
	             0.1);
	/* of which no second look says anything */
	assert_close(value(&device, coefficient_memory(MEMORY_L2, MEMORY_COLUMN_READ)), 8e11, 0.1);
	assert_close(value(&device, coefficient_memory(MEMORY_L2, MEMORY_COLUMN_LATENCY)), 100e-9,
	             0.2);
	assert_false(device.was_busy);
}

/* What a disturbance made up is gone with it. */
static void levels_that_a_second_look_does_not_find_have_no_coefficients(void **state)
{
	static struct device device;
	(void)state;
	for (double slower = 1.2; slower < 3; slower *= 1.2) {
		calibrate_disturbed("memory", slower, false, &device);
		for (unsigned id = (unsigned)value(&device, COEFFICIENT_MEMORY_LEVELS);
		     id < MEMORY_DRAM; id++)
			for (unsigned column = 0; column < MEMORY_COLUMN_COUNT; column++)
				assert_false(device.coefficient[coefficient_memory(id, column)]
				                     .is_known);
	}
}

static void a_disturbed_second_look_changes_nothing(void **state)
{
	static struct device device;
	(void)state;
	calibrate_disturbed("accesses again", 3, false, &device);
	static struct device quiet;
	calibrate_disturbed(NULL, 1, false, &quiet);
	assert_close(value(&device, COEFFICIENT_LOAD_SCALAR),
	             value(&quiet, COEFFICIENT_LOAD_SCALAR), 0.2);
}

static void a_device_that_is_never_twice_the_same_is_busy(void **state)
{
	static struct device device;
	(void)state;
	calibrate_disturbed(NULL, 1.5, true, &device);
	assert_true(device.was_busy);
	/* and what it costs is not sure */
	assert_true(device.coefficient[COEFFICIENT_LAUNCH_GROUP].standard_error > 0.2);
}

static void a_short_time_is_for_what_matters_most(void **state)
{
	static struct device device;
	static const unsigned most[] = {COEFFICIENT_LAUNCH_GROUP, COEFFICIENT_SPREAD,
	                                COEFFICIENT_LOAD_GATHER, COEFFICIENT_FLOAT_LATENCY,
	                                COEFFICIENT_MEMORY_LEVELS};
	struct error error = {0};
	(void)state;
	if (calibrate_simulated(&(struct simulated){.is_gpu = false}, true, SHORT_S, &device,
	                        &error) != STATUS_OK)
		fail_msg("%s", error.text);
	for (size_t i = 0; i < sizeof most / sizeof *most; i++)
		(void)value(&device, most[i]);
	(void)value(&device, coefficient_op(OP_MODE_SCALAR, TYPE_CLASS_INT, OP_CLASS_MOD));
	(void)value(&device, coefficient_memory(MEMORY_DRAM, MEMORY_COLUMN_GATHER));
	assert_false(
	        device.coefficient[coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_DOUBLE, OP_CLASS_TAN)]
	                .is_known);
	const char *whole = strstr(device.doubts, "There was no time for ");
	const char *part = strstr(device.doubts, "There was no time for all of ");
	assert_non_null(whole);
	assert_non_null(part);
	assert_true(whole < part);
	/* functions were begun, images were not */
	assert_non_null(strstr(part, "functions"));
	assert_null(strstr(part, "images"));
	assert_non_null(strstr(whole, "images"));
	check_numbers(&device);
}

static unsigned known(const struct device *device)
{
	unsigned count = 0;
	for (unsigned i = 0; i < COEFFICIENT_COUNT; i++)
		count += device->coefficient[i].is_known;
	return count;
}

/* What is wrong with how a calibration ended; NULL: nothing. */
static const char *wrong_end(enum status status, const struct device *device,
                             const struct error *error)
{
	static char text[512];
	struct error why = {0};
	if (simulated_objects() != 0)
		(void)snprintf(text, sizeof text, "%ld objects are left", simulated_objects());
	else if (status != STATUS_OK && error->text[0] == '\0')
		(void)snprintf(text, sizeof text, "no reason");
	else if (status != STATUS_OK && simulated_failed() != NULL &&
	         strstr(error->text, simulated_failed()) == NULL &&
	         strstr(error->text, "the driver does not say") == NULL)
		(void)snprintf(text, sizeof text, "%s is not named: %s", simulated_failed(),
		               error->text);
	else if (status != STATUS_OK && (device->is_calibrated || known(device) > 0))
		(void)snprintf(text, sizeof text, "half a calibration: %s", error->text);
	else if (status == STATUS_CANCELLED && how.failing != FAILING_PROGRESS)
		(void)snprintf(text, sizeof text, "cancelled: %s", error->text);
	else if (status == STATUS_OK && places_is_child() && how.failing == FAILING_PROGRESS)
		(void)snprintf(text, sizeof text, "goes on, though nobody listens");
	else if (status == STATUS_OK && !device->is_calibrated)
		(void)snprintf(text, sizeof text, "no calibration");
	else if (status == STATUS_OK && (!device->coefficient[COEFFICIENT_UNITS].is_known ||
	                                 !device->coefficient[COEFFICIENT_LAUNCH_GROUP].is_known))
		(void)snprintf(text, sizeof text, "without what no model can do without");
	else if (status == STATUS_OK && device_check(device, &why) != STATUS_OK)
		(void)snprintf(text, sizeof text, "%s", why.text);
	else
		return NULL;
	return text;
}

/* One way of calibrating, whose calls fail. */
struct sweep {
	bool is_gpu, is_quick;
	enum simulated_failing failing;
	double late_s, budget_s;
};

static void a_call_that_fails_is_an_error_or_a_coefficient_less(void **state)
{
	static struct device device;
	const struct sweep *sweep = *state;
	const struct simulated device_is = {
	        .is_gpu = sweep->is_gpu, .late_s = sweep->late_s, .failing = sweep->failing};
	struct error error = {0};
	unsigned wrong, tried;
	memset(&device, 0, sizeof device);
	places_begin(sweep->failing == FAILING_PROGRESS ? 1 : one_in);
	enum status status =
	        calibrate_simulated(&device_is, sweep->is_quick, sweep->budget_s, &device, &error);
	const char *end = wrong_end(status, &device, &error);
	if (places_is_child())
		places_end_child(end);
	tried = places_end(&wrong);
	print_message("# %u places\n", tried);
	if (end != NULL)
		fail_msg("%s", end);
	if (wrong > 0)
		fail_msg("%u of %u children", wrong, tried);
	assert_true(tried > 0);
}

/* Each in a process of its own: none may end another way than by itself. */
static void an_odd_device_is_an_error_or_a_calibration(void **state)
{
	static struct device device;
	const bool is_gpu = *(bool *)*state;
	for (unsigned odd = 0; odd < ODD_COUNT; odd++) {
		const struct simulated device_is = {.is_gpu = is_gpu,
		                                    .odd = (enum simulated_odd)odd};
		struct error error = {0};
		memset(&device, 0, sizeof device);
		enum status status =
		        calibrate_simulated(&device_is, true, BUDGET_S, &device, &error);
		const char *end = wrong_end(status, &device, &error);
		if (getenv("SHOW") != NULL)
			print_message("# odd %u: %s %u known\n", odd,
			              status == STATUS_OK ? "ok" : error.text, known(&device));
		if (end != NULL)
			fail_msg("device %u: %s", odd, end);
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
	simulated_begin(
	        &(struct simulated){.is_gpu = true, .fail_at = fail_at, .argument_types = types});
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
	for (unsigned long n = 1; n <= total; n += 1 + one_in / 10) {
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
	static struct sweep sweeps[] = {{true, true, FAILING_CALLS, 0, CORPUS_S},
	                                {false, false, FAILING_CALLS, 0, BUDGET_S},
	                                {true, false, FAILING_CALLS, 14, BUDGET_S},
	                                {false, true, FAILING_CALLS, 1e4, BUDGET_S},
	                                {true, true, FAILING_MEMORY, 0, CORPUS_S},
	                                {false, true, FAILING_MEMORY, 0, BUDGET_S},
	                                {true, true, FAILING_PROGRESS, 0, BUDGET_S},
	                                {false, false, FAILING_PROGRESS, 0, CORPUS_S}};
	one_in = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 10;
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_gpu_is_found_as_it_was_made),
	        cmocka_unit_test(a_cpu_is_calibrated_too),
	        cmocka_unit_test(a_device_that_falls_asleep_is_found_in_each_state),
	        cmocka_unit_test(what_a_calibration_launches_was_rehearsed),
	        cmocka_unit_test(processes_of_a_rehearsal_share_its_kernels),
	        cmocka_unit_test(a_process_without_a_number_rehearses_nothing),
	        cmocka_unit_test(a_quiet_device_is_not_busy),
	        cmocka_unit_test(a_disturbed_launch_is_measured_again),
	        cmocka_unit_test(disturbed_memory_is_measured_again_as_a_whole),
	        cmocka_unit_test(levels_that_a_second_look_does_not_find_have_no_coefficients),
	        cmocka_unit_test(a_disturbed_second_look_changes_nothing),
	        cmocka_unit_test(a_device_that_is_never_twice_the_same_is_busy),
	        cmocka_unit_test(a_short_time_is_for_what_matters_most),
	        cmocka_unit_test_prestate(a_call_that_fails_is_an_error_or_a_coefficient_less,
	                                  &sweeps[0]),
	        cmocka_unit_test_prestate(a_call_that_fails_is_an_error_or_a_coefficient_less,
	                                  &sweeps[1]),
	        cmocka_unit_test_prestate(a_call_that_fails_is_an_error_or_a_coefficient_less,
	                                  &sweeps[2]),
	        cmocka_unit_test_prestate(a_call_that_fails_is_an_error_or_a_coefficient_less,
	                                  &sweeps[3]),
	        cmocka_unit_test_prestate(a_call_that_fails_is_an_error_or_a_coefficient_less,
	                                  &sweeps[4]),
	        cmocka_unit_test_prestate(a_call_that_fails_is_an_error_or_a_coefficient_less,
	                                  &sweeps[5]),
	        cmocka_unit_test_prestate(a_call_that_fails_is_an_error_or_a_coefficient_less,
	                                  &sweeps[6]),
	        cmocka_unit_test_prestate(a_call_that_fails_is_an_error_or_a_coefficient_less,
	                                  &sweeps[7]),
	        cmocka_unit_test_prestate(an_odd_device_is_an_error_or_a_calibration, &is_gpu[0]),
	        cmocka_unit_test_prestate(an_odd_device_is_an_error_or_a_calibration, &is_gpu[1]),
	        cmocka_unit_test(a_case_with_every_kind_of_argument_is_measured),
	        cmocka_unit_test(a_call_that_fails_is_an_error_of_the_case_or_no_loss),
	};
	return cmocka_run_group_tests_name("simulated", tests, NULL, NULL);
}
