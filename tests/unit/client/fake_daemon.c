/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon for tests of the library. */
#include "tests/unit/client/fake_daemon.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "proto/frame.h"
#include "proto/predictd.pb-c.h"
#include "proto/sample_name.h"
#include "proto/sourceless.h"

enum { PATIENCE_MS = 20000 }; /* with a client of a loaded machine */

static Predictd__Error *error_new(uint32_t status, const char *text)
{
	Predictd__Error *error = calloc(1, sizeof *error);
	predictd__error__init(error);
	error->status = status;
	error->text = strdup(text);
	return error;
}

static Predictd__Prediction *prediction_new(const struct fake_daemon *daemon,
                                            const Predictd__Predict *predict)
{
	Predictd__Prediction *prediction = calloc(1, sizeof *prediction);
	predictd__prediction__init(prediction);
	prediction->model = predict->model;
	prediction->bottleneck = 11;
	prediction->kernel_time_s = 1e-9 * (double)predict->launch->global_items[0] * daemon->scale;
	if (strcmp(predict->device, "third") == 0)
		prediction->kernel_time_s *= 3;
	if (strcmp(predict->device, "late") == 0)
		prediction->launch_time_s = 1;
	for (size_t i = 0; i < predict->launch->n_arguments && predict->with_transfers; i++) {
		const Predictd__Argument *argument = predict->launch->arguments[i];
		double time_s = 1e-10 * (double)argument->size_bytes;
		prediction->h2d_time_s += argument->access & 1 ? time_s : 0;
		prediction->d2h_time_s += argument->access & 2 ? time_s : 0;
	}
	prediction->epoch_slot = (uint32_t)(strlen(predict->kernel) % FAKE_DAEMON_EPOCHS);
	prediction->epoch_value = daemon->epochs[prediction->epoch_slot];
	prediction->low_s = 0.5 * prediction->kernel_time_s;
	prediction->high_s = 2 * prediction->kernel_time_s;
	prediction->note = strdup("a note");
	prediction->local_items = calloc(1, sizeof(uint64_t));
	prediction->local_items[0] = 64;
	prediction->n_local_items = 1;
	if (predict->explain) {
		prediction->rows = calloc(1, sizeof *prediction->rows);
		prediction->rows[0] = calloc(1, sizeof **prediction->rows);
		predictd__row__init(prediction->rows[0]);
		prediction->rows[0]->what = strdup("float mul");
		prediction->rows[0]->count = 2;
		prediction->rows[0]->time_s = 3e-6;
		prediction->n_rows = 1;
	}
	return prediction;
}

/* The answer of one launch: NULL with *error set when there is none. */
static pthread_mutex_t samples_mutex = PTHREAD_MUTEX_INITIALIZER;

static void answer_keep(struct fake_daemon *daemon, const Predictd__KeepSample *body,
                        Predictd__Response *response)
{
	if (daemon->refuses_samples) {
		response->body_case = PREDICTD__RESPONSE__BODY_ERROR;
		response->error = error_new(8, "samples are not accepted");
		return;
	}
	(void)pthread_mutex_lock(&samples_mutex);
	unsigned place = daemon->samples++ % (daemon->sample_room > 0 ? daemon->sample_room : 1);
	sample_name(body->sample, daemon->sample_names[place]);
	(void)pthread_mutex_unlock(&samples_mutex);
	response->body_case = PREDICTD__RESPONSE__BODY_KEEP_SAMPLE;
	response->keep_sample = calloc(1, sizeof *response->keep_sample);
	predictd__keep_sample_reply__init(response->keep_sample);
}

/* Whether every sample that a launch names is here. */
static bool has_samples(struct fake_daemon *daemon, const Predictd__Launch *launch)
{
	size_t wanted = 0, found = 0;
	(void)pthread_mutex_lock(&samples_mutex);
	for (size_t i = 0; i < launch->n_arguments; i++) {
		const ProtobufCBinaryData *name = &launch->arguments[i]->sample;
		wanted += name->len > 0;
		for (size_t j = 0; name->len > 0 && j < daemon->sample_room; j++)
			found += memcmp(daemon->sample_names[j], name->data, name->len) == 0;
	}
	(void)pthread_mutex_unlock(&samples_mutex);
	*(wanted > 0 ? &daemon->sampled : &daemon->unsampled) += 1;
	return found == wanted;
}

