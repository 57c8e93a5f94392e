/* SPDX-License-Identifier: Apache-2.0 */
/* The analyser's reply: kernels or an error, within a bound of memory. */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/codec/ir_codec.h"
#include "model/frontend/frontend.h"
#include "model/passes/passes.h"
#include "tests/unit/codec/sample_kernels.h"

/* The packed form of a reply; the caller's. */
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static uint8_t *packed(const Predictd__AnalyserReply *reply, size_t *size)
{
	*size = predictd__analyser_reply__get_packed_size(reply);
	uint8_t *bytes = malloc(*size + 1);
	assert_non_null(bytes);
	(void)predictd__analyser_reply__pack(reply, bytes);
	return bytes;
}

static enum status decode(const uint8_t *bytes, size_t size, size_t *count, struct error *error)
{
	struct ir_kernel **kernels = NULL;
	*count = 0;
	enum status status = ir_decode_reply(bytes, size, &kernels, count, NULL, error);
	for (size_t i = 0; i < *count; i++)
		kernel_free(kernels[i]);
	free(kernels);
	return status;
}

static void every_kernel_of_a_reply_is_decoded(void **state)
{
	(void)state;
	Predictd__AnalyserReply reply = PREDICTD__ANALYSER_REPLY__INIT;
	Predictd__IrKernel *messages[16] = {NULL};
	assert_true(sample_kernel_count <= 16);
	for (unsigned i = 0; i < sample_kernel_count; i++) {
		struct ir_kernel *kernel = sample_kernels[i]();
		assert_non_null(kernel);
		messages[i] = ir_encode(kernel);
		assert_non_null(messages[i]);
		kernel_free(kernel);
	}
	reply.kernels = messages;
	reply.n_kernels = sample_kernel_count;
	size_t size, count;
	struct error error;
	uint8_t *bytes = packed(&reply, &size);
	assert_int_equal(decode(bytes, size, &count, &error), STATUS_OK);
	assert_int_equal(count, sample_kernel_count);
	/* no shorter beginning of it may be read past its end */
	for (size_t cut = 0; cut < size; cut++) {
		uint8_t *begun = malloc(cut + 1);
		assert_non_null(begun);
		memcpy(begun, bytes, cut);
		(void)decode(begun, cut, &count, &error);
		free(begun);
	}
	free(bytes);
	for (unsigned i = 0; i < sample_kernel_count; i++)
		predictd__ir_kernel__free_unpacked(messages[i], NULL);
}

static void an_empty_reply_has_no_kernels(void **state)
{
	(void)state;
	size_t count;
	struct error error;
	assert_int_equal(decode((const uint8_t *)"", 0, &count, &error), STATUS_OK);
	assert_int_equal(count, 0);
}

static void an_error_comes_back_with_its_status_and_safe_text(void **state)
{
	(void)state;
	Predictd__Error carried = PREDICTD__ERROR__INIT;
	Predictd__AnalyserReply reply = PREDICTD__ANALYSER_REPLY__INIT;
	carried.status = STATUS_SYNTAX;
	carried.text = (char *)"a.cl:1:2: \x1b[2J";
	reply.error = &carried;
	size_t size, count;
	struct error error;
	uint8_t *bytes = packed(&reply, &size);
	assert_int_equal(decode(bytes, size, &count, &error), STATUS_SYNTAX);
	assert_string_equal(error.text, "a.cl:1:2: ?[2J");
	free(bytes);
}

static void an_error_that_says_ok_is_corrupt(void **state)
{
	(void)state;
	Predictd__Error carried = PREDICTD__ERROR__INIT;
	Predictd__AnalyserReply reply = PREDICTD__ANALYSER_REPLY__INIT;
	reply.error = &carried;
	size_t size, count;
	struct error error;
	uint8_t *bytes = packed(&reply, &size);
	assert_int_equal(decode(bytes, size, &count, &error), STATUS_CORRUPT);
	free(bytes);
}

static void more_kernels_than_a_program_may_have_are_refused(void **state)
{
	(void)state;
	/* field 2, empty: two bytes a kernel */
	size_t size = 2 * (FRONTEND_KERNELS_MAX + 1), count;
	uint8_t *bytes = malloc(size);
	assert_non_null(bytes);
	for (size_t i = 0; i < size; i += 2) {
		bytes[i] = 2 << 3 | 2;
		bytes[i + 1] = 0;
	}
	struct error error;
	assert_int_equal(decode(bytes, size, &count, &error), STATUS_LIMIT);
	free(bytes);
}

static void memory_for_small_messages_is_bounded(void **state)
{
	(void)state;
	/* one kernel of nothing but empty statements: 4 MB that would unpack to 200 */
	const size_t body = 4u << 20;
	uint8_t *bytes = malloc(body + 8);
	assert_non_null(bytes);
	size_t size = 0, count;
	bytes[size++] = 2 << 3 | 2;
	for (size_t left = body;; left >>= 7) {
		bytes[size++] = (uint8_t)(left > 0x7f ? (left & 0x7f) | 0x80 : left);
		if (left <= 0x7f)
			break;
	}
	for (size_t i = 0; i < body; i += 2) {
		bytes[size++] = 14 << 3 | 2;
		bytes[size++] = 0;
	}
	struct error error;
	assert_int_equal(decode(bytes, size, &count, &error), STATUS_CORRUPT);
	free(bytes);
}

