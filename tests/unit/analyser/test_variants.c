/* SPDX-License-Identifier: Apache-2.0 */
/* Variants of one source in one child: each gets the very bytes that a child of its own makes. */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/analyser/jail.h"
#include "proto/frame.h"
#include "proto/predictd.pb-c.h"
#include "tests/unit/analyser/driver.h"

enum { DEADLINE_MS = 20000, VARIANTS = 24, FAULTY = 5, UNKNOWN = 9 };

static const char source[] =
        "#ifdef WIDE\n"
        "typedef float4 real;\n"
        "#else\n"
        "typedef float real;\n"
        "#endif\n"
        "struct pair { real a; int b[N]; };\n"
        "real twice(real x) { return x + x; }\n"
        "kernel void product(global const real *a, global const real *b, global real *c, int n) {\n"
        "  local real tile[N][N + 1];\n"
        "  int x = get_global_id(0), y = get_global_id(1);\n"
        "  real sum = 0;\n"
        "  for (int t = 0; t < n; t += N) {\n"
        "    tile[get_local_id(1)][get_local_id(0)] = a[y * n + t + get_local_id(0)];\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    for (int k = 0; k < N; k++)\n"
        "      sum = mad(tile[get_local_id(1)][k], b[(t + k) * n + x], sum);\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "  }\n"
        "#ifdef OTHER\n"
        "  sum += OTHER(sum);\n"
        "#endif\n"
        "  c[y * n + x] = twice(sum);\n"
        "}\n";

static struct analyser analyser;

static int setup(void **state)
{
	(void)state;
	return analyser_start(&analyser, NULL) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	return analyser_stop(&analyser) == 0 ? 0 : -1;
}

struct bytes {
	uint8_t *data;
	size_t size;
};

/* Asks for `count` variants of one child, or for the only one of a child of its own. */
static int ask(char **options, size_t count)
{
	Predictd__Program program = PREDICTD__PROGRAM__INIT;
	Predictd__AnalyserRequest request = PREDICTD__ANALYSER_REQUEST__INIT;
	program.name = "test.cl";
	program.source = (ProtobufCBinaryData){strlen(source), (uint8_t *)(uintptr_t)source};
	request.program = &program;
	if (count == 1) {
		program.options = options[0];
	} else {
		request.variants = options;
		request.n_variants = count;
	}
	int socket = analyser_open(&analyser, DEADLINE_MS);
	assert_true(socket >= 0);
	assert_int_equal(frame_write(socket, &request.base), 0);
	return socket;
}

static bool receive(int socket, struct bytes *reply)
{
	return frame_read(socket, FRAME_BYTES_MAX, DEADLINE_MS, &reply->data, &reply->size) == 0;
}

static void variants_are_the_same_bytes_as_programs(void **state)
{
	(void)state;
	char texts[VARIANTS][64], *options[VARIANTS];
	for (int i = 0; i < VARIANTS; i++) {
		snprintf(texts[i], sizeof texts[i], "-DN=%d%s%s", 1 << (i % 6),
		         i % 3 == 0 ? " -DWIDE" : "", i % 4 == 1 ? " -cl-fast-relaxed-math" : "");
		options[i] = texts[i];
	}
	options[FAULTY] = (char *)(uintptr_t)"-DN=-1";
	options[FAULTY + 1] = (char *)(uintptr_t)"-include /etc/passwd";
	options[UNKNOWN] = (char *)(uintptr_t)"-DN=4 -DOTHER=nobody_knows";
	int together = ask(options, VARIANTS);
	for (int i = 0; i < VARIANTS; i++) {
		struct bytes in_chunk, alone;
		int own = ask(&options[i], 1);
		assert_true(receive(together, &in_chunk));
		assert_true(receive(own, &alone));
		assert_int_equal(in_chunk.size, alone.size);
		assert_memory_equal(in_chunk.data, alone.data, alone.size);
		Predictd__AnalyserReply *reply =
		        predictd__analyser_reply__unpack(NULL, alone.size, alone.data);
		assert_non_null(reply);
		assert_int_equal(reply->error != NULL, i == FAULTY || i == FAULTY + 1);
		predictd__analyser_reply__free_unpacked(reply, NULL);
		free(in_chunk.data);
		free(alone.data);
		close(own);
	}
	struct bytes more;
	assert_false(receive(together, &more)); /* its child has ended */
	close(together);
}

/* The one that takes too long ends the child without a word, behind the replies before it. */
static void a_child_that_does_not_get_on_says_nothing(void **state)
{
	(void)state;
	char *options[] = {(char *)(uintptr_t)"-DN=4", NULL, (char *)(uintptr_t)"-DN=8"};
	/* includes itself without end, by the macro bomb that libclang has no bound for */
	assert_true(asprintf(&options[1], "-DN=4 -DA=B,B,B,B,B,B,B,B -DB=C,C,C,C,C,C,C,C "
	                                  "-DC=D,D,D,D,D,D,D,D -DD=E,E,E,E,E,E,E,E "
	                                  "-DE=F,F,F,F,F,F,F,F -DF=G,G,G,G,G,G,G,G "
	                                  "-DG=H,H,H,H,H,H,H,H -DH=I,I,I,I,I,I,I,I "
	                                  "-DI=1,1,1,1,1,1,1,1 -DOTHER(x)=(A)") > 0);
	int together = ask(options, 3);
	struct bytes first, second;
	assert_true(receive(together, &first));
	assert_false(receive(together, &second));
	free(first.data);
	close(together);
	/* alone it is told why, unless a sanitizer has the last word */
	if (JAIL_SANITIZED) {
		free(options[1]);
		return;
	}
	int own = ask(&options[1], 1);
	assert_true(receive(own, &first));
	Predictd__AnalyserReply *reply =
	        predictd__analyser_reply__unpack(NULL, first.size, first.data);
	assert_non_null(reply);
	assert_non_null(reply->error);
	assert_true(reply->error->status == STATUS_LIMIT || reply->error->status == STATUS_TIMEOUT);
	predictd__analyser_reply__free_unpacked(reply, NULL);
	free(first.data);
	free(options[1]);
	close(own);
	assert_true(analyser_is_well(&analyser));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(variants_are_the_same_bytes_as_programs),
	        cmocka_unit_test(a_child_that_does_not_get_on_says_nothing),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("variants", tests, setup, teardown);
}
