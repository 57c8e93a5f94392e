/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child of the analyser.
 *
 * libclang recurses as deep as its input nests and aborts when memory ends.
 * The child lets it: the signal handlers, on a stack of their own, write a
 * reply that was packed beforehand, and the process ends. Nothing after that
 * point runs on a heap that may be broken.
 */
#include "daemon/analyser/worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "daemon/analyser/jail.h"
#include "daemon/analyser/profile.h"
#include "daemon/codec/ir_codec.h"
#include "daemon/codec/language.h"
#include "daemon/scheduling.h"
#include "model/frontend/frontend.h"
#include "proto/frame.h"
#include "proto/text.h"

enum {
	WORKER_LONG_US = 50000,   /* of processor time, outside the kernel */
	WORKER_SHARE_PERCENT = 70 /* of the deadline: processor time for one program */
};

/* ---- jobs ---------------------------------------------------------------------------------- */

int worker_receive(int channel, struct worker_job *job)
{
	enum { DESCRIPTORS_MAX = 8 }; /* room to see, and close, those that nobody should send */
	uint8_t ticket[WORKER_TICKET_BYTES + 1];
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(DESCRIPTORS_MAX * sizeof(int))];
	} control;
	struct iovec vector = {ticket, sizeof ticket};
	struct msghdr message = {.msg_iov = &vector,
	                         .msg_iovlen = 1,
	                         .msg_control = control.bytes,
	                         .msg_controllen = sizeof control.bytes};
	ssize_t got;
	do
		got = recvmsg(channel, &message, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got <= 0)
		return got == 0 ? 0 : -1;

	int received[DESCRIPTORS_MAX];
	size_t count = 0;
	for (struct cmsghdr *part = CMSG_FIRSTHDR(&message); part != NULL;
	     part = CMSG_NXTHDR(&message, part)) {
		if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
			continue;
		size_t here = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < here && count < DESCRIPTORS_MAX; i++)
			memcpy(&received[count++], CMSG_DATA(part) + i * sizeof(int), sizeof(int));
	}
	if (got != WORKER_TICKET_BYTES || count != 1) {
		for (size_t i = 0; i < count; i++)
			close(received[i]);
		errno = EBADMSG;
		return -1;
	}
	uint32_t asked = (uint32_t)ticket[0] | (uint32_t)ticket[1] << 8 |
	                 (uint32_t)ticket[2] << 16 | (uint32_t)ticket[3] << 24;
	job->is_background = asked >> 31 != 0;
	asked &= UINT32_MAX >> 1;
	job->deadline_ms = asked > WORKER_DEADLINE_MS_MAX ? WORKER_DEADLINE_MS_MAX : asked;
	job->socket = received[0];
	return 1;
}

bool worker_send(int channel, const struct worker_job *job)
{
	uint8_t ticket[WORKER_TICKET_BYTES];
	uint32_t asked = job->deadline_ms | (uint32_t)job->is_background << 31;
	for (unsigned i = 0; i < sizeof ticket; i++)
		ticket[i] = (uint8_t)(asked >> (8 * i));
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {.bytes = {0}};
	struct iovec vector = {ticket, sizeof ticket};
	struct msghdr message = {.msg_iov = &vector,
	                         .msg_iovlen = 1,
	                         .msg_control = control.bytes,
	                         .msg_controllen = sizeof control.bytes};
	struct cmsghdr *part = CMSG_FIRSTHDR(&message);
	part->cmsg_level = SOL_SOCKET;
	part->cmsg_type = SCM_RIGHTS;
	part->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(part), &job->socket, sizeof job->socket);
	return sendmsg(channel, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof ticket;
}

/* ---- replies that need no heap ------------------------------------------------------------- */

/* X(NAME, status, "text") */
#define LAST_WORDS(X)                                                                              \
	X(BUSY, BUSY, "analyser: too many programs at once; try again")                            \
	X(DEPTH, LIMIT, "program: nested too deeply to be parsed")                                 \
	X(MEMORY, LIMIT,                                                                           \
	  "program: too large or too deep to be parsed, or it breaks the front-end")               \
	X(CRASH, INTERNAL, "program: the compiler front-end crashed on it")                        \
	X(WORK, LIMIT, "program: too much work to analyse; split it into smaller programs")        \
	X(TIME, TIMEOUT,                                                                           \
	  "program: its analysis took too long; split it, or try again when the machine is less "  \
	  "busy")

