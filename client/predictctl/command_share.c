/* SPDX-License-Identifier: Apache-2.0 */
/* predictctl share: what predictd-share, which has libpq, says and does for administrators. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/predictctl/commands.h"

enum { WORDS_MAX = 16 };

static void usage(FILE *stream)
{
	(void)fputs(
	        "Usage: predictctl share init SERVER\n"
	        "       predictctl share status [--config FILE] [--state DIR]\n"
	        "       predictctl share forget [--config FILE] [--state DIR]\n"
	        "\n"
	        "What this node shares with others through PostgreSQL.\n"
	        "\n"
	        "  init SERVER      make the site's schema in the database of a connection string\n"
	        "  status           what waits, how many nodes are known, what is wrong\n"
	        "  forget           delete from the server what this node has sent\n"
	        "  --config FILE    instead of /etc/predictd/share.conf\n"
	        "  --state DIR      instead of /var/lib/predictd-share\n",
	        stream);
}

enum exit_code command_share(int argc, char **argv)
{
	char *words[WORDS_MAX + 2] = {(char *)"predictd-share"};
	int count = 1;
	bool is_init = argc > 1 && strcmp(argv[1], "init") == 0;
	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		usage(stdout);
		return EXIT_DONE;
	}
	if (is_init)
		words[count++] = (char *)"--init";
	else if (argc > 1 && strcmp(argv[1], "status") == 0)
		words[count++] = (char *)"--status";
	else if (argc > 1 && strcmp(argv[1], "forget") == 0)
		words[count++] = (char *)"--forget";
	if (count == 1 || (is_init && argc != 3) || argc > WORDS_MAX) {
		complain(argc > 1 && count == 1 ? argv[1] : "share",
		         "want init SERVER, status or forget");
		usage(stderr);
		return EXIT_USAGE;
	}
	for (int i = 2; i < argc; i++)
		words[count++] = argv[i];
	const char *given = getenv("PREDICTD_SHARE");
	const char *const places[] = {given != NULL ? given : "",
	                              PREDICTD_SBINDIR "/predictd-share"};
	for (size_t i = given != NULL ? 0 : 1; i < sizeof places / sizeof places[0]; i++) {
		(void)execv(places[i], words);
		if (errno != ENOENT) {
			complain(places[i], "%s", strerror(errno));
			return EXIT_FAILED;
		}
	}
	(void)execvp(words[0], words);
	complain("share", "predictd-share is not installed");
	return EXIT_FAILED;
}
