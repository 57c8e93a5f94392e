/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libpredictd: ask predictd how long an OpenCL launch will take.
 *
 * Every function is thread safe; calls of several threads on one connection are
 * outstanding together. A child of fork() may go on with its parent's connection, which
 * then opens a link of its own; neither disturbs the other.
 * Functions return PREDICTD_OK (0) or another predictd_status, and the
 * sentence of the last failure on this thread is predictd_error_text().
 * Times are seconds, sizes bytes. Pointers in results belong to the result and
 * live until it is freed. The model is Poeppel and Herz, "A Cache-Aware
 * Performance Prediction Framework for GPGPU Computations", extended.
 */
#ifndef PREDICTD_H
#define PREDICTD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PREDICTD_VERSION_MAJOR 0
#define PREDICTD_VERSION_MINOR 1

/* What went wrong; the numbers are stable. */
typedef enum predictd_status {
	PREDICTD_OK = 0,
	PREDICTD_INVALID = 1, /* the question is wrong */
	PREDICTD_SYNTAX = 2,  /* the kernel source does not compile */
	PREDICTD_UNSUPPORTED = 3,
	PREDICTD_LIMIT = 4,
	PREDICTD_NOT_FOUND = 5,
	PREDICTD_UNCALIBRATED = 6,
	PREDICTD_UNAVAILABLE = 7, /* the daemon cannot be reached */
	PREDICTD_DENIED = 8,
	PREDICTD_BUSY = 9,
	PREDICTD_TIMEOUT = 10,
	PREDICTD_CANCELLED = 11,
	PREDICTD_IO = 12,
	PREDICTD_CORRUPT = 13,
	PREDICTD_NO_MEMORY = 14,
	PREDICTD_DEVICE = 15,
	PREDICTD_INTERNAL = 16,
	PREDICTD_UNREGISTERED = 17, /* the daemon has forgotten a program time and again, */
	PREDICTD_UNSAMPLED = 18     /* or a sample */
} predictd_status;

typedef struct predictd_connection predictd_connection;
typedef struct predictd_program predictd_program;
typedef struct predictd_sample predictd_sample;

/* The sentence of the last failure on the calling thread; "" when there was none. */
const char *predictd_error_text(void);
/* "invalid", "syntax", ... Static storage. */
const char *predictd_status_name(predictd_status status);
/* "0.1.0" of the library. */
const char *predictd_version(void);

/* ---- connection ---------------------------------------------------------------------------- */

/*
 * Connects to the daemon. socket_path NULL: $PREDICTD_SOCKET, else the user's own
 * daemon's socket where there is one ($XDG_RUNTIME_DIR/predictd/predictd.sock), else
 * /run/predictd/predictd.sock. The caller closes the connection.
 * PREDICTD_UNAVAILABLE names the path and what to do.
 */
predictd_status predictd_open(const char *socket_path, predictd_connection **connection);

typedef struct predictd_options {
	size_t size;             /* sizeof(predictd_options) */
	const char *socket_path; /* as of predictd_open */
	/*
	 * Opens although the daemon is away, and goes on so: predictd_register then gives a
	 * program whose kernels are not known yet, and which is registered by its first question.
	 */
	bool is_lazy;
	double timeout_s;  /* as of predictd_set_timeout; 0: 30 s; negative: none */
	size_t memo_bytes; /* for answers kept in this process; 0: 1 MiB */
	size_t report_max; /* reports that wait to be sent; 0: 4096 */
	/* Tells the daemon nothing of what buffers hold: samples in questions are passed over. So
	 * does PREDICTD_SAMPLES=no in the environment. */
	bool without_samples;
} predictd_options;

predictd_status predictd_open_with(const predictd_options *options,
                                   predictd_connection **connection);

/*
 * Ends the connection: reports that wait are sent, for one second at most; answers that
 * were asked for and not fetched are lost. No other call of it may run. Accepts NULL. The end of a
 * program by exit() or by return from main sends reports as well, of all connections within one
 * second.
 */
void predictd_close(predictd_connection *connection);
/* Where predictd_open(NULL) connects. Valid until the next call of it on this thread. */
const char *predictd_default_socket(void);
/* The path connected to. */
const char *predictd_socket_path(const predictd_connection *connection);
/*
 * How long a call may take, with connecting and registering again; 0: for ever. The default
 * is 30 s; calibrations have no limit. A call that ends so returns PREDICTD_TIMEOUT.
 */
