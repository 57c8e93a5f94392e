/* SPDX-License-Identifier: Apache-2.0 */
/*
 * predictctl layer: the OpenCL layer for all programs of a session, a user or the node.
 *
 * Loaders take layers from OPENCL_LAYERS alone, so that is set where sessions begin:
 * environment.d(5), which systemd reads for what a desktop and a user's services start, and the
 * profile, which login shells read. The profile adds the layer where environment.d has not done so
 * already.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/predictctl/commands.h"
#include "client/predictctl/layer.h"
#include "client/predictctl/layer_files.h"

enum scope { SCOPE_SESSION, SCOPE_USER, SCOPE_NODE, SCOPE_COUNT };

static const char *const scopes[SCOPE_COUNT] = {"session", "user", "node"};

/* Whether $OPENCL_LAYERS has the layer. */
static bool session_has(const char *layer)
{
	const char *set = getenv("OPENCL_LAYERS");
	for (const char *at = set != NULL ? set : ""; *at != '\0'; at += *at == ':') {
		size_t length = strcspn(at, ":");
		if (length == strlen(layer) && strncmp(at, layer, length) == 0)
			return true;
		at += length;
	}
	return false;
}

/* Words for the shell that called. The layer comes first: see run_process.c. */
static void session_print(const char *layer, bool is_on)
{
	const char *set = getenv("OPENCL_LAYERS");
	const char *separator = "";
	if (isatty(STDOUT_FILENO))
		(void)fprintf(stderr, "type: eval \"$(predictctl layer %s)\"\n",
		              is_on ? "on" : "off");
	(void)fputs("OPENCL_LAYERS='", stdout);
	if (is_on) {
		(void)fputs(layer, stdout);
		separator = ":";
	}
	for (const char *at = set != NULL ? set : ""; *at != '\0'; at += *at == ':') {
		size_t length = strcspn(at, ":");
		if (length > 0 && (length != strlen(layer) || strncmp(at, layer, length) != 0)) {
			(void)fputs(separator, stdout);
			separator = ":";
			for (size_t i = 0; i < length; i++)
				(void)fputs(at[i] == '\'' ? "'\\''" : (char[]){at[i], '\0'},
				            stdout);
		}
		at += length;
	}
	(void)fputs("'; export OPENCL_LAYERS\n", stdout);
}

static enum exit_code status_print(const char *layer, const char *why, bool is_json)
{
	const char *fault = layer != NULL ? layer_fault(layer) : why;
	bool is_on[SCOPE_COUNT] = {layer != NULL && session_has(layer),
	                           layer_files_have(false, layer), layer_files_have(true, layer)};
	if (is_json) {
		print_json(json_pack("{ss? ss? sb sb sb}", "layer", layer, "fault", fault,
		                     "session", is_on[SCOPE_SESSION], "user", is_on[SCOPE_USER],
		                     "node", is_on[SCOPE_NODE]));
		return fault == NULL ? EXIT_DONE : EXIT_FAILED;
	}
	for (int i = 0; i < SCOPE_COUNT; i++)
		(void)printf("%-8s %s\n", scopes[i], is_on[i] ? "on" : "off");
	if (fault == NULL)
		return EXIT_DONE;
	complain(layer != NULL ? layer : "layer", "%s", fault);
	return EXIT_FAILED;
}

static enum exit_code switch_files(enum scope scope, const char *layer, bool is_on)
{
	bool is_node = scope == SCOPE_NODE;
	if (!(is_on ? layer_files_write(is_node, layer) : layer_files_remove(is_node)))
		return EXIT_FAILED;
	(void)printf("%s: %s, from the next login on\n", scopes[scope], is_on ? "on" : "off");
	return EXIT_DONE;
}

enum exit_code command_layer(const struct options *options)
{
	const char *why, *layer = layer_find(&why);
	const char *verb = options->positional_count > 0 ? options->positional[0] : "status";
	const char *where = options->positional_count > 1 ? options->positional[1] : scopes[0];
	bool is_on = strcmp(verb, "on") == 0;
	int scope = 0;
	while (scope < SCOPE_COUNT && strcmp(where, scopes[scope]) != 0)
		scope++;
	if (scope == SCOPE_COUNT) {
		complain(where, "want session, user or node");
		return EXIT_USAGE;
	}
	if (strcmp(verb, "status") == 0 && options->positional_count < 2)
		return status_print(layer, why, options->json);
	if (!is_on && strcmp(verb, "off") != 0) {
		complain(verb, strcmp(verb, "status") == 0
		                       ? "it tells of all three: want nothing behind it"
		                       : "want on, off or status");
		return EXIT_USAGE;
	}
	/* what is gone can be switched off all the same */
	if (!is_on && scope != SCOPE_SESSION)
		return switch_files((enum scope)scope, layer, false);
	const char *fault = layer != NULL ? layer_fault(layer) : NULL;
	if (layer == NULL || (is_on && fault != NULL)) {
		complain(layer != NULL ? layer : "layer", "%s", layer != NULL ? fault : why);
		return EXIT_FAILED;
	}
	if (is_on && !layer_path_is_plain(layer)) {
		complain(layer, "want a path from / of letters, digits and / . _ + - @ alone: a "
		                "shell reads others "
		                "in its own way");
		return EXIT_FAILED;
	}
	if (scope != SCOPE_SESSION)
		return switch_files((enum scope)scope, layer, true);
	session_print(layer, is_on);
	return EXIT_DONE;
}
