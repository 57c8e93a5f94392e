// SPDX-License-Identifier: Apache-2.0
// Texas hold'em: two hands against each other over random boards. A work-item plays one match-up many times; cards
// are 4 * rank + suit. Match-ups that name a card twice are none, and get 0 trials.

#define NONE 0u

inline uint shuffle_next(uint *state)
{
    uint x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *state = x;
    return x;
}

// The highest rank of five in a row, the ace counting below the two as well; 0: none.
uint straight_top(uint ranks)
{
    const uint r = ranks << 1 | (ranks >> 12 & 1);
    const uint runs = r & r << 1 & r << 2 & r << 3 & r << 4;
    return runs == 0 ? NONE : 31 - clz(runs);
}

uint highest(uint ranks, int how_many)
{
    while (popcount(ranks) > how_many)
        ranks &= ranks - 1;
    return ranks;
}

uint strength(const uchar *cards)
{
    uint suits[4] = {0, 0, 0, 0};
    uint once = 0, twice = 0, thrice = 0, four = 0;

    for (int i = 0; i < 7; ++i) {
        const uint rank = 1u << (cards[i] >> 2);
        suits[cards[i] & 3] |= rank;
        four |= thrice & rank;
        thrice |= twice & rank;
        twice |= once & rank;
        once |= rank;
    }

    uint flush = 0;
    for (int s = 0; s < 4; ++s) {
        if (popcount(suits[s]) >= 5)
            flush = suits[s];
    }
    if (flush != 0) {
        const uint top = straight_top(flush);
        if (top != NONE)
            return 8u << 26 | top;
    }
    if (four != 0)
        return 7u << 26 | highest(four, 1) << 13 | highest(once & ~highest(four, 1), 1);
    if (thrice != 0 && (twice & ~highest(thrice, 1)) != 0)
        return 6u << 26 | highest(thrice, 1) << 13 | highest(twice & ~highest(thrice, 1), 1);
    if (flush != 0)
        return 5u << 26 | highest(flush, 5);
    const uint top = straight_top(once);
    if (top != NONE)
        return 4u << 26 | top;
    if (thrice != 0)
        return 3u << 26 | thrice << 13 | highest(once & ~thrice, 2);
    if (twice != 0) {
        const uint pairs = highest(twice, 2);
        return (uint)popcount(pairs) << 26 | pairs << 13 | highest(once & ~pairs, popcount(pairs) == 2 ? 1 : 3);
    }
    return highest(once, 5);
}

__kernel void poker_equity(__global const uchar4 *matches, __global uint4 *results, const uint trials, const uint seed,
                           const uint count)
{
    const uint id = get_global_id(0);
    if (id >= count)
        return;

    const uchar4 m = matches[id] % (uchar4)(52);
    const ulong dealt = 1ul << m.x | 1ul << m.y | 1ul << m.z | 1ul << m.w;
    if (popcount(dealt) < 4) {
        results[id] = (uint4)(0);
        return;
    }

    uint state = (id * 2654435761u ^ seed) | 1;
    uint4 score = (uint4)(0, 0, 0, trials);
    for (uint t = 0; t < trials; ++t) {
        uchar ours[7] = {m.x, m.y};
        uchar theirs[7] = {m.z, m.w};
        ulong used = dealt;
        for (int k = 2; k < 7; ++k) {
            uint card;
            do {
                card = mul_hi(shuffle_next(&state), 52u);
            } while (used >> card & 1);
            used |= 1ul << card;
            ours[k] = theirs[k] = (uchar)card;
        }
        const uint a = strength(ours), b = strength(theirs);
        if (a > b)
            ++score.x;
        else if (a < b)
            ++score.y;
        else
            ++score.z;
    }
    results[id] = score;
}