static Predictd__Prediction *predict_answer(struct fake_daemon *daemon,
                                            const Predictd__Predict *predict,
                                            Predictd__Error **error)
{
	*error = NULL;
	bool is_sourceless = predict->handle == SOURCELESS_HANDLE;
	if (!is_sourceless &&
	    (predict->handle < daemon->handles_from || predict->handle > daemon->next_handle))
		*error = error_new(17, "no such handle");
	else if (strcmp(predict->kernel, "absent") == 0)
		*error = error_new(5, "no kernel 'absent'");
	else if (strcmp(predict->device, "raw") == 0)
		*error = error_new(6, "raw is not calibrated");
	else if (strcmp(predict->device, "standing") == 0) {
		char text[64];
		(void)snprintf(text, sizeof text, "standing is not calibrated for %llu",
		               (unsigned long long)predict->launch->global_items[0]);
		*error = error_new(6, text);
		(*error)->epoch_slot = 3;
		(*error)->epoch_value = daemon->epochs[3];
	} else if (!has_samples(daemon, predict->launch))
		*error = error_new(18, "no such sample");
	return *error == NULL ? prediction_new(daemon, predict) : NULL;
}

static void answer_batch(struct fake_daemon *daemon, const Predictd__PredictBatch *batch,
                         Predictd__Response *response)
{
	Predictd__PredictBatchReply *reply = calloc(1, sizeof *reply);
	predictd__predict_batch_reply__init(reply);
	daemon->batches++;
	if (batch->n_predictions > daemon->largest)
		daemon->largest = (unsigned)batch->n_predictions;
	reply->n_entries = batch->n_predictions;
	reply->entries = calloc(reply->n_entries, sizeof *reply->entries);
	for (size_t i = 0; i < reply->n_entries; i++) {
		Predictd__BatchEntry *entry = calloc(1, sizeof *entry);
		predictd__batch_entry__init(entry);
		Predictd__Error *error;
		entry->prediction = predict_answer(daemon, batch->predictions[i], &error);
		entry->result_case = PREDICTD__BATCH_ENTRY__RESULT_PREDICTION;
		if (error != NULL) {
			entry->error = error;
			entry->result_case = PREDICTD__BATCH_ENTRY__RESULT_ERROR;
		}
		reply->entries[i] = entry;
	}
	response->body_case = PREDICTD__RESPONSE__BODY_PREDICT_BATCH;
	response->predict_batch = reply;
}

static void answer_place(struct fake_daemon *daemon, const Predictd__Place *place,
                         Predictd__Response *response)
{
	Predictd__PlaceReply *reply = calloc(1, sizeof *reply);
	predictd__place_reply__init(reply);
	reply->n_placements = place->n_launches;
	reply->placements = calloc(reply->n_placements, sizeof *reply->placements);
	for (size_t i = 0; i < reply->n_placements; i++) {
		Predictd__Placement *placement = calloc(1, sizeof *placement);
		predictd__placement__init(placement);
		placement->device = strdup("Testing 3000");
		placement->prediction =
		        predict_answer(daemon, place->launches[i], &placement->error);
		reply->placements[i] = placement;
	}
	response->body_case = PREDICTD__RESPONSE__BODY_PLACE;
	response->place = reply;
}

