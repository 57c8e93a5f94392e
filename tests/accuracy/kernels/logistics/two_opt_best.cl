/* SPDX-License-Identifier: Apache-2.0 */
/* The best 2-opt move of each tour, a work-group per tour: cities of the tour in local memory in the order that
 * they are visited in, all pairs of edges shared out, then a tree that keeps the largest gain. */
__kernel void two_opt_best(__global const float2 *cities, __global const ushort *tours, const int length,
                           __global float *best_gain, __global int2 *best_move, __local float2 *at,
                           __local float *gains, __local int2 *moves)
{
    const int lid = get_local_id(0), size = get_local_size(0);
    __global const ushort *tour = tours + get_group_id(0) * length;

    for (int k = lid; k < length; k += size)
        at[k] = cities[tour[k]];
    barrier(CLK_LOCAL_MEM_FENCE);

    float gain = 0.0f;
    int2 move = (int2)(-1, -1);
    for (int i = lid; i < length - 2; i += size) {
        const float2 a = at[i], b = at[i + 1];
        const float here = distance(a, b);
        for (int j = i + 2; j < length; j++) {
            const float2 c = at[j];
            const float2 d = at[j + 1 == length ? 0 : j + 1];
            if (j + 1 == length && i == 0)
                continue;
            const float win = here + distance(c, d) - distance(a, c) - distance(b, d);
            if (win > gain) {
                gain = win;
                move = (int2)(i, j);
            }
        }
    }
    gains[lid] = gain;
    moves[lid] = move;

    for (int half_size = size >> 1; half_size > 0; half_size >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_size && gains[lid + half_size] > gains[lid]) {
            gains[lid] = gains[lid + half_size];
            moves[lid] = moves[lid + half_size];
        }
    }
    if (lid == 0) {
        best_gain[get_group_id(0)] = gains[0];
        best_move[get_group_id(0)] = moves[0];
    }
}
