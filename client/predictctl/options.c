/* SPDX-License-Identifier: Apache-2.0 */
/* predictctl's sub-commands and options. */
#include "client/predictctl/options.h"

#include <getopt.h>
#include <math.h>
#include <pwd.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/predictctl/nearest.h"
#include "client/predictctl/option_table.h"
#include "client/predictctl/statistics.h"

static const struct {
	const char *word;
	size_t from, to;
	const char *arguments, *what;
} commands[] = {
#define X(name, word, from, to, arguments, what) {word, from, to, arguments, what},
        COMMAND_TABLE(X)
#undef X
};

static const struct {
	const char *word, *value;
	uint64_t commands;
	const char *what;
} option_rows[] = {
#define X(name, word, value, commands, what) {word, value, commands, what},
        OPTION_TABLE(X)
#undef X
};

int command_find(const char *word)
{
	for (int i = 0; i < COMMAND_COUNT; i++)
		if (strcmp(commands[i].word, word) == 0)
			return i;
	return -1;
}

const char *command_nearest(const char *word)
{
	const char *words[COMMAND_COUNT + 1] = {NULL};
	for (int i = 0; i < COMMAND_COUNT; i++)
		words[i] = commands[i].word;
	return nearest(word, words);
}

const char *command_word(enum command command)
{
	return commands[command].word;
}

void usage_print(FILE *file)
{
	(void)fputs("usage: predictctl COMMAND [OPTION]...\n\n", file);
	for (int i = 0; i < COMMAND_COUNT; i++)
		(void)fprintf(file, "  %-13s %s\n", commands[i].word, commands[i].what);
	(void)fputs("\n`predictctl help COMMAND` shows a command's options; predictctl(1) has it "
	            "all.\nExit status: 0 done, 1 failed, 2 usage, 3 daemon unreachable, 4 device "
	            "not calibrated.\n",
	            file);
}

static void usage_line_print(enum command command, FILE *file)
{
	if (command == COMMAND_RUN) {
		/* what stands behind the program is the program's */
		(void)fprintf(file, "usage: predictctl run [OPTION]... %s\n",
		              commands[command].arguments);
		return;
	}
	(void)fprintf(file, "usage: predictctl %s %s%s[OPTION]...\n", commands[command].word,
	              commands[command].arguments,
	              commands[command].arguments[0] != '\0' ? " " : "");
	if (commands[command].to == 1 && (WITH_CASES & UINT64_C(1) << command) != 0)
		(void)fprintf(file, "       predictctl %s --cases CASES.json%s [OPTION]...\n",
		              commands[command].word,
		              command == COMMAND_OBSERVE ? " --measured FILE.csv" : "");
	if (commands[command].to == 1 && (NAMED & UINT64_C(1) << command) != 0)
		(void)fprintf(file, "       predictctl %s --name NAME%s%s [OPTION]...\n",
		              commands[command].word,
		              command == COMMAND_HISTORY ? "" : " --global N[,N[,N]]",
		              command == COMMAND_OBSERVE ? " --time-s T" : "");
}

void command_usage_print(enum command command, FILE *file)
{
	usage_line_print(command, file);
	(void)fprintf(file, "%s\n\n", commands[command].what);
	for (int i = 0; i < OPTION_COUNT; i++) {
		if (!(option_rows[i].commands & (UINT64_C(1) << command)))
			continue;
		char left[48];
		(void)snprintf(left, sizeof left, i == OPTION_EXPLAIN ? "--%s[=%s]" : "--%s %s",
		               option_rows[i].word,
		               option_rows[i].value != NULL ? option_rows[i].value : "");
		(void)fprintf(file, strlen(left) > 24 ? "  %s\n%26s %s\n" : "  %-24s%s %s\n", left,
		              "", option_rows[i].what);
	}
}

static bool number_parse(const char *text, double low, double *value)
{
	char *end;
	*value = strtod(text, &end);
	return end != text && *end == '\0' && isfinite(*value) && *value >= low;
}

