/* SPDX-License-Identifier: Apache-2.0 */
/* The sources that benchmarks ask about. */
#include "tests/bench/sources.h"

#include <stdio.h>
#include <string.h>

static const char small_source[] =
        "kernel void bench(global const float *a, global float *b, float f)\n"
        "{\n"
        "	size_t i = get_global_id(0);\n"
        "\n"
        "	b[i] = a[i] * f + %u.0f;\n"
        "}\n";

static const char middle_source[] =
        "/* A row of a stencil with its sum in local memory, number %u. */\n"
        "static float weight(int k, float f)\n"
        "{\n"
        "	return f * (float)(k + %u) / 9.0f;\n"
        "}\n"
        "\n"
        "kernel void bench(global const float *a, global float *b, float f)\n"
        "{\n"
        "	local float part[64];\n"
        "	int i = (int)get_global_id(0);\n"
        "	int n = (int)get_global_size(0);\n"
        "	int lane = (int)get_local_id(0);\n"
        "	float sum = 0.0f;\n"
        "\n"
        "	for (int k = -4; k <= 4; k++) {\n"
        "		int at = i + k;\n"
        "\n"
        "		if (at < 0)\n"
        "			at = 0;\n"
        "		if (at >= n)\n"
        "			at = n - 1;\n"
        "		sum += a[at] * weight(k, f);\n"
        "	}\n"
        "	part[lane] = sum;\n"
        "	barrier(CLK_LOCAL_MEM_FENCE);\n"
        "	for (int step = 32; step > 0; step /= 2) {\n"
        "		if (lane < step)\n"
        "			part[lane] += part[lane + step];\n"
        "		barrier(CLK_LOCAL_MEM_FENCE);\n"
        "	}\n"
        "	if (fabs(sum) > 1.0f) {\n"
        "		float root = sqrt(fabs(sum));\n"
        "\n"
        "		sum = sum / root + part[0];\n"
        "	} else {\n"
        "		sum -= part[0] * f;\n"
        "	}\n"
        "	b[i] = sum;\n"
        "}\n";

static size_t write_long(char *text, unsigned number)
{
	size_t size = 0;

	for (unsigned i = 0; i < 22; i++)
		size += (size_t)snprintf(
		        text + size, SOURCE_MAX - size,
		        "static float step%u(global const float *a, float x, int n)\n"
		        "{\n"
		        "	float sum = x * %u.0f;\n"
		        "	for (int k = 0; k < n; k++) {\n"
		        "		float y = a[(k * %u) & 1023] - x;\n"
		        "		if (y > 0.5f)\n"
		        "			sum += y * y;\n"
		        "		else\n"
		        "			sum -= sqrt(fabs(y));\n"
		        "	}\n"
		        "	return sum;\n"
		        "}\n",
		        i, number + i, 2 * i + 1);
	size += (size_t)snprintf(text + size, SOURCE_MAX - size,
	                         "kernel void bench(global const float *a, global float *b, "
	                         "float f)\n{\n	size_t i = get_global_id(0);\n	float x = f;\n\n");
	for (unsigned i = 0; i < 22; i++)
		size += (size_t)snprintf(text + size, SOURCE_MAX - size,
		                         "	x += step%u(a, x, %u);\n", i, 4 + i);
	size += (size_t)snprintf(text + size, SOURCE_MAX - size, "	b[i] = x;\n}\n");
	return size;
}

size_t source_write(char *text, enum source_kind kind, unsigned number)
{
	if (kind == SOURCE_LONG)
		return write_long(text, number);
	return (size_t)(kind == SOURCE_SMALL
	                        ? snprintf(text, SOURCE_MAX, small_source, number)
	                        : snprintf(text, SOURCE_MAX, middle_source, number, number));
}

unsigned source_lines(const char *text)
{
	unsigned lines = 0;

	for (; (text = strchr(text, '\n')) != NULL; text++)
		lines++;
	return lines;
}