enum last_words {
#define X(name, status, text) LAST_##name,
	LAST_WORDS(X)
#undef X
	        LAST_COUNT
};

static struct {
	uint8_t *bytes;
	size_t size;
} last_frames[LAST_COUNT];

static bool last_frame_pack(enum last_words which, enum status status, const char *text)
{
	Predictd__Error error = PREDICTD__ERROR__INIT;
	Predictd__AnalyserReply reply = PREDICTD__ANALYSER_REPLY__INIT;
	error.status = (uint32_t)status;
	error.text = (char *)text; /* packed, not kept */
	reply.error = &error;
	return frame_pack(&reply.base, &last_frames[which].bytes, &last_frames[which].size);
}

/* Where the heap is that the front-end fills; set in the zygote. */
static uintptr_t heap_begin;

/* What the handlers see; set before any hostile byte is read. */
static volatile sig_atomic_t reply_socket = -1;
static uintptr_t stack_top;

static void last_frame_send(int socket, enum last_words which)
{
	(void)send(socket, last_frames[which].bytes, last_frames[which].size,
	           MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* The stack ends in a guard that a fault near it has touched. */
static bool is_stack(const void *address)
{
	const uintptr_t slack = 1 << 20;
	uintptr_t fault = (uintptr_t)address;
	return fault < stack_top && stack_top - fault < JAIL_STACK_BYTES + slack &&
	       stack_top - fault > JAIL_STACK_BYTES - slack;
}

/* abort() may not signal in the jail, and goes on to a privileged instruction. */
static bool is_abort(int number, const siginfo_t *info)
{
	return number == SIGSEGV && info->si_code == SI_KERNEL && info->si_addr == NULL;
}

static void on_fatal_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	int socket = reply_socket;
	if (socket >= 0) {
		enum last_words which = LAST_CRASH;
		if (number == SIGALRM)
			which = LAST_TIME;
		else if (number == SIGPROF || number == SIGXCPU)
			which = LAST_WORK;
		else if (number == SIGABRT || is_abort(number, info))
			which = LAST_MEMORY;
		else if (number == SIGSEGV && info->si_code > 0 && is_stack(info->si_addr))
			which = LAST_DEPTH;
		ssize_t written = write(socket, last_frames[which].bytes, last_frames[which].size);
		(void)written;
	}
	_exit(1);
}

/* It works for long: others go first from here on. */
static void on_long_work(int number)
{
	(void)number;
	int kept = errno;
	scheduling_background(WORKER_NICE);
	errno = kept;
}

static bool signals_prepare(void)
{
	static uint8_t stack[64 << 10];
	static const int numbers[] = {SIGSEGV, SIGBUS,  SIGILL,  SIGFPE, SIGABRT,
	                              SIGTRAP, SIGALRM, SIGPROF, SIGXCPU};
	if (sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL) != 0)
		return false;
	struct sigaction action = {.sa_sigaction = on_fatal_signal,
	                           .sa_flags = SA_SIGINFO | SA_ONSTACK};
	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		bool is_clock =
		        numbers[i] == SIGALRM || numbers[i] == SIGPROF || numbers[i] == SIGXCPU;
		if (JAIL_SANITIZED && !is_clock)
			continue; /* the sanitizer has its own */
		if (sigaction(numbers[i], &action, NULL) != 0)
			return false;
	}
	struct sigaction later = {.sa_handler = on_long_work, .sa_flags = SA_RESTART | SA_ONSTACK};
	if (sigaction(SIGVTALRM, &later, NULL) != 0)
		return false;
	sigset_t none;
	sigemptyset(&none);
	return sigprocmask(SIG_SETMASK, &none, NULL) == 0;
}

/* ---- the program --------------------------------------------------------------------------- */

