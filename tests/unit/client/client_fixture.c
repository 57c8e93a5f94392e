/* SPDX-License-Identifier: Apache-2.0 */
/* A fake daemon, a connection to it and a program registered there, for each test. */
#include "tests/unit/client/client_fixture.h"

#include <unistd.h>

struct fake_daemon fake;
predictd_connection *connection;
predictd_program *program;

const predictd_source source = {.name = "k.cl", .text = "kernel", .size = 6};

int client_set_up(void **state)
{
	(void)state;
	connection = NULL;
	program = NULL;
	fake_daemon_start(&fake);
	return predictd_open(fake.path, &connection) != PREDICTD_OK ||
	       predictd_register(connection, &source, &program) != PREDICTD_OK;
}

int client_tear_down(void **state)
{
	(void)state;
	predictd_program_free(program);
	predictd_close(connection);
	fake_daemon_stop(&fake);
	return 0;
}

predictd_question question_of(uint64_t items)
{
	return (predictd_question){.program = program, .dimensions = 1, .global = {items, 1, 1}};
}

void assert_ok(predictd_status status)
{
	if (status != PREDICTD_OK)
		fail_msg("%s: %s", predictd_status_name(status), predictd_error_text());
}

predictd_observation observation_of(uint64_t items)
{
	return (predictd_observation){.question = question_of(items), .kernel_time_s = 1e-3};
}

void await_asked(unsigned before, unsigned count)
{
	for (unsigned i = 0; i < 20000 && fake.asked - before < count; i++)
		(void)usleep(1000);
	assert_true(fake.asked - before >= count);
}

void keep_answers(const predictd_estimate *estimates, size_t count, void *context)
{
	struct answers *answers = context;
	answers->calls++;
	answers->count += count;
	for (size_t i = 0; i < count; i++) {
		answers->last = estimates[i].status;
		answers->wrong += estimates[i].status != PREDICTD_OK ||
		                  fabs(estimates[i].kernel_time_s - 1e-9 * (double)(i + 1)) > 1e-15;
	}
}
