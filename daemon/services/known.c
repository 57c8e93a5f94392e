/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels and users, and what they cost: to each his own, to administrators all. */
#include "daemon/services/service.h"

#include "store/known.h"

#include <stdlib.h>

enum { KNOWN_MAX = 1000 };

/* A page that is read, then answered. */
struct known {
	struct store_job job;
	struct request request;
	struct daemon *daemon;
	struct known_scope scope;
	size_t count, count_max;
	struct known_kernel *kernels; /* or */
	struct known_user *users;
	struct error error;
};

static void known_free(struct known *known)
{
	free(known->kernels);
	free(known->users);
	free(known);
}

static void on_run(struct store_job *job, struct store **store)
{
	struct known *known = (struct known *)job; /* its first member */
	known->count = known->count_max;
	known->error.status = STATUS_OK;
	if (*store == NULL)
		known->count = 0; /* nothing is kept */
	else if (known->kernels != NULL)
		(void)store_list_kernels(*store, &known->scope, known->kernels, &known->count,
		                         &known->error);
	else
		(void)store_list_users(*store, &known->scope, known->users, &known->count,
		                       &known->error);
}

static enum status begin(struct session *session, const struct work *work, struct known *known,
                         uint32_t count_max, void (*done)(struct store_job *), struct error *error)
{
	enum status status;
	if (count_max < 1 || count_max > KNOWN_MAX) {
		status = error_set(error, STATUS_INVALID, "count: want 1 to %d, got %u", KNOWN_MAX,
		                   count_max);
		known_free(known);
		return status;
	}
	known->daemon = session->daemon;
	known->scope.is_everybody = session_is_admin(session);
	known->scope.user = session->user;
	known->count_max = count_max;
	known->job = (struct store_job){.run = on_run, .done = done};
	status = request_begin(&known->request, session, work->message->id, NULL, error);
	if (status != STATUS_OK) {
		known_free(known);
		return status;
	}
	store_worker_add_for(&session->daemon->persistence.worker, &known->job, session->user);
	return STATUS_OK;
}

/* ---- kernels ------------------------------------------------------------------------------- */

static char *key_of(const struct daemon *daemon, uint64_t hash)
{
	for (size_t i = 0; i < daemon->registry.count; i++)
		if (daemon->registry.devices[i]->hash == hash)
			return daemon->registry.devices[i]->device.key;
	return (char *)(uintptr_t)"";
}

/* What was asked, as messages that borrow. */
static size_t fill_asked(const struct known *known, Predictd__AskedKernel *messages,
                         Predictd__AskedKernel **list)
{
	struct asked_kernel *one = known->daemon->metrics.asked.kernels;
	size_t count = 0;
	for (; one != NULL && count < ASKED_MAX; one = one->hh.next) {
		if (!known->scope.is_everybody && one->key.user != known->scope.user)
			continue;
		predictd__asked_kernel__init(&messages[count]);
		messages[count].kernel = one->key.kernel;
		messages[count].name = one->name;
		messages[count].device = key_of(known->daemon, one->key.device);
		messages[count].uid = (uint32_t)one->key.user;
		messages[count].questions = one->questions;
		list[count] = &messages[count];
		count++;
	}
	return count;
}

static void on_kernels(struct store_job *job)
{
	struct known *known = (struct known *)job;
	Predictd__ListKernelsReply reply = PREDICTD__LIST_KERNELS_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	Predictd__KnownKernel *messages = calloc(known->count + 1, sizeof *messages);
	Predictd__KnownKernel **list = calloc(known->count + 1, sizeof *list);
	Predictd__AskedKernel *asked = calloc(ASKED_MAX, sizeof *asked);
	Predictd__AskedKernel **asked_list = calloc(ASKED_MAX, sizeof *asked_list);
	if (messages == NULL || list == NULL || asked == NULL || asked_list == NULL)
		error_set(&known->error, STATUS_NO_MEMORY, "kernels: no memory");
	if (known->error.status != STATUS_OK) {
		request_finish_error(&known->request, &known->error);
		goto out;
	}
	for (size_t i = 0; i < known->count; i++) {
		predictd__known_kernel__init(&messages[i]);
		messages[i].kernel = known->kernels[i].kernel;
		messages[i].name = known->kernels[i].name;
		messages[i].users = (uint32_t)known->kernels[i].users;
		messages[i].launches = known->kernels[i].launches;
		messages[i].bytes = known->kernels[i].bytes;
		list[i] = &messages[i];
	}
	reply.kernels = list;
	reply.n_kernels = known->count;
	reply.is_last = known->count < known->count_max;
	reply.asked = asked_list;
	if (known->scope.offset == 0)
		reply.n_asked = fill_asked(known, asked, asked_list);
	response.body_case = PREDICTD__RESPONSE__BODY_LIST_KERNELS;
	response.list_kernels = &reply;
	request_finish(&known->request, &response);
out:
	free(messages);
	free(list);
	free(asked);
	free(asked_list);
	known_free(known);
}

