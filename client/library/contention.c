/* SPDX-License-Identifier: Apache-2.0 */
/* What devices do to each other. */
#include "client/library/contention.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/library/connection.h"
#include "client/library/error.h"
#include "client/library/memo.h"
#include "client/library/message.h"

enum {
	DEVICES_MAX = 64,
	KEPT = 4, /* lists of devices: of a split, of a schedule, and others' */
	FACTORS = PREDICTD_LOADS * PREDICTD_LOADS
};

struct kept {
	size_t count;
	char *names; /* one behind the other, each with its end */
	size_t names_bytes;
	predictd_slowdown *slowdowns;
	uint64_t serial, value;
	uint32_t slot;
};

struct contentions {
	struct kept kept[KEPT];
	uint64_t unsupported; /* the link whose daemon does not know of pairs; 0: none */
	unsigned next;        /* to be replaced */
};

const char *predictd_load_name(predictd_load load)
{
	static const char *const names[] = {"compute", "memory", "transfers"};
	return (unsigned)load < PREDICTD_LOADS ? names[load] : "unknown";
}

void contentions_free(struct contentions *contentions)
{
	for (size_t i = 0; i < KEPT && contentions != NULL; i++) {
		free(contentions->kept[i].names);
		free(contentions->kept[i].slowdowns);
	}
	free(contentions);
}

/* ---- factors ------------------------------------------------------------------------------- */

static struct load_mix mix_of(double compute_s, double memory_s, double unknown_s,
                              double transfers_s)
{
	double all_s = compute_s + memory_s + unknown_s + transfers_s;
	if (!(all_s > 0))
		return (struct load_mix){.unknown = 1};
	return (struct load_mix){{compute_s / all_s, memory_s / all_s, transfers_s / all_s},
	                         unknown_s / all_s};
}

struct load_mix load_mix_kernel(const predictd_estimate *kernel)
{
	double share = kernel->memory_share;
	return share >= 0 ? mix_of(1 - share, share, 0, 0) : mix_of(0, 0, 1, 0);
}

struct load_mix load_mix_task(const predictd_estimate *kernel, double transfers_s)
{
	double share = kernel->memory_share, kernel_s = kernel->kernel_time_s;
	return share >= 0 ? mix_of(kernel->launch_time_s + (1 - share) * kernel_s, share * kernel_s,
	                           0, transfers_s)
	                  : mix_of(kernel->launch_time_s, 0, kernel_s, transfers_s);
}

/* Of one load of its own. */
static double beside(const double factors[PREDICTD_LOADS], const struct load_mix *other)
{
	double worse = fmax(factors[PREDICTD_LOAD_COMPUTE], factors[PREDICTD_LOAD_MEMORY]);
	double factor = other->unknown * worse;
	for (int i = 0; i < PREDICTD_LOADS; i++)
		factor += other->shares[i] * factors[i];
	return factor;
}

double load_factor(const predictd_slowdown *slowdown, const struct load_mix *own,
                   const struct load_mix *other)
{
	double each[PREDICTD_LOADS], factor = 0;
	if (!slowdown->is_known)
		return 1;
	for (int i = 0; i < PREDICTD_LOADS; i++) {
		each[i] = beside(slowdown->factors[i], other);
		factor += own->shares[i] * each[i];
	}
	factor += own->unknown * fmax(each[PREDICTD_LOAD_COMPUTE], each[PREDICTD_LOAD_MEMORY]);
	return fmax(factor, 1); /* by rounding */
}

/* ---- what is kept -------------------------------------------------------------------------- */

static bool is_of(const struct kept *kept, const char *const *devices, size_t count)
{
	const char *name = kept->names;
	if (kept->count != count || name == NULL)
		return false;
	for (size_t i = 0; i < count; i++) {
		size_t bytes = strlen(devices[i]) + 1;
		if (bytes > kept->names_bytes - (size_t)(name - kept->names) ||
		    memcmp(name, devices[i], bytes) != 0)
			return false;
		name += bytes;
	}
	return true;
}

