/* SPDX-License-Identifier: Apache-2.0 */
/* Requests by HTTP, and the heads of answers. */
#include "daemon/export/http_request.h"

#include <stdio.h>
#include <string.h>

static int on_url(http_parser *parser, const char *bytes, size_t size)
{
	struct http_request *request = parser->data;
	size_t room = sizeof request->target - 1 - request->target_bytes;
	size_t taken = size < room ? size : room;
	memcpy(request->target + request->target_bytes, bytes, taken);
	request->target_bytes += taken;
	request->target[request->target_bytes] = '\0';
	return 0;
}

/* What may follow is of no interest: the connection is closed behind the answer. */
static int on_headers_complete(http_parser *parser)
{
	struct http_request *request = parser->data;
	request->is_whole = true;
	http_parser_pause(parser, 1);
	return 0;
}

void http_request_init(struct http_request *request)
{
	memset(request, 0, sizeof *request);
	http_parser_init(&request->parser, HTTP_REQUEST);
	request->parser.data = request;
}

/* What stands behind "?" chooses nothing here. */
static bool is_page(const struct http_request *request)
{
	static const char page[] = "/metrics";
	size_t length = strcspn(request->target, "?");
	return length == strlen(page) && memcmp(request->target, page, length) == 0;
}

unsigned http_request_feed(struct http_request *request, const char *bytes, size_t size)
{
	static const http_parser_settings settings = {.on_url = on_url,
	                                              .on_headers_complete = on_headers_complete};
	size_t room = HTTP_REQUEST_BYTES_MAX - request->bytes;
	size_t fed = size < room ? size : room;
	(void)http_parser_execute(&request->parser, &settings, bytes, fed);
	request->bytes += fed;
	if (!request->is_whole && HTTP_PARSER_ERRNO(&request->parser) != HPE_OK)
		return 400;
	if (!request->is_whole)
		return request->bytes == HTTP_REQUEST_BYTES_MAX ? 431 : 0;
	if (request->parser.method != HTTP_GET)
		return 405;
	return is_page(request) ? 200 : 404;
}

static const char *phrase(unsigned status)
{
	switch (status) {
	case 200:
		return "OK";
	case 404:
		return "Not Found";
	case 405:
		return "Method Not Allowed";
	case 431:
		return "Request Header Fields Too Large";
	case 503:
		return "Service Unavailable";
	default:
		return "Bad Request";
	}
}

size_t http_answer_head(unsigned status, size_t body_bytes, char *head, size_t room)
{
	int length =
	        snprintf(head, room,
	                 "HTTP/1.1 %u %s\r\n%sContent-Length: %zu\r\n%sConnection: close\r\n\r\n",
	                 status, phrase(status),
	                 status == 200 ? "Content-Type: text/plain; version=0.0.4; "
	                                 "charset=utf-8\r\n"
	                               : "",
	                 body_bytes, status == 405 ? "Allow: GET\r\n" : "");
	return length < 0 || (size_t)length >= room ? 0 : (size_t)length;
}
