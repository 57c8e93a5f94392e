/* SPDX-License-Identifier: Apache-2.0 */
/* One kernel: its attributes, its arguments, its body. */
#include "model/frontend/lower.h"
#include "model/passes/passes.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lower_fail(struct lower *l, CXCursor at, const char *format, ...)
{
	char text[IR_NAME_MAX];
	va_list list;
	if (l->failed)
		return;
	l->failed = true;
	va_start(list, format);
	(void)vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	(void)snprintf(l->reason, sizeof(l->reason), "line %u: %.100s", cursor_line(at), text);
}

struct ir_place lower_stand(struct lower *l, CXCursor cursor)
{
	CXFile file = NULL;
	unsigned line = cursor_line_in(cursor, &file);
	if (file != NULL && file != l->file) {
		char name[96];
		l->file = file;
		l->file_number = 0;
		l->is_file_clients = translation_file_name(l->translation, file, name);
		if (l->is_file_clients && name[0] != '\0')
			l->is_file_clients = kernel_file(l->kernel, name, &l->file_number);
	}
	struct ir_place place = ir_place_of(line, l->file_number);
	struct ir_place before = kernel_stand(l->kernel, place);
	if (file == NULL || !l->is_file_clients)
		(void)kernel_stand(l->kernel, before);
	return before;
}

/* ---- attributes ------------------------------------------------------------------------------ */

struct attributes {
	struct translation *translation;
	bool is_kernel, is_hidden, has_hidden, has_body;
	uint32_t required[3];
};

/* "reqd_work_group_size(16, 16, 1)" */
static bool required_parse(const char *text, size_t bytes, uint32_t required[3])
{
	static const char word[] = "reqd_work_group_size";
	size_t i = sizeof(word) - 1;
	uint32_t found[3];
	for (unsigned d = 0; d < 3; d++) {
		uint32_t value = 0;
		bool any = false;
		while (i < bytes && (isspace((unsigned char)text[i]) || text[i] == '_' ||
		                     (d == 0 ? text[i] == '(' : text[i] == ',')))
			i++;
		for (; i < bytes && isdigit((unsigned char)text[i]) && value < 1 << 24; i++) {
			value = value * 10 + (uint32_t)(text[i] - '0');
			any = true;
		}
		while (i < bytes &&
		       (isspace((unsigned char)text[i]) || text[i] == 'u' || text[i] == 'U'))
			i++;
		if (!any || i >= bytes || text[i] != (d == 2 ? ')' : ','))
			return false;
		found[d] = value;
	}
	(void)memcpy(required, found, sizeof(found));
	return true;
}

static bool begins_with(const char *text, size_t bytes, const char *word)
{
	size_t length = strlen(word);
	return bytes >= length && strncmp(text, word, length) == 0 &&
	       (bytes == length || !(isalnum((unsigned char)text[length]) || text[length] == '_'));
}

static enum CXChildVisitResult visit_attribute(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct attributes *attributes = data;
	enum CXCursorKind kind = clang_getCursorKind(cursor);
	const char *text;
	size_t offset, bytes;
	(void)parent;
	if (kind == CXCursor_CompoundStmt) {
		attributes->has_body = true;
		return CXChildVisit_Break;
	}
	if (!clang_isAttribute(kind))
		return CXChildVisit_Continue;
	if (!translation_text(attributes->translation, clang_getCursorLocation(cursor), &text,
	                      &offset, &bytes)) {
		attributes->has_hidden = true;
		return CXChildVisit_Continue;
	}
	text += offset;
	bytes -= offset;
	/* a word that a macro's line begins with is found at the end of the line before */
	while (bytes > 1 && text[0] == '\\' && (text[1] == '\n' || text[1] == '\r')) {
		size_t ends = bytes > 2 && text[1] == '\r' && text[2] == '\n' ? 3 : 2;
		text += ends;
		bytes -= ends;
	}
	if (begins_with(text, bytes, "kernel") || begins_with(text, bytes, "__kernel"))
		attributes->is_kernel = true;
	else if (bytes > 2 && (begins_with(text, bytes, "reqd_work_group_size") ||
	                       begins_with(text, bytes, "__reqd_work_group_size__")))
		attributes->is_hidden =
		        !required_parse(text[0] == '_' ? text + 2 : text,
		                        text[0] == '_' ? bytes - 2 : bytes, attributes->required);
	return CXChildVisit_Continue;
}

