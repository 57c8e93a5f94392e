/* SPDX-License-Identifier: Apache-2.0 */
/* Which private arrays a GPU's compiler keeps in registers. */
#include <math.h>
#include <stdlib.h>

#include "model/codegen/codegen.h"

enum { REGISTERS_BYTES = 4 * 255 }; /* of one work-item: as many as an instruction can name */

enum status find_private(struct machine *m, struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;

	m->code.in_memory = calloc((size_t)kernel->object_count + 1, sizeof(*m->code.in_memory));
	m->code.is_kept = calloc((size_t)kernel->access_count + 1, sizeof(*m->code.is_kept));
	if (!m->code.in_memory || !m->code.is_kept)
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory for its arrays",
		                 kernel->name);
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		uint32_t object = kernel->accesses[i].object;
		double bytes = (double)kernel->objects[object].size_bytes;

		if (kernel->objects[object].space != SPACE_PRIVATE || !(access_items(m, i) > 0))
			continue;
		/* one place that is not known keeps all of an array from registers; of one whose
		 * places are all known, each element is a variable, and what is too many spills */
		if (!has_known_place(m, i))
			m->code.in_memory[object] = 1;
		else
			m->code.in_memory[object] =
			        fmax(m->code.in_memory[object], 1 - REGISTERS_BYTES / bytes);
	}
	for (uint32_t i = 0; i < kernel->access_count; i++)
		m->code.is_kept[i] =
		        kernel->objects[kernel->accesses[i].object].space == SPACE_PRIVATE &&
		        !(m->code.in_memory[kernel->accesses[i].object] > 0);
	return STATUS_OK;
}

void find_spills(struct machine *m)
{
	const struct ir_kernel *kernel = m->input->kernel;

	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (m->code.in_memory[kernel->accesses[i].object] > 0)
			m->code.repeats[i] *= m->code.in_memory[kernel->accesses[i].object];
}
