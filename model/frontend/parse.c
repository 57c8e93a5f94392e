/* SPDX-License-Identifier: Apache-2.0 */
/* One program as a libclang translation unit: arguments, virtual files, diagnostics. */
#include "model/frontend/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* base_header.S: opencl-c-base.h of the libclang that this was built with, and prelude.cl. */
extern const char base_header[], prelude[], vendor[];
extern const unsigned long long base_header_bytes, prelude_bytes, vendor_bytes;

enum { FAULTS_MAX = 64 }; /* as -ferror-limit below */

static const char main_path[] = "/virt/program.cl";

static const char *const fixed_arguments[] = {
        "-x",
        "cl",
        "-cl-no-stdinc",
        "-nostdinc",
        "--no-default-config",
        "--target=spir64",
        "-Xclang",
        "-fdeclare-opencl-builtins",
        "-fgnu-keywords", /* asm, which vendors' compilers know without underscores */
        "-include",
        "/virt/prelude.h",
        "-include",
        "/virt/profile.h",
        "-I/virt/include",
        "-w",
        "-ferror-limit=64",
        "-fno-spell-checking",
        "-fno-caret-diagnostics",
};

/*
 * Where a name leads that may go up: "/virt/x/../y" is "/virt/y". False when nothing is left, or
 * it is too long.
 */
static bool path_resolve(const char *name, char path[FRONTEND_NAME_MAX])
{
	size_t used = 0;
	while (*name != '\0') {
		size_t length = strcspn(name, "/");
		if (length == 2 && name[0] == '.' && name[1] == '.') {
			while (used > 0 && path[--used] != '/')
				continue;
		} else if (length > 0 && !(length == 1 && name[0] == '.')) {
			if (used + length + 2 > FRONTEND_NAME_MAX)
				return false;
			path[used++] = '/';
			(void)memcpy(path + used, name, length);
			used += length;
		}
		name += length + (name[length] == '/');
	}
	path[used] = '\0';
	return used > 0;
}

/*
 * A header's name is where its include directive leads from /virt/include, or an absolute path. It
 * may go up, since it is only ever compared with such names and never opened; but it is none of the
 * files that stand in /virt.
 */
static bool header_name_is_valid(const char *name)
{
	char path[FRONTEND_NAME_MAX];
	size_t bytes = strnlen(name, FRONTEND_NAME_MAX);
	if (bytes == 0 || bytes == FRONTEND_NAME_MAX)
		return false;
	for (size_t i = 0; i < bytes; i++)
		if (!isprint((unsigned char)name[i]))
			return false;
	return name[0] != '/' || (path_resolve(name, path) && strncmp(path, "/virt", 5) != 0);
}

static void printable(char *text)
{
	for (; *text != '\0'; text++)
		if (!isprint((unsigned char)*text))
			*text = '?';
}

static enum status files_fill(struct translation *t, struct error *error)
{
	const struct frontend_program *program = t->program;
	if (program->source_bytes > FRONTEND_SOURCE_MAX)
		return error_set(error, STATUS_LIMIT, "source: at most %d bytes, have %zu",
		                 FRONTEND_SOURCE_MAX, program->source_bytes);
	if (program->header_count > FRONTEND_HEADERS_MAX)
		return error_set(error, STATUS_LIMIT, "headers: at most %d, have %zu",
		                 FRONTEND_HEADERS_MAX, program->header_count);
	t->files = calloc(program->header_count + 6, sizeof(*t->files));
	t->paths = calloc(program->header_count + 1, sizeof(*t->paths));
	if (t->files == NULL || t->paths == NULL)
		return error_set(error, STATUS_NO_MEMORY, "no memory for a program");
	t->files[0] = (struct CXUnsavedFile){main_path, program->source, program->source_bytes};
	t->files[1] = (struct CXUnsavedFile){"/virt/ocl.h", base_header,
	                                     (unsigned long)base_header_bytes};
	t->files[2] =
	        (struct CXUnsavedFile){"/virt/prelude.h", prelude, (unsigned long)prelude_bytes};
	t->files[3] = (struct CXUnsavedFile){"/virt/profile.h", t->profile,
	                                     (unsigned long)strlen(t->profile)};
	t->files[4] = (struct CXUnsavedFile){"/virt/vendor.h", vendor, (unsigned long)vendor_bytes};
	t->file_count = 5;
	size_t total = 0;
	for (size_t i = 0; i < program->header_count; i++) {
		const struct frontend_header *header = &program->headers[i];
		if (!header_name_is_valid(header->name)) {
			char name[96];
			(void)snprintf(name, sizeof(name), "%s", header->name);
			printable(name);
			return error_set(error, STATUS_INVALID,
			                 "header %zu: want a path of at most %d bytes, got \"%s\"",
			                 i, FRONTEND_NAME_MAX - 1, name);
		}
		total += header->bytes;
		if (header->bytes > FRONTEND_SOURCE_MAX || total > FRONTEND_SOURCE_MAX)
			return error_set(error, STATUS_LIMIT, "headers: at most %d bytes together",
			                 FRONTEND_SOURCE_MAX);
		if (asprintf(&t->paths[i], "%s%s", header->name[0] == '/' ? "" : "/virt/include/",
		             header->name) < 0) {
			t->paths[i] = NULL;
			return error_set(error, STATUS_NO_MEMORY, "no memory for a program");
		}
		t->files[t->file_count++] = (struct CXUnsavedFile){t->paths[i], header->text,
		                                                   (unsigned long)header->bytes};
	}
	return STATUS_OK;
}

