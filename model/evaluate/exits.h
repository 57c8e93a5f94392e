/* SPDX-License-Identifier: Apache-2.0 */
/* Exits: how loops end before their condition does, and who decides about them. */
#ifndef PREDICTD_MODEL_EVALUATE_EXITS_H
#define PREDICTD_MODEL_EVALUATE_EXITS_H

#include "model/evaluate/schedule.h"

/* Whether a block (or IR_NONE) ends by leaving the loop around it: rare, once per entry of it. */
bool leaves_loop(const struct ir_kernel *kernel, uint32_t block);

/* Whether anything in a block (or IR_NONE) jumps: `break`, `continue`, `return`; in_loops: of loops
 * within it, too; depth: 0. */
bool block_jumps(const struct ir_kernel *kernel, uint32_t block, bool in_loops, uint32_t depth);

/*
 * The share of an iteration's work-items that such a block takes, further than to behind the loop
 * around (0: no further), where the condition holds with some chance: what of all of them leave in
 * any iteration, evenly. Half do where nothing is known.
 */
double share_of_leaving(const struct ir_kernel *kernel, const struct loop_tally *tallies,
                        uint32_t block, double chance);

/* Fills of facts which exits leave loops and whether memory has a say in it, and the flags of what
 * such loops count. */
void exits_find(struct schedule *schedule, struct loop_facts *facts);

/* The condition by which alone a loop ends that has none of its own, where the launch decides
 * about it before anything else is done in an iteration; IR_NONE: another loop. */
uint32_t exit_leading(const struct schedule *schedule, const struct loop_facts *facts,
                      uint32_t statement);

/* Whether data decide for each lane of a warp, by the condition or by an exit; facts: the loop's.
 */
bool exit_is_by_lane(const struct schedule *schedule, const struct loop_facts *facts,
                     uint32_t condition);

#endif
