/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the seeds of the fuzz targets, from real messages: usage:
 * make_corpus DIRECTORY, which has a folder per target. What it wrote is kept
 * in tests/fuzz/corpus; run it again when a message changes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "daemon/codec/device_codec.h"
#include "daemon/codec/ir_codec.h"
#include "daemon/codec/language.h"
#include "model/correction/correction.h"
#include "proto/frame.h"
#include "tests/unit/codec/sample_kernels.h"

static const char *directory;

static void seed(const char *target, const char *name, const void *bytes, size_t size)
{
	char path[4096];
	(void)snprintf(path, sizeof path, "%s/%s", directory, target);
	(void)mkdir(path, 0777);
	(void)snprintf(path, sizeof path, "%s/%s/%s", directory, target, name);
	FILE *file = fopen(path, "wb");
	if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
		perror(path);
		exit(1);
	}
}

static void seed_text(const char *target, const char *name, const char *text)
{
	seed(target, name, text, strlen(text));
}

static void seed_message(const char *target, const char *name, const ProtobufCMessage *message)
{
	uint8_t *bytes = NULL;
	size_t size = 0;
	if (!frame_pack(message, &bytes, &size))
		exit(1);
	seed(target, name, bytes + FRAME_PREFIX_BYTES, size - FRAME_PREFIX_BYTES);
	free(bytes);
}

/* Two frames behind the limit and the step that fuzz_frame takes from the first two bytes. */
static void seed_frames(void)
{
	static const uint8_t whole[] = {4, 3, 5, 0, 0, 0, 'h', 'e', 'l', 'l', 'o', 0, 0, 0, 0};
	static const uint8_t cut[] = {4, 255, 9, 0, 0, 0, 'h', 'a', 'l', 'f'};
	static const uint8_t too_long[] = {1, 0, 255, 255, 255, 255, 'x'};
	seed("frame", "two", whole, sizeof whole);
	seed("frame", "cut", cut, sizeof cut);
	seed("frame", "four_gigabytes", too_long, sizeof too_long);
}

/* A source, its options and a profile, each behind a zero byte. */
static void seed_profile(void)
{
	static const char source[] = "#if __OPENCL_C_VERSION__ >= 300 && defined(cl_khr_fp64)\n"
	                             "kernel void k(global double *a) { a[0] = X; }\n#endif\n"
	                             "\0-DX=2";
	uint8_t bytes[1024];
	Predictd__LanguageMacro fp64 = PREDICTD__LANGUAGE_MACRO__INIT, version = fp64;
	Predictd__LanguageMacro *common[] = {&fp64}, *own[] = {&version};
	Predictd__LanguageStandard standard = PREDICTD__LANGUAGE_STANDARD__INIT;
	Predictd__LanguageStandard *standards[] = {&standard};
	Predictd__LanguageOption option = PREDICTD__LANGUAGE_OPTION__INIT, *options[] = {&option};
	Predictd__Language language = PREDICTD__LANGUAGE__INIT;
	char *undefined[] = {(char *)"__SPIR__", (char *)"__SPIR64__"};
	fp64.name = (char *)"cl_khr_fp64";
	fp64.value = (char *)"1";
	version.name = (char *)"__OPENCL_C_VERSION__";
	version.value = (char *)"300";
	standard.macros = own;
	standard.n_macros = 1;
	option.name = (char *)"-cl-nv-verbose";
	option.is_refused = true;
	language.origin = 1;
	language.macros = common;
	language.undefined = undefined;
	language.n_undefined = 2;
	language.standards = standards;
	language.options = options;
	language.n_macros = language.n_standards = language.n_options = 1;
	memcpy(bytes, source, sizeof source); /* with the end of its options */
	size_t size = predictd__language__get_packed_size(&language);
	if (size > sizeof bytes - sizeof source)
		exit(1);
	(void)predictd__language__pack(&language, bytes + sizeof source);
	seed("source", "profile", bytes, sizeof source + size);
}

