/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What loads yield in the lanes: what was sampled, where a row begins, one of a hinted range, or
 * what nobody knows.
 */
#ifndef PREDICTD_MODEL_EVALUATE_LOAD_H
#define PREDICTD_MODEL_EVALUATE_LOAD_H

#include "model/evaluate/lanes.h"

/* The values of a NODE_LOAD of one number, by lane, and how far they are known. */
void load_values(const struct lanes *lanes, uint32_t node, int64_t *r, uint8_t *k);

/* The same of a part of a vector, where it was sampled; false: it was not. */
bool load_part(const struct lanes *lanes, const struct ir_access *access, unsigned part, int64_t *r,
               uint8_t *k);

/*
 * What lies in memory nobody knows, but where lanes of a warp read one place they have one value (a
 * real, an integer, a part of a vector): from a table at a loop's counter, say. What they address
 * with it lies as they do.
 */
void load_places(const struct lanes *lanes, const struct ir_access *access, unsigned part,
                 struct type type, int64_t *r, uint8_t *k);

#endif
