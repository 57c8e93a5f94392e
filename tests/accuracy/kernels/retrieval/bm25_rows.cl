// SPDX-License-Identifier: Apache-2.0
// Documents ranked against a query by Okapi BM25. A document is a row of (word << 8 | count); the query's words and
// their weights are few and sorted. Those that score well enough are listed, in any order.

#define K1 1.2f
#define B 0.75f

typedef struct {
    uint document;
    float score;
} hit_t;

__kernel void bm25_rows(__global const int *start, __global const uint *entries, __global const float *lengths,
                        const float mean_length, __constant uint *words, __constant float *weights, const int word_count,
                        const float enough, __global hit_t *hits, const uint most, __global uint *hit_count,
                        const int documents)
{
    const int doc = get_global_id(0);
    if (doc >= documents)
        return;

    const float norm = K1 * (1.0f - B + B * lengths[doc] / mean_length);
    float score = 0.0f;
    for (int e = start[doc]; e < start[doc + 1]; ++e) {
        const uint word = entries[e] >> 8;
        int k = 0;
        while (k < word_count && words[k] < word)
            ++k;
        if (k < word_count && words[k] == word) {
            const float count = entries[e] & 255;
            score += weights[k] * count * (K1 + 1.0f) / (count + norm);
        }
    }

    if (score >= enough) {
        const uint slot = atomic_inc(hit_count);
        if (slot < most) {
            hits[slot].document = doc;
            hits[slot].score = score;
        }
    }
}
