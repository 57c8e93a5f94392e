/* SPDX-License-Identifier: Apache-2.0 */
/* The files that have each session of a user, or of the node, load the OpenCL layer. */
#include "client/predictctl/layer_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/predictctl/text.h"

/* Ends the line that is predictd's. */
#define MARK "# predictctl layer"

/* A profile is read whole; nobody's is as long. */
enum { PROFILE_MAX = 1 << 20 };

/* environment  a file of environment.d, predictd's whole
 * profile      what login shells read; of a user his own, which has other lines */
struct files {
	char environment[PATH_MAX], profile[PATH_MAX];
};

bool layer_path_is_plain(const char *layer)
{
	return layer[0] == '/' && layer[strspn(layer, "abcdefghijklmnopqrstuvwxyz"
	                                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                                              "0123456789/._+-@")] == '\0';
}

/* Where the user's profile is: that of bash's three which it reads, the first. */
static bool profile_find(const char *home, char path[PATH_MAX])
{
	static const char *const names[] = {".bash_profile", ".bash_login", ".profile"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (snprintf(path, PATH_MAX, "%s/%s", home, names[i]) >= PATH_MAX)
			return false;
		if (access(path, F_OK) == 0)
			break;
	}
	/* of a link, what it leads to: renaming would make a file of it */
	char *real = realpath(path, NULL);
	if (real != NULL)
		(void)snprintf(path, PATH_MAX, "%s", real);
	free(real);
	return true;
}

static bool files_find(bool is_node, struct files *files)
{
	static const char name[] = "environment.d/60-predictd-layer.conf";
	const char *home = getenv("HOME"), *folder = getenv("XDG_CONFIG_HOME");
	const struct passwd *user = home == NULL || home[0] != '/' ? getpwuid(getuid()) : NULL;
	int size;
	if (is_node) {
		(void)snprintf(files->environment, PATH_MAX, "/etc/%s", name);
		(void)snprintf(files->profile, PATH_MAX, "/etc/profile.d/predictd-layer.sh");
		return true;
	}
	if (user != NULL)
		home = user->pw_dir;
	if (home == NULL || home[0] != '/') {
		complain("layer", "want HOME to name a folder");
		return false;
	}
	if (folder != NULL && folder[0] == '/')
		size = snprintf(files->environment, PATH_MAX, "%s/%s", folder, name);
	else
		size = snprintf(files->environment, PATH_MAX, "%s/.config/%s", home, name);
	if (size >= PATH_MAX || !profile_find(home, files->profile)) {
		complain(home, "%s", strerror(ENAMETOOLONG));
		return false;
	}
	return true;
}

/* The file's text, ended by a 0; that of none is "". NULL: it cannot be read, and that was said. */
static char *text_read(const char *path)
{
	char *text = calloc(1, PROFILE_MAX + 1);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t size = 0, got = 1;
	if (text == NULL || (fd < 0 && errno != ENOENT))
		goto failed;
	while (fd >= 0 && got > 0 && size < PROFILE_MAX) {
		got = read(fd, text + size, (size_t)(PROFILE_MAX - size));
		size += got > 0 ? got : 0;
	}
	if (got < 0)
		goto failed;
	if (size == PROFILE_MAX || strlen(text) != (size_t)size) {
		complain(path, "want a text of less than 1 MiB");
		free(text);
		text = NULL;
	}
	if (fd >= 0)
		(void)close(fd);
	return text;
failed:
	complain(path, "%s", strerror(errno));
	if (fd >= 0)
		(void)close(fd);
	free(text);
	return NULL;
}

/* Takes out the line that ends with the mark. */
static void mark_remove(char *text)
{
	for (char *at = text; *at != '\0';) {
		size_t length = strcspn(at, "\n");
		bool is_marked = length >= strlen(MARK) &&
		                 memcmp(at + length - strlen(MARK), MARK, strlen(MARK)) == 0;
		length += at[length] == '\n';
		if (is_marked)
			memmove(at, at + length, strlen(at + length) + 1);
		else
			at += length;
	}
}

char *layer_profile(const char *before, const char *layer)
{
	char *own = strdup(before), *after = NULL;
	if (own == NULL)
		return NULL;
	mark_remove(own);
	if (layer == NULL)
		return own;
	size_t length = strlen(own);
	const char *end =
	        length > 0 && own[length - 1] != '\n' ? "\n" : ""; /* its last line has none */
	if (asprintf(&after,
	             "%s%scase \":${OPENCL_LAYERS-}:\" in *\":%s:\"*) ;; *) export "
	             "OPENCL_LAYERS=\"%s${OPENCL_LAYERS:+:$OPENCL_LAYERS}\" ;; esac " MARK "\n",
	             own, end, layer, layer) < 0)
		after = NULL;
	free(own);
	return after;
}

/* Makes the folders above a path. */
static void folders_make(const char *path)
{
	char folder[PATH_MAX];
	for (const char *at = strchr(path + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
		(void)snprintf(folder, sizeof folder, "%.*s", (int)(at - path), path);
		(void)mkdir(folder, 0755); /* opening what lies below tells */
	}
}

/* Puts a file in the place of the one before, whole or not at all. An empty one is removed. */
static bool text_replace(const char *path, const char *text)
{
	char temporary[PATH_MAX + 16];
	struct stat before;
	mode_t mode = stat(path, &before) == 0 ? before.st_mode & 07777 : 0644;
	(void)snprintf(temporary, sizeof temporary, "%s.predictctl", path);
	if (text[0] == '\0') {
		if (unlink(path) == 0 || errno == ENOENT)
			return true;
		complain(path, "%s", strerror(errno));
		return false;
	}
	folders_make(path);
	int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	bool is_written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) &&
	                  fchmod(fd, mode) == 0 && fsync(fd) == 0;
	if (fd >= 0)
		is_written = close(fd) == 0 && is_written;
	is_written = is_written && rename(temporary, path) == 0;
	if (!is_written) {
		complain(path, "%s", strerror(errno));
		(void)unlink(temporary);
	}
	return is_written;
}

/* Both files with the layer, or without any for NULL. */
static bool files_set(bool is_node, const char *layer)
{
	char environment[PATH_MAX + 128] = "";
	struct files files;
	if (!files_find(is_node, &files))
		return false;
	char *before = text_read(files.profile);
	if (before == NULL)
		return false;
	if (layer != NULL)
		(void)snprintf(environment, sizeof environment,
		               "# SPDX-License-Identifier: Apache-2.0\n"
		               "OPENCL_LAYERS=%s${OPENCL_LAYERS:+:$OPENCL_LAYERS}\n",
		               layer);
	char *profile = layer_profile(before, layer);
	bool is_set = profile != NULL;
	if (!is_set)
		complain("layer", "no memory");
	else
		is_set = text_replace(files.profile, profile) &&
		         text_replace(files.environment, environment);
	free(before);
	free(profile);
	return is_set;
}

bool layer_files_write(bool is_node, const char *layer)
{
	return files_set(is_node, layer);
}

bool layer_files_remove(bool is_node)
{
	return files_set(is_node, NULL);
}

/* Whether a file of predictd's names the layer. */
static bool text_has(const char *path, const char *layer)
{
	char *text = access(path, R_OK) == 0 ? text_read(path) : NULL;
	const char *at =
	        text != NULL ? strstr(text, layer != NULL ? layer : "libpredictd-layer.so") : NULL;
	free(text);
	return at != NULL;
}

bool layer_files_have(bool is_node, const char *layer)
{
	struct files files;
	return files_find(is_node, &files) && text_has(files.environment, layer) &&
	       text_has(files.profile, layer);
}
