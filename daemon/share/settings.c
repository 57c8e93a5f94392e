/* SPDX-License-Identifier: Apache-2.0 */
/* share.conf, over one table of keys. */
#include "daemon/share/settings.h"

#include "daemon/ini_file.h"

#include <libpq-fe.h>
#include <stdio.h>
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

static enum status take_key(void *into, const char *section, const char *key, const char *value,
                            struct error *error)
{
	struct settings *settings = into;
	if (strcmp(section, "share") != 0)
		return error_set(error, STATUS_INVALID, "want the section [share] before it");
	if (strcmp(key, "names") == 0 && ini_word(value, "yes or no", error) != STATUS_OK)
		return STATUS_INVALID;
	if (strcmp(key, "server") == 0 && check_server(value, error) != STATUS_OK)
		return STATUS_INVALID;
#define TEXT(name, ...)                                                                            \
	if (strcmp(key, #name) == 0)                                                               \
		return ini_text(settings->name, sizeof settings->name, value, error);
#define NUMBER(name, otherwise, least, most, ...)                                                  \
	if (strcmp(key, #name) == 0)                                                               \
		return ini_number(&settings->name, value, least, most, error);
	SETTINGS_TABLE(TEXT, NUMBER)
#undef TEXT
#undef NUMBER
	return error_set(error, STATUS_INVALID, "unknown key");
}

enum status settings_load(struct settings *settings, const char *path, struct error *error)
{
	struct settings read;
	settings_init(&read);
	enum status status = ini_load(path, take_key, &read, error);
	if (status == STATUS_OK)
		*settings = read;
	return status;
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
