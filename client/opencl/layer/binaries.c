/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of what this process has seen, and a folder with a file a binary, named by its hash. A
 * file that does not check is as if it were not there.
 */
#include "client/opencl/layer/binaries.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "client/opencl/layer/binary_file.h"
#include "client/opencl/layer/intern.h"

enum {
	KNOWN_MAX = 4096,      /* in this process */
	FILE_MAX = 4 << 20,    /* bytes; of a longer source nothing is written */
	FILES_MAX = 1024,      /* in the folder, */
	FOLDER_MAX = 64 << 20, /* bytes in all */
	NAME_BYTES = 24
};

static struct {
	uint64_t hash;
	seen_program *program;
	bool is_written;
} known[KNOWN_MAX];
static size_t known_count, written_count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static uint64_t hash_of(const void *binary, size_t size)
{
	return XXH3_64bits_withSeed(binary, size, size);
}

/* ---- files ------------------------------------------------------------------------------- */

/* The folder, made where it is missing; -1: there is none that is the user's own. */
static int folder_open(bool is_made)
{
	char path[4096];
	struct stat info;
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int length;
	if (cache != NULL && cache[0] == '/')
		length = snprintf(path, sizeof path, "%s", cache);
	else if (home != NULL && home[0] == '/')
		length = snprintf(path, sizeof path, "%s/.cache", home);
	else
		return -1;
	static const char *const parts[] = {"", "/predictd", "/binaries"};
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		if (length < 0 || (size_t)length + sizeof "/predictd" >= sizeof path)
			return -1;
		length += snprintf(path + length, sizeof path - (size_t)length, "%s", parts[i]);
		if (is_made)
			(void)mkdir(path, 0700);
	}
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (folder >= 0 && (fstat(folder, &info) != 0 || info.st_uid != geteuid())) {
		(void)close(folder);
		folder = -1;
	}
	return folder;
}

/* All of a file of ours, with its size; NULL: none. The caller frees it. */
static char *read_file(int folder, const char *name, size_t *size)
{
	struct stat info;
	char *bytes = NULL;
	int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (file < 0)
		return NULL;
	if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
	    info.st_size > 0 && info.st_size <= FILE_MAX &&
	    (bytes = malloc((size_t)info.st_size)) != NULL) {
		*size = (size_t)info.st_size;
		if (read(file, bytes, *size) != info.st_size) {
			free(bytes);
			bytes = NULL;
		}
	}
	(void)close(file);
	return bytes;
}

static bool write_all(int file, const void *bytes, size_t size)
{
	for (const char *at = bytes; size > 0;) {
		const ssize_t written = write(file, at, size);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		at += written;
		size -= (size_t)written;
	}
	return true;
}