/* What a process that shares with other nodes asks. */
static void seed_shared(Predictd__Request *request)
{
	Predictd__ReadRecords read = PREDICTD__READ_RECORDS__INIT;
	Predictd__SiteEstimate estimates[2], *list[] = {&estimates[0], &estimates[1]};
	Predictd__TellSite tell = PREDICTD__TELL_SITE__INIT;
	struct correction_record record = {.sample_count = 3, .runs = 3};
	uint8_t state[CORRECTION_RECORD_BYTES];
	record.launch.static_log = -7;
	record.launch.static_sd = 0.3F;
	record.launch.items_log = 14;
	record.launch.group_log = 5;
	for (unsigned i = 0; i < 3; i++)
		record.samples[i] = (struct correction_sample){.time_log = -6.8F + 0.1F * (float)i,
		                                               .at_s = 1700000000 + i};
	size_t size = correction_encode(&record, state);
	for (unsigned i = 0; i < 2; i++) {
		predictd__site_estimate__init(&estimates[i]);
		estimates[i].kernel = 11;
		estimates[i].launch = 12 + i;
		estimates[i].kind = i;
		estimates[i].device = (char *)"name:0123456789abcdef";
		estimates[i].driver = (char *)"3.1";
		estimates[i].nodes = 7;
		estimates[i].state = (ProtobufCBinaryData){size, state};
	}
	tell.estimates = list;
	tell.n_estimates = 2;
	request->body_case = PREDICTD__REQUEST__BODY_TELL_SITE;
	request->tell_site = &tell;
	seed_message("request", "tell-site", &request->base);
	read.after = 5;
	read.count_max = 100;
	request->body_case = PREDICTD__REQUEST__BODY_READ_RECORDS;
	request->read_records = &read;
	seed_message("request", "read-records", &request->base);
}

/* What whoever runs a node asks. */
static void seed_operated(Predictd__Request *request)
{
	Predictd__ListKernels kernels = PREDICTD__LIST_KERNELS__INIT;
	Predictd__ListUsers users = PREDICTD__LIST_USERS__INIT;
	Predictd__Backup backup = PREDICTD__BACKUP__INIT;
	Predictd__Metrics metrics = PREDICTD__METRICS__INIT;
	Predictd__Calibrate calibrate = PREDICTD__CALIBRATE__INIT;
	Predictd__Contention contention = PREDICTD__CONTENTION__INIT;
	Predictd__Import import = PREDICTD__IMPORT__INIT;
	char *devices[] = {(char *)"0", (char *)"name:0123456789abcdef"};
	uint8_t calibration[] = {8, 1};
	kernels.offset = 3;
	kernels.count_max = 1000;
	request->body_case = PREDICTD__REQUEST__BODY_LIST_KERNELS;
	request->list_kernels = &kernels;
	seed_message("request", "list-kernels", &request->base);
	users.has_after = true;
	users.after = 1000;
	users.count_max = 10;
	request->body_case = PREDICTD__REQUEST__BODY_LIST_USERS;
	request->list_users = &users;
	seed_message("request", "list-users", &request->base);
	request->body_case = PREDICTD__REQUEST__BODY_BACKUP;
	request->backup = &backup;
	seed_message("request", "backup", &request->base);
	request->body_case = PREDICTD__REQUEST__BODY_METRICS;
	request->metrics = &metrics;
	seed_message("request", "metrics", &request->base);
	calibrate.device = devices[0];
	calibrate.other = devices[1];
	request->body_case = PREDICTD__REQUEST__BODY_CALIBRATE;
	request->calibrate = &calibrate;
	seed_message("request", "calibrate-pair", &request->base);
	contention.devices = devices;
	contention.n_devices = 2;
	request->body_case = PREDICTD__REQUEST__BODY_CONTENTION;
	request->contention = &contention;
	seed_message("request", "contention", &request->base);
	import.calibration = (ProtobufCBinaryData){sizeof calibration, calibration};
	import.borrowed_nodes = 7;
	request->body_case = PREDICTD__REQUEST__BODY_IMPORT;
	request->import = &import;
	seed_message("request", "import-borrowed", &request->base);
}

