/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the default kernel model: how a launch fills the device, and the terms
 * that time/default.c joins. Each add_ function fills its time_s and rows.
 */
#ifndef PREDICTD_MODEL_TIME_DEFAULT_H
#define PREDICTD_MODEL_TIME_DEFAULT_H

#include "model/machine/parts.h"

/* How much of a block a CPU runs with iterations of a loop around it as lanes of vectors. */
struct block_lanes {
	double share;  /* of its executions; 0: none */
	uint32_t body; /* of that loop: what all its lanes pay for */
	uint32_t loop; /* index in summary->loops */
	bool is_inner; /* made vectors of before work-items were put in a loop: stays within that */
};

/* Elements of a step from one lane of a CPU's vectors to the next, and how many are accessed. */
struct access_group {
	uint8_t factor, members; /* 0: it is in no group */
};

/*
 * What works at the same time inside one core. A CPU has integer units beside those of reals,
 * and a divider of each that works alone. A GPU's unit has pipes for comparisons and bits, for
 * products of integers, for reals, and for what takes tables; an addition of integers goes to
 * either of the first two. All issue from one slot.
 */
enum pipe {
	PIPE_REAL,
	PIPE_INTEGER,
	PIPE_DIVIDER,
	PIPE_QUOTIENT,
	PIPE_PRODUCT,
	PIPE_ISSUE,
	PIPE_COUNT,
	/* of PIPE_REAL on a CPU, what could go beside as long a row of the other */
	ABREAST_SUMS = PIPE_COUNT,
	ABREAST_PRODUCTS,
	PIPE_TERMS
};

struct default_model {
	const struct model_input *input;
	struct prediction *prediction;
	bool makes_vectors; /* a CPU's compiler makes vectors of work-items where it can */
	bool is_scalar;     /* a CPU vectorises nothing of this kernel */
	bool *is_refused;   /* per block: a call or an access keeps a CPU from making vectors of its
	                       region */
	bool has_emulated;  /* an access does */
	bool has_worthless; /* to the compiler vectors of a region cost more than they save */
	bool has_switch;    /* branches do that go one of several ways by a number */
	bool has_order;     /* work-items do that read what others of a vector write */
	double one_by_one;  /* share of work-items that a CPU runs without its vectors */
	bool *is_shifted;  /* per access: and its positions are computed one by one, or come from an
	                      array */
	bool *is_gathered; /* per access: a CPU's vectors gather or scatter it; NULL on a GPU */
	bool *is_single; /* per access: a CPU's vectors put it together one by one; NULL on a GPU */
	bool *is_common; /* per node: the same for all lanes of a CPU's vectors; NULL on a GPU */
	bool *is_same;   /* per access: one place for all lanes of a CPU's vectors; NULL on a GPU */
	bool *is_masked; /* per access: under a mask of a CPU's vectors; NULL on a GPU */
	struct access_group *groups; /* per access: loaded or stored whole; NULL on a GPU */
	unsigned widest_bytes;     /* on a CPU: of the widest number that moves; as many work-items
	                              are in a vector as it has room for that */
	bool *is_unstreamed;       /* per access: a load, gathered or masked; NULL on a GPU */
	double *predicated;        /* per block: executions in a CPU's vector code; NULL on a GPU */
	struct block_lanes *lanes; /* per block; NULL on a GPU */
	bool *is_once;             /* per node: done on a CPU for a work-group, not for each item */
	struct ir_counts *shared;  /* per block: of its operations those that are not done for each
	                              work-item; both NULL on a GPU */
	double gathering_s;        /* of the first level's time on a CPU: gathers and scatters that
	                              keep a core from all else */
	double passing_share;      /* of a GPU's first level's time: that it is busy itself */
	double stalled_s;          /* on a CPU: that cores wait for memory and do nothing else */
	struct region_work *regions; /* on a CPU, of a kernel with barriers; else NULL */
	double apart_s;              /* on a CPU: that regions do not overlap with each other */
	bool *is_part;               /* per variable: a component of a vector; NULL on a GPU */
	bool *is_added;              /* per variable: and all of them are only added to; the same */
	double *wrong_guesses;  /* per node: how often a CPU's core guesses the branch wrong that it
	                           decides, per work-item; NULL on a GPU */
	bool *is_branch;        /* per node: a select that a CPU's compiler makes a branch of; NULL
	                           on a GPU */
	bool is_lockstep;       /* warps; else lanes of vector instructions, or none */
	double items;           /* work-items */
	double padded;          /* the same with work-groups of whole warps */
	double warps;           /* of the launch */
	double units, resident; /* units of the device; work-groups that one holds */
	double busy;            /* share of the device's units over the whole launch */
	double saturation;      /* share of a unit's schedulers that have a warp */
	bool *is_kept; /* on a CPU, per access: of a private array, and done in registers; else NULL
	                */
	bool *is_in_memory; /* on a GPU, per object: a private array that is not in registers; else
	                       NULL */
	double *repeats;    /* on a GPU, per access: the share of its executions that are loads once
	                       loops    are unrolled; else NULL */
	double *waits; /* per cache level and access: how often a load, on a GPU a warp's, waits for
	                  the level below */
	double time_s[BOTTLENECK_COUNT];
};