/* The name in 'quotes' of a diagnostic about something undeclared; false for any other. */
static bool diagnostic_unknown(const char *text, struct fault *fault)
{
	static const char *const phrases[] = {"use of undeclared identifier '",
	                                      "unknown type name '",
	                                      "implicit declaration of function '"};
	for (size_t i = 0; i < sizeof(phrases) / sizeof(phrases[0]); i++) {
		if (strncmp(text, phrases[i], strlen(phrases[i])) != 0)
			continue;
		const char *from = text + strlen(phrases[i]);
		size_t n = 0;
		while (n < 63 && (isalnum((unsigned char)from[n]) || from[n] == '_')) {
			fault->name[n] = from[n];
			n++;
		}
		fault->name[n] = '\0';
		return n > 0;
	}
	return false;
}

/* Whether the name is called where it is written, maybe within a macro. */
static bool is_call(const struct translation *t, CXDiagnostic diagnostic, const char *name)
{
	CXFile file;
	unsigned offset;
	size_t bytes = 0, length = strlen(name);
	clang_getSpellingLocation(clang_getDiagnosticLocation(diagnostic), &file, NULL, NULL,
	                          &offset);
	const char *text = file != NULL ? clang_getFileContents(t->unit, file, &bytes) : NULL;
	if (strcmp(name, "asm") == 0)
		return true; /* asm volatile (...) */
	if (text == NULL || offset + length > bytes || memcmp(text + offset, name, length) != 0)
		return false;
	offset += (unsigned)length;
	while (offset < bytes && isspace((unsigned char)text[offset]))
		offset++;
	return offset < bytes && text[offset] == '(';
}

/* A file that the client sent under an absolute path. */
static bool is_sent_file(const struct translation *t, const char *path)
{
	for (size_t i = 0; i < t->program->header_count; i++)
		if (strcmp(t->program->headers[i].name, path) == 0)
			return true;
	return false;
}

/*
 * The name to print for a location's file: the program's, a header's, or the
 * options'. False for a file that nobody sent: its text is not to be quoted.
 */
static bool location_name(const struct translation *t, CXFile file, char name[96])
{
	const char *program = t->program->name != NULL ? t->program->name : "program";
	CXString path = clang_getFileName(file);
	const char *text = clang_getCString(path);
	if (text == NULL)
		(void)snprintf(name, 96, "build options");
	else if (strcmp(text, main_path) == 0)
		(void)snprintf(name, 96, "%s", program);
	else if (strncmp(text, "/virt/include/", 14) == 0)
		(void)snprintf(name, 96, "%s", text + 14);
	else
		(void)snprintf(name, 96, "%s", text);
	bool is_sent = text == NULL || strncmp(text, "/virt/", 6) == 0 || is_sent_file(t, text);
	clang_disposeString(path);
	printable(name);
	return is_sent;
}