void predictd_set_timeout(predictd_connection *connection, double timeout_s);

/* ---- devices ------------------------------------------------------------------------------- */

typedef struct predictd_coefficient {
	const char *name; /* carries its unit, e.g. "launch.base.time_s" */
	double value;
	double standard_error; /* relative */
} predictd_coefficient;

typedef enum predictd_device_type {
	PREDICTD_CPU,
	PREDICTD_GPU,
	PREDICTD_ACCELERATOR,
	PREDICTD_OTHER
} predictd_device_type;

enum { PREDICTD_KEY_BYTES = 64 }; /* of a device's key, with the final zero */

/*
 * A device has a key, which names it across restarts, calibrations and other devices that come and
 * go: "uuid:...", "pci:..." or "name:...", printable, without spaces. Where a call takes a device,
 * it takes its key, its index, or part of its name that no other name has; a name whose only
 * other bearers are away means the one that is here. NULL is the first calibrated device that is
 * here, else the first.
 *
 * An index is given to one device as long as the daemon lives. A connection keeps what an index
 * means beyond that: what a list or placement told, else what the first answer was for. So an index
 * means one device for as long as the connection is open, unless a later list tells otherwise;
 * in files and between programs, use keys.
 *
 * A device that is away (is_present is false) is predicted for when it is named, with a note, and
 * neither placed on nor calibrated.
 */
typedef struct predictd_device {
	uint32_t index;
	uint32_t borrowed_nodes; /* its calibration is made of those of so many other nodes; or 0 */
	const char *platform, *vendor, *name, *driver, *version, *uuid, *pci;
	predictd_device_type type;
	uint32_t compute_units, clock_mhz;
	uint64_t max_group_items, max_item_sizes[3];
	uint64_t local_bytes, global_bytes, max_allocation_bytes;
	bool has_double, has_half, allows_uneven_groups;
	bool is_present, is_calibrated, is_quick, is_stale, was_busy;
	int64_t calibrated_at_s; /* since 1970 */
	double duration_s;       /* of the calibration */
	uint64_t epoch;
	const char *failure;      /* why it cannot be used, or "" */
	size_t coefficient_count; /* 0 unless verbose */
	const predictd_coefficient *coefficients;
	const char *key;
	/* what its compiler makes of sources, in words: the default standard, those that it takes,
	 * how many macros it defines; "": not known */
	const char *language;
	bool is_language_assumed;    /* its compiler was not asked: a calibration does */
	size_t refused_option_count; /* build options that were tried and are refused */
	const char *const *refused_options;
	/* what its calibration found and cannot be, or had no time for, a sentence each */
	size_t doubt_count;
	const char *const *doubts;
} predictd_device;

typedef struct predictd_devices {
	size_t count;
	const predictd_device *devices;
} predictd_devices;

/* The node's devices, and those whose calibration is known. The caller frees the list. */
predictd_status predictd_list_devices(predictd_connection *connection, bool verbose,
                                      predictd_devices **devices);
void predictd_devices_free(predictd_devices *devices); /* accepts NULL */

/* What tells one device from others; "" and 0 where it is not known. */
typedef struct predictd_device_identity {
	char platform[256], vendor[256], name[256]; /* CL_PLATFORM_NAME, CL_DEVICE_... */
	char uuid[40];                              /* 32 hexadecimal digits */
	char pci[24];                               /* "0000:3b:00.0" */
	uint32_t compute_units;
} predictd_device_identity;

/*
 * The keys of the devices that a runtime lists, all of them in its order: equals are numbered.
 * <predictd_opencl.h> does so for OpenCL's. keys: `count` of them, the caller's.
 */
void predictd_device_keys(const predictd_device_identity *identities, size_t count,
                          char (*keys)[PREDICTD_KEY_BYTES]);

/*
 * The index, among the node's devices, of the one that a caller's runtime means. By UUID, else
 * by PCI address, where both sides know them; else by names and compute units, and of several
 * devices that nothing tells apart, the first: they are of one model. Where all devices of the
 * runtime are at hand, predictd_device_keys tells more.
 *
 * PREDICTD_NOT_FOUND: there is none like it.
 */
predictd_status predictd_find_device(predictd_connection *connection,
                                     const predictd_device_identity *identity, uint32_t *index);

