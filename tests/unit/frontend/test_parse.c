/* SPDX-License-Identifier: Apache-2.0 */
/* What comes from outside: options, headers, errors, hostile sources, and a process without files.
 */
#include "tests/test.h"

#include <errno.h>
#include <pthread.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/frontend/analysis.h"

static void allowed_options_pass(void **state)
{
	static const char *const options[] = {
	        NULL,
	        "",
	        "  ",
	        "-DN=4 -D M -UZ -U Y",
	        "-D 'N=4 + 5' \"-DX=a b\" -DF(x)=x",
	        "-DS=\\\"text\\\"",
	        "-cl-std=CL2.0 -cl-fast-relaxed-math -cl-mad-enable -w -Werror",
	        "-I. -I /usr/include -cl-nv-verbose -cl-nv-maxrregcount=32 -cl-kernel-arg-info",
	        "-g -O3 -Wall -save-temps=x -cl-nv-maxrregcount 32 -cl-nv-opt-level 3 -w",
	        "-cl-intel-greater-than-4GB-buffer-required -qcom-enable-large-buffer",
	        "-fno-bin-llvmir -mwavefrontsize64 -cl-amd-x -cl-arm-x -cl-ext=+all -spir-std=1.2",
	};
	struct error error;
	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (frontend_check_options(options[i], &error) != STATUS_OK)
			fail_msg("%s: %s", options[i], error.text);
}

static void options_that_touch_files_are_refused_by_name(void **state)
{
	static const char *const options[][2] = {
	        {"-MD", "-MD"},
	        {"-DN=4 -MD -MF x", "-MD"},
	        {"-include x", "-include"},
	        {"-Xclang -load", "-Xclang"},
	        {"-fmodules-cache-path=/tmp", "-fmodules-cache-path=/tmp"},
	        {"-fplugin=x.so", "-fplugin=x.so"},
	        {"-o out", "-o"},
	        {"-Wp,-MD,x", "-Wp,-MD,x"},
	        {"-Wl,-rpath=/", "-Wl,-rpath=/"},
	        {"-mllvm -load=x", "-mllvm"},
	        {"--sysroot=/", "--sysroot=/"},
	        {"-isystem /usr/include", "-isystem"},
	        {"-ftime-trace=x", "-ftime-trace=x"},
	        {"-gsplit-dwarf", "-gsplit-dwarf"},
	        {"\"-M\"D", "-MD"},
	};
	struct error error;
	char want[128];
	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		assert_int_equal(frontend_check_options(options[i][0], &error), STATUS_INVALID);
		(void)snprintf(want, sizeof(want),
		               "build option %s is not allowed: it touches files, or passes "
		               "arguments on",
		               options[i][1]);
		assert_string_equal(error.text, want);
		assert_int_equal(analyse_status("kernel void f() {}", options[i][0], &error),
		                 STATUS_INVALID);
	}
}

static void what_nobody_knows_is_refused_by_name(void **state)
{
	static const char *const options[] = {"-cl-std=CL9.9",   "x.cl", "@file",
	                                      "-cl-mad-enable2", "-zzz", "32"};
	struct error error;
	char want[128];
	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		assert_int_equal(frontend_check_options(options[i], &error), STATUS_INVALID);
		(void)snprintf(want, sizeof(want),
		               "build option %s is not one of OpenCL's or of a known vendor's",
		               options[i]);
		assert_string_equal(error.text, want);
	}
}

static void definitions_must_be_definitions(void **state)
{
	struct error error;
	(void)state;
	assert_int_equal(frontend_check_options("-D", &error), STATUS_INVALID);
	assert_int_equal(frontend_check_options("-D -MD", &error), STATUS_INVALID);
	assert_int_equal(frontend_check_options("-U 4", &error), STATUS_INVALID);
	assert_int_equal(frontend_check_options("-D '4=x'", &error), STATUS_INVALID);
	assert_int_equal(frontend_check_options("-D 'X=1\n#include <y>'", &error), STATUS_INVALID);
}

