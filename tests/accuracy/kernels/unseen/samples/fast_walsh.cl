// SPDX-License-Identifier: Apache-2.0
// One step of the fast Walsh transform, in place: a butterfly a work-item.
__kernel void fast_walsh(__global float *values, const int step)
{
    const uint id = get_global_id(0);
    const uint within = id % step;
    const uint pair = 2 * step * (id / step) + within;
    const uint match = pair + step;
    const float a = values[pair], b = values[match];

    values[pair] = a + b;
    values[match] = a - b;
}
