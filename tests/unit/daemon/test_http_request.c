/* SPDX-License-Identifier: Apache-2.0 */
/* Requests for the page of metrics, and the heads of answers. */
#include "tests/test.h"

#include "daemon/address.h"
#include "daemon/export/http_request.h"

#include <arpa/inet.h>
#include <string.h>

static unsigned status_of(const char *text)
{
	struct http_request request;
	http_request_init(&request);
	return http_request_feed(&request, text, strlen(text));
}

static void the_page_is_asked_for_by_get(void **state)
{
	(void)state;
	assert_int_equal(status_of("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"), 200);
	assert_int_equal(status_of("GET /metrics HTTP/1.0\r\n\r\n"), 200);
	assert_int_equal(status_of("GET /metrics?name=a HTTP/1.1\r\nHost: x\r\n\r\n"), 200);
	assert_int_equal(status_of("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), 404);
	assert_int_equal(status_of("GET /metric HTTP/1.1\r\nHost: x\r\n\r\n"), 404);
	assert_int_equal(status_of("GET /metricss HTTP/1.1\r\nHost: x\r\n\r\n"), 404);
	assert_int_equal(status_of("POST /metrics HTTP/1.1\r\nContent-Length: 9\r\n\r\n"), 405);
	assert_int_equal(status_of("HEAD /metrics HTTP/1.1\r\n\r\n"), 405);
}

static void what_is_no_request_is_refused(void **state)
{
	(void)state;
	assert_int_equal(status_of("\x16\x03\x01 hello"), 400);
	assert_int_equal(status_of("GET /metrics SMTP/1.1\r\n\r\n"), 400);
	assert_int_equal(status_of("GET /metrics HTTP/1.1\r\nBad Header\r\n\r\n"), 400);
}

static void it_comes_in_any_pieces(void **state)
{
	(void)state;
	static const char text[] = "GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n";
	struct http_request request;
	http_request_init(&request);
	for (size_t i = 0; i + 2 < sizeof text; i++)
		assert_int_equal(http_request_feed(&request, text + i, 1), 0);
	assert_int_equal(http_request_feed(&request, text + sizeof text - 2, 1), 200);
}

static void one_without_an_end_is_refused_when_it_is_too_long(void **state)
{
	(void)state;
	struct http_request request;
	char line[64];
	size_t fed = 0;
	unsigned status = 0;
	http_request_init(&request);
	assert_int_equal(http_request_feed(&request, "GET /metrics HTTP/1.1\r\n", 23), 0);
	memset(line, 'a', sizeof line);
	memcpy(line, "x: ", 3);
	memcpy(line + sizeof line - 2, "\r\n", 2);
	while (status == 0 && fed < 1 << 20) {
		status = http_request_feed(&request, line, sizeof line);
		fed += sizeof line;
	}
	assert_int_equal(status, 431);
	assert_in_range(fed, HTTP_REQUEST_BYTES_MAX - 64, HTTP_REQUEST_BYTES_MAX + 64);
}

static void a_target_of_any_length_is_cut(void **state)
{
	(void)state;
	char text[2048] = "GET /";
	memset(text + 5, 'm', 1500);
	strcpy(text + 1505, " HTTP/1.1\r\n\r\n");
	assert_int_equal(status_of(text), 404);
}

static void an_answer_says_what_it_is_and_how_long(void **state)
{
	(void)state;
	char head[256];
	size_t length = http_answer_head(200, 1234, head, sizeof head);
	assert_int_equal(length, strlen(head));
	assert_string_equal(head, "HTTP/1.1 200 OK\r\n"
	                          "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
	                          "Content-Length: 1234\r\nConnection: close\r\n\r\n");
	(void)http_answer_head(405, 0, head, sizeof head);
	assert_non_null(strstr(head, "\r\nAllow: GET\r\n"));
	const unsigned statuses[] = {400, 404, 405, 431, 503};
	for (unsigned i = 0; i < 5; i++)
		assert_true(http_answer_head(statuses[i], 0, head, sizeof head) > 0);
}

static void an_address_is_of_this_machine(void **state)
{
	(void)state;
	static const char *const good[] = {"unix:/run/predictd/metrics.sock", "127.0.0.1:9178",
	                                   "127.1.2.3:1", "[::1]:65535"};
	static const char *const bad[] = {"",
	                                  "9178",
	                                  ":9178",
	                                  "localhost:9178",
	                                  "0.0.0.0:9178",
	                                  "192.168.0.1:9178",
	                                  "128.0.0.1:9178",
	                                  "127.0.0.1",
	                                  "127.0.0.1:",
	                                  "127.0.0.1:0",
	                                  "127.0.0.1:65536",
	                                  "127.0.0.1:99999999999",
	                                  "127.0.0.1:80x",
	                                  "127.0.0.1:+80",
	                                  "[::]:9178",
	                                  "[::1]",
	                                  "[::1]:",
	                                  "::1:9178",
	                                  "unix:",
	                                  "unix:metrics.sock",
	                                  "/run/metrics.sock"};
	struct address address;
	struct error error;
	for (unsigned i = 0; i < sizeof good / sizeof good[0]; i++)
		assert_int_equal(address_parse(good[i], &address, &error), STATUS_OK);
	for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		assert_int_equal(address_parse(bad[i], &address, &error), STATUS_INVALID);
		assert_non_null(strstr(error.text, "want unix:/PATH"));
	}
	assert_int_equal(address_parse("127.0.0.1:9178", &address, &error), STATUS_OK);
	assert_int_equal(address.any.sa_family, AF_INET);
	assert_int_equal(ntohs(address.internet.sin_port), 9178);
	char longer[256] = "unix:/";
	memset(longer + 6, 'a', 200);
	assert_int_equal(address_parse(longer, &address, &error), STATUS_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(the_page_is_asked_for_by_get),
	        cmocka_unit_test(what_is_no_request_is_refused),
	        cmocka_unit_test(it_comes_in_any_pieces),
	        cmocka_unit_test(one_without_an_end_is_refused_when_it_is_too_long),
	        cmocka_unit_test(a_target_of_any_length_is_cut),
	        cmocka_unit_test(an_answer_says_what_it_is_and_how_long),
	        cmocka_unit_test(an_address_is_of_this_machine),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("http_request", tests, NULL, NULL);
}
