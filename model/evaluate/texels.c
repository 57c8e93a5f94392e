/* SPDX-License-Identifier: Apache-2.0 */
/* Texels: where sampled work-items read and write images, and the line through their coordinates.
 */
#include <math.h>
#include <string.h>

#include "model/evaluate/lanes.h"

/* The texel along one dimension: reals fall into the one below; beyond the edges as sampled. */
static bool texel_along(int64_t value, bool is_real, bool is_scaled, int64_t size, unsigned sampler,
                        int64_t *texel)
{
	unsigned mode = sampler & SAMPLER_ADDRESS_MASK;

	if (is_real) {
		double real = floor(number_real(value) * (is_scaled ? (double)size : 1));

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
void lanes_texel(const struct lanes *lanes, const struct ir_node *n, int64_t *r, uint8_t *k)
{
	const struct ir_kernel *kernel = lanes->kernel;
	const uint32_t *operands = kernel->operands + n->first_operand;
	uint32_t number = kernel->objects[n->aux].argument;
	const struct launch_argument *image = &lanes->question->launch->arguments[number];
	unsigned count = lanes->count, coordinates = n->imm & TEXEL_COORDINATES;
	unsigned dimensions = image_dimensions((enum image_kind)kernel->arguments[number].image);
	bool has_sampler =
	        n->operand_count > coordinates && lanes_has(lanes, operands[coordinates]);

	memset(k, NUMBER_KNOWN, count);
	memset(r, 0, count * sizeof(*r));
	for (unsigned c = coordinates; c-- > 0;) {
		int64_t size = question_image_size(image, c);
		bool is_real = type_is_real(kernel->nodes[operands[c]].type);

		for (unsigned i = 0; i < count; i++) {
			unsigned sampler = 0;
			int64_t texel = 0;

			if (has_sampler)
				sampler = (unsigned)lanes_value(lanes, operands[coordinates])[i];
			if (!lanes_has(lanes, operands[c]) ||
			    !texel_along(lanes_value(lanes, operands[c])[i], is_real,
			                 c < dimensions && (sampler & SAMPLER_NORMALIZED), size,
			                 sampler, &texel)) {
				k[i] = 0;
				continue;
			}
			k[i] &= lanes_known(lanes, operands[c])[i];
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

bool lanes_slopes(const struct lanes *lanes, uint32_t node, double scale, double *base,
                  double step[3], double *far)
{
	const int64_t *value = lanes_value(lanes, node);
	double mean[4] = {0}, a[4][5] = {{0}}, x[4], count = 0;

	for (unsigned i = 0; i < lanes->count; i++) {
		if (!lanes->sampled->is_lane[i])
			continue;
		count++;
		for (unsigned d = 0; d < 3; d++)
			mean[d] += (double)(lanes->sampled->ids[(size_t)d * lanes->count + i] -
			                    lanes->question->launch->offset[d]);
		mean[3] += number_real(value[i]) * scale;
	}
	if (!(count > 0) || !isfinite(mean[3]))
		return false;
	for (unsigned d = 0; d < 4; d++)
		mean[d] /= count;
	for (unsigned i = 0; i < lanes->count; i++) {
		double row[4];

		if (!lanes->sampled->is_lane[i])
			continue;
		for (unsigned d = 0; d < 3; d++)
			row[d] = (double)(lanes->sampled->ids[(size_t)d * lanes->count + i] -
			                  lanes->question->launch->offset[d]) -
			         mean[d];
		row[3] = number_real(value[i]) * scale - mean[3];
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
	for (unsigned i = 0; i < lanes->count; i++) {
		double guess = *base;

		for (unsigned d = 0; d < 3; d++)
			guess += step[d] *
			         (double)(lanes->sampled->ids[(size_t)d * lanes->count + i] -
			                  lanes->question->launch->offset[d]);
		if (lanes->sampled->is_lane[i])
			*far = fmax(*far, fabs(guess - number_real(value[i]) * scale));
	}
	return isfinite(*base) && isfinite(*far) && fabs(*base) < 1e15;
}
