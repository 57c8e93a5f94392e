/* SPDX-License-Identifier: Apache-2.0 */
/* A buffer's rows as those of an image: where a place is row * pitch + column. */
#ifndef PREDICTD_MODEL_WHATIF_PICTURE_H
#define PREDICTD_MODEL_WHATIF_PICTURE_H

#include "model/whatif/differ.h"

/* Elements from row to row, where an access's place is told by rows; 0: it is not. */
uint32_t access_row_elements(const struct ir_kernel *kernel, const struct launch *launch,
                             const struct ir_access *access);

/* Whether all accesses to `how->object` are loads of elements that an image can have, by rows of
 * `how->pitch` elements. */
bool image_fits(const struct several_state *s);

/* The argument and the object as an image, in the kernel that is built and in its launch. */
void image_declare(const struct several_state *s, struct launch *launch);

/*
 * A read of the image in place of a load.
 *
 * made_of  builds the value that a node of the kernel is in the one that is built
 *
 * Returns the value loaded; IR_NONE: no room.
 */
uint32_t image_read(struct several_state *s, const struct ir_access *access, uint32_t block,
                    uint32_t (*made_of)(struct several_state *s, uint32_t node));

#endif