/* 'NAME' file not found: what is wanted, and by which file, for who may know where it lies. */
static void header_want(struct translation *t, CXFile file, const char *text)
{
	struct frontend_report *report = &t->report;
	const char *end = strstr(text, "' file not found");
	if (text[0] != '\'' || end == NULL || end - text - 1 >= FRONTEND_NAME_MAX ||
	    report->header[0] != '\0')
		return;
	CXString path = clang_getFileName(file);
	const char *from = clang_getCString(path);
	if (from != NULL && strncmp(from, "/virt/include/", 14) == 0)
		from += 14;
	else if (from == NULL || !is_sent_file(t, from))
		from = "";
	if (strlen(from) < FRONTEND_NAME_MAX) {
		(void)memcpy(report->header, text + 1, (size_t)(end - text) - 1);
		report->header[end - text - 1] = '\0';
		(void)snprintf(report->header_from, FRONTEND_NAME_MAX, "%s", from);
		printable(report->header);
		printable(report->header_from);
	}
	clang_disposeString(path);
}

/* The top-level declaration around a place of a file. */
struct enclosing {
	CXFile file;
	unsigned offset;
	CXCursor found; /* null: none */
};

static bool cursor_contains(CXCursor cursor, CXFile file, unsigned offset)
{
	CXSourceRange extent = clang_getCursorExtent(cursor);
	CXFile first_file, last_file;
	unsigned first, last;
	clang_getExpansionLocation(clang_getRangeStart(extent), &first_file, NULL, NULL, &first);
	clang_getExpansionLocation(clang_getRangeEnd(extent), &last_file, NULL, NULL, &last);
	return file != NULL && first_file == file && last_file == file && first <= offset &&
	       offset <= last;
}

static enum CXChildVisitResult visit_enclosing(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct enclosing *enclosing = data;
	(void)parent;
	if (!cursor_contains(cursor, enclosing->file, enclosing->offset))
		return CXChildVisit_Continue;
	enclosing->found = cursor;
	return CXChildVisit_Break;
}

/*
 * Who uses an undeclared name: a function, a struct or a variable; else `unknown` is set, since
 * anything may follow from it.
 */
static void fault_place(struct translation *t, const struct fault *fault)
{
	struct enclosing enclosing = {fault->file, fault->offset, clang_getNullCursor()};
	(void)clang_visitChildren(clang_getTranslationUnitCursor(t->unit), visit_enclosing,
	                          &enclosing);
	enum CXCursorKind kind = clang_getCursorKind(enclosing.found);
	t->faults[t->fault_count] = *fault;
	t->faults[t->fault_count++].is_variable = kind == CXCursor_VarDecl;
	if (kind != CXCursor_FunctionDecl && kind != CXCursor_StructDecl &&
	    kind != CXCursor_UnionDecl && kind != CXCursor_VarDecl && t->unknown[0] == '\0')
		(void)memcpy(t->unknown, fault->name, sizeof(t->unknown));
}

/* Whether an error at that place follows from a name that is undeclared. */
static bool is_consequence(const struct translation *t, CXFile file, unsigned offset)
{
	struct enclosing enclosing = {file, offset, clang_getNullCursor()};
	if (t->unknown[0] != '\0')
		return true;
	(void)clang_visitChildren(clang_getTranslationUnitCursor(t->unit), visit_enclosing,
	                          &enclosing);
	return translation_fault(t, enclosing.found) != NULL;
}

const struct fault *translation_fault(const struct translation *t, CXCursor declaration)
{
	for (unsigned i = 0; i < t->fault_count && !clang_Cursor_isNull(declaration); i++)
		if (cursor_contains(declaration, t->faults[i].file, t->faults[i].offset))
			return &t->faults[i];
	return NULL;
}

void fault_say(const struct fault *fault, char *text, size_t room)
{
	if (fault->is_function)
		(void)snprintf(text, room, "unknown function, type or macro %.60s", fault->name);
	else if (strlen(fault->name) > 24) /* twice would not fit */
		(void)snprintf(text, room, "%.60s is defined nowhere: -D would", fault->name);
	else
		(void)snprintf(text, room, "%s is defined nowhere: -D%s= would define it",
		               fault->name, fault->name);
}