static void option_bytes_are_bounded(void **state)
{
	struct error error;
	char *long_one = malloc(FRONTEND_OPTIONS_MAX + 2);
	(void)state;
	assert_non_null(long_one);
	(void)memset(long_one, ' ', FRONTEND_OPTIONS_MAX + 1);
	long_one[FRONTEND_OPTIONS_MAX + 1] = '\0';
	assert_int_equal(frontend_check_options(long_one, &error), STATUS_LIMIT);
	free(long_one);
}

static void definitions_reach_the_source(void **state)
{
	(void)state;
	struct ir_kernel *k =
	        analyse("kernel void f(global T *a) { a[N] = (ADD(1, 2)); }",
	                "-DN=7 -D 'T=unsigned int' -D 'ADD(x,y)=x + y' -DGONE=1 -UGONE");
	assert_int_equal(access_of(k, ACCESS_STORE, "a")->offset_bytes, 28);
	assert_int_equal(k->arguments[0].type.scalar, SCALAR_UINT);
	kernel_free(k);
}

static void syntax_error_says_where(void **state)
{
	struct error error;
	(void)state;
	assert_int_equal(
	        analyse_status("kernel void f(global int *a) {\n  a[0] = ;\n}", NULL, &error),
	        STATUS_SYNTAX);
	assert_string_equal(error.text, "test.cl:2:10: expected expression");
	assert_int_equal(
	        analyse_status("#include \"/etc/passwd\"\nkernel void f() {}", NULL, &error),
	        STATUS_SYNTAX);
	assert_null(strstr(error.text, "root"));
	assert_int_equal(analyse_status("#error \x01\x02 bad\n", NULL, &error), STATUS_SYNTAX);
	for (const char *c = error.text; *c != '\0'; c++)
		assert_in_range(*c, ' ', '~');
}

static void headers_of_the_client_are_found(void **state)
{
	static const char source[] = "#include \"lib/scale.h\"\n"
	                             "kernel void f(global float *a) { a[0] = SCALE * a[1]; }";
	static const char scale[] = "#include \"base.h\"\n#define SCALE BASE\n";
	static const char base[] = "#define BASE 3.0f\n";
	struct frontend_header headers[] = {{"lib/scale.h", scale, sizeof(scale) - 1},
	                                    {"lib/base.h", base, sizeof(base) - 1}};
	struct frontend_program program = {.name = "x.cl",
	                                   .source = source,
	                                   .source_bytes = sizeof(source) - 1,
	                                   .headers = headers,
	                                   .header_count = 2};
	struct ir_kernel **kernels;
	size_t count;
	struct error error;
	(void)state;
	assert_int_equal(frontend_analyse(&program, &kernels, &count, NULL, &error), STATUS_OK);
	assert_int_equal(count, 1);
	assert_string_equal(kernels[0]->unsupported, "");
	frontend_free(kernels, count);
}

static void headers_above_the_program_are_found(void **state)
{
	static const char source[] = "#include \"../up/scale.h\"\n"
	                             "kernel void f(global float *a) { a[0] = SCALE * a[1]; }";
	static const char scale[] = "#include \"../base.h\"\n#define SCALE BASE\n";
	static const char base[] = "#define BASE 3.0f\n";
	struct frontend_header headers[] = {{"../up/scale.h", scale, sizeof(scale) - 1},
	                                    {"../up/../base.h", base, sizeof(base) - 1}};
	struct frontend_program program = {.name = "x.cl",
	                                   .source = source,
	                                   .source_bytes = sizeof(source) - 1,
	                                   .headers = headers,
	                                   .header_count = 2};
	struct ir_kernel **kernels;
	size_t count;
	struct error error;
	(void)state;
	if (frontend_analyse(&program, &kernels, &count, NULL, &error) != STATUS_OK)
		fail_msg("%s", error.text);
	assert_int_equal(count, 1);
	assert_string_equal(kernels[0]->unsupported, "");
	frontend_free(kernels, count);
}