/* Copies of a kernel with many arguments: so many fit, one more is refused by name. */
static void kernels_of_a_reply_share_their_memory(void **state)
{
	(void)state;
	Predictd__AnalyserReply reply = PREDICTD__ANALYSER_REPLY__INIT;
	static Predictd__IrKernel *messages[FRONTEND_KERNELS_MAX];
	struct ir_kernel *largest = kernel_new("k");
	struct ir_argument argument = {.kind = ARGUMENT_SCALAR,
	                               .type = type_scalar(SCALAR_INT),
	                               .size_bytes = 4,
	                               .object = IR_NONE};
	struct error sealing;
	for (unsigned i = 0; i < IR_ARGUMENTS_MAX; i++) {
		(void)snprintf(argument.name, sizeof argument.name, "a%u", i);
		(void)kernel_add_argument(largest, &argument);
	}
	assert_int_equal(kernel_seal(largest, &sealing), STATUS_OK);
	size_t fit = (32 << 20) / ir_kernel_bytes(largest), size, count;
	assert_in_range(fit, 1, FRONTEND_KERNELS_MAX - 1);
	messages[0] = ir_encode(largest);
	assert_non_null(messages[0]);
	kernel_free(largest);
	for (size_t i = 1; i <= fit; i++)
		messages[i] = messages[0];
	reply.kernels = messages;
	for (size_t more = 0; more < 2; more++) {
		struct error error;
		reply.n_kernels = fit + more;
		uint8_t *bytes = packed(&reply, &size);
		assert_int_equal(decode(bytes, size, &count, &error),
		                 more == 0 ? STATUS_OK : STATUS_LIMIT);
		if (more > 0)
			assert_non_null(strstr(error.text, "more than 32 MiB together"));
		free(bytes);
	}
	predictd__ir_kernel__free_unpacked(messages[0], NULL);
}

/* What does not fit any more keeps its arguments, and the kernels before and after it are whole. */
static void a_kernel_that_does_not_fit_falls_back_alone(void **state)
{
	(void)state;
	Predictd__AnalyserReply reply = PREDICTD__ANALYSER_REPLY__INIT;
	enum { VALUES = 100000 };
	Predictd__IrKernel *messages[16];
	struct ir_kernel *large = kernel_new("large"), *small = kernel_new("small");
	struct ir_object object = {.name = "a",
	                           .space = SPACE_GLOBAL,
	                           .type = type_scalar(SCALAR_INT),
	                           .element_bytes = 4};
	struct ir_argument argument = {.name = "a",
	                               .kind = ARGUMENT_BUFFER,
	                               .type = type_scalar(SCALAR_INT),
	                               .size_bytes = 4};
	struct error error;
	size_t size, count;
	argument.object = kernel_add_object(large, &object);
	(void)kernel_add_argument(large, &argument);
	struct type type = type_scalar(SCALAR_INT);
	uint32_t unknown = kernel_unknown(large, type);
	for (int i = 0; i < VALUES; i++)
		(void)kernel_binary(large, NODE_MUL, type, unknown,
		                    kernel_integer(large, type, 3 + i));
	assert_int_equal(kernel_seal(large, &error), STATUS_OK);
	assert_int_equal(kernel_seal(small, &error), STATUS_OK);
	size_t fit = (32 << 20) / ir_kernel_bytes(large);
	assert_in_range(fit, 1, COUNT(messages) - 2);
	for (size_t i = 0; i < COUNT(messages); i++)
		messages[i] = ir_encode(i <= fit ? large : small);
	reply.kernels = messages;
	reply.n_kernels = fit + 2;
	uint8_t *bytes = packed(&reply, &size);
	struct ir_kernel **kernels;
	assert_int_equal(ir_decode_reply(bytes, size, &kernels, &count, NULL, &error), STATUS_OK);
	assert_int_equal(count, fit + 2);
	for (size_t i = 0; i < count; i++) {
		bool is_refused = i == fit;
		assert_string_equal(kernels[i]->name, i <= fit ? "large" : "small");
		assert_int_equal(kernels[i]->unsupported[0] != '\0', is_refused);
		assert_int_equal(kernels[i]->argument_count, i <= fit ? 1 : 0);
		assert_int_equal(kernels[i]->node_count >= VALUES, i < fit);
		kernel_free(kernels[i]);
	}
	free(kernels);
	free(bytes);
	for (size_t i = 0; i < COUNT(messages); i++)
		predictd__ir_kernel__free_unpacked(messages[i], NULL);
	kernel_free(large);
	kernel_free(small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_kernel_of_a_reply_is_decoded),
	        cmocka_unit_test(an_empty_reply_has_no_kernels),
	        cmocka_unit_test(an_error_comes_back_with_its_status_and_safe_text),
	        cmocka_unit_test(an_error_that_says_ok_is_corrupt),
	        cmocka_unit_test(more_kernels_than_a_program_may_have_are_refused),
	        cmocka_unit_test(memory_for_small_messages_is_bounded),
	        cmocka_unit_test(kernels_of_a_reply_share_their_memory),
	        cmocka_unit_test(a_kernel_that_does_not_fit_falls_back_alone),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("ir_reply", tests, NULL, NULL);
}
