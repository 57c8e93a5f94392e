/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An OpenCL device that only says how long launches take: the calls of OpenCL that the
 * calibrator makes, linked in place of a driver's. No kernel runs; times follow from a kernel's
 * name and arguments by a few rules, and the clock moves by them alone.
 */
#ifndef PREDICTD_TESTS_SIMULATED_H
#define PREDICTD_TESTS_SIMULATED_H

#include <stdbool.h>
#include <stdint.h>

#define SIMULATED_L1_BYTES  65536.0
#define SIMULATED_L2_BYTES  4194304.0
#define SIMULATED_SLEEP_S   5e-4  /* without work */
#define SIMULATED_ADDRESS_S 2e-11 /* of constants, a warp's */
#define SIMULATED_ISSUE_S   5e-10 /* an instruction of a warp alone */

enum {
	SIMULATED_UNITS = 8,
	SIMULATED_ROOM = 18, /* groups of 12 KiB of local memory on a unit */
	SIMULATED_LANES = 32,
	SIMULATED_SEGMENT_BYTES = 32,
	SIMULATED_WAYS = 8,          /* of the first level */
	SIMULATED_PAGES = 512,       /* lines a page apart that the second level keeps */
	SIMULATED_FETCH_NEAR = 2048, /* instructions that caches hold */
	SIMULATED_FETCH_FAR = 8192
};

/* What may be odd about a driver. Each is a device, or a driver, that somebody has. */
enum simulated_odd {
	ODD_NOTHING,
	ODD_TIMES_ZERO,      /* events say 0 */
	ODD_TIMES_SAME,      /* events say one time */
	ODD_TIMES_BACKWARDS, /* END before START */
	ODD_TIMES_HUGE,      /* END after 500 years */
	ODD_TIMES_WILD,      /* each another one */
	ODD_HANGS,           /* while it compiles, until the watchdog's signal */
	ODD_KERNELS_FAIL,    /* enqueued, and failed then */
	ODD_UNITS_NONE,
	ODD_UNITS_ONE,
	ODD_UNITS_MANY,
	ODD_NAME_UNENDED, /* no zero at the end */
	ODD_NAME_LONG,
	ODD_NAME_BYTES, /* no text */
	ODD_LOG_HUGE,   /* no program builds, and the reason is long */
	ODD_LOG_UNENDED,
	ODD_NO_IMAGES,
	ODD_IMAGES_SMALL,
	ODD_IMAGES_REFUSED, /* of any format */
	ODD_NO_DOUBLE,
	ODD_NO_HALF,
	ODD_NO_LOCAL,
	ODD_GROUP_NONE,
	ODD_GROUP_ONE,
	ODD_GROUP_HUGE,
	ODD_MEMORY_NONE,
	ODD_MEMORY_SMALL,
	ODD_MEMORY_HUGE,
	ODD_LINE_NONE,
	ODD_RESIDENT_NEGATIVE, /* what a kernel counted comes back as nonsense */
	ODD_RESIDENT_HUGE,
	ODD_AWAY,
	ODD_NO_COMPILER,
	ODD_KIND,
	ODD_VERSION,
	ODD_SILENT,
	ODD_NO_PLATFORMS,
	ODD_NO_DEVICES,
	ODD_MANY_PLATFORMS,
	ODD_MANY_DEVICES,
	ODD_COUNT
};

enum { SIMULATED_NAME_BYTES = 1 << 20, SIMULATED_LOG_BYTES = 1 << 24 };

/* What fails in the children of places.h. */
enum simulated_failing { FAILING_CALLS, FAILING_MEMORY, FAILING_PROGRESS };

/*
 * Processors of a socket, what of its last cache they get, and how fast they read: what lies in
 * their own second level, what lies behind it as far as page addresses reach, what one alone reads
 * beyond, and all together from memory.
 */
struct simulated_socket {
	unsigned units;
	double own_bytes, reach_bytes, cache_bytes, told_bytes;
	double own, reached, alone, memory; /* bytes a second, of one unit; of all from memory */
	double far;         /* of one from memory, where that is less than from the cache; or 0 */
	bool is_own;        /* each has a last cache of so many bytes */
	unsigned disturbed; /* launches that read windows while others have one of the processors */
};

/* What goes wrong while a compiler is asked (daemon/calibrator/profile.h). */
enum simulated_asked {
	ASKED_WELL,
	ASKED_REFUSED,  /* no source with an #ifdef builds */
	ASKED_NOT_RUN,  /* its kernel does nothing */
	ASKED_CUT,      /* its answer has no end */
	ASKED_NO_BUFFER /* there is none for the answer */
};

/* A compiler that knows no more than #ifdef, and what else is said of it here. */
struct simulated_compiler {
	const char *extensions; /* that its device lists */
	/* The value of a macro with those options; NULL: it is not defined. */
	const char *(*macro)(const char *name, const char *options);
	bool (*takes)(const char *options);
	enum simulated_asked asked;
	double build_s; /* what a build takes */
};

/* What builds with an option make of launches: so many times as long. */
struct simulated_build {
	const char *option;
	const char *kernels; /* how their names begin */
	double slow;
};

struct simulated {
	bool is_gpu;
	enum simulated_odd odd;
	enum simulated_failing failing;
	unsigned long fail_at; /* the call of this number fails; 0: none */
	double late_s;         /* instead of failing, it takes so long */
	const char *const
	        *argument_types;  /* of every kernel, up to a NULL; NULL: as the source says */
	const char *kernel_names; /* of every program; NULL: "one" */
	double slow;     /* launches take so many times as long as by the rules; 0: as long */
	double sleepy_s; /* how much longer launches take, and wait, after SIMULATED_SLEEP_S */
	const struct simulated_socket *socket;     /* a CPU's windows are read so; or NULL */
	const struct simulated_compiler *compiler; /* NULL: one that takes all, and says nothing */
	const struct simulated_build *builds;      /* up to one without an option; or NULL */
	const char *node; /* a folder in place of /sys/devices/system/cpu; NULL: nothing is told */
};

/* The device from now on, with its clocks at their begin. */
void simulated_begin(const struct simulated *device);

/* Calls since then. */
unsigned long simulated_calls(void);

/* The name of the call that failed; NULL: none did. */
const char *simulated_failed(void);

/* Builds since then, of those that succeeded or not. */
unsigned simulated_builds(void);

/* Launches of the kernel of that name. */
unsigned simulated_launches(const char *kernel);

/* The name of the index-th kernel that was launched; NULL: there were no more. */
const char *simulated_launched(unsigned index);

/* How long the device had nothing to do, before the launch that was last. */
double simulated_idle_s(void);

/* Objects that were created and not released. */
long simulated_objects(void);

#endif
