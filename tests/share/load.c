/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many nodes in one loop: each is predictd-share's own exchange and ledger, against a real server,
 * with a daemon that stands in for predictd: it answers on a Unix socket with records of runs, so
 * many a second, or as fast as they are read.
 *
 *   share-load SERVER FOLDER [NAME=NUMBER]...
 *
 * Run r of a node is of launch (r / burst) mod launches: a row of `burst` runs where they are read
 * together. It ends when the server has every run, and, with reads=1, when each node has read what
 * the others of its model wrote; or after limit_s, and then fails. Prints a line of NAME=VALUE;
 * with idle_s another one when that is over.
 */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/log.h"
#include "daemon/share/borrow.h"
#include "daemon/share/exchange.h"
#include "daemon/share/ledger_file.h"
#include "proto/frame.h"

/*
 * runs   of each node
 * burst  runs of a launch that follow each other
 * rate   runs a second of each node; 0: as they are read
 * reads  1: until all is read, too
 * idle_s then stays so long, with nothing new
 */
#define NUMBERS(NUMBER)                                                                            \
	NUMBER(nodes, 8, 1, 2000)                                                                  \
	NUMBER(models, 8, 1, 2000)                                                                 \
	NUMBER(runs, 100000, 1, 1000000000)                                                        \
	NUMBER(burst, 1, 1, CORRECTION_SAMPLES)                                                    \
	NUMBER(launches, 2000, 1, 1000000)                                                         \
	NUMBER(rate, 0, 0, 1000000)                                                                \
	NUMBER(reads, 0, 0, 1)                                                                     \
	NUMBER(interval_ms, 500, 10, 3600000)                                                      \
	NUMBER(idle_s, 0, 0, 3600)                                                                 \
	NUMBER(limit_s, 600, 1, 86400)

struct numbers {
#define NUMBER(name, ...) uint32_t name;
	NUMBERS(NUMBER)
#undef NUMBER
};

enum { STARTED_AT_ONCE = 20, START_EVERY_MS = 20, LOOK_EVERY_MS = 100, LAUNCHES_OF_KERNEL = 12 };

struct crowd;

/* What stands in for a node's predictd, and the node's predictd-share. */
struct node {
	struct crowd *crowd;
	unsigned number;
	char socket[108];
	uv_pipe_t listener;
	uv_pipe_t *client; /* one: its predictd-share */
	struct frame_reader reader;
	Predictd__Device device;
	char name[64], model[KEY_BYTES_MAX];
	uint64_t available, told;
	bool is_written, is_whole;
	struct ledger *ledger;
	struct exchange exchange;
};

struct crowd {
	uv_loop_t loop;
	struct numbers numbers;
	struct settings settings;
	const char *folder;
	struct node *nodes;
	size_t started;
	uv_timer_t starting, looking;
	double began_s, written_s, read_s, idle_cpu_s;
	bool has_failed;
};

static double now_s(void)
{
	return (double)uv_hrtime() * 1e-9;
}

static void give_up(struct crowd *crowd, const char *what, const char *why)
{
	(void)fprintf(stderr, "share-load: %s: %s\n", what, why);
	crowd->has_failed = true;
	uv_stop(&crowd->loop);
}

/* ---- the daemon's part --------------------------------------------------------------------- */

struct writing {
	uv_write_t write;
	uint8_t *bytes;
};

static void on_written(uv_write_t *write, int status)
{
	struct writing *writing = (struct writing *)write;
	(void)status;
	free(writing->bytes);
	free(writing);
}

static void reply(struct node *node, Predictd__Response *response)
{
	size_t size;
	struct writing *writing = calloc(1, sizeof *writing);
	if (writing == NULL || !frame_pack(&response->base, &writing->bytes, &size)) {
		free(writing);
		give_up(node->crowd, node->name, "no memory");
		return;
	}
	uv_buf_t buffer = uv_buf_init((char *)writing->bytes, (unsigned)size);
	if (uv_write(&writing->write, (uv_stream_t *)node->client, &buffer, 1, on_written) != 0) {
		free(writing->bytes);
		free(writing);
	}
}

