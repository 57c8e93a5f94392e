/* SPDX-License-Identifier: Apache-2.0 */
/* One child per driver; how far it got is told by what it wrote and how it ended. */
#include "daemon/calibrator/probe.h"

#include "daemon/calibrator/opencl.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };

struct probe {
	char file[256]; /* "pocl.icd" */
	pid_t child;    /* -1: could not be tried, and is taken for good */
	int fd;         /* the platform's name comes from there */
	bool is_bad;
};

/* The child: never returns. Writes the platform's name once it is known. */
static void ask(int fd, const char *icd)
{
	cl_platform_id platform;
	cl_device_id device;
	cl_uint count = 0;
	char name[PROBE_TEXT_MAX] = "";

	signal(SIGALRM, SIG_DFL);
	alarm(PROBE_LIMIT_S);
	setenv("OCL_ICD_VENDORS", icd, 1);
	if (clGetPlatformIDs(1, &platform, &count) == CL_SUCCESS && count > 0) {
		if (clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL) ==
		    CL_SUCCESS)
			(void)!write(fd, name, strlen(name));
		(void)clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, &count);
	}
	/* no exit handlers: they are the driver's */
	_exit(0);
}

static void probe_start(struct probe *probe, const char *folder)
{
	char icd[PATH_ROOM];
	int ends[2];
	int length = snprintf(icd, sizeof icd, "%s/%s", folder, probe->file);

	probe->child = -1;
	probe->fd = -1;
	if (length < 0 || (size_t)length >= sizeof icd || pipe(ends) != 0)
		return;
	probe->child = fork();
	if (probe->child == 0) {
		close(ends[0]);
		ask(ends[1], icd);
	}
	close(ends[1]);
	probe->fd = ends[0];
}

/* Waits for the child; fills *bad and is_bad when its driver cannot be used. */
static void probe_end(struct probe *probe, struct bad_driver *bad)
{
	int status = 0;
	ssize_t size;

	if (probe->fd < 0)
		return;
	if (probe->child < 0) {
		close(probe->fd);
		return;
	}
	do
		size = read(probe->fd, bad->name, sizeof bad->name - 1);
	while (size < 0 && errno == EINTR);
	close(probe->fd);
	while (waitpid(probe->child, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return;
	probe->is_bad = true;
	if (size > 0)
		bad->name[size] = '\0';
	else
		(void)snprintf(bad->name, sizeof bad->name, "%.100s", probe->file);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		(void)snprintf(bad->why, sizeof bad->why,
		               "the driver (%.40s) does not answer within %d s", probe->file,
		               PROBE_LIMIT_S);
	else if (WIFSIGNALED(status))
		(void)snprintf(bad->why, sizeof bad->why, "the driver (%.40s) crashes: %s",
		               probe->file, strsignal(WTERMSIG(status)));
	else
		(void)snprintf(bad->why, sizeof bad->why,
		               "the driver (%.40s) ends the program, status %d", probe->file,
		               WEXITSTATUS(status));
}

/* Links to the good drivers in a folder of their own, and the loader's eyes on it. */
static void hide_bad(struct drivers *drivers, const struct probe *probes, size_t count,
                     const char *folder)
{
	char absolute[PATH_ROOM], from[PATH_ROOM + 260], to[sizeof drivers->folder + 260];

	strcpy(drivers->folder, "/tmp/predictd-drivers.XXXXXX");
	if (realpath(folder, absolute) == NULL || mkdtemp(drivers->folder) == NULL) {
		drivers->folder[0] = '\0';
		return;
	}
	for (size_t i = 0; i < count; i++) {
		if (probes[i].is_bad)
			continue;
		(void)snprintf(from, sizeof from, "%s/%.255s", absolute, probes[i].file);
		(void)snprintf(to, sizeof to, "%s/%.255s", drivers->folder, probes[i].file);
		(void)!symlink(from, to);
	}
	setenv("OCL_ICD_VENDORS", drivers->folder, 1);
}

void drivers_init(struct drivers *drivers)
{
	static const char suffix[] = ".icd";
	static bool was_done; /* by then the loader has loaded: nothing can be hidden any more */
	const char *folder = getenv("OCL_ICD_VENDORS");
	struct probe probes[PROBE_DRIVERS_MAX];
	size_t count = 0;

	memset(drivers, 0, sizeof *drivers);
	if (folder == NULL || folder[0] == '\0')
		folder = "/etc/OpenCL/vendors";
	DIR *directory = was_done ? NULL : opendir(folder);
	was_done = true;
	if (directory == NULL)
		return;
	for (const struct dirent *entry;
	     count < PROBE_DRIVERS_MAX && (entry = readdir(directory)) != NULL;) {
		size_t length = strlen(entry->d_name);
		if (length < sizeof suffix || length >= sizeof probes[count].file ||
		    strcmp(entry->d_name + length - (sizeof suffix - 1), suffix) != 0)
			continue;
		memset(&probes[count], 0, sizeof probes[count]);
		memcpy(probes[count].file, entry->d_name, length + 1);
		probe_start(&probes[count++], folder);
	}
	closedir(directory);
	for (size_t i = 0; i < count; i++) {
		probe_end(&probes[i], &drivers->bad[drivers->bad_count]);
		drivers->bad_count += probes[i].is_bad;
	}
	if (drivers->bad_count > 0)
		hide_bad(drivers, probes, count, folder);
}

void drivers_deinit(struct drivers *drivers)
{
	char path[sizeof drivers->folder + 260];
	DIR *directory = drivers->folder[0] == '\0' ? NULL : opendir(drivers->folder);

	if (directory == NULL)
		return;
	for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
		(void)snprintf(path, sizeof path, "%s/%.255s", drivers->folder, entry->d_name);
		if (entry->d_name[0] != '.')
			unlink(path);
	}
	closedir(directory);
	rmdir(drivers->folder);
	drivers->folder[0] = '\0';
}
