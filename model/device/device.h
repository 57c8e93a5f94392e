/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device as the model knows it: who it is, its limits, and its calibrated
 * coefficients. Devices differ by coefficients only.
 *
 * A coefficient has a name that carries its unit; the name is its key in the
 * database, on the wire and in exported files. To add one: a line in
 * COEFFICIENT_TABLE (or a row or column of a family below), a micro-benchmark
 * in daemon/calibrator, its use in model/.
 *
 * "Device-seconds" are seconds of the whole device, saturated: n work-items
 * that each do m operations take n * m * time_s.
 */
#ifndef PREDICTD_MODEL_DEVICE_DEVICE_H
#define PREDICTD_MODEL_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/ir/image.h"
#include "model/ir/ops.h"
#include "model/ir/type.h"
#include "model/status.h"

/*
 * States of a device, by how long it has had nothing to do: X(NAME, "name", seconds), ascending.
 * Beside them is the state of a launch right behind another, whose coefficients have no state's
 * name.
 */
#define IDLE_STATE_TABLE(X)                                                                        \
	X(IDLE_10US, "idle_10us", 1e-5)                                                            \
	X(IDLE_1MS, "idle_1ms", 1e-3) X(IDLE_100MS, "idle_100ms", 0.1)

enum idle_state {
#define X(name, text, seconds) name,
	IDLE_STATE_TABLE(X)
#undef X
	        IDLE_STATE_COUNT
};

