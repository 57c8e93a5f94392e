/* SPDX-License-Identifier: Apache-2.0 */
/* Which private arrays a GPU's compiler keeps in registers. */
#include <math.h>
#include <stdlib.h>

#include "model/codegen/codegen.h"

enum { REGISTERS_BYTES = 4 * 255 }; /* of one work-item: as many as an instruction can name */

static bool is_private(const struct machine *m, uint32_t access)
{
	const struct ir_kernel *kernel = m->input->kernel;

	return kernel->objects[kernel->accesses[access].object].space == SPACE_PRIVATE &&
	       access_items(m, access) > 0;
}

/*
 * Elements of an array whose places are all known are variables. A loop has those of all arrays
 * alive: where one of them fills the registers, what is too many of all spills from the largest.
 */
static void spill(struct machine *m)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const double registers_bytes = REGISTERS_BYTES;
	double bytes = 0, most = 0, largest = 0;

	for (uint32_t i = 0; i < kernel->object_count; i++) {
		double size_bytes = (double)kernel->objects[i].size_bytes;

		if (kernel->objects[i].space != SPACE_PRIVATE || m->code.in_memory[i] > 0)
			continue;
		bytes += size_bytes;
		if (size_bytes > most)
			largest = 0;
		most = fmax(most, size_bytes);
		largest += size_bytes >= most ? size_bytes : 0;
	}
	if (!(most > registers_bytes))
		return;
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		uint32_t object = kernel->accesses[i].object;

		if (is_private(m, i) && m->code.in_memory[object] < 1 &&
		    (double)kernel->objects[object].size_bytes >= most)
			m->code.in_memory[object] = fmin(1, (bytes - registers_bytes) / largest);
	}
}

enum status find_private(struct machine *m, struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;

	m->code.in_memory = calloc((size_t)kernel->object_count + 1, sizeof(*m->code.in_memory));
	m->code.is_kept = calloc((size_t)kernel->access_count + 1, sizeof(*m->code.is_kept));
	if (!m->code.in_memory || !m->code.is_kept)
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory for its arrays",
		                 kernel->name);
	/* one place that is not known keeps all of an array from registers */
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (is_private(m, i) && !has_known_place(m, i))
			m->code.in_memory[kernel->accesses[i].object] = 1;
	spill(m);
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
