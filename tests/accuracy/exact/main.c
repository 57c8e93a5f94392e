/* SPDX-License-Identifier: Apache-2.0 */
/* What a daemon answers about the cases of a file, to the last bit: numbers are written by %a. */
#include "client/predictctl/ask.h"
#include "client/predictctl/options.h"

#include <stdio.h>
#include <stdlib.h>

static void write_numbers(const char *what, size_t count, const double *values)
{
	printf(" %s", what);
	for (size_t i = 0; i < count; i++)
		printf(" %a", values[i]);
}

static void write_prediction(const predictd_prediction *got)
{
	const double times[] = {
	        got->kernel_time_s, got->low_s,      got->high_s,        got->launch_time_s,
	        got->h2d_time_s,    got->d2h_time_s, got->static_time_s,
	};
	write_numbers("times", sizeof times / sizeof times[0], times);
	write_numbers("elasticities", got->elasticity_count, got->elasticities);
	printf(" basis %d bottleneck %s local %llu,%llu,%llu capped %d data %d note '%s'\n",
	       (int)got->basis, got->bottleneck, (unsigned long long)got->local[0],
	       (unsigned long long)got->local[1], (unsigned long long)got->local[2], got->is_capped,
	       got->is_data_dependent, got->note);
	for (size_t i = 0; i < got->row_count; i++)
		printf("  row '%s' %a %a\n", got->rows[i].what, got->rows[i].count,
		       got->rows[i].time_s);
	for (size_t i = 0; i < got->warning_count; i++)
		printf("  warning '%s'\n", got->warnings[i]);
}

static bool write_model(const struct ask *ask, const struct options *options, predictd_model model,
                        const char *device)
{
	struct answers answers;
	predictd_status status = ask_predict(ask, options, model, device, &answers);
	if (status != PREDICTD_OK) {
		fprintf(stderr, "snapshot: %s\n", predictd_error_text());
		return false;
	}
	for (size_t i = 0; i < answers.count; i++) {
		const struct answer *answer = &answers.each[i];
		printf("%s %s", ask->cases->cases[i].id, predictd_model_name(model));
		if (answer->prediction == NULL)
			printf(" error '%s'\n", answer->error);
		else
			write_prediction(answer->prediction);
	}
	answers_deinit(&answers);
	return true;
}

/* CASES DEVICE: of the daemon that PREDICTD_SOCKET names. */
int main(int argc, char **argv)
{
	const struct options options = {.explain = true, .transfers = true, .static_only = true};
	const predictd_model models[] = {PREDICTD_DEFAULT, PREDICTD_PATTERN, PREDICTD_UNCACHED};
	struct case_list cases = {0};
	struct complaint why;
	predictd_connection *connection;
	struct ask ask = {0};
	bool is_done = true;

	if (argc != 3) {
		fprintf(stderr, "usage: %s CASES DEVICE\n", argv[0]);
		return 2;
	}
	if (!case_list_load(argv[1], &cases, &why)) {
		fprintf(stderr, "snapshot: %s\n", why.text);
		return 1;
	}
	if (ask_open(&options, &connection) != EXIT_DONE) {
		case_list_deinit(&cases);
		return 1;
	}
	is_done = ask_init(&ask, &cases, connection) == PREDICTD_OK;
	for (size_t i = 0; is_done && i < sizeof models / sizeof models[0]; i++)
		is_done = write_model(&ask, &options, models[i], argv[2]);
	ask_deinit(&ask);
	predictd_close(connection);
	case_list_deinit(&cases);
	return is_done ? 0 : 1;
}
