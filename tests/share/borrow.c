/* SPDX-License-Identifier: Apache-2.0 */
/* What a node would borrow of others' exported calibrations: share-borrow MADE CALIBRATION... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/share/borrow.h"
#include "proto/device_key.h"

static uint8_t *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = malloc(BORROW_BYTES_MAX);
	*size = 0;
	if (file != NULL && bytes != NULL)
		*size = fread(bytes, 1, BORROW_BYTES_MAX, file);
	if (file != NULL)
		(void)fclose(file);
	return bytes;
}

/* Takes a file in; the model and driver are those of the first. */
static bool add(struct borrowing *borrowing, const char *path)
{
	static char model[KEY_BYTES_MAX], driver[256];
	size_t size;
	uint8_t *bytes = read_file(path, &size);
	Predictd__Calibration *calibration = predictd__calibration__unpack(NULL, size, bytes);
	bool is_taken = calibration != NULL && calibration->device != NULL;
	if (is_taken && borrowing->count == 0) {
		borrowing_model(calibration->device, model);
		(void)snprintf(driver, sizeof driver, "%s", calibration->device->driver);
	}
	is_taken = is_taken && borrowing_add(borrowing, bytes, size, model, driver);
	if (calibration != NULL)
		predictd__calibration__free_unpacked(calibration, NULL);
	free(bytes);
	if (!is_taken)
		(void)fprintf(stderr, "share-borrow: %s: no calibration of that model and driver\n",
		              path);
	return is_taken;
}

int main(int argc, char **argv)
{
	struct borrowing borrowing;
	struct error error;
	uint8_t *bytes = NULL;
	size_t size;
	int status = 1;
	if (argc < 3) {
		(void)fputs("usage: share-borrow MADE CALIBRATION...\n", stderr);
		return 2;
	}
	borrowing_init(&borrowing);
	for (int i = 2; i < argc; i++)
		if (!add(&borrowing, argv[i]))
			goto out;
	if (borrowing_finish(&borrowing, 1, &bytes, &size, &error) != STATUS_OK) {
		(void)fprintf(stderr, "share-borrow: %s\n", error.text);
		goto out;
	}
	FILE *file = fopen(argv[1], "wb");
	if (file != NULL) {
		status = fwrite(bytes, 1, size, file) == size ? 0 : 1;
		if (fclose(file) != 0)
			status = 1;
	}
out:
	free(bytes);
	borrowing_deinit(&borrowing);
	return status;
}
