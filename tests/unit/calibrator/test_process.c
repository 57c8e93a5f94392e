/* SPDX-License-Identifier: Apache-2.0 */
/* The calibrator as a process, on drivers of every kind: what it says, and how it ends. */
#include "tests/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/calibrator/watchdog.h"
#include "proto/frame.h"
#include "proto/predictd.pb-c.h"
#include "tests/unit/calibrator/simulated.h"

enum { DEADLINE_MS = 60000, TEXT_MAX = 1 << 16, REPLIES_MAX = 64 };

static const char *program_path;
static char folder[] = "/tmp/predictd-process-XXXXXX";

/* How a process ended, and all that it wrote. */
struct ended {
	int status;
	char out[TEXT_MAX], err[TEXT_MAX];
	size_t out_bytes;
	Predictd__CalibratorReply *replies[REPLIES_MAX];
	size_t replies_count;
};

static void read_whole(int fd, char text[TEXT_MAX], size_t *bytes)
{
	off_t size = lseek(fd, 0, SEEK_END);
	ssize_t got = pread(fd, text, TEXT_MAX - 1, 0);
	assert_true(size < TEXT_MAX && got == size);
	text[got] = '\0';
	*bytes = (size_t)got;
	close(fd);
}

static void unpack_replies(struct ended *ended)
{
	size_t at = 0;
	while (at + 4 <= ended->out_bytes && ended->replies_count < REPLIES_MAX) {
		uint32_t size;
		memcpy(&size, ended->out + at, sizeof size);
		at += 4;
		if (size > ended->out_bytes - at)
			return;
		ended->replies[ended->replies_count] =
		        predictd__calibrator_reply__unpack(NULL, size, (uint8_t *)ended->out + at);
		if (ended->replies[ended->replies_count] == NULL)
			return;
		ended->replies_count++;
		at += size;
	}
}

static void ended_deinit(struct ended *ended)
{
	for (size_t i = 0; i < ended->replies_count; i++)
		predictd__calibrator_reply__free_unpacked(ended->replies[i], NULL);
	ended->replies_count = 0;
}

/* Runs it with words for arguments and bytes for standard input (NULL: none). */
static void run(struct ended *ended, enum simulated_odd odd, const char *const *words,
                const void *bytes, size_t size)
{
	char *argv[8] = {(char *)(uintptr_t)program_path}, text[16];
	int in[2], out = memfd_create("out", 0), err = memfd_create("err", 0);
	memset(ended, 0, sizeof *ended);
	for (size_t i = 0; words != NULL && words[i] != NULL; i++)
		argv[i + 1] = (char *)(uintptr_t)words[i];
	assert_true(pipe(in) == 0 && out >= 0 && err >= 0);
	(void)snprintf(text, sizeof text, "%d", (int)odd);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		setenv("SIMULATED_ODD", text, 1);
		dup2(in[0], STDIN_FILENO);
		dup2(out, STDOUT_FILENO);
		dup2(err, STDERR_FILENO);
		close(in[1]);
		execv(program_path, argv);
		_exit(127);
	}
	close(in[0]);
	if (size > 0)
		assert_int_equal(write(in[1], bytes, size), size);
	close(in[1]);
	assert_int_equal(waitpid(child, &ended->status, 0), child);
	size_t err_bytes;
	read_whole(out, ended->out, &ended->out_bytes);
	read_whole(err, ended->err, &err_bytes);
	unpack_replies(ended);
}

static void ask(struct ended *ended, enum simulated_odd odd, Predictd__CalibratorRequest *request)
{
	uint8_t *bytes = NULL;
	size_t size = 0;
	assert_true(frame_pack(&request->base, &bytes, &size));
	run(ended, odd, NULL, bytes, size);
	free(bytes);
}

static void ask_list(struct ended *ended, enum simulated_odd odd)
{
	Predictd__CalibratorRequest request = PREDICTD__CALIBRATOR_REQUEST__INIT;
	Predictd__ListDevices body = PREDICTD__LIST_DEVICES__INIT;
	request.body_case = PREDICTD__CALIBRATOR_REQUEST__BODY_LIST;
	request.list = &body;
	ask(ended, odd, &request);
}

static void ask_calibrate(struct ended *ended, enum simulated_odd odd, Predictd__Device *device,
                          unsigned index)
{
	Predictd__CalibratorRequest request = PREDICTD__CALIBRATOR_REQUEST__INIT;
	Predictd__CalibratorCalibrate body = PREDICTD__CALIBRATOR_CALIBRATE__INIT;
	body.quick = true;
	body.device = device;
	body.device_index = index;
	request.body_case = PREDICTD__CALIBRATOR_REQUEST__BODY_CALIBRATE;
	request.calibrate = &body;
	ask(ended, odd, &request);
}

