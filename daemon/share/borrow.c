/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/share/borrow.h"

#include <math.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>

#include "proto/device_key.h"

enum { CALIBRATION_FORMAT = 1, SHA256_BYTES = 32 };

/* Of a normal distribution: its standard deviation over its median absolute deviation. */
static const double OF_MEDIAN_DEVIATION = 1.4826;

void borrowing_model(const Predictd__Device *device, char *key)
{
	const struct key_identity identity = {
	        .platform = device->platform,
	        .vendor = device->vendor,
	        .name = device->name,
	        .uuid = "",
	        .pci = "",
	        .compute_units = device->compute_units,
	};
	key_make(&identity, key);
}

void borrowing_init(struct borrowing *borrowing)
{
	*borrowing = (struct borrowing){.count = 0};
}

void borrowing_deinit(struct borrowing *borrowing)
{
	for (size_t i = 0; i < borrowing->count; i++)
		predictd__calibration__free_unpacked(borrowing->calibrations[i], NULL);
	borrowing_init(borrowing);
}

static bool checksum(const Predictd__Device *device, uint8_t sum[SHA256_BYTES])
{
	SHA2_CTX context;
	uint8_t *packed = malloc(predictd__device__get_packed_size(device) + 1);
	if (packed == NULL)
		return false;
	SHA256Init(&context);
	SHA256Update(&context, packed, predictd__device__pack(device, packed));
	SHA256Final(sum, &context);
	free(packed);
	return true;
}

static bool is_sound(const Predictd__Calibration *calibration, const char *model,
                     const char *driver)
{
	char key[KEY_BYTES_MAX];
	uint8_t sum[SHA256_BYTES];
	const Predictd__Device *device = calibration->device;
	if (calibration->format != CALIBRATION_FORMAT || device == NULL ||
	    device->n_coefficients == 0 || device->n_coefficients > BORROW_COEFFICIENTS_MAX ||
	    device->borrowed_nodes != 0 || strcmp(device->driver, driver) != 0)
		return false;
	borrowing_model(device, key);
	if (strcmp(key, model) != 0 || calibration->sha256.len != sizeof sum ||
	    !checksum(device, sum) || memcmp(sum, calibration->sha256.data, sizeof sum) != 0)
		return false;
	for (size_t i = 0; i < device->n_coefficients; i++)
		if (!isfinite(device->coefficients[i]->value) ||
		    !isfinite(device->coefficients[i]->standard_error))
			return false;
	return true;
}

bool borrowing_add(struct borrowing *borrowing, const uint8_t *bytes, size_t size,
                   const char *model, const char *driver)
{
	if (borrowing->count == BORROW_NODES_MAX || size > BORROW_BYTES_MAX)
		return false;
	Predictd__Calibration *calibration = predictd__calibration__unpack(NULL, size, bytes);
	if (calibration == NULL)
		return false;
	if (!is_sound(calibration, model, driver)) {
		predictd__calibration__free_unpacked(calibration, NULL);
		return false;
	}
	borrowing->calibrations[borrowing->count++] = calibration;
	return true;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* The lower one in the middle: a value that some device had. */
static double median(double *values, size_t count)
{
	qsort(values, count, sizeof values[0], by_value);
	return values[(count - 1) / 2];
}

static const Predictd__Coefficient *find(const Predictd__Device *device, const char *name)
{
	for (size_t i = 0; i < device->n_coefficients; i++)
		if (strcmp(device->coefficients[i]->name, name) == 0)
			return device->coefficients[i];
	return NULL;
}

/* False: not half of the nodes have it. */
static bool agree(const struct borrowing *borrowing, Predictd__Coefficient *coefficient)
{
	double values[BORROW_NODES_MAX], errors[BORROW_NODES_MAX];
	size_t count = 0;
	for (size_t i = 0; i < borrowing->count; i++) {
		const Predictd__Coefficient *own =
		        find(borrowing->calibrations[i]->device, coefficient->name);
		if (own == NULL)
			continue;
		values[count] = own->value;
		errors[count++] = own->standard_error;
	}
	if (count * 2 < borrowing->count)
		return false;
	double middle = median(values, count);
	for (size_t i = 0; i < count; i++)
		values[i] = middle != 0 ? fabs(values[i] / middle - 1) : 0;
	coefficient->value = middle;
	coefficient->standard_error =
	        fmax(median(errors, count), OF_MEDIAN_DEVIATION * median(values, count));
	return true;
}

enum status borrowing_finish(struct borrowing *borrowing, uint32_t agreement, uint8_t **bytes,
                             size_t *size, struct error *error)
{
	uint8_t sum[SHA256_BYTES];
	*bytes = NULL;
	if (borrowing->count == 0 || borrowing->count < agreement)
		return error_set(error, STATUS_NOT_FOUND, "%zu nodes, want %u", borrowing->count,
		                 agreement);
	/* the medians take the places of the first one's; its values are needed until then */
	Predictd__Calibration *first = borrowing->calibrations[0];
	Predictd__Device *device = first->device;
	size_t count = device->n_coefficients, kept = 0;
	Predictd__Coefficient *medians = calloc(count, sizeof *medians);
	Predictd__Coefficient **pointers = calloc(count, sizeof *pointers);
	Predictd__Coefficient **own = device->coefficients;
	enum status status = STATUS_NO_MEMORY;
	if (medians == NULL || pointers == NULL)
		goto out;
	for (size_t i = 0; i < count; i++) {
		medians[kept] = *own[i];
		pointers[kept] = &medians[kept];
		if (agree(borrowing, &medians[kept]))
			kept++;
	}
	Predictd__Device made = *device;
	Predictd__Calibration calibration = PREDICTD__CALIBRATION__INIT;
	made.coefficients = pointers;
	made.n_coefficients = kept;
	if (!checksum(&made, sum))
		goto out;
	calibration.format = CALIBRATION_FORMAT;
	calibration.device = &made;
	calibration.sha256 = (ProtobufCBinaryData){sizeof sum, sum};
	*bytes = malloc(predictd__calibration__get_packed_size(&calibration));
	if (*bytes != NULL) {
		*size = predictd__calibration__pack(&calibration, *bytes);
		status = STATUS_OK;
	}
out:
	free(medians);
	free(pointers);
	return status == STATUS_OK ? status : error_set(error, status, "borrowing: no memory");
}