static void seed_requests(void)
{
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	request.id = 1;

	Predictd__Hello hello = PREDICTD__HELLO__INIT;
	hello.protocol = 1;
	hello.client = (char *)"corpus";
	request.body_case = PREDICTD__REQUEST__BODY_HELLO;
	request.hello = &hello;
	seed_message("request", "hello", &request.base);

	Predictd__Header header = PREDICTD__HEADER__INIT;
	Predictd__Header *headers[] = {&header};
	header.name = (char *)"half.h";
	header.text = (ProtobufCBinaryData){16, (uint8_t *)"#define HALF 0.5"};
	Predictd__Program program = PREDICTD__PROGRAM__INIT;
	program.name = (char *)"a.cl";
	program.source = (ProtobufCBinaryData){25, (uint8_t *)"__kernel void k(void) { }"};
	program.options = (char *)"-DN=4";
	program.headers = headers;
	program.n_headers = 1;
	Predictd__RegisterProgram registering = PREDICTD__REGISTER_PROGRAM__INIT;
	registering.program = &program;
	request.body_case = PREDICTD__REQUEST__BODY_REGISTER_PROGRAM;
	request.register_program = &registering;
	seed_message("request", "register", &request.base);

	Predictd__Program bare = program;
	Predictd__RegisterVariants variants = PREDICTD__REGISTER_VARIANTS__INIT;
	char *options[] = {(char *)"-DN=4", (char *)"-DN=8 -cl-mad-enable", (char *)""};
	bare.options = (char *)"";
	variants.program = &bare;
	variants.options = options;
	variants.n_options = sizeof options / sizeof options[0];
	request.body_case = PREDICTD__REQUEST__BODY_REGISTER_VARIANTS;
	request.register_variants = &variants;
	seed_message("request", "variants", &request.base);

	int64_t integers[] = {-3, 4};
	double reals[] = {0.25};
	uint64_t sizes[] = {4096, 64}, local[] = {64, 1}, offset[] = {0, 0};
	Predictd__Argument arguments[6] = {PREDICTD__ARGUMENT__INIT, PREDICTD__ARGUMENT__INIT,
	                                   PREDICTD__ARGUMENT__INIT, PREDICTD__ARGUMENT__INIT,
	                                   PREDICTD__ARGUMENT__INIT, PREDICTD__ARGUMENT__INIT};
	Predictd__Argument *pointers[6];
	for (unsigned i = 0; i < 6; i++)
		pointers[i] = &arguments[i];
	arguments[0].kind = ARGUMENT_BUFFER;
	arguments[0].access = 3;
	arguments[0].size_bytes = 16384;
	arguments[0].has_range = 1;
	arguments[0].low = -1;
	arguments[0].high = 100;
	arguments[1].kind = ARGUMENT_SCALAR;
	arguments[1].type = (char *)"int2";
	arguments[1].integers = integers;
	arguments[1].n_integers = 2;
	arguments[2].kind = ARGUMENT_SCALAR;
	arguments[2].type = (char *)"float";
	arguments[2].reals = reals;
	arguments[2].n_reals = 1;
	arguments[3].kind = ARGUMENT_LOCAL;
	arguments[3].size_bytes = 512;
	arguments[4].kind = ARGUMENT_STRUCT;
	arguments[4].size_bytes = 24;
	arguments[5].kind = ARGUMENT_IMAGE;
	arguments[5].width = arguments[5].height = 64;
	arguments[5].type = (char *)"rgba8";
	Predictd__Hint hint = PREDICTD__HINT__INIT;
	Predictd__Hint *hints[] = {&hint};
	hint.line = 4;
	hint.value = 16;
	Predictd__Launch launch = PREDICTD__LAUNCH__INIT;
	launch.global_items = sizes;
	launch.local_items = local;
	launch.offset_items = offset;
	launch.n_global_items = launch.n_local_items = launch.n_offset_items = 2;
	launch.arguments = pointers;
	launch.n_arguments = 6;
	launch.hints = hints;
	launch.n_hints = 1;
	launch.idle_s = 1e-3;
	Predictd__Predict predict = PREDICTD__PREDICT__INIT;
	predict.handle = 7;
	predict.kernel = (char *)"k";
	predict.device = (char *)"0";
	predict.launch = &launch;
	request.body_case = PREDICTD__REQUEST__BODY_PREDICT;
	request.predict = &predict;
	seed_message("request", "predict", &request.base);

	Predictd__Predict *predictions[] = {&predict, &predict};
	Predictd__PredictBatch batch = PREDICTD__PREDICT_BATCH__INIT;
	batch.predictions = predictions;
	batch.n_predictions = 2;
	request.body_case = PREDICTD__REQUEST__BODY_PREDICT_BATCH;
	request.predict_batch = &batch;
	seed_message("request", "batch", &request.base);

	Predictd__FindReaches reaches = PREDICTD__FIND_REACHES__INIT;
	reaches.question = &predict;
	reaches.dimension = 1;
	request.body_case = PREDICTD__REQUEST__BODY_FIND_REACHES;
	request.find_reaches = &reaches;
	seed_message("request", "find_reaches", &request.base);

	Predictd__Observation observation = PREDICTD__OBSERVATION__INIT;
	Predictd__Observation *observations[] = {&observation, &observation};
	Predictd__Observe observe = PREDICTD__OBSERVE__INIT;
	observation.handle = 7;
	observation.launch = &launch;
	observation.kernel_time_s = 1e-3;
	observation.h2d_time_s = 1e-4;
	observation.flags = 3;
	observation.measured_at_s = 1700000000;
	observe.observations = observations;
	observe.n_observations = 2;
	observe.acknowledge = true;
	request.body_case = PREDICTD__REQUEST__BODY_OBSERVE;
	request.observe = &observe;
	seed_message("request", "observe", &request.base);

	observation.handle = UINT64_MAX; /* a kernel without source, and its task */
	observation.kernel = (char *)"gemm";
	observation.device = (char *)"cpu:0";
	observation.task_time_s = 2e-3;
	seed_message("request", "observe-sourceless", &request.base);

	Predictd__History history = PREDICTD__HISTORY__INIT;
	history.handle = 7;
	history.launch = &launch;
	request.body_case = PREDICTD__REQUEST__BODY_HISTORY;
	request.history = &history;
	seed_message("request", "history", &request.base);

	history.handle = UINT64_MAX;
	history.kernel = (char *)"gemm";
	history.device = (char *)"cpu:0";
	seed_message("request", "history-sourceless", &request.base);

	predict.handle = UINT64_MAX;
	predict.kernel = (char *)"gemm";
	predict.device = (char *)"cpu:0";
	request.body_case = PREDICTD__REQUEST__BODY_PREDICT;
	request.predict = &predict;
	seed_message("request", "predict-sourceless", &request.base);

	Predictd__Forget forget = PREDICTD__FORGET__INIT;
	forget.handle = UINT64_MAX;
	forget.kernel = (char *)"gemm";
	forget.device = (char *)"cpu:0";
	request.body_case = PREDICTD__REQUEST__BODY_FORGET;
	request.forget = &forget;
	seed_message("request", "forget-sourceless", &request.base);

	uint8_t space[16] = {1, 2, 3};
	Predictd__Choice choice = PREDICTD__CHOICE__INIT;
	Predictd__FindChoice find = PREDICTD__FIND_CHOICE__INIT;
	Predictd__KeepChoice keep = PREDICTD__KEEP_CHOICE__INIT;
	choice.name = (char *)"gemm";
	choice.space = (ProtobufCBinaryData){sizeof space, space};
	choice.device = (char *)"0";
	choice.sizes = sizes;
	choice.n_sizes = 2;
	find.choice = keep.choice = &choice;
	request.body_case = PREDICTD__REQUEST__BODY_FIND_CHOICE;
	request.find_choice = &find;
	seed_message("request", "find-choice", &request.base);
	keep.configuration = 7;
	keep.time_s = 1e-3;
	keep.is_over = true;
	request.body_case = PREDICTD__REQUEST__BODY_KEEP_CHOICE;
	request.keep_choice = &keep;
	seed_message("request", "keep-choice", &request.base);
	seed_shared(&request);
	seed_operated(&request);
}

