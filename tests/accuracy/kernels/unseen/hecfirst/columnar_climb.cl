/* SPDX-License-Identifier: Apache-2.0 */
/* A columnar transposition broken by climbing hills: an item swaps two columns of its own key at random, deciphers,
   and keeps what scores better by the logarithms of pairs of letters, which stand in local memory. */
#define LENGTH 89
#define COLUMNS 7

uint step_of(uint *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

void decipher(const char *encrypted, const int *key, char *text)
{
    int from = 0;

    for (int k = 0; k < COLUMNS; k++) {
        for (int at = key[k]; at < LENGTH; at += COLUMNS)
            text[at] = encrypted[from++];
    }
}

float score_of(const char *text, __local const float *pairs)
{
    float score = 0.0f;

    for (int at = 0; at + 1 < LENGTH; at++)
        score += pairs[26 * text[at] + text[at + 1]];
    return score;
}

__kernel void columnar_climb(__global const char *encrypted, __global const float *pairs, __global const uint *seeds,
                             const int climbs, __global float *best, __global char *texts)
{
    __local float scores[26 * 26];
    const int i = get_global_id(0);
    uint state = seeds[i] | 1;
    char mine[LENGTH], text[LENGTH];
    int key[COLUMNS];

    for (int k = get_local_id(0); k < 26 * 26; k += get_local_size(0))
        scores[k] = pairs[k];
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int at = 0; at < LENGTH; at++)
        mine[at] = encrypted[at];
    for (int k = 0; k < COLUMNS; k++)
        key[k] = k;
    for (int k = COLUMNS - 1; k > 0; k--) {
        const int other = step_of(&state) % (k + 1);
        const int column = key[k];
        key[k] = key[other];
        key[other] = column;
    }
    decipher(mine, key, text);
    float highest = score_of(text, scores);

    for (int climb = 0; climb < climbs; climb++) {
        const int a = step_of(&state) % COLUMNS, b = step_of(&state) % COLUMNS;
        const int column = key[a];
        key[a] = key[b];
        key[b] = column;
        decipher(mine, key, text);
        const float score = score_of(text, scores);
        if (score > highest) {
            highest = score;
        } else {
            key[b] = key[a];
            key[a] = column;
        }
    }
    decipher(mine, key, text);
    best[i] = highest;
    for (int at = 0; at < LENGTH; at++)
        texts[i * LENGTH + at] = text[at];
}