/* A header by its name alone, and what its analysis tells. */
static enum status analyse_with(const char *source, const char *name, const char *text,
                                struct frontend_report *report, struct error *error)
{
	struct frontend_header header = {name, text, strlen(text)};
	struct frontend_program program = {.name = "x.cl",
	                                   .source = source,
	                                   .source_bytes = strlen(source),
	                                   .headers = &header,
	                                   .header_count = 1};
	struct ir_kernel **kernels;
	size_t count;
	enum status status = frontend_analyse(&program, &kernels, &count, report, error);
	if (status == STATUS_OK) {
		assert_int_equal(count, 1);
		frontend_free(kernels, count);
	}
	return status;
}

static void absolute_headers_are_found(void **state)
{
	static const char source[] = "#include \"/no/where/scale.h\"\n"
	                             "kernel void f(global float *a) { a[0] = SCALE * a[1]; }";
	struct frontend_report report;
	struct error error;
	(void)state;
	assert_int_equal(
	        analyse_with(source, "/no/where/scale.h", "#define SCALE 2\n", &report, &error),
	        STATUS_OK);
	assert_string_equal(report.header, "");
	/* an error in it names it, and quotes it: the client sent it */
	assert_int_equal(analyse_with(source, "/no/where/scale.h",
	                              "#define SCALE )\nconstant int x =;\n", &report, &error),
	                 STATUS_SYNTAX);
	assert_string_equal(error.text, "/no/where/scale.h:2:17: expected expression");
}

static void a_header_that_is_missing_is_named_as_the_preprocessor_has_it(void **state)
{
	static const struct {
		const char *source, *header, *wanted, *from;
	} rows[] = {
	        {"#define STR_(x) #x\n#define STR(x) STR_(x)\n#define DIR inc\n"
	         "#include STR(DIR/factor.h)\n",
	         "", "inc/factor.h", ""},
	        {"#define H \"a b.h\"\n#include H\n", "", "a b.h", ""},
	        {"#define H </abs/c.h>\n#include H\n", "", "/abs/c.h", ""},
	        {"#include \"up/h.h\"\n", "#define N \"next.h\"\n#include N\n", "next.h", "up/h.h"},
	        {"#include \"gone.h\"\n", "", "gone.h", ""},
	};
	struct frontend_report report;
	struct error error;
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		assert_int_equal(
		        analyse_with(rows[i].source, "up/h.h", rows[i].header, &report, &error),
		        STATUS_SYNTAX);
		assert_string_equal(report.header, rows[i].wanted);
		assert_string_equal(report.header_from, rows[i].from);
		assert_non_null(strstr(error.text, "file not found"));
	}
	assert_int_equal(analyse_with("int x = ;\n", "up/h.h", "", &report, &error), STATUS_SYNTAX);
	assert_string_equal(report.header, "");
}

static void program_without_kernels_has_none(void **state)
{
	struct frontend_program program = {.source = "", .source_bytes = 0};
	struct ir_kernel **kernels;
	size_t count = 1;
	struct error error;
	(void)state;
	assert_int_equal(frontend_analyse(&program, &kernels, &count, NULL, &error), STATUS_OK);
	assert_int_equal(count, 0);
	frontend_free(kernels, count);
}

/* ---- in a child ------------------------------------------------------------------------------ */

static const char *child_source, *child_reason;

static void *child_thread(void *data)
{
	struct error error;
	(void)data;
	enum status status = analyse_status(child_source, NULL, &error);
	if (status == STATUS_OK && child_reason != NULL)
		assert_unsupported(child_source, child_reason);
	return status == STATUS_OK ? NULL : (void *)&child_source;
}

