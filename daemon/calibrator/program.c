/* SPDX-License-Identifier: Apache-2.0 */
/* A user's program: source, options and the headers that came along. */
#include "daemon/calibrator/program.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * #include "../x.h" is honest; the include directory lies this deep in the
 * private one, so that so many steps up stay inside.
 */
enum { DEPTH = 8, HEADERS_MAX = 4096 };
static const char depth_path[] = "/d/d/d/d/d/d/d/d";

/* True when the name, seen from DEPTH directories down, never leaves. */
static bool header_name_is_inside(const char *name)
{
	int depth = DEPTH;
	if (name[0] == '\0' || name[0] == '/')
		return false;
	for (const char *part = name; *part != '\0';) {
		size_t length = strcspn(part, "/");
		if (length == 2 && part[0] == '.' && part[1] == '.')
			depth--;
		else if (length > 0 && !(length == 1 && part[0] == '.'))
			depth++;
		if (depth < 1)
			return false;
		part += length;
		part += *part == '/';
	}
	return true;
}

/* Makes the directories above the file. */
static int make_parents(char *path, size_t from)
{
	for (char *slash = strchr(path + from, '/'); slash != NULL;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		int made = mkdir(path, 0700);
		int failure = made != 0 && errno != EEXIST ? errno : 0;
		*slash = '/';
		if (failure != 0)
			return failure;
	}
	return 0;
}

static int write_file(const char *path, const uint8_t *bytes, size_t size)
{
	int failure = 0;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return errno;
	for (size_t done = 0; done < size && failure == 0;) {
		ssize_t written = write(fd, bytes + done, size - done);
		if (written >= 0)
			done += (size_t)written;
		else if (errno != EINTR)
			failure = errno;
	}
	if (close(fd) != 0 && failure == 0)
		failure = errno;
	return failure;
}

static enum status write_headers(const char *directory, const Predictd__Program *program,
                                 struct error *error)
{
	char path[PATH_MAX];
	if (program->n_headers > HEADERS_MAX)
		return error_set(error, STATUS_LIMIT, "%zu headers: want at most %d",
		                 program->n_headers, HEADERS_MAX);
	(void)snprintf(path, sizeof path, "%s%s/", directory, depth_path);
	int failure = make_parents(path, strlen(directory) + 1);
	for (size_t i = 0; i < program->n_headers && failure == 0; i++) {
		const Predictd__Header *header = program->headers[i];
		if (!header_name_is_inside(header->name))
			return error_set(error, STATUS_INVALID,
			                 "header '%.100s': want a relative name", header->name);
		int length =
		        snprintf(path, sizeof path, "%s%s/%s", directory, depth_path, header->name);
		if (length < 0 || (size_t)length >= sizeof path)
			return error_set(error, STATUS_INVALID, "header '%.100s': name too long",
			                 header->name);
		failure = make_parents(path, strlen(directory) + sizeof depth_path);
		if (failure == 0)
			failure = write_file(path, header->text.data, header->text.len);
	}
	if (failure != 0)
		return error_set(error, STATUS_IO, "%.150s: %s", path, strerror(failure));
	return STATUS_OK;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *at)
{
	(void)status;
	(void)kind;
	(void)at;
	return remove(path);
}

static enum status private_directory(char path[PATH_MAX], struct error *error)
{
	const char *base = getenv("TMPDIR");
	/* a blank would end the -I option */
	if (base == NULL || base[0] != '/' || strpbrk(base, " \t\"'\\") != NULL)
		base = "/tmp";
	int length = snprintf(path, PATH_MAX, "%s/predictd-XXXXXX", base);
	if (length < 0 || length >= PATH_MAX - 64 || mkdtemp(path) == NULL) {
		path[0] = '\0';
		return error_set(error, STATUS_IO, "%.100s: no private directory: %s", base,
		                 strerror(errno));
	}
	return STATUS_OK;
}

enum status program_build(struct opencl *opencl, const Predictd__Program *program, bool with_types,
                          cl_program *built, struct error *error)
{
	char directory[PATH_MAX] = "";
	char *options = NULL;
	const char *given = program->options != NULL ? program->options : "";
	const char *types = with_types ? " -cl-kernel-arg-info" : "";
	enum status status = STATUS_OK;
	int length;
	if (program->n_headers > 0) {
		status = private_directory(directory, error);
		if (status == STATUS_OK)
			status = write_headers(directory, program, error);
		if (status != STATUS_OK)
			goto out;
		length = asprintf(&options, "%s%s -I %s%s", given, types, directory, depth_path);
	} else {
		length = asprintf(&options, "%s%s", given, types);
	}
	if (length < 0) {
		options = NULL;
		status = error_set(error, STATUS_NO_MEMORY, "build options: out of memory");
		goto out;
	}
	status = opencl_build(opencl, (const char *)program->source.data, program->source.len,
	                      options, built, error);
out:
	free(options);
	if (directory[0] != '\0')
		(void)nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	return status;
}
