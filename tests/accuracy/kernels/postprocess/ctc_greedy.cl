/* SPDX-License-Identifier: Apache-2.0 */
/* Greedy CTC decoding: per utterance the likeliest symbol of every frame, repeats once, blanks (0) left out. */

#define ALPHABET 32

static int argmax32(__global const float *frame, float *value)
{
    float8 best = vload8(0, frame);
    int8 which = (int8)(0, 1, 2, 3, 4, 5, 6, 7);

    for (int i = 1; i < ALPHABET / 8; i++) {
        float8 v = vload8(i, frame);
        int8 greater = v > best;
        which = select(which, (int8)(0, 1, 2, 3, 4, 5, 6, 7) + 8 * i, greater);
        best = fmax(best, v);
    }

    float b[8];
    int w[8], winner = 0;
    vstore8(best, 0, b);
    vstore8(which, 0, w);
    for (int i = 1; i < 8; i++)
        if (b[i] > b[winner] || (b[i] == b[winner] && w[i] < w[winner]))
            winner = i;
    *value = b[winner];
    return w[winner];
}

__kernel void ctc_greedy(__global const float *log_probs, __global const int *frame_start, __global uchar *symbols,
                         __global int *lengths, __global float *scores, const int utterances)
{
    const int u = get_global_id(0);
    if (u >= utterances)
        return;

    __global uchar *out = symbols + frame_start[u];
    int length = 0, before = 0;
    float score = 0.0f;

    for (int t = frame_start[u]; t < frame_start[u + 1]; t++) {
        float value;
        const int s = argmax32(log_probs + (size_t)t * ALPHABET, &value);
        score += value;
        if (s != before && s != 0)
            out[length++] = (uchar)s;
        before = s;
    }
    lengths[u] = length;
    scores[u] = score;
}