/*
 * What OpenCL offers this process, asked of the calibrator program and not of the
 * daemon; nothing is calibrated in it, and `index` counts over all platforms.
 * A device that cannot be used has `failure`. The caller frees the list.
 * PREDICTD_UNAVAILABLE: the program is not installed where it is looked for
 * ($PREDICTD_LIBEXECDIR, a list of folders with colons, else the installed one).
 * PREDICTD_DEVICE: no OpenCL loader or platform, or a driver died or hung.
 */
predictd_status predictd_scan_devices(predictd_devices **devices);

/*
 * Calibrates a device that is here. Blocks until it is done;
 * `progress` (may be NULL) is called with 0 to 1, the seconds left and a phrase;
 * when it returns false the calibration is cancelled and changes nothing.
 * *device (may be NULL) is a list of the one device, with coefficients.
 */
typedef bool (*predictd_progress)(double progress, double left_s, const char *stage, void *context);
predictd_status predictd_calibrate(predictd_connection *connection, const char *device, bool quick,
                                   predictd_progress progress, void *context,
                                   predictd_devices **result);

typedef struct predictd_removal {
	char key[PREDICTD_KEY_BYTES]; /* of the device */
	uint32_t calibrations;
	uint64_t observations;
	uint64_t reserved[4]; /* 0 */
} predictd_removal;

/*
 * Takes away the calibrations that serve a device: its own, and one that was imported for its
 * model, which other devices of that model lose with it. What was observed on the device stays,
 * and counts again once it is calibrated; but a device that is away leaves the list, and then its
 * observations are forgotten. Takes root, the daemon's user or its admin group.
 *
 * removal   what was removed; may be NULL
 *
 * PREDICTD_NOT_FOUND: no such device, or it has no calibration.
 */
predictd_status predictd_remove_calibration(predictd_connection *connection, const char *device,
                                            predictd_removal *removal);

/* A calibration as the bytes of one file. *bytes is the caller's, to free(). */
predictd_status predictd_export(predictd_connection *connection, const char *device,
                                uint8_t **bytes, size_t *size);
/* Keeps an exported calibration for a device of the same model. */
predictd_status predictd_import(predictd_connection *connection, const uint8_t *bytes, size_t size,
                                predictd_devices **result);

/* ---- programs ------------------------------------------------------------------------------ */

typedef struct predictd_header {
	const char *name; /* as in #include "name" */
	const char *text;
	size_t size;
} predictd_header;

typedef struct predictd_source {
	const char *name; /* for messages */
	const char *text;
	size_t size;
	const char *options; /* clBuildProgram options, or NULL */
	const predictd_header *headers;
	size_t header_count;
	/*
	 * Called by predictd_register for a header that only the preprocessor could name
	 * (#include NAME), a bounded number of times: adds it to `headers`, read with the caller's
	 * rights. NULL: nothing can be added.
	 *
	 * name   with macros expanded, as the directive has it; may be an absolute path
	 * from   the name of the header that includes it; "": the program itself
	 *
	 * PREDICTD_NOT_FOUND: there is none of that name.
	 */
	predictd_status (*find_header)(struct predictd_source *source, const char *name,
	                               const char *from);
} predictd_source;

typedef struct predictd_kernel {
	const char *name;
	const char *unsupported; /* why predictions fall back, or "" */
	size_t argument_count;
	const char *const *argument_names;
	/* "buffer float", "scalar uint", "local float", "image 2d r rgba8" (assumed format) */
	const char *const *argument_types;
	uint32_t required_local[3]; /* zeros: none */
} predictd_kernel;

/*
 * Analyses a program. The daemon keeps it; the handle stays valid over a
 * restart of the daemon, since the library registers it again when needed. Kernels are those that
 * the compiler of one device sees: of the first calibrated one, unless that one refuses the source.
 * PREDICTD_SYNTAX: the first diagnostic with line and column.
 */
predictd_status predictd_register(predictd_connection *connection, const predictd_source *source,
                                  predictd_program **program);
/*
 * A kernel without source: a CPU's or CUDA's code, a call of a vendor's library. It is known by a
 * name of the caller's choice ("cublasSgemm"), of 1 to 255 bytes, and stands where a program does,
 * in questions, observations, histories and forgetting; the daemon is not asked. Such a question's
 * global sizes are those of the task, whose product its time is expected to follow; other
 * arguments tell launches apart. Its device is one of the node, calibrated or not, or any key of
 * the caller's choice that has a colon, such as "cpu:0", of 63 printable characters at most.
 *
 * It is answered by what this user observed of it on that device, and nothing else: by the runs
 * of that launch (PREDICTD_OBSERVED), else by a power law of the product of sizes through other
 * launches (PREDICTD_HISTORY), whose interval widens with the distance. Times of launch and
 * transfers and the static time are 0. Where kernels alone were observed, a task's time is the
 * kernel's, and the other way round. PREDICTD_NOT_FOUND, "unknown: ...": nothing was, yet.
 */