static bool requirement_parse(const char *text, struct options *options, struct complaint *why)
{
	size_t length = strcspn(text, "=");
	struct requirement *one = &options->requirements[options->requirement_count];
	if (options->requirement_count == REQUIREMENTS_MAX)
		return refuse(why, "at most %d", REQUIREMENTS_MAX);
	if (length == 0 || length >= sizeof one->metric || text[length] != '=' ||
	    !number_parse(text + length + 1, 0, &one->value))
		return refuse(why, "want [CLASS:]METRIC=VALUE, have '%.60s'", text);
	memcpy(one->metric, text, length);
	one->metric[length] = '\0';
	const char *colon = strrchr(one->metric, ':'),
	           *name = colon == NULL ? one->metric : colon + 1;
	const struct score none = {0};
	double value;
	bool more_is_better;
	if (!score_metric(&none, name, &value, &more_is_better))
		return refuse(why, "no metric '%.40s': there are%s", name, score_metrics);
	options->requirement_count++;
	return true;
}

/* Appends to one of a launch's arrays, which has room for every word of the command line. */
static bool launch_option(enum option_id option, const char *value, struct launch_case *one,
                          struct complaint *why)
{
	uint32_t count;
	switch (option) {
	case OPTION_GLOBAL:
		return sizes_parse(value, one->global, &one->dimensions, why);
	case OPTION_LOCAL:
		one->has_groups = true;
		return sizes_parse(value, one->local, &count, why);
	case OPTION_ARG:
		if (one->argument_count == CASE_ARGUMENTS_MAX)
			return refuse(why, "at most %d", CASE_ARGUMENTS_MAX);
		if (!argument_parse(value, &one->arguments[one->argument_count], why))
			return false;
		one->argument_count++;
		return true;
	case OPTION_HINT:
		if (one->hint_count == CASE_HINTS_MAX)
			return refuse(why, "at most %d", CASE_HINTS_MAX);
		if (strchr(value, '=') == NULL &&
		    hint_parse(value, &one->hints[one->hint_count], why))
			return refuse(why,
			              "want loop:LINE=TRIPS or branch:LINE=SHARE, have '%.60s'",
			              value);
		return hint_parse(value, &one->hints[one->hint_count++], why);
	default:
		break;
	}
	/* an offset may be 0: each part by itself */
	char part[32];
	uint64_t *offset = one->offset;
	for (const char *at = value; offset < one->offset + 3; at++) {
		size_t length = strcspn(at, ",");
		(void)snprintf(part, sizeof part, "%.*s", (int)(length < 31 ? length : 31), at);
		if (!size_parse(part, offset++, why))
			return false;
		at += length;
		if (*at == '\0')
			return true;
	}
	return refuse(why, "want one to three sizes, have '%.60s'", value);
}

/* A number, or a user's name. */
static bool uid_parse(const char *text, uint32_t *uid)
{
	char *end;
	unsigned long long number = strtoull(text, &end, 10);
	const struct passwd *user;
	*uid = (uint32_t)number;
	if (text[0] >= '0' && text[0] <= '9' && *end == '\0')
		return number < UINT32_MAX;
	user = getpwnam(text);
	if (user != NULL)
		*uid = user->pw_uid;
	return user != NULL;
}

/* "N=DEVICE[,N=DEVICE]": a comma may stand in a device's name, unless "N=" follows it. */
static bool opencl_parse(const char *text, struct options *options, struct complaint *why)
{
	const char *at = text;
	for (;;) {
		struct opencl_device *one = &options->opencl[options->opencl_count];
		char *end;
		unsigned long number = strtoul(at, &end, 10);
		if (options->opencl_count == SIZES_MAX)
			return refuse(why, "at most %d", SIZES_MAX);
		if (*at < '0' || *at > '9' || *end != '=' || end[1] == '\0' || number > INT32_MAX)
			return refuse(why, "want N=DEVICE[,N=DEVICE], have '%.60s'", text);
		const char *device = end + 1, *next = device;
		while ((next = strchr(next, ',')) != NULL) {
			const char *digits = next + 1;
			size_t length = strspn(digits, "0123456789");
			if (length > 0 && digits[length] == '=')
				break;
			next++;
		}
		size_t length = next != NULL ? (size_t)(next - device) : strlen(device);
		if (length == 0 || length >= sizeof one->device)
			return refuse(why, "want a device behind '%lu='", number);
		for (size_t i = 0; i < options->opencl_count; i++)
			if (options->opencl[i].number == number)
				return refuse(why, "%lu was given before", number);
		one->number = (uint32_t)number;
		(void)snprintf(one->device, sizeof one->device, "%.*s", (int)length, device);
		options->opencl_count++;
		if (next == NULL)
			return true;
		at = next + 1;
	}
}