/* 0: analysed; 1: refused; other: killed. The stack is the analyser's. */
static int in_child(const char *source)
{
	child_source = source;
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		pthread_t thread;
		pthread_attr_t attributes;
		void *result;
		struct rlimit none = {0, 0}, minute = {60, 60};
		(void)setrlimit(RLIMIT_CORE, &none);
		(void)setrlimit(RLIMIT_CPU, &minute);
		(void)freopen("/dev/null", "w", stderr);
		if (pthread_attr_init(&attributes) != 0 ||
		    pthread_attr_setstacksize(&attributes, 64 << 20) != 0 ||
		    pthread_create(&thread, &attributes, child_thread, NULL) != 0 ||
		    pthread_join(thread, &result) != 0)
			_exit(9);
		_exit(result == NULL ? 0 : 1);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* before + part * count + middle + close * count + after */
static char *repeated(const char *before, const char *part, const char *middle, const char *close,
                      size_t count, const char *after)
{
	size_t bytes = strlen(before) + strlen(middle) + strlen(after) + 1 +
	               count * (strlen(part) + strlen(close));
	char *text = malloc(bytes), *at = text;
	assert_non_null(text);
	at = stpcpy(at, before);
	for (size_t i = 0; i < count; i++)
		at = stpcpy(at, part);
	at = stpcpy(at, middle);
	for (size_t i = 0; i < count; i++)
		at = stpcpy(at, close);
	(void)stpcpy(at, after);
	return text;
}

static void deep_sources_end_in_a_refusal_or_in_the_child(void **state)
{
	static const char begin[] = "kernel void f(global int *a, int n) { ";
	(void)state;
	char *sources[] = {
	        repeated("kernel void f(global int *a, int n) { a[0] = ", "- ", "n", "", 100000,
	                 "; }"),
	        repeated("kernel void f(global int *a, int n) { a[0] = ", "(int)", "n", "", 100000,
	                 "; }"),
	        /* libclang takes time with the square of it */
	        repeated(begin, "if (n == 1) a[0] = 1; else ", ";", "", 5000, " }"),
	        repeated("kernel void f(global int *a, int n) { a[0] = n", "+ n", "", "", 50000,
	                 "; }"),
	        repeated(begin, "{", "", "}", 200, " }"),
	        repeated(begin, "for (int i = 0; i < n; i++) ", "a[0]++;", "", 250, " }"),
	        repeated("kernel void f(global int *a, int n) { a[0] = ", "n ? 1 : ", "2", "",
	                 30000, "; }"),
	};
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		int rc = in_child(sources[i]);
		/* libclang may overflow its own stack: the child's death is a refusal too */
		if (rc != 0 && rc != 1 && rc != 128 + SIGSEGV && rc != 128 + SIGABRT &&
		    rc != 128 + SIGBUS)
			fail_msg("source %zu: %d", i, rc);
		free(sources[i]);
	}
}

static void moderate_depth_is_a_reason_and_no_crash(void **state)
{
	(void)state;
	char *source = repeated("kernel void f(global int *a, int n) { a[0] = ", "- ", "n", "",
	                        3000, "; }");
	child_reason = "nested more than 2000 deep";
	assert_int_equal(in_child(source), 0);
	child_reason = NULL;
	free(source);
	source = repeated("kernel void f(global int *a, int n) { ", "for (int i = 0; i < n; i++) ",
	                  "a[0]++;", "", 140, " }");
	struct error error;
	assert_int_equal(analyse_status(source, NULL, &error), STATUS_OK);
	free(source);
}

static void inline_bombs_are_bounded(void **state)
{
	char source[8192], *at = source;
	(void)state;
	at += sprintf(at, "int f0(int x) { return x * 3 + 1; }\n");
	for (int i = 1; i < 28; i++)
		at += sprintf(at, "int f%d(int x) { return f%d(x) + f%d(x + 1); }\n", i, i - 1,
		              i - 1);
	(void)sprintf(at, "kernel void k(global int *a) { a[0] = f27(a[1]); }");
	assert_unsupported(source, "line");
}