enum status service_list_kernels(struct session *session, struct work *work, struct error *error)
{
	const Predictd__ListKernels *question = work->message->list_kernels;
	struct known *known = calloc(1, sizeof *known);
	if (known == NULL || (known->kernels = calloc(KNOWN_MAX, sizeof *known->kernels)) == NULL) {
		free(known);
		return error_set(error, STATUS_NO_MEMORY, "kernels: no memory");
	}
	known->scope.offset = question->offset;
	return begin(session, work, known, question->count_max, on_kernels, error);
}

/* ---- users --------------------------------------------------------------------------------- */

/* Of those kept in the page, or a new row behind; NULL: it is full. */
static Predictd__KnownUser *row_of(Predictd__KnownUser *rows, size_t *count, uint32_t uid)
{
	for (size_t i = 0; i < *count; i++)
		if (rows[i].uid == uid)
			return &rows[i];
	if (*count == 2 * (size_t)KNOWN_MAX)
		return NULL;
	Predictd__KnownUser *row = &rows[(*count)++];
	predictd__known_user__init(row);
	row->uid = uid;
	return row;
}

static int compare_rows(const void *first, const void *second)
{
	const Predictd__KnownUser *a = first, *b = second;
	return a->uid < b->uid ? -1 : a->uid > b->uid;
}

/* Those of the loop that belong to the page: up to the last one kept, where another follows. */
static size_t add_present(const struct known *known, Predictd__KnownUser *rows, size_t count)
{
	bool is_last = known->count < known->count_max;
	uint64_t least = known->scope.offset;
	uint64_t most = is_last ? UINT32_MAX : known->users[known->count - 1].user;
	for (const struct user *user = known->daemon->users.table; user != NULL;
	     user = user->hh.next) {
		if (user->id < least || user->id > most ||
		    (!known->scope.is_everybody && user->id != known->scope.user))
			continue;
		Predictd__KnownUser *row = row_of(rows, &count, (uint32_t)user->id);
		if (row == NULL)
			break;
		row->connections = user->sessions;
		row->requests = user->requests;
		row->held_bytes = user->held_bytes;
	}
	qsort(rows, count, sizeof *rows, compare_rows);
	return count;
}

static void on_users(struct store_job *job)
{
	struct known *known = (struct known *)job;
	Predictd__ListUsersReply reply = PREDICTD__LIST_USERS_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	Predictd__KnownUser *rows = calloc(2 * KNOWN_MAX, sizeof *rows);
	Predictd__KnownUser **list = calloc(2 * KNOWN_MAX, sizeof *list);
	if (rows == NULL || list == NULL)
		error_set(&known->error, STATUS_NO_MEMORY, "users: no memory");
	if (known->error.status != STATUS_OK) {
		request_finish_error(&known->request, &known->error);
		goto out;
	}
	size_t count = 0;
	for (size_t i = 0; i < known->count; i++) {
		Predictd__KnownUser *row = row_of(rows, &count, (uint32_t)known->users[i].user);
		row->launches = known->users[i].launches;
		row->bytes = known->users[i].bytes;
		row->samples = known->users[i].samples;
		row->choices = known->users[i].choices;
	}
	count = add_present(known, rows, count);
	for (size_t i = 0; i < count; i++)
		list[i] = &rows[i];
	reply.users = list;
	reply.n_users = count;
	reply.is_last = known->count < known->count_max;
	response.body_case = PREDICTD__RESPONSE__BODY_LIST_USERS;
	response.list_users = &reply;
	request_finish(&known->request, &response);
out:
	free(rows);
	free(list);
	known_free(known);
}

enum status service_list_users(struct session *session, struct work *work, struct error *error)
{
	const Predictd__ListUsers *question = work->message->list_users;
	struct known *known = calloc(1, sizeof *known);
	if (known == NULL || (known->users = calloc(KNOWN_MAX, sizeof *known->users)) == NULL) {
		free(known);
		return error_set(error, STATUS_NO_MEMORY, "users: no memory");
	}
	known->scope.offset = question->has_after ? (uint64_t)question->after + 1 : 0;
	return begin(session, work, known, question->count_max, on_users, error);
}