/* The options of StarPU's models. */
static bool starpu_option(enum option_id option, const char *value, struct options *options,
                          struct complaint *why)
{
	switch (option) {
	case OPTION_SYMBOL:
		options->symbol = value;
		return true;
	case OPTION_DIR:
		options->folder = value;
		return value[0] != '\0' || refuse(why, "want a folder");
	case OPTION_HOST:
		options->host = value;
		return value[0] != '\0' || refuse(why, "want a name");
	case OPTION_OPENCL:
		return opencl_parse(value, options, why);
	default:
		options->force = true;
		return true;
	}
}

/* The options of splits. */
static bool split_option(enum option_id option, const char *value, struct options *options,
                         struct complaint *why)
{
	double number;
	switch (option) {
	case OPTION_DIMENSION:
		if (!number_parse(value, 0, &number) || number != floor(number) || number > 2)
			return refuse(why, "want 0, 1 or 2, have '%.40s'", value);
		options->dimension = (uint32_t)number;
		return true;
	case OPTION_GRANULE:
		return size_parse(value, &options->granule, why) &&
		       (options->granule > 0 || refuse(why, "want 1 work-item or more"));
	default:
		if (options->split_count == SIZES_MAX)
			return refuse(why, "at most %d", SIZES_MAX);
		options->split[options->split_count++] = value;
		return true;
	}
}

/* The options of observing and forgetting. */
static bool observation_option(enum option_id option, const char *value, struct options *options,
                               struct complaint *why)
{
	double number;
	switch (option) {
	case OPTION_TIME:
		if (options->time_count == TIMES_MAX)
			return refuse(why, "at most %d", TIMES_MAX);
		return (time_parse(value, &options->times_s[options->time_count]) &&
		        options->times_s[options->time_count++] >= 1e-9) ||
		       refuse(why, "want a time such as 0.0125, 12.5ms or 300us, have '%.40s'",
		              value);
	case OPTION_NAME:
		options->name = value;
		return value[0] != '\0' || refuse(why, "want a name");
	case OPTION_TASK:
		options->is_task = true;
		return true;
	case OPTION_FIRST_RUN:
		options->flags |= PREDICTD_FIRST_RUN;
		return true;
	case OPTION_OVERLAPPED:
		options->flags |= PREDICTD_OVERLAPPED;
		return true;
	case OPTION_THROTTLED:
		options->flags |= PREDICTD_THROTTLED;
		return true;
	case OPTION_NEWEST:
		if (!number_parse(value, 1, &number) || number > 10000)
			return refuse(why, "want 1 to 10000, have '%.40s'", value);
		options->count = (uint32_t)number;
		return true;
	case OPTION_KERNEL:
		options->kernel = value;
		return value[0] != '\0' || refuse(why, "want a name");
	case OPTION_UID:
		options->has_uid = true;
		return uid_parse(value, &options->uid) ||
		       refuse(why, "want a user's number or name, have '%.40s'", value);
	case OPTION_AGE:
		return (time_parse(value, &options->age_s) && options->age_s > 0) ||
		       refuse(why, "want an age such as 3600, 90m, 12h or 30d, have '%.40s'",
		              value);
	default:
		options->all = true;
		return true;
	}
}

/* Options that are there or not; NULL: it is another. */
static bool *flag_find(enum option_id option, struct options *options)
{
	static const struct {
		enum option_id option;
		size_t at;
	} flags[] = {
	        {OPTION_JSON, offsetof(struct options, json)},
	        {OPTION_CSV, offsetof(struct options, csv)},
	        {OPTION_VERBOSE, offsetof(struct options, verbose)},
	        {OPTION_QUICK, offsetof(struct options, quick)},
	        {OPTION_WATCH, offsetof(struct options, watch)},
	        {OPTION_PAIRS, offsetof(struct options, pairs)},
	        {OPTION_TRANSFERS, offsetof(struct options, transfers)},
	        {OPTION_STATIC, offsetof(struct options, static_only)},
	        {OPTION_REFINED, offsetof(struct options, refined)},
	        {OPTION_OBSERVE, offsetof(struct options, observe)},
	        {OPTION_GANTT, offsetof(struct options, gantt)},
	        {OPTION_SAMPLE, offsetof(struct options, sample)},
	};
	for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
		if (flags[i].option == option)
			return (bool *)((char *)options + flags[i].at);
	return NULL;
}