static void write_file(int folder, uint64_t hash, const seen_program *program)
{
	char name[NAME_BYTES], temporary[NAME_BYTES + 16];
	const struct binary_file content = {program->options, program->text, program->size};
	size_t size = 0;
	if (program->size > FILE_MAX)
		return;
	char *bytes = binary_file_make(&content, hash, &size);
	(void)snprintf(name, sizeof name, "%016" PRIx64, hash);
	(void)snprintf(temporary, sizeof temporary, ".%s.%ld", name, (long)getpid());
	int file = bytes == NULL || size > FILE_MAX
	                   ? -1
	                   : openat(folder, temporary,
	                            O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (file >= 0) {
		const bool is_whole = write_all(file, bytes, size);
		(void)close(file);
		if (!is_whole || renameat(folder, temporary, folder, name) != 0)
			(void)unlinkat(folder, temporary, 0);
	}
	free(bytes);
}

/* ---- bounds -------------------------------------------------------------------------------- */

struct aged {
	char name[NAME_BYTES + 16];
	struct timespec at;
	uint64_t size;
};

static int older_first(const void *a, const void *b)
{
	const struct aged *one = a, *two = b;
	if (one->at.tv_sec != two->at.tv_sec)
		return one->at.tv_sec < two->at.tv_sec ? -1 : 1;
	return (one->at.tv_nsec > two->at.tv_nsec) - (one->at.tv_nsec < two->at.tv_nsec);
}

/* At most 4 times as many files are looked at as there may be: the rest goes by the next process.
 */
static void bound_folder(int folder)
{
	struct stat info;
	uint64_t total = 0;
	size_t count = 0;
	struct aged *files = calloc(4 * FILES_MAX, sizeof *files);
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = copy < 0 ? NULL : fdopendir(copy);
	if (list == NULL && copy >= 0)
		(void)close(copy);
	const struct dirent *entry;
	while (list != NULL && files != NULL && count < 4 * FILES_MAX &&
	       (entry = readdir(list)) != NULL) {
		if (strlen(entry->d_name) >= sizeof files->name ||
		    fstatat(folder, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
		    !S_ISREG(info.st_mode))
			continue;
		(void)strcpy(files[count].name, entry->d_name);
		files[count].at = info.st_mtim;
		files[count].size = (uint64_t)info.st_size;
		total += files[count++].size;
	}
	if (count > 0)
		qsort(files, count, sizeof *files, older_first);
	for (size_t i = 0; i < count && (count - i > FILES_MAX || total > FOLDER_MAX); i++) {
		(void)unlinkat(folder, files[i].name, 0);
		total -= files[i].size;
	}
	if (list != NULL)
		(void)closedir(list);
	free(files);
}

/* ---- what is known ------------------------------------------------------------------------- */

static seen_program *known_find(uint64_t hash)
{
	for (size_t i = 0; i < known_count; i++)
		if (known[i].hash == hash)
			return known[i].program;
	return NULL;
}

static void known_add(uint64_t hash, seen_program *program, bool is_written)
{
	(void)pthread_mutex_lock(&mutex);
	if (known_find(hash) == NULL && known_count < KNOWN_MAX) {
		known[known_count].hash = hash;
		known[known_count].program = program;
		known[known_count++].is_written = is_written;
	}
	(void)pthread_mutex_unlock(&mutex);
}

seen_program *binaries_find(const void *binary, size_t size)
{
	char name[NAME_BYTES];
	struct binary_file source;
	size_t file_size = 0;
	if (layer_wanted != LAYER_ALL || binary == NULL || size == 0)
		return NULL;
	const uint64_t hash = hash_of(binary, size);
	(void)pthread_mutex_lock(&mutex);
	seen_program *program = known_find(hash);
	(void)pthread_mutex_unlock(&mutex);
	int folder = program != NULL ? -1 : folder_open(false);
	if (folder < 0)
		return program;
	(void)snprintf(name, sizeof name, "%016" PRIx64, hash);
	char *bytes = read_file(folder, name, &file_size);
	if (bytes != NULL && binary_file_parse(bytes, file_size, hash, &source)) {
		program = intern_program(SEEN_SOURCE, source.text, source.size, source.options,
		                         NULL, 0);
		if (program != NULL)
			known_add(hash, program, true);
	}
	free(bytes);
	(void)close(folder);
	return program;
}

void binaries_remember(const void *binary, size_t size, seen_program *program)
{
	known_add(hash_of(binary, size), program, program->header_count > 0);
}

void binaries_write(void)
{
	int folder = -1;
	for (;;) {
		(void)pthread_mutex_lock(&mutex);
		while (written_count < known_count && known[written_count].is_written)
			written_count++;
		const bool has = written_count < known_count;
		const uint64_t hash = has ? known[written_count].hash : 0;
		const seen_program *program = has ? known[written_count].program : NULL;
		written_count += has;
		(void)pthread_mutex_unlock(&mutex);
		if (!has || (folder < 0 && (folder = folder_open(true)) < 0))
			break;
		write_file(folder, hash, program);
	}
	if (folder < 0)
		return;
	bound_folder(folder);
	(void)close(folder);
}

void binaries_forget(void)
{
	mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	known_count = written_count = 0;
}
