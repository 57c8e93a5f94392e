/* SPDX-License-Identifier: Apache-2.0 */
/* The rate limit of epochs. */
#include "daemon/state/epoch_limit.h"

static void raise_waiting(struct epoch_limit *limit)
{
	for (size_t i = 0; i < limit->count; i++)
		epochs_raise_scope(limit->epochs, &limit->waiting[i]);
	limit->count = 0;
}

static void on_timer(uv_timer_t *timer)
{
	struct epoch_limit *limit = timer->data;
	if (limit->count == 0)
		return;
	raise_waiting(limit);
	(void)uv_timer_start(timer, on_timer, EPOCH_LIMIT_INTERVAL_MS, 0);
}

void epoch_limit_init(struct epoch_limit *limit, struct epochs *epochs, uv_loop_t *loop)
{
	limit->epochs = epochs;
	limit->count = 0;
	(void)uv_timer_init(loop, &limit->timer);
	limit->timer.data = limit;
	limit->is_ready = true;
}

static bool is_same(const struct epochs_scope *a, const struct epochs_scope *b)
{
	return a->has_kernel == b->has_kernel && a->has_device == b->has_device &&
	       a->has_uid == b->has_uid && a->kernel_hash == b->kernel_hash &&
	       a->device_index == b->device_index && a->uid == b->uid;
}

void epoch_limit_add(struct epoch_limit *limit, const struct epochs_scope *scope)
{
	if (limit->epochs == NULL)
		return;
	for (size_t i = 0; i < limit->count; i++)
		if (is_same(&limit->waiting[i], scope))
			return;
	if (limit->count == EPOCH_LIMIT_SCOPES_MAX) {
		limit->waiting[0] = (struct epochs_scope){.has_kernel = false};
		limit->count = 1;
	} else {
		limit->waiting[limit->count++] = *scope;
	}
	if (!limit->is_ready)
		raise_waiting(limit);
	else if (!uv_is_active((uv_handle_t *)&limit->timer)) {
		raise_waiting(limit);
		(void)uv_timer_start(&limit->timer, on_timer, EPOCH_LIMIT_INTERVAL_MS, 0);
	}
}

void epoch_limit_stop(struct epoch_limit *limit)
{
	if (!limit->is_ready)
		return;
	limit->is_ready = false;
	if (limit->epochs != NULL)
		raise_waiting(limit);
	uv_close((uv_handle_t *)&limit->timer, NULL);
}
