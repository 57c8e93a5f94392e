/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A launch on a device as the terms of time see it, and the questions that several of them ask.
 */
#ifndef PREDICTD_MODEL_MACHINE_MACHINE_H
#define PREDICTD_MODEL_MACHINE_MACHINE_H

#include "model/machine/input.h"
#include "model/machine/processor.h"

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

/* How a launch fills a device. */
struct occupancy {
	double items;           /* work-items */
	double padded;          /* the same with work-groups of whole warps */
	double warps;           /* of the launch */
	double units, resident; /* units of the device; work-groups that one holds */
	double busy;            /* share of the device's units over the whole launch */
	double saturation;      /* share of a unit's schedulers that have a warp */
};

/* What the device's compiler makes of a kernel: filled by codegen/, constant outside of it. */
struct code {
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
	bool is_straight; /* on a CPU: all loops over work-items of a group are unrolled */
	struct access_group *groups; /* per access: loaded or stored whole; NULL on a GPU */
	unsigned widest_bytes;     /* on a CPU: of the widest number that moves; as many work-items
	                              are in a vector as it has room for that */
	bool *is_unstreamed;       /* per access: a load, gathered or masked; NULL on a GPU */
	double *predicated;        /* per block: executions in a CPU's vector code; NULL on a GPU */
	struct block_lanes *lanes; /* per block; NULL on a GPU */
	bool *is_once;             /* per node: done on a CPU for a work-group, not for each item */
	struct ir_counts *shared;  /* per block: of its operations those that are not done for each
	                              work-item; both NULL on a GPU */
	bool *is_part;             /* per variable: a component of a vector; NULL on a GPU */
	bool *is_added;            /* per variable: and all of them are only added to; the same */
	double *wrong_guesses; /* per node: how often a CPU's core guesses the branch wrong that it
	                          decides, per work-item; NULL on a GPU */
	bool *is_branch;       /* per node: a select that a CPU's compiler makes a branch of; NULL
	                          on a GPU */
	bool *is_kept;         /* per access: of a private array, and done in registers */
	double *in_memory;     /* on a GPU, per object: the share of a private array that is not in
	                          registers; else NULL */
	double *repeats;   /* on a GPU, per access: the share of its executions that are loads once
	                      loops are unrolled; else NULL */
	bool *is_promoted; /* on a GPU, per access: loops that read and write its places keep them
	                      in registers meanwhile; else NULL */
};

/* A launch on a device. */
struct machine {
	const struct model_input *input;
	const struct processor *processor;
	struct occupancy occupancy;
	struct code code;
	double *waits; /* per cache level and access: how often a load, on a GPU a warp's, waits for
	                  the level below */
};

static inline const struct evaluation *evaluation_of(const struct machine *m)
{
	return m->input->evaluation;
}

/* Whether a statement is a loop that goes around a CPU's loop over work-items without a barrier. */
static inline bool is_outer_loop(const struct machine *m, uint32_t statement)
{
	const struct ir_kernel *kernel = m->input->kernel;
	uint32_t body = kernel->statements[statement].body;

	return kernel->statements[statement].kind == STATEMENT_LOOP && body != IR_NONE &&
	       kernel->summary->loops[kernel->summary->block_loop[body]].is_outer &&
	       !(m->code.lanes != NULL && m->code.lanes[body].is_inner);
}

/* Operations of a block by the loops that the device's compiler unrolls. */
static inline const struct ir_counts *emitted_of(const struct machine *m, uint32_t block)
{
	const struct ir_summary *summary = m->input->kernel->summary;

	return m->processor->unrolls_early ? &summary->rolled[block] : &summary->emitted[block];
}

/* Whether the device's compiler unrolls all of a loop. */
static inline bool loop_is_unrolled(const struct machine *m, const struct ir_loop *loop)
{
	return m->processor->unrolls_early ? loop->is_unrolled_early : loop->is_unrolled;
}

/* Bytes of local memory of a work-group: the kernel's own and its arguments. */
double local_bytes_of(const struct machine *m);

/* Fills processor and occupancy of a machine that has its input. */
void machine_fill(struct machine *m);

/* Whether a compiler can tell the trips when a loop begins: its variable goes by a constant. */
bool loop_is_countable(const struct ir_kernel *kernel, const struct ir_loop *loop);

/*
 * Whether vectors find the places of an access beside each other, whichever lanes a mask leaves:
 * what few work-items that are left touch does not tell.
 */
bool steps_by_one(const struct machine *m, uint32_t access);

/* Whether a CPU runs the work-items of a block as lanes of vectors; on a GPU always. */
static inline enum op_mode block_mode(const struct machine *m, uint32_t block)
{
	return m->processor->block_mode(m, block);
}

/* What costs this in vectors and that otherwise, where some work-groups run without vectors. */
double in_vectors(const struct machine *m, double vector, double scalar);

/* What costs this one by one and that in vectors, in a loop whose iterations may be lanes. */
double in_lanes(const struct machine *m, uint32_t block, double scalar, double vector);

/* Work-items that pay for a block's execution: with lanes, all of a warp or vector. */
static inline double block_items(const struct machine *m, uint32_t block)
{
	return m->processor->block_items(m, block);
}

double access_items(const struct machine *m, uint32_t access);

/* Device-seconds of throughput, as time on the units that have work. */
double on_units(const struct machine *m, double device_s);

/* The same of what few work-items of a unit can keep busy. */
double on_busy_units(const struct machine *m, double device_s);

/* Work-items of a unit that has work. */
double items_of_unit(const struct machine *m);

/* The exponent of the device's soft maximum, 1 to 32. */
double norm_of(const struct device *device);

/* The p-norm of terms >= 0, scaled by the largest so that no power over- or underflows. */
double soft_maximum(const double *terms, unsigned count, double norm);

/* Whether a private array is accessed at a place that is known once loops are unrolled. */
bool has_known_place(const struct machine *m, uint32_t access);

/* Whether a private array is accessed that a compiler keeps in registers. */
bool is_register(const struct machine *m, uint32_t access);

/* Whether a core does it in its divider. */
bool is_divider(enum op_class op);

double level_value(const struct machine *m, unsigned level, enum memory_column column,
                   double otherwise);

/* Whether a variable goes by a constant in each iteration. */
bool goes_by_constant(const struct ir_kernel *kernel, const struct ir_variable *variable);

#endif
