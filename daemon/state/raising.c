/* SPDX-License-Identifier: Apache-2.0 */
/* Epochs of many answers, raised at most once a second. */
#include "daemon/state/raising.h"

static void raise_waiting(struct raising *raising)
{
	for (size_t i = 0; i < raising->count; i++)
		epochs_raise_scope(raising->epochs, &raising->waiting[i]);
	raising->count = 0;
}

static void on_timer(uv_timer_t *timer)
{
	struct raising *raising = timer->data;
	if (raising->count == 0)
		return;
	raise_waiting(raising);
	(void)uv_timer_start(timer, on_timer, RAISING_INTERVAL_MS, 0);
}

void raising_init(struct raising *raising, struct epochs *epochs, uv_loop_t *loop)
{
	raising->epochs = epochs;
	raising->count = 0;
	(void)uv_timer_init(loop, &raising->timer);
	raising->timer.data = raising;
	raising->is_ready = true;
}

static bool is_same(const struct epochs_scope *a, const struct epochs_scope *b)
{
	return a->has_kernel == b->has_kernel && a->has_device == b->has_device &&
	       a->has_uid == b->has_uid && a->kernel_hash == b->kernel_hash &&
	       a->device_index == b->device_index && a->uid == b->uid;
}

void raising_add(struct raising *raising, const struct epochs_scope *scope)
{
	if (raising->epochs == NULL)
		return;
	for (size_t i = 0; i < raising->count; i++)
		if (is_same(&raising->waiting[i], scope))
			return;
	if (raising->count == RAISING_SCOPES_MAX) {
		raising->waiting[0] = (struct epochs_scope){.has_kernel = false};
		raising->count = 1;
	} else {
		raising->waiting[raising->count++] = *scope;
	}
	if (!raising->is_ready)
		raise_waiting(raising);
	else if (!uv_is_active((uv_handle_t *)&raising->timer)) {
		raise_waiting(raising);
		(void)uv_timer_start(&raising->timer, on_timer, RAISING_INTERVAL_MS, 0);
	}
}

void raising_stop(struct raising *raising)
{
	if (!raising->is_ready)
		return;
	raising->is_ready = false;
	if (raising->epochs != NULL)
		raise_waiting(raising);
	uv_close((uv_handle_t *)&raising->timer, NULL);
}