predictd_status predictd_register_without_source(predictd_connection *connection, const char *name,
                                                 predictd_program **program);
void predictd_program_free(predictd_program *program); /* accepts NULL; before predictd_close */
size_t predictd_program_kernels(const predictd_program *program, const predictd_kernel **kernels);
double predictd_program_analysis_time_s(const predictd_program *program);
/*
 * What a program lacks, or ""; both live as long as it. Names that are defined nowhere: a sentence
 * with the build options that would define them, "ORDER is defined nowhere: ...". Kernels of the
 * source that the preprocessor left out, with the lines of their conditions: "conv (line 1)".
 */
const char *predictd_program_undefined(const predictd_program *program);
const char *predictd_program_left_out(const predictd_program *program);

/*
 * Reads FILE and the headers that it includes with #include "x" from its folder
 * and from -I folders of options, with the caller's rights; and has find_header read those that
 * only the preprocessor can name.
 * "-" is standard input, to its end; its headers are in the working folder.
 * The result can be passed to predictd_register; the caller frees it.
 */
predictd_status predictd_source_load(const char *file, const char *options,
                                     predictd_source **source);
/*
 * The same of a source in memory, such as a program gave to clCreateProgramWithSource: a copy, with
 * the headers that it and its own headers include from -I folders of its options and the working
 * folder. A header that it has goes before a file of that name.
 */
predictd_status predictd_source_complete(const predictd_source *given, predictd_source **source);
/* Accepts NULL; only of predictd_source_load and predictd_source_complete. */
void predictd_source_free(predictd_source *source);

/* ---- samples ------------------------------------------------------------------------------- */

/* Reads pages that are not in memory as well, which brings them there. */
enum { PREDICTD_SAMPLE_TOUCH = 1 };

/*
 * Some of what a buffer holds: a prediction can rest on it where trips of loops, branches or
 * indices hang on data. A buffer of 64 KiB or less is read whole, else 16 runs of 4 KiB, which
 * takes some microseconds whatever its size. Pages that were never touched, or are swapped out,
 * are left alone unless flags say otherwise.
 *
 * The sample is a copy, sent to the daemon when a question names it that the daemon has not seen.
 * It is kept there in memory for this user alone, as long as there is room (predictd.conf(5)).
 *
 * data        at least size_bytes that can be read
 * size_bytes  of the whole buffer, as in the question's argument
 * type        of its elements, "int", "float4", ...; NULL: not known
 * flags       0 or PREDICTD_SAMPLE_TOUCH
 * sample      out: the caller's, to predictd_sample_free; unchanged on failure
 *
 * PREDICTD_NOT_FOUND: none of it is in memory; a question is asked without then.
 */
predictd_status predictd_sample_take(const void *data, uint64_t size_bytes, const char *type,
                                     unsigned flags, predictd_sample **sample);
/*
 * The same of a buffer that is elsewhere, on a device or in a file: read(offset, bytes, size) gives
 * `size` bytes of it, 4096 at most, and false where these are not to be had.
 */
typedef bool (*predictd_sample_reader)(uint64_t offset_bytes, void *bytes, size_t size,
                                       void *context);
predictd_status predictd_sample_read(predictd_sample_reader read, void *context,
                                     uint64_t size_bytes, const char *type,
                                     predictd_sample **sample);
/* Questions that wait for an answer keep it as long as they need it. Accepts NULL. */
void predictd_sample_free(predictd_sample *sample);
/* How many bytes were read. */
size_t predictd_sample_bytes(const predictd_sample *sample);

/* ---- predictions --------------------------------------------------------------------------- */

typedef enum predictd_argument_kind {
	PREDICTD_BUFFER,
	PREDICTD_SCALAR,
	PREDICTD_LOCAL,
	PREDICTD_STRUCT,
	PREDICTD_IMAGE,
	PREDICTD_SAMPLER
} predictd_argument_kind;

enum { PREDICTD_READ = 1, PREDICTD_WRITE = 2, PREDICTD_READ_WRITE = 3 };