static void assert_exit(const struct ended *ended, int wanted)
{
	if (!WIFEXITED(ended->status) || WEXITSTATUS(ended->status) != wanted)
		fail_msg("ended with %#x, want exit %d, saying: %s", (unsigned)ended->status,
		         wanted, ended->err);
}

/* The last reply is an error that says so, and the process ended by itself. */
static void assert_says(struct ended *ended, const char *part)
{
	assert_exit(ended, EXIT_FAILURE);
	assert_true(ended->replies_count > 0);
	const Predictd__CalibratorReply *last = ended->replies[ended->replies_count - 1];
	assert_int_equal(last->body_case, PREDICTD__CALIBRATOR_REPLY__BODY_ERROR);
	if (strstr(last->error->text, part) == NULL)
		fail_msg("want '%s' in '%s'", part, last->error->text);
	ended_deinit(ended);
}

static struct ended ended; /* large */

static void what_is_no_usage_is_refused_with_the_usage(void **state)
{
	(void)state;
	static const char *const wrong[][4] = {{"--nonsense"},
	                                       {"word"},
	                                       {"--quick"},
	                                       {"--device", "1"},
	                                       {"--print", "word"},
	                                       {"--print", "--rehearse"},
	                                       {"--rehearse", "--language"},
	                                       {"--print", "--language"}};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		run(&ended, ODD_NOTHING, wrong[i], NULL, 0);
		assert_exit(&ended, 2);
		assert_true(ended.err[0] != '\0');
	}
	run(&ended, ODD_NOTHING, (const char *const[]){"--help", NULL}, NULL, 0);
	assert_exit(&ended, 0);
	assert_non_null(strstr(ended.out, "Usage:"));
	run(&ended, ODD_NOTHING, (const char *const[]){"--version", NULL}, NULL, 0);
	assert_exit(&ended, 0);
	assert_non_null(strstr(ended.out, PREDICTD_VERSION));
}

static void a_person_reads_each_coefficient_and_its_error(void **state)
{
	(void)state;
	static const char *const devices[] = {"", "0", "simulated"};
	for (size_t i = 0; i < 3; i++) {
		run(&ended, ODD_NOTHING,
		    (const char *const[]){"--print", "--quick", "--device", devices[i], NULL}, NULL,
		    0);
		assert_exit(&ended, 0);
		assert_non_null(strstr(ended.out, "exec.units 8 0"));
		assert_non_null(strstr(ended.err, "s left"));
	}
	static const char *const none[][2] = {{"7", "want an index below 1"},
	                                      {"other", "no OpenCL device of this process"}};
	for (size_t i = 0; i < 2; i++) {
		run(&ended, ODD_NOTHING,
		    (const char *const[]){"--print", "--quick", "--device", none[i][0], NULL}, NULL,
		    0);
		assert_exit(&ended, EXIT_FAILURE);
		assert_non_null(strstr(ended.err, none[i][1]));
	}
	run(&ended, ODD_AWAY, (const char *const[]){"--print", "--quick", NULL}, NULL, 0);
	assert_exit(&ended, EXIT_FAILURE);
	assert_non_null(strstr(ended.err, "not available"));
}

static void a_rehearsal_says_nothing(void **state)
{
	static const uint16_t numbers[] = {0, 5};
	(void)state;
	run(&ended, ODD_NOTHING, (const char *const[]){"--rehearse", "--quick", NULL}, numbers,
	    sizeof numbers);
	assert_exit(&ended, 0);
	assert_int_equal(ended.out_bytes, 0);
	run(&ended, ODD_NOTHING, (const char *const[]){"--rehearse", "--device", "7", NULL}, NULL,
	    0);
	assert_exit(&ended, 1);
	assert_int_equal(ended.out_bytes, 0);
}

/* The simulated device runs no kernel that asks: its calibrations keep what the driver lists. */
static void a_compiler_that_cannot_be_asked_is_no_failure(void **state)
{
	(void)state;
	run(&ended, ODD_NOTHING, (const char *const[]){"--language", NULL}, NULL, 0);
	assert_exit(&ended, 1);
	assert_int_equal(ended.out_bytes, 0);
	assert_non_null(strstr(ended.err, "language: want the text of macros"));
	run(&ended, ODD_NOTHING, (const char *const[]){"--language", "--device", "7", NULL}, NULL,
	    0);
	assert_exit(&ended, 1);
	assert_int_equal(ended.out_bytes, 0);

	ask_list(&ended, ODD_NOTHING);
	assert_exit(&ended, 0);
	Predictd__CalibratorReply *list = ended.replies[0];
	ended.replies_count = 0;
	ask_calibrate(&ended, ODD_NOTHING, list->devices->devices[0]->device, 0);
	assert_exit(&ended, 0);
	const Predictd__Device *device = ended.replies[ended.replies_count - 1]->result;
	Predictd__Language *language =
	        predictd__language__unpack(NULL, device->language.len, device->language.data);
	assert_non_null(language);
	assert_int_equal(language->origin, 2);
	predictd__language__free_unpacked(language, NULL);
	predictd__calibrator_reply__free_unpacked(list, NULL);
	ended_deinit(&ended);
}

