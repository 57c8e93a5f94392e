/* SPDX-License-Identifier: Apache-2.0 */
/* How predictctl speaks: units for people, errors, colour, and exit codes. */
#include "client/predictctl/text.h"

#include "proto/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum exit_code exit_of(predictd_status status)
{
	switch (status) {
	case PREDICTD_OK:
		return EXIT_DONE;
	case PREDICTD_UNAVAILABLE:
		return EXIT_UNREACHABLE;
	case PREDICTD_UNCALIBRATED:
		return EXIT_UNCALIBRATED;
	default:
		return EXIT_FAILED;
	}
}

/* True for "what: why" and "folder/what: why": such a sentence needs no second name. */
static bool names_first(const char *why, const char *what)
{
	const char *colon = strchr(why, ':');
	size_t length = strlen(what);
	if (colon == NULL || (size_t)(colon - why) < length ||
	    strncmp(colon - length, what, length) != 0)
		return false;
	return colon - length == why || colon[-(ptrdiff_t)length - 1] == '/';
}

void complain(const char *what, const char *format, ...)
{
	char why[1024];
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(why, sizeof why, format, arguments);
	va_end(arguments);
	(void)fflush(stdout);
	text_clean(why);
	char name[1024]; /* a file's may be whatever somebody called it */
	(void)snprintf(name, sizeof name, "%s", what);
	text_clean(name);
	bool is_named = names_first(why, name);
	(void)fprintf(stderr, "predictctl: %s%s%s\n", is_named ? "" : name, is_named ? "" : ": ",
	              why);
}

enum exit_code complain_of(const char *what, predictd_status status)
{
	complain(what, "%s", predictd_error_text());
	return exit_of(status);
}

bool is_watched(void)
{
	return isatty(STDERR_FILENO) == 1;
}

static bool allows_color(int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	return isatty(fd) == 1 && (no == NULL || no[0] == '\0') &&
	       (term == NULL || strcmp(term, "dumb") != 0);
}

static const char *color(const char *code)
{
	static int allowed = -1;
	if (allowed < 0)
		allowed = allows_color(STDOUT_FILENO);
	return allowed ? code : "";
}

void warn_of(const char *what, const char *why)
{
	bool is_colored = allows_color(STDERR_FILENO);
	char text[1024];
	(void)snprintf(text, sizeof text, "%s", why);
	text_clean(text);
	char name[1024];
	(void)snprintf(name, sizeof name, "%s", what);
	text_clean(name);
	(void)fflush(stdout);
	(void)fprintf(stderr, "predictctl: %s: %swarning:%s %s\n", name,
	              is_colored ? "\033[1;35m" : "", is_colored ? "\033[0m" : "", text);
}

const char *color_good(void)
{
	return color("\033[32m");
}

const char *color_bad(void)
{
	return color("\033[31m");
}

const char *color_dim(void)
{
	return color("\033[2m");
}

const char *color_end(void)
{
	return color("\033[0m");
}

void format_number(char text[TEXT_MAX], double value, int digits)
{
	if (value == 0 || !isfinite(value)) {
		(void)snprintf(text, TEXT_MAX, "%g", value);
		return;
	}
	/* of the rounded value: 0.9996 is 1.00 */
	char rounded[TEXT_MAX];
	(void)snprintf(rounded, sizeof rounded, "%.*e", digits - 1, value);
	int exponent = atoi(strchr(rounded, 'e') + 1);
	if (exponent < -3 || exponent > 6) {
		(void)snprintf(text, TEXT_MAX, "%.*g", digits, value);
		return;
	}
	int decimals = digits - 1 - exponent;
	(void)snprintf(text, TEXT_MAX, "%.*f", decimals > 0 ? decimals : 0, value);
}

/* The largest unit of time in which the value is at least 1. */
static const char *time_unit(double time_s, double *scale)
{
	static const struct {
		double scale;
		const char *name;
	} units[] = {{1, "s"}, {1e3, "ms"}, {1e6, "us"}, {1e9, "ns"}, {1e12, "ps"}};
	size_t i = 0;
	while (i < 4 && time_s != 0 && fabs(time_s) * units[i].scale < 0.9995)
		i++;
	*scale = units[i].scale;
	return units[i].name;
}

void format_time(char text[TEXT_MAX], double time_s)
{
	double scale;
	const char *unit = time_unit(time_s, &scale);
	char number[TEXT_MAX];
	format_number(number, time_s * scale, 3);
	(void)snprintf(text, TEXT_MAX, "%.32s %s", number, unit);
}

void format_interval(char text[TEXT_MAX], double low_s, double high_s)
{
	double scale;
	const char *unit = time_unit(high_s, &scale);
	char low[TEXT_MAX], high[TEXT_MAX];
	format_number(low, low_s * scale, 2);
	format_number(high, high_s * scale, 2);
	(void)snprintf(text, TEXT_MAX, "%.18s .. %.18s %s", low, high, unit);
}

void format_bytes(char text[TEXT_MAX], double bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	size_t i = 0;
	for (; bytes >= 1024 && i < 4; i++)
		bytes /= 1024;
	char number[TEXT_MAX];
	format_number(number, bytes, bytes == floor(bytes) ? 4 : 3);
	if (bytes == floor(bytes))
		(void)snprintf(number, sizeof number, "%.0f", bytes);
	(void)snprintf(text, TEXT_MAX, "%.32s %s", number, units[i]);
}

void format_rate(char text[TEXT_MAX], double per_s, const char *unit)
{
	static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
	size_t i = 0;
	for (; per_s >= 1000 && i < 5; i++)
		per_s /= 1000;
	char number[TEXT_MAX];
	format_number(number, per_s, 3);
	(void)snprintf(text, TEXT_MAX, "%.24s %s%.16s", number, prefixes[i], unit);
}

void format_sizes(char text[TEXT_MAX], const uint64_t sizes[3], uint32_t dimensions)
{
	size_t used = 0;
	text[0] = '\0';
	for (uint32_t i = 0; i < dimensions && i < 3 && used < TEXT_MAX; i++) {
		int length = snprintf(text + used, TEXT_MAX - used, "%s%llu", i > 0 ? " x " : "",
		                      (unsigned long long)sizes[i]);
		used += length > 0 ? (size_t)length : 0;
	}
}

void print_json(json_t *object)
{
	json_object_set_new(object, "schema", json_integer(1));
	(void)json_dumpf(object, stdout, JSON_INDENT(2) | JSON_SORT_KEYS | JSON_REAL_PRECISION(9));
	(void)putchar('\n');
	json_decref(object);
}

json_t *json_finite(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_text(const char *text)
{
	char *copy = strdup(text);
	json_t *json = NULL;
	if (copy != NULL) {
		text_clean(copy);
		json = json_string(copy);
	}
	free(copy);
	return json != NULL ? json : json_null();
}