static inline const struct evaluation *evaluation_of(const struct default_model *m)
{
	return m->input->evaluation;
}

/* Whether a statement is a loop that goes around a CPU's loop over work-items without a barrier. */
static inline bool is_outer_loop(const struct default_model *m, uint32_t statement)
{
	const struct ir_kernel *kernel = m->input->kernel;
	uint32_t body = kernel->statements[statement].body;

	return kernel->statements[statement].kind == STATEMENT_LOOP && body != IR_NONE &&
	       kernel->summary->loops[kernel->summary->block_loop[body]].is_outer &&
	       !(m->lanes != NULL && m->lanes[body].is_inner);
}

/* Operations of a block by the loops that the device's compiler unrolls. */
static inline const struct ir_counts *emitted_of(const struct default_model *m, uint32_t block)
{
	const struct ir_summary *summary = m->input->kernel->summary;

	return m->is_lockstep ? &summary->emitted[block] : &summary->rolled[block];
}

/* time/repeats.c: fills `repeats`; requires is_lockstep. */
enum status find_repeats(struct default_model *m, struct error *error);

/* codegen/pocl/shape.c: fills what is particular to a CPU; requires is_lockstep to be false. */
enum status cpu_shape(struct default_model *m, struct error *error);

/* codegen/pocl/mispredictions.c: of the conditions that && or || join in one, how many data decide.
 */
unsigned cpu_conditions(const struct ir_kernel *kernel, const bool *is_data, uint32_t node);

/*
 * Wrong guesses of a branch by that condition, of which the one side is taken so
 * often; is_known: and nothing about that is assumed, else it may as well be further from a half.
 */
double cpu_wrong_share(const struct ir_kernel *kernel, const bool *is_data, uint32_t node,
                       double taken, bool is_known);

/* codegen/pocl/lane_loops.c: fills `lanes`; requires makes_vectors. */
enum status cpu_loops(struct default_model *m, struct error *error);

/* codegen/pocl/dependence.c: refuses blocks whose work-items read what others of a vector write. */
void cpu_order(struct default_model *m);

/*
 * codegen/pocl/if_conversion.c: marks in is_refused all blocks of a region between barriers that
 * has a marked one; and fills is_masked and is_unstreamed, and refuses what masks keep from being
 * vectors: requires is_gathered and is_same.
 */
enum status cpu_refuse(struct default_model *m, struct error *error);
enum status cpu_masks(struct default_model *m, struct error *error);

/*
 * codegen/pocl/cost_model.c: refuses regions of which vectors cost a compiler more than they save.
 * Requires is_gathered, is_same and what else is refused.
 */
enum status cpu_worth(struct default_model *m, struct error *error);

/*
 * codegen/pocl/interleaved.c: fills `groups`; requires is_gathered, is_masked and what is refused.
 * Then what an access of one takes, in device-seconds of a work-item, where `vector` is what a word
 * of neighbours does.
 */
enum status cpu_groups(struct default_model *m, struct error *error);
double group_time(const struct default_model *m, uint32_t access, double vector);

/*
 * time/barrier_regions.c: notes what each region between barriers does, in device-seconds; and what
 * they take longer than if all overlapped.
 */
enum status regions_begin(struct default_model *m, struct error *error);
void region_works(const struct default_model *m, uint32_t block, enum pipe pipe, double time_s);
void region_moves(const struct default_model *m, uint32_t block, double time_s);
double regions_apart(const struct default_model *m);

/* codegen/pocl/scalar_replacement.c: fills `is_kept`. */
enum status cpu_private(struct default_model *m, struct error *error);

/*
 * codegen/pocl/selects.c: fills is_branch per node. is_parted: conditions of what is a branch
 * anyway. Requires lanes.
 */
enum status cpu_selects(const struct default_model *m, const bool *is_parted, bool *is_branch,
                        struct error *error);

/*
 * Whether a CPU selects what a branch of the source chooses: it does where hardly anything stands
 * on either side. Requires is_branch.
 */
bool is_chosen(const struct default_model *m, uint32_t node);

