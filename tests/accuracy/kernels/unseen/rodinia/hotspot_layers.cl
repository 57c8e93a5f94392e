/* SPDX-License-Identifier: Apache-2.0 */
/* Temperature of a stack of chips: a work-item goes up through the layers at its place and keeps three temperatures;
   borders repeat. */
__kernel void hotspot_layers(__global const float *power, __global const float *from, __global float *to,
                             const float by_capacity, const int nx, const int ny, const int nz, const float ce,
                             const float cw, const float cn, const float cs, const float ct, const float cb,
                             const float cc)
{
    const float ambient = 80.0f;
    const int i = get_global_id(0), j = get_global_id(1);
    const int plane = nx * ny;
    int c = i + j * nx;
    const int w = i == 0 ? c : c - 1, e = i == nx - 1 ? c : c + 1;
    const int n = j == 0 ? c : c - nx, s = j == ny - 1 ? c : c + nx;
    float below = from[c], here = below, above = from[c + plane];

    to[c] = cc * here + cw * from[w] + ce * from[e] + cs * from[s] + cn * from[n] + cb * below + ct * above +
            by_capacity * power[c] + ct * ambient;
    int up = plane;
    for (int k = 1; k < nz - 1; k++) {
        below = here;
        here = above;
        above = from[c + up + plane];
        to[c + up] = cc * here + cw * from[w + up] + ce * from[e + up] + cs * from[s + up] + cn * from[n + up] +
                     cb * below + ct * above + by_capacity * power[c + up] + ct * ambient;
        up += plane;
    }
    below = here;
    here = above;
    to[c + up] = cc * here + cw * from[w + up] + ce * from[e + up] + cs * from[s + up] + cn * from[n + up] +
                 cb * below + ct * above + by_capacity * power[c + up] + ct * ambient;
}
