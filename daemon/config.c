/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration file, by inih, over one table of keys. */
#include "daemon/config.h"

#include "daemon/address.h"
#include "daemon/log.h"

#include <errno.h>
#include <ini.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void config_init(struct config *config)
{
	memset(config, 0, sizeof *config);
#define TEXT(section, key, value, ...)   strcpy(config->key, value);
#define MODE(section, key, value, ...)   config->key = value;
#define NUMBER(section, key, value, ...) config->key = value;
	CONFIG_TABLE(TEXT, MODE, NUMBER)
#undef TEXT
#undef MODE
#undef NUMBER
}

struct reading {
	struct config *config;
	FILE *file;
	int line;           /* being read */
	struct error error; /* the first, and its line */
	int error_line;
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
	if (length >= CONFIG_TEXT_MAX)
		return error_set(error, STATUS_INVALID, "want at most %d bytes, got %zu",
		                 CONFIG_TEXT_MAX - 1, length);
	memcpy(field, value, length + 1);
	return STATUS_OK;
}

static enum status set_mode(uint32_t *field, const char *value, struct error *error)
{
	char *end;
	errno = 0;
	unsigned long mode = strtoul(value, &end, 8);
	if (value[0] < '0' || value[0] > '7' || *end != '\0' || errno != 0 || mode > 0777)
		return error_set(error, STATUS_INVALID, "want octal permissions, got \"%.40s\"",
		                 value);
	*field = (uint32_t)mode;
	return STATUS_OK;
}

static enum status set_number(uint32_t *field, const char *value, uint64_t least, uint64_t most,
                              struct error *error)
{
	char *end;
	errno = 0;
	unsigned long long number = strtoull(value, &end, 10);
	unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
	if (shift > 0)
		end++;
	if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 ||
	    number > UINT64_MAX >> shift || number << shift < least || number << shift > most)
		return error_set(error, STATUS_INVALID,
		                 "want %" PRIu64 " to %" PRIu64 ", got \"%.40s\"", least, most,
		                 value);
	*field = (uint32_t)(number << shift);
	return STATUS_OK;
}

static enum status set_key(struct config *config, const char *section, const char *key,
                           const char *value, struct error *error)
{
#define TEXT(in, name, ...)                                                                        \
	if (strcmp(section, #in) == 0 && strcmp(key, #name) == 0)                                  \
		return set_text(config->name, value, error);
#define MODE(in, name, ...)                                                                        \
	if (strcmp(section, #in) == 0 && strcmp(key, #name) == 0)                                  \
		return set_mode(&config->name, value, error);
#define NUMBER(in, name, otherwise, least, most, what)                                             \
	if (strcmp(section, #in) == 0 && strcmp(key, #name) == 0)                                  \
		return set_number(&config->name, value, least, most, error);
	CONFIG_TABLE(TEXT, MODE, NUMBER)
#undef TEXT
#undef MODE
#undef NUMBER
	return error_set(error, STATUS_INVALID, "%s",
	                 section[0] == '\0' ? "want a section such as [daemon] before it"
	                                    : "unknown key");
}

static int on_key(void *data, const char *section, const char *key, const char *value)
{
	struct reading *reading = data;
	struct error error = {.status = STATUS_OK};
	enum log_level level;
	enum status status = set_key(reading->config, section, key, value, &error);
	if (status == STATUS_OK && strcmp(key, "log_level") == 0 && !log_level_find(value, &level))
		status = error_set(&error, STATUS_INVALID,
		                   "want error, warning, info or debug, got \"%.40s\"", value);
	if (status == STATUS_OK && strcmp(key, "durability") == 0 &&
	    strcmp(value, "process") != 0 && strcmp(value, "power") != 0)
		status = error_set(&error, STATUS_INVALID, "want process or power, got \"%.40s\"",
		                   value);
	if (status == STATUS_OK && strcmp(key, "at_start") == 0 && strcmp(value, "quick") != 0 &&
	    strcmp(value, "full") != 0 && strcmp(value, "never") != 0)
		status = error_set(&error, STATUS_INVALID,
		                   "want quick, full or never, got \"%.40s\"", value);
	bool is_choice =
	        strcmp(key, "accept") == 0 || strcmp(key, "keep") == 0 || strcmp(key, "names") == 0;
	if (status == STATUS_OK && is_choice && strcmp(value, "yes") != 0 &&
	    strcmp(value, "no") != 0)
		status = error_set(&error, STATUS_INVALID, "want yes or no, got \"%.40s\"", value);
	struct address address;
	if (status == STATUS_OK && strcmp(key, "listen") == 0 && value[0] != '\0')
		status = address_parse(value, &address, &error);
	if (status == STATUS_OK && strcmp(key, "file") == 0 && value[0] != '\0' && value[0] != '/')
		status = error_set(&error, STATUS_INVALID, "want an absolute path, got \"%.40s\"",
		                   value);
	if (status != STATUS_OK && reading->error.status == STATUS_OK) {
		reading->error_line = reading->line;
		error_set(&reading->error, status, "[%.24s] %.40s: %.80s", section, key,
		          error.text);
	}
	return status == STATUS_OK;
}

enum status config_load(struct config *config, const char *path, struct error *error)
{
	struct config read;
	struct reading reading = {.config = &read};
	config_init(&read);
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
		/* the first in error: a refused key and a malformed line count alike */
		return error_set(error, STATUS_INVALID, "%.96s:%d: %s", path, line,
		                 reading.error_line == line
		                         ? reading.error.text
		                         : "want \"key = value\" or \"[section]\"");
	*config = read;
	return STATUS_OK;
}

void config_keep_started(struct config *config, const struct config *started)
{
#define X(key) memcpy(&config->key, &started->key, sizeof config->key);
	CONFIG_RESTART_TABLE(X)
#undef X
}

void config_print_defaults(void)
{
#define TEXT(in, key, value, what)                {#in, #key, what, value, 0, false},
#define MODE(in, key, value, what)                {#in, #key, what, NULL, value, true},
#define NUMBER(in, key, value, least, most, what) {#in, #key, what, NULL, value, false},
	static const struct {
		const char *section, *key, *what, *text;
		unsigned number;
		bool is_mode;
	} rows[] = {CONFIG_TABLE(TEXT, MODE, NUMBER)};
#undef TEXT
#undef MODE
#undef NUMBER
	const char *section = "";
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (strcmp(section, rows[i].section) != 0)
			printf("[%s]\n", rows[i].section);
		section = rows[i].section;
		printf("# %s\n#%s = ", rows[i].what, rows[i].key);
		if (rows[i].text != NULL)
			printf("%s\n", rows[i].text);
		else
			printf(rows[i].is_mode ? "%04o\n" : "%u\n", rows[i].number);
	}
}
