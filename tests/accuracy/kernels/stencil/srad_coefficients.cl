/* SPDX-License-Identifier: Apache-2.0 */
/* Diffusion coefficients of speckle-reducing anisotropic diffusion; borders repeat. */
kernel void srad_coefficients(global const float *image, global float *coefficient, int width,
                              int height, float q0_squared)
{
	int x = get_global_id(0);
	int y = get_global_id(1);
	float here = image[y * width + x];
	float north = image[max(y - 1, 0) * width + x] - here;
	float south = image[min(y + 1, height - 1) * width + x] - here;
	float west = image[y * width + max(x - 1, 0)] - here;
	float east = image[y * width + min(x + 1, width - 1)] - here;
	float gradient = (north * north + south * south + west * west + east * east) / (here * here);
	float laplace = (north + south + west + east) / here;
	float numerator = 0.5f * gradient - 0.0625f * laplace * laplace;
	float denominator = 1.0f + 0.25f * laplace;
	float q_squared = numerator / (denominator * denominator);
	float value = 1.0f / (1.0f + (q_squared - q0_squared) / (q0_squared * (1.0f + q0_squared)));

	coefficient[y * width + x] = clamp(value, 0.0f, 1.0f);
}