static void seed_kernels(void)
{
	for (unsigned i = 0; i < sample_kernel_count; i++) {
		struct ir_kernel *kernel = sample_kernels[i]();
		Predictd__IrKernel *message = kernel == NULL ? NULL : ir_encode(kernel);
		if (message == NULL)
			exit(1);
		Predictd__AnalyserReply reply = PREDICTD__ANALYSER_REPLY__INIT;
		reply.kernels = &message;
		reply.n_kernels = 1;
		seed_message("ir", kernel->name, &reply.base);
		predictd__ir_kernel__free_unpacked(message, NULL);
		kernel_free(kernel);
	}
	Predictd__Error error = PREDICTD__ERROR__INIT;
	Predictd__AnalyserReply reply = PREDICTD__ANALYSER_REPLY__INIT;
	error.status = STATUS_SYNTAX;
	error.text = (char *)"a.cl:1:2: expected ';'";
	reply.error = &error;
	seed_message("ir", "error", &reply.base);
}

/* A profile and two doubts. */
static void seed_language(struct device *device)
{
	static const struct language_macro of_1_2[] = {{"__OPENCL_C_VERSION__", "120"},
	                                               {"cl_khr_fp64", "1"}},
	                                   of_3_0[] = {{"__OPENCL_C_VERSION__", "300"},
	                                               {"cl_khr_fp64", "1"},
	                                               {"__opencl_c_fp64", ""}};
	static const struct language_standard standards[] = {{"", false, of_1_2, 2},
	                                                     {"-cl-std=CL1.0", true, NULL, 0},
	                                                     {"-cl-std=CL3.0", false, of_3_0, 3}};
	static const struct language_option options[] = {{"-cl-nv-verbose", true}, {"-w", false}};
	static const char *const asked[] = {"__SPIR__", "cl_khr_fp16", "cl_khr_fp64"};
	const struct language_answers answers = {LANGUAGE_ASKED, standards, 3, asked, 3,
	                                         options,        2};
	struct error error;
	if (language_pack(&answers, device, &error) != STATUS_OK)
		exit(1);
	(void)snprintf(device->doubts, sizeof device->doubts,
	               "a way of 512 bytes\na launch of 8 us");
}

