/* SPDX-License-Identifier: Apache-2.0 */
/* Places as a table of hashed stacks. */
#include "tests/places.h"

#include <execinfo.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEPTH = 40, PLACES_MAX = 1 << 14, SHOWN = 3, CHILD_LIMIT_S = 120 };

static uintptr_t places[PLACES_MAX]; /* return addresses */
static unsigned known, tried, failed, one_in_so_many;
static bool is_child;

void places_begin(unsigned one_in)
{
	memset(places, 0, sizeof places);
	known = tried = failed = 0;
	one_in_so_many = one_in;
}

/* Whether the address was not known; it is then. */
static bool is_new(uintptr_t address)
{
	size_t at = (size_t)(address * 11400714819323198485u >> 40) % PLACES_MAX;
	while (places[at] != 0 && places[at] != address)
		at = (at + 1) % PLACES_MAX;
	if (places[at] == address || known == PLACES_MAX / 2)
		return false;
	places[at] = address;
	known++;
	return true;
}

/* Whether a call comes from where none came from before, and is one of so many. */
static bool is_due(void *const *frames, int count)
{
	bool is_due = false;
	for (int i = 0; i < count; i++)
		if (is_new((uintptr_t)frames[i]))
			is_due |= known % one_in_so_many == 0;
	return is_due;
}

bool place_fails(void)
{
	void *frames[DEPTH];
	int status = 0;
	if (one_in_so_many == 0)
		return false;
	int count = backtrace(frames, DEPTH);
	if (!is_due(frames, count))
		return false;
	(void)fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		one_in_so_many = 0;
		is_child = true;
		alarm(CHILD_LIMIT_S);
		return true;
	}
	tried++;
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
		if (failed++ < SHOWN) {
			printf("# a child ended with %#x; its call failed here:\n", status);
			(void)fflush(stdout);
			backtrace_symbols_fd(frames, count, STDOUT_FILENO);
		}
	}
	return false;
}

bool places_is_child(void)
{
	return is_child;
}

_Noreturn void places_end_child(const char *wrong)
{
	if (wrong != NULL)
		printf("# %s\n", wrong);
	exit(wrong != NULL);
}

unsigned places_end(unsigned *wrong)
{
	one_in_so_many = 0;
	*wrong = failed;
	return tried;
}
