// SPDX-License-Identifier: Apache-2.0
// Repeated squaring of 256-bit residues in Montgomery form (coarsely integrated operand scanning). All share an odd
// modulus; limbs are stored limb-major, so that neighbours read neighbours.

#define LIMBS 8

inline void mont_mul(uint *r, const uint *a, const uint *b, __constant const uint *m, uint m_inv)
{
    uint t[LIMBS + 2];
    for (int i = 0; i < LIMBS + 2; i++)
        t[i] = 0;

    for (int i = 0; i < LIMBS; i++) {
        ulong carry = 0;
        for (int j = 0; j < LIMBS; j++) {
            carry += (ulong)a[j] * b[i] + t[j];
            t[j] = (uint)carry;
            carry >>= 32;
        }
        carry += t[LIMBS];
        t[LIMBS] = (uint)carry;
        t[LIMBS + 1] = (uint)(carry >> 32);

        uint q = t[0] * m_inv;
        carry = ((ulong)q * m[0] + t[0]) >> 32;
        for (int j = 1; j < LIMBS; j++) {
            carry += (ulong)q * m[j] + t[j];
            t[j - 1] = (uint)carry;
            carry >>= 32;
        }
        carry += t[LIMBS];
        t[LIMBS - 1] = (uint)carry;
        t[LIMBS] = t[LIMBS + 1] + (uint)(carry >> 32);
    }

    /* t may be one modulus too large */
    long borrow = 0;
    uint s[LIMBS];
    for (int j = 0; j < LIMBS; j++) {
        borrow += (long)t[j] - (long)m[j];
        s[j] = (uint)borrow;
        borrow >>= 32;
    }
    bool keep = t[LIMBS] == 0 && borrow != 0;
    for (int j = 0; j < LIMBS; j++)
        r[j] = keep ? t[j] : s[j];
}

kernel void montgomery_square(global uint *x, __constant const uint *modulus, uint m_inv, int squarings, uint count)
{
    uint id = get_global_id(0);
    if (id >= count)
        return;

    uint a[LIMBS];
    for (int j = 0; j < LIMBS; j++)
        a[j] = x[j * count + id];
    for (int n = 0; n < squarings; n++)
        mont_mul(a, a, a, modulus, m_inv);
    for (int j = 0; j < LIMBS; j++)
        x[j * count + id] = a[j];
}