static void seed_calibration(void)
{
	static struct device device;
	(void)snprintf(device.platform, sizeof device.platform, "Portable Computing Language");
	(void)snprintf(device.vendor, sizeof device.vendor, "GenuineIntel");
	(void)snprintf(device.name, sizeof device.name, "pthread");
	(void)snprintf(device.driver, sizeof device.driver, "3.1");
	device.compute_units = 2;
	device.max_group_items = 4096;
	device.max_item_sizes[0] = device.max_item_sizes[1] = device.max_item_sizes[2] = 4096;
	device.local_bytes = 1 << 19;
	device.global_bytes = UINT64_C(1) << 32;
	device.max_allocation_bytes = UINT64_C(1) << 30;
	device.is_calibrated = true;
	device.calibrated_at_s = 1700000000;
	for (unsigned id = 0; id < COEFFICIENT_COUNT; id += 37)
		device.coefficient[id] = (struct coefficient){
		        .value = 1e-9, .standard_error = 0.02, .is_known = true};
	Predictd__Device *message = device_encode(&device, true);
	if (message == NULL)
		exit(1);
	Predictd__Calibration calibration = PREDICTD__CALIBRATION__INIT;
	calibration.format = 1;
	calibration.device = message;
	seed_message("calibration", "cpu", &calibration.base);
	predictd__device__free_unpacked(message, NULL);
	seed_language(&device);
	message = device_encode(&device, true);
	if (message == NULL)
		exit(1);
	calibration.device = message;
	seed_message("calibration", "language", &calibration.base);
	predictd__device__free_unpacked(message, NULL);
}

static void seed_records(void)
{
	struct correction_record record = {.runs = 20, .sample_count = 3};
	uint8_t bytes[CORRECTION_RECORD_BYTES];
	record.launch.epoch = 1;
	record.launch.static_log = -9;
	record.launch.static_sd = 0.4F;
	record.launch.items_log = 14;
	record.launch.group_log = 4;
	for (uint32_t i = 0; i < record.sample_count; i++)
		record.samples[i] = (struct correction_sample){
		        .time_log = -8.5F, .at_s = 1700000000 + i, .predicted_s = 1e-4F};
	seed("record", "three", bytes, correction_encode(&record, bytes));
	record.launch.kernel_log = -9.5F;
	record.launch.beside_s = 1e-5F;
	seed("record", "task", bytes, correction_encode(&record, bytes));
	record.sample_count = 1;
	record.samples[0].flags = CORRECTION_FIRST_RUN;
	seed("record", "first_run", bytes, correction_encode(&record, bytes));
}

