/* SPDX-License-Identifier: Apache-2.0 */
/* Epochs: counters in memory that clients map read-only. */
#include "daemon/state/epochs.h"

#include <errno.h>
#include <fcntl.h>
#include <sha2.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

enum {
	/* 256 KB: with 10,000 kernels in use, one raise in four reaches an answer of another. */
	EPOCHS_SLOTS = 1 << 15,
	EPOCHS_KEY_BYTES = 32
};

/* Whose answers have named a slot; all of it 0: nobody's. */
struct owner {
	uint32_t kernel; /* bits of its hash */
	uint32_t uid;
	uint16_t device;
	bool is_named;
	uint8_t mixed; /* bits of enum mixed: of more than one */
};

enum mixed { MIXED_KERNEL = 1, MIXED_DEVICE = 2, MIXED_UID = 4 };

struct epochs {
	int fd;
	/*
	 * Of this daemon's: every client sees which slots are raised. With a hash that he can
	 * compute, he would learn who reports times of which kernel.
	 */
	uint8_t key[EPOCHS_KEY_BYTES];
	struct owner *owners;
	/* 0: a slot that no answer has named; its page is not touched before */
	_Atomic uint64_t *values;
};

static enum status table_make(struct epochs *epochs, struct error *error)
{
	const size_t size = EPOCHS_SLOTS * sizeof epochs->values[0];
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;
	epochs->fd = memfd_create("predictd-epochs", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (epochs->fd < 0)
		return error_set(error, STATUS_IO, "epochs: memfd_create: %s", strerror(errno));
	if (ftruncate(epochs->fd, (off_t)size) != 0)
		return error_set(error, STATUS_IO, "epochs: %zu bytes: %s", size, strerror(errno));
	void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, epochs->fd, 0);
	if (bytes == MAP_FAILED)
		return error_set(error, STATUS_IO, "epochs: mmap: %s", strerror(errno));
	epochs->values = bytes;
	/* from here on the mapping above alone writes, whoever has a descriptor */
	if (fcntl(epochs->fd, F_ADD_SEALS, seals) != 0)
		return error_set(error, STATUS_IO, "epochs: sealing: %s", strerror(errno));
	return STATUS_OK;
}

enum status epochs_new(struct epochs **result, struct error *error)
{
	struct epochs *epochs = calloc(1, sizeof *epochs);
	if (epochs == NULL)
		return error_set(error, STATUS_NO_MEMORY, "epochs: no memory");
	epochs->fd = -1;
	if (getrandom(epochs->key, sizeof epochs->key, 0) != (ssize_t)sizeof epochs->key) {
		epochs_free(epochs);
		return error_set(error, STATUS_IO, "epochs: random numbers: %s", strerror(errno));
	}
	epochs->owners = calloc(EPOCHS_SLOTS, sizeof *epochs->owners);
	if (epochs->owners == NULL) {
		epochs_free(epochs);
		return error_set(error, STATUS_NO_MEMORY, "epochs: no memory");
	}
	enum status status = table_make(epochs, error);
	if (status != STATUS_OK)
		epochs_free(epochs);
	else
		*result = epochs;
	return status;
}

void epochs_free(struct epochs *epochs)
{
	if (epochs == NULL)
		return;
	if (epochs->values != NULL) {
		/* who still has it mapped hears that nobody keeps it up to date */
		epochs_raise_all(epochs);
		(void)munmap(epochs->values, EPOCHS_SLOTS * sizeof epochs->values[0]);
	}
	if (epochs->fd >= 0)
		close(epochs->fd);
	free(epochs->owners);
	free(epochs);
}

static void owner_add(struct owner *owner, uint64_t kernel_hash, uint32_t device, uid_t uid)
{
	const struct owner one = {
	        .kernel = (uint32_t)kernel_hash,
	        .uid = uid,
	        .device = (uint16_t)device,
	        .is_named = true,
	};
	if (!owner->is_named)
		*owner = one;
	if (owner->kernel != one.kernel)
		owner->mixed |= MIXED_KERNEL;
	if (owner->device != one.device)
		owner->mixed |= MIXED_DEVICE;
	if (owner->uid != one.uid)
		owner->mixed |= MIXED_UID;
}

static bool owner_is_in(const struct owner *owner, const struct epochs_scope *scope)
{
	if (!owner->is_named)
		return false;
	if (scope->has_kernel && owner->kernel != (uint32_t)scope->kernel_hash &&
	    (owner->mixed & MIXED_KERNEL) == 0)
		return false;
	if (scope->has_device && owner->device != (uint16_t)scope->device_index &&
	    (owner->mixed & MIXED_DEVICE) == 0)
		return false;
	return !scope->has_uid || owner->uid == scope->uid || (owner->mixed & MIXED_UID) != 0;
}

uint32_t epochs_slot(const struct epochs *epochs, uint64_t kernel_hash, uint32_t device_index,
                     uid_t uid)
{
	const uint64_t named[] = {kernel_hash, (uint64_t)device_index << 32 | uid};
	uint8_t hash[SHA256_DIGEST_LENGTH];
	SHA2_CTX context;
	uint32_t slot;
	uint64_t unused = 0;
	/* of one length always: the key in front makes it a keyed hash */
	SHA256Init(&context);
	SHA256Update(&context, epochs->key, sizeof epochs->key);
	SHA256Update(&context, (const uint8_t *)named, sizeof named);
	SHA256Final(hash, &context);
	memcpy(&slot, hash, sizeof slot);
	slot %= EPOCHS_SLOTS;
	(void)atomic_compare_exchange_strong_explicit(&epochs->values[slot], &unused, 1,
	                                              memory_order_relaxed, memory_order_relaxed);
	owner_add(&epochs->owners[slot], kernel_hash, device_index, uid);
	return slot;
}

uint64_t epochs_value(const struct epochs *epochs, uint32_t slot)
{
	return atomic_load_explicit(&epochs->values[slot], memory_order_relaxed);
}

void epochs_raise(struct epochs *epochs, uint32_t slot)
{
	(void)atomic_fetch_add_explicit(&epochs->values[slot], 1, memory_order_release);
	/* nobody's, until an answer names it anew */
	epochs->owners[slot] = (struct owner){.is_named = false};
}

void epochs_raise_all(struct epochs *epochs)
{
	for (uint32_t slot = 0; slot < EPOCHS_SLOTS; slot++)
		if (epochs_value(epochs, slot) != 0)
			epochs_raise(epochs, slot);
}

void epochs_raise_scope(struct epochs *epochs, const struct epochs_scope *scope)
{
	for (uint32_t slot = 0; slot < EPOCHS_SLOTS; slot++)
		if (epochs_value(epochs, slot) != 0 && owner_is_in(&epochs->owners[slot], scope))
			epochs_raise(epochs, slot);
}

int epochs_descriptor(const struct epochs *epochs)
{
	return epochs->fd;
}

uint32_t epochs_count(const struct epochs *epochs)
{
	(void)epochs;
	return EPOCHS_SLOTS;
}