static void answer_register(struct fake_daemon *daemon, const Predictd__RegisterProgram *body,
                            Predictd__Response *response)
{
	daemon->registrations++;
	if (daemon->refuses_registrations || strstr(body->program->options, "-broken") != NULL) {
		response->body_case = PREDICTD__RESPONSE__BODY_ERROR;
		response->error = error_new(2, "k.cl:1:2: expected ';'");
		return;
	}
	Predictd__RegisterReply *reply = calloc(1, sizeof *reply);
	predictd__register_reply__init(reply);
	reply->handle = ++daemon->next_handle;
	reply->n_kernels = 1;
	reply->kernels = calloc(1, sizeof *reply->kernels);
	Predictd__KernelInfo *kernel = calloc(1, sizeof *kernel);
	predictd__kernel_info__init(kernel);
	kernel->name = strdup("k");
	kernel->n_argument_names = kernel->n_argument_types = 1;
	kernel->argument_names = calloc(1, sizeof(char *));
	kernel->argument_types = calloc(1, sizeof(char *));
	kernel->argument_names[0] = strdup("a");
	kernel->argument_types[0] = strdup("buffer float");
	reply->kernels[0] = kernel;
	response->body_case = PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM;
	response->register_program = reply;
}

/* "-cut": a reply that cannot be read. */
static void answer_variants(struct fake_daemon *daemon, const Predictd__RegisterVariants *body,
                            Predictd__Response *response)
{
	Predictd__RegisterVariantsReply *reply = calloc(1, sizeof *reply);
	predictd__register_variants_reply__init(reply);
	reply->replies = calloc(body->n_options, sizeof *reply->replies);
	for (; reply->n_replies < body->n_options; reply->n_replies++) {
		Predictd__RegisterProgram one = PREDICTD__REGISTER_PROGRAM__INIT;
		Predictd__Program program = *body->program;
		Predictd__Response own = PREDICTD__RESPONSE__INIT;
		program.options = body->options[reply->n_replies];
		one.program = &program;
		answer_register(daemon, &one, &own);
		bool lacks = strstr(program.options, "-lacking") != NULL && program.n_headers == 0;
		if (lacks) {
			predictd__register_reply__free_unpacked(own.register_program, NULL);
			own.body_case = PREDICTD__RESPONSE__BODY_ERROR;
			own.error = error_new(2, "k.cl:1:10: 'lacking.h' file not found");
			own.error->header = strdup("lacking.h");
		}
		ProtobufCBinaryData *packed = &reply->replies[reply->n_replies];
		packed->len = predictd__response__get_packed_size(&own);
		packed->data = malloc(packed->len);
		(void)predictd__response__pack(&own, packed->data);
		packed->len -= strstr(program.options, "-cut") != NULL;
		if (own.body_case == PREDICTD__RESPONSE__BODY_ERROR)
			predictd__error__free_unpacked(own.error, NULL);
		else
			predictd__register_reply__free_unpacked(own.register_program, NULL);
	}
	response->body_case = PREDICTD__RESPONSE__BODY_REGISTER_VARIANTS;
	response->register_variants = reply;
}

static void answer_observe(struct fake_daemon *daemon, const Predictd__Observe *observe,
                           Predictd__Response *response)
{
	Predictd__ObserveReply *reply = calloc(1, sizeof *reply);
	predictd__observe_reply__init(reply);
	daemon->observed_batches++;
	daemon->observed_after = daemon->asked;
	reply->n_entries = observe->n_observations;
	reply->entries = calloc(reply->n_entries + 1, sizeof *reply->entries);
	for (size_t i = 0; i < reply->n_entries; i++) {
		Predictd__BatchEntry *entry = calloc(1, sizeof *entry);
		predictd__batch_entry__init(entry);
		daemon->observed_at_s = observe->observations[i]->measured_at_s;
		daemon->observed_items += observe->observations[i]->launch->global_items[0];
		if (strcmp(observe->observations[i]->device, "raw") == 0) {
			entry->error = error_new(6, "raw is not calibrated");
			entry->result_case = PREDICTD__BATCH_ENTRY__RESULT_ERROR;
		} else if (!has_samples(daemon, observe->observations[i]->launch)) {
			entry->error = error_new(18, "no such sample");
			entry->result_case = PREDICTD__BATCH_ENTRY__RESULT_ERROR;
		}
		daemon->observations++;
		reply->entries[i] = entry;
	}
	response->body_case = PREDICTD__RESPONSE__BODY_OBSERVE;
	response->observe = reply;
}

