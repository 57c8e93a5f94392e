/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration file, over one table of keys. */
#include "daemon/config.h"

#include "daemon/address.h"
#include "daemon/ini_file.h"
#include "daemon/log.h"

#include <errno.h>
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

static enum status set_key(struct config *config, const char *section, const char *key,
                           const char *value, struct error *error)
{
#define TEXT(in, name, ...)                                                                        \
	if (strcmp(section, #in) == 0 && strcmp(key, #name) == 0)                                  \
		return ini_text(config->name, sizeof config->name, value, error);
#define MODE(in, name, ...)                                                                        \
	if (strcmp(section, #in) == 0 && strcmp(key, #name) == 0)                                  \
		return set_mode(&config->name, value, error);
#define NUMBER(in, name, otherwise, least, most, what)                                             \
	if (strcmp(section, #in) == 0 && strcmp(key, #name) == 0)                                  \
		return ini_number(&config->name, value, least, most, error);
	CONFIG_TABLE(TEXT, MODE, NUMBER)
#undef TEXT
#undef MODE
#undef NUMBER
	return error_set(error, STATUS_INVALID, "%s",
	                 section[0] == '\0' ? "want a section such as [daemon] before it"
	                                    : "unknown key");
}

/* What a text must be, of keys whose texts are not free. */
static enum status check_text(const char *key, const char *value, struct error *error)
{
	struct address address;
	if (strcmp(key, "log_level") == 0)
		return ini_word(value, "error, warning, info or debug", error);
	if (strcmp(key, "durability") == 0)
		return ini_word(value, "process or power", error);
	if (strcmp(key, "at_start") == 0)
		return ini_word(value, "quick, full or never", error);
	if (strcmp(key, "accept") == 0 || strcmp(key, "keep") == 0 || strcmp(key, "names") == 0)
		return ini_word(value, "yes or no", error);
	if (strcmp(key, "listen") == 0 && value[0] != '\0')
		return address_parse(value, &address, error);
	if (strcmp(key, "file") == 0 && value[0] != '\0' && value[0] != '/')
		return error_set(error, STATUS_INVALID, "want an absolute path, got \"%.40s\"",
		                 value);
	return STATUS_OK;
}

static enum status take_key(void *into, const char *section, const char *key, const char *value,
                            struct error *error)
{
	enum status status = set_key(into, section, key, value, error);
	return status == STATUS_OK ? check_text(key, value, error) : status;
}

enum status config_load(struct config *config, const char *path, struct error *error)
{
	struct config read;
	config_init(&read);
	enum status status = ini_load(path, take_key, &read, error);
	if (status == STATUS_OK)
		*config = read;
	return status;
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
