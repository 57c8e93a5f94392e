// SPDX-License-Identifier: Apache-2.0
// AES, four work-items per block of 16 bytes: each has a row of the state in local memory, and products in GF(2^8)
// are computed bit by bit.

uchar galois_multiply(uchar a, uchar b)
{
    uchar product = 0;
    for (int bit = 0; bit < 8; ++bit) {
        if (b & 1)
            product ^= a;
        const uchar carry = a & 0x80;
        a <<= 1;
        if (carry)
            a ^= 0x1b;
        b >>= 1;
    }
    return product;
}

uchar4 substitute(__global const uchar *sbox, uchar4 row)
{
    return (uchar4)(sbox[row.x], sbox[row.y], sbox[row.z], sbox[row.w]);
}

uchar4 shift_row(uchar4 row, uint places)
{
    for (uint k = 0; k < places; ++k)
        row = row.yzwx;
    return row;
}

uchar4 mix_columns(__local const uchar4 *state, const uchar *factors, uint row)
{
    uchar4 mixed = (uchar4)(0);
    for (uint k = 0; k < 4; ++k) {
        const uchar factor = factors[(k + 4 - row) % 4];
        mixed.x ^= galois_multiply(state[k].x, factor);
        mixed.y ^= galois_multiply(state[k].y, factor);
        mixed.z ^= galois_multiply(state[k].z, factor);
        mixed.w ^= galois_multiply(state[k].w, factor);
    }
    return mixed;
}

__kernel void aes_encrypt(__global uchar4 *output, __global const uchar4 *input, __global const uchar4 *round_key,
                          __global const uchar *sbox, __local uchar4 *block0, __local uchar4 *block1,
                          const uint width, const uint rounds)
{
    const uint row = get_local_id(1);
    const uint at = (get_group_id(1) * (width / 4) + get_global_id(0)) * 4 + row;
    const uint first = get_local_id(0) * 4, local_at = first + row;
    const uchar factors[4] = {2, 3, 1, 1};

    block0[local_at] = input[at] ^ round_key[row];
    for (uint r = 1; r < rounds; ++r) {
        block0[local_at] = substitute(sbox, block0[local_at]);
        block0[local_at] = shift_row(block0[local_at], row);
        barrier(CLK_LOCAL_MEM_FENCE);
        block1[local_at] = mix_columns(block0 + first, factors, row);
        barrier(CLK_LOCAL_MEM_FENCE);
        block0[local_at] = block1[local_at] ^ round_key[r * 4 + row];
    }
    block0[local_at] = substitute(sbox, block0[local_at]);
    block0[local_at] = shift_row(block0[local_at], row);
    output[at] = block0[local_at] ^ round_key[rounds * 4 + row];
}
