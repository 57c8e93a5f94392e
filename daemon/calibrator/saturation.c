/* SPDX-License-Identifier: Apache-2.0 */
/* The paper's W (equation 5): cost over the number of operations in one kernel. */
#include "daemon/calibrator/saturation.h"

#include <math.h>
#include <nlopt.h>

struct points {
	const double *operations, *cost, *whole;
	size_t count;
	double sat, joint; /* the power passes through (sat, joint) */
};

/* x: logarithm of a, b. k follows from the joint. Returns the squared relative error. */
static double misfit(unsigned n, const double *x, double *gradient, void *context)
{
	const struct points *points = context;
	double a = exp(x[0]), sum = 0;
	double k = points->joint - a * pow(points->sat, x[1]);
	(void)n;
	(void)gradient; /* the method takes none */
	for (size_t i = 0; i < points->count; i++) {
		double value = a * pow(points->operations[i], x[1]) + k;
		double error = (value - points->cost[i]) / points->whole[i];
		sum += error * error;
	}
	return sum;
}

bool saturation_fit(const double *operations, const double *cost, const double *whole, size_t count,
                    struct saturation *fit)
{
	if (count < 2 || count > SATURATION_POINTS_MAX)
		return false;
	size_t last = count - 1;
	for (size_t i = 0; i < count; i++)
		if (!(cost[i] >= 0) || !(whole[i] > 0) || !(operations[i] > 0))
			return false;
	if (!(cost[last] > 0))
		return false;
	double a2 = (cost[last] - cost[last - 1]) / (operations[last] - operations[last - 1]);
	if (!(a2 > 0)) /* noise: a line through the origin */
		a2 = cost[last] / operations[last];
	double k2 = cost[last] - a2 * operations[last];
	/* the line holds down to the first point that it meets within a twentieth */
	size_t joint = last;
	while (joint > 0 &&
	       fabs(a2 * operations[joint - 1] + k2 - cost[joint - 1]) < 0.05 * whole[joint - 1])
		joint--;
	*fit = (struct saturation){.a = a2, .b = 1, .k = k2, .a2 = a2, .k2 = k2};
	fit->sat = operations[joint];
	if (joint == 0)
		return true;
	if (joint == 1) { /* two points: a line */
		fit->a = (a2 * fit->sat + k2 - cost[0]) / (fit->sat - operations[0]);
		fit->k = cost[0] - fit->a * operations[0];
		return true;
	}
	struct points points = {operations, cost, whole, joint + 1, fit->sat, a2 * fit->sat + k2};
	double x[2] = {log(fmax(points.joint / points.sat, 1e-6)), 1}, reached;
	const double low[2] = {-30, 0.05}, high[2] = {30, 3};
	nlopt_opt solver = nlopt_create(NLOPT_LN_NELDERMEAD, 2);
	if (solver == NULL)
		return false;
	nlopt_set_min_objective(solver, misfit, &points);
	nlopt_set_lower_bounds(solver, low);
	nlopt_set_upper_bounds(solver, high);
	nlopt_set_xtol_rel(solver, 1e-6);
	nlopt_set_maxeval(solver, 2000);
	nlopt_result result = nlopt_optimize(solver, x, &reached);
	nlopt_destroy(solver);
	if (result < 0 && result != NLOPT_ROUNDOFF_LIMITED)
		return false;
	fit->a = exp(x[0]);
	fit->b = x[1];
	fit->k = points.joint - fit->a * pow(points.sat, fit->b);
	return true;
}
