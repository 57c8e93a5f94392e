/* SPDX-License-Identifier: Apache-2.0 */
/*
 * predictd-calibrator: the only user of OpenCL. Reads one CalibratorRequest
 * from standard input and answers with CalibratorReply frames on standard
 * output; with --print it calibrates and prints for a person.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "daemon/calibrator/calibrate.h"
#include "daemon/calibrator/list.h"
#include "daemon/calibrator/measure.h"
#include "daemon/calibrator/pair.h"
#include "daemon/calibrator/profile.h"
#include "daemon/calibrator/reply.h"
#include "daemon/calibrator/side.h"
#include "daemon/calibrator/watchdog.h"
#include "proto/frame.h"
#include "proto/printed.h"

/* Drivers keep memory to the end; a leak sanitizer must not blame this program for it. */
#if defined(__has_feature)
#define HAS_SANITIZER __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define HAS_SANITIZER 1
#else
#define HAS_SANITIZER 0
#endif
#if HAS_SANITIZER
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libpocl\nleak:libLLVM\nleak:libOpenCL\nleak:libnvidia\nleak:libclang\n";
}
#endif

enum {
	QUICK_LIMIT_S = 60,
	FULL_LIMIT_S = 300,
	LIST_LIMIT_S = 60,
	/* what a compiler was not asked by then is not known */
	QUICK_ASK_S = 4,
	FULL_ASK_S = 10,
	EXIT_USAGE = 2,
	POLITE_NICE = 10
};

static const char help[] =
        "Usage: predictd-calibrator [--print | --rehearse | --language] [--quick] [--device N]\n"
        "       predictd-calibrator --side [--device N]\n"
        "       predictd-calibrator --pair (--device N | --command LINE) (--device N | ...)\n"
        "\n"
        "Without options: reads one request from standard input and answers on standard\n"
        "output, as predictd and predictctl want it (proto/predictd.proto).\n"
        "\n"
        "  --print       calibrate a device and print each coefficient, one a line:\n"
        "                its name, its value and its relative standard error\n"
        "  --rehearse    compile what a calibration runs, as far as numbers on standard\n"
        "                input say so: a calibration starts such processes\n"
        "  --language    ask the device's compiler for its macros and options, and write the\n"
        "                packed Language (proto/predictd.proto): a calibration starts that, too\n"
        "  --pair        measure what two devices do to each other, and print each slowdown, one "
        "a\n"
        "                line: side, its load, the other side's load, how many times longer\n"
        "  --command LINE  of a pair: the shell's command that starts a side, as with processors\n"
        "                and an environment of its own:\n"
        "                --command 'POCL_DEVICES=pthread exec taskset -c 0-11\n"
        "                predictd-calibrator --side --device 0'\n"
        "  --side        be one side of a pair: work as standard input says, and answer with "
        "rates\n"
        "                (lines \"run LOAD BEGIN_NS LENGTH_NS\", \"done RATE\"; CLOCK_MONOTONIC)\n"
        "  --quick       in about 15 seconds, on a busy machine 30, instead of 120\n"
        "  --device N    the device's key, index, or part of its name; the first otherwise\n"
        "  --help        this text\n"
        "  --version     the version\n";

/*
 * Standard output belongs to frames, and drivers print: the frames get a
 * descriptor of their own, and descriptor 1 becomes standard error.
 */
