/* SPDX-License-Identifier: Apache-2.0 */
/* A source with what each line adds to its kernel's time: `predict --explain=lines`. */
#include "client/predictctl/lines.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/predictctl/text.h"
#include "proto/text.h"

enum {
	SOURCE_MAX = 32 << 20, /* bytes, as of a program */
	LINE_MAX_BYTES = 164,  /* of a line of the source that are shown, with its end */
	CONTEXT = 2            /* lines shown around those that add something */
};

static void line_print(const char *line, size_t length, const char *end)
{
	char shown[LINE_MAX_BYTES];
	text_line(line, length, shown, sizeof shown);
	(void)printf("%s%s\n", shown, end);
}

static void cost_print(const predictd_line *line, double whole_s)
{
	char time[TEXT_MAX] = "< 1 ns";
	if (line->time_s >= 1e-9)
		format_time(time, line->time_s);
	(void)printf("%5.1f %%  %9s  %-12s", 100 * line->time_s / whole_s, time, line->bottleneck);
}

/* A file that can be read again: a pipe was emptied before, and would keep its reader waiting. */
static FILE *regular_open(const char *path)
{
	struct stat is;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	bool is_taken = fstat(fd, &is) == 0 && S_ISREG(is.st_mode) && is.st_size <= SOURCE_MAX;
	FILE *file = is_taken ? fdopen(fd, "r") : NULL;
	if (file == NULL)
		(void)close(fd);
	return file;
}

/* The file that a name of the answer means: a header next to the source, or the source itself. */
static FILE *source_open(const struct launch_case *one, const char *name)
{
	char path[4096];
	const char *slash = strrchr(one->file, '/');
	int length = slash != NULL && name[0] != '/' ? (int)(slash - one->file + 1) : 0;
	if (name[0] == '\0')
		return strcmp(one->file, "-") != 0 ? regular_open(one->file) : NULL;
	if (snprintf(path, sizeof path, "%.*s%s", length, one->file, name) >= (int)sizeof path)
		return NULL;
	return regular_open(path);
}

/* Whether a line is at most so far from one that adds something: the one before, or the next. */
static bool is_near(const predictd_line *lines, size_t count, size_t next, uint32_t number)
{
	return (next < count && number + CONTEXT >= lines[next].line) ||
	       (next > 0 && number <= lines[next - 1].line + CONTEXT);
}

/* The lines of one file; where it cannot be read, their numbers alone. */
static void file_print(const struct launch_case *one, const predictd_line *lines, size_t count,
                       double whole_s)
{
	FILE *file = source_open(one, lines[0].file);
	char *text = NULL;
	size_t room = 0, next = 0, read = 0;
	ssize_t length;
	const char *name = lines[0].file[0] != '\0' ? lines[0].file : one->file;
	(void)printf("  ");
	line_print(name, strlen(name), ":");
	bool was_shown = true;
	for (uint32_t number = 1; file != NULL && next < count && read < SOURCE_MAX &&
	                          (length = getline(&text, &room, file)) >= 0;
	     number++) {
		bool is_shown = is_near(lines, count, next, number);
		read += (size_t)length;
		if (!is_shown && was_shown && number > 1)
			(void)printf("  %32s  ...\n", "");
		was_shown = is_shown;
		if (!is_shown)
			continue;
		(void)printf("  ");
		if (lines[next].line == number)
			cost_print(&lines[next++], whole_s);
		else
			(void)printf("%32s", "");
		(void)printf("  %s%4u%s  ", color_dim(), number, color_end());
		line_print(text, (size_t)length, "");
	}
	for (; next < count; next++) {
		(void)printf("  ");
		cost_print(&lines[next], whole_s);
		(void)printf("  line %u\n", lines[next].line);
	}
	free(text);
	if (file != NULL)
		(void)fclose(file);
}

static void other_print(double time_s, double whole_s, const char *what)
{
	predictd_line line = {.time_s = time_s, .bottleneck = ""};
	if (!(time_s > 0))
		return;
	(void)printf("  ");
	cost_print(&line, whole_s);
	(void)printf("  %s\n", what);
}

static void occupancy_print(const predictd_occupancy *occupancy)
{
	char local[TEXT_MAX];
	if (!(occupancy->share > 0))
		return;
	(void)printf("  occupancy %.0f %%: a unit has %.0f work-group%s, limited by %s",
	             100 * occupancy->share, occupancy->groups, occupancy->groups > 1 ? "s" : "",
	             occupancy->limit);
	if (occupancy->registers > 0)
		(void)printf("; %u registers at most", occupancy->registers);
	if (occupancy->local_bytes > 0) {
		format_bytes(local, (double)occupancy->local_bytes);
		(void)printf("; %s of local memory", local);
	}
	if (occupancy->multiple > 1)
		(void)printf("; sizes had better be multiples of %u", occupancy->multiple);
	(void)putchar('\n');
}

bool lines_print(predictd_connection *connection, const predictd_question *question,
                 const struct launch_case *one)
{
	predictd_lines *got = NULL;
	predictd_status status = predictd_explain_lines(connection, question, &got);
	if (status != PREDICTD_OK) {
		complain(one->id, "%s", predictd_error_text());
		return false;
	}
	if (got->count == 0)
		(void)printf("  no lines: %s\n", question->model != PREDICTD_DEFAULT
		                                         ? "only the default model knows them"
		                                         : "the kernel was not analysed");
	for (size_t i = 0, end; i < got->count; i = end) {
		for (end = i + 1;
		     end < got->count && strcmp(got->lines[end].file, got->lines[i].file) == 0;)
			end++;
		file_print(one, &got->lines[i], end - i, got->kernel_time_s);
	}
	other_print(got->rest_s, got->kernel_time_s, "further lines");
	if (got->count > 0)
		other_print(got->elsewhere_s, got->kernel_time_s,
		            "no line: the launch, work-groups and work-items");
	occupancy_print(&got->occupancy);
	predictd_lines_free(got);
	return true;
}

json_t *lines_json(predictd_connection *connection, const predictd_question *question,
                   const struct launch_case *one)
{
	predictd_lines *got = NULL;
	if (predictd_explain_lines(connection, question, &got) != PREDICTD_OK) {
		complain(one->id, "%s", predictd_error_text());
		return NULL;
	}
	json_t *list = json_array();
	for (size_t i = 0; i < got->count; i++)
		json_array_append_new(
		        list, json_pack("{so sI so ss}", "file",
		                        json_text(got->lines[i].file[0] != '\0' ? got->lines[i].file
		                                                                : one->file),
		                        "line", (json_int_t)got->lines[i].line, "time_s",
		                        json_finite(got->lines[i].time_s), "bottleneck",
		                        got->lines[i].bottleneck));
	json_t *object = json_pack("{so so so}", "at", list, "rest_s", json_finite(got->rest_s),
	                           "elsewhere_s", json_finite(got->elsewhere_s));
	const predictd_occupancy *fills = &got->occupancy;
	if (fills->share > 0)
		json_object_set_new(object, "occupancy",
		                    json_pack("{so so ss sI sI sI}", "share",
		                              json_finite(fills->share), "groups",
		                              json_finite(fills->groups), "limit", fills->limit,
		                              "registers", (json_int_t)fills->registers,
		                              "local_bytes", (json_int_t)fills->local_bytes,
		                              "multiple", (json_int_t)fills->multiple));
	predictd_lines_free(got);
	return object;
}
