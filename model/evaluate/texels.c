/* SPDX-License-Identifier: Apache-2.0 */
/* Texels: where sampled work-items read and write images, and the line through their coordinates.
 */
#include <math.h>
#include <string.h>

#include "model/evaluate/lanes.h"

int64_t lanes_image_size(const struct launch_argument *image, uint64_t what)
{
	switch (what) {
	case IMAGE_SIZE_WIDTH:
		return image->width > 0 ? image->width : 1;
	case IMAGE_SIZE_HEIGHT:
		return image->height > 0 ? image->height : 1;
	case IMAGE_SIZE_DEPTH:
		return image->depth > 0 ? image->depth : 1;
	case IMAGE_SIZE_TYPE:
		return (int64_t)image_format_type((enum image_format)image->format);
	default:
		return (int64_t)image_format_order((enum image_format)image->format);
	}
}

/* The texel along one dimension: reals fall into the one below; beyond the edges as sampled. */
static bool texel_along(int64_t value, bool is_real, bool is_scaled, int64_t size, unsigned sampler,
                        int64_t *texel)
{
	unsigned mode = sampler & SAMPLER_ADDRESS_MASK;

	if (is_real) {
		double real = floor(lanes_real(value) * (is_scaled ? (double)size : 1));

		if (!(real > -9e18 && real < 9e18))
			return false;
		value = (int64_t)real;
	}
	if (mode == SAMPLER_ADDRESS_REPEAT || mode == SAMPLER_ADDRESS_MIRRORED) {
		value %= size;
		value += value < 0 ? size : 0;
	}
	*texel = value < 0 ? 0 : value >= size ? size - 1 : value;
	return true;
}

/* Rows of rows of texels, counted from the first. */
void lanes_texel(struct evaluator *evaluator, const struct ir_node *n, int64_t *r, uint8_t *k)
{
	const struct ir_kernel *kernel = evaluator->kernel;
	const uint32_t *operands = kernel->operands + n->first_operand;
	uint32_t number = kernel->objects[n->aux].argument;
	const struct launch_argument *image = &evaluator->launch->arguments[number];
	unsigned lanes = evaluator->lanes, coordinates = n->imm & TEXEL_COORDINATES;
	unsigned dimensions = image_dimensions((enum image_kind)kernel->arguments[number].image);
	bool has_sampler =
	        n->operand_count > coordinates && lanes_has(evaluator, operands[coordinates]);

	memset(k, LANES_KNOWN, lanes);
	memset(r, 0, lanes * sizeof(*r));
	for (unsigned c = coordinates; c-- > 0;) {
		int64_t size = lanes_image_size(image, c);
		bool is_real = type_is_real(kernel->nodes[operands[c]].type);

		for (unsigned i = 0; i < lanes; i++) {
			unsigned sampler = 0;
			int64_t texel = 0;

			if (has_sampler)
				sampler =
				        (unsigned)lanes_value(evaluator, operands[coordinates])[i];
			if (!lanes_has(evaluator, operands[c]) ||
			    !texel_along(lanes_value(evaluator, operands[c])[i], is_real,
			                 c < dimensions && (sampler & SAMPLER_NORMALIZED), size,
			                 sampler, &texel)) {
				k[i] = 0;
				continue;
			}
			k[i] &= lanes_known(evaluator, operands[c])[i];
			r[i] = r[i] * size + texel; /* checked: texels of an image can be counted */
		}
	}
}

/* Solves the symmetric system of four by elimination; unknowns without a say are 0. */
static void solve(double a[4][5], double x[4])
{
	for (unsigned i = 0; i < 4; i++) {
		if (!(fabs(a[i][i]) > 1e-9)) {
			for (unsigned j = 0; j < 4; j++)
				a[j][i] = 0;
			a[i][i] = 0;
			continue;
		}
		for (unsigned row = 0; row < 4; row++) {
			double share = row == i ? 0 : a[row][i] / a[i][i];

			for (unsigned j = 0; j < 5; j++)
				a[row][j] -= share * a[i][j];
		}
	}
	for (unsigned i = 0; i < 4; i++)
		x[i] = fabs(a[i][i]) > 1e-9 ? a[i][4] / a[i][i] : 0;
}

bool lanes_slopes(const struct evaluator *evaluator, uint32_t node, double scale, double *base,
                  double step[3], double *far)
{
	const int64_t *value = lanes_value(evaluator, node);
	unsigned lanes = evaluator->lanes;
	double mean[4] = {0}, a[4][5] = {{0}}, x[4], count = 0;

	for (unsigned i = 0; i < lanes; i++) {
		if (!evaluator->is_lane[i])
			continue;
		count++;
		for (unsigned d = 0; d < 3; d++)
			mean[d] += (double)(evaluator->ids[(size_t)d * lanes + i] -
			                    evaluator->launch->offset[d]);
		mean[3] += lanes_real(value[i]) * scale;
	}
	if (!(count > 0) || !isfinite(mean[3]))
		return false;
	for (unsigned d = 0; d < 4; d++)
		mean[d] /= count;
	for (unsigned i = 0; i < lanes; i++) {
		double row[4];

		if (!evaluator->is_lane[i])
			continue;
		for (unsigned d = 0; d < 3; d++)
			row[d] = (double)(evaluator->ids[(size_t)d * lanes + i] -
			                  evaluator->launch->offset[d]) -
			         mean[d];
		row[3] = lanes_real(value[i]) * scale - mean[3];
		for (unsigned d = 0; d < 3; d++) {
			for (unsigned e = 0; e < 3; e++)
				a[d][e] += row[d] * row[e];
			a[d][4] += row[d] * row[3];
		}
	}
	solve(a, x);
	*base = mean[3];
	for (unsigned d = 0; d < 3; d++) {
		step[d] = x[d];
		*base -= x[d] * mean[d];
	}
	*far = 0;
	for (unsigned i = 0; i < lanes; i++) {
		double guess = *base;

		for (unsigned d = 0; d < 3; d++)
			guess += step[d] * (double)(evaluator->ids[(size_t)d * lanes + i] -
			                            evaluator->launch->offset[d]);
		if (evaluator->is_lane[i])
			*far = fmax(*far, fabs(guess - lanes_real(value[i]) * scale));
	}
	return isfinite(*base) && isfinite(*far) && fabs(*base) < 1e15;
}