static int claim_output(void)
{
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (fd >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return -1;
	return fd;
}

struct progress_to {
	int fd;
};

static enum status send_progress(void *context, double progress, double left_s, const char *stage,
                                 struct error *error)
{
	const struct progress_to *to = context;
	return reply_progress(to->fd, progress, left_s, stage, error);
}

static enum status serve_list(int fd, struct error *error)
{
	struct found_devices found = {0};
	reply_watch(fd, "the OpenCL drivers do not answer", -1);
	watchdog_arm(LIST_LIMIT_S);
	enum status status = found_devices_init(&found, error);
	watchdog_arm(0);
	if (status == STATUS_OK)
		status = reply_devices(fd, &found, error);
	found_devices_deinit(&found);
	return status;
}

/* The device that the daemon means, wherever it stands in the list by now. */
static enum status find_wanted(const struct found_devices *found,
                               const Predictd__CalibratorCalibrate *request,
                               const struct found_device **chosen, struct error *error)
{
	const Predictd__Device *wanted = request->device;
	for (size_t i = 0; i < found->count && wanted == NULL && *chosen == NULL; i++)
		if (found->devices[i].platform_index == request->platform_index &&
		    found->devices[i].device_index == request->device_index)
			*chosen = &found->devices[i];
	if (wanted != NULL)
		*chosen = found_devices_find_key(found, wanted->key);
	if (*chosen == NULL && wanted == NULL)
		return error_set(error, STATUS_NOT_FOUND, "no device %u of platform %u",
		                 request->device_index, request->platform_index);
	if (*chosen == NULL)
		return error_set(error, STATUS_NOT_FOUND,
		                 "the device has changed: '%.80s' (%.63s) is not here any more",
		                 wanted->name, wanted->key);
	return STATUS_OK;
}

static enum status run_calibration(const struct found_devices *all,
                                   const struct found_device *found,
                                   const struct calibrate_options *wanted, struct device *device,
                                   struct error *error)
{
	struct opencl opencl = {0};
	struct calibrate_options options = *wanted;
	options.is_rehearsed = true;
	options.device_index = (size_t)(found - all->devices);
	*device = found->device;
	if (found->failure[0] != '\0')
		return error_set(error, STATUS_DEVICE, "%.100s: %s", device->name, found->failure);
	watchdog_arm(options.is_quick ? QUICK_LIMIT_S : FULL_LIMIT_S);
	enum status status = opencl_open(&opencl, found->platform, found->id, error);
	if (status == STATUS_OK)
		status = calibrate(&opencl, &options, device, error);
	watchdog_arm(0);
	opencl_close(&opencl);
	return status;
}

static enum status serve_calibrate(int fd, const Predictd__CalibratorCalibrate *request,
                                   struct error *error)
{
	static struct device device; /* large */
	struct found_devices found = {0};
	const struct found_device *chosen = NULL;
	struct progress_to to = {fd};
	const struct calibrate_options options = {
	        .is_quick = request->quick, .progress = send_progress, .context = &to};
	/* before a driver starts threads, and processes of a rehearsal: they inherit it */
	if (request->is_polite)
		(void)setpriority(PRIO_PROCESS, 0, POLITE_NICE);
	reply_watch(fd, "the driver does not answer: the calibration took too long", -1);
	watchdog_arm(LIST_LIMIT_S);
	enum status status = found_devices_init(&found, error);
	if (status == STATUS_OK)
		status = find_wanted(&found, request, &chosen, error);
	if (status == STATUS_OK)
		status = run_calibration(&found, chosen, &options, &device, error);
	watchdog_arm(0);
	if (status == STATUS_OK)
		status = reply_result(fd, &device, error);
	found_devices_deinit(&found);
	return status;
}

static enum status serve_pair(int fd, const Predictd__CalibratorPair *request, struct error *error)
{
	struct contention contention = {0};
	struct progress_to to = {fd};
	const struct pair_options options = {.devices = {request->key, request->other_key},
	                                     .progress = send_progress,
	                                     .context = &to};
	/* what its sides do has limits of its own */
	enum status status = pair_measure(&options, &contention, error);
	return status == STATUS_OK ? reply_pair(fd, &contention, error) : status;
}

static enum status serve(int fd, struct error *error)
{
	uint8_t *bytes = NULL;
	size_t size = 0;
	int failure = frame_read(STDIN_FILENO, FRAME_BYTES_MAX, -1, &bytes, &size);
	if (failure != 0)
		return error_set(error, STATUS_IO, "standard input: no request: %s",
		                 strerror(failure));
	Predictd__CalibratorRequest *request =
	        predictd__calibrator_request__unpack(NULL, size, bytes);
	free(bytes);
	if (request == NULL)
		return error_set(error, STATUS_CORRUPT, "standard input: not a CalibratorRequest");
	enum status status;
	switch (request->body_case) {
	case PREDICTD__CALIBRATOR_REQUEST__BODY_LIST:
		status = serve_list(fd, error);
		break;
	case PREDICTD__CALIBRATOR_REQUEST__BODY_CALIBRATE:
		status = serve_calibrate(fd, request->calibrate, error);
		break;
	case PREDICTD__CALIBRATOR_REQUEST__BODY_PAIR:
		status = serve_pair(fd, request->pair, error);
		break;
	case PREDICTD__CALIBRATOR_REQUEST__BODY_MEASURE:
		status = measure(request->measure, fd, error);
		break;
	default:
		status = error_set(error, STATUS_INVALID, "a request without a body");
	}
	predictd__calibrator_request__free_unpacked(request, NULL);
	return status;
}

static enum status print_progress(void *context, double progress, double left_s, const char *stage,
                                  struct error *error)
{
	const char **before = context;
	(void)error;
	if (isatty(STDERR_FILENO))
		(void)fprintf(stderr, "\r%3.0f %%  %-24s %5.1f s left ", progress * 100, stage,
		              left_s);
	else if (*before != stage) /* stages are string constants */
		(void)fprintf(stderr, "%3.0f %%  %-24s %5.1f s left\n", progress * 100, stage,
		              left_s);
	*before = stage;
	return STATUS_OK;
}

/* Whether all arrived that was printed to `out`, which it closes; NULL is what could not be opened.
 */
static enum status print_end(FILE *out, struct error *error)
{
	bool is_whole = out != NULL && ferror(out) == 0;
	if (out != NULL && fclose(out) != 0)
		is_whole = false;
	return is_whole ? STATUS_OK
	                : error_set(error, STATUS_IO, "standard output: %s", strerror(errno));
}

static enum status print(int fd, const char *name, bool is_quick, struct error *error)
{
	static struct device device; /* large */
	struct found_devices found = {0};
	const struct found_device *chosen;
	const char *stage = NULL;
	const struct calibrate_options options = {
	        .is_quick = is_quick, .progress = print_progress, .context = &stage};
	enum status status = found_devices_init(&found, error);
	if (status == STATUS_OK)
		status = found_devices_find(&found, name, &chosen, error);
	if (status == STATUS_OK)
		status = run_calibration(&found, chosen, &options, &device, error);
	if (isatty(STDERR_FILENO))
		(void)fputs("\n", stderr);
	FILE *out = status == STATUS_OK ? fdopen(fd, "w") : NULL;
	if (out != NULL) {
		(void)fprintf(out, "# %s: %.1f s%s\n", device.name, device.duration_s,
		              device.was_busy ? ", busy" : "");
		for (unsigned i = 0; i < COEFFICIENT_COUNT; i++) {
			char text[COEFFICIENT_NAME_MAX];
			if (!device.coefficient[i].is_known)
				continue;
			coefficient_name(i, text);
			(void)fprintf(out, "%s %.6g %.3f\n", text, device.coefficient[i].value,
			              device.coefficient[i].standard_error);
		}
	}
	if (status == STATUS_OK)
		status = print_end(out, error);
	found_devices_deinit(&found);
	return status;
}

/* A process of a rehearsal, which ends with the one that started it. */
static enum status rehearse(const char *name, bool is_quick, struct error *error)
{
	static struct device device; /* large */
	struct found_devices found = {0};
	struct opencl opencl = {0};
	const struct found_device *chosen;
	const struct calibrate_options options = {.is_quick = is_quick};
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	watchdog_arm(is_quick ? QUICK_LIMIT_S : FULL_LIMIT_S);
	enum status status = found_devices_init(&found, error);
	if (status == STATUS_OK)
		status = found_devices_find(&found, name, &chosen, error);
	if (status == STATUS_OK) {
		device = chosen->device;
		status = opencl_open(&opencl, chosen->platform, chosen->id, error);
	}
	if (status == STATUS_OK)
		status = calibrate_rehearse(&opencl, &options, STDIN_FILENO, &device, error);
	watchdog_arm(0);
	opencl_close(&opencl);
	found_devices_deinit(&found);
	return status;
}

/* A process that asks a device's compiler. Ends at once: a driver's own end may hang. */
static enum status ask_language(int fd, const char *name, bool is_quick, struct error *error)
{
	static struct device device; /* large */
	struct found_devices found = {0};
	struct opencl opencl = {0};
	const struct found_device *chosen;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	watchdog_arm(LIST_LIMIT_S);
	enum status status = found_devices_init(&found, error);
	if (status == STATUS_OK)
		status = found_devices_find(&found, name, &chosen, error);
	if (status == STATUS_OK) {
		device = chosen->device;
		status = opencl_open(&opencl, chosen->platform, chosen->id, error);
	}
	if (status == STATUS_OK)
		status = profile_ask(&opencl, clock_now_s() + (is_quick ? QUICK_ASK_S : FULL_ASK_S),
		                     &device, error);
	if (status == STATUS_OK) {
		ssize_t written = write(fd, device.language, device.language_bytes);
		_exit(written == (ssize_t)device.language_bytes ? EXIT_SUCCESS : EXIT_FAILURE);
	}
	opencl_close(&opencl);
	found_devices_deinit(&found);
	return status;
}

/* One side of a pair, which ends with the one that started it, and what it fails with is said. */
static enum status be_side(int fd, const char *name, struct error *error)
{
	static struct device device; /* large */
	struct found_devices found = {0};
	struct opencl opencl = {0};
	const struct found_device *chosen;
	struct error unsaid = {0};
	char line[SIDE_LINE_MAX];
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	enum status status = found_devices_init(&found, error);
	if (status == STATUS_OK)
		status = found_devices_find(&found, name, &chosen, error);
	if (status == STATUS_OK && chosen->failure[0] != '\0')
		status = error_set(error, STATUS_DEVICE, "%s", chosen->failure);
	if (status == STATUS_OK) {
		device = chosen->device;
		status = opencl_open(&opencl, chosen->platform, chosen->id, error);
	}
	if (status == STATUS_OK)
		status = side_serve(&opencl, &device, STDIN_FILENO, fd, error);
	if (status != STATUS_OK) {
		(void)snprintf(line, sizeof line, "failed %.400s\n", error->text);
		(void)side_write(fd, line, &unsaid);
	}
	opencl_close(&opencl);
	found_devices_deinit(&found);
	return status;
}

static enum status print_pair(int fd, const struct pair_options *sides, struct error *error)
{
	struct contention contention = {0};
	const char *stage = NULL;
	struct pair_options options = *sides;
	options.progress = print_progress;
	options.context = &stage;
	enum status status = pair_measure(&options, &contention, error);
	if (isatty(STDERR_FILENO))
		(void)fputs("\n", stderr);
	if (status != STATUS_OK)
		return status;
	FILE *out = fdopen(fd, "w");
	if (out == NULL)
		return print_end(out, error);
	(void)fprintf(out, "# a pair: %.1f s, standard errors up to %.3f%s\n",
	              contention.duration_s, contention.standard_error,
	              contention.was_busy ? ", busy" : "");
	for (int side = 0; side < 2; side++)
		for (enum load own = 0; own < LOAD_COUNT; own++)
			for (enum load other = 0; other < LOAD_COUNT; other++)
				(void)fprintf(out, "%d %s %s %.4g\n", side, load_name(own),
				              load_name(other),
				              contention.slowdown[side][own][other]);
	return print_end(out, error);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"print", no_argument, NULL, 'p'},
	                                        {"quick", no_argument, NULL, 'q'},
	                                        {"device", required_argument, NULL, 'd'},
	                                        {"help", no_argument, NULL, 'h'},
	                                        {"version", no_argument, NULL, 'v'},
	                                        {"rehearse", no_argument, NULL, 'r'},
	                                        {"language", no_argument, NULL, 'l'},
	                                        {"side", no_argument, NULL, 's'},
	                                        {"pair", no_argument, NULL, 'P'},
	                                        {"command", required_argument, NULL, 'c'},
	                                        {NULL, 0, NULL, 0}};
	bool is_print = false, is_quick = false, is_rehearsal = false, asks_language = false;
	bool is_side = false, is_pair = false;
	struct pair_options sides = {0};
	size_t side_count = 0, command_count = 0;
	const char *device = "";
	struct error error = {0}, unsent = {0};
	int option;
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'p':
			is_print = true;
			break;
		case 'q':
			is_quick = true;
			break;
		case 'r':
			is_rehearsal = true;
			break;
		case 'l':
			asks_language = true;
			break;
		case 's':
			is_side = true;
			break;
		case 'P':
			is_pair = true;
			break;
		case 'c':
			command_count++;
			if (side_count < 2)
				sides.commands[side_count] = optarg;
			side_count++;
			break;
		case 'd':
			device = optarg;
			if (side_count < 2)
				sides.devices[side_count] = optarg;
			side_count++;
			break;
		case 'h':
			(void)fputs(help, stdout);
			return printed("predictd-calibrator", EXIT_SUCCESS);
		case 'v':
			(void)puts("predictd-calibrator " PREDICTD_VERSION);
			return printed("predictd-calibrator", EXIT_SUCCESS);
		default:
			return EXIT_USAGE;
		}
	}
	int modes = is_print + is_rehearsal + asks_language + is_side + is_pair;
	bool is_bad = modes > 1 || (modes == 0 && (is_quick || side_count > 0)) ||
	              (is_pair ? side_count != 2 : command_count > 0 || side_count > 1) ||
	              ((is_pair || is_side) && is_quick);
	if (optind < argc || is_bad) {
		(void)fputs(help, stderr);
		return EXIT_USAGE;
	}
	/* a layer would see, and slow down, what is measured here */
	unsetenv("OPENCL_LAYERS");
	int fd = claim_output();
	if (fd < 0) {
		(void)fprintf(stderr, "predictd-calibrator: standard output: %s\n",
		              strerror(errno));
		return EXIT_FAILURE;
	}
	signal(SIGPIPE, SIG_IGN);
	enum status status = is_rehearsal    ? rehearse(device, is_quick, &error)
	                     : asks_language ? ask_language(fd, device, is_quick, &error)
	                     : is_side       ? be_side(fd, device, &error)
	                     : is_pair       ? print_pair(fd, &sides, &error)
	                     : is_print      ? print(fd, device, is_quick, &error)
	                                     : serve(fd, &error);
	if (status == STATUS_OK)
		return EXIT_SUCCESS;
	if (modes == 0 && reply_error(fd, &error, &unsent) == STATUS_OK)
		return EXIT_FAILURE;
	(void)fprintf(stderr, "predictd-calibrator: %s\n", error.text);
	return EXIT_FAILURE;
}
