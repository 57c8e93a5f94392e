/* SPDX-License-Identifier: Apache-2.0 */
/* A sample of a buffer: taken from a host pointer, named by its hash, sent where it is missed. */
#include "client/library/sample.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- what is read -------------------------------------------------------------------------- */

/*
 * One run in each sixteenth of the buffer: the first begins it, the last ends it, and the others
 * lie anywhere in theirs, by multiples of the golden ratio (the sequence of least discrepancy).
 * Were they evenly spaced, each would have the same columns wherever their distance is a multiple
 * of a row's length, as with sizes that are powers of two. Offsets follow from the size alone: the
 * same data have the same name each time. Multiples of 64 bytes keep elements whole; 4 KiB hold a
 * thousand neighbours, and so differences, orders and lengths of rows.
 */
uint64_t sample_run_offset(uint64_t size_bytes, unsigned i)
{
	enum { GRAIN = 64 };
	uint64_t stratum = size_bytes / (SAMPLE_RUNS * GRAIN) * GRAIN;
	uint64_t places = (stratum - SAMPLE_RUN_BYTES) / GRAIN + 1;
	if (i == 0)
		return 0;
	if (i == SAMPLE_RUNS - 1)
		return size_bytes - SAMPLE_RUN_BYTES;
	/* i * (golden ratio - 1), of which the whole part is lost, in 2^-32 */
	uint64_t fraction = (uint32_t)(i * UINT32_C(0x9e3779b9));
	uint64_t place = (places >> 32) * fraction + ((places & UINT32_MAX) * fraction >> 32);
	return i * stratum + place * GRAIN;
}

/* Which pages of some bytes are in memory: one that was never touched is not. */
struct pages {
	uintptr_t begin, size; /* of the first one; of each */
	size_t count;          /* 0: nothing is known */
	unsigned char are_in[1024 + 1];
};

/* Asks of as many bytes as 1024 pages hold: a call takes a microsecond, and a page some ns. */
static void pages_ask(struct pages *pages, const uint8_t *data, uint64_t size)
{
	pages->begin = (uintptr_t)data & ~(pages->size - 1);
	size_t length = (uintptr_t)data + size - pages->begin;
	pages->count = (length + pages->size - 1) / pages->size;
	if (mincore((void *)pages->begin, length, pages->are_in) != 0)
		pages->count = 0;
}

static bool pages_are_in(const struct pages *pages, const uint8_t *data, size_t size)
{
	if (pages->count == 0)
		return false;
	size_t first = ((uintptr_t)data - pages->begin) / pages->size;
	size_t last = ((uintptr_t)data + size - 1 - pages->begin) / pages->size;
	for (size_t i = first; i <= last; i++)
		if ((pages->are_in[i] & 1) == 0)
			return false;
	return true;
}

/* A buffer in memory. */
struct host_memory {
	const uint8_t *data;
	bool touches;
	bool is_near; /* `pages` knows of all of it */
	struct pages pages;
};

static void host_memory_init(struct host_memory *memory, const uint8_t *data, uint64_t size,
                             bool touches)
{
	memory->data = data;
	memory->touches = touches;
	memory->pages.size = (uintptr_t)sysconf(_SC_PAGESIZE);
	memory->pages.count = 0;
	if (!touches && size <= (sizeof memory->pages.are_in - 1) * memory->pages.size)
		pages_ask(&memory->pages, data, size);
	/* of memory that is not there all the way, some may be known */
	memory->is_near = memory->pages.count > 0;
}

static bool host_memory_read(uint64_t offset, void *bytes, size_t size, void *context)
{
	struct host_memory *memory = context;
	const uint8_t *from = memory->data + offset;
	if (!memory->touches && !memory->is_near)
		pages_ask(&memory->pages, from, size);
	if (!memory->touches && !pages_are_in(&memory->pages, from, size))
		return false;
	memcpy(bytes, from, size);
	return true;
}

/* Adds a run that was read; one that touches the run before goes on with it. */
static void add_run(predictd_sample *sample, uint64_t offset, uint32_t length)
{
	Predictd__Sample *message = &sample->message;
	size_t last = message->n_offsets_bytes;
	message->bytes.len += length;
	if (last > 0 &&
	    sample->offsets_bytes[last - 1] + sample->lengths_bytes[last - 1] == offset) {
		sample->lengths_bytes[last - 1] += length;
		return;
	}
	sample->offsets_bytes[last] = offset;
	sample->lengths_bytes[last] = length;
	message->n_offsets_bytes = message->n_lengths_bytes = last + 1;
}