/* codegen/pocl/group_uniform.c: fills `is_once` and `shared`; requires one_by_one. */
enum status cpu_shared(struct default_model *m, struct error *error);

/*
 * codegen/pocl/context.c: fills is_gathered and is_shifted of places that follow from what
 * work-items keep across barriers. Requires lanes.
 */
enum status cpu_crossings(struct default_model *m, struct error *error);

/*
 * codegen/pocl/short_rows.c: fills is_single, and is_gathered of what columns of work-items access,
 * and is_refused of what goes one of several ways: requires is_common. Then what it takes to keep
 * values across barriers.
 */
enum status cpu_rows(struct default_model *m, struct error *error);
enum status add_context(struct default_model *m, struct error *error);

/*
 * codegen/pocl/superword.c: device-seconds in which a CPU moves components into and out of vectors,
 * with their row; and how long one node of that kind makes others wait, 0 of another.
 */
enum status packing_time(const struct default_model *m, double *time_s, struct error *error);
double packing_latency(const struct default_model *m, uint32_t node);

/* Finds components of vectors that loops change; what one waits to come out and go in again. */
enum status cpu_parts(struct default_model *m, struct error *error);
double part_latency(const struct default_model *m, uint32_t variable);

/*
 * time/reorder_window.c: what a core waits for lines that come one by one from below the first
 * level, beyond the `working_s` that it works; 0 where how far it goes ahead is not calibrated.
 * Seconds of a work-item, both. Requires waits.
 */
enum status ahead_time(const struct default_model *m, double working_s, double *time_s,
                       struct error *error);

/* Whether a compiler can tell the trips when a loop begins: its variable goes by a constant. */
bool loop_is_countable(const struct ir_kernel *kernel, const struct ir_loop *loop);

/*
 * Whether vectors find the places of an access beside each other, whichever lanes a mask leaves:
 * what few work-items that are left touch does not tell.
 */
bool steps_by_one(const struct default_model *m, uint32_t access);

/* Whether a CPU runs the work-items of a block as lanes of vectors; on a GPU always. */
enum op_mode block_mode(const struct default_model *m, uint32_t block);

/* What costs this in vectors and that otherwise, where some work-groups run without vectors. */
double in_vectors(const struct default_model *m, double vector, double scalar);

/* What costs this one by one and that in vectors, in a loop whose iterations may be lanes. */
double in_lanes(const struct default_model *m, uint32_t block, double scalar, double vector);

/* Work-items that pay for a block's execution: with lanes, all of a warp or vector. */
double block_items(const struct default_model *m, uint32_t block);
double access_items(const struct default_model *m, uint32_t access);

/* Device-seconds of throughput, as time on the units that have work. */
double on_units(const struct default_model *m, double device_s);

/* The same of what few work-items of a unit can keep busy. */
double on_busy_units(const struct default_model *m, double device_s);

/*
 * On a GPU: what a warp's load takes in the first level beyond one of neighbouring lanes, in
 * device-seconds.
 */
double spread_time(const struct default_model *m, uint32_t access);

/* The exponent of the device's soft maximum, 1 to 32. */
double norm_of(const struct device *device);

/* The p-norm of terms >= 0, scaled by the largest so that no power over- or underflows. */
double soft_maximum(const double *terms, unsigned count, double norm);

/*
 * On a GPU: finds the private arrays that live in memory, since places in them are known only when
 * the kernel runs.
 */
enum status find_private(struct default_model *m, struct error *error);

/* Whether a private array is accessed at a place that is known once loops are unrolled. */
bool has_known_place(const struct default_model *m, uint32_t access);

/* Whether a private array is accessed that a compiler keeps in registers. */
bool is_register(const struct default_model *m, uint32_t access);

/* Whether a core does it in its divider. */
bool is_divider(enum op_class op);

double level_value(const struct default_model *m, unsigned level, enum memory_column column,
                   double otherwise);

/* ---- terms --------------------------------------------------------------------------------- */

void add_dispatch(struct default_model *m);
/* Seconds of pipes that work at the same time: their soft maximum. */
double pipes_time(const double pipe[PIPE_TERMS], double norm);

enum status add_arithmetic(struct default_model *m, struct error *error);
void add_local(struct default_model *m);
void add_barriers(struct default_model *m);

/* time/atomics.c */
void add_atomics(struct default_model *m);

/* time/memory.c: the first level by access, those below by traffic; sets waits. */
double first_level_time(const struct default_model *m, uint32_t access, bool is_store);
void add_first_level(struct default_model *m);
enum status add_memory(struct default_model *m, struct error *error);

/* time/latency.c: requires waits. */
enum status add_latency(struct default_model *m, struct error *error);

#endif
