/* SPDX-License-Identifier: Apache-2.0 */
/* Every kernel of tests/kernels passes the jail: no call that an honest parse makes ends a child.
 */
#include "tests/test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/analyser/driver.h"

static struct analyser analyser;

static int start(void **state)
{
	(void)state;
	return analyser_start(&analyser, NULL) ? 0 : -1;
}

static int stop(void **state)
{
	(void)state;
	return analyser_stop(&analyser) == 0 ? 0 : -1;
}

/* What the file's own "// launch:" line gives as options="..."; empty without. */
static void options_of(const char *source, char options[256])
{
	static const char key[] = "options=\"";
	const char *begin = strstr(source, key);
	const char *end = begin == NULL ? NULL : strchr(begin + strlen(key), '"');
	options[0] = '\0';
	if (end != NULL)
		(void)snprintf(options, 256, "%.*s", (int)(end - begin - (int)strlen(key)),
		               begin + strlen(key));
}

static void ask_for_file(const char *path)
{
	static char source[1 << 20];
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	size_t bytes = fread(source, 1, sizeof source - 1, file);
	fclose(file);
	source[bytes] = '\0';
	char options[256];
	options_of(source, options);
	struct question question = {
	        .source = source, .bytes = bytes, .options = options, .deadline_ms = 20000};
	struct answer answer;
	analyser_ask(&analyser, &question, &answer);
	if (answer.outcome != OUTCOME_ANSWERED)
		fail_msg("%s: no answer", path);
	if (answer.status != STATUS_OK)
		fail_msg("%s: %s", path, answer.error.text);
	assert_true(answer.count > 0);
	answer_deinit(&answer);
}

static void every_kernel_of_the_collection_is_answered(void **state)
{
	(void)state;
	struct dirent **entries = NULL;
	int count = scandir(KERNELS_PATH, &entries, NULL, alphasort);
	assert_true(count > 0);
	unsigned asked = 0;
	for (int i = 0; i < count; i++) {
		size_t length = strlen(entries[i]->d_name);
		char path[4096];
		(void)snprintf(path, sizeof path, "%s/%s", KERNELS_PATH, entries[i]->d_name);
		if (length > 3 && strcmp(entries[i]->d_name + length - 3, ".cl") == 0) {
			ask_for_file(path);
			asked++;
		}
		free(entries[i]);
	}
	free(entries);
	assert_true(asked > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_kernel_of_the_collection_is_answered),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("collection", tests, start, stop);
}