typedef struct predictd_argument {
	predictd_argument_kind kind;
	unsigned access;     /* buffer, image: PREDICTD_READ, ... */
	uint64_t size_bytes; /* buffer, local, struct */
	bool has_range;      /* hint: an integer buffer's values lie in [low, high] */
	int64_t low, high;
	/* scalar: "float", "uint4", ...; image: its format, "rgba8", "r32f", ... (NULL: assumed);
	 * sampler: "nearest" or "linear", then ",normalized", ",repeat", ... (NULL: nearest) */
	const char *type;
	int64_t integers[16];          /* of a scalar of integer type, one a lane */
	double reals[16];              /* of a scalar of real type, one a lane */
	uint32_t width, height;        /* image; layers of an array are its last size */
	const char *init;              /* measuring only, see predictctl(1); or NULL */
	uint32_t depth;                /* image */
	const predictd_sample *sample; /* buffer: what it holds when the kernel begins; or NULL */
} predictd_argument;

typedef struct predictd_hint {
	bool is_branch; /* else a loop */
	uint32_t line;
	double value; /* trips per entry; share of work-items that take the branch */
} predictd_hint;

typedef enum predictd_model {
	PREDICTD_DEFAULT,
	PREDICTD_PATTERN,
	PREDICTD_UNCACHED
} predictd_model;

typedef struct predictd_question {
	const predictd_program *program;
	const char *kernel; /* NULL: the only one */
	const char *device; /* key, index, or part of a name; NULL: the first calibrated */
	predictd_model model;
	bool with_transfers;
	bool explain, explain_ir;
	bool static_only;      /* as if nothing had been observed */
	bool pinned_transfers; /* with_transfers: from and to memory that the driver allocated */
	uint32_t dimensions;
	uint64_t global[3];
	uint64_t local[3]; /* zeros: the runtime chooses; the answer says what was assumed */
	uint64_t offset[3];
	size_t argument_count;
	const predictd_argument *arguments;
	size_t hint_count;
	const predictd_hint *hints;
	/* How long the device has had nothing to do when the launch is enqueued, 0 to 1e6 s. 0:
	 * right behind another launch, or not known; the interval then holds what the launch takes
	 * after any pause. predictd_measure pauses for so long before every run. */
	double idle_s;
} predictd_question;

typedef struct predictd_row {
	const char *what;
	double count; /* per work-item */
	double time_s;
} predictd_row;

typedef enum predictd_basis {
	PREDICTD_STATIC,
	PREDICTD_REFINED,
	PREDICTD_OBSERVED,
	PREDICTD_FALLBACK,
	PREDICTD_HISTORY /* of a kernel without source: by its runs of other sizes */
} predictd_basis;

typedef struct predictd_prediction {
	predictd_status status; /* of this entry of a batch */
	const char *error;      /* or "" */
	predictd_model model;
	predictd_basis basis;
	const char *bottleneck;
	double kernel_time_s; /* START to END */
	double low_s, high_s; /* 90 % interval */
	double launch_time_s; /* enqueue to START */
	double h2d_time_s, d2h_time_s;
	uint64_t local[3];
	uint64_t epoch;
	bool is_capped, is_data_dependent;
	const char *note;
	size_t row_count;
	const predictd_row *rows;
	const char *ir;             /* or "" */
	double static_time_s;       /* kernel_time_s before corrections by observed times */
	uint64_t observation_count; /* of this kernel on this device that the answer rests on */
	size_t elasticity_count;    /* with explain; else 0 */
	/* by resource: d ln(static kernel time) / d ln(the resource's own); all zero where the
	 * model does not say */
	const double *elasticities;
	const char *device_key; /* of the device that it is for, or "" */
	uint32_t device_index;
	uint32_t nodes; /* others of the site, whose observations it rests on; 0: none */
	/* with explain: the language that the program was analysed in, and where its macros are
	 * from: "OpenCL C 3.0, asked of the device's compiler"; else "" */
	const char *language;
	size_t warning_count;
	const char *const *warnings; /* what would go wrong where it ran, a sentence each: of a
	                              * buffer or local memory that is accessed beyond its end,
	                              * "argument 0 (x): want at least 64 bytes, as line 3 reaches,
	                              * got 32"; with explain also where data decide whether it is:
	                              * "as line 3 reaches where data lead there" */
	/* of the whole task, as the caller's observations measure tasks; before any of them, launch
	 * and kernel; with transfers where the question has them */
	double task_time_s;
	double task_low_s, task_high_s;  /* 90 % interval */
	uint64_t task_observation_count; /* of tasks of this kernel on this device */
} predictd_prediction;

