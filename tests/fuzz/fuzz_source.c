/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sources of kernels, then a zero byte and build options, then another and a language profile: what
 * the analyser makes of them is taken by the daemon, and predicted.
 *
 * As in the analyser a child does the work, since libclang aborts and overruns its stack: its
 * signals are its own fault and do not count. What counts is an exit: of a sanitizer, of an
 * assertion or of a check here. The child's counters of edges are handed to libFuzzer.
 */
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/analyser/profile.h"
#include "daemon/codec/ir_codec.h"
#include "daemon/codec/language.h"
#include "model/frontend/frontend.h"
#include "tests/fuzz/edges.h"
#include "tests/fuzz/examine.h"
#include "tests/fuzz/fuzz.h"

enum { KERNELS_MAX = 4, CPU_S = 5, WRONG = 97, ASSERTED = 98 };

/* libclang has no assertions, so one that fails is of this project. */
void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function)
{
	(void)fprintf(stderr, "%s:%u: %s: assertion failed: %s\n", file, line, function, assertion);
	_exit(ASSERTED);
}

static _Noreturn void wrong(const char *what)
{
	(void)fprintf(stderr, "fuzz_source: %s\n", what);
	_exit(WRONG);
}

/* A kernel as the daemon gets it. */
static void send_over(const struct ir_kernel *kernel)
{
	struct ir_kernel *received = NULL;
	struct error error;
	Predictd__IrKernel *message = ir_encode(kernel);
	if (message == NULL)
		return;
	enum status status = ir_decode(message, &received, &error);
	if (status != STATUS_OK && status != STATUS_LIMIT)
		wrong(error.text);
	if (status == STATUS_OK)
		examine(received);
	kernel_free(received);
	predictd__ir_kernel__free_unpacked(message, NULL);
}

static void analyse(const char *source, size_t size, const char *options,
                    const struct frontend_language *language)
{
	static const struct frontend_header header = {
	        .name = "h.h", .text = "#define H(x) ((x) * (x))\n", .bytes = 25};
	const struct frontend_program program = {.name = "fuzz.cl",
	                                         .source = source,
	                                         .source_bytes = size,
	                                         .options = options,
	                                         .headers = &header,
	                                         .header_count = 1,
	                                         .language = language};
	struct ir_kernel **kernels = NULL;
	struct error error = {0};
	size_t count = 0;
	if (frontend_analyse(&program, &kernels, &count, NULL, &error) != STATUS_OK) {
		if (error.text[0] == '\0')
			wrong("refused without a reason");
		return;
	}
	for (size_t i = 0; i < count && i < KERNELS_MAX; i++)
		send_over(kernels[i]);
	frontend_free(kernels, count);
}

/* Never returns. `counters` gets a copy of this process' own, unless NULL. */
static _Noreturn void child(const uint8_t *data, size_t size, uint8_t *counters)
{
	static const int signals[] = {SIGSEGV, SIGBUS,  SIGABRT, SIGILL, SIGFPE,
	                              SIGXCPU, SIGTRAP, SIGALRM, SIGTERM};
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		(void)signal(signals[i], SIG_DFL);
	(void)setrlimit(RLIMIT_CPU, &(struct rlimit){CPU_S, CPU_S});
	(void)setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	const uint8_t *zero = memchr(data, 0, size);
	size_t source_bytes = zero != NULL ? (size_t)(zero - data) : size;
	char *options =
	        zero != NULL ? strndup((const char *)zero + 1, size - source_bytes - 1) : NULL;
	/* behind the options' own end: a profile, as it is kept */
	size_t used = options != NULL ? source_bytes + 1 + strlen(options) + 1 : size;
	Predictd__Language *profile = NULL;
	struct frontend_language language;
	struct error error;
	bool has_language =
	        used < size &&
	        language_unpack(data + used, size - used, &profile, &error) == STATUS_OK &&
	        profile_language(profile, &language);
	analyse((const char *)data, source_bytes, options, has_language ? &language : NULL);
	free(options);
	uint8_t *own;
	size_t count = edges_find(&own);
	if (counters != NULL)
		memcpy(counters, own, count);
	_exit(0);
}

/* Loads libclang; room for the counters of a child, or NULL. */
static uint8_t *prepare(size_t count)
{
	struct error error;
	if (frontend_warm_up(&error) != STATUS_OK)
		abort();
	void *shared =
	        mmap(NULL, count + 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return count > 0 && shared != MAP_FAILED ? shared : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t *counters;
	static bool is_prepared;
	uint8_t *own;
	const size_t count = edges_find(&own);
	if (!is_prepared)
		counters = prepare(count);
	is_prepared = true;
	if (counters != NULL)
		memset(counters, 0, count);
	(void)fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		child(data, size, counters);
	int status = 0;
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
		abort();
	if (counters != NULL)
		for (size_t i = 0; i < count; i++)
			own[i] |= counters[i];
	return 0;
}
