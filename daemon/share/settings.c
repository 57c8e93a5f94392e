/* SPDX-License-Identifier: Apache-2.0 */
/* share.conf, by inih, over one table of keys. */
#include "daemon/share/settings.h"

#include <errno.h>
#include <ini.h>
#include <inttypes.h>
#include <libpq-fe.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void settings_init(struct settings *settings)
{
	memset(settings, 0, sizeof *settings);
#define TEXT(key, value, ...)   strcpy(settings->key, value);
#define NUMBER(key, value, ...) settings->key = value;
	SETTINGS_TABLE(TEXT, NUMBER)
#undef TEXT
#undef NUMBER
}

struct reading {
	struct settings *settings;
	FILE *file;
	int line, error_line;
	struct error error; /* the first */
};

/* fgets, counting: inih as packaged tells its handler no line. */
static char *read_line(char *text, int room, void *data)
{
	struct reading *reading = data;
	reading->line++;
	return fgets(text, room, reading->file);
}

static enum status set_text(char *field, const char *value, struct error *error)
{
	size_t length = strlen(value);
	if (length >= SETTINGS_TEXT_MAX)
		return error_set(error, STATUS_INVALID, "want at most %d bytes, got %zu",
		                 SETTINGS_TEXT_MAX - 1, length);
	memcpy(field, value, length + 1);
	return STATUS_OK;
}

static enum status set_number(uint32_t *field, const char *value, uint32_t least, uint32_t most,
                              struct error *error)
{
	char *end;
	errno = 0;
	unsigned long number = strtoul(value, &end, 10);
	if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 || number < least ||
	    number > most)
		return error_set(error, STATUS_INVALID,
		                 "want %" PRIu32 " to %" PRIu32 ", got \"%.40s\"", least, most,
		                 value);
	*field = (uint32_t)number;
	return STATUS_OK;
}

/* A connection string that libpq understands, without a password. */
static enum status check_server(const char *value, struct error *error)
{
	char *why = NULL;
	PQconninfoOption *options = PQconninfoParse(value, &why);
	enum status status = STATUS_OK;
	if (options == NULL)
		status =
		        error_set(error, STATUS_INVALID, "%.120s", why != NULL ? why : "no memory");
	for (PQconninfoOption *option = options;
	     option != NULL && option->keyword != NULL && status == STATUS_OK; option++)
		if (option->val != NULL && (strcmp(option->keyword, "password") == 0 ||
		                            strcmp(option->keyword, "sslpassword") == 0))
			status = error_set(error, STATUS_INVALID,
			                   "want no %s here; use passfile= or a certificate",
			                   option->keyword);
	PQconninfoFree(options);
	PQfreemem(why);
	return status;
}

static enum status set_key(struct settings *settings, const char *section, const char *key,
                           const char *value, struct error *error)
{
	if (strcmp(section, "share") != 0)
		return error_set(error, STATUS_INVALID, "want the section [share] before it");
	if (strcmp(key, "names") == 0 && strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
		return error_set(error, STATUS_INVALID, "want yes or no, got \"%.40s\"", value);
	if (strcmp(key, "server") == 0 && check_server(value, error) != STATUS_OK)
		return STATUS_INVALID;
#define TEXT(name, ...)                                                                            \
	if (strcmp(key, #name) == 0)                                                               \
		return set_text(settings->name, value, error);
#define NUMBER(name, otherwise, least, most, ...)                                                  \
	if (strcmp(key, #name) == 0)                                                               \
		return set_number(&settings->name, value, least, most, error);
	SETTINGS_TABLE(TEXT, NUMBER)
#undef TEXT
#undef NUMBER
	return error_set(error, STATUS_INVALID, "unknown key");
}

static int on_key(void *data, const char *section, const char *key, const char *value)
{
	struct reading *reading = data;
	struct error error = {.status = STATUS_OK};
	enum status status = set_key(reading->settings, section, key, value, &error);
	if (status != STATUS_OK && reading->error.status == STATUS_OK) {
		reading->error_line = reading->line;
		error_set(&reading->error, status, "[%.24s] %.40s: %.140s", section, key,
		          error.text);
	}
	return status == STATUS_OK;
}

enum status settings_load(struct settings *settings, const char *path, struct error *error)
{
	struct settings read;
	struct reading reading = {.settings = &read};
	settings_init(&read);
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return error_set(error, errno == ENOENT ? STATUS_NOT_FOUND : STATUS_IO, "%s: %s",
		                 path, strerror(errno));
	reading.file = file;
	int line = ini_parse_stream(read_line, &reading, on_key, &reading);
	bool failed = ferror(file) != 0;
	fclose(file);
	if (failed || line < 0)
		return error_set(error, STATUS_IO, "%s: cannot be read", path);
	if (line > 0)
		return error_set(error, STATUS_INVALID, "%.96s:%d: %.150s", path, line,
		                 reading.error_line == line
		                         ? reading.error.text
		                         : "want \"key = value\" or \"[section]\"");
	*settings = read;
	return STATUS_OK;
}

void settings_print_defaults(void)
{
	puts("[share]");
#define TEXT(key, value, what) printf("# " what "\n#" #key " = " value "\n");
#define NUMBER(key, value, least, most, what)                                                      \
	printf("# " what "; %lld to %lld\n#" #key " = %lld\n", (long long)(least),                 \
	       (long long)(most), (long long)(value));
	SETTINGS_TABLE(TEXT, NUMBER)
#undef TEXT
#undef NUMBER
}
