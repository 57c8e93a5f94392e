/* SPDX-License-Identifier: Apache-2.0 */
/* StarPU's files of performance models. */
#include "client/predictctl/starpu_files.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "client/predictctl/arguments.h"

/* ---- places ---------------------------------------------------------------------------------- */

static const char *variable(const char *name)
{
	const char *value = getenv(name);
	return value != NULL && value[0] != '\0' ? value : NULL;
}

/* The folder in which StarPU keeps all that it has learnt; the caller frees it. */
static char *folder_find(const char *folder)
{
	static const char *const homes[] = {"STARPU_HOME", "XDG_CACHE_HOME", "HOME"};
	char *found = NULL;
	if (folder == NULL)
		folder = variable("STARPU_PERF_MODEL_DIR");
	if (folder != NULL)
		return strdup(folder);
	for (size_t i = 0; i < sizeof homes / sizeof *homes; i++) {
		const char *home = variable(homes[i]);
		if (home != NULL)
			return asprintf(&found, "%s/.starpu/sampling", home) < 0 ? NULL : found;
	}
	return NULL;
}

/* As StarPU cuts it: a name that is given stays whole. */
static void host_find(const char *host, char name[256])
{
	if (host == NULL)
		host = variable("STARPU_HOSTNAME");
	if (host != NULL) {
		(void)snprintf(name, 256, "%s", host);
		return;
	}
	name[0] = name[255] = '\0';
	if (gethostname(name, 255) == 0)
		name[strcspn(name, ".")] = '\0';
}

bool starpu_files_init(const char *folder, const char *host, const char *symbol,
                       struct starpu_files *files, struct complaint *why)
{
	char name[256];
	*files = (struct starpu_files){0};
	char *found = folder_find(folder);
	host_find(host, name);
	if (found == NULL)
		return refuse(why, "want --dir DIR, or STARPU_HOME or HOME to be set");
	if (name[0] == '\0' || strchr(name, '/') != NULL) {
		free(found);
		return refuse(why, "want a host's name, have '%.60s'", name);
	}
	char *path;
	if (asprintf(&path, "%s/codelets/%d/%s.%s", found, STARPU_MODEL_VERSION, symbol, name) < 0)
		path = NULL;
	free(found);
	bool is_made = path != NULL ? starpu_files_of(path, files, why) : refuse(why, "no memory");
	free(path);
	return is_made;
}

bool starpu_files_of(const char *path, struct starpu_files *files, struct complaint *why)
{
	const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
	/* "" is the working folder, whose neighbour is ../predictd */
	files->model = strdup(path);
	if (asprintf(&files->record, "%.*s../predictd/%s", (int)(name - path), path, name) < 0)
		files->record = NULL;
	if (asprintf(&files->imported, "%.*s../predictd/imported/%s", (int)(name - path), path,
	             name) < 0)
		files->imported = NULL;
	if (files->model != NULL && files->record != NULL && files->imported != NULL)
		return true;
	starpu_files_deinit(files);
	return refuse(why, "no memory");
}

void starpu_files_deinit(struct starpu_files *files)
{
	free(files->model);
	free(files->record);
	free(files->imported);
	*files = (struct starpu_files){0};
}

/* ---- reading --------------------------------------------------------------------------------- */

/* StarPU writes in place, behind such a lock. Without one where the file system has none. */
static bool lock_wait(int fd)
{
	for (int tries = 0; tries < 100; tries++) {
		struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
		const struct timespec pause = {0, 10000000};
		if (fcntl(fd, F_SETLK, &lock) == 0 || (errno != EACCES && errno != EAGAIN))
			return true;
		(void)nanosleep(&pause, NULL);
	}
	return false;
}

/* All of a file; NULL: *why says why. */
static char *file_read(int fd, size_t *size, struct complaint *why)
{
	struct stat status;
	char *text = NULL;
	*size = 0;
	if (fstat(fd, &status) != 0) {
		(void)refuse(why, "%s", strerror(errno));
		return NULL;
	}
	if (!S_ISREG(status.st_mode) || status.st_size > STARPU_FILE_BYTES_MAX) {
		(void)refuse(why, "want a file of at most %d MiB", STARPU_FILE_BYTES_MAX >> 20);
		return NULL;
	}
	size_t room = (size_t)status.st_size;
	text = malloc(room + 1);
	if (text == NULL)
		(void)refuse(why, "no memory");
	while (text != NULL && *size < room) {
		ssize_t got = read(fd, text + *size, room - *size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			(void)refuse(why, "%s", strerror(errno));
			free(text);
			return NULL;
		}
		if (got == 0)
			break;
		*size += (size_t)got;
	}
	return text;
}

bool starpu_model_load(const char *path, bool may_lack, struct starpu_model *model,
                       struct complaint *why)
{
	size_t size;
	bool is_read = false;
	*model = (struct starpu_model){0};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return (may_lack && errno == ENOENT) || refuse(why, "%s", strerror(errno));
	if (!lock_wait(fd)) {
		(void)refuse(why, "another program is writing it");
	} else {
		char *text = file_read(fd, &size, why);
		is_read = text != NULL && starpu_model_parse(text, size, model, why);
		free(text);
	}
	close(fd); /* and the lock with it */
	return is_read;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The folders above a path, with the permissions that StarPU gives them. */
static bool folders_make(char *path)
{
	for (char *at = path + 1; (at = strchr(at, '/')) != NULL; at++) {
		*at = '\0';
		int failed = mkdir(path, 0700);
		*at = '/';
		if (failed != 0 && errno != EEXIST)
			return false;
	}
	return true;
}

static bool model_write(int fd, const struct starpu_model *model)
{
	int own = dup(fd);
	FILE *file = own < 0 ? NULL : fdopen(own, "w");
	if (file == NULL) {
		if (own >= 0)
			close(own);
		return false;
	}
	starpu_model_print(model, file);
	bool is_written = ferror(file) == 0;
	return fclose(file) == 0 && is_written;
}

/* Makes a renaming last. */
static bool folder_sync(const char *path)
{
	char *copy = strdup(path);
	int fd = copy == NULL ? -1 : open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool is_synchronised = fd >= 0 && fsync(fd) == 0;
	if (fd >= 0)
		close(fd);
	free(copy);
	return is_synchronised;
}

bool starpu_model_save(const char *path, const struct starpu_model *model, struct complaint *why)
{
	char *beside = NULL;
	int fd = -1;
	struct stat old;
	bool is_saved = false;
	/* StarPU's list of models shows every file of the folder: this one only for a moment */
	if (asprintf(&beside, "%s.XXXXXX", path) < 0)
		return refuse(why, "no memory");
	mode_t mask = umask(0);
	(void)umask(mask);
	mode_t mode = 0666 & ~mask;
	if (stat(path, &old) == 0)
		mode = old.st_mode & 0777;
	if (!folders_make(beside) || (fd = mkostemp(beside, O_CLOEXEC)) < 0)
		goto out;
	is_saved = model_write(fd, model) && fchmod(fd, mode) == 0 && fsync(fd) == 0 &&
	           rename(beside, path) == 0 && folder_sync(path);
out:
	if (!is_saved)
		(void)refuse(why, "%s", strerror(errno));
	if (!is_saved && fd >= 0)
		(void)unlink(beside);
	if (fd >= 0)
		close(fd);
	free(beside);
	return is_saved;
}
