/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of points as SIFT's: 4 x 4 cells around a point, turned by its angle, eight directions each. A cell is a
 * work-item's; those of a point norm their descriptor together. Points are (x, y) as parts of the image, angle, -. */
#define CELLS 16
#define BINS 8

kernel void gradient_cells(global const float4 *points, global const float *image, global uchar *descriptors, int width,
                           int height, local float *square)
{
	const int lid = get_local_id(0), cell = lid % CELLS;
	const float4 point = points[get_global_id(0) / CELLS];
	const float sine = sin(point.z), cosine = cos(point.z);
	float bins[BINS];

	for (int b = 0; b < BINS; b++)
		bins[b] = 0.0f;
	for (int s = 0; s < 16; s++) {
		const float u = cell % 4 * 4 + s % 4 - 7.5f, v = cell / 4 * 4 + s / 4 - 7.5f;
		const int x = clamp((int)(point.x * width + cosine * u - sine * v), 1, width - 2);
		const int y = clamp((int)(point.y * height + sine * u + cosine * v), 1, height - 2);
		global const float *at = image + y * width + x;
		const float dx = at[1] - at[-1], dy = at[width] - at[-width];
		const float weight = sqrt(dx * dx + dy * dy) * native_exp(-(u * u + v * v) / 128.0f);
		float turn = (atan2(dy, dx) - point.z) * (float)(BINS / (2 * M_PI_F));
		turn -= BINS * floor(turn / BINS);
		const int bin = (int)turn;
		bins[bin & 7] += weight * (1.0f - (turn - bin));
		bins[(bin + 1) & 7] += weight * (turn - bin);
	}
	float sum = 0.0f;
	for (int b = 0; b < BINS; b++)
		sum += bins[b] * bins[b];
	square[lid] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	sum = 1e-12f;
	for (int c = 0; c < CELLS; c++)
		sum += square[lid - cell + c];
	const float norm = rsqrt(sum);
	for (int b = 0; b < BINS; b++)
		descriptors[get_global_id(0) * BINS + b] = convert_uchar_sat(512.0f * fmin(bins[b] * norm, 0.2f));
}
