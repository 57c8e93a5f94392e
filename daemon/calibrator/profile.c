/* SPDX-License-Identifier: Apache-2.0 */
/* What a device's compiler defines, and which options it takes. */
#include "daemon/calibrator/profile.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/calibrator/self.h"
#include "daemon/codec/language.h"
#include "proto/text.h"

enum {
	STANDARDS_MAX = 8,
	NAMES_MAX = 768,
	OPTIONS_MAX = 64,
	VERSIONS_MAX = 16,
	TEXT_MAX = 32 << 10, /* of a compiler's answer */
	TICK_MS = 100
};

/* Names of CL 3.0 whose values an older header lacks. */
enum {
	DEVICE_EXTENSIONS_WITH_VERSION = 0x1060,
	DEVICE_OPENCL_C_ALL_VERSIONS = 0x1066,
	DEVICE_OPENCL_C_FEATURES = 0x106F
};

/* ---- lists ---------------------------------------------------------------------------------- */

struct lists {
	char *extensions, *features;
	unsigned versions[VERSIONS_MAX];
	struct language_lists lists; /* of these */
};

/* The names of an array of cl_name_version, parted by blanks, behind `before` (freed). */
static char *names_of(cl_device_id id, cl_device_info what, char *before)
{
	size_t size = 0;
	size_t length = 0;
	char *list = NULL, *answer = opencl_device_text(id, what, &size);
	FILE *to = open_memstream(&list, &length);
	if (to != NULL) {
		(void)fprintf(to, "%s", before != NULL ? before : "");
		for (size_t at = 0; answer != NULL && at + sizeof(cl_name_version) <= size;
		     at += sizeof(cl_name_version)) {
			cl_name_version one;
			memcpy(&one, answer + at, sizeof one);
			(void)fprintf(to, " %.*s", (int)strnlen(one.name, sizeof one.name),
			              one.name);
		}
		if (fclose(to) != 0) {
			free(list);
			list = NULL;
		}
	}
	free(answer);
	free(before);
	return list;
}

/* OpenCL 3.0 lists the versions; before it each up to the one that is told is taken. */
static void ask_versions(cl_device_id id, struct lists *lists)
{
	static const unsigned known[] = {100, 110, 120, 200};
	size_t size = 0, *count = &lists->lists.version_count;
	unsigned major = 0, minor = 0;
	char *all = opencl_device_text(id, DEVICE_OPENCL_C_ALL_VERSIONS, &size);
	for (size_t at = 0;
	     all != NULL && at + sizeof(cl_name_version) <= size && *count < VERSIONS_MAX;
	     at += sizeof(cl_name_version)) {
		cl_name_version one;
		memcpy(&one, all + at, sizeof one);
		lists->versions[(*count)++] =
		        100 * CL_VERSION_MAJOR(one.version) + 10 * CL_VERSION_MINOR(one.version);
	}
	free(all);
	if (*count > 0)
		return;
	char *highest = opencl_device_text(id, CL_DEVICE_OPENCL_C_VERSION, NULL);
	if (highest != NULL && sscanf(highest, "OpenCL C %2u.%1u", &major, &minor) == 2)
		for (size_t i = 0; i < sizeof known / sizeof *known; i++)
			if (known[i] <= 100 * major + 10 * minor)
				lists->versions[(*count)++] = known[i];
	free(highest);
}

static bool lists_init(struct lists *lists, cl_device_id id)
{
	*lists = (struct lists){.extensions = NULL};
	lists->extensions = names_of(id, DEVICE_EXTENSIONS_WITH_VERSION,
	                             opencl_device_text(id, CL_DEVICE_EXTENSIONS, NULL));
	lists->features = names_of(id, DEVICE_OPENCL_C_FEATURES, NULL);
	ask_versions(id, lists);
	lists->lists.extensions = lists->extensions;
	lists->lists.features = lists->features;
	lists->lists.versions = lists->versions;
	return lists->extensions != NULL && lists->features != NULL;
}

static void lists_deinit(struct lists *lists)
{
	free(lists->extensions);
	free(lists->features);
}

void profile_assume(cl_device_id id, struct device *device)
{
	struct lists lists;
	struct error ignored;
	if (lists_init(&lists, id))
		(void)language_assume(&lists.lists, device, &ignored);
	lists_deinit(&lists);
}

/* ---- asking --------------------------------------------------------------------------------- */

/* What is asked of a device, and what it answered; texts that others point into come last. */
struct asking {
	struct opencl *opencl;
	const char *names[NAMES_MAX]; /* each once */
	bool has_no_value[NAMES_MAX]; /* it is defined, and its value is none for a profile */
	size_t name_count;
	struct language_standard standards[STANDARDS_MAX];
	struct language_macro *macros[STANDARDS_MAX];
	size_t standard_count;
	struct language_option options[OPTIONS_MAX];
	size_t option_count;
	struct lists lists;
	char *texts[STANDARDS_MAX];
};

