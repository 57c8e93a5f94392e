/* SPDX-License-Identifier: Apache-2.0 */
/* The sockets that the daemon listens on. */
#include "daemon/serve/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

static enum status take_passed(int count, char **names, int *fds, unsigned room, unsigned *taken,
                               int *metrics, struct error *error)
{
	for (int i = 0; i < count; i++) {
		int fd = SD_LISTEN_FDS_START + i;
		if (*metrics < 0 && strcmp(names[i], "metrics") == 0) {
			*metrics = fd;
			continue;
		}
		if (*taken == room)
			return error_set(error, STATUS_INVALID,
			                 "want at most %u sockets passed, got %d", room, count);
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
	mode_t mode = geteuid() == 0 ? 0755 : 0700;
	if (mkdir(directory, mode) != 0)
		return errno == EEXIST
		               ? STATUS_OK
		               : error_set(error, STATUS_IO, "%s: %s", directory, strerror(errno));
	/* whatever the umask */
	if (chmod(directory, mode) != 0)
		return error_set(error, STATUS_IO, "%s: mode %04o: %s", directory, mode,
		                 strerror(errno));
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

/*
 * Of two daemons that find the socket of a third, dead one, the second would remove the
 * first's; and one that is bound does not answer before it listens. So each holds a lock
 * beside its socket. The file stays: to remove it would race with who opens it.
 */
static enum status lock_path(const char *path, int *result, struct error *error)
{
	char file[PATH_MAX];
	if (snprintf(file, sizeof file, "%s.lock", path) >= (int)sizeof file)
		return error_set(error, STATUS_INVALID, "%.100s...: path too long", path);
	int fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return error_set(error, STATUS_IO, "%s: %s", file, strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		int failure = errno;
		close(fd);
		if (failure == EWOULDBLOCK)
			return error_set(error, STATUS_BUSY,
			                 "%s: another predictd has it; end it, or use --socket "
			                 "PATH here and PREDICTD_SOCKET=PATH for clients",
			                 path);
		return error_set(error, STATUS_IO, "%s: %s", file, strerror(failure));
	}
	*result = fd;
	return STATUS_OK;
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
                               int *lock, struct error *error)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(path);
	if (length == 0)
		return error_set(error, STATUS_INVALID,
		                 "socket: no path is known: XDG_RUNTIME_DIR is not set; set it, "
		                 "or use --socket PATH here and PREDICTD_SOCKET=PATH for "
		                 "clients");
	if (length >= sizeof address.sun_path)
		return error_set(error, STATUS_INVALID,
		                 "%.100s...: want at most %zu bytes, got %zu", path,
		                 sizeof address.sun_path - 1, length);
	memcpy(address.sun_path, path, length + 1);
	enum status status = make_directory(path, error);
	if (status != STATUS_OK)
		return status;
	int held = -1, fd = -1;
	status = lock_path(path, &held, error);
	if (status != STATUS_OK)
		return status;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0) {
		status = error_set(error, STATUS_IO, "socket: %s", strerror(errno));
		goto out;
	}
	/* nobody else connects before mode and group are as configured */
	mode_t before = umask(0177);
	status = bind_path(fd, path, &address, error);
	(void)umask(before);
	if (status != STATUS_OK)
		goto out;
	status = set_access(path, config, error);
	if (status != STATUS_OK) {
		(void)unlink(path);
		goto out;
	}
	*result = fd;
	*lock = held;
	fd = held = -1; /* the caller's now */
out:
	if (fd >= 0)
		close(fd);
	if (held >= 0)
		close(held);
	return status;
}

enum status listener_open(const char *path, const struct config *config, int *fds, unsigned room,
                          unsigned *count, int *lock, int *metrics, struct error *error)
{
	*count = 0;
	*lock = -1;
	*metrics = -1;
	char **names = NULL;
	int passed = sd_listen_fds_with_names(1, &names);
	if (passed < 0)
		return error_set(error, STATUS_INVALID, "LISTEN_FDS: %s", strerror(-passed));
	enum status taken = passed == 0
	                            ? STATUS_OK
	                            : take_passed(passed, names, fds, room, count, metrics, error);
	for (int i = 0; names != NULL && i < passed; i++)
		free(names[i]);
	free(names);
	if (taken != STATUS_OK || *count > 0)
		return taken;
	enum status status = make_socket(path, config, &fds[0], lock, error);
	if (status == STATUS_OK)
		*count = 1;
	return status;
}