static void answer_devices(bool verbose, Predictd__Response *response)
{
	Predictd__DevicesReply *reply = calloc(1, sizeof *reply);
	predictd__devices_reply__init(reply);
	reply->n_devices = 1;
	reply->devices = calloc(1, sizeof *reply->devices);
	Predictd__Device *device = calloc(1, sizeof *device);
	predictd__device__init(device);
	device->name = strdup("Testing 3000");
	device->type = 77; /* of a later protocol */
	device->is_present = true;
	device->uuid = strdup("00112233445566778899AABBCCDDEEFF");
	device->pci = strdup("0000:3b:00.0");
	device->is_calibrated = true;
	if (verbose) {
		device->n_coefficients = 1;
		device->coefficients = calloc(1, sizeof *device->coefficients);
		device->coefficients[0] = calloc(1, sizeof **device->coefficients);
		predictd__coefficient__init(device->coefficients[0]);
		device->coefficients[0]->name = strdup("launch.base.time_s");
		device->coefficients[0]->value = 4e-6;
		device->coefficients[0]->standard_error = 0.01;
	}
	reply->devices[0] = device;
	response->body_case = PREDICTD__RESPONSE__BODY_DEVICES;
	response->devices = reply;
}

/* Every load of the first device is slowed down; the second's by half as much more. */
static void answer_find(struct fake_daemon *daemon, Predictd__Response *response)
{
	daemon->choice_questions++;
	if (daemon->choice_us == 0) {
		response->body_case = PREDICTD__RESPONSE__BODY_ERROR;
		response->error = error_new(5, "no choice is kept");
		return;
	}
	Predictd__FindChoiceReply *found = calloc(1, sizeof *found);
	predictd__find_choice_reply__init(found);
	found->configuration = daemon->choice;
	found->time_s = 1e-6 * daemon->choice_us;
	found->is_over = daemon->choice_is_over;
	response->body_case = PREDICTD__RESPONSE__BODY_FIND_CHOICE;
	response->find_choice = found;
}

static void answer_contention(struct fake_daemon *daemon, const Predictd__Contention *contention,
                              Predictd__Response *response)
{
	enum { FACTORS = 9 };
	Predictd__ContentionReply *reply = calloc(1, sizeof *reply);
	predictd__contention_reply__init(reply);
	daemon->contentions++;
	reply->keys = calloc(contention->n_devices + 1, sizeof *reply->keys);
	for (; reply->n_keys < contention->n_devices; reply->n_keys++)
		reply->keys[reply->n_keys] = strdup(contention->devices[reply->n_keys]);
	if (daemon->slowdown > 0 && reply->n_keys > 1) {
		Predictd__Pair *pair = calloc(1, sizeof *pair);
		predictd__pair__init(pair);
		pair->key = strdup(reply->keys[0]);
		pair->other_key = strdup(reply->keys[1]);
		pair->n_slowdowns = (size_t)2 * FACTORS;
		pair->slowdowns = calloc((size_t)2 * FACTORS, sizeof *pair->slowdowns);
		for (unsigned i = 0; i < 2 * FACTORS; i++)
			pair->slowdowns[i] =
			        1 + (daemon->slowdown / 100.0 - 1) * (i < FACTORS ? 1 : 1.5);
		reply->pairs = calloc(1, sizeof *reply->pairs);
		reply->pairs[reply->n_pairs++] = pair;
	}
	reply->epoch_slot = 1;
	reply->epoch_value = daemon->epochs[1];
	response->body_case = PREDICTD__RESPONSE__BODY_CONTENTION;
	response->contention = reply;
}

static Predictd__Reach *reach_new(uint32_t kind, int64_t stride_bytes, int64_t halo_bytes)
{
	Predictd__Reach *reach = calloc(1, sizeof *reach);
	predictd__reach__init(reach);
	reach->kind = kind;
	reach->stride_bytes = stride_bytes;
	reach->low_bytes = -halo_bytes;
	reach->high_bytes = halo_bytes;
	return reach;
}

