// SPDX-License-Identifier: Apache-2.0
// One observation of the Viterbi algorithm on many states: a work-group has a state, its work-items the states before,
// and a tree in local memory finds the likeliest.
__kernel void viterbi_step(__global float *likelihood_new, __global int *path, __global const float *likelihood_old,
                           __global const float *transition, __global const float *emission, const int states,
                           const int observation, const int at, __local float *best, __local int *from)
{
    const int lid = get_local_id(0), size = get_local_size(0);
    const int state = get_group_id(0);

    float highest = -FLT_MAX;
    int which = lid;
    for (int before = lid; before < states; before += size) {
        const float here = likelihood_old[before] + transition[state * states + before];
        if (here > highest) {
            highest = here;
            which = before;
        }
    }
    best[lid] = highest;
    from[lid] = which;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int half_size = size / 2; half_size > 0; half_size /= 2) {
        if (lid < half_size && best[lid + half_size] > best[lid]) {
            best[lid] = best[lid + half_size];
            from[lid] = from[lid + half_size];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) {
        likelihood_new[state] = best[0] + emission[observation * states + state];
        path[(at - 1) * states + state] = from[0];
    }
}