/* One question, one answer. The caller frees it with predictd_predictions_free(p, 1). */
predictd_status predictd_predict(predictd_connection *connection, const predictd_question *question,
                                 predictd_prediction **prediction);

/*
 * Many questions in one exchange; *predictions is an array of `count`, each with a
 * status of its own. The call fails only when the exchange does.
 */
predictd_status predictd_predict_batch(predictd_connection *connection,
                                       const predictd_question *questions, size_t count,
                                       predictd_prediction **predictions);
void predictd_predictions_free(predictd_prediction *predictions, size_t count); /* accepts NULL */

/* ---- estimates: predictions at the speed of memory ----------------------------------------- */

/* A prediction without texts, in the caller's memory. */
typedef struct predictd_estimate {
	predictd_status status; /* of this entry of several; the rest is 0 unless PREDICTD_OK */
	predictd_model model;
	predictd_basis basis;
	bool is_capped, is_data_dependent;
	bool is_fresh;        /* else of predictd_predict_now: it was right once */
	uint8_t nodes;        /* as of predictd_prediction; 255: so many or more */
	double kernel_time_s; /* START to END */
	double low_s, high_s; /* 90 % interval */
	double launch_time_s; /* enqueue to START */
	double h2d_time_s, d2h_time_s;
	double static_time_s; /* kernel_time_s before corrections by observed times */
	uint64_t local[3];
	uint64_t epoch;
	uint64_t observation_count;
	double task_time_s, task_low_s, task_high_s; /* as of predictd_prediction */
	/* of kernel_time_s: what follows the rate of memory beyond every cache, 0 to 1; -1: not
	 * known */
	double memory_share;
} predictd_estimate;

/*
 * One question, answered in the caller's process where it was asked before and the answer
 * still stands, which takes about as long as a read of memory, no lock, no system call and no
 * malloc; else asked of the daemon. A calibration, correction or restart of the daemon is
 * seen by the next call in every process. explain and explain_ir are ignored.
 *
 * This is the call for schedulers and loops; predictd_predict is for what is shown to people.
 */
predictd_status predictd_predict_into(predictd_connection *connection,
                                      const predictd_question *question,
                                      predictd_estimate *estimate);

/*
 * Asks ahead, in one exchange, what of `count` questions is not known, so that
 * predictd_predict_into need not ask. Waits for the answers; predictd_predict_async without a
 * callback does not.
 *
 * statuses   NULL, or `count` of them: PREDICTD_OK, or why one has no answer
 *
 * Returns PREDICTD_OK when every one is known, else the last refusal, with its sentence.
 */
predictd_status predictd_prepare(predictd_connection *connection,
                                 const predictd_question *questions, size_t count,
                                 predictd_status *statuses);

/*
 * An answer within wait_s: one that stands as soon as it is there, else, when the time is over, the
 * last one known: estimate->is_fresh says which. What is not known, or does not stand any more, is
 * asked in the background, and a later call has it. The program must not be freed before the
 * connection has answered; questions are copied.
 *
 * wait_s   seconds, the connection's timeout at most; 0 or less: does not wait
 *
 * It waits without a lock, first and last for some 100 us by looking again and again, so that it is
 * on time; known answers take as long as from predictd_predict_into.
 *
 * PREDICTD_BUSY: no answer is known yet; it is being asked for. Any other failure is that of
 * the question in the background, which is not repeated for a while.
 */
predictd_status predictd_predict_within(predictd_connection *connection,
                                        const predictd_question *question, double wait_s,
                                        predictd_estimate *estimate);

/* The same without waiting. */
predictd_status predictd_predict_now(predictd_connection *connection,
                                     const predictd_question *question,
                                     predictd_estimate *estimate);

/* The answers of one predictd_predict_async, in order, valid during the call. */
typedef void (*predictd_answered)(const predictd_estimate *estimates, size_t count, void *context);

/*
 * Asks without waiting; what several threads ask meanwhile goes out as one batch. `answered` is
 * called by predictd_dispatch, on the thread that calls that, once for the `count` questions
 * together, also when they failed or the timeout has passed; NULL: answers are only kept, for
 * predictd_predict_into. Questions are copied.
 *
 * PREDICTD_LIMIT: more than 16384 questions. PREDICTD_BUSY: with those that wait for an answer
 * or for predictd_dispatch; nothing was asked.
 */
