/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registers programs with the daemon and says what is analysed without a fallback.
 *
 * Reads lines of PACKAGE, FILE, NAME and OPTIONS with tabs between them; prints each
 * kernel that falls back with its reason, and the shares per package and in all. A source
 * that is refused as a whole counts as many kernels as it seems to hold.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/predictd.h"

enum { PACKAGES_MAX = 64, LINE_MAX_BYTES = 1 << 14 };

struct share {
	char package[64];
	unsigned programs, kernels, analysed;
	double time_s;
};

struct shares {
	struct share at[PACKAGES_MAX];
	unsigned count;
};

/* NULL when there are too many. */
static struct share *share_of(struct shares *shares, const char *package)
{
	for (unsigned i = 0; i < shares->count; i++)
		if (strcmp(shares->at[i].package, package) == 0)
			return &shares->at[i];
	if (shares->count == PACKAGES_MAX)
		return NULL;
	struct share *share = &shares->at[shares->count++];
	*share = (struct share){0};
	(void)snprintf(share->package, sizeof share->package, "%s", package);
	return share;
}

/* How many kernels a source that does not compile seems to define: at least one. */
static unsigned kernels_in(const char *text)
{
	unsigned count = 0;
	for (const char *at = strstr(text, "kernel"); at != NULL; at = strstr(at + 6, "kernel")) {
		size_t blank = strspn(at + 6, " \t\r\n");
		count += blank > 0 && strncmp(at + 6 + blank, "void", 4) == 0;
	}
	return count > 0 ? count : 1;
}

static void program_report(predictd_connection *connection, struct share *share, const char *file,
                           const char *name, const char *options)
{
	predictd_source *source = NULL;
	predictd_program *program = NULL;
	predictd_status status = predictd_source_load(file, options, &source);
	if (status == PREDICTD_OK)
		status = predictd_register(connection, source, &program);
	share->programs++;
	if (status != PREDICTD_OK) {
		unsigned kernels = source != NULL ? kernels_in(source->text) : 1;
		printf("%s\t%s\t(%u)\t%s: %s\n", share->package, name, kernels,
		       predictd_status_name(status), predictd_error_text());
		share->kernels += kernels;
		goto out;
	}
	const predictd_kernel *kernels;
	size_t count = predictd_program_kernels(program, &kernels);
	share->time_s += predictd_program_analysis_time_s(program);
	for (size_t i = 0; i < count; i++) {
		share->kernels++;
		if (kernels[i].unsupported[0] == '\0')
			share->analysed++;
		else
			printf("%s\t%s\t%s\t%s\n", share->package, name, kernels[i].name,
			       kernels[i].unsupported);
	}
out:
	predictd_program_free(program);
	predictd_source_free(source);
}

static void share_print(const struct share *share)
{
	double percent = share->kernels > 0 ? 100.0 * share->analysed / share->kernels : 0;
	printf("%-16s %8u %8u %8u %7.1f %% %8.2f s\n", share->package, share->programs,
	       share->kernels, share->analysed, percent, share->time_s);
}

static void shares_print(const struct shares *shares)
{
	struct share all = {.package = "all"};
	printf("\n%-16s %8s %8s %8s %9s %10s\n", "package", "programs", "kernels", "analysed",
	       "share", "analysis");
	for (unsigned i = 0; i < shares->count; i++) {
		const struct share *share = &shares->at[i];
		share_print(share);
		all.programs += share->programs;
		all.kernels += share->kernels;
		all.analysed += share->analysed;
		all.time_s += share->time_s;
	}
	share_print(&all);
}

int main(void)
{
	static char line[LINE_MAX_BYTES];
	static struct shares shares;
	predictd_connection *connection;
	if (predictd_open(NULL, &connection) != PREDICTD_OK) {
		fprintf(stderr, "language: %s\n", predictd_error_text());
		return 3;
	}
	int result = 0;
	while (fgets(line, sizeof line, stdin) != NULL) {
		char *rest = line, *fields[4];
		line[strcspn(line, "\n")] = '\0';
		for (unsigned i = 0; i < 4; i++)
			fields[i] = strsep(&rest, "\t");
		struct share *share = fields[3] == NULL ? NULL : share_of(&shares, fields[0]);
		if (share == NULL) {
			fprintf(stderr, "language: a broken line, or too many packages\n");
			result = 1;
			break;
		}
		program_report(connection, share, fields[1], fields[2], fields[3]);
		(void)fflush(stdout);
	}
	predictd_close(connection);
	shares_print(&shares);
	return result;
}