/* Attributes out of macros: the pretty-printed declaration has them expanded. */
static void attributes_print(CXCursor function, struct attributes *attributes)
{
	CXPrintingPolicy policy = clang_getCursorPrintingPolicy(function);
	CXString printed = clang_getCursorPrettyPrinted(function, policy);
	const char *text = clang_getCString(printed);
	if (text != NULL) {
		const char *found = strstr(text, "reqd_work_group_size(");
		if (found != NULL)
			(void)required_parse(found, strlen(found), attributes->required);
		const char *end = strchr(text, '(');
		for (const char *c = text; end != NULL && c < end; c++)
			if ((c == text || !(isalnum((unsigned char)c[-1]) || c[-1] == '_')) &&
			    (begins_with(c, strlen(c), "__kernel") ||
			     begins_with(c, strlen(c), "kernel")))
				attributes->is_kernel = true;
	}
	clang_disposeString(printed);
	clang_PrintingPolicy_dispose(policy);
}

bool function_is_kernel(struct translation *translation, CXCursor function,
                        uint32_t required_local[3], bool *has_body)
{
	struct attributes attributes = {.translation = translation};
	(void)clang_visitChildren(function, visit_attribute, &attributes);
	if (attributes.is_hidden || attributes.has_hidden)
		attributes_print(function, &attributes);
	(void)memcpy(required_local, attributes.required, sizeof(attributes.required));
	*has_body = attributes.has_body;
	return attributes.is_kernel;
}

/* ---- arguments ------------------------------------------------------------------------------- */

static void image_argument(struct ir_kernel *kernel, uint32_t number, enum image_kind kind,
                           unsigned access, struct ir_argument *argument)
{
	struct ir_object object = {
	        .argument = number, .space = SPACE_IMAGE, .type = type_scalar(SCALAR_VOID)};
	argument->kind = ARGUMENT_IMAGE;
	argument->image = (uint8_t)kind;
	argument->access = (uint8_t)access;
	(void)memcpy(object.name, argument->name, sizeof(object.name));
	argument->object = kernel_add_object(kernel, &object);
}

static void pointer_argument(struct ir_kernel *kernel, CXCursor parameter, uint32_t number,
                             struct ir_argument *argument)
{
	CXType type = clang_getCursorType(parameter);
	CXType pointee = type_pointee(type);
	struct ir_object object = {.argument = number, .space = SPACE_GLOBAL};
	enum space space;
	if (type_space(pointee, &space) && space != SPACE_PRIVATE)
		object.space = (uint8_t)space;
	argument->kind = object.space == SPACE_LOCAL ? ARGUMENT_LOCAL : ARGUMENT_BUFFER;
	/* a pointer to arrays counts in the arrays' elements */
	for (unsigned depth = 0; type_is_array(pointee) && depth < 32; depth++)
		pointee = type_pointee(pointee);
	if (!type_of(pointee, &argument->type))
		argument->type = type_scalar(SCALAR_VOID);
	uint64_t bytes = type_size(pointee);
	argument->size_bytes = bytes == 0 || bytes > UINT32_MAX ? 1 : (uint32_t)bytes;
	object.type = argument->type;
	object.element_bytes = argument->size_bytes;
	object.is_volatile = clang_isVolatileQualifiedType(pointee) != 0;
	object.is_restrict = clang_isRestrictQualifiedType(type) != 0;
	(void)memcpy(object.name, argument->name, sizeof(object.name));
	argument->object = kernel_add_object(kernel, &object);
}

