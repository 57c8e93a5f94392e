/* SPDX-License-Identifier: Apache-2.0 */
/* Which private arrays a GPU's compiler keeps in registers. */
#include <stdlib.h>

#include "model/codegen/codegen.h"

enum { REGISTERS_BYTES = 4 * 255 }; /* of one work-item: as many as an instruction can name */

enum status find_private(struct machine *m, struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;

	m->code.is_in_memory =
	        calloc((size_t)kernel->object_count + 1, sizeof(*m->code.is_in_memory));
	m->code.is_kept = calloc((size_t)kernel->access_count + 1, sizeof(*m->code.is_kept));
	if (!m->code.is_in_memory || !m->code.is_kept)
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory for its arrays",
		                 kernel->name);
	/* one place that is not known keeps all of an array from registers */
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (kernel->objects[kernel->accesses[i].object].space == SPACE_PRIVATE &&
		    access_items(m, i) > 0 &&
		    (!has_known_place(m, i) ||
		     kernel->objects[kernel->accesses[i].object].size_bytes > REGISTERS_BYTES))
			m->code.is_in_memory[kernel->accesses[i].object] = true;
	for (uint32_t i = 0; i < kernel->access_count; i++)
		m->code.is_kept[i] =
		        kernel->objects[kernel->accesses[i].object].space == SPACE_PRIVATE &&
		        !m->code.is_in_memory[kernel->accesses[i].object];
	return STATUS_OK;
}