/* A sample by itself, and as a request. */
static void seed_samples(void)
{
	static const int32_t elements[] = {0, 3, 3, 9, 40, 41};
	uint64_t offsets[] = {0, 4096};
	uint32_t lengths[] = {16, 8};
	Predictd__Sample sample = PREDICTD__SAMPLE__INIT;
	sample.size_bytes = 8192;
	sample.type = (char *)"int";
	sample.offsets_bytes = offsets;
	sample.lengths_bytes = lengths;
	sample.n_offsets_bytes = sample.n_lengths_bytes = 2;
	sample.bytes = (ProtobufCBinaryData){sizeof elements, (uint8_t *)elements};
	seed_message("sample", "int", &sample.base);
	Predictd__KeepSample keep = PREDICTD__KEEP_SAMPLE__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	keep.sample = &sample;
	request.id = 1;
	request.body_case = PREDICTD__REQUEST__BODY_KEEP_SAMPLE;
	request.keep_sample = &keep;
	seed_message("request", "keep_sample", &request.base);
	sample.type = (char *)"double";
	seed_message("sample", "double", &sample.base);
	sample.type = (char *)"";
	seed_message("sample", "untyped", &sample.base);
	offsets[1] = UINT64_C(1) << 63;
	seed_message("sample", "beyond", &sample.base);
}

/* Two pages of metrics as the daemon writes them, a second apart. */
static void seed_pages(void)
{
	static const char busy[] =
	        "# TYPE predictd_requests_total counter\n"
	        "predictd_requests_total{request=\"predict\"} 3\n"
	        "predictd_request_duration_seconds_bucket{request=\"predict\",le=\"0.001\"} 3\n"
	        "predictd_request_duration_seconds_bucket{request=\"predict\",le=\"+Inf\"} 3\n"
	        "\0"
	        "predictd_requests_total{request=\"predict\"} 13\n"
	        "predictd_request_duration_seconds_bucket{request=\"predict\",le=\"0.001\"} 9\n"
	        "predictd_request_duration_seconds_bucket{request=\"predict\",le=\"0.01\"} 12\n"
	        "predictd_request_duration_seconds_bucket{request=\"predict\",le=\"+Inf\"} 13\n"
	        "predictd_connections 1\n";
	static const char judged[] =
	        "\0predictd_judged_runs_total{device=\"a \\\"b\\\" } c\",of=\"kernel\","
	        "basis=\"static\"} 1e3\nx{basis=\"static\"} NaN\npredictd_connections \n5\n";
	seed("page", "busy", busy, sizeof busy - 1);
	seed("page", "judged", judged, sizeof judged - 1);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: make_corpus DIRECTORY\n");
		return 2;
	}
	directory = argv[1];
	seed_frames();
	seed_profile();
	seed_requests();
	seed_kernels();
	seed_calibration();
	seed_records();
	seed_samples();
	seed_pages();
	for (uint8_t i = 0; i < sample_kernel_count; i++) {
		/* the sample, and three edits that may or may not be refused */
		const uint8_t edits[] = {i, 14, 2, 0,  7, 0, 3, 19, 1, 0,
		                         8, 0,  3, 27, 0, 0, 4, 0,  3};
		char name[16];
		(void)snprintf(name, sizeof name, "sample%u", i);
		seed("kernel", name, edits, sizeof edits);
	}
	seed_text("options", "usual", "-DN=16 -D NAME=\"a b\" -U X -I inc -cl-mad-enable");
	seed_text("options", "standard", "-cl-std=CL1.2 -cl-fast-relaxed-math -w -Werror");
	seed_text("options", "quoted", "-D 'A=\"x\\\"y\"' -cl-nv-verbose");
	seed_text("options", "refused", "-MD -MF x -include y -Xclang -load @file");
	seed_text("config", "usual",
	          "[daemon]\nsocket = /run/predictd/predictd.sock\nlog_level = debug\n"
	          "socket_mode = 0600\n\n[limits]\nframe_bytes = 8M\nprograms=100 ; few\n");
	seed_text("config", "metrics",
	          "[metrics]\nlisten = unix:/run/m.sock\nfile = /run/m.prom\n");
	seed_text("config", "unknown_key", "[limits]\nno_such_key = 1\n");
	seed_text("http", "get", "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
	seed_text("http", "post",
	          "POST /metrics HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
	seed_text("http", "upgrade",
	          "GET http://x/metrics?x HTTP/1.1\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n");
	seed_text("profile", "open", "# mine\nexport MINE=1");
	seed_text("profile", "on",
	          "export MINE=1\nexport OPENCL_LAYERS=/a.so # predictctl layer\n\nx # predictctl "
	          "layer");
	seed_text("config", "bad_number", "[limits]\nprograms = 99999999999999999999\n");
	return 0;
}
