/* SPDX-License-Identifier: Apache-2.0 */
/* The library's statuses: the words, and the sentence of a thread's last failure. */
#include "client/library/error.h"

#include "proto/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ERROR_TEXT_MAX = 512 };

static _Thread_local char last_error[ERROR_TEXT_MAX];

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* The words and their order are the protocol's (model/status.h, model/prediction.h). */
static const char *const status_words[] = {
        "ok",        "invalid",      "syntax",       "unsupported", "limit",
        "not-found", "uncalibrated", "unavailable",  "denied",      "busy",
        "timeout",   "cancelled",    "io",           "corrupt",     "no-memory",
        "device",    "internal",     "unregistered", "unsampled"};
static const char *const model_words[] = {"default", "pattern", "uncached"};
static const char *const basis_words[] = {"static", "refined", "observed", "fallback", "history"};
static const char *const bottleneck_words[] = {
        "launch",   "dispatch", "arithmetic", "latency",  "local memory", "atomics", "barriers",
        "L1 cache", "L2 cache", "L3 cache",   "L4 cache", "memory",       "unknown"};

predictd_status error_keep(predictd_status status, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(last_error, sizeof last_error, format, arguments);
	va_end(arguments);
	text_clean(last_error);
	return status;
}

void error_keep_text(const char *text)
{
	size_t length = strnlen(text, sizeof last_error - 1);
	memcpy(last_error, text, length);
	last_error[length] = '\0';
}

void error_clear(void)
{
	last_error[0] = '\0';
}

predictd_status status_from_wire(uint32_t number)
{
	return number < COUNT(status_words) ? (predictd_status)number : PREDICTD_INTERNAL;
}

const char *bottleneck_from_wire(uint32_t number)
{
	return number < COUNT(bottleneck_words) ? bottleneck_words[number] : "unknown";
}

const char *predictd_error_text(void)
{
	return last_error;
}

const char *predictd_status_name(predictd_status status)
{
	return (size_t)status < COUNT(status_words) ? status_words[status] : "unknown";
}

const char *predictd_model_name(predictd_model model)
{
	return (size_t)model < COUNT(model_words) ? model_words[model] : "unknown";
}

const char *predictd_basis_name(predictd_basis basis)
{
	return (size_t)basis < COUNT(basis_words) ? basis_words[basis] : "unknown";
}

const char *predictd_resource_name(size_t resource)
{
	return bottleneck_from_wire(resource < UINT32_MAX ? (uint32_t)resource : UINT32_MAX);
}

const char *predictd_version(void)
{
	return PREDICTD_VERSION;
}