/* Touches the parser, the builder and the codec as most kernels will. */
static const char sample_source[] =
        "float half_of(float x) { return x * 0.5f; }\n"
        "__kernel void sample(__global const float *a, __global float4 *b, __local float *c,\n"
        "                     const uint n) {\n"
        "  uint i = get_global_id(0);\n"
        "  float sum = 0.0f;\n"
        "  for (uint k = 0; k < n; k++)\n"
        "    sum += sqrt(a[i * n + k]);\n"
        "  c[get_local_id(0)] = half_of(sum);\n"
        "  barrier(CLK_LOCAL_MEM_FENCE);\n"
        "  if (i < n)\n"
        "    b[i].xy += c[0];\n"
        "}\n";

/* A reply on its way to the asker; ends the process when he has gone. */
static void reply_send(int socket, const uint8_t *frame, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t written = write(socket, frame + done, size - done);
		if (written < 0 && errno != EINTR)
			_exit(1);
		done += written > 0 ? (size_t)written : 0;
	}
}

/* Packs what was found; socket >= 0: and sends it. is_last: the process ends with it. */
static enum status kernels_answer(struct ir_kernel *const *kernels, size_t count, int socket,
                                  bool is_last, Predictd__AnalyserReply *reply, struct error *error)
{
	uint8_t *frame = NULL;
	size_t size = 0;
	reply->kernels = calloc(count + 1, sizeof *reply->kernels);
	if (reply->kernels == NULL)
		return error_set(error, STATUS_NO_MEMORY, "program: no memory for its kernels");
	for (; reply->n_kernels < count; reply->n_kernels++) {
		reply->kernels[reply->n_kernels] = ir_encode(kernels[reply->n_kernels]);
		if (reply->kernels[reply->n_kernels] == NULL)
			return error_set(error, STATUS_NO_MEMORY,
			                 "program: no memory for its kernels");
	}
	if (!frame_pack(&reply->base, &frame, &size))
		return error_set(error, STATUS_LIMIT,
		                 "program: its %zu kernels are too large together", count);
	if (socket >= 0) {
		reply_socket = -1; /* from here on, a handler would write into the reply */
		reply_send(socket, frame, size);
		if (is_last)
			_exit(0); /* nothing is worth freeing */
	}
	free(frame);
	return STATUS_OK;
}

/* Analyses a program and answers it; the reply and its kernels end here. */
static enum status program_answer(const struct frontend_program *program, int socket, bool is_last,
                                  struct frontend_report *report, struct error *error)
{
	Predictd__AnalyserReply reply = PREDICTD__ANALYSER_REPLY__INIT;
	struct ir_kernel **kernels = NULL;
	size_t count = 0;
	enum status status = frontend_analyse(program, &kernels, &count, report, error);
	if (status != STATUS_OK)
		return status;
	reply.note = report->note;
	reply.language = report->language;
	reply.undefined = report->undefined;
	reply.left_out = report->left_out;
	status = kernels_answer(kernels, count, socket, is_last, &reply, error);
	for (size_t i = 0; i < reply.n_kernels; i++)
		predictd__ir_kernel__free_unpacked(reply.kernels[i], NULL);
	free(reply.kernels);
	frontend_free(kernels, count);
	return status;
}

static enum status sample_analyse(const char *source, struct error *error)
{
	struct frontend_program program = {
	        .name = "sample.cl", .source = source, .source_bytes = strlen(source)};
	struct frontend_report report;
	return program_answer(&program, -1, false, &report, error);
}

/* A sample of some hundred lines: the heap grows to what such a program takes, and stays so. */
static enum status heap_grow(struct error *error)
{
	enum { FUNCTIONS = 24, FUNCTION_BYTES = 320 };
	static const char format[] = "float f%u(__global const float *a, float x, int n) {\n"
	                             "  float sum = x * 3.0f;\n"
	                             "  for (int k = 0; k < n; k++) {\n"
	                             "    float y = a[(k * 3) & 1023] - x;\n"
	                             "    if (y > 0.5f) sum += y * y; else sum -= sqrt(y);\n"
	                             "  }\n"
	                             "  return sum;\n"
	                             "}\n";
	char source[FUNCTIONS * FUNCTION_BYTES + 2048];
	size_t size = 0;
	for (unsigned i = 0; i < FUNCTIONS; i++)
		size += (size_t)snprintf(source + size, sizeof source - size, format, i);
	size += (size_t)snprintf(source + size, sizeof source - size,
	                         "__kernel void sample(__global float *a) {\n  float x = 0;\n");
	for (unsigned i = 0; i < FUNCTIONS; i++)
		size += (size_t)snprintf(source + size, sizeof source - size,
		                         "  x += f%u(a, x, 4);\n", i);
	(void)snprintf(source + size, sizeof source - size, "  a[0] = x;\n}\n");
	return sample_analyse(source, error);
}