static void read_runs(predictd_sample *sample, uint64_t size, predictd_sample_reader read,
                      void *context)
{
	for (unsigned i = 0; i < SAMPLE_RUNS; i++) {
		uint64_t offset = size <= SAMPLE_BYTES ? (uint64_t)i * SAMPLE_RUN_BYTES
		                                       : sample_run_offset(size, i);
		if (offset >= size)
			break;
		uint64_t rest = size - offset;
		uint32_t length = rest < SAMPLE_RUN_BYTES ? (uint32_t)rest : SAMPLE_RUN_BYTES;
		if (read(offset, sample->bytes + sample->message.bytes.len, length, context))
			add_run(sample, offset, length);
	}
}

/* ---- the sample ---------------------------------------------------------------------------- */

/* The scalar of a type such as "int" or "float4", and its bytes; 0: it is none. */
static size_t scalar_parse(const char *type, char scalar[8])
{
	static const struct {
		const char *name;
		size_t bytes;
	} scalars[] = {{"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2},
	               {"int", 4},  {"uint", 4},  {"long", 8},  {"ulong", 8},
	               {"half", 2}, {"float", 4}, {"double", 8}};
	static const char *const widths[] = {"", "2", "3", "4", "8", "16"};
	size_t length = strcspn(type, "0123456789");
	bool is_width = false;
	for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
		is_width |= strcmp(type + length, widths[i]) == 0;
	for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++)
		if (is_width && strlen(scalars[i].name) == length &&
		    strncmp(type, scalars[i].name, length) == 0) {
			(void)strcpy(scalar, scalars[i].name);
			return scalars[i].bytes;
		}
	return 0;
}

