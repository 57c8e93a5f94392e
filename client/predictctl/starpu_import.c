/* SPDX-License-Identifier: Apache-2.0 */
/* predictctl starpu-import: what StarPU has measured, reported as observations of whole tasks. */
#include <stdlib.h>
#include <string.h>

#include "client/predictctl/commands.h"
#include "client/predictctl/starpu.h"

/* The files of a symbol, and what of them has been imported: by earlier imports, then by this. */
struct symbol {
	struct starpu_files files;
	struct starpu_model imported;
	bool has_new;
};

/* Which row of which symbol an observation is of: all that StarPU has measured of it. */
struct source {
	size_t symbol;
	int opencl;
	struct starpu_row measured;
};

struct imported {
	struct starpu_session session;
	struct symbol *symbols;
	size_t symbol_count;
	predictd_observation *observations;
	struct source *sources; /* one an observation */
	size_t count;
	json_t *entries; /* one an observation */
	bool is_whole;
};

/*
 * A mean is one observation, however many tasks it is of: so many copies would pretend that they
 * had all taken the same time.
 */
static void entry_take(struct imported *all, const struct options *options, size_t index,
                       const struct starpu_worker *worker, const struct starpu_row *row,
                       const struct source *source)
{
	const struct launch_case *one = &all->session.cases.cases[index];
	predictd_observation *to = &all->observations[all->count];
	const char *error;
	char footprint[16];
	*to = (predictd_observation){0};
	if (ask_question(&all->session.ask, index, options, &to->question, &error) != PREDICTD_OK) {
		complain(one->id, "%s", error);
		all->is_whole = false;
		return;
	}
	to->question.device = worker->key;
	to->task_time_s = 1e-6 * row->mean_us;
	all->sources[all->count++] = *source;
	(void)snprintf(footprint, sizeof footprint, "%08x", (unsigned)row->footprint);
	json_array_append_new(all->entries,
	                      json_pack("{so ss ss si ss so sI}", "case", json_text(one->id),
	                                "symbol", one->starpu.symbol, "footprint", footprint,
	                                "opencl", worker->opencl, "device_key", worker->key,
	                                "task_time_s", json_finite(to->task_time_s), "measured",
	                                (json_int_t)row->count));
}

static bool is_of_file(const char *path, const char *symbol)
{
	const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
	size_t length = strlen(symbol);
	return strncmp(name, symbol, length) == 0 && name[length] == '.';
}

/* The files of a symbol, or those that the command line names. */
static bool files_find(const struct options *options, const char *symbol,
                       struct starpu_files *files)
{
	struct complaint why;
	bool is_named = options->positional_count > 1;
	if (is_named ? starpu_files_of(options->positional[1], files, &why)
	             : starpu_files_init(options->folder, options->host, symbol, files, &why))
		return true;
	complain("starpu-import", "%s", why.text);
	return false;
}

/* A mean over several launches is of none of them. */
static bool is_alone(struct imported *all, size_t index)
{
	const struct launch_case *twin = starpu_twin(&all->session, index);
	if (twin == NULL)
		return true;
	complain(all->session.cases.cases[index].id,
	         "not imported: StarPU cannot tell it from %s, which has its symbol and data sizes",
	         twin->id);
	all->is_whole = false;
	return false;
}

static void rows_take(struct imported *all, const struct options *options, size_t index,
                      const struct starpu_model *model, const struct starpu_model *record)
{
	const struct starpu_session *session = &all->session;
	uint32_t footprint = session->cases.cases[index].starpu.footprint;
	const struct symbol *symbol = &all->symbols[all->symbol_count - 1];
	for (size_t i = 0; i < session->worker_count; i++) {
		int opencl = session->workers[i].opencl;
		const struct starpu_row *row = starpu_model_find(model, opencl, footprint);
		if (row == NULL)
			continue;
		struct source source = {
		        all->symbol_count - 1, opencl,
		        starpu_row_measured(row, starpu_model_find(record, opencl, footprint))};
		struct starpu_row rest = source.measured;
		if (!options->force)
			rest = starpu_row_measured(
			        &rest, starpu_model_find(&symbol->imported, opencl, footprint));
		if (rest.count > 0 && rest.mean_us > 0)
			entry_take(all, options, index, &session->workers[i], &rest, &source);
	}
}

static bool symbol_import(struct imported *all, const struct options *options, const char *name)
{
	const struct case_list *cases = &all->session.cases;
	struct symbol *symbol = &all->symbols[all->symbol_count];
	struct starpu_model model, record;
	struct complaint why;
	if (!files_find(options, name, &symbol->files))
		return false;
	all->symbol_count++;
	if (!starpu_models_load(&symbol->files, true, &model, &record))
		return false;
	bool is_read = starpu_model_load(symbol->files.imported, true, &symbol->imported, &why);
	if (!is_read)
		complain(symbol->files.imported, "%s", why.text);
	for (size_t i = 0; i < cases->count && is_read; i++)
		if (strcmp(cases->cases[i].starpu.symbol, name) == 0 && is_alone(all, i))
			rows_take(all, options, i, &model, &record);
	starpu_model_deinit(&model);
	starpu_model_deinit(&record);
	return is_read;
}

