/* SPDX-License-Identifier: Apache-2.0 */
/* Murmur3's 128-bit hash for 64-bit machines: a work-item hashes one key, of any length, that begins at any byte. */
#define C1 0x87c37b91114253d5UL
#define C2 0x4cf5ad432745937fUL

ulong word_at(__global const uchar *bytes)
{
    ulong word = 0;
    for (int k = 0; k < 8; k++)
        word |= (ulong)bytes[k] << (8 * k);
    return word;
}

ulong finish(ulong k)
{
    k ^= k >> 33;
    k *= 0xff51afd7ed558ccdUL;
    k ^= k >> 33;
    k *= 0xc4ceb9fe1a85ec53UL;
    k ^= k >> 33;
    return k;
}

__kernel void murmur_x64(__global const uchar *text, __global const int *starts, const uint seed,
                         __global ulong2 *hashes, const int count)
{
    const int i = get_global_id(0);
    if (i >= count)
        return;

    __global const uchar *key = text + starts[i];
    const int length = starts[i + 1] - starts[i];
    const int blocks = length / 16;
    ulong h1 = seed, h2 = seed;

    for (int b = 0; b < blocks; b++) {
        const ulong k1 = word_at(key + 16 * b);
        const ulong k2 = word_at(key + 16 * b + 8);
        h1 ^= rotate(k1 * C1, 31UL) * C2;
        h1 = (rotate(h1, 27UL) + h2) * 5 + 0x52dce729;
        h2 ^= rotate(k2 * C2, 33UL) * C1;
        h2 = (rotate(h2, 31UL) + h1) * 5 + 0x38495ab5;
    }

    __global const uchar *tail = key + 16 * blocks;
    ulong k1 = 0, k2 = 0;
    switch (length & 15) {
    case 15:
        k2 ^= (ulong)tail[14] << 48;
    case 14:
        k2 ^= (ulong)tail[13] << 40;
    case 13:
        k2 ^= (ulong)tail[12] << 32;
    case 12:
        k2 ^= (ulong)tail[11] << 24;
    case 11:
        k2 ^= (ulong)tail[10] << 16;
    case 10:
        k2 ^= (ulong)tail[9] << 8;
    case 9:
        k2 ^= (ulong)tail[8];
        h2 ^= rotate(k2 * C2, 33UL) * C1;
    case 8:
        k1 ^= (ulong)tail[7] << 56;
    case 7:
        k1 ^= (ulong)tail[6] << 48;
    case 6:
        k1 ^= (ulong)tail[5] << 40;
    case 5:
        k1 ^= (ulong)tail[4] << 32;
    case 4:
        k1 ^= (ulong)tail[3] << 24;
    case 3:
        k1 ^= (ulong)tail[2] << 16;
    case 2:
        k1 ^= (ulong)tail[1] << 8;
    case 1:
        k1 ^= (ulong)tail[0];
        h1 ^= rotate(k1 * C1, 31UL) * C2;
    }

    h1 ^= length;
    h2 ^= length;
    h1 += h2;
    h2 += h1;
    h1 = finish(h1);
    h2 = finish(h2);
    h1 += h2;
    h2 += h1;
    hashes[i] = (ulong2)(h1, h2);
}