predictd_status predictd_sample_read(predictd_sample_reader read, void *context,
                                     uint64_t size_bytes, const char *type,
                                     predictd_sample **result)
{
	char scalar[8] = "";
	size_t element = 1;
	error_clear();
	if (size_bytes == 0)
		return error_keep(PREDICTD_INVALID, "a sample of 0 bytes");
	if (type != NULL && type[0] != '\0' && (element = scalar_parse(type, scalar)) == 0)
		return error_keep(PREDICTD_INVALID, "sample: no type of elements: '%.32s'", type);
	uint64_t whole = size_bytes - size_bytes % element;
	size_t room = whole < SAMPLE_BYTES ? (size_t)whole : SAMPLE_BYTES;
	predictd_sample *sample = malloc(sizeof *sample + room);
	if (sample == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for a sample");
	sample->users = 1;
	predictd__sample__init(&sample->message);
	memcpy(sample->type, scalar, sizeof scalar);
	sample->message.size_bytes = size_bytes;
	sample->message.type = sample->type;
	sample->message.offsets_bytes = sample->offsets_bytes;
	sample->message.lengths_bytes = sample->lengths_bytes;
	sample->message.bytes.data = sample->bytes;
	read_runs(sample, whole, read, context);
	if (sample->message.bytes.len == 0) {
		free(sample);
		return error_keep(PREDICTD_NOT_FOUND, "sample: none of its %s is to be had",
		                  whole == 0 ? "elements" : "pages");
	}
	sample_name(&sample->message, sample->name);
	*result = sample;
	return PREDICTD_OK;
}

predictd_status predictd_sample_take(const void *data, uint64_t size_bytes, const char *type,
                                     unsigned flags, predictd_sample **sample)
{
	struct host_memory memory;
	error_clear();
	if (data == NULL)
		return error_keep(PREDICTD_INVALID, "a sample of no memory");
	if (size_bytes > UINTPTR_MAX - (uintptr_t)data)
		return error_keep(PREDICTD_INVALID, "a sample of %llu bytes",
		                  (unsigned long long)size_bytes);
	if ((flags & ~(unsigned)PREDICTD_SAMPLE_TOUCH) != 0)
		return error_keep(PREDICTD_INVALID, "sample: unknown flags 0x%x", flags);
	host_memory_init(&memory, data, size_bytes, (flags & PREDICTD_SAMPLE_TOUCH) != 0);
	return predictd_sample_read(host_memory_read, &memory, size_bytes, type, sample);
}

void client_sample_hold(const predictd_sample *sample)
{
	if (sample != NULL)
		(void)atomic_fetch_add_explicit(&((predictd_sample *)(uintptr_t)sample)->users, 1,
		                                memory_order_relaxed);
}

void client_sample_release(const predictd_sample *borrowed)
{
	predictd_sample *sample = (predictd_sample *)(uintptr_t)borrowed;
	if (sample != NULL &&
	    atomic_fetch_sub_explicit(&sample->users, 1, memory_order_acq_rel) == 1)
		free(sample);
}

void predictd_sample_free(predictd_sample *sample)
{
	client_sample_release(sample);
}

size_t predictd_sample_bytes(const predictd_sample *sample)
{
	return sample->message.bytes.len;
}

/* ---- sending ------------------------------------------------------------------------------- */

const predictd_sample *argument_sample(const predictd_argument *argument)
{
	return argument->kind == PREDICTD_BUFFER ? argument->sample : NULL;
}

struct sample_request {
	Predictd__Request request;
	Predictd__KeepSample body;
};

static Predictd__Request *request_make(void *context, size_t index)
{
	const predictd_sample *const *list = context;
	struct sample_request *whole = malloc(sizeof *whole);
	if (whole == NULL)
		return NULL;
	predictd__request__init(&whole->request);
	predictd__keep_sample__init(&whole->body);
	whole->body.sample = (Predictd__Sample *)(uintptr_t)&list[index]->message;
	whole->request.body_case = PREDICTD__REQUEST__BODY_KEEP_SAMPLE;
	whole->request.keep_sample = &whole->body;
	return &whole->request;
}

static void request_drop(void *context, size_t index, Predictd__Request *request)
{
	(void)context;
	(void)index;
	free(request);
}

static int compare(const void *first, const void *second)
{
	uintptr_t a = (uintptr_t)*(const predictd_sample *const *)first;
	uintptr_t b = (uintptr_t)*(const predictd_sample *const *)second;
	return (a > b) - (a < b);
}

/* The samples of the questions, each once; with list NULL as many as there may be. */
static size_t samples_list(const predictd_question *(*question_of)(const void *context, size_t i),
                           const void *context, size_t count, const predictd_sample **list)
{
	size_t found = 0, kept = 0;
	for (size_t i = 0; i < count; i++) {
		const predictd_question *question = question_of(context, i);
		for (size_t j = 0; j < question->argument_count; j++) {
			const predictd_sample *sample = argument_sample(&question->arguments[j]);
			if (sample != NULL && list != NULL)
				list[found] = sample;
			found += sample != NULL;
		}
	}
	if (list == NULL)
		return found;
	qsort(list, found, sizeof *list, compare);
	for (size_t i = 0; i < found; i++)
		if (i == 0 || list[i] != list[i - 1])
			list[kept++] = list[i];
	return kept;
}

predictd_status samples_send(struct ask *ask,
                             const predictd_question *(*question_of)(const void *context, size_t i),
                             const void *context, size_t count, bool *is_refused)
{
	size_t room = samples_list(question_of, context, count, NULL);
	const predictd_sample **list = calloc(room + 1, sizeof(*list));
	Predictd__Response **responses = calloc(room + 1, sizeof(*responses));
	predictd_status status = PREDICTD_NO_MEMORY;
	bool can_retry = true;
	size_t found = 0;
	if (list != NULL && responses != NULL) {
		found = samples_list(question_of, context, count, list);
		const struct exchange exchange = {list, request_make, request_drop, NULL, NULL};
		for (unsigned attempt = 0; attempt < 2 && can_retry; attempt++) {
			can_retry = false;
			status = ask_begin(ask);
			if (status == PREDICTD_OK)
				status = ask_exchange(ask, &exchange, found, responses, &can_retry);
		}
	} else {
		(void)error_keep(status, "no memory for samples");
	}
	/* LIMIT: larger than the daemon's messages may be */
	*is_refused |= status == PREDICTD_LIMIT;
	for (size_t i = 0; i < found; i++) {
		if (responses[i] == NULL)
			continue;
		*is_refused |= responses[i]->body_case != PREDICTD__RESPONSE__BODY_KEEP_SAMPLE;
		predictd__response__free_unpacked(responses[i], NULL);
	}
	free(list);
	free(responses);
	return status == PREDICTD_LIMIT ? PREDICTD_OK : status;
}