static bool is_identifier(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	size_t length = strnlen(name, LANGUAGE_NAME_MAX);
	return length > 0 && length < LANGUAGE_NAME_MAX && strchr(letters, name[0]) != NULL &&
	       name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
	                         "0123456789")] == '\0';
}

static size_t find_name(const struct asking *asking, const char *name)
{
	size_t i = 0;
	while (i < asking->name_count && strcmp(asking->names[i], name) != 0)
		i++;
	return i;
}

static void add_name(struct asking *asking, const char *name)
{
	if (asking->name_count < NAMES_MAX && is_identifier(name) &&
	    find_name(asking, name) == asking->name_count)
		asking->names[asking->name_count++] = name;
}

/* Cuts the list into its names. */
static void add_words(struct asking *asking, char *list)
{
	for (char *rest = list, *word; (word = strsep(&rest, " ")) != NULL;)
		add_name(asking, word);
}

static void collect_names(struct asking *asking)
{
	static const enum language_names kinds[] = {LANGUAGE_NAMES_EXTENSION,
	                                            LANGUAGE_NAMES_FEATURE, LANGUAGE_NAMES_VENDOR,
	                                            LANGUAGE_NAMES_OTHER};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		for (const char *const *name = language_names(kinds[i]); *name != NULL; name++)
			add_name(asking, *name);
	add_words(asking, asking->lists.extensions);
	add_words(asking, asking->lists.features);
}

/* What begins the answer: else the kernel did not run as it stands. */
#define FIRST_LINE "predictd asks\n"

static char *write_source(const struct asking *asking, size_t *size)
{
	char *source = NULL;
	FILE *to = open_memstream(&source, size);
	if (to == NULL)
		return NULL;
	(void)fputs("#define PREDICTD_TEXT_(x) #x\n"
	            "#define PREDICTD_TEXT(x) PREDICTD_TEXT_(x)\n"
	            "constant char predictd_text[] = \"predictd asks\\n\"\n",
	            to);
	for (size_t i = 0; i < asking->name_count; i++)
		(void)fprintf(to, "#ifdef %s\n\"%s=\" PREDICTD_TEXT(%s) \"\\n\"\n#endif\n",
		              asking->names[i], asking->names[i], asking->names[i]);
	/* words, since OpenCL 1.0 writes no bytes */
	(void)fputs(";\n"
	            "kernel void predictd_ask(global uint *to, uint room)\n"
	            "{\n"
	            "\tfor (uint i = 0; i < room && i < sizeof predictd_text; i++)\n"
	            "\t\tto[i] = predictd_text[i];\n"
	            "}\n",
	            to);
	if (fclose(to) != 0) {
		free(source);
		return NULL;
	}
	return source;
}

/* Runs the kernel; *text is the caller's. */
static enum status read_text(struct opencl *opencl, cl_program program, char **text,
                             struct error *error)
{
	const struct opencl_range range = {.dimensions = 1, .global = {1}, .local = {1}};
	const cl_uint room = TEXT_MAX;
	struct opencl_times times;
	cl_kernel kernel = NULL;
	cl_mem buffer = NULL;
	cl_uint *words = calloc(TEXT_MAX, sizeof *words);
	char *letters = calloc(1, TEXT_MAX + 1);
	cl_int code = CL_SUCCESS;
	enum status status = words != NULL && letters != NULL
	                             ? opencl_kernel(program, "predictd_ask", &kernel, error)
	                             : error_set(error, STATUS_NO_MEMORY, "language: no memory");
	if (status == STATUS_OK)
		status = opencl_buffer(opencl, TEXT_MAX * sizeof *words, &buffer, error);
	if (status != STATUS_OK)
		goto out;
	code = clEnqueueWriteBuffer(opencl->queue, buffer, CL_TRUE, 0, TEXT_MAX * sizeof *words,
	                            words, 0, NULL, NULL);
	if (code == CL_SUCCESS)
		code = clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
	if (code == CL_SUCCESS)
		code = clSetKernelArg(kernel, 1, sizeof room, &room);
	if (code == CL_SUCCESS)
		status = opencl_run(opencl, kernel, &range, &times, error);
	if (code == CL_SUCCESS && status == STATUS_OK)
		code = clEnqueueReadBuffer(opencl->queue, buffer, CL_TRUE, 0,
		                           TEXT_MAX * sizeof *words, words, 0, NULL, NULL);
	if (code != CL_SUCCESS)
		status = opencl_failure("the kernel that asks for macros", code, error);
	if (status != STATUS_OK)
		goto out;
	for (size_t i = 0; i < TEXT_MAX; i++)
		letters[i] = (char)words[i];
	/* its end tells that all of it came */
	if (letters[TEXT_MAX - 1] != '\0' ||
	    strncmp(letters, FIRST_LINE, sizeof FIRST_LINE - 1) != 0) {
		status = error_set(error, STATUS_DEVICE,
		                   "language: want the text of macros, got others");
		goto out;
	}
	*text = letters;
	letters = NULL; /* the caller's */
out:
	if (buffer != NULL)
		clReleaseMemObject(buffer);
	if (kernel != NULL)
		clReleaseKernel(kernel);
	free(words);
	free(letters);
	return status;
}