static bool option_take(enum option_id option, const char *value, struct options *options,
                        struct launch_case *one, struct complaint *why)
{
	char meant[64];
	double number;
	bool *flag = flag_find(option, options);
	if (flag != NULL)
		return *flag = true;
	switch (option) {
	case OPTION_PINNED:
		return options->transfers = options->pinned = true;
	case OPTION_IDLE:
		return time_parse(value, &options->idle_s) ||
		       refuse(why, "want a time such as 10us, 1ms or 0.1s, have '%.40s'", value);
	case OPTION_INTERVAL:
		return (time_parse(value, &options->interval_s) && options->interval_s >= 0.1 &&
		        options->interval_s <= 3600) ||
		       refuse(why, "want a time of 100ms to 1h, have '%.40s'", value);
	case OPTION_FRAMES:
		if (!number_parse(value, 1, &number) || number > 1e9 || number != floor(number))
			return refuse(why, "want 1 or more, have '%.40s'", value);
		options->frames = (uint32_t)number;
		return true;
	case OPTION_TIMEOUT:
		return (time_parse(value, &options->timeout_s) && options->timeout_s > 0) ||
		       refuse(why, "want a time such as 90, 5m or 1h, have '%.40s'", value);
	case OPTION_TIME:
	case OPTION_NAME:
	case OPTION_TASK:
	case OPTION_FIRST_RUN:
	case OPTION_OVERLAPPED:
	case OPTION_THROTTLED:
	case OPTION_NEWEST:
	case OPTION_KERNEL:
	case OPTION_UID:
	case OPTION_AGE:
	case OPTION_EVERYTHING:
		return observation_option(option, value, options, why);
	case OPTION_SYMBOL:
	case OPTION_DIR:
	case OPTION_HOST:
	case OPTION_OPENCL:
	case OPTION_FORCE:
		return starpu_option(option, value, options, why);
	case OPTION_DIMENSION:
	case OPTION_GRANULE:
	case OPTION_SPLIT:
		return split_option(option, value, options, why);
	case OPTION_RUN_JSON:
	case OPTION_TRACE:
		*(option == OPTION_TRACE ? &options->trace : &options->run_json) = value;
		return value[0] != '\0' || refuse(why, "want a file, or -");
	case OPTION_METHOD:
		options->has_method = true;
		for (unsigned i = PREDICTD_HEFT; i <= PREDICTD_FASTEST; i++)
			if (strcmp(value, predictd_method_name((predictd_method)i)) == 0) {
				options->method = (predictd_method)i;
				return true;
			}
		return refuse(why, "want heft, min-min or fastest, have '%.40s'", value);
	case OPTION_EXPLAIN:
		options->explain = true;
		options->explain_ir = value != NULL && strcmp(value, "ir") == 0;
		options->explain_lines = value != NULL && strcmp(value, "lines") == 0;
		return value == NULL || options->explain_ir || options->explain_lines ||
		       refuse(why, "want --explain, --explain=ir or --explain=lines");
	case OPTION_SOCKET:
		options->socket = value;
		return true;
	case OPTION_CASES:
		options->cases = value;
		return true;
	case OPTION_MEASURED:
		options->measured = value;
		return true;
	case OPTION_DEVICE:
		if (options->device_count == SIZES_MAX)
			return refuse(why, "at most %d", SIZES_MAX);
		options->device = options->devices[options->device_count++] = value;
		return true;
	case OPTION_MODEL:
		options->has_model = true;
		return model_parse(value, &options->model) ||
		       refuse(why, "want default, pattern or uncached, have '%.40s'%s", value,
		              model_say(value, meant));
	case OPTION_RUNS:
		if (!number_parse(value, 5, &number) || number > 1000)
			return refuse(why, "want 5 to 1000 runs, have '%.40s'", value);
		options->runs = (uint32_t)number;
		return true;
	case OPTION_BUDGET:
		if (!time_parse(value, &options->budget_s) || options->budget_s < 1e-3 ||
		    options->budget_s > 3600)
			return refuse(why, "want a time of 1ms to 1h, have '%.40s'", value);
		return true;
	case OPTION_REQUIRE:
		return requirement_parse(value, options, why);
	case OPTION_SIZE:
		if (options->size_count == SIZES_MAX)
			return refuse(why, "at most %d", SIZES_MAX);
		if (!size_parse(value, &options->sizes[options->size_count], why))
			return false;
		for (size_t i = 0; i < options->size_count; i++)
			if (options->sizes[i] == options->sizes[options->size_count])
				return refuse(why, "%.40s was given before", value);
		return options->sizes[options->size_count++] > 0 || refuse(why, "a size of 0");
	case OPTION_OPTIONS:
		free(one->options);
		one->options = strdup(value);
		return one->options != NULL || refuse(why, "no memory");
	default:
		return launch_option(option, value, one, why);
	}
}

