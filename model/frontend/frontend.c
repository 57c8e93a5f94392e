/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCL C to kernel IR: every kernel of a program. */
#include "model/frontend/frontend.h"

#include "model/frontend/lower.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct functions {
	struct translation *translation;
	CXCursor *at;
	size_t count;
	bool failed;
};

static enum CXChildVisitResult visit_function(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct functions *functions = data;
	uint32_t required[3];
	bool has_body;
	(void)parent;
	if (clang_getCursorKind(cursor) != CXCursor_FunctionDecl)
		return CXChildVisit_Continue;
	/*
	 * Without bodies definitions look like declarations. libclang's own test for one goes
	 * through all of the function's declarations.
	 */
	if (!function_is_kernel(functions->translation, cursor, required, &has_body) ||
	    (!has_body && !functions->translation->is_skipped))
		return CXChildVisit_Continue;
	if (functions->count == FRONTEND_KERNELS_MAX) {
		functions->failed = true;
		return CXChildVisit_Break;
	}
	functions->at[functions->count++] = cursor;
	return CXChildVisit_Continue;
}

enum status frontend_analyse(const struct frontend_program *program, struct ir_kernel ***kernels,
                             size_t *count, struct frontend_report *report, struct error *error)
{
	struct translation translation;
	struct functions functions = {.translation = &translation};
	struct ir_kernel **results = NULL;
	char reason[IR_NAME_MAX] = "";
	size_t done = 0;

	enum status status = translation_open(&translation, program, error);
	if (report != NULL)
		*report = translation.report;
	if (status != STATUS_OK)
		return status;
	if (report != NULL)
		(void)memcpy(report->note, translation.options.note, sizeof(report->note));
	functions.at = calloc(FRONTEND_KERNELS_MAX, sizeof(*functions.at));
	if (functions.at == NULL) {
		status = error_set(error, STATUS_NO_MEMORY, "no memory for kernels");
		goto out;
	}
	(void)clang_visitChildren(clang_getTranslationUnitCursor(translation.unit), visit_function,
	                          &functions);
	if (functions.failed) {
		status = error_set(error, STATUS_LIMIT, "a program has at most %d kernels",
		                   FRONTEND_KERNELS_MAX);
		goto out;
	}
	results = calloc(functions.count + 1, sizeof(struct ir_kernel *));
	if (results == NULL) {
		status = error_set(error, STATUS_NO_MEMORY, "no memory for kernels");
		goto out;
	}
	for (unsigned i = translation.fault_count; i-- > 0;)
		if (strcmp(translation.faults[i].name, translation.unknown) == 0)
			fault_say(&translation.faults[i], reason, sizeof(reason));
	for (; done < functions.count; done++) {
		const char *refused = translation.unknown[0] != '\0' ? reason : NULL;
		if (refused == NULL && translation.work > FRONTEND_WORK_MAX) {
			refused = reason;
			(void)snprintf(reason, sizeof(reason),
			               "line %u: the kernels before it are all that one program "
			               "may be; put it into another",
			               cursor_line(functions.at[done]));
		}
		results[done] = lower_kernel(&translation, functions.at[done], refused);
		if (results[done] == NULL) {
			status = error_set(error, STATUS_NO_MEMORY, "no memory for kernels");
			goto out;
		}
		results[done]->build = translation.options.build;
	}
	if (report != NULL) {
		missing_names(&translation, report->undefined);
		missing_kernels(program, results, done, report->left_out);
	}
	*kernels = results;
	*count = done;
	results = NULL; /* the caller's now */

out:
	if (results != NULL)
		frontend_free(results, done);
	free(functions.at);
	translation_close(&translation);
	return status;
}

void frontend_free(struct ir_kernel **kernels, size_t count)
{
	for (size_t i = 0; i < count; i++)
		kernel_free(kernels[i]);
	free(kernels);
}

enum status frontend_warm_up(struct error *error)
{
	static const char source[] =
	        "struct s { float x; int n; };\n"
	        "float f(float4 v) { return dot(v, v) + v.x; }\n"
	        "kernel void warm(global float *a, struct s s, local int *l) {\n"
	        "  size_t i = get_global_id(0);\n"
	        "  float t = 0;\n"
	        "  for (int k = 0; k < s.n; k++) t += sqrt(a[i + k]) * s.x;\n"
	        "  l[get_local_id(0)] = (int)t; barrier(CLK_LOCAL_MEM_FENCE);\n"
	        "  if (i > 3) a[i] = t + f((float4)(t)); atomic_add(l, 1);\n"
	        "}\n";
	struct frontend_program program = {
	        .name = "warm-up", .source = source, .source_bytes = sizeof(source) - 1};
	struct ir_kernel **kernels;
	size_t count;
	enum status status = frontend_analyse(&program, &kernels, &count, NULL, error);
	if (status != STATUS_OK)
		return status;
	frontend_free(kernels, count);
	return STATUS_OK;
}
