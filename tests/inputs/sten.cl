// SPDX-License-Identifier: Apache-2.0
#define IN x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1
#define IDS int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), i = (z * ny + y) * nx + x;
kernel void inplace(global float* a, global float* b, int nx, int ny, int nz) { IDS if (IN) a[i] = a[i - 1] + a[i + 1] + a[i - nx] + a[i + nx] + a[i - nx * ny] + a[i + nx * ny]; }
kernel void outplace(global float* a, global float* b, int nx, int ny, int nz) { IDS if (IN) b[i] = a[i - 1] + a[i + 1] + a[i - nx] + a[i + nx] + a[i - nx * ny] + a[i + nx * ny]; }
kernel void early(global float* a, global float* b, int nx, int ny, int nz) { IDS if (x == 0 || x >= nx - 1 || y == 0 || y >= ny - 1 || z == 0 || z >= nz - 1) return; b[i] = a[i - 1] + a[i + 1] + a[i - nx] + a[i + nx] + a[i - nx * ny] + a[i + nx * ny]; }
kernel void onlyx(global float* a, global float* b, int nx, int ny, int nz) { IDS if (x > 0 && x < nx - 1) b[i] = a[i - 1] + a[i + 1]; }
kernel void noguard(global float* a, global float* b, int nx, int ny, int nz) { IDS i = clamp(i, 4160, 200000); b[i] = a[i - 1] + a[i + 1] + a[i - nx] + a[i + nx] + a[i - nx * ny] + a[i + nx * ny]; }
kernel void noclamp(global float* a, global float* b, int nx, int ny, int nz) { IDS i += 5000; b[i] = a[i - 1] + a[i + 1] + a[i - nx] + a[i + nx] + a[i - nx * ny] + a[i + nx * ny]; }