static void hostile_oddities_end(void **state)
{
	static const char *const sources[] = {
	        "kernel void f(global int *a) { int t[1 << 28]; t[a[0]] = 1; a[1] = t[a[2]]; }",
	        "constant int t[] = {[0 ... 1 << 20] = 1}; kernel void f(global int *a) { a[0] = "
	        "t[a[1]]; }",
	        "struct s { struct s *p; int x; }; kernel void f(global struct s *a) { a[0].p->x = "
	        "1; }",
	        "kernel void f(global int *a) { for (;;) ; }",
	        "kernel void f(global int *a) { while (1) { a[0]++; } a[1] = 1; }",
	        "kernel void f(global int *a) { switch (a[0]) ; }",
	        "kernel void f(global int *a) { switch (a[0]) { int x; x = 1; case 1: a[1] = x; } "
	        "}",
	        "kernel void f(global int *a) { switch (a[0]) { case 1: if (a[1]) { case 2: a[2] = "
	        "1; } } }",
	        "kernel void f(global int *a) { if (0) { l: a[0] = 1; } }",
	        "kernel void f(global int *a) { ({ a[0] = 1; a[1]; }); }",
	        "kernel void f(global int *a) { int x = 0x7fffffff; x++; a[x] = -x / 0 + x % 0; }",
	        "kernel void f(global int *a) { a[-9223372036854775807L] = 1; "
	        "a[0x7fffffffffffffffL] = 2; }",
	        "kernel void f(global int *a) { int x; int *p = &x; int **q = &p; **q = 3; a[0] = "
	        "x; }",
	        "kernel void f(global int *a) { int *p; a[0] = *p; }",
	        "kernel void f(global int *a) { int *p = 0; a[0] = *p; }",
	        "kernel void f(global int *a) { float4 v; a[0] = v[a[1]]; }",
	        "kernel void f(global char *a) { global int *p = (global int *)(a + 1); *p = 1; "
	        "p++; *p = 2; }",
	        "kernel void f(global int *a) { int i = 3; ((char *)&i)[1] = 2; a[0] = i; }",
	        "kernel void f(global int *a) { return; a[0] = 1; }",
	        "kernel void f(global int *a) { do { if (a[0]) continue; break; } while (a[1]); }",
	        "kernel void g(global int *a); kernel void f(global int *a) { g(a); } kernel void "
	        "g(global int *a) { a[0] = 1; }",
	        "void h(void); kernel void f(global int *a) { h(); }",
	        "kernel void f(global int *a) { typedef int T; T x = a[0]; struct { T y; } s = "
	        "{x}; a[1] = s.y; }",
	        "kernel void f(global int *restrict const a, const volatile global int *b) { a[0] "
	        "= b[0] + b[0]; }",
	        "kernel void f(global int *a) { a[0] = sizeof(int[a[1]]); }",
	        "kernel void f(global int *a) { const char *s = \"x\"; a[0] = s[0]; }",
	        "kernel void f(global int *a) { int2 v = (int2)(1, 2); int2 *p = &v; p->x = 3; "
	        "p->yx = v; a[0] = v.x; }",
	        "kernel void f(global int *a) { event_t e; wait_group_events(1, &e); }",
	        "kernel void f(global int (*a)[4], int i) { a[i][2] = a[0][i]; }",
	        "kernel void f(global int *a) { int b[2][2] = {{1}, {2, 3}}; int s = 0; for (int i "
	        "= 0; i < 2; i++) s += b[i][1]; a[0] = s; }",
	        "kernel void f(global int *a) { asm(\"nop\"); }",
	        "kernel void f(int a, int a) {}",
	        "kernel kernel kernel",
	        "#pragma clang __debug crash\nkernel void f() {}",
	        "\xff\xfe\x00",
	};
	(void)state;
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		int rc = in_child(sources[i]);
		if (rc != 0 && rc != 1 && strstr(sources[i], "__debug") == NULL)
			fail_msg("%s: %d", sources[i], rc);
	}
}

