/* SPDX-License-Identifier: Apache-2.0 */
/* A step of a gas along rows: slopes limited by minmod, fluxes between cells by Harten, Lax and van Leer. A state is
 * density, momenta and energy. Rows have two more cells on either side. */
#define GAMMA 1.4f

typedef float4 state;

state minmod(state a, state b)
{
	return 0.5f * (sign(a) + sign(b)) * fmin(fabs(a), fabs(b));
}

float pressure(state q)
{
	return fmax((GAMMA - 1.0f) * (q.w - 0.5f * (q.y * q.y + q.z * q.z) / q.x), 1e-4f);
}

state flux(state left, state right)
{
	float ul = left.y / left.x, ur = right.y / right.x;
	float pl = pressure(left), pr = pressure(right);
	float cl = sqrt(GAMMA * pl / left.x), cr = sqrt(GAMMA * pr / right.x);
	float slowest = fmin(ul - cl, ur - cr), fastest = fmax(ul + cl, ur + cr);
	state fl = ul * left + (state)(0.0f, pl, 0.0f, ul * pl);
	state fr = ur * right + (state)(0.0f, pr, 0.0f, ur * pr);
	if (slowest >= 0.0f)
		return fl;
	if (fastest <= 0.0f)
		return fr;
	return (fastest * fl - slowest * fr + slowest * fastest * (right - left)) / (fastest - slowest);
}

kernel void muscl_step(global const float *restrict density, global const float *restrict momentum_x,
                       global const float *restrict momentum_y, global const float *restrict energy,
                       global float4 *restrict after, int width, int height, float ratio)
{
	int x = get_global_id(0), y = get_global_id(1);
	if (x >= width || y >= height)
		return;

	int from = y * (width + 4) + x;
	state q[5];
	for (int k = 0; k < 5; k++)
		q[k] = (state)(density[from + k], momentum_x[from + k], momentum_y[from + k], energy[from + k]);
	state before = 0.5f * minmod(q[1] - q[0], q[2] - q[1]);
	state here = 0.5f * minmod(q[2] - q[1], q[3] - q[2]);
	state behind = 0.5f * minmod(q[3] - q[2], q[4] - q[3]);
	state in = flux(q[1] + before, q[2] - here);
	state out = flux(q[2] + here, q[3] - behind);
	after[y * width + x] = q[2] - ratio * (out - in);
}