static enum exit_code symbols_import(struct imported *all, const struct options *options)
{
	const struct case_list *cases = &all->session.cases;
	const char *named = options->positional_count > 1 ? options->positional[1] : NULL;
	size_t symbols = 0;
	size_t most = cases->count * all->session.worker_count + 1;
	all->observations = calloc(most, sizeof *all->observations);
	all->sources = calloc(most, sizeof *all->sources);
	all->symbols = calloc(cases->count + 1, sizeof *all->symbols);
	if (all->observations == NULL || all->sources == NULL || all->symbols == NULL) {
		complain("starpu-import", "no memory");
		return EXIT_FAILED;
	}
	for (size_t i = 0; i < cases->count; i++) {
		const char *symbol = cases->cases[i].starpu.symbol;
		if (!starpu_is_first(&all->session, i) ||
		    (named != NULL && !is_of_file(named, symbol)))
			continue;
		symbols++;
		all->is_whole &= symbol_import(all, options, symbol);
	}
	if (symbols == 0) {
		complain(named, "want a file called SYMBOL.HOST, with a symbol of the cases");
		return EXIT_FAILED;
	}
	return all->is_whole ? EXIT_DONE : EXIT_FAILED;
}

/* What was kept is not taken again. */
static bool imported_save(struct imported *all)
{
	struct complaint why;
	bool is_saved = true;
	for (size_t i = 0; i < all->symbol_count; i++) {
		const struct symbol *symbol = &all->symbols[i];
		if (!symbol->has_new ||
		    starpu_model_save(symbol->files.imported, &symbol->imported, &why))
			continue;
		complain(symbol->files.imported, "%s; the next import counts these again",
		         why.text);
		is_saved = false;
	}
	return is_saved;
}

static bool source_keep(struct imported *all, const struct source *source)
{
	struct symbol *symbol = &all->symbols[source->symbol];
	symbol->has_new = true;
	return starpu_model_put(&symbol->imported, source->opencl, &source->measured);
}

static enum exit_code observations_send(struct imported *all, const struct options *options)
{
	predictd_status *statuses = calloc(all->count + 1, sizeof *statuses);
	predictd_status status = PREDICTD_OK;
	size_t kept = 0;
	bool is_saved = true;
	if (statuses == NULL) {
		complain("starpu-import", "no memory");
		return EXIT_FAILED;
	}
	if (all->count > 0)
		status = predictd_observe(all->session.connection, all->observations, all->count,
		                          statuses);
	if (status != PREDICTD_OK)
		complain("starpu-import", "%s", predictd_error_text());
	for (size_t i = 0; i < all->count; i++) {
		bool is_kept = status != PREDICTD_UNAVAILABLE && statuses[i] == PREDICTD_OK;
		kept += is_kept;
		if (is_kept)
			is_saved &= source_keep(all, &all->sources[i]);
		json_object_set_new(json_array_get(all->entries, i), "kept", json_boolean(is_kept));
	}
	if (!is_saved)
		complain("starpu-import", "no memory");
	is_saved &= imported_save(all);
	if (options->json)
		print_json(json_pack("{sI sI sO}", "observations", (json_int_t)all->count, "kept",
		                     (json_int_t)kept, "entries", all->entries));
	else if (all->count == 0)
		(void)puts("StarPU has measured nothing of these cases that was not imported");
	else
		(void)printf("%zu of %zu observations kept\n", kept, all->count);
	free(statuses);
	return status == PREDICTD_OK && !is_saved ? EXIT_FAILED : exit_of(status);
}

enum exit_code command_starpu_import(const struct options *options)
{
	struct imported all = {.is_whole = true, .entries = json_array()};
	enum exit_code code = starpu_session_open("starpu-import", options, &all.session);
	if (code == EXIT_DONE) {
		code = symbols_import(&all, options);
		enum exit_code sent = EXIT_DONE;
		if (all.symbols != NULL && (code == EXIT_DONE || all.count > 0))
			sent = observations_send(&all, options);
		code = code == EXIT_DONE ? sent : code;
	}
	for (size_t i = 0; i < all.symbol_count; i++) {
		starpu_files_deinit(&all.symbols[i].files);
		starpu_model_deinit(&all.symbols[i].imported);
	}
	json_decref(all.entries);
	free(all.symbols);
	free(all.sources);
	free(all.observations);
	starpu_session_close(&all.session);
	return code;
}
