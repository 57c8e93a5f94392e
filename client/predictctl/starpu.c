/* SPDX-License-Identifier: Apache-2.0 */
/* Cases with a `starpu`, and which of predictd's devices StarPU means by a number. */
#include "client/predictctl/starpu.h"

#include <stdlib.h>
#include <string.h>

/* ---- cases ----------------------------------------------------------------------------------- */

static enum exit_code cases_choose(const char *what, const struct options *options,
                                   struct case_list *chosen)
{
	const struct case_list *all = &options->cases_list;
	chosen->cases = calloc(all->count + 1, sizeof *chosen->cases);
	if (chosen->cases == NULL) {
		complain(what, "no memory");
		return EXIT_FAILED;
	}
	for (size_t i = 0; i < all->count; i++) {
		const char *symbol = all->cases[i].starpu.symbol;
		if (symbol[0] != '\0' &&
		    (options->symbol == NULL || strcmp(options->symbol, symbol) == 0))
			chosen->cases[chosen->count++] = all->cases[i];
	}
	if (chosen->count > 0)
		return EXIT_DONE;
	if (options->symbol != NULL)
		complain(options->cases, "no case has a 'starpu' with the symbol '%s'",
		         options->symbol);
	else
		complain(options->cases, "no case has a 'starpu'; see predictctl(1)");
	return EXIT_FAILED;
}

bool starpu_is_first(const struct starpu_session *session, size_t index)
{
	const struct launch_case *cases = session->cases.cases;
	for (size_t i = 0; i < index; i++)
		if (strcmp(cases[i].starpu.symbol, cases[index].starpu.symbol) == 0)
			return false;
	return true;
}

const struct launch_case *starpu_twin(const struct starpu_session *session, size_t index)
{
	const struct launch_case *cases = session->cases.cases;
	for (size_t i = 0; i < session->cases.count; i++)
		if (i != index && cases[i].starpu.footprint == cases[index].starpu.footprint &&
		    strcmp(cases[i].starpu.symbol, cases[index].starpu.symbol) == 0)
			return &cases[i];
	return NULL;
}

/* ---- devices --------------------------------------------------------------------------------- */

static bool worker_add(const char *what, int opencl, const char *key,
                       struct starpu_session *session)
{
	if (session->worker_count == SIZES_MAX) {
		complain(what, "at most %d devices", SIZES_MAX);
		return false;
	}
	struct starpu_worker *worker = &session->workers[session->worker_count++];
	worker->opencl = opencl;
	(void)snprintf(worker->key, sizeof worker->key, "%s", key);
	return true;
}

/* Those that the user named. */
static enum exit_code workers_named(const char *what, const struct options *options,
                                    struct starpu_session *session)
{
	predictd_devices *devices = NULL;
	predictd_status status = predictd_list_devices(session->connection, false, &devices);
	enum exit_code code = EXIT_DONE;
	if (status != PREDICTD_OK)
		return complain_of(what, status);
	for (size_t i = 0; i < options->opencl_count && code == EXIT_DONE; i++) {
		const struct opencl_device *named = &options->opencl[i];
		const predictd_device *device;
		enum device_found found = device_find(devices, named->device, &device);
		if (found != DEVICE_FOUND)
			complain("--opencl", "%s '%s'; see `predictctl devices`",
			         found == DEVICE_NONE ? "no device is" : "more than one device has",
			         named->device);
		if (found != DEVICE_FOUND ||
		    !worker_add(what, (int)named->number, device->key, session))
			code = EXIT_FAILED;
	}
	predictd_devices_free(devices);
	return code;
}

/* A switch of StarPU's: a number above zero. */
static bool is_switched_on(const char *name)
{
	const char *value = getenv(name);
	return value != NULL && strtol(value, NULL, 10) > 0;
}

/* Which of OpenCL's devices StarPU numbers, in the loader's order. */
static bool is_listed(predictd_device_type type)
{
	if (is_switched_on("STARPU_OPENCL_ONLY_ON_CPUS"))
		return type == PREDICTD_CPU;
	return type == PREDICTD_GPU || type == PREDICTD_ACCELERATOR ||
	       (type == PREDICTD_CPU && is_switched_on("STARPU_OPENCL_ON_CPUS"));
}

static enum exit_code workers_guess(const char *what, struct starpu_session *session)
{
	predictd_devices *devices = NULL;
	predictd_status status = predictd_scan_devices(&devices);
	int number = 0;
	bool is_added = true, has_cpu = false;
	if (status != PREDICTD_OK)
		return complain_of(what, status);
	for (size_t i = 0; i < devices->count && is_added; i++) {
		const predictd_device *one = &devices->devices[i];
		has_cpu |= one->type == PREDICTD_CPU;
		if (!is_listed(one->type))
			continue;
		if (one->failure[0] == '\0')
			is_added = worker_add(what, number, one->key, session);
		number++;
	}
	predictd_devices_free(devices);
	if (session->worker_count > 0)
		return is_added ? EXIT_DONE : EXIT_FAILED;
	complain(what, "StarPU would have no OpenCL device here%s; --opencl 0=DEVICE names one",
	         has_cpu ? " without STARPU_OPENCL_ON_CPUS=1" : "");
	return EXIT_FAILED;
}

/* ---- the whole ------------------------------------------------------------------------------- */

enum exit_code starpu_session_open(const char *what, const struct options *options,
                                   struct starpu_session *session)
{
	*session = (struct starpu_session){0};
	enum exit_code code = cases_choose(what, options, &session->cases);
	if (code == EXIT_DONE)
		code = ask_open(options, &session->connection);
	if (code == EXIT_DONE)
		code = options->opencl_count > 0 ? workers_named(what, options, session)
		                                 : workers_guess(what, session);
	if (code != EXIT_DONE)
		return code;
	predictd_status status = ask_init(&session->ask, &session->cases, session->connection);
	return status == PREDICTD_OK ? EXIT_DONE : complain_of(what, status);
}

void starpu_session_close(struct starpu_session *session)
{
	ask_deinit(&session->ask);
	predictd_close(session->connection);
	free(session->cases.cases);
	*session = (struct starpu_session){0};
}

bool starpu_models_load(const struct starpu_files *files, bool is_needed,
                        struct starpu_model *model, struct starpu_model *record)
{
	struct complaint why;
	if (!starpu_model_load(files->model, !is_needed, model, &why)) {
		complain(files->model, "%s", why.text);
		return false;
	}
	if (starpu_model_load(files->record, true, record, &why))
		return true;
	complain(files->record, "%s", why.text);
	starpu_model_deinit(model);
	return false;
}