/* With the mutex held; NULL: no memory. */
static struct contentions *contentions_get(predictd_connection *connection)
{
	if (connection->contentions == NULL)
		connection->contentions = calloc(1, sizeof *connection->contentions);
	return connection->contentions;
}

static bool find(predictd_connection *connection, const char *const *devices, size_t count,
                 predictd_slowdown *slowdowns, bool *is_unsupported)
{
	bool is_found = false;
	(void)pthread_mutex_lock(&connection->mutex);
	const struct contentions *contentions = connection->contentions;
	*is_unsupported = contentions != NULL && contentions->unsupported != 0 &&
	                  contentions->unsupported == memo_serial(connection->memo);
	for (size_t i = 0; i < KEPT && contentions != NULL && !is_found; i++) {
		const struct kept *kept = &contentions->kept[i];
		is_found = is_of(kept, devices, count) &&
		           memo_stands(connection->memo, kept->serial, kept->slot, kept->value);
		if (is_found)
			memcpy(slowdowns, kept->slowdowns, count * count * sizeof *slowdowns);
	}
	(void)pthread_mutex_unlock(&connection->mutex);
	return is_found;
}

/* Where there is no memory for it, it is asked again. */
static void keep(predictd_connection *connection, const char *const *devices, size_t count,
                 const predictd_slowdown *slowdowns, const Predictd__ContentionReply *reply,
                 uint64_t serial)
{
	struct kept made = {.count = count,
	                    .serial = serial,
	                    .slot = reply->epoch_slot,
	                    .value = reply->epoch_value};
	if (connection->memo == NULL || reply->epoch_value == 0)
		return;
	for (size_t i = 0; i < count; i++)
		made.names_bytes += strlen(devices[i]) + 1;
	made.names = malloc(made.names_bytes + 1);
	made.slowdowns = malloc((count * count + 1) * sizeof *slowdowns);
	char *name = made.names;
	for (size_t i = 0; i < count && name != NULL; i++) {
		size_t bytes = strlen(devices[i]) + 1;
		memcpy(name, devices[i], bytes);
		name += bytes;
	}
	if (made.slowdowns != NULL)
		memcpy(made.slowdowns, slowdowns, count * count * sizeof *slowdowns);
	(void)pthread_mutex_lock(&connection->mutex);
	struct contentions *contentions = contentions_get(connection);
	if (contentions != NULL && made.names != NULL && made.slowdowns != NULL) {
		struct kept *kept = &contentions->kept[contentions->next % KEPT];
		for (size_t i = 0; i < KEPT; i++)
			if (is_of(&contentions->kept[i], devices, count))
				kept = &contentions->kept[i];
		contentions->next += kept == &contentions->kept[contentions->next % KEPT];
		struct kept before = *kept;
		*kept = made;
		made = before;
	}
	(void)pthread_mutex_unlock(&connection->mutex);
	free(made.names);
	free(made.slowdowns);
}

static void keep_unsupported(predictd_connection *connection, uint64_t serial)
{
	(void)pthread_mutex_lock(&connection->mutex);
	struct contentions *contentions = contentions_get(connection);
	if (contentions != NULL)
		contentions->unsupported = serial;
	(void)pthread_mutex_unlock(&connection->mutex);
}

/* ---- asking -------------------------------------------------------------------------------- */

/* One side of a pair. False: the answer is none. */
static bool slowdown_fill(const Predictd__Pair *pair, int side, predictd_slowdown *slowdown)
{
	bool is_whole = pair->n_slowdowns == 2 * FACTORS;
	*slowdown = (predictd_slowdown){.is_known = !pair->is_stale,
	                                .is_stale = pair->is_stale,
	                                .was_busy = pair->was_busy,
	                                .standard_error = pair->standard_error,
	                                .measured_at_s = pair->measured_at_s};
	for (int i = 0; i < FACTORS && is_whole; i++) {
		double factor = pair->slowdowns[side * FACTORS + i];
		is_whole = factor >= 1 && isfinite(factor);
		slowdown->factors[i / PREDICTD_LOADS][i % PREDICTD_LOADS] =
		        pair->is_stale ? 1 : factor;
	}
	return is_whole;
}