/* How many runs there are by now: whole bursts, and no launch twice in what is read at once. */
static void observe(struct node *node, uint64_t after, uint32_t count_max)
{
	const struct numbers *numbers = &node->crowd->numbers;
	uint64_t window = count_max < numbers->launches ? count_max : numbers->launches;
	uint64_t until = after + window * numbers->burst;
	if (numbers->rate > 0) {
		double due = (now_s() - node->crowd->began_s) * numbers->rate;
		if ((double)until > due)
			until = (uint64_t)due / numbers->burst * numbers->burst;
	}
	if (until > numbers->runs)
		until = numbers->runs / numbers->burst * numbers->burst;
	if (until > node->available)
		node->available = until;
}

/* One launch of a node: its times are around the launch's, by a share of the node. */
static size_t encode_state(const struct node *node, uint64_t launch, uint64_t at,
                           uint8_t bytes[CORRECTION_RECORD_BYTES])
{
	struct correction_record record = {.sample_count = node->crowd->numbers.burst};
	record.runs = record.sample_count;
	record.launch = (struct correction_launch){.key = launch,
	                                           .static_log = -9.0F,
	                                           .static_sd = 0.3F,
	                                           .items_log = 14.0F,
	                                           .group_log = 4.0F};
	for (size_t i = 0; i < CORRECTION_SHARES; i++)
		record.launch.share[i] = (uint8_t)((launch * 31 + i * 7) % 64);
	for (uint32_t i = 0; i < record.sample_count; i++)
		record.samples[i] = (struct correction_sample){
		        .time_log = -9.0F + (float)(launch % 97) * 0.01F +
		                    (float)(node->number % 13) * 0.001F,
		        .at_s = (uint32_t)(1700000000 + (at + i) % 1000000),
		        .predicted_s = 1e-4F,
		        .low_s = 5e-5F,
		        .high_s = 2e-4F};
	return correction_encode(&record, bytes);
}

static void read_records(struct node *node, Predictd__Response *response,
                         const Predictd__ReadRecords *asked)
{
	uint8_t store[STORE_ID_BYTES] = {0};
	const struct numbers *numbers = &node->crowd->numbers;
	Predictd__ReadRecordsReply body = PREDICTD__READ_RECORDS_REPLY__INIT;
	memcpy(store, &node->number, sizeof node->number);
	observe(node, asked->after, asked->count_max);
	size_t count = (size_t)((node->available - asked->after) / numbers->burst);
	Predictd__SharedRecord *records = calloc(count + 1, sizeof *records);
	Predictd__SharedRecord **pointers = calloc(count + 1, sizeof *pointers);
	uint8_t(*states)[CORRECTION_RECORD_BYTES] = calloc(count + 1, sizeof *states);
	if (records == NULL || pointers == NULL || states == NULL) {
		give_up(node->crowd, node->name, "no memory");
		goto out;
	}
	for (size_t i = 0; i < count; i++) {
		uint64_t burst = asked->after / numbers->burst + i;
		uint64_t launch = burst % numbers->launches;
		Predictd__SharedRecord *record = pointers[i] = &records[i];
		predictd__shared_record__init(record);
		record->sequence = (burst + 1) * numbers->burst;
		record->kernel = launch / LAUNCHES_OF_KERNEL + 1;
		record->launch = launch + 1;
		record->uid = 1000;
		record->device = node->model;
		record->driver = node->device.driver;
		record->runs = (burst / numbers->launches + 1) * numbers->burst;
		record->state.data = states[i];
		record->state.len = encode_state(node, launch + 1, burst, states[i]);
	}
	body.store.data = store;
	body.store.len = sizeof store;
	body.records = pointers;
	body.n_records = count;
	body.last = node->available > asked->after ? node->available : asked->after;
	response->body_case = PREDICTD__RESPONSE__BODY_READ_RECORDS;
	response->read_records = &body;
	reply(node, response);
out:
	free(records);
	free(pointers);
	free(states);
}