/* After the warm-up nothing is opened, looked up or executed. */
static void a_process_without_files_still_parses(void **state)
{
	(void)state;
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct error error;
		if (clearenv() != 0 || frontend_warm_up(&error) != STATUS_OK)
			_exit(2);
		static const int denied[] = {
		        SCMP_SYS(open),     SCMP_SYS(openat), SCMP_SYS(stat),
		        SCMP_SYS(lstat),    SCMP_SYS(access), SCMP_SYS(newfstatat),
		        SCMP_SYS(readlink), SCMP_SYS(execve), SCMP_SYS(socket),
		        SCMP_SYS(statx),    SCMP_SYS(getcwd), SCMP_SYS(faccessat)};
		scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
		if (filter == NULL)
			_exit(3);
		for (size_t i = 0; i < sizeof(denied) / sizeof(denied[0]); i++)
			if (seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), denied[i], 0) != 0)
				_exit(4);
		if (seccomp_load(filter) != 0)
			_exit(5);
		enum status good = analyse_status(
		        "kernel void f(global float *a) { a[0] = as_float(3) + sqrt(a[1]); }",
		        "-cl-std=CL3.0 -DX=1", &error);
		enum status bad = analyse_status("#include \"/etc/passwd\"\n", NULL, &error);
		_exit(good == STATUS_OK && bad == STATUS_SYNTAX ? 0 : 6);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static enum status with_header(const char *name, size_t bytes, struct error *error)
{
	static const char text[] = "int of_a_header;";
	const struct frontend_header header = {.name = name, .text = text, .bytes = bytes};
	const struct frontend_program program = {
	        .name = "x.cl",
	        .source = "kernel void f(global int *a) { a[0] = 1; }",
	        .source_bytes = 42,
	        .headers = &header,
	        .header_count = 1};
	struct ir_kernel **kernels;
	size_t count;
	enum status status = frontend_analyse(&program, &kernels, &count, NULL, error);
	if (status == STATUS_OK)
		frontend_free(kernels, count);
	return status;
}

static void programs_and_headers_are_bounded(void **state)
{
	static char long_name[600];
	static const char *const names[] = {"",       "/virt/prelude.h", "/a/../virt/x.h",
	                                    "a\nb.h", "a\x80.h",         long_name};
	static struct frontend_header headers[FRONTEND_HEADERS_MAX + 1];
	struct frontend_program program = {.name = "x.cl", .source = "", .source_bytes = 0};
	struct ir_kernel **kernels;
	struct error error;
	size_t count;
	(void)state;
	memset(long_name, 'a', sizeof long_name - 1);
	assert_int_equal(with_header("ok.h", 8, &error), STATUS_OK);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		assert_int_equal(with_header(names[i], 8, &error), STATUS_INVALID);
		assert_non_null(strstr(error.text, "header 0: want a path of at most 512 bytes"));
		for (const char *c = error.text; *c != '\0'; c++)
			assert_in_range(*c, ' ', '~');
	}
	assert_int_equal(with_header("big.h", FRONTEND_SOURCE_MAX + 1, &error), STATUS_LIMIT);
	assert_string_equal(error.text, "headers: at most 16777216 bytes together");
	program.headers = headers;
	program.header_count = FRONTEND_HEADERS_MAX + 1;
	assert_int_equal(frontend_analyse(&program, &kernels, &count, NULL, &error), STATUS_LIMIT);
	assert_string_equal(error.text, "headers: at most 256, have 257");
	/* two of them, each within the bound */
	headers[0] = (struct frontend_header){
	        .name = "a.h", .text = "", .bytes = FRONTEND_SOURCE_MAX / 2 + 1};
	headers[1] = headers[0];
	headers[1].name = "b.h";
	program.header_count = 2;
	assert_int_equal(frontend_analyse(&program, &kernels, &count, NULL, &error), STATUS_LIMIT);
	program.header_count = 0;
	program.source_bytes = FRONTEND_SOURCE_MAX + 1;
	assert_int_equal(frontend_analyse(&program, &kernels, &count, NULL, &error), STATUS_LIMIT);
	assert_string_equal(error.text, "source: at most 16777216 bytes, have 16777217");
}

