/* SPDX-License-Identifier: Apache-2.0 */
/* A calibration made of several nodes'. */
#include "tests/test.h"

#include <math.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/share/borrow.h"
#include "proto/device_key.h"

static struct borrowing borrowing;
static char model[KEY_BYTES_MAX];
static struct error error;

struct sent {
	double bandwidth, latency; /* NAN: it has no such coefficient */
	const char *name, *driver;
	uint32_t borrowed_nodes;
	bool is_damaged;
};

static bool add(const struct sent *sent)
{
	Predictd__Device device = PREDICTD__DEVICE__INIT;
	Predictd__Calibration calibration = PREDICTD__CALIBRATION__INIT;
	Predictd__Coefficient coefficients[2] = {PREDICTD__COEFFICIENT__INIT,
	                                         PREDICTD__COEFFICIENT__INIT};
	Predictd__Coefficient *pointers[2];
	uint8_t sum[SHA256_DIGEST_LENGTH], *bytes;
	SHA2_CTX context;
	char names[2][16] = {"bandwidth", "latency"};
	const double values[2] = {sent->bandwidth, sent->latency};
	device.name = (char *)(uintptr_t)sent->name;
	device.driver = (char *)(uintptr_t)sent->driver;
	device.compute_units = 132;
	device.borrowed_nodes = sent->borrowed_nodes;
	device.coefficients = pointers;
	for (size_t i = 0; i < 2; i++) {
		coefficients[i].name = names[i];
		coefficients[i].value = values[i];
		coefficients[i].standard_error = 0.01;
		if (!isnan(values[i]))
			pointers[device.n_coefficients++] = &coefficients[i];
	}
	borrowing_model(&device, model);
	bytes = malloc(predictd__device__get_packed_size(&device) + 1);
	assert_non_null(bytes);
	SHA256Init(&context);
	SHA256Update(&context, bytes, predictd__device__pack(&device, bytes));
	SHA256Final(sum, &context);
	free(bytes);
	sum[0] ^= sent->is_damaged;
	calibration.format = 1;
	calibration.device = &device;
	calibration.sha256 = (ProtobufCBinaryData){sizeof sum, sum};
	bytes = malloc(predictd__calibration__get_packed_size(&calibration));
	assert_non_null(bytes);
	size_t size = predictd__calibration__pack(&calibration, bytes);
	device.name = (char *)(uintptr_t)"a GPU";
	borrowing_model(&device, model);
	bool is_taken = borrowing_add(&borrowing, bytes, size, model, "1.2");
	free(bytes);
	return is_taken;
}

static const Predictd__Coefficient *find(const Predictd__Calibration *calibration, const char *name)
{
	for (size_t i = 0; i < calibration->device->n_coefficients; i++)
		if (strcmp(calibration->device->coefficients[i]->name, name) == 0)
			return calibration->device->coefficients[i];
	return NULL;
}

static void medians_are_as_sure_as_nodes_agree(void **state)
{
	(void)state;
	const double bandwidths[] = {100, 110, 90, 5000, 105};
	uint8_t *bytes;
	size_t size;
	borrowing_init(&borrowing);
	for (size_t i = 0; i < 5; i++)
		assert_true(add(&(struct sent){bandwidths[i], i < 2 ? 3.0 : (double)NAN, "a GPU",
		                               "1.2", 0, false}));
	assert_int_equal(borrowing_finish(&borrowing, 3, &bytes, &size, &error), STATUS_OK);
	Predictd__Calibration *made = predictd__calibration__unpack(NULL, size, bytes);
	assert_non_null(made);
	assert_close(find(made, "bandwidth")->value, 105, 0);
	/* of |100, 110, 90, 5000, 105| / 105 - 1 the median is 5 / 105 */
	assert_close(find(made, "bandwidth")->standard_error, 1.4826 * 5 / 105, 1e-9);
	assert_null(find(made, "latency")); /* two of five have it */
	predictd__calibration__free_unpacked(made, NULL);
	/* what is made is what an import takes */
	borrowing_deinit(&borrowing);
	assert_true(borrowing_add(&borrowing, bytes, size, model, "1.2"));
	borrowing_deinit(&borrowing);
	free(bytes);
}

static void what_is_no_whole_calibration_of_the_model_is_left_out(void **state)
{
	(void)state;
	const uint8_t noise[] = {0xff, 0x01, 0x02};
	uint8_t *bytes;
	size_t size;
	borrowing_init(&borrowing);
	assert_false(add(&(struct sent){1, 1, "another GPU", "1.2", 0, false}));
	assert_false(add(&(struct sent){1, 1, "a GPU", "1.3", 0, false}));
	assert_false(add(&(struct sent){1, 1, "a GPU", "1.2", 4, false})); /* borrowed itself */
	assert_false(add(&(struct sent){1, 1, "a GPU", "1.2", 0, true}));
	assert_false(add(&(struct sent){(double)INFINITY, 1, "a GPU", "1.2", 0, false}));
	assert_false(add(&(struct sent){(double)NAN, (double)NAN, "a GPU", "1.2", 0, false}));
	assert_false(borrowing_add(&borrowing, noise, sizeof noise, model, "1.2"));
	assert_int_equal(borrowing.count, 0);
	assert_true(add(&(struct sent){1, 1, "a GPU", "1.2", 0, false}));
	assert_int_equal(borrowing_finish(&borrowing, 3, &bytes, &size, &error), STATUS_NOT_FOUND);
	assert_null(bytes);
	for (size_t i = 1; i < BORROW_NODES_MAX; i++)
		assert_true(add(&(struct sent){1, 1, "a GPU", "1.2", 0, false}));
	assert_false(add(&(struct sent){1, 1, "a GPU", "1.2", 0, false}));
	borrowing_deinit(&borrowing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(medians_are_as_sure_as_nodes_agree),
	        cmocka_unit_test(what_is_no_whole_calibration_of_the_model_is_left_out),
	};
	return cmocka_run_group_tests_name("share/borrow", tests, NULL, NULL);
}