static void answer(struct node *node, const Predictd__Request *request)
{
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	Predictd__HelloReply hello = PREDICTD__HELLO_REPLY__INIT;
	Predictd__DevicesReply devices = PREDICTD__DEVICES_REPLY__INIT;
	Predictd__TellSiteReply told = PREDICTD__TELL_SITE_REPLY__INIT;
	Predictd__Device *pointer = &node->device;
	response.id = request->id;
	switch (request->body_case) {
	case PREDICTD__REQUEST__BODY_HELLO:
		hello.protocol = 1;
		response.body_case = PREDICTD__RESPONSE__BODY_HELLO;
		response.hello = &hello;
		break;
	case PREDICTD__REQUEST__BODY_LIST_DEVICES:
		devices.n_devices = 1;
		devices.devices = &pointer;
		response.body_case = PREDICTD__RESPONSE__BODY_DEVICES;
		response.devices = &devices;
		break;
	case PREDICTD__REQUEST__BODY_TELL_SITE:
		told.taken = (uint32_t)request->tell_site->n_estimates;
		node->told += told.taken;
		response.body_case = PREDICTD__RESPONSE__BODY_TELL_SITE;
		response.tell_site = &told;
		break;
	case PREDICTD__REQUEST__BODY_READ_RECORDS:
		read_records(node, &response, request->read_records);
		return;
	default:
		give_up(node->crowd, node->name, "an unexpected request");
		return;
	}
	reply(node, &response);
}

static void on_room(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
	(void)handle;
	buffer->base = malloc(suggested);
	buffer->len = buffer->base != NULL ? suggested : 0;
}

static void on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buffer)
{
	struct node *node = stream->data;
	const uint8_t *message;
	size_t length;
	if (size < 0)
		(void)uv_read_stop(stream);
	if (size > 0 && !frame_reader_feed(&node->reader, buffer->base, (size_t)size))
		give_up(node->crowd, node->name, "no memory");
	free(buffer->base);
	while (size > 0 && frame_reader_next(&node->reader, &message, &length) == FRAME_READY) {
		Predictd__Request *request = predictd__request__unpack(NULL, length, message);
		if (request != NULL)
			answer(node, request);
		predictd__request__free_unpacked(request, NULL);
	}
}

static void on_client(uv_stream_t *listener, int status)
{
	struct node *node = listener->data;
	node->client = malloc(sizeof *node->client);
	if (status < 0 || node->client == NULL ||
	    uv_pipe_init(&node->crowd->loop, node->client, 0) != 0 ||
	    uv_accept(listener, (uv_stream_t *)node->client) != 0) {
		give_up(node->crowd, node->name, "its socket");
		return;
	}
	node->client->data = node;
	(void)uv_read_start((uv_stream_t *)node->client, on_room, on_read);
}

/* ---- nodes --------------------------------------------------------------------------------- */

static void on_failure(void *context, const struct error *error)
{
	struct node *node = context;
	give_up(node->crowd, node->name, error->text);
}

