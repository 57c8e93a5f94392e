/* SPDX-License-Identifier: Apache-2.0 */
/* predictctl kernels and users: what the daemon knows of them, and what they cost. */
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/predictctl/ask.h"
#include "client/predictctl/commands.h"
#include "client/predictctl/csv.h"
#include "client/predictctl/known.h"
#include "client/predictctl/table.h"
#include "client/predictd_operation.h"

enum { PAGE_ROWS = 1000 };

void user_text(uint32_t uid, char text[TEXT_MAX])
{
	const struct passwd *user = getpwuid((uid_t)uid);
	if (user != NULL)
		(void)snprintf(text, TEXT_MAX, "%.40s", user->pw_name);
	else
		(void)snprintf(text, TEXT_MAX, "%" PRIu32, uid);
}

/* ---- kernels ------------------------------------------------------------------------------- */

struct kernel_row {
	uint64_t kernel;
	char name[128];
	uint64_t questions, launches, users, bytes;
};

struct kernel_rows {
	struct kernel_row *rows;
	size_t count, room;
};

static struct kernel_row *kernel_add(struct kernel_rows *rows, uint64_t kernel, const char *name)
{
	if (rows->count == rows->room) {
		size_t room = rows->room == 0 ? 256 : 2 * rows->room;
		struct kernel_row *grown = realloc(rows->rows, room * sizeof *grown);
		if (grown == NULL)
			return NULL;
		rows->rows = grown;
		rows->room = room;
	}
	struct kernel_row *row = &rows->rows[rows->count++];
	*row = (struct kernel_row){.kernel = kernel};
	(void)snprintf(row->name, sizeof row->name, "%s", name);
	return row;
}

/* Of the first page: what was asked, the newest first, added up over devices and users. */
static bool add_asked(struct kernel_rows *rows, const predictd_kernels *page)
{
	for (size_t i = page->asked_count; i-- > 0;) {
		const predictd_asked_kernel *asked = &page->asked[i];
		struct kernel_row *row = NULL;
		for (size_t j = 0; j < rows->count && row == NULL; j++)
			if (rows->rows[j].kernel == asked->kernel)
				row = &rows->rows[j];
		if (row == NULL)
			row = kernel_add(rows, asked->kernel, asked->name);
		if (row == NULL)
			return false;
		row->questions += asked->questions;
	}
	return true;
}

/* Kept ones: at most 256 of the rows before them were asked about. */
static bool add_kept(struct kernel_rows *rows, size_t asked_count, const predictd_kernels *page)
{
	for (size_t i = 0; i < page->count; i++) {
		const predictd_known_kernel *kept = &page->kernels[i];
		struct kernel_row *row = NULL;
		for (size_t j = 0; j < asked_count && row == NULL; j++)
			if (rows->rows[j].kernel == kept->kernel)
				row = &rows->rows[j];
		if (row == NULL)
			row = kernel_add(rows, kept->kernel, kept->name);
		if (row == NULL)
			return false;
		row->launches = kept->launches;
		row->users = kept->users;
		row->bytes = kept->bytes;
	}
	return true;
}

static enum exit_code load_kernels(predictd_connection *connection, struct kernel_rows *rows)
{
	size_t asked_count = 0;
	uint64_t offset = 0;
	for (bool is_last = false; !is_last;) {
		predictd_kernels *page = NULL;
		predictd_status status =
		        predictd_list_kernels(connection, offset, PAGE_ROWS, &page);
		if (status != PREDICTD_OK)
			return complain_of("kernels", status);
		bool has_room = offset > 0 || add_asked(rows, page);
		if (offset == 0)
			asked_count = rows->count;
		has_room = has_room && add_kept(rows, asked_count, page);
		is_last = page->count < PAGE_ROWS;
		offset += page->count;
		predictd_kernels_free(page);
		if (!has_room) {
			complain("kernels", "no memory");
			return EXIT_FAILED;
		}
	}
	return EXIT_DONE;
}