static void errors_name_the_file_that_they_are_in(void **state)
{
	static const struct {
		const char *source, *options, *header, *text;
	} rows[] = {
	        {"constant int a = ;", NULL, "", "x.cl:1:18: expected expression"},
	        {"#include \"h.h\"\n", NULL, "constant int b = ;", "h.h:1:18: expected expression"},
	        {"constant int a = X;", "-DX=)", "", "x.cl:1:18: expected expression"},
	        {"#include \"no.h\"\n", NULL, "", "x.cl:1:10: 'no.h' file not found"},
	        {"#include \"/no.h\"\n", NULL, "", "x.cl:1:10: '/no.h' file not found"},
	        {"#error gr\xc3\xb6\xc3\x9f\n", NULL, "", "x.cl:1:2: gr????"},
	        {"kernel int f(void) { return 1; }", NULL, "",
	         "x.cl:1:12: kernel must have void return type"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct frontend_header header = {
		        .name = "h.h", .text = rows[i].header, .bytes = strlen(rows[i].header)};
		const struct frontend_program program = {.name = "x.cl",
		                                         .source = rows[i].source,
		                                         .source_bytes = strlen(rows[i].source),
		                                         .options = rows[i].options,
		                                         .headers = &header,
		                                         .header_count = 1};
		struct ir_kernel **kernels;
		struct error error;
		size_t count;
		assert_int_equal(frontend_analyse(&program, &kernels, &count, NULL, &error),
		                 STATUS_SYNTAX);
		if (strncmp(error.text, rows[i].text, strlen(rows[i].text)) != 0)
			fail_msg("want \"%s\", got \"%s\"", rows[i].text, error.text);
	}
}

static void programs_have_so_many_kernels(void **state)
{
	enum { ROOM = 1 << 17 };
	char *source = malloc(ROOM);
	struct error error;
	(void)state;
	assert_non_null(source);
	for (unsigned count = FRONTEND_KERNELS_MAX; count <= FRONTEND_KERNELS_MAX + 1; count++) {
		size_t used = 0;
		for (unsigned i = 0; i < count; i++)
			used += (size_t)snprintf(source + used, ROOM - used,
			                         "kernel void f%u(global int *a) { a[0] = 1; }\n",
			                         i);
		enum status status = analyse_status(source, NULL, &error);
		assert_int_equal(status, count > FRONTEND_KERNELS_MAX ? STATUS_LIMIT : STATUS_OK);
	}
	assert_string_equal(error.text, "a program has at most 1024 kernels");
	free(source);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	        cmocka_unit_test(allowed_options_pass),
	        cmocka_unit_test(options_that_touch_files_are_refused_by_name),
	        cmocka_unit_test(what_nobody_knows_is_refused_by_name),
	        cmocka_unit_test(definitions_must_be_definitions),
	        cmocka_unit_test(option_bytes_are_bounded),
	        cmocka_unit_test(definitions_reach_the_source),
	        cmocka_unit_test(syntax_error_says_where),
	        cmocka_unit_test(headers_of_the_client_are_found),
	        cmocka_unit_test(headers_above_the_program_are_found),
	        cmocka_unit_test(absolute_headers_are_found),
	        cmocka_unit_test(a_header_that_is_missing_is_named_as_the_preprocessor_has_it),
	        cmocka_unit_test(program_without_kernels_has_none),
	        cmocka_unit_test(deep_sources_end_in_a_refusal_or_in_the_child),
	        cmocka_unit_test(moderate_depth_is_a_reason_and_no_crash),
	        cmocka_unit_test(inline_bombs_are_bounded),
	        cmocka_unit_test(hostile_oddities_end),
	        cmocka_unit_test(a_process_without_files_still_parses),
	        cmocka_unit_test(programs_and_headers_are_bounded),
	        cmocka_unit_test(errors_name_the_file_that_they_are_in),
	        cmocka_unit_test(programs_have_so_many_kernels),
	};
	/* as the analyser runs it: on the caller's stack, and a crash is a crash */
	(void)setenv("LIBCLANG_NOTHREADS", "1", 1);
	(void)setenv("LIBCLANG_DISABLE_CRASH_RECOVERY", "1", 1);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("frontend parse", tests, NULL, NULL);
}
