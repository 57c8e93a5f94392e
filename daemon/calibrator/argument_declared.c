/* SPDX-License-Identifier: Apache-2.0 */
/* An argument against what the kernel declares, before a driver gets it. */
#include "daemon/calibrator/argument_declared.h"

#include <stdio.h>
#include <string.h>

#include "model/ir/ir.h"
#include "model/ir/type.h"

static bool info_text(cl_kernel kernel, unsigned index, cl_kernel_arg_info what, char text[96])
{
	char whole[1024] = "";
	if (clGetKernelArgInfo(kernel, index, what, sizeof whole, whole, NULL) != CL_SUCCESS)
		return false;
	whole[sizeof whole - 1] = '\0';
	(void)snprintf(text, 96, "%s", whole);
	return text[0] != '\0';
}

/* "unsigned int" is uint: drivers keep what the source says. */
static bool declared_type(const char *text, struct type *type)
{
	static const char word[] = "unsigned ";
	char plain[256];
	if (strlen(text) + 2 > sizeof plain)
		return false;
	bool is_unsigned = strncmp(text, word, sizeof word - 1) == 0;
	(void)snprintf(plain, sizeof plain, "%s%s", is_unsigned ? "u" : "",
	               is_unsigned ? text + sizeof word - 1 : text);
	return type_parse(strcmp(text, "unsigned") == 0 ? "uint" : plain, type);
}

/* As launch_check: the other signedness of an integer is the same bits. */
static bool is_alike(struct type wanted, struct type got)
{
	return wanted.width == got.width &&
	       (wanted.scalar == got.scalar || (type_is_integer(wanted) && type_is_integer(got) &&
	                                        type_bytes(wanted) == type_bytes(got)));
}

static void describe(const Predictd__Argument *argument, char text[64])
{
	static const char *const kinds[ARGUMENT_KIND_COUNT] = {
	        [ARGUMENT_BUFFER] = "buffer",      [ARGUMENT_SCALAR] = "scalar",
	        [ARGUMENT_LOCAL] = "local memory", [ARGUMENT_STRUCT] = "struct",
	        [ARGUMENT_IMAGE] = "image",        [ARGUMENT_SAMPLER] = "sampler"};
	const char *kind =
	        argument->kind < ARGUMENT_KIND_COUNT ? kinds[argument->kind] : "unknown kind";
	if (argument->kind == ARGUMENT_SCALAR)
		(void)snprintf(text, 64, "scalar %.32s", argument->type);
	else if (argument->size_bytes > 0)
		(void)snprintf(text, 64, "%s of %llu bytes", kind,
		               (unsigned long long)argument->size_bytes);
	else
		(void)snprintf(text, 64, "%s", kind);
}

enum status argument_check_declared(cl_kernel kernel, unsigned index,
                                    const Predictd__Argument *argument, struct error *error)
{
	cl_kernel_arg_address_qualifier space = 0;
	char declared[96], name[96] = "?", got[64], want[112];
	struct type wanted, type;
	bool is_fine = true;
	if (!info_text(kernel, index, CL_KERNEL_ARG_TYPE_NAME, declared) ||
	    clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space,
	                       NULL) != CL_SUCCESS)
		return STATUS_OK;
	if (strncmp(declared, "image", 5) == 0) {
		(void)snprintf(want, sizeof want, "image of kind %.60s", declared);
		is_fine = argument->kind == ARGUMENT_IMAGE;
	} else if (strcmp(declared, "sampler_t") == 0) {
		(void)snprintf(want, sizeof want, "sampler");
		is_fine = argument->kind == ARGUMENT_SAMPLER;
	} else if (space == CL_KERNEL_ARG_ADDRESS_LOCAL) {
		(void)snprintf(want, sizeof want, "local memory");
		is_fine = argument->kind == ARGUMENT_LOCAL;
	} else if (space == CL_KERNEL_ARG_ADDRESS_GLOBAL ||
	           space == CL_KERNEL_ARG_ADDRESS_CONSTANT) {
		(void)snprintf(want, sizeof want, "buffer");
		is_fine = argument->kind == ARGUMENT_BUFFER;
	} else if (declared_type(declared, &wanted)) {
		(void)snprintf(want, sizeof want, "scalar %.60s", declared);
		is_fine = argument->kind == ARGUMENT_SCALAR && type_parse(argument->type, &type) &&
		          is_alike(wanted, type);
	} else { /* a struct, or a scalar by another name */
		(void)snprintf(want, sizeof want, "%.90s", declared);
		is_fine = argument->kind == ARGUMENT_SCALAR || argument->kind == ARGUMENT_STRUCT;
	}
	if (is_fine)
		return STATUS_OK;
	(void)info_text(kernel, index, CL_KERNEL_ARG_NAME, name);
	describe(argument, got);
	return error_set(error, STATUS_INVALID, "argument %u (%.60s): want %s, got %s", index, name,
	                 want, got);
}
