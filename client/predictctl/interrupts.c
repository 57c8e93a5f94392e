/* SPDX-License-Identifier: Apache-2.0 */
/* SIGINT and SIGTERM. */
#include "client/predictctl/interrupts.h"

#include <signal.h>
#include <stddef.h>

static const int numbers[] = {SIGINT, SIGTERM};

static volatile sig_atomic_t has_come;
static void (*volatile then)(void);

static void handle(int number)
{
	(void)number;
	has_come = 1;
	if (then != NULL)
		then();
}

static void set(void (*handler)(int))
{
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		struct sigaction before,
		        action = {.sa_handler = handler, .sa_flags = (int)SA_RESETHAND};
		if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			(void)sigaction(numbers[i], &action, NULL);
	}
}

void interrupts_take(void (*also)(void))
{
	then = also;
	set(handle);
}

bool interrupts_came(void)
{
	return has_come != 0;
}

void interrupts_leave(void)
{
	set(SIG_DFL);
}