static enum status syntax_error(struct translation *t, CXDiagnostic diagnostic, const char *text,
                                struct error *error)
{
	CXFile file;
	unsigned line, column;
	char name[96], message[160];
	clang_getExpansionLocation(clang_getDiagnosticLocation(diagnostic), &file, &line, &column,
	                           NULL);
	bool is_sent = location_name(t, file, name);
	(void)snprintf(message, sizeof(message), "%.150s",
	               is_sent ? text : "not a file of this program");
	printable(message);
	if (is_sent)
		header_want(t, file, text);
	return error_set(error, STATUS_SYNTAX, "%s:%u:%u: %s", name, line, column, message);
}

/* Looks at the errors: an unknown name is recorded, anything else that does not follow from
 * one is a syntax error. */
static enum status diagnostics_check(struct translation *t, struct error *error)
{
	unsigned count = clang_getNumDiagnostics(t->unit);
	enum status status = STATUS_OK;
	t->faults = calloc(FAULTS_MAX, sizeof(*t->faults));
	if (t->faults == NULL)
		return error_set(error, STATUS_NO_MEMORY, "no memory for diagnostics");
	for (unsigned i = 0; i < count && status == STATUS_OK && !t->is_skipped; i++) {
		CXDiagnostic diagnostic = clang_getDiagnostic(t->unit, i);
		enum CXDiagnosticSeverity severity = clang_getDiagnosticSeverity(diagnostic);
		if (severity >= CXDiagnostic_Error) {
			CXString spelling = clang_getDiagnosticSpelling(diagnostic);
			const char *text = clang_getCString(spelling);
			struct fault fault = {0};
			clang_getExpansionLocation(clang_getDiagnosticLocation(diagnostic),
			                           &fault.file, NULL, NULL, &fault.offset);
			bool is_first = t->fault_count == 0 && t->unknown[0] == '\0';
			if (text == NULL)
				text = "";
			if (diagnostic_unknown(text, &fault)) {
				fault.is_function = is_call(t, diagnostic, fault.name);
				if (t->fault_count < FAULTS_MAX)
					fault_place(t, &fault);
			} else if (severity == CXDiagnostic_Fatal && !is_first) {
				t->is_skipped = true; /* too many errors: nothing after it */
			} else if (!is_consequence(t, fault.file, fault.offset)) {
				status = syntax_error(t, diagnostic, text, error);
			}
			clang_disposeString(spelling);
		}
		clang_disposeDiagnostic(diagnostic);
	}
	return status;
}

static enum status unit_parse(struct translation *t, unsigned flags, struct error *error)
{
	enum {
		FIXED = sizeof(fixed_arguments) / sizeof(fixed_arguments[0]),
		OWN = 1 + UNDECLARED_ARGUMENTS_MAX /* beside those of the options */
	};
	const char **arguments = calloc(FIXED + OWN + t->options.count, sizeof(*arguments));
	if (arguments == NULL)
		return error_set(error, STATUS_NO_MEMORY, "no memory for a program");
	(void)memcpy(arguments, fixed_arguments, sizeof(fixed_arguments));
	unsigned count = FIXED;
	arguments[count++] = t->standard;
	for (unsigned i = 0; i < t->options.count; i++)
		arguments[count++] = t->options.arguments[i];
	count += undeclared_arguments(t, &arguments[count]);
	enum CXErrorCode code =
	        clang_parseTranslationUnit2(t->index, main_path, arguments, (int)count, t->files,
	                                    t->file_count, flags, &t->unit);
	free(arguments);
	if (code != CXError_Success || t->unit == NULL)
		return error_set(error, STATUS_INTERNAL, "libclang failed with code %d", (int)code);
	return STATUS_OK;
}

static void unit_dispose(struct translation *t)
{
	if (t->unit != NULL)
		clang_disposeTranslationUnit(t->unit);
	t->unit = NULL;
	t->other = NULL;
	free(t->faults);
	t->faults = NULL;
	t->fault_count = 0;
	t->unknown[0] = '\0';
	t->is_skipped = false;
}

/* Parses anew with what `t` says of extensions and unknown functions, and looks at the errors. */
static enum status unit_check(struct translation *t, struct error *error)
{
	unit_dispose(t);
	enum status status = unit_parse(t, CXTranslationUnit_None, error);
	return status == STATUS_OK ? diagnostics_check(t, error) : status;
}

/*
 * With the extensions that the program mentions; without them where it defines such names
 * itself. Then with its undeclared functions taken as unknown ones, if that makes sense of it.
 */
