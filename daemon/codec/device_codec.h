/* SPDX-License-Identifier: Apache-2.0 */
/* A device between model/device/device.h and its message; shared by daemon and calibrator. */
#ifndef PREDICTD_DAEMON_CODEC_DEVICE_CODEC_H
#define PREDICTD_DAEMON_CODEC_DEVICE_CODEC_H

#include "model/device/device.h"
#include "proto/device_key.h"
#include "proto/predictd.pb-c.h"

#include <assert.h>

/*
 * The message of a device; unknown coefficients are left out.
 * NULL when memory is short. The caller's: predictd__device__free_unpacked(m, NULL).
 */
Predictd__Device *device_encode(const struct device *device, bool with_coefficients);

static_assert((int)DEVICE_KEY_MAX == (int)KEY_BYTES_MAX, "a device has room for its key");
static_assert((int)DEVICE_TEXT_MAX == (int)KEY_TEXT_BYTES + 1, "keys are of texts as kept");

/* What a device's key is made of; borrows its texts. */
static inline struct key_identity device_key_identity(const struct device *device)
{
	return (struct key_identity){
	        .platform = device->platform,
	        .vendor = device->vendor,
	        .name = device->name,
	        .uuid = device->uuid,
	        .pci = device->pci,
	        .compute_units = device->compute_units,
	};
}

/* The key of its model, as other nodes know it: of no UUID and no PCI address. */
static inline void device_key_of_model(const struct device *device, char key[DEVICE_KEY_MAX])
{
	struct key_identity identity = device_key_identity(device);
	identity.uuid = identity.pci = "";
	key_make(&identity, key);
}

/* Names a device before which no equal stands. */
static inline void device_key_make(struct device *device)
{
	const struct key_identity identity = device_key_identity(device);
	key_make(&identity, device->key);
}

/* Fills *device from a message of any origin and checks it (device_check). */
enum status device_decode(const Predictd__Device *message, struct device *device,
                          struct error *error);

#endif