/*
 * Kernel "stencil" reads four bytes a work-item with four of each neighbour, and writes four;
 * "grouped" is not split. Any other reads all, and is refused where it writes.
 */
static void answer_reaches(struct fake_daemon *daemon, const Predictd__FindReaches *body,
                           Predictd__Response *response)
{
	const Predictd__Predict *question = body->question;
	bool is_stencil = strcmp(question->kernel, "stencil") == 0;
	daemon->reaches++;
	if (question->handle < daemon->handles_from || question->handle > daemon->next_handle) {
		response->body_case = PREDICTD__RESPONSE__BODY_ERROR;
		response->error = error_new(17, "no such handle");
		return;
	}
	Predictd__FindReachesReply *reply = calloc(1, sizeof *reply);
	predictd__find_reaches_reply__init(reply);
	if (strcmp(question->kernel, "grouped") == 0)
		reply->refusal =
		        strdup("line 3: get_group_id(0) is of the part, not of the launch");
	reply->n_arguments = question->launch->n_arguments;
	reply->arguments = calloc(reply->n_arguments + 1, sizeof *reply->arguments);
	for (size_t i = 0; i < reply->n_arguments; i++) {
		const Predictd__Argument *argument = question->launch->arguments[i];
		Predictd__ArgumentReaches *to = calloc(1, sizeof *to);
		predictd__argument_reaches__init(to);
		bool is_memory = argument->kind == 0 || argument->kind == 4;
		bool is_read = is_memory && (argument->access & 1);
		bool is_written = is_memory && (argument->access & 2);
		to->reads = reach_new(!is_read ? 0 : is_stencil ? 1 : 2, 4, 4);
		to->writes = reach_new(!is_written ? 0 : is_stencil ? 1 : 2, 4, 0);
		if (is_written) {
			to->is_filled = is_stencil;
			if (!is_stencil)
				to->refusal = strdup("line 7: it is written where data say");
		}
		reply->arguments[i] = to;
	}
	response->body_case = PREDICTD__RESPONSE__BODY_FIND_REACHES;
	response->find_reaches = reply;
}