/* "dir/FILE.cl:KERNEL", "-:KERNEL"; a colon before the last slash belongs to a folder. */
static bool target_parse(const char *text, struct launch_case *one)
{
	const char *slash = strrchr(text, '/');
	const char *colon = strrchr(slash != NULL ? slash : text, ':');
	if (colon != NULL && access(text, F_OK) == 0) /* a path may have a colon, too */
		colon = NULL;
	one->file = colon != NULL ? strndup(text, (size_t)(colon - text)) : strdup(text);
	const char *base = one->file != NULL ? strrchr(one->file, '/') : NULL;
	base = base != NULL ? base + 1 : one->file;
	if (base != NULL && strcmp(base, "-") == 0)
		base = "stdin";
	if (colon != NULL && colon[1] != '\0')
		one->kernel = strdup(colon + 1);
	if (one->options == NULL)
		one->options = strdup("");
	one->id = one->kernel != NULL ? strdup(one->kernel) : base != NULL ? strdup(base) : NULL;
	one->group = one->id != NULL ? strdup(one->id) : NULL;
	return one->file != NULL && one->options != NULL && one->group != NULL &&
	       (colon == NULL || colon[1] == '\0' || one->kernel != NULL);
}

/* The launch of a kernel without source; false when memory is short. */
static bool name_take(const char *name, struct launch_case *one)
{
	one->is_sourceless = true;
	one->file = strdup(name);
	one->id = strdup(name);
	one->group = strdup(name);
	if (one->options == NULL)
		one->options = strdup("");
	return one->file != NULL && one->id != NULL && one->group != NULL && one->options != NULL;
}

static enum exit_code usage_fail(enum command command, const char *what, const char *why)
{
	/* all the options would bury what is wrong */
	complain(what, "%s", why);
	usage_line_print(command, stderr);
	(void)fprintf(stderr, "`predictctl help %s` lists the options.\n", commands[command].word);
	return EXIT_USAGE;
}

/* An option that the command has not: another has it, or it is like one that this one has. */
static enum exit_code unknown_option(enum command command, const char *word)
{
	const char *words[OPTION_COUNT + 1], *other = NULL;
	char name[48], why[128];
	size_t count = 0;
	const char *begin = word + strspn(word, "-");
	(void)snprintf(name, sizeof name, "%.*s", (int)strcspn(begin, "="), begin);
	for (int i = 0; i < OPTION_COUNT; i++) {
		if (option_rows[i].commands & (UINT64_C(1) << command))
			words[count++] = option_rows[i].word;
		for (int j = 0; j < COMMAND_COUNT && strcmp(option_rows[i].word, name) == 0; j++)
			if (option_rows[i].commands & (UINT64_C(1) << j))
				other = commands[j].word;
	}
	words[count] = NULL;
	const char *meant = strlen(name) > 1 ? nearest(name, words) : NULL;
	if (other != NULL)
		(void)snprintf(why, sizeof why, "%s has no such option; `predictctl %s` has",
		               commands[command].word, other);
	else if (meant != NULL)
		(void)snprintf(why, sizeof why, "unknown option; did you mean --%s?", meant);
	else
		(void)snprintf(why, sizeof why, "unknown option");
	return usage_fail(command, word, why);
}

