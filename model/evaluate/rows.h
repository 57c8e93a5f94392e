/* SPDX-License-Identifier: Apache-2.0 */
/* Where rows begin: see evaluate/rows.c. start[i] is about low + i * mean. */
#ifndef PREDICTD_MODEL_EVALUATE_ROWS_H
#define PREDICTD_MODEL_EVALUATE_ROWS_H

#include "model/evaluate/loops.h"
#include "model/evaluate/question.h"

struct rows {
	bool is_known;
	uint32_t object;
	int64_t low;
	double count, mean;
};

/* Finds rows, and fills is_window of facts. */
void rows_find(const struct question *question, struct rows *rows, struct loop_facts *facts);

/* Whether an access is to where rows begin, one after another. */
static inline bool rows_are_of(const struct rows *rows, const struct ir_access *access)
{
	return rows->is_known && access->object == rows->object && access->scale_bytes > 0;
}

/* The same of a load by an index, whose value is where a row begins. */
bool rows_has(const struct rows *rows, const struct ir_access *access);

/*
 * Whether rows are all as long as each other: of lengths that differ a sum hardly ever divides by
 * how many there are. Few say nothing.
 */
bool rows_are_equal(const struct rows *rows);

/* Where a row begins. */
int64_t rows_begin(const struct rows *rows, double row);

/* The index of an access less constants that are added to it; *offset: elements. */
uint32_t rows_index(const struct ir_kernel *kernel, const struct ir_access *access,
                    int64_t *offset);

#endif
