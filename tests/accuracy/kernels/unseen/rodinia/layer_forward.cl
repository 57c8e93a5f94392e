/* SPDX-License-Identifier: Apache-2.0 */
/* Back-propagation, from the inputs to the hidden layer: a work-group weighs SIDE inputs for SIDE hidden units and
   sums columns by a tree in local memory; the sums of groups are added elsewhere. The products stay behind in
   place of the weights. Arrays begin at index 1. */
__kernel void layer_forward(__global const float *input, __global float *weights, __global float *partial,
                            __local float *nodes, __local float *products, const int hidden)
{
    const int by = get_group_id(1);
    const int tx = get_local_id(0), ty = get_local_id(1);
    const int at = (hidden + 1) * SIDE * by + (hidden + 1) * ty + tx + 1 + (hidden + 1);

    if (tx == 0)
        nodes[ty] = input[SIDE * by + ty + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    products[ty * SIDE + tx] = weights[at];
    barrier(CLK_LOCAL_MEM_FENCE);
    products[ty * SIDE + tx] *= nodes[ty];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int span = 2; span <= SIDE; span *= 2) {
        if (ty % span == 0)
            products[ty * SIDE + tx] += products[(ty + span / 2) * SIDE + tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    weights[at] = products[ty * SIDE + tx];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tx == 0)
        partial[by * hidden + ty] = products[tx * SIDE + ty];
}