static enum status unit_open(struct translation *t, struct error *error)
{
	struct error first;
	undeclared_extensions(t);
	enum status status = unit_check(t, error);
	if (status == STATUS_SYNTAX && t->extensions != 0) {
		t->extensions = 0;
		status = unit_check(t, error);
	}
	if (status != STATUS_OK || t->is_skipped || t->fault_count == 0)
		return status;
	unsigned faults = t->fault_count;
	status = undeclared_functions(t, error);
	if (status != STATUS_OK || t->unknown_functions == NULL)
		return status;
	status = unit_check(t, &first);
	if (status == STATUS_OK && t->fault_count < faults)
		return status;
	t->has_unknown_functions = false;
	return unit_check(t, error);
}

enum status translation_open(struct translation *t, const struct frontend_program *program,
                             struct error *error)
{
	*t = (struct translation){.program = program};
	enum status status =
	        option_list_parse(program->options, program->language, &t->options, error);
	if (status != STATUS_OK)
		return status;
	status = profile_make(program->language, &t->options, &t->profile, t->standard,
	                      t->report.language, error);
	if (status == STATUS_OK)
		status = files_fill(t, error);
	if (status != STATUS_OK)
		goto out;
	t->index = clang_createIndex(0, 0);
	if (t->index == NULL) {
		status = error_set(error, STATUS_NO_MEMORY, "libclang has no index");
		goto out;
	}
	status = unit_open(t, error);
	if (status == STATUS_OK && t->is_skipped) {
		/* the kernels' names and arguments are still to be had without the bodies */
		if (t->unknown[0] == '\0')
			(void)memcpy(t->unknown, t->faults[0].name, sizeof(t->unknown));
		clang_disposeTranslationUnit(t->unit);
		t->unit = NULL;
		status = unit_parse(t, CXTranslationUnit_SkipFunctionBodies, error);
	}
	if (status == STATUS_OK)
		t->main = clang_getFile(t->unit, main_path);

out:
	if (status != STATUS_OK) {
		struct frontend_report report = t->report; /* a header that it wants */
		translation_close(t);
		t->report = report;
	}
	return status;
}

void translation_close(struct translation *t)
{
	unit_dispose(t);
	if (t->index != NULL)
		clang_disposeIndex(t->index);
	if (t->paths != NULL)
		for (size_t i = 0; i < t->program->header_count; i++)
			free(t->paths[i]);
	free(t->paths);
	free(t->profile);
	free(t->files);
	free(t->unknown_functions);
	option_list_free(&t->options);
	*t = (struct translation){0};
}

unsigned cursor_line(CXCursor cursor)
{
	unsigned line;
	clang_getExpansionLocation(clang_getCursorLocation(cursor), NULL, &line, NULL, NULL);
	return line;
}

unsigned cursor_line_in(CXCursor cursor, CXFile *file)
{
	unsigned line;
	clang_getExpansionLocation(clang_getCursorLocation(cursor), file, &line, NULL, NULL);
	return line;
}

bool translation_file_name(const struct translation *t, CXFile file, char name[96])
{
	CXString path = clang_getFileName(file);
	const char *text = clang_getCString(path);
	bool is_main = text != NULL && strcmp(text, main_path) == 0;
	bool is_clients = text != NULL && (is_main || strncmp(text, "/virt/", 6) != 0 ||
	                                   strncmp(text, "/virt/include/", 14) == 0);
	clang_disposeString(path);
	if (is_main)
		name[0] = '\0';
	return is_main || (is_clients && location_name(t, file, name));
}

bool translation_text(struct translation *t, CXSourceLocation location, const char **text,
                      size_t *offset, size_t *bytes)
{
	CXFile file;
	unsigned at;
	clang_getSpellingLocation(location, &file, NULL, NULL, &at);
	if (file == NULL)
		return false;
	if (file == t->main) {
		*text = t->program->source;
		*bytes = t->program->source_bytes;
	} else {
		if (file != t->other) {
			t->other = file;
			t->other_text = clang_getFileContents(t->unit, file, &t->other_bytes);
		}
		*text = t->other_text;
		*bytes = t->other_bytes;
	}
	*offset = at;
	return *text != NULL && at <= *bytes;
}
