// SPDX-License-Identifier: Apache-2.0
// Top-p sampling: of each row of logits the probability above which the mass is at least p, by bisection, and how many
// words are above. One work-group per row; WG must be a power of two.

float group_sum(float mine, local float *scratch)
{
    const uint lid = get_local_id(0);
    scratch[lid] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_wg = get_local_size(0) >> 1; half_wg > 0; half_wg >>= 1) {
        if (lid < half_wg)
            scratch[lid] += scratch[lid + half_wg];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float total = scratch[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return total;
}

kernel void nucleus_threshold(global const float *logits, global float *probabilities, global float *cut,
                              global uint *kept, uint words, float p, int rounds, local float *scratch)
{
    const uint row = get_group_id(0), lid = get_local_id(0), wg = get_local_size(0);
    global const float *in = logits + row * words;
    global float *prob = probabilities + row * words;

    float sum = 0.0f;
    for (uint i = lid; i < words; i += wg) {
        const float e = exp(in[i]);
        prob[i] = e;
        sum += e;
    }
    const float scale = 1.0f / group_sum(sum, scratch);
    for (uint i = lid; i < words; i += wg)
        prob[i] *= scale;

    float low = 0.0f, high = 1.0f;
    for (int round = 0; round < rounds; round++) {
        const float middle = 0.5f * (low + high);
        float mass = 0.0f;
        for (uint i = lid; i < words; i += wg)
            mass += prob[i] > middle ? prob[i] : 0.0f;
        if (group_sum(mass, scratch) >= p)
            low = middle;
        else
            high = middle;
    }

    float count = 0.0f;
    for (uint i = lid; i < words; i += wg)
        count += prob[i] > low;
    count = group_sum(count, scratch);
    if (lid == 0) {
        cut[row] = low;
        kept[row] = (uint)count;
    }
}
