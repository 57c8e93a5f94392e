/* SPDX-License-Identifier: Apache-2.0 */
/* What a device's compiler makes of a kernel: on a CPU PoCL's LLVM, on a GPU its vendor's. */
#ifndef PREDICTD_MODEL_CODEGEN_CODEGEN_H
#define PREDICTD_MODEL_CODEGEN_CODEGEN_H

#include "model/machine/machine.h"

/*
 * Fills m->code, which is constant from there on: for a GPU, or for a CPU. Requires occupancy.
 * Ended by code_deinit, on failure as well.
 */
enum status code_generate(struct machine *m, struct error *error);
void code_deinit(struct code *code);

/* ---- what it is made of ---- */

/* codegen/gpu/repeats.c: fills `repeats` and is_promoted. */
enum status find_repeats(struct machine *m, struct error *error);

/*
 * On a GPU: finds the private arrays that live in memory, since places in them are known only when
 * the kernel runs, or since they are more than the registers. Fills in_memory and is_kept.
 */
enum status find_private(struct machine *m, struct error *error);

/* Takes from `repeats` what is in registers of arrays that are in memory in part. */
void find_spills(struct machine *m);

/* codegen/pocl/shape.c: fills what is particular to a CPU. */
enum status cpu_shape(struct machine *m, struct error *error);

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
enum status cpu_loops(struct machine *m, struct error *error);

/* codegen/pocl/dependence.c: refuses blocks whose work-items read what others of a vector write. */
void cpu_order(struct machine *m);

/*
 * codegen/pocl/if_conversion.c: marks in is_refused all blocks of a region between barriers that
 * has a marked one; and fills is_masked and is_unstreamed, and refuses what masks keep from being
 * vectors: requires is_gathered and is_same.
 */
enum status cpu_refuse(struct machine *m, struct error *error);
enum status cpu_masks(struct machine *m, struct error *error);

/*
 * codegen/pocl/cost_model.c: refuses regions of which vectors cost a compiler more than they save.
 * Requires is_gathered, is_same and what else is refused.
 */
enum status cpu_worth(struct machine *m, struct error *error);

/*
 * codegen/pocl/interleaved.c: fills `groups`; requires is_gathered, is_masked and what is refused.
 * Then what an access of one takes, in device-seconds of a work-item, where `vector` is what a word
 * of neighbours does.
 */
enum status cpu_groups(struct machine *m, struct error *error);
double group_time(const struct machine *m, uint32_t access, double vector);

/* codegen/pocl/scalar_replacement.c: fills `is_kept`. */
enum status cpu_private(struct machine *m, struct error *error);

/*
 * codegen/pocl/selects.c: fills is_branch per node. is_parted: conditions of what is a branch
 * anyway. Requires lanes.
 */
enum status cpu_selects(const struct machine *m, const bool *is_parted, bool *is_branch,
                        struct error *error);

/*
 * Whether a CPU selects what a branch of the source chooses: it does where hardly anything stands
 * on either side. Requires is_branch.
 */
bool is_chosen(const struct machine *m, uint32_t node);

/*
 * codegen/pocl/straight_groups.c: fills `shared` of a group that is_straight; requires that it is
 * empty.
 */
enum status cpu_straight(struct machine *m, struct error *error);

/* codegen/pocl/group_uniform.c: fills `is_once` and `shared`; requires one_by_one. */
enum status cpu_shared(struct machine *m, struct error *error);

/*
 * codegen/pocl/context.c: fills is_gathered and is_shifted of places that follow from what
 * work-items keep across barriers. Requires lanes.
 */
enum status cpu_crossings(struct machine *m, struct error *error);

/*
 * codegen/pocl/short_rows.c: fills is_single, and is_gathered of what columns of work-items access,
 * and is_refused of what goes one of several ways: requires is_common.
 */
enum status cpu_rows(struct machine *m, struct error *error);

/*
 * codegen/pocl/superword.c: device-seconds in which a CPU moves components into and out of vectors,
 * how many moves of a work-item these are; and how long one node of that kind makes others wait, 0
 * of another.
 */
enum status packing_time(const struct machine *m, double *moves_each, double *time_s,
                         struct error *error);
double packing_latency(const struct machine *m, uint32_t node);

/* Finds components of vectors that loops change; what one waits to come out and go in again. */
enum status cpu_parts(struct machine *m, struct error *error);
double part_latency(const struct machine *m, uint32_t variable);

#endif
