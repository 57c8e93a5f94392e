/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a kind of processor does with work-items: what several rooms ask of it. Its compiler is in
 * codegen/, its terms of time are in time/; each of these rooms chooses by `kind`, once.
 */
#ifndef PREDICTD_MODEL_MACHINE_PROCESSOR_H
#define PREDICTD_MODEL_MACHINE_PROCESSOR_H

#include "model/device/device.h"

struct machine;

enum processor_kind {
	PROCESSOR_CPU, /* cores that run work-items one by one, or as lanes of vectors */
	PROCESSOR_GPU, /* units that run warps, whose work-items are in lockstep */
};

struct prediction_occupancy;

struct processor {
	enum processor_kind kind;
	bool unrolls_early; /* its compiler unrolls loops before it puts work-items in a loop */

	/* Fills padded, resident and saturation of m->occupancy; requires items and units. */
	void (*fill_units)(struct machine *m);

	/* What an answer says of that; requires all of m->occupancy. */
	void (*describe)(const struct machine *m, struct prediction_occupancy *occupancy);

	/* See block_mode and block_items of machine.h. */
	enum op_mode (*block_mode)(const struct machine *m, uint32_t block);
	double (*block_items)(const struct machine *m, uint32_t block);
};

extern const struct processor cpu_processor; /* machine/cpu.c */
extern const struct processor gpu_processor; /* machine/gpu.c */

/* By the work-items that a calibration found in lockstep. */
const struct processor *processor_of(const struct device *device);

#endif