static bool node_start(struct crowd *crowd, unsigned number)
{
	static char driver[] = "load 1.0", platform[] = "Load", vendor[] = "Nobody";
	struct node *node = &crowd->nodes[number];
	uint8_t machine[MACHINE_BYTES] = {1};
	char directory[300];
	struct error error = {.text = "its socket"};
	node->crowd = crowd;
	node->number = number;
	frame_reader_init(&node->reader, FRAME_BYTES_MAX);
	predictd__device__init(&node->device);
	(void)snprintf(node->name, sizeof node->name, "Model %u", number % crowd->numbers.models);
	node->device.platform = platform;
	node->device.vendor = vendor;
	node->device.driver = driver;
	node->device.name = node->device.key = node->name;
	node->device.compute_units = 16;
	node->device.is_calibrated = true; /* and away: its calibration is nobody's to send */
	borrowing_model(&node->device, node->model);
	memcpy(machine + 1, &number, sizeof number);
	(void)snprintf(node->socket, sizeof node->socket, "%.80s/%u.sock", crowd->folder, number);
	(void)snprintf(directory, sizeof directory, "%.200s/%u", crowd->folder, number);
	(void)unlink(node->socket);
	if (uv_pipe_init(&crowd->loop, &node->listener, 0) != 0 ||
	    uv_pipe_bind(&node->listener, node->socket) != 0 ||
	    uv_listen((uv_stream_t *)&node->listener, 4, on_client) != 0 ||
	    ledger_open(directory, machine, &node->ledger, &error) != STATUS_OK ||
	    exchange_init(&node->exchange, &crowd->settings, node->socket, node->ledger,
	                  &crowd->loop, &error) != STATUS_OK) {
		give_up(crowd, node->name, error.text);
		return false;
	}
	node->listener.data = node;
	node->exchange.on_failure = on_failure;
	node->exchange.context = node;
	exchange_start(&node->exchange);
	return true;
}

/* A few at once: a site's nodes do not start in one second. */
static void on_starting(uv_timer_t *timer)
{
	struct crowd *crowd = timer->data;
	for (int i = 0; i < STARTED_AT_ONCE && crowd->started < crowd->numbers.nodes; i++)
		if (!node_start(crowd, (unsigned)crowd->started++))
			return;
	if (crowd->started == crowd->numbers.nodes)
		(void)uv_timer_stop(timer);
}

/* ---- how far they are ---------------------------------------------------------------------- */

static bool has_written(struct node *node)
{
	const struct numbers *numbers = &node->crowd->numbers;
	uint64_t rows = numbers->runs / numbers->burst;
	node->is_written = node->is_written ||
	                   (ledger_assigned(node->ledger) == rows && node->exchange.pushed == rows);
	return node->is_written;
}

static bool has_read(struct node *node)
{
	struct crowd *crowd = node->crowd;
	struct error error;
	uint64_t rows = crowd->numbers.runs / crowd->numbers.burst, position;
	for (unsigned i = node->number % crowd->numbers.models;
	     i < crowd->numbers.nodes && !node->is_whole; i += crowd->numbers.models) {
		const struct node *other = &crowd->nodes[i];
		if (other == node)
			continue;
		if (ledger_position(node->ledger, ledger_node(other->ledger), node->model,
		                    node->device.driver, &position, &error) != STATUS_OK ||
		    position < rows)
			return false;
	}
	node->is_whole = true;
	return true;
}

