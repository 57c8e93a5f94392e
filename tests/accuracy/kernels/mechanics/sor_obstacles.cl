/* SPDX-License-Identifier: Apache-2.0 */
/* Pressure of a flow around obstacles: one colour of a board in three dimensions, relaxed. A byte says which of six
 * neighbours are fluid, and with bit 7 that a cell is solid. All arrays have a cell more on each side. */
#define LEFT 1
#define RIGHT 2
#define FRONT 4
#define BACK 8
#define BOTTOM 16
#define TOP 32
#define SOLID 128

kernel void sor_obstacles(global float *p, global const float *source, global const uchar *flags, int side, int colour,
                          float omega)
{
	const int y = get_global_id(1) + 1, z = get_global_id(2) + 1;
	const int x = 2 * get_global_id(0) + ((y + z + colour) & 1) + 1;
	const int row = side + 2, layer = row * row;
	if (x > side || y > side || z > side)
		return;

	const int i = z * layer + y * row + x;
	const uchar cell = flags[i];
	if (cell & SOLID)
		return;
	float sum = 0.0f;
	int open = 0;
	if (cell & LEFT) { sum += p[i - 1]; open++; }
	if (cell & RIGHT) { sum += p[i + 1]; open++; }
	if (cell & FRONT) { sum += p[i - row]; open++; }
	if (cell & BACK) { sum += p[i + row]; open++; }
	if (cell & BOTTOM) { sum += p[i - layer]; open++; }
	if (cell & TOP) { sum += p[i + layer]; open++; }
	if (open > 0)
		p[i] += omega * ((sum - source[i]) / open - p[i]);
}