/* What a state changes, in the order of enum idle_part. */
#define IDLE_ROWS(X, NAME, name)                                                                   \
	X(NAME##_ENQUEUE, "launch." name ".enqueue.time_s",                                        \
	  "launch.enqueue.time_s after the device had nothing to do for so long")                  \
	X(NAME##_BASE, "launch." name ".base.time_s", "launch.base.time_s after that")             \
	X(NAME##_JOIN, "launch." name ".join.time_s", "exec.join.time_s after that")               \
	X(NAME##_SPREAD, "launch." name ".spread.time_s", "exec.spread.time_s after that")

enum idle_part { IDLE_ENQUEUE, IDLE_BASE, IDLE_JOIN, IDLE_SPREAD, IDLE_PART_COUNT };

/* X(NAME, "name.with_unit", "what it is") */
#define COEFFICIENT_TABLE(X)                                                                       \
	/* launch */                                                                               \
	X(LAUNCH_ENQUEUE, "launch.enqueue.time_s", "from enqueue to START of an empty kernel")     \
	X(LAUNCH_BASE, "launch.base.time_s", "START to END of an empty kernel of one work-group")  \
	X(LAUNCH_GROUP, "launch.group.time_s", "device-seconds to dispatch one work-group")        \
	X(LAUNCH_ITEM, "launch.item.time_s", "device-seconds to dispatch one work-item")           \
	IDLE_ROWS(X, IDLE_10US, "idle_10us")                                                       \
	IDLE_ROWS(X, IDLE_1MS, "idle_1ms")                                                         \
	IDLE_ROWS(X, IDLE_100MS, "idle_100ms")                                                     \
	/* transfers, pageable host memory */                                                      \
	X(H2D_LATENCY, "transfer.h2d.latency_s", "fixed time of a copy to the device")             \
	X(H2D_BANDWIDTH, "transfer.h2d.bandwidth_bytes_per_s", "copies to the device")             \
	X(D2H_LATENCY, "transfer.d2h.latency_s", "fixed time of a copy from the device")           \
	X(D2H_BANDWIDTH, "transfer.d2h.bandwidth_bytes_per_s", "copies from the device")           \
	X(PINNED_H2D_LATENCY, "transfer.pinned.h2d.latency_s",                                     \
	  "the same from host memory that the driver allocated")                                   \
	X(PINNED_H2D_BANDWIDTH, "transfer.pinned.h2d.bandwidth_bytes_per_s",                       \
	  "copies to the device from pinned memory")                                               \
	X(PINNED_D2H_LATENCY, "transfer.pinned.d2h.latency_s",                                     \
	  "fixed time of a copy from the device to pinned memory")                                 \
	X(PINNED_D2H_BANDWIDTH, "transfer.pinned.d2h.bandwidth_bytes_per_s",                       \
	  "copies from the device to pinned memory")                                               \
	X(NEAR_BYTES, "transfer.near_bytes",                                                       \
	  "data of which more is copied at the far rates: no cache of the host holds it")          \
	X(H2D_FAR, "transfer.h2d.far.bandwidth_bytes_per_s", "copies to the device of such data")  \
	X(D2H_FAR, "transfer.d2h.far.bandwidth_bytes_per_s", "copies from the device")             \
	X(PINNED_H2D_FAR, "transfer.pinned.h2d.far.bandwidth_bytes_per_s",                         \
	  "copies of such data to the device from pinned memory")                                  \
	X(PINNED_D2H_FAR, "transfer.pinned.d2h.far.bandwidth_bytes_per_s",                         \
	  "copies from the device to pinned memory")                                               \
	/* execution */                                                                            \
	X(WARP_ITEMS, "exec.warp_items",                                                           \
	  "work-items that run in lockstep (1: none), by divergence")                              \
	X(UNITS, "exec.units", "work-groups that run truly at the same time, by steps in time")    \
	X(UNIT_ITEMS, "exec.unit_items", "work-items that one unit holds at once")                 \
	X(SPREAD, "exec.spread.time_s",                                                            \
	  "until a launch runs on every unit: they come one by one (threads that wake up)")        \
	X(JOIN, "exec.join.time_s",                                                                \
	  "what a launch on all units takes at least beyond one on a single unit")                 \
	X(HANDOUT, "exec.handout.time_s",                                                          \
	  "one more time that a unit asks for work-groups: beyond once each")                      \
	X(LOOP_ITERATION, "exec.loop.time_s",                                                      \
	  "device-seconds of one iteration's overhead, not unrolled")                              \
	X(WINDOW, "exec.window_operations",                                                        \
	  "operations a CPU's unit has under way at once, of work-items one after another")        \
	X(AHEAD, "exec.ahead_operations",                                                          \
	  "operations that a CPU's unit begins behind a read of memory before it waits for it")    \
	X(MISPREDICT, "exec.mispredict.time_s",                                                    \
	  "device-seconds of a branch that a CPU guessed wrong")                                   \
	X(BESIDE_VECTOR, "exec.beside.vector.share",                                               \
	  "of a CPU's float additions, done beside as long a row of products: 1 is all")           \
	X(BESIDE_SCALAR, "exec.beside.scalar.share", "the same without vectors")                   \
	X(FLOAT_LATENCY, "exec.latency.float.time_s",                                              \
	  "one float add that waits for the one before")                                           \
	X(INT_LATENCY, "exec.latency.int.time_s", "one int add that waits for the one before")     \
	X(MUL_LATENCY, "exec.latency.mul.time_s", "one float multiplication that waits")           \
	X(COMPARE_LATENCY, "exec.latency.compare.time_s",                                          \
	  "of a GPU: a comparison on which an int add waits")                                      \
	X(SPECIAL_LATENCY, "exec.latency.special.time_s",                                          \
	  "of a GPU: one native root that waits for the one before")                               \
	X(LOOP_LATENCY, "exec.latency.loop.time_s", "of a GPU: one iteration of a warp alone")     \
	/* accesses that hit the first level, per work-item */                                     \
	X(LOAD_VECTOR, "access.load.vector.time_s", "device-seconds of a unit-stride float load")  \
	X(LOAD_SCALAR, "access.load.scalar.time_s", "the same in a loop that is not vectorised")   \
	X(LOAD_GATHER, "access.load.gather.time_s", "a float load whose lanes are spread")         \
	X(STORE_VECTOR, "access.store.vector.time_s",                                              \
	  "device-seconds of a unit-stride float store")                                           \
	X(STORE_SCALAR, "access.store.scalar.time_s", "the same in a loop that is not vectorised") \
	X(STORE_SCATTER, "access.store.scatter.time_s", "a float store whose lanes are spread")    \
	X(STORE_SECTOR, "access.store.sector.time_s",                                              \
	  "the same on a GPU with lanes 32 bytes apart, in parts of the same lines")               \
	X(TRANSACTION, "access.transaction.time_s",                                                \
	  "device-seconds of one more segment of a warp's access")                                 \
	X(CONSTANT_ADDRESS, "access.constant.time_s",                                              \
	  "device-seconds of one more address of a warp's look-up in constant memory")             \
	X(SEGMENT_BYTES, "access.segment_bytes",                                                   \
	  "what a warp's access moves at least, by strides")                                       \
	/* instructions of a GPU */                                                                \
	X(FETCH_NEAR_ROOM, "fetch.near.instructions", "of a loop that its nearest cache holds")    \
	X(FETCH_NEAR, "fetch.near.time_s", "one instruction of a warp alone in a larger loop")     \
	X(FETCH_FAR_ROOM, "fetch.far.instructions", "of a loop that the next cache holds")         \
	X(FETCH_FAR, "fetch.far.time_s", "one instruction of a warp alone in a larger loop")       \
	/* local memory */                                                                         \
	X(LOCAL_LOAD, "local.load.time_s", "device-seconds of a load without conflicts")           \
	X(LOCAL_STORE, "local.store.time_s", "device-seconds of a store without conflicts")        \
	X(LOCAL_CONFLICT, "local.conflict.time_s",                                                 \
	  "device-seconds more of each further way, per work-item")                                \
	X(LOCAL_LATENCY, "local.latency_s", "one load that waits for the one before")              \
	X(LOCAL_ROOM, "local.unit_bytes", "what the work-groups that a unit of a GPU holds have")  \
	X(LOCAL_BANKS, "local.banks", "words a warp reads at once (1: no banks seen)")             \
	X(BARRIER_GROUP, "barrier.group.time_s", "device-seconds of one barrier of a work-group")  \
	X(BARRIER_ITEM, "barrier.item.time_s", "device-seconds of one barrier of a work-item")     \
	X(BARRIER_LATENCY, "barrier.latency_s", "one barrier of a work-group that is alone")       \
	/* atomics, device-seconds of one add */                                                   \
	X(ATOMIC_GLOBAL_SAME, "atomic.global.same.time_s", "all work-items, one address")          \
	X(ATOMIC_GLOBAL_KNOWN, "atomic.global.known.time_s",                                       \
	  "one address, and the compiler knows it")                                                \
	X(ATOMIC_GLOBAL_32, "atomic.global.neighbours_32.time_s", "32 neighbouring addresses")     \
	X(ATOMIC_GLOBAL_256, "atomic.global.neighbours_256.time_s", "256 of them")                 \
	X(ATOMIC_GLOBAL_4096, "atomic.global.neighbours_4096.time_s", "4096 of them")              \
	X(ATOMIC_GLOBAL_SPREAD, "atomic.global.spread.time_s", "an address each")                  \
	X(ATOMIC_GLOBAL_RANDOM_64, "atomic.global.random_64.time_s",                               \
	  "lines at random of 64, which a CPU's units take from each other")                       \
	X(ATOMIC_GLOBAL_RANDOM_512, "atomic.global.random_512.time_s", "of 512 lines")             \
	X(ATOMIC_GLOBAL_RANDOM_4K, "atomic.global.random_4k.time_s", "of 4096 lines")              \
	X(ATOMIC_GLOBAL_RANDOM_64K, "atomic.global.random_64k.time_s", "of 65536 lines")           \
	X(ATOMIC_GLOBAL_RANDOM_512K, "atomic.global.random_512k.time_s", "of 524288 lines")        \
	X(ATOMIC_GLOBAL_RANDOM_4M, "atomic.global.random_4m.time_s", "of 4194304 lines")           \
	X(ATOMIC_LOCAL_SAME, "atomic.local.same.time_s", "one address a work-group")               \
	X(ATOMIC_LOCAL_KNOWN, "atomic.local.known.time_s",                                         \
	  "one address a work-group, and the compiler knows it")                                   \
	X(ATOMIC_LOCAL_SPREAD, "atomic.local.spread.time_s", "an address each")                    \
	/* images; families IMAGE_* below hold what a texel costs */                               \
	X(IMAGE_TILE_ROWS, "image.tile_rows",                                                      \
	  "rows of texels that lie together (1: row after row), by columns read")                  \
	/* memory hierarchy; families MEMORY_* below hold the levels */                            \
	X(MEMORY_LEVELS, "memory.levels", "cache levels found, by footprint")                      \
	X(DRAM_GRANULE_BYTES, "memory.granule_bytes", "what a random read moves from memory")      \
	X(PAGES, "memory.pages", "pages of 4 KiB whose addresses a core keeps, half of the time")  \
	X(PAGE, "memory.page.time_s", "an access to any other, of all cores at once")              \
	/* shape of the default model and its interval */                                          \
	X(SHAPE_NORM, "shape.norm", "exponent of the soft maximum of arithmetic and memory")       \
	X(SHAPE_DISPATCH, "shape.dispatch",                                                        \
	  "time of dispatch in whole kernels over that of micro-benchmarks; so for the next five") \
	X(SHAPE_ARITHMETIC, "shape.arithmetic", "of arithmetic")                                   \
	X(SHAPE_FIRST_LEVEL, "shape.first_level", "of the first cache and local memory")           \
	X(SHAPE_CACHES, "shape.caches", "of the caches below it")                                  \
	X(SHAPE_DRAM, "shape.dram", "of memory")                                                   \
	X(SHAPE_LATENCY, "shape.latency", "of latency")                                            \
	X(UNOPTIMISED, "build.opt_disable.operation.time_s",                                       \
	  "device-seconds of one operation of one work-item as it is written, not optimised")      \
	X(OTHERS_SHARE, "calibration.others.share",                                                \
	  "of the processors that others had while it was measured, in the mean")                  \
	X(INTERVAL_LOG_SD, "interval.log_sd", "standard deviation of ln(measured / predicted)")    \
	X(INTERVAL_LAUNCH, "interval.launch.log_sd", "the same where time follows the launch")     \
	X(INTERVAL_UNIT, "interval.unit.log_sd",                                                   \
	  "where it follows what a unit does by itself: arithmetic, latency, its memory")          \
	X(INTERVAL_SHARED, "interval.shared.log_sd",                                               \
	  "where it follows what units share: caches, memory, atomics")                            \
	/* the paper's model (equations 2 to 5) */                                                 \
	X(PAPER_XU, "paper.execution_units", "n_XU of equation 4")                                 \
	X(PAPER_BASE_FIXED, "paper.base.fixed.time_s", "t_Base at no work-items")                  \
	X(PAPER_BASE_ITEM, "paper.base.item.time_s", "slope of t_Base over work-items")            \
	X(PAPER_CONSTANT, "paper.access.constant.time_s",                                          \
	  "one read of one address, per work-item")                                                \
	X(PAPER_INTERVAL, "paper.access.interval.time_s", "one read within a cached interval")     \
	X(PAPER_COALESCED, "paper.access.coalesced.time_s", "one read at the work-item's index")   \
	X(PAPER_REPEATED, "paper.access.repeated.time_s", "one more read of the same address")     \
	X(PAPER_UNCOALESCED, "paper.access.uncoalesced.time_s", "one read at a scattered address") \
	X(PAPER_WRITE, "paper.access.write.time_s", "one coalesced write")                         \
	X(PAPER_LOCAL, "paper.access.local.time_s", "one access to local memory")                  \
	X(PAPER_UNCACHED, "paper.access.uncached.time_s",                                          \
	  "one global access, pattern not told apart")

enum coefficient_id {
#define X(name, text, what) COEFFICIENT_##name,
	COEFFICIENT_TABLE(X)
#undef X
	        COEFFICIENT_SCALARS
};

/* Neighbouring bytes that adds of all work-items go to, by coefficient, upwards. */
#define ATOMIC_NEIGHBOURS_TABLE(X)                                                                 \
	X(ATOMIC_GLOBAL_32, 1u << 7)                                                               \
	X(ATOMIC_GLOBAL_256, 1u << 10)                                                             \
	X(ATOMIC_GLOBAL_4096, 1u << 14)                                                            \
	X(ATOMIC_GLOBAL_SPREAD, 1u << 18)

/* Lines that adds go to at random, by coefficient, upwards: X(coefficient, lines). */
#define ATOMIC_RANDOM_TABLE(X)                                                                     \
	X(ATOMIC_GLOBAL_RANDOM_64, 1u << 6)                                                        \
	X(ATOMIC_GLOBAL_RANDOM_512, 1u << 9)                                                       \
	X(ATOMIC_GLOBAL_RANDOM_4K, 1u << 12)                                                       \
	X(ATOMIC_GLOBAL_RANDOM_64K, 1u << 16)                                                      \
	X(ATOMIC_GLOBAL_RANDOM_512K, 1u << 19)                                                     \
	X(ATOMIC_GLOBAL_RANDOM_4M, 1u << 22)

/* Levels of memory: caches from the innermost, then DRAM. Family "memory.<level>.<column>". */
#define MEMORY_LEVEL_TABLE(X) X(L1, "l1") X(L2, "l2") X(L3, "l3") X(L4, "l4") X(DRAM, "dram")

enum memory_level {
#define X(name, text) MEMORY_##name,
	MEMORY_LEVEL_TABLE(X)
#undef X
	        MEMORY_LEVEL_COUNT
};

/* X(NAME, "column_unit", "what it is") */
#define MEMORY_COLUMN_TABLE(X)                                                                     \
	X(CAPACITY, "capacity_bytes",                                                              \
	  "of one instance, as the footprint at which reads slow down")                            \
	X(INSTANCES, "instances", "1: shared by the device; else one per unit")                    \
	X(LINE, "line_bytes", "what a miss moves")                                                 \
	X(READ, "read_bytes_per_s", "streaming reads that hit here, whole device")                 \
	X(WRITE, "write_bytes_per_s", "streaming writes, whole device")                            \
	X(GATHER, "gather_lines_per_s",                                                            \
	  "random reads of distinct lines that hit here, whole device")                            \
	X(UNSTREAMED, "unstreamed_lines_per_s",                                                    \
	  "lines in order, read one by one by gathers, beyond what those take in the first level") \
	X(LATENCY, "latency_s", "one read that waits for the one before")                          \
	X(UNIT_READ, "unit_read_bytes_per_s", "streaming reads of one unit alone")                 \
	X(SCATTER, "scatter_lines_per_s",                                                          \
	  "random writes to distinct lines that hit here, whole device")                           \
	X(WAY, "way_bytes", "addresses that far apart share a set of the cache")                   \
	X(WALK_READ, "walk_read_lines_per_s",                                                      \
	  "reads of lines that hit here and fight for a set of the level before, whole device")    \
	X(WALK_WRITE, "walk_write_lines_per_s", "the same written")                                \
	X(WALK_LINES, "walk_lines", "lines way_bytes apart that half stay here when walked")

enum memory_column {
#define X(name, text, what) MEMORY_COLUMN_##name,
	MEMORY_COLUMN_TABLE(X)
#undef X
	        MEMORY_COLUMN_COUNT
};

/*
 * Arithmetic, family "op.<mode>.<type>.<class>.time_s": device-seconds of one
 * scalar operation of one work-item. Mode vector: straight-line code, work-items
 * as lanes; scalar: inside a loop of unknown length, where a CPU cannot
 * vectorise over work-items. On a GPU: scalar: seconds that a warp takes which has a
 * scheduler for itself, others of its own operations beside.
 */
enum op_mode { OP_MODE_VECTOR, OP_MODE_SCALAR, OP_MODE_COUNT };

/*
 * How long a call or a division makes another one wait that needs its result, on a CPU, family
 * "chain.<type>.<class>.time_s": seconds.
 */

/*
 * Images, family "image.<mode>.<way>.<class>.time_s": device-seconds of a texel read or
 * written by one work-item where it hits the first level. Modes as for arithmetic.
 */

/*
 * What a float operation takes by a build with an option over what it takes without, family
 * "build.<option>.float.<class>.ratio"; known where the two were seen to differ.
 * X(NAME, "option", enum build_option of model/ir/ir.h)
 */
#define BUILD_PRICE_TABLE(X)                                                                       \
	X(RELAXED, "fast_relaxed_math", BUILD_FAST_RELAXED)                                        \
	X(UNSAFE, "unsafe_math_optimizations", BUILD_UNSAFE_MATH)                                  \
	X(FINITE, "finite_math_only", BUILD_FINITE_MATH)                                           \
	X(DENORMS, "denorms_are_zero", BUILD_DENORMS_ARE_ZERO)                                     \
	X(ZEROS, "no_signed_zeros", BUILD_NO_SIGNED_ZEROS)                                         \
	X(MAD, "mad_enable", BUILD_MAD_ENABLE)

enum build_price {
#define X(name, text, option) BUILD_PRICE_##name,
	BUILD_PRICE_TABLE(X)
#undef X
	        BUILD_PRICE_COUNT
};

/*
 * The paper's W and c, family "paper.op.<type>.<class>.<column>" for
 * add, mul, div, mod: t = W(n) * c * n_WI with W of equation 5.
 */
#define PAPER_COLUMN_TABLE(X)                                                                      \
	X(C, "c_s", "slope of t_op over work-items")                                               \
	X(A, "a", "W below saturation: a n^b + k")                                                 \
	X(B, "b", "exponent below saturation")                                                     \
	X(K, "k", "constant below saturation")                                                     \
	X(A2, "a2", "W above saturation: a2 n + k2")                                               \
	X(K2, "k2", "constant above saturation")                                                   \
	X(SAT, "sat", "operations at which W becomes linear")

enum paper_column {
#define X(name, text, what) PAPER_COLUMN_##name,
	PAPER_COLUMN_TABLE(X)
#undef X
	        PAPER_COLUMN_COUNT
};

enum { PAPER_OPS = 4 }; /* add, mul, div, mod: indices 0 to 3 */

enum {
	COEFFICIENT_MEMORY = COEFFICIENT_SCALARS,
	COEFFICIENT_OP = COEFFICIENT_MEMORY + (int)MEMORY_LEVEL_COUNT * (int)MEMORY_COLUMN_COUNT,
	COEFFICIENT_PAPER_OP =
	        COEFFICIENT_OP + (int)OP_MODE_COUNT * (int)TYPE_CLASS_COUNT * (int)OP_CLASS_COUNT,
	COEFFICIENT_IMAGE = COEFFICIENT_PAPER_OP +
	                    (int)TYPE_CLASS_COUNT * (int)PAPER_OPS * (int)PAPER_COLUMN_COUNT,
	COEFFICIENT_CHAIN = COEFFICIENT_IMAGE +
	                    (int)OP_MODE_COUNT * (int)IMAGE_WAY_COUNT * (int)IMAGE_CLASS_COUNT,
	COEFFICIENT_BUILD = COEFFICIENT_CHAIN + (int)TYPE_CLASS_COUNT * (int)OP_CLASS_COUNT,
	COEFFICIENT_COUNT = COEFFICIENT_BUILD + (int)BUILD_PRICE_COUNT * (int)OP_CLASS_COUNT,
	COEFFICIENT_NAME_MAX = 64
};

static inline unsigned coefficient_memory(enum memory_level level, enum memory_column column)
{
	return COEFFICIENT_MEMORY + (unsigned)level * MEMORY_COLUMN_COUNT + (unsigned)column;
}

static inline unsigned coefficient_op(enum op_mode mode, enum type_class type, enum op_class op)
{
	return COEFFICIENT_OP +
	       ((unsigned)mode * TYPE_CLASS_COUNT + (unsigned)type) * OP_CLASS_COUNT + (unsigned)op;
}

static inline unsigned coefficient_paper(enum type_class type, unsigned paper_op,
                                         enum paper_column column)
{
	return COEFFICIENT_PAPER_OP + ((unsigned)type * PAPER_OPS + paper_op) * PAPER_COLUMN_COUNT +
	       (unsigned)column;
}

static inline unsigned coefficient_image(enum op_mode mode, enum image_way way,
                                         enum image_class class)
{
	return COEFFICIENT_IMAGE +
	       ((unsigned)mode * IMAGE_WAY_COUNT + (unsigned)way) * IMAGE_CLASS_COUNT +
	       (unsigned)class;
}

static inline unsigned coefficient_chain(enum type_class type, enum op_class op)
{
	return COEFFICIENT_CHAIN + (unsigned)type * OP_CLASS_COUNT + (unsigned)op;
}

static inline unsigned coefficient_idle(enum idle_state state, enum idle_part part)
{
	return COEFFICIENT_IDLE_10US_ENQUEUE + (unsigned)state * IDLE_PART_COUNT + (unsigned)part;
}

/* Seconds without work that make a state. */
double idle_state_s(enum idle_state state);

/* How many launches of a kind a calibration looks at in a state, where there is time. */
unsigned idle_state_launches(enum idle_state state, bool is_quick);

static inline unsigned coefficient_build(enum build_price price, enum op_class op)
{
	return COEFFICIENT_BUILD + (unsigned)price * OP_CLASS_COUNT + (unsigned)op;
}

/* The bit of enum build_option, and the option's word: "-cl-" and dashes for its underscores. */
uint32_t build_price_option(enum build_price price);
const char *build_price_name(enum build_price price);

/* Writes the name (id < COEFFICIENT_COUNT). */
void coefficient_name(unsigned id, char name[COEFFICIENT_NAME_MAX]);

/* What it is, one phrase. Static storage. */
const char *coefficient_what(unsigned id);

/* The id of that name, or -1. */
int coefficient_find(const char *name);

struct coefficient {
	double value;
	double standard_error; /* relative to value; 0.02 is 2 % */
	bool is_known;
};

enum device_type { DEVICE_CPU, DEVICE_GPU, DEVICE_ACCELERATOR, DEVICE_OTHER };

enum {
	DEVICE_TEXT_MAX = 128,
	DEVICE_KEY_MAX = 64,
	DEVICE_LANGUAGE_MAX = 16 << 10,
	DEVICE_DOUBTS_MAX = 1024
};

struct device {
	/* identity: equal means that a calibration carries over (driver: else it is stale) */
	char platform[DEVICE_TEXT_MAX];
	char vendor[DEVICE_TEXT_MAX];
	char name[DEVICE_TEXT_MAX];
	char driver[DEVICE_TEXT_MAX];
	char version[DEVICE_TEXT_MAX]; /* CL_DEVICE_VERSION */
	char uuid[40];                 /* hexadecimal, or empty */
	char pci[24];                  /* "0000:3b:00.0", or empty */
	uint8_t type;                  /* enum device_type */
	uint32_t compute_units;
	char key[DEVICE_KEY_MAX]; /* of these, among the devices of its node: proto/device_key.h */

	/* what its compiler makes of sources, packed: daemon/codec/language.h; none: not known */
	uint8_t language[DEVICE_LANGUAGE_MAX];
	uint32_t language_bytes;

	/* limits, as the driver says */
	uint32_t clock_mhz;
	uint64_t max_group_items;
	uint64_t max_item_sizes[3];
	uint64_t local_bytes;
	uint64_t global_bytes;
	uint64_t max_allocation_bytes;
	/* width and height; width, height and depth; layers of arrays; texels of a 1-D buffer:
	 * 0 where nothing is known, or there are no images */
	uint64_t max_image_2d[2], max_image_3d[3], max_image_layers, max_image_buffer;
	bool has_images;
	bool has_double, has_half;
	bool allows_uneven_groups; /* OpenCL 2.x and later: local need not divide global */

	/* calibration */
	bool is_calibrated;
	bool is_quick; /* from --quick */
	bool is_stale; /* the driver changed since */
	bool was_busy; /* others used the processors, or repeats spread */
	/* what it found and cannot be, a sentence a line; empty: nothing */
	char doubts[DEVICE_DOUBTS_MAX];
	int64_t calibrated_at_s; /* seconds since 1970 */
	double duration_s;
	/* made of those of so many other nodes: serves while there is no other; 0: measured */
	uint32_t borrowed_nodes;
	uint64_t epoch; /* grows with every calibration kept */
	struct coefficient coefficient[COEFFICIENT_COUNT];
};

/* The coefficient's value; `otherwise` where it is not known. */
double device_value(const struct device *device, unsigned id, double otherwise);

/*
 * What part of a launch costs on a device that has had nothing to do for idle_s (0: right behind
 * another launch). Between states that are calibrated by the logarithm of idle_s, up to the first
 * one by idle_s itself, and beyond the last one as there. `otherwise` where nothing is known.
 */
double device_idle_value(const struct device *device, enum idle_part part, double idle_s,
                         double otherwise);

/* Whether work-items run in lockstep, as warps: a GPU; else it is a CPU. */
bool device_is_lockstep(const struct device *device);

/*
 * Whether a CPU's compiler makes vectors of work-items at all: some versions of PoCL do not. Then
 * straight-line code takes as long as a loop does.
 */
bool device_makes_vectors(const struct device *device);

/* Whether any state but that behind another launch is calibrated. */
bool device_has_idle_states(const struct device *device);

/*
 * Device-seconds of one operation; finite, >= 0. What is not calibrated is
 * taken from its nearest relative: the other mode; half and double from float,
 * long from int; fma from mul plus add; mod from div; what is wide from what is not; a native_
 * from its precise form; tan, atan, gamma and fmod from sin, hyper from exp; bit, compare, select,
 * convert and minmax from an add; popcount, clz and mul_hi from odd, by which calibrations knew
 * them, and odd from mul_hi; any other from twelve adds. 0 only when nothing at all is known.
 */
double device_op_time_s(const struct device *device, enum op_mode mode, enum type_class type,
                        enum op_class op);

/*
 * Bytes of a shared cache that serve a warp's atomics in one turn, as a shift: by how much
 * faster 32 neighbouring addresses are than a single one. 5 where that is not calibrated.
 */
unsigned device_atomic_shift(const struct device *device);

/*
 * Device-seconds of one texel; finite, >= 0. What is not calibrated is taken from
 * its nearest relative: the other mode, reads of the same class, the same way with floats.
 * *is_known (may be NULL): whether any figure of images was there; else it is a load and
 * as many additions as addressing, clamping and converting take.
 */
double device_image_time_s(const struct device *device, enum op_mode mode, enum image_way way,
                           enum image_class class, bool *is_known);

/* The same on a GPU, whose texture units convert for nothing: what moves tells, not its class. */
double device_texel_time_s(const struct device *device, enum image_way way, double bytes,
                           bool *is_known);

/*
 * Checks what came from outside: text terminated, counts positive, every known
 * coefficient finite, within 1e-30 to 1e30 in magnitude or zero, not negative
 * (fitted constants a, k, a2, k2 may be negative), levels at most four and
 * growing in capacity. STATUS_CORRUPT names the field.
 */
enum status device_check(const struct device *device, struct error *error);

/* True when a calibration of `a` may be used for `b`: vendor, name, compute units, type. */
bool device_is_same_model(const struct device *a, const struct device *b);

#endif
