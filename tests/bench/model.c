/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model alone, without a daemon: what one prediction of an analysed kernel costs
 * (a thousand launches of it, none like another), and what brings a kernel back that
 * was kept packed.
 *
 *   bench-model CALIBRATION [COUNT SOURCE.cl ITEMS]
 *
 * CALIBRATION is a file of `predictctl export`. With a SOURCE, that one's first kernel
 * alone is predicted, COUNT times: for a profiler.
 */
#include "daemon/codec/device_codec.h"
#include "daemon/codec/ir_codec.h"
#include "model/answer/predict.h"
#include "model/device/launch.h"
#include "model/frontend/frontend.h"
#include "model/passes/passes.h"
#include "tests/bench/bench.h"
#include "tests/bench/sources.h"

#include <string.h>
#include <time.h>

enum { LAUNCHES = 1000, FILE_MAX = 1 << 20 };

static size_t read_file(const char *path, uint8_t *bytes, size_t room)
{
	FILE *file = fopen(path, "re");
	size_t size = file == NULL ? 0 : fread(bytes, 1, room, file);

	if (file != NULL)
		fclose(file);
	if (size == 0)
		fprintf(stderr, "bench-model: %s: cannot be read\n", path);
	return size;
}

static bool load_device(const char *path, struct device *device)
{
	static uint8_t bytes[FILE_MAX];
	struct error error = {.text = "not a calibration"};
	size_t size = read_file(path, bytes, sizeof bytes);
	Predictd__Calibration *file = predictd__calibration__unpack(NULL, size, bytes);
	bool is_done = file != NULL && file->device != NULL &&
	               device_decode(file->device, device, &error) == STATUS_OK;

	predictd__calibration__free_unpacked(file, NULL);
	if (!is_done)
		fprintf(stderr, "bench-model: %s: %s\n", path, error.text);
	return is_done;
}

/* A launch that fits whatever the kernel takes: buffers of four bytes an item, numbers of 64. */
static void fill_launch(const struct ir_kernel *kernel, uint64_t items, struct launch *launch)
{
	*launch = (struct launch){.dimensions = 1,
	                          .global = {items, 1, 1},
	                          .local = {64, 1, 1},
	                          .has_local = true,
	                          .argument_count = kernel->argument_count};
	if (kernel->required_local[0] != 0)
		launch->has_local = false;
	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		struct launch_argument *argument = &launch->arguments[i];
		const struct ir_argument *formal = &kernel->arguments[i];
		argument->kind = formal->kind;
		argument->access = BUFFER_READ_WRITE;
		argument->type = formal->type;
		argument->size_bytes =
		        formal->kind == ARGUMENT_STRUCT ? formal->size_bytes : items * 64;
		if (formal->kind == ARGUMENT_LOCAL)
			argument->size_bytes = 4096;
		argument->width = argument->height = 1024;
		for (unsigned lane = 0; lane < 16; lane++) {
			if (type_is_real(formal->type))
				argument->value.real[lane] = 64;
			else
				argument->value.integer[lane] = 64;
		}
	}
}

/* Predicts LAUNCHES launches; the seconds each took. False: one was refused. */
static bool predict_all(const struct ir_kernel *kernel, const struct device *device,
                        double *samples)
{
	static struct launch launch;
	static struct prediction prediction;
	const struct prediction_options options = {.model = MODEL_DEFAULT};
	struct error error;

	for (unsigned i = 0; i < LAUNCHES; i++) {
		fill_launch(kernel, (uint64_t)64 * (1 + 16 * i), &launch);
		double begin = bench_now_s();
		if (predict(kernel, device, &launch, &options, &prediction, &error) != STATUS_OK) {
			fprintf(stderr, "bench-model: %s: %s\n", kernel->name, error.text);
			return false;
		}
		samples[i] = bench_now_s() - begin;
	}
	return true;
}

static bool analyse(const char *name, const char *text, size_t size, struct ir_kernel ***kernels,
                    size_t *count)
{
	const struct frontend_program program = {
	        .name = name, .source = text, .source_bytes = size};
	struct error error;

	if (frontend_analyse(&program, kernels, count, NULL, &error) == STATUS_OK && *count > 0)
		return true;
	fprintf(stderr, "bench-model: %s: %s\n", name, error.text);
	return false;
}