static void print_kernels(const struct kernel_rows *rows, const struct options *options)
{
	json_t *list = json_array();
	struct table *table = table_new("lrrrrl");
	char bytes[TEXT_MAX], hash[TEXT_MAX];
	static const char *const heads[] = {"kernel", "questions", "launches",
	                                    "users",  "kept",      "hash"};
	for (size_t i = 0; i < 6; i++)
		if (options->csv)
			csv_text(stdout, i == 0, i == 4 ? "bytes" : heads[i]);
		else
			table_cell(table, "%s", heads[i]);
	if (options->csv)
		csv_end(stdout);
	for (size_t i = 0; i < rows->count; i++) {
		const struct kernel_row *row = &rows->rows[i];
		(void)snprintf(hash, sizeof hash, "%016" PRIx64, row->kernel);
		if (options->csv) {
			csv_text(stdout, true, row->name);
			csv_number(stdout, false, (double)row->questions);
			csv_number(stdout, false, (double)row->launches);
			csv_number(stdout, false, (double)row->users);
			csv_number(stdout, false, (double)row->bytes);
			csv_text(stdout, false, hash);
			csv_end(stdout);
			continue;
		}
		json_array_append_new(
		        list, json_pack("{so ss sI sI sI sI}", "name", json_text(row->name), "hash",
		                        hash, "questions", (json_int_t)row->questions, "launches",
		                        (json_int_t)row->launches, "users", (json_int_t)row->users,
		                        "bytes", (json_int_t)row->bytes));
		format_bytes(bytes, (double)row->bytes);
		table_cell(table, "%s", row->name[0] != '\0' ? row->name : "-");
		table_cell(table, "%" PRIu64, row->questions);
		table_cell(table, "%" PRIu64, row->launches);
		table_cell(table, "%" PRIu64, row->users);
		table_cell(table, "%s", bytes);
		table_cell(table, "%s", hash);
	}
	if (options->json)
		print_json(json_pack("{sO}", "kernels", list));
	else if (!options->csv)
		table_print(table, "", stdout);
	json_decref(list);
	table_free(table);
}

enum exit_code command_kernels(const struct options *options)
{
	predictd_connection *connection = NULL;
	struct kernel_rows rows = {0};
	enum exit_code code = ask_open(options, &connection);
	if (code != EXIT_DONE)
		return code;
	code = load_kernels(connection, &rows);
	if (code == EXIT_DONE)
		print_kernels(&rows, options);
	free(rows.rows);
	predictd_close(connection);
	return code;
}

/* ---- users --------------------------------------------------------------------------------- */

static const char *const user_heads[] = {"user", "connections", "requests", "memory",
                                         "kept", "launches",    "samples",  "choices"};

static void print_user(const predictd_known_user *user, const struct options *options,
                       struct table *table, json_t *list)
{
	char name[TEXT_MAX], memory[TEXT_MAX], kept[TEXT_MAX];
	const uint64_t numbers[] = {user->connections, user->requests, user->held_bytes,
	                            user->bytes,       user->launches, user->samples,
	                            user->choices};
	user_text(user->uid, name);
	if (options->csv) {
		csv_number(stdout, true, (double)user->uid);
		for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
			csv_number(stdout, false, (double)numbers[i]);
		csv_end(stdout);
		return;
	}
	json_array_append_new(
	        list,
	        json_pack("{sI so sI sI sI sI sI sI sI}", "uid", (json_int_t)user->uid, "name",
	                  json_text(name), "connections", (json_int_t)user->connections, "requests",
	                  (json_int_t)user->requests, "held_bytes", (json_int_t)user->held_bytes,
	                  "bytes", (json_int_t)user->bytes, "launches", (json_int_t)user->launches,
	                  "samples", (json_int_t)user->samples, "choices",
	                  (json_int_t)user->choices));
	format_bytes(memory, (double)user->held_bytes);
	format_bytes(kept, (double)user->bytes);
	table_cell(table, "%s", name);
	table_cell(table, "%" PRIu64, user->connections);
	table_cell(table, "%" PRIu64, user->requests);
	table_cell(table, "%s", memory);
	table_cell(table, "%s", kept);
	table_cell(table, "%" PRIu64, user->launches);
	table_cell(table, "%" PRIu64, user->samples);
	table_cell(table, "%" PRIu64, user->choices);
}

enum exit_code command_users(const struct options *options)
{
	static const char *const columns[] = {"uid",   "connections", "requests", "held_bytes",
	                                      "bytes", "launches",    "samples",  "choices"};
	predictd_connection *connection = NULL;
	json_t *list = json_array();
	struct table *table = table_new("lrrrrrrr");
	uint32_t after = 0;
	bool is_first = true;
	enum exit_code code = ask_open(options, &connection);
	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
		if (options->csv && code == EXIT_DONE)
			csv_text(stdout, i == 0, columns[i]);
		else
			table_cell(table, "%s", user_heads[i]);
	if (options->csv && code == EXIT_DONE)
		csv_end(stdout);
	for (bool is_last = false; code == EXIT_DONE && !is_last; is_first = false) {
		predictd_users *users = NULL;
		predictd_status status = predictd_list_users(connection, is_first ? NULL : &after,
		                                             PAGE_ROWS, &users);
		if (status != PREDICTD_OK) {
			code = complain_of("users", status);
			break;
		}
		for (size_t i = 0; i < users->count; i++)
			print_user(&users->users[i], options, table, list);
		is_last = users->is_last || users->count == 0;
		if (users->count > 0)
			after = users->users[users->count - 1].uid;
		predictd_users_free(users);
	}
	if (code == EXIT_DONE && options->json)
		print_json(json_pack("{sO}", "users", list));
	else if (code == EXIT_DONE && !options->csv)
		table_print(table, "", stdout);
	json_decref(list);
	table_free(table);
	predictd_close(connection);
	return code;
}