static predictd_status reply_read(const Predictd__ContentionReply *reply, size_t count,
                                  predictd_slowdown *slowdowns)
{
	predictd_slowdown none = {0};
	for (int i = 0; i < FACTORS; i++)
		none.factors[i / PREDICTD_LOADS][i % PREDICTD_LOADS] = 1;
	if (reply->n_keys != count)
		return error_keep(PREDICTD_INTERNAL, "predictd answered for %zu devices of %zu",
		                  reply->n_keys, count);
	for (size_t i = 0; i < count * count; i++)
		slowdowns[i] = none;
	for (size_t i = 0; i < reply->n_pairs; i++) {
		const Predictd__Pair *pair = reply->pairs[i];
		predictd_slowdown sides[2];
		if (!slowdown_fill(pair, 0, &sides[0]) || !slowdown_fill(pair, 1, &sides[1]))
			return error_keep(PREDICTD_INTERNAL,
			                  "predictd answered a pair without factors");
		/* one device may be named twice */
		for (size_t j = 0; j < count * count; j++) {
			const char *own = reply->keys[j / count], *other = reply->keys[j % count];
			if (strcmp(own, pair->key) == 0 && strcmp(other, pair->other_key) == 0)
				slowdowns[j] = sides[0];
			else if (strcmp(own, pair->other_key) == 0 && strcmp(other, pair->key) == 0)
				slowdowns[j] = sides[1];
		}
	}
	return PREDICTD_OK;
}

static predictd_status ask(predictd_connection *connection, const char *const *devices,
                           size_t count, predictd_slowdown *slowdowns)
{
	Predictd__Contention body = PREDICTD__CONTENTION__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	Predictd__Response *response = NULL;
	char *names[DEVICES_MAX];
	uint64_t serial;
	for (size_t i = 0; i < count; i++)
		names[i] = (char *)(uintptr_t)devices[i];
	body.devices = names;
	body.n_devices = count;
	request.body_case = PREDICTD__REQUEST__BODY_CONTENTION;
	request.contention = &body;
	predictd_status status = connection_exchange_over(connection, &request, &response, &serial);
	if (status == PREDICTD_OK)
		status = response_status(response, PREDICTD__RESPONSE__BODY_CONTENTION);
	if (status == PREDICTD_UNSUPPORTED)
		keep_unsupported(connection, serial);
	predictd_slowdown *read = malloc((count * count + 1) * sizeof *read);
	if (status == PREDICTD_OK && read == NULL)
		status = error_keep(PREDICTD_NO_MEMORY, "no memory for %zu devices", count);
	if (status == PREDICTD_OK)
		status = reply_read(response->contention, count, read);
	if (status == PREDICTD_OK) {
		memcpy(slowdowns, read, count * count * sizeof *read);
		keep(connection, devices, count, read, response->contention, serial);
	}
	free(read);
	if (response != NULL)
		predictd__response__free_unpacked(response, NULL);
	return status;
}

predictd_status predictd_contention(predictd_connection *connection, const char *const *devices,
                                    size_t count, predictd_slowdown *slowdowns)
{
	error_clear();
	if (count > DEVICES_MAX)
		return error_keep(PREDICTD_LIMIT, "%zu devices: want at most %d", count,
		                  DEVICES_MAX);
	bool is_unsupported = false;
	if (count == 0 || find(connection, devices, count, slowdowns, &is_unsupported))
		return PREDICTD_OK;
	if (is_unsupported)
		return error_keep(PREDICTD_UNSUPPORTED, "this predictd knows nothing of pairs");
	return ask(connection, devices, count, slowdowns);
}

predictd_status contention_assume(predictd_connection *connection, const char *const *devices,
                                  size_t count, predictd_slowdown *slowdowns)
{
	predictd_status status = predictd_contention(connection, devices, count, slowdowns);
	switch (status) {
	case PREDICTD_OK:
	case PREDICTD_UNAVAILABLE:
	case PREDICTD_TIMEOUT:
	case PREDICTD_NO_MEMORY:
		return status;
	default: /* what is wrong with a device, its predictions say */
		memset(slowdowns, 0, count * count * sizeof *slowdowns);
		error_clear();
		return PREDICTD_OK;
	}
}
