// SPDX-License-Identifier: Apache-2.0
/* 16 arrays, each LEN floats, one after another: a lattice cell's layout in LBM codes */
kernel void soa(global float* f, uint len) { uint n = get_global_id(0); float s = 0; for (uint i = 0; i < 16; i++) s += f[i * len + n]; for (uint i = 0; i < 16; i++) f[i * len + n] = s * (i + 1); }
kernel void soa_priv(global float* f, uint len) { uint n = get_global_id(0); float v[16]; for (uint i = 0; i < 16; i++) v[i] = f[i * len + n]; float s = 0; for (uint i = 0; i < 16; i++) s += v[i]; for (uint i = 0; i < 16; i++) f[i * len + n] = v[i] - s; }
