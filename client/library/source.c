/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel's source and the headers that it includes, read with the caller's rights.
 * The daemon opens no file: headers travel along under the name that the include
 * directive reaches them by. A directive in a dead branch may name a header that does
 * not exist; so one that is not found is left out, and the analysis says if it was needed.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/library/error.h"

enum {
	SOURCE_BYTES_MAX = 16 << 20, /* of the source and its headers, in all */
	SOURCE_HEADERS_MAX = 256,
	SOURCE_DEPTH_MAX = 32,
	SOURCE_FOLDERS_MAX = 64,
	SOURCE_PATH_MAX = 4096
};

/* What predictd_source_load gives: the public part first. */
struct loaded {
	predictd_source source;
	char *name, *text, *options;
	char *file;   /* as it was asked for */
	size_t bytes; /* of all texts */
	char *folders[SOURCE_FOLDERS_MAX];
	size_t folder_count;
	predictd_header headers[SOURCE_HEADERS_MAX];
	char *paths[SOURCE_HEADERS_MAX]; /* where headers[i] was found */
	size_t header_count;
};

/* "-" where it stands for standard input. */
static bool is_stream(const char *file)
{
	return strcmp(file, "-") == 0;
}

/* Reads at most `room` bytes. PREDICTD_IO with errno's sentence in the text. */
static predictd_status file_read(const char *path, bool regular_only, size_t room, char **text,
                                 size_t *size)
{
	predictd_status status = PREDICTD_OK;
	char *bytes = NULL;
	size_t used = 0, capacity = 0;
	int fd;
	if (!regular_only && is_stream(path)) {
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
		path = "standard input";
	} else {
		/* non-blocking: opening a pipe that nobody writes must not hang */
		fd = open(path, O_RDONLY | O_CLOEXEC | (regular_only ? O_NONBLOCK : 0));
	}
	if (fd < 0)
		return error_keep(PREDICTD_IO, "%s: %s", path, strerror(errno));
	struct stat about;
	if (fstat(fd, &about) < 0 || S_ISDIR(about.st_mode) ||
	    (regular_only && !S_ISREG(about.st_mode))) {
		status = error_keep(PREDICTD_IO, "%s: not a file", path);
		goto out;
	}
	for (;;) {
		if (used == capacity) {
			capacity = capacity == 0 ? 16384 : 2 * capacity;
			char *grown = realloc(bytes, capacity + 1);
			if (grown == NULL) {
				status = error_keep(PREDICTD_NO_MEMORY, "%s: no memory", path);
				goto out;
			}
			bytes = grown;
		}
		ssize_t got = read(fd, bytes + used, capacity - used);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			status = error_keep(PREDICTD_IO, "%s: %s", path, strerror(errno));
			goto out;
		}
		if (got == 0)
			break;
		used += (size_t)got;
		if (used > room) {
			status = error_keep(PREDICTD_LIMIT, "%s: source and headers over %d MiB",
			                    path, SOURCE_BYTES_MAX >> 20);
			goto out;
		}
	}
	bytes[used] = '\0';
	*text = bytes;
	*size = used;
	bytes = NULL; /* given */
out:
	free(bytes);
	close(fd);
	return status;
}