predictd_status predictd_predict_async(predictd_connection *connection,
                                       const predictd_question *questions, size_t count,
                                       predictd_answered answered, void *context);

/*
 * A descriptor for poll(), which is readable while predictd_dispatch has something to do. It
 * belongs to the connection; a child of fork() asks for its own. -1: none can be had.
 */
int predictd_fd(predictd_connection *connection);

/*
 * Calls back for what has been answered. timeout_s: how long to wait for the first when there is
 * none, 0: not at all, negative: without limit; without questions on their way it returns at
 * once. Returns how many questions were answered. Callbacks may call every function but
 * predictd_close.
 */
size_t predictd_dispatch(predictd_connection *connection, double timeout_s);

/* "default", ..., and "static", ...; "unknown" for a number out of range. Static storage. */
const char *predictd_model_name(predictd_model model);
const char *predictd_basis_name(predictd_basis basis);
/* Of predictd_prediction.elasticities, in the words of its bottleneck. */
const char *predictd_resource_name(size_t resource);

/* ---- placement ----------------------------------------------------------------------------- */

typedef struct predictd_placement {
	predictd_status status;
	const char *error;
	uint32_t device_index;
	const char *device;
	double total_time_s; /* transfers (where asked for), launch and kernel */
	const char *device_key;
} predictd_placement;

/*
 * The fastest device for each of `count` launches (`device` of each is ignored) among
 * `devices`, or among every calibrated device when device_count is 0; one that is away is never
 * chosen. Each launch and each
 * device is evaluated by itself, as if nothing else ran: a launch takes no account of the
 * others, nor of what they leave on a device. The cost grows with launches times devices.
 */
predictd_status predictd_place(predictd_connection *connection, const predictd_question *questions,
                               size_t count, const char *const *devices, size_t device_count,
                               predictd_placement **placements);
void predictd_placements_free(predictd_placement *placements, size_t count); /* accepts NULL */

/* ---- observations -------------------------------------------------------------------------- */

/* How a launch ran; such times count less, or not at all. */
enum { PREDICTD_FIRST_RUN = 1, PREDICTD_OVERLAPPED = 2, PREDICTD_THROTTLED = 4 };

/* What a launch took, as the caller measured it. */
typedef struct predictd_observation {
	predictd_question question; /* model, transfers and explain are not used */
	double kernel_time_s;       /* START to END; 0: not measured, where the task's time was */
	double h2d_time_s; /* 0: not measured; so for the next two. These three correct what
	                    * is predicted beside kernels' times; transfers of pinned memory
	                    * (question.pinned_transfers) do not */
	double d2h_time_s;
	double launch_time_s;  /* enqueue to START */
	unsigned flags;        /* PREDICTD_FIRST_RUN, ... */
	int64_t measured_at_s; /* since 1970; 0: now */
	/*
	 * Of the whole task: submission to completion, or what else the caller's runtime measures,
	 * always alike and without transfers; 0: not measured. Such times correct what is said of
	 * tasks, and never what is said of kernels; those of kernels improve both.
	 */
	double task_time_s;
} predictd_observation;

/*
 * Reports measured times and waits until they are kept: what was acknowledged survives the
 * daemon's end at any moment, and power loss where predictd.conf(5) asks for it. From then on
 * answers to the caller's user rest on them, and answers to others as far as users agree.
 *
 * statuses   NULL, or `count` of them: PREDICTD_OK, or why one was refused
 *
 * Returns PREDICTD_OK when every one is kept, else the first refusal, with its sentence.
 * PREDICTD_IO: they count from now on, but cannot be kept.
 */
predictd_status predictd_observe(predictd_connection *connection,
                                 const predictd_observation *observations, size_t count,
                                 predictd_status *statuses);

/*
 * Reports a measured time without waiting: it is queued, sent in the background with others, and
 * again when the daemon was away meanwhile, or too busy to take it. Its acknowledgement is waited
 * for half a minute at least, whatever the timeout. For runtimes; predictd_observe is for those who
 * have to know that it was kept. The observation is copied. Each report is counted: what was given
 * is reported, refused, dropped or waiting.
 *
 * PREDICTD_INVALID: it is wrong by itself, and refused. PREDICTD_BUSY: as many wait as may, and
 * this one is dropped.
 */
predictd_status predictd_report(predictd_connection *connection,
                                const predictd_observation *observation);

