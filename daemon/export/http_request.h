/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request for the page of metrics by HTTP/1.1 (RFC 9112), read by http-parser. Comes in: bytes
 * of anybody who may connect. Goes out: the status to answer with.
 */
#ifndef PREDICTD_DAEMON_EXPORT_HTTP_REQUEST_H
#define PREDICTD_DAEMON_EXPORT_HTTP_REQUEST_H

#include <http_parser.h>
#include <stdbool.h>
#include <stddef.h>

enum {
	HTTP_REQUEST_BYTES_MAX = 8192, /* of request line and headers; more is refused */
	HTTP_TARGET_MAX = 64
};

struct http_request {
	http_parser parser;
	size_t bytes;
	char target[HTTP_TARGET_MAX]; /* cut */
	size_t target_bytes;
	bool is_whole; /* its headers have ended */
};

void http_request_init(struct http_request *request);

/*
 * More of it. 0: there is more to come. Else the status that answers it, after which nothing is
 * read: 200 for GET /metrics; 400 (no request), 404, 405, 431 (too long).
 */
unsigned http_request_feed(struct http_request *request, const char *bytes, size_t size);

/*
 * The head of an answer: status line and headers with the empty line behind them, at most `room`
 * bytes with a final zero; gives its length.
 */
size_t http_answer_head(unsigned status, size_t body_bytes, char *head, size_t room);

#endif