/* The folders of -I x and -Ix; quotes as a shell would read them. */
static predictd_status folders_find(struct loaded *loaded, const char *options)
{
	char *word = malloc(strlen(options) + 1);
	if (word == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for options");
	bool wants_folder = false;
	predictd_status status = PREDICTD_OK;
	for (const char *at = options; *at != '\0';) {
		if (isspace((unsigned char)*at)) {
			at++;
			continue;
		}
		size_t length = 0;
		for (char quote = '\0'; *at != '\0'; at++) {
			if (quote == '\0' && isspace((unsigned char)*at))
				break;
			if (*at == quote)
				quote = '\0';
			else if (quote == '\0' && (*at == '"' || *at == '\''))
				quote = *at;
			else
				word[length++] = *at;
		}
		word[length] = '\0';
		const char *folder = wants_folder ? word : NULL;
		wants_folder = folder == NULL && strcmp(word, "-I") == 0;
		if (folder == NULL && !wants_folder && strncmp(word, "-I", 2) == 0)
			folder = word + 2;
		if (folder == NULL || *folder == '\0')
			continue;
		if (loaded->folder_count == SOURCE_FOLDERS_MAX) {
			status = error_keep(PREDICTD_LIMIT, "more than %d -I folders",
			                    SOURCE_FOLDERS_MAX);
			break;
		}
		char *copy = strdup(folder);
		if (copy == NULL) {
			status = error_keep(PREDICTD_NO_MEMORY, "no memory for options");
			break;
		}
		loaded->folders[loaded->folder_count++] = copy;
	}
	free(word);
	return status;
}

/* Skips a comment or a literal that starts at `at`; `at` itself when neither does. */
static const char *skip_opaque(const char *at, const char *end)
{
	if (end - at >= 2 && at[0] == '/' && at[1] == '/') {
		while (at < end && *at != '\n')
			at++;
	} else if (end - at >= 2 && at[0] == '/' && at[1] == '*') {
		for (at += 2; at < end; at++)
			if (end - at >= 2 && at[0] == '*' && at[1] == '/')
				return at + 2;
	} else if (*at == '"' || *at == '\'') {
		char quote = *at++;
		while (at < end && *at != quote && *at != '\n')
			at += *at == '\\' && end - at >= 2 ? 2 : 1;
		if (at < end && *at == quote)
			at++;
	}
	return at;
}

/*
 * The next #include "name" or <name> from *at on; false at the end.
 * A directive is a '#' that only blanks and comments precede on its line.
 */
static bool include_next(const char **at, const char *end, char name[SOURCE_PATH_MAX],
                         bool *is_quoted)
{
	bool starts_line = true;
	const char *p = *at;
	while (p < end) {
		const char *after = skip_opaque(p, end);
		if (after != p) {
			starts_line &= *p == '/';
			p = after;
			continue;
		}
		char c = *p++;
		if (c == '\n') {
			starts_line = true;
			continue;
		}
		if (isspace((unsigned char)c))
			continue;
		if (c != '#' || !starts_line) {
			starts_line = false;
			continue;
		}
		starts_line = false;
		while (p < end && (*p == ' ' || *p == '\t'))
			p++;
		if (end - p < 7 || strncmp(p, "include", 7) != 0)
			continue;
		p += 7;
		while (p < end && (*p == ' ' || *p == '\t'))
			p++;
		if (p == end || (*p != '"' && *p != '<'))
			continue;
		char close = *p++ == '"' ? '"' : '>';
		size_t length = 0;
		while (p + length < end && p[length] != close && p[length] != '\n')
			length++;
		if (p + length == end || p[length] != close || length == 0 ||
		    length >= SOURCE_PATH_MAX)
			continue;
		memcpy(name, p, length);
		name[length] = '\0';
		*is_quoted = close == '"';
		*at = p + length + 1;
		return true;
	}
	*at = end;
	return false;
}

/* The folder part of a path, with its slash; "" when it has none. */
static int folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash == NULL ? 0 : (int)(slash - path + 1);
}

