/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An analyser without a front-end: the source says what it does with it.
 * "kernels A B": kernels of those names without arguments, but "data" of a buffer "in"; "large": a
 * reply of some hundred kilobytes; "syntax"; "crash" (no reply); "hang"; "garbage"; "die": the
 * whole analyser ends; "last": it ends as a large reply is on its way; "endless": a reply that says
 * it is longer than any may be. "variants": the options say so. A file beside it,
 * "predictd-analyser.lacks", has its jail lack something.
 */
#include "daemon/codec/ir_codec.h"
#include "model/passes/passes.h"
#include "proto/frame.h"
#include "tests/unit/model/build.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CHANNEL = 3 };

static pid_t analyser; /* the one that forks; a child's parent may be another by now */

static int receive(void)
{
	uint8_t deadline[8];
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = {deadline, sizeof deadline};
	struct msghdr message = {.msg_iov = &part,
	                         .msg_iovlen = 1,
	                         .msg_control = control.bytes,
	                         .msg_controllen = sizeof control.bytes};
	int fd;
	if (recvmsg(CHANNEL, &message, 0) != 4 || CMSG_FIRSTHDR(&message) == NULL)
		return -1;
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
	return fd;
}

static void reply_kernels(int fd, char *names)
{
	Predictd__AnalyserReply reply = PREDICTD__ANALYSER_REPLY__INIT;
	Predictd__IrKernel *kernels[8];
	reply.kernels = kernels;
	for (char *name = strtok(names, " "); name != NULL && reply.n_kernels < 8;
	     name = strtok(NULL, " ")) {
		struct ir_kernel *kernel = kernel_new(name);
		struct error error;
		if (strcmp(name, "data") == 0)
			(void)add_buffer(kernel, "in", SPACE_GLOBAL, FLOAT);
		if (kernel_seal(kernel, &error) != STATUS_OK)
			_exit(1);
		kernels[reply.n_kernels++] = ir_encode(kernel);
	}
	frame_write(fd, &reply.base);
}

/* Kernels without names of their own, in a reply that is decoded off the loop. */
static void reply_large(int fd)
{
	enum { COUNT = 256 };
	Predictd__AnalyserReply reply = PREDICTD__ANALYSER_REPLY__INIT;
	Predictd__IrKernel *kernels[COUNT];
	struct ir_kernel *kernel = kernel_new("large");
	struct error error;
	memset(kernel->unsupported, 'x', sizeof kernel->unsupported - 1);
	if (kernel_seal(kernel, &error) != STATUS_OK)
		_exit(1);
	for (unsigned i = 0; i < COUNT; i++)
		kernels[i] = ir_encode(kernel);
	reply.kernels = kernels;
	reply.n_kernels = COUNT;
	frame_write(fd, &reply.base);
}

static void reply_syntax(int fd)
{
	Predictd__AnalyserReply reply = PREDICTD__ANALYSER_REPLY__INIT;
	Predictd__Error error = PREDICTD__ERROR__INIT;
	error.status = STATUS_SYNTAX;
	error.text = "a.cl:1:1: want a kernel";
	reply.error = &error;
	frame_write(fd, &reply.base);
}

/* Whether the program is to be analysed in a language that a compiler was asked for. */
static bool is_spoken(const Predictd__AnalyserRequest *request)
{
	const Predictd__Language *language =
	        predictd__language__unpack(NULL, request->language.len, request->language.data);
	return language != NULL && language->origin == 1;
}

/* True when the child goes on. */
static bool behave(int fd, const Predictd__AnalyserRequest *request, char *source)
{
	static const char kernels[] = "kernels ";
	if (strncmp(source, kernels, strlen(kernels)) == 0)
		reply_kernels(fd, source + strlen(kernels));
	else if (strncmp(source, "spoken ", 7) == 0 && is_spoken(request))
		reply_kernels(fd, source + 7);
	else if (strncmp(source, "syntax", 6) == 0 || strncmp(source, "spoken ", 7) == 0)
		reply_syntax(fd);
	else if (strncmp(source, "garbage", 7) == 0)
		(void)!write(fd, "\x04\0\0\0\xff\xff\xff\xff", 8);
	else if (strncmp(source, "endless", 7) == 0)
		(void)!write(fd, "\xff\xff\xff\x7f", 4);
	else if (strncmp(source, "die", 3) == 0) {
		kill(analyser, SIGKILL);
		pause(); /* until it ends with it */
	} else if (strncmp(source, "large", 5) == 0)
		reply_large(fd);
	else if (strncmp(source, "last", 4) == 0) {
		reply_large(fd);
		kill(analyser, SIGKILL);
	} else if (strncmp(source, "hang", 4) == 0)
		pause();
	else
		return false; /* "crash" */
	return true;
}

static void work(int fd)
{
	uint8_t *bytes;
	size_t size;
	if (frame_read(fd, FRAME_BYTES_MAX, -1, &bytes, &size) != 0)
		_exit(1);
	const Predictd__AnalyserRequest *request =
	        predictd__analyser_request__unpack(NULL, size, bytes);
	const Predictd__Program *program = request->program;
	char source[256] = "";
	memcpy(source, program->source.data,
	       program->source.len < sizeof source ? program->source.len : sizeof source - 1);
	if (strcmp(source, "variants") == 0)
		(void)snprintf(source, sizeof source, "%s", program->options);
	bool goes_on = true;
	for (size_t i = 0; i < request->n_variants && goes_on; i++)
		goes_on = behave(fd, request, request->variants[i]);
	if (request->n_variants == 0)
		(void)behave(fd, request, source);
	_exit(0);
}

int main(int argc, char **argv)
{
	static const char whole[] = "ready", lacking[] = "ready: no Landlock: told so";
	char beside[PATH_MAX];
	analyser = getpid();
	(void)signal(SIGCHLD, SIG_IGN);
	(void)snprintf(beside, sizeof beside, "%s.lacks", argc > 0 ? argv[0] : "");
	const char *said = access(beside, F_OK) == 0 ? lacking : whole;
	if (send(CHANNEL, said, strlen(said), 0) != (ssize_t)strlen(said))
		return 1;
	int fd;
	while ((fd = receive()) >= 0) {
		if (fork() == 0) {
			close(CHANNEL);
			(void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* "hang" ends with the analyser */
			if (getppid() != analyser)
				_exit(0); /* it ended before that */
			work(fd);
		}
		close(fd);
	}
	return 0;
}
