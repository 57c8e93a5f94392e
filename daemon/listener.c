/* SPDX-License-Identifier: Apache-2.0 */
/* The sockets that the daemon listens on. */
#include "daemon/listener.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

static enum status take_passed(int count, int *fds, unsigned room, unsigned *taken,
                               struct error *error)
{
	if ((unsigned)count > room)
		return error_set(error, STATUS_INVALID, "want at most %u sockets passed, got %d",
		                 room, count);
	for (int i = 0; i < count; i++) {
		int fd = SD_LISTEN_FDS_START + i;
		if (sd_is_socket_unix(fd, SOCK_STREAM, 1, NULL, 0) <= 0)
			return error_set(error, STATUS_INVALID,
			                 "descriptor %d was passed: want a listening Unix stream "
			                 "socket",
			                 fd);
		fds[(*taken)++] = fd;
	}
	return STATUS_OK;
}

static enum status make_directory(const char *path, struct error *error)
{
	char directory[PATH_MAX];
	snprintf(directory, sizeof directory, "%s", path);
	char *slash = strrchr(directory, '/');
	if (slash == NULL || slash == directory)
		return STATUS_OK;
	*slash = '\0';
	/* one level: that of the daemon. Whoever may not enter it may not connect */
	if (mkdir(directory, geteuid() == 0 ? 0755 : 0700) != 0 && errno != EEXIST)
		return error_set(error, STATUS_IO, "%s: %s", directory, strerror(errno));
	return STATUS_OK;
}

/* True when somebody accepts connections there. */
static bool is_answered(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return false;
	bool answered = connect(fd, (const struct sockaddr *)address, sizeof *address) == 0 ||
	                errno == EAGAIN || errno == EINPROGRESS;
	close(fd);
	return answered;
}

static enum status bind_path(int fd, const char *path, const struct sockaddr_un *address,
                             struct error *error)
{
	const struct sockaddr *bound = (const struct sockaddr *)address;
	if (bind(fd, bound, sizeof *address) == 0)
		return STATUS_OK;
	if (errno != EADDRINUSE)
		return error_set(error, STATUS_IO, "%s: %s", path, strerror(errno));
	struct stat there;
	if (is_answered(address))
		return error_set(error, STATUS_BUSY, "%s: another predictd answers there", path);
	if (lstat(path, &there) != 0 || !S_ISSOCK(there.st_mode))
		return error_set(error, STATUS_IO, "%s: is there, and is no socket", path);
	/* left behind by a daemon that was killed */
	if (unlink(path) != 0 || bind(fd, bound, sizeof *address) != 0)
		return error_set(error, STATUS_IO, "%s: %s", path, strerror(errno));
	return STATUS_OK;
}

static enum status set_access(const char *path, const struct config *config, struct error *error)
{
	if (config->socket_group[0] != '\0') {
		const struct group *group = getgrnam(config->socket_group);
		if (group == NULL)
			return error_set(error, STATUS_INVALID, "socket_group: no group \"%s\"",
			                 config->socket_group);
		if (chown(path, (uid_t)-1, group->gr_gid) != 0)
			return error_set(error, STATUS_IO, "%s: group %s: %s", path,
			                 config->socket_group, strerror(errno));
	}
	if (chmod(path, config->socket_mode) != 0)
		return error_set(error, STATUS_IO, "%s: mode %04o: %s", path, config->socket_mode,
		                 strerror(errno));
	return STATUS_OK;
}

static enum status make_socket(const char *path, const struct config *config, int *result,
                               struct error *error)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(path);
	if (length == 0)
		return error_set(error, STATUS_INVALID,
		                 "socket: no path is known: XDG_RUNTIME_DIR is not set; use "
		                 "--socket PATH");
	if (length >= sizeof address.sun_path)
		return error_set(error, STATUS_INVALID,
		                 "%.100s...: want at most %zu bytes, got %zu", path,
		                 sizeof address.sun_path - 1, length);
	memcpy(address.sun_path, path, length + 1);
	enum status status = make_directory(path, error);
	if (status != STATUS_OK)
		return status;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return error_set(error, STATUS_IO, "socket: %s", strerror(errno));
	/* nobody else connects before mode and group are as configured */
	mode_t before = umask(0177);
	status = bind_path(fd, path, &address, error);
	(void)umask(before);
	if (status == STATUS_OK) {
		status = set_access(path, config, error);
		if (status != STATUS_OK)
			(void)unlink(path);
	}
	if (status != STATUS_OK) {
		close(fd);
		return status;
	}
	*result = fd;
	return STATUS_OK;
}

enum status listener_open(const char *path, const struct config *config, int *fds, unsigned room,
                          unsigned *count, bool *is_made, struct error *error)
{
	*count = 0;
	*is_made = false;
	int passed = sd_listen_fds(1);
	if (passed < 0)
		return error_set(error, STATUS_INVALID, "LISTEN_FDS: %s", strerror(-passed));
	if (passed > 0)
		return take_passed(passed, fds, room, count, error);
	enum status status = make_socket(path, config, &fds[0], error);
	if (status == STATUS_OK) {
		*count = 1;
		*is_made = true;
	}
	return status;
}