static bool is_file(const char *path)
{
	struct stat about;
	return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/*
 * Where the preprocessor would find `name` from the file `from`: beside it (then it is
 * known by the includer's own name's folder), else in the -I folders. False: nowhere.
 */
static bool header_find(const struct loaded *loaded, const char *from, const char *from_name,
                        const char *name, bool is_quoted, char path[SOURCE_PATH_MAX],
                        char known_as[SOURCE_PATH_MAX])
{
	int length;
	if (name[0] == '/') {
		length = snprintf(path, SOURCE_PATH_MAX, "%s", name);
		(void)snprintf(known_as, SOURCE_PATH_MAX, "%s", name);
		return length < SOURCE_PATH_MAX && is_file(path);
	}
	if (is_quoted) {
		length = snprintf(path, SOURCE_PATH_MAX, "%.*s%s", folder_length(from), from, name);
		int known = snprintf(known_as, SOURCE_PATH_MAX, "%.*s%s", folder_length(from_name),
		                     from_name, name);
		if (length < SOURCE_PATH_MAX && known < SOURCE_PATH_MAX && is_file(path))
			return true;
	}
	(void)snprintf(known_as, SOURCE_PATH_MAX, "%s", name);
	for (size_t i = 0; i < loaded->folder_count; i++) {
		length = snprintf(path, SOURCE_PATH_MAX, "%s/%s", loaded->folders[i], name);
		if (length < SOURCE_PATH_MAX && is_file(path))
			return true;
	}
	return false;
}

static predictd_status headers_load(struct loaded *loaded, const char *from, const char *from_name,
                                    const char *text, size_t size, unsigned depth);

static predictd_status header_load(struct loaded *loaded, const char *path, const char *name,
                                   unsigned depth)
{
	for (size_t i = 0; i < loaded->header_count; i++)
		if (strcmp(loaded->headers[i].name, name) == 0)
			return PREDICTD_OK; /* each once, so a header that includes itself ends */
	if (loaded->header_count == SOURCE_HEADERS_MAX)
		return error_keep(PREDICTD_LIMIT, "%s: more than %d headers", path,
		                  SOURCE_HEADERS_MAX);
	char *text = NULL;
	size_t size = 0;
	predictd_status status =
	        file_read(path, true, SOURCE_BYTES_MAX - loaded->bytes, &text, &size);
	if (status != PREDICTD_OK)
		return status;
	char *own_name = strdup(name), *own_path = strdup(path);
	if (own_name == NULL || own_path == NULL) {
		free(text);
		free(own_name);
		free(own_path);
		return error_keep(PREDICTD_NO_MEMORY, "%s: no memory", path);
	}
	size_t index = loaded->header_count++;
	loaded->headers[index] = (predictd_header){own_name, text, size};
	loaded->paths[index] = own_path;
	loaded->bytes += size;
	return headers_load(loaded, own_path, own_name, text, size, depth);
}

/* The paths of one level of includes: too large for a stack that recursion shares. */
struct include_paths {
	char name[SOURCE_PATH_MAX], path[SOURCE_PATH_MAX], known_as[SOURCE_PATH_MAX];
};

static predictd_status headers_load(struct loaded *loaded, const char *from, const char *from_name,
                                    const char *text, size_t size, unsigned depth)
{
	struct include_paths *paths = malloc(sizeof *paths);
	if (paths == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "%s: no memory", from);
	const char *at = text, *end = text + size;
	bool is_quoted;
	predictd_status status = PREDICTD_OK;
	while (status == PREDICTD_OK && include_next(&at, end, paths->name, &is_quoted)) {
		if (!header_find(loaded, from, from_name, paths->name, is_quoted, paths->path,
		                 paths->known_as))
			continue;
		if (depth == SOURCE_DEPTH_MAX)
			status = error_keep(PREDICTD_LIMIT, "%s: includes nest deeper than %d",
			                    from, SOURCE_DEPTH_MAX);
		else
			status = header_load(loaded, paths->path, paths->known_as, depth + 1);
	}
	free(paths);
	return status;
}

/*
 * A header that the preprocessor named: found from the one that includes it, or from the program;
 * beside it or in -I folders, since nobody says whether it stood in quotes.
 */
static predictd_status loaded_find_header(predictd_source *source, const char *name,
                                          const char *from)
{
	struct loaded *loaded = (struct loaded *)source;
	const char *path = loaded->file, *from_name = loaded->name;
	size_t count = loaded->header_count;
	predictd_status status = PREDICTD_NOT_FOUND;
	for (size_t i = 0; i < count && from[0] != '\0'; i++) {
		if (strcmp(loaded->headers[i].name, from) != 0)
			continue;
		path = loaded->paths[i];
		from_name = loaded->headers[i].name;
	}
	struct include_paths *paths = malloc(sizeof *paths);
	if (paths == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "%s: no memory", name);
	if (header_find(loaded, path, from_name, name, true, paths->path, paths->known_as))
		status = header_load(loaded, paths->path, paths->known_as, 0);
	free(paths);
	/* one that was sent already, and not found, will not be found again */
	if (status == PREDICTD_OK && loaded->header_count == count)
		status = PREDICTD_NOT_FOUND;
	source->header_count = loaded->header_count;
	return status;
}

/* Takes `loaded`, whose text is read and whose folders are known; reads its headers. */
static predictd_status source_finish(struct loaded *loaded, size_t size, predictd_status status,
                                     predictd_source **source)
{
	if (status == PREDICTD_OK)
		status = headers_load(loaded, loaded->file, loaded->name, loaded->text, size, 0);
	loaded->source = (predictd_source){.name = loaded->name,
	                                   .text = loaded->text,
	                                   .size = size,
	                                   .options = loaded->options,
	                                   .headers = loaded->headers,
	                                   .header_count = loaded->header_count,
	                                   .find_header = loaded_find_header};
	if (status == PREDICTD_OK)
		*source = &loaded->source;
	else
		predictd_source_free(&loaded->source);
	return status;
}

predictd_status predictd_source_load(const char *file, const char *options,
                                     predictd_source **source)
{
	error_clear();
	struct loaded *loaded = calloc(1, sizeof *loaded);
	size_t size = 0;
	predictd_status status = PREDICTD_OK;
	if (loaded == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "%s: no memory", file);
	const char *base = file + folder_length(file);
	loaded->name = strdup(is_stream(file) ? "stdin" : base);
	loaded->options = strdup(options != NULL ? options : "");
	loaded->file = strdup(file);
	if (loaded->name == NULL || loaded->options == NULL || loaded->file == NULL)
		status = error_keep(PREDICTD_NO_MEMORY, "%s: no memory", file);
	else
		status = file_read(file, false, SOURCE_BYTES_MAX, &loaded->text, &size);
	loaded->bytes = size;
	if (status == PREDICTD_OK)
		status = folders_find(loaded, loaded->options);
	return source_finish(loaded, size, status, source);
}

/* The text, as a string. */
static char *text_copy(const char *text, size_t size)
{
	char *copy = malloc(size + 1);
	if (copy == NULL)
		return NULL;
	if (size > 0)
		memcpy(copy, text, size);
	copy[size] = '\0';
	return copy;
}

/* Keeps the caller's own header: relative to the working folder, should it include others. */
static predictd_status header_copy(struct loaded *loaded, const predictd_header *header)
{
	if (loaded->header_count == SOURCE_HEADERS_MAX ||
	    header->size > SOURCE_BYTES_MAX - loaded->bytes)
		return error_keep(PREDICTD_LIMIT, "%s: more than %d headers, or over %d MiB",
		                  header->name, SOURCE_HEADERS_MAX, SOURCE_BYTES_MAX >> 20);
	char *name = strdup(header->name), *path = strdup(header->name),
	     *text = text_copy(header->text, header->size);
	if (name == NULL || path == NULL || text == NULL) {
		free(name);
		free(path);
		free(text);
		return error_keep(PREDICTD_NO_MEMORY, "%s: no memory", header->name);
	}
	loaded->paths[loaded->header_count] = path;
	loaded->headers[loaded->header_count++] = (predictd_header){name, text, header->size};
	loaded->bytes += header->size;
	return PREDICTD_OK;
}

predictd_status predictd_source_complete(const predictd_source *given, predictd_source **source)
{
	error_clear();
	if (given->size > SOURCE_BYTES_MAX)
		return error_keep(PREDICTD_LIMIT, "%s: source and headers over %d MiB", given->name,
		                  SOURCE_BYTES_MAX >> 20);
	struct loaded *loaded = calloc(1, sizeof *loaded);
	predictd_status status = PREDICTD_OK;
	if (loaded == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "%s: no memory", given->name);
	loaded->name = strdup(given->name + folder_length(given->name));
	loaded->options = strdup(given->options != NULL ? given->options : "");
	loaded->file = strdup("-"); /* in the working folder */
	loaded->text = text_copy(given->text, given->size);
	loaded->bytes = given->size;
	if (loaded->name == NULL || loaded->options == NULL || loaded->file == NULL ||
	    loaded->text == NULL)
		status = error_keep(PREDICTD_NO_MEMORY, "%s: no memory", given->name);
	for (size_t i = 0; status == PREDICTD_OK && i < given->header_count; i++)
		status = header_copy(loaded, &given->headers[i]);
	if (status == PREDICTD_OK)
		status = folders_find(loaded, loaded->options);
	for (size_t i = 0; status == PREDICTD_OK && i < given->header_count; i++)
		status = headers_load(loaded, loaded->paths[i], loaded->headers[i].name,
		                      loaded->headers[i].text, loaded->headers[i].size, 1);
	return source_finish(loaded, given->size, status, source);
}

void predictd_source_free(predictd_source *source)
{
	if (source == NULL)
		return;
	struct loaded *loaded = (struct loaded *)source;
	for (size_t i = 0; i < loaded->header_count; i++) {
		free((void *)loaded->headers[i].name);
		free((void *)loaded->headers[i].text);
		free(loaded->paths[i]);
	}
	for (size_t i = 0; i < loaded->folder_count; i++)
		free(loaded->folders[i]);
	free(loaded->name);
	free(loaded->text);
	free(loaded->options);
	free(loaded->file);
	free(loaded);
}
