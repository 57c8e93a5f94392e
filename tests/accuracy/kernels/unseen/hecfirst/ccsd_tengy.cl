/* SPDX-License-Identifier: Apache-2.0 */
/* Triples of coupled clusters, CCSD(T): what pairs b, c of virtual orbitals add to four energies, from eight matrices
   read along rows and columns; sums are by compare and swap of 64 bits. */
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

void add_double(volatile __global ulong *at, double value)
{
    ulong seen = *at, old;

    do {
        old = seen;
        seen = atom_cmpxchg(at, old, as_ulong(value + as_double(old)));
    } while (seen != old);
}

__kernel void ccsd_tengy(__global const double *f1n, __global const double *f1t, __global const double *f2n,
                         __global const double *f2t, __global const double *f3n, __global const double *f3t,
                         __global const double *f4n, __global const double *f4t, __global const double *dintc1,
                         __global const double *dintx1, __global const double *t1v1, __global const double *dintc2,
                         __global const double *dintx2, __global const double *t1v2, __global const double *eorb,
                         const double eaijk, volatile __global ulong *energies, const int ncor, const int nocc,
                         const int nvir)
{
    const int b = get_global_id(0), c = get_global_id(1);

    if (b >= nvir || c >= nvir)
        return;
    const double denom = -1.0 / (eorb[ncor + nocc + b] + eorb[ncor + nocc + c] + eaijk);
    const int bc = b + c * nvir, cb = c + b * nvir;
    const double f1nbc = f1n[bc], f1tbc = f1t[bc], f1ncb = f1n[cb], f1tcb = f1t[cb];
    const double f2nbc = f2n[bc], f2tbc = f2t[bc], f2ncb = f2n[cb], f2tcb = f2t[cb];
    const double f3nbc = f3n[bc], f3tbc = f3t[bc], f3ncb = f3n[cb], f3tcb = f3t[cb];
    const double f4nbc = f4n[bc], f4tbc = f4t[bc], f4ncb = f4n[cb], f4tcb = f4t[cb];

    add_double(energies,
               denom * (f1tbc + f1ncb + f2tcb + f3nbc + f4ncb) * (f1tbc - f2tbc * 2 - f3tbc * 2 + f4tbc) -
                   denom * (f1nbc + f1tcb + f2ncb + f3ncb) * (f1tbc * 2 - f2tbc - f3tbc + f4tbc * 2) +
                   denom * 3 * (f1nbc * (f1nbc + f3ncb + f4tcb * 2) + f2nbc * f2tcb + f3nbc * f4tbc));
    add_double(energies + 1,
               denom * (f1nbc + f1tcb + f2ncb + f3tbc + f4tcb) * (f1nbc - f2nbc * 2 - f3nbc * 2 + f4nbc) -
                   denom * (f1tbc + f1ncb + f2tcb + f3tcb) * (f1nbc * 2 - f2nbc - f3nbc + f4nbc * 2) +
                   denom * 3 * (f1tbc * (f1tbc + f3tcb + f4ncb * 2) + f2tbc * f2ncb + f3tbc * f4nbc));

    const double t1v1b = t1v1[b], t1v2b = t1v2[b];
    const double dintx1c = dintx1[c], dintx2c = dintx2[c], dintc1c = dintc1[c], dintc2c = dintc2[c];

    add_double(energies + 2,
               denom * t1v1b * dintx1c *
                       (f1tbc + f2nbc + f4ncb - (f3tbc + f4nbc + f2ncb + f1nbc + f2tbc + f3ncb) * 2 +
                        (f3nbc + f4tbc + f1ncb) * 4) +
                   denom * t1v1b * dintc1c * (f1nbc + f4nbc + f1tcb - (f2nbc + f3nbc + f2tcb) * 2));
    add_double(energies + 3,
               denom * t1v2b * dintx2c *
                       (f1nbc + f2tbc + f4tcb - (f3nbc + f4tbc + f2tcb + f1tbc + f2nbc + f3tcb) * 2 +
                        (f3tbc + f4nbc + f1tcb) * 4) +
                   denom * t1v2b * dintc2c * (f1tbc + f4tbc + f1ncb - (f2tbc + f3tbc + f2ncb) * 2));
}
