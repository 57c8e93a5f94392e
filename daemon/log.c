/* SPDX-License-Identifier: Apache-2.0 */
/* The log, to the journal or to standard error. */
#define SD_JOURNAL_SUPPRESS_LOCATION
#include "daemon/log.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-journal.h>
#include <time.h>
#include <unistd.h>

enum { LOG_VALUE_MAX = 256, LOG_FIELDS_MAX = 12, LOG_LINE_MAX = 2048, LOG_FIXED_FIELDS = 4 };
enum { LOG_BURST = 200, LOG_BURST_S = 10 }; /* of one event; debugging wants all */

static const struct {
	const char *word;
	enum log_level level;
	const char *id;
} events[] = {
#define X(name, word, level, id) {word, LOG_LEVEL_##level, id},
        LOG_EVENT_TABLE(X)
#undef X
};

static const struct {
	const char *word;
	int priority;
} levels[] = {
#define X(name, word, priority) {word, priority},
        LOG_LEVEL_TABLE(X)
#undef X
};

static enum log_level log_level = LOG_LEVEL_INFO;
static bool log_is_journal;
static uint64_t log_counts[LOG_EVENTS];

/* libsystemd's; where it is absent, sending does nothing and says that it was done */
static const char journal_socket[] = "/run/systemd/journal/socket";

void log_open(enum log_level level)
{
	log_level = level;
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat here;
	/* systemd says which file the journal is; standard error may have gone elsewhere since */
	log_is_journal = stream != NULL && sscanf(stream, "%llu:%llu", &device, &inode) == 2 &&
	                 fstat(STDERR_FILENO, &here) == 0 && here.st_dev == device &&
	                 here.st_ino == inode && access(journal_socket, W_OK) == 0;
}

uint64_t log_count(enum log_event event)
{
	return log_counts[event];
}

const char *log_word(enum log_event event)
{
	return events[event].word;
}

void log_set_level(enum log_level level)
{
	log_level = level;
}

bool log_level_find(const char *word, enum log_level *level)
{
	for (unsigned i = 0; i < sizeof levels / sizeof levels[0]; i++)
		if (strcmp(word, levels[i].word) == 0) {
			*level = (enum log_level)i;
			return true;
		}
	return false;
}

/* Text as printable ASCII in quotes; whatever else is escaped, what is too long ends in "...". */
static void escape(const char *text, char value[LOG_VALUE_MAX])
{
	static const char hexadecimal[] = "0123456789abcdef";
	size_t used = 0;
	value[used++] = '"';
	for (; *text != '\0'; text++) {
		unsigned char byte = (unsigned char)*text;
		if (used > LOG_VALUE_MAX - 10) {
			memcpy(value + used, "...", 3);
			used += 3;
			break;
		}
		if (byte == '"' || byte == '\\') {
			value[used++] = '\\';
			value[used++] = (char)byte;
		} else if (byte < ' ' || byte > '~') {
			value[used++] = '\\';
			value[used++] = 'x';
			value[used++] = hexadecimal[byte >> 4];
			value[used++] = hexadecimal[byte & 15];
		} else {
			value[used++] = (char)byte;
		}
	}
	value[used++] = '"';
	value[used] = '\0';
}

static void format_value(const struct log_field *field, char value[LOG_VALUE_MAX])
{
	if (field->kind == LOG_TEXT)
		escape(field->text == NULL ? "" : field->text, value);
	else if (field->kind == LOG_NUMBER)
		snprintf(value, LOG_VALUE_MAX, "%" PRId64, field->number);
	else
		snprintf(value, LOG_VALUE_MAX, "%.6g", field->real);
}

/* False when the journal does not take it. */
static bool write_journal(enum log_event event, const char *line, const struct log_field *fields)
{
	char text[LOG_FIXED_FIELDS][LOG_LINE_MAX + 16];
	char own[LOG_FIELDS_MAX][LOG_VALUE_MAX + 64];
	struct iovec vector[LOG_FIXED_FIELDS + LOG_FIELDS_MAX];
	int count = 0;
	snprintf(text[0], sizeof text[0], "MESSAGE=%s", line);
	snprintf(text[1], sizeof text[1], "PRIORITY=%d", levels[events[event].level].priority);
	snprintf(text[2], sizeof text[2], "MESSAGE_ID=%s", events[event].id);
	snprintf(text[3], sizeof text[3], "PREDICTD_EVENT=%s", events[event].word);
	for (; count < LOG_FIXED_FIELDS; count++)
		vector[count] = (struct iovec){text[count], strlen(text[count])};
	for (int i = 0; i < LOG_FIELDS_MAX && fields[i].kind != LOG_END; i++) {
		char value[LOG_VALUE_MAX];
		format_value(&fields[i], value);
		snprintf(own[i], sizeof own[i], "PREDICTD_%s=%s", fields[i].key, value);
		for (char *c = own[i]; *c != '='; c++)
			*c = (char)toupper((unsigned char)*c);
		vector[count++] = (struct iovec){own[i], strlen(own[i])};
	}
	return sd_journal_sendv(vector, count) == 0;
}

/* False for an event that comes so often that it would fill a disk; counts those left out. */
static bool is_within_burst(enum log_event event, unsigned *left_out)
{
	static struct {
		time_t since_s;
		unsigned written, left_out;
	} bursts[sizeof events / sizeof events[0]];
	struct timespec now;
	*left_out = 0;
	if (events[event].level == LOG_LEVEL_DEBUG)
		return true;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (bursts[event].written == 0 || now.tv_sec - bursts[event].since_s >= LOG_BURST_S) {
		*left_out = bursts[event].left_out;
		bursts[event].since_s = now.tv_sec;
		bursts[event].written = 0;
		bursts[event].left_out = 0;
	}
	if (bursts[event].written == LOG_BURST) {
		bursts[event].left_out++;
		return false;
	}
	bursts[event].written++;
	return true;
}

void log_write_fields(enum log_event event, const struct log_field *fields)
{
	unsigned left_out;
	log_counts[event]++;
	if (events[event].level > log_level || !is_within_burst(event, &left_out))
		return;
	char line[LOG_LINE_MAX];
	size_t used = (size_t)snprintf(line, sizeof line, "%s", events[event].word);
	for (int i = 0; i < LOG_FIELDS_MAX && fields[i].kind != LOG_END; i++) {
		char value[LOG_VALUE_MAX];
		format_value(&fields[i], value);
		int length =
		        snprintf(line + used, sizeof line - used, " %s=%s", fields[i].key, value);
		if (length < 0 || (size_t)length >= sizeof line - used)
			break;
		used += (size_t)length;
	}
	if (left_out > 0)
		(void)snprintf(line + used, sizeof line - used, " left_out=%u", left_out);
	if (!log_is_journal || !write_journal(event, line, fields))
		fprintf(stderr, "%s %s\n", levels[events[event].level].word, line);
}
