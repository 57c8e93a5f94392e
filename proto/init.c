/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel's buffers hold at first. */
#include "proto/init.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* splitmix64 (Steele, Lea, Flood, OOPSLA 2014) of a counter: random access to the stream. */
static uint64_t random_at(uint64_t seed, uint64_t index)
{
	uint64_t z = (seed + 1) * 0xd1342543de82ef95u + (index + 1) * 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static bool parse_real(const char **text, double *value)
{
	char *end;
	if (**text != ':')
		return false;
	*value = strtod(*text + 1, &end);
	if (end == *text + 1 || !isfinite(*value))
		return false;
	*text = end;
	return true;
}

static bool parse_count(const char **text, uint64_t *value)
{
	char *end;
	if (**text != ':' || (*text)[1] < '0' || (*text)[1] > '9')
		return false;
	errno = 0;
	*value = strtoull(*text + 1, &end, 10);
	if (errno != 0)
		return false;
	*text = end;
	return true;
}

static bool take(const char **text, const char *word)
{
	size_t length = strlen(word);
	if (strncmp(*text, word, length) != 0 ||
	    ((*text)[length] != '\0' && (*text)[length] != ':'))
		return false;
	*text += length;
	return true;
}

/* Devices and sockets are none of these: nobody takes them for data. */
static const char *what_is(const struct stat *about)
{
	if (S_ISREG(about->st_mode))
		return "an empty one";
	return S_ISDIR(about->st_mode)    ? "a folder"
	       : S_ISFIFO(about->st_mode) ? "a pipe"
	                                  : "a special file";
}

static bool open_file(const char *path, struct init *init, char problem[INIT_PROBLEM_MAX])
{
	struct stat about;
	init->kind = INIT_FILE;
	init->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (init->file < 0 || fstat(init->file, &about) != 0) {
		(void)snprintf(problem, INIT_PROBLEM_MAX, "init '@%.160s': %s", path,
		               strerror(errno));
		init_close(init);
		return false;
	}
	if (!S_ISREG(about.st_mode) || about.st_size == 0) {
		(void)snprintf(problem, INIT_PROBLEM_MAX,
		               "init '@%.160s': want a file of one byte or more, have %s", path,
		               what_is(&about));
		init_close(init);
		return false;
	}
	init->count = (uint64_t)about.st_size;
	return true;
}

void init_close(struct init *init)
{
	if (init->file >= 0)
		(void)close(init->file);
	init->file = -1;
}

bool init_open(const char *text, struct init *init, char problem[INIT_PROBLEM_MAX])
{
	const char *rest = text;
	struct init read = {.high = 1, .file = -1};
	bool good = true;
	*init = read;
	if (text[0] == '@')
		return open_file(text + 1, init, problem);
	if (take(&rest, "zero")) {
		read.kind = INIT_ZERO;
	} else if (take(&rest, "iota")) {
		read.kind = INIT_IOTA;
	} else if (take(&rest, "rand_float")) {
		read.kind = INIT_FLOAT;
		if (*rest == ':')
			good = parse_real(&rest, &read.low) && parse_real(&rest, &read.high) &&
			       read.low <= read.high;
	} else if (take(&rest, "rand_double")) {
		read.kind = INIT_DOUBLE;
	} else if (take(&rest, "rand_u32")) {
		read.kind = INIT_U32;
	} else if (take(&rest, "rand_index")) {
		read.kind = INIT_INDEX;
		good = parse_count(&rest, &read.count) && read.count > 0 &&
		       read.count <= (uint64_t)1 << 31;
	} else if (take(&rest, "csr_rowptr")) {
		read.kind = INIT_CSR_ROW_PTR;
		good = parse_count(&rest, &read.count) && parse_count(&rest, &read.per_row) &&
		       (read.per_row == 0 || read.count <= INT32_MAX / read.per_row);
	} else {
		good = false;
	}
	if (!good || *rest != '\0') {
		(void)snprintf(problem, INIT_PROBLEM_MAX,
		               "init '%.64s': want zero, iota, rand_float[:A:B], rand_double, "
		               "rand_u32, rand_index:N, csr_rowptr:ROWS:PER_ROW or @FILE",
		               text);
		return false;
	}
	*init = read;
	return true;
}

static float float_at(const struct init *init, uint64_t seed, uint64_t index)
{
	double unit = (double)(random_at(seed, index) >> 40) * 0x1p-24;
	return (float)(init->low + unit * (init->high - init->low));
}

static uint32_t word_at(const struct init *init, uint64_t seed, uint64_t index)
{
	float real;
	uint32_t bits;
	switch (init->kind) {
	case INIT_IOTA:
		return (uint32_t)index;
	case INIT_FLOAT:
		real = float_at(init, seed, index);
		memcpy(&bits, &real, sizeof bits);
		return bits;
	case INIT_U32:
		return (uint32_t)random_at(seed, index);
	case INIT_INDEX:
		return (uint32_t)(random_at(seed, index) % init->count);
	case INIT_CSR_ROW_PTR:
		return (uint32_t)((index < init->count ? index : init->count) * init->per_row);
	case INIT_ZERO:
	case INIT_DOUBLE:
	case INIT_FILE:
		break;
	}
	return 0;
}

static void fill_from_file(const struct init *init, uint64_t at, char *to, size_t size)
{
	while (size > 0) {
		uint64_t from = at % init->count, rest = init->count - from;
		size_t wanted = rest < size ? (size_t)rest : size;
		ssize_t got = pread(init->file, to, wanted, (off_t)from);
		if (got <= 0)
			memset(to, 0, wanted);
		size_t filled = got <= 0 ? wanted : (size_t)got;
		to += filled;
		at += filled;
		size -= filled;
	}
}

void init_fill(const struct init *init, uint64_t seed, uint64_t at, void *bytes, size_t size)
{
	char *to = bytes;
	if (init->kind == INIT_ZERO) {
		memset(bytes, 0, size);
		return;
	}
	if (init->kind == INIT_FILE) {
		fill_from_file(init, at, to, size);
		return;
	}
	if (init->kind == INIT_DOUBLE) {
		size_t whole = size / sizeof(double);
		for (size_t i = 0; i < whole; i++) {
			double value =
			        (double)(random_at(seed, at / sizeof value + i) >> 11) * 0x1p-53;
			memcpy(to + i * sizeof value, &value, sizeof value);
		}
		memset(to + whole * sizeof(double), 0, size % sizeof(double));
		return;
	}
	size_t whole = size / sizeof(uint32_t);
	for (size_t i = 0; i < whole; i++) {
		uint32_t word = word_at(init, seed, at / sizeof word + i);
		memcpy(to + i * sizeof word, &word, sizeof word);
	}
	memset(to + whole * sizeof(uint32_t), 0, size % sizeof(uint32_t));
}