static void answer(struct fake_daemon *daemon, const Predictd__Request *request,
                   Predictd__Response *response)
{
	predictd__response__init(response);
	response->id = request->id;
	switch (request->body_case) {
	case PREDICTD__REQUEST__BODY_HELLO:
		if (daemon->is_full) {
			response->id = 0; /* of the connection */
			response->body_case = PREDICTD__RESPONSE__BODY_ERROR;
			response->error = error_new(4, "too many connections");
			break;
		}
		response->body_case = PREDICTD__RESPONSE__BODY_HELLO;
		response->hello = calloc(1, sizeof *response->hello);
		predictd__hello_reply__init(response->hello);
		response->hello->protocol = daemon->protocol;
		response->hello->frame_bytes_max = 1 << 20;
		break;
	case PREDICTD__REQUEST__BODY_REGISTER_PROGRAM:
		answer_register(daemon, request->register_program, response);
		break;
	case PREDICTD__REQUEST__BODY_REGISTER_VARIANTS:
		answer_variants(daemon, request->register_variants, response);
		break;
	case PREDICTD__REQUEST__BODY_PREDICT_BATCH:
		answer_batch(daemon, request->predict_batch, response);
		break;
	case PREDICTD__REQUEST__BODY_PREDICT: {
		Predictd__Error *error;
		daemon->singles++;
		Predictd__Prediction *got = predict_answer(daemon, request->predict, &error);
		if (error != NULL) {
			response->body_case = PREDICTD__RESPONSE__BODY_ERROR;
			response->error = error;
			break;
		}
		response->body_case = PREDICTD__RESPONSE__BODY_PREDICT;
		response->predict = calloc(1, sizeof *response->predict);
		predictd__predict_reply__init(response->predict);
		response->predict->prediction = got;
		break;
	}
	case PREDICTD__REQUEST__BODY_KEEP_SAMPLE:
		answer_keep(daemon, request->keep_sample, response);
		break;
	case PREDICTD__REQUEST__BODY_FIND_REACHES:
		answer_reaches(daemon, request->find_reaches, response);
		break;
	case PREDICTD__REQUEST__BODY_PLACE:
		answer_place(daemon, request->place, response);
		break;
	case PREDICTD__REQUEST__BODY_LIST_DEVICES:
		answer_devices(request->list_devices->verbose, response);
		break;
	case PREDICTD__REQUEST__BODY_OBSERVE:
		answer_observe(daemon, request->observe, response);
		break;
	case PREDICTD__REQUEST__BODY_CONTENTION:
		if (!daemon->has_no_pairs) {
			answer_contention(daemon, request->contention, response);
			break;
		}
		response->body_case = PREDICTD__RESPONSE__BODY_ERROR;
		response->error = error_new(3, "not in this version");
		break;
	case PREDICTD__REQUEST__BODY_KEEP_CHOICE:
		daemon->choice = request->keep_choice->configuration;
		daemon->choice_us = (unsigned)(1e6 * request->keep_choice->time_s + 0.5);
		daemon->choice_is_over = request->keep_choice->is_over;
		response->body_case = PREDICTD__RESPONSE__BODY_KEEP_CHOICE;
		response->keep_choice = calloc(1, sizeof *response->keep_choice);
		predictd__keep_choice_reply__init(response->keep_choice);
		break;
	case PREDICTD__REQUEST__BODY_FIND_CHOICE:
		answer_find(daemon, response);
		break;
	case PREDICTD__REQUEST__BODY_CANCEL:
		daemon->cancels++;
		response->body_case = PREDICTD__RESPONSE__BODY_CANCEL;
		response->cancel = calloc(1, sizeof *response->cancel);
		predictd__cancel_reply__init(response->cancel);
		break;
	default:
		response->body_case = PREDICTD__RESPONSE__BODY_ERROR;
		response->error = error_new(3, "not in this version");
		break;
	}
}

static void send_response(int fd, const Predictd__Response *response)
{
	uint8_t *bytes;
	size_t size;
	if (!frame_pack(&response->base, &bytes, &size))
		return;
	for (size_t done = 0; done < size;) {
		ssize_t sent = send(fd, bytes + done, size - done, MSG_NOSIGNAL);
		if (sent <= 0)
			break;
		done += (size_t)sent;
	}
	free(bytes);
}

/* The memory of epochs, passed with the reply that announces it. */
static void pass_epochs(struct fake_daemon *daemon, int fd, uint64_t id)
{
	Predictd__WatchEpochsReply body = PREDICTD__WATCH_EPOCHS_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof fd)];
	} control = {.bytes = {0}};
	uint8_t *bytes;
	size_t size;
	int passed = daemon->epochs_fd;
	if (daemon->shrinks_epochs) {
		passed = memfd_create("epochs", MFD_CLOEXEC);
		if (ftruncate(passed, 4096) != 0)
			abort();
	}
	daemon->watches++;
	body.slots = FAKE_DAEMON_EPOCHS;
	body.size_bytes = FAKE_DAEMON_EPOCHS * sizeof(uint64_t);
	response.id = id;
	response.body_case = PREDICTD__RESPONSE__BODY_WATCH_EPOCHS;
	response.watch_epochs = &body;
	if (!frame_pack(&response.base, &bytes, &size))
		abort();
	struct iovec part = {bytes, size};
	struct msghdr message = {.msg_iov = &part,
	                         .msg_iovlen = 1,
	                         .msg_control = control.bytes,
	                         .msg_controllen = sizeof control.bytes};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof passed);
	memcpy(CMSG_DATA(header), &passed, sizeof passed);
	(void)sendmsg(fd, &message, MSG_NOSIGNAL);
	if (passed != daemon->epochs_fd)
		close(passed);
	free(bytes);
}