/* Records one parameter; false when it is of a kind that is only recorded. */
static bool record_argument(struct ir_kernel *kernel, CXCursor parameter, uint32_t number)
{
	struct ir_argument argument = {.object = IR_NONE, .type = type_scalar(SCALAR_VOID)};
	CXType type = type_canonical(clang_getCursorType(parameter));
	enum image_kind image;
	unsigned access;
	bool is_known = true;
	cursor_name(parameter, argument.name);
	if (type.kind == CXType_Pointer || is_array_parameter(parameter)) {
		pointer_argument(kernel, parameter, number, &argument);
	} else if (clang_isInvalidDeclaration(parameter)) {
		/* libclang puts int where the type is unknown */
		argument.kind = ARGUMENT_STRUCT;
		is_known = false;
	} else if (type_of(type, &argument.type)) {
		bool is_sampler = type.kind == CXType_OCLSampler;
		argument.kind = is_sampler ? ARGUMENT_SAMPLER : ARGUMENT_SCALAR;
		argument.size_bytes = type_bytes(argument.type);
	} else if (type_is_image(type, &image, &access)) {
		image_argument(kernel, number, image, access, &argument);
	} else if (type.kind == CXType_Record) {
		uint64_t bytes = type_size(type);
		argument.kind = ARGUMENT_STRUCT;
		argument.size_bytes = bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
		is_known = bytes > 0;
	} else { /* a pipe */
		argument.kind = ARGUMENT_STRUCT;
		is_known = false;
	}
	(void)kernel_add_argument(kernel, &argument);
	return is_known;
}

static struct ir_kernel *kernel_begin(struct translation *translation, CXCursor function,
                                      bool *is_known)
{
	char name[IR_NAME_MAX];
	bool has_body;
	cursor_name(function, name);
	struct ir_kernel *kernel = kernel_new(name);
	if (kernel == NULL)
		return NULL;
	(void)function_is_kernel(translation, function, kernel->required_local, &has_body);
	kernel->line = cursor_line(function);
	int count = clang_Cursor_getNumArguments(function);
	*is_known = true;
	for (int i = 0; i < count && i < IR_ARGUMENTS_MAX; i++)
		*is_known = record_argument(kernel, clang_Cursor_getArgument(function, (unsigned)i),
		                            (uint32_t)i) &&
		            *is_known;
	return kernel;
}

static struct value argument_leaf(struct lower *l, uint32_t number, const struct leaf *leaf)
{
	uint32_t node = kernel_node(l->kernel, NODE_ARG, leaf->type, NULL, 0, number, leaf->offset);
	if (node == IR_NONE)
		lower_fail(l, l->frame->declaration, "too large");
	return value_node(node == IR_NONE ? 0 : node);
}

static void bind_argument(struct lower *l, CXCursor parameter, uint32_t number)
{
	const struct ir_argument *argument = &l->kernel->arguments[number];
	CXType type = type_canonical(clang_getCursorType(parameter));
	struct layout layout;
	bool is_flat = is_array_parameter(parameter)
	                       ? layout_of_pointer(l, type_pointee(type), parameter, &layout)
	                       : layout_of(l, type, parameter, &layout);
	if (l->failed)
		return;
	if (argument->object == IR_NONE && (!is_flat || array_is_dynamic(l, parameter))) {
		/* indexed by a variable: read where the runtime put it */
		declare_object(l, parameter, SPACE_CONSTANT);
		return;
	}
	uint32_t first = cells_new(l, &layout);
	struct variable *variable = l->failed ? NULL : variable_bind(l, parameter);
	if (variable == NULL)
		return;
	variable->where = (struct pointer){.target = POINTER_CELLS,
	                                   .base = first,
	                                   .cells = layout.count,
	                                   .index = IR_NONE,
	                                   .scale = 1};
	if (argument->object != IR_NONE) {
		cell_set(l, first,
		         value_pointer((struct pointer){.target = POINTER_OBJECT,
		                                        .base = argument->object,
		                                        .index = IR_NONE,
		                                        .scale = 1}));
		return;
	}
	for (uint32_t i = 0; i < layout.count; i++) {
		if (layout.leaves[i].is_pointer)
			lower_fail(l, parameter, "pointer in a struct argument");
		else
			cell_set(l, first + i, argument_leaf(l, number, &layout.leaves[i]));
	}
}

