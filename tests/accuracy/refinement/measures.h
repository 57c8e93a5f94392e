/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of refinement: one function for each, over one device's recorded streams. */
#ifndef PREDICTD_TESTS_REFINEMENT_MEASURES_H
#define PREDICTD_TESTS_REFINEMENT_MEASURES_H

#include "tests/accuracy/refinement/streams.h"

/* |ln(answer / truth)| by launch, of who might answer. */
struct errors {
	struct figures corrected;
	struct figures fixed; /* the static answer */
	struct figures floor; /* a median of five runs against that of the next five */
	struct figures alone; /* the median of the runs it was told, where they are of the launch */
	struct figures starpu; /* where its rule says anything */
};

void errors_free(struct errors *errors);

/*
 * After the first `runs` runs of a launch in a round, nothing else known; truth is the median of
 * the next five. StarPU's history rule.
 */
void measure_same_launch(const struct streams *streams, unsigned runs, struct errors *errors);

/*
 * A launch of a kernel seen at three sizes, each a factor of 4 from the next, five runs
 * each, the nearest 4x away; all other kernels seen as well. StarPU's regression.
 */
void measure_unseen_size(const struct streams *streams, struct errors *errors);

/* Mean errors over launches of kernels not seen, 30 seen, in seeded draws. */
struct others {
	double static_error, refined_error; /* mean |ln ratio| */
	double gain, percent_gain;          /* by how much it falls; of mean |ratio - 1| */
	double all_gain;   /* the same with all kernels but the one asked for seen */
	double level_gain; /* if each kernel were known to be off by its own median */
};
void measure_other_kernels(const struct streams *streams, struct others *others);

/* How far answers after all runs move, where a tenth of them, drawn, take a hundred times longer.
 */
void measure_outliers(const struct streams *streams, struct figures *moves);

/*
 * 51 users report recorded runs, 49 a hundredth or a hundred times of one: the share of launches
 * for which a user without reports is told a time within the range of the honest users' medians.
 */
double measure_hostile(const struct streams *streams);

enum {
	COVERAGE_0,
	COVERAGE_COLD,
	COVERAGE_KERNEL,
	COVERAGE_1,
	COVERAGE_3,
	COVERAGE_10,
	COVERAGE_LATER, /* the first run of a later round */

	COVERAGE_CLASSES
};

struct coverage {
	uint32_t count, covered;
	struct figures widths; /* high over low */
	/* what no answer can be narrower than and cover 90 %, by the runs themselves: the shortest
	 * width that holds 90 % of a launch's runs after the first, or of first runs beside
	 * their launches' medians */
	struct figures noise;
};

/* All runs in one stream, round after round, kernels in a seeded order: asked before each, then
 * told. Five orders. */
void measure_coverage(const struct streams *streams, struct coverage coverage[COVERAGE_CLASSES]);

#endif