static enum exit_code count_fail(enum command command, size_t have)
{
	char why[128];
	const char *want = commands[command].arguments;
	if (commands[command].to == 0)
		want = "no argument but options";
	(void)snprintf(why, sizeof why, "want %s, have %zu argument%s", want, have,
	               have == 1 ? "" : "s");
	return usage_fail(command, command_word(command), why);
}

static const char *target_wanted(enum command command)
{
	uint64_t bit = UINT64_C(1) << command;
	if (!(bit & WITH_CASES))
		return "want either FILE.cl[:KERNEL] or --name NAME";
	return bit & NAMED ? "want either FILE.cl[:KERNEL], --name NAME or --cases CASES.json"
	                   : "want either FILE.cl[:KERNEL] or --cases CASES.json";
}

/* Whether the parts make a whole: one launch, or a cases file, or neither. */
static enum exit_code launch_check(enum command command, struct options *options,
                                   struct launch_case *one)
{
	uint64_t bit = UINT64_C(1) << command;
	bool has_target = options->positional_count > 0 || options->name != NULL;
	if (command == COMMAND_EVALUATE && options->cases == NULL)
		return usage_fail(command, "evaluate", "want --cases CASES.json");
	if (command == COMMAND_OBSERVE && options->cases == NULL && options->time_count == 0)
		return usage_fail(command, "observe", "want --time-s TIME");
	if (command == COMMAND_OBSERVE && options->cases != NULL &&
	    (options->measured == NULL || options->time_count > 0))
		return usage_fail(command, "observe",
		                  "want --measured FILE.csv, and no --time-s, with --cases");
	if (!(bit & SIZED) && command != COMMAND_CASES)
		return EXIT_DONE;
	if (command == COMMAND_PLACE && options->cases == NULL &&
	    (options->has_method || options->gantt || options->trace != NULL))
		return usage_fail(command, "place",
		                  "--method, --gantt and --trace go with --cases");
	if (options->name != NULL && (options->positional_count > 0 || one->options != NULL))
		return usage_fail(command, "--name",
		                  "a kernel without source has no FILE.cl and no build options");
	if (has_target == (options->cases != NULL) && command != COMMAND_CASES)
		return usage_fail(command, command_word(command), target_wanted(command));
	if (!has_target) {
		if (one->dimensions > 0 || one->argument_count > 0 || one->hint_count > 0)
			return usage_fail(command, command_word(command),
			                  "--global, --arg and --hint stand in the cases file");
		return EXIT_DONE;
	}
	if (options->name != NULL ? !name_take(options->name, one)
	                          : !target_parse(options->positional[0], one)) {
		complain(command_word(command), "no memory");
		return EXIT_FAILED;
	}
	if (command == COMMAND_CASES && strcmp(one->file, "-") == 0)
		return usage_fail(command, "cases",
		                  "want a file: standard input is not there when its launches are "
		                  "asked about");
	if (command == COMMAND_CASES)
		return EXIT_DONE;
	if (one->dimensions == 0 && command == COMMAND_HISTORY) {
		if (one->argument_count > 0 || one->has_groups)
			return usage_fail(command, "history", "--arg and --local go with --global");
		return EXIT_DONE;
	}
	options->is_guessed = one->dimensions == 0 && one->argument_count == 0 &&
	                      one->hint_count == 0 && !one->has_groups &&
	                      strcmp(one->file, "-") != 0 && !one->is_sourceless &&
	                      (command == COMMAND_PREDICT || command == COMMAND_MEASURE);
	if (one->dimensions == 0 && !options->is_guessed)
		return usage_fail(command, command_word(command), "want --global N[,N[,N]]");
	for (uint32_t i = 0; i < 3 && one->has_groups; i++)
		if ((one->local[i] != 0) != (i < one->dimensions))
			return usage_fail(command, "--local", "want as many sizes as --global");
	return EXIT_DONE;
}

/* Takes a word "-:KERNEL" out, which getopt would read as options; NULL: there is none. */
static const char *stream_take(int *argc, char **argv)
{
	for (int i = 1; i < *argc; i++) {
		const char *word = argv[i];
		if (strncmp(word, "-:", 2) != 0)
			continue;
		(*argc)--;
		memmove(&argv[i], &argv[i + 1], (size_t)(*argc - i) * sizeof *argv);
		return word;
	}
	return NULL;
}

