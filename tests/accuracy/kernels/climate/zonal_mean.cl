/* SPDX-License-Identifier: Apache-2.0 */
/* Mean and standard deviation along circles of latitude, missing values (at or above `missing`) left out. A work-group
 * has a circle; the two passes share a tree in local memory. */

static float tree_sum(__local float *buf, float x)
{
    int l = get_local_id(0);

    barrier(CLK_LOCAL_MEM_FENCE);
    buf[l] = x;
    for (int s = get_local_size(0) / 2; s; s /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s)
            buf[l] += buf[l + s];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return buf[0];
}

__kernel void zonal_mean(__global const float *field, float missing, int nlon, __global float *mean,
                         __global float *deviation, __global int *valid, __local float *buf)
{
    int row = get_group_id(1) * get_num_groups(0) + get_group_id(0);
    __global const float *circle = field + (size_t)row * nlon;
    float n = 0, sum = 0, squares = 0;

    for (int lon = get_local_id(0); lon < nlon; lon += get_local_size(0))
        if (circle[lon] < missing) {
            n += 1;
            sum += circle[lon];
        }
    n = tree_sum(buf, n);
    sum = tree_sum(buf, sum);
    float average = n > 0 ? sum / n : missing;

    for (int lon = get_local_id(0); lon < nlon; lon += get_local_size(0)) {
        float x = circle[lon];
        if (x < missing)
            squares += (x - average) * (x - average);
    }
    squares = tree_sum(buf, squares);

    if (get_local_id(0) == 0) {
        mean[row] = average;
        deviation[row] = n > 1 ? sqrt(squares / (n - 1)) : 0;
        valid[row] = (int)n;
    }
}
