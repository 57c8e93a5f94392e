/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of the Python package: tune, sweep, report, advise. */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/predictctl/commands.h"

/*
 * What Python runs: its words are the Python to try next (empty: none), the package, and the
 * command's own. Python starts once where it has the package: an import is what tells.
 * The current folder is no place to import from: it holds whatever stands beside a kernel.
 * Signals that end it are blocked until it can say so: Python's own modules do not all bear one.
 */
static const char start[] =
        "import os, sys\n"
        "if sys.path[:1] == ['']:\n"
        "    del sys.path[0]\n"
        "other, package = sys.argv[1:3]\n"
        "command = package.rpartition('.')[2]\n"
        "try:\n"
        "    from importlib import import_module\n"
        "    main = import_module(package + '.__main__').main\n"
        "except ImportError as error:\n"
        "    if other:\n"
        "        try:\n"
        "            os.execvp(other, [other, '-c', sys.orig_argv[2], '', *sys.argv[2:]])\n"
        "        except OSError:\n"
        "            pass\n"
        "    sys.exit(f\"predictctl: {command}: it needs predictd's Python package: {error}: "
        "install \"\n"
        "             \"python3-predictd, or python3-protobuf and, as `meson install` does, the "
        "\"\n"
        "             \"package\")\n"
        "del sys.argv[1:3]\n"
        "from signal import (SIG_DFL, SIG_UNBLOCK, SIGINT, SIGTERM, default_int_handler,\n"
        "                    pthread_sigmask, signal)\n"
        "signal(SIGTERM, default_int_handler)\n"
        "sys.stdout.reconfigure(errors='backslashreplace')\n" /* a name that no locale has */
        "try:\n"
        "    pthread_sigmask(SIG_UNBLOCK, (SIGINT, SIGTERM))\n"
        "    code = main()\n"
        "    sys.stdout.flush()\n"
        "except KeyboardInterrupt:\n"
        "    code = 130\n"
        "except OSError as error:\n"
        "    if not isinstance(error, BrokenPipeError):\n"
        "        print(f'predictctl: {command}: {error.strerror}', file=sys.stderr)\n"
        "    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)\n"
        "    code = 1\n"
        "signal(SIGTERM, SIG_DFL)\n"
        "signal(SIGINT, SIG_DFL)\n" /* once more, while Python ends: no report of that */
        "sys.exit(code)\n";

/* Python loads the library that this program has, wherever both were built. */
static void library_tell(void)
{
	Dl_info library;

	if (dladdr((const void *)(uintptr_t)predictd_version, &library) != 0 &&
	    library.dli_fname != NULL && strchr(library.dli_fname, '/') != NULL)
		(void)setenv("PREDICTD_LIBRARY", library.dli_fname, 0);
}

enum exit_code command_python(const char *module, int argc, char **argv)
{
	/* the distribution's has what its packages install, whatever stands before it */
	static const char *const pythons[] = {"/usr/bin/python3", "python3"};
	enum { COUNT = sizeof pythons / sizeof pythons[0], FIRST = 5 };
	char **arguments = calloc((size_t)argc + FIRST + 1, sizeof *arguments);
	if (arguments == NULL) {
		complain(argv[0], "no memory");
		return EXIT_FAILED;
	}
	library_tell();
	arguments[1] = (char *)"-c";
	arguments[2] = (char *)start;
	arguments[4] = (char *)module;
	memcpy(arguments + FIRST, argv + 1, (size_t)argc * sizeof *arguments);
	sigset_t ends;
	(void)sigemptyset(&ends);
	(void)sigaddset(&ends, SIGINT);
	(void)sigaddset(&ends, SIGTERM);
	(void)sigprocmask(SIG_BLOCK, &ends, NULL);
	for (size_t i = 0; i < COUNT; i++) {
		arguments[0] = (char *)pythons[i];
		arguments[3] = (char *)(i + 1 < COUNT ? pythons[i + 1] : "");
		(void)execvp(pythons[i], arguments);
	}
	complain(argv[0], "it needs Python: python3: %s", strerror(errno));
	(void)sigprocmask(SIG_UNBLOCK, &ends, NULL);
	free(arguments);
	return EXIT_FAILED;
}
