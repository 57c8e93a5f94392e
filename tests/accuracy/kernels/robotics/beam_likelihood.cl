// SPDX-License-Identifier: Apache-2.0
// Particle filter, measurement update: every particle casts its beams through the occupancy grid and compares what they
// hit with what the scanner measured. No floats until the very end: positions in 1/256 cells, headings in 1/256 turns.

typedef struct {
  int x, y;
  int heading;
  int age;
} particle_t;

enum { OCCUPIED = 248, ERRORS = 64 };

static int cast(__global const uchar *grid, int side, int x, int y, short2 step, int range_max)
{
  for (int range = 0; range < range_max; ++range) {
    const int cx = x >> 8, cy = y >> 8;
    if (cx < 0 || cy < 0 || cx >= side || cy >= side)
      return range_max;
    if (grid[cy * side + cx] >= OCCUPIED)
      return range;
    x += step.x;
    y += step.y;
  }
  return range_max;
}

__kernel void beam_likelihood(__global const particle_t *particles, __global const uchar *grid, int side,
                              __constant short2 *directions, __global const int *scan, int beams, int range_max,
                              __constant float *log_likelihood, __global float *weights, int count)
{
  const int id = get_global_id(0);
  if (id >= count)
    return;

  const particle_t p = particles[id];
  float weight = 0.0f;
  for (int b = 0; b < beams; ++b) {
    const int angle = (p.heading + b * 256 / beams) & 255;
    const int hit = cast(grid, side, p.x, p.y, directions[angle], range_max);
    const int error = min((int)abs(hit - scan[b]), ERRORS - 1);
    weight += log_likelihood[error];
  }
  weights[id] = weight;
}