/* Copies the heap that a child shares with the zygote, at once rather than page by page. */
static void heap_copy(void)
{
#if !JAIL_SANITIZED
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = heap_begin & ~(page - 1), end = (uintptr_t)sbrk(0) & ~(page - 1);
	if (begin < end)
		(void)madvise((void *)begin, end - begin, MADV_POPULATE_WRITE);
#endif
}

enum status worker_prepare(struct error *error)
{
	heap_begin = (uintptr_t)sbrk(0);
#define X(name, status, text)                                                                      \
	if (!last_frame_pack(LAST_##name, STATUS_##status, text))                                  \
		return error_set(error, STATUS_NO_MEMORY, "replies: no memory");
	LAST_WORDS(X)
#undef X
	enum status status = frontend_warm_up(error);
	if (status == STATUS_OK)
		status = heap_grow(error);
	return status == STATUS_OK ? sample_analyse(sample_source, error) : status;
}

void worker_refuse(int socket)
{
	last_frame_send(socket, LAST_BUSY);
}

static enum status request_read(int socket, uint32_t deadline_ms,
                                Predictd__AnalyserRequest **request, struct error *error)
{
	uint8_t *bytes = NULL;
	size_t size = 0;
	int failure = frame_read(socket, FRAME_BYTES_MAX, (int)deadline_ms, &bytes, &size);
	if (failure == EPIPE)
		_exit(0); /* the asker has gone */
	if (failure != 0)
		return error_set(error,
		                 failure == EMSGSIZE    ? STATUS_LIMIT
		                 : failure == ETIMEDOUT ? STATUS_TIMEOUT
		                                        : STATUS_CORRUPT,
		                 "program: its message cannot be read: %s", strerror(failure));
	Predictd__AnalyserRequest *message = predictd__analyser_request__unpack(NULL, size, bytes);
	free(bytes);
	if (message == NULL || message->program == NULL)
		return error_set(error, STATUS_CORRUPT, "program: %zu bytes that are no message",
		                 size);
	const Predictd__Program *program = message->program;
	if (program->source.len > FRONTEND_SOURCE_MAX)
		return error_set(error, STATUS_LIMIT, "program: want at most %d bytes, have %zu",
		                 FRONTEND_SOURCE_MAX, program->source.len);
	if (program->n_headers > FRONTEND_HEADERS_MAX)
		return error_set(error, STATUS_LIMIT, "headers: want at most %d, have %zu",
		                 FRONTEND_HEADERS_MAX, program->n_headers);
	*request = message;
	return STATUS_OK;
}

static struct itimerval once_after(uint64_t time_us)
{
	if (time_us == 0)
		time_us = 1; /* 0 would be never */
	return (struct itimerval){.it_value = {.tv_sec = (time_t)(time_us / 1000000),
	                                       .tv_usec = (suseconds_t)(time_us % 1000000)}};
}

/*
 * The deadline is of the time that the asker waits. Processor time runs out before it on a
 * machine that is idle, so that what a program is refused for does not hang on others' work.
 */
static void clocks_start(uint32_t deadline_ms, bool is_background)
{
	uint64_t deadline_us = (uint64_t)deadline_ms * 1000;
	struct itimerval wait = once_after(deadline_us);
	struct itimerval work = once_after(deadline_us * WORKER_SHARE_PERCENT / 100);
	(void)setitimer(ITIMER_REAL, &wait, NULL);
	(void)setitimer(ITIMER_PROF, &work, NULL);
	if (!is_background) {
		struct itimerval long_work = once_after(WORKER_LONG_US);
		(void)setitimer(ITIMER_VIRTUAL, &long_work, NULL);
	}
}

static void error_answer(int socket, enum status status, const struct frontend_report *report,
                         struct error *error)
{
	Predictd__Error failure = PREDICTD__ERROR__INIT;
	Predictd__AnalyserReply reply = PREDICTD__ANALYSER_REPLY__INIT;
	text_clean(error->text);
	failure.status = (uint32_t)status;
	failure.text = error->text;
	reply.error = &failure;
	reply.header = (char *)report->header;
	reply.header_from = (char *)report->header_from;
	reply_socket = -1;
	if (frame_write(socket, &reply.base) != 0)
		_exit(1);
}

/*
 * One variant after the other, each within a time of its own. What may come of those before it
 * (memory that ends, a front-end that breaks) ends the process without a word, and so does a time
 * that is over: the daemon has that variant analysed by another child, alone.
 */
static _Noreturn void variants_answer(struct frontend_program *program, char *const *options,
                                      size_t count, const struct worker_job *job)
{
	uint32_t each_ms = job->deadline_ms / (uint32_t)count;
	reply_socket = -1;
	for (size_t i = 0; i < count; i++) {
		struct frontend_report report = {.header = ""};
		struct error error = {0};
		program->options = options[i];
		clocks_start(each_ms, job->is_background);
		enum status status = program_answer(program, job->socket, false, &report, &error);
		if (status == STATUS_NO_MEMORY || status == STATUS_INTERNAL)
			_exit(1);
		if (status != STATUS_OK)
			error_answer(job->socket, status, &report, &error);
	}
	_exit(0);
}

/* Returns only what went wrong. */
static enum status job_answer(const struct worker_job *job, struct frontend_report *report,
                              struct error *error)
{
	Predictd__AnalyserRequest *request = NULL;
	Predictd__Language *profile = NULL;
	struct frontend_language language;
	enum status status = request_read(job->socket, job->deadline_ms, &request, error);
	if (status != STATUS_OK)
		return status;
	if (request->language.len > 0) {
		status = language_unpack(request->language.data, request->language.len, &profile,
		                         error);
		if (status == STATUS_OK && !profile_language(profile, &language))
			status = error_set(error, STATUS_NO_MEMORY, "language: no memory");
		if (status != STATUS_OK)
			return status;
	}
	const Predictd__Program *message = request->program;
	struct frontend_header headers[FRONTEND_HEADERS_MAX];
	for (size_t i = 0; i < message->n_headers; i++)
		headers[i] = (struct frontend_header){
		        .name = message->headers[i]->name,
		        .text = (const char *)message->headers[i]->text.data,
		        .bytes = message->headers[i]->text.len,
		};
	struct frontend_program program = {
	        .name = message->name,
	        .source = message->source.len > 0 ? (const char *)message->source.data : "",
	        .source_bytes = message->source.len,
	        .options = message->options,
	        .headers = headers,
	        .header_count = message->n_headers,
	        .language = profile != NULL ? &language : NULL,
	};
	if (request->n_variants > 0)
		variants_answer(&program, request->variants, request->n_variants, job);
	return program_answer(&program, job->socket, true, report, error);
}

static bool is_awaited(int channel)
{
	return poll(&(struct pollfd){.fd = channel, .events = POLLIN}, 1, 0) == 1;
}

_Noreturn void worker_run(int channel, pid_t parent)
{
	struct error error = {0};
	struct worker_job job;
	int local = 0;
	stack_top = (uintptr_t)&local;
	if (!signals_prepare() || !jail_enter_child() || getppid() != parent)
		_exit(1);
	/* a parse by this very process: the pages that it copies now need no copying later */
	if (!is_awaited(channel))
		heap_copy();
	if (!is_awaited(channel) && sample_analyse(sample_source, &error) != STATUS_OK)
		_exit(1);
	if (worker_receive(channel, &job) != 1)
		_exit(1);
	close(channel);
	reply_socket = job.socket;
	jail_limit_cpu(job.deadline_ms / 1000); /* which no handler can hold up */
	clocks_start(job.deadline_ms, job.is_background);

	struct frontend_report report = {.header = ""};
	enum status status = job_answer(&job, &report, &error);
	error_answer(job.socket, status, &report, &error);
	_exit(0);
}
