/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of login shells that `predictctl layer` changes: others' lines stay, its own comes once.
 */
#include <stdlib.h>
#include <string.h>

#include "client/predictctl/layer_files.h"
#include "tests/fuzz/fuzz.h"

static char *edit(const char *profile, const char *layer)
{
	char *edited = layer_profile(profile, layer);
	if (edited == NULL)
		abort();
	return edited;
}

static void must(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char first[] = "/first.so", second[] = "/second.so";
	char *text = strndup((const char *)data, size); /* what has a 0 is no profile */
	must(text != NULL);
	char *without = edit(text, NULL), *with = edit(text, first);
	char *again = edit(with, first), *other = edit(text, second), *changed = edit(with, second);
	char *off = edit(with, NULL), *still = edit(without, NULL);
	size_t length = strlen(without);
	must(strcmp(again, with) == 0);
	must(strcmp(still, without) == 0);
	must(strcmp(changed, other) == 0);
	/* only a last line that had no end has one now */
	must(strncmp(off, without, length) == 0);
	must(off[length] == '\0' ||
	     (strcmp(off + length, "\n") == 0 && without[length - 1] != '\n'));
	must(strncmp(with, off, strlen(off)) == 0);
	must(strchr(with + strlen(off), '\n') == with + strlen(with) - 1);
	free(text);
	free(without);
	free(with);
	free(again);
	free(other);
	free(changed);
	free(off);
	free(still);
	return 0;
}
