/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calibrations of other nodes, as a site's server sends them: what is taken in is made into one
 * that is taken in again. Their checksum is no secret: it is made right, so that what is behind it
 * is seen.
 */
#include <math.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/share/borrow.h"
#include "proto/device_key.h"
#include "tests/fuzz/fuzz.h"

enum { AGREEMENT = 2 };

/* As a node that lies would pack it; NULL: it is no calibration. */
static uint8_t *sealed(const uint8_t *data, size_t size, size_t *packed_size,
                       char model[KEY_BYTES_MAX], char *driver, size_t room)
{
	uint8_t sum[SHA256_DIGEST_LENGTH], *bytes = NULL;
	SHA2_CTX context;
	Predictd__Calibration *calibration = predictd__calibration__unpack(NULL, size, data);
	if (calibration == NULL || calibration->device == NULL)
		goto out;
	Predictd__Device *device = calibration->device;
	bytes = malloc(predictd__device__get_packed_size(device) + 1);
	if (bytes == NULL)
		goto out;
	SHA256Init(&context);
	SHA256Update(&context, bytes, predictd__device__pack(device, bytes));
	SHA256Final(sum, &context);
	free(bytes);
	borrowing_model(device, model);
	(void)strncpy(driver, device->driver, room - 1);
	free(calibration->sha256.data);
	calibration->sha256 = (ProtobufCBinaryData){sizeof sum, sum};
	bytes = malloc(predictd__calibration__get_packed_size(calibration) + 1);
	if (bytes != NULL)
		*packed_size = predictd__calibration__pack(calibration, bytes);
	calibration->sha256 = (ProtobufCBinaryData){0, NULL};
out:
	if (calibration != NULL)
		predictd__calibration__free_unpacked(calibration, NULL);
	return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct borrowing borrowing;
	char model[KEY_BYTES_MAX] = "", driver[256] = "";
	struct error error;
	size_t sent_size = 0, made_size = 0;
	uint8_t *made = NULL, *sent = sealed(data, size, &sent_size, model, driver, sizeof driver);
	if (sent == NULL)
		return 0;
	borrowing_init(&borrowing);
	size_t taken = 0;
	for (int i = 0; i < AGREEMENT; i++)
		taken += borrowing_add(&borrowing, sent, sent_size, model, driver);
	if (taken != borrowing.count)
		abort();
	enum status status = borrowing_finish(&borrowing, AGREEMENT, &made, &made_size, &error);
	if ((status == STATUS_OK) != (made != NULL) || (status == STATUS_OK && taken < AGREEMENT))
		abort();
	borrowing_deinit(&borrowing);
	if (made != NULL && !borrowing_add(&borrowing, made, made_size, model, driver))
		abort();
	borrowing_deinit(&borrowing);
	free(made);
	free(sent);
	return 0;
}
