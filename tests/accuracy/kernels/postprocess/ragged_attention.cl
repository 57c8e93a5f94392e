// SPDX-License-Identifier: Apache-2.0
// One decoding step of attention over a cache of 8-bit keys and values with a scale per token. Sequences have lengths of
// their own: tokens seq_start[s] .. seq_start[s + 1]. A work-group makes one head of one sequence, by online softmax
// over chunks of as many tokens as it has work-items.

#define HEAD_DIM 64
#define HEAD_VEC (HEAD_DIM / 4)
#define MAX_GROUP 128

kernel void ragged_attention(global const float *query,      // [sequences][heads][HEAD_DIM]
                             global const char4 *keys,       // [tokens][heads][HEAD_VEC]
                             global const char *values,      // [tokens][heads][HEAD_DIM]
                             global const float *key_scale,  // [tokens]
                             global const float *value_scale,
                             global const int *seq_start,
                             global float *out,
                             float temperature)
{
    const int head = get_group_id(0), heads = get_num_groups(0);
    const int seq = get_group_id(1);
    const int lid = get_local_id(0), lsz = get_local_size(0);
    const int first = seq_start[seq], last = seq_start[seq + 1];

    local float4 q[HEAD_VEC];
    local float p[MAX_GROUP];
    local float acc[HEAD_DIM];

    for (int d = lid; d < HEAD_VEC; d += lsz)
        q[d] = vload4((seq * heads + head) * HEAD_VEC + d, query) * temperature;
    for (int d = lid; d < HEAD_DIM; d += lsz)
        acc[d] = 0.0f;

    float running_max = -INFINITY, running_sum = 0.0f;

    for (int base = first; base < last; base += lsz) {
        const int token = base + lid;
        const int here = min(lsz, last - base);
        barrier(CLK_LOCAL_MEM_FENCE);

        if (token < last) {
            float4 dot4 = (float4)(0.0f);
            for (int d = 0; d < HEAD_VEC; d++)
                dot4 += q[d] * convert_float4(keys[(token * heads + head) * HEAD_VEC + d]);
            p[lid] = (dot4.x + dot4.y + dot4.z + dot4.w) * key_scale[token];
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        float chunk_max = running_max;
        for (int i = 0; i < here; i++)
            chunk_max = fmax(chunk_max, p[i]);
        const float rescale = exp(running_max - chunk_max);
        running_max = chunk_max;
        barrier(CLK_LOCAL_MEM_FENCE);

        if (token < last)
            p[lid] = exp(p[lid] - chunk_max);
        barrier(CLK_LOCAL_MEM_FENCE);

        running_sum *= rescale;
        for (int i = 0; i < here; i++)
            running_sum += p[i];
        for (int d = lid; d < HEAD_DIM; d += lsz) {
            float a = acc[d] * rescale;
            for (int i = 0; i < here; i++)
                a += p[i] * value_scale[base + i] * values[((base + i) * heads + head) * HEAD_DIM + d];
            acc[d] = a;
        }
    }

    for (int d = lid; d < HEAD_DIM; d += lsz)
        out[(seq * heads + head) * HEAD_DIM + d] = first < last ? acc[d] / running_sum : 0.0f;
}