enum exit_code options_parse(enum command command, int argc, char **argv, struct options *options,
                             bool *wants_help)
{
	struct option longs[OPTION_COUNT + 1] = {0};
	size_t count = 0;
	struct complaint why;
	*options = (struct options){.interval_s = 2};
	*wants_help = false;
	for (int i = 0; i < OPTION_COUNT; i++) {
		if (!(option_rows[i].commands & (UINT64_C(1) << command)))
			continue;
		longs[count].name = option_rows[i].word;
		longs[count].has_arg = i == OPTION_EXPLAIN            ? optional_argument
		                       : option_rows[i].value != NULL ? required_argument
		                                                      : no_argument;
		longs[count++].val = 256 + i;
	}
	options->cases_list.cases = calloc(1, sizeof *options->cases_list.cases);
	struct launch_case *one = options->cases_list.cases;
	if (one != NULL) {
		options->cases_list.count = 1;
		one->arguments = calloc(CASE_ARGUMENTS_MAX, sizeof *one->arguments);
		one->hints = calloc(CASE_HINTS_MAX, sizeof *one->hints);
	}
	if (one == NULL || one->arguments == NULL || one->hints == NULL) {
		complain(command_word(command), "no memory");
		return EXIT_FAILED;
	}
	const char *stream = command == COMMAND_RUN ? NULL : stream_take(&argc, argv);
	if (stream != NULL)
		options->positional[options->positional_count++] = stream;
	optind = 0;
	opterr = 0;
	/* behind the program's name options are the program's */
	const char *shorts = command == COMMAND_RUN ? "+:h"
	                     : option_rows[OPTION_DEVICE].commands & (UINT64_C(1) << command)
	                             ? ":hd:"
	                             : ":h";
	for (int got; (got = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
		const char *word = optind > 0 ? argv[optind - 1] : "";
		if (got == 'h' || got == 256 + OPTION_HELP) {
			*wants_help = true;
			return EXIT_DONE;
		}
		if (got == '?')
			return unknown_option(command, word);
		if (got == ':')
			return usage_fail(command, word, "wants a value");
		enum option_id option = got == 'd' ? OPTION_DEVICE : (enum option_id)(got - 256);
		char what[64];
		(void)snprintf(what, sizeof what, "--%s", option_rows[option].word);
		if (!option_take(option, optarg, options, one, &why)) {
			if (option == OPTION_ARG) /* counted as by clSetKernelArg */
				(void)snprintf(what, sizeof what, "--arg %zu", one->argument_count);
			return usage_fail(command, what, why.text);
		}
	}
	size_t left = (size_t)(argc - optind), all = left + options->positional_count;
	if (all < commands[command].from || all > commands[command].to)
		return count_fail(command, all);
	if (command == COMMAND_RUN) {
		options->program = &argv[optind];
		return EXIT_DONE;
	}
	for (size_t i = 0; i < left; i++)
		options->positional[options->positional_count++] = argv[(size_t)optind + i];
	if (command == COMMAND_CALIBRATE && all > 1 && !options->pairs)
		return count_fail(command, all);
	options->static_only |= command == COMMAND_EVALUATE && !options->refined;
	enum exit_code code = launch_check(command, options, one);
	if (code != EXIT_DONE)
		return code;
	one->idle_s = options->idle_s;
	if ((STARPU & UINT64_C(1) << command) != 0)
		options->cases = options->positional[0];
	if (options->cases == NULL)
		return EXIT_DONE;
	case_list_deinit(&options->cases_list);
	if (!case_list_load(options->cases, &options->cases_list, &why)) {
		complain(strcmp(options->cases, "-") == 0 ? "stdin" : options->cases, "%s",
		         why.text);
		return EXIT_FAILED;
	}
	for (size_t i = 0; i < options->cases_list.count; i++)
		if (!(options->cases_list.cases[i].idle_s > 0))
			options->cases_list.cases[i].idle_s = options->idle_s;
	return EXIT_DONE;
}

void options_deinit(struct options *options)
{
	case_list_deinit(&options->cases_list);
}
