/* SPDX-License-Identifier: Apache-2.0 */
/* One step of a wildfire on a grid: a cell with fuel takes fire from burning neighbours with a chance made of fuel,
   moisture, slope and wind; one that burns uses up its fuel. */
#define BARE    0
#define FUEL    1
#define BURNING 2
#define BURNT   3

typedef struct {
	uchar state;      /* low two bits */
	uchar load;
	uchar moisture;
	uchar age;        /* steps on fire */
} cell;

uint mixed(uint v)
{
	v ^= v >> 16;
	v *= 0x7feb352du;
	v ^= v >> 15;
	v *= 0x846ca68bu;
	return v ^ (v >> 16);
}

__kernel void fire_spread(__global const cell *before, __global const float *elevation, __global cell *after, int width,
                          int height, float cell_m, float wind_m_per_s, float wind_direction, float base, uint step,
                          __global uint *burning)
{
	int x = get_global_id(0), y = get_global_id(1);
	if (x >= width || y >= height)
		return;
	int here = y * width + x;
	cell own = before[here];
	int state = own.state & 3;

	if (state == BURNING) {
		own.age++;
		if (own.age * 4 > own.load)
			state = BURNT;
	} else if (state == FUEL) {
		float survives = 1.0f;
		float dry = base * (own.load / 255.0f) * exp(-2.0f * own.moisture / 255.0f);
		for (int dy = -1; dy <= 1; dy++)
			for (int dx = -1; dx <= 1; dx++) {
				int nx = x + dx, ny = y + dy;
				if ((dx == 0 && dy == 0) || nx < 0 || ny < 0 || nx >= width || ny >= height)
					continue;
				int there = ny * width + nx;
				if ((before[there].state & 3) != BURNING)
					continue;
				float distance = cell_m * (dx != 0 && dy != 0 ? 1.4142136f : 1.0f);
				float slope = atan((elevation[here] - elevation[there]) / distance);
				float along = cos(wind_direction - atan2((float)-dy, (float)-dx));
				float wind = exp(wind_m_per_s * (0.045f + 0.131f * (along - 1.0f)));
				survives *= 1.0f - fmin(dry * wind * exp(2.0f * slope), 1.0f);
			}
		float draw = (mixed(here ^ mixed(step)) >> 8) * 0x1p-24f;
		if (draw >= survives) {
			state = BURNING;
			own.age = 0;
		}
	}
	own.state = (uchar)state;
	after[here] = own;
	if (state == BURNING)
		atomic_inc(burning);
}