static void a_device_that_has_changed_is_not_calibrated_for_another(void **state)
{
	(void)state;
	ask_list(&ended, ODD_NOTHING);
	assert_exit(&ended, 0);
	assert_int_equal(ended.replies_count, 1);
	Predictd__CalibratorReply *list = ended.replies[0];
	ended.replies_count = 0;
	assert_int_equal(list->devices->n_devices, 1);
	Predictd__Device *device = list->devices->devices[0]->device;

	ask_calibrate(&ended, ODD_NOTHING, device, 0);
	assert_exit(&ended, 0);
	Predictd__CalibratorReply *last = ended.replies[ended.replies_count - 1];
	assert_int_equal(last->body_case, PREDICTD__CALIBRATOR_REPLY__BODY_RESULT);
	assert_true(last->result->is_calibrated && last->result->n_coefficients > 100);
	ended_deinit(&ended);

	ask_calibrate(&ended, ODD_UNITS_ONE, device, 0);
	assert_says(&ended, "the device has changed");
	assert_true(device->uuid[0] != '\0');
	ask_calibrate(&ended, ODD_NO_HALF, device, 0); /* whose driver tells no uuid */
	assert_says(&ended, "the device has changed: 'Simulated device' (uuid:");
	char *kept = device->key;
	device->key = (char *)(uintptr_t)"";
	ask_calibrate(&ended, ODD_NOTHING, device, 0);
	assert_says(&ended, "the device has changed");
	device->key = kept;
	ask_calibrate(&ended, ODD_NOTHING, NULL, 5);
	assert_says(&ended, "no device 5 of platform 0");
	/* it is found where it stands */
	ask_calibrate(&ended, ODD_NOTHING, device, 5);
	assert_exit(&ended, 0);
	ended_deinit(&ended);
	ask_calibrate(&ended, ODD_AWAY, device, 0);
	assert_says(&ended, "not available");
	predictd__calibrator_reply__free_unpacked(list, NULL);
}

static void a_driver_that_hangs_ends_with_the_watchdogs_sentence(void **state)
{
	(void)state;
	ask_calibrate(&ended, ODD_HANGS, NULL, 0);
	assert_exit(&ended, WATCHDOG_EXIT);
	assert_true(ended.replies_count > 0);
	const Predictd__CalibratorReply *last = ended.replies[ended.replies_count - 1];
	assert_int_equal(last->body_case, PREDICTD__CALIBRATOR_REPLY__BODY_ERROR);
	assert_non_null(strstr(last->error->text, "does not answer"));
	ended_deinit(&ended);

	Predictd__CalibratorRequest request = PREDICTD__CALIBRATOR_REQUEST__INIT;
	Predictd__CalibratorMeasure body = PREDICTD__CALIBRATOR_MEASURE__INIT;
	Predictd__MeasureCase what = PREDICTD__MEASURE_CASE__INIT, *cases[] = {&what};
	Predictd__Program program = PREDICTD__PROGRAM__INIT;
	Predictd__Launch launch = PREDICTD__LAUNCH__INIT;
	uint64_t items = 64;
	launch.n_global_items = 1;
	launch.global_items = &items;
	what.program = &program;
	what.launch = &launch;
	body.n_cases = 1;
	body.cases = cases;
	request.body_case = PREDICTD__CALIBRATOR_REQUEST__BODY_MEASURE;
	request.measure = &body;
	ask(&ended, ODD_HANGS, &request);
	assert_exit(&ended, WATCHDOG_EXIT);
	assert_int_equal(ended.replies_count, 1);
	assert_int_equal(ended.replies[0]->body_case, PREDICTD__CALIBRATOR_REPLY__BODY_MEASUREMENT);
	assert_non_null(strstr(ended.replies[0]->measurement->error->text, "does not answer"));
	ended_deinit(&ended);
}

static void what_is_no_request_is_refused(void **state)
{
	(void)state;
	Predictd__CalibratorRequest request = PREDICTD__CALIBRATOR_REQUEST__INIT;
	ask(&ended, ODD_NOTHING, &request);
	assert_says(&ended, "a request without a body");
	run(&ended, ODD_NOTHING, NULL, "\x04\0\0\0\xff\xff\xff\xff", 8);
	assert_says(&ended, "not a CalibratorRequest");
	run(&ended, ODD_NOTHING, NULL, NULL, 0);
	assert_says(&ended, "no request");
	run(&ended, ODD_NOTHING, NULL, "\x04\0", 2);
	assert_says(&ended, "no request");
}