/* The macros of an answer, which is cut into its lines. */
static enum status read_macros(struct asking *asking, size_t standard, char *text,
                               struct error *error)
{
	struct language_macro *macros = calloc(asking->name_count + 1, sizeof *macros);
	size_t count = 0;
	if (macros == NULL)
		return error_set(error, STATUS_NO_MEMORY, "language: no memory");
	for (char *rest = text + sizeof FIRST_LINE - 1, *line;
	     (line = strsep(&rest, "\n")) != NULL;) {
		char *value = strchr(line, '=');
		if (value == NULL)
			continue;
		*value++ = '\0';
		size_t at = find_name(asking, line), length = strlen(value);
		if (at == asking->name_count || count == asking->name_count)
			continue;
		/* what expands to its own name has arguments, or is as good as undefined */
		if (strcmp(line, value) == 0 || length >= LANGUAGE_VALUE_MAX ||
		    text_clean_bytes(value) != length || (length > 0 && value[length - 1] == '\\'))
			asking->has_no_value[at] = true;
		else
			macros[count++] = (struct language_macro){line, value};
	}
	asking->macros[standard] = macros;
	asking->standards[standard].macros = macros;
	asking->standards[standard].count = count;
	return STATUS_OK;
}

static const char empty[] = "kernel void predictd_empty(global uint *to)\n{\n\tto[0] = 0;\n}\n";

/* Whether an empty kernel is compiled with the option. */
static bool is_taken(struct opencl *opencl, const char *option)
{
	cl_program program;
	struct error ignored;
	if (opencl_build(opencl, empty, sizeof empty - 1, option, &program, &ignored) != STATUS_OK)
		return false;
	clReleaseProgram(program);
	return true;
}

static enum status ask_standard(struct asking *asking, const char *source, size_t size,
                                const char *option, struct error *error)
{
	size_t at = asking->standard_count++;
	cl_program program = NULL;
	struct language_standard *standard = &asking->standards[at];
	standard->option = option;
	enum status status = opencl_build(asking->opencl, source, size, option, &program, error);
	if (status != STATUS_OK && option[0] != '\0' && !is_taken(asking->opencl, option)) {
		standard->is_refused = true;
		return STATUS_OK;
	}
	if (status == STATUS_OK)
		status = read_text(asking->opencl, program, &asking->texts[at], error);
	if (status == STATUS_OK)
		status = read_macros(asking, at, asking->texts[at], error);
	if (program != NULL)
		clReleaseProgram(program);
	return status;
}

/*
 * Tries `count` options: together, since each compilation takes a tenth of a second, and by halves
 * where a compiler refuses those, down to a single one.
 */
static void try_options(struct asking *asking, const char *const *options, size_t count,
                        double end_s)
{
	char line[OPTIONS_MAX * LANGUAGE_NAME_MAX] = "";
	size_t used = 0;
	if (clock_now_s() >= end_s)
		return;
	for (size_t i = 0; i < count; i++)
		used += (size_t)snprintf(line + used, sizeof line - used, "%s%s", i > 0 ? " " : "",
		                         options[i]);
	bool all = is_taken(asking->opencl, line);
	if (!all && count > 1) {
		try_options(asking, options, count / 2, end_s);
		try_options(asking, options + count / 2, count - count / 2, end_s);
		return;
	}
	for (size_t i = 0; i < count; i++)
		asking->options[asking->option_count++] =
		        (struct language_option){options[i], !all};
}

static enum status pack(struct asking *asking, struct device *device, struct error *error)
{
	size_t asked = 0;
	for (size_t i = 0; i < asking->name_count; i++)
		if (!asking->has_no_value[i])
			asking->names[asked++] = asking->names[i];
	const struct language_answers answers = {
	        .origin = LANGUAGE_ASKED,
	        .standards = asking->standards,
	        .standard_count = asking->standard_count,
	        .asked = asking->names,
	        .asked_count = asked,
	        .options = asking->options,
	        .option_count = asking->option_count,
	};
	return language_pack(&answers, device, error);
}