static CXCursor body_of(struct lower *l, CXCursor function)
{
	struct cursor_list list = cursor_children(l, function);
	for (unsigned i = list.count; i-- > 0;)
		if (clang_getCursorKind(list.at[i]) == CXCursor_CompoundStmt)
			return list.at[i];
	return clang_getNullCursor();
}

static void lower_body(struct lower *l, CXCursor function)
{
	struct function_frame frame = {.declaration = function, .result = IR_NONE};
	l->frame = &frame;
	frame.body = body_of(l, function);
	if (clang_Cursor_isNull(frame.body))
		lower_fail(l, function, "kernel without a body");
	int count = clang_Cursor_getNumArguments(function);
	for (int i = 0; i < count && !l->failed; i++)
		bind_argument(l, clang_Cursor_getArgument(function, (unsigned)i), (uint32_t)i);
	l->is_tail = true;
	l->innermost_jump = -1;
	if (!l->failed)
		lower_statement(l, frame.body);
	l->frame = NULL;
}

static struct ir_kernel *kernel_refused(struct translation *translation, CXCursor function,
                                        const char *reason)
{
	struct error error;
	bool is_known;
	struct ir_kernel *kernel = kernel_begin(translation, function, &is_known);
	if (kernel == NULL)
		return NULL;
	kernel_unsupported(kernel, "%s", reason);
	if (kernel_seal(kernel, &error) != STATUS_OK) {
		kernel_free(kernel);
		return NULL;
	}
	return kernel;
}

/* One attempt. NULL with `demands` grown: worth another; NULL without: no memory. */
static struct ir_kernel *attempt(struct translation *translation, CXCursor function,
                                 struct demands *demands, uint32_t *cursors, bool is_last)
{
	bool is_known;
	char text[IR_NAME_MAX] = "";
	struct lower *l = calloc(1, sizeof(*l));
	struct ir_kernel *kernel =
	        l == NULL ? NULL : kernel_begin(translation, function, &is_known);
	if (kernel == NULL) {
		free(l);
		return NULL;
	}
	l->translation = translation;
	l->kernel = kernel;
	l->demands = demands;
	l->member_function = clang_getNullCursor();
	if (kernel->argument_count != (uint32_t)clang_Cursor_getNumArguments(function))
		lower_fail(l, function, "more than %d arguments", IR_ARGUMENTS_MAX);
	else if (function_fault(l, function, function))
		is_known = false;
	else if (!is_known)
		lower_fail(l, function, "pipe argument, or one of an unknown type");
	else
		lower_body(l, function);
	struct error error = {0};
	if (!l->failed && kernel_seal(kernel, &error) != STATUS_OK)
		lower_fail(l, function, "%.90s", error.text);
	*cursors += l->cursors;
	translation->work += (uint64_t)l->cursors + l->scanned + l->copied;
	if (l->failed) {
		(void)memcpy(text, l->reason, sizeof(text));
		kernel_free(kernel);
		kernel = l->has_demanded && !is_last ? NULL
		                                     : kernel_refused(translation, function, text);
	}
	arena_free(&l->arena);
	free(l->cells);
	free(l->trail);
	free(l->variables);
	free(l);
	return kernel;
}

struct ir_kernel *lower_kernel(struct translation *translation, CXCursor function,
                               const char *reason)
{
	struct demands demands = {0};
	uint32_t cursors = 0;
	if (reason != NULL)
		return kernel_refused(translation, function, reason);
	for (;;) {
		unsigned known = demands.count;
		bool is_last = known == DEMANDS_MAX || cursors > 2 * FRONTEND_INLINE_NODES_MAX;
		struct ir_kernel *kernel =
		        attempt(translation, function, &demands, &cursors, is_last);
		if (kernel != NULL || demands.count == known)
			return kernel;
	}
}