static double cpu_s(void)
{
	struct rusage usage;
	(void)getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static void print(const struct crowd *crowd)
{
	struct rusage usage;
	const struct numbers *numbers = &crowd->numbers;
	uint64_t rows = (uint64_t)numbers->nodes * (numbers->runs / numbers->burst);
	uint64_t told = 0, refused = 0;
	for (size_t i = 0; i < crowd->started; i++) {
		told += crowd->nodes[i].told;
		refused += crowd->nodes[i].exchange.refused_rows +
		           crowd->nodes[i].exchange.refused_records;
	}
	(void)getrusage(RUSAGE_SELF, &usage);
	printf("rows=%llu runs=%llu written_s=%.2f read_s=%.2f cpu_s=%.2f resident_bytes=%lld"
	       " told=%llu refused=%llu\n",
	       (unsigned long long)rows, (unsigned long long)rows * numbers->burst,
	       crowd->written_s - crowd->began_s, crowd->read_s - crowd->began_s, cpu_s(),
	       (long long)usage.ru_maxrss * 1024, (unsigned long long)told,
	       (unsigned long long)refused);
	(void)fflush(stdout);
}

static void on_idle_over(uv_timer_t *timer)
{
	struct crowd *crowd = timer->data;
	printf("idle_cpu_s=%.3f\n", cpu_s() - crowd->idle_cpu_s);
	(void)fflush(stdout);
	uv_stop(&crowd->loop);
}

static void on_look(uv_timer_t *timer)
{
	struct crowd *crowd = timer->data;
	bool is_over = crowd->started == crowd->numbers.nodes;
	if (now_s() - crowd->began_s > crowd->numbers.limit_s) {
		give_up(crowd, "limit_s", "not all is there");
		return;
	}
	for (size_t i = 0; i < crowd->numbers.nodes && is_over; i++)
		is_over = has_written(&crowd->nodes[i]);
	if (is_over && crowd->written_s == 0)
		crowd->written_s = now_s();
	for (size_t i = 0; i < crowd->numbers.nodes && is_over && crowd->numbers.reads; i++)
		is_over = has_read(&crowd->nodes[i]);
	if (!is_over)
		return;
	crowd->read_s = now_s();
	(void)uv_timer_stop(timer);
	print(crowd);
	crowd->idle_cpu_s = cpu_s();
	(void)uv_timer_start(timer, on_idle_over, (uint64_t)crowd->numbers.idle_s * 1000, 0);
}

static bool read_number(struct numbers *numbers, const char *word)
{
	const char *value = strchr(word, '=');
	char *end;
	if (value == NULL)
		return false;
	unsigned long number = strtoul(value + 1, &end, 10);
	if (value[1] < '0' || value[1] > '9' || *end != '\0')
		return false;
#define NUMBER(name, otherwise, least, most)                                                       \
	if (strncmp(word, #name "=", sizeof #name) == 0) {                                         \
		numbers->name = (uint32_t)number;                                                  \
		return (uint64_t)number + 1 > (least) && number <= (most);                         \
	}
	NUMBERS(NUMBER)
#undef NUMBER
	return false;
}

static struct crowd crowd = {.numbers = {
#define NUMBER(name, otherwise, ...) .name = (otherwise),
                                     NUMBERS(NUMBER)
#undef NUMBER
                             }};

int main(int argc, char **argv)
{
	struct rlimit files;
	bool is_right = argc >= 3 && strlen(argv[1]) < SETTINGS_TEXT_MAX && strlen(argv[2]) < 80;
	for (int i = 3; i < argc && is_right; i++)
		is_right = read_number(&crowd.numbers, argv[i]);
	if (!is_right) {
		(void)fputs("usage: share-load SERVER FOLDER [NAME=NUMBER]...\n", stderr);
		return 2;
	}
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &files);
	}
	settings_init(&crowd.settings);
	(void)snprintf(crowd.settings.server, sizeof crowd.settings.server, "%s", argv[1]);
	crowd.settings.interval_ms = crowd.numbers.interval_ms;
	/* one loop does the work of all: an answer may lie there for long */
	crowd.settings.deadline_ms = 3600000;
	crowd.folder = argv[2];
	crowd.nodes = calloc(crowd.numbers.nodes, sizeof *crowd.nodes);
	if (crowd.nodes == NULL || uv_loop_init(&crowd.loop) != 0)
		return 1;
	crowd.began_s = now_s();
	log_open(LOG_LEVEL_WARNING);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)uv_timer_init(&crowd.loop, &crowd.starting);
	(void)uv_timer_init(&crowd.loop, &crowd.looking);
	crowd.starting.data = crowd.looking.data = &crowd;
	(void)uv_timer_start(&crowd.starting, on_starting, 0, START_EVERY_MS);
	(void)uv_timer_start(&crowd.looking, on_look, LOOK_EVERY_MS, LOOK_EVERY_MS);
	(void)uv_run(&crowd.loop, UV_RUN_DEFAULT);
	/* what is open goes with the process, as a node's does that is killed */
	_exit(crowd.has_failed);
}
