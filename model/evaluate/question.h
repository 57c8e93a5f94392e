/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an evaluation is asked: a kernel, its launch, the device. Constant while it is answered.
 * Beside it what the statement tree alone says of loops and blocks.
 */
#ifndef PREDICTD_MODEL_EVALUATE_QUESTION_H
#define PREDICTD_MODEL_EVALUATE_QUESTION_H

#include "model/evaluate/evaluate.h"
#include "model/evaluate/held.h"
#include "model/passes/passes.h"

struct question {
	const struct ir_kernel *kernel; /* sealed */
	const struct launch *launch;    /* checked */
	const struct device *device;
	/* the answer's sizes, which stand before anything is evaluated: of the NDRange, and of what
	 * accesses go to (object_bytes, bytes, pitch_bytes) */
	const struct evaluation *sizes;
	uint64_t *looks;          /* nodes that may still be looked at: see question_looks */
	struct held *const *held; /* per access: see evaluate/held.h; NULL: no samples */
};

/*
 * Counts a node that is looked at by what walks from a node to its operands. They are shared, so
 * that there are as many ways through them as the walk is deep to the power of their number; false:
 * enough of them were looked at for one launch, and the walk ends as where it is too deep.
 */
static inline bool question_looks(const struct question *question)
{
	return *question->looks > 0 && (*question->looks)-- > 0;
}

/* What the place that an access reads held when it was sampled; NULL: nobody knows. */
static inline struct held *question_held(const struct question *question,
                                         const struct ir_access *access)
{
	return question->held ? question->held[access - question->kernel->accesses] : NULL;
}

/* The argument of the launch that an object stands for; NULL: it is none. */
static inline const struct launch_argument *question_argument(const struct question *question,
                                                              uint32_t object)
{
	uint32_t argument = question->kernel->objects[object].argument;

	return argument == IR_NONE || argument >= question->launch->argument_count
	               ? NULL
	               : &question->launch->arguments[argument];
}

/*
 * What the launch says of a node without operands, the same for all work-items; part: of a vector.
 * False: it says nothing, or not of all.
 */
bool question_value(const struct question *question, const struct ir_node *n, unsigned part,
                    int64_t *value);

/* enum image_size of an image; 1 where it has no such size. */
int64_t question_image_size(const struct launch_argument *image, uint64_t what);

/*
 * Nodes stand in lists, one for each loop, and one (0) outside all of them; see
 * evaluate/schedule.h. The list of the loop around a block; 0: none.
 */
static inline uint32_t list_around(const struct ir_kernel *kernel, uint32_t block)
{
	uint32_t loop = kernel->summary->block_loop[block];

	return loop == IR_NONE ? 0 : loop + 1;
}

/* The statement of a list's loop. */
static inline uint32_t list_loop(const struct ir_kernel *kernel, uint32_t list)
{
	return kernel->summary->loops[list - 1].statement;
}

/* The list of the loop around that of a list; 0: none. */
static inline uint32_t list_outside(const struct ir_kernel *kernel, uint32_t list)
{
	return list_around(kernel, kernel->statements[list_loop(kernel, list)].block);
}

/* The list of a loop, by its statement. */
static inline uint32_t list_of(const struct ir_kernel *kernel, uint32_t statement)
{
	return list_around(kernel, kernel->statements[statement].body);
}

#endif
