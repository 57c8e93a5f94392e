/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of devices, made of what their drivers say. */
#include "proto/device_key.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { UUID_DIGITS = 32 };

static uint64_t mix_text(uint64_t hash, const char *text)
{
	return XXH3_64bits_withSeed(text, strnlen(text, KEY_TEXT_BYTES), hash);
}

/* A driver that names nothing and counts nothing is listed as in daemon/calibrator/list.c. */
static uint64_t names_hash(const struct key_identity *identity)
{
	uint64_t units = identity->compute_units == 0 ? 1 : identity->compute_units;
	uint64_t hash = XXH3_64bits(&units, sizeof units);
	hash = mix_text(hash, identity->platform);
	hash = mix_text(hash, identity->vendor);
	return mix_text(hash, identity->name[0] == '\0' ? "unnamed device" : identity->name);
}

/* Copies in lower case. False: it is not of these characters, or says nothing: all are alike. */
static bool copy_address(const char *text, size_t length, const char *marks, char *copy)
{
	char first = '\0';
	bool tells = false;
	if (strlen(text) != length)
		return false;
	for (size_t i = 0; i <= length; i++) {
		copy[i] = (char)tolower((unsigned char)text[i]);
		if (i == length || (marks[0] != '\0' && strchr(marks, text[i]) != NULL))
			continue;
		if (!isxdigit((unsigned char)text[i]))
			return false;
		first = first == '\0' ? copy[i] : first;
		tells |= copy[i] != first;
	}
	return tells;
}

void key_make(const struct key_identity *identity, char key[KEY_BYTES_MAX])
{
	char address[UUID_DIGITS + 1];
	uint64_t hash = names_hash(identity);
	if (copy_address(identity->uuid, UUID_DIGITS, "", address))
		(void)snprintf(key, KEY_BYTES_MAX, "uuid:%s-%08x", address, (unsigned)hash);
	else if (copy_address(identity->pci, strlen("0000:3b:00.0"), ":.", address))
		(void)snprintf(key, KEY_BYTES_MAX, "pci:%s-%08x", address, (unsigned)hash);
	else
		(void)snprintf(key, KEY_BYTES_MAX, "name:%016llx", (unsigned long long)hash);
}

void keys_number(char (*keys)[KEY_BYTES_MAX], size_t count)
{
	/* from the end, so that those before are still without */
	for (size_t i = count; i-- > 0;) {
		size_t length = strlen(keys[i]), equals = 0;
		for (size_t j = 0; j < i; j++)
			equals += strcmp(keys[j], keys[i]) == 0;
		if (equals > 0)
			(void)snprintf(keys[i] + length, KEY_BYTES_MAX - length, ".%zu", equals);
	}
}

void keys_make(const struct key_identity *identities, size_t count, char (*keys)[KEY_BYTES_MAX])
{
	for (size_t i = 0; i < count; i++)
		key_make(&identities[i], keys[i]);
	keys_number(keys, count);
}

unsigned key_ordinal(const char *key)
{
	/* the address of a PCI device has a dot of its own */
	const char *hash = strrchr(key, '-');
	const char *dot = strchr(hash != NULL ? hash : key, '.');
	return dot != NULL ? (unsigned)strtoul(dot + 1, NULL, 10) : 0;
}

bool key_is_valid(const char *text)
{
	size_t length = strnlen(text, KEY_BYTES_MAX);
	if (length == KEY_BYTES_MAX || strchr(text, ':') == NULL)
		return false;
	for (size_t i = 0; i < length; i++)
		if (text[i] <= ' ' || text[i] > '~')
			return false;
	return true;
}