static void nobody_who_listens_ends_it_with_a_sentence(void **state)
{
	(void)state;
	uint8_t list[] = {2, 0, 0, 0, 10, 0};
	for (int is_closed = 0; is_closed < 2; is_closed++) {
		int in[2], out[2], status, err = memfd_create("err", 0);
		char text[256] = "";
		assert_true(pipe(in) == 0 && pipe(out) == 0 && err >= 0);
		pid_t child = fork();
		assert_true(child >= 0);
		if (child == 0) {
			dup2(in[0], STDIN_FILENO);
			dup2(out[1], STDOUT_FILENO);
			dup2(err, STDERR_FILENO);
			close(out[0]);
			close(in[1]);
			if (is_closed)
				close(STDOUT_FILENO);
			execl(program_path, program_path, (char *)NULL);
			_exit(127);
		}
		close(in[0]);
		close(out[0]);
		close(out[1]);
		(void)!write(in[1], list, sizeof list);
		close(in[1]);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_FAILURE);
		assert_true(pread(err, text, sizeof text - 1, 0) > 0);
		close(err);
		assert_non_null(strstr(text, "predictd-calibrator: standard output: "));
	}
}

static void add_file(const char *name)
{
	char path[512];
	(void)snprintf(path, sizeof path, "%s/%s", folder, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	close(fd);
}

/* Folders of links that a calibrator made and did not take away. */
static unsigned leftovers(void)
{
	unsigned count = 0;
	DIR *directory = opendir("/tmp");
	assert_non_null(directory);
	for (const struct dirent *entry; (entry = readdir(directory)) != NULL;)
		count += strncmp(entry->d_name, "predictd-drivers.", 17) == 0;
	closedir(directory);
	return count;
}

static void drivers_that_crash_hang_or_end_are_listed_with_what_they_do(void **state)
{
	(void)state;
	static const char *const said[][2] = {{"crashes.icd", "crashes"},
	                                      {"hangs.icd", "does not answer within"},
	                                      {"ends.icd", "ends the program, status 3"}};
	assert_non_null(mkdtemp(folder));
	for (size_t i = 0; i < 3; i++)
		add_file(said[i][0]);
	add_file("good.icd");
	add_file("notes.txt");
	add_file(".icd");
	unsigned before = leftovers();
	setenv("OCL_ICD_VENDORS", folder, 1);
	ask_list(&ended, ODD_NOTHING);
	assert_exit(&ended, 0);
	assert_int_equal(ended.replies_count, 1);
	const Predictd__FoundDevices *list = ended.replies[0]->devices;
	assert_int_equal(list->n_devices, 4);
	assert_string_equal(list->devices[0]->device->name, "Simulated device");
	for (size_t i = 0; i < 3; i++) {
		const char *failure = NULL;
		for (size_t d = 1; d < 4; d++)
			if (strcmp(list->devices[d]->device->name, said[i][0]) == 0)
				failure = list->devices[d]->device->failure;
		assert_non_null(failure);
		assert_non_null(strstr(failure, said[i][1]));
	}
	ended_deinit(&ended);
	assert_int_equal(leftovers(), before);
	setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
	ask_list(&ended, ODD_NO_PLATFORMS);
	assert_exit(&ended, 0);
	assert_int_equal(ended.replies[0]->devices->n_devices, 0);
	ended_deinit(&ended);
	ask_calibrate(&ended, ODD_NO_PLATFORMS, NULL, 0);
	assert_says(&ended, "no device 0 of platform 0");
	for (size_t i = 0; i < 3; i++) {
		char path[512];
		(void)snprintf(path, sizeof path, "%s/%s", folder, said[i][0]);
		unlink(path);
	}
	static const char *const others[] = {"good.icd", "notes.txt", ".icd"};
	for (size_t i = 0; i < 3; i++) {
		char path[512];
		(void)snprintf(path, sizeof path, "%s/%s", folder, others[i]);
		unlink(path);
	}
	assert_int_equal(rmdir(folder), 0);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	program_path = argv[1];
	signal(SIGPIPE, SIG_IGN);
	setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(what_is_no_usage_is_refused_with_the_usage),
	        cmocka_unit_test(a_person_reads_each_coefficient_and_its_error),
	        cmocka_unit_test(a_rehearsal_says_nothing),
	        cmocka_unit_test(a_compiler_that_cannot_be_asked_is_no_failure),
	        cmocka_unit_test(a_device_that_has_changed_is_not_calibrated_for_another),
	        cmocka_unit_test(a_driver_that_hangs_ends_with_the_watchdogs_sentence),
	        cmocka_unit_test(what_is_no_request_is_refused),
	        cmocka_unit_test(nobody_who_listens_ends_it_with_a_sentence),
	        cmocka_unit_test(drivers_that_crash_hang_or_end_are_listed_with_what_they_do),
	};
	return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
