/* SPDX-License-Identifier: Apache-2.0 */
/* Lattice Boltzmann, two dimensions and nine directions: pull, then collide. */
constant int step_x[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
constant int step_y[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
constant float weight[9] = {0.44444444f, 0.11111111f, 0.11111111f, 0.11111111f, 0.11111111f,
                            0.02777778f, 0.02777778f, 0.02777778f, 0.02777778f};

kernel void lbm_d2q9(global const float *from, global float *to, int width, int height, float omega)
{
	int x = get_global_id(0);
	int y = get_global_id(1);
	int cells = width * height;
	float f[9];
	float density = 0.0f, vx = 0.0f, vy = 0.0f;

	for (int q = 0; q < 9; q++) {
		int sx = (x - step_x[q] + width) % width;
		int sy = (y - step_y[q] + height) % height;
		f[q] = from[q * cells + sy * width + sx];
		density += f[q];
		vx += f[q] * (float)step_x[q];
		vy += f[q] * (float)step_y[q];
	}
	vx /= density;
	vy /= density;
	float square = 1.5f * (vx * vx + vy * vy);
	for (int q = 0; q < 9; q++) {
		float along = 3.0f * (vx * (float)step_x[q] + vy * (float)step_y[q]);
		float rest = weight[q] * density * (1.0f + along + 0.5f * along * along - square);
		to[q * cells + y * width + x] = f[q] + omega * (rest - f[q]);
	}
}