static void response_free(Predictd__Response *response)
{
	if (response == NULL)
		return;
	predictd__response__free_unpacked(response, NULL);
}

/* A reply of progress, then the result, or that it was cancelled where a cancel is awaited. */
static void calibrate(const struct fake_daemon *daemon, int fd, uint64_t id)
{
	Predictd__CalibrateReply body = PREDICTD__CALIBRATE_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	response.id = id;
	response.body_case = PREDICTD__RESPONSE__BODY_CALIBRATE;
	response.calibrate = &body;
	body.progress = 0.5;
	body.left_s = 7;
	body.stage = (char *)"bandwidth";
	send_response(fd, &response);
	if (daemon->awaits_cancel &&
	    poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, PATIENCE_MS) > 0) {
		Predictd__Error error = PREDICTD__ERROR__INIT;
		error.status = 11;
		error.text = (char *)"cancelled";
		response.body_case = PREDICTD__RESPONSE__BODY_ERROR;
		response.error = &error;
		send_response(fd, &response);
		return;
	}
	Predictd__Device device = PREDICTD__DEVICE__INIT;
	device.name = (char *)"Testing 3000";
	device.is_calibrated = true;
	body.progress = 1;
	body.device = &device;
	send_response(fd, &response);
}

/* A whole frame of up to 64 bytes, the first of which is often a field's tag. */
static void write_noise(int fd, unsigned *state)
{
	uint8_t frame[FRAME_PREFIX_BYTES + 64] = {0};
	frame[0] = (uint8_t)(rand_r(state) % 64 + 1);
	for (size_t i = 0; i < frame[0]; i++)
		frame[FRAME_PREFIX_BYTES + i] = (uint8_t)rand_r(state);
	frame[FRAME_PREFIX_BYTES] =
	        (uint8_t)(rand_r(state) % 20 << 3 | (rand_r(state) % 2 ? 2 : 0));
	(void)send(fd, frame, FRAME_PREFIX_BYTES + frame[0], MSG_NOSIGNAL);
}

static void serve(struct fake_daemon *daemon, int fd)
{
	Predictd__Response *held = NULL;
	unsigned count = 0, noise = daemon->connections; /* other noise on each connection */
	while (!daemon->stops) {
		int ready = poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 20);
		if (ready == 0) {
			if (held != NULL)
				send_response(fd, held);
			response_free(held);
			held = NULL;
			continue;
		}
		uint8_t *bytes;
		size_t size;
		if (frame_read(fd, FRAME_BYTES_MAX, PATIENCE_MS, &bytes, &size) != 0)
			break;
		Predictd__Request *request = predictd__request__unpack(NULL, size, bytes);
		free(bytes);
		if (request == NULL)
			break;
		bool closes = ++count == daemon->close_at;
		bool is_hello = request->body_case == PREDICTD__REQUEST__BODY_HELLO;
		bool is_silent = daemon->is_mute || (daemon->is_silent && !is_hello);
		daemon->asked += !is_hello;
		if (!is_hello && daemon->delay_ms > 0)
			(void)poll(NULL, 0, (int)daemon->delay_ms);
		while (!is_hello && daemon->holds && !daemon->stops)
			(void)poll(NULL, 0, 1);
		if (!is_hello && daemon->writes_garbage) {
			(void)send(fd, "\xff\xff\xff\xff garbage", 12, MSG_NOSIGNAL);
		} else if (!is_hello && daemon->writes_noise) {
			write_noise(fd, &noise);
		} else if (!is_hello && daemon->says_nothing) {
			(void)send(fd, "\0\0\0\0", 4, MSG_NOSIGNAL);
		} else if (request->body_case == PREDICTD__REQUEST__BODY_CALIBRATE) {
			calibrate(daemon, fd, request->id);
		} else if (request->body_case == PREDICTD__REQUEST__BODY_WATCH_EPOCHS &&
		           !is_silent && !daemon->has_no_epochs) {
			while (daemon->holds_epochs && !daemon->stops)
				(void)poll(NULL, 0, 1);
			pass_epochs(daemon, fd, request->id);
		} else if (!closes && !is_silent) {
			Predictd__Response *response = calloc(1, sizeof *response);
			answer(daemon, request, response);
			if (daemon->reverses && !is_hello && held == NULL) {
				held = response;
			} else {
				send_response(fd, response);
				response_free(response);
				if (held != NULL)
					send_response(fd, held);
				response_free(held);
				held = NULL;
			}
		}
		predictd__request__free_unpacked(request, NULL);
		if (closes) {
			daemon->close_at = 0; /* once */
			break;
		}
	}
	response_free(held);
	close(fd);
}

