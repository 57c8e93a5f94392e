/* SPDX-License-Identifier: Apache-2.0 */
/* What build options change of a launch's time. */
#include "model/machine/build_price.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The options that a build's ratios are of: those that include others stand for them. */
static uint32_t options_of(uint32_t build)
{
	if (build & BUILD_FAST_RELAXED)
		return BUILD_FAST_RELAXED;
	if (build & BUILD_UNSAFE_MATH)
		return BUILD_UNSAFE_MATH | (build & BUILD_FINITE_MATH);
	return build & ~(uint32_t)BUILD_OPT_DISABLE;
}

static double ratio_of(const struct device *device, uint32_t options, enum op_class op)
{
	double ratio = 1;
	for (unsigned i = 0; i < BUILD_PRICE_COUNT; i++)
		if (options & build_price_option((enum build_price)i))
			ratio *=
			        device_value(device, coefficient_build((enum build_price)i, op), 1);
	return ratio;
}

static void scale(struct coefficient *one, double ratio)
{
	if (one->is_known)
		one->value *= ratio;
}

enum status build_device(const struct device *device, uint32_t build, struct device **priced,
                         struct error *error)
{
	uint32_t options = options_of(build);
	struct device *copy = NULL;
	*priced = NULL;
	for (unsigned op = 0; op < OP_CLASS_COUNT && options != 0; op++) {
		double ratio = ratio_of(device, options, (enum op_class)op);
		if (!(ratio > 0) || ratio == 1)
			continue;
		if (copy == NULL) {
			copy = malloc(sizeof *copy);
			if (copy == NULL)
				return error_set(error, STATUS_NO_MEMORY,
				                 "a prediction: no memory");
			*copy = *device;
		}
		for (unsigned mode = 0; mode < OP_MODE_COUNT; mode++)
			scale(&copy->coefficient[coefficient_op(
			              (enum op_mode)mode, TYPE_CLASS_FLOAT, (enum op_class)op)],
			      ratio);
		scale(&copy->coefficient[coefficient_chain(TYPE_CLASS_FLOAT, (enum op_class)op)],
		      ratio);
	}
	*priced = copy;
	return STATUS_OK;
}

double build_unoptimised_s(const struct model_input *input)
{
	const struct ir_kernel *kernel = input->kernel;
	const struct device *device = input->device;
	double operation_s = device_value(device, COEFFICIENT_UNOPTIMISED, 0), sum_s = 0;
	double items = (double)input->evaluation->items;

	if (!(kernel->build & BUILD_OPT_DISABLE) || !(operation_s > 0))
		return 0;
	for (uint32_t i = 0; i < kernel->written_count; i++) {
		const struct ir_written *written = &kernel->written[i];
		double n = written->count * input->evaluation->blocks[written->block].executions;
		double each_s = operation_s;

		if (written->op_class < OP_CLASS_COUNT && written->type_class < TYPE_CLASS_COUNT)
			each_s = fmax(each_s, device_op_time_s(device, OP_MODE_SCALAR,
			                                       (enum type_class)written->type_class,
			                                       (enum op_class)written->op_class));
		sum_s += n * each_s;
	}
	return sum_s * items;
}