enum status profile_ask(struct opencl *opencl, double end_s, struct device *device,
                        struct error *error)
{
	enum status status = STATUS_OK;
	char *source = NULL;
	size_t size = 0;
	struct asking *asking = calloc(1, sizeof *asking);
	if (asking == NULL)
		return error_set(error, STATUS_NO_MEMORY, "language: no memory");
	asking->opencl = opencl;
	if (lists_init(&asking->lists, opencl->device)) {
		collect_names(asking);
		source = write_source(asking, &size);
	}
	if (source == NULL)
		status = error_set(error, STATUS_NO_MEMORY, "language: no memory");
	for (const char *const *option = language_names(LANGUAGE_NAMES_STANDARD);
	     *option != NULL && status == STATUS_OK && asking->standard_count < STANDARDS_MAX;
	     option++)
		status = ask_standard(asking, source, size, *option, error);
	if (status == STATUS_OK) {
		const char *const *options = language_names(LANGUAGE_NAMES_OPTION);
		size_t count = 0;
		while (options[count] != NULL && count < OPTIONS_MAX)
			count++;
		try_options(asking, options, count, end_s);
		status = pack(asking, device, error);
	}
	free(source);
	for (size_t i = 0; i < STANDARDS_MAX; i++) {
		free(asking->macros[i]);
		free(asking->texts[i]);
	}
	lists_deinit(&asking->lists);
	free(asking);
	return status;
}

/* ---- a process that asks -------------------------------------------------------------------- */

/*
 * Reads until the other end is closed, a profile has no room, or it is late: what is there by then
 * is read.
 */
static enum status read_profile(int from, double end_s, profile_tick *tick, void *context,
                                uint8_t *bytes, size_t *size, struct error *error)
{
	while (*size < DEVICE_LANGUAGE_MAX) {
		struct pollfd waited = {.fd = from, .events = POLLIN};
		bool is_late = clock_now_s() >= end_s;
		int ready = poll(&waited, 1, is_late ? 0 : TICK_MS);
		if (ready > 0) {
			ssize_t got = read(from, bytes + *size, DEVICE_LANGUAGE_MAX - *size);
			if (got <= 0)
				return STATUS_OK;
			*size += (size_t)got;
		} else if (is_late) {
			return STATUS_OK;
		}
		enum status status = tick(context, error);
		if (status != STATUS_OK)
			return status;
	}
	return STATUS_OK;
}

void profile_start(size_t device_index, bool is_quick, struct profile_asker *asker)
{
	char language[] = "--language", option[] = "--device", index[24], quick[] = "--quick";
	char *arguments[] = {NULL, language, option, index, is_quick ? quick : NULL, NULL};
	int ends[2];
	(void)snprintf(index, sizeof index, "%zu", device_index);
	*asker = (struct profile_asker){.child = -1, .answer = -1};
	if (pipe2(ends, O_CLOEXEC) != 0)
		return;
	asker->child = self_start(arguments, -1, ends[1]);
	asker->answer = ends[0];
	(void)close(ends[1]);
}

/* Whether the process has written, or ended, within so many milliseconds. */
static bool has_answered(const struct profile_asker *asker, int most_ms)
{
	struct pollfd waited = {.fd = asker->answer, .events = POLLIN};
	return poll(&waited, 1, most_ms) > 0;
}

enum status profile_wait(const struct profile_asker *asker, double end_s, profile_tick *tick,
                         void *context, struct error *error)
{
	enum status status = STATUS_OK;
	if (asker->child <= 0)
		return STATUS_OK;
	while (status == STATUS_OK && !has_answered(asker, TICK_MS)) {
		if (clock_now_s() >= end_s) {
			(void)kill(asker->child, SIGSTOP);
			break;
		}
		status = tick(context, error);
	}
	return status;
}

enum status profile_finish(struct profile_asker *asker, double end_s, profile_tick *tick,
                           void *context, struct device *device, struct error *error)
{
	size_t size = 0;
	struct error ignored;
	enum status status = STATUS_OK;
	uint8_t *bytes = malloc(DEVICE_LANGUAGE_MAX);
	if (asker->child > 0)
		(void)kill(asker->child, SIGCONT);
	if (bytes == NULL)
		status = error_set(error, STATUS_NO_MEMORY, "language: no memory");
	else if (asker->child > 0)
		status = read_profile(asker->answer, end_s, tick, context, bytes, &size, error);
	if (asker->child > 0) {
		/* a profile is written at once, and last: nothing is lost, and no driver hangs on
		 */
		(void)kill(asker->child, SIGKILL);
		(void)waitpid(asker->child, NULL, 0);
	}
	if (asker->answer >= 0)
		(void)close(asker->answer);
	*asker = (struct profile_asker){.child = -1, .answer = -1};
	if (status == STATUS_OK && size > 0 && language_check(bytes, size, &ignored) == STATUS_OK) {
		memset(device->language, 0, sizeof device->language);
		memcpy(device->language, bytes, size);
		device->language_bytes = (uint32_t)size;
	}
	free(bytes);
	return status;
}
