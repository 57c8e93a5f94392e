/* SPDX-License-Identifier: Apache-2.0 */
/* How accesses lie over work-items: what listing and changing what-ifs both ask. */
#ifndef PREDICTD_MODEL_WHATIF_SHAPE_H
#define PREDICTD_MODEL_WHATIF_SHAPE_H

#include "model/whatif/whatif.h"

/* Whether where an access goes follows from the launch alone. */
bool access_is_affine(const struct evaluation_access *access);

/* Whether it is carried out and goes to memory that an argument names. */
bool access_is_of_argument(const struct ir_kernel *kernel, const struct evaluation *evaluation,
                           uint32_t access);

/* Bytes from a work-item to the next along a dimension; 0: none, or not told by one factor. */
int64_t access_stride(const struct evaluation_access *access, unsigned dimension);

/* Segments that the lanes of an access fill where each lies beside the next. */
double access_segments_least(const struct device *device, const struct evaluation_access *access);

/* Work-items of a group that access the same place, along dimensions that the place ignores. */
double access_sharers(const struct launch *launch, const struct evaluation_access *access);

/* Whether several work-items of a warp go apart though the launch decides where. */
bool access_is_apart(const struct ir_kernel *kernel, const struct device *device,
                     const struct evaluation *evaluation, uint32_t access);

/* What a strided object would be with neighbours beside each other; false: no such form. */
bool access_transpose(const struct launch *launch, const struct evaluation_access *access,
                      int64_t stride, struct affine *address);

/*
 * Whether an access goes to neighbours in neighbouring work-items, and from iteration to iteration
 * of a loop by the whole NDRange.
 *
 * loop     by number
 * trips    of the loop
 * chunked  out: the form where a work-item's iterations go to neighbours
 */
bool access_is_grid_stride(const struct launch *launch, const struct evaluation_access *access,
                           uint32_t loop, int64_t trips, struct affine *chunked);

/* The smallest factor by which a walk goes from row to row, in whole powers of two; 0: none. */
int64_t access_pitch(const struct evaluation_access *access);

/*
 * Executions of a branch's side, per warp, if those of a group's work-items that take it filled
 * warps of their own each time that the group comes to the branch.
 */
double branch_least(const struct ir_kernel *kernel, const struct evaluation *evaluation,
                    uint32_t branch, uint32_t side);

/*
 * Work-items of a warp that are busy in a loop, as a share of those that are around it; 0: the
 * loop does not run.
 */
double loop_share(const struct ir_kernel *kernel, const struct evaluation *evaluation,
                  uint32_t statement);

/* Bytes of a buffer that a work-group reads, all of it by places that the launch tells; 0: it is
 * not such a buffer. */
double object_group_bytes(const struct ir_kernel *kernel, const struct launch *launch,
                          const struct evaluation *evaluation, uint32_t object);

/* Bytes from the first to the last place of an affine access within a work-group, without what lies
 * between rows. */
double access_group_bytes(const struct launch *launch, const struct evaluation_access *access);

/* The native function of a built-in for floats; BUILTIN_COUNT: there is none. */
enum builtin builtin_native(unsigned builtin);

/* Whether a node is a call, or a division, of floats that `place` of WHAT_IF_NATIVE means. */
bool node_is_native_for(const struct ir_kernel *kernel, uint32_t node, uint32_t place);

/* The block that the innermost loop around another stands in; there is such a loop. */
uint32_t block_outside(const struct ir_kernel *kernel, uint32_t block);
bool block_is_within(const struct ir_kernel *kernel, uint32_t block, uint32_t outer);

/* Whether a condition takes work-items here and there: it looks at a remainder or at single bits.
 *
 * depth  0
 */
bool node_is_scattered(const struct ir_kernel *kernel, uint32_t node, unsigned depth);

bool kernel_has_local(const struct ir_kernel *kernel);

/* Whether a node divides small integers, or takes what remains, by what no compiler knows. */
bool node_divides(const struct ir_kernel *kernel, uint32_t node);

/* Whether the kernel asks how many work-items or groups there are. */
bool kernel_sees_ndrange(const struct ir_kernel *kernel);

/* Floating variables of a loop, each of which is the result of the iterations before; 0: no loop.
 */
unsigned loop_real_sums(const struct ir_kernel *kernel, const struct ir_statement *loop);

/* Whether the kernel means the same in groups of any shape. */
bool kernel_is_free_of_groups(const struct ir_kernel *kernel);

#endif