struct server {
	struct fake_daemon *daemon;
	int fd;
};

static void *run_server(void *context)
{
	struct server *server = context;
	serve(server->daemon, server->fd);
	free(server);
	return NULL;
}

static void *run(void *context)
{
	struct fake_daemon *daemon = context;
	while (!daemon->stops) {
		if (poll(&(struct pollfd){.fd = daemon->listener, .events = POLLIN}, 1, 20) <= 0)
			continue;
		int fd = accept4(daemon->listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0)
			continue;
		struct server *server = malloc(sizeof *server);
		*server = (struct server){daemon, fd};
		daemon->connections++;
		if (daemon->server_count == FAKE_DAEMON_CONNECTIONS ||
		    pthread_create(&daemon->servers[daemon->server_count++], NULL, run_server,
		                   server) != 0)
			abort();
	}
	for (unsigned i = 0; i < daemon->server_count; i++)
		(void)pthread_join(daemon->servers[i], NULL);
	daemon->server_count = 0;
	return NULL;
}

void fake_daemon_restart(struct fake_daemon *daemon)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	memcpy(address.sun_path, daemon->path, sizeof daemon->path);
	daemon->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(daemon->listener, (struct sockaddr *)&address, sizeof address) != 0 ||
	    listen(daemon->listener, 8) != 0)
		abort();
	daemon->stops = false;
	size_t size = FAKE_DAEMON_EPOCHS * sizeof daemon->epochs[0];
	daemon->epochs_fd = memfd_create("epochs", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (daemon->epochs_fd < 0 || ftruncate(daemon->epochs_fd, (off_t)size) != 0)
		abort();
	daemon->epochs = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, daemon->epochs_fd, 0);
	if (daemon->epochs == MAP_FAILED ||
	    fcntl(daemon->epochs_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
		abort();
	fake_daemon_raise(daemon);
	if (pthread_create(&daemon->thread, NULL, run, daemon) != 0)
		abort();
}

void fake_daemon_start(struct fake_daemon *daemon)
{
	memset(daemon, 0, sizeof *daemon);
	(void)strcpy(daemon->folder, "/tmp/predictd-fake-XXXXXX");
	if (mkdtemp(daemon->folder) == NULL)
		abort();
	(void)snprintf(daemon->path, sizeof daemon->path, "%s/sock", daemon->folder);
	daemon->protocol = 1;
	daemon->scale = 1;
	daemon->sample_room = FAKE_DAEMON_SAMPLES;
	fake_daemon_restart(daemon);
}

void fake_daemon_halt(struct fake_daemon *daemon)
{
	daemon->stops = true;
	(void)pthread_join(daemon->thread, NULL);
	close(daemon->listener);
	close(daemon->epochs_fd);
	(void)munmap(daemon->epochs, FAKE_DAEMON_EPOCHS * sizeof daemon->epochs[0]);
	(void)unlink(daemon->path);
}

void fake_daemon_stop(struct fake_daemon *daemon)
{
	fake_daemon_halt(daemon);
	(void)rmdir(daemon->folder);
}

void fake_daemon_raise(struct fake_daemon *daemon)
{
	for (size_t i = 0; i < FAKE_DAEMON_EPOCHS; i++)
		daemon->epochs[i]++;
}