/*
 * Sends what was reported before and waits for it, not for what others report meanwhile.
 * PREDICTD_TIMEOUT: some still wait.
 */
predictd_status predictd_flush(predictd_connection *connection);

typedef struct predictd_report_counts {
	uint64_t reported; /* taken by the daemon */
	uint64_t refused;  /* wrong, or for a device that is not calibrated */
	uint64_t dropped;  /* the queue was full, memory short, or the daemon gave no answer */
	uint64_t waiting;
} predictd_report_counts;

void predictd_get_report_counts(predictd_connection *connection, predictd_report_counts *counts);

typedef struct predictd_history_entry {
	int64_t measured_at_s;
	uint32_t uid; /* of who reported it */
	unsigned flags;
	uint32_t dimensions;          /* 0: the launch's sizes could not be kept */
	uint64_t global[3], local[3]; /* local zeros: the runtime chose */
	const char *arguments;        /* in the words of predictctl --arg */
	double observed_time_s;
	double static_time_s;    /* the model's answer without observations */
	double predicted_time_s; /* what would have been answered when it came in */
	double low_s, high_s;
	bool is_task; /* all of them are of a whole task, else of a kernel */
} predictd_history_entry;

typedef struct predictd_history {
	uint64_t total; /* known; `entries` are the newest of those kept one by one */
	size_t count;
	const predictd_history_entry *entries; /* the newest first */
	const char *device_key;                /* of the device, or "" */
} predictd_history;

/*
 * What was observed of a kernel on a device: of one launch where question->dimensions is not 0,
 * else of every one; by the caller, or, where that is an admin, by every user. count_max 0: a
 * default. The caller frees the history.
 */
predictd_status predictd_get_history(predictd_connection *connection,
                                     const predictd_question *question, uint32_t count_max,
                                     predictd_history **history);
void predictd_history_free(predictd_history *history); /* accepts NULL */

/* Which observations to forget; all conditions hold. */
typedef struct predictd_forgetting {
	const predictd_program *program; /* NULL: of every program, and those without source */
	const char *kernel;              /* NULL: every kernel (of the program) */
	const char *device;              /* NULL: every device */
	bool has_uid;                    /* else every user's that the caller may forget */
	uint32_t uid;
	double age_s; /* only those older than this */
} predictd_forgetting;

/*
 * Forgets observations, and where no program or kernel is named choices of configurations
 * (<predictd_tune.h>), and without a device samples. Anybody's own; those of others take root, the
 * daemon's user or its admin group: PREDICTD_DENIED names whose. *forgotten (may be NULL) is how
 * many.
 */
predictd_status predictd_forget(predictd_connection *connection,
                                const predictd_forgetting *forgetting, uint64_t *forgotten);

/* ---- the daemon ---------------------------------------------------------------------------- */
typedef struct predictd_daemon_status {
	const char *version, *socket, *state_directory;
	const char *store_problem, *analyser_problem, *calibrating; /* or "" */
	double uptime_s;
	uint64_t connections, requests, predictions, programs, analyses, refused, resident_bytes;
	const char *device_problem; /* why a device, or every one, was not found; or "" */
	uint64_t observations;      /* known */
	size_t drift_count;
	const char *const *drifts;   /* a sentence for each device whose times have shifted */
	uint64_t background;         /* predictions and analyses made so, of users who asked much */
	const char *calibrating_key; /* of the device of `calibrating`, or "" */
	const char *jail_problem;    /* what the analyser's jail lacks on this kernel; or "" */
	uint64_t site_records;       /* launches known that other nodes of the site observed */
	uint64_t borrowed_devices;   /* whose calibration is made of those of other nodes */
	uint64_t coming_devices;     /* without a calibration, which they get by themselves */
	const char *coming_waits_for; /* "quiet", or the like; or "" */
} predictd_daemon_status;
predictd_status predictd_get_status(predictd_connection *connection,
                                    predictd_daemon_status **status);
void predictd_status_free(predictd_daemon_status *status); /* accepts NULL */
/* Its counters, in Prometheus' text format. *text is the caller's, to free(). */
predictd_status predictd_get_metrics(predictd_connection *connection, char **text);

#ifdef __cplusplus
}
#endif

#include "predictd_contention.h"
#include "predictd_lines.h"
#include "predictd_measure.h"
#include "predictd_prepared.h"
#include "predictd_schedule.h"
#include "predictd_split.h"
#include "predictd_tune.h"

#endif