/* A program as the analyser replies; the caller's, to free. */
static uint8_t *pack(struct ir_kernel *const *kernels, size_t count, size_t *size)
{
	Predictd__AnalyserReply reply = PREDICTD__ANALYSER_REPLY__INIT;
	uint8_t *bytes = NULL;

	reply.kernels = calloc(count, sizeof *reply.kernels);
	for (; reply.kernels != NULL && reply.n_kernels < count; reply.n_kernels++) {
		reply.kernels[reply.n_kernels] = ir_encode(kernels[reply.n_kernels]);
		if (reply.kernels[reply.n_kernels] == NULL)
			break;
	}
	if (reply.kernels != NULL && reply.n_kernels == count) {
		*size = predictd__analyser_reply__get_packed_size(&reply);
		bytes = malloc(*size);
		if (bytes != NULL)
			(void)predictd__analyser_reply__pack(&reply, bytes);
	}
	for (size_t i = 0; i < reply.n_kernels; i++)
		predictd__ir_kernel__free_unpacked(reply.kernels[i], NULL);
	free(reply.kernels);
	return bytes;
}

/* What unpacking, checking and sealing take. */
static bool unpack_all(struct ir_kernel *const *kernels, size_t count, double *samples,
                       size_t *bytes)
{
	uint8_t *packed = pack(kernels, count, bytes);
	bool is_done = packed != NULL;

	for (unsigned i = 0; i < LAUNCHES && is_done; i++) {
		struct ir_kernel **again = NULL;
		size_t count_again = 0;
		struct error error;
		double begin = bench_now_s();
		is_done = ir_decode_reply(packed, *bytes, &again, &count_again, NULL, &error) ==
		          STATUS_OK;
		samples[i] = bench_now_s() - begin;
		frontend_free(again, count_again);
	}
	free(packed);
	return is_done;
}

static bool bench_source(const struct device *device, enum source_kind kind)
{
	static double predicts[LAUNCHES], unpacks[LAUNCHES];
	static char text[SOURCE_MAX];
	struct ir_kernel **kernels = NULL;
	size_t count = 0, packed = 0;
	size_t size = source_write(text, kind, 1);
	bool is_done = analyse("bench.cl", text, size, &kernels, &count) &&
	               predict_all(kernels[0], device, predicts) &&
	               predict_all(kernels[0], device, predicts) &&
	               unpack_all(kernels, count, unpacks, &packed);

	if (is_done) {
		char what[80];
		snprintf(what, sizeof what, "  %u lines: predicted, nothing cached",
		         source_lines(text));
		bench_print_us(what, predicts, LAUNCHES);
		snprintf(what, sizeof what, "  %u lines: unpacked and sealed (%zu bytes)",
		         source_lines(text), packed);
		bench_print_us(what, unpacks, LAUNCHES);
	}
	frontend_free(kernels, count);
	return is_done;
}

static double processor_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* One kernel over and over, for a profiler; and what its analysis takes: processor time. */
static bool bench_file(const struct device *device, const char *path, unsigned times,
                       uint64_t items)
{
	static uint8_t text[FILE_MAX];
	static struct launch launch;
	static struct prediction prediction;
	struct ir_kernel **kernels = NULL;
	struct error error;
	size_t count = 0;
	size_t size = read_file(path, text, sizeof text);
	double begin = processor_s(), analysed_s;
	bool is_done = size > 0 && analyse(path, (const char *)text, size, &kernels, &count);

	analysed_s = processor_s() - begin;
	if (is_done)
		fill_launch(kernels[0], items, &launch);
	begin = processor_s();
	for (unsigned i = 0; i < times && is_done; i++)
		is_done = predict(kernels[0], device, &launch, NULL, &prediction, &error) ==
		          STATUS_OK;
	if (!is_done && count > 0)
		fprintf(stderr, "bench-model: %s: %s\n", path, error.text);
	else if (is_done)
		printf("%-40s analysed in %.2f ms, predicted in %.2f us: %.9g s%s%.60s\n", path,
		       1e3 * analysed_s, 1e6 * (processor_s() - begin) / times,
		       prediction.kernel_time_s, prediction.note[0] ? ", " : "", prediction.note);
	frontend_free(kernels, count);
	return is_done;
}

int main(int argc, char **argv)
{
	static struct device device;

	if (argc != 2 && argc != 5) {
		fprintf(stderr, "usage: bench-model CALIBRATION [COUNT SOURCE.cl ITEMS]\n");
		return 2;
	}
	if (!load_device(argv[1], &device))
		return 1;
	if (argc == 5)
		return bench_file(&device, argv[3], (unsigned)atoi(argv[2]),
		                  strtoull(argv[4], NULL, 10))
		               ? 0
		               : 1;
	printf("the model alone, %u launches each, none like another: median, p90\n", LAUNCHES);
	for (int kind = 0; kind < SOURCE_KINDS; kind++)
		if (!bench_source(&device, (enum source_kind)kind))
			return 1;
	return 0;
}
