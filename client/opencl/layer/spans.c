/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line per launch and transfer, for `predictctl run --trace`. Times are nanoseconds of the
 * device's clock: "L SHAPE QUEUED SUBMIT START END FLAGS" and "T KIND DEVICE BYTES QUEUED START
 * END".
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/opencl/layer/known.h"

enum { BUFFER_BYTES = 65536, LINE_BYTES = 192, LINES_MAX = 1000000 };

static struct spans {
	char *path, *buffer; /* NULL: nothing is wanted */
	size_t used, lines_held;
	uint64_t lines, lost;
	bool has_begun;
} spans;

void spans_open(const char *folder)
{
	if (asprintf(&spans.path, "%s/%ld.spans", folder, (long)getpid()) < 0)
		spans.path = NULL;
	spans.buffer = spans.path != NULL ? malloc(BUFFER_BYTES) : NULL;
}

void spans_flush(void)
{
	if (spans.buffer == NULL || spans.used == 0)
		return;
	int fd = open(spans.path,
	              O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW |
	                      (spans.has_begun ? O_APPEND : O_TRUNC),
	              0600);
	size_t done = 0;
	for (ssize_t got = 0; fd >= 0 && done < spans.used; done += (size_t)got)
		if ((got = write(fd, spans.buffer + done, spans.used - done)) <= 0)
			break;
	if (fd >= 0)
		(void)close(fd);
	if (done < spans.used)
		spans.lost += spans.lines_held;
	spans.has_begun = true;
	spans.used = spans.lines_held = 0;
}

static void line_add(const char *line, int length)
{
	if (spans.buffer == NULL)
		return;
	if (spans.lines >= LINES_MAX) {
		spans.lost++;
		return;
	}
	if (spans.used + (size_t)length > BUFFER_BYTES)
		spans_flush();
	memcpy(spans.buffer + spans.used, line, (size_t)length);
	spans.used += (size_t)length;
	spans.lines++;
	spans.lines_held++;
}

void spans_launch(uint32_t shape_number, const seen_times *times)
{
	char line[LINE_BYTES];
	int length = snprintf(line, sizeof line, "L %u %.0f %.0f %.0f %.0f %d\n", shape_number,
	                      1e9 * times->queued_s, 1e9 * times->submit_s, 1e9 * times->start_s,
	                      1e9 * times->end_s, times->is_first | times->overlapped << 1);
	if (length > 0 && length < LINE_BYTES)
		line_add(line, length);
}

void spans_transfer(seen_transfer_kind kind, size_t device_number, uint64_t size_bytes,
                    const seen_times *times)
{
	char line[LINE_BYTES];
	int length = snprintf(line, sizeof line, "T %d %zu %llu %.0f %.0f %.0f\n", (int)kind,
	                      device_number, (unsigned long long)size_bytes, 1e9 * times->queued_s,
	                      1e9 * times->start_s, 1e9 * times->end_s);
	if (length > 0 && length < LINE_BYTES)
		line_add(line, length);
}

void spans_forked(void)
{
	spans = (struct spans){.path = NULL};
}

uint64_t spans_lost(void)
{
	return spans.lost;
}
